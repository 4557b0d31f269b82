/* SPDX-License-Identifier: MIT */
/* A compiled program of ../smk, up to its launch, on a device: for the studies of compiled code. */
#ifndef PEP_PROGRAM_H
#define PEP_PROGRAM_H

#include "../smk/smk.h"
#include "pep.h"

/* Two SMs have the memory bandwidth of two of sixteen. Of one kind of timing, behind it. */
#define TWO_SMS		"sms=2,memory_bandwidth=28000000000,"
/* In slices this short a base checkpoint is made when a block has executed a few instructions. */
#define DEVICE		TWO_SMS "timing=interval,slice_ps=100000,"

/** struct program_at - @mean: of its first blocks; @registers: bytes of a block */
struct program_at {
	struct recorded *recorded;
	u32 module[RANGES_MOST];
	u64 start, mean, resident;
	double registers, shared;
};

/* Record the program NAME[:SIZE], the @n-th of @count. -1: said on stderr. */
int program_record(struct program_at *p, char *name, u32 n, u32 count);
/* Its code and its memory to the context below. -1: said on stderr. */
int program_load(struct machine *m, struct program_at *p);
/* Its kernel, until its first blocks are there. -1: it has died. */
int program_launch(struct machine *m, struct program_at *p);
/* What its first blocks take, and have. -1: said on stderr. */
int program_measure(struct program_at *p);

#endif
