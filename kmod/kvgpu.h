/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's contents page: what its files know of each other. The module hosts device models
 * inside Linux and decides nothing about how they behave.
 *
 * Who may touch what: the model and everything marked "actor" belongs to the device's kthread
 * alone. Everybody else sends it a message (kvgpu_post()) and waits for the answer. What other
 * threads read (completed sequence numbers, fate of a context) the actor publishes with release
 * stores.
 */
#ifndef KVGPU_H
#define KVGPU_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "vgpu_device.h"
#include "compat.h"

/* Bounds of what one context may hold inside the kernel; docs/uapi.md promises them. */
#define KVGPU_DEVICES_MAX	16u
#define KVGPU_CONTEXTS_MAX	1024u		/* open on one device */
#define KVGPU_SEATS_MAX		1024u		/* kept on one device */
#define KVGPU_COMMANDS_MAX	65536u		/* in flight */
#define KVGPU_CALLS_MAX		65536		/* fences asked for, and not heard of yet */
#define KVGPU_PARAMS_MAX	(16u << 20)	/* bytes of kernel parameters in flight */
#define KVGPU_MODULES_MAX	64u		/* of how many bytes, the model bounds */

/** struct kvgpu_trace - ring of trace records: the actor writes, one reader at a time takes out */
struct kvgpu_trace {
	/* kvgpu_trace_records of them; NULL until first switched on */
	struct vgpu_trace_record *ring;
	u32 mask;
	bool on;			/* the actor writes */
	bool records;			/* actor: the model makes records */
	u64 head;			/* actor */
	u64 tail;			/* under read_lock */
	u64 lost;			/* records that found the ring full */
	struct mutex read_lock;		/* readers, and switching on and off */
};

#define KVGPU_NOTICES	256u		/* not sent yet; a power of two */

/** struct kvgpu_notice - a rare event, to be sent to who listens; 0 and NULL: not a part of it */
struct kvgpu_notice {
	u8 command;			/* enum vgpu_nl_command */
	u32 context;
	pid_t pid;
	u32 fault;
	u64 address;
	u64 time;
	u64 lost;			/* in front of this one */
	const char *knob;
	char value[32];
};

/** struct kvgpu_notices - on their way from the actor to netlink */
struct kvgpu_notices {
	struct kvgpu_notice ring[KVGPU_NOTICES];
	u64 head;			/* actor */
	u64 tail;			/* work */
	u64 lost;			/* actor: they found no room */
	u64 lost_told;			/* actor */
	bool stopped;			/* the device has been removed */
	u32 sample_ms;			/* 0: no samples */
	struct work_struct work;
	struct delayed_work sample;
};

enum kvgpu_clock_mode { KVGPU_FREE, KVGPU_PACED, KVGPU_LOCKSTEP, KVGPU_CLOCKS };

/**
 * struct kvgpu_clock - how virtual time passes; clock.c says what the modes mean. Actor, but for
 * @mode: anybody reads.
 */
struct kvgpu_clock {
	enum kvgpu_clock_mode mode;
	u64 factor;			/* paced: virtual time / wall time, in millionths */
	u64 wall_base;			/* paced: nanoseconds … */
	u64 virtual_base;		/* … when virtual time was this */
	u64 wall_start;			/* free and lockstep: nanoseconds … */
	/* … when they could have been here without running ahead */
	u64 start;
	struct list_head seats;		/* attached ones */
	u64 seats_ever;
	/* attached seats that wait for nothing: lockstep time stands */
	unsigned int running;
	/* struct kvgpu_waiter: what they waited for has come, in that order */
	struct list_head ready;
	struct list_head sleepers;	/* struct kvgpu_waiter by virtual time, then by seat */
};

/** struct kvgpu_seat - a place at the lockstep clock; seat.c. Actor, but for what never changes. */
struct kvgpu_seat {
	struct kref ref;
	struct kvgpu_dev *kdev;
	/* it and its descendants sit here; NULL: nobody, or one context of its own */
	struct pid *pid;
	s32 priority;			/* of contexts that open here */
	bool kept;			/* it has a file */
	bool attached;			/* in kdev->clock.seats */
	u64 order;			/* of attaching */
	unsigned int contexts;
	/* threads that wait; one is enough and the seat is blocked */
	unsigned int waiting;
	struct list_head node;
	struct vgpu_context_info sum;	/* of contexts that have been closed */
	wait_queue_head_t blocked;	/* waiters outside the device */
};

/** struct kvgpu_dev - one device: the model, its actor and how Linux sees it */
struct kvgpu_dev {
	refcount_t refs;		/* the table of devices, and every open file */
	unsigned int index;
	char name[16];
	struct vgpu_config config;
	struct vgpu_device *model;	/* actor */
	struct task_struct *actor;

	spinlock_t inbox_lock;
	struct list_head inbox;		/* struct kvgpu_msg, under inbox_lock */
	wait_queue_head_t wake;		/* the actor sleeps here */

	struct xarray contexts;		/* actor: id -> struct kvgpu_ctx */
	struct list_head news;		/* actor: contexts whose waiters must look again */
	u64 now;			/* virtual time, for anybody to read */
	struct kvgpu_clock clock;
	struct list_head rings;		/* actor: struct kvgpu_ring of contexts that live */
	struct io_uring_cmd *answers;	/* actor: ended, and not told yet … */
	struct io_uring_cmd *last_answer;	/* … up to this one */
	struct delayed_work watch;	/* over calls that end without the device */

	atomic_t context_count;
	atomic_t seat_count;		/* kept ones */
	atomic64_t frames;		/* of VRAM that have a page behind them */
	atomic64_t pins;		/* commands that hold process memory */
	unsigned int gets;		/* actor: frames asked for */
	unsigned int frees;		/* actor: frames given back */
	struct list_head given_back;	/* actor: frames to be freed, by page->lru */
	atomic64_t unfreed;		/* frames given back that are not free yet */
	bool memory_low;		/* actor: at the last look */

	struct kvgpu_trace trace;
	struct kvgpu_notices notices;
	struct device *dev;
	struct dentry *debugfs;
	struct vgpu_latency *preemptions;	/* actor: how long they took */
	struct mutex contexts_lock;
	struct kobject *contexts_dir;	/* under contexts_lock; NULL: the device has been removed */
	struct attribute_group knob_group;
	struct attribute_group config_group;
	const struct attribute_group *groups[7];
};

/** struct kvgpu_queue - what others may know of a hardware queue without asking the actor */
struct kvgpu_queue {
	struct kref ref;
	u64 submitted;
	u64 completed;
	struct rb_root_cached calls;	/* actor: struct kvgpu_call by sequence number */
	/* actor: no waiter of the clock waits for less; VGPU_NEVER: none waits */
	u64 awaited;
	struct kvgpu_ring *ring;	/* NULL until there is one; the actor writes */
};

/** struct kvgpu_ctx - an open file */
struct kvgpu_ctx {
	struct kvgpu_dev *kdev;
	u32 id;
	/* id -> struct kvgpu_queue; actor writes, others look up under its lock */
	struct xarray queues;
	u32 module_count;		/* actor */
	u64 inflight;			/* commands; the actor writes */
	u64 param_bytes;		/* actor: parameters in flight */
	int dead;			/* enum vgpu_fault_reason; the actor writes */
	pid_t pid;			/* of who opened it */
	s32 priority;			/* the actor writes */
	u32 tokens;			/* actor; VGPU_TOKENS_SHARE */
	struct kvgpu_seat *seat;
	/* of who opened it: it pays for code, pages and state of the context */
	struct mem_cgroup *memcg;
	struct list_head blocked;	/* actor: struct kvgpu_waiter */
	/* actor: struct kvgpu_call of io_uring that wait, for the watch to turn */
	struct list_head commands;
	struct list_head owned;		/* actor: the same, for flush to turn */
	u32 command_count;		/* actor: how many */
	struct list_head eventfds;	/* actor: struct kvgpu_call of eventfds that wait */
	struct mutex flushing;		/* one at a time */
	atomic_t call_count;		/* and of those on their way to the actor */
	struct mutex loading;		/* a module at a time */
	struct kvgpu_ctx_dir *dir;
	atomic64_t pinned;		/* pages of process memory */
	wait_queue_head_t waiters;
	struct list_head news;		/* actor: in kdev->news */
	spinlock_t unpin_lock;
	struct list_head unpin;		/* finished pins that unpin_work gives back */
	struct work_struct unpin_work;
};

/* ---- device.c: the actor and its inbox ---------------------------------- */

/**
 * struct kvgpu_msg - something to do on the actor's thread; embedded in its arguments, mostly on
 * the sender's stack
 */
struct kvgpu_msg {
	struct list_head node;
	int (*fn)(struct kvgpu_dev *kdev, struct kvgpu_msg *msg);
	/* kvgpu_give(): nobody waits, what it is embedded in belongs to @fn */
	bool given;
	struct completion done;
	int result;
};

struct kvgpu_dev *kvgpu_dev_create(unsigned int index, const struct vgpu_config *config);
void kvgpu_dev_destroy(struct kvgpu_dev *kdev);

/*
 * Have the actor run @fn and return its result. Cannot be interrupted: for paths that must not
 * fail.
 */
int kvgpu_post(struct kvgpu_dev *kdev, struct kvgpu_msg *msg);
/* The same, but a killed sender leaves with -EINTR if the actor has not begun. */
int kvgpu_post_killable(struct kvgpu_dev *kdev, struct kvgpu_msg *msg);
/* Have the actor run @fn without waiting for it. */
void kvgpu_give(struct kvgpu_dev *kdev, struct kvgpu_msg *msg);

/* Busy-wait briefly until @ready; false: the caller should sleep. */
bool kvgpu_spin(bool (*ready)(void *arg), void *arg);

/* ---- file.c: open files ------------------------------------------------- */

extern const struct file_operations kvgpu_fops;

/* ---- devices.c: the devices there are, by number ------------------------ */

int kvgpu_devices_init(void);
/* From now on their nodes can be opened, and no longer. */
int kvgpu_devices_open(void);
void kvgpu_devices_close(void);
/* Removes all of them; no file is open. */
void kvgpu_devices_exit(void);
/*
 * Make device @config under the lowest free number, with its nodes. -ENOSPC: KVGPU_DEVICES_MAX are
 * there.
 */
int kvgpu_dev_add(const struct vgpu_config *config, struct kvgpu_dev **out);
/* Take it out: nobody finds it any more. -EBUSY: files are open on it, unless @in_use_too. */
int kvgpu_dev_remove(struct kvgpu_dev *kdev, bool in_use_too);
/* A reference to device @index, or to the one that a node stands for; NULL: there is none. */
struct kvgpu_dev *kvgpu_dev_get(unsigned int index);
struct kvgpu_dev *kvgpu_dev_get_minor(unsigned int minor);
void kvgpu_dev_put(struct kvgpu_dev *kdev);

/* ---- main.c, configfs.c ------------------------------------------------- */

/* Say which presets there are. */
void kvgpu_refuse_preset(const char *name_given);
int kvgpu_configfs_init(void);
/* From now on folders can be made. */
void kvgpu_configfs_open(void);
void kvgpu_configfs_exit(void);

/* ---- ioctl.c, submit.c -------------------------------------------------- */

long kvgpu_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
long kvgpu_submit(struct kvgpu_ctx *ctx, void __user *arg);

/**
 * struct kvgpu_batch - commands on their way to a queue, with all of the process that they refer to
 */
struct kvgpu_batch {
	struct kvgpu_ctx *ctx;
	u32 queue;
	u32 count;
	struct vgpu_push *push;
	void *params;
	u64 param_bytes;
	u32 failed;			/* the command that is wrong, ~0: the batch is */
	u64 seq;			/* of the last command */
};

/* Fill @push from process memory. */
int kvgpu_batch_copy(struct kvgpu_batch *batch, u64 commands);
/* Take what the commands in @push refer to, for the running process. On failure nothing is held. */
int kvgpu_batch_take(struct kvgpu_batch *batch);
/* Give it back when the batch was not pushed; and what a batch holds until it was, or was not. */
void kvgpu_batch_undo(struct kvgpu_batch *batch);
void kvgpu_batch_free(struct kvgpu_batch *batch);
/* Actor: append it, all or nothing; to what was submitted, or also behind what lies in rings. */
int kvgpu_batch_push(struct kvgpu_batch *batch);
int kvgpu_batch_append(struct kvgpu_batch *batch);

/* ---- memory.c: process memory of commands ------------------------------- */

struct kvgpu_pin;

int kvgpu_memory_init(void);
void kvgpu_memory_exit(void);
/*
 * Pin process memory for a command: in the submitter's context, so that a page that is slow to come
 * stalls only its owner. -EFAULT: not there; -EAGAIN: too much in flight; -EINTR: killed meanwhile.
 */
struct kvgpu_pin *kvgpu_pin(struct kvgpu_ctx *ctx, u64 address, u64 bytes, bool write);
/* Give it back; does not sleep on the pages. */
void kvgpu_unpin(struct kvgpu_pin *pin);
void kvgpu_unpin_work(struct work_struct *work);
int kvgpu_pin_move(struct kvgpu_pin *pin, u64 offset, void *memory, u32 bytes, enum vgpu_move dir);
u64 kvgpu_pinned_pages(void);

/* ---- frames.c: pages behind VRAM ---------------------------------------- */

void *kvgpu_get_frame(void *host, u32 context);
void kvgpu_put_frame(void *host, void *frame);
/* Actor: @frames gets what has been given back since the last time. */
void kvgpu_take_frames(struct kvgpu_dev *kdev, struct list_head *frames);
/* Free them; who caused it does it, since others wait for the actor. */
void kvgpu_free_frames(struct kvgpu_dev *kdev, struct list_head *frames);

/* ---- fence.c: completions and who waits for them ------------------------ */

struct kvgpu_queue *kvgpu_queue_get(struct kvgpu_ctx *ctx, u32 id);
void kvgpu_queue_put(struct kvgpu_queue *queue);
void kvgpu_completed(void *host, const struct vgpu_completion *completion);
void kvgpu_context_died(void *host, u32 context, const struct vgpu_fault *fault);
/* Wake the waiters of every context that has news. Actor. true: there is more to tell. */
bool kvgpu_news(struct kvgpu_dev *kdev);
long kvgpu_wait(struct kvgpu_ctx *ctx, void __user *arg);
__poll_t kvgpu_poll(struct file *file, poll_table *wait);

/*
 * A command's cookie: 0, the pin of its process memory (even), or bytes of launch parameters
 * charged to the context (odd).
 */
static inline u64 kvgpu_cookie_params(u32 bytes)
{
	return (u64)bytes << 1 | 1;
}

/* ---- call.c: asynchronous fence waiters --------------------------------- */

struct io_uring_cmd;
struct eventfd_ctx;

/**
 * struct kvgpu_call - a fence waiter without a thread: an io_uring command or an eventfd
 * @end: reports the result and frees the call; -EIO: the context is dead, -ECANCELED: it is not
 *   waited for any more, -ETIME
 * @deadline: of the wall clock, in nanoseconds; 0: none
 */
struct kvgpu_call {
	struct kvgpu_msg msg;
	struct kvgpu_ctx *ctx;
	void (*end)(struct kvgpu_call *call, int result);
	u32 queue;
	u64 seq;
	u64 deadline;
	bool waits;			/* for a lockstep clock its seat waits meanwhile */
	struct rb_node node;		/* in queue->calls, once it waits … */
	struct rb_root_cached *in;	/* … which is here */
	struct list_head all;		/* in ctx->commands or ctx->eventfds … */
	struct list_head owned;		/* … and a command in ctx->owned */
	/* of io_uring: the descriptor table it came from; an eventfd: NULL */
	const void *cmd_owner;
	union {
		struct {
			struct io_uring_cmd *cmd;
			bool taken;
			struct kvgpu_batch batch;
			struct vgpu_push one;	/* a batch of one */
		};
		struct eventfd_ctx *eventfd;
	};
};

/* -EBUSY: the context has too many. */
int kvgpu_call_begin(struct kvgpu_call *call, struct kvgpu_ctx *ctx);
void kvgpu_call_free(struct kvgpu_call *call);
/*
 * Actor: wait until its queue has come to its sequence number. Otherwise it has ended with a
 * negative errno.
 */
void kvgpu_call_wait(struct kvgpu_call *call);
/*
 * Actor: @ctx has news; end a turn's worth of calls whose fence has been reached. true: there are
 * more.
 */
bool kvgpu_calls_look(struct kvgpu_ctx *ctx);
/*
 * Actor: @ctx is being closed, so it has no commands: end a turn's worth of its eventfds. true:
 * there are more.
 */
bool kvgpu_calls_end(struct kvgpu_ctx *ctx);
void kvgpu_calls_watch(struct work_struct *work);
/* A process closes a descriptor. */
int kvgpu_flush(struct file *file, fl_owner_t owner);
long kvgpu_eventfd(struct kvgpu_ctx *ctx, void __user *arg);

/* ---- uring.c: commands of io_uring -------------------------------------- */

int kvgpu_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags);
/* Actor: tell those that have ended. */
void kvgpu_uring_answer(struct kvgpu_dev *kdev);
/* The process behind it goes away, or the ring. */
bool kvgpu_uring_abandoned(const struct kvgpu_call *call);

/* ---- ring.c: queues mapped into the process ----------------------------- */

struct vm_area_struct;

long kvgpu_ring_create(struct kvgpu_ctx *ctx, void __user *arg);
long kvgpu_ring_doorbell(struct kvgpu_ctx *ctx, void __user *arg);
int kvgpu_mmap(struct file *file, struct vm_area_struct *vma);
void kvgpu_ring_free(struct kvgpu_ring *ring);
/* Actor: look at all rings, for a turn; and is there something to take? */
void kvgpu_rings_turn(struct kvgpu_dev *kdev);
bool kvgpu_rings_full(const struct kvgpu_dev *kdev);
/* Actor: it goes to sleep, or is awake again. */
void kvgpu_rings_asleep(struct kvgpu_dev *kdev, bool asleep);
/* Actor: take all that lies in the rings of @ctx; after this something else of it may be. */
void kvgpu_rings_take(struct kvgpu_ctx *ctx);
/* Have the actor take it. */
int kvgpu_rings_sync(struct kvgpu_ctx *ctx);
/*
 * Actor: the queue has got, has come to @seq; @ctx has news; it is dead; the queue goes; the
 * context does.
 */
void kvgpu_ring_submitted(struct kvgpu_ring *ring, u64 seq);
void kvgpu_ring_completed(struct kvgpu_ring *ring, u64 seq, u64 time);
void kvgpu_rings_retry(struct kvgpu_ctx *ctx);
void kvgpu_rings_dead(struct kvgpu_ctx *ctx);
void kvgpu_ring_stop(struct kvgpu_ring *ring);
void kvgpu_rings_stop(struct kvgpu_ctx *ctx);
/* Something lies in it that the actor has not taken. */
bool kvgpu_ring_waits(const struct kvgpu_ring *ring);

/* ---- clock.c: how virtual time passes, and who waits for it ------------- */

/**
 * struct kvgpu_waiter - a thread that waits for a fence or a virtual time, known to the actor; on
 * that thread's stack
 * @until: virtual time, VGPU_NEVER: no limit
 * @relative: @until counts from when the actor hears of it
 * @which: the fence that was reached, VGPU_FENCE_NONE: the time was
 */
struct kvgpu_waiter {
	struct kvgpu_msg msg;
	struct kvgpu_ctx *ctx;
	const struct vgpu_fence *fences;
	u32 count;
	u64 until;
	bool relative;
	u32 which;
	enum { KVGPU_BLOCKED, KVGPU_READY, KVGPU_WOKEN } state;
	struct list_head node;		/* in ctx->blocked, or in clock.ready */
	struct list_head sleeper;	/* in clock.sleepers */
	struct completion over;
};

#define KVGPU_IDLE	(~0ull)

void kvgpu_clock_init(struct kvgpu_clock *clock);
/*
 * Let device time pass for a turn. Returns for how many nanoseconds the actor may sleep then,
 * KVGPU_IDLE: until a message.
 */
u64 kvgpu_clock_turn(struct kvgpu_dev *kdev);
/* Before messages are served: a paced clock shows what the wall clock says. */
void kvgpu_clock_catch_up(struct kvgpu_dev *kdev);
/* Actor: @queue of @ctx, which has number @id, has come to @seq. */
void kvgpu_clock_completed(struct kvgpu_ctx *ctx, struct kvgpu_queue *queue, u32 id, u64 seq);
void kvgpu_clock_set_mode(struct kvgpu_dev *kdev, enum kvgpu_clock_mode mode);
void kvgpu_clock_set_factor(struct kvgpu_dev *kdev, u64 factor);
/*
 * Wait as @waiter says. 0; -EINTR: a signal came first; -ENOENT, -EINVAL: a fence that cannot come.
 */
int kvgpu_clock_wait(struct kvgpu_waiter *waiter);
long kvgpu_wait_any(struct kvgpu_ctx *ctx, void __user *arg);

/* ---- seat.c: who takes part in a lockstep clock ------------------------- */

struct kvgpu_seat *kvgpu_seat_create(struct kvgpu_dev *kdev);
void kvgpu_seat_put(struct kvgpu_seat *seat);
/*
 * Actor: register a context of @task as lockstep participant, on @own if no seat is kept for the
 * task; and remove it.
 */
struct kvgpu_seat *kvgpu_seat_sit(struct kvgpu_dev *kdev, struct task_struct *task,
				  struct kvgpu_seat *own);
void kvgpu_seat_leave(struct kvgpu_ctx *ctx);
/* Actor: take part from now on. */
void kvgpu_seat_attach(struct kvgpu_seat *seat);
/* Actor: a thread begins and ends to wait. */
void kvgpu_seat_block(struct kvgpu_seat *seat);
void kvgpu_seat_run(struct kvgpu_seat *seat);
long kvgpu_seat_ioctl_create(struct kvgpu_ctx *ctx, void __user *arg);

/* ---- contexts.c: the contexts of a device in sysfs ---------------------- */

int kvgpu_contexts_add(struct kvgpu_dev *kdev);
void kvgpu_contexts_remove(struct kvgpu_dev *kdev);
/* Actor. -EPERM: it would be raised, and may not be. */
int kvgpu_ctx_priority(struct kvgpu_ctx *ctx, s32 priority, bool may_raise);
/* -ENODEV: there is no context @id. */
int kvgpu_context_set_priority(struct kvgpu_dev *kdev, u32 id, s32 priority);
int kvgpu_context_set_tokens(struct kvgpu_dev *kdev, u32 id, u32 tokens);
int kvgpu_ctx_dir_add(struct kvgpu_ctx *ctx);
void kvgpu_ctx_dir_remove(struct kvgpu_ctx *ctx);

/* ---- netlink.c: generic netlink; notices.c: its multicast groups -------- */

int kvgpu_netlink_init(void);
void kvgpu_netlink_exit(void);
void kvgpu_notices_init(struct kvgpu_dev *kdev);
void kvgpu_notices_start(struct kvgpu_dev *kdev);
/*
 * Nothing is sent any more. Again before the device goes: its actor may have noted something
 * meanwhile.
 */
void kvgpu_notices_stop(struct kvgpu_dev *kdev);
void kvgpu_sample_every(struct kvgpu_dev *kdev, u32 ms);
/*
 * Actor: tell who listens. @command: enum vgpu_nl_command; @fault may be NULL; @knob is a name that
 * stays.
 */
void kvgpu_notice_context(struct kvgpu_ctx *ctx, u8 command, const struct vgpu_fault *fault);
void kvgpu_notice_knob(struct kvgpu_dev *kdev, const char *knob, const char *value);
void kvgpu_notice_memory(struct kvgpu_dev *kdev);

/* ---- fdinfo.c ----------------------------------------------------------- */

void kvgpu_show_fdinfo(struct seq_file *seq, struct file *file);

/* ---- trace.c: debugfs --------------------------------------------------- */

extern unsigned int kvgpu_trace_records;

void kvgpu_trace_init(void);
void kvgpu_trace_exit(void);
void kvgpu_trace_add(struct kvgpu_dev *kdev);
void kvgpu_trace_remove(struct kvgpu_dev *kdev);
void kvgpu_trace_record(struct kvgpu_dev *kdev, const struct vgpu_trace_record *record);
/* Actor: the model makes records while somebody listens, and only then. */
void kvgpu_trace_look(struct kvgpu_dev *kdev);

/* ---- tracepoints.c: trace events ---------------------------------------- */

bool kvgpu_events_on(void);
void kvgpu_record(void *host, const struct vgpu_trace_record *record);

/* ---- sysfs.c ------------------------------------------------------------ */

/*
 * Knobs of the model, by name, from any thread; values as vgpu_device_knob_get() and _set() have
 * them.
 */
int kvgpu_knob_get(struct kvgpu_dev *kdev, const char *knob, char *text, size_t room);
int kvgpu_knob_set(struct kvgpu_dev *kdev, const char *knob, const char *value);
/* "free", "paced", "lockstep" */
const char *kvgpu_clock_name(enum kvgpu_clock_mode mode);
int kvgpu_sysfs_prepare(struct kvgpu_dev *kdev);
void kvgpu_sysfs_free(struct kvgpu_dev *kdev);

#endif
