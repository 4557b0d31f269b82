// SPDX-License-Identifier: MIT
/*
 * Plans: a timeline, alone on the device that it names, lasts as long as it did, kernel for kernel;
 * and phases say what held up what.
 */
#include <stdlib.h>
#include <string.h>

#include "imp_test.h"
#include "sim-device/sm/sm.h"
#include "tools/import/plan.h"

/* A kernel of @blocks blocks in @stream, called at @call (0: no call is known). Times in us. */
static void add_kernel(struct imp_timeline *t, u32 stream, double call, double start, double took,
		       u64 blocks)
{
	struct imp_command *c = imp_add_command(t);

	assert_non_null(c);
	c->start = (u64)(start * 1000);
	c->end = c->start + (u64)(took * 1000);
	c->stream = stream;
	c->kind = IMP_KERNEL;
	c->amount = blocks;
	c->threads = 256;
	c->regs = 32;
	c->name = imp_name(t, "k");
	if (call != 0) {
		struct imp_call *from = imp_add_call(t);

		c->correlation = (u32)t->call_count;
		from->start = (u64)(call * 1000);
		from->end = from->start + 3000;
		from->correlation = c->correlation;
		from->stream = IMP_NONE;
	}
}

static void add_copy(struct imp_timeline *t, enum imp_kind kind, u32 stream, double start,
		     double took, u64 bytes)
{
	struct imp_command *c = imp_add_command(t);

	assert_non_null(c);
	c->start = (u64)(start * 1000);
	c->end = c->start + (u64)(took * 1000);
	c->stream = stream;
	c->kind = (u8)kind;
	c->amount = bytes;
}

static void add_call(struct imp_timeline *t, enum imp_call_kind kind, u32 stream, double start,
		     double end)
{
	struct imp_call *call = imp_add_call(t);

	assert_non_null(call);
	call->start = (u64)(start * 1000);
	call->end = (u64)(end * 1000);
	call->kind = kind;
	call->stream = stream;
}

static struct imp_options nothing;

static struct imp_timeline *begin(void)
{
	nothing = imp_test_options();
	return imp_test_timeline(&nothing);
}

/* In the device, alone, the whole and each kernel take what they took, within 5 %. */
static struct imp_test_run lasts_as_long(struct imp_timeline *t, const char *gpu, double us)
{
	struct imp_test_run run = imp_test_simulate(t, gpu);
	double took = (double)run.took_ps / 1e6, expected = (double)run.report.expected_ps / 1e6;
	u64 *traced = calloc(t->command_count, sizeof(*traced));
	u32 kernels = 0;

	if (took > us * 1.05 || took < us * 0.95)
		fail_msg("%.3f us, not %.3f\n%s", took, us, run.job);
	if (took > expected * 1.01 || took < expected * 0.99)
		fail_msg("%.3f us, %.3f were expected\n%s", took, expected, run.job);
	for (size_t n = 0; n < t->command_count; n++)
		if (t->commands[n].kind != IMP_H2D && t->commands[n].kind != IMP_D2H)
			traced[kernels++] = (t->commands[n].end - t->commands[n].start) * 1000;
	assert_int_equal(run.kernel_count, kernels);
	/* which came first does not matter: each length is there as often */
	for (u32 i = 0; i < kernels; i++) {
		u32 there = 0, wanted = 0;

		for (u32 k = 0; k < kernels; k++) {
			there += run.kernels[k] <= traced[i] + traced[i] / 20 &&
				 traced[i] <= run.kernels[k] + traced[i] / 20;
			wanted += traced[k] == traced[i];
		}
		if (there < wanted)
			fail_msg("no kernel took %llu ps\n%s", (unsigned long long)traced[i],
				 run.job);
	}
	free(traced);
	imp_test_free(t);
	return run;
}

static void has(const struct imp_test_run *run, const char *text)
{
	if (!strstr(run->job, text))
		fail_msg("no '%s' in\n%s", text, run->job);
}

static void gaps_of_the_host(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;

	(void)state;
	/* a launch takes 7 us; the GPU is idle most of the time */
	for (u32 i = 0; i < 50; i++)
		add_kernel(t, 7, 1000 + 40 * i, 1007 + 40 * i, 12, 108 * 8 * 2);
	run = lasts_as_long(t, "a100", 49 * 40 + 7 + 12);
	has(&run, "phase=kernel name=k tbs=1728 tb_us=6.000000 threads=256 regs_per_tb=8192 "
		  "shmem_per_tb=0 stream=1\nphase=cpu us=40.000000\n");
	assert_int_equal(run.report.pauses, 0);
	imp_test_run_free(&run);
}

static void gaps_of_the_front_end(void **state)
{
	static const double gaps[] = { 0.7, 1.1, 1.4, 5, 30 };
	static const char *const gpus[] = { "v100", "a100", "h100" };
	struct imp_test_run run;

	(void)state;
	/* launched long before */
	for (u32 g = 0; g < VGPU_ARRAY_SIZE(gaps); g++) {
		for (u32 p = 0; p < VGPU_ARRAY_SIZE(gpus); p++) {
			struct imp_timeline *t = begin();
			double at = 1010;

			for (u32 i = 0; i < 60; i++, at += 20 + gaps[g])
				add_kernel(t, 7, 1000 + i, at, 20, 5000);
			run = lasts_as_long(t, gpus[p], at - gaps[g] - 1000);
			imp_test_run_free(&run);
		}
	}
}

static void kernels_of_a_few_microseconds(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;
	double at = 1010;

	(void)state;
	for (u32 i = 0; i < 200; i++, at += 2.2 + 1.1)
		add_kernel(t, 7, 1000 + i, at, 2.2, 1 + i * 7);
	run = lasts_as_long(t, "a100", at - 1.1 - 1000);
	imp_test_run_free(&run);
}

static void the_host_waits(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;
	u32 i;

	(void)state;
	/* of the second half of the run it works on the results of the first */
	for (i = 0; i < 20; i++) {
		add_kernel(t, 7, 1000 + 200 * i, 1007 + 200 * i, 90, 4000);
		add_call(t, i & 1 ? IMP_SYNC_DEVICE : IMP_SYNC_STREAM, i & 2 ? 7 : IMP_NONE,
			 1010 + 200 * i, 1100 + 200 * i);
	}
	run = lasts_as_long(t, "a100", 19 * 200 + 97);
	assert_int_equal(run.report.syncs, 19);
	has(&run, "phase=sync for=1\nphase=cpu us=");
	has(&run, "phase=sync\nphase=cpu us=");
	imp_test_run_free(&run);
}

static void streams_wait_for_each_other(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;
	u32 i;

	(void)state;
	for (i = 0; i < 20; i++) {
		double at = 1000 + 100 * i;

		add_kernel(t, 7, at, at + 7, 40, 50);
		add_call(t, IMP_STREAM_WAIT, IMP_NONE, at + 1, at + 2);
		add_kernel(t, 20, at + 3, at + 49, 30, 50);
	}
	run = lasts_as_long(t, "a100", 19 * 100 + 79);
	assert_int_equal(run.report.waits, 20);
	has(&run, "phase=wait stream=2 for=1\n");
	imp_test_run_free(&run);
	/* nobody asked for it: it is a pause */
	t = begin();
	add_kernel(t, 7, 1000, 1007, 40, 50);
	add_kernel(t, 20, 1003, 1049, 30, 50);
	run = lasts_as_long(t, "a100", 79);
	assert_int_equal(run.report.waits, 0);
	imp_test_run_free(&run);
}

static void streams_run_side_by_side(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;
	u32 i;

	(void)state;
	/* a collective holds 24 SMs; kernels have the other 84, in waves of 84 x 8 blocks */
	add_kernel(t, 20, 990, 1000, 500, 24);
	for (i = 0; i < 10; i++)
		add_kernel(t, 7, 1000 + i, 1010 + 45 * i, 40, 84 * 8 * 3);
	run = lasts_as_long(t, "a100", 510);
	has(&run, "tbs=2016 tb_us=13.333333");
	imp_test_run_free(&run);
}

/* Kernels that were issued far ahead hold no SMs yet. */
static void the_host_is_far_ahead(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;
	u32 i;

	(void)state;
	for (i = 0; i < 200; i++)
		add_kernel(t, 7, 1000 + i, 1007 + 21.1 * i, 20, 60);
	/* not in the gaps of the others, where all SMs are idle */
	for (i = 0; i < 20; i++)
		add_kernel(t, 9, 1005 + 21.1 * (15 + 5 * i), 1012 + 21.1 * (15 + 5 * i), 50,
			   40 * 8);
	run = lasts_as_long(t, "a100", 7 + 21.1 * 199 + 20);
	has(&run, "tbs=320 tb_us=50.000000");
	assert_int_equal(run.report.close, 220);
	imp_test_run_free(&run);
}

static void copies(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;

	(void)state;
	/* 31.5 MB cross PCIe 4 in a millisecond; that which was not pinned took two */
	add_copy(t, IMP_H2D, 7, 1000, 1000, 31500000);
	add_copy(t, IMP_D2H, 7, 2000, 2000, 31500000);
	add_kernel(t, 7, 0, 4001.1, 10, 100);
	add_copy(t, IMP_MEMSET, 7, 4013, 3, 1000000);
	add_copy(t, IMP_D2D, 7, 4018, 3, 1000000);
	run = lasts_as_long(t, "a100", 3021);
	has(&run, "phase=h2d bytes=31500000 stream=1\nphase=d2h bytes=31500000 stream=1\n"
		  "phase=cpu us=1000.000000 stream=1\n");
	has(&run, "phase=kernel name=memset tbs=16 ");
	has(&run, "phase=kernel name=memcpy_d2d tbs=16 ");
	imp_test_run_free(&run);
}

static void a_copy_may_hold_the_host(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;

	(void)state;
	add_kernel(t, 7, 1000, 1007, 10, 100);
	add_copy(t, IMP_D2H, 7, 1018, 40, 1000000);
	add_call(t, IMP_COPY, IMP_NONE, 1002, 1060);
	t->calls[1].correlation = t->commands[1].correlation = 99;
	add_kernel(t, 7, 1100, 1107, 10, 100);
	run = lasts_as_long(t, "a100", 117);
	has(&run, "phase=sync for=1\nphase=cpu us=47.900000\n");
	imp_test_run_free(&run);
}

static void commands_without_calls(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;
	u32 i;

	(void)state;
	/* one stream with gaps, and one that begins when the other is half through */
	for (i = 0; i < 40; i++)
		add_kernel(t, 7, 0, 1000 + 50 * i, 20 + i % 3, 30);
	for (i = 0; i < 20; i++)
		add_kernel(t, 9, 0, 2010 + 30 * i, 25, 30);
	run = lasts_as_long(t, "a100", 39 * 50 + 20);
	assert_int_equal(run.report.syncs, 0);
	imp_test_run_free(&run);
}

/* A graph: many kernels of one call. */
static void kernels_of_one_call(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;
	u32 i, k;

	(void)state;
	for (i = 0; i < 10; i++) {
		for (k = 0; k < 8; k++) {
			add_kernel(t, 7, k ? 0 : 1000 + 200 * i, 1010 + 200 * i + 11.1 * k, 10,
				   500);
			t->commands[t->command_count - 1].correlation = i + 1;
		}
	}
	run = lasts_as_long(t, "a100", 9 * 200 + 10 + 7 * 11.1 + 10);
	assert_int_equal(run.report.pauses, 0);
	imp_test_run_free(&run);
}

static void another_thread_goes_on(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;
	u32 i;

	(void)state;
	/* one thread waits for its stream, another launches meanwhile */
	for (i = 0; i < 20; i++) {
		add_kernel(t, 7, 1000 + 100 * i, 1007 + 100 * i, 80, 50);
		add_call(t, IMP_SYNC_STREAM, 7, 1003 + 100 * i, 1089 + 100 * i);
		add_kernel(t, 9, 1020 + 100 * i, 1027 + 100 * i, 40, 50);
	}
	run = lasts_as_long(t, "a100", 19 * 100 + 87);
	assert_int_equal(run.report.syncs, 0);
	assert_int_equal(run.report.syncs_left_out, 20);
	imp_test_run_free(&run);
}

static void a_window_is_cut(void **state)
{
	struct imp_timeline *t;
	struct imp_test_run run;
	u32 i;

	(void)state;
	for (u32 way = 0; way < 2; way++) {
		t = begin();
		for (i = 0; i < 50; i++)
			add_kernel(t, 7, 1000 + 40 * i, 1007 + 40 * i, 12 + i, 500);
		if (way) {
			/* steps of ten kernels, in another order */
			for (i = 5; i-- > 0;)
				imp_add_step(t, (990 + 400 * i) * US, (1390 + 400 * i) * US);
			nothing.first_step = 2;
			nothing.last_step = 3;
		} else {
			nothing.from_ns = 390 * US;
			nothing.to_ns = 1190 * US;
		}
		run = lasts_as_long(t, "a100", 19 * 40 + 7 + 12 + 29);
		assert_int_equal(run.report.kernels, 20);
		imp_test_run_free(&run);
	}
}

static void kernels_are_cut_to_the_device(void **state)
{
	struct imp_timeline *t = begin();
	struct imp_test_run run;

	(void)state;
	add_kernel(t, 7, 1000, 1007, 30, 108);
	t->commands[0].shared = 160 << 10;
	run = imp_test_simulate(t, "k20c");
	assert_int_equal(run.report.clipped, 1);
	has(&run, "tbs=108 tb_us=3.333333 threads=256 regs_per_tb=8192 shmem_per_tb=49152");
	imp_test_run_free(&run);
	imp_test_free(t);
}

/* As many blocks fit an SM as the device says. */
static void occupancy_is_that_of_the_device(void **state)
{
	const char *name;
	u32 random = 1;

	(void)state;
	for (u32 i = 0; (name = vgpu_config_preset_name(i)); i++) {
		struct vgpu_config config;

		vgpu_config_preset(&config, name);
		for (u32 n = 0; n < 2000; n++) {
			struct vgpu_cmd_profiled kernel = { .blocks = 1 };

			random = random * 1664525 + 1013904223;
			kernel.threads = (random >> 8) % 1024 + 1;
			kernel.regs_per_block = n & 1 ? (random >> 5) % 70000 : 0;
			kernel.shared_bytes = n & 2 ? (random >> 3) % 240000 : 0;
			assert_int_equal(imp_resident(&config, &kernel),
					 vgpu_occupancy(&config, kernel.threads,
							kernel.regs_per_block, kernel.shared_bytes,
							NULL));
			if (!imp_fit(&config, &kernel))
				assert_true(imp_resident(&config, &kernel) > 0);
		}
	}
}

static void refuses_what_has_nothing(void **state)
{
	struct imp_timeline *t = begin();

	(void)state;
	assert_int_equal(imp_timeline_order(t), -1);
	assert_non_null(strstr(t->message, "file: no kernel, copy or memset of a GPU"));
	add_kernel(t, 7, 1000, 1007, 30, 108);
	nothing.device = 3;
	assert_int_equal(imp_timeline_order(t), -1);
	assert_non_null(strstr(t->message, "file: no command of device 3; the file has device 0"));
	nothing.device = IMP_NONE;
	nothing.first_step = nothing.last_step = 1;
	assert_int_equal(imp_timeline_order(t), -1);
	assert_non_null(strstr(t->message, "file: 0 steps, annotations that begin with Profiler"));
	nothing.first_step = 0;
	nothing.from_ns = 5;
	assert_int_equal(imp_timeline_order(t), -1);
	assert_non_null(strstr(t->message, "file: nothing was issued in the window"));
	imp_test_free(t);
	t = begin();
	add_kernel(t, 7, 0, 1, 1, 1);
	add_kernel(t, 7, 0, 1, 1, 1);
	t->commands[1].start = t->commands[1].end = (1ull << 53) + 1001;
	assert_int_equal(imp_timeline_order(t), -1);
	assert_non_null(strstr(t->message, "it is more than 2^53 ns; --from and --to cut"));
	imp_test_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_of_the_host),
		cmocka_unit_test(gaps_of_the_front_end),
		cmocka_unit_test(kernels_of_a_few_microseconds),
		cmocka_unit_test(the_host_waits),
		cmocka_unit_test(streams_wait_for_each_other),
		cmocka_unit_test(streams_run_side_by_side),
		cmocka_unit_test(the_host_is_far_ahead),
		cmocka_unit_test(copies),
		cmocka_unit_test(a_copy_may_hold_the_host),
		cmocka_unit_test(commands_without_calls),
		cmocka_unit_test(kernels_of_one_call),
		cmocka_unit_test(another_thread_goes_on),
		cmocka_unit_test(a_window_is_cut),
		cmocka_unit_test(kernels_are_cut_to_the_device),
		cmocka_unit_test(occupancy_is_that_of_the_device),
		cmocka_unit_test(refuses_what_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
