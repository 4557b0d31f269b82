/* SPDX-License-Identifier: MIT */
/*
 * vgpu-sim: contents page. main.c is the command line; list.c prints what there is to choose from;
 * memory.c prepares the heap. The rest is tools/workload.
 */
#ifndef VGPU_SIM_H
#define VGPU_SIM_H

#include "tools/workload/options.h"

int sim_list(FILE *out);
/*
 * Add the policy of shared object @path to those there are; it stays. Its name; NULL: there is
 * none, and *@wrong says why.
 */
const char *sim_policy_load(const char *path, const char **wrong);
/* Before anything else. */
void sim_memory_init(void);

#endif
