// SPDX-License-Identifier: MIT
/*
 * Workloads: replay of processes on the host interface of the device (Tanasic 4.2.1, 5.3.1). A process walks its phases: a CPU
 * phase is a wake-up of the host at a virtual time, everything else is commands pushed into its hardware queues. When the last
 * phase is over the process starts again, until every process has its completed runs.
 *
 * Phases without a stream are in order with everything. Between two of them, phases with a stream run beside each other: each
 * stream is a lane with its own queue and its own host time, and the next phase without a stream begins when all have ended.
 * Copies and kernels of a lane are pushed as they are reached, ahead of their execution; a CPU phase waits for them.
 *
 * Order: the device stops at every completion that a lane waits for, and the lane is answered before the device goes on.
 * Wake-ups at time T come after everything the device does at T, in the order of the lanes. So nothing is left to chance.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/heap.h"
#include "workload.h"

/* Commands of a lane on the device: far more than can run at once, so that its queue never runs dry, and few to keep. */
#define WINDOW		64u
#define NO_ANSWER	~0u
/* Where every process keeps the one device buffer that all its copies use; bytes do not matter here. */
#define BUFFER		(1ull << 32)

struct lane {
	struct vgpu_heap_node wake;
	struct actor *actor;
	u32 stream;
	u32 queue;
	u32 phase;			/* where it is, in the phases of its process */
	u64 left;			/* of that phase, not pushed yet */
	bool entered;			/* left is valid */
	u32 pending;			/* commands on the device */
	u32 answer_at;			/* it has to be answered when so many are pending */
};

/** struct actor - a process that is being replayed */
struct actor {
	const struct wl_process *process;
	struct wl_process_outcome *outcome;
	u32 context;
	struct lane *lanes;
	u32 lane_count;
	bool running;
	u64 started;
	u32 section_end;		/* phases up to here run in order, or beside each other */
	u32 lanes_busy;			/* in this section */
};

struct replay {
	const struct wl_setup *setup;
	const char *path;
	struct vgpu_device *dev;
	struct vgpu_heap wakes;
	struct actor *actors;
	u32 actor_count;
	struct lane *lanes;
	struct lane **answers;		/* lanes to be answered, in the order of their completions */
	u32 answer_count;
	u32 unfinished;
	bool died;
	struct vgpu_fault fault;
	u32 dead_context;
	struct wl_outcome *outcome;
	char *message;
};

static int say(struct replay *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int say(struct replay *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->message, WL_MESSAGE_BYTES, format, args);
	va_end(args);
	return -1;
}

/* ---- the host that the device sees ------------------------------------------------------------------------------- */

/* Profiled kernels read no memory and copies move nothing, so one page stands for all frames. */
static void *get_frame(void *host)
{
	static u8 page[VGPU_PAGE_SIZE] __attribute__((aligned(4096)));

	(void)host;
	return page;
}

static void put_frame(void *host, void *frame)
{
	(void)host;
	(void)frame;
}

static int move(void *host, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes, enum vgpu_move dir)
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
	struct lane *lane = &r->lanes[completion->cookie];

	if (--lane->pending != lane->answer_at)
		return;
	lane->answer_at = NO_ANSWER;
	r->answers[r->answer_count++] = lane;
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
	wl_latency_add(&r->outcome->preemptions, vgpu_device_now(r->dev) - requested);
}

static void trace(void *host, const struct vgpu_trace_record *record)
{
	struct replay *r = host;

	r->setup->trace(r->setup->trace_arg, record);
}

static const struct vgpu_host_ops host_ops = {
	.get_frame = get_frame,
	.put_frame = put_frame,
	.move = move,
	.completed = completed,
	.context_died = context_died,
	.trace = trace,
	.preempted = preempted,
};

/* ---- pushing commands -------------------------------------------------------------------------------------------- */

static const struct wl_phase *phase_of(const struct lane *lane)
{
	return &lane->actor->process->phases[lane->phase];
}

/* The next command of @phase; takes from @left what it does. Copies are cut at what one command may carry. */
static void make_command(const struct wl_phase *phase, u64 *left, struct vgpu_cmd *cmd)
{
	u64 bytes = *left < VGPU_COPY_MAX ? *left : VGPU_COPY_MAX;

	memset(cmd, 0, sizeof(*cmd));
	if (phase->kind == WL_KERNEL) {
		cmd->op = VGPU_CMD_PROFILED;
		cmd->profiled = phase->kernel;
		(*left)--;
		return;
	}
	cmd->op = phase->kind == WL_H2D ? VGPU_CMD_COPY_H2D : VGPU_CMD_COPY_D2H;
	cmd->copy.dst = BUFFER;
	cmd->copy.src = BUFFER;
	cmd->copy.bytes = bytes;
	*left -= bytes;
}

static int push_refused(struct replay *r, const struct lane *lane, int err)
{
	const struct wl_phase *phase = phase_of(lane);
	const struct vgpu_config *config = &r->setup->config;

	if (err == -EINVAL && phase->kind == WL_KERNEL)
		return say(r, "%s:%u: a block of kernel %s (threads=%u regs_per_tb=%u shmem_per_tb=%u) does not fit into an SM of %s",
			   r->path, phase->line, phase->name, phase->kernel.threads, phase->kernel.regs_per_block,
			   phase->kernel.shared_bytes, config->name);
	return say(r, "%s:%u: the device refuses a command: %s", r->path, phase->line, strerror(-err));
}

/* Push as much of the present phase as the window takes. */
static int push_phase(struct replay *r, struct lane *lane)
{
	struct vgpu_push batch[WINDOW];
	u32 count = 0, failed;
	u64 seq;
	int err;

	for (; lane->left && lane->pending + count < WINDOW; count++) {
		make_command(phase_of(lane), &lane->left, &batch[count].cmd);
		batch[count].cookie = (u64)(lane - r->lanes);
		batch[count].params = NULL;
	}
	if (!count)
		return 0;
	err = vgpu_queue_push(r->dev, lane->actor->context, lane->queue, batch, count, &failed, &seq);
	if (err)
		return push_refused(r, lane, err);
	lane->pending += count;
	return 0;
}

/* ---- walking the phases ------------------------------------------------------------------------------------------ */

static void enter_section(struct replay *r, struct actor *actor, u32 from);

static int wake_at(struct replay *r, struct lane *lane, u64 delay)
{
	u64 now = vgpu_device_now(r->dev);

	if (delay >= VGPU_NEVER - 1 - now)
		return say(r, "%s:%u: virtual time comes to its end", r->path, lane->actor->process->line);
	vgpu_heap_put(&r->wakes, &lane->wake, now + delay, (u64)(lane - r->lanes));
	return 0;
}

static void run_ended(struct replay *r, struct actor *actor)
{
	struct wl_process_outcome *outcome = actor->outcome;

	outcome->runs++;
	outcome->turnaround_ps += vgpu_device_now(r->dev) - actor->started;
	if (outcome->runs == actor->process->repeat)
		r->unfinished--;
	actor->running = false;
}

/* @lane has done its part of the section; the last one takes the process on. */
static void lane_ended(struct replay *r, struct lane *lane)
{
	struct actor *actor = lane->actor;

	if (--actor->lanes_busy)
		return;
	if (actor->section_end < actor->process->phase_count) {
		enter_section(r, actor, actor->section_end);
		return;
	}
	run_ended(r, actor);
	actor->started = vgpu_device_now(r->dev);
	actor->running = true;
	enter_section(r, actor, 0);
}

/* Answer the lanes of the section that begins at phase @from, in their order, once the present event is dealt with. */
static void enter_section(struct replay *r, struct actor *actor, u32 from)
{
	const struct wl_phase *phases = actor->process->phases;
	u32 i, end = from;

	while (end < actor->process->phase_count && !phases[end].stream == !phases[from].stream)
		end++;
	actor->section_end = end;
	for (i = 0; i < actor->lane_count; i++) {
		struct lane *lane = &actor->lanes[i];

		if (!lane->stream != !phases[from].stream)
			continue;
		lane->phase = from;
		lane->entered = false;
		actor->lanes_busy++;
		r->answers[r->answer_count++] = lane;
	}
}

/* Take @lane as far as it gets without waiting. */
static int advance(struct replay *r, struct lane *lane)
{
	const struct actor *actor = lane->actor;
	const struct wl_phase *phase;

	for (;; lane->phase++, lane->entered = false) {
		while (lane->phase < actor->section_end && phase_of(lane)->stream != lane->stream)
			lane->phase++;
		phase = lane->phase < actor->section_end ? phase_of(lane) : NULL;
		if (!phase || phase->kind == WL_CPU) {
			if (lane->pending) {
				lane->answer_at = 0;
				return 0;
			}
			if (!phase) {
				lane_ended(r, lane);
				return 0;
			}
			/* Woken, it goes on behind this phase. */
			lane->phase++;
			return wake_at(r, lane, phase->amount);
		}
		if (!lane->entered) {
			lane->left = phase->amount;
			lane->entered = true;
		}
		if (push_phase(r, lane))
			return -1;
		if (lane->left) {
			lane->answer_at = WINDOW / 2;
			return 0;
		}
	}
}

/* Answering may make more lanes ready; those come behind. */
static int answer_all(struct replay *r)
{
	u32 i;

	for (i = 0; i < r->answer_count && r->unfinished; i++)
		if (advance(r, r->answers[i]))
			return -1;
	r->answer_count = 0;
	return 0;
}

static int wake_all(struct replay *r, u64 now)
{
	struct vgpu_heap_node *first;

	while (r->unfinished && (first = vgpu_heap_first(&r->wakes)) && first->key == now) {
		struct lane *lane = vgpu_container_of(first, struct lane, wake);

		vgpu_heap_remove(&r->wakes, first);
		if (lane->actor->running) {
			r->answers[r->answer_count++] = lane;
		} else {
			lane->actor->running = true;
			lane->actor->started = now;
			enter_section(r, lane->actor, 0);
		}
		if (answer_all(r))
			return -1;
	}
	return 0;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------- */

static int stuck(struct replay *r)
{
	u32 i;

	for (i = 0; r->actors[i].outcome->runs >= r->actors[i].process->repeat; i++)
		;
	return say(r, "%s:%u: nothing is left to happen, but %s has completed %llu of %u runs", r->path,
		   r->actors[i].process->line, r->actors[i].process->name,
		   (unsigned long long)r->actors[i].outcome->runs, r->actors[i].process->repeat);
}

static int died(struct replay *r)
{
	u32 i;

	for (i = 0; r->actors[i].context != r->dead_context; i++)
		;
	return say(r, "%s:%u: the device ended %s: fault %u%s", r->path, r->actors[i].process->line,
		   r->actors[i].process->name, r->fault.reason,
		   r->fault.reason == VGPU_FAULT_WATCHDOG ? ", the watchdog" : "");
}

static int run(struct replay *r)
{
	while (r->unfinished) {
		struct vgpu_heap_node *first = vgpu_heap_first(&r->wakes);
		u64 wake = first ? first->key : VGPU_NEVER;
		u64 until = wake < r->setup->until_ps ? wake : r->setup->until_ps;
		u64 next = vgpu_device_run(r->dev, until, ~0u);
		u64 now = vgpu_device_now(r->dev);

		if (r->died)
			return died(r);
		if (r->answer_count) {
			if (answer_all(r))
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

static u64 buffer_bytes(const struct wl_process *process)
{
	u64 most = 0;
	u32 i;

	for (i = 0; i < process->phase_count; i++) {
		const struct wl_phase *phase = &process->phases[i];

		if ((phase->kind == WL_H2D || phase->kind == WL_D2H) && phase->amount > most)
			most = phase->amount;
	}
	if (most > VGPU_COPY_MAX)
		most = VGPU_COPY_MAX;
	return (most + VGPU_PAGE_SIZE - 1) & ~(VGPU_PAGE_SIZE - 1);
}

/* Streams in use, without a stream first; returns how many. */
static u32 list_streams(const struct wl_process *process, u32 *streams)
{
	bool used[WL_STREAMS_MAX + 1] = {};
	u32 i, count = 0;

	for (i = 0; i < process->phase_count; i++)
		used[process->phases[i].stream] = true;
	for (i = 0; i <= WL_STREAMS_MAX; i++)
		if (used[i])
			streams[count++] = i;
	return count;
}

static int open_actor(struct replay *r, struct actor *actor, struct lane *lanes)
{
	const struct wl_process *process = actor->process;
	u32 streams[WL_STREAMS_MAX + 1];
	u64 bytes = buffer_bytes(process);
	int err;
	u32 i;

	err = vgpu_context_open(r->dev, (u64)(actor - r->actors) + 1, &actor->context);
	if (err)
		return say(r, "%s:%u: no context for %s: %s", r->path, process->line, process->name, strerror(-err));
	err = vgpu_context_priority(r->dev, actor->context, (s32)process->priority);
	if (err)
		return say(r, "%s:%u: priority=%u: %s", r->path, process->line, process->priority, strerror(-err));
	if (bytes) {
		err = vgpu_memory_map(r->dev, actor->context, BUFFER, bytes);
		if (err)
			return say(r, "%s:%u: no device memory for %s: %s; --set vram_bytes= gives the device more", r->path,
				   process->line, process->name, strerror(-err));
	}
	actor->lanes = lanes;
	actor->lane_count = list_streams(process, streams);
	for (i = 0; i < actor->lane_count; i++) {
		lanes[i].actor = actor;
		lanes[i].stream = streams[i];
		lanes[i].answer_at = NO_ANSWER;
		err = vgpu_queue_create(r->dev, actor->context, &lanes[i].queue);
		if (err)
			return say(r, "%s:%u: no hardware queue for %s: %s; --set hw_queues= gives the device more", r->path,
				   process->line, process->name, strerror(-err));
	}
	vgpu_heap_put(&r->wakes, &lanes[0].wake, process->arrival_ps, (u64)(lanes - r->lanes));
	return 0;
}

static int create_device(struct replay *r)
{
	const struct wl_setup *setup = r->setup;
	u32 i;
	int err;

	err = vgpu_device_create(&setup->config, &host_ops, r, &r->dev);
	if (err == -EINVAL)
		return say(r, "the device: %s", vgpu_config_check(&setup->config));
	if (err)
		return say(r, "no device: %s", strerror(-err));
	for (i = 0; i < setup->knob_count; i++) {
		const struct wl_setting *knob = &setup->knobs[i];
		char choices[WL_MESSAGE_BYTES / 2] = "";

		err = vgpu_device_knob_set(r->dev, knob->key, knob->value);
		if (!err)
			continue;
		if (err == -ENOENT)
			return say(r, "%s: the device has no such field and no such knob", knob->key);
		vgpu_device_knob_get(r->dev, knob->key, choices, sizeof(choices));
		return say(r, "%s=%s: not a value it takes; it is %s", knob->key, knob->value, choices);
	}
	vgpu_device_trace(r->dev, setup->trace != NULL);
	return 0;
}

static int prepare(struct replay *r, const struct wl_process *processes)
{
	u32 streams[WL_STREAMS_MAX + 1];
	u32 i, lanes = 0;

	for (i = 0; i < r->actor_count; i++)
		lanes += list_streams(&processes[i], streams);
	r->outcome->processes = calloc(r->actor_count, sizeof(*r->outcome->processes));
	r->actors = calloc(r->actor_count, sizeof(*r->actors));
	r->lanes = calloc(lanes, sizeof(*r->lanes));
	/* Each lane once for what it waited for, and once more for the section that follows. */
	r->answers = calloc(lanes, 2 * sizeof(*r->answers));
	if (!r->outcome->processes || !r->actors || !r->lanes || !r->answers || vgpu_heap_reserve(&r->wakes, lanes))
		return say(r, "%s: out of memory", r->path);
	if (create_device(r))
		return -1;
	for (i = 0, lanes = 0; i < r->actor_count; i++) {
		r->actors[i].process = &processes[i];
		r->actors[i].outcome = &r->outcome->processes[i];
		if (open_actor(r, &r->actors[i], &r->lanes[lanes]))
			return -1;
		lanes += r->actors[i].lane_count;
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

int wl_replay(const struct wl_setup *setup, const char *path, const struct wl_process *processes, u32 count,
	      struct wl_outcome *outcome, char *message)
{
	struct replay r = {
		.setup = setup,
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
	vgpu_heap_free(&r.wakes);
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
