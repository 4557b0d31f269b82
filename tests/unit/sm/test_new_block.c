// SPDX-License-Identifier: MIT
/*
 * A new block gets the state of one that has ended, of which not all is cleared. Whatever its
 * kernel reads before it has written it is zero all the same: registers that some lanes write, or
 * nobody, those of other lanes, predicates, shared memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pipeline_rig.h"

#define REGS	40u
#define BLOCKS	64u
#define THREADS	96u
#define SHARED	(THREADS * 4)

/* Ones everywhere: registers from 8 on, predicates 0 to 15, shared memory. */
static void leave_ones(struct vass *v)
{
	prologue(v, REGS);
	v->kernel.shared_bytes = SHARED;
	for (u32 reg = 8; reg < REGS; reg++)
		OPI(v, MOV, reg, 0, 0xffffffffu);
	for (u32 pred = 0; pred < 16; pred++)
		OP(v, PMOV, 0, pred, VGPU_PT, 0, 0, 0);
	OP(v, STS, VASS_MEM(4, 1), 0, 6, 8, 0, 0);
	epilogue(v, 8);
}

/* Odd lanes see 5 and even ones 0, as long as everything else is zero. */
static void look(struct vass *v)
{
	u32 skip;

	prologue(v, REGS);
	v->kernel.shared_bytes = SHARED;
	OPI(v, AND, 8, 0, 1);
	OP(v, SETPU, VGPU_F_IMM | VGPU_CMP_EQ, 20, 8, 0, 0, 1);		/* P20: odd lanes */
	skip = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 20 | VGPU_P_NOT);
	OPI(v, MOV, 9, 0, 5);						/* by odd lanes only */
	vass_target(v, skip, v->count, v->count);
	OPI(v, MOV, 10, 0, 7);						/* guarded: by nobody */
	vass_guard(v, 3);
	OP(v, ADD, 0, 12, 9, 10, 0, 0);
	OP(v, ADD, 0, 12, 12, 11, 0, 0);				/* R11: written by nobody */
	OP(v, LDS, VASS_MEM(4, 1), 13, 6, 0, 0, 0);
	OP(v, ADD, 0, 12, 12, 13, 0, 0);
	OP(v, SHRU, VGPU_F_IMM, 14, 30, 0, 0, 1);			/* the pair 30, 31 */
	OP(v, ADD, 0, 12, 12, 14, 0, 0);
	OP(v, ADD, 0, 12, 12, 31, 0, 0);
	epilogue(v, 12);
}

static void check(const struct vgpu_config *config)
{
	struct rig r = start_pipeline(config);
	struct vass ones, v;
	const u32 *words;

	leave_ones(&ones);
	look(&v);
	program(&r, &ones);
	words = (const u32 *)result(&r, BLOCKS, THREADS);
	for (u32 n = 0; n < BLOCKS * THREADS; n++)
		assert_int_equal(words[n], 0xffffffffu);
	program(&r, &v);
	words = (const u32 *)result(&r, BLOCKS, THREADS);
	for (u32 n = 0; n < BLOCKS * THREADS; n++)
		assert_int_equal(words[n], n & 1 ? 5 : 0);
	stop(&r);
}

static void reads_zeros(void **state)
{
	static const char *const timings[] = { "interval", "pipeline" };
	struct vgpu_config config;

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
		set_field(&config, "timing", timings[n]);
		check(&config);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
