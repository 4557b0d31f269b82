// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * BDI compression of lines; see bdi.h. The base is the first word that is no small number.
 */
#include "bdi.h"

/* Bytes of a word and of a difference; 0: none */
static const struct {
	u8 bytes, word, difference;
} encodings[VGPU_BDI_ENCODINGS] = {
	[VGPU_BDI_ZEROS] = { 1, 0, 0 },
	[VGPU_BDI_REPEATED] = { 8, 8, 0 },
	[VGPU_BDI_8_1] = { 16, 8, 1 },
	[VGPU_BDI_4_1] = { 20, 4, 1 },
	[VGPU_BDI_8_2] = { 24, 8, 2 },
	[VGPU_BDI_2_1] = { 34, 2, 1 },
	[VGPU_BDI_4_2] = { 36, 4, 2 },
	[VGPU_BDI_8_4] = { 40, 8, 4 },
	[VGPU_BDI_RAW] = { VGPU_BDI_LINE, 0, 0 },
};

u32 vgpu_bdi_bytes(enum vgpu_bdi_encoding encoding)
{
	return encodings[encoding].bytes;
}

/* The number of @bytes bytes at @p, as one of 64 bits with its sign */
static u64 get(const u8 *p, u32 bytes)
{
	u32 shift = 64 - 8 * bytes;
	u64 value = 0;

	memcpy(&value, p, bytes);
	return (u64)((s64)(value << shift) >> shift);
}

static void put(u8 *p, u64 value, u32 bytes)
{
	memcpy(p, &value, bytes);
}

/* Has @value, of @word bytes with its sign, as much in its last @bytes? */
static bool is_small(u64 value, u32 word, u32 bytes)
{
	u32 shift = 64 - 8 * word;
	u64 half = 1ull << (8 * bytes - 1);

	value = (u64)((s64)(value << shift) >> shift);
	return value + half < 2 * half;
}

static bool is_zero(const u8 *line)
{
	u64 any = 0;

	for (u32 at = 0; at < VGPU_BDI_LINE; at += 8)
		any |= get(line + at, 8);
	return !any;
}

static bool is_repeated(const u8 *line)
{
	u64 first = get(line, 8), different = 0;

	for (u32 at = 8; at < VGPU_BDI_LINE; at += 8)
		different |= get(line + at, 8) ^ first;
	return !different;
}

/* Does @line have this encoding with differences? @near and @base are those of struct. */
static bool is_near(const u8 *line, u32 word, u32 difference, u32 *near, u64 *base)
{
	bool has_base = false;

	*near = 0;
	*base = 0;
	for (u32 n = 0; n * word < VGPU_BDI_LINE; n++) {
		u64 value = get(line + n * word, word);

		if (is_small(value, word, difference))
			continue;
		if (!has_base)
			*base = value;
		has_base = true;
		if (!is_small(value - *base, word, difference))
			return false;
		*near |= 1u << n;
	}
	return true;
}

static bool has_encoding(const u8 *line, u32 encoding, u32 *near, u64 *base)
{
	switch (encoding) {
	case VGPU_BDI_ZEROS:
		return is_zero(line);
	case VGPU_BDI_REPEATED:
		return is_repeated(line);
	case VGPU_BDI_RAW:
		return true;
	default:
		return is_near(line, encodings[encoding].word, encodings[encoding].difference,
			       near, base);
	}
}

void vgpu_bdi_compress(const u8 *line, struct vgpu_bdi_line *out)
{
	u32 e = VGPU_BDI_ZEROS, near = 0, word, difference;
	u64 base = 0;

	while (!has_encoding(line, e, &near, &base))
		e++;
	word = encodings[e].word;
	difference = encodings[e].difference;
	*out = (struct vgpu_bdi_line){ .encoding = (u8)e, .bytes = encodings[e].bytes };
	if (!difference) {
		memcpy(out->data, line, out->bytes);
		return;
	}
	out->near = near;
	put(out->data, base, word);
	for (u32 n = 0; n * word < VGPU_BDI_LINE; n++)
		put(out->data + word + n * difference,
		    get(line + n * word, word) - (near >> n & 1 ? base : 0), difference);
}

void vgpu_bdi_decompress(const struct vgpu_bdi_line *in, u8 *line)
{
	u32 word = encodings[in->encoding].word, difference = encodings[in->encoding].difference;
	u64 base;

	if (!word) {
		memset(line, 0, VGPU_BDI_LINE);
		memcpy(line, in->data, in->bytes);
		return;
	}
	base = get(in->data, word);
	for (u32 n = 0; n * word < VGPU_BDI_LINE; n++)
		put(line + n * word,
		    !difference ? base :
				  get(in->data + word + n * difference, difference) +
					  (in->near >> n & 1 ? base : 0),
		    word);
}

u32 vgpu_bdi_size(const u8 *line, u32 most)
{
	u32 near;
	u64 base;

	for (u32 e = VGPU_BDI_ZEROS; e < VGPU_BDI_RAW && encodings[e].bytes <= most; e++)
		if (has_encoding(line, e, &near, &base))
			return encodings[e].bytes;
	return VGPU_BDI_LINE;
}
