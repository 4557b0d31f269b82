/* SPDX-License-Identifier: MIT */
/*
 * Have the interpreter and native code left the same? All that can be seen is compared; what cannot
 * is overwritten where native code goes on.
 */
#ifndef NATIVE_SAME_H
#define NATIVE_SAME_H

#include <stdio.h>

#include "native_rig.h"
#include "translate.h"

#define SAME(field)									\
	do {										\
		if (memcmp(&a->field, &b->field, sizeof(a->field)))			\
			fail_msg("seed %llu, %s: %s differs: %llx and %llx", seed, what, #field, \
				 first_of(&a->field, sizeof(a->field)),			\
				 first_of(&b->field, sizeof(b->field)));		\
	} while (0)

static inline unsigned long long first_of(const void *field, size_t size)
{
	unsigned long long v = 0;

	memcpy(&v, field, size < 8 ? size : 8);
	return v;
}

static inline void show(void)
{
	for (u32 pc = 0; pc < count; pc++)
		fprintf(stderr,
			"%3u: %-10s guard %02x flags %02x dst %u a %u b %u c %u imm %llx\n", pc,
			isa[code[pc].op].name, code[pc].guard, code[pc].flags, code[pc].dst,
			code[pc].a, code[pc].b, code[pc].c, (unsigned long long)code[pc].imm);
}

/* Where lane @l goes on: with the running entry, or the last one pushed that has it */
static inline u32 pc_of(const struct vgpu_warp *w, u32 l)
{
	if (w->active >> l & 1)
		return w->pc;
	for (u32 n = w->depth; n-- > 0;)
		if (w->stack[n].mask >> l & 1)
			return w->stack[n].pc;
	return 0;
}

/* What is live in lane @l; of one that has exited, what others may read of it */
static inline bool may_read(const struct vgpu_warp *w, u32 l, u32 reg, bool wide)
{
	const struct live *set = w->live >> l & 1 ? &live->before[pc_of(w, l)] : &live->always;

	return (wide ? set->wide : set->narrow)[reg / 64] >> reg % 64 & 1;
}

/*
 * Of a register that a lane cannot read any more nothing is known. So nobody can see those of a
 * warp that has exited. A word of regs[] is a lane of one, or a half of a lane of one of 64 bits.
 */
static inline bool may_see(const struct vgpu_warp *w, u32 n)
{
	u32 reg = n / VGPU_LANES, l = n % VGPU_LANES;

	return w->live && (may_read(w, l, reg, false) ||
			   may_read(w, (reg % 2 * VGPU_LANES + l) / 2, reg, true));
}

/* Without strides nobody knows what lanes may read that are elsewhere (live.h). */
static inline bool may_be_kept(const struct vgpu_warp *w, u32 reg)
{
	return w->depth && w->native != NATIVE_STRIDES &&
	       live->mixed[reg / 64] >> reg % 64 & 1;
}

/* Code for strides takes it that inactive lanes have what it has written there (apart.h). */
static inline bool may_have_stride(const struct vgpu_warp *w, u32 n)
{
	u32 pair = n / (2 * VGPU_LANES) * 2 * VGPU_LANES;

	for (u32 l = 0; l < 2 * VGPU_LANES && w->native == NATIVE_STRIDES; l++)
		if (may_see(w, pair + l))
			return true;
	return false;
}

/* If somebody can see it after all, it makes a difference. */
static inline void spoil_what_is_not_seen(struct state *s)
{
	static u64 noise;

	for (u32 n = 0; n < REGS * VGPU_LANES; n++)
		if (!may_see(&s->warp, n) && !may_be_kept(&s->warp, n / VGPU_LANES) &&
		    !may_have_stride(&s->warp, n)) {
			noise = noise * 6364136223846793005ull + 1442695040888963407ull;
			s->regs[n] = (u32)(noise >> 33);
		}
}

static inline void same(const struct state *a, const struct state *b, unsigned long long seed,
			const char *what)
{
	bool differ = false;

	for (u32 n = 0; n < REGS * VGPU_LANES && !differ; n++)
		if (a->regs[n] != b->regs[n] && may_see(&a->warp, n)) {
			fprintf(stderr, "seed %llu, %s: register %u lane %u: %08x, native %08x\n",
				seed, what, n / 32, n % 32, a->regs[n], b->regs[n]);
			differ = true;
		}
	if (a->warp.pc != b->warp.pc || differ) {
		fprintf(stderr, "pc %u and %u, active %08x of %08x, depth %u, code %u\n",
			a->warp.pc, b->warp.pc, a->warp.active, a->warp.live, a->warp.depth,
			b->warp.native);
		show();
	}
	if (differ)
		fail_msg("registers differ");
	SAME(warp.pc);
	SAME(warp.active);
	SAME(warp.live);
	SAME(warp.reconv);
	SAME(warp.depth);
	SAME(warp.waiting);
	SAME(warp.loose);
	SAME(warp.cycles);
	SAME(warp.preds);
	SAME(warp.bar);
	SAME(warp.bar_mask);
	SAME(warp.bar_pred);
	if (memcmp(a->warp.stack, b->warp.stack, a->warp.depth * sizeof(a->warp.stack[0])))
		fail_msg("seed %llu, %s: the stack differs", seed, what);
	SAME(lanes.budget);
	SAME(lanes.slow);
	SAME(lanes.work);
	SAME(lanes.threads);
	SAME(lanes.segments);
	SAME(lanes.held);
	SAME(memory);
	SAME(shared);
	SAME(local);
}

/* Why both returned */
static inline void same_end(const struct state *a, const struct state *b, unsigned long long seed,
			    u32 end)
{
	const char *what = "end";

	if (end == VGPU_LANES_BUDGET || end == VGPU_LANES_EXIT || end == VGPU_LANES_BARRIER)
		return;
	SAME(lanes.reason);
	SAME(lanes.address);
	SAME(lanes.bytes);
	SAME(lanes.write);
	SAME(lanes.lane);
	if (end == VGPU_LANES_FAULT)
		return;
	SAME(lanes.accessing);
	SAME(lanes.atomic);
	for (u32 l = 0; l < VGPU_LANES; l++)
		if (a->lanes.accessing >> l & 1)
			SAME(lanes.addr[l]);
	if (end == VGPU_LANES_LOCAL)
		SAME(lanes.window);
}

#endif
