// SPDX-License-Identifier: MIT
/*
 * Images of vgpucc: which of several a device takes, what they are called, and those that end
 * before they should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fatbin/own.h"

#define SM(n, arch)	((uint32_t)(arch) << (8 + 8 * (n)))

struct images {
	_Alignas(8) char bytes[1024];
	size_t size;
};

/* An image behind the others, at a multiple of 8 as vgpucc has it. */
static void add(struct images *images, uint32_t flags, const char *text)
{
	struct vgpu_own head = { VGPU_OWN_MARK, 0, flags };

	memcpy(images->bytes + images->size, &head, sizeof(head));
	strcpy(images->bytes + images->size + sizeof(head), text);
	images->size = (images->size + sizeof(head) + strlen(text) + 1 + 7) / 8 * 8;
}

/* The architecture in the text that a device of @arch takes; 0: none. */
static int taken(const struct images *images, unsigned int arch, bool strict)
{
	const struct vgpu_own *own = vgpu_own_pick((const void *)images->bytes, arch, strict);

	return own ? atoi(strstr(own->ptx, "sm_") + 3) : 0;
}

#define PTX(arch)	".version 7.0\n.target sm_" #arch "\n"

/* -gencode arch=compute_70,code=sm_70, compute_75 for sm_75 and 80, and 80 and 90 as PTX */
static void the_best_is_taken(void **state)
{
	struct images images = { 0 };
	char names[80], few[12];

	(void)state;
	add(&images, VGPU_OWN_MORE | VGPU_OWN_REAL | SM(0, 70), PTX(70));
	add(&images, VGPU_OWN_MORE | VGPU_OWN_REAL | SM(0, 75) | SM(1, 80), PTX(75));
	add(&images, VGPU_OWN_MORE, PTX(80));
	add(&images, 0, PTX(90));
	assert_int_equal(taken(&images, 70, true), 70);
	assert_int_equal(taken(&images, 72, true), 70);
	assert_int_equal(taken(&images, 75, true), 75);
	/* code for the major number comes before newer PTX */
	assert_int_equal(taken(&images, 80, true), 75);
	assert_int_equal(taken(&images, 86, true), 75);
	assert_int_equal(taken(&images, 90, true), 90);
	vgpu_own_names((const void *)images.bytes, names, sizeof(names));
	assert_string_equal(names, "sm_70, sm_75, sm_80, compute_80, compute_90");
	vgpu_own_names((const void *)images.bytes, few, sizeof(few));
	assert_string_equal(few, "sm_70, sm_7");
	assert_int_equal(vgpu_own_bytes(images.bytes, images.size), images.size);
}

static void code_for_others_is_not_taken(void **state)
{
	struct images real = { 0 }, ptx = { 0 };

	(void)state;
	add(&real, VGPU_OWN_REAL | SM(0, 80), PTX(80));
	assert_int_equal(taken(&real, 75, true), 0);
	assert_int_equal(taken(&real, 80, true), 80);
	assert_int_equal(taken(&real, 89, true), 80);
	assert_int_equal(taken(&real, 90, true), 0);
	assert_int_equal(taken(&real, 90, false), 80);
	add(&ptx, VGPU_OWN_MORE, PTX(90));
	add(&ptx, 0, PTX(86));
	assert_int_equal(taken(&ptx, 80, true), 0);
	assert_int_equal(taken(&ptx, 80, false), 86);
	assert_int_equal(taken(&ptx, 89, true), 86);
	assert_int_equal(taken(&ptx, 90, true), 90);
	assert_true(vgpu_own_names_arch((const void *)real.bytes, 80));
	assert_false(vgpu_own_names_arch((const void *)real.bytes, 86));
	assert_true(vgpu_own_names_arch((const void *)ptx.bytes, 90));
}

/* Every prefix but those that lack only what fills up the last one. */
static void what_is_not_whole_is_noticed(void **state)
{
	struct images images = { 0 };
	size_t least;

	(void)state;
	add(&images, VGPU_OWN_MORE, PTX(70));
	least = images.size + sizeof(struct vgpu_own) + strlen(PTX(80)) + 1;
	add(&images, 0, PTX(80));
	for (size_t size = 0; size <= images.size; size++) {
		char *copy = malloc(size + 1);

		memcpy(copy, images.bytes, size);
		assert_int_equal(vgpu_own_bytes(copy, size), size < least ? 0 : size);
		free(copy);
	}
	images.bytes[0] = 'v';
	assert_int_equal(vgpu_own_bytes(images.bytes, images.size), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_is_taken),
		cmocka_unit_test(code_for_others_is_not_taken),
		cmocka_unit_test(what_is_not_whole_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
