// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Profiled blocks: no code, an end after a time that is drawn when the block first starts.
 *
 * Distribution: mean block_ps, coefficient of variation block_cv_permille / 1000, roughly normal:
 * the sum of four uniform 16-bit numbers, all from one draw. Four uniforms reach 3.46 standard
 * deviations and no further, so up to a coefficient of 0.288 nothing is cut off; beyond it the
 * tails are cut on both sides alike, at 0 and at twice the mean, so that the mean stays right. A
 * kernel without variation draws nothing.
 */
#include "sm.h"

/*
 * Of the sum of four uniform numbers 0..65535: the mean, and the standard deviation 2 * sqrt((2^32
 * - 1) / 12).
 */
#define SUM_MEAN	131070
#define SUM_DEVIATION	37837u

static u64 draw_time(const struct vgpu_sm_env *env, const struct vgpu_launch *launch)
{
	u64 bits = vgpu_random_next(env->random);
	s64 sum = (s64)((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) +
			(bits >> 48)) -
		  SUM_MEAN;
	u64 factor = (u64)(sum < 0 ? -sum : sum) * launch->block_cv_permille;
	u64 away;

	/* Nearly always 64 bits are enough, and their division is the faster one. */
	if (__builtin_mul_overflow(launch->block_ps, factor, &away))
		away = vgpu_mul_div(launch->block_ps, factor, 1000ull * SUM_DEVIATION);
	else
		away /= 1000ull * SUM_DEVIATION;
	if (away >= launch->block_ps)
		away = launch->block_ps - 1;
	return sum < 0 ? launch->block_ps - away : launch->block_ps + away;
}

/*
 * The profiled blocks of an SM and when they end. One event an SM, for the earliest: there are then
 * as many events as there are SMs with work, not as there are blocks, and finding the next end in
 * an SM is a walk over a short array.
 *
 * A block that ends is nearly always followed by another one of its kernel in the same slot. That
 * touches this struct and neither the block nor the SM, and of it the first cache line, those of
 * the times, and one of the indices: with many SMs, memory is what a simulated block costs. So
 * those of all SMs lie one behind the other, with no more slots than an SM has.
 */
struct vgpu_ends {
	struct vgpu_event event;
	struct vgpu_launch *launch;	/* all blocks are of it; NULL: the SM is shared */
	const struct vgpu_sm_env *env;	/* of the SM */
	u16 sm_index;
	u8 first;			/* slot of the earliest */
	u8 slots;			/* all blocks are below */
	bool later;			/* the earliest end is scheduled when all are issued */
	/*
	 * env->ends_room times, by slot; VGPU_NEVER: no block there. Behind them are as many
	 * indices, pointers to blocks, and times that those of idempotent kernels take altogether.
	 */
	u64 time[];
};

#define LINE	64u			/* a cache line */

/* By slot: in the grid; what the block itself says is as old as its issue. */
static u64 *index_of(struct vgpu_ends *ends, u32 slot)
{
	return &ends->time[ends->env->ends_room + slot];
}

static struct vgpu_block **block_of(struct vgpu_ends *ends, u32 slot)
{
	return (struct vgpu_block **)&ends->time[2 * ends->env->ends_room] + slot;
}

/* By slot: how long the block runs altogether; not set where its kernel is not idempotent. */
static u64 *total_of(struct vgpu_ends *ends, u32 slot)
{
	return (u64 *)block_of(ends, ends->env->ends_room) + slot;
}

/* Bytes of the struct with what is behind it. */
static size_t ends_bytes(const struct vgpu_sm_env *env)
{
	return sizeof(struct vgpu_ends) +
	       env->ends_room * (3 * sizeof(u64) + sizeof(struct vgpu_block *));
}

/* Of @slot and those before it: a comparison and two conditional moves. */
static inline void look_at(const struct vgpu_ends *ends, u64 slot, u64 *earliest, u64 *first)
{
	u64 time = ends->time[slot];

	*first = time < *earliest ? slot : *first;
	*earliest = time < *earliest ? time : *earliest;
}

/*
 * Find the earliest end; equal ones go by slot. Four slots at a time: there is room for a multiple
 * of eight, and where there is no block the time is VGPU_NEVER.
 */
static inline u64 find_first(struct vgpu_ends *ends)
{
	u64 earliest = ends->time[0];
	u64 slots = ends->slots;
	u64 first = 0;

	if (slots > 1) {
		for (u64 i = 0; i < slots; i += 4) {
			look_at(ends, i, &earliest, &first);
			look_at(ends, i + 1, &earliest, &first);
			look_at(ends, i + 2, &earliest, &first);
			look_at(ends, i + 3, &earliest, &first);
		}
	}
	ends->first = (u8)first;
	return earliest;
}

static inline void schedule_first(struct vgpu_ends *ends)
{
	u64 time = find_first(ends);

	if (time == VGPU_NEVER) {
		ends->slots = 0;
		vgpu_event_cancel(ends->env->sim, &ends->event);
	} else {
		vgpu_event_at(ends->env->sim, &ends->event, time);
	}
}

/* The block in @slot leaves it. */
static struct vgpu_block *leave_slot(struct vgpu_ends *ends, u32 slot)
{
	struct vgpu_block *block = *block_of(ends, slot);

	/* nothing has been flushed of one that has followed another */
	if (block->index != *index_of(ends, slot))
		block->flushes = 0;
	block->index = *index_of(ends, slot);
	ends->time[slot] = VGPU_NEVER;
	return block;
}

void vgpu_profiled_begin(struct vgpu_sm *sm)
{
	sm->ends->later = true;
}

void vgpu_profiled_end(struct vgpu_sm *sm)
{
	sm->ends->later = false;
	schedule_first(sm->ends);
}

static inline u64 time_of(const struct vgpu_sm_env *env, const struct vgpu_launch *launch)
{
	return launch->block_cv_permille ? draw_time(env, launch) : launch->block_ps;
}

u64 vgpu_profiled_time(struct vgpu_sm *sm, const struct vgpu_launch *launch)
{
	return time_of(sm->env, launch);
}

/* When a block that starts in @slot now, for the first time, ends. */
static u64 end_time(struct vgpu_ends *ends, u32 slot, const struct vgpu_launch *launch)
{
	u64 total = time_of(ends->env, launch);

	if (unlikely(launch->idempotent_permille))
		*total_of(ends, slot) = total;
	return vgpu_time_after(ends->env->sim, total);
}

/* Of the block in @slot; the SM may have blocks of several. */
static struct vgpu_launch *launch_of(struct vgpu_ends *ends, u32 slot)
{
	return likely(ends->launch) ? ends->launch : (*block_of(ends, slot))->launch;
}

static void ends_fire(struct vgpu_event *event)
{
	struct vgpu_ends *ends = vgpu_container_of(event, struct vgpu_ends, event);
	const struct vgpu_sm_env *env = ends->env;
	u32 most = ends->slots;
	bool left = false;

	/*
	 * All that end now, but not what they are followed by: at the end of the clock that would
	 * end now as well.
	 */
	ends->later = true;
	do {
		u32 slot = ends->first;
		struct vgpu_launch *launch = launch_of(ends, slot);

		if (env->ops->block_followed(env->engine, ends->sm_index, launch, slot,
					     index_of(ends, slot))) {
			ends->time[slot] = end_time(ends, slot, launch);
		} else {
			struct vgpu_block *block = leave_slot(ends, slot);

			vgpu_sm_remove(&env->sms[ends->sm_index], block);
			env->ops->block_done(&env->sms[ends->sm_index], block);
			left = true;
		}
	} while (find_first(ends) == env->sim->now && --most);
	/* With many SMs the next block is not in the cache, and it will probably leave, too. */
	if (left)
		__builtin_prefetch(*block_of(ends, ends->first), 1);
	ends->later = false;
	if (ends->time[ends->first] != VGPU_NEVER)
		vgpu_event_at(env->sim, event, ends->time[ends->first]);
	else
		ends->slots = 0;
}

int vgpu_sm_env_init(struct vgpu_sm_env *env, const struct vgpu_config *config)
{
	env->ends_room = (config->blocks_per_sm + 7) / 8 * 8;
	env->ends_memory = vgpu_mem_alloc_device(config->sms * ends_bytes(env) + LINE);
	if (!env->ends_memory)
		return -ENOMEM;
	env->ends = (u8 *)env->ends_memory + (0 - (unsigned long)env->ends_memory) % LINE;
	return 0;
}

void vgpu_sm_env_fini(struct vgpu_sm_env *env)
{
	vgpu_mem_free_device(env->ends_memory);
}

void vgpu_profiled_init(struct vgpu_sm *sm)
{
	struct vgpu_ends *ends = (void *)((u8 *)sm->env->ends + sm->index * ends_bytes(sm->env));
	u32 i;

	ends->sm_index = (u16)sm->index;
	ends->env = sm->env;
	ends->event.fire = ends_fire;
	for (i = 0; i < sm->env->ends_room; i++)
		ends->time[i] = VGPU_NEVER;
	sm->ends = ends;
}

/*
 * What is left of it: a new one has all of its time, which is drawn now, a preempted one a part,
 * and one that was flushed again all.
 */
static u64 time_to_go(struct vgpu_ends *ends, const struct vgpu_block *block)
{
	const struct vgpu_launch *launch = block->launch;
	u64 left = block->remaining_ps, total;

	if (likely(!launch->idempotent_permille))
		return left ? left : time_of(ends->env, launch);
	total = block->total_ps ? block->total_ps : time_of(ends->env, launch);
	*total_of(ends, block->slot) = total;
	return left ? left : total;
}

/* Schedule its end. */
static void profiled_issue(struct vgpu_block *block)
{
	struct vgpu_ends *ends = block->sm->ends;

	ends->launch = unlikely(block->sm->shared) ? NULL : block->launch;
	ends->event.account = block->launch->memory;
	*block_of(ends, block->slot) = block;
	*index_of(ends, block->slot) = block->index;
	ends->time[block->slot] = vgpu_time_after(ends->env->sim, time_to_go(ends, block));
	if (ends->slots <= block->slot)
		ends->slots = (u8)(block->slot + 1);
	if (!ends->later)
		schedule_first(ends);
}

static u64 profiled_index(const struct vgpu_block *block)
{
	return *index_of(block->sm->ends, block->slot);
}

static u64 profiled_time_left(const struct vgpu_block *block)
{
	return block->sm->ends->time[block->slot] - block->sm->sim->now;
}

/* Cancel its end and keep what is left of its time. */
static void profiled_detach(struct vgpu_block *block)
{
	struct vgpu_ends *ends = block->sm->ends;

	/*
	 * At least 1: a block that has not ended has time left, and 0 says that it never started.
	 */
	block->remaining_ps = profiled_time_left(block);
	if (!block->remaining_ps)
		block->remaining_ps = 1;
	if (block->launch->idempotent_permille)
		block->total_ps = *total_of(ends, block->slot);
	leave_slot(ends, block->slot);
	if (!ends->later)
		schedule_first(ends);
}

static u64 profiled_total(const struct vgpu_block *block)
{
	return block->launch->idempotent_permille ? *total_of(block->sm->ends, block->slot) :
						    block->launch->block_ps;
}

static u64 profiled_ran(const struct vgpu_block *block)
{
	u64 total = profiled_total(block), left = profiled_time_left(block);

	/* of kernels that are not idempotent only the mean is known */
	return total > left ? total - left : 0;
}

bool vgpu_profiled_repeats(const struct vgpu_launch *launch, u64 ran, u64 total)
{
	return launch->idempotent_permille &&
	       ran <= vgpu_mul_div(total, launch->idempotent_permille, 1000);
}

static bool profiled_repeats(const struct vgpu_block *block)
{
	return vgpu_profiled_repeats(block->launch, profiled_ran(block), profiled_total(block));
}

static void profiled_restart(struct vgpu_block *block)
{
	block->remaining_ps = 0;
}

u64 vgpu_profiled_dirty(const struct vgpu_block *block, bool since)
{
	const struct vgpu_launch *launch = block->launch;
	u64 clean = since ? launch->clean_increment_permille : launch->clean_base_permille;
	u64 bytes = vgpu_block_context_bytes(block);

	return bytes - vgpu_mul_div(bytes, clean, 1000);
}

static bool profiled_stop(struct vgpu_block *block)
{
	(void)block;
	return true;
}

const struct vgpu_block_kind vgpu_block_profiled = {
	.name = "profiled",
	.issue = profiled_issue,
	.detach = profiled_detach,
	.stop = profiled_stop,
	.index = profiled_index,
	.time_left = profiled_time_left,
	.repeats = profiled_repeats,
	.restart = profiled_restart,
	.ran = profiled_ran,
	.expected = profiled_time_left,
	.dirty = vgpu_profiled_dirty,
};
