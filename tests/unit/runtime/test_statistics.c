// SPDX-License-Identifier: MIT
/*
 * The file of VGPU_STATS (runtime/transport/statistics/), with launches that are made up: what is
 * in it, and their sums; that it is whole after each launch, whatever becomes of the process; names
 * that are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "embedded_trace.h"
#include "statistics.h"

#define SMS	2u

static char path[64];
static struct vgpu_config config;
static struct vgpu_counters counters[SMS];

static pid_t test_process;
static bool hold_writes;
static sem_t held, go_on;

/* Before the library's: what comes behind each write takes as long as a test wants. */
int ftruncate(int fd, off_t bytes)
{
	if (hold_writes) {
		sem_post(&held);
		sem_wait(&go_on);
	}
	return (int)syscall(SYS_ftruncate, fd, bytes);
}

/* The end of a child, behind what the library does there and before the search for leaks */
static void leave_child(void)
{
	if (getpid() != test_process)
		_exit(0);
}

static int begin(void **state)
{
	(void)state;
	assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
	config.sms = SMS;
	strcpy(path, "/tmp/vgpu-stats-XXXXXX");
	close(mkstemp(path));
	unlink(path);
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(path);
	unsetenv("VGPU_STATS");
	return 0;
}

static struct vgpu_statistics *open_as(const char *ending)
{
	struct vgpu_statistics *statistics;
	char message[256] = "";

	strcat(path, ending);
	setenv("VGPU_STATS", path, 1);
	if (vgpu_statistics_open(0, &config, &statistics, message, sizeof(message)))
		fail_msg("%s", message);
	assert_non_null(statistics);
	return statistics;
}

static void must_refuse(const char *name, const char *words)
{
	struct vgpu_statistics *statistics;
	char message[256] = "";

	setenv("VGPU_STATS", name, 1);
	assert_int_equal(vgpu_statistics_open(0, &config, &statistics, message, sizeof(message)),
			 -EINVAL);
	assert_null(statistics);
	if (!strstr(message, words))
		fail_msg("'%s' does not say '%s'", message, words);
}

/* Launch @id of @name in stream @queue: 10 instructions on SM 0, 4 on SM 1, in 5 us */
static void add_of(struct vgpu_statistics *statistics, u32 id, const char *name, u32 context,
		   u32 queue)
{
	const struct vgpu_launch_counts counts = {
		.launch = id,	 .context = context, .queue = queue, .seq = id,
		.name = name,	 .grid = { 8, 1, 1 },		.block = { 64, 1, 1 },
		.warps = 2,	 .occupancy = 16,		.started = 1000000,
		.ended = 6000000, .complete = true,		.sms = SMS,
		.sm = counters,
	};

	memset(counters, 0, sizeof(counters));
	counters[0].value[VGPU_COUNT_INSTRUCTIONS] = 10;
	counters[1].value[VGPU_COUNT_INSTRUCTIONS] = 4;
	/* of the 64 warps for which an SM has room, 16 and 16 */
	for (u32 sm = 0; sm < SMS; sm++) {
		counters[sm].value[VGPU_COUNT_ACTIVE_TIME] = 5000000;
		counters[sm].value[VGPU_COUNT_WARP_TIME] = 16 * 5000000;
	}
	vgpu_statistics_add(statistics, &counts);
}

static void add(struct vgpu_statistics *statistics, u32 id, const char *name, u32 queue)
{
	add_of(statistics, id, name, 1, queue);
}

static json_t *read_json(void)
{
	json_error_t error;
	json_t *all = json_load_file(path, 0, &error);

	if (!all)
		fail_msg("line %d: %s", error.line, error.text);
	return all;
}

static json_int_t counter_of(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(json_object_get(object, "counters"), name));
}

static json_t *only(const json_t *all, const char *list)
{
	assert_int_equal(json_array_size(json_object_get(all, list)), 1);
	return json_array_get(json_object_get(all, list), 0);
}

static void json_has_launches_and_sums(void **state)
{
	struct vgpu_statistics *statistics = open_as(".json");
	json_t *all, *launch, *sum;

	(void)state;
	vgpu_statistics_name(statistics, 1, 3, 0, "copy \"stream\"");
	vgpu_statistics_name(statistics, 1, 3, 2, "epoch");
	add(statistics, 1, "saxpy", 2);
	add(statistics, 2, "dot", 3);
	add(statistics, 3, "saxpy", 3);
	vgpu_statistics_close(statistics);
	all = read_json();
	assert_string_equal(json_string_value(json_object_get(all, "format")), "vgpu-stats");
	assert_true(json_is_true(json_object_get(all, "complete")));
	assert_int_equal(json_array_size(json_object_get(all, "launches")), 3);
	launch = json_array_get(json_object_get(all, "launches"), 1);
	assert_string_equal(json_string_value(json_object_get(launch, "kernel")), "dot");
	assert_string_equal(json_string_value(json_object_get(launch, "range")), "epoch");
	assert_int_equal(counter_of(launch, "instructions"), 14);
	assert_int_equal(json_integer_value(json_object_get(launch, "duration_ps")), 5000000);
	assert_true(json_real_value(json_object_get(launch, "achieved_occupancy_pct")) == 25);
	assert_true(json_real_value(json_object_get(launch, "theoretical_occupancy_pct")) == 50);
	assert_int_equal(counter_of(json_array_get(json_object_get(launch, "sms"), 1),
				    "instructions"), 4);
	/* with timing=interval there are no caches: not 0, but not there */
	assert_null(json_object_get(json_object_get(launch, "counters"), "l1_hits"));
	assert_non_null(json_object_get(json_object_get(launch, "counters"), "page_faults"));
	launch = json_array_get(json_object_get(all, "launches"), 2);
	assert_null(json_object_get(launch, "range"));
	assert_int_equal(json_array_size(json_object_get(all, "sum_by_kernel")), 2);
	sum = json_array_get(json_object_get(all, "sum_by_kernel"), 0);
	assert_int_equal(counter_of(sum, "instructions"), 28);
	assert_int_equal(json_integer_value(json_object_get(sum, "launches")), 2);
	assert_int_equal(json_array_size(json_object_get(all, "sum_by_stream")), 2);
	sum = json_array_get(json_object_get(all, "sum_by_stream"), 1);
	assert_string_equal(json_string_value(json_object_get(sum, "name")), "copy \"stream\"");
	assert_int_equal(counter_of(sum, "instructions"), 28);
	assert_int_equal(counter_of(only(all, "sum_by_context"), "instructions"), 42);
	assert_int_equal(counter_of(only(all, "sum_by_device"), "instructions"), 42);
	sum = json_array_get(json_object_get(all, "sum_by_sm"), 0);
	assert_int_equal(counter_of(sum, "instructions"), 30);
	json_decref(all);
}

/* The same command of the same queue is another in another context; what is closed has none. */
static void ranges_are_of_a_context(void **state)
{
	struct vgpu_statistics *statistics = open_as(".json");
	json_t *all, *list;

	(void)state;
	vgpu_statistics_name(statistics, 1, 2, 1, "of 1");
	vgpu_statistics_name(statistics, 3, 2, 3, "never launched");
	vgpu_statistics_name(statistics, 2, 2, 1, "of 2");
	vgpu_statistics_leave(statistics, 3);
	add_of(statistics, 1, "dot", 2, 2);
	add_of(statistics, 1, "dot", 1, 2);
	/* its number is taken again */
	add_of(statistics, 3, "dot", 3, 2);
	vgpu_statistics_close(statistics);
	all = read_json();
	list = json_object_get(all, "launches");
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "range")),
			    "of 2");
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "range")),
			    "of 1");
	assert_null(json_object_get(json_array_get(list, 2), "range"));
	json_decref(all);
}

/* Whatever bytes names have, the file is JSON: here a lone byte, a surrogate, half a character. */
static void names_that_are_not_utf8(void **state)
{
	struct vgpu_statistics *statistics = open_as(".json");
	json_t *all;

	(void)state;
	vgpu_statistics_name(statistics, 1, 2, 1, "\xff \xc3\xa9\t\xed\xa0\x80 \xc0\xaf \xe4\xb8");
	add(statistics, 1, "saxpy", 2);
	vgpu_statistics_close(statistics);
	all = read_json();
	assert_string_equal(json_string_value(json_object_get(only(all, "launches"), "range")),
			    "? \xc3\xa9\t??? ?? ??");
	json_decref(all);
}

/* Of 95 letters and a character of two bytes 96 would be kept in a trace: it is left out. */
static void names_in_traces_are_cut_between_characters(void **state)
{
	const struct vgpu_trace_record record = { .type = VGPU_TRACE_STREAM_NAME };
	struct vgpu_trace_record written[5];
	char name[128], *bytes;
	size_t size;
	FILE *trace = open_memstream(&bytes, &size);

	(void)state;
	memset(name, 'x', 95);
	strcpy(name + 95, "\xc3\xa9");
	vgpu_embedded_trace_text(trace, record, name);
	fclose(trace);
	assert_int_equal(size, 4 * sizeof(*written));
	memcpy(written, bytes, size);
	assert_int_equal(written[2].b >> 56, 'x');
	assert_int_equal(written[3].b >> 48, 'x');
	free(bytes);
}

static size_t lines_with(const char *beginning)
{
	FILE *file = fopen(path, "r");
	char line[8192];
	size_t count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		count += !strncmp(line, beginning, strlen(beginning));
	fclose(file);
	return count;
}

static void csv_has_a_line_each(void **state)
{
	struct vgpu_statistics *statistics = open_as(".csv");

	(void)state;
	vgpu_statistics_name(statistics, 1, 2, 2, "two\nlines");
	add(statistics, 1, "a,\"b\"", 2);
	add(statistics, 2, "dot", 2);
	assert_int_equal(lines_with("launch,"), 2);
	assert_int_equal(lines_with("kernel,"), 0);
	vgpu_statistics_close(statistics);
	assert_int_equal(lines_with("scope,launch,context,stream,label,kernel,"), 1);
	assert_int_equal(lines_with("launch,1,1,2,\"\",\"a,\"\"b\"\"\",,1,8x1x1,64x1x1,"), 1);
	assert_int_equal(lines_with("launch,2,1,2,\"two?lines\",\"dot\",,1,"), 1);
	assert_int_equal(lines_with("launch-sm,2,1,2,\"\",\"dot\",1,1,,,,"), 1);
	assert_int_equal(lines_with("launch-sm,"), 4);
	assert_int_equal(lines_with("kernel,"), 2);
	assert_int_equal(lines_with("stream,"), 1);
	assert_int_equal(lines_with("sm,"), 2);
	assert_int_equal(lines_with("device,"), 1);
}

/* As if by kill -9: the launches that have ended are there, in a file that can be read. */
static void a_killed_process_leaves_its_launches(void **state)
{
	pid_t child = fork();
	json_t *all;
	int status;

	(void)state;
	if (!child) {
		struct vgpu_statistics *statistics = open_as(".json");

		add(statistics, 1, "saxpy", 2);
		add(statistics, 2, "dot", 2);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	strcat(path, ".json");
	all = read_json();
	assert_int_equal(json_array_size(json_object_get(all, "launches")), 2);
	assert_true(json_is_false(json_object_get(all, "complete")));
	assert_null(json_object_get(all, "sum_by_kernel"));
	json_decref(all);
}

/* The file is its parent's, whatever it does with what it has inherited. */
static void a_child_writes_nothing(void **state)
{
	struct vgpu_statistics *statistics = open_as(".json");
	pid_t child;
	json_t *all;
	int status;

	(void)state;
	add(statistics, 1, "saxpy", 2);
	child = fork();
	if (!child) {
		add(statistics, 2, "dot", 2);
		vgpu_statistics_close(statistics);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	add(statistics, 3, "saxpy", 2);
	vgpu_statistics_close(statistics);
	all = read_json();
	assert_int_equal(json_array_size(json_object_get(all, "launches")), 2);
	assert_int_equal(counter_of(only(all, "sum_by_device"), "instructions"), 28);
	json_decref(all);
}

static struct vgpu_statistics *open_again(void)
{
	struct vgpu_statistics *statistics;
	char message[256] = "";

	if (vgpu_statistics_open(0, &config, &statistics, message, sizeof(message)))
		fail_msg("%s", message);
	return statistics;
}

static json_int_t of_launch(const json_t *all, size_t n, const char *key)
{
	const json_t *launches = json_object_get(all, "launches");

	return json_integer_value(json_object_get(json_array_get(launches, n), key));
}

/* A program that resets its device: the launches of both are there, and told apart. */
static void a_device_after_another_goes_on(void **state)
{
	struct vgpu_statistics *statistics = open_as(".json");
	json_t *all;

	(void)state;
	vgpu_statistics_name(statistics, 1, 2, 0, "first");
	add(statistics, 1, "saxpy", 2);
	add(statistics, 2, "saxpy", 2);
	vgpu_statistics_close(statistics);
	all = read_json();
	assert_true(json_is_true(json_object_get(all, "complete")));
	json_decref(all);
	statistics = open_again();
	add(statistics, 1, "dot", 2);
	all = read_json();
	assert_true(json_is_false(json_object_get(all, "complete")));
	json_decref(all);
	vgpu_statistics_close(statistics);
	all = read_json();
	assert_true(json_is_true(json_object_get(all, "complete")));
	assert_int_equal(json_array_size(json_object_get(all, "launches")), 3);
	assert_int_equal(of_launch(all, 1, "launch"), 2);
	assert_int_equal(of_launch(all, 2, "launch"), 3);
	assert_int_equal(of_launch(all, 1, "context"), 1);
	assert_int_equal(of_launch(all, 2, "context"), 2);
	assert_int_equal(json_array_size(json_object_get(all, "sum_by_context")), 2);
	assert_non_null(json_object_get(json_array_get(json_object_get(all, "sum_by_stream"), 0),
					"name"));
	assert_null(json_object_get(json_array_get(json_object_get(all, "sum_by_stream"), 1),
				    "name"));
	assert_int_equal(counter_of(only(all, "sum_by_device"), "instructions"), 42);
	json_decref(all);
}

/* As under the sanitizer: each context has a device of its own, with the same number. */
static void devices_share_a_file(void **state)
{
	struct vgpu_statistics *one = open_as(".json"), *other = open_again();
	json_t *all;

	(void)state;
	add(other, 1, "dot", 2);
	add(one, 1, "saxpy", 2);
	vgpu_statistics_close(one);
	add(other, 2, "dot", 2);
	vgpu_statistics_close(other);
	all = read_json();
	assert_int_equal(json_array_size(json_object_get(all, "launches")), 3);
	assert_int_equal(of_launch(all, 0, "context"), 2);
	assert_int_equal(of_launch(all, 1, "context"), 1);
	assert_int_equal(of_launch(all, 2, "context"), 2);
	assert_int_equal(json_array_size(json_object_get(all, "sum_by_context")), 2);
	json_decref(all);
}

static void *add_one(void *statistics)
{
	add(statistics, 1, "saxpy", 2);
	return NULL;
}

/* Another thread writes while the process forks: the child ends all the same. */
static void a_child_ends_whatever_threads_did(void **state)
{
	struct vgpu_statistics *statistics = open_as(".json");
	pthread_t thread;
	pid_t child;
	int status;

	(void)state;
	sem_init(&held, 0, 0);
	sem_init(&go_on, 0, 0);
	hold_writes = true;
	assert_int_equal(pthread_create(&thread, NULL, add_one, statistics), 0);
	sem_wait(&held);
	child = fork();
	if (!child) {
		hold_writes = false;
		alarm(60);
		add(statistics, 2, "dot", 2);
		exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	hold_writes = false;
	sem_post(&go_on);
	pthread_join(thread, NULL);
	vgpu_statistics_close(statistics);
	assert_int_equal(status, 0);
}

static void names_are_refused(void **state)
{
	struct vgpu_statistics *statistics;
	char message[256] = "", name[96];
	pid_t child;
	int status;

	(void)state;
	must_refuse("stats.txt", "must end with .json or .csv");
	must_refuse(".json", "must end with .json or .csv");
	must_refuse("/nowhere/at/all.json", "cannot write /nowhere/at/all.json: No such file");
	must_refuse("/tmp/../tmp/.json/", "must end with");
	statistics = open_as(".json");
	child = fork();
	if (!child) {
		must_refuse(path, "another process writes");
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	config.clock_khz++;
	must_refuse(path, "a device of another shape");
	config.clock_khz--;
	vgpu_statistics_close(statistics);
	/* nobody asks */
	setenv("VGPU_STATS", "", 1);
	assert_int_equal(vgpu_statistics_open(0, &config, &statistics, message, sizeof(message)),
			 0);
	assert_null(statistics);
	/* the process, and the second device */
	setenv("VGPU_STATS", "/tmp/vgpu-stats-%p.csv", 1);
	assert_int_equal(vgpu_statistics_open(1, &config, &statistics, message, sizeof(message)),
			 0);
	snprintf(name, sizeof(name), "/tmp/vgpu-stats-%d.1.csv", (int)getpid());
	assert_int_equal(access(name, F_OK), 0);
	unlink(name);
	vgpu_statistics_close(statistics);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(json_has_launches_and_sums, begin, end),
		cmocka_unit_test_setup_teardown(ranges_are_of_a_context, begin, end),
		cmocka_unit_test_setup_teardown(names_that_are_not_utf8, begin, end),
		cmocka_unit_test(names_in_traces_are_cut_between_characters),
		cmocka_unit_test_setup_teardown(csv_has_a_line_each, begin, end),
		cmocka_unit_test_setup_teardown(a_killed_process_leaves_its_launches, begin, end),
		cmocka_unit_test_setup_teardown(a_child_writes_nothing, begin, end),
		cmocka_unit_test_setup_teardown(a_device_after_another_goes_on, begin, end),
		cmocka_unit_test_setup_teardown(devices_share_a_file, begin, end),
		cmocka_unit_test_setup_teardown(a_child_ends_whatever_threads_did, begin, end),
		cmocka_unit_test_setup_teardown(names_are_refused, begin, end),
	};

	test_process = getpid();
	atexit(leave_child);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
