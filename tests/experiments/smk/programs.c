// SPDX-License-Identifier: MIT
/* The ten programs of 6.1. */
#include <string.h>

#include "smk.h"

#define PROGRAMS(X)                                                                             \
	X(cutcp, "cutcp", true)                                                                 \
	X(mri_q, "mri-q", true)                                                                 \
	X(sgemm, "sgemm", true)                                                                 \
	X(tpacf, "tpacf", true)                                                                 \
	X(histo, "histo", false)                                                                \
	X(lbm, "lbm", false)                                                                    \
	X(mri_gridding, "mri-gridding", false)                                                  \
	X(sad, "sad", false)                                                                    \
	X(spmv, "spmv", false)                                                                  \
	X(stencil, "stencil", false)

#define DECLARE(function, name, compute) int smk_##function(int argc, char **argv);
PROGRAMS(DECLARE)

#define ENTRY(function, name, compute) { name, smk_##function, compute },
const struct program_of programs[] = { PROGRAMS(ENTRY) { 0 } };

const struct program_of *program_find(const char *name)
{
	const struct program_of *of = programs;

	while (of->name && strcmp(of->name, name))
		of++;
	return of->name ? of : NULL;
}
