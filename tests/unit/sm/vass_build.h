/* SPDX-License-Identifier: MIT */
/*
 * A small assembler for tests: instructions are appended one call each, and a binary is made of
 * them.
 */
#ifndef VASS_BUILD_H
#define VASS_BUILD_H

#include <stdint.h>

#include "vgpu_isa.h"

#define VASS_MOST	4096

struct vass {
	struct vgpu_insn code[VASS_MOST];
	uint32_t count;
	struct vgpu_vass_kernel kernel;	/* name, entry and code_count are filled by vass_binary() */
};

/* @regs, @params: what the kernel declares */
void vass_init(struct vass *v, uint32_t regs, uint32_t params);
/*
 * Append; returns the index. The guard is PT until vass_guard(); until vass_mem() loads and stores
 * are weak, atomics relaxed and fences sc, of the GPU.
 */
uint32_t vass_op(struct vass *v, unsigned int op, unsigned int flags, unsigned int dst,
		 unsigned int a, unsigned int b, unsigned int c, uint64_t imm);
/* Guard the instruction appended last: @pred, with VGPU_P_NOT inverted. */
void vass_guard(struct vass *v, unsigned int pred);
/* Memory order, scope and cache operator of the instruction appended last. */
void vass_mem(struct vass *v, unsigned int order, unsigned int scope, unsigned int cache);
/* Set target and reconvergence point of branch @at. */
void vass_target(struct vass *v, uint32_t at, uint32_t target, uint32_t reconv);
/* A binary with this one kernel, named "k"; malloc'ed. */
void *vass_binary(const struct vass *v, uint32_t *bytes);

/* flags of a memory access: @count elements of @size bytes */
#define VASS_MEM(size, count)	((__builtin_ctz(size)) | (__builtin_ctz(count)) << 2)

/* short forms */
#define OP(v, name, flags, dst, a, b, c, imm)	vass_op(v, VGPU_OP_##name, flags, dst, a, b, c, imm)
#define OPI(v, name, dst, a, imm) vass_op(v, VGPU_OP_##name, VGPU_F_IMM, dst, a, 0, 0, imm)

#endif
