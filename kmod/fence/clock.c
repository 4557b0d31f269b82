// SPDX-License-Identifier: GPL-2.0-only
/*
 * How virtual time passes, and who waits for it. The device model has no clock on the wall; its
 * host decides when to let it go on. Three modes:
 *
 * free		as fast as the machine can; an idle device's time stands, unless somebody sleeps
 *		until a virtual time
 * paced	virtual time follows the wall clock times a factor; it falls behind where the
 *		machine is too slow
 * lockstep	virtual time stands while any attached seat runs. The device stops at the very event
 *		that somebody waits for, and one waiter is woken; only when its seat waits again (or
 *		is given up) is the next one woken or does time go on. Waiters come in the order of
 *		their completions; those who sleep until time T come after everything the device
 *		does at T, in the order in which their seats were attached. So several real
 *		processes, of one thread each, give a reproducible run.
 *
 * A seat is blocked while at least one thread on it waits: a program that joins the thread that
 * waits must not hang.
 *
 * Anybody may sleep until, or run a kernel until, a time far away. Free and lockstep clocks would
 * be there at once, and soon at the end of what 64 bits can say, for everybody and for good. So
 * they run at most AHEAD_MAX ahead of the wall clock; then they go on as fast as it does.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/queue/queue.h"

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
	INIT_LIST_HEAD(&clock->sleepers);
}

void kvgpu_waiters_init(struct kvgpu_waiters *waiters)
{
	INIT_LIST_HEAD(&waiters->blocked);
	INIT_LIST_HEAD(&waiters->commands);
	INIT_LIST_HEAD(&waiters->owned);
	INIT_LIST_HEAD(&waiters->eventfds);
	mutex_init(&waiters->flushing);
}

/* ---- waiters ------------------------------------------------------------ */

static void ready(struct kvgpu_waiter *waiter, u32 which)
{
	struct kvgpu_dev *kdev = waiter->ctx->kdev;

	waiter->which = which;
	waiter->state = KVGPU_READY;
	list_del_init(&waiter->sleeper);
	list_move_tail(&waiter->node, &kdev->clock->ready);
	if (kdev->clock->mode == KVGPU_LOCKSTEP)
		vgpu_device_stop(kdev->model);
}

/* Its memory is its own again after this. */
static void wake(struct kvgpu_waiter *waiter)
{
	list_del_init(&waiter->node);
	waiter->state = KVGPU_WOKEN;
	kvgpu_participant_run(waiter->ctx->participant);
	complete(&waiter->over);
}

static struct kvgpu_waiter *first_ready(struct kvgpu_clock *clock)
{
	return list_first_entry_or_null(&clock->ready, struct kvgpu_waiter, node);
}

static struct kvgpu_waiter *first_sleeper(struct kvgpu_clock *clock)
{
	return list_first_entry_or_null(&clock->sleepers, struct kvgpu_waiter, sleeper);
}

static void sleepers_add(struct kvgpu_clock *clock, struct kvgpu_waiter *waiter)
{
	u64 order = waiter->ctx->participant->order;
	struct kvgpu_waiter *other;

	list_for_each_entry(other, &clock->sleepers, sleeper)
		if (other->until > waiter->until ||
		    (other->until == waiter->until && other->ctx->participant->order > order))
			break;
	list_add_tail(&waiter->sleeper, &other->sleeper);
}

/*
 * The first fence of @waiter that @seq of queue @id reaches; else what it waits for there goes into
 * @awaited.
 */
static u32 reached(const struct kvgpu_waiter *waiter, u32 id, u64 seq, u64 *awaited)
{
	u32 i;

	for (i = 0; i < waiter->count; i++) {
		if (waiter->fences[i].queue != id)
			continue;
		if (waiter->fences[i].seq <= seq)
			return i;
		*awaited = min(*awaited, waiter->fences[i].seq);
	}
	return VGPU_FENCE_NONE;
}

/*
 * A process can have many threads wait for many fences each: they are looked at when one can have
 * been reached.
 */
void kvgpu_clock_completed(struct kvgpu_ctx *ctx, struct kvgpu_queue *queue, u32 id, u64 seq)
{
	struct kvgpu_waiter *waiter, *next;
	u32 which;

	if (seq < queue->awaited)
		return;
	queue->awaited = VGPU_NEVER;
	list_for_each_entry_safe(waiter, next, &ctx->waiters->blocked, node) {
		which = reached(waiter, id, seq, &queue->awaited);
		if (which != VGPU_FENCE_NONE)
			ready(waiter, which);
	}
}

/* The first fence that is there already, VGPU_FENCE_NONE, or a negative errno. */
static int look(struct kvgpu_waiter *waiter, u32 *which)
{
	struct kvgpu_queue *queue;
	u32 i;

	*which = VGPU_FENCE_NONE;
	for (i = 0; i < waiter->count; i++) {
		queue = xa_load(&waiter->ctx->queues, waiter->fences[i].queue);
		if (!queue)
			return -ENOENT;
		if (waiter->fences[i].seq > queue->submitted)
			return -EINVAL;
		if (*which == VGPU_FENCE_NONE && waiter->fences[i].seq <= queue->completed)
			*which = i;
	}
	return 0;
}

/* Have completions look at @waiter, whose fences are all to come. */
static void await(const struct kvgpu_waiter *waiter)
{
	struct kvgpu_queue *queue;
	u32 i;

	for (i = 0; i < waiter->count; i++) {
		queue = xa_load(&waiter->ctx->queues, waiter->fences[i].queue);
		queue->awaited = min(queue->awaited, waiter->fences[i].seq);
	}
}

static int do_block(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct kvgpu_waiter *waiter = container_of(msg, struct kvgpu_waiter, msg);
	u64 now = vgpu_device_now(kdev->model);
	int ret;

	kvgpu_rings_take(waiter->ctx);
	ret = look(waiter, &waiter->which);
	if (ret)
		return ret;
	waiter->state = KVGPU_WOKEN;
	if (waiter->which != VGPU_FENCE_NONE) {
		complete(&waiter->over);
		return 0;
	}
	if (kdev->clock->mode == KVGPU_LOCKSTEP)
		kvgpu_participant_attach(waiter->ctx->participant);
	waiter->state = KVGPU_BLOCKED;
	list_add_tail(&waiter->node, &waiter->ctx->waiters->blocked);
	await(waiter);
	if (waiter->relative)
		waiter->until =
			waiter->until < VGPU_NEVER - 1 - now ? now + waiter->until : VGPU_NEVER;
	else if (waiter->until < now)
		waiter->until = now;
	if (waiter->until != VGPU_NEVER)
		sleepers_add(kdev->clock, waiter);
	kvgpu_participant_block(waiter->ctx->participant);
	return 0;
}

/* A signal: it runs again, unless it was woken meanwhile. */
static int do_cancel(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct kvgpu_waiter *waiter = container_of(msg, struct kvgpu_waiter, msg);

	if (waiter->state == KVGPU_WOKEN)
		return 0;
	list_del_init(&waiter->sleeper);
	list_del_init(&waiter->node);
	kvgpu_participant_run(waiter->ctx->participant);
	return -EINTR;
}

static bool waiter_over(void *arg)
{
	return completion_done(arg);
}

int kvgpu_clock_wait(struct kvgpu_waiter *waiter)
{
	struct kvgpu_dev *kdev = waiter->ctx->kdev;
	int ret;

	init_completion(&waiter->over);
	INIT_LIST_HEAD(&waiter->node);
	INIT_LIST_HEAD(&waiter->sleeper);
	waiter->msg.fn = do_block;
	ret = kvgpu_post_killable(kdev, &waiter->msg);
	if (ret)
		return ret;
	if (kvgpu_spin(waiter_over, &waiter->over) ||
	    !wait_for_completion_interruptible(&waiter->over))
		return 0;
	waiter->msg.fn = do_cancel;
	return kvgpu_post(kdev, &waiter->msg);
}

long kvgpu_wait_any(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct kvgpu_waiter waiter = { .ctx = ctx };
	struct vgpu_fence *fences = NULL;
	struct vgpu_wait_any wait;
	u32 i;
	int ret;

	if (copy_from_user(&wait, arg, sizeof(wait)))
		return -EFAULT;
	if (wait.flags || wait.reserved || wait.count > VGPU_FENCES_MAX)
		return -EINVAL;
	if (wait.count) {
		fences = memdup_user(u64_to_user_ptr(wait.fences), wait.count * sizeof(*fences));
		if (IS_ERR(fences))
			return PTR_ERR(fences);
	}
	for (ret = 0, i = 0; i < wait.count; i++)
		if (fences[i].reserved)
			ret = -EINVAL;
	waiter.fences = fences;
	waiter.count = wait.count;
	waiter.until = wait.until;
	if (!ret)
		ret = kvgpu_clock_wait(&waiter);
	kfree(fences);
	if (ret)
		return ret;
	wait.which = waiter.which;
	wait.time = READ_ONCE(ctx->kdev->now);
	if (READ_ONCE(ctx->dead))
		ret = -EIO;
	return copy_to_user(arg, &wait, sizeof(wait)) ? -EFAULT : ret;
}

/* ---- time --------------------------------------------------------------- */

/*
 * Device time goes on for @events, up to @limit and no further than the first sleeper. Returns when
 * something is due next.
 */
static u64 pass(struct kvgpu_dev *kdev, u64 limit, u32 events)
{
	struct kvgpu_clock *clock = kdev->clock;
	struct kvgpu_waiter *first = first_sleeper(clock);
	u64 until = first ? min(first->until, limit) : limit;
	u64 next = vgpu_device_run(kdev->model, until, events);
	u64 now = vgpu_device_now(kdev->model);

	WRITE_ONCE(kdev->now, now);
	if (!first_ready(clock) && now >= until && next > until)
		while ((first = first_sleeper(clock)) && first->until <= now)
			ready(first, VGPU_FENCE_NONE);
	if (first_ready(clock))
		return now;
	first = first_sleeper(clock);
	return first ? min(first->until, next) : next;
}

static void wake_all(struct kvgpu_clock *clock)
{
	struct kvgpu_waiter *waiter;

	while ((waiter = first_ready(clock)))
		wake(waiter);
}

/*
 * a * b / c, at most the end of virtual time: a division whose quotient needs more than 64 bits is
 * a trap of the processor.
 */
static u64 scaled(u64 a, u64 b, u64 c)
{
	if (mul_u64_u64_shr(a, b, 64) >= c)
		return VGPU_NEVER - 1;
	return min(mul_u64_u64_div_u64(a, b, c), VGPU_NEVER - 1);
}

/*
 * What was @time at @wall nanoseconds, now, with a clock of @factor. It stands at its end, after
 * 213 days at factor 1.
 */
static u64 since(u64 time, u64 wall, u64 factor)
{
	u64 passed = scaled(ktime_get_ns() - wall, factor, MILLION / 1000);

	return time + min(passed, VGPU_NEVER - 1 - time);
}

/*
 * For how long nothing is due, @next being the next thing, when a clock that may be at @now stands
 * before it.
 */
static u64 nothing_for(u64 next, u64 now, u64 factor)
{
	if (next == VGPU_NEVER)
		return KVGPU_IDLE;
	return next > now ? scaled(next - now, MILLION / 1000, factor) + 1 : 0;
}

/* ---- free and lockstep -------------------------------------------------- */

static u64 ahead_limit(const struct kvgpu_clock *clock)
{
	u64 time = since(clock->start, clock->wall_start, MILLION);

	return time + min(AHEAD_MAX, VGPU_NEVER - 1 - time);
}

/* As pass(), to whatever is due next. Where nothing is, time stands. */
static u64 pass_ahead(struct kvgpu_dev *kdev, u64 limit)
{
	u64 next = 0;
	u32 i;

	for (i = 0; i < EVENTS_PER_TURN && !first_ready(kdev->clock) && next <= limit; i++) {
		struct kvgpu_waiter *first = first_sleeper(kdev->clock);

		next = vgpu_device_run(kdev->model, vgpu_device_now(kdev->model), 0);
		if (first)
			next = min(next, first->until);
		if (next == VGPU_NEVER)
			return VGPU_NEVER;
		next = pass(kdev, next > limit ? limit : next, 1);
	}
	return next;
}

static u64 turn_free(struct kvgpu_dev *kdev)
{
	u64 limit = ahead_limit(kdev->clock);
	u64 next = pass_ahead(kdev, limit);

	wake_all(kdev->clock);
	return nothing_for(next, limit, MILLION);
}

static u64 turn_lockstep(struct kvgpu_dev *kdev)
{
	struct kvgpu_clock *clock = kdev->clock;
	u64 limit, next;

	if (clock->running)
		return KVGPU_IDLE;
	if (first_ready(clock)) {
		wake(first_ready(clock));
		return 0;
	}
	limit = ahead_limit(clock);
	next = pass_ahead(kdev, limit);
	return first_ready(clock) ? 0 : nothing_for(next, limit, MILLION);
}

/* ---- paced -------------------------------------------------------------- */

static u64 wall(const struct kvgpu_clock *clock)
{
	return since(clock->virtual_base, clock->wall_base, clock->factor);
}

static u64 turn_paced(struct kvgpu_dev *kdev)
{
	struct kvgpu_clock *clock = kdev->clock;
	u64 next = pass(kdev, wall(clock), EVENTS_PER_TURN);

	wake_all(clock);
	return nothing_for(next, wall(clock), clock->factor);
}

/* ---- which -------------------------------------------------------------- */

u64 kvgpu_clock_turn(struct kvgpu_dev *kdev)
{
	switch (kdev->clock->mode) {
	case KVGPU_PACED:
		return turn_paced(kdev);
	case KVGPU_LOCKSTEP:
		return turn_lockstep(kdev);
	default:
		return turn_free(kdev);
	}
}

void kvgpu_clock_catch_up(struct kvgpu_dev *kdev)
{
	if (kdev->clock->mode == KVGPU_PACED)
		pass(kdev, wall(kdev->clock), EVENTS_PER_TURN);
}

static void rebase(struct kvgpu_dev *kdev)
{
	struct kvgpu_clock *clock = kdev->clock;
	u64 now = vgpu_device_now(kdev->model);
	u64 start = since(clock->start, clock->wall_start, MILLION);

	clock->wall_base = clock->wall_start = ktime_get_ns();
	clock->virtual_base = now;
	/* a paced clock may have gone faster than a free one may go on */
	clock->start = max(start, now - min(now, AHEAD_MAX));
}

void kvgpu_clock_set_mode(struct kvgpu_dev *kdev, enum kvgpu_clock_mode mode)
{
	struct kvgpu_ctx *ctx;
	unsigned long id;

	rebase(kdev);
	WRITE_ONCE(kdev->clock->mode, mode);
	/* who waits without having told the actor tells it now */
	if (mode == KVGPU_LOCKSTEP)
		xa_for_each(&kdev->contexts, id, ctx)
			wake_up_all(&ctx->idle);
}

void kvgpu_clock_set_factor(struct kvgpu_dev *kdev, u64 factor)
{
	rebase(kdev);
	kdev->clock->factor = factor;
}
