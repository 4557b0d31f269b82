/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which registers and predicates a verified instruction reads and writes. */
#ifndef VGPU_OPERANDS_H
#define VGPU_OPERANDS_H

#include "../platform.h"
#include "vgpu_isa.h"

#define VGPU_OPERAND_PREDICATE	256u	/* numbers from here on are predicates; below: registers */

/** struct vgpu_operands - its guard is one of them; PT is none */
struct vgpu_operands {
	u16 reads[12];
	u16 writes[4];
	u8 read_count;
	u8 write_count;
	/* a bit for each: it is half of a 64-bit register */
	u16 wide_reads;
	u16 wide_writes;
};

void vgpu_operands_find(const struct vgpu_insn *insn, struct vgpu_operands *operands);
/* Does it read registers of other threads, wherever those are? */
bool vgpu_reads_others(u32 op);

#endif
