// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Schemes: what is done about a context that is oversubscribed. To add one, add it here.
 */
#include "../sim/text.h"
#include "lists.h"
#include "pressure.h"

static void none(const struct vgpu_pressure *pressure, struct vgpu_remedies *remedies)
{
	(void)pressure;
	(void)remedies;
}

/* The baseline that the thesis compares with: half of the SMs, whatever the program is. */
static void simple_throttle(const struct vgpu_pressure *pressure, struct vgpu_remedies *remedies)
{
	(void)pressure;
	remedies->throttler = &vgpu_throttler_half;
}

/*
 * ETC (3.6.5). Regular: eviction ahead of time, and compression if kernels use the same data.
 * Irregular: throttling and compression, and no eviction ahead, which makes thrashing worse. Before
 * the first window has ended nothing is done.
 */
static void etc(const struct vgpu_pressure *pressure, struct vgpu_remedies *remedies)
{
	remedies->proactive_eviction = pressure->class == VGPU_ACCESS_REGULAR;
	remedies->compression = pressure->class == VGPU_ACCESS_IRREGULAR ||
				(pressure->class == VGPU_ACCESS_REGULAR &&
				 vgpu_pressure_shares(pressure));
	if (pressure->class == VGPU_ACCESS_IRREGULAR)
		remedies->throttler = &vgpu_throttler_adaptive;
}

static const struct vgpu_scheme schemes[] = {
	{ "none", none },
	{ "simple-throttle", simple_throttle },
	{ "etc", etc },
};

const struct vgpu_scheme *vgpu_scheme_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(schemes) ? &schemes[index] : NULL;
}

const struct vgpu_scheme *vgpu_scheme_find(const char *name)
{
	for (unsigned int n = 0; n < VGPU_ARRAY_SIZE(schemes); n++)
		if (vgpu_text_is(name, schemes[n].name))
			return &schemes[n];
	return NULL;
}
