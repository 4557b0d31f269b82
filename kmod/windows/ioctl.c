// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls of /dev/vgpuN other than submit and wait: copy the argument in once, check flags and
 * reserved fields, have the actor do it, copy the answer out. What the model can judge (addresses,
 * handles, limits) is left to the model.
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/windows/windows.h"

/* A refusal is one line. */
#define MESSAGE_BYTES	512u

/** struct ioctl_msg - arguments and answer of the ioctls that are one call of the model */
struct ioctl_msg {
	struct kvgpu_msg msg;
	struct kvgpu_ctx *ctx;
	bool may_raise;
	struct list_head frames;	/* of an unmap: for the caller to free */
	union {
		struct vgpu_device_info *device_info;
		struct vgpu_context_info *context_info;
		struct vgpu_mem mem;
		struct vgpu_context_priority priority;
		struct {
			u32 id;
			struct kvgpu_queue *queue;
		};
		struct {
			u32 module;
			struct vgpu_module *code;
		};
	};
};

static int ask(struct kvgpu_ctx *ctx, struct ioctl_msg *m,
	       int (*fn)(struct kvgpu_dev *, struct kvgpu_msg *))
{
	m->ctx = ctx;
	m->msg.fn = fn;
	return kvgpu_post_killable(ctx->kdev, &m->msg);
}

#define IOCTL_MSG(msg_)	container_of(msg_, struct ioctl_msg, msg)

static long ioctl_version(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct vgpu_version version = {
		.version = VGPU_UAPI_VERSION,
		.isa_version = VGPU_VASS_VERSION,
		.features = VGPU_FEATURE_PROFILED | VGPU_FEATURE_CLOCK | VGPU_FEATURE_URING |
			    VGPU_FEATURE_EVENTFD | VGPU_FEATURE_RING,
	};

	return copy_to_user(arg, &version, sizeof(version)) ? -EFAULT : 0;
}

static int do_device_info(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	vgpu_device_info(kdev->model, IOCTL_MSG(msg)->device_info);
	return 0;
}

static long ioctl_device_info(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct vgpu_device_info info = {};
	struct ioctl_msg m = { .device_info = &info };
	int ret = ask(ctx, &m, do_device_info);

	if (ret)
		return ret;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static int do_context_info(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ioctl_msg *m = IOCTL_MSG(msg);

	return vgpu_context_info(kdev->model, m->ctx->id, m->context_info);
}

static long ioctl_context_info(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct vgpu_context_info info = {};
	struct ioctl_msg m = { .context_info = &info };
	int ret = ask(ctx, &m, do_context_info);

	if (ret)
		return ret;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

/* Who may not raise it may still lower it. */
static int do_context_priority(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ioctl_msg *m = IOCTL_MSG(msg);

	return kvgpu_ctx_priority(m->ctx, m->priority.priority, m->may_raise);
}

static long ioctl_context_priority(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct ioctl_msg m = {};

	if (copy_from_user(&m.priority, arg, sizeof(m.priority)))
		return -EFAULT;
	if (m.priority.flags)
		return -EINVAL;
	m.may_raise = m.priority.priority > READ_ONCE(ctx->priority) && capable(CAP_SYS_NICE);
	return ask(ctx, &m, do_context_priority);
}

/* ---- queues ------------------------------------------------------------- */

static int do_queue_create(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ioctl_msg *m = IOCTL_MSG(msg);
	int ret = vgpu_queue_create(kdev->model, m->ctx->id, &m->id);

	if (ret)
		return ret;
	ret = xa_err(xa_store(&m->ctx->queues, m->id, m->queue, GFP_KERNEL));
	if (ret)
		vgpu_queue_destroy(kdev->model, m->ctx->id, m->id);
	return ret;
}

static int do_queue_destroy(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ioctl_msg *m = IOCTL_MSG(msg);
	int ret;

	kvgpu_rings_take(m->ctx);
	/* it takes none along that could still be told */
	while (kvgpu_waiters_turn(m->ctx))
		cond_resched();
	ret = vgpu_queue_destroy(kdev->model, m->ctx->id, m->id);
	if (ret)
		return ret;
	m->queue = xa_erase(&m->ctx->queues, m->id);
	if (m->queue->ring)
		kvgpu_ring_stop(m->queue->ring);
	return ret;
}

static int queue_destroy(struct kvgpu_ctx *ctx, u32 id)
{
	struct ioctl_msg m = { .id = id };
	int ret = ask(ctx, &m, do_queue_destroy);

	if (!ret)
		kvgpu_queue_put(m.queue);
	return ret;
}

static long ioctl_queue_create(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct vgpu_queue_create create;
	struct ioctl_msg m = {};
	int ret;

	if (copy_from_user(&create, arg, sizeof(create)))
		return -EFAULT;
	if (create.flags)
		return -EINVAL;
	m.queue = kvgpu_queue_alloc();
	if (!m.queue)
		return -ENOMEM;
	ret = ask(ctx, &m, do_queue_create);
	if (ret) {
		kvgpu_queue_put(m.queue);
		return ret;
	}
	create.queue = m.id;
	if (copy_to_user(arg, &create, sizeof(create))) {
		queue_destroy(ctx, m.id);
		return -EFAULT;
	}
	return 0;
}

static long ioctl_queue_destroy(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct vgpu_queue_destroy destroy;

	if (copy_from_user(&destroy, arg, sizeof(destroy)))
		return -EFAULT;
	if (destroy.reserved)
		return -EINVAL;
	return queue_destroy(ctx, destroy.queue);
}

/* ---- modules ------------------------------------------------------------ */

static int do_module_load(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ioctl_msg *m = IOCTL_MSG(msg);
	struct kvgpu_ctx *ctx = m->ctx;
	struct mem_cgroup *before;
	int ret;

	if (ctx->module_count >= KVGPU_MODULES_MAX)
		return ctx->dead ? -EIO : -ENOSPC;
	before = set_active_memcg(ctx->memcg);
	ret = vgpu_module_add(kdev->model, ctx->id, m->code, &m->module);
	set_active_memcg(before);
	if (!ret)
		ctx->module_count++;
	return ret;
}

static int do_module_unload(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ioctl_msg *m = IOCTL_MSG(msg);
	int ret = vgpu_module_unload(kdev->model, m->ctx->id, m->module);

	if (!ret)
		m->ctx->module_count--;
	return ret;
}

static int module_unload(struct kvgpu_ctx *ctx, u32 module)
{
	struct ioctl_msg m = { .module = module };

	return ask(ctx, &m, do_module_unload);
}

/* The refusal as text, cut to the room there is, always terminated. */
static int message_out(const struct vgpu_module_load *load, char *message)
{
	u32 bytes = min_t(u32, strlen(message) + 1, load->message_bytes);

	if (!bytes)
		return 0;
	message[bytes - 1] = 0;
	return copy_to_user(u64_to_user_ptr(load->message), message, bytes) ? -EFAULT : 0;
}

/*
 * Verifying takes its time, so the process does it and not the actor, which everybody waits for.
 * One at a time: what is being verified counts among no context's modules yet.
 */
static int module_load(struct kvgpu_ctx *ctx, const void *binary, u32 bytes, char *message,
		       u32 *module)
{
	struct ioctl_msg m = {};
	struct mem_cgroup *before;
	int ret;

	if (READ_ONCE(ctx->dead))
		return -EIO;
	if (mutex_lock_killable(&ctx->loading))
		return -EINTR;
	before = set_active_memcg(ctx->memcg);
	ret = vgpu_vass_load(&ctx->kdev->config, binary, bytes, message, MESSAGE_BYTES, &m.code);
	set_active_memcg(before);
	if (!ret) {
		ret = ask(ctx, &m, do_module_load);
		if (ret)
			vgpu_vass_free(m.code);
		*module = m.module;
	}
	mutex_unlock(&ctx->loading);
	return ret;
}

static long ioctl_module_load(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct vgpu_module_load load;
	char *message;
	void *binary;
	int ret;

	if (copy_from_user(&load, arg, sizeof(load)))
		return -EFAULT;
	if (load.flags || !load.bytes)
		return -EINVAL;
	if (load.bytes > VGPU_VASS_MAX_BYTES)
		return -E2BIG;
	message = kzalloc(MESSAGE_BYTES, GFP_KERNEL_ACCOUNT);
	if (!message)
		return -ENOMEM;
	binary = kvmalloc(load.bytes, GFP_KERNEL_ACCOUNT);
	if (!binary) {
		ret = -ENOMEM;
		goto out;
	}
	if (copy_from_user(binary, u64_to_user_ptr(load.binary), load.bytes)) {
		ret = -EFAULT;
		goto out;
	}
	ret = module_load(ctx, binary, load.bytes, message, &load.module);
	if (ret == -EINVAL && message_out(&load, message))
		ret = -EFAULT;
	if (ret)
		goto out;
	if (copy_to_user(arg, &load, sizeof(load))) {
		module_unload(ctx, load.module);
		ret = -EFAULT;
	}
out:
	kvfree(binary);
	kfree(message);
	return ret;
}

static long ioctl_module_unload(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct vgpu_module_unload unload;

	if (copy_from_user(&unload, arg, sizeof(unload)))
		return -EFAULT;
	if (unload.reserved)
		return -EINVAL;
	return module_unload(ctx, unload.module);
}

/* ---- memory ------------------------------------------------------------- */

static int do_mem_map(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ioctl_msg *m = IOCTL_MSG(msg);
	struct mem_cgroup *before = set_active_memcg(m->ctx->memcg);
	int ret = vgpu_memory_map(kdev->model, m->ctx->id, m->mem.address, m->mem.bytes);

	set_active_memcg(before);
	return ret;
}

static int do_mem_unmap(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ioctl_msg *m = IOCTL_MSG(msg);
	int ret = vgpu_memory_unmap(kdev->model, m->ctx->id, m->mem.address, m->mem.bytes);

	kvgpu_frames_collect(kdev, &m->frames);
	return ret;
}

static long ioctl_mem(struct kvgpu_ctx *ctx, void __user *arg,
		      int (*fn)(struct kvgpu_dev *, struct kvgpu_msg *))
{
	struct ioctl_msg m = { .frames = LIST_HEAD_INIT(m.frames) };
	int ret;

	if (copy_from_user(&m.mem, arg, sizeof(m.mem)))
		return -EFAULT;
	if (m.mem.flags || m.mem.reserved)
		return -EINVAL;
	ret = ask(ctx, &m, fn);
	kvgpu_frames_free(ctx->kdev, &m.frames);
	return ret;
}

/* ---- dispatch ----------------------------------------------------------- */

long kvgpu_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	void __user *user = (void __user *)arg;

	/* the number carries the size: any other size is another, unknown ioctl */
	switch (cmd) {
	case VGPU_IOC_VERSION:
		return ioctl_version(ctx, user);
	case VGPU_IOC_DEVICE_INFO:
		return ioctl_device_info(ctx, user);
	case VGPU_IOC_CONTEXT_INFO:
		return ioctl_context_info(ctx, user);
	case VGPU_IOC_CONTEXT_PRIORITY:
		return ioctl_context_priority(ctx, user);
	case VGPU_IOC_QUEUE_CREATE:
		return ioctl_queue_create(ctx, user);
	case VGPU_IOC_QUEUE_DESTROY:
		return ioctl_queue_destroy(ctx, user);
	case VGPU_IOC_MODULE_LOAD:
		return ioctl_module_load(ctx, user);
	case VGPU_IOC_MODULE_UNLOAD:
		return ioctl_module_unload(ctx, user);
	case VGPU_IOC_MEM_MAP:
		return ioctl_mem(ctx, user, do_mem_map);
	case VGPU_IOC_MEM_UNMAP:
		return ioctl_mem(ctx, user, do_mem_unmap);
	case VGPU_IOC_SUBMIT:
		return kvgpu_submit(ctx, user);
	case VGPU_IOC_WAIT:
		return kvgpu_wait(ctx, user);
	case VGPU_IOC_WAIT_ANY:
		return kvgpu_wait_any(ctx, user);
	case VGPU_IOC_RING_CREATE:
		return kvgpu_ring_create(ctx, user);
	case VGPU_IOC_RING_DOORBELL:
		return kvgpu_ring_doorbell(ctx, user);
	case VGPU_IOC_EVENTFD:
		return kvgpu_eventfd(ctx, user);
	case VGPU_IOC_SEAT_CREATE:
		return kvgpu_ioctl_seat_create(ctx, user);
	default:
		return -ENOTTY;
	}
}
