// SPDX-License-Identifier: MIT
/*
 * Workloads: the walk over the phases of a process (Tanasic 4.2.1, 5.3.1). A CPU phase is a wake-up
 * of the host at a virtual time, everything else is commands pushed into hardware queues. When the
 * last phase is over the process starts again, until every process has its completed runs.
 *
 * Phases without a stream are in order with everything. Between two of them, phases with a stream
 * run beside each other: each stream is a lane with its own queue and its own host time, and the
 * next phase without a stream begins when all have ended. Copies and kernels of a lane are pushed
 * as they are reached, ahead of their execution; a CPU phase waits for them.
 *
 * With host=one there is one thread of the host, the lane without a stream. It goes through all
 * phases in order: a CPU phase without a stream is its time, a sync waits for streams, any other
 * phase it issues to the lane of its stream, and goes on. A lane takes the phases of its stream
 * that are issued, in order. There a CPU phase is a pause of the stream, and a wait is a command
 * that waits for what another stream had been given before; its number is known when the lane of
 * that stream has come past the wait (wl_process.marks).
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "walk.h"

/*
 * Commands of a lane on the device: far more than can run at once, so that its queue never runs
 * dry, and few to keep.
 */
#define WINDOW		64u
/*
 * A real device holds the memory of copies: of the largest just one that runs and one that waits.
 */
#define COPY_WINDOW	2u

int wl_walk_say(const struct wl_walk *walk, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(walk->message, WL_MESSAGE_BYTES, format, args);
	va_end(args);
	return -1;
}

static const struct wl_phase *phase_of(const struct wl_lane *lane)
{
	return &lane->walk->process->phases[lane->phase];
}

static void add_answer(struct wl_lane *lane)
{
	struct wl_walk *walk = lane->walk;

	if (walk->process->one_host && lane->answering)
		return;
	lane->answering = true;
	walk->answers[(walk->answer_first + walk->answer_count++) % (2 * walk->lane_count)] = lane;
}

/* ---- pushing commands --------------------------------------------------- */

static u32 window_of(const struct wl_phase *phase, u64 copy_max)
{
	return (phase->kind == WL_H2D || phase->kind == WL_D2H) && phase->amount > copy_max ?
		       COPY_WINDOW :
		       WINDOW;
}

/*
 * The next command of @phase; takes from @left what it does. Copies are cut at what one command may
 * carry.
 */
static void make_command(const struct wl_lane *lane, u64 *left, struct vgpu_cmd *cmd)
{
	const struct wl_phase *phase = phase_of(lane);
	const struct wl_walk *walk = lane->walk;
	u64 bytes = *left < walk->copy_max ? *left : walk->copy_max;

	memset(cmd, 0, sizeof(*cmd));
	if (phase->kind == WL_WAIT) {
		cmd->op = VGPU_CMD_WAIT;
		cmd->wait.queue = walk->by_stream[phase->target]->queue;
		cmd->wait.seq = walk->process->marks[phase->mark];
		(*left)--;
		return;
	}
	if (phase->kind == WL_KERNEL) {
		cmd->op = VGPU_CMD_PROFILED;
		cmd->flags = VGPU_LAUNCH_PRIORITY(phase->priority);
		cmd->profiled = phase->kernel;
		if (phase->kernel.touches)
			cmd->profiled.touch_address +=
				(phase->amount - *left) * wl_kernel_touched(&phase->kernel);
		(*left)--;
		return;
	}
	cmd->op = phase->kind == WL_H2D ? VGPU_CMD_COPY_H2D : VGPU_CMD_COPY_D2H;
	cmd->copy.dst = WL_BUFFER;
	cmd->copy.src = WL_BUFFER;
	cmd->copy.bytes = bytes;
	*left -= bytes;
}

static int push_refused(const struct wl_lane *lane, int err)
{
	const struct wl_phase *phase = phase_of(lane);
	const struct wl_walk *walk = lane->walk;

	if (err == -EINVAL && phase->kind == WL_KERNEL)
		return wl_walk_say(
			walk,
			"%s:%u: a block of kernel %s (threads=%u regs_per_tb=%u shmem_per_tb=%u) "
			"does not "
			"fit into an SM of %s",
			walk->path, phase->line, phase->name, phase->kernel.threads,
			phase->kernel.regs_per_block, phase->kernel.shared_bytes,
			walk->config->name);
	return wl_walk_say(walk, "%s:%u: the device refuses a command: %s", walk->path, phase->line,
			   strerror(-err));
}

static int wake_at(struct wl_lane *lane, u64 delay);

/* The process calls for the next launch of the phase: the device knows, and it takes launch_ps. */
static int begin_call(struct wl_lane *lane)
{
	const struct wl_phase *phase = phase_of(lane);
	struct vgpu_cmd cmd = {
		.op = VGPU_CMD_ANNOUNCE,
		.announce = {
			.blocks = phase->kernel.blocks,
			.threads = phase->kernel.threads,
			.regs_per_block = phase->kernel.regs_per_block,
			.shared_bytes = phase->kernel.shared_bytes,
			.lead_ps = phase->launch_ps,
		},
	};
	int err = lane->walk->push(lane, &cmd, 1);

	if (err)
		return push_refused(lane, err);
	lane->pushed++;
	lane->pending++;
	lane->announced = true;
	lane->calling = true;
	lane->answer_at = WL_NO_ANSWER;
	return wake_at(lane, phase->launch_ps);
}

/* Launches whose calls take time, one by one. Returns with left, asleep or with answer_at set. */
static int push_calls(struct wl_lane *lane)
{
	struct vgpu_cmd cmd;
	int err;

	while (lane->left) {
		if (lane->pending + 2 > WINDOW) {
			lane->answer_at = WINDOW / 2;
			return 0;
		}
		if (!lane->announced)
			return begin_call(lane);
		lane->announced = false;
		make_command(lane, &lane->left, &cmd);
		err = lane->walk->push(lane, &cmd, 1);
		if (err)
			return push_refused(lane, err);
		lane->pushed++;
		lane->pending++;
	}
	return 0;
}

/*
 * Push as much of the present phase as the window takes. Returns with answer_at set when that is
 * not all, or, in a call that takes time, asleep.
 */
static int push_phase(struct wl_lane *lane)
{
	const struct wl_phase *phase = phase_of(lane);
	u64 copy_max = lane->walk->copy_max;
	u32 window = window_of(phase, copy_max);
	struct vgpu_cmd batch[WINDOW];

	if (phase->kind == WL_KERNEL && phase->launch_ps)
		return push_calls(lane);
	while (lane->left && lane->pending < window) {
		u64 left = lane->left;
		u32 count = 0;
		int err;

		/* copies one by one: of their memory a device takes what it can hold */
		do
			make_command(lane, &left, &batch[count++]);
		while (left && phase->kind == WL_KERNEL && lane->pending + count < window);
		err = lane->walk->push(lane, batch, count);
		if (err == -EAGAIN && lane->pending) {
			lane->answer_at = lane->pending - 1;
			return 0;
		}
		if (err)
			return push_refused(lane, err);
		lane->left = left;
		lane->pushed += count;
		lane->pending += count;
	}
	if (lane->left)
		lane->answer_at = window / 2 < lane->pending ? window / 2 : lane->pending - 1;
	return 0;
}

/* ---- walking the phases ------------------------------------------------- */

static int wake_at(struct wl_lane *lane, u64 delay)
{
	struct wl_walk *walk = lane->walk;

	if (delay >= VGPU_NEVER - 1 - walk->now)
		return wl_walk_say(walk, "%s:%u: virtual time comes to its end", walk->path,
				   walk->process->line);
	wl_sleepers_add(walk->sleepers, lane, walk->now + delay, lane->order);
	return 0;
}

/*
 * Answer the lanes of the section that begins at phase @from, in their order, once the present
 * event is dealt with.
 */
static void enter_section(struct wl_walk *walk, u32 from)
{
	const struct wl_phase *phases = walk->process->phases;
	u32 i, end = from;

	while (end < walk->process->phase_count && !phases[end].stream == !phases[from].stream)
		end++;
	walk->section_end = end;
	for (i = 0; i < walk->lane_count; i++) {
		struct wl_lane *lane = &walk->lanes[i];

		if (!lane->stream != !phases[from].stream)
			continue;
		lane->phase = from;
		lane->entered = false;
		walk->lanes_busy++;
		add_answer(lane);
	}
}

/* host=one: nothing is issued, and the host begins. */
static void enter_run(struct wl_walk *walk)
{
	u32 i;

	walk->issued = 0;
	walk->syncing = false;
	for (i = 0; i < walk->lane_count; i++) {
		walk->lanes[i].phase = 0;
		walk->lanes[i].entered = false;
		walk->lanes[i].idle = true;
		walk->lanes[i].pushed_before = walk->lanes[i].pushed;
	}
	add_answer(walk->by_stream[0]);
}

static void start_run(struct wl_walk *walk)
{
	walk->running = true;
	walk->started = walk->now;
	walk->renew_due = walk->touched;
	if (walk->process->one_host)
		enter_run(walk);
	else
		enter_section(walk, 0);
}

static void run_ended(struct wl_walk *walk)
{
	struct wl_process_outcome *outcome = walk->outcome;

	outcome->runs++;
	outcome->turnaround_ps += walk->now - walk->started;
	if (outcome->runs == walk->process->repeat)
		(*walk->unfinished)--;
	start_run(walk);
}

/* @lane has done its part of the section; the last one takes the process on. */
static void lane_ended(struct wl_lane *lane)
{
	struct wl_walk *walk = lane->walk;

	if (--walk->lanes_busy)
		return;
	if (walk->section_end < walk->process->phase_count)
		enter_section(walk, walk->section_end);
	else
		run_ended(walk);
}

/* Take @lane as far as it gets without waiting. */
static int advance(struct wl_lane *lane)
{
	const struct wl_walk *walk = lane->walk;
	const struct wl_phase *phase;

	for (;; lane->phase++, lane->entered = false) {
		while (lane->phase < walk->section_end && phase_of(lane)->stream != lane->stream)
			lane->phase++;
		phase = lane->phase < walk->section_end ? phase_of(lane) : NULL;
		if (!phase || phase->kind == WL_CPU) {
			if (lane->pending) {
				lane->answer_at = 0;
				return 0;
			}
			if (!phase) {
				lane_ended(lane);
				return 0;
			}
			/* Woken, it goes on behind this phase. */
			lane->phase++;
			return wake_at(lane, phase->amount);
		}
		if (!lane->entered) {
			lane->left = phase->amount;
			lane->entered = true;
		}
		if (push_phase(lane))
			return -1;
		if (lane->left)
			return 0;
	}
}

/* ---- one thread of the host (host=one) ---------------------------------- */

/* @lane has come to phase @wait, with which another stream waits for what it has pushed. */
static void pass_wait(struct wl_lane *lane, const struct wl_phase *wait)
{
	struct wl_walk *walk = lane->walk;
	struct wl_lane *waits = walk->by_stream[wait->stream];

	walk->process->marks[wait->mark] =
		lane->pushed == lane->pushed_before ? 0 : lane->pushed;
	if (phase_of(waits) == wait)
		add_answer(waits);
}

/* Take @lane through what is issued of its stream, as far as it gets without waiting. */
static int advance_stream(struct wl_lane *lane)
{
	struct wl_walk *walk = lane->walk;
	const struct wl_phase *phase;

	if (lane->sleeping || lane->calling)
		return 0;
	for (;; lane->phase++, lane->entered = false) {
		for (; lane->phase < walk->issued; lane->phase++) {
			phase = phase_of(lane);
			if (phase->stream == lane->stream)
				break;
			if (phase->kind == WL_WAIT && phase->target == lane->stream)
				pass_wait(lane, phase);
		}
		if (lane->phase == walk->issued) {
			lane->answer_at = lane->pending ? 0 : WL_NO_ANSWER;
			lane->idle = !lane->pending;
			if (lane->idle && walk->syncing)
				add_answer(walk->by_stream[0]);
			return 0;
		}
		phase = phase_of(lane);
		if (phase->kind == WL_CPU) {
			if (lane->pending) {
				lane->answer_at = 0;
				return 0;
			}
			lane->phase++;
			lane->sleeping = true;
			return wake_at(lane, phase->amount);
		}
		if (phase->kind == WL_WAIT) {
			/* the awaited lane answers this one when it comes past */
			if (walk->by_stream[phase->target]->phase <= lane->phase)
				return 0;
			if (!walk->process->marks[phase->mark])
				continue;
		}
		if (!lane->entered) {
			lane->left = phase->amount;
			lane->entered = true;
		}
		if (push_phase(lane))
			return -1;
		if (lane->left)
			return 0;
	}
}

/* Has all ended that stream @target was given? 0: all streams */
static bool is_quiet(const struct wl_walk *walk, u32 target)
{
	u32 i;

	for (i = 0; i < walk->lane_count; i++) {
		const struct wl_lane *lane = &walk->lanes[i];

		if (lane->stream && (!target || lane->stream == target) && !lane->idle)
			return false;
	}
	return true;
}

/* The phase at which the host is belongs to a stream. */
static int issue(struct wl_walk *walk, const struct wl_phase *phase)
{
	struct wl_lane *lane = walk->by_stream[phase->stream];

	lane->idle = false;
	if (phase->kind == WL_WAIT) {
		walk->by_stream[phase->target]->idle = false;
		if (advance_stream(walk->by_stream[phase->target]))
			return -1;
	}
	return advance_stream(lane);
}

static int advance_host(struct wl_lane *host)
{
	struct wl_walk *walk = host->walk;

	walk->syncing = false;
	for (; host->phase < walk->process->phase_count; host->phase++) {
		const struct wl_phase *phase = phase_of(host);

		walk->issued = host->phase + 1;
		if (phase->stream) {
			if (issue(walk, phase))
				return -1;
		} else if (phase->kind == WL_CPU) {
			host->phase++;
			return wake_at(host, phase->amount);
		} else if (!is_quiet(walk, phase->target)) {
			walk->syncing = true;
			return 0;
		}
	}
	if (is_quiet(walk, 0))
		run_ended(walk);
	else
		walk->syncing = true;
	return 0;
}

/* ---- answering ---------------------------------------------------------- */

bool wl_walk_completed(struct wl_lane *lane)
{
	if (--lane->pending != lane->answer_at)
		return false;
	lane->answer_at = WL_NO_ANSWER;
	add_answer(lane);
	return true;
}

void wl_walk_woken(struct wl_lane *lane)
{
	struct wl_walk *walk = lane->walk;

	lane->sleeping = false;
	lane->calling = false;
	if (walk->running)
		add_answer(lane);
	else
		start_run(walk);
}

/* Answering may make more lanes ready; those come behind. */
int wl_walk_answer(struct wl_walk *walk)
{
	bool one_host = walk->process->one_host;

	while (walk->answer_count && *walk->unfinished) {
		struct wl_lane *lane = walk->answers[walk->answer_first];

		if (walk->renew_due && walk->renew(walk))
			return -1;
		walk->renew_due = false;
		walk->answer_first = (walk->answer_first + 1) % (2 * walk->lane_count);
		walk->answer_count--;
		lane->answering = false;
		if (one_host ? lane->stream ? advance_stream(lane) : advance_host(lane) :
			       advance(lane))
			return -1;
	}
	walk->answer_count = 0;
	return 0;
}

/* ---- the beginning ------------------------------------------------------ */

/* Streams in use, without a stream first; returns how many. */
static u32 list_streams(const struct wl_process *process, u32 *streams)
{
	bool used[WL_STREAMS_MAX + 1] = {};
	u32 i, count = 0;

	used[0] = process->one_host;
	for (i = 0; i < process->phase_count; i++) {
		used[process->phases[i].stream] = true;
		used[process->phases[i].target] |= process->one_host;
	}
	for (i = 0; i <= WL_STREAMS_MAX; i++)
		if (used[i])
			streams[count++] = i;
	return count;
}

u32 wl_walk_lanes(const struct wl_process *process)
{
	u32 streams[WL_STREAMS_MAX + 1];

	return list_streams(process, streams);
}

u64 wl_walk_buffer(const struct wl_process *process, u64 copy_max)
{
	u64 most = 0;
	u32 i;

	for (i = 0; i < process->phase_count; i++) {
		const struct wl_phase *phase = &process->phases[i];

		if ((phase->kind == WL_H2D || phase->kind == WL_D2H) && phase->amount > most)
			most = phase->amount;
	}
	if (most > copy_max)
		most = copy_max;
	return (most + VGPU_PAGE_SIZE - 1) & ~(VGPU_PAGE_SIZE - 1);
}

void wl_walk_init(struct wl_walk *walk, struct wl_lane *lanes, struct wl_lane **answers, u64 order,
		  u64 arrival)
{
	u32 streams[WL_STREAMS_MAX + 1];
	u32 i;

	walk->lanes = lanes;
	walk->answers = answers;
	walk->lane_count = list_streams(walk->process, streams);
	walk->touched = wl_process_touched(walk->process);
	for (i = 0; i < walk->lane_count; i++) {
		lanes[i].walk = walk;
		lanes[i].order = order + i;
		lanes[i].stream = streams[i];
		lanes[i].answer_at = WL_NO_ANSWER;
		walk->by_stream[streams[i]] = &lanes[i];
	}
	wl_sleepers_add(walk->sleepers, &lanes[0], arrival, order);
}
