// SPDX-License-Identifier: GPL-2.0-only
/*
 * How virtual time passes in a system. The device model has no clock on the wall; its host decides
 * when to let it go on. Three modes:
 *
 * free		as fast as the machine can; an idle system's time stands, unless somebody sleeps
 *		until a virtual time
 * paced	virtual time follows the wall clock times a factor; it falls behind where the
 *		machine is too slow
 * lockstep	virtual time stands while any attached participant runs. The system stops at the
 *		very event that a thread waits for, and one thread is woken; only when its
 *		participant waits again (or detaches) is the next one woken or does time go on.
 *		Threads come in the order of their completions; those who sleep until time T come
 *		after everything the devices do at T, in the order in which their participants
 *		were attached. So several real processes, of one thread each, give a reproducible
 *		run.
 *
 * A participant is blocked while at least one waiter of it waits: a program that joins the thread
 * that waits must not hang.
 *
 * Anybody may sleep until, or run a kernel until, a time far away. Free and lockstep clocks would
 * be there at once, and soon at the end of what 64 bits can say, for everybody and for good. So
 * they run at most AHEAD_MAX ahead of the wall clock; then they go on as fast as it does.
 */
#include <linux/ktime.h>
#include <linux/math64.h>

#include "kmod/fence/fence.h"

/*
 * An event is at most one slice of one SM: some hundred microseconds, which a message may have to
 * wait.
 */
#define EVENTS_PER_TURN	4u
#define MILLION		1000000ull
/* Ten days of 213. */
#define AHEAD_MAX	(10ull * 24 * 3600 * 1000 * VGPU_MS)

void kvgpu_clock_init(struct kvgpu_clock *clock)
{
	clock->mode = KVGPU_FREE;
	clock->factor = MILLION;
	clock->wall_start = ktime_get_ns();
	INIT_LIST_HEAD(&clock->participants);
	INIT_LIST_HEAD(&clock->ready);
	clock->sleepers = RB_ROOT_CACHED;
	clock->timers = RB_ROOT_CACHED;
}

static struct kvgpu_waiter *first_ready(struct kvgpu_clock *clock)
{
	return list_first_entry_or_null(&clock->ready, struct kvgpu_waiter, node);
}

static struct kvgpu_waiter *first_sleeper(struct kvgpu_clock *clock)
{
	return kvgpu_timer_first(&clock->sleepers);
}

/* ---- time --------------------------------------------------------------- */

/*
 * Device time goes on for @events, up to @limit and no further than the first sleeper. Returns when
 * something is due next.
 */
static u64 clock_advance(struct kvgpu_system *system, u64 limit, u32 events)
{
	struct kvgpu_clock *clock = system->clock;
	struct kvgpu_waiter *first = first_sleeper(clock);
	u64 until = first ? min(first->until, limit) : limit;
	u64 next = vgpu_system_run(system->model, until, events);
	u64 now = vgpu_system_now(system->model);

	WRITE_ONCE(system->now, now);
	if (!first_ready(clock) && now >= until && next > until)
		while ((first = first_sleeper(clock)) && first->until <= now)
			kvgpu_waiter_ready(first, VGPU_FENCE_NONE);
	if (first_ready(clock))
		return now;
	first = first_sleeper(clock);
	return first ? min(first->until, next) : next;
}

static void clock_wake_all(struct kvgpu_clock *clock)
{
	struct kvgpu_waiter *waiter;

	while ((waiter = first_ready(clock)))
		kvgpu_waiter_end(waiter, 0);
}

/*
 * a * b / c, at most the end of virtual time: a division whose quotient needs more than 64 bits is
 * a trap of the processor.
 */
static u64 mul_div(u64 a, u64 b, u64 c)
{
	if (mul_u64_u64_shr(a, b, 64) >= c)
		return VGPU_NEVER - 1;
	return min(mul_u64_u64_div_u64(a, b, c), VGPU_NEVER - 1);
}

/*
 * What was @time at @wall nanoseconds, now, with a clock of @factor. It stands at its end, after
 * 213 days at factor 1.
 */
static u64 clock_since(u64 time, u64 wall, u64 factor)
{
	u64 passed = mul_div(ktime_get_ns() - wall, factor, MILLION / 1000);

	return time + min(passed, VGPU_NEVER - 1 - time);
}

/*
 * For how long nothing is due, @next being the next thing, when a clock that may be at @now stands
 * before it.
 */
static u64 clock_idle(u64 next, u64 now, u64 factor)
{
	if (next == VGPU_NEVER)
		return KVGPU_IDLE;
	return next > now ? mul_div(next - now, MILLION / 1000, factor) + 1 : 0;
}

/* ---- free and lockstep -------------------------------------------------- */

static u64 ahead_limit(const struct kvgpu_clock *clock)
{
	u64 time = clock_since(clock->start, clock->wall_start, MILLION);

	return time + min(AHEAD_MAX, VGPU_NEVER - 1 - time);
}

/* As clock_advance(), to whatever is due next. Where nothing is, time stands. */
static u64 advance_ahead(struct kvgpu_system *system, u64 limit)
{
	u64 next = 0;
	u32 i;

	for (i = 0; i < EVENTS_PER_TURN && !first_ready(system->clock) && next <= limit; i++) {
		struct kvgpu_waiter *first = first_sleeper(system->clock);

		next = vgpu_system_run(system->model, vgpu_system_now(system->model), 0);
		if (first)
			next = min(next, first->until);
		if (next == VGPU_NEVER)
			return VGPU_NEVER;
		next = clock_advance(system, next > limit ? limit : next, 1);
	}
	return next;
}

static u64 turn_free(struct kvgpu_system *system)
{
	u64 limit = ahead_limit(system->clock);
	u64 next = advance_ahead(system, limit);

	clock_wake_all(system->clock);
	return clock_idle(next, limit, MILLION);
}

static u64 turn_lockstep(struct kvgpu_system *system)
{
	struct kvgpu_clock *clock = system->clock;
	u64 limit, next;

	if (clock->running)
		return KVGPU_IDLE;
	if (first_ready(clock)) {
		kvgpu_waiter_end(first_ready(clock), 0);
		return 0;
	}
	limit = ahead_limit(clock);
	next = advance_ahead(system, limit);
	return first_ready(clock) ? 0 : clock_idle(next, limit, MILLION);
}

/* ---- paced -------------------------------------------------------------- */

static u64 clock_wall(const struct kvgpu_clock *clock)
{
	return clock_since(clock->virtual_base, clock->wall_base, clock->factor);
}

static u64 turn_paced(struct kvgpu_system *system)
{
	struct kvgpu_clock *clock = system->clock;
	u64 next = clock_advance(system, clock_wall(clock), EVENTS_PER_TURN);

	clock_wake_all(clock);
	return clock_idle(next, clock_wall(clock), clock->factor);
}

/* ---- which -------------------------------------------------------------- */

u64 kvgpu_clock_turn(struct kvgpu_system *system)
{
	switch (system->clock->mode) {
	case KVGPU_PACED:
		return turn_paced(system);
	case KVGPU_LOCKSTEP:
		return turn_lockstep(system);
	default:
		return turn_free(system);
	}
}

void kvgpu_clock_catch_up(struct kvgpu_system *system)
{
	if (system->clock->mode == KVGPU_PACED)
		clock_advance(system, clock_wall(system->clock), EVENTS_PER_TURN);
}

static void clock_rebase(struct kvgpu_system *system)
{
	struct kvgpu_clock *clock = system->clock;
	u64 now = vgpu_system_now(system->model);
	u64 start = clock_since(clock->start, clock->wall_start, MILLION);

	clock->wall_base = clock->wall_start = ktime_get_ns();
	clock->virtual_base = now;
	/* a paced clock may have gone faster than a free one may go on */
	clock->start = max(start, now - min(now, AHEAD_MAX));
}

void kvgpu_clock_set_mode(struct kvgpu_system *system, enum kvgpu_clock_mode mode)
{
	struct kvgpu_dev *kdev;
	struct kvgpu_ctx *ctx;
	unsigned long id;

	clock_rebase(system);
	WRITE_ONCE(system->clock->mode, mode);
	/* threads that wait as in the other modes begin again, with a limit in virtual time */
	if (mode != KVGPU_LOCKSTEP)
		return;
	list_for_each_entry(kdev, &system->devices, node)
		xa_for_each(&kdev->contexts, id, ctx)
			kvgpu_waiters_restart(ctx);
}

void kvgpu_clock_set_factor(struct kvgpu_system *system, u64 factor)
{
	clock_rebase(system);
	system->clock->factor = factor;
}
