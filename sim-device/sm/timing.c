// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Time of compiled code: an interval model. Instructions are executed functionally in slices; a
 * slice of an SM then takes as many cycles as the tightest of four bounds allows:
 *
 *   issue      warp instructions / issue_width
 *   latency    of the slowest warp, the sum of the latencies of its instructions: a warp issues in
 *              order and each instruction waits for the one before (no overlap inside a warp, full
 *              overlap between warps)
 *   work       what the model does for an instruction beside executing it, and for a block that
 *              begins: translations, pages cleared (sim/work.h). It takes no time up to
 *              WORK_FACTOR times what the instructions could have been; beyond that it takes as
 *              long as so many more. So virtual time cannot be made to go by slowly in real time
 *   bandwidth  128-byte segments of global memory x SMs / memory_bandwidth: an SM has its share of
 *              the bandwidth
 *
 * There is no cache. Latencies are in cycles: that of memory is configuration; the others are
 * chosen, near what microbenchmarks of Kepler report (arithmetic 9 to 11, shared memory 33 to 47),
 * and said so where they stand.
 */
#include "../sim/text.h"
#include "pipeline/pipeline.h"

/* all chosen */
#define CYCLES_ALU	10	/* arithmetic on 32 bits, f32 and f64, moves, compares, branches */
#define CYCLES_WIDE	20	/* 64-bit integers, conversions: two passes */
#define CYCLES_SPECIAL	20	/* special function unit */
#define CYCLES_DIVIDE	100	/* division and square root: subroutines on the hardware */
#define CYCLES_SHARED	33	/* shared memory, shuffles */
#define CYCLES_LOCAL	33	/* local memory: taken to hit the first cache */
#define CYCLES_STORE	10	/* nothing waits for a store */

/*
 * Longest stretch of real time in one event, and between two looks at whether to go on: warp
 * instructions.
 */
#define SLICE_MOST	4096u
#define WARP_MOST	256u
#define WARP_LEAST	16u

/* All chosen: ordinary kernels stay below. */
#define SPARE_FACTOR	2u
#define WORK_FACTOR	2u
#define SLICE_PERCENT	150u

static u32 latency(u32 op, u32 memory)
{
	switch (op) {
	case VGPU_OP_LDG:
	case VGPU_OP_LD:
	case VGPU_OP_ATOM:
	case VGPU_OP_ATOMG:
	case VGPU_OP_ATOMQ:
	case VGPU_OP_ATOMGQ:
		return memory;
	case VGPU_OP_ST:
	case VGPU_OP_STG:
	case VGPU_OP_STS:
	case VGPU_OP_STL:
		return CYCLES_STORE;
	case VGPU_OP_LDS:
	case VGPU_OP_ATOMS:
	case VGPU_OP_ATOMSQ:
	case VGPU_OP_SHFL:
	case VGPU_OP_SHFLSYNC:
		return CYCLES_SHARED;
	case VGPU_OP_LDL:
		return CYCLES_LOCAL;
	case VGPU_OP_DIVS:
	case VGPU_OP_DIVU:
	case VGPU_OP_REMS:
	case VGPU_OP_REMU:
	case VGPU_OP_DIVSQ:
	case VGPU_OP_DIVUQ:
	case VGPU_OP_REMSQ:
	case VGPU_OP_REMUQ:
	case VGPU_OP_FDIV:
	case VGPU_OP_FSQRT:
	case VGPU_OP_DDIV:
	case VGPU_OP_DSQRT:
	case VGPU_OP_DRCP:
	case VGPU_OP_DRSQ:
		return CYCLES_DIVIDE;
	case VGPU_OP_FRCP:
	case VGPU_OP_FRSQ:
	case VGPU_OP_FSIN:
	case VGPU_OP_FCOS:
	case VGPU_OP_FEX2:
	case VGPU_OP_FLG2:
	case VGPU_OP_FTANH:
		return CYCLES_SPECIAL;
	}
	if ((op >= VGPU_OP_ADDQ && op <= VGPU_OP_BFIQ) || (op >= VGPU_OP_F2I && op <= VGPU_OP_F2H))
		return CYCLES_WIDE;
	return CYCLES_ALU;
}

void vgpu_cost_fill(u16 *cost, const struct vgpu_config *config)
{
	u32 memory = config->memory_latency_cycles + config->l1_tlb_cycles;

	if (memory > 0xffff)
		memory = 0xffff;

	for (u32 op = 0; op < VGPU_OP_COUNT; op++)
		cost[op] = (u16)latency(op, memory);
}

u32 vgpu_slice_budget(const struct vgpu_config *config, u32 warps)
{
	u64 cycles = vgpu_mul_div(config->slice_ps, config->clock_khz, VGPU_PS_PER_KCYCLE);
	u64 issue = cycles * config->issue_width, alone = cycles / CYCLES_ALU, n;

	if (issue > SLICE_MOST)
		issue = SLICE_MOST;
	n = issue / warps;
	if (n > alone)
		n = alone;
	if (n > WARP_MOST)
		n = WARP_MOST;
	if (n < WARP_LEAST)
		n = WARP_LEAST;
	return (u32)n;
}

static u32 ready_warps_of(const struct vgpu_sm *sm, u32 launch)
{
	const struct vgpu_block *block;
	u32 warps = 0;

	vgpu_for_each_compiled(block, sm)
		if (block->launch->id == launch && !block->launch->stopped && !block->throttled)
			warps += block->warps->ready;
	return warps;
}

void vgpu_slice_divide(const struct vgpu_sm *sm, struct vgpu_slice *slice)
{
	u64 quotas = 0, instructions = 0;
	u32 warps[VGPU_SM_KERNELS_MOST];

	for (u32 n = 0; n < sm->quota_count; n++) {
		warps[n] = ready_warps_of(sm, sm->quota[n].launch);
		quotas += warps[n] ? sm->quota[n].instructions : 0;
		instructions += (u64)warps[n] * slice->each;
	}
	for (u32 n = 0; n < sm->quota_count; n++) {
		u64 each = !warps[n] ? slice->each :
				       vgpu_mul_div(instructions, sm->quota[n].instructions,
						    quotas * warps[n]);

		slice->each_of[n] = (u32)(!each ? 1 : each < SLICE_MOST ? each : SLICE_MOST);
	}
}

u32 vgpu_slice_spare(u32 budget)
{
	return budget * SPARE_FACTOR * VGPU_WORK_INSTRUCTION;
}

u64 vgpu_slice_work(u32 budget, u32 warps)
{
	return (u64)budget * warps * VGPU_WORK_INSTRUCTION * SLICE_PERCENT / 100;
}

/* Warp instructions that take the time of @slice to issue. */
static u64 issue_slots(const struct vgpu_slice *slice)
{
	u64 work = slice->issued * VGPU_WORK_INSTRUCTION + slice->work;
	u64 slots = work / (VGPU_WORK_INSTRUCTION * WORK_FACTOR);

	return slots > slice->issued ? slots : slice->issued;
}

u64 vgpu_slice_time(const struct vgpu_config *config, const struct vgpu_slice *slice)
{
	u64 cycles = (issue_slots(slice) + config->issue_width - 1) / config->issue_width;
	u64 bytes = (slice->segments << VGPU_SEGMENT_SHIFT) * config->sms;
	u64 ps, memory;

	if (cycles < slice->longest)
		cycles = slice->longest;
	if (!cycles)
		cycles = 1;
	ps = vgpu_mul_div(cycles, VGPU_PS_PER_KCYCLE, config->clock_khz);
	memory = vgpu_mul_div(bytes, 1000000000000ull, config->memory_bandwidth);
	return ps > memory ? ps : memory;
}

/* ---- the models --------------------------------------------------------- */

/* The end of a slice is known, so vgpu_sm_halt() says when the blocks can leave. */
static bool always_quiet(const struct vgpu_sm *sm)
{
	(void)sm;
	return true;
}

/* A warp that waits is restartable, whatever it waits for. */
static bool never_stalls(const struct vgpu_config *config)
{
	(void)config;
	return false;
}

/*
 * What moves is part of what the next slice moves; where none is under way, nor about to begin, it
 * costs nobody anything.
 */
static bool move(struct vgpu_sm *sm, const struct vgpu_block *block, u64 bytes)
{
	(void)block;
	if (vgpu_event_pending(&sm->step) || sm->run->place || sm->run->reporting)
		sm->run->moved += bytes >> VGPU_SEGMENT_SHIFT;
	return false;
}

static const struct vgpu_timing interval = {
	.name = "interval",
	.kind = &vgpu_block_compiled,
	.stalls = never_stalls,
	.step = vgpu_compiled_step,
	.finish = vgpu_slice_finish,
	.halt = vgpu_compiled_halt,
	.quiet = always_quiet,
	.move = move,
};

static const struct vgpu_timing *const models[] = { &interval, &vgpu_timing_pipeline };

const struct vgpu_timing *vgpu_timing_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(models) ? models[index] : NULL;
}

const struct vgpu_timing *vgpu_timing_of(const struct vgpu_block_kind *kind)
{
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(models); i++)
		if (models[i]->kind == kind)
			return models[i];
	return NULL;
}

const struct vgpu_timing *vgpu_timing_find(const char *name)
{
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(models); i++)
		if (vgpu_text_is(name, models[i]->name))
			return models[i];
	return NULL;
}
