// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Windows of several SMs that end in the same cycle, on as many threads as the host has. What is
 * executed together does not depend on whether there are threads, and what concerns others than the
 * SM is done in the order of the SMs: so nothing else does either.
 */
#include "pipeline.h"

/*
 * A page that comes or goes is dropped from TLBs and L1s of all SMs, by whoever meets it. So only
 * memory that does not move is used by several SMs at a time.
 */
static bool is_its_own(const struct vgpu_pipe *p)
{
	const struct vgpu_address_space *as = p->sm->as;
	const struct vgpu_block *block;

	if (!p->port->model->apart || !p->port->model->apart(p->port) || !as)
		return false;
	if (likely(!p->sm->shared))
		return vgpu_as_stays(as);
	vgpu_list_for_each(block, &p->sm->resident, struct vgpu_block, node)
		if (!vgpu_as_stays(block->launch->as))
			return false;
	return true;
}

/*
 * What the MMU answers, it answers behind the end of the window: a miss of the L1 TLB takes as long
 * as a look into the L2 TLB, at least.
 */
static bool can_defer(const struct vgpu_pipe *p)
{
	const struct vgpu_config *config = p->config;

	return config->l1_tlb_entries && config->l2_tlb_entries &&
	       config->l2_tlb_cycles >= p->window;
}

void vgpu_pipe_wait_turn(struct vgpu_pipe *p)
{
	const struct vgpu_parallel *parallel = &p->sm->env->parallel;

	vgpu_pipe_lanes_end(p);
	parallel->turn(parallel->host, p->place);
	p->apart = false;
}

void vgpu_pipe_pay(struct vgpu_pipe *p, struct vgpu_work *worker)
{
	if (p->worker == worker)
		return;
	if (p->work) {
		vgpu_pipe_turn(p);
		vgpu_work_add(p->worker, p->work);
	}
	p->worker = worker;
	p->work = 0;
}

static void run(void *arg, u32 n)
{
	struct vgpu_sm **due = arg;

	vgpu_pipe_window(due[n]->pipe);
}

static void end(void *arg, u32 n)
{
	struct vgpu_sm **due = arg;

	vgpu_pipe_window_end(due[n]->pipe);
}

/* What takes memory, and so is not for the threads. */
static void prepare(struct vgpu_pipe *p)
{
	if (unlikely(p->sm->quota_changed))
		vgpu_pipe_quotas_update(p);
}

/* @p, then others whose windows begin before its end, in the order of their numbers; how many. */
static u32 gather(struct vgpu_pipe *p)
{
	const struct vgpu_sm_env *env = p->sm->env;
	struct vgpu_sm **due = env->due;
	u32 count = 1;
	u64 until;

	due[0] = p->sm;
	prepare(p);
	p->defers = is_its_own(p) && can_defer(p);
	if (!is_its_own(p))
		return 1;
	until = vgpu_cycle_time(p->config, vgpu_pipe_window_until(p));
	for (u32 n = 0; n < p->config->sms; n++) {
		struct vgpu_sm *sm = &env->sms[n];
		struct vgpu_pipe *other = sm->pipe;

		if (sm->timing != p->sm->timing || !(sm->resident_count || sm->moving) ||
		    !vgpu_event_pending(&sm->step) ||
		    vgpu_event_time(&sm->step) >= until || !is_its_own(other) ||
		    vgpu_pipe_reports(other))
			continue;
		vgpu_pipe_begin(other, vgpu_event_time(&sm->step));
		prepare(other);
		vgpu_event_cancel(sm->sim, &sm->step);
		other->defers = can_defer(other);
		due[count++] = sm;
	}
	return count;
}

void vgpu_pipe_run_windows(struct vgpu_pipe *p)
{
	const struct vgpu_sm_env *env = p->sm->env;
	u32 count = gather(p), n;

	if (count > 1 && env->parallel.run) {
		for (n = 0; n < count; n++) {
			env->due[n]->pipe->apart = true;
			env->due[n]->pipe->place = n;
		}
		env->parallel.run(env->parallel.host, 0, run, end, env->due, count);
		return;
	}
	for (n = 0; n < count; n++) {
		run(env->due, n);
		end(env->due, n);
	}
}
