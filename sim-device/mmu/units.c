// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Units that are in use until a time; see units.h.
 */
#include "units.h"
#include "vgpu.h"

int vgpu_units_init(struct vgpu_units *units, u32 count)
{
	units->units = vgpu_mem_alloc_device(count * sizeof(*units->units));
	if (!units->units || vgpu_pqueue_reserve(&units->by_time, count)) {
		vgpu_units_fini(units);
		return -ENOMEM;
	}
	units->count = count;
	for (u32 n = 0; n < count; n++)
		vgpu_units_reserve(units, n, 0);
	return 0;
}

void vgpu_units_fini(struct vgpu_units *units)
{
	vgpu_pqueue_free(&units->by_time);
	vgpu_mem_free_device(units->units);
	memset(units, 0, sizeof(*units));
}

u32 vgpu_units_idle(const struct vgpu_units *units, u64 time, u64 *next)
{
	u32 idle = 0;

	*next = VGPU_NEVER;
	for (u32 n = 0; n < units->count; n++) {
		u64 free = vgpu_units_free(units, n);

		if (free <= time)
			idle++;
		else if (free < *next)
			*next = free;
	}
	return idle;
}

void vgpu_units_reserve(struct vgpu_units *units, u32 n, u64 free)
{
	vgpu_pqueue_insert(&units->by_time, &units->units[n], free, n);
}
