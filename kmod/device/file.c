// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open files. An open file is a context on the device: it lives until the last descriptor that
 * refers to it is gone, in whatever process (dup, fork, a socket). Closing it ends the context at
 * once and returns only when nothing of it is left: no pinned page, no frame, no queue.
 */
#include <linux/cred.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "kmod/device/device.h"
#include "vgpu_netlink.h"

/** struct open_file - a context as the rooms see it, and what they keep of it */
struct open_file {
	struct kvgpu_ctx ctx;
	struct kvgpu_pins pins;
	struct kvgpu_managed managed;
	struct kvgpu_helpers helpers;
	struct kvgpu_waiters waiters;
	struct kvgpu_signals signals;
	struct kvgpu_uring uring;
	struct kvgpu_names names;
};

struct context_args {
	struct kvgpu_ctx *ctx;
	struct task_struct *task;
	struct kvgpu_participant *own;
	struct kvgpu_user *user;	/* who opens, if he has nothing yet */
	struct list_head frames;	/* of a close: for the caller to free */
};

static int do_open(struct kvgpu_dev *kdev, void *arg)
{
	struct context_args *m = arg;
	int ret = kvgpu_user_join(m->ctx, &m->user);

	if (ret)
		return ret;
	ret = vgpu_context_open(kdev->model, m->ctx->pid, &m->ctx->payer, &m->ctx->id);
	if (ret)
		goto leave;
	ret = xa_err(xa_store(&kdev->contexts, m->ctx->id, m->ctx, GFP_KERNEL));
	if (ret)
		goto close;
	kvgpu_participant_join(m->ctx, m->task, m->own);
	kvgpu_notice_context(m->ctx, VGPU_NL_CMD_CONTEXT_CREATED, NULL);
	return kvgpu_ctx_priority(m->ctx, m->ctx->participant->priority, true);
close:
	vgpu_context_close(kdev->model, m->ctx->id);
leave:
	kvgpu_user_leave(m->ctx);
	return ret;
}

static int do_close(struct kvgpu_dev *kdev, void *arg)
{
	struct context_args *m = arg;
	int ret;

	if (kvgpu_waiters_close(m->ctx))
		return KVGPU_AGAIN;
	if (kvgpu_names_close(m->ctx))
		return KVGPU_AGAIN;
	kvgpu_rings_stop(m->ctx);
	ret = vgpu_context_stop(kdev->model, m->ctx->id, KVGPU_PART_PAGES);
	kvgpu_frames_collect(kdev, &m->frames);
	if (ret == -EAGAIN)
		return KVGPU_AGAIN;
	kvgpu_participant_leave(m->ctx);
	ret = vgpu_context_close(kdev->model, m->ctx->id);
	kvgpu_frames_collect(kdev, &m->frames);
	/* every command has completed by now: nothing can look the context up again */
	xa_erase(&kdev->contexts, m->ctx->id);
	kvgpu_notice_context(m->ctx, VGPU_NL_CMD_CONTEXT_CLOSED, NULL);
	list_del_init(&m->ctx->signalled);
	kvgpu_user_leave(m->ctx);
	return ret;
}

static struct kvgpu_ctx *context_alloc(struct kvgpu_dev *kdev)
{
	struct open_file *of = kzalloc(sizeof(*of), GFP_KERNEL_ACCOUNT);
	struct kvgpu_ctx *ctx;

	if (!of)
		return NULL;
	ctx = &of->ctx;
	ctx->kdev = kdev;
	ctx->pins = &of->pins;
	ctx->managed = &of->managed;
	ctx->helpers = &of->helpers;
	ctx->waiters = &of->waiters;
	ctx->signals = &of->signals;
	ctx->uring = &of->uring;
	ctx->names = &of->names;
	ctx->pid = task_tgid_nr(current);
	ctx->process = get_pid(task_tgid(current));
	ctx->owner = current_euid();
	ctx->privileged = ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
	ctx->payer.pause = jiffies;
	ctx->tokens = VGPU_TOKENS_SHARE;
	ctx->memory_budget = VGPU_BUDGET_OF_DEVICE;
	ctx->payer.memcg = get_mem_cgroup_from_mm(current->mm);
	xa_init(&ctx->queues);
	init_waitqueue_head(&ctx->idle);
	INIT_LIST_HEAD(&ctx->signalled);
	mutex_init(&ctx->loading);
	kvgpu_inbox_init(&ctx->inbox, kdev);
	kvgpu_helpers_init(ctx->helpers);
	kvgpu_waiters_init(ctx->waiters);
	kvgpu_signals_init(ctx->signals, ctx);
	kvgpu_uring_init(ctx->uring, ctx);
	kvgpu_pins_init(ctx->pins);
	kvgpu_names_init(ctx->names);
	kvgpu_managed_init(ctx->managed, ctx);
	return ctx;
}

static void context_free(struct kvgpu_ctx *ctx)
{
	put_pid(ctx->process);
	mem_cgroup_put(ctx->payer.memcg);
	kfree(container_of(ctx, struct open_file, ctx));
}

static int kvgpu_open(struct inode *inode, struct file *file)
{
	struct kvgpu_dev *kdev = kvgpu_dev_get_minor(iminor(inode));
	struct context_args m = { .task = current,
				  .frames = LIST_HEAD_INIT(m.frames) };
	struct kvgpu_ctx *ctx;
	int ret = -ENOMEM;

	if (!kdev)
		return -ENXIO;
	ctx = context_alloc(kdev);
	if (!ctx)
		goto put;
	m.ctx = ctx;
	m.own = kvgpu_participant_create(kdev->system);
	if (!m.own)
		goto free;
	m.user = kzalloc(sizeof(*m.user), GFP_KERNEL_ACCOUNT);
	if (m.user)
		ret = kvgpu_inbox_call_killable(&ctx->inbox, do_open, &m);
	kvgpu_participant_put(m.own);
	kfree(m.user);
	if (ret)
		goto free;
	ret = kvgpu_ctx_dir_add(ctx);
	if (ret)
		goto close;
	file->private_data = ctx;
	kvgpu_managed_open(ctx->managed, file);
	return nonseekable_open(inode, file);
close:
	WARN_ON_ONCE(kvgpu_inbox_call(&ctx->inbox, do_close, &m));
	kvgpu_frames_free(kdev, &m.frames);
	kvgpu_participant_put(ctx->participant);
free:
	context_free(ctx);
put:
	kvgpu_dev_put(kdev);
	return ret;
}

static int kvgpu_release(struct inode *inode, struct file *file)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct kvgpu_dev *kdev = ctx->kdev;
	struct context_args m = { .ctx = ctx, .frames = LIST_HEAD_INIT(m.frames) };
	struct kvgpu_queue *queue;
	unsigned long id;

	kvgpu_ctx_dir_remove(ctx);
	kvgpu_process_disable(ctx);
	WARN_ON_ONCE(kvgpu_inbox_call(&ctx->inbox, do_close, &m));
	kvgpu_process_exit(ctx);
	kvgpu_frames_free(kdev, &m.frames);
	flush_work(&ctx->pins->work);
	kvgpu_managed_exit(ctx->managed);
	kvgpu_names_exit(ctx->names);
	kvgpu_signals_exit(ctx->signals);
	kvgpu_uring_exit(ctx->uring);
	WARN_ON_ONCE(ctx->inflight || ctx->param_bytes || atomic64_read(&ctx->pins->pages));
	xa_for_each(&ctx->queues, id, queue)
		kvgpu_queue_put(queue);
	xa_destroy(&ctx->queues);
	kvgpu_participant_put(ctx->participant);
	context_free(ctx);
	kvgpu_dev_put(kdev);
	return 0;
}

static int kvgpu_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff >= VGPU_MMAP_MANAGED >> PAGE_SHIFT)
		return kvgpu_managed_mmap(file->private_data, vma);
	return kvgpu_mmap(file, vma);
}

const struct file_operations kvgpu_fops = {
	.owner = THIS_MODULE,
	.open = kvgpu_open,
	.release = kvgpu_release,
	.unlocked_ioctl = kvgpu_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = kvgpu_poll,
	.show_fdinfo = kvgpu_show_fdinfo,
	.mmap = kvgpu_file_mmap,
	.flush = kvgpu_flush,
	.uring_cmd = kvgpu_uring_cmd,
	.llseek = noop_llseek,
};
