// SPDX-License-Identifier: MIT
/*
 * Workloads: Tanasic table 5.2 as data, and applications as phases. The rows carry the printed
 * figures; columns that can be derived (Time/TB, resources per SM) are left out. The table is of
 * the 13 SMs of a K20c.
 */
#include <errno.h>
#include <string.h>

#include "parboil.h"

#define TABLE_SMS	13
#define WAVES(tbs, tbs_per_sm) (((tbs) + TABLE_SMS * (tbs_per_sm)-1) / (TABLE_SMS * (tbs_per_sm)))
/* A printed time with its two decimals, at compile time and rounded: exact. */
#define US(us)		((u64)((us) * 1e6 + 0.5))

/*
 * If all blocks took kernel time / waves, the kernel would take the table's time. With the
 * variation of wl_parboil_cv it does not: a slot that is free early starts the next block, the end
 * waits for the slowest one, an SM needs its setup. The kernel alone then takes @stretch permille
 * of that time: mean of 400 runs on the K20c with different seeds, 40 of the two with most blocks.
 * The table's time is the mean of real kernels, whose blocks do vary, so it is the mean with
 * variation that has to be the table's (tests/unit/workload/test_parboil.c).
 */
#define ROW(id, kernel, count, us, blocks, shmem, regs, per_sm, save_us, block_threads, stretch) \
	[id] = { .name = kernel, .launches = count, .kernel_ps = US(us), .tbs = blocks, \
		 .shmem_per_tb = shmem, .regs_per_tb = regs, .tbs_per_sm = per_sm, \
		 .save_ps = US(save_us), .threads = block_threads, \
		 .block_ps = US(us) * 1000 / ((u64)WAVES(blocks, per_sm) * (stretch)) }

const struct wl_parboil_kernel wl_parboil_kernels[PARBOIL_KERNELS] = {
	/*
	 * kernel, launches, us, thread blocks, shared memory, registers, blocks per SM, save us;
	 * our threads, stretch
	 */
	ROW(LBM_STREAMCOLLIDE, "StreamCollide", 100, 2905.81, 18000, 0, 4320, 15, 16.20, 120, 999),
	ROW(HISTO_FINAL, "final", 20, 70.24, 42, 0, 19456, 3, 14.59, 512, 981),
	ROW(HISTO_PRESCAN, "prescan", 20, 20.87, 64, 4096, 9216, 4, 10.24, 512, 1016),
	ROW(HISTO_INTERMEDIATES, "intermediates", 20, 77.88, 65, 0, 8964, 4, 8.96, 498, 1015),
	ROW(HISTO_MAIN, "main", 20, 372.58, 84, 24576, 16896, 1, 5.76, 768, 1012),
	ROW(TPACF_GENHISTS, "genhists", 1, 14615.33, 201, 13312, 7680, 1, 2.75, 256, 1004),
	ROW(SPMV_SPMVJDS, "spmvjds", 50, 42.38, 374, 0, 928, 16, 3.71, 32, 1071),
	ROW(MRIQ_COMPUTEQ, "ComputeQ", 2, 3389.71, 1024, 0, 5376, 8, 10.75, 256, 1021),
	ROW(MRIQ_COMPUTEPHIMAG, "ComputePhiMag", 1, 4.70, 4, 0, 6144, 4, 6.14, 512, 1073),
	ROW(SAD_LARGERSADCALC8, "largersadcalc8", 1, 8174.21, 8040, 0, 3328, 16, 13.31, 128, 1005),
	ROW(SAD_LARGERSADCALC16, "largersadcalc16", 1, 1529.38, 8040, 0, 832, 16, 3.33, 32, 1005),
	ROW(SAD_MBSADCALC, "mbsadcalc", 1, 15446.02, 128640, 2224, 2135, 7, 4.71, 61, 1000),
	ROW(SGEMM_MYSGEMMNT, "mysgemmNT", 1, 3717.18, 528, 512, 4480, 14, 16.13, 128, 1057),
	ROW(STENCIL_BLOCK2DREGTILING, "block2Dregtiling", 100, 2227.30, 256, 0, 41984, 1, 10.50,
	    1024, 1006),
	ROW(CUTCP_LATTICE6OVERLAP, "lattice6overlap", 11, 1520.11, 121, 4116, 3328, 3, 3.27,
	    128, 959),
	ROW(GRIDDING_BINNING, "binning", 1, 2021.41, 5188, 0, 4096, 4, 4.10, 512, 1006),
	ROW(GRIDDING_SCANINTER1, "scaninter1", 9, 7.59, 29, 665, 1173, 16, 5.36, 69, 1112),
	ROW(GRIDDING_SCANL1, "scanL1", 8, 826.12, 2084, 4368, 9216, 3, 7.73, 512, 999),
	ROW(GRIDDING_UNIFORMADD, "uniformAdd", 8, 127.30, 2084, 16, 4096, 4, 4.10, 512, 992),
	ROW(GRIDDING_REORDER, "reorder", 1, 2535.30, 5188, 0, 8192, 4, 8.19, 512, 1006),
	ROW(GRIDDING_SPLITSORT, "splitSort", 7, 3838.84, 2594, 4484, 10240, 3, 8.52, 256, 1000),
	ROW(GRIDDING_GRIDDINGGPU, "griddingGPU", 1, 208398.47, 65536, 1536, 3648, 10, 10.08, 64,
	    1000),
	ROW(GRIDDING_SPLITREARRANGE, "splitRearrange", 7, 1622.93, 2594, 4160, 5888, 3, 5.20,
	    256, 1004),
	ROW(GRIDDING_SCANINTER2, "scaninter2", 9, 8.81, 29, 665, 1173, 16, 5.36, 69, 1110),
};

static void fill_phase(const struct wl_step *step, u32 line, struct wl_phase *phase)
{
	const struct wl_parboil_kernel *kernel = &wl_parboil_kernels[step->kernel];

	memset(phase, 0, sizeof(*phase));
	phase->line = line;
	phase->stream = step->stream;
	phase->amount = step->amount;
	switch (step->kind) {
	case WL_STEP_CPU:
		phase->kind = WL_CPU;
		phase->amount *= VGPU_US;
		return;
	case WL_STEP_H2D:
		phase->kind = WL_H2D;
		return;
	case WL_STEP_D2H:
		phase->kind = WL_D2H;
		return;
	default:
		break;
	}
	phase->kind = WL_KERNEL;
	phase->kernel.blocks = kernel->tbs;
	phase->kernel.block_ps = kernel->block_ps;
	phase->kernel.block_cv_permille = wl_parboil_cv[step->kernel];
	phase->kernel.threads = kernel->threads;
	phase->kernel.regs_per_block = kernel->regs_per_tb;
	phase->kernel.shared_bytes = kernel->shmem_per_tb;
	snprintf(phase->name, sizeof(phase->name), "%s", kernel->name);
}

/* The host waits for every copy, as cudaMemcpy() does: a CPU phase without length. */
static int add_step(const struct wl_step *step, u32 line, struct wl_process *process)
{
	struct wl_phase phase, wait = { .kind = WL_CPU, .line = line };

	fill_phase(step, line, &phase);
	if (wl_process_add(process, &phase))
		return -ENOMEM;
	if (phase.kind != WL_H2D && phase.kind != WL_D2H)
		return 0;
	return wl_process_add(process, &wait) ? -ENOMEM : 0;
}

int wl_app_expand(const char *name, u32 line, struct wl_process *process)
{
	const struct wl_app *app = wl_apps;
	u32 i, loop = 0;
	u64 left = 0;

	while (strcmp(app->name, name))
		if (++app == wl_apps + WL_APPS)
			return -ENOENT;
	for (i = 0; i < app->step_count; i++) {
		const struct wl_step *step = &app->steps[i];

		if (step->kind == WL_STEP_LOOP) {
			loop = i;
			left = step->amount;
			continue;
		}
		if (step->kind == WL_STEP_END) {
			if (--left)
				i = loop;
			continue;
		}
		if (add_step(step, line, process))
			return -ENOMEM;
	}
	return 0;
}

const char *wl_app_name(unsigned int index)
{
	return index < WL_APPS ? wl_apps[index].name : NULL;
}
