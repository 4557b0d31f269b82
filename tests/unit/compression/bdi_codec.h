/* SPDX-License-Identifier: MIT */
/*
 * BDI lines as bytes (sim-device/compression/bdi.h says what the encodings are): what the device
 * counts, which keeps lines as they are, is what a line takes that comes back from it. Written
 * without the device's code.
 */
#ifndef BDI_CODEC_H
#define BDI_CODEC_H

#include <stdint.h>

#include "compression/bdi.h"

#define CODEC_RAW	VGPU_BDI_ENCODINGS	/* as they are */
#define CODEC_ENCODINGS	(VGPU_BDI_ENCODINGS + 1)

/**
 * struct codec_line - a compressed line
 * @encoding: enum vgpu_bdi_encoding, or CODEC_RAW
 * @bytes: of @data
 * @near: of encodings with differences: bit n: word n is from the base, else from zero
 * @data: ZEROS: a zero; REPEATED: the word; else the base and a difference of each word; RAW: all
 */
struct codec_line {
	unsigned int encoding, bytes;
	uint32_t near;
	uint8_t data[VGPU_BDI_LINE];
};

/* With the smallest encoding that @line, of VGPU_BDI_LINE bytes, has */
void codec_compress(const uint8_t *line, struct codec_line *out);
/* @line as it was */
void codec_decompress(const struct codec_line *in, uint8_t *line);

#endif
