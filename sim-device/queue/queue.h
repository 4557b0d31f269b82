/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Hardware queues and the command dispatcher (Tanasic 2.2). The device has config.hw_queues queues
 * shared by all contexts; a queue belongs to one context at a time. Commands of a queue run in
 * order, queues are independent. The dispatcher looks at the head of a queue, sends it to its
 * engine and does not look at that queue again before the command has ended.
 */
#ifndef VGPU_QUEUE_H
#define VGPU_QUEUE_H

#include "../exec/exec.h"
#include "../sm/module_table.h"
#include "../transfer/transfer.h"

struct vgpu_push;

/** struct vgpu_queue_context - a context as the queues know it */
struct vgpu_queue_context {
	u32 id;
	u32 queues;			/* that belong to it */
	struct vgpu_module_table *modules;
	struct vgpu_exec_context *exec;
	struct vgpu_transfer_context *transfer;
};

/** struct vgpu_command - a command on the device, checked, from push to completion */
struct vgpu_command {
	struct vgpu_command *next;	/* in its queue, or among the spare ones */
	struct vgpu_queue *queue;
	u64 seq;
	u64 cookie;
	struct vgpu_cmd cmd;
	struct vgpu_module_ref *module;	/* LAUNCH: held until the command has ended */
	union {
		struct vgpu_job job;		/* LAUNCH, PROFILED */
		struct vgpu_transfer transfer;	/* copies and fills */
	};
	u64 generation;			/* WAIT: of the queue it waits for */
	bool dispatched;		/* the dispatcher has seen it */
	u32 room;			/* bytes of params that are there */
	u8 params[] __attribute__((aligned(16)));	/* LAUNCH: cmd.launch.param_bytes */
};

/** struct vgpu_queue - one hardware queue */
struct vgpu_queue {
	struct vgpu_queues *all;
	u32 index;
	struct vgpu_queue_context *ctx;	/* NULL: free */
	struct vgpu_command *head;
	struct vgpu_command *tail;
	u32 pending;			/* commands in it */
	u64 generation;			/* how often it was created: tells its users apart */
	u64 pushed;			/* newest sequence number given */
	u64 completed;			/* newest sequence number completed */
	struct vgpu_list ready;		/* in the dispatcher's list */
	/* queues whose head WAITs on this one, in the order they came */
	struct vgpu_list waiters;
	struct vgpu_list waiter;	/* in the list of the queue its head waits for */
};

/**
 * struct vgpu_queue_ops - what the queues tell who stands above them
 * @completed: a command has ended; @status 0 or a negative errno
 * @stamp: write the present time to process address @command->cmd.stamp.dst; -EFAULT: not there
 * @fault: @ctx did what ends it. It ends in an event of its own, right behind the present one
 */
struct vgpu_queue_ops {
	void (*completed)(void *owner, const struct vgpu_command *command, int status);
	int (*stamp)(void *owner, const struct vgpu_command *command);
	void (*fault)(struct vgpu_queue_context *ctx, const struct vgpu_fault *fault);
};

/** struct vgpu_queues - all queues, and the dispatcher: a list of queues whose head is new */
struct vgpu_queues {
	struct vgpu_sim *sim;
	struct vgpu_trace *trace;
	const struct vgpu_config *config;
	const struct vgpu_queue_ops *ops;
	void *owner;			/* of @ops */
	struct vgpu_exec *exec;
	struct vgpu_transfer_engine *transfer;
	struct vgpu_queue *list;	/* config->hw_queues */
	u32 used;
	struct vgpu_list ready;		/* first come, first served */
	struct vgpu_event dispatch;
	u64 commands;			/* alive on the device */
	struct vgpu_command *spare;	/* ended ones, to be used again */
	u32 spares;
	u32 events;			/* reserved of sim */
};

/*
 * @queues is zero but for sim, trace, config, ops, owner and the engines. -ENOMEM:
 * vgpu_queues_fini() is to be called all the same.
 */
int vgpu_queues_init(struct vgpu_queues *queues);
void vgpu_queues_fini(struct vgpu_queues *queues);
/* A free queue for @ctx. -ENOSPC: there is none. */
int vgpu_queues_get(struct vgpu_queues *queues, struct vgpu_queue_context *ctx, u32 *index);
/* -ENOENT: not one of @ctx; -EBUSY: commands are in it. */
int vgpu_queues_put(struct vgpu_queues *queues, struct vgpu_queue_context *ctx, u32 index);
/* The queue @index if it belongs to @ctx, else NULL. */
struct vgpu_queue *vgpu_queue_of(const struct vgpu_queues *queues,
				 const struct vgpu_queue_context *ctx, u32 index);
/* vgpu_queue_push(), for a context that lives */
int vgpu_queues_push(struct vgpu_queue *queue, const struct vgpu_push *push, u32 count, u32 *failed,
		     u64 *seq);
/* Everything in the queues of @ctx completes with -EIO; no engine may hold any of it any more. */
void vgpu_queues_abort(struct vgpu_queues *queues, struct vgpu_queue_context *ctx);
/* The queues of @ctx, empty by now, are free again. */
void vgpu_queues_release(struct vgpu_queues *queues, struct vgpu_queue_context *ctx);

/* An engine is done with a command; parts of their tables of operations. */
void vgpu_command_job_done(struct vgpu_job *job);
void vgpu_command_transfer_done(struct vgpu_transfer *transfer);
/* Grid, resources and code of a LAUNCH or PROFILED command; the engine adds the rest. */
void vgpu_command_job_shape(const struct vgpu_job *job, struct vgpu_launch *launch);

/* ---- inside ------------------------------------------------------------- */

/*
 * Build a checked command from what the process wrote (command.c). @own_seq is the number it will
 * have. -EINVAL: it is wrong; -ENOMEM.
 */
int vgpu_command_create(struct vgpu_queue *queue, const struct vgpu_push *push, u64 own_seq,
			struct vgpu_command **out);
void vgpu_command_free(struct vgpu_queues *queues, struct vgpu_command *command);
/* Give back the memory of spare ones. */
void vgpu_commands_fini(struct vgpu_queues *queues);
/* The command at the head of its queue has ended: the dispatcher looks at the next. */
void vgpu_command_done(struct vgpu_command *command);

/* The head of @queue is new: look at it (dispatch.c). */
void vgpu_dispatch_ready(struct vgpu_queue *queue);
void vgpu_dispatch_fire(struct vgpu_event *event);
/* @queue has completed a command: the queues that wait for it look again. */
void vgpu_dispatch_wake(struct vgpu_queue *queue);
/* @queue leaves the dispatcher's lists. */
void vgpu_dispatch_remove(struct vgpu_queue *queue);

static inline void vgpu_trace_cmd(const struct vgpu_queues *queues, enum vgpu_trace_type type,
				  const struct vgpu_command *command)
{
	vgpu_trace_command(queues->trace, type, command->queue->ctx->id, command->queue->index,
			   command->seq, command->cmd.op, 0);
}

#endif
