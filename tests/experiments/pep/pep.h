/* SPDX-License-Identifier: MIT */
/*
 * The evaluation of PEP (Li et al., DAC 2018; the thesis, 4.6) and of Chimera: contents page. A
 * kernel runs on all SMs of a gtx980 (table 4.2), and another one takes all of them: what that
 * takes, by mechanism. Kernels are those of table 4.1 as profiles (kernels.c), or compiled
 * programs, those of ../smk (program.c). Each run is a device of its own, and prints a line.
 */
#ifndef PEP_H
#define PEP_H

#include <stdbool.h>
#include <stdio.h>

#include "vgpu_device.h"
#include "vgpu_policy.h"
#include "transport/embedded_frames.h"

#define KB		1024u
#define SETTINGS_MOST	16u

/* ---- kernels.c ---------------------------------------------------------- */

/**
 * struct kernel_of - a row of table 4.1
 * @switch_us: of a whole SM, all SMs at the same time
 * @context_bytes: of a block
 * @blocks: of an SM
 */
struct kernel_of {
	const char *name;
	double launch_us, block_us, switch_us;
	u32 context_bytes, blocks;
};

#define KERNELS		16u
#define LONG_KERNELS	9u		/* the first of them are not drained (4.6.2.2) */
extern const struct kernel_of kernels[KERNELS];

/* Thesis 4.6.2.3, of all contexts: written when a base checkpoint is made, and after that. */
#define DIRTY_BASE	656u		/* permille */
#define DIRTY_INCREMENT	368u

/* ---- machine.c: a device and two contexts ------------------------------- */

/** struct setting - a field of the configuration */
struct setting {
	const char *key;
	char value[32];
};

/**
 * struct machine - a device: the kernel of context @below runs, @above takes its SMs
 * @preempted: SMs; @latency: of the slowest; @latencies: of all; @late: later than @deadline
 * @left: blocks that left, by enum vgpu_leave, where the device traces; @last_left: what the
 *   slowest took, @all_left: all together
 */
struct machine {
	struct vgpu_device *device;
	struct vgpu_config config;
	struct vgpu_host_frames frames;
	u32 below, above, queue_below, queue_above;
	u64 done_above;
	u64 deadline[3];
	u64 preempted, latency, late[3], latencies;
	u64 left[VGPU_LEAVES], last_left[VGPU_LEAVES], all_left[VGPU_LEAVES];
	bool died;
};

extern struct setting settings[SETTINGS_MOST];	/* of the command line, for all runs */
extern u32 setting_count;

/* A gtx980 under ppq-exclusive with @given, a list "KEY=VALUE,...". -1: said on stderr. */
int machine_create(struct machine *m, const char *given);
void machine_destroy(struct machine *m);
/* Apply @given, then the command line's. -1: said on stderr. */
int machine_configure(struct vgpu_config *config, const char *given);
/* -1: said on stderr. */
int machine_push(struct machine *m, u32 context, u32 queue, const struct vgpu_push *push);
void machine_until(struct machine *m, u64 time);
/* Until @above has completed @seq of its commands. */
int machine_wait(struct machine *m, u64 seq);
struct vgpu_context_info machine_info(const struct machine *m, u32 context);

/* Of an SM, and of a block: as many blocks fit as table 4.1 says, also if that is a small one. */
u32 threads_per_sm(const struct kernel_of *kernel);
u16 threads_of(const struct kernel_of *kernel, const struct vgpu_config *config);
/* The kernel that takes all SMs: two blocks of @us on each, which use @bytes of it. */
struct vgpu_cmd taking(const struct vgpu_config *config, double us, u64 bytes);
struct vgpu_cmd announced(const struct vgpu_cmd *profiled);

/* ---- the studies: print lines, -1: said on stderr ------------------------ */

/* profiled.c: latency, stall, context by scheme (figures 4.8 to 4.15); @only: a list, NULL: all */
int study_profiled(const char *only);
/* The same: PEP in place, by what the next kernel leaves free of an SM */
int study_room(void);
/* For both: each kernel has the bandwidth with which a switch takes what table 4.1 says. */
extern bool as_printed;
/* The coefficient of variation of blocks, permille. */
extern u32 variation;
/* deadlines.c: requests that are late, and throughput, by mechanism */
int study_deadlines(bool quick);
/* compiled.c: what compiled programs write; PROGRAM[:SIZE] */
int study_compiled(char **programs, u32 count);
/* split.c: some blocks of an SM are switched, the others drain (figure 4.3); PROGRAM[:SIZE] */
int study_split(char *name);
/* decision.c: real time of a decision of chimera */
int study_decision(void);

#endif
