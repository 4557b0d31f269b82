// SPDX-License-Identifier: MIT
/*
 * Layouts of compressed pages by hand, what a write makes of them, and the metadata cache.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "compression/lcp.h"
#include "compression/metadata.h"

static u64 page[VGPU_LCP_PAGE / 8];

/* Line @line is one of so many bytes: 1, 8, 16, 20, 24, 40 or 64. */
static void set(u32 line, u32 bytes)
{
	u64 *at = page + line * 8;
	u32 *words = (u32 *)at;

	memset(at, 0, VGPU_BDI_LINE);
	switch (bytes) {
	case 1:
		break;
	case 8:
		for (u32 n = 0; n < 8; n++)
			at[n] = 0x0102030405060708;
		break;
	case 16:
		at[0] = 1;
		break;
	case 20:
		for (u32 n = 0; n < 16; n++)
			words[n] = 0x3f800000 + n;
		break;
	case 24:
		at[0] = 0x1234;
		at[1] = 0x1000;
		break;
	case 40:
		at[0] = 0x12345678;
		at[1] = 0x11111111;
		break;
	default:
		at[0] = 0x0123456789abcdef;
		at[1] = 0xfedcba9876543210;
		at[2] = 0x5555aaaa3333cccc;
	}
	assert_int_equal(vgpu_bdi_size((u8 *)at, 64), bytes);
}

static void fill(u32 bytes)
{
	for (u32 n = 0; n < VGPU_LCP_LINES; n++)
		set(n, bytes);
}

static struct vgpu_lcp laid_out(void)
{
	struct vgpu_lcp lcp;

	vgpu_lcp_lay_out(&lcp, (u8 *)page);
	return lcp;
}

/*
 * 64 slots and 64 bytes of metadata: of 1 byte 128 of 512, which leaves 384, six lines; of 8 576 of
 * 1024: 448, seven; of 16 1088 of 2048: 960, fifteen; of 20 704, eleven; of 24 448, seven.
 */
static void room_for_exceptions(void **state)
{
	(void)state;
	assert_int_equal(vgpu_lcp_room(1, 1), 6);
	assert_int_equal(vgpu_lcp_room(2, 1), 14);
	assert_int_equal(vgpu_lcp_room(4, 1), 30);
	assert_int_equal(vgpu_lcp_room(1, 8), 0);
	assert_int_equal(vgpu_lcp_room(2, 8), 7);
	assert_int_equal(vgpu_lcp_room(4, 8), 23);
	assert_int_equal(vgpu_lcp_room(4, 16), 15);
	assert_int_equal(vgpu_lcp_room(4, 20), 11);
	assert_int_equal(vgpu_lcp_room(4, 24), 7);
}

static void pages_of_one_kind(void **state)
{
	static const struct {
		u32 line, units, target;
	} cases[] = { { 1, 1, 1 },   { 8, 2, 8 },   { 16, 4, 16 },
		      { 20, 4, 20 }, { 24, 4, 24 }, { 40, 8, 64 }, { 64, 8, 64 } };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct vgpu_lcp lcp;

		fill(cases[n].line);
		lcp = laid_out();
		assert_int_equal(lcp.units, cases[n].units);
		assert_int_equal(lcp.target, cases[n].target);
		assert_int_equal(lcp.exceptions, 0);
	}
}

/* Zeros and six lines of other bytes are one unit, with a seventh two. */
static void exceptions(void **state)
{
	struct vgpu_lcp lcp;

	(void)state;
	fill(1);
	for (u32 n = 0; n < 6; n++)
		set(10 * n, 64);
	lcp = laid_out();
	assert_int_equal(lcp.units, 1);
	assert_int_equal(lcp.target, 1);
	assert_int_equal(lcp.exceptions, 1ull | 1ull << 10 | 1ull << 20 | 1ull << 30 |
						 1ull << 40 | 1ull << 50);
	set(60, 64);
	lcp = laid_out();
	assert_int_equal(lcp.units, 2);
	/* with slots of 8 there are as many exceptions: the smaller ones */
	assert_int_equal(lcp.target, 1);
	/* eight that repeat are no exceptions in slots of 8 */
	for (u32 n = 1; n < 9; n++)
		set(n, 8);
	lcp = laid_out();
	assert_int_equal(lcp.units, 2);
	assert_int_equal(lcp.target, 8);
	assert_int_equal(__builtin_popcountll(lcp.exceptions), 7);
}

static void writes(void **state)
{
	struct vgpu_lcp lcp;

	(void)state;
	fill(1);
	lcp = laid_out();
	for (u32 n = 0; n < 6; n++) {
		set(n, 64);
		assert_int_equal(vgpu_lcp_write(&lcp, (u8 *)page, n), VGPU_LCP_EXCEPTION);
	}
	/* once more, and another that fits; the page is full of exceptions */
	assert_int_equal(vgpu_lcp_write(&lcp, (u8 *)page, 3), VGPU_LCP_EXCEPTION);
	assert_int_equal(vgpu_lcp_write(&lcp, (u8 *)page, 7), VGPU_LCP_FITS);
	set(7, 8);
	assert_int_equal(vgpu_lcp_write(&lcp, (u8 *)page, 7), VGPU_LCP_OVERFLOW);
	/* one becomes zero again: its place is the other's */
	set(2, 1);
	assert_int_equal(vgpu_lcp_write(&lcp, (u8 *)page, 2), VGPU_LCP_FITS);
	assert_int_equal(vgpu_lcp_write(&lcp, (u8 *)page, 7), VGPU_LCP_EXCEPTION);
	assert_int_equal(lcp.units, 1);
	/* what overflowed is laid out again, one class larger */
	set(2, 64);
	assert_int_equal(vgpu_lcp_write(&lcp, (u8 *)page, 2), VGPU_LCP_OVERFLOW);
	lcp = laid_out();
	assert_int_equal(lcp.units, 2);
	/* a page that is not compressed has room for all */
	fill(64);
	lcp = laid_out();
	set(9, 1);
	assert_int_equal(vgpu_lcp_write(&lcp, (u8 *)page, 9), VGPU_LCP_FITS);
	assert_int_equal(lcp.units, 8);
}

/* Ratio 1.5: 16 units for three pages; 2: 4 for each; 8 and more: one. */
static void synthetic(void **state)
{
	struct vgpu_lcp lcp;
	u32 units = 0;

	(void)state;
	for (u64 n = 0; n < 3; n++) {
		vgpu_lcp_synthetic(&lcp, 150, n);
		units += lcp.units;
	}
	assert_int_equal(units, 16);
	vgpu_lcp_synthetic(&lcp, 200, 12345);
	assert_int_equal(lcp.units, 4);
	assert_int_equal(lcp.target, 32);
	fill(64);
	assert_int_equal(vgpu_lcp_write(&lcp, (u8 *)page, 9), VGPU_LCP_FITS);
	vgpu_lcp_synthetic(&lcp, 800, 7);
	assert_int_equal(lcp.units, 1);
	vgpu_lcp_synthetic(&lcp, 100, 7);
	assert_int_equal(lcp.units, 8);
}

/* 16 ways: frames 32 apart are in one set. */
static void metadata(void **state)
{
	static struct vgpu_metadata_cache cache;

	(void)state;
	for (u64 n = 1; n <= 512; n++)
		assert_false(vgpu_metadata_use(&cache, n));
	for (u64 n = 1; n <= 512; n++)
		assert_true(vgpu_metadata_use(&cache, n));
	/* 513 takes the place of 1, which was used longest ago of 1, 33, 65, ... */
	assert_false(vgpu_metadata_use(&cache, 513));
	assert_true(vgpu_metadata_use(&cache, 33));
	assert_true(vgpu_metadata_use(&cache, 2));
	assert_false(vgpu_metadata_use(&cache, 1));
	assert_true(vgpu_metadata_use(&cache, 33));
	/* what is gone leaves its place, which is taken first */
	vgpu_metadata_forget(&cache, 97);
	assert_false(vgpu_metadata_use(&cache, 545));
	assert_true(vgpu_metadata_use(&cache, 129));
	assert_false(vgpu_metadata_use(&cache, 97));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_for_exceptions),
		cmocka_unit_test(pages_of_one_kind),
		cmocka_unit_test(exceptions),
		cmocka_unit_test(writes),
		cmocka_unit_test(synthetic),
		cmocka_unit_test(metadata),
	};

	return cmocka_run_group_tests_name("LCP", tests, NULL, NULL);
}
