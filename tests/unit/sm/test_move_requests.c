// SPDX-License-Identifier: MIT
/*
 * timing=pipeline: a block that leaves a shared SM, or comes back to it, is moved by requests to
 * memory, which compete with those of the blocks that go on (SMK 5.1).
 *
 * One SM at 1 GHz. Unless a test says otherwise every port takes a line and its header, 136 bytes,
 * in a cycle, so a request takes 40 (L1) + 1 (port) + 20 + 70 (L2) + 1 (port) + 20 = 152 cycles,
 * one begins in each cycle, and the SM is told one cycle after the last answer. A block of 3200
 * registers has 12,800 bytes: 100 lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "../device/sharing.h"
#include "device/device.h"
#include "pipeline_rig.h"

#define CYCLE	1000u		/* ps */
#define TRIP	152u

static struct host *begin(const char *field, const char *value)
{
	static const char *const fields[][2] = {
		{ "timing", "pipeline" }, { "memory_model", "caches" }, { "sms", "1" },
		{ "clock_khz", "1000000" }, { "kernels_per_sm", "2" }, { "policy", "leftover" },
		{ "pipeline_drain_ps", "0" }, { "watchdog_ps", "0" }, { "l1_cycles", "40" },
		{ "icnt_cycles", "20" }, { "icnt_sm_bytes", "136" }, { "icnt_l2_bytes", "136" },
		{ "l2_partitions", "1" }, { "l2_cycles", "70" }, { "l1_queue", "128" },
		{ "active_kernels", "8" },
	};
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "gtx980"), 0);
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(fields); n++)
		set_field(&config, fields[n][0], fields[n][1]);
	if (field)
		set_field(&config, field, value);
	return host_new_config(&config);
}

/* @blocks endless blocks of 100 lines each come to the SM, within 10 us. */
static u32 begin_blocks(struct host *h, u32 blocks)
{
	struct vgpu_cmd cmd = cmd_profiled(blocks, 1000 * VGPU_MS, 1);
	u32 context = host_open(h), before = h->dev->exec.sms[0].resident_count;

	cmd.profiled.regs_per_block = 3200;
	cmd.profiled.threads = 32;
	host_push(h, context, host_queue(h, context), cmd);
	vgpu_device_run(h->dev, h->dev->sim->now + 10 * VGPU_US, ~0u);
	assert_int_equal(h->dev->exec.sms[0].resident_count, before + blocks);
	return context;
}

static struct vgpu_ksr *first_kernel(struct host *h)
{
	return vgpu_exec_next_kernel(&h->dev->exec, NULL);
}

static void evict(struct host *h)
{
	assert_int_equal(vgpu_exec_evict(&h->dev->exec, 0, first_kernel(h)), 0);
	assert_true(vgpu_exec_check(&h->dev->exec));
}

/* Cycles from the @n-th record of type @from, from 0, to the @n-th of type @to */
static u64 cycles(struct host *h, enum vgpu_trace_type from, enum vgpu_trace_type to, u32 n)
{
	u64 began = 0, ended = 0;
	u32 begins = 0, ends = 0;

	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *record = &h->records[i];

		if (record->type == from && begins++ == n)
			began = record->time;
		if (record->type == to && ends++ == n)
			ended = record->time;
	}
	assert_true(ends > n && ended > began);
	return (ended - began) / CYCLE;
}

static u64 save_cycles(struct host *h, u32 n)
{
	return cycles(h, VGPU_TRACE_SAVE_START, VGPU_TRACE_SAVE_END, n);
}

static u64 restore_cycles(struct host *h, u32 n)
{
	return cycles(h, VGPU_TRACE_RESTORE_START, VGPU_TRACE_RESTORE_END, n);
}

/* One block of one kernel: it is evicted, and comes back at once. */
static struct host *move_one(const char *field, const char *value)
{
	struct host *h = begin(field, value);

	begin_blocks(h, 1);
	evict(h);
	sharing_run(h, 400);
	assert_int_equal(h->dev->exec.sms[0].resident_count, 1);
	return h;
}

/* 99 others begin before the last. */
static void one_line_a_cycle(void **state)
{
	struct host *h = move_one(NULL, NULL);

	(void)state;
	assert_int_equal(save_cycles(h, 0), 99 + TRIP + 1);
	/* they are in L2 yet: the answers have the lines, not the requests */
	assert_int_equal(restore_cycles(h, 0), 99 + TRIP + 1);
	host_free(h);
}

/* 34 bytes a cycle: 4 cycles for each line. The answers to stores, or loads, are 8 bytes. */
static void the_port_is_narrow(void **state)
{
	struct host *h = move_one("icnt_sm_bytes", "34");

	(void)state;
	assert_int_equal(save_cycles(h, 0), 40 + 100 * 4 + 20 + 70 + 1 + 20 + 1);
	assert_int_equal(restore_cycles(h, 0), 40 + 1 + 20 + 70 + 1 + 20 + 99 * 4 + 1);
	host_free(h);
}

/* Ten at a time: ten rounds, the last of which ends 9 cycles after its first line. */
static void few_are_under_way(void **state)
{
	struct host *h = move_one("l1_queue", "10");

	(void)state;
	assert_int_equal(save_cycles(h, 0), 9 * TRIP + 9 + TRIP + 1);
	host_free(h);
}

/* What L2 has no room for comes from DRAM: 128 lines of L2, 64 bytes a cycle. */
static void from_memory(void **state)
{
	struct vgpu_memsys_stats stats;
	struct host *h = begin("l2_bytes", "8192");
	u64 written;

	(void)state;
	begin_blocks(h, 1);
	evict(h);
	sharing_run(h, 400);
	vgpu_memsys_stats(h->dev->memsys, &stats);
	written = stats.dram_written;
	assert_true(written >= 100 * 128 - 8192);
	assert_true(stats.dram_read >= 100 * 128 - 8192 && stats.dram_read <= 100 * 128);
	/* no sooner than DRAM can read what it has read */
	assert_true(restore_cycles(h, 0) >
		    stats.dram_read * 1000 / (h->dev->config.memory_bandwidth / 1000000));
	host_free(h);
}

/* The save area is no frames, whatever is compressed: L2 writes its lines back as they are. */
static void beside_compressed_pages(void **state)
{
	struct vgpu_cmd cmd = {
		.op = VGPU_CMD_PREFETCH,
		.prefetch = { .address = HOST_MANAGED, .bytes = VGPU_PAGE_SIZE, .to_device = 1 },
	};
	struct host *h = begin("l2_bytes", "8192");
	u32 context = host_open(h);

	(void)state;
	assert_int_equal(vgpu_device_knob_set(h->dev, "compression", "1"), 0);
	assert_int_equal(vgpu_memory_map_managed(h->dev, context, HOST_MANAGED, 1 << 16), 0);
	host_push(h, context, host_queue(h, context), cmd);
	host_run(h);
	assert_true(h->dev->mmu.frames.compressed);
	begin_blocks(h, 1);
	evict(h);
	sharing_run(h, 400);
	assert_true(restore_cycles(h, 0) > 0);
	host_free(h);
}

/* No caches: whatever is asked for comes 200 cycles later. */
static void without_caches(void **state)
{
	struct host *h = move_one("memory_model", "flat");

	(void)state;
	assert_int_equal(save_cycles(h, 0), 99 + 200 + 1);
	assert_int_equal(restore_cycles(h, 0), 99 + 200 + 1);
	host_free(h);
}

static void an_ideal_switch_takes_a_cycle(void **state)
{
	struct host *h = move_one("ideal_switch", "1");

	(void)state;
	assert_int_equal(save_cycles(h, 0), 1);
	assert_int_equal(restore_cycles(h, 0), 1);
	host_free(h);
}

/* Nothing executes on the SM any more: moves go on. */
static void the_last_leave(void **state)
{
	struct host *h = begin(NULL, NULL);

	(void)state;
	begin_blocks(h, 2);
	sharing_set(h, "policy", "fcfs");
	sharing_run(h, 400);
	assert_int_equal(save_cycles(h, 0), 99 + TRIP + 1);
	assert_int_equal(save_cycles(h, 1), 99 + TRIP + 1);
	assert_int_equal(h->dev->exec.sms[0].resident_count, 2);
	host_free(h);
}

/* ---- neighbours --------------------------------------------------------- */

/* Each of its warps stores a line, again and again. */
static struct rig stores(struct host *h)
{
	struct rig r = { .h = h, .context = host_open(h) };
	struct vass v;
	u32 loop, at;

	r.queue = host_queue(h, r.context);
	assert_int_equal(vgpu_memory_map(h->dev, r.context, BASE, BYTES), 0);
	prologue(&v, 24);
	loop = OP(&v, STG, VASS_MEM(4, 1), 0, 4, 0, 0, 0);
	at = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_target(&v, at, loop, at + 1);
	epilogue(&v, 20);
	program(&r, &v);
	launch(&r, 1, 512, BASE, 0);
	vgpu_device_run(h->dev, h->dev->sim->now + 10 * VGPU_US, ~0u);
	assert_int_equal(h->dev->exec.smst[0].kernels, 2);
	return r;
}

static u64 instructions(const struct rig *r)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(r->h->dev, r->context, &info), 0);
	return info.instructions;
}

static u64 executed(const struct rig *r, u64 ps)
{
	u64 before = instructions(r);

	vgpu_device_run(r->h->dev, r->h->dev->sim->now + ps, ~0u);
	return instructions(r) - before;
}

/*
 * The port takes 4 cycles for a line, and 128 lines are under way, 512 cycles. Whenever one has
 * gone there is room for one, and both sides have one for it: they take turns. So the 100 lines of
 * a save go in 800 cycles, and come behind 512 others; meanwhile the neighbour gets half.
 */
static void they_compete(void **state)
{
	struct host *h = begin("icnt_sm_bytes", "34");
	u64 alone, beside;
	struct rig r;

	(void)state;
	begin_blocks(h, 1);
	r = stores(h);
	alone = executed(&r, 700 * CYCLE);
	/* the second kernel is the one that stores */
	evict(h);
	beside = executed(&r, 700 * CYCLE);
	vgpu_device_run(h->dev, h->dev->sim->now + 10 * VGPU_US, ~0u);
	assert_in_range(save_cycles(h, 0), 800 + 512, 800 + 512 + 2 * TRIP);
	assert_in_range(beside, alone * 45 / 100, alone * 55 / 100);
	vgpu_context_close(h->dev, r.context);
	host_free(h);
}

/* ---- the end of a process in the middle ---------------------------------- */

static bool is_idle(struct host *h)
{
	return vgpu_l1d_idle(vgpu_memsys_l1d(h->dev->memsys, 0));
}

/* The one that moves ends at cycle @after of its save, or with @back of its restore. */
static void kill_one(u32 after, bool back)
{
	struct host *h = begin(NULL, NULL);
	u32 context = begin_blocks(h, 1);
	struct rig r = stores(h);

	evict(h);
	while (back && !host_count_of(h, VGPU_TRACE_RESTORE_START))
		assert_true(vgpu_device_run(h->dev, VGPU_NEVER, 1) != VGPU_NEVER);
	vgpu_device_run(h->dev, h->dev->sim->now + after * CYCLE, ~0u);
	vgpu_context_close(h->dev, context);
	assert_true(vgpu_exec_check(&h->dev->exec));
	assert_true(executed(&r, 20 * VGPU_US) > 1000);
	assert_true(vgpu_exec_check(&h->dev->exec));
	assert_int_equal(h->dev->exec.save_area, 0);
	/* another one moves as ever */
	begin_blocks(h, 2);
	evict(h);
	vgpu_device_run(h->dev, h->dev->sim->now + 20 * VGPU_US, ~0u);
	vgpu_context_close(h->dev, r.context);
	vgpu_device_run(h->dev, h->dev->sim->now + 20 * VGPU_US, ~0u);
	assert_int_equal(h->dev->exec.sms[0].resident_count, 2);
	evict(h);
	vgpu_device_run(h->dev, h->dev->sim->now + 20 * VGPU_US, ~0u);
	assert_true(is_idle(h));
	assert_true(vgpu_exec_check(&h->dev->exec));
	host_free(h);
}

static void killed_in_the_middle(void **state)
{
	(void)state;
	for (u32 after = 0; after < 500; after += 41) {
		kill_one(after, false);
		kill_one(after, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_a_cycle),
		cmocka_unit_test(the_port_is_narrow),
		cmocka_unit_test(few_are_under_way),
		cmocka_unit_test(from_memory),
		cmocka_unit_test(beside_compressed_pages),
		cmocka_unit_test(without_caches),
		cmocka_unit_test(an_ideal_switch_takes_a_cycle),
		cmocka_unit_test(the_last_leave),
		cmocka_unit_test(they_compete),
		cmocka_unit_test(killed_in_the_middle),
	};

	return cmocka_run_group_tests_name("requests of moves", tests, NULL, NULL);
}
