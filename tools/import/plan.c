// SPDX-License-Identifier: MIT
/*
 * Import of timelines: the phases of a process with one host thread (docs/jobfiles.md), such that
 * it does alone what the file says, at the times of the file.
 *
 * What is known: when the host called, when each command began and ended, and in which stream. What
 * the device does with a phase is known, too: so the time at which each command is expected to
 * begin is computed on the way, and where it would be too early, whatever held it up is looked for:
 *
 *  - the host: the command began a latency after the call. The host issues it launch_ps and the
 *    setup of an SM before it began, as the device takes that long.
 *  - another stream: cudaStreamWaitEvent() was called, and the last command of another stream ended
 *    just before. That becomes a wait.
 *  - else a pause of its stream: front end, driver, whatever is not in the file.
 *
 * All gaps are relative to what is expected then, not to the gap before, so that no error adds up.
 * Times here are picoseconds since the first command was issued.
 */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#define PS_PER_US	1000000ull
#define NEAR		(2 * PS_PER_US)		/* clocks of host and device are so close */
#define PAUSE_MIN	400000ull		/* shorter ones are not worth a line */
#define LATENCY_MAX	(30 * PS_PER_US)	/* a call that takes longer waited for something */
#define PS_PER_SECOND	1000000000000ull
#define HOUR		(3600ull * 1000 * VGPU_MS)
#define SAMPLES		4096u

/** struct stream - @expected, @traced: end of what was issued to it; on the device, in the file */
struct stream {
	u64 expected, traced;
	u64 waits;			/* calls of cudaStreamWaitEvent() until its last command */
	bool used;
};

struct state {
	struct imp_plan *plan;
	const struct vgpu_config *config;
	const struct imp_timeline *timeline;
	u64 host;			/* expected time of the host */
	u64 latency;			/* from a call to the start, of an idle stream */
	u64 waits;			/* calls of cudaStreamWaitEvent() */
	u64 engines[2];			/* when copy engines are free */
	struct imp_busy busy, traced_busy;
	struct stream streams[WL_STREAMS_MAX + 1];
};

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

static u64 ps(const struct state *s, u64 ns)
{
	return ns > s->timeline->begin ? (ns - s->timeline->begin) * IMP_PS_PER_NS : 0;
}

/* ---- phases ------------------------------------------------------------- */

static int emit(struct state *s, const struct wl_phase *phase, u64 traced)
{
	return s->plan->emit(s->plan->arg, phase, traced) ? -1 : 0;
}

/* Time of the host, or of a stream. */
static int emit_cpu(struct state *s, u32 stream, u64 time)
{
	struct wl_phase phase = { .kind = WL_CPU, .stream = stream };

	for (; time; time -= phase.amount) {
		phase.amount = time < HOUR ? time : HOUR;
		if (emit(s, &phase, 0))
			return -1;
	}
	return 0;
}

static int host_until(struct state *s, u64 time)
{
	u64 host = s->host;

	if (time <= host)
		return 0;
	s->host = time;
	return emit_cpu(s, 0, time - host);
}

/* The host waits for @stream, or for all (0). */
static int emit_sync(struct state *s, u32 stream)
{
	struct wl_phase phase = { .kind = WL_SYNC, .target = stream, .amount = 1 };
	u32 i;

	for (i = 1; i <= s->timeline->streams; i++)
		if (!stream || i == stream)
			s->host = later(s->host, s->streams[i].expected);
	s->plan->report.syncs++;
	return emit(s, &phase, 0);
}

/* ---- when the host issues ----------------------------------------------- */

static int by_size(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* What a launch takes at least: the lower quartile of those that found their stream idle. */
static u64 find_latency(const struct state *s)
{
	u64 ends[WL_STREAMS_MAX + 1] = {};
	u64 *samples = malloc(SAMPLES * sizeof(*samples)), latency;
	u32 count = 0;
	size_t n;

	if (!samples)
		return 0;
	for (n = 0; n < s->timeline->command_count && count < SAMPLES; n++) {
		const struct imp_command *c = &s->timeline->commands[n];

		if (c->called && c->issue >= ends[c->stream])
			samples[count++] = (c->start - c->issue) * IMP_PS_PER_NS;
		ends[c->stream] = later(ends[c->stream], c->end);
	}
	qsort(samples, count, sizeof(*samples), by_size);
	latency = count ? samples[count / 4] : 0;
	free(samples);
	return latency < LATENCY_MAX ? latency : LATENCY_MAX;
}

/* When the host issues @c, for which the device needs @launch. */
static u64 issue_time(const struct state *s, const struct imp_command *c, u64 launch)
{
	const struct stream *stream = &s->streams[c->stream];
	u64 call = ps(s, c->issue), start = ps(s, c->start);
	u64 just = start > call + launch ? start - launch : call;
	u64 soon = call + (s->latency > launch ? s->latency - launch : 0);

	if (!c->called)
		return stream->used ? s->host : just;
	if (stream->traced <= call + s->latency && start - call <= 2 * s->latency + LATENCY_MAX)
		return just;
	return soon < just ? soon : just;
}

/* ---- what else held a command up ---------------------------------------- */

/* When @c would begin, now that the host has issued it. */
static u64 arrival(const struct state *s, const struct imp_command *c, u64 launch, u64 dispatch)
{
	const struct stream *stream = &s->streams[c->stream];

	return stream->expected > s->host ? later(s->host + launch, stream->expected + dispatch) :
					    s->host + launch;
}

/* The stream whose last command ended last before @c began, and held it up; 0: none did */
static u32 find_cause(const struct state *s, const struct imp_command *c)
{
	const struct stream *own = &s->streams[c->stream];
	u64 start = ps(s, c->start), ready = later(own->traced, ps(s, c->issue) + s->latency);
	u32 i, cause = 0;

	if (s->timeline->call_count && own->waits == s->waits)
		return 0;
	for (i = 1; i <= s->timeline->streams; i++) {
		const struct stream *other = &s->streams[i];

		if (i == c->stream || !other->used || other->traced <= ready ||
		    other->traced > start + NEAR)
			continue;
		if (!cause || other->traced > s->streams[cause].traced)
			cause = i;
	}
	return cause;
}

static int emit_wait(struct state *s, u32 stream, u32 target)
{
	struct wl_phase phase = { .kind = WL_WAIT, .stream = stream, .target = target,
				  .amount = 1 };
	struct stream *own = &s->streams[stream];

	own->expected = later(later(own->expected, s->streams[target].expected), s->host) +
			s->config->command_ps;
	s->plan->report.waits++;
	return emit(s, &phase, 0);
}

/* Let @c begin when it did, if that is later than it would; @at: when it begins */
static int hold_up(struct state *s, const struct imp_command *c, u64 launch, u64 dispatch, u64 *at)
{
	struct stream *stream = &s->streams[c->stream];
	u64 start = ps(s, c->start), base, pause = 0;
	u32 cause;

	*at = arrival(s, c, launch, dispatch);
	if (start <= *at + PAUSE_MIN)
		return 0;
	cause = find_cause(s, c);
	if (cause) {
		if (emit_wait(s, c->stream, cause))
			return -1;
		*at = arrival(s, c, launch, dispatch);
	}
	base = later(s->host, stream->expected);
	if (start > base + launch)
		pause = start - base - launch;
	else if (start > *at && start - *at > base + launch - start)
		pause = 1;
	if (!pause || start <= *at + PAUSE_MIN)
		return 0;
	*at = base + pause + launch;
	stream->expected = base + pause;
	s->plan->report.pauses++;
	return emit_cpu(s, c->stream, pause);
}

/* ---- commands ----------------------------------------------------------- */

/* A copy inside the device, or a memset: as a kernel, of a block for each 64 KB. */
static void make_kernel(const struct state *s, const struct imp_command *c, struct wl_phase *phase)
{
	struct vgpu_cmd_profiled *kernel = &phase->kernel;
	u32 warps;

	phase->kind = WL_KERNEL;
	phase->amount = 1;
	if (c->kind == IMP_KERNEL) {
		kernel->blocks = c->amount;
		kernel->threads = c->threads;
		/* registers come in 256 for a warp */
		warps = (c->threads + 31u) / 32;
		kernel->regs_per_block = (c->regs * 32u + 255) / 256 * 256 * warps;
		kernel->shared_bytes = c->shared;
		strcpy(phase->name,
		       c->name < s->timeline->name_count ? s->timeline->names[c->name] : "kernel");
		return;
	}
	kernel->blocks = c->amount / 65536 + 1;
	if (kernel->blocks > s->config->sms)
		kernel->blocks = s->config->sms;
	kernel->threads = 256;
	kernel->regs_per_block = 4096;
	strcpy(phase->name, c->kind == IMP_MEMSET ? "memset" : "memcpy_d2d");
}

static int plan_kernel(struct state *s, const struct imp_command *c)
{
	const struct vgpu_config *config = s->config;
	struct imp_report *report = &s->plan->report;
	u64 start = ps(s, c->start), end = ps(s, c->end), took = end - start;
	struct wl_phase phase = { .stream = c->stream };
	u64 setup = config->sm_setup_ps, waves, at, ends;
	u32 sms;

	make_kernel(s, c, &phase);
	if (!imp_fit(config, &phase.kernel))
		report->clipped++;
	/* a kernel begins with its first block: when an SM has been set up */
	if (hold_up(s, c, config->launch_ps + setup, config->dispatch_ps + setup, &at))
		return -1;
	sms = imp_busy_free(&s->traced_busy, start, config->sms);
	waves = imp_waves(config, &phase.kernel, sms);
	phase.kernel.block_ps = took / waves;
	if (!phase.kernel.block_ps)
		phase.kernel.block_ps = 1;
	if (imp_busy_add(&s->traced_busy, c->stream, start, end, imp_sms(config, &phase.kernel)))
		return -1;

	while (!(sms = imp_busy_free(&s->busy, at, config->sms)))
		at = imp_busy_next(&s->busy, at);
	ends = at + imp_waves(config, &phase.kernel, sms) * phase.kernel.block_ps;
	if (imp_sms(config, &phase.kernel) < sms)
		sms = imp_sms(config, &phase.kernel);
	if (imp_busy_add(&s->busy, c->stream, at, ends, sms))
		return -1;
	s->streams[c->stream].expected = ends;
	report->kernels++;
	if (ends - at <= took + took / 20 && took <= ends - at + took / 20)
		report->close++;
	return emit(s, &phase, took);
}

static int plan_copy(struct state *s, const struct imp_command *c)
{
	u64 took = ps(s, c->end) - ps(s, c->start), bandwidth = s->config->link_bandwidth;
	struct wl_phase phase = { .kind = c->kind == IMP_H2D ? WL_H2D : WL_D2H,
				  .stream = c->stream,
				  .amount = c->amount };
	struct stream *stream = &s->streams[c->stream];
	u64 *engine = &s->engines[s->config->copy_engines > 1 && c->kind == IMP_D2H], crosses, at;

	crosses = (u64)((unsigned __int128)c->amount * PS_PER_SECOND / bandwidth);
	if (crosses < s->config->command_ps)
		crosses = s->config->command_ps;
	if (hold_up(s, c, 0, 0, &at))
		return -1;
	*engine = later(*engine, at) + crosses;
	stream->expected = *engine;
	s->plan->report.copies++;
	if (emit(s, &phase, 0))
		return -1;
	/* It took longer than its bytes: the process's memory was not pinned. */
	if (took <= crosses + PAUSE_MIN)
		return 0;
	s->plan->report.pauses++;
	stream->expected += took - crosses;
	return emit_cpu(s, c->stream, took - crosses);
}

static int plan_command(struct state *s, const struct imp_command *c)
{
	bool copy = c->kind == IMP_H2D || c->kind == IMP_D2H;
	struct stream *stream = &s->streams[c->stream];

	if (host_until(s, issue_time(s, c, copy ? 0 : s->config->launch_ps +
							      s->config->sm_setup_ps)))
		return -1;
	if (copy ? plan_copy(s, c) : plan_kernel(s, c))
		return -1;
	stream->traced = later(stream->traced, ps(s, c->end));
	stream->waits = s->waits;
	stream->used = true;
	return c->blocks ? emit_sync(s, c->stream) : 0;
}

/* ---- calls -------------------------------------------------------------- */

/* Which stream the host waited for in @call. 0: all, IMP_NONE: cannot be said */
static u32 sync_target(const struct state *s, const struct imp_call *call)
{
	u64 end = ps(s, call->end) + NEAR;
	u32 i, last = IMP_NONE;
	bool all = true;

	if (call->kind == IMP_SYNC_STREAM && call->stream != IMP_NONE)
		return s->streams[call->stream].traced <= end ? call->stream : IMP_NONE;
	for (i = 1; i <= s->timeline->streams; i++) {
		const struct stream *stream = &s->streams[i];

		all &= stream->traced <= end;
		if (stream->used && stream->traced <= end &&
		    (last == IMP_NONE || stream->traced > s->streams[last].traced))
			last = i;
	}
	return all && call->kind == IMP_SYNC_DEVICE ? 0 : last;
}

/* @next: the command that is issued next */
static int plan_call(struct state *s, const struct imp_call *call, const struct imp_command *next)
{
	u32 target;

	if (call->kind == IMP_STREAM_WAIT)
		s->waits++;
	if (call->kind != IMP_SYNC_DEVICE && call->kind != IMP_SYNC_STREAM)
		return 0;
	target = sync_target(s, call);
	/* Another thread issues commands meanwhile: it does not wait. */
	if (target == IMP_NONE || next->issue < call->end) {
		s->plan->report.syncs_left_out++;
		return 0;
	}
	return host_until(s, ps(s, call->start)) ? -1 : emit_sync(s, target);
}

int imp_plan(struct imp_plan *plan)
{
	const struct imp_timeline *timeline = plan->timeline;
	size_t n, call = 0;
	struct state *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -1;
	u32 i;

	memset(&plan->report, 0, sizeof(plan->report));
	if (err)
		return err;
	s->plan = plan;
	s->config = plan->config;
	s->timeline = timeline;
	s->latency = find_latency(s);
	for (n = 0; !err && n < timeline->command_count; n++) {
		const struct imp_command *c = &timeline->commands[n];

		for (; !err && call < timeline->call_count &&
		       timeline->calls[call].start < c->issue;
		     call++)
			err = plan_call(s, &timeline->calls[call], c);
		if (!err)
			err = plan_command(s, c);
	}
	plan->report.traced_ps = ps(s, timeline->end);
	plan->report.expected_ps = s->host;
	for (i = 1; i <= timeline->streams; i++)
		plan->report.expected_ps = later(plan->report.expected_ps, s->streams[i].expected);
	imp_busy_free_all(&s->busy);
	imp_busy_free_all(&s->traced_busy);
	free(s);
	return err;
}
