/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Hardware queues and the command dispatcher (Tanasic 2.2). The device has config.hw_queues queues
 * shared by all contexts; a queue belongs to one context at a time. Commands of a queue run in
 * order, queues are independent. The dispatcher looks at the head of a queue, sends it to its
 * engine and does not look at that queue again before the command has ended.
 */
#ifndef VGPU_QUEUE_H
#define VGPU_QUEUE_H

#include "../vgpu_device.h"
#include "../core/event.h"
#include "../exec/launch.h"

struct vgpu_context;
struct vgpu_module_ref;
struct vgpu_queue;

/** struct vgpu_command - a command on the device, checked, from push to completion */
struct vgpu_command {
	struct vgpu_command *next;	/* in its queue */
	struct vgpu_command *engine_next;	/* in the list of the engine that has it */
	struct vgpu_queue *queue;
	u64 seq;
	u64 cookie;
	struct vgpu_cmd cmd;
	struct vgpu_module_ref *module;	/* LAUNCH: held until the command has ended */
	struct vgpu_entrant node;	/* waits for the transfer engine */
	struct vgpu_event arrival;	/* on its way to the execution engine */
	u64 order;			/* of arrival at its engine */
	u64 arrived;			/* when, at the execution engine */
	u64 generation;			/* WAIT: of the queue it waits for */
	bool dispatched;		/* the dispatcher has seen it */
	u32 room;			/* bytes of params that are there */
	u8 params[] __attribute__((aligned(16)));	/* LAUNCH: cmd.launch.param_bytes */
};

/** struct vgpu_queue - one hardware queue */
struct vgpu_queue {
	u32 index;
	struct vgpu_context *ctx;	/* NULL: free */
	struct vgpu_command *head;
	struct vgpu_command *tail;
	u32 pending;			/* commands in it */
	u64 generation;			/* how often it was created: tells its users apart */
	u64 pushed;			/* newest sequence number given */
	u64 completed;			/* newest sequence number completed */
	bool ready;			/* on the dispatcher's list */
	struct vgpu_queue *ready_next;
	/* queues whose head WAITs on this one, in the order they came */
	struct vgpu_queue *waiters;
	struct vgpu_queue *waiter_next;
	struct vgpu_queue *waits_on;	/* NULL: its head does not wait for a queue */
};

/**
 * struct vgpu_dispatcher - the queues whose head nobody has looked at yet, first come first served
 */
struct vgpu_dispatcher {
	struct vgpu_queue *head;
	struct vgpu_queue *tail;
	struct vgpu_event event;
	u64 commands;			/* alive on the device */
	struct vgpu_command *spare;	/* ended ones, to be used again */
	u32 spares;
};

/*
 * The grid and the resources of a LAUNCH or PROFILED command that was checked; the engine adds the
 * rest.
 */
void vgpu_command_shape(const struct vgpu_command *command, struct vgpu_launch *launch);
/*
 * Build a checked command from what the process wrote (command.c). @own_seq is the number it will
 * have. -EINVAL: it is wrong; -ENOMEM.
 */
int vgpu_command_create(struct vgpu_device *dev, struct vgpu_queue *queue,
			const struct vgpu_push *push, u64 own_seq, struct vgpu_command **out);
void vgpu_command_free(struct vgpu_device *dev, struct vgpu_command *command);
/* Give back the memory of spare ones. */
void vgpu_commands_fini(struct vgpu_device *dev);

int vgpu_queues_init(struct vgpu_device *dev);
void vgpu_queues_fini(struct vgpu_device *dev);
/* The queue @index if it belongs to @ctx, else NULL. */
struct vgpu_queue *vgpu_queue_of(struct vgpu_device *dev, const struct vgpu_context *ctx,
				 u32 index);
/*
 * An engine has ended the command at the head of its queue: it completes, and the dispatcher looks
 * at the next.
 */
void vgpu_command_done(struct vgpu_device *dev, struct vgpu_command *command);
/* Everything in the queues of @ctx completes with -EIO; no engine may hold any of it any more. */
void vgpu_queues_abort(struct vgpu_device *dev, struct vgpu_context *ctx);
/* The queues of @ctx, empty by now, are free again. */
void vgpu_queues_release(struct vgpu_device *dev, struct vgpu_context *ctx);

/* The head of @queue is new: look at it (dispatch.c). */
void vgpu_dispatch_ready(struct vgpu_device *dev, struct vgpu_queue *queue);
void vgpu_dispatch_fire(struct vgpu_device *dev, struct vgpu_event *event);
/* @queue has completed a command: the queues that wait for it look again. */
void vgpu_dispatch_wake(struct vgpu_device *dev, struct vgpu_queue *queue);
/* Forget @queue: it is on no list of the dispatcher any more. */
void vgpu_dispatch_forget(struct vgpu_device *dev, struct vgpu_queue *queue);

#endif
