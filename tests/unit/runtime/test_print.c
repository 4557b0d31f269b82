// SPDX-License-Identifier: MIT
/*
 * printf() in kernels as the host sees it: the text of records, also of wrong ones; modules that
 * share the buffer or are gone when it is printed; devices with a buffer each; its size.
 */
#include <unistd.h>

#include "print/format.h"
#include "print/print.h"
#include "rig.h"
#include "state.h"

/* ---- records ------------------------------------------------------------- */

/* A record without its header. */
struct record {
	uint64_t words[64];
	uint64_t count;
	uint32_t arguments;
};

static void add_word(struct record *record, uint64_t word)
{
	record->words[record->count++] = word;
}

static void add_text(struct record *record, const char *text)
{
	size_t bytes = strlen(text);

	add_word(record, bytes + 1);
	memcpy(&record->words[record->count], text, bytes);
	record->count += (bytes + 7) / 8;
}

static struct record record_of(const char *format, uint32_t arguments)
{
	struct record record = { .arguments = arguments };

	add_text(&record, format);
	return record;
}

/* What is printed; the words end where memory does, so that a read behind them is seen. */
static bool print_to(char *text, size_t size, const uint64_t *words, uint64_t count,
		     uint32_t arguments)
{
	uint64_t *exact = malloc(count ? count * 8 : 1);
	FILE *out = fmemopen(text, size, "w");
	bool whole;

	memcpy(exact, words, count * 8);
	whole = vgpu_print_record(out, exact, count, arguments);
	fclose(out);
	free(exact);
	return whole;
}

static void expect_text(const struct record *record, const char *want)
{
	char text[256] = "";

	assert_true(print_to(text, sizeof(text), record->words, record->count, record->arguments));
	assert_string_equal(text, want);
}

static void failed_assertions(void **state)
{
	struct record record = { .count = 0 };
	char text[256];

	(void)state;
	add_text(&record, "x > 0");
	add_text(&record, "a.cu");
	add_word(&record, 0);		/* no function */
	for (uint64_t n = 10; n < 17; n++)
		add_word(&record, n);
	for (uint64_t count = 0; count <= record.count; count++) {
		FILE *out = fmemopen(text, sizeof(text), "w");

		text[0] = 0;
		assert_int_equal(vgpu_print_assertion(out, record.words, count),
				 count == record.count);
		fclose(out);
		assert_string_equal(text, count < record.count ? "" :
				    "a.cu:10: : block: [11,12,13], thread: [14,15,16] Assertion "
				    "`x > 0` failed.\n");
	}
}

static void specs_of_formats(void **state)
{
	static const struct {
		const char *text;
		unsigned int bytes, kind, stars;
	} specs[] = {
		{ "%d", 2, VGPU_PRINT_INT, 0 },
		{ "%-+ #0*.*d", 10, VGPU_PRINT_INT, 2 },
		{ "%12.34lx", 8, VGPU_PRINT_LONG, 0 },
		{ "%hhu", 4, VGPU_PRINT_INT, 0 },
		{ "%zu", 3, VGPU_PRINT_LONG, 0 },
		{ "%Lf", 3, VGPU_PRINT_DOUBLE, 0 },
		{ "%.*s!", 4, VGPU_PRINT_STRING, 1 },
		{ "%p", 2, VGPU_PRINT_POINTER, 0 },
		{ "%lc", 3, VGPU_PRINT_INT, 0 },
		{ "%%", 2, VGPU_PRINT_PERCENT, 0 },
		{ "%5%", 3, VGPU_PRINT_NONE, 0 },
		{ "%n", 2, VGPU_PRINT_NONE, 0 },
		{ "%*", 3, VGPU_PRINT_NONE, 1 },
		{ "%", 2, VGPU_PRINT_NONE, 0 },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct vgpu_print_spec spec = vgpu_print_spec(specs[i].text);

		assert_int_equal(spec.bytes, specs[i].bytes);
		assert_int_equal(spec.kind, specs[i].kind);
		assert_int_equal(spec.stars, specs[i].stars);
	}
}

static void values_of_arguments(void **state)
{
	struct record record = record_of("%d %u %hd %hhx %lld %c|%*d|%-*d|%.*d", 12);
	double real = -2.5;
	uint64_t bits;

	(void)state;
	/* the upper half of an argument of 4 bytes says nothing */
	add_word(&record, 0xdeadbeeffffffffeull);
	add_word(&record, 0xdeadbeeffffffffeull);
	add_word(&record, 0x18000);
	add_word(&record, 0x1ff);
	add_word(&record, ~0ull);
	add_word(&record, 'x');
	add_word(&record, 4);
	add_word(&record, 7);
	add_word(&record, 0xfffffffcu);
	add_word(&record, 7);
	add_word(&record, 3);
	add_word(&record, 7);
	expect_text(&record, "-2 4294967294 -32768 ff -1 x|   7|7   |007");
	record = record_of("%f|%5s|%s|%.2s|%p", 5);
	memcpy(&bits, &real, 8);
	add_word(&record, bits);
	add_text(&record, "abc");
	add_word(&record, 0);
	add_text(&record, "12345678");
	add_word(&record, 0x10);
	expect_text(&record, "-2.500000|  abc|(null)|12|0x10");
}

static void formats_beyond_their_arguments(void **state)
{
	struct record record = record_of("%d %5d %% %n %y %", 1);
	static char text[1 << 14];

	(void)state;
	add_word(&record, 3);
	expect_text(&record, "3 %5d % %n %y %");
	record = record_of("%*d", 1);
	expect_text(&record, "%*d");
	/* widths are bounded, and a star may be anything */
	record = record_of("%.99999999999999999999d|%*s", 3);
	add_word(&record, 1);
	add_word(&record, 0x80000000u);
	add_text(&record, "");
	assert_true(print_to(text, sizeof(text), record.words, record.count, 3));
	assert_int_equal(strlen(text), 4095 + 1 + 4095);
}

static void wrong_records(void **state)
{
	struct record record = record_of("%d %s\n", 2);
	static char text[1 << 20];
	uint64_t seed = 1;

	(void)state;
	/* too short at every length */
	add_word(&record, 3);
	add_text(&record, "0123456789");
	for (uint64_t count = 0; count < record.count; count++)
		assert_false(print_to(text, sizeof(text), record.words, count, 2));
	assert_true(print_to(text, sizeof(text), record.words, record.count, 2));
	/* texts that are said to be longer */
	record.words[0] = ~0ull;
	assert_false(print_to(text, sizeof(text), record.words, record.count, 2));
	record.words[0] = 0;
	assert_false(print_to(text, sizeof(text), record.words, record.count, 2));
	for (unsigned int i = 0; i < 20000; i++) {
		static const char letters[] = "%%%%%%**..0158-+#dioxXucsefgap%nlhz \n";
		char format[64];
		size_t bytes;

		for (bytes = 0; bytes < 40; bytes++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			format[bytes] = letters[(seed >> 33) % (sizeof(letters) - 1)];
		}
		format[(seed >> 40) % 40] = 0;
		record = record_of(format, (uint32_t)(seed >> 50) % 40);
		while (record.count < 20) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			add_word(&record, seed >> (seed >> 58));
		}
		print_to(text, sizeof(text), record.words, record.count, record.arguments);
	}
}

/* ---- modules and devices ------------------------------------------------- */

/* say: printf("NAME %d\n", number) */
#define SAY(name) \
	".version 6.3\n.target sm_70\n.address_size 64\n" \
	".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n" \
	".global .align 1 .b8 format[6] = {" name ", 32, 37, 100, 10, 0};\n" \
	".visible .entry say(.param .u32 number) {\n" \
	".local .align 8 .b8 room[8];\n.reg .b64 %d<4>;\n.reg .b32 %r<3>;\n" \
	"ld.param.u32 %r1, [number]; mov.u64 %d1, room; st.local.u32 [%d1], %r1;\n" \
	"cvta.local.u64 %d2, %d1; mov.u64 %d3, format; cvta.global.u64 %d3, %d3;\n" \
	"{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d3;\n" \
	"st.param.b64 [b], %d2; call (r), vprintf, (a, b); ld.param.b32 %r2, [r]; }\n" \
	"ret; }\n"

static void say(vgpuModule_t module, unsigned int number)
{
	static const unsigned int one[3] = { 1, 1, 1 };
	void *arguments[] = { &number };
	vgpuFunction_t function;

	OK(vgpuModuleGetFunction(&function, module, "say"));
	OK(vgpuLaunchKernel(function, one, one, arguments, 0, NULL));
}

/* stdout goes into a file between these two. */
static FILE *file;
static int saved;

static void redirect(void)
{
	fflush(stdout);
	file = tmpfile();
	saved = dup(1);
	dup2(fileno(file), 1);
}

static void expect_stdout(const char *want)
{
	char text[256];
	size_t bytes;

	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	rewind(file);
	bytes = fread(text, 1, sizeof(text) - 1, file);
	text[bytes] = 0;
	fclose(file);
	assert_string_equal(text, want);
}

static void modules_share_the_buffer(void **state)
{
	vgpuModule_t first, second;
	uint64_t base;
	struct rig rig;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	assert_int_equal(rt.printf.base, 0);
	OK(vgpuModuleLoad(&first, SAY("97")));
	base = rt.printf.base;
	assert_int_not_equal(base, 0);
	OK(vgpuModuleLoad(&second, SAY("98")));
	assert_int_equal(rt.printf.base, base);
	redirect();
	say(first, 1);
	say(second, 2);
	say(first, 3);
	/* a module that is gone takes nothing with it */
	OK(vgpuModuleUnload(first));
	OK(vgpuDeviceSynchronize());
	expect_stdout("a 1\nb 2\na 3\n");
	redirect();
	OK(vgpuDeviceSynchronize());
	expect_stdout("");
	rig_end();
}

static void each_device_has_one(void **state)
{
	vgpuModule_t modules[2];
	struct rig rig;

	(void)state;
	setenv("VGPU_PRESET", "k20c,gtx980", 1);
	rig_begin(&rig, NULL, NULL);
	OK(vgpuModuleLoad(&modules[0], SAY("97")));
	OK(vgpuSetDevice(1));
	OK(vgpuModuleLoad(&modules[1], SAY("98")));
	redirect();
	say(modules[1], 1);
	OK(vgpuSetDevice(0));
	say(modules[0], 2);
	OK(vgpuDeviceSynchronize());
	expect_stdout("a 2\n");
	redirect();
	OK(vgpuSetDevice(1));
	OK(vgpuDeviceSynchronize());
	expect_stdout("b 1\n");
	OK(vgpuDeviceReset());
	OK(vgpuSetDevice(0));
	unsetenv("VGPU_PRESET");
	rig_end();
}

static void size_is_set_before_use(void **state)
{
	vgpuModule_t module;
	struct rig rig;
	size_t bytes;

	(void)state;
	rig_begin(&rig, NULL, "16M");
	assert_int_equal(vgpuDeviceGetPrintfSize(NULL), vgpuErrorInvalidValue);
	OK(vgpuDeviceGetPrintfSize(&bytes));
	assert_int_equal(bytes, 1 << 20);
	assert_int_equal(vgpuDeviceSetPrintfSize(17 << 20), vgpuErrorMemoryAllocation);
	OK(vgpuDeviceSetPrintfSize(1));
	OK(vgpuDeviceGetPrintfSize(&bytes));
	assert_int_equal(bytes, 4096);
	OK(vgpuModuleLoad(&module, SAY("97")));
	/* the module gets to know where the other buffer is */
	OK(vgpuDeviceSetPrintfSize(10001));
	OK(vgpuDeviceGetPrintfSize(&bytes));
	assert_int_equal(bytes, 10008);
	redirect();
	for (unsigned int i = 0; i < 4; i++)
		say(module, i);
	OK(vgpuDeviceSynchronize());
	expect_stdout("a 0\na 1\na 2\na 3\n");
	assert_int_equal(vgpuDeviceSetPrintfSize(4096), vgpuErrorInvalidValue);
	OK(vgpuDeviceReset());
	OK(vgpuDeviceGetPrintfSize(&bytes));
	assert_int_equal(bytes, 1 << 20);
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failed_assertions),
		cmocka_unit_test(specs_of_formats),
		cmocka_unit_test(values_of_arguments),
		cmocka_unit_test(formats_beyond_their_arguments),
		cmocka_unit_test(wrong_records),
		cmocka_unit_test(modules_share_the_buffer),
		cmocka_unit_test(each_device_has_one),
		cmocka_unit_test(size_is_set_before_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
