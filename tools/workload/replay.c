// SPDX-License-Identifier: MIT
/*
 * Workloads: replay of processes on the host interface of the device, each one a walk over its
 * phases (walk.c).
 *
 * Order: the device stops at every completion that a lane waits for, and the lane is answered
 * before the device goes on. Wake-ups at time T come after everything the device does at T, in the
 * order of the lanes. So nothing is left to chance.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

/** struct actor - a process on the device */
struct actor {
	struct wl_walk walk;
	u32 context;
	bool mapped;			/* memory that its blocks touch */
};

struct replay {
	const struct wl_setup *setup;
	u64 copy_max;
	const char *path;
	struct vgpu_device *dev;
	struct wl_sleepers sleepers;
	struct actor *actors;
	u32 actor_count;
	struct wl_lane *lanes;
	struct wl_lane **answers;	/* of all walks */
	/* the walk that waits for an answer: an event has completions of one context only */
	struct wl_walk *waiting;
	u32 unfinished;
	bool died;
	struct vgpu_fault fault;
	u32 dead_context;
	struct wl_outcome *outcome;
	char *message;
};

static int replay_error(struct replay *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int replay_error(struct replay *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->message, WL_MESSAGE_BYTES, format, args);
	va_end(args);
	return -1;
}

/* ---- the host that the device sees -------------------------------------- */

/* Profiled kernels read no bytes and copies move nothing, so one page stands for all. */
static u8 any_page[VGPU_PAGE_SIZE] __attribute__((aligned(4096)));

static void *get_frame(void *host, u32 context)
{
	(void)context;
	(void)host;
	return any_page;
}

static void *managed_page(void *host, u32 context, u64 address)
{
	(void)context;
	(void)host;
	(void)address;
	return any_page;
}

static void revoke(void *host, u32 context, u64 address, u64 bytes)
{
	(void)context;
	(void)host;
	(void)address;
	(void)bytes;
}

static void put_frame(void *host, void *frame)
{
	(void)host;
	(void)frame;
}

static int move(void *host, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes,
		enum vgpu_move dir)
{
	(void)host;
	(void)context;
	(void)cookie;
	(void)offset;
	(void)memory;
	(void)bytes;
	(void)dir;
	return 0;
}

static void completed(void *host, const struct vgpu_completion *completion)
{
	struct replay *r = host;
	struct wl_lane *lane = &r->lanes[completion->cookie];

	if (!wl_walk_completed(lane))
		return;
	r->waiting = lane->walk;
	vgpu_device_stop(r->dev);
}

static void context_died(void *host, u32 context, const struct vgpu_fault *fault)
{
	struct replay *r = host;

	if (!r->died) {
		r->fault = *fault;
		r->dead_context = context;
	}
	r->died = true;
	vgpu_device_stop(r->dev);
}

static void preempted(void *host, u32 context, u32 sm, u64 requested)
{
	struct replay *r = host;

	(void)context;
	(void)sm;
	vgpu_latency_add(&r->outcome->preemptions, vgpu_device_now(r->dev) - requested);
}

static void trace(void *host, const struct vgpu_trace_record *record)
{
	struct replay *r = host;

	r->setup->trace(r->setup->trace_arg, record);
}

static void dropped(void *host, const char *what, const char *name, const char *reason,
		    const char *next)
{
	struct replay *r = host;

	snprintf(r->outcome->dropped, sizeof(r->outcome->dropped), "%s %s: %s; %s", what, name,
		 reason, next);
}

static const struct vgpu_host_ops host_ops = {
	.get_frame = get_frame,
	.put_frame = put_frame,
	.move = move,
	.completed = completed,
	.context_died = context_died,
	.trace = trace,
	.preempted = preempted,
	.dropped = dropped,
	.managed_page = managed_page,
	.revoke = revoke,
};

/* ---- the device that the walks see -------------------------------------- */

#define BATCH	64u

static int push(struct wl_lane *lane, const struct vgpu_cmd *cmds, u32 count)
{
	struct replay *r = lane->walk->arg;
	u32 context = vgpu_container_of(lane->walk, struct actor, walk)->context;
	struct vgpu_push batch[BATCH];
	u32 i, now, failed;
	u64 seq;
	int err;

	for (; count; count -= now, cmds += now) {
		now = count < BATCH ? count : BATCH;
		for (i = 0; i < now; i++)
			batch[i] = (struct vgpu_push){ .cmd = cmds[i],
						       .cookie = (u64)(lane - r->lanes) };
		err = vgpu_queue_push(r->dev, context, lane->queue, batch, now, &failed, &seq);
		if (err)
			return err;
	}
	return 0;
}

/* The process has written what @phase reads. It takes no virtual time: nothing is on the device. */
static int write_inputs(struct replay *r, const struct actor *actor, const struct wl_phase *phase)
{
	u64 at = phase->kernel.touch_address, first, bytes;
	u64 end = at + phase->amount * wl_kernel_touched(&phase->kernel);
	int err = 0;

	for (; !err && at < end; at = first + bytes)
		err = vgpu_managed_fetch(r->dev, actor->context, at, true, &first, &bytes, NULL);
	return err;
}

static int renew(struct wl_walk *walk)
{
	struct actor *actor = vgpu_container_of(walk, struct actor, walk);
	const struct wl_process *process = walk->process;
	struct replay *r = walk->arg;
	int err = 0;
	u32 i;

	if (actor->mapped)
		err = vgpu_memory_unmap(r->dev, actor->context, WL_TOUCHED, walk->touched);
	if (!err)
		err = vgpu_memory_map_managed(r->dev, actor->context, WL_TOUCHED, walk->touched);
	if (!err && process->sharing)
		err = vgpu_managed_advise(r->dev, actor->context, WL_TOUCHED, VGPU_PAGE_SIZE,
					  process->sharing);
	actor->mapped = true;
	for (i = 0; i < process->phase_count && !err; i++) {
		const struct wl_phase *phase = &process->phases[i];

		if (phase->kind == WL_KERNEL && phase->kernel.touches &&
		    !(phase->kernel.touch_flags & VGPU_TOUCH_WRITE))
			err = write_inputs(r, actor, phase);
	}
	return err ? replay_error(r, "%s:%u: no memory for what blocks of %s touch: %s", r->path,
				  process->line, process->name, strerror(-err)) : 0;
}

static int answer(struct replay *r, struct wl_walk *walk)
{
	walk->now = vgpu_device_now(r->dev);
	return wl_walk_answer(walk);
}

static int wake_all(struct replay *r, u64 now)
{
	while (r->unfinished && wl_sleepers_time(&r->sleepers) == now) {
		struct wl_lane *lane = wl_sleepers_pop(&r->sleepers);

		lane->walk->now = now;
		wl_walk_woken(lane);
		if (answer(r, lane->walk))
			return -1;
	}
	return 0;
}

/* ---- the whole ---------------------------------------------------------- */

static int stuck(struct replay *r)
{
	u32 i;

	for (i = 0; r->actors[i].walk.outcome->runs >= r->actors[i].walk.process->repeat; i++)
		;
	return replay_error(
		r, "%s:%u: nothing is left to happen, but %s has completed %llu of %u runs",
		r->path, r->actors[i].walk.process->line, r->actors[i].walk.process->name,
		(unsigned long long)r->actors[i].walk.outcome->runs,
		r->actors[i].walk.process->repeat);
}

static int died(struct replay *r)
{
	u32 i;

	for (i = 0; r->actors[i].context != r->dead_context; i++)
		;
	return replay_error(r, "%s:%u: the device ended %s: fault %u%s", r->path,
		   r->actors[i].walk.process->line, r->actors[i].walk.process->name,
		   r->fault.reason, r->fault.reason == VGPU_FAULT_WATCHDOG ? ", the watchdog" : "");
}

static int run(struct replay *r)
{
	while (r->unfinished) {
		u64 wake = wl_sleepers_time(&r->sleepers);
		u64 until = wake < r->setup->until_ps ? wake : r->setup->until_ps;
		u64 next = vgpu_device_run(r->dev, until, ~0u);
		u64 now = vgpu_device_now(r->dev);

		if (r->died)
			return died(r);
		if (r->waiting) {
			struct wl_walk *walk = r->waiting;

			r->waiting = NULL;
			if (answer(r, walk))
				return -1;
			continue;
		}
		if (next == VGPU_NEVER && until == VGPU_NEVER)
			return stuck(r);
		if (now < until || next <= until)
			continue;
		if (until != wake)
			return 0;
		if (wake_all(r, wake))
			return -1;
	}
	return 0;
}

static int open_actor(struct replay *r, struct actor *actor, const struct wl_process *process,
		      u32 lane)
{
	struct wl_walk *walk = &actor->walk;
	u64 bytes = wl_walk_buffer(process, r->copy_max);
	int err;
	u32 i;

	*walk = (struct wl_walk){
		.process = process,
		.config = &r->setup->config,
		.path = r->path,
		.outcome = &r->outcome->processes[actor - r->actors],
		.push = push,
		.renew = renew,
		.copy_max = r->copy_max,
		.arg = r,
		.sleepers = &r->sleepers,
		.unfinished = &r->unfinished,
		.message = r->message,
	};
	err = vgpu_context_open(r->dev, (u64)(actor - r->actors) + 1, NULL, &actor->context);
	if (err)
		return replay_error(r, "%s:%u: no context for %s: %s", r->path, process->line,
				    process->name, strerror(-err));
	err = vgpu_context_priority(r->dev, actor->context, (s32)process->priority);
	if (err)
		return replay_error(r, "%s:%u: priority=%u: %s", r->path, process->line,
				    process->priority, strerror(-err));
	if (process->memory_budget)
		vgpu_context_memory_budget(r->dev, actor->context, process->memory_budget);
	if (bytes && process->memory_budget && bytes > process->memory_budget)
		return replay_error(r,
				    "%s:%u: memory_budget=%llu: %s needs %llu bytes for its "
				    "copies",
				    r->path, process->line,
				    (unsigned long long)process->memory_budget, process->name,
				    (unsigned long long)bytes);
	if (bytes) {
		err = vgpu_memory_map(r->dev, actor->context, WL_BUFFER, bytes);
		if (err)
			return replay_error(
				r,
				"%s:%u: no device memory for %s: %s; --set vram_bytes= gives the "
				"device more",
				r->path, process->line, process->name, strerror(-err));
	}
	wl_walk_init(walk, &r->lanes[lane], &r->answers[2 * lane], lane, process->arrival_ps);
	for (i = 0; i < walk->lane_count; i++) {
		err = vgpu_queue_create(r->dev, actor->context, &walk->lanes[i].queue);
		if (err)
			return replay_error(
				r,
				"%s:%u: no queue for %s: %s; a process has at most %u",
				r->path, process->line, process->name, strerror(-err),
				VGPU_QUEUES_MAX);
	}
	return 0;
}

static int create_device(struct replay *r)
{
	const struct wl_setup *setup = r->setup;
	u32 i;
	int err;

	err = vgpu_device_create(&setup->config, &host_ops, r, &r->dev);
	if (err == -EINVAL)
		return replay_error(r, "the device: %s", vgpu_config_check(&setup->config));
	if (err)
		return replay_error(r, "no device: %s", strerror(-err));
	for (i = 0; i < setup->knob_count; i++) {
		const struct wl_setting *knob = &setup->knobs[i];
		char choices[WL_MESSAGE_BYTES / 2] = "";

		err = vgpu_device_knob_set(r->dev, knob->key, knob->value);
		if (!err)
			continue;
		if (err == -ENOENT)
			return replay_error(r, "%s: unknown field or knob",
				   knob->key);
		vgpu_device_knob_get(r->dev, knob->key, choices, sizeof(choices));
		return replay_error(r, "%s=%s: invalid value; it is now %s", knob->key,
				    knob->value, choices);
	}
	vgpu_device_trace(r->dev, setup->trace != NULL);
	return 0;
}

static int prepare(struct replay *r, const struct wl_process *processes)
{
	u32 i, lanes = 0;

	for (i = 0; i < r->actor_count; i++)
		lanes += wl_walk_lanes(&processes[i]);
	r->outcome->processes = calloc(r->actor_count, sizeof(*r->outcome->processes));
	r->actors = calloc(r->actor_count, sizeof(*r->actors));
	r->lanes = calloc(lanes, sizeof(*r->lanes));
	/* Each lane once for what it waited for, and once more for the section that follows. */
	r->answers = calloc(lanes, 2 * sizeof(*r->answers));
	if (!r->outcome->processes || !r->actors || !r->lanes || !r->answers ||
	    wl_sleepers_init(&r->sleepers, lanes))
		return replay_error(r, "%s: out of memory", r->path);
	if (create_device(r))
		return -1;
	for (i = 0, lanes = 0; i < r->actor_count; i++) {
		if (open_actor(r, &r->actors[i], &processes[i], lanes))
			return -1;
		lanes += r->actors[i].walk.lane_count;
	}
	return 0;
}

static void write_down(struct replay *r)
{
	u32 i;

	for (i = 0; i < r->actor_count; i++)
		vgpu_context_info(r->dev, r->actors[i].context, &r->outcome->processes[i].info);
	vgpu_device_stats(r->dev, &r->outcome->stats);
	r->outcome->time_ps = vgpu_device_now(r->dev);
	r->outcome->unfinished = r->unfinished;
}

int wl_replay(const struct wl_setup *setup, const char *path, const struct wl_process *processes,
	      u32 count, struct wl_outcome *outcome, char *message)
{
	struct replay r = {
		.setup = setup,
		.copy_max = setup->copy_max ? setup->copy_max : VGPU_COPY_MAX,
		.path = path,
		.actor_count = count,
		.unfinished = count,
		.outcome = outcome,
		.message = message,
	};
	int err;

	memset(outcome, 0, sizeof(*outcome));
	err = prepare(&r, processes);
	if (!err)
		err = run(&r);
	if (!err)
		write_down(&r);
	/* What still runs completes while the device ends: nobody is to be answered then. */
	if (r.dev)
		vgpu_device_destroy(r.dev);
	wl_sleepers_free(&r.sleepers);
	free(r.answers);
	free(r.lanes);
	free(r.actors);
	if (err)
		wl_outcome_free(outcome);
	return err;
}

void wl_outcome_free(struct wl_outcome *outcome)
{
	free(outcome->processes);
	outcome->processes = NULL;
}
