/* SPDX-License-Identifier: MIT */
/*
 * Plans: what is to be transformed, the passes that do it, the memory they need.
 */
#ifndef CUFFT_PLAN_H
#define CUFFT_PLAN_H

#include <cufft.h>
#include <stddef.h>

#include "pass.h"
#include "refuse.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	FFT_MOST_RANK = 3,
	FFT_MOST_BATCHES = 3,
	FFT_MOST_STEPS = 64,
	FFT_NO_LIMIT = -1,
};

enum fft_precision { FFT_FLOAT, FFT_DOUBLE, FFT_HALF };
enum fft_form { FFT_C2C, FFT_R2C, FFT_C2R };

/* Strides are in elements of their side, which are real ones or complex ones. */
struct fft_problem {
	enum fft_form form;
	enum fft_precision precision;
	int rank, batches;
	long long n[FFT_MOST_RANK];
	struct fft_dim axis[FFT_MOST_RANK]; /* count is not used */
	struct fft_dim batch[FFT_MOST_BATCHES];
	/* Strides follow from the sizes; lines of real numbers are padded where that is needed. */
	bool basic;
};

enum fft_place { FFT_IN, FFT_OUT, FFT_WORK, FFT_WORK2, FFT_PLACES };

struct fft_step {
	struct fft_pass pass;
	struct fft_constants constants;
	enum fft_place from, to;
	bool mixed; /* has other radices than powers of two */
};

/* Constants of passes, in memory of the device; until they are there, pointers are offsets. */
struct fft_tables {
	enum fft_precision precision;
	char *bytes;
	size_t used, room;
	int count, most;
	struct fft_table *list;
	bool failed; /* no memory */
	void *device;
};

struct fft_steps {
	int count;
	struct fft_step *step;
	size_t work[2]; /* bytes of FFT_WORK and FFT_WORK2 */
};

struct fft_plan {
	struct fft_problem problem;
	int device;
	bool made;
	/* of transforms in place, too, if their layout differs */
	struct fft_steps steps, in_place;
	struct fft_tables tables;
	size_t work_size;
	void *work, *own_work;
	bool no_allocation;
	cudaStream_t stream;
	long long properties[2];
};

/* ---- tables.c */

/* Of the device where the pointer is used: what is behind it once the tables are there. */
const void *fft_table_stages(struct fft_tables *tables, const struct fft_pass *pass);
void fft_table_turn(struct fft_tables *tables, struct fft_step *step);
/* exp(-i pi j^2 / n), or its conjugate; and what the lines of m numbers are multiplied by. */
const void *fft_table_chirp(struct fft_tables *tables, long long n, bool conjugate);
const void *fft_table_filter(struct fft_tables *tables, long long n, long long m);
/* What was an offset becomes a pointer. */
cufftResult fft_tables_upload(struct fft_tables *tables);
void fft_tables_attach(const struct fft_tables *tables, struct fft_steps *steps);
void fft_tables_drop(struct fft_tables *tables);

/* ---- split.c */

/* The radices of a line of one pass. */
void fft_choose_radices(struct fft_pass *pass, bool *mixed);
/* The factors of a line, one for a pass; 0: it has other prime factors than 2 to 13. */
int fft_choose_splits(long long n, enum fft_precision precision, int split[FFT_MOST_SPLITS]);

/* ---- steps.c */

/* TABLES may be NULL: only the sizes are wanted. */
cufftResult fft_make_steps(const struct fft_problem *problem, struct fft_tables *tables,
			   struct fft_steps *steps);
void fft_drop_steps(struct fft_steps *steps);

/* ---- handles.c */

cufftResult fft_new_plan(cufftHandle *handle);
/* NULL: there is none */
struct fft_plan *fft_plan_of(cufftHandle handle);

/* ---- make.c */

cufftResult fft_type(cufftType type, struct fft_problem *problem);
/* Layouts as of cufftMakePlanMany64. */
cufftResult fft_describe(struct fft_problem *problem, int rank, const long long *n,
			 const long long *inembed, long long istride, long long idist,
			 const long long *onembed, long long ostride, long long odist,
			 long long batch);
/* The same in place, where lines of real numbers have room for the complex ones. */
struct fft_problem fft_padded(const struct fft_problem *problem);

/* ---- make.c */

cufftResult fft_size(const struct fft_problem *problem, size_t *bytes);
cufftResult fft_make(struct fft_plan *plan, const struct fft_problem *problem, size_t *bytes);

/* ---- exec.c */

cufftResult fft_status(cudaError_t error);
cufftResult fft_execute(struct fft_plan *plan, const void *in, void *out, int direction);

#ifdef __cplusplus
}
#endif

#endif
