// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Quotas of issue slots (SMK 5.4): of each kernel on the SM a warp scheduler issues so many
 * instructions, and then none before all have used theirs up. An instruction counts when it is
 * fetched, as that is where a scheduler picks a warp.
 *
 * Where the paper leaves a choice: a kernel with some left and no warp that could go on by itself,
 * because all of them wait for pages, at barriers, or are to leave, does not keep others waiting;
 * nor does one that has not had an instruction fetched for an epoch, while others have warps that
 * could be.
 */
#include "pipeline.h"

/**
 * struct vgpu_pipe_quotas - quotas of one SM; entry n is that of sm->quota[n]
 * @left: what scheduler s may yet fetch
 * @last: cycle of the last fetch of scheduler s, or of the last time that all had theirs again
 * @launch: of each, the number of its launch
 * @count: how many there are
 * @warps: of each, a map of places, warp_words words
 */
struct vgpu_pipe_quotas {
	u64 left[VGPU_PIPE_SCHEDULERS][VGPU_SM_KERNELS_MOST];
	u64 last[VGPU_PIPE_SCHEDULERS];
	u32 launch[VGPU_SM_KERNELS_MOST];
	u32 count;
	u64 warps[];
};

static u64 *map_of(const struct vgpu_pipe *p, u32 n)
{
	return p->quotas->warps + n * p->warp_words;
}

void vgpu_pipe_quotas_fini(struct vgpu_pipe *p)
{
	vgpu_mem_free_device(p->quotas);
	p->quotas = NULL;
}

static void give_again(struct vgpu_pipe *p, u32 scheduler)
{
	for (u32 n = 0; n < p->quotas->count; n++)
		p->quotas->left[scheduler][n] = p->sm->quota[n].instructions;
	p->quotas->last[scheduler] = p->cycle;
}

static u32 number_of(const struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw)
{
	u32 launch = pw->block->launch->id, n;

	for (n = 0; n < p->quotas->count && p->quotas->launch[n] != launch; n++)
		;
	return n;
}

void vgpu_pipe_quotas_come(struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw)
{
	u32 n = number_of(p, pw);

	if (n < p->quotas->count)
		map_of(p, n)[pw->index / 64] |= 1ull << pw->index % 64;
}

void vgpu_pipe_quotas_go(struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw)
{
	for (u32 n = 0; n < p->quotas->count; n++)
		map_of(p, n)[pw->index / 64] &= ~(1ull << pw->index % 64);
}

/*
 * Those that were known keep what they have left, but no more than their new quota. With
 * quota_each_epoch all have theirs again: new ones come at the end of each epoch.
 */
static void take_over(struct vgpu_pipe *p, const struct vgpu_pipe_quotas *old, u32 n)
{
	u64 quota = p->sm->quota[n].instructions;
	u32 m;

	for (m = 0; m < old->count && old->launch[m] != p->quotas->launch[n]; m++)
		;
	for (u32 s = 0; s < VGPU_PIPE_SCHEDULERS; s++) {
		bool keeps = m < old->count && !p->config->quota_each_epoch;
		u64 left = keeps ? old->left[s][m] : quota;

		p->quotas->left[s][n] = left < quota ? left : quota;
	}
}

void vgpu_pipe_quotas_update(struct vgpu_pipe *p)
{
	static const struct vgpu_pipe_quotas none;
	struct vgpu_pipe_quotas *old = p->quotas;
	struct vgpu_sm *sm = p->sm;

	sm->quota_changed = false;
	p->quotas = NULL;
	if (sm->quota_count)
		p->quotas = vgpu_mem_alloc_device(sizeof(*p->quotas) + VGPU_SM_KERNELS_MOST *
						  p->warp_words * sizeof(u64));
	if (p->quotas) {
		p->quotas->count = sm->quota_count;
		for (u32 n = 0; n < sm->quota_count; n++) {
			p->quotas->launch[n] = sm->quota[n].launch;
			take_over(p, old ? old : &none, n);
		}
		for (u32 s = 0; s < VGPU_PIPE_SCHEDULERS; s++)
			p->quotas->last[s] = old ? old->last[s] : p->cycle;
		for (u32 place = 0; place < p->warp_words * 64; place++)
			if (p->used[place / 64] >> place % 64 & 1)
				vgpu_pipe_quotas_come(p, p->warps[place]);
	}
	vgpu_mem_free_device(old);
}

u64 vgpu_pipe_quotas_barred(const struct vgpu_pipe *p, u32 scheduler, u32 word)
{
	u64 barred = 0;

	for (u32 n = 0; n < p->quotas->count; n++)
		if (!p->quotas->left[scheduler][n])
			barred |= map_of(p, n)[word];
	return barred;
}

void vgpu_pipe_quotas_count(struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw)
{
	u32 n = number_of(p, pw), s = vgpu_pipe_scheduler_of(p, pw->index);

	p->quotas->last[s] = p->cycle;
	if (n < p->quotas->count && p->quotas->left[s][n])
		p->quotas->left[s][n]--;
}

/* What holds @pw ends by itself: instructions in flight commit, lines of code come. */
static bool goes_on(const struct vgpu_pipe_warp *pw)
{
	return !(pw->held & (VGPU_HELD_FAULT | VGPU_HELD_BARRIER | VGPU_HELD_STOP |
			     VGPU_HELD_EXITED | VGPU_HELD_THROTTLE)) && !pw->stalled;
}

/* Has a kernel with some left a warp of @scheduler that will have an instruction fetched? */
static bool others_go_on(const struct vgpu_pipe *p, u32 scheduler)
{
	u64 places = vgpu_pipe_places_of(p, scheduler);

	for (u32 n = 0; n < p->quotas->count; n++) {
		if (!p->quotas->left[scheduler][n])
			continue;
		for (u32 word = 0; word < p->warp_words; word++)
			for (u64 bits = map_of(p, n)[word] & places; bits; bits &= bits - 1)
				if (goes_on(p->warps[word * 64 + (u32)__builtin_ctzll(bits)]))
					return true;
	}
	return false;
}

bool vgpu_pipe_quotas_let(struct vgpu_pipe *p, u32 scheduler)
{
	u64 places = vgpu_pipe_places_of(p, scheduler);
	bool fetchable = false;

	for (u32 word = 0; word < p->warp_words; word++) {
		u64 bits = p->fetchable[word] & places;

		if (bits & ~vgpu_pipe_quotas_barred(p, scheduler, word))
			return true;
		fetchable |= bits != 0;
	}
	if (!fetchable)
		return false;
	/* all that could be fetched of has used its quota up */
	if (others_go_on(p, scheduler) &&
	    p->cycle - p->quotas->last[scheduler] < p->config->quota_epoch_cycles)
		return false;
	give_again(p, scheduler);
	return true;
}
