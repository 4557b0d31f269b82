// SPDX-License-Identifier: MIT
/*
 * Slices that are executed ahead of their time (sim-device/sm/ahead.c) by a host that has threads.
 * This host has none: it executes what it is given in any order, so what depends on the order is
 * seen in every run. Bytes, records, times and events are those of a host without threads.
 */
#include <stdlib.h>
#include <string.h>

#include "../device/host.h"
#include "../device/manual.h"
#include "platform/user.h"
#include "random_program.h"
#include "sm/verify.h"

#define SMS 5u

/** struct executed - what the host was asked to do */
struct executed {
	struct vgpu_random random;
	u64 batches;
	u64 slices; /* of SMs in those */
	bool locked;
};

static void parallel(void *host, void (*run)(void *arg, u32 n), void (*end)(void *arg, u32 n),
		     void *arg, u32 count)
{
	struct executed *e = host;
	u32 order[SMS];

	assert_in_range(count, 2, SMS);
	for (u32 n = 0; n < count; n++)
		order[n] = n;
	for (u32 n = count; n-- > 1;) {
		u32 other = below(&e->random, n + 1), was = order[n];

		order[n] = order[other];
		order[other] = was;
	}
	for (u32 n = 0; n < count; n++)
		run(arg, order[n]);
	for (u32 n = 0; n < count; n++)
		end(arg, n);
	e->batches++;
	e->slices += count;
}

static void lock(void *host)
{
	struct executed *e = host;

	assert_false(e->locked);
	e->locked = true;
}

static void unlock(void *host)
{
	struct executed *e = host;

	assert_true(e->locked);
	e->locked = false;
}

/* From now on @h has threads, as it were. */
static void give_threads(struct host *h, struct executed *e, u64 seed)
{
	vgpu_random_seed(&e->random, seed);
	h->dev->exec.sm_env.parallel =
		(struct vgpu_parallel){.run = parallel, .lock = lock, .unlock = unlock, .host = e};
}

/* Its policy is @policy, NULL: the tests'. */
static struct host *device_with(const char *policy)
{
	struct host *h = host_new("k20c", "sms=5", "active_kernels=8", "slice_ps=300000",
				  "memory_bandwidth=2000000000000", "drain_ps=500000", NULL);

	if (policy)
		assert_int_equal(vgpu_device_knob_set(h->dev, "policy", policy), 0);
	else
		vgpu_exec_set_policy(&h->dev->exec, &manual_policy);
	return h;
}

static struct host *device(void)
{
	return device_with(NULL);
}

/*
 * A context that copies @copies times, launches @v, and copies what it computes to @offset.
 * Returns its id.
 */
static u32 add_later(struct host *h, const struct vass *v, u32 blocks, u64 offset, u32 copies)
{
	u32 c = host_open(h), q = host_queue(h, c), module, bytes;
	struct vgpu_cmd cmd;
	char message[256] = "";
	void *binary = vass_binary(v, &bytes);
	u64 param = BASE;

	if (vgpu_module_load(h->dev, c, binary, bytes, message, sizeof(message), &module))
		fail_msg("%s", message);
	free(binary);
	assert_int_equal(vgpu_memory_map(h->dev, c, BASE, BYTES), 0);
	while (copies--)
		host_push(h, c, q, cmd_h2d(BASE, offset, 4096));
	cmd = (struct vgpu_cmd){.op = VGPU_CMD_LAUNCH,
				.launch = {.module = module,
					   .grid = {blocks, 1, 1},
					   .block = {THREADS, 1, 1},
					   .param_bytes = 8,
					   .params = 0x1000}};
	assert_int_equal(host_try(h, c, q, &cmd, 0, &param), 0);
	host_push(h, c, q, cmd_d2h(offset, BASE, BYTES));
	return c;
}

static u32 add_program(struct host *h, const struct vass *v, u32 blocks, u64 offset)
{
	return add_later(h, v, blocks, offset, 0);
}

/*
 * Blocks that end within a slice: mostly at equal times, so that others are issued for all of them
 * before they are executed. Some differ. With @atomics each has one whose result the others see.
 */
static void short_program(struct vass *v, u64 seed, bool atomics)
{
	struct vgpu_random random;
	u32 skip, count;

	vgpu_random_seed(&random, seed);
	begin_program(v, 24);
	count = 1 + below(&random, 30);
	for (u32 n = 0; n < count; n++)
		OPI(v, MUL, 8, 8, 2654435761u);
	/* every 2nd to 16th block takes longer */
	OPI(v, AND, 10, 1, (2u << below(&random, 4)) - 1);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 1, 10, 0, 0, 1);
	skip = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 1);
	OP(v, LDG, VASS_MEM(4, 1), 9, 4, 0, 0, 0);
	count = below(&random, 60);
	for (u32 n = 0; n < count; n++)
		OP(v, ADD, 0, 8, 8, 9, 0, 0);
	vass_target(v, skip, v->count, v->count);
	OPI(v, MOV, 9, 0, 1);
	if (atomics)
		OP(v, ATOMG, VGPU_ATOM_ADD, 10, 2, 9, 0, COUNTERS);
	OP(v, ADD, 0, 8, 8, 10, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static void add_random(struct host *h, u64 seed, u32 rounds, u64 offset)
{
	struct vass v;

	random_program(&v, seed, rounds);
	add_program(h, &v, BLOCKS * 2, offset);
}

/* A random program, or one of short blocks. */
static void add_either(struct host *h, u64 seed, u32 rounds, u64 offset)
{
	struct vass v;

	if (seed % 2) {
		add_random(h, seed / 2, rounds, offset);
		return;
	}
	short_program(&v, seed, false);
	add_program(h, &v, 2 * rounds, offset);
}

/* Both end; what happened in them is the same. */
static void must_be_the_same(struct host *h, struct host *expected, u64 seed)
{
	if (h->record_count != expected->record_count ||
	    memcmp(h->records, expected->records, h->record_count * sizeof(*h->records)))
		fail_msg("seed %llu: the traces differ", (unsigned long long)seed);
	assert_memory_equal(h->memory, expected->memory, 2 * BYTES);
	assert_int_equal(h->fault_count, expected->fault_count);
	assert_int_equal(h->dev->sim->now, expected->dev->sim->now);
	assert_int_equal(h->dev->sim->fired, expected->dev->sim->fired);
	assert_int_equal(h->dev->system->work.total, expected->dev->system->work.total);
	for (u32 n = 0; n < SMS; n++) {
		assert_int_equal(h->dev->exec.sms[n].instructions,
				 expected->dev->exec.sms[n].instructions);
		assert_int_equal(h->dev->exec.sms[n].thread_instructions,
				 expected->dev->exec.sms[n].thread_instructions);
	}
	for (u32 n = 0; n < h->dev->contexts.count; n++)
		assert_memory_equal(vgpu_as_translations(h->dev->contexts.list[n]->as),
				    vgpu_as_translations(expected->dev->contexts.list[n]->as),
				    sizeof(struct vgpu_translations));
	host_leave(h);
	host_free(expected);
}

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

static void blocks_of_one_slice(void **state)
{
	struct executed e = {}, of_equal = {};

	(void)state;
	for (u64 seed = 1; seed <= 90; seed++) {
		struct host *expected = device(), *h = device();
		struct vgpu_random random;
		u32 blocks = 20 + (u32)seed;
		struct vass v;

		vgpu_random_seed(&random, seed);
		give_threads(h, seed % 3 ? &of_equal : &e, seed);
		expected->dev->config.blocks_per_sm = h->dev->config.blocks_per_sm = 2;
		expected->dev->config.slice_ps = h->dev->config.slice_ps = 10000000;
		short_program(&v, seed, seed % 3 == 0);
		add_program(expected, &v, blocks, 0);
		add_program(h, &v, blocks, 0);
		host_run(expected);
		/* the host has a word between any two of them */
		if (seed % 2)
			while (vgpu_device_run(h->dev, VGPU_NEVER, 1 + below(&random, 5)) !=
			       VGPU_NEVER)
				assert_true(vgpu_exec_check(&h->dev->exec));
		else
			host_run(h);
		must_be_the_same(h, expected, seed);
	}
	assert_in_range(e.batches, 100, ~0ull);
	assert_in_range(of_equal.slices, 1000, ~0ull);
}

/* ---- what else happens at these times --------------------------------------- */

#define PROBES	4u
#define TIMES	400u
#define SEEN	(PROBES * TIMES * 3)

/** struct probes - events that look at the SMs, at times at which something happens to these */
struct probes {
	struct host *h;
	struct vgpu_random random;
	u64 times[TIMES];
	u32 time_count;
	u64 seen[SEEN]; /* instructions of all SMs by then, each weighted */
	u32 seen_count;
	struct probe {
		struct vgpu_event event;
		struct probes *all;
		u32 next; /* of times[] */
	} probe[PROBES];
};

/* It comes again at the same time, behind what is due then, or at a later one. */
static void look(struct vgpu_event *event)
{
	struct probe *probe = vgpu_container_of(event, struct probe, event);
	struct probes *all = probe->all;
	u64 seen = 0;

	for (u32 n = 0; n < SMS; n++)
		seen = 1000003 * seen + all->h->dev->exec.sms[n].instructions;
	if (all->seen_count < SEEN)
		all->seen[all->seen_count++] = seen;
	if (below(&all->random, 3) && probe->next + 1 < all->time_count)
		probe->next += 1 + below(&all->random, 2);
	if (probe->next < all->time_count && all->seen_count < SEEN)
		vgpu_event_at(all->h->dev->sim, event, all->times[probe->next]);
}

/* The times of all that happens in a run of @v. */
static void times_of(struct probes *probes, const struct vass *v, u32 blocks)
{
	struct host *h = device();
	u64 last = 0;

	h->dev->config.slice_ps = 10000000;
	h->dev->config.blocks_per_sm = 2;
	add_program(h, v, blocks, 0);
	while (vgpu_device_run(h->dev, VGPU_NEVER, 1) != VGPU_NEVER) {
		if (h->dev->sim->now != last && probes->time_count < TIMES)
			probes->times[probes->time_count++] = h->dev->sim->now;
		last = h->dev->sim->now;
	}
	host_leave(h);
}

static struct host *run_with_probes(struct probes *probes, const struct vass *v, u32 blocks,
				    u64 seed, struct executed *threads)
{
	struct host *h = device();

	if (threads)
		give_threads(h, threads, seed);
	h->dev->config.slice_ps = 10000000;
	h->dev->config.blocks_per_sm = 2;
	probes->h = h;
	vgpu_random_seed(&probes->random, seed);
	add_program(h, v, blocks, 0);
	assert_int_equal(vgpu_event_reserve(h->dev->sim, PROBES), 0);
	for (u32 n = 0; n < PROBES; n++) {
		probes->probe[n] = (struct probe){.event.fire = look, .all = probes, .next = n};
		vgpu_event_at(h->dev->sim, &probes->probe[n].event, probes->times[n]);
	}
	host_run(h);
	vgpu_event_release(h->dev->sim, PROBES);
	return h;
}

/* Whatever else is due when slices begin, they have been executed, or not, as without threads. */
static void events_in_between(void **state)
{
	struct executed e = {};

	(void)state;
	for (u64 seed = 1; seed <= 30; seed++) {
		struct probes *probes = calloc(2, sizeof(*probes));
		struct host *expected, *h;
		struct vass v;

		assert_non_null(probes);
		short_program(&v, seed, seed % 3 == 0);
		times_of(&probes[0], &v, 100);
		memcpy(probes[1].times, probes[0].times, sizeof(probes[0].times));
		probes[1].time_count = probes[0].time_count;
		expected = run_with_probes(&probes[0], &v, 100, seed, NULL);
		h = run_with_probes(&probes[1], &v, 100, seed, &e);
		assert_int_equal(probes[1].seen_count, probes[0].seen_count);
		for (u32 n = 0; n < probes[0].seen_count; n++)
			if (probes[1].seen[n] != probes[0].seen[n])
				fail_msg("seed %llu: look %u differs", (unsigned long long)seed,
					 n);
		must_be_the_same(h, expected, seed);
		free(probes);
	}
	assert_in_range(e.batches, 30, ~0ull);
}

static void run_both(struct host *h, struct host *expected, const struct vass *v, u32 blocks)
{
	add_program(expected, v, blocks, 0);
	add_program(h, v, blocks, 0);
	host_run(expected);
	host_run(h);
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

/* One block does, of many that end when it does. */
static void so_is_that_of_a_short_block(void **state)
{
	struct executed e = {};

	(void)state;
	for (u64 seed = 1; seed <= 20; seed++) {
		struct host *expected = device(), *h = device();
		struct vass v;

		expected->dev->config.slice_ps = h->dev->config.slice_ps = 10000000;
		short_program(&v, seed, false);
		v.count--;
		vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 1, 1, 0, 0, 30 + 5 * seed);
		OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
		vass_guard(&v, 1 | VGPU_P_NOT);
		OP(&v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 1ull << 36);
		OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
		give_threads(h, &e, seed);
		run_both(h, expected, &v, 160);
		assert_int_equal(h->fault_count, 1);
		assert_memory_equal(&h->faults[0], &expected->faults[0], sizeof(h->faults[0]));
		assert_int_equal(h->record_count, expected->record_count);
		assert_memory_equal(h->records, expected->records,
				    h->record_count * sizeof(*h->records));
		host_leave(h);
		host_free(expected);
	}
	assert_in_range(e.batches, 40, ~0ull);
}

static u32 load(struct host *h, u32 c, const struct vass *v)
{
	char message[256] = "";
	u32 module, bytes;
	void *binary = vass_binary(v, &bytes);

	if (vgpu_module_load(h->dev, c, binary, bytes, message, sizeof(message), &module))
		fail_msg("%s", message);
	free(binary);
	return module;
}

static void launch(struct host *h, u32 c, u32 q, u32 module, u32 blocks, u64 param)
{
	struct vgpu_cmd cmd = {.op = VGPU_CMD_LAUNCH,
			       .launch = {.module = module,
					  .grid = {blocks, 1, 1},
					  .block = {THREADS, 1, 1},
					  .param_bytes = 8,
					  .params = 0x1000}};

	assert_int_equal(host_try(h, c, q, &cmd, 0, &param), 0);
}

/* A kernel waits for managed pages; then they go, and there is one of short blocks. */
static void warps_are_traced_in_time(void **state)
{
	struct executed e = {};

	(void)state;
	for (u64 seed = 1; seed <= 20; seed++) {
		struct host *expected = device(), *h = device(), *const both[] = {expected, h};
		struct vass touching, after;

		begin_program(&touching, 24);
		OP(&touching, LDG, VASS_MEM(4, 1), 9, 4, 0, 0, 0);
		OP(&touching, STG, VASS_MEM(4, 1), 0, 4, 9, 0, 0);
		OP(&touching, EXIT, 0, 0, 0, 0, 0, 0);
		short_program(&after, seed, false);
		give_threads(h, &e, seed);
		for (u32 n = 0; n < 2; n++) {
			struct vgpu_device *dev = both[n]->dev;
			u32 c = host_open(both[n]), q = host_queue(both[n], c);
			u32 first = load(both[n], c, &touching), second = load(both[n], c, &after);

			dev->config.slice_ps = 10000000;
			dev->config.blocks_per_sm = 2;
			assert_int_equal(vgpu_memory_map(dev, c, BASE, BYTES), 0);
			assert_int_equal(vgpu_memory_map_managed(dev, c, HOST_MANAGED, BYTES), 0);
			launch(both[n], c, q, first, 40, HOST_MANAGED);
			host_run(both[n]);
			assert_int_equal(vgpu_memory_unmap(dev, c, HOST_MANAGED, BYTES), 0);
			launch(both[n], c, q, second, 61 + (u32)seed, BASE);
			host_run(both[n]);
		}
		must_be_the_same(h, expected, seed);
	}
	/* with no trace of waiting warps they are executed together as ever */
	assert_in_range(e.batches, 1, ~0ull);
}

/* It assigns an SM that is not idle, once the first is: the model is broken, the context ends. */
static void break_model(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr =
		manual_kernel(vgpu_container_of(exec, struct vgpu_device, exec), 1);

	manual_policy.schedule(exec);
	for (u32 n = 0; ksr && ksr->started && exec->idle_count && n < SMS; n++)
		if (exec->smst[n].ksr == ksr) {
			vgpu_exec_assign(exec, n, ksr);
			return;
		}
}

static void a_context_ends_among_short_blocks(void **state)
{
	static const struct vgpu_policy bad = {.name = "bad", .schedule = break_model};
	struct executed e = {};

	(void)state;
	vgpu_user_broken_goes_on();
	for (u64 seed = 1; seed <= 20; seed++) {
		struct host *expected = device(), *h = device(), *const both[] = {expected, h};
		struct vass v;

		short_program(&v, seed, false);
		give_threads(h, &e, seed);
		for (u32 n = 0; n < 2; n++) {
			vgpu_exec_set_policy(&both[n]->dev->exec, &bad);
			both[n]->dev->config.slice_ps = 10000000;
			both[n]->dev->config.blocks_per_sm = 2;
			add_program(both[n], &v, 61 + (u32)seed, 0);
			host_run(both[n]);
			assert_in_range(vgpu_user_broken(), 1, ~0u);
			for (u32 sm = 0; sm < SMS; sm++)
				assert_int_equal(both[n]->dev->exec.sms[sm].instructions,
						 expected->dev->exec.sms[sm].instructions);
		}
		assert_int_equal(h->fault_count, 1);
		assert_int_equal(h->record_count, expected->record_count);
		assert_memory_equal(h->records, expected->records,
				    h->record_count * sizeof(*h->records));
		assert_int_equal(h->dev->sim->fired, expected->dev->sim->fired);
		host_leave(h);
		host_free(expected);
	}
	assert_in_range(e.batches, 20, ~0ull);
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
			put_off += h->dev->exec.sms[sm].run->put_off;
			if (ksr && h->dev->exec.smst[sm].ksr) {
				assert_int_equal(vgpu_exec_reserve(&h->dev->exec, sm, ksr), 0);
				/* its slice had begun, for all others */
				assert_false(h->dev->exec.sms[sm].halted &&
					     h->dev->exec.sms[sm].run->put_off);
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
		cmocka_unit_test(runs_may_end_anywhere),
		cmocka_unit_test(blocks_of_one_slice),
		cmocka_unit_test(events_in_between),
		cmocka_unit_test(atomics_keep_their_order),
		cmocka_unit_test(pages_of_zeros_go_in_time),
		cmocka_unit_test(a_fault_is_the_same),
		cmocka_unit_test(so_is_that_of_a_short_block),
		cmocka_unit_test(warps_are_traced_in_time),
		cmocka_unit_test(a_context_ends_among_short_blocks),
		cmocka_unit_test(the_host_may_do_anything),
		cmocka_unit_test(contexts_may_end_at_any_time),
		cmocka_unit_test(orders_that_others_rely_on),
		cmocka_unit_test(ordered_kernels_are_not_executed_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
