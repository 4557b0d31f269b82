// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages to the actor of a system. Everybody who wants something of a device's model puts a
 * message into the inbox; the actor, whose loop is in device/system.c, runs its function and
 * answers.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "kmod/core/core.h"

/*
 * Actor and sender usually answer each other within microseconds, less than it takes to sleep and
 * to be woken on another processor. So either busy-waits briefly before it sleeps,
 * unless another task needs the processor.
 */
#define SPIN_NS		50000u

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

static bool msg_done(void *arg)
{
	return completion_done(arg);
}

static void msg_send(struct kvgpu_msg *msg)
{
	struct kvgpu_system *system = msg->kdev->system;

	spin_lock(&system->inbox_lock);
	list_add_tail(&msg->node, &system->inbox);
	spin_unlock(&system->inbox_lock);
	if (wq_has_sleeper(&system->wake))
		wake_up(&system->wake);
}

void kvgpu_actor_send(struct kvgpu_dev *kdev, struct kvgpu_msg *msg,
		      int (*fn)(struct kvgpu_dev *kdev, void *arg), void *arg)
{
	*msg = (struct kvgpu_msg){ .kdev = kdev, .fn = fn, .arg = arg, .sent = true };
	msg_send(msg);
}

/* Take it back, unless the actor has begun. */
static bool msg_withdraw(struct kvgpu_msg *msg)
{
	struct kvgpu_system *system = msg->kdev->system;
	bool queued;

	spin_lock(&system->inbox_lock);
	queued = !list_empty(&msg->node);
	list_del_init(&msg->node);
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

int kvgpu_actor_call(struct kvgpu_dev *kdev, int (*fn)(struct kvgpu_dev *kdev, void *arg),
		     void *arg)
{
	struct kvgpu_msg msg = { .kdev = kdev, .fn = fn, .arg = arg };

	return msg_call(&msg, TASK_UNINTERRUPTIBLE);
}

int kvgpu_actor_call_killable(struct kvgpu_dev *kdev, int (*fn)(struct kvgpu_dev *kdev, void *arg),
			      void *arg)
{
	struct kvgpu_msg msg = { .kdev = kdev, .fn = fn, .arg = arg };

	return msg_call(&msg, TASK_KILLABLE);
}

static struct kvgpu_msg *msg_receive(struct kvgpu_system *system)
{
	struct kvgpu_msg *msg;

	spin_lock(&system->inbox_lock);
	msg = list_first_entry_or_null(&system->inbox, struct kvgpu_msg, node);
	if (msg)
		list_del_init(&msg->node);
	spin_unlock(&system->inbox_lock);
	return msg;
}

void kvgpu_actor_serve(struct kvgpu_system *system, u32 count)
{
	struct kvgpu_msg *msg;

	while (count-- && (msg = msg_receive(system))) {
		if (msg->sent) {
			/* @fn may free it */
			msg->fn(msg->kdev, msg->arg);
			continue;
		}
		msg->result = msg->fn(msg->kdev, msg->arg);
		complete(&msg->done);
	}
}
