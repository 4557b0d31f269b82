/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How a unit is laid out: a struct, and arrays behind it whose sizes a setup has; and in which
 * limits these are.
 */
#ifndef VGPU_TM_LAYOUT_H
#define VGPU_TM_LAYOUT_H

#include "../../platform.h"

static inline bool is_outside(u32 value, u32 least, u32 most)
{
	return value < least || value > most;
}

/* Where an array of @count begins; @bytes goes behind it. */
static inline u32 place(u32 *bytes, u32 count, u32 size)
{
	u32 at = *bytes;

	*bytes += count * size;
	return at;
}

#endif
