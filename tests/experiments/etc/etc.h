/* SPDX-License-Identifier: MIT */
/*
 * What the applications of the evaluation of ETC share (thesis 3.7.1): managed memory that a kernel
 * touches first, launches, and what the device counted. Each application is a function of this
 * table; main.cu runs one.
 */
#ifndef ETC_H
#define ETC_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* How the thesis classes it (3.5, 3.7.1) */
enum app_class { NO_SHARING, SHARING, IRREGULAR };

/**
 * struct app - an application
 * @bytes: of all its managed memory, once prepare() has run
 * @prepare: allocate and fill, by etc_alloc()
 * @run: launch its kernels, in the default stream; it is not waited for
 * @check: the largest relative error of what was computed, at places drawn at random
 */
struct app {
	const char *name;
	enum app_class is;
	void (*prepare)(void);
	void (*run)(void);
	double (*check)(void);
};

extern struct app apps_matvec[4], apps_convolution[3], apps_statistics[2], apps_stencil[3],
	apps_other[3], apps_graph[1];

extern size_t etc_bytes;

/* Managed memory of @count floats; counted. The process touches it first: it is on the host. */
float *etc_alloc(size_t count);
/*
 * The same, filled with numbers. The thesis does not publish how its inputs compress, but all of
 * them fit three quarters of the memory compressed, and not half of it: of three pages of 4 KB two
 * have numbers near each other, in 20 bytes a line, so that they take half. So the ratio is 1.5.
 */
float *etc_input(size_t count, unsigned seed);
/* Number @n of these, for a check of memory that its kernels have changed. */
float etc_input_value(size_t n, unsigned seed);
/* A number of the last check, below @limit. */
unsigned etc_random(unsigned limit);
/* |got - want| relative to want */
double etc_error(double got, double want);

#define BLOCKS(count, threads)	(((count) + (threads) - 1) / (threads))

#endif
