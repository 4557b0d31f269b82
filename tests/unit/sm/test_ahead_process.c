// SPDX-License-Identifier: MIT
/*
 * Slices that are executed ahead of their time (sim-device/sm/ahead.c) in contexts whose kernels
 * use memory of the process: pages come, and go at any time, and what touches them is executed when
 * it is due. Bytes, records, times and events are those of a host without threads.
 */
#include "ahead_rig.h"
#include "platform/user.h"

#define PAGES HOST_PROCESS_PAGES
#define WORDS (HOST_PROCESS_PAGES / 2 * VGPU_PAGE_SIZE / 4)

/*
 * Q20: a word of the process's memory that only this thread has, in page t % 4 + 4 * (block % 8):
 * the threads of a warp lie in four pages
 */
static void own_word(struct vass *v)
{
	OPI(v, SHRU, 10, 1, 3);
	OPI(v, MUL, 10, 10, THREADS);
	OPI(v, AND, 11, 0, ~3u);
	OP(v, ADD, 0, 10, 10, 11, 0, 0);
	OPI(v, AND, 11, 1, 7);
	OPI(v, MUL, 11, 11, 4 * VGPU_PAGE_SIZE);
	OP(v, ADD, 0, 10, 10, 11, 0, 0);
	OPI(v, AND, 11, 0, 3);
	OPI(v, MUL, 11, 11, VGPU_PAGE_SIZE);
	OP(v, ADD, 0, 10, 10, 11, 0, 0);
	OP(v, ZXQ, 0, 20, 10, 0, 0, 0);
	OPI(v, ADDQ, 20, 20, HOST_PROCESS);
}

/* Of the eight pieces of each round, some use memory of the process; some lanes only in some. */
static void process_program(struct vass *v, u64 seed, u32 rounds)
{
	struct vgpu_random random;
	u32 top, skip, kind;

	vgpu_random_seed(&random, seed);
	begin_program(v, 26);
	v->kernel.local_bytes = VGPU_LANES * VGPU_LOCAL_SPAN;
	OPI(v, SHL, 6, 0, 2);
	OPI(v, MUL, 9, 8, (u32)seed * 2 + 1);
	top = OPI(v, ADD, 7, 7, 1);
	for (u32 i = 0; i < 6; i++)
		piece(v, &random);
	/* in every so many rounds of every so many blocks */
	OP(v, ADD, 0, 10, 1, 7, 0, 0);
	OPI(v, AND, 10, 10, (1u << below(&random, 5)) - 1);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 1, 10, 0, 0, 0);
	skip = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 1);
	own_word(v);
	kind = below(&random, 4);
	if (kind == 1) {	/* every other lane uses memory of the device, in the same access */
		OPI(v, AND, 10, 0, 1);
		vass_op(v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 2, 10, 0, 0, 0);
		OPI(v, ADDQ, 20, 4, 0);
		vass_guard(v, 2);
	}
	OP(v, LDG, VASS_MEM(4, 1), 11, 20, 0, 0, 0);
	OP(v, ADD, 0, 8, 8, 11, 0, 0);
	if (kind)
		OP(v, STG, VASS_MEM(4, 1), 0, 20, 8, 0, 0);
	if (kind == 2)
		OP(v, ATOMG, VGPU_ATOM_ADD, 12, 20, 9, 0, 0);
	vass_target(v, skip, v->count, v->count);
	piece(v, &random);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 7, 0, 0, rounds);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 0);
	OP(v, ADD, 0, 8, 8, 9, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* Short blocks, every so many of which use memory of the process, some of them twice */
static void short_process_program(struct vass *v, u64 seed)
{
	struct vgpu_random random;
	u32 skip, count;

	vgpu_random_seed(&random, seed);
	begin_program(v, 26);
	count = 1 + below(&random, 30);
	for (u32 n = 0; n < count; n++)
		OPI(v, MUL, 8, 8, 2654435761u);
	OPI(v, MUL, 8, 1, THREADS);
	OP(v, ADD, 0, 8, 8, 0, 0, 0);
	OPI(v, AND, 10, 1, (2u << below(&random, 4)) - 1);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 1, 10, 0, 0, 1);
	skip = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 1);
	own_word(v);
	OP(v, LDG, VASS_MEM(4, 1), 9, 20, 0, 0, 0);
	if (below(&random, 2))
		OP(v, STG, VASS_MEM(4, 1), 0, 20, 8, 0, 0);
	vass_target(v, skip, v->count, v->count);
	OP(v, ADD, 0, 8, 8, 9, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static void add(struct host *h, const struct vass *v, u32 blocks)
{
	u32 c = host_open(h), q = host_queue(h, c), module = load(h, c, v);

	assert_int_equal(vgpu_process_enable(h->dev, c), 0);
	assert_int_equal(vgpu_memory_map(h->dev, c, BASE, BYTES), 0);
	for (u32 n = 0; n < WORDS; n++)
		((u32 *)(void *)h->process)[n] = n * 2654435761u;
	/* what is read before it is written would end all that */
	host_push(h, c, q, cmd_fill(BASE, BYTES / 4, 7, 4));
	launch(h, c, q, module, blocks, BASE);
	host_push(h, c, q, cmd_d2h(0, BASE, BYTES));
}

/* Answer what is wanted, of which every @refuse-th page is not there; 0: all are. */
static void answer(struct host *h, u32 refuse)
{
	struct vgpu_process_pages pages;

	while (h->dev->contexts.count &&
	       vgpu_process_wanted(h->dev, h->dev->contexts.list[0]->id, &pages)) {
		for (u32 n = 0; n < pages.pages; n++) {
			u64 page = (pages.address - HOST_PROCESS) / VGPU_PAGE_SIZE + n;

			if (!(pages.wanted >> n & 1) || page >= PAGES ||
			    (refuse && page % refuse == refuse - 1))
				continue;
			h->process_pages[page] = pages.write ? HOST_PAGE_WRITE : HOST_PAGE_READ;
			pages.there |= 1ull << n;
		}
		vgpu_process_came(h->dev, h->dev->contexts.list[0]->id, &pages);
	}
	h->process_wants = 0;
}

/*
 * At times that are the same with threads and without, the host answers what is wanted, and some
 * pages go.
 */
static void run_process(struct host *h, u64 seed, u32 refuse)
{
	struct vgpu_random random;
	u64 next, until = 0;

	vgpu_random_seed(&random, seed);
	do {
		until += 50000 + below(&random, 2000000);
		vgpu_system_horizon(h->dev->system, until);
		next = vgpu_device_run(h->dev, until, ~0u);
		assert_true(vgpu_exec_check(&h->dev->exec));
		if (h->process_wants) {
			answer(h, refuse);
			next = 0;
		}
		h->process_pages[below(&random, PAGES)] = HOST_PAGE_NONE;
	} while (next != VGPU_NEVER);
}

static void must_have_computed(struct host *h, struct host *expected, u64 seed)
{
	assert_int_equal(h->completion_count, expected->completion_count);
	for (size_t n = 0; n < h->completion_count; n++)
		assert_int_equal(h->completions[n].time, expected->completions[n].time);
	if (memcmp(h->process, expected->process, PAGES * VGPU_PAGE_SIZE))
		fail_msg("seed %llu: memory of the process differs", (unsigned long long)seed);
	must_be_the_same(h, expected, seed);
}

static u64 process_faults(struct host *h)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(h->dev, h->dev->contexts.list[0]->id, &info), 0);
	return info.account.page_faults;
}

/* Programs of long blocks: with records and without, with block switching and without. */
static void nothing_differs(void **state)
{
	struct executed e = {};
	u64 faults = 0;

	(void)state;
	for (u64 seed = 1; seed <= 60; seed++) {
		struct host *expected = device(), *h = device();
		struct host *const both[] = { expected, h };
		struct vass v;

		process_program(&v, seed, 25);
		give_threads(h, &e, seed);
		if (seed % 3 == 0)
			h->dev->exec.sm_env.parallel.lock = NULL;
		for (u32 n = 0; n < 2; n++) {
			vgpu_device_trace(both[n]->dev, seed % 2);
			if (seed % 5 == 0)
				assert_int_equal(vgpu_device_knob_set(both[n]->dev,
								      "block_switching", "1"), 0);
			add(both[n], &v, BLOCKS * 2);
			run_process(both[n], seed, 0);
			assert_int_equal(both[n]->fault_count, 0);
		}
		faults += process_faults(h);
		must_have_computed(h, expected, seed);
	}
	assert_in_range(e.batches, 1000, ~0ull);
	assert_in_range(faults, 1000, ~0ull);
}

/* Blocks that end within a slice: those of several SMs are put off, and raise faults then. */
static void short_blocks(void **state)
{
	struct executed e = {};
	u64 faults = 0;

	(void)state;
	for (u64 seed = 1; seed <= 90; seed++) {
		struct host *expected = device(), *h = device();
		struct host *const both[] = { expected, h };
		struct vass v;

		short_process_program(&v, seed);
		give_threads(h, &e, seed);
		for (u32 n = 0; n < 2; n++) {
			vgpu_device_trace(both[n]->dev, seed % 4 == 0);
			both[n]->dev->config.blocks_per_sm = 2;
			both[n]->dev->config.slice_ps = 10000000;
			/* two may be due at the same time */
			if (seed % 3 == 0)
				both[n]->dev->config.fault_round_trip_ps = 0;
			add(both[n], &v, 40 + (u32)seed);
			run_process(both[n], seed, 0);
			assert_int_equal(both[n]->fault_count, 0);
		}
		faults += process_faults(h);
		must_have_computed(h, expected, seed);
	}
	assert_in_range(e.batches, 300, ~0ull);
	assert_in_range(faults, 300, ~0ull);
}

/* Pages that the process does not have end the context, at the same time. */
static void refused_pages(void **state)
{
	struct executed e = {};
	u32 ended = 0;

	(void)state;
	for (u64 seed = 1; seed <= 20; seed++) {
		struct host *expected = device(), *h = device();
		struct host *const both[] = { expected, h };
		struct vass v;

		process_program(&v, seed, 25);
		give_threads(h, &e, seed);
		for (u32 n = 0; n < 2; n++) {
			add(both[n], &v, BLOCKS * 2);
			run_process(both[n], seed, 5 + (u32)seed % 20);
		}
		assert_int_equal(h->fault_count, expected->fault_count);
		if (h->fault_count)
			assert_memory_equal(&h->faults[0], &expected->faults[0],
					    sizeof(h->faults[0]));
		ended += h->fault_count != 0;
		assert_int_equal(h->record_count, expected->record_count);
		assert_memory_equal(h->records, expected->records,
				    h->record_count * sizeof(*h->records));
		assert_int_equal(h->dev->sim->now, expected->dev->sim->now);
		host_leave(h);
		host_free(expected);
	}
	assert_in_range(ended, 5, 20);
	assert_in_range(e.batches, 50, ~0ull);
}

/* ---- hosts that want to act, or whose threads are needed elsewhere -------- */

static struct host *asked;

static bool gives_way(void *host)
{
	struct executed *e = host;

	return below(&e->random, 20) == 0;
}

/* Some of the SMs have nothing executed, some a part. */
static void interrupting(void *host, u32 context, void (*run)(void *arg, u32 n),
			 void (*end)(void *arg, u32 n), void *arg, u32 count)
{
	struct executed *e = host;
	u32 stop = below(&e->random, 2 * count);

	assert_int_equal(context, e->context);
	assert_null(end);
	for (u32 n = 0; n < count; n++) {
		__atomic_store_n(&asked->dev->sim->interrupt, n >= stop, __ATOMIC_RELAXED);
		run(arg, n);
	}
	__atomic_store_n(&asked->dev->sim->interrupt, false, __ATOMIC_RELAXED);
	e->batches++;
	e->slices += count;
}

static void slices_may_be_left(void **state)
{
	struct executed e = {};

	(void)state;
	for (u64 seed = 1; seed <= 30; seed++) {
		struct host *expected = device(), *h = device();
		struct host *const both[] = { expected, h };
		struct vass v;

		if (seed % 2)
			process_program(&v, seed, 25);
		else
			random_program(&v, seed, 25);
		give_threads(h, &e, seed);
		asked = h;
		h->dev->exec.sm_env.parallel.run = interrupting;
		h->dev->exec.sm_env.parallel.gives_way = gives_way;
		if (seed % 3)
			h->dev->exec.sm_env.parallel.lock = NULL;
		for (u32 n = 0; n < 2; n++) {
			add(both[n], &v, BLOCKS * 2);
			run_process(both[n], seed, 0);
			assert_int_equal(both[n]->fault_count, 0);
		}
		must_have_computed(h, expected, seed);
	}
	assert_in_range(e.batches, 500, ~0ull);
}

/* No slice that begins after the time at which the host wants to act is executed before. */
static void not_beyond_the_horizon(void **state)
{
	struct executed e = {};

	(void)state;
	for (u64 seed = 1; seed <= 10; seed++) {
		struct host *h = device();
		struct vass v;
		u64 until = 0, next;

		random_program(&v, seed, 25);
		give_threads(h, &e, seed);
		add(h, &v, BLOCKS * 2);
		do {
			until += 137000 * seed;
			vgpu_system_horizon(h->dev->system, until);
			next = vgpu_device_run(h->dev, until, ~0u);
			for (u32 n = 0; n < SMS; n++) {
				const struct vgpu_sm_run *run = h->dev->exec.sms[n].run;

				assert_int_equal(run->ahead_count, 0);
				assert_false(run->slice.open);
			}
		} while (next != VGPU_NEVER);
		host_free(h);
	}
	assert_in_range(e.batches, 100, ~0ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_differs),
		cmocka_unit_test(short_blocks),
		cmocka_unit_test(refused_pages),
		cmocka_unit_test(slices_may_be_left),
		cmocka_unit_test(not_beyond_the_horizon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
