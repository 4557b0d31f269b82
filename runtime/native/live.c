// SPDX-License-Identifier: MIT
/*
 * Liveness of registers, by passes from the end of a kernel to its beginning until nothing is new
 * (live.h).
 */
#include <stdlib.h>
#include <string.h>

#include "live.h"

/* Each loop around a use may need one more. */
#define MOST_PASSES	32u

static void add(struct live *live, const u16 *numbers, u32 count, u32 wide)
{
	for (u32 n = 0; n < count; n++)
		if (numbers[n] < VGPU_OPERAND_PREDICATE)
			(wide >> n & 1 ? live->wide : live->narrow)[numbers[n] / 64] |=
				1ull << numbers[n] % 64;
}

static void add_reads(struct live *live, const struct vgpu_operands *o)
{
	add(live, o->reads, o->read_count, o->wide_reads);
}

static void add_writes(struct live *live, const struct vgpu_operands *o)
{
	add(live, o->writes, o->write_count, o->wide_writes);
}

static void remove_all(struct live *live, const struct live *other)
{
	for (u32 w = 0; w < LIVE_WORDS; w++) {
		live->narrow[w] &= ~other->narrow[w];
		live->wide[w] &= ~other->wide[w];
	}
}

/* What is live behind instruction @n, by what is known of those that may follow it */
static struct live behind(const struct vgpu_insn *code, u32 count, u32 n, const struct live *live)
{
	const struct vgpu_insn *i = &code[n];
	struct live out = {};

	if (i->op == VGPU_OP_BRA)
		vgpu_live_unite(&out, &live[VGPU_BRA_TARGET(i->imm)]);
	if (n + 1 < count && !vgpu_ends_way(i))
		vgpu_live_unite(&out, &live[n + 1]);
	return out;
}

/* From the last to the first. Returns whether anything is new. */
static bool pass(const struct vgpu_insn *code, u32 count, struct live *live,
		 const struct live *always)
{
	bool news = false;

	for (u32 n = count; n-- > 0;) {
		struct live now = behind(code, count, n, live), written = {};
		struct vgpu_operands operands;

		vgpu_operands_find(&code[n], &operands);
		/* with a guard some lanes may not write it */
		if (code[n].guard == VGPU_PT)
			add_writes(&written, &operands);
		remove_all(&now, &written);
		add_reads(&now, &operands);
		vgpu_live_unite(&now, always);
		news |= memcmp(&live[n], &now, sizeof(now)) != 0;
		live[n] = now;
	}
	return news;
}

/* What is used at all, and what is read of other threads */
static void find_uses(const struct vgpu_insn *code, u32 count, struct live *used,
		      struct live *always)
{
	for (u32 n = 0; n < count; n++) {
		struct vgpu_operands operands;

		vgpu_operands_find(&code[n], &operands);
		add_reads(used, &operands);
		add_writes(used, &operands);
		if (vgpu_reads_others(code[n].op))
			add_reads(always, &operands);
	}
}

struct live_registers *vgpu_live_find(const struct vgpu_insn *code, u32 count)
{
	struct live_registers *live = calloc(1, sizeof(*live) + count * sizeof(live->before[0]));
	struct live used = {};
	bool news = true;

	if (!live)
		return NULL;
	find_uses(code, count, &used, &live->always);
	for (u32 w = 0; w < LIVE_WORDS; w++)
		live->mixed[w] = vgpu_live_pairs(used.narrow[w]) & used.wide[w];
	for (u32 passes = 0; news && passes < MOST_PASSES; passes++)
		news = pass(code, count, live->before, &live->always);
	if (!news)
		return live;
	free(live);
	return NULL;
}
