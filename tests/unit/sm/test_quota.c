// SPDX-License-Identifier: MIT
/*
 * Quotas of issue slots (SMK 5.4): two kernels that never wait, on one SM, issue in proportion to
 * their quotas, with both timing models and with one scheduler and four; a kernel that cannot go on
 * keeps nobody waiting; a quota of one instruction is no standstill.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "device/device.h"
#include "pipeline_rig.h"

struct pair {
	struct host *h;
	struct rig rig[2];
};

static struct vgpu_config quota_config(const char *timing, const char *schedulers)
{
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "gtx980"), 0);
	set_field(&config, "timing", timing);
	set_field(&config, "memory_model", "flat");
	set_field(&config, "sms", "1");
	set_field(&config, "active_kernels", "4");
	set_field(&config, "kernels_per_sm", "2");
	set_field(&config, "policy", "leftover");
	set_field(&config, "warp_schedulers", schedulers);
	set_field(&config, "warp_scheduler", "lrr");
	set_field(&config, "quota_epoch_cycles", "1000");
	set_field(&config, "watchdog_ps", "0");
	return config;
}

/* Adds for ever. */
static void endless(struct vass *v)
{
	u32 loop, at;

	prologue(v, 24);
	loop = OPI(v, ADD, 20, 20, 1);
	OPI(v, ADD, 21, 21, 1);
	OPI(v, ADD, 22, 22, 1);
	at = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_target(v, at, loop, at + 1);
	epilogue(v, 20);
}

/* Two contexts, each with @blocks blocks of four warps on the SM. */
static struct pair begin(const struct vgpu_config *config, u32 blocks)
{
	struct pair pair = { .h = host_new_config(config) };
	struct vass v;

	for (u32 n = 0; n < 2; n++) {
		struct rig *r = &pair.rig[n];

		*r = (struct rig){ .h = pair.h, .context = host_open(pair.h) };
		r->queue = host_queue(pair.h, r->context);
		assert_int_equal(vgpu_memory_map(pair.h->dev, r->context, BASE, BYTES), 0);
		endless(&v);
		program(r, &v);
		launch(r, blocks, 128, BASE, 0);
	}
	vgpu_device_run(pair.h->dev, 10 * VGPU_US, ~0u);
	assert_int_equal(pair.h->dev->exec.smst[0].kernels, 2);
	return pair;
}

static void end(struct pair *pair)
{
	for (u32 n = 0; n < 2; n++)
		vgpu_context_close(pair->h->dev, pair->rig[n].context);
	host_free(pair->h);
}

static struct vgpu_ksr *kernel(struct pair *pair, u32 n)
{
	struct vgpu_ksr *ksr = vgpu_exec_next_kernel(&pair->h->dev->exec, NULL);

	return n ? vgpu_exec_next_kernel(&pair->h->dev->exec, ksr) : ksr;
}

static void set_quotas(struct pair *pair, u64 first, u64 second)
{
	vgpu_exec_set_quota(&pair->h->dev->exec, 0, kernel(pair, 0), first);
	vgpu_exec_set_quota(&pair->h->dev->exec, 0, kernel(pair, 1), second);
}

/* What both issue in @us microseconds. */
static void measure(struct pair *pair, u64 us, u64 *issued)
{
	struct vgpu_context_info before[2], after;

	for (u32 n = 0; n < 2; n++)
		vgpu_context_info(pair->h->dev, pair->rig[n].context, &before[n]);
	vgpu_device_run(pair->h->dev, pair->h->dev->sim->now + us * VGPU_US, ~0u);
	for (u32 n = 0; n < 2; n++) {
		vgpu_context_info(pair->h->dev, pair->rig[n].context, &after);
		issued[n] = after.instructions - before[n].instructions;
	}
}

/* @a is @parts_a parts of what both are, of @parts_a + @parts_b, to a hundredth of that. */
static void check_parts(const u64 *issued, u64 parts_a, u64 parts_b)
{
	u64 got = issued[0] * 10000 / (issued[0] + issued[1]);
	u64 want = parts_a * 10000 / (parts_a + parts_b);

	if (got + 100 < want || got > want + 100)
		fail_msg("%llu and %llu: %llu of 10000, must be about %llu", issued[0], issued[1],
			 got, want);
}

/* 5.4's example: 0.1 / 0.35 and 0.25 / 0.35 of an epoch; without quotas, half each. */
static void in_proportion(void **state)
{
	static const struct { const char *timing, *schedulers; } how[] = {
		{ "interval", "1" }, { "pipeline", "1" }, { "pipeline", "4" },
	};
	u64 issued[2];

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(how); n++) {
		struct vgpu_config config = quota_config(how[n].timing, how[n].schedulers);
		struct pair pair = begin(&config, 2);

		measure(&pair, 100, issued);
		check_parts(issued, 1, 1);
		set_quotas(&pair, 285, 714);
		measure(&pair, 100, issued);
		check_parts(issued, 285, 714);
		set_quotas(&pair, 714, 285);
		measure(&pair, 100, issued);
		check_parts(issued, 714, 285);
		set_quotas(&pair, 0, 0);
		measure(&pair, 100, issued);
		check_parts(issued, 1, 1);
		end(&pair);
	}
}

/* Greedy then oldest starves the kernel that came later (5.4); with quotas it has its part. */
static void the_oldest_has_no_more_than_its_part(void **state)
{
	static const char *const schedulers[] = { "1", "4" };
	u64 issued[2];

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct vgpu_config config = quota_config("pipeline", schedulers[n]);
		struct pair pair;

		set_field(&config, "warp_scheduler", "gto");
		pair = begin(&config, 8);
		measure(&pair, 100, issued);
		if (issued[0] * 5 < issued[1] * 6)
			fail_msg("%llu and %llu without quotas", issued[0], issued[1]);
		set_quotas(&pair, 500, 500);
		measure(&pair, 100, issued);
		check_parts(issued, 1, 1);
		end(&pair);
	}
}

/* No issue slot stays empty for it: as many instructions in all. */
static void quotas_cost_nothing(void **state)
{
	struct vgpu_config config = quota_config("pipeline", "4");
	struct pair pair = begin(&config, 4);
	u64 without[2], with[2];

	(void)state;
	measure(&pair, 100, without);
	set_quotas(&pair, 500, 500);
	measure(&pair, 100, with);
	assert_in_range(with[0] + with[1], (without[0] + without[1]) * 98 / 100,
			(without[0] + without[1]) * 102 / 100);
	end(&pair);
}

static void one_instruction_is_something(void **state)
{
	struct vgpu_config config = quota_config("pipeline", "4");
	struct pair pair = begin(&config, 2);
	u64 issued[2];

	(void)state;
	set_quotas(&pair, 1, 1000);
	measure(&pair, 200, issued);
	assert_true(issued[0] >= issued[1] / 1100 && issued[0] <= issued[1] / 900);
	end(&pair);
}

/* Divides for ever: with one warp on a scheduler, few instructions an epoch. */
static void slow(struct vass *v)
{
	u32 loop, at;

	prologue(v, 24);
	loop = OP(v, FDIV, 0, 20, 20, 21, 0, 0);
	at = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_target(v, at, loop, at + 1);
	epilogue(v, 20);
}

/*
 * SMK 5.4 can be read both ways: the first kernel waits until the second has used its quota up,
 * however long that takes; or it has its 1000 instructions in every epoch, here of 5 us.
 */
static void an_epoch_ends_where_that_is_said(void **state)
{
	u64 sum[2][2] = {}, issued[2];

	(void)state;
	for (u32 each = 0; each < 2; each++) {
		struct vgpu_config config = quota_config("pipeline", "1");
		struct pair pair = { .h = NULL };
		struct vass v;

		set_field(&config, "quota_each_epoch", each ? "1" : "0");
		pair.h = host_new_config(&config);
		for (u32 n = 0; n < 2; n++) {
			struct rig *r = &pair.rig[n];

			*r = (struct rig){ .h = pair.h, .context = host_open(pair.h) };
			r->queue = host_queue(pair.h, r->context);
			assert_int_equal(vgpu_memory_map(pair.h->dev, r->context, BASE, BYTES), 0);
			if (n)
				slow(&v);
			else
				endless(&v);
			program(r, &v);
			launch(r, n ? 1 : 4, n ? 32 : 128, BASE, 0);
		}
		vgpu_device_run(pair.h->dev, 10 * VGPU_US, ~0u);
		for (u32 epoch = 0; epoch < 20; epoch++) {
			set_quotas(&pair, 1000, 1000);
			measure(&pair, 5, issued);
			sum[each][0] += issued[0];
			sum[each][1] += issued[1];
		}
		end(&pair);
	}
	/* 5 us are 6080 cycles, and a division and a branch take more than 97 */
	assert_in_range(sum[0][1], 1000, 20 * 6080 / 97 * 2);
	assert_in_range(sum[0][0], sum[0][1] - 1000, sum[0][1] + 1000);
	assert_in_range(sum[1][0], 20 * 1000 - 10, 20 * 1000 + 10);
	assert_in_range(sum[1][1], sum[0][1] * 98 / 100, sum[0][1] * 102 / 100);
}

/* The first kernel's blocks leave; the other has all slots, and its quota means nothing. */
static void a_kernel_that_is_gone_keeps_nobody_waiting(void **state)
{
	struct vgpu_config config = quota_config("pipeline", "4");
	struct pair pair = begin(&config, 2);
	u64 alone[2], with[2];

	(void)state;
	set_quotas(&pair, 900, 100);
	vgpu_context_close(pair.h->dev, pair.rig[0].context);
	vgpu_device_run(pair.h->dev, pair.h->dev->sim->now + VGPU_US, ~0u);
	assert_int_equal(pair.h->dev->exec.sms[0].quota_count, 1);
	measure(&pair, 50, with);
	vgpu_exec_set_quota(&pair.h->dev->exec, 0, kernel(&pair, 0), 0);
	measure(&pair, 50, alone);
	assert_in_range(with[1], alone[1] * 98 / 100, alone[1] * 102 / 100);
	end(&pair);
}

/* Pages of the first never come: it has some left for ever, and the other goes on as alone. */
static void a_kernel_that_waits_keeps_nobody_waiting(void **state)
{
	struct vgpu_config config = quota_config("pipeline", "4");
	struct pair pair = { .h = NULL };
	struct vass v;
	u64 issued[2];

	(void)state;
	set_field(&config, "page_arrival_ps", "3000000000000");
	set_field(&config, "fault_scheme", "replay-queue");
	pair.h = host_new_config(&config);
	for (u32 n = 0; n < 2; n++) {
		struct rig *r = &pair.rig[n];

		*r = (struct rig){ .h = pair.h, .context = host_open(pair.h) };
		r->queue = host_queue(pair.h, r->context);
		assert_int_equal(vgpu_memory_map(pair.h->dev, r->context, BASE, BYTES), 0);
	}
	prologue(&v, 24);
	OP(&v, LDG, VASS_MEM(4, 1), 10, 4, 0, 0, 0);
	epilogue(&v, 10);
	program(&pair.rig[0], &v);
	host_push(pair.h, pair.rig[0].context, pair.rig[0].queue, cmd_h2d(BASE, 0, 65536));
	host_run(pair.h);
	launch(&pair.rig[0], 2, 128, BASE, 0);
	endless(&v);
	program(&pair.rig[1], &v);
	launch(&pair.rig[1], 2, 128, BASE, 0);
	vgpu_device_run(pair.h->dev, pair.h->dev->sim->now + 10 * VGPU_US, ~0u);
	set_quotas(&pair, 500, 500);
	measure(&pair, 100, issued);
	assert_int_equal(issued[0], 0);
	/* four schedulers, eight warps of adds: more than an instruction every 4 cycles */
	assert_true(issued[1] > 100 * 1216 / 4);
	end(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_proportion),
		cmocka_unit_test(the_oldest_has_no_more_than_its_part),
		cmocka_unit_test(an_epoch_ends_where_that_is_said),
		cmocka_unit_test(quotas_cost_nothing),
		cmocka_unit_test(one_instruction_is_something),
		cmocka_unit_test(a_kernel_that_is_gone_keeps_nobody_waiting),
		cmocka_unit_test(a_kernel_that_waits_keeps_nobody_waiting),
	};

	return cmocka_run_group_tests_name("quotas", tests, NULL, NULL);
}
