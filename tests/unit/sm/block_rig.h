/* SPDX-License-Identifier: MIT */
/* A device, a context, and a program that it runs: for tests of compiled blocks. */
#ifndef BLOCK_RIG_H
#define BLOCK_RIG_H

#include <stdlib.h>

#include "../device/host.h"
#include "vass_build.h"

#define BASE	0x10000000ull
#define BYTES	(4ull << 20)

struct rig {
	struct host *h;
	u32 context, queue, module;
};

static inline struct rig start(const char *slice_ps)
{
	struct rig r = { .h = slice_ps ? host_new("k20c", slice_ps, NULL) :
					 host_new("k20c", NULL) };

	r.context = host_open(r.h);
	r.queue = host_queue(r.h, r.context);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, BASE, BYTES), 0);
	return r;
}

static inline void stop(struct rig *r)
{
	vgpu_context_close(r->h->dev, r->context);
	host_free(r->h);
}

static inline void program(struct rig *r, const struct vass *v)
{
	char message[256] = "";
	u32 bytes;
	void *binary = vass_binary(v, &bytes);

	if (vgpu_module_load(r->h->dev, r->context, binary, bytes, message, sizeof(message),
			     &r->module))
		fail_msg("%s", message);
	free(binary);
}

static inline void launch(struct rig *r, u32 blocks, u32 threads, u64 p0, u64 p1)
{
	u64 params[2] = { p0, p1 };
	struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH,
				.launch = { .module = r->module,
					    .grid = { blocks, 1, 1 },
					    .block = { threads, 1, 1 },
					    .param_bytes = 16,
					    .params = 0x1000 } };

	assert_int_equal(host_try(r->h, r->context, r->queue, &cmd, 0, params), 0);
}

/* Launch, copy the start of memory back, run. */
static inline u8 *result(struct rig *r, u32 blocks, u32 threads)
{
	launch(r, blocks, threads, BASE, 0);
	host_push(r->h, r->context, r->queue, cmd_d2h(0, BASE, 65536));
	host_run(r->h);
	return r->h->memory;
}

/* R0 = thread, R1 = block, Q2 = base, Q4 = base + 4 * global thread, R6 = 4 * thread */
static inline void prologue(struct vass *v, u32 regs)
{
	vass_init(v, regs, 16);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(v, SREG, 0, 1, 0, 0, 0, VGPU_SR_CTAID_X);
	OP(v, SREG, 0, 6, 0, 0, 0, VGPU_SR_NTID_X);
	OP(v, MAD, 0, 6, 1, 6, 0, 0);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OPI(v, MADWU, 4, 6, 4);
	v->code[v->count - 1].c = 2;
	OPI(v, SHL, 6, 0, 2);
}

static inline void epilogue(struct vass *v, u32 reg)
{
	OP(v, STG, VASS_MEM(4, 1), 0, 4, reg, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static inline const struct vgpu_fault *the_fault(struct rig *r)
{
	assert_int_equal(r->h->fault_count, 1);
	return &r->h->faults[0];
}

#endif
