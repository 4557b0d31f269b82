/* SPDX-License-Identifier: MIT */
/*
 * What the runtime's tests share: the embedded device, a module of small kernels, short ways to
 * launch them.
 */
#ifndef RUNTIME_RIG_H
#define RUNTIME_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "vgpu_runtime.h"

/*
 * slow: count to `loops`, then *where = value; copy: *dst = *src; add: *where += value (atomic);
 * poke: *where = 1
 */
struct rig {
	vgpuModule_t module;
	vgpuFunction_t slow, copy, add, poke, shared;
};

#define OK(call) assert_int_equal((call), vgpuSuccess)

/* A fresh context of the embedded device with the given settings (NULL: as it comes). */
void rig_begin(struct rig *rig, const char *connections, const char *vram);
void rig_end(void);
/* One thread. */
vgpuError_t rig_slow(struct rig *rig, uint32_t *where, uint32_t value, uint32_t loops,
		     vgpuStream_t stream);
vgpuError_t rig_copy(struct rig *rig, uint32_t *dst, const uint32_t *src, vgpuStream_t stream);
vgpuError_t rig_add(struct rig *rig, uint32_t *where, uint32_t value, vgpuStream_t stream);
vgpuError_t rig_poke(struct rig *rig, uint64_t where);
/* Words of device memory, zero; and one read back. */
uint32_t *rig_words(size_t count);
uint32_t rig_read(const uint32_t *word);

#endif
