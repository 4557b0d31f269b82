/* SPDX-License-Identifier: MIT */
/*
 * Libraries: device code that belongs to the process rather than to a context. It becomes a module
 * of each context when something of it is first used there, and again after a reset. Host code
 * registers its kernels so, and cuLibraryLoadData() makes such ones.
 *
 * All functions are called with the lock held, unless they say otherwise.
 */
#ifndef VGPU_RT_LIBRARY_H
#define VGPU_RT_LIBRARY_H

#include "by_context.h"
#include "fatbin/fatbin.h"
#include "fatbin/own.h"
#include "variables.h"

/** struct rt_library_on - a library as one context has it */
struct rt_library_on {
	struct vgpuModule *module;
	uint64_t generation;		/* of the context that it was tried in */
	vgpuError_t failed;		/* why it does not load */
	bool tried;
};

/** struct rt_library - device code of the process */
struct rt_library {
	struct rt_library *next;
	const struct vgpu_own *own;	/* of vgpucc; NULL: it is in parts, or an image */
	const struct vgpu_own **parts;	/* that are linked when it is loaded */
	unsigned int part_count;
	const void *data;		/* the image, as the program has it */
	struct vgpu_image image;	/* what was read of it */
	bool read;
	vgpuError_t unreadable;
	uint32_t max_regs;
	const struct rt_variable_table *variables;	/* __managed__, of vgpucc; NULL: none */
	/* when it was loaded in the current context; NULL: nothing to do then */
	vgpuError_t (*loaded)(struct rt_library *library, struct vgpuModule *module);
	struct rt_by_context on;	/* struct rt_library_on */
};

/** struct rt_kernel_on - a kernel of a library, as one context has it */
struct rt_kernel_on {
	uint64_t generation;		/* of what follows */
	struct vgpuFunction *function;
};

/** struct rt_kernel - a kernel of a library, whatever the context */
struct rt_kernel {
	struct rt_kernel *next;		/* of all with the same hash of library and name */
	struct rt_kernel *next_handle;	/* of all with the same hash of their address */
	struct rt_library *library;
	char *name;
	struct rt_by_context on;	/* struct rt_kernel_on */
};

/*
 * Reads an image, of @bytes or (0) as many as it says. vgpuErrorInvalidKernelImage if it is
 * malformed, vgpuErrorNoKernelImageForDevice without PTX; the message says more.
 */
vgpuError_t rt_image_read(const void *data, size_t bytes, struct vgpu_image *out);
/* What of it is tried first; NULL: all of it is for newer devices. */
struct vgpu_image_ptx *rt_image_best(const struct vgpu_image *image);
/* The error then, and its message. */
vgpuError_t rt_image_refuse(const struct vgpu_image *image);
/* The library in the current context, into which it is loaded if it was not. */
vgpuError_t rt_library_module(struct rt_library *library, struct vgpuModule **out);
/*
 * It has this PTX, too, and is linked and loaded anew when something of it is used next; it has it
 * no longer. False: no memory.
 */
bool rt_library_add_part(struct rt_library *library, const struct vgpu_own *part);
void rt_library_remove_part(struct rt_library *library, const struct vgpu_own *part);
/* Forgets kernels and what was read; what is loaded stays. */
void rt_library_forget(struct rt_library *library);

/*
 * A library of the program's own. @data, of @bytes or (0) as many as it says, is read now and not
 * needed any more; it is loaded when something of it is used.
 */
vgpuError_t rt_library_create(const void *data, size_t bytes, struct rt_library **out);
/*
 * Unloads it from all contexts that are open. vgpuErrorInvalidResourceHandle for what
 * rt_library_create() has not made.
 */
vgpuError_t rt_library_destroy(struct rt_library *library);
bool rt_library_known(const struct rt_library *library);
/* Loads it into the current context to know. */
vgpuError_t rt_library_find(struct rt_library *library, const char *name, struct rt_kernel **out);
vgpuError_t rt_library_kernels(struct rt_library *library, struct rt_kernel **list,
			       unsigned int room, unsigned int *count);
/* A variable in the current context; vgpuErrorSymbolNotFound: there is none, or none @managed. */
vgpuError_t rt_library_variable(struct rt_library *library, const char *name, bool managed,
				uint64_t *address, uint64_t *bytes);
/*
 * A file's contents, malloc'ed, with a 0 behind them. vgpuErrorFileNotFound;
 * vgpuErrorInvalidKernelImage: it is empty.
 */
vgpuError_t rt_code_file(const char *path, void **code, size_t *bytes);

/* A kernel's handle, made at the first call; NULL: no memory. The name need not be in the code. */
struct rt_kernel *rt_library_kernel(struct rt_library *library, const char *name);
/* Handles come from the program: false for what is none. */
bool rt_kernel_known(const struct rt_kernel *kernel);
/* The kernel in the current context; vgpuErrorSymbolNotFound: the code has none of this name. */
vgpuError_t rt_kernel_function(struct rt_kernel *kernel, struct vgpuFunction **out);

#endif
