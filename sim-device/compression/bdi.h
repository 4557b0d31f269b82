/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * BDI: base-delta-immediate compression of a line of 64 bytes (Pekhimenko et al., PACT 2012; the
 * thesis of ETC, 3.6.4). A line is a row of words of 8, 4 or 2 bytes. Each is a small number by
 * itself (the implicit base, zero) or lies near one base, so that a difference of few bytes is
 * enough. Which of the two it is takes a bit of a word; these bits are not in the size, as in the
 * paper. Words are little-endian.
 *
 * The device keeps lines as they are, and counts what they would take: here is what that is. That a
 * line can be had back from as much is shown by tests/unit/compression/bdi_codec.h.
 */
#ifndef VGPU_COMPRESSION_BDI_H
#define VGPU_COMPRESSION_BDI_H

#include "../platform.h"

#define VGPU_BDI_LINE	64u	/* bytes */

/** enum vgpu_bdi_encoding - in the order of their size */
enum vgpu_bdi_encoding {
	VGPU_BDI_ZEROS,		/*  1 byte: all are zero */
	VGPU_BDI_REPEATED,	/*  8 bytes: a word of 8 again and again */
	VGPU_BDI_8_1,		/* 16: words of 8, differences of 1 */
	VGPU_BDI_4_1,		/* 20 */
	VGPU_BDI_8_2,		/* 24 */
	VGPU_BDI_2_1,		/* 34 */
	VGPU_BDI_4_2,		/* 36 */
	VGPU_BDI_8_4,		/* 40 */
	VGPU_BDI_ENCODINGS	/* none of these: 64, as they are */
};

/**
 * vgpu_bdi_size - bytes of the smallest encoding of @line, if they are @most at most; else
 * VGPU_BDI_LINE
 */
u32 vgpu_bdi_size(const u8 *line, u32 most);

#endif
