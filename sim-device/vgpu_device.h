/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The host interface: the only door into the device. A host (kmod/ in the kernel, the embedded
 * transport or vgpu-sim in user space) creates a device from a configuration, opens contexts,
 * pushes commands and calls vgpu_device_run() to let virtual time pass; the device calls back
 * through struct vgpu_host_ops. Nothing else crosses.
 *
 * One actor: every function here is called by one thread at a time, never from inside a callback.
 * The device holds no lock. vgpu_vass_load() and vgpu_vass_free() need no device and may be called
 * on any thread. Functions return 0 or a negative errno. Times are virtual, in picoseconds.
 */
#ifndef VGPU_DEVICE_H
#define VGPU_DEVICE_H

#include "platform.h"
#include "vgpu.h"
#include "vgpu_config.h"
#include "vgpu_isa.h"

struct vgpu_device;

#define VGPU_NEVER		(~0ull)
#define VGPU_NS			1000ull
#define VGPU_US			1000000ull
#define VGPU_MS			1000000000ull

/* ---- configuration ------------------------------------------------------ */

/**
 * struct vgpu_config - the shape of a device: data, no code. vgpu_config_preset() fills it from the
 * papers' tables, vgpu_config_set() changes one field by name, vgpu_device_create() refuses what
 * makes no sense. vgpu_config.h lists the fields.
 */
struct vgpu_config {
#define VGPU_CONFIG_NUMBER(type, name, least, most) type name;
#define VGPU_CONFIG_ARRAY(type, name, elements, least, most) type name[elements];
#define VGPU_CONFIG_NAME(name) char name[VGPU_NAME_BYTES];
	VGPU_CONFIG_FIELDS(VGPU_CONFIG_NUMBER, VGPU_CONFIG_ARRAY, VGPU_CONFIG_NAME)
#undef VGPU_CONFIG_NUMBER
#undef VGPU_CONFIG_ARRAY
#undef VGPU_CONFIG_NAME
};

/*
 * Fill @config from preset @name: "k20c" (Tanasic table 5.1), "tanasic-ch6" (table 6.1), "gtx980"
 * (SMK table 4, PEP table 2). -ENOENT: there is no such preset.
 */
int vgpu_config_preset(struct vgpu_config *config, const char *name);
/* Name of preset @index for listings, NULL past the end. */
const char *vgpu_config_preset_name(unsigned int index);
/*
 * Set one field by its name in struct vgpu_config from decimal text (or text). -ENOENT: no such
 * field, -EINVAL: the value is not one it can have.
 */
int vgpu_config_set(struct vgpu_config *config, const char *field, const char *value);
/* Name of field @index for listings, NULL past the end. */
const char *vgpu_config_field(unsigned int index);
/* The value of a field as text into @text; returns its length or -ENOENT, -ENOSPC. */
int vgpu_config_get(const struct vgpu_config *config, const char *field, char *text, size_t size);
/* Names the first thing wrong with @config, NULL if it makes a device. */
const char *vgpu_config_check(const struct vgpu_config *config);

/* ---- what the device asks of its host ----------------------------------- */

enum vgpu_move { VGPU_MOVE_TO_DEVICE, VGPU_MOVE_TO_HOST };

/** struct vgpu_completion - a command ended. status 0, or -EIO: its context died first. */
struct vgpu_completion {
	u32 context;
	u32 queue;
	u64 seq;
	u64 cookie;
	u64 time;
	int status;
};

/**
 * struct vgpu_host_ops - callbacks, all called from inside vgpu_device_run() or the call that
 * caused them, on the actor's thread; they must not call into the device, but for
 * vgpu_device_stop() and vgpu_device_now().
 * @get_frame: a zeroed, page-aligned frame of VGPU_PAGE_SIZE bytes for a context, NULL when the
 *   host has none
 * @put_frame: gives one back
 * @move: move @bytes (at most link_burst) between process memory of a command and @memory, which
 *   lies inside one frame. @cookie is the command's, @offset counts from the start of the command's
 *   process buffer. -EFAULT: the process memory is not there any more.
 * @completed: a command ended; commands of one queue end in order, every pushed command ends
 *   exactly once
 * @context_died: first fault of a context; its pending commands complete with -EIO afterwards
 * @trace: NULL when nobody listens
 * @preempted: NULL when nobody listens; SM @sm was taken from a kernel of @context, as was asked
 *   for at time @requested
 */
struct vgpu_host_ops {
	void *(*get_frame)(void *host, u32 context);
	void (*put_frame)(void *host, void *frame);
	int (*move)(void *host, u32 context, u64 cookie, u64 offset, void *memory, u32 bytes,
		    enum vgpu_move dir);
	void (*completed)(void *host, const struct vgpu_completion *completion);
	void (*context_died)(void *host, u32 context, const struct vgpu_fault *fault);
	void (*trace)(void *host, const struct vgpu_trace_record *record);
	void (*preempted)(void *host, u32 context, u32 sm, u64 requested);
};

/* ---- device ------------------------------------------------------------- */

/*
 * -EINVAL: vgpu_config_check() refuses @config. @ops (and @host, handed back to it) must outlive
 * the device.
 */
int vgpu_device_create(const struct vgpu_config *config, const struct vgpu_host_ops *ops,
		       void *host, struct vgpu_device **out);
/* Every context is closed first if any is open: their commands complete with -EIO. */
void vgpu_device_destroy(struct vgpu_device *dev);

/**
 * vgpu_device_run - let virtual time pass
 * @until: process events up to and including this time; VGPU_NEVER: as far as there are any
 * @max_events: at most so many; bounds the real time of one call (one event is at most one SM
 *   slice)
 *
 * Returns the time of the next event, VGPU_NEVER when nothing is due: the device is idle. When it
 * returns because of @until, the clock stands at @until.
 */
u64 vgpu_device_run(struct vgpu_device *dev, u64 until, u32 max_events);
/*
 * What a callback may call: vgpu_device_run() returns after the present event, as it does after
 * max_events. For a host that has to answer a completion before virtual time goes on.
 */
void vgpu_device_stop(struct vgpu_device *dev);
u64 vgpu_device_now(const struct vgpu_device *dev);
/* Switch trace records on or off (off at creation; needs ops->trace). */
void vgpu_device_trace(struct vgpu_device *dev, bool on);

/**
 * vgpu_device_knob_set - change a knob of the running device: "policy", "preemption", "watchdog_us"
 * …
 *
 * Takes decimal text or a name. -ENOENT: no such knob; -EINVAL: not a value it takes.
 */
int vgpu_device_knob_set(struct vgpu_device *dev, const char *knob, const char *value);
/*
 * The value as text into @text; returns its length or -ENOENT, -ENOSPC. List knobs print every
 * choice, "[active]" marked.
 */
int vgpu_device_knob_get(struct vgpu_device *dev, const char *knob, char *text, size_t size);
/* Name of knob @index for listings, NULL past the end. */
const char *vgpu_device_knob_name(unsigned int index);

void vgpu_device_info(const struct vgpu_device *dev, struct vgpu_device_info *info);
/* What it was made from, with what knobs have changed since. */
const struct vgpu_config *vgpu_device_config(const struct vgpu_device *dev);
/* What is alive inside, for leak checks: all 0 when no context is open. */
struct vgpu_device_counts {
	u64 contexts, queues, modules, commands, kernels, blocks, frames, page_tables;
};
void vgpu_device_counts(const struct vgpu_device *dev, struct vgpu_device_counts *counts);

/*
 * States of an SM. Idle, running and reserved are Tanasic's (5.2.3); setup and restoring are parts
 * of running, saving is the last part of reserved, told apart. While some blocks of an SM run and
 * others are restored, it is running.
 */
enum vgpu_sm_state {
	VGPU_SM_IDLE,
	VGPU_SM_SETUP,
	VGPU_SM_RUNNING,
	/*
	 * being preempted for another kernel: its blocks run on until they end or the save begins
	 */
	VGPU_SM_RESERVED,
	/* being preempted, contexts of its blocks move to the save area */
	VGPU_SM_SAVING,
	/* nothing runs, contexts of its blocks move back from the save area */
	VGPU_SM_RESTORING,
	VGPU_SM_STATES
};
/* "idle", "setup" …, NULL past the end. */
const char *vgpu_sm_state_name(unsigned int state);

/**
 * struct vgpu_device_stats - what the device has done since it was created
 * @sm_time: picoseconds by state, summed over all SMs; the states add up to SMs x the present time
 *
 * vgpu_stats.h says what the others count.
 */
struct vgpu_device_stats {
	u64 sm_time[VGPU_SM_STATES];
#define VGPU_STAT_MEMBER(number, name, path, member, file, text) u64 member;
	VGPU_DEVICE_COUNTERS(VGPU_STAT_MEMBER)
#undef VGPU_STAT_MEMBER
};
void vgpu_device_stats(const struct vgpu_device *dev, struct vgpu_device_stats *stats);

/**
 * struct vgpu_sm_stats - one SM
 * @state: enum vgpu_sm_state
 * @context: that it serves, 0: none
 * @time: picoseconds by state; they add up to the present time
 */
struct vgpu_sm_stats {
	u32 state;
	u32 context;
	u64 time[VGPU_SM_STATES];
};
/* -ENOENT: there is no SM @sm. */
int vgpu_device_sm_stats(const struct vgpu_device *dev, u32 sm, struct vgpu_sm_stats *stats);

#define VGPU_LATENCY_BITS	6	/* a percentile is at most one part in 64 too large */
#define VGPU_LATENCY_BUCKETS	((65 - VGPU_LATENCY_BITS) << VGPU_LATENCY_BITS)

/**
 * struct vgpu_latency - a histogram of times, of fixed size: count and mean are exact. The host's,
 * as @preempted is told.
 */
struct vgpu_latency {
	u64 count;
	u64 total_ps;
	u64 max_ps;
	u64 buckets[VGPU_LATENCY_BUCKETS];
};

void vgpu_latency_add(struct vgpu_latency *latency, u64 ps);
/* The largest time that falls into bucket @bucket. */
u64 vgpu_latency_top(u32 bucket);
/* The smallest time that @percent of the entries do not exceed; 0 when there are none. */
u64 vgpu_latency_percentile(const struct vgpu_latency *latency, unsigned int percent);

/* ---- contexts ----------------------------------------------------------- */

/* @label: any number, for traces (the pid). Ids are unique for the life of the device, from 1. */
int vgpu_context_open(struct vgpu_device *dev, u64 label, u32 *id);
/*
 * Ends it at once: running blocks stop, pending commands complete with -EIO, memory, queues and
 * modules go.
 */
int vgpu_context_close(struct vgpu_device *dev, u32 context);
/*
 * The host found it at fault: it dies as if the device had. @fault needs everything but the time.
 */
int vgpu_context_end(struct vgpu_device *dev, u32 context, const struct vgpu_fault *fault);
/*
 * A higher number is more important, 0 at first. Which policies heed it, they say; those change
 * their mind at once.
 */
int vgpu_context_priority(struct vgpu_device *dev, u32 context, s32 priority);
/*
 * Its budget of SMs under the policies that divide them, dss and static: 0..VGPU_TOKENS_MAX, or
 * VGPU_TOKENS_SHARE, as at first: a share of what is left to those without a budget. -EINVAL:
 * another value.
 */
#define VGPU_TOKENS_MAX		1024u
#define VGPU_TOKENS_SHARE	(~0u)
int vgpu_context_tokens(struct vgpu_device *dev, u32 context, u32 tokens);
int vgpu_context_info(const struct vgpu_device *dev, u32 context, struct vgpu_context_info *info);

/* Errors as in the uapi structs of the same names. */
int vgpu_queue_create(struct vgpu_device *dev, u32 context, u32 *queue);
int vgpu_queue_destroy(struct vgpu_device *dev, u32 context, u32 queue);
/* Newest completed sequence number. */
int vgpu_queue_completed(const struct vgpu_device *dev, u32 context, u32 queue, u64 *seq);
int vgpu_memory_map(struct vgpu_device *dev, u32 context, u64 address, u64 bytes);
int vgpu_memory_unmap(struct vgpu_device *dev, u32 context, u64 address, u64 bytes);

struct vgpu_module;		/* verified code */

/**
 * vgpu_vass_load - verify a VASS binary. Needs no device: to be called on any thread, since it
 * takes its time
 * @limits: the configuration of the device that it is for
 * @binary: copied; trusted in nothing
 * @message: room for one line that names kernel, instruction and reason when it is refused with
 *   -EINVAL
 */
int vgpu_vass_load(const struct vgpu_config *limits, const void *binary, u32 bytes, char *message,
		   size_t message_bytes, struct vgpu_module **out);
void vgpu_vass_free(struct vgpu_module *code);
/*
 * Give @context verified code, which belongs to the device then; not so if it fails. -ENOSPC: the
 * context has too much.
 */
int vgpu_module_add(struct vgpu_device *dev, u32 context, struct vgpu_module *code, u32 *module);
/* Both in one, for hosts whose threads can wait for each other. */
int vgpu_module_load(struct vgpu_device *dev, u32 context, const void *binary, u32 bytes,
		     char *message, size_t message_bytes, u32 *module);
int vgpu_module_unload(struct vgpu_device *dev, u32 context, u32 module);

/**
 * struct vgpu_push - one command on its way in
 * @cmd: as the process wrote it; the device checks it
 * @cookie: the host's own, comes back in move() and completed()
 * @params: LAUNCH: cmd.launch.param_bytes bytes in host memory; copied
 */
struct vgpu_push {
	struct vgpu_cmd cmd;
	u64 cookie;
	const void *params;
};

/**
 * vgpu_queue_push - append a batch to a queue, all or nothing
 * @failed: on -EINVAL the index of the command that is wrong
 * @seq: sequence number of the last command
 *
 * -EINVAL: a command is malformed or asks for what the device cannot give (limits of grid, block,
 * registers, shared memory, a module or kernel or queue that is not there); -EIO: the context is
 * dead; -EAGAIN: VGPU_INFLIGHT_MAX; -ENOENT: no such queue.
 */
int vgpu_queue_push(struct vgpu_device *dev, u32 context, u32 queue, const struct vgpu_push *push,
		    u32 count, u32 *failed, u64 *seq);

#endif
