/* SPDX-License-Identifier: MIT */
/*
 * The evaluation of SMK (Wang et al., HPCA 2016, section 6): contents page. CUDA programs, those of
 * ../chapter6 and of this folder, are linked into one command. Each runs on a thread of its own up
 * to its kernel, on a transport that only records (record.c): code, memory, the launch. Devices are
 * then made with a context for each program (device.c), which launches its kernel again and again,
 * alone or beside others, for a given number of cycles (6.1).
 */
#ifndef SMK_H
#define SMK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "vgpu_device.h"

#define PROGRAMS_MOST	8u		/* side by side */
#define RANGES_MOST	64u
#define SAMPLES		20u		/* of what programs have on SMs, in a run */

/* ---- programs.c --------------------------------------------------------- */

/**
 * struct program_of - a program that there is
 * @compute: the paper calls it compute intensive (6.1), else memory intensive
 */
struct program_of {
	const char *name;
	int (*run)(int argc, char **argv);
	bool compute;
};
extern const struct program_of programs[];
/* NULL: there is none of that name */
const struct program_of *program_find(const char *name);

/* ---- record.c ----------------------------------------------------------- */

/** struct range - device memory, whose bytes are at the same address of this process meanwhile */
struct range {
	u64 address, bytes;
};

/** struct binary - VASS of a module */
struct binary {
	void *bytes;
	u32 size;
};

/**
 * struct recorded - a program, up to its kernel
 * @launch: of it; its params are @params
 * @state: of its thread, guarded by the recorder's lock
 */
struct recorded {
	const struct program_of *of;
	char size[16];			/* its argument, or empty */
	struct range ranges[RANGES_MOST];
	u32 range_count;
	struct binary modules[RANGES_MOST];
	u32 module_count;
	struct vgpu_cmd launch;
	u8 params[VGPU_VASS_MAX_PARAM];
	enum { RECORD_RUNS, RECORD_WAITS, RECORD_GOES_ON, RECORD_ENDED } state;
	int status;
	u64 submitted;
	u64 kernel_ps;			/* what its events measure, when it goes on */
	pthread_t thread;
};

/* Run @of up to its launch. -1: it has none, said on stderr. */
int record(struct recorded *r, const struct program_of *of, const char *size, u32 index);
/* Let it go on with the bytes that its ranges have now, to its end. Returns its exit status. */
int record_go_on(struct recorded *r);

/* ---- device.c ----------------------------------------------------------- */

/**
 * struct share - of a program in a run
 * @resources: rK, its dominant share of all SMs, on average over SAMPLES looks
 * @registers, @shared, @threads, @slots: the most that its blocks had of each, of all SMs
 */
struct share {
	u64 instructions;		/* of threads */
	u64 warp_instructions;
	u64 kernels, blocks;		/* ended */
	u64 saved_blocks;
	double resources;
	double registers, shared, threads, slots;
	u64 most_blocks;		/* on SMs in a look, and what these had */
	u64 most_registers, most_shared;
	u64 block_ps;			/* of all blocks together, on SMs */
};

/**
 * struct run - some programs on a device
 * @settings: as in VGPU_SET, behind those that are there
 * @cycles: of the SMs, from when all have launched; 0: each launches once, to its end
 * @trace: a file for trace records, or NULL
 */
struct run {
	struct recorded *programs;
	u32 count;
	const char *settings;
	u64 cycles;
	const char *trace;
	struct share share[PROGRAMS_MOST];
	struct vgpu_device_stats stats;	/* of these cycles */
};

/* -1: said on stderr. With cycles 0 the memory of the programs is as the kernels have left it. */
int run_programs(struct run *run);
/* What the preset and VGPU_SET say. -EINVAL: said on stderr. */
int run_config(struct vgpu_config *config, const char *settings);

#endif
