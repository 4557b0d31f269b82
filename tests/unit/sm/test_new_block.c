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
#include "sm/warps.h"

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

/* Nothing that is read before it is written is what the memory had before. */
static void warp_begins(void **state)
{
	const struct vgpu_kernel kernel = { .vass = { .regs = 4, .local_bytes = 8 }, .preds = 6 };
	const struct vgpu_launch launch = { .kernel = &kernel, .threads = 32 + 5, .warps = 2,
					    .shared_bytes = 64 };
	struct vgpu_warps warps = { .count = 2, .used = true };
	struct vgpu_warp w[2];
	u32 regs[2 * 4 * VGPU_LANES];
	u8 shared[64];

	(void)state;
	memset(w, 0x5a, sizeof(w));
	memset(shared, 0x5a, sizeof(shared));
	warps.warp = w;
	warps.regs = regs;
	warps.shared = shared;
	vgpu_warps_begin(&warps, &launch);
	for (u32 n = 0; n < 2; n++) {
		const struct vgpu_page_waiter *waiter = &w[n].waiter;
		u32 lanes = n ? 5 : 32;

		assert_int_equal(w[n].pc | w[n].depth | w[n].loose | w[n].done | w[n].native, 0);
		assert_int_equal(w[n].waiting | w[n].waits | w[n].cycles, 0);
		assert_int_equal(w[n].state, VGPU_WARP_READY);
		assert_false(vgpu_list_linked(&waiter->node));
		assert_int_equal(waiter->waits | waiter->refused | waiter->no_memory, 0);
		for (u32 p = 0; p < kernel.preds; p++)
			assert_int_equal(w[n].preds[p], 0);
		for (u32 table = 0; table < VGPU_LOCAL_TABLES; table++)
			assert_null(w[n].local[table]);
		assert_int_equal(w[n].preds[VGPU_PT], ~0u);
		assert_int_equal(w[n].reconv, VGPU_NO_RECONV);
		assert_int_equal(w[n].index, n);
		assert_int_equal(w[n].threads, lanes);
		assert_int_equal(w[n].live, ~0u >> (32 - lanes));
		assert_int_equal(w[n].active, w[n].live);
		assert_ptr_equal(w[n].regs, regs + n * 4 * VGPU_LANES);
	}
	for (u32 n = 0; n < sizeof(shared); n++)
		assert_int_equal(shared[n], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_zeros),
		cmocka_unit_test(warp_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
