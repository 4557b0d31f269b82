// SPDX-License-Identifier: MIT
/*
 * Job files: what is read, to the digit, and every refusal with its file, line and word of advice.
 */
#include <errno.h>
#include <string.h>

#include "wl_test.h"

#define K "phase=kernel tbs=1 tb_us=1 threads=32 "

static void whether_data_is_shared(void **state)
{
	struct wl_job job = wl_test_job("[a]\nshares_data=1\n" K "touched_bytes=4096\n"
					"[b]\n" K "touched_bytes=4096\nshares_data=0\n"
					"[c]\n" K "touched_bytes=4096\n");

	(void)state;
	assert_int_equal(job.processes[0].sharing, VGPU_ADVICE_SHARED);
	assert_int_equal(job.processes[1].sharing, VGPU_ADVICE_NOT_SHARED);
	assert_int_equal(job.processes[2].sharing, VGPU_ADVICE_NONE);
	wl_job_free(&job);
}

static void reads_the_example(void **state)
{
	struct wl_job job = wl_test_job(
		"; a comment\n"
		"[global]\ngpu=k20c\nrepeat=5\npolicy=fcfs\npreempt=none\nseed=77\n"
		"\n# another\n[batch]\napp=lbm\nrepeat=2\n"
		"[camera]   ; the urgent one\npriority=1\nmemory_budget=67108864\n"
		"arrival_us=50.25\nphase=cpu us=200\n"
		"  phase=h2d bytes=4194304\n"
		"\tphase = kernel  name=detect launches=2 tbs=528 tb_us=1239.000001 tb_cv=0.1 "
		"idempotent=0.25 dirty_base=0.656 launch_us=5.8 "
		"threads=128 "
		"regs_per_tb=4480 shmem_per_tb=512 stream=3 priority=4\n"
		"phase=d2h bytes=65536");
	const struct wl_process *p = &job.processes[1];

	(void)state;
	assert_string_equal(job.gpu, "k20c");
	assert_string_equal(job.policy, "fcfs");
	assert_string_equal(job.preempt, "none");
	assert_true(job.has_seed && job.seed == 77);
	assert_int_equal(job.process_count, 2);
	assert_string_equal(job.processes[0].name, "batch");
	assert_int_equal(job.processes[0].repeat, 2);
	assert_true(job.processes[0].phase_count > 3);
	assert_string_equal(p->name, "camera");
	assert_int_equal(p->repeat, 5);
	assert_int_equal(p->priority, 1);
	assert_true(p->arrival_ps == 50250000);
	assert_int_equal(p->phase_count, 4);
	assert_true(p->phases[0].kind == WL_CPU && p->phases[0].amount == 200000000 &&
		    !p->phases[0].stream);
	assert_true(p->phases[1].kind == WL_H2D && p->phases[1].amount == 4194304);
	assert_true(p->phases[2].kind == WL_KERNEL && p->phases[2].amount == 2 &&
		    p->phases[2].stream == 3);
	assert_string_equal(p->phases[2].name, "detect");
	assert_int_equal(p->phases[2].line, 19);
	assert_int_equal(p->phases[2].priority, 4);
	assert_true(p->memory_budget == 67108864 && !job.processes[0].memory_budget);
	assert_true(p->phases[2].kernel.blocks == 528 &&
		    p->phases[2].kernel.block_ps == 1239000001);
	assert_int_equal(p->phases[2].kernel.block_cv_permille, 100);
	assert_int_equal(p->phases[2].kernel.idempotent_permille, 250);
	assert_int_equal(p->phases[2].kernel.clean_base_permille, 344);
	assert_int_equal(p->phases[2].kernel.clean_increment_permille, 0);
	assert_int_equal(p->phases[2].launch_ps, 5800000);
	assert_int_equal(p->phases[2].kernel.threads, 128);
	assert_int_equal(p->phases[2].kernel.regs_per_block, 4480);
	assert_int_equal(p->phases[2].kernel.shared_bytes, 512);
	assert_true(p->phases[3].kind == WL_D2H && p->phases[3].amount == 65536);
	wl_job_free(&job);
}

static void knows_what_is_not_said(void **state)
{
	struct wl_job job = wl_test_job("[global]\n[a]\n" K "\n");
	const struct wl_phase *phase = &job.processes[0].phases[0];

	(void)state;
	assert_string_equal(job.gpu, "");
	assert_false(job.has_seed);
	assert_int_equal(job.processes[0].repeat, WL_REPEAT);
	assert_int_equal(job.processes[0].priority, 0);
	assert_true(!job.processes[0].arrival_ps && !job.processes[0].cmd);
	assert_true(phase->amount == 1 && !phase->kernel.block_cv_permille &&
		    !phase->kernel.idempotent_permille &&
		    !phase->kernel.regs_per_block);
	assert_string_equal(phase->name, "kernel");
	wl_job_free(&job);
	job = wl_test_job("[real]\ncmd=./sgemm -n 512\n");
	assert_string_equal(job.processes[0].cmd, "./sgemm -n 512");
	assert_int_equal(job.processes[0].phase_count, 0);
	wl_job_free(&job);
}

static void phases_touch_memory_of_their_own(void **state)
{
	struct wl_job job = wl_test_job(
		"[a]\n" K "\n" K " touched_bytes=65536\n" K " touched_bytes=393216 "
		"touches_per_tb=3 touched_on_host=1 launches=6\n" K " touched_bytes=4096\n");
	const struct wl_phase *phases = job.processes[0].phases;

	(void)state;
	assert_true(!phases[0].kernel.touches && !phases[0].kernel.touch_address);
	assert_int_equal(phases[1].kernel.touches, 1);
	assert_int_equal(phases[1].kernel.touch_bytes, 65536);
	assert_int_equal(phases[1].kernel.touch_flags, VGPU_TOUCH_WRITE);
	assert_true(phases[1].kernel.touch_address == WL_TOUCHED);
	assert_int_equal(phases[2].kernel.touches, 3);
	assert_int_equal(phases[2].kernel.touch_bytes, 131072);
	assert_int_equal(phases[2].kernel.touch_flags, 0);
	assert_true(phases[2].kernel.touch_address == WL_TOUCHED + (2ull << 20));
	/* 2.25 MB take 4 */
	assert_true(phases[3].kernel.touch_address == WL_TOUCHED + (6ull << 20));
	assert_int_equal(wl_process_touched(&job.processes[0]), 8ull << 20);
	wl_job_free(&job);
}

static const struct {
	const char *text;
	const char *message;		/* begins so */
} bad[] = {
	{ "", "job:0: no process" },
	{ "[global]\nrepeat=1\n", "job:2: no process" },
	{ "app=lbm\n", "job:1: 'app' before the first [section]" },
	{ "[a]\napp=lbm\nnonsense\n", "job:3: neither [section] nor key=value" },
	{ "[a]\nnonsense\napp=nothing\n", "job:2: neither [section] nor key=value" },
	{ "[a\napp=lbm\n", "job:1: neither [section] nor key=value" },
	{ "[a]\n[b]\napp=lbm\n", "job:1: an empty section" },
	{ "[b]\napp=lbm\n[a]\n", "job:3: an empty section" },
	{ "[a]\npriority=1\n", "job:1: [a] does nothing; it needs app= or phase=" },
	{ "[a]\npriority=1\n[b]\napp=lbm\n", "job:1: [a] does nothing" },
	{ "[a]\napp=lbm\n[a]\napp=lbm\n", "job:3: [a] occurs twice" },
	{ "[a]\napp=lbm\n[global]\nrepeat=2\n",
	  "job:3: [global] must be there once, before the processes" },
	{ "[global]\n[global]\nrepeat=2\n", "job:2: [global] must be there once" },
	{ "[global]\nrepeat=2\n[global]\nrepeat=2\n", "job:3: [global] must be there once" },
	{ "[a b]\napp=lbm\n", "job:1: [a b]: must be a name of 1..31 letters, digits" },
	{ "[]\napp=lbm\n", "job:1: []: must be a name" },
	{ "[abcdefghijabcdefghijabcdefghijab]\napp=lbm\n",
	  "job:1: [abcdefghijabcdefghijabcdefghijab]: must be" },
	/* a section for libinih, which skips every kind of space */
	{ "[global]\nrepeat=1\n\v[a]\nbad=1\n", "job:4: " },
	{ "[global]\ngpus=k20c\n", "job:2: [global] takes no key 'gpus'; it takes gpu, policy" },
	{ "[global]\ngpu=\n", "job:2: gpu=: must be a name of at most 31 characters" },
	{ "[global]\nrepeat=0\n", "job:2: repeat=0: must be a number of completed runs, 1.." },
	{ "[global]\nseed=-1\n", "job:2: seed=-1: must be a number, 0..2^63-1" },
	{ "[a]\ncolour=red\n",
	  "job:2: unknown key 'colour' of a process; valid keys: app, phase, cmd," },
	{ "[a]\ntiming=sgemm\ncmd=true\n",
	  "job:2: timing=sgemm: must be a list of NAME:pipeline" },
	{ "[a]\ntiming=sgemm:pipeline\nphase=cpu us=1\n",
	  "job:1: [a] has timing=, which is for the kernels of a program" },
	{ "[a]\nmemory_budget=4095\n", "job:2: memory_budget=4095: must be bytes" },
	{ "[a]\nmemory_budget=1G\n", "job:2: memory_budget=1G: must be bytes" },
	{ "[a]\nshares_data=2\n", "job:2: shares_data=2: must be 1: its kernels use the same" },
	{ "[a]\nshares_data=\n", "job:2: shares_data=: must be 1" },
	{ "[a]\nshares_data=1\nphase=cpu us=1\n",
	  "job:1: [a] has shares_data=, which is for memory that its blocks touch "
	  "(touched_bytes=)" },
	{ "[a]\nshares_data=0\ncmd=true\n", "job:1: [a] has shares_data=, which is for memory" },
	{ "[a]\nphase=kernel tbs=1 tb_us=1 threads=32 priority=6\n",
	  "job:2: priority=6: must be a number, 0..5" },
	{ "[a]\npriority=high\n", "job:2: priority=high: must be a number" },
	{ "[a]\npriority=-1\n", "job:2: priority=-1: must be a number" },
	{ "[a]\nrepeat=1.5\n", "job:2: repeat=1.5: must be a number of completed runs" },
	{ "[a]\narrival_us=1.0000001\n", "job:2: arrival_us=1.0000001: must be microseconds" },
	{ "[a]\narrival_us=3600000001\n",
	  "job:2: arrival_us=3600000001: must be microseconds, up to an hour" },
	{ "[a]\napp=doom\n",
	  "job:2: app=doom: must be one of lbm, histo, tpacf, spmv, mri-q, sad, sgemm, stencil, "
	  "cutcp, mri-gr" },
	{ "[a]\napp=lbm\napp=sad\n", "job:3: app=: [a] has app= already" },
	{ "[a]\napp=lbm\nphase=cpu us=1\n", "job:3: phase=: [a] has app= already" },
	{ "[a]\nphase=cpu us=1\napp=lbm\n", "job:3: app=: [a] has phase= already" },
	{ "[a]\ncmd=x\nphase=cpu us=1\n", "job:3: phase=: [a] has cmd= already" },
	{ "[a]\ncmd=x\ncmd=y\n", "job:3: cmd=: [a] has cmd= already" },
	{ "[a]\ncmd=\n", "job:2: cmd=: must be a command line" },
	{ "[a]\nphase=\n", "job:2: phase=: a phase is one of cpu, h2d, d2h, kernel, sync" },
	{ "[a]\nphase=gpu us=1\n", "job:2: phase=gpu: a phase is one of cpu, h2d, d2h, kernel" },
	{ "[a]\nhost=two\nphase=cpu us=1\n", "job:2: host=two: must be one or streams" },
	{ "[a]\nphase=cpu us=1\nphase=sync\n",
	  "job:3: phase=sync and phase=wait need host=one in [a]" },
	{ "[a]\nphase=wait stream=1 for=2\n[b]\nphase=cpu us=1\n",
	  "job:2: phase=sync and phase=wait need host=one in [a]" },
	{ "[a]\nhost=one\n" K "\n", "job:3: copies and kernels of [a] need stream=" },
	{ "[a]\nhost=one\nphase=d2h bytes=1\n", "job:3: copies and kernels of [a] need stream=" },
	{ "[a]\nhost=one\napp=lbm\n", "job:3: copies and kernels of [a] need stream=" },
	{ "[a]\nhost=one\ncmd=true\n", "job:1: [a] does nothing; host=one needs phase= lines" },
	{ "[a]\nhost=one\nphase=sync\n", "job:1: [a] does nothing; host=one needs phase= lines" },
	{ "[a]\nhost=one\nphase=wait stream=2\n", "job:3: phase=wait needs for=, a stream" },
	{ "[a]\nhost=one\nphase=wait for=2\n", "job:3: phase=wait needs stream=, 1..64" },
	{ "[a]\nhost=one\nphase=wait stream=2 for=2\n", "job:3: for=2: must be another stream" },
	{ "[a]\nhost=one\nphase=sync for=65\n", "job:3: for=65: must be a stream, 1..64" },
	{ "[a]\nhost=one\nphase=sync stream=1\n",
	  "job:3: phase=sync takes no key 'stream'; it takes for" },
	{ "[a]\nphase=cpu\n", "job:2: phase=cpu needs us=, microseconds" },
	{ "[a]\nphase=cpu 5\n", "job:2: phase=cpu: '5' is no key=value" },
	{ "[a]\nphase=cpu us=0\n", "job:2: us=0: must be microseconds, above 0" },
	{ "[a]\nphase=cpu us=\n", "job:2: us=: must be microseconds" },
	{ "[a]\nphase=cpu us=1e3\n", "job:2: us=1e3: must be microseconds" },
	{ "[a]\nphase=cpu us=99999999999999999999\n",
	  "job:2: us=99999999999999999999: must be microseconds" },
	{ "[a]\nphase=cpu us=1 us=2\n", "job:2: us= occurs twice" },
	{ "[a]\nphase=cpu us=1 bytes=4\n",
	  "job:2: phase=cpu takes no key 'bytes'; it takes us, stream" },
	{ "[a]\nphase=h2d\n", "job:2: phase=h2d needs bytes=, a number of bytes" },
	{ "[a]\nphase=d2h bytes=0\n", "job:2: bytes=0: must be a number of bytes" },
	{ "[a]\nphase=h2d bytes=4k\n", "job:2: bytes=4k: must be a number of bytes" },
	{ "[a]\nphase=h2d bytes=4 tbs=1\n",
	  "job:2: phase=h2d takes no key 'tbs'; it takes bytes, stream" },
	{ "[a]\n" K "stream=0\n", "job:2: stream=0: must be 1..64" },
	{ "[a]\n" K "stream=65\n", "job:2: stream=65: must be 1..64" },
	{ "[a]\n" K "name=\n", "job:2: name=: must be a name of at most 31 characters" },
	{ "[a]\n" K "name=abcdefghijabcdefghijabcdefghijab\n",
	  "job:2: name=abcdefghijabcdefghijabcdefghijab: must be" },
	{ "[a]\n" K "launches=0\n", "job:2: launches=0: must be a number of launches" },
	{ "[a]\n" K "tb_cv=1.5\n", "job:2: tb_cv=1.5: must be coefficient of variation, 0..1" },
	{ "[a]\n" K "tb_cv=0.0001\n", "job:2: tb_cv=0.0001: must be coefficient of variation" },
	{ "[a]\n" K "dirty_base=1.001\n",
	  "job:2: dirty_base=1.001: must be the part of a block's context" },
	{ "[a]\n" K "idempotent=1.001\n",
	  "job:2: idempotent=1.001: must be the part of a thread block, from its start" },
	{ "[a]\n" K "idempotent=0.0005\n", "job:2: idempotent=0.0005: must be the part of" },
	{ "[a]\n" K "regs_per_tb=x\n", "job:2: regs_per_tb=x: must be 32-bit registers" },
	{ "[a]\n" K "shmem_per_tb=99999999\n",
	  "job:2: shmem_per_tb=99999999: must be bytes of shared memory" },
	{ "[a]\n" K "us=1\n",
	  "job:2: phase=kernel takes no key 'us'; it takes name, launches, tbs, tb_us, tb_cv, "
	  "threads, "
	  "regs_per_tb, shmem_per_tb, touched_bytes, touches_per_tb, touched_on_host, "
	  "idempotent, dirty_base, dirty_increment, launch_us, priority, stream" },
	{ "[a]\n" K " touched_bytes=4095\n",
	  "job:2: touched_bytes=4095: must be a multiple of 4096 (4096 x touches_per_tb) and at "
	  "most 131072 (131072 x touches_per_tb)" },
	{ "[a]\n" K " touched_bytes=135168\n", "job:2: touched_bytes=135168: must be" },
	{ "[a]\n" K " touched_bytes=12288 touches_per_tb=2\n",
	  "job:2: touched_bytes=12288: must be a multiple of 8192 (4096 x touches_per_tb) and at "
	  "most 262144 (131072 x touches_per_tb)" },
	{ "[a]\n" K " touched_bytes=-1\n", "job:2: touched_bytes=-1: must be bytes of memory" },
	{ "[a]\n" K " touched_bytes=8589934593\n", "job:2: touched_bytes=8589934593: must be" },
	{ "[a]\n" K " touched_bytes=4096 touches_per_tb=0\n",
	  "job:2: touches_per_tb=0: must be accesses of a block" },
	{ "[a]\n" K " touched_bytes=4096 touches_per_tb=65537\n", "job:2: touches_per_tb=65537: " },
	{ "[a]\n" K " touched_bytes=4096 touched_on_host=2\n",
	  "job:2: touched_on_host=2: must be 1: the process has written the memory" },
	{ "[a]\n" K " touches_per_tb=2\n", "job:2: touches_per_tb= needs touched_bytes=" },
	{ "[a]\n" K " touched_on_host=1 touched_bytes=0\n",
	  "job:2: touched_on_host= needs touched_bytes=" },
	{ "[a]\n" K " touched_bytes=4096 launches=1000000000\n",
	  "job:2: touched_bytes=4096: all blocks of all launches touch more than 2^40 bytes" },
	{ "[a]\n" K " touched_bytes=131072 launches=8388608\n" K " touched_bytes=4096\n",
	  "job:3: touched_bytes=: blocks of all phases of [a] touch more than 2^40 bytes" },
	{ "[a]\nphase=kernel tb_us=1 threads=1\n",
	  "job:2: phase=kernel needs tbs=, thread blocks" },
	{ "[a]\nphase=kernel tbs=1 threads=1\n", "job:2: phase=kernel needs tb_us=, microseconds" },
	{ "[a]\nphase=kernel tbs=1 tb_us=1\n",
	  "job:2: phase=kernel needs threads=, threads of a block" },
	{ "[a]\nphase=kernel tbs=0 tb_us=1 threads=1\n", "job:2: tbs=0: must be thread blocks" },
	{ "[a]\nphase=kernel tbs=1 tb_us=0.0000001 threads=1\n",
	  "job:2: tb_us=0.0000001: must be microseconds" },
	{ "[a]\nphase=kernel tbs=1 tb_us=1 threads=1025\n",
	  "job:2: threads=1025: must be threads of a block, 1..1024" },
};

static void refuses_by_line_and_word(void **state)
{
	char message[WL_MESSAGE_BYTES];
	struct wl_job job;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!wl_test_read(*bad[i].text ? bad[i].text : "\n", &job, message))
			fail_msg("taken: %s", bad[i].text);
		if (!*bad[i].text)	/* fmemopen() takes no empty text */
			assert_string_equal(
				message,
				"job:1: no process; a process is a [section] with app= or phase=");
		else if (strncmp(message, bad[i].message, strlen(bad[i].message)))
			fail_msg("for\n%s\nexpected: %s\ngot:      %s", bad[i].text, bad[i].message,
				 message);
	}
}

static void refuses_what_libinih_would_cut(void **state)
{
	char text[1024] = "[a]\nphase=kernel ", message[WL_MESSAGE_BYTES];
	struct wl_job job;

	(void)state;
	memset(text + strlen(text), ' ', 300);
	strcat(text, "tbs=1 tb_us=1 threads=32\n");
	assert_int_equal(wl_test_read(text, &job, message), -1);
	assert_string_equal(message, "job:2: the line is longer than 198 characters");
	assert_int_equal(
		wl_test_read(
			"[a]\nphase=cpu us=1"
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
			&job, message),
		-1);
	assert_string_equal(message, "job:2: phase=cpu: a key=value of 128 or more characters");
}

static void numbers_are_exact(void **state)
{
	static const struct {
		const char *text;
		unsigned int decimals;
		int err;
		u64 value;
	} cases[] = {
		{ "0", 6, 0, 0 },
		{ "1", 6, 0, 1000000 },
		{ "1.", 6, 0, 1000000 },
		{ ".5", 6, 0, 500000 },
		{ "0.000001", 6, 0, 1 },
		{ "0.0000010", 6, 0, 1 },
		{ "0.0000001", 6, -ERANGE, 0 },
		{ "18446744073709.551615", 6, 0, ~0ull },
		{ "18446744073709.551616", 6, -ERANGE, 0 },
		{ "18446744073709551615", 0, 0, ~0ull },
		{ "18446744073709551616", 0, -ERANGE, 0 },
		{ "0.1", 3, 0, 100 },
		{ "1.5", 0, -ERANGE, 0 },
		{ "1.0", 0, 0, 1 },
		{ "", 6, -EINVAL, 0 },
		{ ".", 6, -EINVAL, 0 },
		{ "1.2.3", 6, -EINVAL, 0 },
		{ "-1", 6, -EINVAL, 0 },
		{ "+1", 6, -EINVAL, 0 },
		{ " 1", 6, -EINVAL, 0 },
		{ "1us", 6, -EINVAL, 0 },
		{ "0x10", 0, -EINVAL, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		u64 value = 0;
		int err = wl_decimal(cases[i].text, cases[i].decimals, &value);

		if (err != cases[i].err || value != cases[i].value)
			fail_msg("'%s': %d, %llu", cases[i].text, err, (unsigned long long)value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whether_data_is_shared),
		cmocka_unit_test(reads_the_example),
		cmocka_unit_test(knows_what_is_not_said),
		cmocka_unit_test(phases_touch_memory_of_their_own),
		cmocka_unit_test(refuses_by_line_and_word),
		cmocka_unit_test(refuses_what_libinih_would_cut),
		cmocka_unit_test(numbers_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
