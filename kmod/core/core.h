/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ground of the module: what a device and an open file are to every room, and how the rooms
 * reach the device's one actor. The module hosts device models inside Linux and decides nothing
 * about how they behave.
 *
 * Rooms, each with one header and a struct of its own that the structs below point to; a room
 * includes its own header and those of rooms in front of it, none behind it:
 *
 * core		messages to the actor, the table of devices, who executes with an actor
 * policy	policies and mechanisms of other modules
 * fence	fence waiters, virtual time, lockstep participants
 * memory	pinned and managed memory of processes, pages behind VRAM
 * queue	submission, mapped rings, io_uring, eventfd, waiting ioctls
 * windows	ioctl table, sysfs, debugfs, netlink, trace events
 * device	puts devices and open files together; the module; configfs
 *
 * Who may touch what: the models and everything marked "actor" belong to the kthread of the
 * device's system alone; workers and helpers touch the slices that they are given by it (batch.c).
 * Everybody else calls it by a message (kvgpu_actor_call()). What other threads read (completed
 * sequence numbers, why a context died) the actor publishes with release stores.
 */
#ifndef KVGPU_CORE_H
#define KVGPU_CORE_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "vgpu_device.h"
#include "kmod/core/batch.h"
#include "kmod/core/compat.h"
#include "kmod/core/helpers.h"
#include "kmod/core/kcov.h"
#include "kmod/core/workers.h"

/* Bounds of what one context may hold inside the kernel; docs/uapi.md promises them. */
#define KVGPU_DEVICES_MAX	16u
#define KVGPU_CONTEXTS_MAX	1024u		/* open on one device */
#define KVGPU_PARTICIPANTS_MAX	1024u		/* kept on one device */
#define KVGPU_COMMANDS_MAX	65536u		/* in flight */
#define KVGPU_WAITERS_MAX	65536		/* fences asked for asynchronously */
#define KVGPU_PARAMS_MAX	(16u << 20)	/* bytes of kernel parameters in flight */
#define KVGPU_MODULES_MAX	64u		/* of how many bytes, the model bounds */

#define KVGPU_SYSTEM_NAME_MAX	16		/* with its end */

/**
 * struct kvgpu_system - devices on one clock, and the one actor of all of them
 * @name: that devices join it by; empty: of one device that nobody joins
 */
struct kvgpu_system {
	struct kref ref;		/* every device */
	char name[KVGPU_SYSTEM_NAME_MAX];
	struct vgpu_system *model;	/* actor */
	u64 now;			/* virtual time, for anybody to read */

	struct task_struct *actor;
	spinlock_t inbox_lock;
	struct rb_root_cached inboxes;	/* struct kvgpu_inbox with messages, under inbox_lock */
	u64 served;			/* where the last inbox stood, under inbox_lock */
	u64 unshared;			/* actor: ns of execution, not charged to contexts yet */
	struct kvgpu_kcov kcov;		/* actor: of the newest message that had one */
	wait_queue_head_t wake;		/* the actor sleeps here */

	struct list_head devices;	/* actor: struct kvgpu_dev */
	struct vgpu_exec *deciding;	/* actor: a policy as BPF is called for it */
	u32 decision_steps;		/* actor: of its loops, in this decision */
	struct xarray users;		/* actor: uid -> struct kvgpu_user */
	struct list_head users_waiting;	/* actor: struct kvgpu_user */
	struct kvgpu_clock *clock;
};

/**
 * struct kvgpu_inbox - messages to the actor that it has not run yet, of one sender
 *
 * An open file has one, and a device has one for everybody who sends without a file. Under the
 * system's inbox_lock.
 */
struct kvgpu_inbox {
	struct kvgpu_dev *kdev;
	struct list_head messages;	/* struct kvgpu_msg, in the order in which they were sent */
	struct rb_node node;		/* in system->inboxes while there are messages */
	u64 served;			/* the least one is next; actor.c says how it grows */
	u64 used;			/* nanoseconds of the actor's; READ_ONCE() by anybody */
	u32 repeats;			/* actor: how often the present message was run before */
};

/**
 * struct kvgpu_user - what a user has of the devices of a system (actor)
 *
 * It stays until the system ends if virtual time is ahead of the wall clock because of it.
 */
struct kvgpu_user {
	kuid_t uid;
	u32 files;			/* open ones */
	u32 allocations;		/* memory apart from addresses that he has created */
	bool privileged;		/* by CAP_SYS_RESOURCE: no shares for it */
	u32 contexts[KVGPU_DEVICES_MAX];	/* by device: open ones … */
	u64 mapped[KVGPU_DEVICES_MAX];		/* … and bytes of device memory mapped */
	u64 wants;			/* commands in flight, sleepers: virtual time is to pass */
	struct list_head node;		/* in system->users_waiting while @wants is not 0 */
	/* picoseconds by which it has brought time forward, less what the wall clock went since */
	u64 ahead;
	u64 ahead_at;			/* ktime_get_ns() of that */
};

/** struct kvgpu_dev - one device: the model, and what each room keeps of it */
struct kvgpu_dev {
	struct kref ref;		/* the table of devices, and every open file */
	void (*release)(struct kref *ref);
	unsigned int index;
	char name[16];
	struct vgpu_config config;
	struct vgpu_device *model;	/* actor */

	struct kvgpu_system *system;
	struct list_head node;		/* actor: in system->devices */
	struct list_head attached;	/* under kvgpu_policies_lock */
	struct kvgpu_inbox inbox;	/* of sysfs, netlink, configfs and the module itself */

	struct xarray contexts;		/* actor: id -> struct kvgpu_ctx */
	struct list_head signalled;	/* actor: contexts with completions to be handled */

	u32 timeout_ms;			/* 0: a kernel may keep others out for ever; anybody */
	u32 pin_timeout_ms;		/* 0: memory stays pinned as long as a command; anybody */
	u32 user_share;			/* per cent, see user.c; anybody */
	u32 contexts_open;		/* actor: KVGPU_CONTEXTS_MAX at most */
	u64 mapped;			/* actor: bytes of device memory */

	struct kvgpu_memory *memory;
	struct kvgpu_queues *queues;
	struct kvgpu_trace *trace;
	struct kvgpu_notices *notices;
	struct kvgpu_sysfs *sysfs;
	struct kvgpu_timeout *timeout;
	struct kvgpu_counts *counts;	/* actor; NULL: no kernel has been counted yet */
};

/** struct kvgpu_ctx - an open file, which is a context on the device */
struct kvgpu_ctx {
	struct kvgpu_dev *kdev;
	struct kvgpu_inbox inbox;
	u64 executed;			/* ns of the module's threads for this; as inbox.used */
	u32 id;
	/* who opened it */
	pid_t pid;			/* in the initial pid namespace */
	struct pid *process;
	kuid_t owner;
	struct kvgpu_user *user;	/* actor */
	bool privileged;		/* CAP_SYS_RESOURCE */
	u64 mapped;			/* actor: bytes of device memory */
	/* control group of who opened it: it pays for code, pages and state of the context */
	struct vgpu_payer payer;
	s32 priority;			/* the actor writes */
	u32 tokens;			/* actor; VGPU_TOKENS_SHARE */
	u64 memory_budget;		/* actor; VGPU_BUDGET_OF_DEVICE */
	int dead;			/* enum vgpu_fault_reason; the actor writes */
	/* id -> struct kvgpu_queue; actor writes, others look up under its lock */
	struct xarray queues;
	u64 inflight;			/* commands; the actor writes */
	u64 param_bytes;		/* actor: parameters in flight */
	u32 module_count;		/* actor */
	struct mutex loading;		/* a module at a time */
	wait_queue_head_t idle;		/* poll(): woken when nothing is in flight, or it is dead */
	struct list_head signalled;	/* actor: in kdev->signalled */

	struct kvgpu_pins *pins;
	struct kvgpu_managed *managed;
	struct kvgpu_process *process_memory;	/* actor sets it, once; NULL: kernels have none */
	struct kvgpu_participant *participant;
	struct kvgpu_helpers *helpers;
	struct kvgpu_waiters *waiters;
	struct kvgpu_signals *signals;
	struct kvgpu_uring *uring;
	struct kvgpu_ctx_dir *dir;
	struct kvgpu_names *names;
};

/* ---- actor.c: messages to the actor ------------------------------------- */

/*
 * What a message's function returns when it has done a part of its work: it is called again, after
 * messages of others and before all others of its inbox. Everybody waits for the actor, so no call
 * does more than some hundred things.
 */
#define KVGPU_AGAIN	INT_MIN
#define KVGPU_PART_PAGES	1024u	/* of device memory that one call releases */

/** struct kvgpu_msg - something to do on the actor's thread */
struct kvgpu_msg {
	struct list_head node;
	struct kvgpu_inbox *inbox;
	int (*fn)(struct kvgpu_dev *kdev, void *arg);
	void *arg;
	bool sent;			/* nobody waits for an answer */
	u32 repeats;			/* how often @fn has been called */
	struct kvgpu_kcov kcov;		/* of the sender */
	struct completion done;
	int result;
};

void kvgpu_inbox_init(struct kvgpu_inbox *inbox, struct kvgpu_dev *kdev);

/**
 * kvgpu_inbox_call - have the actor run @fn(device of @inbox, @arg) and return its result
 *
 * Cannot be interrupted: for paths that must not fail. @arg may lie on the sender's stack.
 */
int kvgpu_inbox_call(struct kvgpu_inbox *inbox, int (*fn)(struct kvgpu_dev *kdev, void *arg),
		     void *arg);

/**
 * kvgpu_inbox_call_killable - the same, but a killed sender leaves with -EINTR if @fn is not
 * being run
 */
int kvgpu_inbox_call_killable(struct kvgpu_inbox *inbox,
			      int (*fn)(struct kvgpu_dev *kdev, void *arg), void *arg);

/**
 * kvgpu_inbox_send - have the actor run @fn without waiting for it
 *
 * @msg belongs to the actor until @fn is called, in the order of messages of @inbox.
 */
void kvgpu_inbox_send(struct kvgpu_inbox *inbox, struct kvgpu_msg *msg,
		      int (*fn)(struct kvgpu_dev *kdev, void *arg), void *arg);

/* For senders that have no file open. */
static inline int kvgpu_actor_call(struct kvgpu_dev *kdev,
				   int (*fn)(struct kvgpu_dev *kdev, void *arg), void *arg)
{
	return kvgpu_inbox_call(&kdev->inbox, fn, arg);
}

static inline int kvgpu_actor_call_killable(struct kvgpu_dev *kdev,
					    int (*fn)(struct kvgpu_dev *kdev, void *arg), void *arg)
{
	return kvgpu_inbox_call_killable(&kdev->inbox, fn, arg);
}

/**
 * kvgpu_inboxes_serve - actor: run messages for about @ns nanoseconds, one at least
 */
void kvgpu_inboxes_serve(struct kvgpu_system *system, u64 ns);
bool kvgpu_inboxes_pending(struct kvgpu_system *system);

/**
 * kvgpu_inbox_charge - actor: @ns nanoseconds of its time went to the sender of @inbox
 */
void kvgpu_inbox_charge(struct kvgpu_inbox *inbox, u64 ns);

/**
 * kvgpu_execution_charge - actor: the models of @system have just been run for @ns nanoseconds
 * @idle: they have nothing more to do for now
 *
 * That time goes to the contexts for which the models have computed something (ctx->executed), in
 * proportion to it; not with every call, since a run may be shorter than that takes.
 */
void kvgpu_execution_charge(struct kvgpu_system *system, u64 ns, bool idle);

/**
 * kvgpu_spin - busy-wait briefly until @ready; false: the caller should sleep
 */
bool kvgpu_spin(bool (*ready)(void *arg), void *arg);

/* What belongs to the actor is touched on its thread only; checked in kernels with lockdep. */
static inline void kvgpu_assert_actor(const struct kvgpu_dev *kdev)
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) && current != kdev->system->actor);
}

/* ---- user.c: what one user may have (actor) ----------------------------- */

#define KVGPU_USER_SHARE	90u	/* per cent */

/**
 * kvgpu_user_join - @ctx opens: count it for its user, who becomes *@spare if there is none yet
 *
 * -ENOSPC: the device has KVGPU_CONTEXTS_MAX, or the user has his share of them; -ENOMEM.
 */
int kvgpu_user_join(struct kvgpu_ctx *ctx, struct kvgpu_user **spare);
void kvgpu_user_leave(struct kvgpu_ctx *ctx);
/**
 * kvgpu_user_memory - bytes of device memory that @ctx may map beside what it has
 */
u64 kvgpu_user_memory(const struct kvgpu_ctx *ctx);
/* @ctx has mapped, unmapped so many bytes. */
void kvgpu_user_map(struct kvgpu_ctx *ctx, s64 bytes);
/* @user has one piece of memory of @kdev more that is no context's. */
void kvgpu_user_hold(struct kvgpu_dev *kdev, struct kvgpu_user *user, u64 bytes);
/* One less. He may be gone then. */
void kvgpu_user_unhold(struct kvgpu_dev *kdev, struct kvgpu_user *user, u64 bytes);
/* So many more of its commands and sleepers wait for virtual time to pass. */
void kvgpu_user_wants(struct kvgpu_ctx *ctx, s64 more);
/* What @user, who has @has of @all that are in use, may have when there are @total. */
u64 kvgpu_user_may(u64 has, u64 all, u64 total, u32 share);

/* ---- ioctl.c: ioctls by number ------------------------------------------ */

#define KVGPU_IOCTL_BYTES	768u	/* of the largest struct */

/**
 * struct kvgpu_ioctl - an ioctl of a file; tables are indexed by its number
 * @cmd: with the size of its struct now
 * @first: size of its struct in the first version: what every caller gives
 * @fn: @arg is a copy of the struct, of the present size, zero where the caller gave less; what it
 *   says there is copied out
 */
struct kvgpu_ioctl {
	unsigned int cmd;
	unsigned int first;
	int (*fn)(struct file *file, void *arg);
};

/* @last: the last member that the first version of its struct had */
#define KVGPU_IOCTL(cmd_, struct_, last, fn_)							\
	[_IOC_NR(cmd_)] = {									\
		.cmd = (cmd_) + BUILD_BUG_ON_ZERO(sizeof(struct_) != _IOC_SIZE(cmd_) ||		\
						  sizeof(struct_) > KVGPU_IOCTL_BYTES),		\
		.first = offsetofend(struct_, last),						\
		.fn = fn_,									\
	}

/**
 * kvgpu_ioctl_call - find ioctl @cmd in a table of @count entries and run it
 *
 * -ENOTTY: there is none; -EINVAL: the struct is smaller than ever; -E2BIG: something that this
 * version does not know is asked for.
 */
long kvgpu_ioctl_call(const struct kvgpu_ioctl *table, u32 count, struct file *file,
		      unsigned int cmd, void __user *user);

/* ---- lookup.c: devices by number ---------------------------------------- */

/* Each entry holds one reference. */
extern struct kvgpu_dev *kvgpu_devices[KVGPU_DEVICES_MAX];	/* under kvgpu_devices_lock */
extern struct mutex kvgpu_devices_lock;

/**
 * kvgpu_dev_get - a reference to device @index; NULL: there is none
 */
struct kvgpu_dev *kvgpu_dev_get(unsigned int index);
void kvgpu_dev_put(struct kvgpu_dev *kdev);

#endif
