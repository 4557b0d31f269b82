/* SPDX-License-Identifier: MIT */
/*
 * For tests of SMs that several kernels share: SMs for computing on paper, kernels that arrive at a
 * time, and lists of what has to happen.
 *
 * The paper SM has 1000 registers, 4000 bytes of shared memory, 3200 threads (100 warps) and 50
 * slots; there are two of them unless a test says otherwise. A launch takes 1 us to the engine, a
 * kernel that has no block on an SM 0.1 us of setup; its blocks are numbered when they begin. A
 * block that is told to leave stops, the pipeline drains in 0.5 us. 400 bytes, which is 100
 * registers or a tenth of the shared memory, are saved or restored in 1 us: 400 x 2 SMs / 800 MB/s.
 * Times are in tenths of a microsecond, shares in per cent; of two SMs, a tenth of one is 5 % of
 * the device.
 */
#ifndef TEST_SHARING_H
#define TEST_SHARING_H

#include "device/device.h"
#include "host.h"

#define TENTH	(VGPU_US / 10)

#define PAPER	"sms=2", "kernels_per_sm=3", "regs_per_sm=1000", "shared_per_sm=4000",	\
		"threads_per_sm=3200", "blocks_per_sm=50", "active_kernels=8",		\
		"memory_bandwidth=800000000", "pipeline_drain_ps=500000"

/* ---- what is expected --------------------------------------------------- */

enum sharing_kind { START, END, PREEMPT, RESUME, EVICT, REPLACE };

#define ANY	0xffffu		/* SM: whichever */

/*
 * struct expected - blocks @first to @last, every @step'th (0: each), of @kernel on @sm. EVICT:
 * they are told to leave. REPLACE: @first is the kernel whose blocks are, @times (0: 1) times
 */
struct expected {
	u32 time;
	enum sharing_kind kind;
	u32 kernel, sm, first, last, step, times;
};

/* The fields from the time on; those that are left out are 0. */
#define AT(tenths, ...)	{ .time = (tenths), __VA_ARGS__ }
#define CHECK_EVENTS(h, events)			\
	sharing_check(h, 0, events, VGPU_ARRAY_SIZE(events))
#define CHECK_EVENTS_OF(h, kernel, events)	\
	sharing_check(h, kernel, events, VGPU_ARRAY_SIZE(events))

/* What has come of @kernel, 0: of all, is @events, each once, and nothing else. */
void sharing_check(struct host *h, u32 kernel, const struct expected *events, u32 count);
/* The partition that @kernel got last on @sm up to @time. */
void sharing_check_partition(struct host *h, u32 time, u32 sm, u32 kernel, u32 blocks);
/* All @blocks of @kernel have begun and ended once, and run for @tenths, whatever came between. */
void sharing_check_runs(struct host *h, u32 kernel, u32 blocks, u32 tenths);
/* When @kernel ended. */
u64 sharing_end(struct host *h, u32 kernel);

/* ---- what is done ------------------------------------------------------- */

/** struct kernel - @blocks of @tenths each, which need @regs, @shared bytes, @threads (0: 32) */
struct kernel {
	u32 blocks, tenths, regs, shared, threads;
};

/* The fields from the number of blocks on; those that are left out are 0. */
#define KERNEL(number, ...)	((struct kernel){ .blocks = (number), __VA_ARGS__ })

/* Run to @time, event by event; all accounts close behind each. */
void sharing_run(struct host *h, u32 time);
void sharing_run_out(struct host *h);
/* A kernel of @context that arrives at the engine at @time. */
void sharing_arrive(struct host *h, u32 context, u32 time, struct kernel kernel);
/* The same, of a context of its own, which it returns. */
u32 sharing_arrives(struct host *h, u32 time, struct kernel kernel);
/* Write a knob of the device. */
void sharing_set(struct host *h, const char *knob, const char *value);

#endif
