/* SPDX-License-Identifier: MIT */
/*
 * Compiled programs, kept on disk: contents page of runtime/cache. An entry is a file, named by
 * what was compiled: the PTX, the options, the compiler (the build of this library). It is written
 * beside its place and renamed, so that processes need no lock: who reads sees a whole entry or
 * none. Its contents are known by their hash; what is damaged is removed and compiled again.
 *
 * Entries decide what code runs. Only folders and files are used that belong to the process's user
 * and that nobody else may write.
 *
 * Nothing here is an error of the program's: where the cache cannot be used, PTX is compiled.
 */
#ifndef VGPU_CACHE_H
#define VGPU_CACHE_H

#include <stdbool.h>

#include "compile/compile.h"

/* PTX of fewer bytes is compiled sooner than a file is found. */
#define VGPU_CACHE_LEAST 4096u
#define VGPU_CACHE_LIMIT (256ul << 20) /* bytes of all entries, where nothing else is said */

/** struct vgpu_program_cache - a folder; any thread may use it */
struct vgpu_program_cache {
	char *path; /* NULL: there is none */
	size_t limit;
	char compiler[64]; /* which one; another's entries are others */
};

/**
 * vgpu_cache_open - the folder, made if it is not there
 * @why: set to what is wrong with it, a constant, or NULL
 *
 * Its parent has to be there. No descriptor stays open: programs close those that they do not know.
 * Returns false if there is nothing to use: @cache->path is NULL then.
 */
bool vgpu_cache_open(struct vgpu_program_cache *cache, const char *path, size_t limit,
		     const char *compiler, const char **why);
void vgpu_cache_close(struct vgpu_program_cache *cache);

/** vgpu_cache_compile_in - as vgpu_compile_ptx(), from that cache or into it */
int vgpu_cache_compile_in(const struct vgpu_program_cache *cache, const char *ptx, size_t len,
			  const struct vgpu_compile_options *options, struct vgpu_program **out,
			  char **message);

/**
 * vgpu_cache_compile - as vgpu_compile_ptx(), with the process's cache
 *
 * VGPU_CACHE says where that is, or `off'; else it is vgpu in the user's folder of caches
 * (docs/runtime.md). VGPU_CACHE_SIZE is its limit. CUDA_CACHE_DISABLE=1 is `off'.
 */
int vgpu_cache_compile(const char *ptx, size_t len, const struct vgpu_compile_options *options,
		       struct vgpu_program **out, char **message);

#endif
