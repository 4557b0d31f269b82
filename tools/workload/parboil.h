/* SPDX-License-Identifier: MIT */
/*
 * Workloads: the ten Parboil applications of Tanasic table 5.2, as the table gives them
 * (parboil.c), and what it does not give: the order of launches, transfers, CPU phases, variation
 * (parboil_host.c).
 */
#ifndef WL_PARBOIL_H
#define WL_PARBOIL_H

#include "workload.h"

enum wl_class { WL_SHORT, WL_MEDIUM, WL_LONG };

/* In the order of the table. */
enum wl_parboil_kernel_id {
	LBM_STREAMCOLLIDE,
	HISTO_FINAL,
	HISTO_PRESCAN,
	HISTO_INTERMEDIATES,
	HISTO_MAIN,
	TPACF_GENHISTS,
	SPMV_SPMVJDS,
	MRIQ_COMPUTEQ,
	MRIQ_COMPUTEPHIMAG,
	SAD_LARGERSADCALC8,
	SAD_LARGERSADCALC16,
	SAD_MBSADCALC,
	SGEMM_MYSGEMMNT,
	STENCIL_BLOCK2DREGTILING,
	CUTCP_LATTICE6OVERLAP,
	GRIDDING_BINNING,
	GRIDDING_SCANINTER1,
	GRIDDING_SCANL1,
	GRIDDING_UNIFORMADD,
	GRIDDING_REORDER,
	GRIDDING_SPLITSORT,
	GRIDDING_GRIDDINGGPU,
	GRIDDING_SPLITREARRANGE,
	GRIDDING_SCANINTER2,
	PARBOIL_KERNELS
};

/**
 * struct wl_parboil_kernel - a row of table 5.2, and two columns that follow from it
 * @block_ps: how long a thread block occupies its slot on average: kernel time / waves of blocks,
 *   corrected for the variation (parboil.c). The table's own "Time/TB" leaves out the 13 SMs: with
 *   blocks that short a kernel would end 13 times too early.
 * @threads: of a block; not in the table. It divides regs_per_tb without a rest into what a thread
 *   can have, and gives the table's tbs_per_sm.
 */
struct wl_parboil_kernel {
	const char *name;
	u32 launches;
	u64 kernel_ps;
	u64 tbs;
	u32 shmem_per_tb;
	u32 regs_per_tb;
	u32 tbs_per_sm;
	u64 save_ps;
	u64 block_ps;
	u32 threads;
};

enum wl_step_kind {
	WL_STEP_CPU,
	WL_STEP_H2D,
	WL_STEP_D2H,
	WL_STEP_LAUNCH,
	WL_STEP_LOOP,
	WL_STEP_END
};

/**
 * struct wl_step - one step of an application; steps between LOOP and END are done @amount times
 * @stream: 0: in order with everything; others run beside each other, as phases do
 */
struct wl_step {
	enum wl_step_kind kind;
	u64 amount;			/* microseconds, bytes, launches, times */
	enum wl_parboil_kernel_id kernel;
	u32 stream;
};

/**
 * struct wl_app - an application; class1 by the length of its kernels, class2 by its own (table
 * 5.2)
 */
struct wl_app {
	const char *name;
	const char *dataset;
	enum wl_class class1;
	enum wl_class class2;
	const struct wl_step *steps;
	u32 step_count;
};

extern const struct wl_parboil_kernel wl_parboil_kernels[PARBOIL_KERNELS];
/* Coefficient of variation of the block times, permille. */
extern const u32 wl_parboil_cv[PARBOIL_KERNELS];
#define WL_APPS 10u
extern const struct wl_app wl_apps[WL_APPS];

#endif
