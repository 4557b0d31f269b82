// SPDX-License-Identifier: MIT
/*
 * What accesses take, to the cycle: latency and bandwidth of each level of the machine of Tanasic
 * table 6.1, registers for misses, and who merges.
 */
#include "mem_rig.h"

#include <stdlib.h>

/*
 * At 1 GHz: L1 40, L2 70, DRAM 200 (table); interconnect 20. A message has 8 bytes and its data. A
 * port of an SM carries 32 bytes a cycle, that of a partition 64, its channel 31.25.
 *
 *   L1 miss    leaves at 40, has left at 41 (8 bytes), at L2 at 61
 *   L2 hit     ready at 131, has left at 134 (136 bytes: 2.1 cycles), at the SM at 154
 *   L2 miss    at DRAM at 131, read at 336 (128 bytes: 4.1 cycles, 200), has left at 339, 359
 */
#define L1_HIT		40u
#define L2_HIT		154u
#define L2_MISS		359u

/* The next address is the value of the last. */
static void chase(struct rig *rig, u32 lines, u64 address)
{
	for (u32 n = 0; n < lines; n++, address += 128) {
		rig_op(rig, 0, 0, RIG_LOAD, address, 0);
		rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	}
}

static void expect_latency(struct rig *rig, u32 loads, u64 cycles)
{
	struct rig_warp *warp = &rig->sms[0].warps[0];

	for (u32 n = 0; n < loads; n++)
		assert_int_equal(warp->ops[2 * n].done - warp->ops[2 * n].sent, cycles);
}

static void a_load_takes_what_its_level_takes(void **state)
{
	struct rig *rig = rig_open("");

	(void)state;
	rig_scripts(rig);
	chase(rig, 8, 0x10000);
	rig_go(rig);
	expect_latency(rig, 8, L2_MISS);
	rig_scripts(rig);
	chase(rig, 8, 0x10000);
	rig_go(rig);
	expect_latency(rig, 8, L1_HIT);
	vgpu_l1d_invalidate(rig->sms[0].l1);
	rig_scripts(rig);
	chase(rig, 8, 0x10000);
	rig_go(rig);
	expect_latency(rig, 8, L2_HIT);
	assert_int_equal(rig_stats(rig).l1_hits, 8);
	assert_int_equal(rig_stats(rig).l1_misses, 16);
	assert_int_equal(rig_stats(rig).l2_hits, 8);
	assert_int_equal(rig_stats(rig).l2_misses, 8);
	assert_int_equal(rig_stats(rig).dram_read, 8 * 128);
	rig_close(rig);
}

/* At 706 MHz a cycle is no whole number of picoseconds, and five partitions no power of two. */
static void any_clock_counts_the_same_cycles(void **state)
{
	struct rig *rig = rig_open("clock_khz=706000 l2_partitions=5 l2_bytes=1310720 l2_ways=16 "
				   "memory_bandwidth=110312500000");

	(void)state;
	/* the channel of a partition carries 31.25 bytes a cycle, as at 1 GHz */
	rig_scripts(rig);
	chase(rig, 16, 0x10000);
	rig_go(rig);
	expect_latency(rig, 16, L2_MISS);
	vgpu_l1d_invalidate(rig->sms[0].l1);
	rig_scripts(rig);
	chase(rig, 16, 0x10000);
	rig_go(rig);
	expect_latency(rig, 16, L2_HIT);
	rig_close(rig);
}

static void cycles_and_times_agree(void **state)
{
	static const u32 clocks[] = { 1000, 706000, 1000000, 1216000, 3333333, 100000000 };
	struct vgpu_config config;

	(void)state;
	vgpu_config_preset(&config, "k20c");
	for (u32 n = 0; n < 6; n++) {
		config.clock_khz = clocks[n];
		for (u64 cycle = 0; cycle < 2000000000; cycle = cycle * 3 + 1) {
			u64 time = vgpu_cycle_time(&config, cycle);

			assert_int_equal(vgpu_cycle_at(&config, time), cycle);
			assert_int_equal(vgpu_cycle_from(&config, time), cycle);
			assert_int_equal(vgpu_cycle_from(&config, time + 1), cycle + 1);
			if (time)
				assert_int_equal(vgpu_cycle_at(&config, time - 1), cycle - 1);
		}
	}
}

/* ---- bandwidth ----------------------------------------------------------- */

struct stream {
	u64 next;	/* address */
	u64 end;
	u64 stride;
	u64 first;	/* cycle of the first response */
	u64 last;
	u32 came;
	u32 hits;
	u8 kind;
};

static u64 stream_step(struct rig_sm *sm, u64 cycle)
{
	struct stream *stream = sm->data;
	u8 data[128] __attribute__((aligned(8))) = {};
	struct vgpu_mem_access access =
		rig_access(sm->rig, cycle, stream->kind, stream->next, 128);
	struct vgpu_mem_answer answer;

	if (stream->next >= stream->end)
		return VGPU_NEVER;
	access.data = data;
	access.owner = sm;
	switch (vgpu_l1d_access(sm->l1, &access, &answer)) {
	case VGPU_MEM_BUSY:
		return VGPU_NEVER;
	case VGPU_MEM_DONE:
		stream->hits++;
		stream->last = answer.cycle;
		break;
	default:
		break;
	}
	stream->next += stream->stride;
	return cycle + 1;
}

static void stream_came(struct rig_sm *sm, const struct vgpu_mem_response *response)
{
	struct stream *stream = sm->data;

	if (!stream->came++)
		stream->first = response->cycle;
	stream->last = response->cycle;
}

/* @sms stream @lines lines each, all of their own. Cycles from the first to the last response */
static u64 stream(struct rig *rig, u32 sms, u32 lines, u32 kind, struct stream *streams)
{
	u64 now = vgpu_cycle_from(&rig->config, rig->sim.now), first = ~0ull, last = 0;

	for (u32 n = 0; n < sms; n++) {
		streams[n] = (struct stream){ .next = 0x10000 + (u64)n * lines * 128,
					      .end = 0x10000 + (u64)(n + 1) * lines * 128,
					      .stride = 128, .kind = (u8)kind };
		rig->sms[n].data = &streams[n];
		rig->sms[n].step = stream_step;
		rig->sms[n].came = stream_came;
		rig->sms[n].next = now;
		rig_kick(&rig->sms[n], now);
	}
	rig_run(rig);
	for (u32 n = 0; n < sms; n++) {
		assert_int_equal(streams[n].came + streams[n].hits, lines);
		first = streams[n].first < first ? streams[n].first : first;
		last = streams[n].last > last ? streams[n].last : last;
	}
	return last - first;
}

static void expect_near(u64 cycles, double expected)
{
	/* what is rounded up to whole cycles at the ends */
	if (cycles < expected * 0.99 - 4 || cycles > expected * 1.01 + 4)
		fail_msg("%llu cycles, expected %.1f", cycles, expected);
}

static void bandwidth_is_that_of_the_ports(void **state)
{
	/* so many misses in flight that latency does not matter */
	struct rig *rig = rig_open("l1_mshrs=512 l2_mshrs=4096 l1_bytes=131072");
	struct stream streams[16];
	u64 cycles;

	(void)state;
	/* DRAM, all SMs: a line is 128 / 250 cycles */
	cycles = stream(rig, 16, 512, VGPU_MEM_LOAD, streams);
	expect_near(cycles, 16 * 512 * 128 / 250.0);
	/* L1: one line a cycle */
	cycles = vgpu_cycle_at(&rig->config, rig->sim.now);
	stream(rig, 1, 512, VGPU_MEM_LOAD, streams);
	assert_int_equal(streams[0].hits, 512);
	assert_true(streams[0].last >= cycles + 511 + L1_HIT &&
		    streams[0].last <= cycles + 512 + L1_HIT + 20);
	/* L2 to one SM: 136 bytes at 32 a cycle */
	vgpu_l1d_invalidate(rig->sms[0].l1);
	cycles = stream(rig, 1, 512, VGPU_MEM_LOAD, streams);
	assert_int_equal(streams[0].hits, 0);
	expect_near(cycles, 511 * 136 / 32.0);
	/* L2 to all: 136 bytes at 8 x 64 a cycle, as much as 16 x 32 */
	for (u32 n = 0; n < 16; n++)
		vgpu_l1d_invalidate(rig->sms[n].l1);
	cycles = stream(rig, 16, 512, VGPU_MEM_LOAD, streams);
	if (cycles < 16 * 512 * 136 / 512 || cycles > 16 * 512 * 136 / 512 * 5 / 4)
		fail_msg("%llu cycles for 8192 lines of L2", cycles);
	rig_close(rig);
}

static void one_sm_has_as_many_misses_in_flight_as_registers(void **state)
{
	struct rig *rig = rig_open("l1_mshrs=8");
	struct stream streams[1];
	u64 cycles;

	(void)state;
	stream(rig, 1, 256, VGPU_MEM_LOAD, streams);
	vgpu_l1d_invalidate(rig->sms[0].l1);
	cycles = stream(rig, 1, 256, VGPU_MEM_LOAD, streams);
	/*
	 * the first eight go one a cycle and come one every 4.25 cycles; each next one is sent when
	 * one has come
	 */
	expect_near(cycles, (256 / 8 - 1) * (double)L2_HIT + 7 * 4.25);
	assert_true(rig_stats(rig).l1_busy > 0);
	rig_close(rig);
}

static void partitions_have_as_many_misses_in_flight_as_registers(void **state)
{
	struct rig *rig = rig_open("l1_mshrs=512 l2_mshrs=16");
	struct stream streams[1];
	u64 cycles = stream(rig, 1, 512, VGPU_MEM_LOAD, streams);

	(void)state;
	/* two of each of eight partitions, 274 cycles each: 70 + 4.1 + 200 */
	expect_near(cycles, (512 / 16 - 1) * 275.0);
	assert_true(rig_stats(rig).l2_stall_cycles > 0);
	rig_close(rig);
}

static void stores_are_bounded_by_the_port_and_the_queue(void **state)
{
	struct rig *rig = rig_open("l1_queue=512");
	struct stream streams[1];
	u64 cycles = stream(rig, 1, 512, VGPU_MEM_STORE, streams);

	(void)state;
	/* 136 bytes at 32 a cycle */
	expect_near(cycles, 511 * 4.25);
	assert_int_equal(rig_stats(rig).dram_read, 0);
	assert_int_equal(rig_stats(rig).l2_misses, 0);
	rig_close(rig);
	/* a store takes 40, 4.25 and 20 to L2, 70 there, and 8 bytes back: 156 cycles */
	rig = rig_open("l1_queue=4");
	cycles = stream(rig, 1, 256, VGPU_MEM_STORE, streams);
	expect_near(cycles, (256 / 4 - 1) * 156.0 + 3 * 4.25);
	rig_close(rig);
}

static void misses_of_a_line_are_merged(void **state)
{
	struct rig *rig = rig_open("");

	(void)state;
	*rig_word(rig, 0x10000) = 17;
	*rig_word(rig, 0x10044) = 18;
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_op(rig, 0, 0, RIG_LOAD, 0x10044, 0);
	rig_op(rig, 0, 1, RIG_LOAD, 0x10000, 0);
	/* another SM has another MSHR, but L2 reads once */
	rig_op(rig, 1, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	assert_int_equal(rig_stats(rig).l1_misses, 2);
	assert_int_equal(rig_stats(rig).l1_merged, 2);
	assert_int_equal(rig_stats(rig).l2_misses, 1);
	assert_int_equal(rig_stats(rig).l2_hits, 1);
	assert_int_equal(rig_stats(rig).dram_read, 128);
	assert_int_equal(rig->sms[0].warps[0].ops[0].result, 17);
	assert_int_equal(rig->sms[0].warps[0].ops[1].result, 18);
	assert_int_equal(rig->sms[0].warps[1].ops[0].result, 17);
	assert_int_equal(rig->sms[0].warps[0].ops[0].done, L2_MISS);
	assert_int_equal(rig->sms[0].warps[0].ops[1].done, L2_MISS);
	assert_int_equal(rig->sms[0].warps[1].ops[0].done, L2_MISS);
	/* the second response leaves the partition behind the first */
	assert_int_equal(rig->sms[1].warps[0].ops[0].result, 17);
	assert_int_equal(rig->sms[1].warps[0].ops[0].done, L2_MISS + 2);
	rig_close(rig);
}

static void merged_loads_need_room_in_the_queue(void **state)
{
	struct rig *rig = rig_open("l1_queue=1");
	const struct rig_op *ops = NULL;

	(void)state;
	rig_scripts(rig);
	for (u32 n = 0; n < 3; n++)
		rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	ops = rig->sms[0].warps[0].ops;
	assert_int_equal(ops[1].done, L2_MISS);
	assert_int_equal(ops[1].tries, 0);
	assert_int_equal(ops[2].sent, L2_MISS);
	assert_true(ops[2].tries > 0);
	assert_true(ops[2].hit);
	rig_close(rig);
}

static void atomics_return_what_was_there_and_take_their_time(void **state)
{
	struct rig *rig = rig_open("");
	const struct rig_op *ops = NULL;

	(void)state;
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_ADD, 0x10000, 1);
	rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	rig_op(rig, 0, 0, RIG_ADD, 0x10000, 2);
	rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	rig_go(rig);
	ops = rig->sms[0].warps[0].ops;
	assert_int_equal(ops[0].result, 0);
	assert_int_equal(ops[2].result, 1);
	/* 40 bytes each way: 1.25 cycles at the SM, 0.6 at L2 */
	assert_int_equal(ops[0].done - ops[0].sent, 40 + 2 + 20 + 70 + 5 + 200 + 1 + 20);
	assert_int_equal(ops[2].done - ops[2].sent, 40 + 2 + 20 + 70 + 1 + 20);
	assert_int_equal(rig_stats(rig).atomics, 2);
	rig_close(rig);
}

static void no_change(struct vgpu_mem_atomic *atomic, u8 *line)
{
	(void)atomic;
	(void)line;
}

/* How long a load waits behind an atomic whose 32 lanes are at @words different words */
static u64 load_behind_atomic(u32 words)
{
	struct rig *rig = rig_open("icnt_sm_bytes=4096 icnt_l2_bytes=4096");
	struct vgpu_mem_atomic atomic = { .apply = no_change, .lanes = ~0u, .bytes = 4,
					  .no_return = true };
	struct vgpu_mem_access access;
	struct vgpu_mem_answer answer;
	struct rig_op *op;
	u64 taken;

	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	for (u32 n = 0; n < 32; n++)
		atomic.offset[n] = (u8)(n % words * 4);
	access = rig_access(rig, vgpu_cycle_from(&rig->config, rig->sim.now), VGPU_MEM_ATOMIC,
			    0x10000, 128);
	access.atomic = &atomic;
	assert_int_equal(vgpu_l1d_access(rig->sms[1].l1, &access, &answer), VGPU_MEM_SENT);
	rig_scripts(rig);
	op = rig_op(rig, 1, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	taken = op->done - op->sent;
	rig_close(rig);
	return taken;
}

static void lanes_at_one_address_follow_each_other(void **state)
{
	u64 apart = load_behind_atomic(32);

	(void)state;
	assert_int_equal(load_behind_atomic(16), apart + 1);
	assert_int_equal(load_behind_atomic(1), apart + 31);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_takes_what_its_level_takes),
		cmocka_unit_test(any_clock_counts_the_same_cycles),
		cmocka_unit_test(cycles_and_times_agree),
		cmocka_unit_test(bandwidth_is_that_of_the_ports),
		cmocka_unit_test(one_sm_has_as_many_misses_in_flight_as_registers),
		cmocka_unit_test(partitions_have_as_many_misses_in_flight_as_registers),
		cmocka_unit_test(stores_are_bounded_by_the_port_and_the_queue),
		cmocka_unit_test(misses_of_a_line_are_merged),
		cmocka_unit_test(merged_loads_need_room_in_the_queue),
		cmocka_unit_test(atomics_return_what_was_there_and_take_their_time),
		cmocka_unit_test(lanes_at_one_address_follow_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
