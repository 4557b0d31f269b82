// SPDX-License-Identifier: MIT
/* Parameters, which are the same in all lanes, and calls of what makes accesses (access.h). */
#include <stddef.h>

#include "access.h"
#include "translate.h"

static void call(struct translation *t, const struct vgpu_insn *i, native_access *f, bool may_fail)
{
	struct x86 *x = &t->x;

	x86_rr(x, true, X_LOAD, RDI, RBX);
	x86_mov_ri(x, RSI, (u64)(uintptr_t)i);
	x86_rr(x, false, X_LOAD, RDX, R12);
	x86_mov_ri(x, RAX, (u64)(uintptr_t)f);
	x86_call_reg(x, RAX);
	if (t->masked) {
		x86_k_load(x, 1, at(RSP, INACTIVE), 2);
		x86_k_load(x, 2, at(RSP, INACTIVE + 2), 2);
		for (u8 n = 0; n < 4; n++)
			x86_k_load(x, (u8)(3 + n), at(RSP, INACTIVE + n), 1);
	}
	tr_forget(t);
	if (may_fail) {
		x86_rr(x, false, X_TEST, RAX, RAX);
		x86_jump_if(x, CC_NE, tr_exit(t));
	}
}

static void parameter(struct translation *t, const struct vgpu_insn *i)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags), parts = size == 8 ? 4 : 2;
	struct x86 *x = &t->x;

	x86_rm(x, true, X_LOAD, RAX, at(RBX, (int32_t)offsetof(struct vgpu_lanes, params)));
	for (u32 n = 0; n < count; n++) {
		struct x86_mem m = at(RAX, (int32_t)((u32)i->imm + n * size));
		u32 reg = i->dst + n * (size == 8 ? 2 : 1);

		tr_begin(t);
		if (size < 4)
			x86_rm(x, false,
			       size == 1 ? (i->flags & VGPU_F_SEXT ? X_MOVSX8 : X_MOVZX8) :
					   (i->flags & VGPU_F_SEXT ? X_MOVSX16 : X_MOVZX16),
			       RCX, m);
		for (u32 p = 0; p < parts; p++) {
			u8 d = tr_fresh(t);

			if (size < 4)
				x86_v(x, V_BROAD_GPR, d, 0, RCX, 0);
			else
				x86_vm(x, size == 8 ? V_BROADQ : V_BROAD, d, 0, m, 0);
			tr_result(t, d, reg, p, size == 8);
		}
	}
}

bool tr_memory(struct translation *t, const struct vgpu_insn *i)
{
	native_access *f;

	if (i->op == VGPU_OP_LDP) {
		parameter(t, i);
		return true;
	}
	if (i->op == VGPU_OP_SREG && i->imm <= VGPU_SR_TID_Z) {
		call(t, i, vgpu_native_thread_index, false);
		return true;
	}
	f = vgpu_native_access(i);
	if (!f)
		return false;
	call(t, i, f, true);
	return true;
}
