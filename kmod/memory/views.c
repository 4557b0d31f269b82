// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device memory apart from addresses: its ioctls, who it counts for, and the files that stand for
 * it in other processes.
 *
 * Whoever creates memory has it in his share (core/user.c) until the model frees it, whoever holds
 * it then: so a user cannot leave his share behind in a file. Such a file is the only way to memory
 * of another context, so what a process may do is what it was given; a handle is a number of one
 * context and means nothing elsewhere. Pages are charged to the control group of the context that
 * touches them first, as those of all device memory.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/slab.h>

#include "kmod/memory/memory.h"

/** struct view_call - an ioctl, while the actor does it */
struct view_call {
	struct kvgpu_ctx *ctx;
	void *args;
	struct vgpu_allocation *allocation;
	u64 done;			/* pages */
	struct kvgpu_name *name;	/* of the handle that goes, if it has one */
	struct list_head frames;	/* for the caller to free */
};

static int view_actor(struct view_call *call, int (*fn)(struct kvgpu_dev *kdev, void *arg))
{
	int ret;

	INIT_LIST_HEAD(&call->frames);
	ret = kvgpu_inbox_call_killable(&call->ctx->inbox, fn, call);
	kvgpu_frames_free(call->ctx->kdev, &call->frames);
	return ret;
}

/* The same between no two parts of which a range or a handle goes, or a range comes. */
static int view_actor_alone(struct view_call *call, int (*fn)(struct kvgpu_dev *kdev, void *arg))
{
	struct kvgpu_managed *managed = call->ctx->managed;
	int ret;

	if (mutex_lock_killable(&managed->ranges))
		return -EINTR;
	ret = view_actor(call, fn);
	mutex_unlock(&managed->ranges);
	return ret;
}

/* ---- create and release -------------------------------------------------- */

void kvgpu_allocation_freed(struct kvgpu_dev *kdev, u64 owner, u64 bytes)
{
	kvgpu_user_unhold(kdev, (struct kvgpu_user *)(uintptr_t)owner, bytes);
}

static int do_create(struct kvgpu_dev *kdev, void *arg)
{
	struct view_call *call = arg;
	struct vgpu_mem_create *create = call->args;
	struct kvgpu_ctx *ctx = call->ctx;
	u64 may = kvgpu_user_memory(ctx);
	int ret = vgpu_memory_allocate(kdev->model, ctx->id, create->bytes, (uintptr_t)ctx->user,
				       &create->handle);

	if (ret)
		return ret;
	kvgpu_user_hold(kdev, ctx->user, create->bytes);
	/* what the model refuses for another reason is refused for that */
	if (create->bytes > may) {
		WARN_ON_ONCE(vgpu_memory_release(kdev->model, ctx->id, create->handle, ~0ull));
		return -ENOMEM;
	}
	return 0;
}

int kvgpu_ioctl_mem_create(struct file *file, void *arg)
{
	struct view_call call = { .ctx = file->private_data, .args = arg };
	const struct vgpu_mem_create *create = arg;

	return create->flags ? -EINVAL : view_actor(&call, do_create);
}

static int do_release(struct kvgpu_dev *kdev, void *arg)
{
	struct view_call *call = arg;
	const struct vgpu_mem_release *release = call->args;
	int ret;

	if (call->name)
		kvgpu_name_end(kdev, call->name);
	ret = vgpu_memory_release(kdev->model, call->ctx->id, release->handle, KVGPU_PART_PAGES);
	kvgpu_frames_collect(kdev, &call->frames);
	return ret == -EAGAIN ? KVGPU_AGAIN : ret;
}

int kvgpu_ioctl_mem_release(struct file *file, void *arg)
{
	struct view_call call = { .ctx = file->private_data, .args = arg };
	const struct vgpu_mem_release *release = arg;
	struct mutex *ranges = &call.ctx->managed->ranges;
	int ret;

	if (release->reserved)
		return -EINVAL;
	if (mutex_lock_killable(ranges))
		return -EINTR;
	call.name = kvgpu_name_of(call.ctx->names, release->handle);
	ret = view_actor(&call, do_release);
	/* also if the caller was killed in the middle */
	if (call.name && RB_EMPTY_NODE(&call.name->by_name))
		kvgpu_name_free(call.ctx->names, call.name);
	mutex_unlock(ranges);
	return ret;
}

/* ---- views --------------------------------------------------------------- */

static int do_view(struct kvgpu_dev *kdev, void *arg)
{
	struct view_call *call = arg;
	const struct vgpu_mem_view *view = call->args;

	return vgpu_memory_map_view(kdev->model, call->ctx->id, view->address, view->bytes,
				    view->handle, view->offset, view->rights);
}

int kvgpu_ioctl_mem_view(struct file *file, void *arg)
{
	struct view_call call = { .ctx = file->private_data, .args = arg };

	return view_actor_alone(&call, do_view);
}

static int do_rights(struct kvgpu_dev *kdev, void *arg)
{
	struct view_call *call = arg;
	const struct vgpu_mem_rights *rights = call->args;
	int ret = vgpu_memory_rights(kdev->model, call->ctx->id, rights->address, rights->bytes,
				     rights->rights, KVGPU_PART_PAGES);

	return ret == -EAGAIN ? KVGPU_AGAIN : ret;
}

int kvgpu_ioctl_mem_rights(struct file *file, void *arg)
{
	struct view_call call = { .ctx = file->private_data, .args = arg };
	const struct vgpu_mem_rights *rights = arg;

	return rights->reserved ? -EINVAL : view_actor_alone(&call, do_rights);
}

static int do_retain(struct kvgpu_dev *kdev, void *arg)
{
	struct view_call *call = arg;
	struct vgpu_mem_retain *retain = call->args;
	struct kvgpu_ctx *ctx = call->ctx;
	bool device = vgpu_memory_is_device(kdev->model, ctx->id, retain->address);
	int ret = vgpu_memory_retain(kdev->model, ctx->id, retain->address, retain->bytes,
				     (uintptr_t)ctx->user, KVGPU_PART_PAGES, &call->done,
				     &retain->handle);

	/* it counts for the same user, but no longer for the context */
	if (device && !vgpu_memory_is_device(kdev->model, ctx->id, retain->address)) {
		kvgpu_user_map(ctx, -(s64)retain->bytes);
		kvgpu_user_hold(kdev, ctx->user, retain->bytes);
	}
	return ret == -EAGAIN ? KVGPU_AGAIN : ret;
}

int kvgpu_ioctl_mem_retain(struct file *file, void *arg)
{
	struct view_call call = { .ctx = file->private_data, .args = arg };
	const struct vgpu_mem_retain *retain = arg;

	return retain->flags ? -EINVAL : view_actor_alone(&call, do_retain);
}

/* ---- files --------------------------------------------------------------- */

/** struct memory_file - what a file of VGPU_IOC_MEM_EXPORT holds */
struct memory_file {
	struct kvgpu_dev *kdev;			/* referenced */
	struct vgpu_allocation *allocation;	/* the same; actor */
	struct list_head frames;		/* of its end: to be freed */
};

static int do_unexport(struct kvgpu_dev *kdev, void *arg)
{
	struct memory_file *memory = arg;
	int ret = vgpu_memory_unexport(memory->allocation, KVGPU_PART_PAGES);

	kvgpu_frames_collect(kdev, &memory->frames);
	return ret == -EAGAIN ? KVGPU_AGAIN : ret;
}

static void memory_file_free(struct memory_file *memory)
{
	struct kvgpu_dev *kdev = memory->kdev;

	if (memory->allocation)
		WARN_ON_ONCE(kvgpu_actor_call(kdev, do_unexport, memory));
	kvgpu_frames_free(kdev, &memory->frames);
	kfree(memory);
	kvgpu_dev_put(kdev);
}

static int memory_file_release(struct inode *inode, struct file *file)
{
	memory_file_free(file->private_data);
	return 0;
}

static const struct file_operations memory_fops = {
	.owner = THIS_MODULE,
	.release = memory_file_release,
	.llseek = noop_llseek,
};

static int do_export(struct kvgpu_dev *kdev, void *arg)
{
	struct view_call *call = arg;
	const struct vgpu_mem_export *export = call->args;

	return vgpu_memory_export(kdev->model, call->ctx->id, export->handle, &call->allocation);
}

int kvgpu_ioctl_mem_export(struct file *file, void *arg)
{
	struct view_call call = { .ctx = file->private_data, .args = arg };
	struct kvgpu_dev *kdev = call.ctx->kdev;
	struct vgpu_mem_export *export = arg;
	struct memory_file *memory;
	int ret;

	if (export->flags || export->reserved)
		return -EINVAL;
	memory = kzalloc(sizeof(*memory), GFP_KERNEL_ACCOUNT);
	if (!memory)
		return -ENOMEM;
	kref_get(&kdev->ref);
	memory->kdev = kdev;
	INIT_LIST_HEAD(&memory->frames);
	ret = view_actor(&call, do_export);
	memory->allocation = call.allocation;
	if (!ret)
		ret = anon_inode_getfd("[vgpu-memory]", &memory_fops, memory, O_RDWR | O_CLOEXEC);
	if (ret < 0) {
		memory_file_free(memory);
		return ret;
	}
	export->fd = ret;
	return 0;
}

static int do_import(struct kvgpu_dev *kdev, void *arg)
{
	struct view_call *call = arg;
	struct vgpu_mem_import *import = call->args;

	return vgpu_memory_import(kdev->model, call->ctx->id, call->allocation, &import->handle,
				  &import->bytes);
}

int kvgpu_ioctl_mem_import(struct file *file, void *arg)
{
	struct view_call call = { .ctx = file->private_data, .args = arg };
	const struct vgpu_mem_import *import = arg;
	const struct memory_file *memory;
	struct file *from;
	int ret = -EINVAL;

	if (import->flags || import->reserved)
		return -EINVAL;
	from = fget(import->fd);
	if (!from)
		return -EBADF;
	if (from->f_op == &memory_fops) {
		memory = from->private_data;
		call.allocation = memory->allocation;
		ret = memory->kdev == call.ctx->kdev ? view_actor(&call, do_import) : -EXDEV;
	}
	fput(from);
	return ret;
}
