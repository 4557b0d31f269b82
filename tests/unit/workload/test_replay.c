// SPDX-License-Identifier: MIT
/*
 * Replay, on cases whose times can be added up by hand, and what a study promises: completed runs
 * only, the same bytes for the same seed, sums that close.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "wl_test.h"

static void near(double us, double ps)
{
	if (us * 1e6 - ps > 0.5 || ps - us * 1e6 > 0.5)
		fail_msg("%.6f us is not %.6f us", ps / 1e6, us);
}

/* Alone on one SM, for @us. */
static void takes(const char *text, u32 sms, double us)
{
	struct wl_setup setup = wl_test_setup(sms);
	struct wl_job job = wl_test_job(text);
	struct wl_study study = wl_test_study(&job, &setup);

	near(us, study.metrics.processes[0].isolated_ps);
	near(us, study.metrics.processes[0].turnaround_ps);
	wl_study_free(&study);
	wl_job_free(&job);
}

#define ONE_BLOCK(us)	"phase=kernel tbs=1 tb_us=" us " threads=32"

static void phases_follow_each_other(void **state)
{
	(void)state;
	takes("[a]\nphase=cpu us=5\nphase=cpu us=0.000001\n", 1, 5.000001);
	takes("[a]\nphase=cpu us=5\n" ONE_BLOCK("7") "\nphase=cpu us=2\n" ONE_BLOCK(
		      "1") " launches=3\n",
	      1, 17);
	/* 8 GB/s; the second copy is cut at 64 MB. */
	takes("[a]\nphase=h2d bytes=4194304\n", 1, 524.288);
	takes("[a]\nphase=h2d bytes=8000\nphase=d2h bytes=200000000\nphase=cpu us=1\n", 1, 25002);
	/* Four blocks on a device that holds sixteen to an SM; then seventeen. */
	takes("[a]\nphase=kernel tbs=4 tb_us=10 threads=32\n", 1, 10);
	takes("[a]\nphase=kernel tbs=17 tb_us=10 threads=32\n", 1, 20);
	takes("[a]\nphase=kernel tbs=17 tb_us=10 threads=32\n", 2, 10);
}

/*
 * Faults take 12 us, with data 25, of which 64 KB take 8 to cross. Each launch and each run has
 * memory that nobody has touched.
 */
static void blocks_touch_memory(void **state)
{
	(void)state;
	takes("[a]\n" ONE_BLOCK("10") " touched_bytes=65536\n", 1, 22);
	takes("[a]\n" ONE_BLOCK("10") " touched_bytes=65536 launches=3\n", 1, 66);
	takes("[a]\n" ONE_BLOCK("10") " touched_bytes=131072 touches_per_tb=2\n", 1, 34);
	/* by one instruction: handled one after the other */
	takes("[a]\n" ONE_BLOCK("10") " touched_bytes=131072\n", 1, 24);
	takes("[a]\n" ONE_BLOCK("10") " touched_bytes=65536 touched_on_host=1\n", 1, 35);
	/* each phase has its own, also two pages of different phases */
	takes("[a]\n" ONE_BLOCK("10") " touched_bytes=4096\n" ONE_BLOCK(
		      "5") " touched_bytes=4096 touched_on_host=1 launches=2\n",
	      1, 22 + 30 + 5);
	/* sixteen blocks to a granule */
	takes("[a]\nphase=kernel tbs=16 tb_us=10 threads=32 touched_bytes=4096\n", 1, 22);
	takes("[a]\nphase=kernel tbs=16 tb_us=10 threads=32 touched_bytes=8192\n", 1, 24);
}

/*
 * 64 blocks of 64 KB, with VRAM for half of that, under ETC: touches of a page are regular, of
 * 64 KB irregular. Regular memory is compressed where the job says that its data is shared.
 */
static void what_is_known_of_its_memory(void **state)
{
	static const struct {
		const char *shares, *touches;
		u64 sharing, class;
		bool compressed;
	} cases[] = {
		{ "", "16", VGPU_SHARING_UNKNOWN, VGPU_ACCESS_REGULAR, false },
		{ "shares_data=0\n", "16", VGPU_SHARING_DENIED, VGPU_ACCESS_REGULAR, false },
		{ "shares_data=1\n", "16", VGPU_SHARING_HINTED, VGPU_ACCESS_REGULAR, true },
		{ "shares_data=0\n", "1", VGPU_SHARING_DENIED, VGPU_ACCESS_IRREGULAR, true },
	};

	(void)state;
	for (u32 n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		static const struct wl_setting knobs[] = {
			{ "oversubscription", "etc" },
			{ "classifier_cycles", "10000" },
			{ "compression_ratio", "200" },
		};
		struct wl_setup setup = wl_test_setup(4);
		const struct vgpu_account *account;
		struct wl_study study;
		struct wl_job job;
		char text[256];

		snprintf(text, sizeof(text),
			 "[a]\n%sphase=kernel tbs=64 tb_us=40 threads=1024 touched_bytes=65536 "
			 "touches_per_tb=%s\n", cases[n].shares, cases[n].touches);
		setup.config.vram_bytes = 2 << 20;
		setup.knobs = knobs;
		setup.knob_count = sizeof(knobs) / sizeof(*knobs);
		job = wl_test_job(text);
		study = wl_test_study(&job, &setup);
		account = &study.together.processes[0].info.account;
		assert_int_equal(account->data_shared, cases[n].sharing);
		assert_int_equal(account->access_class, cases[n].class);
		assert_int_equal(account->pages_compressed > 0, cases[n].compressed);
		assert_int_equal(account->throttles > 0,
				 cases[n].class == VGPU_ACCESS_IRREGULAR);
		wl_study_free(&study);
		wl_job_free(&job);
	}
}

static void many_launches_keep_the_queue_full(void **state)
{
	(void)state;
	takes("[global]\nrepeat=2\n[a]\n" ONE_BLOCK(
		      "1") " launches=1000\nphase=h2d bytes=8000\n" ONE_BLOCK("1") " "
		      	"launches=100\n",
	      1, 1101);
}

static void streams_run_beside_each_other(void **state)
{
	(void)state;
	takes("[a]\n" ONE_BLOCK("10") " stream=1\n" ONE_BLOCK(
		      "20") " stream=2\nphase=cpu us=5 stream=3\nphase=cpu us=7\n",
	      2, 27);
	/* In order within a stream; a phase without one waits for all and holds all up. */
	takes("[a]\nphase=cpu us=3\n" ONE_BLOCK("10") " stream=1\nphase=cpu us=4 "
						      "stream=1\n" ONE_BLOCK(
		      "6") " stream=2\n" ONE_BLOCK("20") "\nphase=cpu us=1 stream=2\nphase=cpu "
							 "us=2 stream=1\n",
	      2, 39);
}

#define HOST_ONE(text)	"[a]\nhost=one\n" text
#define BLOCKS(us, n)	"phase=kernel tbs=1 tb_us=" us " threads=32 stream=" n "\n"

/* Commands take no time of the host, whose time passes beside that of the device. */
static void one_host_issues_and_goes_on(void **state)
{
	(void)state;
	takes(HOST_ONE("phase=cpu us=5\n" BLOCKS("10", "1") "phase=cpu us=7\n"), 2, 15);
	takes(HOST_ONE(BLOCKS("10", "1") "phase=cpu us=17\n"), 2, 17);
	/* two streams beside each other, in order within one */
	takes(HOST_ONE(BLOCKS("10", "1") "phase=cpu us=3\n" BLOCKS("10", "2") BLOCKS("4", "1")), 2,
	      14);
	takes(HOST_ONE(BLOCKS("10", "1") BLOCKS("4", "2") "phase=cpu us=3\n" BLOCKS("10", "2")), 2,
	      14);
	/* three runs of it, in the same time each */
	takes("[global]\nrepeat=3\n" HOST_ONE(BLOCKS("10", "1") "phase=cpu us=3\n"), 2, 10);
	/* nothing is pushed twice, and what the window cannot take comes later */
	takes(HOST_ONE(BLOCKS("1", "1 launches=200") BLOCKS("1", "2 launches=100")), 2, 200);
	takes(HOST_ONE("phase=d2h bytes=200000000 stream=3\nphase=cpu us=1\n"), 1, 25000);
}

static void one_host_waits_where_it_says(void **state)
{
	(void)state;
	takes(HOST_ONE(BLOCKS("10", "1") "phase=sync\nphase=cpu us=7\n"), 2, 17);
	takes(HOST_ONE(BLOCKS("10", "1") BLOCKS("20", "2") "phase=sync\nphase=cpu us=7\n"), 2, 27);
	takes(HOST_ONE(BLOCKS("10", "1") BLOCKS("20", "2") "phase=sync for=1\nphase=cpu us=7\n"),
	      2, 20);
	takes(HOST_ONE(BLOCKS("10", "1") BLOCKS("20", "2") "phase=sync for=1\n" BLOCKS("15", "1")),
	      2, 25);
	/* nothing to wait for */
	takes(HOST_ONE("phase=sync for=7\nphase=sync\nphase=cpu us=2\nphase=sync\n"), 1, 2);
}

/* A cpu phase of a stream is a pause between its commands; the host goes on. */
static void streams_of_one_host_pause(void **state)
{
	(void)state;
	takes(HOST_ONE(BLOCKS("10", "1") "phase=cpu us=5 stream=1\n" BLOCKS("1", "1")), 1, 16);
	takes(HOST_ONE(BLOCKS("10", "1") "phase=cpu us=5 stream=1\nphase=sync\nphase=cpu us=1\n"),
	      1, 16);
	takes(HOST_ONE("phase=cpu us=5 stream=1\nphase=cpu us=3\n" BLOCKS("1", "1")), 1, 6);
}

/* A wait is a command: 100 ns. */
static void streams_of_one_host_wait(void **state)
{
	(void)state;
	takes(HOST_ONE(BLOCKS("10", "1") "phase=wait stream=2 for=1\n" BLOCKS("5", "2")), 2, 15.1);
	/* for what had been issued, not for what came later, which the front end does behind it */
	takes(HOST_ONE(BLOCKS("10", "1") "phase=wait stream=2 for=1\n" BLOCKS("20", "1")
			       BLOCKS("5", "2")),
	      2, 30.1);
	takes(HOST_ONE("phase=wait stream=2 for=1\n" BLOCKS("20", "1") BLOCKS("5", "2")), 2, 20);
	/* for a pause, too, and for more than the window takes */
	takes(HOST_ONE("phase=cpu us=9 stream=1\n" BLOCKS("1", "1") "phase=wait stream=2 for=1\n"
			       BLOCKS("5", "2")),
	      2, 15.1);
	takes(HOST_ONE(BLOCKS("1", "1 launches=300") "phase=wait stream=2 for=1\n"
			       BLOCKS("5", "2")),
	      2, 305.1);
	/* around a corner, three times */
	takes("[global]\nrepeat=3\n" HOST_ONE(BLOCKS("10", "1") "phase=wait stream=2 for=1\n"
			BLOCKS("5", "2") "phase=wait stream=1 for=2\n" BLOCKS("2", "1")
			"phase=wait stream=3 for=1\n" BLOCKS("3", "3")),
	      2, 20.3);
}

/*
 * One SM, today's GPU. a: 10 us of CPU, 30 us of kernel; b: 5 and 10.
 *	b: kernel 5..15, run 1 ends at 15. a: kernel waits from 10, runs 15..45: run 1 takes 45.
 *	b: kernel waits from 20, runs 45..55: run 2 takes 40. a: kernel 55..85: run 2 takes 40.
 *	b: kernel waits from 60; a's run 2 ends everything at 85.
 */
static void shorter_ones_are_replayed(void **state)
{
	static const char both[] =
		"[global]\nrepeat=%u\n[a]\nrepeat=2\nphase=cpu us=10\n" ONE_BLOCK(
			"30") "\n"
			      "[b]\nphase=cpu us=5\n" ONE_BLOCK("10") "\n";
	struct wl_setup setup = wl_test_setup(1);
	u32 repeat;

	(void)state;
	/* Whether one run of b is asked for or two, two are completed and count. */
	for (repeat = 1; repeat <= 2; repeat++) {
		struct wl_study study;
		struct wl_job job;
		char text[sizeof(both)];

		snprintf(text, sizeof(text), both, repeat);
		job = wl_test_job(text);
		study = wl_test_study(&job, &setup);
		assert_true(study.together.time_ps == 85 * VGPU_US);
		assert_int_equal(study.together.processes[0].runs, 2);
		assert_int_equal(study.together.processes[1].runs, 2);
		assert_true(study.isolated[1].runs == repeat);
		near(40, study.metrics.processes[0].isolated_ps);
		near(15, study.metrics.processes[1].isolated_ps);
		near(42.5, study.metrics.processes[0].turnaround_ps);
		near(27.5, study.metrics.processes[1].turnaround_ps);
		assert_int_equal(study.together.unfinished, 0);
		/* Two kernels of each have ended; the third of b had not begun. */
		assert_int_equal(study.together.processes[0].info.blocks, 2);
		assert_int_equal(study.together.processes[1].info.blocks, 2);
		/* 80 of 85 us the SM runs: 5..55 and 55..85. */
		assert_true(study.together.stats.sm_time[VGPU_SM_RUNNING] == 80 * VGPU_US);
		assert_true(study.together.stats.sm_time[VGPU_SM_IDLE] == 5 * VGPU_US);
		wl_study_free(&study);
		wl_job_free(&job);
	}
}

static void a_process_arrives_when_it_is_told(void **state)
{
	struct wl_job job = wl_test_job("[global]\nrepeat=1\n[a]\n" ONE_BLOCK(
		"30") "\n[late]\narrival_us=20\n" ONE_BLOCK("10") "\n");
	struct wl_setup setup = wl_test_setup(1);
	struct wl_study study = wl_test_study(&job, &setup);

	(void)state;
	/* a 0..30 and again; late waits from 20 to 30, ends at 40: that is 20, not 40. */
	near(30, study.metrics.processes[0].turnaround_ps);
	near(20, study.metrics.processes[1].turnaround_ps);
	near(10, study.metrics.processes[1].isolated_ps);
	wl_study_free(&study);
	wl_job_free(&job);
}

/*
 * With copy_max, of 200 MB, 25 ms at 8 GB/s: a small copy that comes meanwhile waits until all have
 * crossed.
 */
static void nothing_comes_inside_a_copy(void **state)
{
	struct wl_job job = wl_test_job("[global]\nrepeat=1\n[a]\nphase=h2d bytes=200000000\n"
					"[b]\narrival_us=1000\nphase=h2d bytes=8000\n");
	struct wl_setup setup = wl_test_setup(1);
	struct wl_study study;

	(void)state;
	setup.copy_max = 1ull << 30;
	study = wl_test_study(&job, &setup);
	near(25000, study.metrics.processes[0].turnaround_ps);
	near(24001, study.metrics.processes[1].turnaround_ps);
	wl_study_free(&study);
	wl_job_free(&job);
}

/* Of a copy of 1.2 GB a device of 1 GB is enough: beyond, it is two commands. */
static void memory_for_a_copy_is_bounded(void **state)
{
	struct wl_job job = wl_test_job("[global]\nrepeat=1\n[a]\nphase=d2h bytes=1200000000\n");
	struct wl_setup setup = wl_test_setup(1);
	struct wl_study study;

	(void)state;
	setup.config.vram_bytes = 1ull << 30;
	setup.copy_max = 1ull << 30;
	study = wl_test_study(&job, &setup);
	near(150000, study.metrics.processes[0].turnaround_ps);
	wl_study_free(&study);
	wl_job_free(&job);
}

static void a_limit_stops_the_run_together(void **state)
{
	struct wl_job job =
		wl_test_job("[global]\nrepeat=2\n[a]\nphase=cpu us=10\n[b]\nphase=cpu us=100\n");
	struct wl_setup setup = wl_test_setup(1);
	struct wl_study study;

	(void)state;
	setup.until_ps = 55 * VGPU_US;
	study = wl_test_study(&job, &setup);
	assert_int_equal(study.together.unfinished, 1);
	assert_int_equal(study.together.processes[0].runs, 5);
	assert_int_equal(study.together.processes[1].runs, 0);
	assert_true(study.together.time_ps == 55 * VGPU_US);
	assert_int_equal(study.isolated[1].runs, 2);
	assert_false(study.metrics.complete);
	wl_study_free(&study);
	wl_job_free(&job);
}

/* ---- what is refused ---------------------------------------------------- */

static void refused(const char *text, const struct wl_setup *setup, const char *expected)
{
	char message[WL_MESSAGE_BYTES];
	struct wl_job job = wl_test_job(text);
	struct wl_study study;

	assert_int_equal(wl_study_run(&study, &job, setup, message), -1);
	if (strncmp(message, expected, strlen(expected)))
		fail_msg("expected: %s\ngot:      %s", expected, message);
	wl_job_free(&job);
}

static void what_cannot_run_is_refused_by_name(void **state)
{
	struct wl_setting no_knob = { "colour", "red" }, no_value = { "transfer_policy", "best" };
	struct wl_setup setup = wl_test_setup(1);

	(void)state;
	refused("[a]\nphase=cpu us=1\n[real]\ncmd=./a.out\n", &setup,
		"job:3: [real] has cmd=, a real program: that is for");
	refused("[a]\n\nphase=kernel name=wide tbs=1 tb_us=1 threads=32 regs_per_tb=65537\n",
		&setup,
		"job:3: a block of kernel wide (threads=32 regs_per_tb=65537 shmem_per_tb=0) does "
		"not fit into an SM of k20c");
	setup.config.vram_bytes = 4096;
	refused("[a]\nphase=h2d bytes=4097\n", &setup, "job:1: no device memory for a");
	setup = wl_test_setup(1);
	setup.config.watchdog_ps = 5 * VGPU_US;
	refused("[a]\n" ONE_BLOCK("6") "\n", &setup,
		"job:1: the device ended a: fault 7, the watchdog");
	setup = wl_test_setup(1);
	setup.knobs = &no_knob;
	setup.knob_count = 1;
	refused("[a]\n" ONE_BLOCK("6") "\n", &setup,
		"colour: unknown field or knob");
	setup.knobs = &no_value;
	refused("[a]\n" ONE_BLOCK("6") "\n", &setup,
		"transfer_policy=best: invalid value; it is now [fcfs]");
	setup = wl_test_setup(1);
	strcpy(setup.config.policy, "luck");
	refused("[a]\n" ONE_BLOCK("6") "\n", &setup, "the device: policy must be one of");
}

/* ---- promises of a study ------------------------------------------------ */

static const char mix[] =
	"[global]\nrepeat=2\n"
	"[a]\nphase=cpu us=3\nphase=h2d bytes=100000\nphase=kernel launches=5 tbs=300 tb_us=11 "
	"tb_cv=0.25 threads=64\n"
	"phase=d2h bytes=5000\n"
	"[b]\nphase=kernel launches=2 tbs=40 tb_us=90 tb_cv=0.1 threads=256 regs_per_tb=9000 "
	"stream=1\n"
	"phase=kernel launches=3 tbs=10 tb_us=50 tb_cv=0.1 threads=256 shmem_per_tb=20000 "
	"stream=2\n"
	"[c]\nphase=cpu us=2\nphase=kernel tbs=1 tb_us=5 threads=1\n";

static char *json_of(u64 seed, bool speed)
{
	struct wl_setup setup = wl_test_setup(13);
	struct wl_job job = wl_test_job(mix);
	struct wl_study study;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	setup.config.seed = seed;
	study = wl_test_study(&job, &setup);
	assert_int_equal(wl_print_json(&study, speed, file), 0);
	assert_int_equal(wl_print_table(&study, speed, file), 0);
	assert_int_equal(wl_print_csv(&study, speed, file), 0);
	fclose(file);
	wl_study_free(&study);
	wl_job_free(&job);
	return text;
}

static void the_same_seed_prints_the_same_bytes(void **state)
{
	char *first = json_of(7, false), *again = json_of(7, false), *other = json_of(8, false);

	(void)state;
	assert_string_equal(first, again);
	/* Beyond the seed that is printed: the times of blocks differ. */
	assert_string_not_equal(strstr(first, "turnaround_us"), strstr(other, "turnaround_us"));
	assert_null(strstr(first, "second"));
	free(first);
	free(again);
	free(other);
}

static void json_has_its_keys_in_order(void **state)
{
	static const char *const top[] = { "antt", "stp", "fairness", "blocks", "processes" };
	static const char *const process[] = { "name", "isolated_us", "turnaround_us", "ntt",
					       "runs" };
	char *text = json_of(7, false);
	json_t *object = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
	void *at;
	size_t i;

	(void)state;
	assert_non_null(object);
	at = json_object_iter(object);
	for (i = 0; i < sizeof(top) / sizeof(top[0]); i++, at = json_object_iter_next(object, at))
		assert_string_equal(json_object_iter_key(at), top[i]);
	assert_int_equal(json_array_size(json_object_get(object, "processes")), 3);
	at = json_object_iter(json_array_get(json_object_get(object, "processes"), 1));
	for (i = 0; i < sizeof(process) / sizeof(process[0]); i++) {
		assert_string_equal(json_object_iter_key(at), process[i]);
		at = json_object_iter_next(json_array_get(json_object_get(object, "processes"), 1),
					   at);
	}
	json_decref(object);
	free(text);
}

static void speed_is_printed_when_asked_for(void **state)
{
	char *text = json_of(7, true);

	(void)state;
	assert_non_null(strstr(text, "blocks_per_second"));
	assert_non_null(strstr(text, "speed: "));
	free(text);
}

static void sums_close(void **state)
{
	struct wl_setup setup = wl_test_setup(13);
	struct wl_job job = wl_test_job(mix);
	u64 sum = 0, owned = 0;
	struct wl_study study;
	u32 i;

	(void)state;
	setup.config.launch_ps = VGPU_US;
	setup.config.sm_setup_ps = 100 * VGPU_NS;
	study = wl_test_study(&job, &setup);
	for (i = 0; i < VGPU_SM_STATES; i++)
		sum += study.together.stats.sm_time[i];
	assert_true(sum == 13 * study.together.time_ps);
	assert_true(study.together.stats.sm_time[VGPU_SM_SETUP] > 0);
	for (i = 0; i < job.process_count; i++)
		owned += study.together.processes[i].info.sm_time;
	assert_true(owned == sum - study.together.stats.sm_time[VGPU_SM_IDLE]);
	assert_true(study.together.stats.events > 0);
	wl_study_free(&study);
	wl_job_free(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_follow_each_other),
		cmocka_unit_test(blocks_touch_memory),
		cmocka_unit_test(what_is_known_of_its_memory),
		cmocka_unit_test(many_launches_keep_the_queue_full),
		cmocka_unit_test(streams_run_beside_each_other),
		cmocka_unit_test(one_host_issues_and_goes_on),
		cmocka_unit_test(one_host_waits_where_it_says),
		cmocka_unit_test(streams_of_one_host_pause),
		cmocka_unit_test(streams_of_one_host_wait),
		cmocka_unit_test(shorter_ones_are_replayed),
		cmocka_unit_test(a_process_arrives_when_it_is_told),
		cmocka_unit_test(nothing_comes_inside_a_copy),
		cmocka_unit_test(memory_for_a_copy_is_bounded),
		cmocka_unit_test(a_limit_stops_the_run_together),
		cmocka_unit_test(what_cannot_run_is_refused_by_name),
		cmocka_unit_test(the_same_seed_prints_the_same_bytes),
		cmocka_unit_test(json_has_its_keys_in_order),
		cmocka_unit_test(speed_is_printed_when_asked_for),
		cmocka_unit_test(sums_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
