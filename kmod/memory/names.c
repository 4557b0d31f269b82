// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of device memory: 128 random bits that a process may write down and hand on, where a file
 * (views.c) cannot be: the handles of CUDA's cudaIpcGetMemHandle(). Who has the name and belongs to
 * the user whose context gave it, or has CAP_SYS_ADMIN, opens the memory. Any other answer is
 * -ENOENT: it does not tell a name of somebody else from none. Nothing lists names.
 *
 * A name is of a handle, and ends before that does; so it holds nothing that its context does not
 * hold, and a context has at most VGPU_NAMES_MAX of them, which its control group pays for.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "kmod/memory/memory.h"

#define NAMES_PART	256u		/* that one call of the actor ends */

/** struct name_call - an ioctl, while the actor does it */
struct name_call {
	struct kvgpu_ctx *ctx;
	struct kvgpu_name *name;	/* that is made */
	struct vgpu_mem_open *open;
	bool admin;
};

static int compare(const u64 *a, const u64 *b)
{
	if (a[0] != b[0])
		return a[0] < b[0] ? -1 : 1;
	return a[1] == b[1] ? 0 : a[1] < b[1] ? -1 : 1;
}

static int compare_key(const void *key, const struct rb_node *node)
{
	return compare(key, rb_entry(node, struct kvgpu_name, by_name)->name);
}

static int compare_nodes(struct rb_node *added, const struct rb_node *node)
{
	return compare_key(rb_entry(added, struct kvgpu_name, by_name)->name, node);
}

/* ---- names of a context -------------------------------------------------- */

void kvgpu_names_init(struct kvgpu_names *names)
{
	INIT_LIST_HEAD(&names->list);
}

struct kvgpu_name *kvgpu_name_of(struct kvgpu_names *names, u32 handle)
{
	struct kvgpu_name *name;

	list_for_each_entry(name, &names->list, node)
		if (name->handle == handle)
			return name;
	return NULL;
}

void kvgpu_name_end(struct kvgpu_dev *kdev, struct kvgpu_name *name)
{
	kvgpu_assert_actor(kdev);
	if (RB_EMPTY_NODE(&name->by_name))
		return;
	rb_erase(&name->by_name, &kdev->memory->names);
	RB_CLEAR_NODE(&name->by_name);
	/* the handle holds it still, so nothing is released */
	WARN_ON_ONCE(vgpu_memory_unexport(name->allocation, 1));
	name->allocation = NULL;
}

void kvgpu_name_free(struct kvgpu_names *names, struct kvgpu_name *name)
{
	list_del(&name->node);
	names->count--;
	kfree(name);
}

/* No ioctl of the context is running any more, so nothing else has its list. */
bool kvgpu_names_close(struct kvgpu_ctx *ctx)
{
	struct kvgpu_name *name;
	u32 ended = 0;

	list_for_each_entry(name, &ctx->names->list, node) {
		if (RB_EMPTY_NODE(&name->by_name))
			continue;
		if (ended++ == NAMES_PART)
			return true;
		kvgpu_name_end(ctx->kdev, name);
	}
	return false;
}

void kvgpu_names_exit(struct kvgpu_names *names)
{
	struct kvgpu_name *name, *next;

	list_for_each_entry_safe(name, next, &names->list, node)
		kvgpu_name_free(names, name);
}

/* ---- ioctls -------------------------------------------------------------- */

static int do_name(struct kvgpu_dev *kdev, void *arg)
{
	const struct name_call *call = arg;
	struct kvgpu_name *name = call->name;
	int ret = vgpu_memory_export(kdev->model, call->ctx->id, name->handle, &name->allocation);

	if (!ret)
		WARN_ON_ONCE(rb_find_add(&name->by_name, &kdev->memory->names, compare_nodes));
	return ret;
}

static struct kvgpu_name *make_name(struct kvgpu_ctx *ctx, u32 handle)
{
	struct name_call call = { .ctx = ctx };
	struct kvgpu_name *name;
	int ret;

	if (ctx->names->count >= VGPU_NAMES_MAX)
		return ERR_PTR(-ENOSPC);
	name = kzalloc(sizeof(*name), GFP_KERNEL_ACCOUNT);
	if (!name)
		return ERR_PTR(-ENOMEM);
	name->handle = handle;
	name->owner = ctx->owner;
	RB_CLEAR_NODE(&name->by_name);
	get_random_bytes(name->name, sizeof(name->name));
	call.name = name;
	ret = kvgpu_inbox_call_killable(&ctx->inbox, do_name, &call);
	if (ret) {
		kfree(name);
		return ERR_PTR(ret);
	}
	list_add(&name->node, &ctx->names->list);
	ctx->names->count++;
	return name;
}

int kvgpu_ioctl_mem_name(struct file *file, void *arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct mutex *ranges = &ctx->managed->ranges;
	struct vgpu_mem_name *args = arg;
	struct kvgpu_name *name;

	if (args->flags)
		return -EINVAL;
	if (mutex_lock_killable(ranges))
		return -EINTR;
	name = kvgpu_name_of(ctx->names, args->handle);
	if (!name)
		name = make_name(ctx, args->handle);
	if (!IS_ERR(name))
		memcpy(args->name, name->name, sizeof(args->name));
	mutex_unlock(ranges);
	return PTR_ERR_OR_ZERO(name);
}

static int do_open_name(struct kvgpu_dev *kdev, void *arg)
{
	const struct name_call *call = arg;
	struct vgpu_mem_open *open = call->open;
	struct rb_node *node = rb_find(open->name, &kdev->memory->names, compare_key);
	const struct kvgpu_name *name = node ? rb_entry(node, struct kvgpu_name, by_name) : NULL;

	if (!name || !(uid_eq(name->owner, call->ctx->owner) || call->admin))
		return -ENOENT;
	return vgpu_memory_import(kdev->model, call->ctx->id, name->allocation, &open->handle,
				  &open->bytes);
}

int kvgpu_ioctl_mem_open(struct file *file, void *arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct name_call call = { .ctx = ctx, .open = arg };

	if (call.open->flags)
		return -EINVAL;
	call.admin = ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	return kvgpu_inbox_call_killable(&ctx->inbox, do_open_name, &call);
}
