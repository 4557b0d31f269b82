// SPDX-License-Identifier: MIT
/*
 * Flushing and Chimera on one SM, computed on paper (docs/preemption.md).
 *
 * As in test_preempt.c: a launch takes 1 us, the setup of the SM 0.1 us, so blocks of the first
 * kernel start at 1.1 us. Four fit into the SM. A switch of one block takes 0.5 us of pipeline and
 * 1 us for its context, and costs 2 us of work.
 */
#include "host.h"
#include "manual.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)

/** struct taken - kernel 1 runs when kernel 2, one block of 10 us, takes its SM */
struct taken {
	struct host *h;
	u32 a, b;
};

/*
 * Kernel 1 has @blocks of @block_us, of which the first @permille may be flushed. At @tenths, in
 * tenths of a microsecond, kernel 2 reserves the SM.
 */
static struct taken take_sm(const char *mechanism, const char *deadline, u64 blocks, u64 block_us,
			    u32 permille, u64 tenths)
{
	struct taken t = { .h = manual_one_sm(mechanism) };
	struct vgpu_cmd cmd = cmd_profiled(blocks, block_us * US, 4);

	cmd.profiled.idempotent_permille = (u16)permille;
	assert_int_equal(vgpu_device_knob_set(t.h->dev, "deadline_us", deadline), 0);
	t.a = host_open(t.h);
	t.b = host_open(t.h);
	host_push(t.h, t.a, host_queue(t.h, t.a), cmd);
	host_push(t.h, t.b, host_queue(t.h, t.b), cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(t.h->dev, tenths * TENTH, ~0u);
	assert_int_equal(vgpu_exec_reserve(&t.h->dev->exec, 0, manual_kernel(t.h->dev, 2)), 0);
	return t;
}

static struct vgpu_account account_of(struct host *h, u32 context)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(h->dev, context, &info), 0);
	return info.account;
}

/* How each of the four blocks left, by letters: d, s, f; and what the first was estimated at. */
static const struct vgpu_trace_record *chosen(struct host *h, char *ways)
{
	const struct vgpu_trace_record *first = NULL;
	u32 count = 0;

	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (r->type != VGPU_TRACE_LEAVE_CHOSEN)
			continue;
		first = first ? first : r;
		assert_true(count < 4 && r->queue < VGPU_LEAVES);
		ways[count++] = "-dsf"[r->queue];
	}
	ways[count] = 0;
	return first;
}

/* Runs to the end; the kernels end at these times, and the blocks have left in these ways. */
static struct vgpu_account ends(struct taken *t, const char *ways, u64 second_start, u64 first_end)
{
	struct vgpu_account account;
	char did[8];

	host_run(t->h);
	assert_true(vgpu_exec_check(&t->h->dev->exec));
	chosen(t->h, did);
	assert_string_equal(did, ways);
	assert_int_equal(host_time_of(t->h, VGPU_TRACE_KERNEL_START, 2), second_start * TENTH);
	assert_int_equal(host_time_of(t->h, VGPU_TRACE_KERNEL_END, 1), first_end * TENTH);
	assert_int_equal(host_count_of(t->h, VGPU_TRACE_LEAVE_CHOSEN),
			 host_count_of(t->h, VGPU_TRACE_LEAVE_END));
	account = account_of(t->h, t->a);
	assert_int_equal(account.save_area, 0);
	return account;
}

/*
 * At 2.1 the blocks have run for 1 us: to drain takes 99, a switch costs 2, a flush loses 1. The SM
 * is handed over at once; kernel 2 runs from 2.2 to 12.2, and kernel 1 from its start, 12.3 to
 * 112.3.
 */
static void a_young_block_is_flushed(void **state)
{
	struct taken t = take_sm("chimera", "15", 4, 100, 1000, 21);
	struct vgpu_account account = ends(&t, "ffff", 22, 1123);

	(void)state;
	assert_int_equal(t.h->preemption_ps, 0);
	assert_int_equal(account.blocks_flushed, 4);
	assert_int_equal(account.flushed_time, 4 * US);
	assert_int_equal(account.blocks_saved, 0);
	assert_int_equal(account.leave_time, 0);
	assert_int_equal(account.lost_time, 4 * US);
	assert_int_equal(account.lost_estimated, 4 * US);
	/* a block starts once and ends once, and runs 1 us and 100 us */
	assert_int_equal(host_count_of(t.h, VGPU_TRACE_BLOCK_START), 5);
	assert_int_equal(host_count_of(t.h, VGPU_TRACE_BLOCK_END), 5);
	assert_int_equal(account.block_running, 404 * US);
	host_free(t.h);
}

/* At 2.1 blocks of 10 us have 9 to run: that is within 15 us and loses nothing, a flush loses 1. */
static void a_block_that_ends_in_time_is_drained(void **state)
{
	struct taken t = take_sm("chimera", "15", 4, 10, 1000, 21);
	struct vgpu_account account = ends(&t, "dddd", 112, 111);

	(void)state;
	assert_int_equal(t.h->preemption_ps, 9 * US);
	assert_int_equal(account.blocks_drained, 4);
	assert_int_equal(account.leave_estimated, 4 * 9 * US);
	assert_int_equal(account.leave_time, 4 * 9 * US);
	assert_int_equal(account.lost_time, 0);
	host_free(t.h);
}

/*
 * At 51.1 they have run for 50 us. The pipeline drains to 51.6, and they are saved one after the
 * other, to 55.6. Each was estimated by itself: 1.5 us; they take 1.5, 2.5, 3.5, 4.5. Kernel 2 ends
 * at 65.7, kernel 1 is restored 65.8 to 69.8, and its last block has 50 us left.
 */
static void a_middle_aged_block_is_switched(void **state)
{
	struct taken t = take_sm("chimera", "15", 4, 100, 1000, 511);
	struct vgpu_account account = ends(&t, "ssss", 557, 1198);

	(void)state;
	assert_int_equal(t.h->preemption_ps, 45 * TENTH);
	assert_int_equal(account.blocks_saved, 4);
	assert_int_equal(account.leave_estimated, 4 * 15 * TENTH);
	assert_int_equal(account.leave_time, 120 * TENTH);
	assert_int_equal(account.lost_estimated, 8 * US);
	assert_int_equal(account.lost_time, 8 * US);
	host_free(t.h);
}

/* As young as above, but only the first 0.9 us may be flushed; exactly 1 us of 1 us may be. */
static void a_block_past_its_mark_is_not_flushed(void **state)
{
	struct taken t = take_sm("chimera", "15", 4, 100, 9, 21);

	(void)state;
	ends(&t, "ssss", 67, 1198);
	host_free(t.h);
	t = take_sm("chimera", "15", 4, 100, 10, 21);
	ends(&t, "ffff", 22, 1123);
	host_free(t.h);
	/* nor by the mechanism flush, nor where there is no other way to meet a deadline */
	t = take_sm("flush", "15", 4, 100, 9, 21);
	ends(&t, "ssss", 67, 1198);
	host_free(t.h);
	t = take_sm("chimera", "0", 4, 100, 9, 21);
	ends(&t, "ssss", 67, 1198);
	host_free(t.h);
	/* a kernel that says nothing has no mark that it is before */
	t = take_sm("flush", "15", 4, 100, 0, 21);
	ends(&t, "ssss", 67, 1198);
	host_free(t.h);
}

/* A switch takes 1.5 us: where 1 us is all there is, 50 us are lost. */
static void a_short_deadline_forces_a_flush(void **state)
{
	struct taken t = take_sm("chimera", "1", 4, 100, 1000, 511);
	struct vgpu_account account = ends(&t, "ffff", 512, 1613);

	(void)state;
	assert_int_equal(account.lost_time, 4 * 50 * US);
	host_free(t.h);
	t = take_sm("chimera", "1.5", 4, 100, 1000, 511);
	ends(&t, "ssss", 557, 1198);
	host_free(t.h);
}

/* Neither 50 us of draining nor 1.5 us meet 1 us; at 99.9 to drain takes 1.2 us. */
static void the_fastest_where_nothing_meets_the_deadline(void **state)
{
	struct taken t = take_sm("chimera", "1", 4, 100, 0, 511);

	(void)state;
	ends(&t, "ssss", 557, 1198);
	host_free(t.h);
	t = take_sm("chimera", "1", 4, 100, 0, 999);
	ends(&t, "dddd", 1012, 1011);
	host_free(t.h);
}

/* The mechanism flush flushes whatever may be, however much it loses. */
static void flush_does_not_weigh(void **state)
{
	struct taken t = take_sm("flush", "15", 4, 100, 1000, 511);

	(void)state;
	ends(&t, "ffff", 512, 1613);
	host_free(t.h);
}

/*
 * Blocks of different age on one SM: those of test_preempt.c that were switched and restored, with
 * 49.6 us left each, run again from 66.7, 67.7, 68.7, 69.7. At 102.3 they have 14, 15, 16 and 17 us
 * left. Two end within 15 us, at 116.3 and 117.3, while the others are saved.
 */
static void each_block_leaves_its_own_way(void **state)
{
	struct host *h = manual_one_sm("switch");
	u32 a = host_open(h), b = host_open(h);
	struct vgpu_account account;
	char ways[8];

	(void)state;
	host_push(h, a, host_queue(h, a), cmd_profiled(4, 100 * US, 4));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(h->dev, 51 * US, ~0u);
	assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 2)), 0);
	vgpu_device_run(h->dev, 100 * US, ~0u);
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "chimera"), 0);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(h->dev, 1023 * TENTH, ~0u);
	assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 3)), 0);
	vgpu_device_run(h->dev, 110 * US, ~0u);
	assert_true(vgpu_exec_check(&h->dev->exec));
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_RESERVED);
	assert_int_equal(h->dev->exec.sms[0].resident_count, 2);
	host_run(h);
	chosen(h, ways);
	assert_string_equal(ways, "ddss");
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_START, 3), 1174 * TENTH);
	/* 14 + 15 + 2 x 1.5 estimated; the second save ends at 104.8 */
	account = account_of(h, a);
	assert_int_equal(account.blocks_drained, 2);
	assert_int_equal(account.leave_estimated, 32 * US);
	assert_int_equal(account.leave_time, 33 * US);
	host_free(h);
}

/* What it says beforehand: of all four together, and what then happens. */
static void the_estimate_is_that_of_the_choices(void **state)
{
	static const struct {
		const char *deadline;
		u64 tenths, latency, cost, lost;
	} cases[] = {
		{ "15", 21, 0, 0, 4 * US },
		{ "15", 511, 45 * TENTH, 8 * US, 0 },
		{ "60", 511, 50 * US, 0, 0 },
		{ "1", 511, 0, 0, 200 * US },
	};

	(void)state;
	for (u32 n = 0; n < 4; n++) {
		struct host *h = manual_one_sm("chimera");
		struct vgpu_cmd cmd = cmd_profiled(4, 100 * US, 4);
		struct vgpu_preemption_estimate estimate;
		u32 a = host_open(h);

		cmd.profiled.idempotent_permille = 1000;
		vgpu_device_knob_set(h->dev, "deadline_us", cases[n].deadline);
		host_push(h, a, host_queue(h, a), cmd);
		vgpu_device_run(h->dev, cases[n].tenths * TENTH, ~0u);
		assert_int_equal(vgpu_exec_estimate(&h->dev->exec, 0, &estimate), 0);
		assert_int_equal(estimate.latency, cases[n].latency);
		assert_int_equal(estimate.cost, cases[n].cost);
		assert_int_equal(estimate.lost, cases[n].lost);
		host_free(h);
	}
}

/* A block is flushed so many times and no more: so each ends some day. */
static void a_block_is_not_flushed_for_ever(void **state)
{
	struct host *h = manual_one_sm("flush");
	struct vgpu_cmd cmd = cmd_profiled(4, 100 * US, 4);
	u32 a = host_open(h), b = host_open(h), queue;
	char ways[16] = "";
	u32 count = 0;

	(void)state;
	cmd.profiled.idempotent_permille = 1000;
	vgpu_device_knob_set(h->dev, "flushes_most", "2");
	cmd.profiled.blocks = 1;
	host_push(h, a, host_queue(h, a), cmd);
	queue = host_queue(h, b);
	for (u32 n = 0; n < 4; n++) {
		u64 next = h->dev->sim->now + 30 * US;

		host_push(h, b, queue, cmd_profiled(1, 5 * US, 4));
		vgpu_device_run(h->dev, next, ~0u);
		assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0,
						   manual_kernel(h->dev, n + 2)), 0);
	}
	host_run(h);
	for (size_t i = 0; i < h->record_count; i++)
		if (h->records[i].type == VGPU_TRACE_LEAVE_END)
			ways[count++] = "-dsf"[h->records[i].queue];
	assert_string_equal(ways, "ffss");
	host_free(h);
}

/* Kernel @number is to have SM 0 at @tenths. */
static void take_at(struct host *h, u32 number, u64 tenths)
{
	vgpu_device_run(h->dev, tenths * TENTH, ~0u);
	assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, number)), 0);
}

/* Kernel 1, @cmd with flushable blocks, is taken off its SM by two of 5 us, at these times. */
static struct host *taken_twice(const char *mechanism, const char *most, struct vgpu_cmd cmd,
				u64 first, u64 second)
{
	struct host *h = manual_one_sm(mechanism);
	u32 a = host_open(h), b = host_open(h), queue = host_queue(h, b);

	assert_int_equal(vgpu_device_knob_set(h->dev, "flushes_most", most), 0);
	cmd.profiled.idempotent_permille = 1000;
	host_push(h, a, host_queue(h, a), cmd);
	host_push(h, b, queue, cmd_profiled(1, 5 * US, 4));
	host_push(h, b, queue, cmd_profiled(1, 5 * US, 4));
	take_at(h, 2, first);
	take_at(h, 3, second);
	host_run(h);
	assert_true(vgpu_exec_check(&h->dev->exec));
	return h;
}

/*
 * A switch costs 2 us. At 2.6 the block has run for 1.5 us and is flushed. Kernel 2 runs from 2.7
 * to 7.7, the block from 7.8 on. At 9.3 it has run for 1.5 us again: a flush would lose 3 us in
 * all.
 */
static void what_was_lost_counts(void **state)
{
	struct host *h = taken_twice("chimera", "8", cmd_profiled(1, 100 * US, 4), 26, 93);
	const struct vgpu_trace_record *first;
	char ways[8];

	(void)state;
	first = chosen(h, ways);
	assert_string_equal(ways, "fs");
	assert_int_equal(first->b, 15 * TENTH);
	assert_int_equal(account_of(h, 1).flushed_time, 15 * TENTH);
	/* what is estimated, and comes of it, is that of one choice: 1.5 and 2 us */
	assert_int_equal(account_of(h, 1).lost_estimated, 35 * TENTH);
	assert_int_equal(account_of(h, 1).lost_time, 35 * TENTH);
	host_free(h);
}

/*
 * With flushes_most=1. Block 0 is flushed at 2.1; kernel 2 runs from 2.2 to 7.2, the block from 7.3
 * to 17.3, and block 1 follows it in its place. At 18.3 that has not been flushed before.
 */
static void flushes_are_those_of_one_block(void **state)
{
	struct host *h = taken_twice("flush", "1", cmd_profiled(2, 10 * US, 1), 21, 183);
	char ways[8];

	(void)state;
	chosen(h, ways);
	assert_string_equal(ways, "ff");
	host_free(h);
}

/*
 * With save_dirty=1 half of each context is saved: 0.5 us. At 11.1 blocks of 100 us have run for
 * 10 us; saved from 11.6 on, the last has left at 13.6. Kernel 2 runs from 13.7 to 23.7. Then each
 * is restored in 0.5 us from 23.8 on, the last until 25.8, with 90 us to run.
 */
static void only_what_is_dirty_is_saved(void **state)
{
	struct host *h = manual_one_sm("chimera");
	u32 a = host_open(h), b = host_open(h);
	struct vgpu_cmd cmd = cmd_profiled(4, 100 * US, 4);

	(void)state;
	h->dev->config.save_dirty = 1;
	cmd.profiled.clean_base_permille = 500;
	host_push(h, a, host_queue(h, a), cmd);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 4));
	take_at(h, 2, 111);
	host_run(h);
	assert_true(vgpu_exec_check(&h->dev->exec));
	assert_int_equal(h->preemption_ps, 25 * TENTH);
	assert_int_equal(account_of(h, 1).saved_bytes, 4 * 32768);
	assert_int_equal(account_of(h, 1).save_area, 0);
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_END, 1), 1158 * TENTH);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_young_block_is_flushed),
		cmocka_unit_test(a_block_that_ends_in_time_is_drained),
		cmocka_unit_test(a_middle_aged_block_is_switched),
		cmocka_unit_test(a_block_past_its_mark_is_not_flushed),
		cmocka_unit_test(a_short_deadline_forces_a_flush),
		cmocka_unit_test(the_fastest_where_nothing_meets_the_deadline),
		cmocka_unit_test(flush_does_not_weigh),
		cmocka_unit_test(each_block_leaves_its_own_way),
		cmocka_unit_test(the_estimate_is_that_of_the_choices),
		cmocka_unit_test(a_block_is_not_flushed_for_ever),
		cmocka_unit_test(what_was_lost_counts),
		cmocka_unit_test(flushes_are_those_of_one_block),
		cmocka_unit_test(only_what_is_dirty_is_saved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
