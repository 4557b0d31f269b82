// SPDX-License-Identifier: MIT
/*
 * NVTX (runtime/nvtx): a program's header hands in tables of pointers, here as NVTX 3 does it; what
 * it calls ranges and streams is in the trace and in the file of VGPU_STATS.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "rig.h"

enum { CORE = 1, CUDART = 4, MODULES = 5, IDS = 16 };

typedef void function(void);

static function *pointers[MODULES][IDS];
static function **table[MODULES][IDS];

static int table_of(unsigned int module, function ***(*out), unsigned int *count)
{
	if (module >= MODULES)
		return 0;
	for (unsigned int n = 0; n < IDS; n++)
		table[module][n] = &pointers[module][n];
	*out = table[module];
	*count = IDS;
	return 1;
}

static const struct {
	size_t bytes;
	int (*table)(unsigned int module, function ***(*out), unsigned int *count);
} callbacks = { sizeof(callbacks), table_of };

static const void *export_table(uint32_t id)
{
	return id == 1 ? &callbacks : NULL;
}

static const void *no_table(uint32_t id)
{
	(void)id;
	return NULL;
}

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id));
int InitializeInjectionNvtx2Preinject(const void *(*export_table)(uint32_t id));

static int push(const char *text)
{
	return ((int (*)(const char *))pointers[CORE][9])(text);
}

static int push_wide(const wchar_t *text)
{
	return ((int (*)(const wchar_t *))pointers[CORE][10])(text);
}

static int pop(void)
{
	return ((int (*)(void))pointers[CORE][11])();
}

static void tables_are_filled(void **state)
{
	(void)state;
	assert_int_equal(InitializeInjectionNvtx2(NULL), 0);
	assert_int_equal(InitializeInjectionNvtx2(no_table), 0);
	assert_null(pointers[CORE][9]);
	assert_int_equal(InitializeInjectionNvtx2Preinject(export_table), 1);
	assert_non_null(pointers[CORE][9]);
	/* marks do nothing: what was there stays */
	assert_null(pointers[CORE][2]);
	assert_true(pop() < 0);
	assert_int_equal(push("a"), 0);
	assert_int_equal(push("b"), 1);
	assert_int_equal(pop(), 0);
	assert_int_equal(pop(), 0);
	assert_true(pop() < 0);
	for (int n = 0; n < 100; n++)
		assert_int_equal(push("deep"), n);
	for (int n = 0; n < 100; n++)
		assert_int_equal(pop(), 0);
	assert_true(pop() < 0);
}

static const char *range_of(const json_t *all, size_t launch)
{
	const json_t *list = json_object_get(all, "launches");

	return json_string_value(json_object_get(json_array_get(list, launch), "range"));
}

static void launches_have_the_name_of_their_range(void **state)
{
	char path[64] = "/tmp/vgpu-nvtx-XXXXXX";
	const json_t *streams;
	struct rig rig;
	uint32_t *words;
	json_t *all;

	(void)state;
	close(mkstemp(path));
	unlink(path);
	strcat(path, ".json");
	setenv("VGPU_STATS", path, 1);
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	((void (*)(void *, const char *))pointers[CUDART][3])(NULL, "main stream");
	push("epoch");
	OK(rig_add(&rig, words, 1, NULL));
	push_wide(L"step \x4e2d");
	OK(rig_add(&rig, words, 1, NULL));
	pop();
	OK(rig_add(&rig, words, 1, NULL));
	pop();
	OK(rig_add(&rig, words, 1, NULL));
	assert_int_equal(rig_read(words), 4);
	rig_end();
	unsetenv("VGPU_STATS");
	all = json_load_file(path, 0, NULL);
	assert_non_null(all);
	assert_int_equal(json_array_size(json_object_get(all, "launches")), 4);
	assert_string_equal(range_of(all, 0), "epoch");
	assert_string_equal(range_of(all, 1), "step ?");
	assert_string_equal(range_of(all, 2), "epoch");
	assert_null(range_of(all, 3));
	streams = json_object_get(all, "sum_by_stream");
	assert_string_equal(json_string_value(json_object_get(json_array_get(streams, 0), "name")),
			    "main stream");
	json_decref(all);
	unlink(path);
}

/* Of 94 letters and a character of two bytes 95 would be kept: the character is left out. */
static void names_are_cut_between_characters(void **state)
{
	char path[64] = "/tmp/vgpu-nvtx-XXXXXX", name[128], whole[128], other[128];
	struct rig rig;
	uint32_t *words;
	json_t *all;

	(void)state;
	close(mkstemp(path));
	unlink(path);
	strcat(path, ".json");
	memset(name, 'x', sizeof(name));
	strcpy(name + 94, "\xc3\xa9 and more");
	snprintf(whole, sizeof(whole), "%.94s", name);
	snprintf(other, sizeof(other), "%.95s", name + 1);
	setenv("VGPU_STATS", path, 1);
	rig_begin(&rig, NULL, NULL);
	words = rig_words(1);
	push(name);
	OK(rig_add(&rig, words, 1, NULL));
	push(name + 1);
	OK(rig_add(&rig, words, 1, NULL));
	pop();
	pop();
	assert_int_equal(rig_read(words), 2);
	rig_end();
	unsetenv("VGPU_STATS");
	all = json_load_file(path, 0, NULL);
	assert_non_null(all);
	assert_string_equal(range_of(all, 0), whole);
	assert_string_equal(range_of(all, 1), other);
	json_decref(all);
	unlink(path);
}

/* Each rig has a device of its own: with its last context it ends. */
static void launches_before_a_reset_stay(void **state)
{
	char path[64] = "/tmp/vgpu-nvtx-XXXXXX";
	json_t *all;

	(void)state;
	close(mkstemp(path));
	unlink(path);
	strcat(path, ".json");
	setenv("VGPU_STATS", path, 1);
	for (int n = 0; n < 2; n++) {
		struct rig rig;
		uint32_t *words;

		rig_begin(&rig, NULL, NULL);
		words = rig_words(1);
		OK(rig_add(&rig, words, 1, NULL));
		assert_int_equal(rig_read(words), 1);
		rig_end();
	}
	unsetenv("VGPU_STATS");
	all = json_load_file(path, 0, NULL);
	assert_non_null(all);
	assert_int_equal(json_array_size(json_object_get(all, "launches")), 2);
	assert_int_equal(json_array_size(json_object_get(all, "sum_by_context")), 2);
	assert_true(json_is_true(json_object_get(all, "complete")));
	json_decref(all);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_filled),
		cmocka_unit_test(launches_have_the_name_of_their_range),
		cmocka_unit_test(launches_before_a_reset_stay),
		cmocka_unit_test(names_are_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
