// SPDX-License-Identifier: MIT
/*
 * BDI lines as bytes; see bdi_codec.h. A line has an encoding if what that gives is the line again
 * when it is taken apart: nothing else is asked.
 */
#include <stdbool.h>
#include <string.h>

#include "bdi_codec.h"

/* Bytes of a word and of a difference */
static const struct {
	unsigned int word, difference;
} encodings[CODEC_ENCODINGS] = {
	[VGPU_BDI_REPEATED] = { 8, 0 }, [VGPU_BDI_8_1] = { 8, 1 }, [VGPU_BDI_4_1] = { 4, 1 },
	[VGPU_BDI_8_2] = { 8, 2 },	[VGPU_BDI_2_1] = { 2, 1 }, [VGPU_BDI_4_2] = { 4, 2 },
	[VGPU_BDI_8_4] = { 8, 4 },
};

static uint64_t load(const uint8_t *from, unsigned int bytes)
{
	uint64_t value = 0;

	memcpy(&value, from, bytes);
	return value;
}

/* A number of so many bytes with its sign, in 64 bits */
static uint64_t extend(uint64_t value, unsigned int bytes)
{
	uint64_t sign = 1ull << (8 * bytes - 1);

	value &= sign | (sign - 1);
	return (value ^ sign) - sign;
}

/* Is @value, modulo 2^(8 * @word), what its last @difference bytes say? */
static bool fits(uint64_t value, unsigned int word, unsigned int difference)
{
	return extend(value, word) == extend(value, difference);
}

static void encode(const uint8_t *line, unsigned int encoding, struct codec_line *out)
{
	unsigned int word = encodings[encoding].word, difference = encodings[encoding].difference;
	uint64_t base = 0;
	bool based = false;

	*out = (struct codec_line){ .encoding = encoding };
	if (!difference) {
		out->bytes = encoding == VGPU_BDI_ZEROS ? 1 : encoding == CODEC_RAW ? 64 : 8;
		memcpy(out->data, line, out->bytes);
		return;
	}
	out->bytes = word + VGPU_BDI_LINE / word * difference;
	for (unsigned int n = 0; n < VGPU_BDI_LINE / word; n++) {
		uint64_t value = load(line + n * word, word);

		if (!fits(value, word, difference)) {
			base = based ? base : value;
			based = true;
			value -= base;
			out->near |= 1u << n;
		}
		memcpy(out->data + word + n * difference, &value, difference);
	}
	memcpy(out->data, &base, word);
}

void codec_decompress(const struct codec_line *in, uint8_t *line)
{
	unsigned int word = encodings[in->encoding].word;
	unsigned int difference = encodings[in->encoding].difference;

	memset(line, 0, VGPU_BDI_LINE);
	if (!word)
		memcpy(line, in->data, in->bytes);
	for (unsigned int n = 0; word && n < VGPU_BDI_LINE / word; n++) {
		uint64_t value = load(in->data, word);

		if (difference)
			value = extend(load(in->data + word + n * difference, difference),
				       difference);
		value += in->near >> n & 1 ? load(in->data, word) : 0;
		memcpy(line + n * word, &value, word);
	}
}

void codec_compress(const uint8_t *line, struct codec_line *out)
{
	uint8_t back[VGPU_BDI_LINE];

	for (unsigned int e = VGPU_BDI_ZEROS; e < CODEC_ENCODINGS; e++) {
		encode(line, e, out);
		codec_decompress(out, back);
		if (!memcmp(back, line, VGPU_BDI_LINE))
			return;
	}
}
