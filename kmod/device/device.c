// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device: the model as one of its system, what it asks of the module, and what the rooms keep of
 * it.
 */
#include <linux/slab.h>

#include "kmod/device/device.h"
#include "kmod/policy/policy.h"
#include "vgpu_netlink.h"

/** struct kvgpu_device - a device as the rooms see it, and what they keep of it */
struct kvgpu_device {
	struct kvgpu_dev dev;
	struct kvgpu_memory memory;
	struct kvgpu_queues queues;
	struct kvgpu_trace trace;
	struct kvgpu_notices notices;
	struct kvgpu_sysfs sysfs;
	struct kvgpu_timeout timeout;
};

/*
 * Real time, in milliseconds. Compiled kernels are interpreted, by a busy machine perhaps: what
 * takes a real device a second may take this one a minute.
 */
#define TIMEOUT_MS	60000u
#define PIN_TIMEOUT_MS	86400000u

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

static void *host_managed_page(void *host, u32 context, u64 address)
{
	struct kvgpu_dev *kdev = host;
	bool was_low = kdev->memory->low;
	void *page = kvgpu_managed_page(kdev, context, address);

	if (kdev->memory->low && !was_low)
		kvgpu_notice_memory(kdev);
	return page;
}

static void host_revoke(void *host, u32 context, u64 address, u64 bytes)
{
	kvgpu_managed_revoke(host, context, address, bytes);
}

static void host_protect(void *host, u32 context, u64 address, u64 bytes)
{
	kvgpu_managed_protect(host, context, address, bytes);
}

static void host_arrived(void *host, u32 context, u64 address, u64 bytes)
{
	kvgpu_managed_arrived(host, context, address, bytes);
}

static void host_process_wants(void *host, u32 context)
{
	kvgpu_process_wants(host, context);
}

static void host_process_hold(void *host, u32 context)
{
	kvgpu_process_hold(host, context);
}

static void *host_process_page(void *host, u32 context, u64 address, bool write)
{
	return kvgpu_process_page(host, context, address, write);
}

static void host_process_release(void *host, u32 context)
{
	kvgpu_process_release(host, context);
}

static void host_allocation_freed(void *host, u64 owner, u64 bytes)
{
	kvgpu_allocation_freed(host, owner, bytes);
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

static void host_counted(void *host, const struct vgpu_launch_counts *counts)
{
	kvgpu_counts_add(host, counts);
}

static void host_dropped(void *host, const char *what, const char *name, const char *reason,
			 const char *next)
{
	kvgpu_notice_dropped(host, what, name, reason, next);
}

/* Those of a context; 0: of several, for which nobody waits together. */
static struct kvgpu_helpers *helpers_of(struct kvgpu_dev *kdev, u32 context)
{
	struct kvgpu_ctx *ctx = context ? xa_load(&kdev->contexts, context) : NULL;

	return ctx ? ctx->helpers : NULL;
}

static void host_parallel(void *host, u32 context, void (*run)(void *arg, u32 n),
			  void (*end)(void *arg, u32 n), void *arg, u32 count)
{
	struct kvgpu_dev *kdev = host;

	kvgpu_assert_actor(kdev);
	kvgpu_batch_run(kdev->system, helpers_of(kdev, context), run, end, arg, count);
}

static bool host_hands(void *host, u32 context)
{
	struct kvgpu_dev *kdev = host;

	kvgpu_assert_actor(kdev);
	return kvgpu_has_hands(helpers_of(kdev, context));
}

/* With an end(), one follows the other. */
static void host_turn(void *host, u32 n)
{
}

static bool host_gives_way(void *host)
{
	struct kvgpu_dev *kdev = host;

	return kvgpu_batch_give_way(kdev->system);
}

static const struct vgpu_host_ops host_ops = {
	.get_frame = host_get_frame,
	.put_frame = host_put_frame,
	.move = host_move,
	.completed = host_completed,
	.context_died = host_context_died,
	.trace = kvgpu_record,
	.preempted = host_preempted,
	.counted = host_counted,
	.dropped = host_dropped,
	.managed_page = host_managed_page,
	.revoke = host_revoke,
	.protect = host_protect,
	.arrived = host_arrived,
	.process_wants = host_process_wants,
	.process_hold = host_process_hold,
	.process_page = host_process_page,
	.process_release = host_process_release,
	.allocation_freed = host_allocation_freed,
	.parallel = host_parallel,
	.hands = host_hands,
	.turn = host_turn,
	.gives_way = host_gives_way,
};

/* ---- in its system (actor) ---------------------------------------------- */

static int do_join(struct kvgpu_dev *kdev, void *arg)
{
	int ret = vgpu_device_create_in(kdev->system->model, &kdev->config, &host_ops, kdev,
					&kdev->model);

	if (ret)
		return ret;
	list_add_tail(&kdev->node, &kdev->system->devices);
	return 0;
}

static int do_leave(struct kvgpu_dev *kdev, void *arg)
{
	list_del(&kdev->node);
	vgpu_device_destroy(kdev->model);
	return 0;
}

/* ---- create and destroy ------------------------------------------------- */

static void device_free(struct kvgpu_dev *kdev)
{
	kvgpu_counts_free(kdev->counts);
	kvfree(kdev->trace->ring);
	kvfree(kdev->trace->preemptions);
	kfree(container_of(kdev, struct kvgpu_device, dev));
}

/* The last reference is gone: no file is open any more and nobody can send. */
static void device_release(struct kref *ref)
{
	struct kvgpu_dev *kdev = container_of(ref, struct kvgpu_dev, ref);

	kvgpu_notices_stop(kdev);
	kvgpu_policies_detach(kdev);
	kvgpu_actor_call(kdev, do_leave, NULL);
	kvgpu_system_put(kdev->system);
	cancel_work_sync(&kdev->notices->work);
	WARN_ON(!xa_empty(&kdev->contexts) || !list_empty(&kdev->memory->released) ||
		atomic64_read(&kdev->memory->frames) || atomic64_read(&kdev->memory->pins) ||
		atomic64_read(&kdev->memory->managed));
	xa_destroy(&kdev->contexts);
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
	kdev->queues = &device->queues;
	kdev->trace = &device->trace;
	kdev->notices = &device->notices;
	kdev->sysfs = &device->sysfs;
	kdev->timeout = &device->timeout;
	kdev->timeout_ms = TIMEOUT_MS;
	kdev->pin_timeout_ms = PIN_TIMEOUT_MS;
	kdev->user_share = KVGPU_USER_SHARE;
	kref_init(&kdev->ref);
	kdev->release = device_release;
	INIT_LIST_HEAD(&kdev->signalled);
	kvgpu_inbox_init(&kdev->inbox, kdev);
	xa_init(&kdev->contexts);
	kvgpu_memory_init(kdev->memory);
	INIT_LIST_HEAD(&kdev->queues->rings);
	mutex_init(&kdev->trace->read_lock);
	kvgpu_notices_init(kdev);
	mutex_init(&kdev->sysfs->contexts_lock);
	return kdev;
}

struct kvgpu_dev *kvgpu_dev_create(unsigned int index, const struct vgpu_config *config,
				   const char *system)
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
	kdev->system = kvgpu_system_get(system, kdev->name);
	ret = PTR_ERR_OR_ZERO(kdev->system);
	if (ret)
		goto free;
	mutex_lock(&kvgpu_policies_lock);
	ret = kvgpu_actor_call(kdev, do_join, NULL);
	if (!ret)
		kvgpu_policies_attach(kdev);
	mutex_unlock(&kvgpu_policies_lock);
	if (!ret)
		return kdev;
	kvgpu_system_put(kdev->system);
free:
	device_free(kdev);
	return ERR_PTR(ret);
}
