// SPDX-License-Identifier: MIT
/*
 * Slices that are executed ahead of their time (sim-device/sm/ahead.c) by a host that has threads.
 * This host has none: it executes what it is given in any order, so what depends on the order is
 * seen in every run. Bytes, records, times and events are those of a host without threads.
 */
#include "ahead_rig.h"
#include "sm/verify.h"

/* A program, and two of different contexts, one of which is alone when the other has ended. */
static void nothing_differs(void **state)
{
	struct executed e = {};

	(void)state;
	for (u64 seed = 1; seed <= 40; seed++) {
		struct host *expected = device(), *h = device();

		give_threads(h, &e, seed);
		add_random(expected, seed, 30, 0);
		add_random(h, seed, 30, 0);
		if (seed % 4 == 0) {
			add_random(expected, seed + 100, 10, BYTES);
			add_random(h, seed + 100, 10, BYTES);
		}
		host_run(expected);
		host_run(h);
		must_be_the_same(h, expected, seed);
	}
	/* it would be the same if nothing were executed ahead */
	assert_true(e.batches > 1000 && e.slices > 3 * e.batches);
}

/*
 * A kernel is alone until another context has copied something, and wants SMs then: it gets them at
 * the same time, and the blocks it takes the places of are as far.
 */
static void what_comes_meanwhile_is_in_time(void **state)
{
	static const char *const policies[] = {"dss", "round-robin", "ppq-exclusive"};
	struct executed e = {};
	size_t preemptions = 0;

	(void)state;
	for (u64 seed = 1; seed <= 45; seed++) {
		struct host *expected = device_with(policies[seed % 3]);
		struct host *h = device_with(policies[seed % 3]);
		struct host *const both[] = {expected, h};

		give_threads(h, &e, seed);
		for (u32 n = 0; n < 2; n++) {
			struct vass v;
			u32 c;

			assert_int_equal(vgpu_device_knob_set(both[n]->dev, "preemption", "switch"),
					 0);
			add_either(both[n], seed, 60, 0);
			random_program(&v, seed + 100, 5);
			c = add_later(both[n], &v, BLOCKS, BYTES, 1 + (u32)seed % 16);
			assert_int_equal(vgpu_context_priority(both[n]->dev, c, 1), 0);
			host_run(both[n]);
		}
		preemptions += h->preemptions;
		must_be_the_same(h, expected, seed);
	}
	assert_in_range(preemptions, 30, ~0ull);
	assert_in_range(e.batches, 1000, ~0ull);
}

static struct host *looked_at;
static u64 beside_waiting;

static void counting_waiting(void *host, u32 context, void (*run)(void *arg, u32 n),
			     void (*end)(void *arg, u32 n), void *arg, u32 count)
{
	beside_waiting += vgpu_pqueue_count(&looked_at->dev->exec.waiting) != 0;
	parallel(host, context, run, end, arg, count);
}

/* Launches of other contexts wait for all of a kernel, where the policy takes idle SMs only. */
static void what_waits_disturbs_nothing(void **state)
{
	static const char *const policies[] = {"fcfs", "npq"};
	struct executed e = {};

	(void)state;
	beside_waiting = 0;
	for (u64 seed = 1; seed <= 24; seed++) {
		const char *policy = policies[seed % 2];
		struct host *expected = device_with(policy), *h = device_with(policy);
		struct host *const both[] = {expected, h};

		give_threads(h, &e, seed);
		h->dev->exec.sm_env.parallel.run = counting_waiting;
		looked_at = h;
		for (u32 n = 0; n < 2; n++) {
			add_either(both[n], seed, 20, 0);
			add_either(both[n], seed + 50, 20, BYTES);
			host_run(both[n]);
		}
		must_be_the_same(h, expected, seed);
	}
	assert_in_range(beside_waiting, 200, ~0ull);
}

/* There is nobody to hand anything to. */
static bool nobody(void *host, u32 context)
{
	(void)host;
	(void)context;
	return false;
}

static void nobody_is_there(void **state)
{
	struct host *h = device();
	struct executed e = {};

	(void)state;
	give_threads(h, &e, 1);
	h->dev->exec.sm_env.parallel.hands = nobody;
	add_random(h, 1, 30, 0);
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	assert_int_equal(e.batches, 0);
	host_free(h);
}

/* The same while the host has a word in between any two events: it looks, and does nothing. */
static void runs_may_end_anywhere(void **state)
{
	struct executed e = {};

	(void)state;
	for (u64 seed = 1; seed <= 10; seed++) {
		struct host *expected = device(), *h = device();
		struct vgpu_random random;

		vgpu_random_seed(&random, seed);
		give_threads(h, &e, seed);
		add_random(expected, seed, 20, 0);
		add_random(h, seed, 20, 0);
		host_run(expected);
		while (vgpu_device_run(h->dev, VGPU_NEVER, 1 + below(&random, 5)) != VGPU_NEVER)
			assert_true(vgpu_exec_check(&h->dev->exec));
		must_be_the_same(h, expected, seed);
	}
	assert_true(e.batches > 100);
}

/* And while the host uses its threads now and then (vgpu_device_parallel()) */
static void threads_may_come_and_go(void **state)
{
	struct executed e = {};
	u32 put_off = 0;

	(void)state;
	for (u64 seed = 1; seed <= 20; seed++) {
		struct host *expected = device(), *h = device();
		struct vgpu_random random;

		vgpu_random_seed(&random, seed);
		give_threads(h, &e, seed);
		h->dev->exec.parallel = h->dev->exec.sm_env.parallel;
		add_either(expected, seed, 40, 0);
		add_either(h, seed, 40, 0);
		host_run(expected);
		while (vgpu_device_run(h->dev, VGPU_NEVER, 1 + below(&random, 9)) != VGPU_NEVER) {
			for (u32 n = 0; n < SMS; n++)
				put_off += vgpu_slice_is_put_off(h->dev->exec.sms[n].run);
			vgpu_device_parallel(h->dev, below(&random, 2));
			assert_true(vgpu_exec_check(&h->dev->exec));
		}
		must_be_the_same(h, expected, seed);
	}
	assert_true(e.batches > 100);
	assert_true(put_off > 10);
}

/* Every thread takes a ticket several times: who gets which depends on all that came before. */
static void tickets(struct vass *v)
{
	u32 top;

	begin_program(v, 16);
	OPI(v, MOV, 7, 0, 0);
	OPI(v, MOV, 9, 0, 1);
	top = OPI(v, ADD, 7, 7, 1);
	for (u32 n = 0; n < 200; n++)
		OPI(v, MUL, 8, 8, 2654435761u);
	OP(v, ATOMG, VGPU_ATOM_ADD, 10, 2, 9, 0, COUNTERS);
	OPI(v, MUL, 11, 11, 31);
	OP(v, ADD, 0, 11, 11, 10, 0, 0);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 7, 0, 0, 20);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 4, 11, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static void atomics_keep_their_order(void **state)
{
	struct host *expected = device(), *h = device();
	struct executed e = {};
	struct vass v;

	(void)state;
	tickets(&v);
	give_threads(h, &e, 1);
	run_both(h, expected, &v, BLOCKS * 2);
	assert_in_range(e.batches, 50, ~0ull);
	must_be_the_same(h, expected, 0);
}

/*
 * A page is read by some blocks, and then a word of it that nobody reads is written by another, the
 * first that is: what TLBs have of the page is no longer right.
 */
static void reads_before_it_writes(struct vass *v, u32 reads)
{
	u32 top;

	begin_program(v, 24);
	OPI(v, MOV, 7, 0, 0);
	/* Q12: a page of eight, by block and round; Q14: another, a word of its second half, which
	 * gets the page */
	top = OPI(v, ADD, 7, 7, 1);
	OP(v, ADD, 0, 10, 1, 7, 0, 0);
	OPI(v, AND, 10, 10, 7);
	OPI(v, MADWU, 12, 10, VGPU_PAGE_SIZE);
	v->code[v->count - 1].c = 2;
	OPI(v, MUL, 11, 1, 5);
	OP(v, ADD, 0, 11, 11, 7, 0, 0);
	OPI(v, AND, 11, 11, 7);
	OPI(v, MADWU, 14, 11, VGPU_PAGE_SIZE);
	v->code[v->count - 1].c = 2;
	OPI(v, AND, 16, 8, 511);
	OPI(v, MADWU, 14, 16, 4);
	v->code[v->count - 1].c = 14;
	if (reads)
		OP(v, LDG, VASS_MEM(4, 1), 9, 12, 0, 0, 4 * VGPU_PAGE_SIZE + 64);
	for (u32 n = 0; n < 60; n++)
		OPI(v, MUL, 9, 9, 2654435761u);
	/* block 0 writes, a page in each of its rounds from the sixth on */
	OPI(v, MUL, 17, 1, 1000);
	OP(v, ADD, 0, 17, 17, 7, 0, 0);
	OPI(v, SUB, 17, 17, 6);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 1, 17, 0, 0, 8);
	OP(v, STG, VASS_MEM(4, 1), 0, 14, 11, 0, 4 * VGPU_PAGE_SIZE + 2048);
	vass_guard(v, 1);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 7, 0, 0, 40);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 4, 9, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static void pages_of_zeros_go_in_time(void **state)
{
	(void)state;
	for (u32 reads = 0; reads < 2; reads++) {
		for (u64 seed = 1; seed <= 10; seed++) {
			struct host *expected = device(), *h = device();
			struct executed e = {};
			struct vass v;

			/* so that a translation more is seen */
			expected->dev->config.page_walk_ps = 300 * VGPU_NS;
			h->dev->config.page_walk_ps = 300 * VGPU_NS;
			reads_before_it_writes(&v, reads);
			give_threads(h, &e, seed);
			run_both(h, expected, &v, BLOCKS + (u32)seed);
			assert_int_equal(h->fault_count, 0);
			assert_true(reads || e.batches > 10);
			must_be_the_same(h, expected, seed);
		}
	}
}

/* One thread of the last block but two writes where nothing is, late. */
static void a_fault_is_the_same(void **state)
{
	struct host *expected = device(), *h = device();
	struct executed e = {};
	struct vass v;
	u32 skip;

	(void)state;
	tickets(&v);
	v.count--;
	OPI(&v, MOV, 12, 0, 0);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 1, 1, 0, 0, BLOCKS * 2 - 3);
	skip = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 1);
	OP(&v, STG, VASS_MEM(4, 1), 0, 4, 11, 0, 1ull << 36);
	vass_target(&v, skip, v.count, v.count);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	give_threads(h, &e, 1);
	run_both(h, expected, &v, BLOCKS * 2);
	assert_in_range(e.batches, 50, ~0ull);
	assert_int_equal(h->fault_count, 1);
	assert_memory_equal(&h->faults[0], &expected->faults[0], sizeof(h->faults[0]));
	host_leave(h);
	host_free(expected);
}

/*
 * What the host does while slices have been executed that are not due comes as if those SMs had
 * been in a long slice: contexts end, SMs are taken away. Nothing is lost.
 */
static void the_host_may_do_anything(void **state)
{
	struct executed e = {};
	u32 put_off = 0;

	(void)state;
	for (u64 seed = 1; seed <= 40; seed++) {
		struct host *expected = device(), *h = device();
		struct vgpu_random random;
		u64 next = 0;

		vgpu_random_seed(&random, seed);
		give_threads(h, &e, seed);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "switch"), 0);
		for (u32 n = 0; n < 2; n++)
			add_either(expected, 3 * seed + n, n ? 10 : 40, n * BYTES);
		host_run(expected);
		add_either(h, 3 * seed, 40, 0);
		while (next != VGPU_NEVER) {
			u32 sm = below(&random, SMS);
			struct vgpu_ksr *ksr = manual_kernel(h->dev, 1 + below(&random, 2));

			assert_true(vgpu_exec_check(&h->dev->exec));
			put_off += vgpu_slice_is_put_off(h->dev->exec.sms[sm].run);
			if (ksr && h->dev->exec.smst[sm].ksr) {
				assert_int_equal(vgpu_exec_reserve(&h->dev->exec, sm, ksr), 0);
				/* its slice had begun, for all others */
				assert_false(h->dev->exec.sms[sm].halted &&
					     vgpu_slice_is_put_off(h->dev->exec.sms[sm].run));
			}
			/* a second one comes while the first has been alone for some time */
			if (h->dev->contexts.count == 1 && h->dev->exec.sms[0].instructions > 20000)
				add_either(h, 3 * seed + 1, 10, BYTES);
			next = vgpu_device_run(h->dev, VGPU_NEVER, 1 + below(&random, 200));
		}
		assert_int_equal(h->fault_count, 0);
		assert_int_equal(h->completion_count, h->dev->contexts.count * 2);
		assert_memory_equal(h->memory, expected->memory, h->dev->contexts.count * BYTES);
		host_leave(h);
		host_free(expected);
	}
	assert_true(e.batches > 1000);
	assert_in_range(put_off, 3, ~0u);
}

static void contexts_may_end_at_any_time(void **state)
{
	struct executed e = {};

	(void)state;
	for (u32 events = 10; events < 3000; events += 37) {
		struct host *h = device();

		give_threads(h, &e, events);
		add_either(h, events, 30, 0);
		vgpu_device_run(h->dev, VGPU_NEVER, events);
		/* which checks that nothing is left */
		host_free(h);
	}
	assert_true(e.batches > 100);
}

/* ---- kernels that order their accesses ---------------------------------- */

static bool is_ordered(unsigned int order, unsigned int scope, unsigned int cache, bool store)
{
	struct vass v;

	vass_init(&v, 16, 8);
	if (store)
		OP(&v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 0);
	else
		OP(&v, LDG, VASS_MEM(4, 1), 8, 4, 0, 0, 0);
	vass_mem(&v, order, scope, cache);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	return vgpu_code_is_ordered(v.code, v.count);
}

static void orders_that_others_rely_on(void **state)
{
	(void)state;
	assert_false(is_ordered(VGPU_ORDER_WEAK, 0, VGPU_CACHE_NONE, false));
	assert_false(is_ordered(VGPU_ORDER_WEAK, 0, VGPU_CACHE_CG, true));
	assert_false(is_ordered(VGPU_ORDER_NC, 0, VGPU_CACHE_NONE, false));
	assert_false(is_ordered(VGPU_ORDER_ACQUIRE, VGPU_SCOPE_CTA, VGPU_CACHE_NONE, false));
	assert_true(is_ordered(VGPU_ORDER_WEAK, 0, VGPU_CACHE_CV, false));
	assert_true(is_ordered(VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, VGPU_CACHE_NONE, false));
	assert_true(is_ordered(VGPU_ORDER_ACQUIRE, VGPU_SCOPE_SYS, VGPU_CACHE_NONE, false));
	assert_true(is_ordered(VGPU_ORDER_RELEASE, VGPU_SCOPE_GPU, VGPU_CACHE_NONE, true));
}

static void ordered_kernels_are_not_executed_ahead(void **state)
{
	struct host *h = device();
	struct executed e = {};
	struct vass v;

	(void)state;
	random_program(&v, 1, 10);
	v.count--;
	OP(&v, LDG, VASS_MEM(4, 1), 8, 4, 0, 0, 0);
	vass_mem(&v, VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, VGPU_CACHE_NONE);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	give_threads(h, &e, 1);
	add_program(h, &v, BLOCKS * 2, 0);
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	assert_int_equal(e.batches, 0);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_differs),
		cmocka_unit_test(what_comes_meanwhile_is_in_time),
		cmocka_unit_test(what_waits_disturbs_nothing),
		cmocka_unit_test(nobody_is_there),
		cmocka_unit_test(runs_may_end_anywhere),
		cmocka_unit_test(threads_may_come_and_go),
		cmocka_unit_test(atomics_keep_their_order),
		cmocka_unit_test(pages_of_zeros_go_in_time),
		cmocka_unit_test(a_fault_is_the_same),
		cmocka_unit_test(the_host_may_do_anything),
		cmocka_unit_test(contexts_may_end_at_any_time),
		cmocka_unit_test(orders_that_others_rely_on),
		cmocka_unit_test(ordered_kernels_are_not_executed_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
