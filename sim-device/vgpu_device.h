/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The host interface: the only interface between a host and the device. A host (kmod/ in the
 * kernel, the embedded transport or vgpu-sim in user space) creates a device from a configuration,
 * opens contexts, pushes commands and calls vgpu_device_run() to advance virtual time. The device
 * calls the host back through struct vgpu_host_ops.
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
struct vgpu_native_code;
struct vgpu_watch_ops;
struct vgpu_allocation;

/* ---- callbacks of the host ---------------------------------------------- */

/** struct vgpu_completion - a command ended; @status is 0, or -EIO if its context died first */
struct vgpu_completion {
	u32 context;
	u32 queue;
	u64 seq;
	u64 cookie;
	u64 time;
	int status;
};

/**
 * struct vgpu_host_ops - callbacks of the host
 * @get_frame: allocate a zeroed, page-aligned frame of VGPU_PAGE_SIZE bytes for a context; NULL:
 *   the host has none
 * @put_frame: free a frame
 * @move: move @bytes (at most link_burst) between process memory of a command and @memory, which
 *   lies inside one frame. @cookie is the command's, @offset counts from the start of the command's
 *   process buffer. -EFAULT: the process memory is no longer mapped.
 * @completed: a command ended; commands of one queue end in order, every pushed command ends
 *   exactly once
 * @context_died: first fault of a context; its pending commands complete with -EIO afterwards
 * @trace: a trace record; may be NULL
 * @preempted: SM @sm was preempted from a kernel of @context, as requested at time @requested; may
 *   be NULL
 * @counted: a launch that was admitted with the knob kernel_statistics set has ended; may be NULL
 * @dropped: the device goes on without its policy or mechanism (@what: "policy", "preemption")
 *   @name, which was from outside, for @reason; @next is selected now. May be NULL
 * @managed_page: the bytes of the page of managed memory, or of host memory, at @address; the same
 *   ones for as long as it is mapped. NULL: the host has no memory. May be NULL itself: there is no
 *   memory of these kinds
 * @revoke: from now on no process may access managed memory of [@address, @address + @bytes) before
 *   vgpu_managed_fetch() allowed it
 * @protect: from now on no process may write managed memory of that range before
 *   vgpu_managed_fetch() allowed it; who may read it still may. NULL: there is no advice that
 *   memory is mostly read
 * @arrived: pages of managed memory in [@address, @address + @bytes) were on their way and are no
 *   longer: who was told -EAGAIN by vgpu_managed_fetch() may ask again. May be NULL
 * @process_wants: SMs of @context want memory of its process (vgpu_process_enable()): call
 *   vgpu_process_wanted(), later, until there is none. This and the next three may be NULL, all of
 *   them: there is no memory of this kind
 * @process_hold: until @process_release, which comes before a few instructions more, no page of the
 *   process that is there goes
 * @process_page: between these: the bytes of the page at @address; NULL: it is not there, or not
 *   for writing
 * @allocation_freed: memory of vgpu_memory_allocate() is nobody's any more; @owner as there. May be
 *   NULL
 * @native: code of the host's processor in the place of the interpreter (sm/native.h), for a
 *   verified kernel of @count instructions that has executed @executed warp instructions. 0: in
 *   *@out, for as long as the device lives; -EAGAIN: not yet, ask again; another error: there is
 *   none, never. @cost: cycles of each opcode. NULL: there is no such code
 *
 * @parallel: call @run(@arg, n) for each n < @count, in any order and by any threads; behind it
 *   @end(@arg, n), unless that is NULL, by any thread, one at a time and in the order of n.
 *   Returns when all have returned. What run() does is its own, for @context (0: for several);
 *   until the host returns nobody else calls the device. NULL: the device does one after the other
 * @hands: is there anybody but the actor now who would execute what @parallel gets for @context?
 *   Nothing is executed ahead for it where there is not. May change at any time. NULL: there is
 * @turn: from a run() with an end(): returns when that has returned for all before @n. Nobody
 *   else is in an end() or behind a turn then, until this run() has returned
 * @lock, @unlock: from a run(): nobody else is between the two. NULL, as where a run() must not
 *   allocate memory: what needs it is left to the actor
 * @gives_way: from a run(): is it to return soon, with the rest left to the actor? Often called.
 *   NULL: never
 *
 * @watch: what is told of all that kernels do (sm/watch.h), with timing=interval; the host is its
 *   first argument. Not in the module. NULL: nobody watches
 *
 * The device calls them inside vgpu_device_run() or inside the call that causes them, on the
 * actor's thread; from a run() and an end(), on theirs. They must not call the device, except
 * vgpu_device_stop() and vgpu_device_now().
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
	void (*counted)(void *host, const struct vgpu_launch_counts *counts);
	void (*dropped)(void *host, const char *what, const char *name, const char *reason,
			const char *next);
	void *(*managed_page)(void *host, u32 context, u64 address);
	void (*revoke)(void *host, u32 context, u64 address, u64 bytes);
	void (*protect)(void *host, u32 context, u64 address, u64 bytes);
	void (*arrived)(void *host, u32 context, u64 address, u64 bytes);
	void (*process_wants)(void *host, u32 context);
	void (*process_hold)(void *host, u32 context);
	void *(*process_page)(void *host, u32 context, u64 address, bool write);
	void (*process_release)(void *host, u32 context);
	void (*allocation_freed)(void *host, u64 owner, u64 bytes);
	int (*native)(void *host, const struct vgpu_insn *code, u32 count, const u16 *cost,
		      u64 executed, const struct vgpu_native_code **out);
	void (*parallel)(void *host, u32 context, void (*run)(void *arg, u32 n),
			 void (*end)(void *arg, u32 n), void *arg, u32 count);
	bool (*hands)(void *host, u32 context);
	void (*turn)(void *host, u32 n);
	void (*lock)(void *host);
	void (*unlock)(void *host);
	bool (*gives_way)(void *host);
	const struct vgpu_watch_ops *watch;
};

/* ---- systems ------------------------------------------------------------ */

/*
 * A system is one clock and one event queue with the devices that use them. All devices of a system
 * have the same virtual time and are called by one actor. A device made by vgpu_device_create() is
 * the only one of its system.
 */
struct vgpu_system;

/* -ENOMEM */
int vgpu_system_create(struct vgpu_system **out);
/* The system must have no devices. */
void vgpu_system_destroy(struct vgpu_system *system);
struct vgpu_system *vgpu_device_system(const struct vgpu_device *dev);

/* vgpu_device_run(), _stop() and _now() for callers that have a system but no device. */
u64 vgpu_system_run(struct vgpu_system *system, u64 until, u32 max_events);
void vgpu_system_stop(struct vgpu_system *system);
/**
 * vgpu_system_next - when something is due next; VGPU_NEVER: nothing is
 * @payer: of the context whose kernel of long blocks ends then (vgpu_context_open()), else NULL.
 *   Such a time may be as far away as the process that launched it likes.
 */
u64 vgpu_system_next(struct vgpu_system *system, void **payer);

/**
 * vgpu_system_interrupt - have vgpu_system_run() return soon, from now on, or no longer
 * @on: while it is set, a run ends after one event or a few instructions of one warp
 *
 * For a host whose callers must not wait for all that SMs do at one virtual time. May be called by
 * any thread at any time. What is computed does not depend on it, nor does its order: a run that
 * ended so goes on exactly there, except for what the host itself does in between. A run always
 * makes some progress.
 */
void vgpu_system_interrupt(struct vgpu_system *system, bool on);
/*
 * The host wants to act at @time, in virtual time: from now on nothing is executed ahead that
 * begins later. VGPU_NEVER, as in the beginning: it has no such time. 0: it may act at any event,
 * and nothing is executed ahead. For hosts whose runs are to be the same with @parallel as without.
 */
void vgpu_system_horizon(struct vgpu_system *system, u64 time);
u64 vgpu_system_now(const struct vgpu_system *system);

/**
 * typedef vgpu_work_fn - what the model has computed for a context
 * @arg: of vgpu_system_work()
 * @host: of the context's device
 * @units: since the last call, at least 1
 * @total: for all contexts, those that have been closed since included; at least @units
 *
 * Units are the model's estimate of what things cost: warp instructions, translations, thread
 * blocks, commands, bytes copied. For a host that distributes its real time, only ratios count.
 */
typedef void vgpu_work_fn(void *arg, void *host, u32 context, u64 units, u64 total);

/**
 * vgpu_system_work - call @fn for each context for which something was computed since the last call
 *
 * Takes time for these contexts only, and allocates nothing. @fn must not call the device.
 */
void vgpu_system_work(struct vgpu_system *system, vgpu_work_fn *fn, void *arg);

/* ---- device ------------------------------------------------------------- */

/*
 * -EINVAL: vgpu_config_check() rejects @config. @ops, and @host, which is passed to the callbacks,
 * must outlive the device.
 */
int vgpu_device_create(const struct vgpu_config *config, const struct vgpu_host_ops *ops,
		       void *host, struct vgpu_device **out);
/* Create a device in @system, which must outlive the device. */
int vgpu_device_create_in(struct vgpu_system *system, const struct vgpu_config *config,
			  const struct vgpu_host_ops *ops, void *host, struct vgpu_device **out);
/* Closes all open contexts first: their commands complete with -EIO. */
void vgpu_device_destroy(struct vgpu_device *dev);

/**
 * vgpu_device_run - advance virtual time, for the device and all others of its system
 * @until: process events up to and including this time; VGPU_NEVER: until no event is left
 * @max_events: maximum number of events; bounds the real time of one call (one event is at most one
 *   SM slice, and less while vgpu_system_interrupt() says so)
 *
 * Returns the time of the next event, VGPU_NEVER if there is none: the device is idle. When it
 * returns because of @until, the virtual time is @until.
 */
u64 vgpu_device_run(struct vgpu_device *dev, u64 until, u32 max_events);
/*
 * Callbacks may call this: vgpu_device_run() then returns after the present event, as it does after
 * max_events. For a host that must react to a completion before virtual time advances.
 */
void vgpu_device_stop(struct vgpu_device *dev);
u64 vgpu_device_now(const struct vgpu_device *dev);
/** struct vgpu_injection - a fault that root wants, for monitors to see (docs/health.md) */
struct vgpu_injection {
	u32 kind;		/* enum vgpu_inject */
	u32 xid;		/* of VGPU_INJECT_XID, 1 to VGPU_XID_MAX */
	u32 context;		/* whose; 0: of the kernel that is executed, the oldest */
};

/*
 * At any time, also while blocks leave SMs. *@xid: the XID that is to be said of it, 0: none. Other
 * contexts go on. -EINVAL: no such kind or XID; -ENOENT: no such context, or no kernel is executed
 * and the fault needs a context; -ESHUTDOWN: the device is offline, and this is not
 * VGPU_INJECT_RECOVER.
 */
int vgpu_device_inject(struct vgpu_device *dev, const struct vgpu_injection *what, u32 *xid);

/*
 * Use ops->parallel from the next event on, or not (used from creation on; nothing where there is
 * none). Results, times and traces are the same.
 */
void vgpu_device_parallel(struct vgpu_device *dev, bool on);
/* Switch trace records on or off (off at creation; needs ops->trace). */
void vgpu_device_trace(struct vgpu_device *dev, bool on);

/**
 * vgpu_device_knob_set - change a knob of the running device: "policy", "preemption", "watchdog_us"
 * …
 *
 * Takes decimal text or a name. -ENOENT: no such knob; -EINVAL: invalid value; -ENOMEM: no
 * memory for the selected policy.
 */
int vgpu_device_knob_set(struct vgpu_device *dev, const char *knob, const char *value);
/*
 * Write the value as text to @text; returns its length or -ENOENT, -ENOSPC. A list knob has all
 * choices, with the active one in brackets.
 */
int vgpu_device_knob_get(struct vgpu_device *dev, const char *knob, char *text, size_t size);
/* There are no more knobs than this. */
#define VGPU_KNOBS_MAX 64u
/* Name of knob @index for listings, NULL past the end. */
const char *vgpu_device_knob_name(unsigned int index);

struct vgpu_policy;
struct vgpu_preemption;
/*
 * @policy, @preemption, which is from outside and has been removed from the list, is about to go:
 * if the device has it selected, it goes on with fcfs or the mechanism "switch", and what that
 * mechanism has begun ends so (vgpu_host_ops.dropped()). Nothing of it is called any more.
 */
void vgpu_device_drop_policy(struct vgpu_device *dev, const struct vgpu_policy *policy);
void vgpu_device_drop_preemption(struct vgpu_device *dev, const struct vgpu_preemption *preemption);

void vgpu_device_info(const struct vgpu_device *dev, struct vgpu_device_info *info);
/* The configuration of the device, changes by knobs included. */
const struct vgpu_config *vgpu_device_config(const struct vgpu_device *dev);
/* Numbers of live objects, for leak checks: all 0 when no context is open. */
struct vgpu_device_counts {
	u64 contexts, queues, modules, commands, kernels, blocks, frames, page_tables;
};
void vgpu_device_counts(const struct vgpu_device *dev, struct vgpu_device_counts *counts);

void vgpu_device_stats(const struct vgpu_device *dev, struct vgpu_device_stats *stats);

/* -ENOENT: no such SM. */
int vgpu_device_sm_stats(const struct vgpu_device *dev, u32 sm, struct vgpu_sm_stats *stats);
/* The same. */
int vgpu_device_sm_use(const struct vgpu_device *dev, u32 sm, struct vgpu_sm_use *use);

/* ---- contexts ----------------------------------------------------------- */

/*
 * Open a context. @label: any number, for traces (the pid). @payer: for the platform, who pays for
 * the context's memory (struct vgpu_payer); NULL in user space. It must outlive the context. Ids
 * are unique for the life of the device, from 1. -ENOMEM; -ENOSPC: no id is left; -ESHUTDOWN: the
 * device is offline (vgpu_device_inject()).
 */
int vgpu_context_open(struct vgpu_device *dev, u64 label, void *payer, u32 *id);
/*
 * Close a context at once: running blocks stop, pending commands complete with -EIO, memory, queues
 * and modules are released.
 */
int vgpu_context_close(struct vgpu_device *dev, u32 context);
/*
 * Before that, in a host whose other processes wait meanwhile: stop what it runs, complete what is
 * pending, and release about @most pages, so that closing it is short. The host pushes nothing for
 * it from then on. -EAGAIN: there are more.
 */
int vgpu_context_stop(struct vgpu_device *dev, u32 context, u64 most);
/*
 * End a context because of a fault that the host found, as if the device had found it. @fault needs
 * all fields except the time.
 */
int vgpu_context_end(struct vgpu_device *dev, u32 context, const struct vgpu_fault *fault);
/**
 * vgpu_device_blocker - the kernel that keeps kernels of other contexts from running
 * @context: its context
 * @launch: its number, unique on the device
 * @fault: the fault that ends it (vgpu_context_end()), VGPU_FAULT_WATCHDOG
 *
 * It runs while another context of at least its priority has kernels and no SM. False: there is
 * none. How long that may last is the host's decision, since only the host knows real time.
 */
bool vgpu_device_blocker(const struct vgpu_device *dev, u32 *context, u32 *launch,
			 struct vgpu_fault *fault);
/*
 * A higher number is more important; the default is 0. Policies that use priorities take the new
 * one into account at once.
 */
int vgpu_context_priority(struct vgpu_device *dev, u32 context, s32 priority);
/*
 * Set the budget of SMs under dss and static: 0..VGPU_TOKENS_MAX, or VGPU_TOKENS_SHARE (the
 * default): a share of the SMs that contexts with a budget leave. -EINVAL: another value.
 */
int vgpu_context_tokens(struct vgpu_device *dev, u32 context, u32 tokens);
/* Most SMs that it has at once, whatever the policy; ~0: no limit. -EINVAL: 0. */
int vgpu_context_sms(struct vgpu_device *dev, u32 context, u32 sms);
/*
 * Device memory that it may have, in bytes: what it maps or allocates beyond is -ENOMEM. 0: no
 * limit; VGPU_BUDGET_OF_DEVICE, the default: as the configuration says (memory_budget). What it has
 * it keeps. Managed memory does not count, imported memory does.
 */
int vgpu_context_memory_budget(struct vgpu_device *dev, u32 context, u64 bytes);
/*
 * As vgpu_device_info(), for @context: of its budget, and vram_free what it can still map.
 * -ENOENT.
 */
int vgpu_context_device_info(struct vgpu_device *dev, u32 context, struct vgpu_device_info *info);
int vgpu_context_info(const struct vgpu_device *dev, u32 context, struct vgpu_context_info *info);

/* Errors as in the uapi structs of the same names. */
int vgpu_queue_create(struct vgpu_device *dev, u32 context, u32 *queue);
int vgpu_queue_destroy(struct vgpu_device *dev, u32 context, u32 queue);
/* Newest completed sequence number. */
int vgpu_queue_completed(const struct vgpu_device *dev, u32 context, u32 queue, u64 *seq);
/*
 * HOST commands of the queue up to @seq wait no longer: the process has done what they stand for.
 * -EINVAL: @seq was not pushed yet.
 */
int vgpu_host_done(struct vgpu_device *dev, u32 context, u32 queue, u64 seq);
/* Does the HOST command @seq of the queue wait, at its head? */
bool vgpu_queue_host_due(const struct vgpu_device *dev, u32 context, u32 queue, u64 seq);
/* Does one of any queue of @context? */
bool vgpu_host_due(const struct vgpu_device *dev, u32 context);
int vgpu_memory_map(struct vgpu_device *dev, u32 context, u64 address, u64 bytes);
/*
 * Managed memory: its pages are where they are used, and their bytes are the host's (managed_page).
 * It takes no VRAM when it is mapped. Unmap it with the others. -EOPNOTSUPP: the host has none.
 */
int vgpu_memory_map_managed(struct vgpu_device *dev, u32 context, u64 address, u64 bytes);
/*
 * Host memory: its pages stay on the host (managed_page), and SMs use them in place, over the
 * interconnect. It takes neither VRAM nor page tables, and revoke() is never called for it. The
 * host must have the bytes until it has unmapped the range, with the others. Where processes and
 * other devices use the same bytes, atomics of SMs are atomic for all of them. -EOPNOTSUPP: the
 * host has none.
 */
int vgpu_memory_map_host(struct vgpu_device *dev, u32 context, u64 address, u64 bytes);
/* The same; a write of the device is one to an address where nothing is mapped. */
int vgpu_memory_map_host_read(struct vgpu_device *dev, u32 context, u64 address, u64 bytes);
/**
 * vgpu_managed_fetch - a process accesses the page of managed memory at @address
 * @write: it writes, or that is not known
 * @first, @bytes: out: range with the page
 * @writable: out: processes may write this range, and not only read it; true with @write. May be
 *   NULL
 *
 * 0: until revoke() processes may access this range, which had no access or has it already;
 * -EAGAIN: the page is on its way to or from the device, call again after vgpu_device_run(), or
 * when it has arrived; -EFAULT: no managed memory is mapped there; -ENOENT: no such context;
 * -ENOMEM.
 */
int vgpu_managed_fetch(struct vgpu_device *dev, u32 context, u64 address, bool write, u64 *first,
		       u64 *bytes, bool *writable);
/**
 * vgpu_managed_ahead - how much more processes may access than was fetched
 * @address: end of a range of vgpu_managed_fetch()
 *
 * Returns bytes from there on, within an aligned 2 MB: pages with data that are on the host, such
 * as those that came behind a fault. Processes may read and write them, as if they were fetched.
 */
u64 vgpu_managed_ahead(struct vgpu_device *dev, u32 context, u64 address);
/**
 * vgpu_managed_advise - how pages of a mapping of managed memory will be used
 * @advice: enum vgpu_advice, which says what follows from it
 *
 * Advice holds until the memory is unmapped. It moves no page; pages that both sides read stay on
 * one when they are no longer read mostly. -EINVAL: not whole pages of one such mapping, or no
 * such advice; -EOPNOTSUPP: the host has no protect(); -ENOMEM: the context has none for it, or
 * advice for too many ranges; -ENOENT; -EIO: the context is dead.
 */
int vgpu_managed_advise(struct vgpu_device *dev, u32 context, u64 address, u64 bytes, u32 advice);
/*
 * The same in parts of about @most pages. -EAGAIN: *done bytes, at first 0, have the advice. Nobody
 * may unmap the memory meanwhile.
 */
int vgpu_managed_advise_part(struct vgpu_device *dev, u32 context, u64 address, u64 bytes,
			     u32 advice, u64 most, u64 *done);
/**
 * vgpu_process_enable - let SMs use memory of the process, wherever nothing is mapped
 *
 * An access to it is one to host memory. A page that the host does not have at hand is a page fault
 * without data, which is served when the host has it, however long that takes, and no sooner than
 * the fault handler would. -EOPNOTSUPP: the host has none; -ENOENT; -EIO: the context is dead.
 */
int vgpu_process_enable(struct vgpu_device *dev, u32 context);
/**
 * vgpu_process_wanted - pages of the process that SMs wait for, and that nobody was told of
 *
 * False: there are none. Else vgpu_process_came() is called for them, some time later.
 */
bool vgpu_process_wanted(struct vgpu_device *dev, u32 context, struct vgpu_process_pages *pages);
/**
 * vgpu_process_came - what has become of @pages that were wanted
 *
 * A page that has gone again meanwhile is wanted again. One that there is not ends the context by a
 * fault, if it is still wanted.
 */
void vgpu_process_came(struct vgpu_device *dev, u32 context,
		       const struct vgpu_process_pages *pages);
/* Is the page at @address managed memory? */
bool vgpu_memory_is_managed(const struct vgpu_device *dev, u32 context, u64 address);
/**
 * vgpu_memory_allocate - device memory that is not mapped
 * @owner: any number, for allocation_freed()
 * @handle: out: the context's name for it
 *
 * It takes VRAM until the last handle, view and export of it is gone. Its pages are zero at first.
 * -EINVAL: not whole pages; -ENOMEM: not enough VRAM left; -ENOSPC: the context has too many
 * handles; -ENOENT; -EIO: the context is dead.
 */
int vgpu_memory_allocate(struct vgpu_device *dev, u32 context, u64 bytes, u64 owner, u32 *handle);
/*
 * The handle is no more; views stay. -ENOENT: there is no such handle; -EAGAIN: about @most
 * pages of what nobody else has are released, it is a handle still, call again.
 */
int vgpu_memory_release(struct vgpu_device *dev, u32 context, u32 handle, u64 most);
/**
 * vgpu_memory_map_view - map memory of vgpu_memory_allocate(), pages from @offset on
 * @rights: enum vgpu_rights; an access beyond is one to an address where nothing is mapped
 *
 * All views of a page have the same bytes, in whatever contexts. Unmap it with the others. -ENOENT:
 * no such handle or context; -EINVAL: no such pages of it, or no such rights; others as for
 * vgpu_memory_map().
 */
int vgpu_memory_map_view(struct vgpu_device *dev, u32 context, u64 address, u64 bytes, u32 handle,
			 u64 offset, u32 rights);
/*
 * Other rights for exactly one view, from now on. -ENOENT: there is none; -EINVAL: no such rights;
 * -EAGAIN: about @most pages have been looked at, call again; -EIO.
 */
int vgpu_memory_rights(struct vgpu_device *dev, u32 context, u64 address, u64 bytes, u32 rights,
		       u64 most);
/**
 * vgpu_memory_retain - a handle for memory that is mapped, exactly from @address on
 * @owner: as of vgpu_memory_allocate()
 * @most: pages that are looked at
 * @done: 0 at first; how far this has come
 *
 * What vgpu_memory_map() has mapped becomes a view, with all rights, of memory apart from
 * addresses; its bytes stay. Of a view that is all of such memory, with all rights, this is one
 * handle more. -EAGAIN: call again; -ENOENT: nothing of the kind is mapped so; -ENOMEM, -ENOSPC: as
 * for vgpu_memory_allocate(), and this may be tried again; -EIO.
 */
int vgpu_memory_retain(struct vgpu_device *dev, u32 context, u64 address, u64 bytes, u64 owner,
		       u64 most, u64 *done, u32 *handle);
/*
 * The host holds it, too, apart from any context, until vgpu_memory_unexport(), which it must call
 * before it destroys the device. -ENOENT: no such handle or context.
 */
int vgpu_memory_export(struct vgpu_device *dev, u32 context, u32 handle,
		       struct vgpu_allocation **out);
/*
 * A handle of @context for what is exported, and its size. -EXDEV: it is another device's;
 * -ENOMEM, -ENOSPC: as for vgpu_memory_allocate(); -ENOENT, -EIO.
 */
int vgpu_memory_import(struct vgpu_device *dev, u32 context, struct vgpu_allocation *allocation,
		       u32 *handle, u64 *bytes);
/* -EAGAIN: about @most pages of what nobody else has are released, and it is held, call again. */
int vgpu_memory_unexport(struct vgpu_allocation *allocation, u64 most);
/* Is it device memory, of vgpu_memory_map()? */
bool vgpu_memory_is_device(const struct vgpu_device *dev, u32 context, u64 address);
int vgpu_memory_unmap(struct vgpu_device *dev, u32 context, u64 address, u64 bytes);
/* The same in parts of about @most pages. -EAGAIN: it is mapped, and as many read as zero now. */
int vgpu_memory_unmap_part(struct vgpu_device *dev, u32 context, u64 address, u64 bytes, u64 most);
/*
 * Read device memory, also of a dead context, at no virtual time. Pages that were never written,
 * and addresses where no device memory is mapped, read as zero. -ENOENT: no such context.
 */
int vgpu_memory_peek(const struct vgpu_device *dev, u32 context, u64 address, void *memory,
		     u64 bytes);

/*
 * Add verified code to @context. The device takes ownership of @code unless the call fails.
 * -ENOSPC: the context has too many modules, or too large ones.
 */
int vgpu_module_add(struct vgpu_device *dev, u32 context, struct vgpu_module *code, u32 *module);
/* vgpu_vass_load() and vgpu_module_add() in one call, for hosts that may block on both. */
int vgpu_module_load(struct vgpu_device *dev, u32 context, const void *binary, u32 bytes,
		     char *message, size_t message_bytes, u32 *module);
int vgpu_module_unload(struct vgpu_device *dev, u32 context, u32 module);

/**
 * vgpu_queue_push - append a batch to a queue, all or nothing
 * @failed: on -EINVAL the index of the invalid command
 * @seq: sequence number of the last command
 *
 * -EINVAL: a command is malformed or asks for more than the device has (limits of grid, block,
 * registers, shared memory; a module, kernel or queue that does not exist); -EIO: the context is
 * dead; -EAGAIN: VGPU_INFLIGHT_MAX; -ENOENT: no such queue.
 */
int vgpu_queue_push(struct vgpu_device *dev, u32 context, u32 queue, const struct vgpu_push *push,
		    u32 count, u32 *failed, u64 *seq);

#endif
