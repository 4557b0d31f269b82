// SPDX-License-Identifier: GPL-2.0-only
/*
 * Seats: who takes part in a lockstep clock. A context that nobody keeps a seat for has its own and
 * is attached by its first command or wait in lockstep mode. A seat that is kept is a file,
 * attached from the start: it holds the clock before its process has opened the device and after it
 * has gone, until that file is closed or the seat is given to another process. It also adds up what
 * its contexts did.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kvgpu.h"

static void seat_free(struct kref *ref)
{
	struct kvgpu_seat *seat = container_of(ref, struct kvgpu_seat, ref);

	WARN_ON_ONCE(seat->attached);
	put_pid(seat->pid);
	kfree(seat);
}

struct kvgpu_seat *kvgpu_seat_create(struct kvgpu_dev *kdev)
{
	struct kvgpu_seat *seat = kzalloc(sizeof(*seat), GFP_KERNEL_ACCOUNT);

	if (!seat)
		return NULL;
	kref_init(&seat->ref);
	seat->kdev = kdev;
	INIT_LIST_HEAD(&seat->node);
	init_waitqueue_head(&seat->blocked);
	return seat;
}

void kvgpu_seat_put(struct kvgpu_seat *seat)
{
	kref_put(&seat->ref, seat_free);
}

/* ---- at the clock (actor) ----------------------------------------------- */

void kvgpu_seat_attach(struct kvgpu_seat *seat)
{
	struct kvgpu_clock *clock = &seat->kdev->clock;

	if (seat->attached)
		return;
	seat->attached = true;
	seat->order = ++clock->seats_ever;
	list_add_tail(&seat->node, &clock->seats);
	clock->running += !seat->waiting;
}

static void detach_unused(struct kvgpu_seat *seat)
{
	struct kvgpu_clock *clock = &seat->kdev->clock;

	if (!seat->attached || seat->kept || seat->contexts)
		return;
	seat->attached = false;
	list_del_init(&seat->node);
	clock->running -= !seat->waiting;
}

void kvgpu_seat_block(struct kvgpu_seat *seat)
{
	if (seat->waiting++)
		return;
	seat->kdev->clock.running -= seat->attached;
	wake_up_all(&seat->blocked);
}

void kvgpu_seat_run(struct kvgpu_seat *seat)
{
	if (!--seat->waiting)
		seat->kdev->clock.running += seat->attached;
}

static struct kvgpu_seat *seat_of(struct kvgpu_dev *kdev, const struct pid *pid)
{
	struct kvgpu_seat *seat;

	list_for_each_entry(seat, &kdev->clock.seats, node)
		if (seat->pid == pid)
			return seat;
	return NULL;
}

struct kvgpu_seat *kvgpu_seat_sit(struct kvgpu_dev *kdev, struct task_struct *task,
				  struct kvgpu_seat *own)
{
	struct kvgpu_seat *seat = NULL;

	/* a seat is for a process and whatever it starts */
	rcu_read_lock();
	for (; task->pid > 1 && !seat; task = rcu_dereference(task->real_parent))
		seat = seat_of(kdev, task_tgid(task));
	rcu_read_unlock();
	if (!seat)
		seat = own;
	kref_get(&seat->ref);
	seat->contexts++;
	return seat;
}

static void info_add(struct vgpu_context_info *sum, const struct vgpu_context_info *info)
{
	const u64 *from = (const u64 *)&info->account;
	u64 *to = (u64 *)&sum->account;
	u32 i;

	sum->kernels += info->kernels;
	sum->blocks += info->blocks;
	sum->copies += info->copies;
	sum->copied_bytes += info->copied_bytes;
	sum->instructions += info->instructions;
	sum->thread_instructions += info->thread_instructions;
	sum->sm_time += info->sm_time;
	for (i = 0; i < sizeof(info->account) / sizeof(*to); i++)
		to[i] += from[i];
}

void kvgpu_seat_leave(struct kvgpu_ctx *ctx)
{
	struct vgpu_context_info info;

	if (!vgpu_context_info(ctx->kdev->model, ctx->id, &info))
		info_add(&ctx->seat->sum, &info);
	ctx->seat->contexts--;
	detach_unused(ctx->seat);
}

/* ---- files -------------------------------------------------------------- */

struct seat_msg {
	struct kvgpu_msg msg;
	struct kvgpu_seat *seat;
	struct pid *pid;
	struct vgpu_seat_info *info;
};

static int do_keep(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct kvgpu_seat *seat = container_of(msg, struct seat_msg, msg)->seat;

	seat->kept = true;
	kvgpu_seat_attach(seat);
	return 0;
}

static int do_give_up(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct kvgpu_seat *seat = container_of(msg, struct seat_msg, msg)->seat;

	seat->kept = false;
	detach_unused(seat);
	return 0;
}

static int do_move(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct seat_msg *m = container_of(msg, struct seat_msg, msg);

	swap(m->seat->pid, m->pid);
	return 0;
}

static int do_seat_info(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct seat_msg *m = container_of(msg, struct seat_msg, msg);
	struct vgpu_context_info info;
	struct kvgpu_ctx *ctx;
	unsigned long id;

	m->info->time = vgpu_device_now(kdev->model);
	m->info->contexts = m->seat->contexts;
	m->info->blocked = m->seat->waiting > 0;
	m->info->sum = m->seat->sum;
	xa_for_each(&kdev->contexts, id, ctx)
		if (ctx->seat == m->seat && !vgpu_context_info(kdev->model, ctx->id, &info))
			info_add(&m->info->sum, &info);
	return 0;
}

/* The process @number, which must descend from the caller; NULL for 0. */
static struct pid *find_descendant(s32 number)
{
	struct task_struct *task;
	struct pid *pid;

	if (!number)
		return NULL;
	pid = number > 0 ? find_get_pid(number) : NULL;
	if (!pid)
		return ERR_PTR(-ESRCH);
	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	while (task && task->pid > 1 && !same_thread_group(task, current))
		task = rcu_dereference(task->real_parent);
	rcu_read_unlock();
	if (task && task->pid > 1)
		return pid;
	put_pid(pid);
	return ERR_PTR(task ? -EPERM : -ESRCH);
}

static int seat_move(struct kvgpu_seat *seat, s32 number)
{
	struct seat_msg m = { .msg.fn = do_move, .seat = seat };
	int ret;

	m.pid = find_descendant(number);
	if (IS_ERR(m.pid))
		return PTR_ERR(m.pid);
	ret = kvgpu_post_killable(seat->kdev, &m.msg);
	put_pid(m.pid);
	return ret;
}

static long seat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct kvgpu_seat *seat = file->private_data;
	void __user *user = (void __user *)arg;
	struct vgpu_seat_info info = {};
	struct seat_msg m = { .msg.fn = do_seat_info, .seat = seat, .info = &info };
	struct vgpu_seat_move move;
	int ret;

	switch (cmd) {
	case VGPU_IOC_SEAT_MOVE:
		if (copy_from_user(&move, user, sizeof(move)))
			return -EFAULT;
		return move.reserved ? -EINVAL : seat_move(seat, move.pid);
	case VGPU_IOC_SEAT_INFO:
		ret = kvgpu_post_killable(seat->kdev, &m.msg);
		if (ret)
			return ret;
		return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : 0;
	default:
		return -ENOTTY;
	}
}

/* Readable: the seat is blocked. */
static __poll_t seat_poll(struct file *file, poll_table *table)
{
	struct kvgpu_seat *seat = file->private_data;

	poll_wait(file, &seat->blocked, table);
	return READ_ONCE(seat->waiting) ? EPOLLIN | EPOLLRDNORM : 0;
}

static int seat_release(struct inode *inode, struct file *file)
{
	struct kvgpu_seat *seat = file->private_data;
	struct seat_msg m = { .msg.fn = do_give_up, .seat = seat };
	struct kvgpu_dev *kdev = seat->kdev;

	kvgpu_post(kdev, &m.msg);
	atomic_dec(&kdev->seat_count);
	kvgpu_seat_put(seat);
	kvgpu_dev_put(kdev);
	return 0;
}

static const struct file_operations seat_fops = {
	.owner = THIS_MODULE,
	.release = seat_release,
	.unlocked_ioctl = seat_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = seat_poll,
	.llseek = noop_llseek,
};

/* A file for @seat, which holds the device. Takes the seat over, also when it fails. */
static struct file *seat_file(struct kvgpu_seat *seat)
{
	struct seat_msg m = { .msg.fn = do_keep, .seat = seat };
	struct kvgpu_dev *kdev = seat->kdev;
	struct file *file = ERR_PTR(-ENOSPC);

	/* who opens looks through all of them */
	if (atomic_inc_return(&kdev->seat_count) <= KVGPU_SEATS_MAX)
		file = anon_inode_getfile("[vgpu-seat]", &seat_fops, seat, O_RDWR);
	if (IS_ERR(file)) {
		atomic_dec(&kdev->seat_count);
		kvgpu_seat_put(seat);
	} else {
		refcount_inc(&kdev->refs);
		kvgpu_post(kdev, &m.msg);
	}
	return file;
}

long kvgpu_seat_ioctl_create(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct vgpu_seat_create create;
	struct kvgpu_seat *seat;
	struct file *file;
	int fd, ret;

	if (copy_from_user(&create, arg, sizeof(create)))
		return -EFAULT;
	if (create.flags)
		return -EINVAL;
	if (create.priority > 0 && !capable(CAP_SYS_NICE))
		return -EPERM;
	seat = kvgpu_seat_create(ctx->kdev);
	if (!seat)
		return -ENOMEM;
	seat->priority = create.priority;
	seat->pid = find_descendant(create.pid);
	ret = PTR_ERR_OR_ZERO(seat->pid);
	if (ret) {
		seat->pid = NULL;
		kvgpu_seat_put(seat);
		return ret;
	}
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		kvgpu_seat_put(seat);
		return fd;
	}
	file = seat_file(seat);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	create.fd = fd;
	if (copy_to_user(arg, &create, sizeof(create))) {
		put_unused_fd(fd);
		fput(file);
		return -EFAULT;
	}
	fd_install(fd, file);
	return 0;
}
