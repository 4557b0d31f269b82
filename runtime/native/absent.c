// SPDX-License-Identifier: MIT
/*
 * Native code on a processor that there is none for: no kernel has any. Built in the place of all
 * that makes code.
 */
#include <errno.h>
#include <string.h>

#include "native.h"

int vgpu_native_find(const struct vgpu_native_choice *choice, const struct vgpu_insn *code,
		     uint32_t count, const uint16_t *cost, uint64_t executed,
		     const struct vgpu_native_code **out)
{
	(void)choice, (void)code, (void)count, (void)cost, (void)executed, (void)out;
	return -EOPNOTSUPP;
}

void vgpu_native_forget(void)
{
}

void vgpu_native_stats(struct vgpu_native_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
}
