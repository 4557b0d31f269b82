// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls of /dev/vgpuN other than submit and wait, and the table of all of them: check flags and
 * reserved fields, have the actor do it. What the model can judge (addresses, handles, limits) is
 * left to the model. To add one: its struct and number in uapi/vgpu.h, a handler, a line in the
 * table.
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/windows/windows.h"

/* A refusal is one line. */
#define MESSAGE_BYTES	512u

/** struct ioctl_call - an ioctl that is one call of the model */
struct ioctl_call {
	struct kvgpu_ctx *ctx;
	struct vgpu_device *model;
	void *args;			/* copy of its struct */
	bool may_raise;
	struct kvgpu_queue *queue;	/* for the caller to release */
	struct vgpu_module *code;
	bool managed;			/* an unmap was of managed memory */
	u64 done;			/* bytes that have the advice */
	void *bytes;			/* of a peek: what was read */
	struct list_head frames;	/* of an unmap: for the caller to free */
	int (*fn)(struct ioctl_call *call);
};

static int do_ioctl(struct kvgpu_dev *kdev, void *arg)
{
	struct ioctl_call *call = arg;

	return call->fn(call);
}

/* Have the actor run @fn(@call). */
static int ioctl_actor(struct ioctl_call *call, int (*fn)(struct ioctl_call *call))
{
	struct kvgpu_dev *kdev = call->ctx->kdev;
	int ret;

	call->fn = fn;
	call->model = kdev->model;
	INIT_LIST_HEAD(&call->frames);
	ret = kvgpu_inbox_call_killable(&call->ctx->inbox, do_ioctl, call);
	kvgpu_frames_free(kdev, &call->frames);
	if (call->queue)
		kvgpu_queue_put(call->queue);
	return ret;
}

/* ioctl_@name(), all of which the actor does, by do_@name(). */
#define ACTOR_IOCTL(name)									\
static int ioctl_##name(struct file *file, void *args)						\
{												\
	struct ioctl_call call = { .ctx = file->private_data, .args = args };			\
												\
	return ioctl_actor(&call, do_##name);							\
}

static int ioctl_version(struct file *file, void *args)
{
	*(struct vgpu_version *)args = (struct vgpu_version){
		.version = VGPU_UAPI_VERSION,
		.isa_version = VGPU_VASS_VERSION,
		.features = VGPU_FEATURE_PROFILED | VGPU_FEATURE_CLOCK | VGPU_FEATURE_URING |
			    VGPU_FEATURE_EVENTFD | VGPU_FEATURE_RING | VGPU_FEATURE_MANAGED |
			    VGPU_FEATURE_PROCESS | VGPU_FEATURE_ADVISE | VGPU_FEATURE_HOST |
			    VGPU_FEATURE_SM_LIMIT | VGPU_FEATURE_ANNOUNCE | VGPU_FEATURE_VIEWS |
			    VGPU_FEATURE_NAMES,
	};
	return 0;
}

static int do_device_info(struct ioctl_call *call)
{
	struct vgpu_device_info *info = call->args;

	int ret = vgpu_context_device_info(call->model, call->ctx->id, info);

	info->vram_free = min(info->vram_free, kvgpu_user_memory(call->ctx));
	return ret;
}
ACTOR_IOCTL(device_info)

static int do_context_info(struct ioctl_call *call)
{
	return vgpu_context_info(call->model, call->ctx->id, call->args);
}
ACTOR_IOCTL(context_info)

/* Who may not raise it may still lower it. */
static int do_context_priority(struct ioctl_call *call)
{
	const struct vgpu_context_priority *args = call->args;

	return kvgpu_ctx_priority(call->ctx, args->priority, call->may_raise);
}

static int ioctl_context_priority(struct file *file, void *arg)
{
	const struct vgpu_context_priority *args = arg;
	struct ioctl_call call = { .ctx = file->private_data, .args = arg };

	if (args->flags)
		return -EINVAL;
	call.may_raise = args->priority > READ_ONCE(call.ctx->priority) && capable(CAP_SYS_NICE);
	return ioctl_actor(&call, do_context_priority);
}

static int do_context_sms(struct ioctl_call *call)
{
	const struct vgpu_context_sms *args = call->args;

	if (args->flags)
		return -EINVAL;
	return vgpu_context_sms(call->model, call->ctx->id, args->sms);
}
ACTOR_IOCTL(context_sms)

/* ---- queues ------------------------------------------------------------- */

static int do_queue_create(struct ioctl_call *call)
{
	struct kvgpu_ctx *ctx = call->ctx;
	struct vgpu_queue_create *args = call->args;
	u32 id;
	int ret = vgpu_queue_create(call->model, ctx->id, &id);

	if (ret)
		return ret;
	ret = xa_err(xa_store(&ctx->queues, id, call->queue, GFP_KERNEL));
	if (ret) {
		vgpu_queue_destroy(call->model, ctx->id, id);
		return ret;
	}
	call->queue = NULL;
	args->queue = id;
	return 0;
}

static int ioctl_queue_create(struct file *file, void *arg)
{
	const struct vgpu_queue_create *args = arg;
	struct ioctl_call call = { .ctx = file->private_data, .args = arg };

	if (args->flags)
		return -EINVAL;
	call.queue = kvgpu_queue_alloc();
	return call.queue ? ioctl_actor(&call, do_queue_create) : -ENOMEM;
}

static int do_queue_destroy(struct ioctl_call *call)
{
	struct kvgpu_ctx *ctx = call->ctx;
	const struct vgpu_queue_destroy *args = call->args;
	int ret;

	if (args->reserved)
		return -EINVAL;
	/* it takes none along that could still be told */
	if (kvgpu_rings_fetch(ctx) || kvgpu_waiters_turn(ctx))
		return KVGPU_AGAIN;
	ret = vgpu_queue_destroy(call->model, ctx->id, args->queue);
	if (ret)
		return ret;
	call->queue = xa_erase(&ctx->queues, args->queue);
	if (call->queue->ring)
		kvgpu_ring_stop(call->queue->ring);
	return 0;
}
ACTOR_IOCTL(queue_destroy)

/* The command may lie in a ring still. */
static int do_host_done(struct ioctl_call *call)
{
	const struct vgpu_host_done *args = call->args;

	if (args->flags)
		return -EINVAL;
	if (kvgpu_rings_fetch(call->ctx))
		return KVGPU_AGAIN;
	return vgpu_host_done(call->model, call->ctx->id, args->queue, args->seq);
}
ACTOR_IOCTL(host_done)

/* ---- modules ------------------------------------------------------------ */

static int do_module_load(struct ioctl_call *call)
{
	struct kvgpu_ctx *ctx = call->ctx;
	struct vgpu_module_load *args = call->args;
	int ret;

	if (ctx->module_count >= KVGPU_MODULES_MAX)
		return ctx->dead ? -EIO : -ENOSPC;
	ret = vgpu_module_add(call->model, ctx->id, call->code, &args->module);
	if (!ret)
		ctx->module_count++;
	return ret;
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
static int module_load(struct kvgpu_ctx *ctx, const void *binary, struct vgpu_module_load *args,
		       char *message)
{
	struct ioctl_call call = { .ctx = ctx, .args = args };
	struct mem_cgroup *before;
	int ret;

	if (READ_ONCE(ctx->dead))
		return -EIO;
	if (mutex_lock_killable(&ctx->loading))
		return -EINTR;
	before = set_active_memcg(ctx->payer.memcg);
	ret = vgpu_vass_load(&ctx->kdev->config, binary, args->bytes, message, MESSAGE_BYTES,
			     &call.code);
	set_active_memcg(before);
	if (!ret) {
		ret = ioctl_actor(&call, do_module_load);
		if (ret)
			vgpu_vass_free(call.code);
	}
	mutex_unlock(&ctx->loading);
	return ret;
}

static int ioctl_module_load(struct file *file, void *arg)
{
	struct vgpu_module_load *args = arg;
	char message[MESSAGE_BYTES] = "";
	void *binary;
	int ret;

	if (args->flags || !args->bytes)
		return -EINVAL;
	if (args->bytes > VGPU_VASS_MAX_BYTES)
		return -E2BIG;
	/* vmemdup_user() would not charge it to the process's cgroup */
	binary = kvmalloc(args->bytes, GFP_KERNEL_ACCOUNT);
	if (!binary)
		return -ENOMEM;
	if (copy_from_user(binary, u64_to_user_ptr(args->binary), args->bytes))
		ret = -EFAULT;
	else
		ret = module_load(file->private_data, binary, args, message);
	kvfree(binary);
	return ret == -EINVAL && message_out(args, message) ? -EFAULT : ret;
}

static int do_module_unload(struct ioctl_call *call)
{
	const struct vgpu_module_unload *args = call->args;
	int ret;

	if (args->reserved)
		return -EINVAL;
	ret = vgpu_module_unload(call->model, call->ctx->id, args->module);
	if (!ret)
		call->ctx->module_count--;
	return ret;
}
ACTOR_IOCTL(module_unload)

/* ---- memory ------------------------------------------------------------- */

static int do_mem_map(struct ioctl_call *call)
{
	const struct vgpu_mem *mem = call->args;
	int ret;

	if (mem->flags & VGPU_MEM_MANAGED)
		return vgpu_memory_map_managed(call->model, call->ctx->id, mem->address,
					       mem->bytes);
	/* what the model would refuse for another reason is refused for that */
	ret = vgpu_memory_map(call->model, call->ctx->id, mem->address, mem->bytes);
	if (ret)
		return ret;
	if (mem->bytes > kvgpu_user_memory(call->ctx)) {
		WARN_ON_ONCE(vgpu_memory_unmap(call->model, call->ctx->id, mem->address,
					       mem->bytes));
		return -ENOMEM;
	}
	kvgpu_user_map(call->ctx, mem->bytes);
	return 0;
}

/* One range comes or goes after the other: what was there has gone before something else comes. */
static int memory_ioctl(struct ioctl_call *call, int (*fn)(struct ioctl_call *call), u32 flags)
{
	struct kvgpu_managed *managed = call->ctx->managed;
	const struct vgpu_mem *mem = call->args;
	int ret;

	if (mem->flags & ~flags || mem->reserved)
		return -EINVAL;
	if (mutex_lock_killable(&managed->ranges))
		return -EINTR;
	ret = ioctl_actor(call, fn);
	if (!ret && call->managed)
		kvgpu_managed_unmapped(managed, mem->address, mem->bytes);
	mutex_unlock(&managed->ranges);
	return ret;
}

static int ioctl_mem_map(struct file *file, void *arg)
{
	struct ioctl_call call = { .ctx = file->private_data, .args = arg };

	return memory_ioctl(&call, do_mem_map, VGPU_MEM_MANAGED);
}

static int do_mem_unmap(struct ioctl_call *call)
{
	const struct vgpu_mem *mem = call->args;
	bool device = vgpu_memory_is_device(call->model, call->ctx->id, mem->address);
	int ret;

	call->managed = vgpu_memory_is_managed(call->model, call->ctx->id, mem->address);
	ret = vgpu_memory_unmap_part(call->model, call->ctx->id, mem->address, mem->bytes,
				     KVGPU_PART_PAGES);
	kvgpu_frames_collect(call->ctx->kdev, &call->frames);
	if (ret == -EAGAIN)
		return KVGPU_AGAIN;
	if (!ret && device)
		kvgpu_user_map(call->ctx, -(s64)mem->bytes);
	return ret;
}

static int ioctl_mem_unmap(struct file *file, void *arg)
{
	struct ioctl_call call = { .ctx = file->private_data, .args = arg };

	return memory_ioctl(&call, do_mem_unmap, 0);
}

static int do_mem_advise(struct ioctl_call *call)
{
	const struct vgpu_mem_advise *args = call->args;
	int ret = vgpu_managed_advise_part(call->model, call->ctx->id, args->address, args->bytes,
					   args->advice, KVGPU_PART_PAGES, &call->done);

	return ret == -EAGAIN ? KVGPU_AGAIN : ret;
}

static int ioctl_mem_advise(struct file *file, void *arg)
{
	struct ioctl_call call = { .ctx = file->private_data, .args = arg };
	struct kvgpu_managed *managed = call.ctx->managed;
	const struct vgpu_mem_advise *args = arg;
	int ret;

	if (args->reserved)
		return -EINVAL;
	/* no range goes between two parts */
	if (mutex_lock_killable(&managed->ranges))
		return -EINTR;
	ret = ioctl_actor(&call, do_mem_advise);
	mutex_unlock(&managed->ranges);
	kvgpu_managed_settle(managed);
	return ret;
}

static int do_mem_peek(struct ioctl_call *call)
{
	const struct vgpu_mem_peek *peek = call->args;

	return vgpu_memory_peek(call->model, call->ctx->id, peek->address, call->bytes,
				peek->bytes);
}

static int ioctl_mem_peek(struct file *file, void *args)
{
	struct ioctl_call call = { .ctx = file->private_data, .args = args };
	const struct vgpu_mem_peek *peek = args;
	int ret;

	if (peek->reserved || peek->bytes > VGPU_PEEK_BYTES ||
	    peek->address + peek->bytes < peek->address)
		return -EINVAL;
	call.bytes = kvzalloc(max(peek->bytes, 1u), GFP_KERNEL_ACCOUNT);
	if (!call.bytes)
		return -ENOMEM;
	ret = ioctl_actor(&call, do_mem_peek);
	if (!ret && copy_to_user(u64_to_user_ptr(peek->memory), call.bytes, peek->bytes))
		ret = -EFAULT;
	kvfree(call.bytes);
	return ret;
}

static int ioctl_process_memory(struct file *file, void *args)
{
	const struct vgpu_process_memory *memory = args;

	return memory->flags || memory->reserved ? -EINVAL :
						   kvgpu_process_enable(file->private_data);
}

/* ---- the table ---------------------------------------------------------- */

/* Of each: its struct, the last member that this had at first, the handler. */
static const struct kvgpu_ioctl ioctls[] = {
	KVGPU_IOCTL(VGPU_IOC_VERSION, struct vgpu_version, features, ioctl_version),
	KVGPU_IOCTL(VGPU_IOC_DEVICE_INFO, struct vgpu_device_info, copy_engines, ioctl_device_info),
	KVGPU_IOCTL(VGPU_IOC_CONTEXT_INFO, struct vgpu_context_info, account.save_area,
		    ioctl_context_info),
	KVGPU_IOCTL(VGPU_IOC_CONTEXT_PRIORITY, struct vgpu_context_priority, flags,
		    ioctl_context_priority),
	KVGPU_IOCTL(VGPU_IOC_CONTEXT_SMS, struct vgpu_context_sms, flags, ioctl_context_sms),
	KVGPU_IOCTL(VGPU_IOC_QUEUE_CREATE, struct vgpu_queue_create, queue, ioctl_queue_create),
	KVGPU_IOCTL(VGPU_IOC_QUEUE_DESTROY, struct vgpu_queue_destroy, reserved,
		    ioctl_queue_destroy),
	KVGPU_IOCTL(VGPU_IOC_MODULE_LOAD, struct vgpu_module_load, message, ioctl_module_load),
	KVGPU_IOCTL(VGPU_IOC_MODULE_UNLOAD, struct vgpu_module_unload, reserved,
		    ioctl_module_unload),
	KVGPU_IOCTL(VGPU_IOC_MEM_MAP, struct vgpu_mem, reserved, ioctl_mem_map),
	KVGPU_IOCTL(VGPU_IOC_MEM_UNMAP, struct vgpu_mem, reserved, ioctl_mem_unmap),
	KVGPU_IOCTL(VGPU_IOC_PROCESS_MEMORY, struct vgpu_process_memory, reserved,
		    ioctl_process_memory),
	KVGPU_IOCTL(VGPU_IOC_MEM_ADVISE, struct vgpu_mem_advise, reserved, ioctl_mem_advise),
	KVGPU_IOCTL(VGPU_IOC_MEM_PEEK, struct vgpu_mem_peek, reserved, ioctl_mem_peek),
	KVGPU_IOCTL(VGPU_IOC_MEM_CREATE, struct vgpu_mem_create, handle, kvgpu_ioctl_mem_create),
	KVGPU_IOCTL(VGPU_IOC_MEM_RELEASE, struct vgpu_mem_release, reserved,
		    kvgpu_ioctl_mem_release),
	KVGPU_IOCTL(VGPU_IOC_MEM_VIEW, struct vgpu_mem_view, rights, kvgpu_ioctl_mem_view),
	KVGPU_IOCTL(VGPU_IOC_MEM_RIGHTS, struct vgpu_mem_rights, reserved, kvgpu_ioctl_mem_rights),
	KVGPU_IOCTL(VGPU_IOC_MEM_EXPORT, struct vgpu_mem_export, reserved, kvgpu_ioctl_mem_export),
	KVGPU_IOCTL(VGPU_IOC_MEM_IMPORT, struct vgpu_mem_import, reserved, kvgpu_ioctl_mem_import),
	KVGPU_IOCTL(VGPU_IOC_MEM_RETAIN, struct vgpu_mem_retain, handle, kvgpu_ioctl_mem_retain),
	KVGPU_IOCTL(VGPU_IOC_MEM_NAME, struct vgpu_mem_name, flags, kvgpu_ioctl_mem_name),
	KVGPU_IOCTL(VGPU_IOC_MEM_OPEN, struct vgpu_mem_open, flags, kvgpu_ioctl_mem_open),
	KVGPU_IOCTL(VGPU_IOC_SUBMIT, struct vgpu_submit, seq, kvgpu_ioctl_submit),
	KVGPU_IOCTL(VGPU_IOC_WAIT, struct vgpu_wait, time, kvgpu_ioctl_wait),
	KVGPU_IOCTL(VGPU_IOC_WAIT_ANY, struct vgpu_wait_any, reserved, kvgpu_ioctl_wait_any),
	KVGPU_IOCTL(VGPU_IOC_EVENTFD, struct vgpu_eventfd, reserved, kvgpu_ioctl_eventfd),
	KVGPU_IOCTL(VGPU_IOC_HOST_DONE, struct vgpu_host_done, seq, ioctl_host_done),
	KVGPU_IOCTL(VGPU_IOC_RING_CREATE, struct vgpu_ring_create, params,
		    kvgpu_ioctl_ring_create),
	KVGPU_IOCTL(VGPU_IOC_RING_DOORBELL, struct vgpu_ring_doorbell, reserved,
		    kvgpu_ioctl_ring_doorbell),
	KVGPU_IOCTL(VGPU_IOC_SEAT_CREATE, struct vgpu_seat_create, fd, kvgpu_ioctl_seat_create),
};

long kvgpu_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return kvgpu_ioctl_call(ioctls, ARRAY_SIZE(ioctls), file, cmd, (void __user *)arg);
}
