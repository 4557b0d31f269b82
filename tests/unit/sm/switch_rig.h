/* SPDX-License-Identifier: MIT */
/*
 * One SM and kernels whose blocks fault on memory of their own: for tests of block switching.
 *
 * Block n < params.faulting stores n to granule n, which is not there, all threads of its first
 * warp; other blocks do not. Then all warps meet at a barrier. Then every block counts to
 * params.rounds, and stores n + 100 to word n of the last granule, which is there.
 */
#ifndef SWITCH_RIG_H
#define SWITCH_RIG_H

#include <stdio.h>
#include <stdlib.h>

#include "../device/host.h"
#include "../device/manual.h"
#include "device/device.h"
#include "vass_build.h"

#define BASE	0x10000000ull
#define GRANULE	0x10000u
#define GRANULES	64u
#define OUT	(BASE + (GRANULES - 1) * GRANULE)
#define WORD	4u

struct rig {
	struct host *h;
	u32 context[2], queue[2], module[2];
};

static inline void program(struct vass *v)
{
	u32 top;

	vass_init(v, 20, 24);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(v, SREG, 0, 1, 0, 0, 0, VGPU_SR_CTAID_X);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);	/* Q2 base */
	OP(v, LDP, VASS_MEM(4, 1), 4, 0, 0, 0, 8);	/* R4 faulting */
	OP(v, LDP, VASS_MEM(4, 1), 5, 0, 0, 0, 12);	/* R5 rounds */
	OP(v, LDP, VASS_MEM(8, 1), 6, 0, 0, 0, 16);	/* Q6 results */
	OPI(v, MADWU, 8, 1, GRANULE);			/* Q8 granule of the block */
	v->code[v->count - 1].c = 2;
	OPI(v, SHRU, 10, 0, 5);
	/* other warps as blocks that do not fault */
	OPI(v, MUL, 10, 10, 0x10000);
	OP(v, ADD, 0, 10, 10, 1, 0, 0);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT, 0, 10, 4, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 8, 1, 0, 0);
	vass_guard(v, 0);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OP(v, MOV, VGPU_F_IMM, 11, 0, 0, 0, 0);
	top = OPI(v, ADD, 11, 11, 1);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT, 0, 11, 5, 0, 0);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 0);
	OPI(v, MADWU, 12, 1, WORD);
	v->code[v->count - 1].c = 6;
	OPI(v, ADD, 14, 1, 100);
	OP(v, STG, VASS_MEM(4, 1), 0, 12, 14, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static inline void load(struct rig *r, u32 n, const struct vass *v)
{
	char message[256] = "";
	u32 bytes;
	void *binary = vass_binary(v, &bytes);

	if (vgpu_module_load(r->h->dev, r->context[n], binary, bytes, message, sizeof(message),
			     &r->module[n]))
		fail_msg("%s", message);
	free(binary);
}

static inline void set(struct rig *r, const char *knob, const char *value)
{
	assert_int_equal(vgpu_device_knob_set(r->h->dev, knob, value), 0);
}

/*
 * An SM with places for @places blocks, two contexts, block switching on. A fault takes 20 us; the
 * last granule of each context is there.
 */
static inline struct rig start(const char *places, const char *extra)
{
	struct rig r = { .h = host_new("tanasic-ch6", "sms=1", "active_kernels=4",
				       "allocation=lazy", "fault_handler=gpu",
				       "memory_bandwidth=65536000000", "block_switching=1",
				       "l2_tlb_entries=0", "page_walk_ps=0", places, extra,
				       NULL) };
	struct vass v;

	program(&v);
	vgpu_exec_set_policy(&r.h->dev->exec, &manual_policy);
	for (u32 n = 0; n < 2; n++) {
		r.context[n] = host_open(r.h);
		r.queue[n] = host_queue(r.h, r.context[n]);
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context[n], BASE, GRANULES * GRANULE),
				 0);
		load(&r, n, &v);
		host_push(r.h, r.context[n], r.queue[n], cmd_fill(OUT, GRANULE / 4, 0, 4));
	}
	host_run(r.h);
	r.h->completion_count = 0;
	return r;
}

static inline void launch(struct rig *r, u32 n, u32 blocks, u32 threads, u32 faulting, u32 rounds)
{
	u64 params[3] = { BASE, (u64)rounds << 32 | faulting, OUT };
	struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH,
				.launch = { .module = r->module[n],
					    .grid = { blocks, 1, 1 },
					    .block = { threads, 1, 1 },
					    .param_bytes = 24,
					    .params = 0x1000 } };

	assert_int_equal(host_try(r->h, r->context[n], r->queue[n], &cmd, 0, params), 0);
}

static inline struct vgpu_account account(struct rig *r, u32 n)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(r->h->dev, r->context[n], &info), 0);
	return info.account;
}

/* One event and a check. false: there was none. */
static inline bool step(struct rig *r)
{
	bool more = vgpu_device_run(r->h->dev, VGPU_NEVER, 1) != VGPU_NEVER;

	assert_true(vgpu_exec_check(&r->h->dev->exec));
	return more;
}

/* Time of record @which, from 0, of @type for block @block of kernel 1; fails if there is none. */
static inline u64 when(struct rig *r, enum vgpu_trace_type type, u64 block, u32 which)
{
	for (size_t i = 0; i < r->h->record_count; i++) {
		const struct vgpu_trace_record *record = &r->h->records[i];

		if (record->type == type && record->kernel == 1 && record->a == block && !which--)
			return record->time;
	}
	fail_msg("no record %u of block %llu", (unsigned int)type, (unsigned long long)block);
	return 0;
}

/* All blocks of context @n have done what they should, and nothing of them is left. */
static inline void results(struct rig *r, u32 n, u32 blocks, u32 faulting)
{
	const u32 *memory = (const u32 *)r->h->memory;

	assert_int_equal(r->h->fault_count, 0);
	host_push(r->h, r->context[n], r->queue[n], cmd_d2h(0, OUT, blocks * WORD));
	host_run(r->h);
	for (u32 b = 0; b < blocks; b++)
		assert_int_equal(memory[b], b + 100);
	for (u32 b = 0; b < faulting; b++) {
		host_push(r->h, r->context[n], r->queue[n], cmd_d2h(0, BASE + b * GRANULE, 4));
		host_run(r->h);
		assert_int_equal(memory[0], b);
	}
	assert_int_equal(r->h->dev->exec.save_area, 0);
	assert_int_equal(r->h->dev->exec.blocks, 0);
	assert_int_equal(r->h->dev->exec.idle_count, 1);
}

#endif
