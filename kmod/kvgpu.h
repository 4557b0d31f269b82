/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's contents page: what its files know of each other. The module hosts device models inside Linux and
 * decides nothing about how they behave.
 *
 * Who may touch what: the model and everything marked "actor" belongs to the device's kthread alone. Everybody else
 * sends it a message (kvgpu_post()) and waits for the answer. What other threads read (completed sequence numbers,
 * fate of a context) the actor publishes with release stores.
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
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "vgpu_device.h"
#include "compat.h"

/* Bounds of what one context may hold inside the kernel; docs/uapi.md promises them. */
#define KVGPU_DEVICES_MAX	16u
#define KVGPU_CONTEXTS_MAX	1024u		/* open on one device */
#define KVGPU_COMMANDS_MAX	65536u		/* in flight */
#define KVGPU_PARAMS_MAX	(16u << 20)	/* bytes of kernel parameters in flight */
#define KVGPU_MODULES_MAX	64u
#define KVGPU_MODULE_BYTES_MAX	(64u << 20)

/** struct kvgpu_trace - ring of trace records: the actor writes, one reader at a time takes out */
struct kvgpu_trace {
	struct vgpu_trace_record *ring;	/* kvgpu_trace_records of them; NULL until first switched on */
	u32 mask;
	bool on;
	u64 head;			/* actor */
	u64 tail;			/* under read_lock */
	u64 lost;			/* records that found the ring full */
	struct mutex read_lock;		/* readers, and switching on and off */
};

/** struct kvgpu_dev - one device: the model, its actor and how Linux sees it */
struct kvgpu_dev {
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

	atomic_t context_count;
	atomic64_t frames;		/* of VRAM that have a page behind them */
	atomic64_t pins;		/* commands that hold process memory */
	unsigned int gets;		/* actor: frames asked for */
	unsigned int frees;		/* actor: frames given back */
	bool memory_low;		/* actor: at the last look */

	struct kvgpu_trace trace;
	struct device *dev;
	struct dentry *debugfs;
	struct kvgpu_knob *knobs;
	struct attribute_group knob_group;
	const struct attribute_group *groups[3];
};

/** struct kvgpu_queue - what others may know of a hardware queue without asking the actor */
struct kvgpu_queue {
	struct kref ref;
	u64 submitted;
	u64 completed;
};

/** struct kvgpu_ctx - an open file */
struct kvgpu_ctx {
	struct kvgpu_dev *kdev;
	u32 id;
	struct xarray queues;		/* id -> struct kvgpu_queue; actor writes, others look up under its lock */
	struct xarray modules;		/* actor: id -> bytes */
	u32 module_count;		/* actor */
	u64 module_bytes;		/* actor */
	u64 inflight;			/* commands; the actor writes */
	u64 param_bytes;		/* actor: parameters in flight */
	int dead;			/* enum vgpu_fault_reason; the actor writes */
	atomic64_t pinned;		/* pages of process memory */
	wait_queue_head_t waiters;
	struct list_head news;		/* actor: in kdev->news */
	spinlock_t unpin_lock;
	struct list_head unpin;		/* finished pins that unpin_work gives back */
	struct work_struct unpin_work;
};

/* ---- device.c: the actor and its inbox ----------------------------------------------------------------------- */

/** struct kvgpu_msg - something to do on the actor's thread; embedded in its arguments, on the sender's stack */
struct kvgpu_msg {
	struct list_head node;
	int (*fn)(struct kvgpu_dev *kdev, struct kvgpu_msg *msg);
	struct completion done;
	int result;
};

struct kvgpu_dev *kvgpu_dev_create(unsigned int index, const struct vgpu_config *config);
void kvgpu_dev_destroy(struct kvgpu_dev *kdev);

/* Have the actor run @fn and return its result. Cannot be interrupted: for paths that must not fail. */
int kvgpu_post(struct kvgpu_dev *kdev, struct kvgpu_msg *msg);
/* The same, but a killed sender leaves with -EINTR if the actor has not begun. */
int kvgpu_post_killable(struct kvgpu_dev *kdev, struct kvgpu_msg *msg);

/* Look on for a moment whether @ready; false: better sleep now. */
bool kvgpu_spin(bool (*ready)(void *arg), void *arg);

/* ---- file.c: open files ----------------------------------------------------------------------------------------- */

extern const struct file_operations kvgpu_fops;
struct kvgpu_dev *kvgpu_dev_by_minor(unsigned int minor);	/* main.c */

/* ---- ioctl.c, submit.c --------------------------------------------------------------------------------------- */

long kvgpu_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
long kvgpu_submit(struct kvgpu_ctx *ctx, void __user *arg);

/* ---- memory.c: process memory of commands ----------------------------------------------------------------------- */

struct kvgpu_pin;

int kvgpu_memory_init(void);
void kvgpu_memory_exit(void);
/* Pin process memory for a command: in the submitter's context, so that a page that is slow to come stalls only its
 * owner. -EFAULT: not there; -EAGAIN: too much in flight; -EINTR: killed meanwhile. */
struct kvgpu_pin *kvgpu_pin(struct kvgpu_ctx *ctx, u64 address, u64 bytes, bool write);
/* Give it back; does not sleep on the pages. */
void kvgpu_unpin(struct kvgpu_pin *pin);
void kvgpu_unpin_work(struct work_struct *work);
int kvgpu_pin_move(struct kvgpu_pin *pin, u64 offset, void *memory, u32 bytes, enum vgpu_move dir);
u64 kvgpu_pinned_pages(void);

/* ---- frames.c: pages behind VRAM ----------------------------------------------------------------------------------- */

void *kvgpu_get_frame(void *host);
void kvgpu_put_frame(void *host, void *frame);

/* ---- fence.c: completions and who waits for them -------------------------------------------------------------- */

struct kvgpu_queue *kvgpu_queue_get(struct kvgpu_ctx *ctx, u32 id);
void kvgpu_queue_put(struct kvgpu_queue *queue);
void kvgpu_completed(void *host, const struct vgpu_completion *completion);
void kvgpu_context_died(void *host, u32 context, const struct vgpu_fault *fault);
/* Wake the waiters of every context that has news. Actor. */
void kvgpu_news(struct kvgpu_dev *kdev);
long kvgpu_wait(struct kvgpu_ctx *ctx, void __user *arg);
__poll_t kvgpu_poll(struct file *file, poll_table *wait);

/*
 * A command's cookie: 0, the pin of its process memory (even), or bytes of launch parameters charged to the context
 * (odd).
 */
static inline u64 kvgpu_cookie_params(u32 bytes)
{
	return (u64)bytes << 1 | 1;
}

/* ---- trace.c: debugfs ------------------------------------------------------------------------------------------- */

extern unsigned int kvgpu_trace_records;

void kvgpu_trace_init(void);
void kvgpu_trace_exit(void);
void kvgpu_trace_add(struct kvgpu_dev *kdev);
void kvgpu_trace_remove(struct kvgpu_dev *kdev);
void kvgpu_trace_record(void *host, const struct vgpu_trace_record *record);

/* ---- sysfs.c ----------------------------------------------------------------------------------------------------- */

int kvgpu_sysfs_prepare(struct kvgpu_dev *kdev);
void kvgpu_sysfs_free(struct kvgpu_dev *kdev);

#endif
