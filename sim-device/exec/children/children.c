// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Launches by kernels from when they are taken until they are over: children.h. launched.c reads
 * them from memory.
 */
#include "../../mmu/mmu.h"
#include "../exec.h"
#include "launched.h"

static struct vgpu_list *row_of(struct vgpu_family *family, u64 stream)
{
	return &family->rows[(stream ^ stream >> 6 ^ stream >> 12) % VGPU_FAMILY_ROWS];
}

/* The first of a stream that has not been started; NULL: none. @running: is one that has been? */
static struct vgpu_child *next_in(struct vgpu_family *family, u64 stream, bool *running)
{
	struct vgpu_child *child, *first = NULL;

	*running = false;
	vgpu_list_for_each(child, row_of(family, stream), struct vgpu_child, row) {
		if (child->stream != stream)
			continue;
		if (child->started) {
			*running = true;
			return NULL;
		}
		first = child;
		break;
	}
	return first;
}

/* ---- on their way to the engine ----------------------------------------- */

static void start(struct vgpu_exec *exec, struct vgpu_child *child)
{
	struct vgpu_exec_context *ctx = child->job.ctx;

	child->started = true;
	child->job.submitted = exec->sim->now;
	child->arrives = vgpu_time_after(exec->sim, exec->config->device_launch_ps);
	vgpu_list_add_tail(&child->job.node, &ctx->coming_children);
	if (!vgpu_event_pending(&ctx->children_come))
		vgpu_event_at(exec->sim, &ctx->children_come, child->arrives);
}

static void children_come(struct vgpu_event *event)
{
	struct vgpu_exec_context *ctx =
		vgpu_container_of(event, struct vgpu_exec_context, children_come);
	struct vgpu_exec *exec = ctx->exec;
	struct vgpu_child *child;

	while ((child = vgpu_list_first(&ctx->coming_children, struct vgpu_child, job.node))) {
		if (child->arrives > exec->sim->now) {
			vgpu_event_at(exec->sim, event, child->arrives);
			break;
		}
		vgpu_list_del(&child->job.node);
		vgpu_exec_arrive(&child->job);
	}
	vgpu_exec_schedule(exec);
}

void vgpu_child_shape(const struct vgpu_job *job, struct vgpu_launch *launch)
{
	const struct vgpu_child *child = vgpu_container_of(job, struct vgpu_child, job);

	memset(launch, 0, sizeof(*launch));
	launch->kind = child->kind;
	vgpu_launch_shape(launch, vgpu_module_kernel(child->module->code, child->cmd.kernel),
			  &child->cmd, child->params);
}

/* ---- families ----------------------------------------------------------- */

static struct vgpu_family *family_of(struct vgpu_job *job)
{
	struct vgpu_family *family = job->family;

	if (family)
		return family;
	family = vgpu_mem_alloc(job->ctx->memory, sizeof(*family));
	if (!family)
		return NULL;
	family->job = job;
	if (job->by_kernel)
		family->depth = vgpu_container_of(job, struct vgpu_child, job)->depth;
	vgpu_list_init(&family->tails);
	for (u32 n = 0; n < VGPU_FAMILY_ROWS; n++)
		vgpu_list_init(&family->rows[n]);
	vgpu_list_add_tail(&family->all, &job->ctx->families);
	job->family = family;
	return family;
}

static void free_family(struct vgpu_family *family)
{
	family->job->family = NULL;
	vgpu_list_del(&family->all);
	vgpu_mem_free(family->job->ctx->memory, family, sizeof(*family));
}

static u64 bytes_of(const struct vgpu_child *child)
{
	return sizeof(*child) + child->cmd.param_bytes;
}

static void free_child(struct vgpu_child *child)
{
	struct vgpu_exec_context *ctx = child->job.ctx;

	vgpu_list_del(&child->all);
	ctx->child_count--;
	vgpu_module_put(child->module);
	vgpu_mem_free(ctx->memory, child, bytes_of(child));
}

/* Those that come behind @child, in its stream, are no longer kept from it. */
static void leave_stream(struct vgpu_exec *exec, struct vgpu_child *child)
{
	struct vgpu_family *family = child->family;
	struct vgpu_child *next;
	bool running;

	if (VGPU_LAUNCH_KIND(child->stream) != VGPU_LAUNCH_IN_ORDER)
		return;
	vgpu_list_del(&child->row);
	next = next_in(family, child->stream, &running);
	if (next && !running)
		start(exec, next);
}

/* @child is over. Returns the family that it was in. */
static struct vgpu_family *remove_child(struct vgpu_exec *exec, struct vgpu_child *child)
{
	struct vgpu_family *family = child->family;

	vgpu_launched_over(child);
	if (family->tail == child) {
		family->tail = NULL;
	} else {
		family->left--;
		leave_stream(exec, child);
	}
	free_child(child);
	return family;
}

/* What tail launch @child has left to be launched behind it comes before what was behind it. */
static void hand_on_tails(struct vgpu_family *family, struct vgpu_child *child)
{
	struct vgpu_list *first = &child->family->tails;
	struct vgpu_child *tail, *next;

	if (!vgpu_list_empty(first))
		first = &vgpu_list_first(first, struct vgpu_child, row)->row;
	vgpu_list_for_each_safe(tail, next, &family->tails, struct vgpu_child, row) {
		vgpu_list_del(&tail->row);
		vgpu_list_insert(&tail->row, first);
		tail->family = child->family;
	}
}

/* @family may be over, with it the grid, and with that what launched it. */
static void settle(struct vgpu_exec *exec, struct vgpu_family *family)
{
	for (;;) {
		struct vgpu_job *job = family->job;
		struct vgpu_child *child = NULL, *tail;

		if (!family->ended || family->left || family->tail)
			return;
		if (job->by_kernel)
			child = vgpu_container_of(job, struct vgpu_child, job);
		if (child && child->family->tail == child)
			hand_on_tails(family, child);
		tail = vgpu_list_first(&family->tails, struct vgpu_child, row);
		if (tail) {
			vgpu_list_del(&tail->row);
			family->tail = tail;
			start(exec, tail);
			return;
		}
		free_family(family);
		if (!child) {
			exec->ops->done(job);
			return;
		}
		family = remove_child(exec, child);
	}
}

void vgpu_children_grid_ended(struct vgpu_exec *exec, struct vgpu_job *job)
{
	if (job->family) {
		job->family->ended = true;
		settle(exec, job->family);
	} else if (job->by_kernel) {
		settle(exec, remove_child(exec, vgpu_container_of(job, struct vgpu_child, job)));
	} else {
		exec->ops->done(job);
	}
}

/* ---- launches ----------------------------------------------------------- */

struct vgpu_child *vgpu_child_create(struct vgpu_ksr *launcher, const struct vgpu_cmd_launch *cmd,
				     struct vgpu_module_ref *module)
{
	struct vgpu_exec_context *ctx = launcher->ctx;
	struct vgpu_family *family = family_of(launcher->job);
	struct vgpu_child *child;

	if (!family)
		return NULL;
	child = vgpu_mem_alloc(ctx->memory, sizeof(*child) + cmd->param_bytes);
	if (!child)
		return NULL;
	child->job.ctx = ctx;
	child->job.queue = launcher->job->queue;
	child->job.seq = launcher->job->seq;
	child->job.priority = launcher->job->priority;
	child->job.by_kernel = true;
	child->family = family;
	child->kind = launcher->launch.kind;
	child->module = module;
	child->cmd = *cmd;
	vgpu_list_add_tail(&child->all, &ctx->children);
	ctx->child_count++;
	return child;
}

void vgpu_child_launch(struct vgpu_exec *exec, struct vgpu_child *child)
{
	struct vgpu_family *family = child->family;
	bool running;

	if (VGPU_LAUNCH_KIND(child->stream) == VGPU_LAUNCH_TAIL) {
		vgpu_list_add_tail(&child->row, &family->tails);
		return;
	}
	family->left++;
	if (VGPU_LAUNCH_KIND(child->stream) == VGPU_LAUNCH_IN_ORDER) {
		bool first = !next_in(family, child->stream, &running) && !running;

		vgpu_list_add_tail(&child->row, row_of(family, child->stream));
		if (!first)
			return;
	}
	start(exec, child);
}

/* ---- contexts ----------------------------------------------------------- */

int vgpu_children_open(struct vgpu_exec_context *ctx)
{
	vgpu_list_init(&ctx->children);
	vgpu_list_init(&ctx->families);
	vgpu_list_init(&ctx->coming_children);
	ctx->children_come.fire = children_come;
	return vgpu_event_reserve(ctx->exec->sim, 1);
}

void vgpu_children_close(struct vgpu_exec_context *ctx)
{
	vgpu_event_release(ctx->exec->sim, 1);
}

void vgpu_children_abort(struct vgpu_exec_context *ctx)
{
	struct vgpu_family *family;
	struct vgpu_child *child;

	vgpu_event_cancel(ctx->exec->sim, &ctx->children_come);
	vgpu_list_init(&ctx->coming_children);
	while ((family = vgpu_list_first(&ctx->families, struct vgpu_family, all)))
		free_family(family);
	while ((child = vgpu_list_first(&ctx->children, struct vgpu_child, all)))
		free_child(child);
}
