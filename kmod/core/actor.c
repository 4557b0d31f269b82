// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: Messages to the actor of a system
 *
 * Everybody who wants something of a device's model puts a message into an inbox; the actor, whose
 * loop is in device/system.c, runs its function and answers.
 *
 * One actor serves everybody, so its time is what senders compete for. Each open file has an inbox
 * of its own, and the actor goes on with the inbox that has been served for the shortest time, as a
 * fair scheduler of tasks does. An inbox is charged with the time that the actor spends on calls of
 * its sender: messages, commands in rings, completions (kvgpu_inbox_charge()). While it
 * is empty an inbox saves nothing: the first message puts it beside those that are being served now
 * (system->served), or DEBT_MAX behind them at most. So whoever sends a single message waits for
 * one message of each other sender that has one, and at most DEBT_MAX longer if he has just had
 * others served.
 *
 * What the models execute, kernels and copies, is in the order of virtual time, which no inbox
 * changes. Its real time is counted apart, to be shown (kvgpu_execution_charge()): if it counted
 * here, a program that computes would wait longer for its messages, and nobody's kernel would run
 * sooner for that.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include "kmod/core/core.h"

/*
 * Actor and sender usually answer each other within microseconds, less than it takes to sleep and
 * to be woken on another processor. So either busy-waits briefly before it sleeps,
 * unless another task needs the processor.
 */
#define SPIN_NS		50000u
/* What an inbox may be behind others for what it had before they came. */
#define DEBT_MAX	(2 * NSEC_PER_MSEC)

/* Execution is charged to contexts when there is so much of it. */
#define SHARE_MIN	(100 * NSEC_PER_USEC)

bool kvgpu_spin(bool (*ready)(void *arg), void *arg)
{
	u64 end;

	if (ready(arg))
		return true;
	if (num_online_cpus() == 1)
		return false;
	end = ktime_get_ns() + SPIN_NS;
	while (!need_resched() && ktime_get_ns() < end) {
		cpu_relax();
		if (ready(arg))
			return true;
	}
	return false;
}

/* ---- inboxes ------------------------------------------------------------ */

void kvgpu_inbox_init(struct kvgpu_inbox *inbox, struct kvgpu_dev *kdev)
{
	*inbox = (struct kvgpu_inbox){ .kdev = kdev };
	INIT_LIST_HEAD(&inbox->messages);
	RB_CLEAR_NODE(&inbox->node);
}

static bool inbox_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct kvgpu_inbox, node)->served <
	       rb_entry(b, struct kvgpu_inbox, node)->served;
}

/* Under inbox_lock, as the two below. */
static void inbox_queue(struct kvgpu_inbox *inbox)
{
	rb_add_cached(&inbox->node, &inbox->kdev->system->inboxes, inbox_before);
}

static void inbox_dequeue(struct kvgpu_inbox *inbox)
{
	rb_erase_cached(&inbox->node, &inbox->kdev->system->inboxes);
	RB_CLEAR_NODE(&inbox->node);
}

static void inbox_wait(struct kvgpu_inbox *inbox)
{
	u64 served = inbox->kdev->system->served;

	if (!RB_EMPTY_NODE(&inbox->node))
		return;
	inbox->served = clamp(inbox->served, served, served + DEBT_MAX);
	inbox_queue(inbox);
}

void kvgpu_inbox_charge(struct kvgpu_inbox *inbox, u64 ns)
{
	struct kvgpu_system *system = inbox->kdev->system;
	bool queued;

	spin_lock(&system->inbox_lock);
	queued = !RB_EMPTY_NODE(&inbox->node);
	if (queued)
		inbox_dequeue(inbox);
	inbox->served += ns;
	if (queued)
		inbox_queue(inbox);
	spin_unlock(&system->inbox_lock);
	WRITE_ONCE(inbox->used, inbox->used + ns);
}

bool kvgpu_inboxes_pending(struct kvgpu_system *system)
{
	return READ_ONCE(system->inboxes.rb_root.rb_node);
}

/* ---- send --------------------------------------------------------------- */

static bool msg_done(void *arg)
{
	return completion_done(arg);
}

static void msg_send(struct kvgpu_msg *msg)
{
	struct kvgpu_system *system = msg->inbox->kdev->system;

	msg->kcov = kvgpu_kcov_current();
	spin_lock(&system->inbox_lock);
	list_add_tail(&msg->node, &msg->inbox->messages);
	inbox_wait(msg->inbox);
	spin_unlock(&system->inbox_lock);
	/* the actor may be in the middle of a long event */
	vgpu_system_interrupt(system->model, true);
	if (wq_has_sleeper(&system->wake))
		wake_up(&system->wake);
}

void kvgpu_inbox_send(struct kvgpu_inbox *inbox, struct kvgpu_msg *msg,
		      int (*fn)(struct kvgpu_dev *kdev, void *arg), void *arg)
{
	*msg = (struct kvgpu_msg){ .inbox = inbox, .fn = fn, .arg = arg, .sent = true };
	msg_send(msg);
}

/* Take it out of its inbox, under inbox_lock. */
static void msg_remove(struct kvgpu_msg *msg)
{
	list_del_init(&msg->node);
	if (list_empty(&msg->inbox->messages))
		inbox_dequeue(msg->inbox);
}

/* Take it back, unless the actor is at it. */
static bool msg_withdraw(struct kvgpu_msg *msg)
{
	struct kvgpu_system *system = msg->inbox->kdev->system;
	bool queued;

	spin_lock(&system->inbox_lock);
	queued = !list_empty(&msg->node);
	if (queued)
		msg_remove(msg);
	spin_unlock(&system->inbox_lock);
	return queued;
}

static int msg_call(struct kvgpu_msg *msg, unsigned int state)
{
	init_completion(&msg->done);
	msg_send(msg);
	if (kvgpu_spin(msg_done, &msg->done) || !wait_for_completion_state(&msg->done, state))
		return msg->result;
	if (msg_withdraw(msg))
		return -EINTR;
	/* it will be done in a moment, and must not outlive our stack */
	wait_for_completion(&msg->done);
	return msg->result;
}

int kvgpu_inbox_call(struct kvgpu_inbox *inbox, int (*fn)(struct kvgpu_dev *kdev, void *arg),
		     void *arg)
{
	struct kvgpu_msg msg = { .inbox = inbox, .fn = fn, .arg = arg };

	return msg_call(&msg, TASK_UNINTERRUPTIBLE);
}

int kvgpu_inbox_call_killable(struct kvgpu_inbox *inbox,
			      int (*fn)(struct kvgpu_dev *kdev, void *arg), void *arg)
{
	struct kvgpu_msg msg = { .inbox = inbox, .fn = fn, .arg = arg };

	return msg_call(&msg, TASK_KILLABLE);
}

/* ---- serve (actor) ------------------------------------------------------ */

static struct kvgpu_msg *msg_receive(struct kvgpu_system *system)
{
	struct kvgpu_inbox *inbox;
	struct kvgpu_msg *msg = NULL;

	spin_lock(&system->inbox_lock);
	inbox = rb_entry_safe(rb_first_cached(&system->inboxes), struct kvgpu_inbox, node);
	if (inbox) {
		system->served = max(system->served, inbox->served);
		msg = list_first_entry(&inbox->messages, struct kvgpu_msg, node);
		msg_remove(msg);
	}
	spin_unlock(&system->inbox_lock);
	return msg;
}

/* There is more to do for it. */
static void msg_repeat(struct kvgpu_msg *msg)
{
	struct kvgpu_system *system = msg->inbox->kdev->system;

	spin_lock(&system->inbox_lock);
	msg->repeats++;
	list_add(&msg->node, &msg->inbox->messages);
	inbox_wait(msg->inbox);
	spin_unlock(&system->inbox_lock);
}

void kvgpu_inboxes_serve(struct kvgpu_system *system, u64 ns)
{
	u64 begin = ktime_get_ns(), now = begin, before;
	struct kvgpu_msg *msg;

	do {
		struct kvgpu_inbox *inbox;
		struct kvgpu_kcov kcov;
		bool sent;
		int result;

		msg = msg_receive(system);
		if (!msg)
			return;
		inbox = msg->inbox;
		inbox->repeats = msg->repeats;
		sent = msg->sent;
		kcov = msg->kcov;
		kvgpu_kcov_start(kcov, &system->kcov);
		/* it may free a message that was sent, unless it wants to be called again */
		result = msg->fn(inbox->kdev, msg->arg);
		kvgpu_kcov_stop(kcov);
		before = now;
		now = ktime_get_ns();
		kvgpu_inbox_charge(inbox, now - before);
		if (result == KVGPU_AGAIN) {
			msg_repeat(msg);
		} else if (!sent) {
			/* the sender may free the inbox from here on */
			msg->result = result;
			complete(&msg->done);
		}
	} while (now - begin < ns);
}

/* ---- execution (actor) -------------------------------------------------- */

static void execution_share(void *arg, void *host, u32 context, u64 units, u64 total)
{
	const struct kvgpu_system *system = arg;
	struct kvgpu_dev *kdev = host;
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, context);

	if (ctx)
		WRITE_ONCE(ctx->executed, ctx->executed +
			   mul_u64_u64_div_u64(system->unshared, units, total));
}

void kvgpu_execution_charge(struct kvgpu_system *system, u64 ns, bool idle)
{
	system->unshared += ns;
	if (system->unshared < SHARE_MIN && !idle)
		return;
	vgpu_system_work(system->model, execution_share, system);
	system->unshared = 0;
}
