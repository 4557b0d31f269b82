// SPDX-License-Identifier: MIT
/* The small assembler of the tests. */
#include "vass_build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void vass_init(struct vass *v, uint32_t regs, uint32_t params)
{
	memset(v, 0, sizeof(*v));
	v->kernel.regs = regs;
	v->kernel.param_bytes = params;
}

static uint8_t default_mem(unsigned int op)
{
	if (op >= VGPU_OP_ATOM && op <= VGPU_OP_ATOMSQ)
		return VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, VGPU_CACHE_NONE);
	if (op == VGPU_OP_MEMBAR)
		return VGPU_MEM(VGPU_ORDER_SC, VGPU_SCOPE_GPU, VGPU_CACHE_NONE);
	return 0;
}

uint32_t vass_op(struct vass *v, unsigned int op, unsigned int flags, unsigned int dst,
		 unsigned int a, unsigned int b, unsigned int c, uint64_t imm)
{
	assert(v->count < VASS_MOST);
	v->code[v->count] = (struct vgpu_insn){
		.op = (uint8_t)op,
		.mem = default_mem(op),
		.guard = VGPU_PT,
		.flags = (uint8_t)flags,
		.dst = (uint8_t)dst,
		.a = (uint8_t)a,
		.b = (uint8_t)b,
		.c = (uint8_t)c,
		.imm = imm,
	};
	return v->count++;
}

void vass_guard(struct vass *v, unsigned int pred)
{
	v->code[v->count - 1].guard = (uint8_t)pred;
}

void vass_mem(struct vass *v, unsigned int order, unsigned int scope, unsigned int cache)
{
	v->code[v->count - 1].mem = (uint8_t)VGPU_MEM(order, scope, cache);
}

void vass_target(struct vass *v, uint32_t at, uint32_t target, uint32_t reconv)
{
	v->code[at].imm = (uint64_t)reconv << 32 | target;
}

void *vass_binary(const struct vass *v, uint32_t *bytes)
{
	uint32_t code = v->count * (uint32_t)sizeof(struct vgpu_insn);
	struct vgpu_vass_header h = {
		.magic = VGPU_VASS_MAGIC,
		.version = VGPU_VASS_VERSION,
		.code_offset = 64,
		.code_count = v->count,
		.kernel_offset = 64 + code,
		.kernel_count = 1,
		.names_offset = 64 + code + 48,
		.names_bytes = 2,
	};
	struct vgpu_vass_kernel k = v->kernel;
	unsigned char *b;

	assert(sizeof(h) <= 64 && sizeof(k) == 48);
	h.total_bytes = h.names_offset + h.names_bytes;
	k.code_count = v->count;
	b = calloc(1, h.total_bytes);
	assert(b);
	memcpy(b, &h, sizeof(h));
	memcpy(b + h.code_offset, v->code, code);
	memcpy(b + h.kernel_offset, &k, sizeof(k));
	memcpy(b + h.names_offset, "k", 2);
	*bytes = h.total_bytes;
	return b;
}
