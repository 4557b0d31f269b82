/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * vgpu user interface: what user space, the module and the device say to each other. ioctls of
 * /dev/vgpuN, information, mapped queues; commands and faults are in vgpu_command.h.
 *
 * Rules: fixed-size types, explicit padding, no pointers (addresses travel as __u64), unknown flags
 * and non-zero reserved fields are refused with EINVAL. An ioctl is known by its number and
 * direction; its struct only ever grows at its end, and the size that the ioctl's code carries says
 * how much of it the caller knows: what is missing of an argument is 0, what is too much must be 0
 * (E2BIG), of an answer as much is written as there is room for. So a struct that may grow is in
 * front of nothing else. The version counts what this does not cover.
 *
 * An open file is a context: a process on the device, with its own address space, queues and fate.
 * Times are virtual picoseconds since the device was created.
 */
#ifndef VGPU_H
#define VGPU_H

#include <linux/types.h>
#include <linux/ioctl.h>

#include "vgpu_command.h"
#include "vgpu_stats.h"

#define VGPU_UAPI_VERSION	2

/* ---- information -------------------------------------------------------- */

#define VGPU_NAME_BYTES		32

/** struct vgpu_device_info - shape of a device, answer of VGPU_IOC_DEVICE_INFO */
struct vgpu_device_info {
	char name[VGPU_NAME_BYTES];	/* of the preset */
	__u32 sms;
	__u32 clock_khz;
	__u32 regs_per_sm;		/* 32-bit registers */
	__u32 shared_per_sm;		/* bytes, largest configuration */
	__u32 shared_per_block;
	__u32 threads_per_sm;
	__u32 threads_per_block;
	__u32 blocks_per_sm;
	__u32 warp_size;
	__u32 hw_queues;
	__u64 vram_bytes;
	__u64 vram_free;		/* that this context can map */
	__u64 memory_bandwidth;		/* bytes per second */
	__u64 link_bandwidth;		/* bytes per second of the interconnect */
	__u64 time;			/* virtual now */
	__u32 contexts;			/* open now */
	__u32 queues;			/* in use now */
	char policy[VGPU_NAME_BYTES];
	char preemption[VGPU_NAME_BYTES];
	/* sizes an SM's shared memory is set to, the default first; 0: no more */
	__u32 shared_config[5];
	__u32 copy_engines;		/* 0: an older module, which has one */
	/* of all contexts, bytes of managed memory; 0 from an older module, as vram_used */
	__u64 managed_resident;		/* in frames */
	__u64 managed_host;		/* on the host; of a page that both sides read in both */
	__u64 vram_used;		/* mapped as device memory, or managed and in frames */
	__u32 memory_bus_bits;		/* wires of the bus to memory; 0: an older module */
	__u32 l2_bytes;			/* size of the L2 cache; 0 the same */
	__u64 memory_budget;		/* bytes of device memory of this context; 0: no limit */
	__u32 launch_flags;		/* VGPU_LAUNCH_* that it takes; 0: an older module */
	__u32 compute_capability;	/* 80: 8.0; 0: an older module */
};

/**
 * struct vgpu_account - what became of a context's kernels, thread blocks and SMs; only sums. Its
 * members, all __u64, are listed in vgpu_stats.h.
 */
struct vgpu_account {
#define VGPU_STAT_MEMBER(number, name, path, member, file, text) __u64 member;
	VGPU_ACCOUNT_STATS(VGPU_STAT_MEMBER)
#undef VGPU_STAT_MEMBER
};

/** struct vgpu_context_info - this file's context, answer of VGPU_IOC_CONTEXT_INFO */
struct vgpu_context_info {
	__u32 id;
	__u32 queues;
	__u32 modules;
	__u32 dead;			/* 1: see fault */
	__u64 mapped_bytes;		/* promised */
	__u64 resident_bytes;		/* frames that back them */
	__u64 kernels;			/* completed */
	__u64 blocks;			/* thread blocks completed */
	__u64 copies;
	__u64 copied_bytes;
	__u64 instructions;		/* warp instructions executed */
	__u64 thread_instructions;	/* the same, each times the lanes that executed it */
	__u64 sm_time;			/* picoseconds x SMs spent on this context */
	struct vgpu_fault fault;
	struct vgpu_account account;	/* the last, so it may grow */
};

/* ---- ioctls ------------------------------------------------------------- */

/** struct vgpu_version - VGPU_IOC_VERSION */
struct vgpu_version {
	__u32 version;			/* out: VGPU_UAPI_VERSION */
	__u32 isa_version;		/* out: VGPU_VASS_VERSION */
	__u64 features;			/* out: VGPU_FEATURE_* */
};
#define VGPU_FEATURE_PROFILED	(1ull << 0)	/* VGPU_CMD_PROFILED is taken */
#define VGPU_FEATURE_CLOCK	(1ull << 1)	/* VGPU_IOC_WAIT_ANY and seats */
#define VGPU_FEATURE_URING	(1ull << 2)	/* VGPU_URING_* */
#define VGPU_FEATURE_EVENTFD	(1ull << 3)	/* VGPU_IOC_EVENTFD */
#define VGPU_FEATURE_RING	(1ull << 4)	/* VGPU_IOC_RING_CREATE */
#define VGPU_FEATURE_MANAGED	(1ull << 5)	/* VGPU_MEM_MANAGED */
#define VGPU_FEATURE_PROCESS	(1ull << 6)	/* VGPU_IOC_PROCESS_MEMORY */
#define VGPU_FEATURE_ADVISE	(1ull << 7)	/* VGPU_IOC_MEM_ADVISE */
#define VGPU_FEATURE_HOST	(1ull << 8)	/* VGPU_CMD_HOST and VGPU_IOC_HOST_DONE */
#define VGPU_FEATURE_SM_LIMIT	(1ull << 9)	/* VGPU_IOC_CONTEXT_SMS */
#define VGPU_FEATURE_ANNOUNCE	(1ull << 10)	/* VGPU_CMD_ANNOUNCE */
#define VGPU_FEATURE_VIEWS	(1ull << 11)	/* VGPU_IOC_MEM_CREATE to _IMPORT */
#define VGPU_FEATURE_NAMES	(1ull << 12)	/* VGPU_IOC_MEM_RETAIN to _OPEN */

#define VGPU_QUEUES_MAX		256u		/* of one context; queues share hw_queues */

/** struct vgpu_queue_create - VGPU_IOC_QUEUE_CREATE. ENOSPC: the context has VGPU_QUEUES_MAX. */
struct vgpu_queue_create {
	__u32 flags;			/* 0 */
	__u32 queue;			/* out */
};

/** struct vgpu_queue_destroy - VGPU_IOC_QUEUE_DESTROY. EBUSY: it still has commands. */
struct vgpu_queue_destroy {
	__u32 queue;
	__u32 reserved;
};

/**
 * struct vgpu_module_load - VGPU_IOC_MODULE_LOAD. EINVAL: the verifier refused it, message says
 * what.
 */
struct vgpu_module_load {
	__u64 binary;			/* process address of the VASS binary */
	__u32 bytes;
	__u32 flags;			/* 0 */
	__u32 module;			/* out */
	__u32 message_bytes;		/* room at message, 0: none wanted */
	__u64 message;			/* process address: refusal as text, zero-terminated */
};

/** struct vgpu_module_unload - VGPU_IOC_MODULE_UNLOAD. Running kernels of it finish first. */
struct vgpu_module_unload {
	__u32 module;
	__u32 reserved;
};

/**
 * struct vgpu_mem - VGPU_IOC_MEM_MAP promises device memory at an address the process chose (and
 * should have reserved in its own address space): zero-filled, backed when first written.
 * VGPU_IOC_MEM_UNMAP takes back exactly one mapping. ENOMEM: not enough VRAM left; EEXIST: overlaps
 * a mapping; EINVAL: not page-aligned or out of range; ENOENT: UNMAP of what was not mapped so. An
 * unmap while commands that use it are pending is the caller's fault to see.
 *
 * With VGPU_MEM_MANAGED it is managed memory: it takes no VRAM until kernels touch it, and the
 * process sees it where it maps [address, address + bytes) of the file, MAP_SHARED, at offset
 * VGPU_MMAP_MANAGED + address. A page is where it is used: a process that touches one which is on
 * the device waits while it moves. SIGBUS: no managed memory is mapped there (any more), or memory
 * is short. fork() does not pass the mapping on.
 */
struct vgpu_mem {
	__u64 address;
	__u64 bytes;
	__u32 flags;			/* VGPU_MEM_*; of MEM_UNMAP 0 */
	__u32 reserved;
};
#define VGPU_MEM_MANAGED	(1u << 0)
#define VGPU_MMAP_MANAGED	(1ull << 62)

/**
 * struct vgpu_mem_create - VGPU_IOC_MEM_CREATE: device memory apart from addresses. It takes VRAM
 * until nobody holds it any more: no handle, no view (VGPU_IOC_MEM_VIEW), no file of
 * VGPU_IOC_MEM_EXPORT. Its pages read as zero at first. EINVAL: not whole pages; ENOMEM: not enough
 * VRAM left; ENOSPC: the context has too many handles.
 */
struct vgpu_mem_create {
	__u64 bytes;
	__u32 flags;			/* 0 */
	__u32 handle;			/* out; of this file's context */
};

/**
 * struct vgpu_mem_release - VGPU_IOC_MEM_RELEASE: the handle is no more. Views and exports of what
 * it named stay. ENOENT: there is no such handle.
 */
struct vgpu_mem_release {
	__u32 handle;
	__u32 reserved;
};

/* What may be done with a view; anything else is VGPU_FAULT_UNMAPPED or _COPY_UNMAPPED. */
enum vgpu_rights {
	VGPU_RIGHTS_NONE,
	VGPU_RIGHTS_READ,
	VGPU_RIGHTS_WRITE,		/* and read */
};

/**
 * struct vgpu_mem_view - VGPU_IOC_MEM_VIEW: map pages of what a handle names. The same page may be
 * mapped at many addresses and in many contexts, and is the same memory. VGPU_IOC_MEM_UNMAP takes
 * back exactly one view. ENOENT: no such handle; EINVAL: not whole pages of it, or no such rights;
 * EEXIST, ENOMEM as of VGPU_IOC_MEM_MAP.
 */
struct vgpu_mem_view {
	__u64 address;
	__u64 bytes;
	__u64 offset;			/* of the first page in what the handle names */
	__u32 handle;
	__u32 rights;			/* enum vgpu_rights */
};

/**
 * struct vgpu_mem_rights - VGPU_IOC_MEM_RIGHTS: other rights for exactly one view. ENOENT: there is
 * none like that; EINVAL: no such rights.
 */
struct vgpu_mem_rights {
	__u64 address;
	__u64 bytes;
	__u32 rights;			/* enum vgpu_rights */
	__u32 reserved;
};

/**
 * struct vgpu_mem_export - VGPU_IOC_MEM_EXPORT: a file that stands for what a handle names. Who has
 * the file, and nobody else, can import it: it is handed on as files are (SCM_RIGHTS, fork). The
 * memory counts for who created it as long as it is there. ENOENT: no such handle.
 */
struct vgpu_mem_export {
	__u32 handle;
	__u32 flags;			/* 0 */
	__s32 fd;			/* out: closed on exec */
	__u32 reserved;
};

/**
 * struct vgpu_mem_import - VGPU_IOC_MEM_IMPORT: a handle of this file's context for what a file of
 * VGPU_IOC_MEM_EXPORT stands for. EBADF, EINVAL: fd is no such file; EXDEV: of another device;
 * ENOSPC as of VGPU_IOC_MEM_CREATE.
 */
struct vgpu_mem_import {
	__s32 fd;
	__u32 flags;			/* 0 */
	__u64 bytes;			/* out */
	__u32 handle;			/* out */
	__u32 reserved;
};

/**
 * struct vgpu_mem_retain - VGPU_IOC_MEM_RETAIN: a handle for memory that is mapped, exactly so.
 * What MEM_MAP has mapped, but managed memory, becomes a view, with all rights, of memory as of
 * MEM_CREATE; its bytes stay. Of a view, with all rights, of all of such memory this is one handle
 * more. ENOENT: nothing of the kind is mapped so; ENOSPC as of VGPU_IOC_MEM_CREATE; ENOMEM: no
 * memory for it, and it may be tried again.
 */
struct vgpu_mem_retain {
	__u64 address;
	__u64 bytes;
	__u32 flags;			/* 0 */
	__u32 handle;			/* out */
};

/**
 * struct vgpu_mem_name - VGPU_IOC_MEM_NAME: 128 random bits by which contexts of the same user
 * open what a handle names. The name lives as long as the handle; asked for again it is the same.
 * ENOENT: no such handle; ENOSPC: the context has VGPU_NAMES_MAX names.
 */
#define VGPU_NAMES_MAX		4096u
struct vgpu_mem_name {
	__u64 name[2];			/* out */
	__u32 handle;
	__u32 flags;			/* 0 */
};

/**
 * struct vgpu_mem_open - VGPU_IOC_MEM_OPEN: a handle of this file's context for what a name names.
 * Whoever has opened it keeps the memory, which counts for who created it. ENOENT: no handle of
 * this device has that name, or another user's context has it and the caller has not CAP_SYS_ADMIN;
 * ENOSPC as of VGPU_IOC_MEM_CREATE.
 */
struct vgpu_mem_open {
	__u64 name[2];
	__u64 bytes;			/* out */
	__u32 handle;			/* out */
	__u32 flags;			/* 0 */
};

/**
 * struct vgpu_process_memory - VGPU_IOC_PROCESS_MEMORY: from now on kernels of this file's context
 * use the memory of the calling process, with its access rights, wherever no memory is mapped by
 * MEM_MAP. So anybody who has the file can. Pages stay where they are, and accesses cross the
 * interconnect. A page that has to be brought first, by swap, a file or userfaultfd, is waited for
 * like one of a page fault. An access to what the process has not mapped, or not so, is
 * VGPU_FAULT_UNMAPPED as without this. Again from the same process: no effect. EBUSY: they use that
 * of another process; EIO: context is dead.
 */
struct vgpu_process_memory {
	__u32 flags;			/* 0 */
	__u32 reserved;
};

/**
 * struct vgpu_mem_peek - VGPU_IOC_MEM_PEEK: read device memory at no virtual time, also of a
 * context that is dead: what its kernels left for the host. What was never written, and addresses
 * where no device memory is mapped, read as zero. EINVAL: more than VGPU_PEEK_BYTES, or @address +
 * @bytes wraps; EFAULT: @memory cannot be written.
 */
struct vgpu_mem_peek {
	__u64 address;
	__u64 memory;			/* where to, in the calling process */
	__u32 bytes;
	__u32 reserved;
};
#define VGPU_PEEK_BYTES		65536u

/**
 * enum vgpu_advice - how managed memory will be used (docs/memory.md)
 *
 * There are three kinds, each on or off; a preferred location replaces another one. READ_MOSTLY
 * goes before the other two, PREFER_DEVICE before ACCESSED.
 */
enum vgpu_advice {
	VGPU_ADVICE_NONE,		/* undo all three */
	VGPU_ADVICE_READ_MOSTLY,	/* who reads gets a copy; who writes has the only one */
	VGPU_ADVICE_NOT_READ_MOSTLY,
	VGPU_ADVICE_PREFER_HOST,	/* kernels use pages that are on the host there */
	VGPU_ADVICE_PREFER_DEVICE,	/* pages are evicted after others */
	VGPU_ADVICE_PREFER_NONE,
	VGPU_ADVICE_ACCESSED,		/* kernels use what the host has there, without a fault */
	VGPU_ADVICE_NOT_ACCESSED,
	/*
	 * a hint for oversubscription, of the whole context: its kernels use the same data one
	 * after the other, or they do not. It changes nothing for the pages
	 */
	VGPU_ADVICE_SHARED,
	VGPU_ADVICE_NOT_SHARED,
	VGPU_ADVICE_COUNT
};

/**
 * struct vgpu_mem_advise - VGPU_IOC_MEM_ADVISE: advice for whole pages, of one mapping of managed
 * memory. EINVAL: it is not that, or no such advice; ENOMEM: the context has advice for too many
 * ranges, and some of the pages may have this one
 */
struct vgpu_mem_advise {
	__u64 address;
	__u64 bytes;
	__u32 advice;			/* enum vgpu_advice */
	__u32 reserved;
};

/**
 * struct vgpu_submit - VGPU_IOC_SUBMIT: append a batch to a queue, all of it or nothing. EINVAL and
 * `failed` name the command that is wrong; EFAULT likewise: process memory not there; EIO: context
 * is dead; EAGAIN: too much in flight.
 */
#define VGPU_SUBMIT_MAX		256u		/* commands in one batch */
#define VGPU_INFLIGHT_MAX	16384u		/* commands of one queue pending */
struct vgpu_submit {
	__u32 queue;
	__u32 count;			/* 1..VGPU_SUBMIT_MAX */
	__u64 commands;			/* process address of struct vgpu_cmd[count] */
	__u32 flags;			/* 0 */
	__u32 failed;			/* out, on EINVAL or EFAULT: index of the command */
	/* out: sequence number of the last command; the queue's first is 1 */
	__u64 seq;
};

/**
 * struct vgpu_wait - VGPU_IOC_WAIT until the queue has completed seq. Interruptible (EINTR: call
 * again). ETIMEDOUT: after timeout_ns of real time; EIO: context is dead.
 */
struct vgpu_wait {
	__u32 queue;
	__u32 flags;			/* 0 */
	__u64 seq;
	__s64 timeout_ns;		/* < 0: for ever; 0: only look */
	__u64 completed;		/* out: newest completed sequence number */
	__u64 time;			/* out: virtual now */
};

/** struct vgpu_fence - a queue of this context has completed a sequence number */
struct vgpu_fence {
	__u32 queue;
	__u32 reserved;
	__u64 seq;
};

/**
 * struct vgpu_wait_any - VGPU_IOC_WAIT_ANY until a queue has completed its sequence number, or
 * until a virtual time, whichever comes first. Interruptible (EINTR: call again). EIO: the context
 * is dead.
 */
#define VGPU_FENCES_MAX		256u
struct vgpu_wait_any {
	__u64 fences;			/* process address of struct vgpu_fence[count] */
	__u32 count;			/* 0..VGPU_FENCES_MAX */
	__u32 flags;			/* 0 */
	__u64 until;			/* virtual picoseconds, ~0: no limit */
	__u64 time;			/* out: virtual now */
	/* out: index of the fence, VGPU_FENCE_NONE: the time came */
	__u32 which;
	__u32 reserved;
};
#define VGPU_FENCE_NONE		(~0u)

/**
 * struct vgpu_eventfd - VGPU_IOC_EVENTFD: add 1 to an eventfd when a queue has completed seq, once;
 * at once if it has. It is added too when the context dies or is closed, so ask what happened.
 * EBADF, EINVAL: fd is no eventfd, or seq was not submitted yet; EBUSY: too many asked for.
 */
struct vgpu_eventfd {
	__u32 queue;
	__s32 fd;
	__u64 seq;
	__u32 flags;			/* 0 */
	__u32 reserved;
};

/**
 * struct vgpu_context_priority - VGPU_IOC_CONTEXT_PRIORITY of this file's context: a higher number
 * is more important, 0 at first. EPERM: raising it needs CAP_SYS_NICE.
 */
struct vgpu_context_priority {
	__s32 priority;
	__u32 flags;			/* 0 */
};

/**
 * struct vgpu_host_done - VGPU_IOC_HOST_DONE: VGPU_CMD_HOST commands of a queue up to seq wait no
 * longer. One completes when it is at the head of its queue and this has been said of it, in
 * whatever order; it has no operands. Who waits for the command before it knows when its turn is.
 * EINVAL: seq was not submitted yet.
 */
struct vgpu_host_done {
	__u32 queue;
	__u32 flags;			/* 0 */
	__u64 seq;
};

/**
 * struct vgpu_context_sms - VGPU_IOC_CONTEXT_SMS of this file's context: how many SMs it has at
 * once at most, whatever the policy would give it. What it has more when this is said it keeps
 * until its blocks there have ended. EINVAL: 0.
 */
struct vgpu_context_sms {
	__u32 sms;			/* ~0: no limit, as at first */
	__u32 flags;			/* 0 */
};

/* ---- seats at the clock ------------------------------------------------- */

/*
 * Whoever takes part in a lockstep clock has a seat. A context has one of its own from its first
 * command on. A program that starts others (vgpu-run) keeps seats for them: a seat is another file,
 * which outlives the contexts of its process, so that no virtual time passes between two processes
 * on one seat.
 */

/**
 * struct vgpu_seat_create - VGPU_IOC_SEAT_CREATE: a seat, which holds the clock from now on. ESRCH,
 * EPERM: as for MOVE. ENOSPC: the device keeps 1024 seats.
 */
struct vgpu_seat_create {
	__s32 pid;			/* as for VGPU_IOC_SEAT_MOVE */
	/* of the contexts that open on it; EPERM: above 0 needs CAP_SYS_NICE */
	__s32 priority;
	__u32 flags;			/* 0 */
	/* out: the seat, closed on exec; closing it gives the seat up */
	__s32 fd;
};

/**
 * struct vgpu_seat_move - VGPU_IOC_SEAT_MOVE of a seat's file: contexts that process pid or a
 * descendant of it opens from now on sit on this seat. ESRCH: there is no such process; EPERM: it
 * does not descend from the caller.
 */
struct vgpu_seat_move {
	__s32 pid;			/* 0: nobody yet */
	__u32 reserved;
};

/**
 * struct vgpu_seat_info - VGPU_IOC_SEAT_INFO of a seat's file. VGPU_IOC_CONTEXT_INFO of it has the
 * counts of all contexts there ever were on it, added up.
 */
struct vgpu_seat_info {
	__u64 time;			/* virtual now */
	__u32 contexts;			/* open on it now */
	__u32 blocked;			/* 1: waits; 0: holds a lockstep clock */
};

#define VGPU_IOC_MAGIC		0xB7
#define VGPU_IOC_VERSION	_IOR(VGPU_IOC_MAGIC, 0x00, struct vgpu_version)
#define VGPU_IOC_DEVICE_INFO	_IOR(VGPU_IOC_MAGIC, 0x01, struct vgpu_device_info)
#define VGPU_IOC_CONTEXT_INFO	_IOR(VGPU_IOC_MAGIC, 0x02, struct vgpu_context_info)
#define VGPU_IOC_CONTEXT_PRIORITY _IOW(VGPU_IOC_MAGIC, 0x03, struct vgpu_context_priority)
#define VGPU_IOC_CONTEXT_SMS	_IOW(VGPU_IOC_MAGIC, 0x04, struct vgpu_context_sms)
#define VGPU_IOC_QUEUE_CREATE	_IOWR(VGPU_IOC_MAGIC, 0x10, struct vgpu_queue_create)
#define VGPU_IOC_QUEUE_DESTROY	_IOW(VGPU_IOC_MAGIC, 0x11, struct vgpu_queue_destroy)
#define VGPU_IOC_MODULE_LOAD	_IOWR(VGPU_IOC_MAGIC, 0x20, struct vgpu_module_load)
#define VGPU_IOC_MODULE_UNLOAD	_IOW(VGPU_IOC_MAGIC, 0x21, struct vgpu_module_unload)
#define VGPU_IOC_MEM_MAP	_IOW(VGPU_IOC_MAGIC, 0x30, struct vgpu_mem)
#define VGPU_IOC_MEM_UNMAP	_IOW(VGPU_IOC_MAGIC, 0x31, struct vgpu_mem)
#define VGPU_IOC_PROCESS_MEMORY	_IOW(VGPU_IOC_MAGIC, 0x32, struct vgpu_process_memory)
#define VGPU_IOC_MEM_ADVISE	_IOW(VGPU_IOC_MAGIC, 0x33, struct vgpu_mem_advise)
#define VGPU_IOC_MEM_PEEK	_IOW(VGPU_IOC_MAGIC, 0x34, struct vgpu_mem_peek)
#define VGPU_IOC_MEM_CREATE	_IOWR(VGPU_IOC_MAGIC, 0x35, struct vgpu_mem_create)
#define VGPU_IOC_MEM_RELEASE	_IOW(VGPU_IOC_MAGIC, 0x36, struct vgpu_mem_release)
#define VGPU_IOC_MEM_VIEW	_IOW(VGPU_IOC_MAGIC, 0x37, struct vgpu_mem_view)
#define VGPU_IOC_MEM_RIGHTS	_IOW(VGPU_IOC_MAGIC, 0x38, struct vgpu_mem_rights)
#define VGPU_IOC_MEM_EXPORT	_IOWR(VGPU_IOC_MAGIC, 0x39, struct vgpu_mem_export)
#define VGPU_IOC_MEM_IMPORT	_IOWR(VGPU_IOC_MAGIC, 0x3a, struct vgpu_mem_import)
#define VGPU_IOC_MEM_RETAIN	_IOWR(VGPU_IOC_MAGIC, 0x3b, struct vgpu_mem_retain)
#define VGPU_IOC_MEM_NAME	_IOWR(VGPU_IOC_MAGIC, 0x3c, struct vgpu_mem_name)
#define VGPU_IOC_MEM_OPEN	_IOWR(VGPU_IOC_MAGIC, 0x3d, struct vgpu_mem_open)
#define VGPU_IOC_SUBMIT		_IOWR(VGPU_IOC_MAGIC, 0x40, struct vgpu_submit)
#define VGPU_IOC_WAIT		_IOWR(VGPU_IOC_MAGIC, 0x41, struct vgpu_wait)
#define VGPU_IOC_WAIT_ANY	_IOWR(VGPU_IOC_MAGIC, 0x42, struct vgpu_wait_any)
#define VGPU_IOC_EVENTFD	_IOW(VGPU_IOC_MAGIC, 0x43, struct vgpu_eventfd)
#define VGPU_IOC_HOST_DONE	_IOW(VGPU_IOC_MAGIC, 0x44, struct vgpu_host_done)
#define VGPU_IOC_SEAT_CREATE	_IOWR(VGPU_IOC_MAGIC, 0x50, struct vgpu_seat_create)
#define VGPU_IOC_SEAT_MOVE	_IOW(VGPU_IOC_MAGIC, 0x51, struct vgpu_seat_move)
/* 0x52 was SEAT_INFO of version 1 */
#define VGPU_IOC_SEAT_INFO	_IOR(VGPU_IOC_MAGIC, 0x53, struct vgpu_seat_info)

/* ---- commands of io_uring ----------------------------------------------- */

/*
 * IORING_OP_URING_CMD on a vgpu file; sqe->cmd_op is one of VGPU_URING_*, sqe->cmd holds its
 * struct. The CQE's res is 0 or a negative errno, those of the ioctls of the same names; with
 * IORING_SETUP_CQE32 big_cqe[0] says more. ECANCELED: a descriptor of the file was closed by the
 * process that sent the command, or it ends, or its ring does: what was submitted goes on, but
 * nobody waits for it any more.
 */

/**
 * struct vgpu_uring_submit - VGPU_URING_SUBMIT: append a batch to a queue, all of it or nothing,
 * and complete when the device is done with it
 * @commands: process address of struct vgpu_cmd[count]; 0: the one command follows in the SQE
 *   (IORING_SETUP_SQE128)
 *
 * big_cqe[0]: sequence number of the last command; if the batch was refused, index of the command
 * that is wrong.
 */
struct vgpu_uring_submit {
	__u64 commands;
	__u32 queue;
	__u16 count;			/* 1..VGPU_SUBMIT_MAX */
	__u16 flags;			/* VGPU_URING_TAKEN */
};
#define VGPU_URING_TAKEN 1 /* complete when the queue has the batch, as VGPU_IOC_SUBMIT does */

/**
 * struct vgpu_uring_wait - VGPU_URING_WAIT: complete when a queue has completed seq; big_cqe[0]:
 * how far it has come
 */
struct vgpu_uring_wait {
	__u64 seq;
	__u32 queue;
	__u32 timeout_ms;		/* of real time, ETIME then or up to 0.1 s later; 0: none */
};

#define VGPU_URING_SUBMIT	_IOW(VGPU_IOC_MAGIC, 0x80, struct vgpu_uring_submit)
#define VGPU_URING_WAIT		_IOW(VGPU_IOC_MAGIC, 0x81, struct vgpu_uring_wait)

/* ---- mapped queues ------------------------------------------------------ */

/*
 * A queue's ring, mapped into the process. To launch: write commands at entries tail, tail + 1 …
 * (modulo entries), then the new tail (release), then, with a full barrier between, look at the
 * fence page: while it says VGPU_RING_ASLEEP, VGPU_IOC_RING_DOORBELL. An entry is free again when
 * head has passed it, and so is what it refers to of the parameters. Sequence numbers count on, as
 * if submitted. Neither copies to or from the process nor stamps may lie in a ring: SUBMIT takes
 * them, after what lies in the ring. launch.params is an offset into the parameters. Nobody is
 * there to be told of a mistake: it ends the context, with VGPU_FAULT_RING or VGPU_FAULT_COMMAND.
 */
#define VGPU_RING_ENTRIES_MAX	4096u
#define VGPU_RING_PARAMS_MAX	(1u << 20)

/**
 * struct vgpu_ring_create - VGPU_IOC_RING_CREATE: a ring for a queue, as long as it is there.
 * EEXIST: it has one.
 */
struct vgpu_ring_create {
	__u32 queue;
	__u32 entries;			/* a power of two, 8..VGPU_RING_ENTRIES_MAX */
	__u32 param_bytes;		/* multiple of VGPU_PAGE_SIZE, up to VGPU_RING_PARAMS_MAX */
	__u32 flags;			/* 0 */
	__u64 ring_offset;		/* out, for mmap: shared, to read and write */
	__u64 ring_bytes;		/* out */
	__u64 fence_offset;		/* out, for mmap: shared, to read; one page */
	__u32 commands;			/* out, in the ring: of struct vgpu_cmd[entries] */
	__u32 params;			/* out, in the ring: of param_bytes bytes */
};

/** struct vgpu_ring - the ring's first bytes, written by the process */
struct vgpu_ring {
	__u32 tail;
	__u32 reserved[15];
};

/** struct vgpu_ring_fence - the fence page's first bytes, written by the device */
struct vgpu_ring_fence {
	__u64 completed;		/* newest completed sequence number of the queue */
	__u64 submitted;		/* newest one the device has taken */
	__u64 time;			/* virtual, at the last completion */
	__u32 head;			/* of the ring */
	__u32 flags;			/* VGPU_RING_ASLEEP */
	/* enum vgpu_fault_reason of the context: the ring is not looked at any more */
	__u32 dead;
	__u32 reserved[7];
};
#define VGPU_RING_ASLEEP	1u	/* a new tail is not seen without a doorbell */

/** struct vgpu_ring_doorbell - VGPU_IOC_RING_DOORBELL: wake the device */
struct vgpu_ring_doorbell {
	__u32 queue;
	__u32 reserved;
};

#define VGPU_IOC_RING_CREATE	_IOWR(VGPU_IOC_MAGIC, 0x60, struct vgpu_ring_create)
#define VGPU_IOC_RING_DOORBELL	_IOW(VGPU_IOC_MAGIC, 0x61, struct vgpu_ring_doorbell)

#include "vgpu_trace.h"

#endif
