/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Module handles of a context. A handle is the lowest free number, as with files; the code behind
 * it lives as long as the handle or a launch that needs it, so that a module can be unloaded while
 * its kernels run. Until then its bytes count, so that repeated load, launch and unload cannot
 * exceed the limits.
 */
#ifndef VGPU_MODULE_TABLE_H
#define VGPU_MODULE_TABLE_H

#include "../platform.h"

struct vgpu_module;

#define VGPU_MODULES_MAX	4096u	/* modules loaded at once in one context */
#define VGPU_MODULE_BYTES_MAX	(64u << 20)	/* of one context, see above */

/**
 * struct vgpu_module_ref - a loaded module: the table holds one reference, every pending launch of
 * it another
 */
struct vgpu_module_ref {
	struct vgpu_module_table *table;
	u32 refs;
	u32 bytes;
	struct vgpu_module *code;
};

/** struct vgpu_module_table - modules of one context; zero at first, but for its account */
struct vgpu_module_table {
	struct vgpu_mem_account *memory;	/* of the context, set by it */
	struct vgpu_module_ref **list;	/* handle - 1; NULL: free */
	u32 room;
	u32 count;			/* handles in use */
	u32 bytes;			/* at most VGPU_MODULE_BYTES_MAX */
	/* modules, unloaded ones that launches still hold included */
	u32 alive;
};

/* Get a reference to the module of @handle; NULL: no such handle. */
struct vgpu_module_ref *vgpu_module_get(struct vgpu_module_table *table, u32 handle);
void vgpu_module_put(struct vgpu_module_ref *ref);
/* The table takes ownership of @code unless the call fails. -ENOSPC: a limit; -ENOMEM. */
int vgpu_module_table_add(struct vgpu_module_table *table, struct vgpu_module *code, u32 *handle);
/* -ENOENT: there is no such handle. */
int vgpu_module_table_remove(struct vgpu_module_table *table, u32 handle);
/* Drop all handles; no launch may hold a reference. */
void vgpu_module_table_free(struct vgpu_module_table *table);

#endif
