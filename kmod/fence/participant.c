// SPDX-License-Identifier: GPL-2.0-only
/*
 * Participants of a lockstep clock ("seats" of the uapi). A context that no participant is kept for
 * has its own, attached by its first command or wait in lockstep mode; a process that uses several
 * devices of a system takes part once, with one context of each. One that is kept is a file,
 * attached from the start: it holds the clock before its process has opened the device and after it
 * has ended, until that file is closed or it is moved to another process. It also adds up what its
 * contexts did.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kmod/fence/fence.h"

static void participant_free(struct kref *ref)
{
	struct kvgpu_participant *participant = container_of(ref, struct kvgpu_participant, ref);

	WARN_ON_ONCE(participant->attached);
	put_pid(participant->pid);
	kfree(participant);
}

static void participant_wake(struct work_struct *work)
{
	struct kvgpu_participant *participant =
		container_of(work, struct kvgpu_participant, wake);

	wake_up_all(&participant->blocked);
	kvgpu_participant_put(participant);
}

struct kvgpu_participant *kvgpu_participant_create(struct kvgpu_system *system)
{
	struct kvgpu_participant *participant = kzalloc(sizeof(*participant), GFP_KERNEL_ACCOUNT);

	if (!participant)
		return NULL;
	kref_init(&participant->ref);
	participant->system = system;
	INIT_LIST_HEAD(&participant->node);
	init_waitqueue_head(&participant->blocked);
	INIT_WORK(&participant->wake, participant_wake);
	return participant;
}

void kvgpu_participant_put(struct kvgpu_participant *participant)
{
	kref_put(&participant->ref, participant_free);
}

/* ---- at the clock (actor) ----------------------------------------------- */

void kvgpu_participant_attach(struct kvgpu_participant *participant)
{
	struct kvgpu_clock *clock = participant->system->clock;

	if (participant->attached)
		return;
	participant->attached = true;
	participant->order = ++clock->participants_ever;
	list_add_tail(&participant->node, &clock->participants);
	clock->running += !participant->waiting;
}

static void participant_detach(struct kvgpu_participant *participant)
{
	participant->attached = false;
	list_del_init(&participant->node);
	participant->system->clock->running -= !participant->waiting;
}

static void detach_unused(struct kvgpu_participant *participant)
{
	if (participant->attached && !participant->kept && !participant->contexts)
		participant_detach(participant);
}

void kvgpu_participants_detach(struct kvgpu_clock *clock)
{
	struct kvgpu_participant *participant, *next;

	list_for_each_entry_safe(participant, next, &clock->participants, node)
		if (!participant->waiting)
			participant_detach(participant);
}

bool kvgpu_participants_wait(const struct kvgpu_clock *clock)
{
	const struct kvgpu_participant *participant;

	list_for_each_entry(participant, &clock->participants, node)
		if (participant->waiting)
			return true;
	return false;
}

void kvgpu_participant_block(struct kvgpu_participant *participant)
{
	WRITE_ONCE(participant->waiting, participant->waiting + 1);
	if (participant->waiting > 1)
		return;
	participant->system->clock->running -= participant->attached;
	if (!wq_has_sleeper(&participant->blocked))
		return;
	kref_get(&participant->ref);
	if (!schedule_work(&participant->wake))
		kvgpu_participant_put(participant);
}

void kvgpu_participant_run(struct kvgpu_participant *participant)
{
	WRITE_ONCE(participant->waiting, participant->waiting - 1);
	if (!participant->waiting)
		participant->system->clock->running += participant->attached;
}

/*
 * A participant is for a process and what it starts, over so many generations: a user can make a
 * chain of as many processes as he may have, and the actor walks it at every open.
 */
#define GENERATIONS_MAX	64u

/*
 * The parent of @task. Under rcu_read_lock(), @task being a task that had not been released when
 * that began, or a result of this: a task is released after its children have got another parent,
 * so its parent has not been, either. NULL: it is nobody's but the system's.
 */
static struct task_struct *parent_of(struct task_struct *task)
{
	return task->pid > 1 ? rcu_dereference(task->real_parent) : NULL;
}

/*
 * Processes from @task upwards, by generations; how many. They may end meanwhile, with their
 * numbers: what remains are addresses that no other process has while somebody has a reference.
 */
static u32 ancestors(struct task_struct *task, const struct pid *list[GENERATIONS_MAX])
{
	u32 count = 0;

	rcu_read_lock();
	for (; task && task->pid > 1 && count < GENERATIONS_MAX; task = parent_of(task))
		list[count++] = task_tgid(task);
	rcu_read_unlock();
	return count;
}

/* That of the nearest ancestor which has one. */
static struct kvgpu_participant *participant_kept(struct kvgpu_clock *clock,
						  struct task_struct *task)
{
	struct kvgpu_participant *participant, *found = NULL;
	const struct pid *list[GENERATIONS_MAX];
	u32 count, i;

	if (!atomic_read(&clock->kept))
		return NULL;
	count = ancestors(task, list);
	list_for_each_entry(participant, &clock->participants, node) {
		/* a parent that has just been released has none either */
		if (!participant->pid)
			continue;
		for (i = 0; i < count && list[i] != participant->pid; i++)
			;
		/* from now on a nearer one only */
		if (i < count) {
			found = participant;
			count = i;
		}
	}
	return found;
}

/*
 * That of the same process on other devices of the system, which has no context on this one. A pid
 * may be another process's by now.
 */
static struct kvgpu_participant *participant_of_process(const struct kvgpu_ctx *new)
{
	struct kvgpu_dev *kdev;
	struct kvgpu_ctx *ctx;
	unsigned long id;

	list_for_each_entry(kdev, &new->kdev->system->devices, node) {
		if (kdev == new->kdev)
			continue;
		xa_for_each(&kdev->contexts, id, ctx)
			if (ctx->process == new->process && !ctx->participant->pid &&
			    !(ctx->participant->devices & BIT(new->kdev->index)))
				return ctx->participant;
	}
	return NULL;
}

void kvgpu_participant_join(struct kvgpu_ctx *ctx, struct task_struct *task,
			    struct kvgpu_participant *own)
{
	struct kvgpu_participant *participant = participant_kept(ctx->kdev->system->clock, task);

	if (!participant)
		participant = participant_of_process(ctx);
	if (!participant)
		participant = own;
	kref_get(&participant->ref);
	participant->contexts++;
	participant->devices |= BIT(ctx->kdev->index);
	ctx->participant = participant;
}

/* What is counted, and of contexts that are open what they hold of it now. */
static void info_add(struct vgpu_context_info *sum, const struct vgpu_context_info *info)
{
#define ADD(number, name, path, member, file, text) sum->path member += info->path member;
	VGPU_CONTEXT_COUNTERS(ADD)
#undef ADD
}

void kvgpu_participant_leave(struct kvgpu_ctx *ctx)
{
	struct kvgpu_participant *participant = ctx->participant;
	struct vgpu_context_info info;

	if (!vgpu_context_info(ctx->kdev->model, ctx->id, &info)) {
		info.account.save_area = 0;
		info.account.host_bytes = 0;
		info.account.managed_resident = 0;
		info.account.managed_host = 0;
		info.account.sm_blocks = 0;
		info.account.sm_registers = 0;
		info.account.sm_shared_bytes = 0;
		info.account.sm_warps = 0;
		info_add(&participant->sum, &info);
	}
	participant->contexts--;
	participant->devices &= ~BIT(ctx->kdev->index);
	detach_unused(participant);
}

/* ---- files -------------------------------------------------------------- */

/** struct participant_call - an ioctl of the file */
struct participant_call {
	struct kvgpu_participant *participant;
	void *args;			/* copy of its struct */
	struct pid *pid;		/* for the caller to release */
};

static int do_keep(struct kvgpu_dev *kdev, void *arg)
{
	struct kvgpu_participant *participant = arg;

	participant->kept = true;
	kvgpu_participant_attach(participant);
	return 0;
}

static int do_release(struct kvgpu_dev *kdev, void *arg)
{
	struct kvgpu_participant *participant = arg;

	participant->kept = false;
	detach_unused(participant);
	return 0;
}

static int do_move(struct kvgpu_dev *kdev, void *arg)
{
	struct participant_call *call = arg;

	swap(call->participant->pid, call->pid);
	return 0;
}

static int do_info(struct kvgpu_dev *kdev, void *arg)
{
	struct participant_call *call = arg;

	*(struct vgpu_seat_info *)call->args = (struct vgpu_seat_info){
		.time = vgpu_device_now(kdev->model),
		.contexts = call->participant->contexts,
		.blocked = call->participant->waiting > 0,
	};
	return 0;
}

static int do_sum(struct kvgpu_dev *kdev, void *arg)
{
	struct participant_call *call = arg;
	struct vgpu_context_info *sum = call->args, info;
	struct kvgpu_ctx *ctx;
	unsigned long id;

	*sum = call->participant->sum;
	list_for_each_entry(kdev, &call->participant->system->devices, node)
		xa_for_each(&kdev->contexts, id, ctx)
			if (ctx->participant == call->participant &&
			    !vgpu_context_info(kdev->model, ctx->id, &info))
				info_add(sum, &info);
	return 0;
}

/* The process @number, which must descend from the caller; NULL for 0. */
static struct pid *descendant_get(s32 number)
{
	struct task_struct *task;
	bool descends = false;
	struct pid *pid;
	int error;
	u32 i;

	if (!number)
		return NULL;
	pid = number > 0 ? find_get_pid(number) : NULL;
	if (!pid)
		return ERR_PTR(-ESRCH);
	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	error = task ? -EPERM : -ESRCH;
	for (i = 0; task && i < GENERATIONS_MAX && !descends; i++, task = parent_of(task))
		descends = same_thread_group(task, current);
	rcu_read_unlock();
	if (descends)
		return pid;
	put_pid(pid);
	return ERR_PTR(error);
}

static int participant_call(struct file *file, int (*fn)(struct kvgpu_dev *kdev, void *arg),
			    void *args, struct pid *pid)
{
	struct participant_call call = { file->private_data, args, pid };
	int ret = kvgpu_actor_call_killable(call.participant->kdev, fn, &call);

	put_pid(call.pid);
	return ret;
}

static int participant_move(struct file *file, void *arg)
{
	struct vgpu_seat_move *move = arg;
	struct pid *pid;

	if (move->reserved)
		return -EINVAL;
	pid = descendant_get(move->pid);
	return IS_ERR(pid) ? PTR_ERR(pid) : participant_call(file, do_move, arg, pid);
}

static int participant_info(struct file *file, void *arg)
{
	return participant_call(file, do_info, arg, NULL);
}

static int participant_sum(struct file *file, void *arg)
{
	return participant_call(file, do_sum, arg, NULL);
}

static const struct kvgpu_ioctl participant_ioctls[] = {
	KVGPU_IOCTL(VGPU_IOC_CONTEXT_INFO, struct vgpu_context_info, account.save_area,
		    participant_sum),
	KVGPU_IOCTL(VGPU_IOC_SEAT_MOVE, struct vgpu_seat_move, reserved, participant_move),
	KVGPU_IOCTL(VGPU_IOC_SEAT_INFO, struct vgpu_seat_info, blocked, participant_info),
};

static long participant_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return kvgpu_ioctl_call(participant_ioctls, ARRAY_SIZE(participant_ioctls), file, cmd,
				(void __user *)arg);
}

/* Readable: the participant is blocked. */
static __poll_t participant_poll(struct file *file, poll_table *table)
{
	struct kvgpu_participant *participant = file->private_data;

	poll_wait(file, &participant->blocked, table);
	return READ_ONCE(participant->waiting) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* What its file held. */
static void participant_close(struct kvgpu_participant *participant)
{
	struct kvgpu_dev *kdev = participant->kdev;

	kvgpu_actor_call(kdev, do_release, participant);
	/* nobody polls it any more */
	flush_work(&participant->wake);
	atomic_dec(&kdev->system->clock->kept);
	kvgpu_participant_put(participant);
	kvgpu_dev_put(kdev);
}

static int participant_release(struct inode *inode, struct file *file)
{
	participant_close(file->private_data);
	return 0;
}

static const struct file_operations participant_fops = {
	.owner = THIS_MODULE,
	.release = participant_release,
	.unlocked_ioctl = participant_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = participant_poll,
	.llseek = noop_llseek,
};

int kvgpu_ioctl_seat_create(struct file *file, void *arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct kvgpu_dev *kdev = ctx->kdev;
	struct kvgpu_participant *participant;
	struct vgpu_seat_create *create = arg;
	struct pid *pid;
	int ret = -ENOSPC;

	if (create->flags)
		return -EINVAL;
	if (create->priority > 0 && !capable(CAP_SYS_NICE))
		return -EPERM;
	pid = descendant_get(create->pid);
	if (IS_ERR(pid))
		return PTR_ERR(pid);
	participant = kvgpu_participant_create(kdev->system);
	if (!participant) {
		put_pid(pid);
		return -ENOMEM;
	}
	participant->priority = create->priority;
	participant->pid = pid;
	kref_get(&kdev->ref);
	participant->kdev = kdev;
	kvgpu_actor_call(kdev, do_keep, participant);
	/* who opens a context looks through all of them */
	if (atomic_inc_return(&kdev->system->clock->kept) <= KVGPU_PARTICIPANTS_MAX)
		ret = anon_inode_getfd("[vgpu-seat]", &participant_fops, participant,
				       O_RDWR | O_CLOEXEC);
	if (ret < 0) {
		participant_close(participant);
		return ret;
	}
	create->fd = ret;
	return 0;
}
