// SPDX-License-Identifier: MIT
/*
 * Workloads: what Tanasic table 5.2 does not give of the Parboil applications: the order of
 * launches, transfers, CPU phases, and how much the times of thread blocks vary.
 *
 * Order, transfers and where the host computes are read from the public host code of Parboil 2
 * (https://github.com/abduld/Parboil, commit a4c63da; benchmarks/NAME/src/cuda, of stencil
 * src/cuda_fermi: the variants whose grids and kernels are those of the table). No code is copied.
 * Sizes are those of the data sets that the table names, as far as its numbers of blocks and
 * threads, the code and the public options of the data sets fix them.
 *
 * An application lasts from its first CUDA call to its last (Tanasic 4.2.1), calls that allocate
 * and free memory included. What the program does before and after, mostly files, is no part of it.
 * In between:
 * - cudaMemcpy() and cudaMemcpyToSymbol() wait: the host goes on when the copy has ended
 *   (parboil.c). WAIT is another call that waits for the device.
 * - cudaMemset() and copies inside the device are neither transfers over the interconnect nor
 *   kernels of the table, and are left out; most in sad (723 MB), histo (20 times 33 MB),
 *   mri-gridding (268 MB) and stencil (67 MB, and as much copied): 3.5, 3.1, 1.3 and 1 ms at the
 *   speed of the memory.
 * - How long the host computes is not known. Each application has one such number, the least that
 *   brings it to the length of its class 2 (SHORT below 5 ms, MEDIUM 30..115 ms, LONG above
 *   400 ms) alone on the K20c of table 5.1 with a hundredth to spare, or none. It stands where the
 *   code computes, with one exception (stencil). Nothing is tuned for a figure of the evaluation.
 *
 * One application cannot be what the table says: mri-q is SHORT, but its two launches of ComputeQ
 * alone take 6.8 ms.
 */
#include "parboil.h"

#define NO_KERNEL		PARBOIL_KERNELS
#define CPU(us)			{ WL_STEP_CPU, us, NO_KERNEL, 0 }
#define WAIT			CPU(0)
#define H2D(bytes)		{ WL_STEP_H2D, bytes, NO_KERNEL, 0 }
#define D2H(bytes)		{ WL_STEP_D2H, bytes, NO_KERNEL, 0 }
#define LAUNCH(kernel, count)	{ WL_STEP_LAUNCH, count, kernel, 0 }
#define LOOP(count)		{ WL_STEP_LOOP, count, NO_KERNEL, 0 }
#define END			{ WL_STEP_END, 0, NO_KERNEL, 0 }
/* In a stream: beside what is in another one. */
#define CPU_IN(stream, us)	{ WL_STEP_CPU, us, NO_KERNEL, stream }
#define LAUNCH_IN(stream, kernel, count) { WL_STEP_LAUNCH, count, kernel, stream }

#define FLOAT			4ull
#define INT			4ull

/*
 * Blocks whose path does not depend on the data differ by what they wait for memory: a twentieth.
 * Where the data decide how much a block does (a bin, a digit, the samples near a grid cell) blocks
 * differ by about a quarter; above 0.288 the generator of the device would cut the tails.
 */
#define REGULAR			50
#define BY_DATA			250

const u32 wl_parboil_cv[PARBOIL_KERNELS] = {
	[LBM_STREAMCOLLIDE] = REGULAR,		/* a fixed stencil of 19 neighbours */
	[HISTO_FINAL] = REGULAR,		/* saturates and copies */
	[HISTO_PRESCAN] = REGULAR,		/* minimum and maximum of a fixed stretch */
	[HISTO_INTERMEDIATES] = REGULAR,	/* one pass over the image */
	/* atomics that collide where the image is uniform */
	[HISTO_MAIN] = BY_DATA,
	[TPACF_GENHISTS] = BY_DATA,		/* binary search for each pair, atomics */
	/* jagged diagonals: rows are sorted by length, neighbours are alike */
	[SPMV_SPMVJDS] = REGULAR,
	[MRIQ_COMPUTEQ] = REGULAR,		/* dense sum */
	[MRIQ_COMPUTEPHIMAG] = REGULAR,
	[SAD_LARGERSADCALC8] = REGULAR,		/* fixed sums */
	[SAD_LARGERSADCALC16] = REGULAR,
	[SAD_MBSADCALC] = REGULAR,		/* fixed search window */
	[SGEMM_MYSGEMMNT] = REGULAR,		/* dense */
	[STENCIL_BLOCK2DREGTILING] = REGULAR,	/* a fixed stencil */
	[CUTCP_LATTICE6OVERLAP] = BY_DATA,	/* atoms in the bins around */
	[GRIDDING_BINNING] = BY_DATA,		/* atomics on the bins */
	[GRIDDING_SCANINTER1] = REGULAR,	/* prefix sums */
	[GRIDDING_SCANL1] = REGULAR,
	[GRIDDING_UNIFORMADD] = REGULAR,
	[GRIDDING_REORDER] = BY_DATA,		/* scattered writes */
	[GRIDDING_SPLITSORT] = REGULAR,		/* a radix sort of a fixed tile in shared memory */
	[GRIDDING_GRIDDINGGPU] = BY_DATA,	/* samples near a tile of the grid */
	[GRIDDING_SPLITREARRANGE] = BY_DATA,	/* scattered writes, by digit */
	[GRIDDING_SCANINTER2] = REGULAR,
};

/*
 * 18000 blocks of 120 threads: 120 x 120 x 150 cells of 20 floats, rows padded to 128 cells, four
 * planes of padding and two of margin on either side. Both grids are filled before the first call.
 */
#define LBM_GRID		(128ull * 120 * (150 + 4 + 4) * 20 * FLOAT)
static const struct wl_step lbm[] = {
	H2D(LBM_GRID),
	H2D(LBM_GRID),
	/*
	 * CPU: a pass over all cells for the statistics that are printed, 9.5 ns a cell, here and
	 * once more at the end. There the velocity field is written to its file, too, before the
	 * grids are freed; that is not counted, as 400 ms do not need it.
	 */
	CPU(20500),
	LAUNCH(LBM_STREAMCOLLIDE, 100),	/* time steps: nothing of the host in between */
	D2H(LBM_GRID),
	CPU(20500),
};

/*
 * The default image of 996 x 1040 pixels, 20 repetitions of the same four kernels on a histogram of
 * 256 x 8192 one-byte bins.
 */
static const struct wl_step histo[] = {
	/*
	 * The image is sent row by row. CPU: the call of each synchronous copy of pageable memory;
	 * nothing else of the host is inside.
	 */
	LOOP(1040),
	CPU(18),
	H2D(996 * INT),
	END,
	LOOP(20),
	H2D(2 * INT),			/* the range, emptied */
	LAUNCH(HISTO_PRESCAN, 1),
	D2H(2 * INT),			/* and found: the next launches are shaped by it */
	LAUNCH(HISTO_INTERMEDIATES, 1),
	LAUNCH(HISTO_MAIN, 1),
	LAUNCH(HISTO_FINAL, 1),
	END,
	D2H(256ull * 8192),
};

/*
 * 201 blocks: the data and 100 random sets against themselves, 100 against the data. The small sets
 * have 487 points of three floats.
 */
static const struct wl_step tpacf[] = {
	H2D(21 * FLOAT),		/* bounds of the 20 bins */
	H2D(101ull * 487 * 3 * FLOAT),
	LAUNCH(TPACF_GENHISTS, 1),
	D2H(201ull * 20 * 8),		/* 20 bins of long for each block */
	/* CPU: histograms are summed up and written to a new file before memory is freed */
	CPU(15400),
};

/*
 * 374 blocks of 32 threads: a row each, a matrix of 11948 rows and 149090 values; at most 49 in a
 * row. Rows are filled up to the longest of their 32, by less than a hundredth: left out.
 */
static const struct wl_step spmv[] = {
	H2D(149090 * FLOAT),
	H2D(149090 * INT),		/* the column of each */
	H2D(11948 * INT),		/* the permutation of the rows */
	H2D(11948 * FLOAT),		/* the vector */
	H2D(49 * INT),			/* where each diagonal begins */
	H2D(374 * INT),			/* how many a block has */
	LAUNCH(SPMV_SPMVJDS, 50),	/* repetitions of one product */
	WAIT,
	D2H(11948 * FLOAT),
};

/*
 * 4 x 512 points of k space, 1024 x 256 of the image; ComputeQ takes 1024 points of k space a
 * launch, from constant memory.
 */
static const struct wl_step mri_q[] = {
	H2D(2048 * FLOAT),		/* phi, real */
	H2D(2048 * FLOAT),		/* and imaginary */
	LAUNCH(MRIQ_COMPUTEPHIMAG, 1),
	WAIT,
	D2H(2048 * FLOAT),		/* the host puts 2048 of them beside their coordinates */
	H2D(262144 * FLOAT),		/* x */
	H2D(262144 * FLOAT),		/* y */
	H2D(262144 * FLOAT),		/* z */
	LOOP(2),
	H2D(1024 * 4 * FLOAT),
	LAUNCH(MRIQ_COMPUTEQ, 1),
	END,
	WAIT,
	D2H(262144 * FLOAT),		/* Q, real */
	D2H(262144 * FLOAT),		/* and imaginary */
};

/*
 * 8040 blocks: two frames of 1920 x 1072 pixels in macroblocks of 16 x 16. The result is the reason
 * for its length: 41 partitions of each macroblock x 33 x 33 positions, padded to 1096, two bytes
 * each.
 */
static const struct wl_step sad[] = {
	H2D(1920ull * 1072 * 2),
	H2D(1920ull * 1072 * 2),
	LAUNCH(SAD_MBSADCALC, 1),
	LAUNCH(SAD_LARGERSADCALC8, 1),
	LAUNCH(SAD_LARGERSADCALC16, 1),
	WAIT,
	D2H(8040ull * 41 * 1096 * 2),
	/*
	 * CPU: the only thing long enough is inside that copy: the driver moves 723 MB from its own
	 * buffers to memory that nobody has touched before, here at 2.5 GB/s.
	 */
	CPU(288000),
};

/*
 * 528 blocks of 128 x 16 results: A of 1024 x 992, B of 992 x 1056. The result is copied back only
 * for an output file; it is written as text before memory is freed, so that the application would
 * be LONG. As it is SHORT, it was traced without one, and the host waits for the kernel only.
 */
static const struct wl_step sgemm[] = {
	H2D(1024ull * 992 * FLOAT),
	H2D(992ull * 1056 * FLOAT),
	LAUNCH(SGEMM_MYSGEMMNT, 1),
};

/* A grid of 512 x 512 x 64 floats; the second one is copied from the first inside the device. */
#define STENCIL_GRID		(512ull * 512 * 64 * FLOAT)
static const struct wl_step stencil[] = {
	/*
	 * CPU: no reason in the code, which computes nothing between its first and last call, and
	 * would last 240 ms. The table says that it lasts more than 400, and has no more launches.
	 */
	CPU(165000),
	H2D(STENCIL_GRID),
	LAUNCH(STENCIL_BLOCK2DREGTILING, 100),	/* time steps */
	WAIT,
	D2H(STENCIL_GRID),
};

/*
 * 11 layers of 11 x 11 regions of 8 x 8 x 8 points of the lattice, half an Angstrom apart: 44 in
 * each direction. Atoms are in bins of 4 x 4 x 4, eight to a bin of four floats each, three bins
 * beyond the lattice on either side; they are filled before the first call.
 */
static const struct wl_step cutcp[] = {
	H2D(17ull * 17 * 17 * 8 * 4 * FLOAT),
	H2D(INT),			/* how many neighbours a bin has */
	H2D(11ull * 11 * 11 * 3 * INT),	/* at most, and where they are */
	LAUNCH_IN(1, CUTCP_LATTICE6OVERLAP, 11),
	/* CPU: meanwhile, the atoms that no bin had room for */
	CPU_IN(2, 29900),
	D2H(11ull * 121 * 512 * FLOAT),
};

/*
 * 5188 x 512 samples of six floats, for 256 x 256 x 256 cells, each a complex number and a density:
 * four for a thread of griddingGPU. Seven rounds of a radix sort of four bits, each with a prefix
 * sum over 16 counters of 2594 blocks, then one over the cells: scanL1 of 41 and of 16385 blocks
 * makes the 2084 of the table, scaninter of 1 and of 257 the 29. The samples that no bin has room
 * for are few, and the host's while griddingGPU runs: left out.
 */
#define GRIDDING_CELLS		(256ull * 256 * 256)
static const struct wl_step mri_gridding[] = {
	/*
	 * CPU: memory of the samples is allocated by the first call, then they are read, one by
	 * one, and scaled: 42 ns each. This code also computes the result on the CPU here, to
	 * compare; at least 100 ms do not need that.
	 */
	CPU(112000),
	H2D(2 * FLOAT),			/* the cutoff, and its square */
	H2D(3 * INT),			/* size of the grid */
	H2D(INT),
	H2D(FLOAT),
	H2D(5188ull * 512 * 6 * FLOAT),
	LAUNCH(GRIDDING_BINNING, 1),
	LOOP(7),
	LAUNCH(GRIDDING_SPLITSORT, 1),
	LAUNCH(GRIDDING_SCANL1, 1),
	LAUNCH(GRIDDING_SCANINTER1, 1),
	LAUNCH(GRIDDING_SCANINTER2, 1),
	LAUNCH(GRIDDING_UNIFORMADD, 1),
	WAIT,				/* memory of the prefix sum is freed */
	LAUNCH(GRIDDING_SPLITREARRANGE, 1),
	END,
	WAIT,				/* and that of the sort */
	LAUNCH(GRIDDING_REORDER, 1),
	WAIT,
	LAUNCH(GRIDDING_SCANL1, 1),
	LAUNCH(GRIDDING_SCANINTER1, 2),	/* sums of sums */
	LAUNCH(GRIDDING_SCANINTER2, 2),
	LAUNCH(GRIDDING_UNIFORMADD, 1),
	WAIT,
	D2H(INT),			/* how many samples the bins hold */
	LAUNCH(GRIDDING_GRIDDINGGPU, 1),
	D2H(GRIDDING_CELLS * FLOAT),
	D2H(GRIDDING_CELLS * 2 * FLOAT),
};

#define STEPS(app)	app, sizeof(app) / sizeof((app)[0])

const struct wl_app wl_apps[WL_APPS] = {
	{ "lbm", "short", WL_MEDIUM, WL_LONG, STEPS(lbm) },
	{ "histo", "default", WL_SHORT, WL_MEDIUM, STEPS(histo) },
	{ "tpacf", "small", WL_LONG, WL_MEDIUM, STEPS(tpacf) },
	{ "spmv", "medium", WL_SHORT, WL_SHORT, STEPS(spmv) },
	{ "mri-q", "large", WL_MEDIUM, WL_SHORT, STEPS(mri_q) },
	{ "sad", "large", WL_LONG, WL_LONG, STEPS(sad) },
	{ "sgemm", "medium", WL_MEDIUM, WL_SHORT, STEPS(sgemm) },
	{ "stencil", "default", WL_MEDIUM, WL_LONG, STEPS(stencil) },
	{ "cutcp", "small", WL_MEDIUM, WL_MEDIUM, STEPS(cutcp) },
	{ "mri-gridding", "small", WL_LONG, WL_LONG, STEPS(mri_gridding) },
};
