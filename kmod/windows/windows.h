/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What users and their tools see of devices and contexts: ioctl, sysfs, debugfs, netlink, trace
 * events, fdinfo.
 */
#ifndef KVGPU_WINDOWS_H
#define KVGPU_WINDOWS_H

#include <linux/device.h>
#include <linux/kfifo.h>
#include <linux/workqueue.h>

#include "kmod/queue/queue.h"

struct seq_file;

/** struct kvgpu_trace - ring of trace records: the actor writes, one reader at a time takes out */
struct kvgpu_trace {
	/* the actor puts in, a reader under read_lock takes out */
	DECLARE_KFIFO_PTR(fifo, struct vgpu_trace_record);
	struct vgpu_trace_record *ring;	/* its memory; NULL until first switched on */
	bool on;			/* the actor writes */
	bool records;			/* actor: the model makes records */
	u64 lost;			/* actor: records that found the ring full */
	struct mutex read_lock;		/* readers, and switching on and off */
	struct dentry *debugfs;
	struct vgpu_latency *preemptions;	/* actor: how long they took */
};

#define KVGPU_NOTICES	256u		/* not sent yet; a power of two */

/** struct kvgpu_notice - a rare event, to be sent to who listens; 0 and NULL: not a part of it */
struct kvgpu_notice {
	u8 command;			/* enum vgpu_nl_command */
	u32 context;
	pid_t pid;
	u32 fault;
	u32 xid;			/* injected */
	u64 address;
	u64 time;
	u64 lost;			/* in front of this one */
	const char *knob;
	char value[32];
	char reason[160];		/* why it has changed by itself; empty: somebody set it */
};

/** struct kvgpu_notices - on their way from the actor to netlink */
struct kvgpu_notices {
	struct kvgpu_dev *kdev;
	/* the actor puts in, work takes out */
	DECLARE_KFIFO(ring, struct kvgpu_notice, KVGPU_NOTICES);
	u64 lost;			/* actor: they found no room */
	u64 lost_told;			/* actor */
	u32 xid;			/* actor: that is being injected, 0: none */
	u32 ended;			/* actor: contexts that have ended by it */
	bool stopped;			/* the device has been removed */
	u32 sample_ms;			/* 0: no samples */
	struct work_struct work;
	struct delayed_work sample;
};

/** struct kvgpu_sysfs - the folders of a device */
struct kvgpu_sysfs {
	struct device *dev;
	struct mutex contexts_lock;
	struct kobject *contexts_dir;	/* under contexts_lock; NULL: the device has been removed */
	struct kobject *sm_dir;
	struct kobject **sms;		/* a folder in it for each SM */
	char dropped[256];		/* actor: the last policy or mechanism that has gone */
};

/* ---- counts.c: what kernels did (docs/statistics.md) --------------------- */

/* Actor: a launch has ended. Without memory it is not kept. */
void kvgpu_counts_add(struct kvgpu_dev *kdev, const struct vgpu_launch_counts *counts);
/* The device goes. */
void kvgpu_counts_free(struct kvgpu_counts *counts);

/* ---- ioctl.c ------------------------------------------------------------ */

long kvgpu_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* ---- sysfs_contexts.c --------------------------------------------------- */

int kvgpu_contexts_add(struct kvgpu_dev *kdev);
void kvgpu_contexts_remove(struct kvgpu_dev *kdev);
/* Actor. -EPERM: it would be raised, and may not be. */
int kvgpu_ctx_priority(struct kvgpu_ctx *ctx, s32 priority, bool may_raise);
/* What root sets of context @id. -ENODEV: there is none. */
struct kvgpu_ctx_setting {
	u32 id;
	bool set_priority;
	bool set_budget;
	bool set_tokens;
	s32 priority;
	u64 memory_budget;
	u32 tokens;			/* VGPU_TOKENS_SHARE */
};
int kvgpu_context_set(struct kvgpu_dev *kdev, struct kvgpu_ctx_setting *set);

/*
 * A fault as vgpu_device_inject() has it, with its notices and lines in the kernel's log; also
 * -EINTR.
 */
int kvgpu_inject(struct kvgpu_dev *kdev, struct vgpu_injection *what);
int kvgpu_ctx_dir_add(struct kvgpu_ctx *ctx);
void kvgpu_ctx_dir_remove(struct kvgpu_ctx *ctx);

/* ---- sysfs_sms.c -------------------------------------------------------- */

/* -ENOMEM */
int kvgpu_sms_add(struct kvgpu_dev *kdev);
void kvgpu_sms_remove(struct kvgpu_dev *kdev);

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
void kvgpu_notice_dropped(struct kvgpu_dev *kdev, const char *what, const char *name,
			  const char *reason, const char *next);
void kvgpu_notice_knob(struct kvgpu_dev *kdev, const char *knob, const char *value);
void kvgpu_notice_memory(struct kvgpu_dev *kdev);

/* ---- stats.c ------------------------------------------------------------ */

void kvgpu_show_fdinfo(struct seq_file *seq, struct file *file);

/* ---- debugfs.c ---------------------------------------------------------- */

/* -EINVAL: the module parameter trace_records makes no sense. */
int kvgpu_trace_init(void);
void kvgpu_trace_exit(void);
void kvgpu_trace_add(struct kvgpu_dev *kdev);
void kvgpu_trace_remove(struct kvgpu_dev *kdev);

/* ---- trace.c: records --------------------------------------------------- */

/* Actor: the model makes records while somebody listens, and only then. */
void kvgpu_trace_look(struct kvgpu_dev *kdev);
void kvgpu_record(void *host, const struct vgpu_trace_record *record);

/* ---- sysfs.c ------------------------------------------------------------ */

/* What is refused is quoted so far: arguments of "%.*s". */
#define KVGPU_QUOTED(text)	(int)min(strcspn(text, "\n"), (size_t)40), text

/*
 * Knobs of the model, from any thread; @knob is what vgpu_device_knob_name() has, values are as
 * vgpu_device_knob_get() and _set() have them.
 */
int kvgpu_knob_get(struct kvgpu_dev *kdev, const char *knob, char *text, size_t room);
int kvgpu_knob_set(struct kvgpu_dev *kdev, const char *knob, const char *value);
extern const char *const kvgpu_clock_names[KVGPU_CLOCKS];
/* Files of every device, with a NULL behind them; complete after kvgpu_sysfs_init(). */
extern const struct attribute_group *kvgpu_device_groups[];
int kvgpu_sysfs_init(void);
void kvgpu_sysfs_exit(void);

#endif
