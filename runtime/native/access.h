/* SPDX-License-Identifier: MIT */
/*
 * Loads, stores and atomics of generated code: functions that it calls. What they do is what the
 * interpreter does where all lanes have their translations in the TLB and nothing is wrong; else
 * they have done nothing, and the interpreter executes the instruction.
 */
#ifndef VGPU_NATIVE_ACCESS_H
#define VGPU_NATIVE_ACCESS_H

#include "sm/lanes.h"

/* @i for the lanes in @m, at least one. 0: done; else nothing has happened. */
typedef u32 native_access(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m);

/* The function for an instruction; NULL: there is none. */
native_access *vgpu_native_access(const struct vgpu_insn *i);
/* TID: dst = index of the threads of the warp in the block; always 0 */
u32 vgpu_native_thread_index(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m);

#endif
