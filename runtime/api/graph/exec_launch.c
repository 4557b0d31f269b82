// SPDX-License-Identifier: MIT
/*
 * Launches of executable graphs: the commands of all steps go into the queues of their lanes, in
 * the order of the plan, so that what a step waits for has been put in before it.
 */
#include "allocation.h"
#include "capture.h"
#include "exec.h"

/** struct run - a launch; @lanes: the streams of the plan's lanes */
struct run {
	struct rt_exec *exec;
	struct vgpuStream *lanes[RT_LANES];
	struct rt_queue *start_queue;
	uint64_t start;
};

/* Without a stream to be had the lane is the first one. */
static void open_lanes(struct run *run, struct vgpuStream *stream)
{
	run->lanes[0] = stream;
	for (unsigned int i = 1; i < run->exec->plan.lanes; i++) {
		struct vgpuStream **lane =
			&rt.lanes[(run->exec->first_lane + i - 1) % RT_GRAPH_LANES];

		if (!*lane)
			*lane = rt_stream_make();
		run->lanes[i] = *lane ? *lane : stream;
	}
}

/* ---- memory ------------------------------------------------------------------ */

/* Allocations that are there already, and frees of what nobody has allocated. */
static vgpuError_t check_memory(const struct rt_exec *exec)
{
	vgpuError_t error = vgpuSuccess;

	for (size_t i = 0; i < exec->plan.count; i++) {
		const struct rt_params *params = &exec->plan.steps[i].node->params;

		if (params->type == RT_NODE_ALLOC && params->memory->live &&
		    !(exec->flags & RT_EXEC_AUTO_FREE))
			error = vgpuErrorInvalidValue;
		if (params->type == RT_NODE_FREE && !rt_graph_memory_at(params->pointer))
			error = vgpuErrorInvalidValue;
	}
	return error;
}

static vgpuError_t use_memory(struct rt_graph_memory *memory, struct vgpuStream *stream)
{
	struct rt_queue *queue = memory->queue;
	vgpuError_t error = vgpuSuccess;

	if (!memory->live && queue && queue->epoch == memory->epoch)
		error = rt_stream_wait(stream, queue, memory->seq);
	rt_graph_memory_use(memory);
	return error;
}

static vgpuError_t free_memory(const void *pointer, struct vgpuStream *stream)
{
	struct rt_graph_memory *memory = rt_graph_memory_at(pointer);

	if (!memory || !memory->live)
		return vgpuErrorInvalidValue;
	rt_graph_memory_free(memory, stream->queue, stream->last);
	return vgpuSuccess;
}

/* ---- steps ------------------------------------------------------------------- */

static vgpuError_t put_copy(const struct rt_node_copy *box, struct vgpuStream *stream)
{
	vgpuError_t error = vgpuSuccess;

	if (!rt_copy_has_arrays(box))
		return vgpuErrorInvalidResourceHandle;
	if (!box->width || !box->height)
		return error;
	for (size_t z = 0; z < box->depth && error == vgpuSuccess; z++) {
		struct rt_rows rows = rt_box_rows(box, z);
		vgpuMemcpyKind kind = box->kind;

		error = rt_rows_check(&rows, &kind);
		if (error == vgpuSuccess)
			error = rt_rows_put(&rows, kind, stream);
	}
	return error;
}

static vgpuError_t put_fill(const struct rt_node_fill *fill, struct vgpuStream *stream)
{
	struct rt_fill rows = rt_node_fill_of(fill);
	vgpuError_t error = rt_fill_check(&rows);

	if (!rows.width || !rows.height || error != vgpuSuccess)
		return error;
	return rt_fill_put(&rows, stream);
}

static vgpuError_t put_step(const struct run *run, const struct rt_step *step,
			    struct vgpuStream *stream)
{
	const struct rt_params *params = &step->node->params;
	unsigned int priority = params->kernel.priority;

	switch (params->type) {
	case RT_NODE_KERNEL:
		return rt_launch_put(&step->launch, params->kernel.values,
				     priority ? priority : run->lanes[0]->priority, stream);
	case RT_NODE_COPY: return put_copy(&params->copy, stream);
	case RT_NODE_FILL: return put_fill(&params->fill, stream);
	case RT_NODE_HOST:
		return rt_stream_host_function(stream, params->host.function,
					       params->host.argument);
	case RT_NODE_EVENT_WAIT:
		return rt_event_known(params->event) ? rt_event_wait(params->event, stream) :
						       vgpuErrorInvalidResourceHandle;
	case RT_NODE_EVENT_RECORD:
		return rt_event_known(params->event) ? rt_event_record(params->event, stream) :
						       vgpuErrorInvalidResourceHandle;
	case RT_NODE_ALLOC: return use_memory(params->memory, stream);
	case RT_NODE_FREE: return free_memory(params->pointer, stream);
	case RT_NODE_CHILD:
	case RT_NODE_EMPTY:
	default:
		return vgpuSuccess;
	}
}

static vgpuError_t wait_for(const struct run *run, struct vgpuStream *stream, uint32_t number)
{
	const struct rt_step *step = &run->exec->plan.steps[number];

	return rt_stream_wait(stream, run->lanes[step->lane]->queue, step->seq);
}

static vgpuError_t run_step(const struct run *run, struct rt_step *step)
{
	struct vgpuStream *stream = run->lanes[step->lane];
	vgpuError_t error = vgpuSuccess;

	if (step->after_start)
		error = rt_stream_wait(stream, run->start_queue, run->start);
	for (unsigned int i = 0; i < step->wait_count && error == vgpuSuccess; i++)
		error = wait_for(run, stream, step->waits[i]);
	if (error == vgpuSuccess && !step->node->disabled)
		error = put_step(run, step, stream);
	step->seq = stream->last;
	return error;
}

/* ---- launch ------------------------------------------------------------------- */

static vgpuError_t run_begin(struct run *run, struct vgpuStream *stream)
{
	const struct rt_exec *exec = run->exec;
	vgpuError_t error = rt_stream_begin(stream);

	if (error == vgpuSuccess && exec->queue && exec->queue->epoch == exec->epoch)
		error = rt_stream_wait(stream, exec->queue, exec->seq);
	run->start_queue = stream->queue;
	run->start = stream->last;
	return error;
}

/* Whatever went wrong before: the stream stands behind all that was put in. */
static vgpuError_t run_end(const struct run *run)
{
	struct vgpuStream *stream = run->lanes[0];
	vgpuError_t first = vgpuSuccess, error;

	for (unsigned int i = 0; i < run->exec->plan.join_count; i++) {
		error = wait_for(run, stream, run->exec->plan.joins[i]);
		if (first == vgpuSuccess)
			first = error;
	}
	for (unsigned int i = 0; i < run->exec->plan.lanes; i++) {
		error = rt_flush(run->lanes[i]->queue);
		if (first == vgpuSuccess)
			first = error;
	}
	run->exec->queue = stream->queue;
	run->exec->epoch = stream->queue->epoch;
	run->exec->seq = stream->last;
	return first;
}

static vgpuError_t run_all(struct rt_exec *exec, struct vgpuStream *stream)
{
	struct run run = { .exec = exec };
	vgpuError_t first, error;

	open_lanes(&run, stream);
	first = run_begin(&run, stream);
	if (first != vgpuSuccess)
		return first;
	for (size_t i = 0; i < exec->plan.count && rt.sticky == vgpuSuccess; i++) {
		error = run_step(&run, &exec->plan.steps[i]);
		if (first == vgpuSuccess)
			first = error;
	}
	error = run_end(&run);
	if (first == vgpuSuccess)
		first = error;
	if (first == vgpuSuccess && rt.launch_blocking)
		first = rt_wait(stream->queue, stream->last);
	return first;
}

/* The launch becomes a node of the graph that is captured. */
static vgpuError_t capture_launch(struct rt_exec *exec, struct vgpuStream *stream)
{
	struct rt_params params = { .type = RT_NODE_CHILD };
	vgpuError_t error;

	if (rt_graph_has_memory(exec->graph))
		return rt_capture_refuse(stream);
	error = rt_graph_copy(exec->graph, false, &params.child);
	if (error != vgpuSuccess)
		return error;
	error = rt_capture_add(stream, &params);
	if (error != vgpuSuccess)
		rt_graph_free(params.child);
	return error;
}

/* A module was unloaded: the kernels may not be there any more. */
static vgpuError_t look_up_again(struct rt_exec *exec)
{
	vgpuError_t error = vgpuSuccess;

	if (exec->unloads == rt.unloads)
		return error;
	for (size_t i = 0; i < exec->plan.count && error == vgpuSuccess; i++)
		if (exec->plan.steps[i].node->params.type == RT_NODE_KERNEL)
			error = rt_exec_prepare(exec, &exec->plan.steps[i]);
	if (error == vgpuSuccess)
		exec->unloads = rt.unloads;
	return error;
}

vgpuError_t rt_exec_launch(struct rt_exec *exec, vgpuStream_t handle)
{
	struct vgpuStream *stream;
	vgpuError_t error = rt_exec_check(exec);

	if (error == vgpuSuccess)
		error = rt_stream_of(handle, &stream);
	if (error == vgpuSuccess && stream->capture)
		return capture_launch(exec, stream);
	if (error == vgpuSuccess)
		error = look_up_again(exec);
	if (error == vgpuSuccess)
		error = check_memory(exec);
	return error == vgpuSuccess ? run_all(exec, stream) : error;
}

/* All that a launch needs is there already, but for the lanes. */
vgpuError_t rt_exec_upload(struct rt_exec *exec, vgpuStream_t handle)
{
	struct run run = { .exec = exec };
	struct vgpuStream *stream;
	vgpuError_t error = rt_exec_check(exec);

	if (error == vgpuSuccess)
		error = rt_stream_of(handle, &stream);
	if (error != vgpuSuccess)
		return error;
	if (stream->capture)
		return rt_capture_refuse(stream);
	open_lanes(&run, stream);
	return look_up_again(exec);
}
