// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Windows of several SMs that are due at the same time, on as many threads as the host has. What is
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

	return p->port->model->apart && p->port->model->apart(p->port) && as && vgpu_as_stays(as);
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

/* @p, then others in the order of their numbers; returns how many. */
static u32 gather(struct vgpu_pipe *p)
{
	const struct vgpu_sm_env *env = p->sm->env;
	struct vgpu_sm **due = env->due;
	u32 count = 1;

	due[0] = p->sm;
	if (!is_its_own(p))
		return 1;
	for (u32 n = 0; n < p->config->sms; n++) {
		struct vgpu_sm *sm = &env->sms[n];
		struct vgpu_pipe *other = sm->pipe;

		if (!sm->resident_count || !vgpu_event_pending(&sm->step) ||
		    vgpu_event_time(&sm->step) != sm->sim->now || !is_its_own(other) ||
		    vgpu_pipe_reports(other))
			continue;
		vgpu_event_cancel(sm->sim, &sm->step);
		vgpu_pipe_begin(other);
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
		env->parallel.run(env->parallel.host, run, end, env->due, count);
		return;
	}
	for (n = 0; n < count; n++) {
		run(env->due, n);
		end(env->due, n);
	}
}
