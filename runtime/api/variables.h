/* SPDX-License-Identifier: MIT */
/*
 * __managed__ variables of the program: what vgpucc puts beside the kernels of a file
 * (tools/vgpucc), and what becomes of them.
 *
 * The variables of one object of the process (the program, a shared library) are in whole pages of
 * their own. Until a context is open these are ordinary memory. Then they are managed memory of
 * that one, at the same addresses and with the same contents; when it ends, ordinary memory again.
 * Nobody else may use the variables in that moment.
 *
 * All functions are called with the lock held.
 */
#ifndef VGPU_RT_VARIABLES_H
#define VGPU_RT_VARIABLES_H

#include "state.h"

struct rt_variable {
	const void *address;		/* NULL: of another file, and in no file of the process */
	const char *name;		/* in the PTX */
	uint64_t bytes;			/* 0: of another file */
};

/** struct rt_variable_table - the variables that one file defines, or uses in kernels */
struct rt_variable_table {
	/* pages of the object's variables; NULL: it has none */
	const void *start, *end;
	const void *zero_start, *zero_end;	/* of large ones that are zero at first */
	uint64_t count;
	struct rt_variable variables[];
};

/*
 * A file is there; with a context open, the variables of its object are in that one at once. The
 * table remains valid until rt_variables_remove().
 */
void rt_variables_add(const struct rt_variable_table *table);
void rt_variables_remove(const struct rt_variable_table *table);
/* Those that are in no context become memory of the current one, which has just been opened. */
vgpuError_t rt_variables_map(void);
/* Before the current context is closed: reads what is in its variables. */
void rt_variables_save(void);
/* After it was closed: they are ordinary memory that contains it. */
void rt_variables_restore(void);
/*
 * Kernels of the current context are to use the variables of @table. Those in another one move here
 * as long as no module was loaded there; after that it is vgpuErrorNotSupported.
 */
vgpuError_t rt_variables_claim(const struct rt_variable_table *table);
/* Needs no lock. The context that @address, in a variable's page, is in; NULL: none. */
struct rt_state *rt_variables_owner(uint64_t address);
/* The variable that contains @address. */
bool rt_variables_find(uint64_t address, uint64_t *base, uint64_t *bytes);

#endif
