/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Queues of contexts, hardware queues and the command dispatcher (Tanasic 2.2). Commands of a queue
 * run in order, queues are independent. The dispatcher sends the command at the head of a queue to
 * its engine and does not process that queue again before the command has ended.
 *
 * The dispatcher inspects hardware queues, of which the device has config.hw_queues, shared by all
 * contexts. A context may create more queues than that (up to VGPU_QUEUES_MAX): a queue that has
 * commands is bound to a hardware queue before the dispatcher inspects it (hardware.c). While no
 * more queues have commands than there are hardware queues, this changes nothing.
 */
#ifndef VGPU_QUEUE_H
#define VGPU_QUEUE_H

#include "../exec/exec.h"
#include "../sm/module_table.h"
#include "../transfer/transfer.h"

struct vgpu_push;

/** struct vgpu_queue_context - the data of a context in this room */
struct vgpu_queue_context {
	u32 id;
	struct vgpu_list queues;	/* struct vgpu_queue, by index */
	u32 count;			/* how many */
	u32 served;			/* of them the dispatcher or an engine has */
	u32 parked;			/* of them wait for the process, by HOST commands */
	struct vgpu_list wanting;	/* struct vgpu_queue that want a hardware queue, in turn */
	struct vgpu_pq_entry turn;	/* in vgpu_queues.wanting while there are any … */
	u64 order;			/* … since then, or since one of them had its turn */
	struct vgpu_module_table *modules;
	struct vgpu_exec_context *exec;
	struct vgpu_transfer_context *transfer;
	struct vgpu_mem_account *memory;	/* of the context, for its commands */
	struct vgpu_command *spare;	/* free list of its commands */
	u32 spares;
};

/** struct vgpu_command - a checked command on the device, from push to completion */
struct vgpu_command {
	struct vgpu_command *next;	/* in its queue or in the free list */
	struct vgpu_queue *queue;
	u64 seq;
	u64 cookie;
	struct vgpu_cmd cmd;
	struct vgpu_module_ref *module;	/* LAUNCH: held until the command has ended */
	union {
		struct vgpu_job job;		/* LAUNCH, PROFILED */
		struct vgpu_transfer transfer;	/* copies and fills */
	};
	u64 submitted;			/* when it came */
	u64 generation;			/* WAIT: generation of the queue it waits for */
	bool dispatched;		/* the dispatcher has seen it */
	u32 room;			/* allocated bytes of params */
	u8 params[] __attribute__((aligned(16)));	/* LAUNCH: cmd.launch.param_bytes */
};

/** struct vgpu_queue - a queue of a context */
struct vgpu_queue {
	struct vgpu_queues *all;
	u32 index;			/* no other queue of the device has it */
	struct vgpu_queue_context *ctx;
	struct vgpu_list node;		/* in ctx->queues */
	struct vgpu_command *head;
	struct vgpu_command *tail;
	u32 pending;			/* commands in it */
	u64 generation;			/* of all queues that ever were */
	u64 pushed;			/* newest sequence number given */
	u64 completed;			/* newest sequence number completed */
	u64 host_done;			/* HOST commands up to here wait no longer */
	bool parked;			/* its head is a HOST command that waits */
	struct vgpu_list ready;		/* in the dispatcher's list */
	/* queues whose head WAITs on this one, in the order they came */
	struct vgpu_list waiters;
	struct vgpu_list waiter;	/* in the list of the queue its head waits for */
	bool bound;			/* it has a hardware queue */
	bool served;			/* the dispatcher or an engine has its head */
	/* in ctx->wanting, or in vgpu_queues.idle or .engaged while it is bound */
	struct vgpu_list place;
};

/**
 * struct vgpu_queue_ops - callbacks of the queues into the rooms above them
 * @completed: a command has ended; @status 0 or a negative errno
 * @stamp: write the present time to process address @command->cmd.stamp.dst; -EFAULT: unmapped
 * @fault: a fault of @ctx. It is torn down in an event of its own, right after the present one
 */
struct vgpu_queue_ops {
	void (*completed)(void *owner, const struct vgpu_command *command, int status);
	int (*stamp)(void *owner, const struct vgpu_command *command);
	void (*fault)(struct vgpu_queue_context *ctx, const struct vgpu_fault *fault);
};

/**
 * struct vgpu_queues - all queues, and the dispatcher: a list of queues with a new head
 * @idle: bound queues that have nothing for the dispatcher: empty, or the head waits for a queue
 * @engaged: bound queues whose head an engine has, in the order of dispatch
 */
struct vgpu_queues {
	struct vgpu_sim *sim;
	struct vgpu_trace *trace;
	const struct vgpu_config *config;
	const struct vgpu_queue_ops *ops;
	void *owner;			/* argument of @ops */
	struct vgpu_exec *exec;
	struct vgpu_transfers *transfers;
	struct vgpu_queue **table;	/* by index; NULL: free */
	u64 *taken;			/* a bit for each entry of the table */
	u32 room;			/* entries */
	u32 count;			/* queues */
	u64 created;			/* queues that ever were */
	u32 bound;			/* hardware queues in use, of config->hw_queues */
	struct vgpu_list idle;
	struct vgpu_list engaged;
	struct vgpu_pqueue wanting;	/* contexts, by @served, then by @order */
	u64 turns;			/* the newest @order */
	struct vgpu_list ready;		/* first come, first served */
	struct vgpu_event dispatch;
	struct vgpu_command *executing;	/* by the dispatcher itself, until the event */
	u64 commands;			/* commands on the device */
	u32 events;			/* reserved of sim */
};

/*
 * The caller sets sim, trace, config, ops, owner and the engines of @queues and zeroes the rest. On
 * -ENOMEM it must still call vgpu_queues_fini().
 */
int vgpu_queues_init(struct vgpu_queues *queues);
void vgpu_queues_fini(struct vgpu_queues *queues);
/* @ctx has no queues yet. */
void vgpu_queues_open(struct vgpu_queue_context *ctx);
/* Create a queue for @ctx. -ENOSPC: it has VGPU_QUEUES_MAX; -ENOMEM. */
int vgpu_queues_get(struct vgpu_queues *queues, struct vgpu_queue_context *ctx, u32 *index);
/* Release a queue. -ENOENT: not a queue of @ctx; -EBUSY: it has commands. */
int vgpu_queues_put(struct vgpu_queues *queues, struct vgpu_queue_context *ctx, u32 index);
/* The queue @index if it belongs to @ctx, else NULL. */
struct vgpu_queue *vgpu_queue_of(const struct vgpu_queues *queues,
				 const struct vgpu_queue_context *ctx, u32 index);
/*
 * When the oldest command of @ctx that has not completed was submitted; VGPU_NEVER: it has none.
 */
u64 vgpu_queues_oldest(const struct vgpu_queue_context *ctx);
/* vgpu_queue_push() for a live context */
int vgpu_queues_push(struct vgpu_queue *queue, const struct vgpu_push *push, u32 count, u32 *failed,
		     u64 *seq);
/* vgpu_host_done() for a live context */
int vgpu_queues_host_done(struct vgpu_queue *queue, u64 seq);
/* An invariant of @queue does not hold: its context ends. */
void vgpu_queue_broken(struct vgpu_queue *queue);
/* Complete all commands of @ctx with -EIO; no engine may still use one of them. */
void vgpu_queues_abort(struct vgpu_queue_context *ctx);
/* Release the queues of @ctx, which must be empty, and the memory of its commands. */
void vgpu_queues_release(struct vgpu_queue_context *ctx);

/* An engine has finished a command; used in the tables of operations of the engines. */
void vgpu_command_job_done(struct vgpu_job *job);
void vgpu_command_transfer_done(struct vgpu_transfer *transfer);
/* Grid, resources and code of a LAUNCH or PROFILED command; the engine adds the rest. */
void vgpu_command_job_shape(const struct vgpu_job *job, struct vgpu_launch *launch);

/* ---- inside ------------------------------------------------------------- */

/*
 * Build a checked command from what the process wrote (command.c). @own_seq is the number it will
 * have. -EINVAL: invalid; -ENOMEM.
 */
int vgpu_command_create(struct vgpu_queue *queue, const struct vgpu_push *push, u64 own_seq,
			struct vgpu_command **out);
void vgpu_command_free(struct vgpu_queues *queues, struct vgpu_command *command);
/* Free the free list of @ctx. */
void vgpu_commands_fini(struct vgpu_queue_context *ctx);
/* The command at the head of its queue has ended: dispatch the next. */
void vgpu_command_done(struct vgpu_command *command);

/* @queue has a new head: the dispatcher inspects it when it has a hardware queue (dispatch.c). */
void vgpu_dispatch_ready(struct vgpu_queue *queue);
/* It has one. */
void vgpu_dispatch_bound(struct vgpu_queue *queue);
void vgpu_dispatch_fire(struct vgpu_event *event);
/* @queue has completed a command: wake the queues that wait for it. */
void vgpu_dispatch_wake(struct vgpu_queue *queue);
/* Its HOST commands up to queue->host_done wait no longer. */
void vgpu_dispatch_host_done(struct vgpu_queue *queue);
/* Remove @queue from the dispatcher's lists. */
void vgpu_dispatch_remove(struct vgpu_queue *queue);

/* ---- hardware.c: which queues have a hardware queue ---------------------- */

/*
 * @queue has a new head for the dispatcher. False: it has no hardware queue; when it gets one,
 * vgpu_dispatch_bound() is called, perhaps at once.
 */
bool vgpu_hardware_get(struct vgpu_queue *queue);
/* An engine has its head. */
void vgpu_hardware_engaged(struct vgpu_queue *queue);
/* Its head waits, or it is empty: it keeps its hardware queue until another wants it. */
void vgpu_hardware_idle(struct vgpu_queue *queue);
/* It wants none any more. */
void vgpu_hardware_unwant(struct vgpu_queue *queue);
/* It neither has nor wants one any more. */
void vgpu_hardware_put(struct vgpu_queue *queue);

static inline void vgpu_trace_cmd(const struct vgpu_queues *queues, enum vgpu_trace_type type,
				  const struct vgpu_command *command)
{
	vgpu_trace_command(queues->trace, type, command->queue->ctx->id, command->queue->index,
			   command->seq, command->cmd.op, 0);
}

#endif
