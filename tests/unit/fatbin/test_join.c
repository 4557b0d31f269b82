// SPDX-License-Identifier: MIT
/*
 * Linking of PTX: what modules share, what is their own, what is left out, what is refused. The
 * result is compiled: names that are missing or defined twice would be errors there.
 */
#include <errno.h>

#include "compile/compile.h"
#include "fat_build.h"

#define HEAD	".version 7.0\n.target sm_70\n.address_size 64\n"
#define KERNEL(name, body)								\
	".visible .entry " name "()\n{\n .reg .u32 %r<4>; .reg .u64 %rd<4>;\n" body " ret;\n}\n"

static char message[512];

static int join(unsigned int count, const char *const *texts, char **out)
{
	return vgpu_ptx_join(texts, count, out, message, sizeof(message));
}

/* The program that the joined text is. */
static struct vgpu_program *compiled(unsigned int count, const char *const *texts)
{
	struct vgpu_program *program;
	char *text, *said = NULL;

	if (join(count, texts, &text))
		fail_msg("%s", message);
	if (vgpu_compile_ptx(text, strlen(text), NULL, &program, &said))
		fail_msg("%s in:\n%s", said, text);
	free(text);
	return program;
}

static bool has_symbol(const struct vgpu_program *program, const char *name, uint32_t value)
{
	uint32_t found;

	for (uint32_t i = 0; i < program->symbol_count; i++)
		if (!strcmp(program->symbols[i].name, name)) {
			memcpy(&found, program->data + program->symbols[i].offset, 4);
			return found == value;
		}
	return false;
}

/* As clang writes down a kernel of another file that host code launches. */
static void kernels_may_be_declared(void **state)
{
	static const char *const texts[] = {
		HEAD ".extern .func other\n(\n .param .b64 p\n)\n;\n" KERNEL("k", ""),
		HEAD ".extern .entry other ();\n" KERNEL("k2", ""),
		HEAD KERNEL("other", ""),
		/* a kernel of no file */
		HEAD ".extern .entry nobodys ();\n.visible .global .align 4 .u32 seen = 5;\n",
	};
	struct vgpu_program *program = compiled(4, texts);

	(void)state;
	assert_int_equal(program->kernel_count, 3);
	assert_true(has_symbol(program, "seen", 5));
	vgpu_program_free(program);
}

static void functions_and_variables_are_found_in_other_modules(void **state)
{
	static const char *const texts[] = {
		HEAD ".extern .func (.param .b32 r) f (.param .b32 x);\n"
		".extern .global .align 4 .b8 table[16];\n"
		KERNEL("k", " .param .b32 a, b; mov.u32 %r1, 5; st.param.b32 [a], %r1;\n"
			    " call (b), f, (a); ld.param.b32 %r2, [b];\n"
			    " st.global.u32 [table + 8], %r2;\n"),
		HEAD ".visible .global .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
		".visible .func (.param .b32 r) f (.param .b32 x)\n"
		"{ .reg .u32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r2, %r1, 1;\n"
		"  st.param.b32 [r], %r2; ret; }\n",
	};
	const char *const reverse[] = { texts[1], texts[0] };
	struct vgpu_program *program = compiled(2, texts);

	(void)state;
	assert_int_equal(program->kernel_count, 1);
	assert_true(has_symbol(program, "table", 1));
	vgpu_program_free(program);
	vgpu_program_free(compiled(2, reverse));
}

/* Both have a helper() and a text of their own by the same names. */
static void names_that_are_not_exported_stay_apart(void **state)
{
	static const char *const texts[] = {
		HEAD ".global .align 4 .u32 own = 10;\n.func helper () { ret; }\n"
		KERNEL("one", " call helper, (); ld.global.u32 %r1, [own];\n"),
		HEAD ".global .align 4 .u32 own = 20;\n.func helper () { ret; }\n"
		KERNEL("two", " call helper, (); mov.u64 %rd1, own; ld.u32 %r1, [%rd1];\n"),
	};
	struct vgpu_program *program = compiled(2, texts);

	(void)state;
	assert_int_equal(program->kernel_count, 2);
	assert_string_equal(program->kernels[1].name, "two");
	assert_true(has_symbol(program, "own$m1", 10));
	assert_true(has_symbol(program, "own$m2", 20));
	vgpu_program_free(program);
}

static void of_weak_definitions_one_stays(void **state)
{
	static const char *const texts[] = {
		HEAD ".weak .global .align 4 .u32 w = 1;\n.weak .func f () { ret; }\n"
		KERNEL("one", " call f, ();\n"),
		HEAD ".weak .global .align 4 .u32 w = 2;\n.weak .func f () { ret; }\n"
		KERNEL("two", " call f, ();\n"),
		HEAD ".visible .global .align 4 .u32 w = 3;\n",
	};
	struct vgpu_program *program = compiled(2, texts);

	(void)state;
	assert_true(has_symbol(program, "w", 1));
	assert_int_equal(program->symbol_count, 1);
	vgpu_program_free(program);
	/* a strong one goes before all weak ones */
	program = compiled(3, texts);
	assert_true(has_symbol(program, "w", 3));
	assert_int_equal(program->symbol_count, 1);
	vgpu_program_free(program);
}

static void two_definitions_are_refused_by_name(void **state)
{
	static const char *const texts[] = {
		HEAD ".visible .func f () { ret; }\n" KERNEL("one", ""),
		HEAD ".visible .func f () { ret; }\n" KERNEL("two", ""),
	};
	const char *const bad[] = { texts[0], "no PTX" };
	char *text;

	(void)state;
	assert_int_equal(join(2, texts, &text), -EINVAL);
	assert_non_null(strstr(message, "`f' is defined in module 1 and again in module 2"));
	assert_int_equal(join(2, bad, &text), -EINVAL);
	assert_non_null(strstr(message, "module 2"));
}

/* The third needs what nobody has, and nobody needs it; the fourth is needed by the second. */
static void modules_that_nobody_needs_are_left_out(void **state)
{
	static const char *const texts[] = {
		HEAD ".extern .func g ();\n" KERNEL("one", " call g, ();\n"),
		HEAD ".extern .func h ();\n.visible .func g () { call h, (); ret; }\n",
		HEAD ".extern .func nowhere ();\n.visible .global .align 4 .u32 v = 1;\n"
		".visible .func unused () { call nowhere, (); ret; }\n",
		HEAD ".visible .func h () { ret; }\n",
	};
	struct vgpu_program *program = compiled(4, texts);

	(void)state;
	assert_int_equal(program->kernel_count, 1);
	assert_int_equal(program->symbol_count, 0);
	vgpu_program_free(program);
}

static void text_that_ends_anywhere_has_an_answer(void **state)
{
	static const char whole[] = HEAD ".visible .global .align 4 .u32 v[2] = {1, 2};\n/* c */"
				    ".weak .func f (.param .b32 x) { { ret; } }\n"
				    ".section .debug { .b8 1 }\n.pragma \"a\";\n" KERNEL("k", "");
	char cut[sizeof(whole)], *text;
	const char *const texts[] = { cut, whole };

	(void)state;
	for (size_t i = 0; i < sizeof(whole); i++) {
		memcpy(cut, whole, i);
		cut[i] = 0;
		if (join(2, texts, &text) == 0)
			free(text);
	}
}

static void append(void *of, const char *name, size_t length, unsigned int module,
		   unsigned int first)
{
	char *list = of;

	sprintf(list + strlen(list), "%.*s %u %u;", (int)length, name, module, first);
}

static void what_objects_define_twice_is_found(void **state)
{
	static const char *const texts[] = {
		HEAD ".visible .func one() { ret; }\n.weak .func both() { ret; }\n",
		HEAD ".extern .func one;\n.weak .func both() { ret; }\n.func own() { ret; }\n",
		HEAD ".func own() { ret; }\n.visible .global .u32 value = 1;\n",
		HEAD ".visible .global .u32 value;\n.visible .func one() { ret; }\n",
		HEAD ".visible .global .u32 value;\n",
	};
	char list[128] = "";

	(void)state;
	assert_int_equal(vgpu_ptx_twice(texts, 3, append, list), 0);
	assert_string_equal(list, "");
	assert_int_equal(vgpu_ptx_twice(texts, 5, append, list), 3);
	assert_string_equal(list, "value 3 2;one 3 0;value 4 2;");
}

/* Of modules that are wanted; what the compiler brings is not missing. */
static void all_that_nobody_defines_is_found(void **state)
{
	static const char *const texts[] = {
		HEAD ".extern .func one;\n.extern .func one;\n.extern .func two;\n"
		     ".extern .func vprintf;\n.visible .entry k() { call one; call two; ret; }\n",
		HEAD ".extern .func three;\n.visible .func two() { call three; ret; }\n"
		     ".extern .global .u32 value;\n",
		HEAD ".extern .func nobody;\n.visible .func spare() { call nobody; ret; }\n",
		HEAD ".visible .func one() { ret; }\n.visible .func three() { ret; }\n"
		     ".visible .global .u32 value;\n",
	};
	char list[128] = "";

	(void)state;
	assert_int_equal(vgpu_ptx_missing(texts, 3, append, list), 3);
	assert_string_equal(list, "one 0 0;three 1 0;value 1 0;");
	list[0] = 0;
	assert_int_equal(vgpu_ptx_missing(texts, 4, append, list), 0);
	assert_string_equal(list, "");
}

/* NVIDIA's device runtime is left out, whatever needs it: the compiler has another one. */
static void the_device_runtime_is_left_out(void **state)
{
	static const char *const texts[] = {
		HEAD ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, "
		     ".param .b64 b);\n"
		KERNEL("k", " .reg .b32 %s; { .param .b64 a; .param .b64 b; .param .b32 r;\n"
			    " mov.u64 %rd1, 0; st.param.b64 [a], %rd1; st.param.b64 [b], %rd1;\n"
			    " call (r), __cudaCDP2LaunchDeviceV2, (a, b);\n"
			    " ld.param.b32 %s, [r]; }\n"),
		HEAD ".visible .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, "
		     ".param .b64 b)\n{ ret; }\n.visible .global .u32 theirs = 1;\n",
	};
	struct vgpu_program *program = compiled(2, texts);

	(void)state;
	assert_false(has_symbol(program, "theirs", 1));
	assert_true(program->uses_launch);
	assert_true(program->kernels[0].uses_launch);
	vgpu_program_free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_and_variables_are_found_in_other_modules),
		cmocka_unit_test(kernels_may_be_declared),
		cmocka_unit_test(names_that_are_not_exported_stay_apart),
		cmocka_unit_test(of_weak_definitions_one_stays),
		cmocka_unit_test(two_definitions_are_refused_by_name),
		cmocka_unit_test(modules_that_nobody_needs_are_left_out),
		cmocka_unit_test(text_that_ends_anywhere_has_an_answer),
		cmocka_unit_test(what_objects_define_twice_is_found),
		cmocka_unit_test(all_that_nobody_defines_is_found),
		cmocka_unit_test(the_device_runtime_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
