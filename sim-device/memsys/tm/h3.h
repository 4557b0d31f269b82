/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: H3 hashes (thesis 002, 4.5.2, figure 4.8)
 *
 * A hash is a matrix of random bits, a row of 32 for each bit of the key: the rows of the bits that
 * are set, combined with exclusive or. Matrices are drawn from a seed. The upper bits of the result
 * choose a row of a table: all of a number that is a power of two are equally likely, of another
 * number almost so.
 */
#ifndef VGPU_TM_H3_H
#define VGPU_TM_H3_H

#include "tm.h"

void vgpu_tm_h3_fill(u32 h3[2 * VGPU_TM_WAYS][64], u64 seed);
u32 vgpu_tm_h3(const u32 matrix[64], u64 key);
/* Row of a table of @rows that @key chooses */
u32 vgpu_tm_h3_row(const u32 matrix[64], u64 key, u32 rows);

/* Row of way @way of the precise table in which @granule may be */
u32 vgpu_tm_precise_row(const struct vgpu_tm *tm, u32 way, u64 granule);
/* The same of the approximate table */
u32 vgpu_tm_approximate_row(const struct vgpu_tm *tm, u32 way, u64 granule);

#endif
