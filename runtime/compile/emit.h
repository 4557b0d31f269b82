/* SPDX-License-Identifier: MIT */
/*
 * What emit.c and emit_calls.c share: where things come to stand in the code of the kernel that is
 * being emitted.
 */
#ifndef VGPU_CC_EMIT_H
#define VGPU_CC_EMIT_H

#include "cc.h"

struct place {
	uint32_t index; /* of the block's first instruction */
	bool inverted; /* its branch jumps to what was the fall-through */
	bool jump; /* it ends with a jump to succ[0] (succ[1] when inverted) */
};

struct emission { /* of one kernel */
	struct cc_code *code;
	uint32_t at;
	uint32_t first_pred; /* of shared functions and procedures */
	/* procedures: their first register; where calls by address, ends and ways out begin */
	uint32_t first_reg, dispatch, finish, out;
	/* calls are numbered in the order of the code, those of the kernel first */
	uint32_t *returns, returns_count, kernel_sites, sites;
};

struct vgpu_insn *cc_emit_insn(struct emission *e, unsigned int op, uint32_t line);
/* emit_calls.c: how many instructions a call becomes; of those for all calls of the kernel */
uint32_t cc_invoke_length(const struct cc *cc, const struct cc_insn *insn);
uint32_t cc_dispatch_length(const struct cc *kernel);
uint32_t cc_finish_length(const struct emission *e);
uint32_t cc_out_length(const struct emission *e);
void cc_emit_invoke(struct emission *e, const struct cc *cc, const struct cc_insn *call,
		    uint8_t address);
void cc_emit_finish(struct emission *e, uint32_t line);
void cc_emit_dispatch(struct emission *e, const struct cc *kernel);
void cc_emit_ends(struct emission *e);
/* makes an access to local memory, or CC_FRAME, one where the frame is */
void cc_emit_local(const struct emission *e, const struct cc *cc, const struct cc_insn *insn,
		   struct vgpu_insn *out);

#endif
