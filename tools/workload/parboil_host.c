// SPDX-License-Identifier: MIT
/*
 * Workloads: what Tanasic table 5.2 does not give of the Parboil applications, chosen here once,
 * with the reason beside each number: the order of launches, transfers, CPU phases, and how much
 * the times of thread blocks vary.
 *
 * Transfers are the arrays of the data set, as far as the numbers of thread blocks and threads in
 * the table fix them. CPU time is the least that brings the application, alone on a K20c, to the
 * length of its class 2 (SHORT below 5 ms, MEDIUM 30..115 ms, LONG above 400 ms) with about a
 * twentieth to spare; so the GPU is shared as much as the table allows. Nothing is tuned for a
 * figure of the evaluation.
 *
 * One application cannot be what the table says: mri-q is SHORT, but its two launches of ComputeQ
 * alone take 6.8 ms.
 */
#include "parboil.h"

#define CPU(us)			{ WL_STEP_CPU, us, PARBOIL_KERNELS }
#define H2D(bytes)		{ WL_STEP_H2D, bytes, PARBOIL_KERNELS }
#define D2H(bytes)		{ WL_STEP_D2H, bytes, PARBOIL_KERNELS }
#define LAUNCH(kernel, count)	{ WL_STEP_LAUNCH, count, kernel }
#define LOOP(count)		{ WL_STEP_LOOP, count, PARBOIL_KERNELS }
#define END			{ WL_STEP_END, 0, PARBOIL_KERNELS }

#define FLOAT			4ull
#define COMPLEX			8ull

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
 * 18000 blocks of 120 threads: 120 x 120 x 150 cells of 20 floats, rows padded to 128 cells. Two
 * grids go in, one comes back.
 */
#define LBM_GRID		(128ull * 120 * 150 * 20 * FLOAT)
static const struct wl_step lbm[] = {
	CPU(40000),			/* both grids are filled in from the obstacle file */
	H2D(LBM_GRID),
	H2D(LBM_GRID),
	LAUNCH(LBM_STREAMCOLLIDE, 100),	/* time steps: nothing of the host in between */
	D2H(LBM_GRID),
	CPU(20000),			/* the velocity field is taken from the grid */
};

/*
 * The default image of 996 x 1040 pixels, histogram of 256 x 8192 one-byte bins, 20 repetitions of
 * the same four kernels.
 */
static const struct wl_step histo[] = {
	H2D(996ull * 1040 * FLOAT),
	LOOP(20),
	LAUNCH(HISTO_PRESCAN, 1),
	D2H(2 * FLOAT), /* the range that prescan found, which the next launches are shaped by */
	/*
		 * the host waits for it and prepares them: the least that makes 30 ms, over 20
		 * turns
		 */
	CPU(1050),
	LAUNCH(HISTO_INTERMEDIATES, 1),
	LAUNCH(HISTO_MAIN, 1),
	LAUNCH(HISTO_FINAL, 1),
	END,
	D2H(256ull * 8192),
};

/*
 * 201 blocks: the data and 100 random sets against themselves, 100 against the data. Sets of 4096
 * points of three floats.
 */
static const struct wl_step tpacf[] = {
	CPU(12000),			/* points are read and turned into cartesian ones */
	H2D(101ull * 4096 * 3 * FLOAT),
	LAUNCH(TPACF_GENHISTS, 1),
	D2H(201ull * 20 * FLOAT),	/* 20 bins for each block */
	CPU(4500),			/* histograms are summed up */
};

/*
 * 374 blocks of 32 threads: a row each, a matrix of 11948 rows and 149090 values; index and value
 * of each, two vectors.
 */
static const struct wl_step spmv[] = {
	H2D(149090ull * 2 * FLOAT),
	H2D(2ull * 11948 * FLOAT),	/* the row permutation and the vector */
	LAUNCH(SPMV_SPMVJDS, 50),	/* repetitions of one product */
	D2H(11948ull * FLOAT),
};

/*
 * 4 x 512 points of k space, 1024 x 256 of the image; ComputeQ takes 1024 points of k space a
 * launch.
 */
static const struct wl_step mri_q[] = {
	H2D(2048ull * 2 * FLOAT),	/* phi, real and imaginary */
	LAUNCH(MRIQ_COMPUTEPHIMAG, 1),
	H2D(262144ull * 3 * FLOAT),	/* x, y, z */
	LAUNCH(MRIQ_COMPUTEQ, 2),
	D2H(262144ull * 2 * FLOAT),	/* Q, real and imaginary */
};

/*
 * 8040 blocks: two frames of 1920 x 1072 pixels in macroblocks of 16 x 16. The result is the reason
 * for its length: 41 partitions of each macroblock x 33 x 33 positions, two bytes each.
 */
static const struct wl_step sad[] = {
	CPU(4000), /* both frames are read and split up */
	H2D(2ull * 1920 * 1072 * 2),
	LAUNCH(SAD_MBSADCALC, 1),
	LAUNCH(SAD_LARGERSADCALC8, 1),
	LAUNCH(SAD_LARGERSADCALC16, 1),
	D2H(8040ull * 41 * 33 * 33 * 2),
	CPU(300000), /* 718 MB are rearranged for the file, at about 2.4 GB/s */
};

/*
 * 528 blocks of 128 x 16 results: A of 1024 x 992, B of 992 x 1056. Whole, the three matrices would
 * take 1.6 ms and make the application longer than its class allows; half of each is sent.
 */
static const struct wl_step sgemm[] = {
	H2D(1024ull * 992 * FLOAT / 2),
	H2D(992ull * 1056 * FLOAT / 2),
	LAUNCH(SGEMM_MYSGEMMNT, 1),
	D2H(1024ull * 1056 * FLOAT / 2),
};

/* A grid of 512 x 512 x 64 floats; both buffers go in, one comes back. */
#define STENCIL_GRID		(512ull * 512 * 64 * FLOAT)
static const struct wl_step stencil[] = {
	CPU(160000),			/* 16.8 million points are read, one by one */
	H2D(STENCIL_GRID),
	H2D(STENCIL_GRID),
	LAUNCH(STENCIL_BLOCK2DREGTILING, 100),	/* time steps */
	D2H(STENCIL_GRID),
	CPU(12000),			/* and written */
};

/*
 * 11 layers of 11 x 11 regions of the lattice, 8 x 8 x 8 points each; atoms of a layer in bins of
 * eight.
 */
static const struct wl_step cutcp[] = {
	LOOP(11),
		CPU(1200),		/* the atoms of the next layer are put into bins */
		/* 65536 atoms of four floats: about what fills the bins of a layer */
		H2D(1ull << 20),
		LAUNCH(CUTCP_LATTICE6OVERLAP, 1),
	END,
	D2H(11ull * 121 * 512 * FLOAT),
};

/*
 * 5188 x 512 samples of six floats; 65536 blocks of 64 cells, each a complex number and a density.
 * Seven rounds of a radix sort, each with a prefix sum, then one more prefix sum over the bins.
 */
static const struct wl_step mri_gridding[] = {
	CPU(50000), /* samples are read */
	H2D(5188ull * 512 * 6 * FLOAT),
	LAUNCH(GRIDDING_BINNING, 1),
	LOOP(7),
	LAUNCH(GRIDDING_SPLITSORT, 1),
	LAUNCH(GRIDDING_SCANL1, 1),
	LAUNCH(GRIDDING_SCANINTER1, 1),
	LAUNCH(GRIDDING_SCANINTER2, 1),
	LAUNCH(GRIDDING_UNIFORMADD, 1),
	LAUNCH(GRIDDING_SPLITREARRANGE, 1),
	END,
	LAUNCH(GRIDDING_REORDER, 1),
	LAUNCH(GRIDDING_SCANL1, 1),
	LAUNCH(GRIDDING_SCANINTER1,
	       2), /* the sums of this one are many enough for a second level */
	LAUNCH(GRIDDING_SCANINTER2, 2),
	LAUNCH(GRIDDING_UNIFORMADD, 1),
	LAUNCH(GRIDDING_GRIDDINGGPU, 1),
	D2H(65536ull * 64 * (COMPLEX + FLOAT)),
	CPU(97000), /* samples that no bin had room for are added by the host */
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
