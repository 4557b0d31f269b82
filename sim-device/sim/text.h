/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The little text the device needs: decimal numbers in, decimal numbers and names out. No libc
 * here.
 */
#ifndef VGPU_TEXT_H
#define VGPU_TEXT_H

#include "../platform.h"

/*
 * Decimal digits only, at least one; one newline at the end is forgiven, as sysfs files are written
 * with echo. -EINVAL
 */
int vgpu_text_to_u64(const char *text, u64 *value);
/*
 * The same times @unit, a power of ten; with a point as many digits behind it as the unit has.
 * -EINVAL
 */
int vgpu_text_to_scaled(const char *text, u64 unit, u64 *value);
/* @text equals @name, a newline at its end forgiven. */
bool vgpu_text_is(const char *text, const char *name);
/* Copy @from, cut to @size - 1 characters; what is left of @to becomes 0. */
void vgpu_text_copy(char *to, size_t size, const char *from);

/** struct vgpu_text - text that is being written into a buffer */
struct vgpu_text {
	char *at;
	size_t size;
	size_t length;	/* of the whole text, even where it did not fit */
};

void vgpu_text_put(struct vgpu_text *text, const char *string);
void vgpu_text_put_u64(struct vgpu_text *text, u64 value);
/* @value / @unit, a power of ten: exact, with as many digits behind the point as it takes. */
void vgpu_text_put_scaled(struct vgpu_text *text, u64 value, u64 unit);

#endif
