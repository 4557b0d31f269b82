// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What lines take with BDI; see bdi.h. The base is the first word that is no small number.
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
};

/* The number of @bytes bytes at @p, as one of 64 bits with its sign */
static u64 get(const u8 *p, u32 bytes)
{
	u32 shift = 64 - 8 * bytes;
	u64 value = 0;

	memcpy(&value, p, bytes);
	return (u64)((s64)(value << shift) >> shift);
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

/* Does @line have this encoding with differences? */
static bool is_near(const u8 *line, u32 word, u32 difference)
{
	bool has_base = false;
	u64 base = 0;

	for (u32 at = 0; at < VGPU_BDI_LINE; at += word) {
		u64 value = get(line + at, word);

		if (is_small(value, word, difference))
			continue;
		if (!has_base)
			base = value;
		has_base = true;
		if (!is_small(value - base, word, difference))
			return false;
	}
	return true;
}

static bool has_encoding(const u8 *line, u32 encoding)
{
	switch (encoding) {
	case VGPU_BDI_ZEROS:
		return is_zero(line);
	case VGPU_BDI_REPEATED:
		return is_repeated(line);
	default:
		return is_near(line, encodings[encoding].word, encodings[encoding].difference);
	}
}

u32 vgpu_bdi_size(const u8 *line, u32 most)
{
	for (u32 e = VGPU_BDI_ZEROS; e < VGPU_BDI_ENCODINGS && encodings[e].bytes <= most; e++)
		if (has_encoding(line, e))
			return encodings[e].bytes;
	return VGPU_BDI_LINE;
}
