// SPDX-License-Identifier: MIT
/*
 * Traces of PyTorch's profiler: what comes over, to the nanosecond, and every refusal with its
 * place.
 */
#include <stdlib.h>
#include <string.h>

#include "imp_test.h"

#define KERNEL(ts, dur, args)                                                                      \
	"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void k<1>(int)\", \"ts\": " ts           \
	", \"dur\": " dur ", \"args\": {" args "}}"
#define SHAPE	"\"grid\": [8, 2, 1], \"block\": [32, 4, 1]"
#define CALL(name, ts, dur, id)                                                                    \
	"{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"" name "\", \"ts\": " ts           \
	", \"dur\": " dur ", \"args\": {\"correlation\": " id "}}"

static void reads_a_trace(void **state)
{
	static const char text[] =
		"{\n\"schemaVersion\": 1,\n\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA "
		"A100-SXM4-40GB\", \"numSms\": 108}],\n\"distributedInfo\": {\"rank\": [0, {}]},\n"
		"\"traceEvents\": [\n"
		"{\"ph\": \"M\", \"name\": \"process_name\", \"args\": {\"name\": \"}]{\\\"\"}},\n"
		"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"add\", \"ts\": 5, \"dur\": 2},"
		CALL("cudaLaunchKernel", "1695835573023600.5", "4", "17") ",\n"
		CALL("cudaGetDevice", "1695835573023601", "1", "3") ",\n"
		"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void at::native::(anonymous "
		"namespace)::reduce_kernel<512, at::B<int> >(at::C)\", \"pid\": 0, \"tid\": 7, "
		"\"ts\": 1695835573023607.125, \"dur\": 3.25, \"args\": {\"External id\": 218, "
		"\"device\": 0, \"stream\": 7, \"correlation\": 17, \"registers per thread\": 47, "
		"\"shared memory\": 1024, \"blocks per SM\": 0.3, \"grid\": [864, 3, 1], "
		"\"block\": [128, 2, 1]}},\n"
		"{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD (Pageable -> "
		"Device)\", \"ts\": 1695835573023700, \"dur\": 12, \"args\": {\"stream\": 20, "
		"\"correlation\": 14, \"bytes\": 92928}},\n"
		"{\"ph\": \"X\", \"cat\": \"gpu_memset\", \"name\": \"Memset (Device)\", \"ts\": "
		"1695835573023800, \"dur\": 1, \"args\": {\"stream\": 7, \"bytes\": 64}}\n],\n"
		"\"traceName\": \"x\"}\n";
	struct imp_options options = imp_test_options();
	struct imp_timeline *t = imp_test_timeline(&options);
	const struct imp_command *c;

	(void)state;
	assert_int_equal(imp_test_read(t, text, strlen(text)), 0);
	assert_int_equal(t->command_count, 3);
	assert_int_equal(t->call_count, 1);
	assert_int_equal(t->calls[0].kind, IMP_LAUNCH);
	assert_true(t->calls[0].start == 1695835573023600500 && t->calls[0].correlation == 17);
	c = &t->commands[0];
	assert_true(c->start == 1695835573023607125 && c->end == c->start + 3250);
	assert_true(c->kind == IMP_KERNEL && c->amount == 864 * 3 && c->threads == 256);
	assert_true(c->regs == 47 && c->shared == 1024 && c->stream == 7 && c->correlation == 17);
	assert_string_equal(t->names[c->name], "reduce_kernel");
	assert_true(t->commands[1].kind == IMP_H2D && t->commands[1].amount == 92928);
	assert_int_equal(t->commands[2].kind, IMP_MEMSET);
	assert_int_equal(imp_timeline_order(t), 0);
	assert_string_equal(t->gpu->name, "NVIDIA A100-SXM4-40GB");
	assert_int_equal(t->gpu->sms, 108);
	/* streams have numbers; what was called comes first */
	assert_int_equal(t->streams, 2);
	assert_true(t->commands[0].called && t->commands[0].issue == 1695835573023600500);
	/* what has no call is issued with what was before it in its stream */
	assert_true(t->commands[1].kind == IMP_MEMSET && t->commands[1].stream == 1);
	assert_true(!t->commands[1].called && t->commands[1].issue == t->commands[0].issue);
	assert_true(t->commands[2].kind == IMP_H2D && t->commands[2].stream == 2);
	for (unsigned int i = 0; i < IMP_SKIPS; i++)
		assert_int_equal(t->skipped[i], 0);
	imp_test_free(t);
}

/* Everything that is left out, counted, with the place of the first. */
static const struct {
	const char *event;
	enum imp_skip why;
} left_out[] = {
	{ KERNEL("-1", "1", SHAPE), IMP_SKIP_TIME },
	{ KERNEL("1", "-1", SHAPE), IMP_SKIP_TIME },
	{ KERNEL("NaN", "1", SHAPE), IMP_SKIP_TIME },
	{ KERNEL("1", "Infinity", SHAPE), IMP_SKIP_TIME },
	{ KERNEL("1e3", "1", SHAPE), IMP_SKIP_TIME },
	{ KERNEL("18446744073709551616", "1", SHAPE), IMP_SKIP_TIME },
	{ KERNEL("9223372036854775.808", "1", SHAPE), IMP_SKIP_TIME },
	{ KERNEL("1", "3600000000.001", SHAPE), IMP_SKIP_TIME },
	{ KERNEL("1.2.3", "1", SHAPE), IMP_SKIP_TIME },
	{ KERNEL("\"\"", "1", SHAPE), IMP_SKIP_TIME },
	{ "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"args\":{" SHAPE "}}", IMP_SKIP_TIME },
	{ KERNEL("1", "1", ""), IMP_SKIP_SHAPE },
	{ "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2}", IMP_SKIP_SHAPE },
	{ KERNEL("1", "1", "\"grid\": [8, 2], \"block\": [1, 1, 1]"), IMP_SKIP_SHAPE },
	{ KERNEL("1", "1", "\"grid\": [8, 2, 1, 1], \"block\": [1, 1, 1]"), IMP_SKIP_SHAPE },
	{ KERNEL("1", "1", "\"grid\": [8, 0, 1], \"block\": [1, 1, 1]"), IMP_SKIP_SHAPE },
	{ KERNEL("1", "1", "\"grid\": [], \"block\": [1, 1, 1]"), IMP_SKIP_SHAPE },
	{ KERNEL("1", "1", "\"grid\": 8, \"block\": [1, 1, 1]"), IMP_SKIP_SHAPE },
	{ KERNEL("1", "1", "\"grid\": [4294967296, 4294967296, 2], \"block\": [1, 1, 1]"),
	  IMP_SKIP_SHAPE },
	{ KERNEL("1", "1", "\"grid\": [1, 1, 1], \"block\": [1025, 1, 1]"), IMP_SKIP_SHAPE },
	{ KERNEL("1", "1", SHAPE ", \"registers per thread\": 256"), IMP_SKIP_SHAPE },
	{ KERNEL("1", "1", SHAPE ", \"shared memory\": -4"), IMP_SKIP_SHAPE },
	{ KERNEL("1", "1", SHAPE ", \"stream\": -1"), IMP_SKIP_KEY },
	{ KERNEL("1", "1", SHAPE ", \"device\": \"x\""), IMP_SKIP_KEY },
	{ KERNEL("1", "1", SHAPE ", \"correlation\": 4294967296"), IMP_SKIP_KEY },
	{ "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"ts\":1,\"dur\":2,"
	  "\"args\":{}}", IMP_SKIP_BYTES },
	{ "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"ts\":1,\"dur\":2,"
	  "\"args\":{\"bytes\":0}}", IMP_SKIP_BYTES },
	{ "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"ts\":1,\"dur\":2,"
	  "\"args\":{\"bytes\":99999999999999999999}}", IMP_SKIP_BYTES },
	{ "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoH\",\"ts\":1,\"dur\":2,"
	  "\"args\":{\"bytes\":8}}", IMP_SKIP_COPY },
};

static void leaves_out_what_cannot_be_and_counts_it(void **state)
{
	struct imp_options options = imp_test_options();
	size_t i;

	(void)state;
	for (i = 0; i < VGPU_ARRAY_SIZE(left_out); i++) {
		struct imp_timeline *t = imp_test_timeline(&options);
		char text[1024];

		snprintf(text, sizeof(text), "%s, %s", KERNEL("1", "1", SHAPE), left_out[i].event);
		if (imp_test_events(t, text))
			fail_msg("%s: %s", left_out[i].event, t->message);
		if (t->command_count != 1 || t->skipped[left_out[i].why] != 1)
			fail_msg("%s: %zu commands", left_out[i].event, t->command_count);
		assert_string_equal(t->skip_place[left_out[i].why], "byte 162");
		imp_test_free(t);
	}
}

static const struct {
	const char *text;
	const char *message;		/* is in it */
} bad[] = {
	{ "", "byte 0: the file ends here: it must be whole" },
	{ "PK\003\004", "byte 0: neither JSON nor gzip" },
	{ "{", "byte 1: the file ends here" },
	{ "{\"traceEvents\": [", "byte 17: the file ends here" },
	{ "{\"traceEvents\": [{\"ph\": \"X", "byte 26: the file ends here" },
	{ "{\"traceEvents\": [{}", "byte 19: the file ends here" },
	{ "{\"traceEvents\": [{}]", "byte 20: the file ends here" },
	{ "{\"traceEvents\": {}}", "byte 16: traceEvents must be an array" },
	{ "{\"traceEvents\": [3]}", "byte 17: an event must be an object" },
	{ "{\"traceEvents\": [{} {}]}", "byte 20: a comma must be between events" },
	{ "{\"traceEvents\": [{},]}", "byte 20: an event must be an object" },
	{ "{\"traceEvents\": [{]]}", "byte 18: this bracket does not close" },
	{ "{\"traceEvents\": [{\"a\" 1}]}", "byte 22: an event must be" },
	{ "{\"traceEvents\": [{\"a\": }]}", "byte 23: an event must be" },
	{ "{\"traceEvents\": [{\"a\": 1 2}]}", "byte 25: an event must be" },
	{ "{\"traceEvents\": [{a: 1}]}", "byte 18: an event must be" },
	{ "{\"traceEvents\": []} x", "byte 20: the file must end here" },
	{ "{\"a\": 1 \"b\": 2}", "byte 8: a comma must be between keys" },
	{ "{a: 1}", "byte 1: a key must be a string" },
	{ "{\"a\"; 1}", "byte 4: a colon must be behind a key" },
	{ "{\"a\": }", "byte 6: a value must be here" },
	{ "{\"deviceProperties\": [1 2]}", "deviceProperties: " },
	{ "{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"args\":7}]}",
	  "byte 49: args must be an object" },
	{ "{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"args\":{\"grid\":}}]}",
	  "byte 57: args must be an object" },
};

static void refuses_with_the_place(void **state)
{
	struct imp_options options = imp_test_options();
	size_t i;

	(void)state;
	for (i = 0; i < VGPU_ARRAY_SIZE(bad); i++) {
		struct imp_timeline *t = imp_test_timeline(&options);

		if (!imp_test_read(t, bad[i].text, strlen(bad[i].text)) ||
		    !strstr(t->message, bad[i].message))
			fail_msg("%s: '%s'", bad[i].text, t->message);
		imp_test_free(t);
	}
}

static void nesting_is_bounded(void **state)
{
	struct imp_options options = imp_test_options();
	struct imp_timeline *t = imp_test_timeline(&options);
	char text[200000] = "{\"x\": ";

	(void)state;
	memset(text + 6, '[', sizeof(text) - 6);
	assert_int_equal(imp_test_read(t, text, sizeof(text)), -1);
	assert_non_null(strstr(t->message, "byte 70: brackets are nested more than 64 deep"));
	imp_test_free(t);
}

/* Across the ends of what is read at once, a file is the same. */
static void long_files_are_read_in_pieces(void **state)
{
	struct imp_options options = imp_test_options();
	struct imp_timeline *t = imp_test_timeline(&options);
	const char event[] = KERNEL("1", "1", SHAPE);
	char *text = malloc(20000 * (sizeof(event) + 8)), *at = text;

	(void)state;
	*at++ = '[';
	for (u32 i = 0; i < 20000; i++)
		at += sprintf(at, "%s%s%*s", i ? "," : "", event, (int)(i % 7), "");
	*at++ = ']';
	assert_int_equal(imp_test_read(t, text, (size_t)(at - text)), 0);
	assert_int_equal(t->command_count, 20000);
	imp_test_free(t);
	free(text);
}

static void names_are_shortened(void **state)
{
	static const char *const names[][2] = {
		{ "void at::native::k<4, at::F<float> >(int)", "k" },
		{ "ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn" },
		{ "std::enable_if<true, void>::type f()", "enable_if" },
		{ "void (anonymous namespace)::softmax_forward<a>(b)", "softmax_forward" },
		{ "", "kernel" },
		{ "<>", "kernel" },
		{ "a_name_of_more_than_thirty_one_characters", "a_name_of_more_than_thirty_one_" },
		{ "k;=[]\n\303\244", "k_______" },
		{ "_Z6vecAddPf", "_Z6vecAddPf" },
	};
	struct imp_options options = imp_test_options();
	struct imp_timeline *t = imp_test_timeline(&options);

	(void)state;
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(names); i++) {
		u32 name = imp_name(t, names[i][0]);

		assert_string_equal(t->names[name], names[i][1]);
	}
	assert_int_equal(imp_name(t, "void x::k()"), 0);
	imp_test_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_trace),
		cmocka_unit_test(leaves_out_what_cannot_be_and_counts_it),
		cmocka_unit_test(refuses_with_the_place),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(long_files_are_read_in_pieces),
		cmocka_unit_test(names_are_shortened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
