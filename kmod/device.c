// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device: the model, and the kthread that is its one actor. The actor takes messages out of the
 * inbox, at most a batch at a time, and lets device time pass in stretches of a few events in
 * between, so neither a flood of ioctls nor an endless kernel keeps the other waiting. It sleeps
 * when the model is idle and nobody asks anything.
 */
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "kvgpu.h"

#define MESSAGES_PER_TURN	64u
/* To tell somebody costs a wake-up, so a busy actor tells many at once. */
#define TURNS_PER_ANSWER	16u

static int host_move(void *host, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes,
		     enum vgpu_move dir)
{
	if (WARN_ON_ONCE(!cookie || cookie & 1))
		return -EFAULT;
	return kvgpu_pin_move((struct kvgpu_pin *)(uintptr_t)cookie, offset, memory, bytes, dir);
}

static void preempted(void *host, u32 context, u32 sm, u64 requested)
{
	struct kvgpu_dev *kdev = host;

	vgpu_latency_add(kdev->preemptions, vgpu_device_now(kdev->model) - requested);
}

static const struct vgpu_host_ops host_ops = {
	.get_frame = kvgpu_get_frame,
	.put_frame = kvgpu_put_frame,
	.move = host_move,
	.completed = kvgpu_completed,
	.context_died = kvgpu_context_died,
	.trace = kvgpu_record,
	.preempted = preempted,
};

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

static void msg_send(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	spin_lock(&kdev->inbox_lock);
	list_add_tail(&msg->node, &kdev->inbox);
	spin_unlock(&kdev->inbox_lock);
	if (wq_has_sleeper(&kdev->wake))
		wake_up(&kdev->wake);
}

void kvgpu_give(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	msg->given = true;
	msg_send(kdev, msg);
}

int kvgpu_post(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	init_completion(&msg->done);
	msg_send(kdev, msg);
	if (!kvgpu_spin(msg_done, &msg->done))
		wait_for_completion(&msg->done);
	return msg->result;
}

int kvgpu_post_killable(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	bool queued;

	init_completion(&msg->done);
	msg_send(kdev, msg);
	if (kvgpu_spin(msg_done, &msg->done) || !wait_for_completion_killable(&msg->done))
		return msg->result;
	spin_lock(&kdev->inbox_lock);
	queued = !list_empty(&msg->node);
	list_del_init(&msg->node);
	spin_unlock(&kdev->inbox_lock);
	if (queued)
		return -EINTR;
	/* the actor has it in hand and will be done in a moment; it must not outlive our stack */
	wait_for_completion(&msg->done);
	return msg->result;
}

static struct kvgpu_msg *inbox_take(struct kvgpu_dev *kdev)
{
	struct kvgpu_msg *msg;

	spin_lock(&kdev->inbox_lock);
	msg = list_first_entry_or_null(&kdev->inbox, struct kvgpu_msg, node);
	if (msg)
		list_del_init(&msg->node);
	spin_unlock(&kdev->inbox_lock);
	return msg;
}

static bool work_to_do(void *arg)
{
	struct kvgpu_dev *kdev = arg;

	return !list_empty_careful(&kdev->inbox) || kvgpu_rings_full(kdev) || kthread_should_stop();
}

/* The actor has nothing to do for @ns, unless a message comes. */
static void rest(struct kvgpu_dev *kdev, u64 ns)
{
	if (kvgpu_spin(work_to_do, kdev))
		return;
	kvgpu_rings_asleep(kdev, true);
	if (ns == KVGPU_IDLE)
		wait_event_idle(kdev->wake, work_to_do(kdev));
	else
		wait_event_hrtimeout(kdev->wake, work_to_do(kdev),
				     ns_to_ktime(min_t(u64, ns, NSEC_PER_SEC)));
	kvgpu_rings_asleep(kdev, false);
}

static int actor(void *data)
{
	struct kvgpu_dev *kdev = data;
	u64 idle = KVGPU_IDLE;
	unsigned int turns = 0;

	while (!kthread_should_stop()) {
		struct kvgpu_msg *msg;
		u32 i;

		if (idle)
			rest(kdev, idle);
		kvgpu_trace_look(kdev);
		kvgpu_clock_catch_up(kdev);
		for (i = 0; i < MESSAGES_PER_TURN; i++) {
			msg = inbox_take(kdev);
			if (!msg)
				break;
			if (msg->given) {
				msg->fn(kdev, msg);
				continue;
			}
			msg->result = msg->fn(kdev, msg);
			complete(&msg->done);
		}
		kvgpu_rings_turn(kdev);
		idle = kvgpu_clock_turn(kdev);
		if (kvgpu_news(kdev))
			idle = 0;
		if (idle || ++turns % TURNS_PER_ANSWER == 0)
			kvgpu_uring_answer(kdev);
		cond_resched();
	}
	return 0;
}

struct kvgpu_dev *kvgpu_dev_create(unsigned int index, const struct vgpu_config *config)
{
	struct kvgpu_dev *kdev = kzalloc(sizeof(*kdev), GFP_KERNEL);
	int ret;

	if (!kdev)
		return ERR_PTR(-ENOMEM);
	kdev->index = index;
	snprintf(kdev->name, sizeof(kdev->name), "vgpu%u", index);
	kdev->config = *config;
	spin_lock_init(&kdev->inbox_lock);
	INIT_LIST_HEAD(&kdev->inbox);
	INIT_LIST_HEAD(&kdev->news);
	INIT_LIST_HEAD(&kdev->rings);
	INIT_LIST_HEAD(&kdev->given_back);
	init_waitqueue_head(&kdev->wake);
	xa_init(&kdev->contexts);
	INIT_DELAYED_WORK(&kdev->watch, kvgpu_calls_watch);
	mutex_init(&kdev->contexts_lock);
	kvgpu_clock_init(&kdev->clock);
	mutex_init(&kdev->trace.read_lock);
	kvgpu_notices_init(kdev);
	kdev->preemptions = kvzalloc(sizeof(*kdev->preemptions), GFP_KERNEL);
	if (!kdev->preemptions) {
		ret = -ENOMEM;
		goto free;
	}
	ret = vgpu_device_create(config, &host_ops, kdev, &kdev->model);
	if (ret)
		goto free;
	ret = kvgpu_sysfs_prepare(kdev);
	if (ret)
		goto destroy;
	kdev->actor = kthread_run(actor, kdev, "%s", kdev->name);
	if (IS_ERR(kdev->actor)) {
		ret = PTR_ERR(kdev->actor);
		goto sysfs;
	}
	return kdev;
sysfs:
	kvgpu_sysfs_free(kdev);
destroy:
	vgpu_device_destroy(kdev->model);
free:
	kvfree(kdev->preemptions);
	kfree(kdev);
	return ERR_PTR(ret);
}

/* No file is open any more and nobody can send. */
void kvgpu_dev_destroy(struct kvgpu_dev *kdev)
{
	cancel_delayed_work_sync(&kdev->watch);
	kvgpu_notices_stop(kdev);
	kthread_stop(kdev->actor);
	cancel_work_sync(&kdev->notices.work);
	vgpu_device_destroy(kdev->model);
	WARN_ON(!xa_empty(&kdev->contexts) || !list_empty(&kdev->given_back) ||
		atomic64_read(&kdev->frames) || atomic64_read(&kdev->pins));
	xa_destroy(&kdev->contexts);
	kvfree(kdev->trace.ring);
	kvfree(kdev->preemptions);
	kvgpu_sysfs_free(kdev);
	kfree(kdev);
}
