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

#include "vgpu_model.h"
#include "vgpu_isa.h"

struct vgpu_device;

/* ---- what the device asks of its host ----------------------------------- */

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

/* ---- systems ------------------------------------------------------------ */

/*
 * A system is one clock and one event queue, and the devices on it: time passes for all of them
 * together, and one actor calls for all of them. A device that vgpu_device_create() made is alone
 * in a system of its own.
 */
struct vgpu_system;

/* -ENOMEM */
int vgpu_system_create(struct vgpu_system **out);
/* No device may be left in it. */
void vgpu_system_destroy(struct vgpu_system *system);
struct vgpu_system *vgpu_device_system(const struct vgpu_device *dev);

/* vgpu_device_run(), _stop() and _now(), for who has no device at hand. */
u64 vgpu_system_run(struct vgpu_system *system, u64 until, u32 max_events);
void vgpu_system_stop(struct vgpu_system *system);
u64 vgpu_system_now(const struct vgpu_system *system);

/* ---- device ------------------------------------------------------------- */

/*
 * -EINVAL: vgpu_config_check() refuses @config. @ops (and @host, handed back to it) must outlive
 * the device.
 */
int vgpu_device_create(const struct vgpu_config *config, const struct vgpu_host_ops *ops,
		       void *host, struct vgpu_device **out);
/* The same in @system, which must outlive the device. */
int vgpu_device_create_in(struct vgpu_system *system, const struct vgpu_config *config,
			  const struct vgpu_host_ops *ops, void *host, struct vgpu_device **out);
/* Every context is closed first if any is open: their commands complete with -EIO. */
void vgpu_device_destroy(struct vgpu_device *dev);

/**
 * vgpu_device_run - let virtual time pass, for the device and all others of its system
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
 * Takes decimal text or a name. -ENOENT: no such knob; -EINVAL: not a value it takes; -ENOMEM: no
 * memory for what it selects.
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

void vgpu_device_stats(const struct vgpu_device *dev, struct vgpu_device_stats *stats);

/* -ENOENT: there is no SM @sm. */
int vgpu_device_sm_stats(const struct vgpu_device *dev, u32 sm, struct vgpu_sm_stats *stats);

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
int vgpu_context_tokens(struct vgpu_device *dev, u32 context, u32 tokens);
int vgpu_context_info(const struct vgpu_device *dev, u32 context, struct vgpu_context_info *info);

/* Errors as in the uapi structs of the same names. */
int vgpu_queue_create(struct vgpu_device *dev, u32 context, u32 *queue);
int vgpu_queue_destroy(struct vgpu_device *dev, u32 context, u32 queue);
/* Newest completed sequence number. */
int vgpu_queue_completed(const struct vgpu_device *dev, u32 context, u32 queue, u64 *seq);
int vgpu_memory_map(struct vgpu_device *dev, u32 context, u64 address, u64 bytes);
int vgpu_memory_unmap(struct vgpu_device *dev, u32 context, u64 address, u64 bytes);

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
