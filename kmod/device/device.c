// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device: the model, and the kthread that is its one actor. The actor takes messages out of the
 * inbox, at most a batch at a time, and lets device time pass in stretches of a few events in
 * between, so neither a flood of ioctls nor an endless kernel keeps the other waiting. It sleeps
 * when the model is idle and nobody asks anything.
 */
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "kmod/device/device.h"
#include "vgpu_netlink.h"

#define MESSAGES_PER_TURN	64u
/* To complete a command of io_uring wakes its task, so a busy actor completes many at once. */
#define TURNS_PER_WAKE		16u

/** struct kvgpu_device - a device as the rooms see it, and what they keep of it */
struct kvgpu_device {
	struct kvgpu_dev dev;
	struct kvgpu_memory memory;
	struct kvgpu_clock clock;
	struct kvgpu_queues queues;
	struct kvgpu_trace trace;
	struct kvgpu_notices notices;
	struct kvgpu_sysfs sysfs;
};

/* ---- what the model asks of its host ------------------------------------ */

static void *host_get_frame(void *host, u32 context)
{
	struct kvgpu_dev *kdev = host;
	bool was_low = kdev->memory->low;
	void *frame = kvgpu_frame_alloc(kdev, context);

	if (kdev->memory->low && !was_low)
		kvgpu_notice_memory(kdev);
	return frame;
}

static void host_put_frame(void *host, void *frame)
{
	kvgpu_frame_release(host, frame);
}

static int host_move(void *host, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes,
		     enum vgpu_move dir)
{
	if (WARN_ON_ONCE(!cookie || cookie & 1))
		return -EFAULT;
	return kvgpu_pin_move((struct kvgpu_pin *)(uintptr_t)cookie, offset, memory, bytes, dir);
}

static void host_completed(void *host, const struct vgpu_completion *completion)
{
	kvgpu_completed(host, completion);
}

static void host_context_died(void *host, u32 context, const struct vgpu_fault *fault)
{
	struct kvgpu_dev *kdev = host;
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, context);

	if (WARN_ON_ONCE(!ctx))
		return;
	kvgpu_context_died(ctx, fault->reason);
	kvgpu_notice_context(ctx, VGPU_NL_CMD_CONTEXT_DIED, fault);
}

static void host_preempted(void *host, u32 context, u32 sm, u64 requested)
{
	struct kvgpu_dev *kdev = host;

	vgpu_latency_add(kdev->trace->preemptions, vgpu_device_now(kdev->model) - requested);
}

static const struct vgpu_host_ops host_ops = {
	.get_frame = host_get_frame,
	.put_frame = host_put_frame,
	.move = host_move,
	.completed = host_completed,
	.context_died = host_context_died,
	.trace = kvgpu_record,
	.preempted = host_preempted,
};

/* ---- the actor ---------------------------------------------------------- */

static bool work_to_do(void *arg)
{
	struct kvgpu_dev *kdev = arg;

	return !list_empty_careful(&kdev->inbox) || kvgpu_rings_pending(kdev) ||
	       kthread_should_stop();
}

/* The actor has nothing to do for @ns, unless a message comes. */
static void actor_sleep(struct kvgpu_dev *kdev, u64 ns)
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

static int actor_loop(void *data)
{
	struct kvgpu_dev *kdev = data;
	u64 idle = KVGPU_IDLE;
	unsigned int turns = 0;

	while (!kthread_should_stop()) {
		if (idle)
			actor_sleep(kdev, idle);
		kvgpu_trace_look(kdev);
		kvgpu_clock_catch_up(kdev);
		kvgpu_actor_serve(kdev, MESSAGES_PER_TURN);
		kvgpu_rings_turn(kdev);
		idle = kvgpu_clock_turn(kdev);
		idle = min(idle, kvgpu_timers_turn(kdev));
		if (kvgpu_completions_turn(kdev))
			idle = 0;
		if (idle || ++turns % TURNS_PER_WAKE == 0)
			kvgpu_uring_turn(kdev);
		cond_resched();
	}
	return 0;
}

/* ---- create and destroy ------------------------------------------------- */

static void device_free(struct kvgpu_dev *kdev)
{
	kvfree(kdev->trace->ring);
	kvfree(kdev->trace->preemptions);
	kfree(container_of(kdev, struct kvgpu_device, dev));
}

/* The last reference is gone: no file is open any more and nobody can send. */
static void device_release(struct kref *ref)
{
	struct kvgpu_dev *kdev = container_of(ref, struct kvgpu_dev, ref);

	kvgpu_notices_stop(kdev);
	kthread_stop(kdev->actor);
	cancel_work_sync(&kdev->notices->work);
	vgpu_device_destroy(kdev->model);
	WARN_ON(!xa_empty(&kdev->contexts) || !list_empty(&kdev->memory->released) ||
		atomic64_read(&kdev->memory->frames) || atomic64_read(&kdev->memory->pins));
	xa_destroy(&kdev->contexts);
	kvgpu_sysfs_free(kdev);
	device_free(kdev);
}

static struct kvgpu_dev *device_alloc(void)
{
	struct kvgpu_device *device = kzalloc(sizeof(*device), GFP_KERNEL);
	struct kvgpu_dev *kdev;

	if (!device)
		return NULL;
	kdev = &device->dev;
	kdev->memory = &device->memory;
	kdev->clock = &device->clock;
	kdev->queues = &device->queues;
	kdev->trace = &device->trace;
	kdev->notices = &device->notices;
	kdev->sysfs = &device->sysfs;
	kref_init(&kdev->ref);
	kdev->release = device_release;
	spin_lock_init(&kdev->inbox_lock);
	INIT_LIST_HEAD(&kdev->inbox);
	INIT_LIST_HEAD(&kdev->signalled);
	init_waitqueue_head(&kdev->wake);
	xa_init(&kdev->contexts);
	kvgpu_memory_init(kdev->memory);
	kvgpu_clock_init(kdev->clock);
	INIT_LIST_HEAD(&kdev->queues->rings);
	mutex_init(&kdev->trace->read_lock);
	kvgpu_notices_init(kdev);
	mutex_init(&kdev->sysfs->contexts_lock);
	return kdev;
}

struct kvgpu_dev *kvgpu_dev_create(unsigned int index, const struct vgpu_config *config)
{
	struct kvgpu_dev *kdev = device_alloc();
	int ret = -ENOMEM;

	if (!kdev)
		return ERR_PTR(-ENOMEM);
	kdev->index = index;
	snprintf(kdev->name, sizeof(kdev->name), "vgpu%u", index);
	kdev->config = *config;
	kdev->trace->preemptions = kvzalloc(sizeof(*kdev->trace->preemptions), GFP_KERNEL);
	if (!kdev->trace->preemptions)
		goto free;
	ret = vgpu_device_create(config, &host_ops, kdev, &kdev->model);
	if (ret)
		goto free;
	ret = kvgpu_sysfs_prepare(kdev);
	if (ret)
		goto destroy;
	kdev->actor = kthread_run(actor_loop, kdev, "%s", kdev->name);
	if (!IS_ERR(kdev->actor))
		return kdev;
	ret = PTR_ERR(kdev->actor);
	kvgpu_sysfs_free(kdev);
destroy:
	vgpu_device_destroy(kdev->model);
free:
	device_free(kdev);
	return ERR_PTR(ret);
}
