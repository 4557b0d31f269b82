/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The verifier of instructions (verify.c), used by the loader of binaries (module.c), and what it
 * finds out about verified ones.
 */
#ifndef VGPU_VERIFY_H
#define VGPU_VERIFY_H

#include "../platform.h"
#include "vgpu_isa.h"

/*
 * What is wrong with @insn, of version VGPU_VASS_VERSION, in a kernel with the resources of
 * @kernel, and what would be right; NULL: nothing.
 */
const char *vgpu_verify_insn(const struct vgpu_insn *insn, const struct vgpu_vass_kernel *kernel);
/* Does execution never go on behind @last? */
bool vgpu_verify_ends(const struct vgpu_insn *last);
/* Is @insn, verified, an access that names the object of its address? */
bool vgpu_verify_has_object(const struct vgpu_insn *insn);
/* The name of an opcode, also of a reserved one; NULL: there is none of that number. */
const char *vgpu_op_name(u32 op);
/* Memory order, scope and cache operator that opcode @op has in a binary of version 1. */
u8 vgpu_mem_of_v1(u32 op);

struct vgpu_kernel;

/*
 * unwritten.c: what of the state of a new block a verified kernel can see: registers that may be
 * read before they are written (unwritten), and predicates (preds).
 */
void vgpu_find_unwritten(struct vgpu_kernel *kernel);
/* waits.c: give branches of verified code the flag VGPU_F_BRA_WAITS (lanes.h). */
void vgpu_find_waits(struct vgpu_insn *code, u32 count);
/* waits.c: does a lane learn by @insn what others do, beside barriers? */
bool vgpu_insn_observes(const struct vgpu_insn *insn);
/*
 * repeat.c: how far a block of a verified kernel may have got and still be run again from its start
 * (repeat). The objects of accesses are taken out of @code, that of the kernel: nothing else knows
 * them. -ENOMEM
 */
int vgpu_find_repeat(struct vgpu_kernel *kernel, struct vgpu_insn *code);
void vgpu_free_repeat(struct vgpu_kernel *kernel);
/* Bytes that it has allocated for @kernel. */
u64 vgpu_repeat_bytes(const struct vgpu_kernel *kernel);
/*
 * ahead.c: does verified code access memory that other blocks may see in an order that they can
 * rely on, beside atomics?
 */
bool vgpu_code_is_ordered(const struct vgpu_insn *code, u32 count);

#endif
