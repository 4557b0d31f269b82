// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Slices of several SMs at the same time, where the host has threads (struct vgpu_parallel).
 *
 * When a slice begins, the next slices of other SMs are executed with it, ahead of the virtual time
 * at which they begin, if nothing can happen until then that concerns them: no event but those of
 * SMs is due before, and what ends in one of those concerns no other SM. That a slice has ended,
 * and all else that others may notice of it, comes when it is due, as ever.
 *
 * Where blocks are short, a slice begins with the blocks that are issued because others have ended,
 * in the same event; no slice is known then that could be executed with it. But equal blocks end
 * at equal times: a slice is put off until the blocks of all SMs that end now have been reported,
 * and others have been issued. No other event comes in between; the host may act.
 *
 * So times, traces and the order of blocks are those of one thread. Bytes are, too, unless a kernel
 * has races: atomics of memory that other SMs may see are not executed ahead, nor is what comes
 * behind them in the slice, so they keep their order; and a kernel that orders its accesses
 * otherwise (ordered) is not executed ahead at all.
 */
#include "verify.h"
#include "warps.h"

/* Blocks with less than a SHORT-th of vgpu_parallel.least are short; then MANY times as much. */
#define SHORT	8u
#define MANY	48u

static bool accesses_memory(u32 op)
{
	return op == VGPU_OP_LD || op == VGPU_OP_LDG || op == VGPU_OP_ST || op == VGPU_OP_STG;
}

bool vgpu_code_is_ordered(const struct vgpu_insn *code, u32 count)
{
	for (u32 n = 0; n < count; n++) {
		u32 order = VGPU_MEM_ORDER(code[n].mem);

		if (accesses_memory(code[n].op) &&
		    ((order != VGPU_ORDER_WEAK && order != VGPU_ORDER_NC &&
		      VGPU_MEM_SCOPE(code[n].mem) != VGPU_SCOPE_CTA) ||
		     VGPU_MEM_CACHE(code[n].mem) == VGPU_CACHE_CV))
			return true;
	}
	return false;
}

/*
 * All that is shared while a slice of @sm is executed ahead is the page table, which nobody changes
 * meanwhile (vgpu_mmu_walks()), and pages of local memory, which are taken under the lock. A TLB
 * with a shape goes by the present time.
 *
 * Memory of the process is not in the page table: an access to it ends what is executed ahead of
 * the slice. What waits for such a page, or for the interconnect, is an SM that has nothing
 * executed ahead behind it, and the events of a fault concern no other. A block that waits is not
 * executed ahead: its page may come at any time.
 */
static bool is_its_own(const struct vgpu_sm *sm)
{
	const struct vgpu_block *first = vgpu_sm_first(sm);

	return first->launch->kernel && !first->launch->kernel->ordered &&
	       vgpu_as_stays(first->launch->as) && vgpu_mmu_walks(first->launch->as) &&
	       !sm->tlb->l1.entries;
}

u32 vgpu_slice_next(const struct vgpu_sm *sm)
{
	const struct vgpu_launch *launch = vgpu_sm_first(sm)->launch;
	const struct vgpu_block *block;
	u32 warps = 0;

	vgpu_list_for_each(block, &sm->resident, struct vgpu_block, node) {
		if (block->launch != launch || launch->stopped || block->stopping ||
		    !block->warps->ready || block->warps->pending ||
		    vgpu_warps_over(block->warps))
			return 0;
		warps += block->warps->ready;
	}
	return warps;
}

/*
 * Are slices of @count SMs like @sm worth handing to threads, by what blocks of its kernel have
 * executed in their slices so far? A launch does not have more SMs than blocks. What is handed over
 * also costs the one who reports it afterwards, whose caches it was not in: blocks that are short
 * pay for that only where there are many.
 */
static bool is_worth(const struct vgpu_sm *sm, u64 count)
{
	const struct vgpu_launch *launch = vgpu_sm_first(sm)->launch;
	const struct vgpu_kernel_code *run = launch->kernel->run;
	u64 least = sm->env->parallel.least * run->shares, blocks = count * sm->resident_count;

	if (blocks > launch->blocks)
		blocks = launch->blocks;
	return blocks * run->executed >= least &&
	       (run->executed >= least / SHORT || launch->blocks * run->executed >= MANY * least);
}

/* Is there somebody to hand slices of @sm to? */
static bool has_hands(const struct vgpu_sm *sm)
{
	const struct vgpu_parallel *parallel = &sm->env->parallel;

	return !parallel->hands ||
	       parallel->hands(parallel->host, vgpu_sm_first(sm)->launch->context);
}

/* Its step is pending, and is nothing but the beginning of a slice. */
static bool begins_slice(const struct vgpu_sm *sm)
{
	return sm->resident_count && !sm->halted && vgpu_event_pending(&sm->step) &&
	       !sm->run->slice.open && !sm->run->ahead_count && is_its_own(sm);
}

/** struct together - SMs that are executed together, and until when */
struct together {
	struct vgpu_sm **sms;
	u64 until;
};

/*
 * @sm and those whose slice begins before @until, to env->due in the order of their numbers: each
 * is mostly executed by the same thread then. How many.
 */
static u32 gather(struct vgpu_sm *sm, u64 until)
{
	const struct vgpu_sm_env *env = sm->env;
	u32 count = 0, warps;

	for (u32 n = 0; n < sm->config->sms; n++) {
		struct vgpu_sm *other = &env->sms[n];

		if (other == sm)
			env->due[count++] = sm;
		if (other == sm || !begins_slice(other) || vgpu_event_time(&other->step) >= until)
			continue;
		warps = vgpu_slice_next(other);
		if (!warps)
			continue;
		vgpu_slice_begin(other, warps, vgpu_event_time(&other->step));
		env->due[count++] = other;
	}
	return count;
}

static void run(void *arg, u32 n)
{
	const struct together *together = arg;

	vgpu_slice_ahead(together->sms[n], together->until);
}

void vgpu_slices_ahead(struct vgpu_sm *sm)
{
	const struct vgpu_sm_env *env = sm->env;
	struct together together = { .sms = env->due };
	u32 count, n;

	if (!is_its_own(sm) || !is_worth(sm, sm->config->sms) || sm->sim->horizon < sm->sim->now ||
	    !env->ops->undisturbed(env->engine) || !vgpu_slice_next(sm) || !has_hands(sm))
		return;
	together.until = vgpu_sim_next_but(sm->sim, sm->step.fire);
	if (together.until > sm->sim->horizon)
		together.until = vgpu_time_add(sm->sim->horizon, 1);
	count = gather(sm, together.until);
	if (count == 1)
		return;
	/* what is not the SM's is done before */
	for (n = 0; n < count; n++)
		vgpu_slice_prepare(env->due[n]);
	if (is_worth(sm, count))
		env->parallel.run(env->parallel.host, vgpu_sm_first(sm)->launch->context, run,
				  NULL, &together, count);
	else
		for (n = 0; n < count; n++)
			run(&together, n);
}

/* ---- slices that begin at the same time -------------------------------------- */

/* What is next in all of the system is a step of an SM of the same device, at the present time. */
static bool step_is_next(const struct vgpu_sm *sm)
{
	const struct vgpu_event *first = vgpu_event_first(sm->sim);

	return first && vgpu_event_time(first) == sm->sim->now && first->fire == sm->step.fire &&
	       vgpu_container_of(first, const struct vgpu_sm, step)->env == sm->env;
}

/* Its slice may write a record, which comes before those of the other SMs. */
static bool writes_record(const struct vgpu_sm *sm)
{
	return sm->trace->on &&
	       (sm->waited || sm->traced_warps || sm->traced_waiting ||
		!vgpu_mmu_walks_first(vgpu_sm_first(sm)->launch->as));
}

bool vgpu_slice_put_off(struct vgpu_sm *sm)
{
	if (!step_is_next(sm) || writes_record(sm) || !is_its_own(sm) ||
	    !is_worth(sm, sm->config->sms) || !vgpu_slice_next(sm) ||
	    sm->sim->horizon < sm->sim->now || !sm->env->ops->undisturbed(sm->env->engine) ||
	    !has_hands(sm)) {
		vgpu_sms_catch_up(sm->env);
		return false;
	}
	sm->run->place = vgpu_event_put_off(sm->sim, &sm->step);
	(*sm->env->put_off)++;
	return true;
}

/* The one of those put off that is due first; NULL: there is none. */
static struct vgpu_sm *first_put_off(const struct vgpu_sm_env *env)
{
	struct vgpu_sm *first = NULL;

	for (u32 n = 0; n < env->sms[0].config->sms; n++) {
		struct vgpu_sm *sm = &env->sms[n];

		if (vgpu_slice_is_put_off(sm->run) &&
		    (!first || sm->run->place < first->run->place))
			first = sm;
	}
	return first;
}

void vgpu_sms_catch_up(const struct vgpu_sm_env *env)
{
	struct vgpu_sm *sm;

	while (*env->put_off && (sm = first_put_off(env))) {
		vgpu_event_take(sm->sim, &sm->step);
		vgpu_slice_begin(sm, vgpu_sm_ready_warps(sm), sm->sim->now);
		vgpu_slice_go_on(sm, false);
	}
}

void vgpu_slices_settle(const struct vgpu_sm *sm)
{
	if (unlikely(*sm->env->put_off) && !step_is_next(sm))
		vgpu_sms_catch_up(sm->env);
}
