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
 *
 * That is shared by users (core/user.c). Time goes on to the next event or sleeper at the cost of
 * who that belongs to: the user's sum of time ahead grows by it, and shrinks as the wall clock
 * goes. Who has had his share brings time forward no faster than the wall clock, but he does not
 * hold it for others: time passes to his event at the cost of another user who waits for
 * something, all of which is later.
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
	u64 next, now;

	/* a participant may act at any event */
	vgpu_system_horizon(system->model, clock->mode == KVGPU_LOCKSTEP ? 0 :
					   first ? first->until : VGPU_NEVER);
	next = vgpu_system_run(system->model, until, events);
	now = vgpu_system_now(system->model);
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

/* Virtual time as a clock that started with this one and went as the wall clock says it. */
static u64 wall_time(const struct kvgpu_clock *clock)
{
	return clock_since(clock->start, clock->wall_start, MILLION);
}

/* What @user has brought time forward by, less what the wall clock went since. */
static u64 user_ahead(struct kvgpu_user *user)
{
	u64 now = ktime_get_ns();
	u64 passed = mul_div(now - user->ahead_at, 1000, 1);

	user->ahead -= min(user->ahead, passed);
	user->ahead_at = now;
	return user->ahead;
}

/*
 * Until when @user may bring time forward, NULL: nobody in particular. @wall: wall_time().
 */
static u64 user_limit(const struct kvgpu_system *system, struct kvgpu_user *user, u64 wall)
{
	u64 most = wall + min(AHEAD_MAX, VGPU_NEVER - 1 - wall);
	u64 now = vgpu_system_now(system->model), ahead, may;

	if (!user || user->privileged || now >= most)
		return most;
	ahead = user_ahead(user);
	may = kvgpu_user_may(ahead, now > wall ? now - wall : 0, AHEAD_MAX, KVGPU_USER_SHARE);
	return max(now, wall) + (may > ahead ? may - ahead : 0);
}

/*
 * When something is due next, and who pays for the way beyond @wall: its user, or if he has had his
 * share, another one who waits. *@limit: until when he may.
 */
static u64 next_due(struct kvgpu_system *system, u64 wall, struct kvgpu_user **payer, u64 *limit)
{
	struct kvgpu_waiter *first = first_sleeper(system->clock);
	struct kvgpu_user *user;
	void *whose;
	u64 next = vgpu_system_next(system->model, &whose), other;

	*payer = whose ? container_of(whose, struct kvgpu_ctx, payer)->user : NULL;
	if (first && first->until < next) {
		next = first->until;
		*payer = first->ctx->user;
	}
	*limit = wall;
	if (next <= wall || next == VGPU_NEVER)
		return next;
	*limit = user_limit(system, *payer, wall);
	if (next <= *limit)
		return next;
	list_for_each_entry(user, &system->users_waiting, node) {
		other = user_limit(system, user, wall);
		if (other > *limit) {
			*limit = other;
			*payer = user;
		}
	}
	return next;
}

/*
 * As clock_advance(), to whatever is due next. Where nothing is, time stands. Returns for how many
 * nanoseconds the clock has to wait then, KVGPU_IDLE: until something is due.
 */
static u64 advance_ahead(struct kvgpu_system *system)
{
	u64 wall = wall_time(system->clock), next, then, limit, from, now;
	struct kvgpu_user *payer;
	u32 i;

	for (i = 0; i < EVENTS_PER_TURN && !first_ready(system->clock); i++) {
		next = next_due(system, wall, &payer, &limit);
		if (next == VGPU_NEVER)
			return KVGPU_IDLE;
		from = max(vgpu_system_now(system->model), wall);
		then = clock_advance(system, min(next, limit), 1);
		now = vgpu_system_now(system->model);
		if (payer && now > from)
			payer->ahead = user_ahead(payer) + now - from;
		if (next > limit)
			return clock_idle(next, limit, MILLION);
		if (then == VGPU_NEVER)
			return KVGPU_IDLE;
	}
	return 0;
}

static u64 turn_free(struct kvgpu_system *system)
{
	u64 idle = advance_ahead(system);

	clock_wake_all(system->clock);
	return idle;
}

/*
 * Somebody runs, so time stands. Anybody who may open a device can make it stand for ever; where
 * that is not wanted, those who run for timeout_ms while others wait take part no longer.
 */
static u64 lockstep_stands(struct kvgpu_clock *clock)
{
	u64 limit = (u64)READ_ONCE(clock->timeout_ms) * NSEC_PER_MSEC, now;

	if (!limit || !kvgpu_participants_wait(clock)) {
		clock->stands_since = 0;
		return KVGPU_IDLE;
	}
	now = ktime_get_ns();
	if (!clock->stands_since)
		clock->stands_since = now;
	if (now - clock->stands_since < limit)
		return limit - (now - clock->stands_since);
	kvgpu_participants_detach(clock);
	return 0;
}

static u64 turn_lockstep(struct kvgpu_system *system)
{
	struct kvgpu_clock *clock = system->clock;
	u64 idle;

	if (clock->running)
		return lockstep_stands(clock);
	clock->stands_since = 0;
	if (first_ready(clock)) {
		kvgpu_waiter_end(first_ready(clock), 0);
		return 0;
	}
	idle = advance_ahead(system);
	return first_ready(clock) ? 0 : idle;
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
	WRITE_ONCE(system->clock->factor, factor);
}
