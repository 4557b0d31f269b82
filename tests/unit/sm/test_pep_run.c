// SPDX-License-Identifier: MIT
/*
 * PEP, case d: a block that has come executes 1,000 instructions before it is looked at (the
 * thesis, 4.5.4). They are instructions and not cycles: blocks of different rates have executed as
 * many, each at its time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "device/device.h"
#include "pipeline_rig.h"

static struct {
	u32 calls;
	u64 time;
	u64 executed;		/* of the block that had come */
} seen;

static void came(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_block *block = vgpu_sm_first(&exec->sms[sm]);

	vgpu_exec_unwatch(exec, sm);
	seen.calls++;
	seen.time = exec->sim->now;
	seen.executed = block->launch->kind->executed(block);
}

/* Ten thousand rounds of arithmetic, or of loads each of which waits for the one before. */
static void rounds(struct rig *r, bool loads)
{
	struct vass v;
	u32 loop, at;

	prologue(&v, 40);
	OPI(&v, MOV, 20, 0, 0);
	OP(&v, MOVQ, 0, 14, 0, 2, 0, 0);
	loop = OPI(&v, ADD, 22, 22, 3);
	if (loads) {
		OP(&v, LDG, VASS_MEM(4, 1), 10, 14, 0, 0, 0);
		OP(&v, ADD, 0, 22, 22, 10, 0, 0);
	}
	OPI(&v, ADD, 20, 20, 1);
	OP(&v, SETPU, VGPU_F_IMM | VGPU_CMP_LT, 0, 20, 0, 0, 10000);
	at = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 0);
	vass_target(&v, at, loop, at + 1);
	epilogue(&v, 22);
	program(r, &v);
}

/* Returns how long the block had run, in cycles. */
static u64 watch(const char *timing, u32 threads, bool loads, const char *instructions)
{
	struct vgpu_config config;
	struct rig r;
	u64 begin, cycles;

	assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
	set_field(&config, "timing", timing);
	set_field(&config, "sms", "1");
	/* a slice of 100 ns: about 70 instructions */
	set_field(&config, "slice_ps", "100000");
	set_field(&config, "pep_run_instructions", instructions);
	r = start_pipeline(&config);
	rounds(&r, loads);
	seen.calls = 0;
	vgpu_exec_watch(&r.h->dev->exec, 0, came);
	launch(&r, 1, threads, BASE, 0);
	vgpu_device_run(r.h->dev, 2 * VGPU_MS, ~0u);
	assert_int_equal(seen.calls, 1);
	begin = host_time_of(r.h, VGPU_TRACE_BLOCK_START, 1);
	cycles = vgpu_mul_div(seen.time - begin, config.clock_khz, VGPU_PS_PER_KCYCLE);
	vgpu_exec_unwatch(&r.h->dev->exec, 0);
	stop(&r);
	return cycles;
}

/* ... and not many more: what a sixteenth of 1,000 cycles and a slice may be. */
static void executed(u64 least, u64 more)
{
	assert_in_range(seen.executed, least, least + more);
}

static void instructions_are_counted(const char *timing)
{
	u64 one, eight, loads;

	one = watch(timing, 32, false, "1000");
	executed(1000, 700);
	eight = watch(timing, 256, false, "1000");
	executed(1000, 1400);
	loads = watch(timing, 32, true, "1000");
	executed(1000, 700);
	/* at quite different times */
	assert_true(eight < one);
	assert_true(loads > 2 * one);
	print_message("%s: 1,000 instructions took %llu cycles, with eight warps %llu, with loads "
		      "%llu\n",
		      timing, one, eight, loads);
	/* the knob */
	assert_true(watch(timing, 32, false, "4000") > 2 * one);
	executed(4000, 1400);
	watch(timing, 32, false, "0");
	executed(0, 700);
}

static void slice_by_slice(void **state)
{
	(void)state;
	instructions_are_counted("interval");
}

static void in_the_pipeline(void **state)
{
	(void)state;
	instructions_are_counted("pipeline");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slice_by_slice),
		cmocka_unit_test(in_the_pipeline),
	};

	return cmocka_run_group_tests_name("PEP, instructions", tests, NULL, NULL);
}
