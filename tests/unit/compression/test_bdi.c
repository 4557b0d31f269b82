// SPDX-License-Identifier: MIT
/*
 * BDI encodings of lines, by hand and to the byte, that every line comes back as it was, and that
 * the device counts what it takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bdi_codec.h"
#include "sim/random.h"

static u64 below(struct vgpu_random *random, u64 limit)
{
	return vgpu_random_next(random) % limit;
}

struct wanted {
	u32 encoding, near, count;
	u8 data[20];	/* its first bytes */
};

static void check(const void *line, const struct wanted *wanted)
{
	static const u32 bytes[CODEC_ENCODINGS] = { 1, 8, 16, 20, 24, 34, 36, 40, 64 };
	struct codec_line got;
	u8 back[VGPU_BDI_LINE];

	codec_compress(line, &got);
	assert_int_equal(got.encoding, wanted->encoding);
	assert_int_equal(got.bytes, bytes[wanted->encoding]);
	assert_int_equal(got.near, wanted->near);
	assert_memory_equal(got.data, wanted->data, wanted->count);
	codec_decompress(&got, back);
	assert_memory_equal(back, line, VGPU_BDI_LINE);
	assert_int_equal(vgpu_bdi_size(line, VGPU_BDI_LINE), got.bytes);
}

static void nothing_and_the_same(void **state)
{
	u64 line[8] = {};

	(void)state;
	check(line, &(struct wanted){ VGPU_BDI_ZEROS, 0, 1, { 0 } });
	for (u32 n = 0; n < 8; n++)
		line[n] = 0x0102030405060708;
	check(line, &(struct wanted){ VGPU_BDI_REPEATED, 0, 8, { 8, 7, 6, 5, 4, 3, 2, 1 } });
}

/* Pointers into an array, and two that are NULL: differences 0, 8, 0x7f and -0x80 of 8 bytes. */
static void pointers(void **state)
{
	static const u64 line[8] = { 0x7f0012345600, 0, 0x7f0012345608, 0x7f001234567f,
				     0x7f0012345580, 0, 0x7f0012345610, 0x7f0012345618 };

	(void)state;
	check(line, &(struct wanted){ VGPU_BDI_8_1, 0xdd, 16,
				      { 0, 0x56, 0x34, 0x12, 0, 0x7f, 0, 0,
					0, 0, 8, 0x7f, 0x80, 0, 0x10, 0x18 } });
}

/* One more than a byte with its sign: differences of two bytes. 0x80 and -0x81. */
static void just_too_far(void **state)
{
	static const u64 line[8] = { 0x7f0012345600, 0, 0x7f0012345680, 0x7f001234557f,
				     0, 0, 0, 1 };

	(void)state;
	check(line, &(struct wanted){ VGPU_BDI_8_2, 0x0d, 18,
				      { 0, 0x56, 0x34, 0x12, 0, 0x7f, 0, 0,
					0, 0, 0, 0, 0x80, 0, 0x7f, 0xff, 0, 0 } });
}

/* Floats 1.0 and 1.0 + 2^-23 * k, and small numbers: words of 4. */
static void words_of_four(void **state)
{
	u32 line[16] = { 0x3f800000, 0x3f800001, 5, 0xfffffffb, 0x3f80007f, 0x3f7fff80 };

	(void)state;
	check(line, &(struct wanted){ VGPU_BDI_4_1, 0x33, 20,
				      { 0, 0, 0x80, 0x3f, 0, 1, 5, 0xfb, 0x7f, 0x80, 0, 0, 0, 0, 0,
					0, 0, 0, 0, 0 } });
	line[6] = 0x3f800080;
	check(line, &(struct wanted){ VGPU_BDI_4_2, 0x73, 10,
				      { 0, 0, 0x80, 0x3f, 0, 0, 1, 0, 5, 0 } });
}

/* Words of 2, whose high bytes are far from each other as words of 4. */
static void words_of_two(void **state)
{
	u16 line[32];

	(void)state;
	for (u32 n = 0; n < 32; n++)
		line[n] = (u16)(0x4000 + n);
	check(line, &(struct wanted){ VGPU_BDI_2_1, 0xffffffff, 6, { 0, 0x40, 0, 1, 2, 3 } });
}

static void words_of_eight_far_apart(void **state)
{
	static const u64 line[8] = { 0x1122334400000000, 0x1122334412345678, 0x1122334477777777 };

	(void)state;
	check(line, &(struct wanted){ VGPU_BDI_8_4, 0x07, 20,
				      { 0, 0, 0, 0, 0x44, 0x33, 0x22, 0x11, 0, 0, 0, 0,
					0x78, 0x56, 0x34, 0x12, 0x77, 0x77, 0x77, 0x77 } });
}

static void no_pattern(void **state)
{
	static const u64 line[8] = { 0x0123456789abcdef, 0xfedcba9876543210, 0x5555aaaa3333cccc };

	(void)state;
	check(line, &(struct wanted){ CODEC_RAW, 0, 8,
				      { 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01 } });
	/* what takes more is of no interest */
	assert_int_equal(vgpu_bdi_size((const u8 *)line, 24), 64);
}

/* Lines of all kinds come back, and no encoding that is smaller would do. */
static void comes_back(void **state)
{
	struct vgpu_random random;
	u32 seen = 0;

	(void)state;
	vgpu_random_seed(&random, 1);
	for (u32 n = 0; n < 20000; n++) {
		u32 word = 2u << below(&random, 3);
		u64 base = vgpu_random_next(&random);
		u32 bits = (u32)below(&random, 40);
		u8 line[VGPU_BDI_LINE], back[VGPU_BDI_LINE];
		struct codec_line got;

		for (u32 at = 0; at < VGPU_BDI_LINE; at += word) {
			u64 value = below(&random, 1ull << bits) -
				    (1ull << bits) / 2;

			value += below(&random, 3) ? base : 0;
			__builtin_memcpy(line + at, &value, word);
		}
		codec_compress(line, &got);
		codec_decompress(&got, back);
		assert_memory_equal(back, line, VGPU_BDI_LINE);
		assert_int_equal(vgpu_bdi_size(line, 64), got.bytes);
		assert_int_equal(vgpu_bdi_size(line, got.bytes - 1u), 64);
		seen |= 1u << got.encoding;
	}
	assert_int_equal(seen & ~3u, (1u << CODEC_ENCODINGS) - 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_and_the_same),
		cmocka_unit_test(pointers),
		cmocka_unit_test(just_too_far),
		cmocka_unit_test(words_of_four),
		cmocka_unit_test(words_of_two),
		cmocka_unit_test(words_of_eight_far_apart),
		cmocka_unit_test(no_pattern),
		cmocka_unit_test(comes_back),
	};

	return cmocka_run_group_tests_name("BDI", tests, NULL, NULL);
}
