// SPDX-License-Identifier: MIT
/*
 * Fat binaries: what is found in them, in which order, and what becomes of those that are
 * truncated, damaged, or made to harm.
 */
#include <errno.h>
#include <sys/mman.h>

#include "fat_build.h"

#define PTX(arch)	".version 7.0\n.target sm_" #arch "\n.address_size 64\n// " #arch "\n"

static char message[512];

static int look(const void *data, size_t bytes, struct vgpu_image *image)
{
	return vgpu_image_read(data, bytes, 70, image, message, sizeof(message));
}

static void ptx_is_found_whatever_packs_it(void **state)
{
	static const enum vgpu_packing packings[] = { VGPU_PLAIN, VGPU_LZ4, VGPU_ZSTD };
	struct vgpu_image image;
	struct fat fat;

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		fat_begin(&fat);
		fat_add_sass(&fat, 70);
		fat_add_ptx(&fat, 70, PTX(70), packings[i]);
		assert_int_equal(look(fat.bytes, 0, &image), 0);
		assert_int_equal(image.count, 1);
		assert_int_equal(image.ptx[0].arch, 70);
		assert_string_equal(image.ptx[0].text, PTX(70));
		assert_string_equal(image.contents, "SASS for sm_70; PTX for compute_70");
		vgpu_image_free(&image);
	}
}

/* For 70: 70, 60, 52 need nothing newer, the newest of them first; then 75 before 90. */
static void ptx_is_tried_in_order(void **state)
{
	static const struct {
		unsigned int arch, count, order[5];
	} cases[] = {
		{ 70, 3, { 70, 60, 52, 75, 90 } },
		{ 50, 0, { 52, 60, 70, 75, 90 } },
		{ 80, 4, { 75, 70, 60, 52, 90 } },
		{ 90, 5, { 90, 75, 70, 60, 52 } },
	};
	struct vgpu_image image;
	struct fat fat;

	(void)state;
	fat_begin(&fat);
	fat_add_ptx(&fat, 90, PTX(90), VGPU_PLAIN);
	fat_add_ptx(&fat, 60, PTX(60), VGPU_ZSTD);
	fat_add_ptx(&fat, 75, PTX(75), VGPU_LZ4);
	fat_add_ptx(&fat, 70, PTX(70), VGPU_PLAIN);
	fat_add_ptx(&fat, 52, PTX(52), VGPU_PLAIN);
	assert_int_equal(look(fat.bytes, 0, &image), 0);
	assert_int_equal(image.count, 5);
	assert_false(image.text);
	for (unsigned int n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		unsigned int arch = cases[n].arch;

		for (unsigned int i = 0; i < 5; i++) {
			const struct vgpu_image_ptx *ptx = vgpu_image_try(&image, arch, true, i);

			assert_int_equal(ptx ? ptx->arch : 0,
					 i < cases[n].count ? cases[n].order[i] : 0);
			ptx = vgpu_image_try(&image, arch, false, i);
			assert_int_equal(ptx->arch, cases[n].order[i]);
		}
		assert_null(vgpu_image_try(&image, arch, false, 5));
	}
	vgpu_image_free(&image);
}

static void without_ptx_the_message_says_what_to_build(void **state)
{
	struct vgpu_image image;
	struct fat fat;

	(void)state;
	fat_begin(&fat);
	fat_add_sass(&fat, 80);
	fat_add_sass(&fat, 86);
	assert_int_equal(look(fat.bytes, 0, &image), -ENOENT);
	assert_non_null(strstr(message, "SASS for sm_80, sm_86"));
	assert_non_null(strstr(message, "-gencode arch=compute_70,code=compute_70"));
	fat_begin(&fat);
	assert_int_equal(look(fat.bytes, 0, &image), -ENOENT);
	assert_non_null(strstr(message, "empty"));
}

/* Each prefix of a fat binary, as long as it is said to be: the whole one is 16 + 64 + 48 bytes. */
static void truncated_ones_are_refused(void **state)
{
	struct vgpu_image image;
	struct fat fat;
	uint8_t *copy;

	(void)state;
	fat_begin(&fat);
	fat_add_ptx(&fat, 70, PTX(70), VGPU_ZSTD);
	for (size_t size = 4; size < fat.size; size++) {
		copy = malloc(size);
		memcpy(copy, fat.bytes, size);
		assert_int_equal(look(copy, size, &image), -EINVAL);
		assert_string_not_equal(message, "");
		free(copy);
	}
	assert_int_equal(look(fat.bytes, fat.size, &image), 0);
	vgpu_image_free(&image);
}

/* Any byte of the headers and of the packed text with any value: an answer, whichever. */
static void damaged_ones_have_an_answer(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct vgpu_image image;
	struct fat fat, damaged;

	(void)state;
	fat_begin(&fat);
	fat_add_ptx(&fat, 70, PTX(70), VGPU_LZ4);
	fat_add_ptx(&fat, 75, PTX(75), VGPU_ZSTD);
	for (size_t at = 0; at < fat.size; at++)
		for (unsigned int i = 0; i < sizeof(values); i++) {
			damaged = fat;
			damaged.bytes[at] = values[i];
			if (look(damaged.bytes, fat.size, &image) == 0)
				vgpu_image_free(&image);
		}
}

static void sizes_that_overflow_are_refused(void **state)
{
	struct vgpu_image image;
	struct fat fat;

	(void)state;
	fat_begin(&fat);
	fat_add_ptx(&fat, 70, PTX(70), VGPU_PLAIN);
	memset(fat.bytes + 16 + 8, 0xff, 8);		/* of the entry */
	assert_int_equal(look(fat.bytes, 0, &image), -EINVAL);
	fat_begin(&fat);
	fat_add_ptx(&fat, 70, PTX(70), VGPU_PLAIN);
	memset(fat.bytes + 8, 0xff, 8);			/* of all entries */
	assert_int_equal(look(fat.bytes, 0, &image), -EINVAL);
	fat_begin(&fat);
	fat_add_ptx(&fat, 70, PTX(70), VGPU_ZSTD);
	memset(fat.bytes + 16 + 56, 0xff, 8);		/* when unpacked */
	assert_int_equal(look(fat.bytes, 0, &image), -EINVAL);
}

/* One entry may have 512 MB, and all together: the second says it has, behind one that has some. */
static void all_entries_together_are_bounded(void **state)
{
	const uint32_t most = 512u << 20;
	struct vgpu_image image;
	struct fat fat;
	size_t second;

	(void)state;
	fat_begin(&fat);
	fat_add_ptx(&fat, 70, PTX(70), VGPU_ZSTD);
	second = fat.size;
	fat_add_ptx(&fat, 60, PTX(60), VGPU_ZSTD);
	memcpy(fat.bytes + second + 56, &most, 4);
	assert_int_equal(look(fat.bytes, 0, &image), -EINVAL);
	assert_non_null(strstr(message, "512 MB"));
}

static void memory_that_is_not_there_is_noticed(void **state)
{
	uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	struct vgpu_image image;
	struct fat fat;

	(void)state;
	assert_ptr_not_equal(pages, MAP_FAILED);
	mprotect(pages + 4096, 4096, PROT_NONE);
	assert_int_equal(look(NULL, 0, &image), -EFAULT);
	assert_int_equal(look(pages + 4096, 0, &image), -EFAULT);
	/* text, and a fat binary, that go on where nothing is */
	memset(pages, ' ', 4096);
	memcpy(pages, ".version", 8);
	assert_int_equal(look(pages, 0, &image), -EINVAL);
	assert_non_null(strstr(message, "does not end"));
	fat_begin(&fat);
	fat_add_ptx(&fat, 70, PTX(70), VGPU_PLAIN);
	memcpy(pages + 4096 - 40, fat.bytes, 40);
	assert_int_equal(look(pages + 4096 - 40, 0, &image), -EINVAL);
	memcpy(pages + 4096 - 8, fat.bytes, 8);
	assert_int_equal(look(pages + 4096 - 8, 0, &image), -EINVAL);
	memcpy(pages + 4096 - 64, "\177ELF\2\1", 6);
	assert_int_equal(look(pages + 4096 - 64, 0, &image), -EINVAL);
	munmap(pages, 8192);
}

static void wrappers_lead_to_fat_binaries(void **state)
{
	struct fat first, second;
	const void *list[] = { first.bytes, second.bytes, NULL };
	struct vgpu_wrapper one = { VGPU_WRAPPER_MAGIC, 1, first.bytes, NULL },
			    two = { VGPU_WRAPPER_MAGIC, 2, first.bytes, list }, none = one;
	struct vgpu_image image;

	(void)state;
	fat_begin(&first);
	fat_add_ptx(&first, 70, PTX(70) ".visible .global .align 4 .u32 a = 1;\n", VGPU_PLAIN);
	fat_begin(&second);
	fat_add_ptx(&second, 75, PTX(75) ".visible .global .align 4 .u32 b = 2;\n", VGPU_LZ4);
	assert_int_equal(look(&one, 0, &image), 0);
	assert_null(strstr(image.ptx[0].text, "b = 2"));
	vgpu_image_free(&image);
	/* linked */
	assert_int_equal(look(&two, 0, &image), 0);
	assert_int_equal(image.count, 1);
	assert_non_null(strstr(image.ptx[0].text, "a = 1"));
	assert_non_null(strstr(image.ptx[0].text, "b = 2"));
	vgpu_image_free(&image);
	/* once for each architecture for which there is code of both */
	fat_add_ptx(&second, 70, PTX(70) ".visible .global .align 4 .u32 c = 3;\n", VGPU_PLAIN);
	assert_int_equal(look(&two, 0, &image), 0);
	assert_int_equal(image.count, 2);
	assert_int_equal(image.ptx[0].arch, 75);
	assert_non_null(strstr(image.ptx[0].text, "b = 2"));
	assert_int_equal(image.ptx[1].arch, 70);
	assert_non_null(strstr(image.ptx[1].text, "a = 1"));
	assert_non_null(strstr(image.ptx[1].text, "c = 3"));
	vgpu_image_free(&image);
	none.data = NULL;
	assert_int_equal(look(&none, 0, &image), -EINVAL);
	none.data = PTX(70);
	assert_int_equal(look(&none, 0, &image), -EINVAL);
}

static void text_says_what_it_is(void **state)
{
	static const struct {
		const char *text;
		bool ptx;
		unsigned int major, minor, arch;
	} cases[] = {
		{ ".version 6.3\n.target sm_70\n", true, 6, 3, 70 },
		{ "// c\n/* d */ .version 9.0\n.target sm_90a, debug\n", true, 9, 0, 90 },
		{ ".version 12.34", true, 12, 34, 0 },
		{ ".version\n", true, 0, 0, 0 },
		{ "", false, 0, 0, 0 },
		{ "/* .version 6.0", false, 0, 0, 0 },
		{ "int main()", false, 0, 0, 0 },
	};
	struct vgpu_ptx_head head;
	struct vgpu_image image;

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(vgpu_ptx_head(cases[i].text, strlen(cases[i].text), &head),
				 cases[i].ptx);
		assert_int_equal(head.major, cases[i].major);
		assert_int_equal(head.minor, cases[i].minor);
		assert_int_equal(head.arch, cases[i].arch);
	}
	assert_int_equal(look("int main()", 0, &image), -EINVAL);
	assert_non_null(strstr(message, ".version"));
	assert_int_equal(look(PTX(86), 0, &image), 0);
	assert_int_equal(image.ptx[0].arch, 86);
	assert_true(image.text);
	vgpu_image_free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ptx_is_found_whatever_packs_it),
		cmocka_unit_test(ptx_is_tried_in_order),
		cmocka_unit_test(without_ptx_the_message_says_what_to_build),
		cmocka_unit_test(truncated_ones_are_refused),
		cmocka_unit_test(damaged_ones_have_an_answer),
		cmocka_unit_test(sizes_that_overflow_are_refused),
		cmocka_unit_test(all_entries_together_are_bounded),
		cmocka_unit_test(memory_that_is_not_there_is_noticed),
		cmocka_unit_test(wrappers_lead_to_fat_binaries),
		cmocka_unit_test(text_says_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
