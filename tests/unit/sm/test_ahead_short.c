// SPDX-License-Identifier: MIT
/*
 * Blocks that end within a slice, on a host that has threads: slices that begin at the same time
 * are put off until the blocks of all SMs that end then have been reported (sim-device/sm/ahead.c).
 * Bytes, records, times and events are those of a host without threads, whatever else happens.
 */
#include "ahead_rig.h"
#include "platform/user.h"

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

/* One block, of many that end at the same time, writes where nothing is. */
static void a_fault_of_a_short_block(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_one_slice),
		cmocka_unit_test(events_in_between),
		cmocka_unit_test(a_fault_of_a_short_block),
		cmocka_unit_test(warps_are_traced_in_time),
		cmocka_unit_test(a_context_ends_among_short_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
