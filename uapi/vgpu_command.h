/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * vgpu user interface: addresses, the commands that a queue takes, and the faults that end a
 * context. The rules are those of vgpu.h, which includes this.
 */
#ifndef VGPU_COMMAND_H
#define VGPU_COMMAND_H

#include <linux/types.h>

/* Device memory is mapped in pages of 4 KB. */
#define VGPU_PAGE_SHIFT		12
#define VGPU_PAGE_SIZE		(1ull << VGPU_PAGE_SHIFT)
/* Device addresses are addresses of the process: below this. arm64's have a bit more. */
#ifdef __aarch64__
#define VGPU_ADDRESS_LIMIT	(1ull << 48)
#else
#define VGPU_ADDRESS_LIMIT	(1ull << 47)
#endif
/*
 * The last page below is the device's own in every address space: nothing can be mapped there, and
 * no process has memory there. Kernels and commands may not access it (VGPU_FAULT_SYSTEM).
 */
#define VGPU_SYSTEM_BASE	(VGPU_ADDRESS_LIMIT - VGPU_PAGE_SIZE)

/* ---- commands ----------------------------------------------------------- */

enum vgpu_cmd_op {
	VGPU_CMD_NOP,		/* completes in its turn: a fence */
	VGPU_CMD_LAUNCH,	/* a compiled kernel of a loaded module */
	VGPU_CMD_COPY_H2D,	/* process memory to device memory */
	VGPU_CMD_COPY_D2H,
	VGPU_CMD_COPY_D2D,
	VGPU_CMD_FILL,		/* memset */
	/* until another queue of this context has completed a sequence number */
	VGPU_CMD_WAIT,
	VGPU_CMD_STAMP,		/* write the virtual time (8 bytes) to process memory */
	VGPU_CMD_PROFILED,	/* a profiled kernel: resources and block times, no code */
	VGPU_CMD_PREFETCH,	/* managed memory to where it will be used */
	VGPU_CMD_HOST,		/* until the process says so (VGPU_IOC_HOST_DONE) */
	VGPU_CMD_ANNOUNCE,	/* a launch will follow; known to SMs as soon as it is submitted */
	VGPU_CMD_COUNT
};

/** struct vgpu_cmd_launch - operands of VGPU_CMD_LAUNCH */
struct vgpu_cmd_launch {
	__u32 module;		/* from VGPU_IOC_MODULE_LOAD */
	__u32 kernel;		/* index in that module */
	__u32 grid[3];		/* thread blocks, each >= 1 */
	__u32 block[3];		/* threads, each >= 1, product within the device's limit */
	__u32 dynamic_shared;	/* bytes on top of the kernel's own */
	__u32 param_bytes;	/* what the kernel declares */
	__u64 params;		/* process address of the parameter block; copied at submission */
};

/*
 * Flags of VGPU_CMD_LAUNCH. APART: of the objects that the code of the kernel names
 * (VGPU_OBJECT_*),
 * those that it reads do not overlap with others that it writes. So blocks that read the ones and
 * write the others may be run again. Not true, it costs the results of this program alone.
 */
#define VGPU_LAUNCH_APART	(1u << 0)
/*
 * The timing model of this launch, one of them at most; none: that of the device. EOPNOTSUPP: the
 * device has only the other one (timing, timing_by_kernel).
 */
#define VGPU_LAUNCH_PIPELINE	(1u << 1)
#define VGPU_LAUNCH_INTERVAL	(1u << 2)
/*
 * The priority of a launch among those of its context, 0, the default, to VGPU_LAUNCH_PRIORITY_MOST
 * (docs/policies.md); of PROFILED, too.
 */
#define VGPU_LAUNCH_PRIORITY(n)	((__u16)((n) << 3))
#define VGPU_LAUNCH_PRIORITY_OF(flags) ((flags) >> 3 & 7u)
#define VGPU_LAUNCH_PRIORITY_MOST 5u
/*
 * Blocks of this launch may wait for all others of it, at a barrier of the grid; of PROFILED, too.
 * E2BIG: an empty device has not room for all of them at once. Where they are not on SMs together
 * all the same they take turns (docs/preemption.md).
 */
#define VGPU_LAUNCH_COOPERATIVE	(1u << 6)

/*
 * Process memory is held from submission to completion, so it is bounded: bytes of one copy between
 * process and device, and of all of them that a context has in flight (EAGAIN beyond; a batch that
 * exceeds it alone is refused).
 */
#define VGPU_COPY_MAX		(64ull << 20)
#define VGPU_PINNED_MAX		(256ull << 20)

/**
 * struct vgpu_cmd_copy - operands of the three copies. Any alignment, bytes >= 1; H2D and D2H at
 * most VGPU_COPY_MAX. Process memory that is not there is refused at submission (EFAULT).
 */
struct vgpu_cmd_copy {
	__u64 dst;		/* process address for D2H, else device address */
	__u64 src;		/* process address for H2D, else device address */
	__u64 bytes;
	__u64 reserved[3];
};

/**
 * struct vgpu_cmd_fill - operands of VGPU_CMD_FILL: count elements of width bytes at dst become
 * value
 */
struct vgpu_cmd_fill {
	__u64 dst;		/* multiple of width */
	__u64 count;
	__u32 value;
	__u32 width;		/* 1, 2 or 4 */
	__u64 reserved[3];
};

/**
 * struct vgpu_cmd_prefetch - operands of VGPU_CMD_PREFETCH: the pages of managed memory in the
 * range go to one side, as if it had touched them. Pages for which there is no room stay where they
 * are. Of memory of the process (VGPU_IOC_PROCESS_MEMORY), to the device: the process faults its
 * pages in, and the device has them at hand. The command does not wait for that; who uses a page
 * before it has come waits for it
 */
struct vgpu_cmd_prefetch {
	__u64 address;
	__u64 bytes;		/* >= 1 */
	__u32 to_device;	/* 1: to the device, 0: to the host */
	__u32 reserved0;
	__u64 reserved[3];
};

/**
 * struct vgpu_cmd_wait - operands of VGPU_CMD_WAIT. A sequence number not yet submitted is refused
 * at submission.
 */
struct vgpu_cmd_wait {
	__u32 queue;
	__u32 reserved0;
	__u64 seq;
	__u64 reserved[4];
};

/** struct vgpu_cmd_stamp - operands of VGPU_CMD_STAMP */
struct vgpu_cmd_stamp {
	__u64 dst;		/* process address, multiple of 8 */
	__u64 reserved[5];
};

/* Most bytes that a profiled block touches at once: a page for each thread of a warp. */
#define VGPU_TOUCH_BYTES_MAX	(32 * VGPU_PAGE_SIZE)
#define VGPU_TOUCHES_MAX	65536u
/* In touch_flags: it stores, else it loads. */
#define VGPU_TOUCH_WRITE	(1u << 0)

/**
 * struct vgpu_cmd_profiled - operands of VGPU_CMD_PROFILED: what table 5.2 of Tanasic says of a
 * kernel, and which memory its blocks touch
 *
 * Block n has touches * touch_bytes bytes of memory, at touch_address + n times as many. It touches
 * them in order and in as many parts, each at an equal part of its time from the beginning on, all
 * pages of a part by one instruction. Where a page is not there it waits, and its time stands. The
 * memory must be mapped when it is touched, as for the accesses of compiled kernels. Its bytes are
 * not changed.
 */
struct vgpu_cmd_profiled {
	__u64 blocks;		/* thread blocks, >= 1 */
	__u64 block_ps;		/* mean time a block occupies its slot, picoseconds, >= 1 */
	__u16 block_cv_permille;	/* coefficient of variation of that time x 1000, 0..1000 */
	/*
	 * how much of a block, from its start, x 1000, 0..1000: a block that is not beyond may be
	 * dropped and run again from its start (docs/preemption.md). 0: none may that has begun
	 */
	__u16 idempotent_permille;
	__u16 threads;		/* per block */
	/*
	 * how much of a block's registers and shared memory need not be saved, x 1000, 0..1000:
	 * when
	 * its checkpoint is made, and again behind that (docs/preemption.md, PEP). 0: all is saved
	 */
	__u16 clean_base_permille;
	__u32 regs_per_block;	/* 32-bit registers */
	__u32 shared_bytes;	/* per block */
	__u32 name;		/* any number; names the kernel in traces */
	__u32 touches;		/* of a block, 0..VGPU_TOUCHES_MAX; 0: the next three are 0 too */
	__u32 touch_bytes;	/* multiple of VGPU_PAGE_SIZE, 1..VGPU_TOUCH_BYTES_MAX */
	__u16 touch_flags;	/* VGPU_TOUCH_* */
	__u16 clean_increment_permille;
	__u64 touch_address;	/* multiple of VGPU_PAGE_SIZE; all is below VGPU_ADDRESS_LIMIT */
};

/**
 * struct vgpu_cmd_announce - operands of VGPU_CMD_ANNOUNCE: this context is about to launch a
 * kernel, on whatever queue. What is 0 is not known.
 *
 * It counts when it is submitted, whatever is before it in its queue, where it then has its turn as
 * a NOP. With preemption=pep SMs that the launch may take are prepared (docs/preemption.md), with
 * other mechanisms it does nothing. A context has one announcement at a time: others are ignored
 * until a launch has followed. One that no launch follows costs this context alone.
 *
 * @lead_ps: virtual time in picoseconds from this to the arrival of the launch, at least: it waits
 * if it is there sooner. At most 3600 s. 0: not known; the device takes pep_lead_ps of its
 * configuration, the host's part of a call that takes no virtual time of its own.
 */
struct vgpu_cmd_announce {
	__u64 blocks;		/* thread blocks */
	__u32 threads;		/* of each, at most 1024 */
	__u32 regs_per_block;	/* 32-bit registers */
	__u32 shared_bytes;	/* of each */
	__u32 reserved0;	/* 0 */
	__u64 lead_ps;
	__u64 reserved[2];	/* 0 */
};

/** struct vgpu_cmd - one command of a batch, 64 bytes */
struct vgpu_cmd {
	__u16 op;		/* enum vgpu_cmd_op */
	__u16 flags;		/* of LAUNCH: VGPU_LAUNCH_*; 0 of all others */
	__u32 reserved;		/* 0 */
	union {
		struct vgpu_cmd_launch launch;
		struct vgpu_cmd_copy copy;
		struct vgpu_cmd_fill fill;
		struct vgpu_cmd_wait wait;
		struct vgpu_cmd_stamp stamp;
		struct vgpu_cmd_profiled profiled;
		struct vgpu_cmd_prefetch prefetch;
		struct vgpu_cmd_announce announce;
		__u64 raw[7];
	};
};

/* ---- faults: why a context died ----------------------------------------- */

enum vgpu_fault_reason {
	VGPU_FAULT_NONE,
	VGPU_FAULT_UNMAPPED,	/* a kernel read or wrote an address that is not mapped */
	VGPU_FAULT_MISALIGNED,
	VGPU_FAULT_SHARED_RANGE,	/* shared memory beyond what the block has */
	VGPU_FAULT_LOCAL_RANGE,
	VGPU_FAULT_ADDRESS_SPACE,	/* an operation the space of the address does not allow */
	VGPU_FAULT_TRAP,		/* trap instruction, failed device-side assert */
	VGPU_FAULT_WATCHDOG,	/* a kernel ran, or a copy waited, for longer than it may */
	VGPU_FAULT_BARRIER,	/* block can never pass a barrier */
	/* a copy or fill touched device memory that is not mapped */
	VGPU_FAULT_COPY_UNMAPPED,
	VGPU_FAULT_COPY_HOST,	/* process memory of a copy could not be read or written */
	VGPU_FAULT_NO_MEMORY,	/* the host could not back a page or a block's state */
	/* tail of a mapped ring is ahead by more than its entries: in address */
	VGPU_FAULT_RING,
	VGPU_FAULT_COMMAND,	/* a command of a mapped ring was refused: its op in address */
	/* lanes wait by a member mask for lanes that cannot come: those in address */
	VGPU_FAULT_WARP_SYNC,
	VGPU_FAULT_MODEL,	/* a bug of the device, which found itself inconsistent */
	VGPU_FAULT_SYSTEM,	/* a kernel, a copy or a fill accessed a system page */
	/* of root, for monitors to see (enum vgpu_inject) */
	VGPU_FAULT_ENGINE,	/* an exception of an engine */
	VGPU_FAULT_ECC,		/* memory of the context has an error that ECC does not correct */
	VGPU_FAULT_OFFLINE,	/* the device has fallen off the bus */
	/* what a kernel launched is no launch (vgpu_launch.h): the record's number in address */
	VGPU_FAULT_LAUNCH,
	VGPU_FAULT_COUNT
};

/* Faults that root injects (docs/health.md). */
enum vgpu_inject {
	VGPU_INJECT_NONE,
	VGPU_INJECT_XID,		/* an XID: some end a context, others are only said */
	VGPU_INJECT_ECC_CORRECTED,	/* counted */
	VGPU_INJECT_ECC_UNCORRECTED,	/* ends a context; a page of device memory is retired */
	VGPU_INJECT_OFFLINE,		/* ends all contexts; there are no new ones */
	VGPU_INJECT_HANG,		/* the watchdog ends a context */
	VGPU_INJECT_RECOVER,		/* a reset: the device is there again */
	VGPU_INJECT_COUNT
};

#define VGPU_XID_MAX	255u

/**
 * struct vgpu_fault - first fault of a context; sticky. Its size stays: struct vgpu_context_info
 * has it in front of other members.
 */
struct vgpu_fault {
	__u32 reason;		/* enum vgpu_fault_reason */
	__u32 queue;		/* queue of the command */
	__u64 seq;		/* its sequence number */
	__u32 module;		/* of the kernel, ~0: no kernel */
	__u32 kernel;
	__u32 block[3];
	__u32 thread[3];
	__u32 pc;		/* instruction index from the kernel's entry */
	__u32 bytes;		/* size of the access */
	__u32 write;		/* 1: store or atomic */
	__u32 reserved;
	__u64 address;
	__u64 time;
	__u64 reserved1[6];
};

#endif
