/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Generic netlink family "vgpu": what the devices are and do, knobs, notices of rare events,
 * periodic samples. docs/netlink.md describes every command. Attribute types only ever grow at the
 * end; what a command does not take is refused with EINVAL and a sentence (NETLINK_EXT_ACK).
 *
 * Anybody in the initial network namespace may ask, and listen to group "public". What a context
 * does is told its owner and CAP_PERFMON only; the other groups, and setting anything, take
 * CAP_SYS_ADMIN. Capabilities are those of the initial user namespace, to which the devices belong.
 */
#ifndef VGPU_NETLINK_H
#define VGPU_NETLINK_H

#include "vgpu_count.h"
#include "vgpu_stats.h"

#define VGPU_NL_FAMILY		"vgpu"
#define VGPU_NL_VERSION		1

/* Multicast groups */
#define VGPU_NL_GROUP_NOTICES	"notices"	/* rare events; CAP_SYS_ADMIN */
#define VGPU_NL_GROUP_SAMPLES	"samples"	/* statistics, every VGPU_NL_A_SAMPLE_MS; as well */
#define VGPU_NL_GROUP_PUBLIC	"public"	/* "notices" without PID, FAULT, FAULT_ADDRESS */

enum vgpu_nl_command {
	VGPU_NL_CMD_UNSPEC,
	/* asked for */
	VGPU_NL_CMD_DEVICE_GET,		/* one: DEVICE, and its SM_STATES; dump: all, or DEVICE */
	/*
	 * one: DEVICE, CONTEXT; dump: all, or those of DEVICE. Of a context that belongs to another
	 * user: DEVICE, CONTEXT, TIME, PRIORITY, TOKENS, and no more without CAP_PERFMON
	 */
	VGPU_NL_CMD_CONTEXT_GET,
	/* DEVICE and KNOB_NAME with KNOB_VALUE, or SAMPLE_MS, or both */
	VGPU_NL_CMD_DEVICE_SET,
	VGPU_NL_CMD_CONTEXT_SET,	/* DEVICE, CONTEXT and PRIORITY, TOKENS or both */
	/*
	 * groups "notices" and "public": DEVICE, TIME and what is said here; LOST if some were lost
	 * in front of it
	 */
	VGPU_NL_CMD_CONTEXT_CREATED,	/* CONTEXT, PID */
	/* CONTEXT, PID, FAULT, FAULT_ADDRESS; the watchdog's work too: VGPU_FAULT_WATCHDOG */
	VGPU_NL_CMD_CONTEXT_DIED,
	VGPU_NL_CMD_CONTEXT_CLOSED,	/* CONTEXT, PID */
	/* KNOB_NAME, KNOB_VALUE; REASON where nobody has set it */
	VGPU_NL_CMD_KNOB_CHANGED,
	/* a page of VRAM was refused: the machine has too little memory left */
	VGPU_NL_CMD_MEMORY_LOW,
	/* group "samples": first the device, then its contexts, one a message */
	VGPU_NL_CMD_DEVICE_SAMPLE,	/* as DEVICE_GET of one, without KNOBS */
	VGPU_NL_CMD_CONTEXT_SAMPLE,	/* as CONTEXT_GET */
	/* asked for: one: DEVICE, SM; dump: all SMs of DEVICE, or of all devices */
	VGPU_NL_CMD_SM_GET,
	/*
	 * DEVICE, INJECT; XID for VGPU_INJECT_XID; CONTEXT: whose, else of the kernel that has been
	 * executing for longest. CAP_SYS_ADMIN
	 */
	VGPU_NL_CMD_DEVICE_INJECT,
	/* groups "notices" and "public": XID that ended no context; CONTEXT_DIED has it else */
	VGPU_NL_CMD_XID,
	/*
	 * asked for as a dump: COUNTS_SCOPE, DEVICE or nothing: what kernels did on devices with
	 * kernel_statistics=1, of each launch, stream, context or SM; of contexts of another user
	 * nothing without CAP_PERFMON, and of SMs nothing at all
	 */
	VGPU_NL_CMD_COUNTS_GET,
	VGPU_NL_CMD_COUNT
};
#define VGPU_NL_CMD_MAX (VGPU_NL_CMD_COUNT - 1)

enum vgpu_nl_attr {
	VGPU_NL_A_UNSPEC,
	/* requests and answers */
	VGPU_NL_A_DEVICE = 1,		/* u32: number of the device */
	VGPU_NL_A_CONTEXT = 2,		/* u32: id of the context, from 1 */
	VGPU_NL_A_KNOB_NAME = 3,	/* string */
	/* string; of a list in an answer: every choice, "[active]" in brackets */
	VGPU_NL_A_KNOB_VALUE = 4,
	VGPU_NL_A_SAMPLE_MS = 5,	/* u32: 0 never, else 10..60000 */
	VGPU_NL_A_PRIORITY = 6,		/* s32: a higher number is more important */
	VGPU_NL_A_TOKENS = 7,		/* u32: budget of SMs, 0..1024, ~0: a share of the rest */
	/* answers */
	VGPU_NL_A_PAD = 8,
	VGPU_NL_A_LOST = 10,		/* u64 */
	/* a device */
	VGPU_NL_A_NAME = 11,		/* string: "vgpu0" */
	VGPU_NL_A_PRESET = 12,		/* string: shape it was made from */
	VGPU_NL_A_CLOCK = 13,		/* string: free, paced, lockstep */
	VGPU_NL_A_VRAM_RESIDENT = 21,	/* u64: bytes backed by pages of the machine */
	VGPU_NL_A_SM_TIMES = 26,	/* nest of SM_TIME */
	VGPU_NL_A_SM_TIME = 27,		/* nest of STATE_NAME and STATE_TIME */
	/* string: idle, setup, running, reserved, saving, restoring */
	VGPU_NL_A_STATE_NAME = 28,
	VGPU_NL_A_STATE_TIME = 29,	/* u64: picoseconds, summed over all SMs */
	VGPU_NL_A_SM_STATES = 30,	/* u8[SMs]: place in SM_TIMES */
	/* u32[SMs]: context that each serves, 0: none, VGPU_NL_CONTEXT_HIDDEN: another user's */
	VGPU_NL_A_SM_CONTEXTS = 31,
	VGPU_NL_A_KNOBS = 32,		/* nest of KNOB */
	VGPU_NL_A_KNOB = 33,		/* nest of KNOB_NAME and KNOB_VALUE */
	/* a context */
	/*
	 * u32: who opened it; in an answer by the pid namespace of who asks, and left out if it has
	 * no number there; to groups by the initial one
	 */
	VGPU_NL_A_PID = 34,
	VGPU_NL_A_FAULT = 36,		/* u32: enum vgpu_fault_reason */
	VGPU_NL_A_FAULT_ADDRESS = 37,	/* u64 */
	VGPU_NL_A_INFLIGHT = 38,	/* u64: commands */
	/*
	 * an SM: these, STATE_NAME, and what all its blocks take: ON_SM_BLOCKS, ON_SM_REGISTERS,
	 * ON_SM_SHARED, ON_SM_WARPS, SHARE
	 */
	VGPU_NL_A_SM = 100,		/* u32: its number */
	/* u64: bytes of shared memory that it is set to, 0: it has no blocks */
	VGPU_NL_A_SM_SHARED_SIZE = 101,
	VGPU_NL_A_SHARE = 102,		/* u64: dominant share of the SM, in 2^-32 */
	/* nest of SM_KERNEL, for each kernel that has blocks or a partition there */
	VGPU_NL_A_SM_KERNELS = 103,
	/*
	 * nest of CONTEXT, LAUNCH, PARTITION, and what its blocks there take, as above; of another
	 * user's CONTEXT alone, as in SM_CONTEXTS
	 */
	VGPU_NL_A_SM_KERNEL = 104,
	VGPU_NL_A_LAUNCH = 105,		/* u32: number of the launch, as in traces */
	VGPU_NL_A_PARTITION = 106,	/* u32: most blocks of it there, ~0: no limit */
	VGPU_NL_A_XID = 154,		/* u32: 1 to VGPU_XID_MAX */
	VGPU_NL_A_INJECT = 155,		/* u32: enum vgpu_inject */
	/*
	 * Counts: DEVICE, COUNTS_SCOPE, LAUNCHES, DURATION, SM_WARPS, COUNTERS; of all but an SM
	 * CONTEXT, PREEMPTED_TIME, and PID where the process that asks is in the initial pid
	 * namespace; of a stream and a launch QUEUE; of a launch LAUNCH and those behind COUNTERS;
	 * of an SM SM
	 */
	VGPU_NL_A_COUNTS_SCOPE = 162,	/* u32: enum vgpu_nl_counts */
	VGPU_NL_A_QUEUE = 163,		/* u32: of the context */
	VGPU_NL_A_LAUNCHES = 164,	/* u64: that have ended, and were counted */
	/*
	 * u64: picoseconds from the first thread block to the end, of all launches, side by side or
	 * not; of an SM, for which it had blocks of each
	 */
	VGPU_NL_A_DURATION = 165,
	VGPU_NL_A_PREEMPTED_TIME = 166,	/* u64: of that, without an SM */
	VGPU_NL_A_SM_WARPS = 167,	/* u32: for which an SM has room */
	/* u64[]: by enum vgpu_counter; ~0: it is not counted. Newer modules have more */
	VGPU_NL_A_COUNTERS = 168,
	VGPU_NL_A_KERNEL_NAME = 169,	/* string: as the linker has it, empty: a profiled kernel */
	VGPU_NL_A_GRID = 170,		/* u32[3]: blocks */
	VGPU_NL_A_BLOCK = 171,		/* u32[3]: threads */
	VGPU_NL_A_FITTING = 172,	/* u32: blocks that fit into one SM */
	VGPU_NL_A_SUBMITTED = 173,	/* u64: virtual time, picoseconds */
	VGPU_NL_A_STARTED = 174,	/* u64: 0: never */
	VGPU_NL_A_COMPLETE = 175,	/* u8: it has ended by itself, and not with its context */
	/* string: the policy or mechanism that has gone, and why: "edf: it was unloaded" */
	VGPU_NL_A_REASON = 200,
	/*
	 * Statistics, by vgpu_stats.h: VGPU_NL_A_KERNELS = 41 ...; as wide as in the structs of
	 * vgpu.h, u32 or u64. TIME (picoseconds) is in contexts' messages and notices too.
	 */
#define VGPU_NL_STAT(number, name, path, member, file, text) VGPU_NL_A_##name = number,
	VGPU_DEVICE_STATS(VGPU_NL_STAT)
	VGPU_CONTEXT_STATS(VGPU_NL_STAT)
#undef VGPU_NL_STAT
	VGPU_NL_A_COUNT = VGPU_NL_STAT_NEXT
};
#define VGPU_NL_A_MAX (VGPU_NL_A_COUNT - 1)

/** enum vgpu_nl_counts - what counts are of: of the first three those of the last 64 */
enum vgpu_nl_counts {
	VGPU_NL_COUNTS_LAUNCH,
	VGPU_NL_COUNTS_STREAM,		/* a queue of a context */
	VGPU_NL_COUNTS_CONTEXT,
	VGPU_NL_COUNTS_SM,
	VGPU_NL_COUNTS_SCOPES
};

#define VGPU_NL_COUNTS_KEPT	64u
#define VGPU_NL_KERNEL_BYTES	256	/* of the name of a kernel, the final 0 included */

#define VGPU_NL_CONTEXT_HIDDEN	(~0u)

#define VGPU_NL_SAMPLE_MS_MIN	10u
#define VGPU_NL_SAMPLE_MS_MAX	60000u
#define VGPU_NL_KNOB_BYTES	32	/* of a knob's name, the final 0 included … */
#define VGPU_NL_VALUE_BYTES	1024	/* … and of its value */

#endif
