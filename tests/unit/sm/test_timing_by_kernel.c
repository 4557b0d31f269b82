// SPDX-License-Identifier: MIT
/*
 * timing_by_kernel: launches of both timing models on one device. Each takes as long as on a device
 * that has only its model, where it has the SMs for itself, and both see each other's bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "device/device.h"
#include "pipeline_rig.h"

static int launch_as(struct rig *r, u16 flags, u32 blocks, u64 base)
{
	u64 params[2] = { base, 0 };
	struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH,
				.flags = flags,
				.launch = { .module = r->module,
					    .grid = { blocks, 1, 1 },
					    .block = { 64, 1, 1 },
					    .param_bytes = 16,
					    .params = 0x1000 } };

	return host_try(r->h, r->context, r->queue, &cmd, 0, params);
}

/* word += 1, for each thread one */
static void increment(struct rig *r)
{
	struct vass v;

	prologue(&v, 16);
	OP(&v, LDG, VASS_MEM(4, 1), 10, 4, 0, 0, 0);
	OPI(&v, ADD, 10, 10, 1);
	epilogue(&v, 10);
	program(r, &v);
}

static struct rig start_with(const char *timing, const char *by_kernel)
{
	struct vgpu_config config = caches_config("stall");
	struct rig r;

	set_field(&config, "timing", timing);
	set_field(&config, "timing_by_kernel", by_kernel);
	/* they begin in no cycle of both clocks otherwise */
	set_field(&config, "launch_ps", "0");
	r = start_pipeline(&config);
	increment(&r);
	return r;
}

/* Picoseconds of the last launch. */
static u64 time_of_last(const struct rig *r)
{
	u64 start = 0, end = 0;

	for (size_t n = 0; n < r->h->record_count; n++) {
		if (r->h->records[n].type == VGPU_TRACE_KERNEL_START)
			start = r->h->records[n].time;
		if (r->h->records[n].type == VGPU_TRACE_KERNEL_END)
			end = r->h->records[n].time;
	}
	return end - start;
}

/* The launch alone, at a time that is a whole number of windows. */
static u64 time_with(const char *timing, const char *by_kernel, u16 flags)
{
	struct rig r = start_with(timing, by_kernel);
	u64 time;

	assert_int_equal(launch_as(&r, flags, 30, BASE), 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	time = time_of_last(&r);
	stop(&r);
	return time;
}

static void each_takes_as_long_as_alone(void **state)
{
	u64 pipeline = time_with("pipeline", "0", 0), interval = time_with("interval", "0", 0);

	(void)state;
	assert_int_not_equal(pipeline, interval);
	assert_int_equal(time_with("interval", "1", 0), interval);
	assert_int_equal(time_with("interval", "1", VGPU_LAUNCH_INTERVAL), interval);
	assert_int_equal(time_with("interval", "1", VGPU_LAUNCH_PIPELINE), pipeline);
	assert_int_equal(time_with("pipeline", "1", 0), pipeline);
	assert_int_equal(time_with("pipeline", "1", VGPU_LAUNCH_INTERVAL), interval);
	/* what a device has anyway may be asked for */
	assert_int_equal(time_with("pipeline", "0", VGPU_LAUNCH_PIPELINE), pipeline);
	assert_int_equal(time_with("interval", "0", VGPU_LAUNCH_INTERVAL), interval);
}

static void what_is_not_there_is_refused(void **state)
{
	struct rig r = start_with("interval", "0");
	struct vgpu_config config = r.h->config;

	(void)state;
	assert_int_equal(launch_as(&r, VGPU_LAUNCH_PIPELINE, 1, BASE), -EOPNOTSUPP);
	stop(&r);
	r = start_with("pipeline", "0");
	assert_int_equal(launch_as(&r, VGPU_LAUNCH_INTERVAL, 1, BASE), -EOPNOTSUPP);
	stop(&r);
	r = start_with("interval", "1");
	assert_int_equal(launch_as(&r, VGPU_LAUNCH_INTERVAL | VGPU_LAUNCH_PIPELINE, 1, BASE),
			 -EOPNOTSUPP);
	/* SMs of several kernels have one model */
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "kernels_per_sm", "2"), -EINVAL);
	stop(&r);
	set_field(&config, "timing_by_kernel", "1");
	set_field(&config, "kernels_per_sm", "2");
	assert_non_null(strstr(vgpu_config_check(&config), "timing_by_kernel"));
	set_field(&config, "kernels_per_sm", "1");
	assert_null(vgpu_config_check(&config));
	set_field(&config, "l2_ways", "0");
	assert_non_null(strstr(vgpu_config_check(&config), "l2_ways"));
}

/* One launch after the other, of one model and the other, on the same words. */
static void they_see_each_others_bytes(void **state)
{
	struct rig r = start_with("interval", "1");
	u32 words[64];

	(void)state;
	host_push(r.h, r.context, r.queue, cmd_fill(BASE, 40 * 64, 7, 4));
	for (u32 n = 0; n < 6; n++)
		assert_int_equal(launch_as(&r, n & 1 ? VGPU_LAUNCH_PIPELINE : 0, 40, BASE), 0);
	host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE, 40 * 256));
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	for (u32 block = 0; block < 40; block++) {
		memcpy(words, r.h->memory + block * 256, 256);
		for (u32 n = 0; n < 64; n++)
			assert_int_equal(words[n], 13);
	}
	stop(&r);
}

/* At the same time, on SMs of both models: each adds 1 to the same word as often as it can. */
static void they_run_side_by_side(void **state)
{
	struct rig r = start_with("interval", "1");
	u32 other = host_queue(r.h, r.context), was = r.queue;
	struct vass v;
	u32 sum;

	(void)state;
	prologue(&v, 16);
	OPI(&v, MOV, 8, 0, 1);
	OP(&v, ATOMG, VGPU_ATOM_ADD | VGPU_F_ATOM_NORET, 0, 2, 8, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	for (u32 n = 0; n < 8; n++) {
		r.queue = n & 1 ? other : was;
		assert_int_equal(launch_as(&r, n & 1 ? VGPU_LAUNCH_PIPELINE : 0, 7, BASE), 0);
	}
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	r.queue = was;
	host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE, 4));
	host_run(r.h);
	memcpy(&sum, r.h->memory, 4);
	assert_int_equal(sum, 8 * 7 * 64);
	stop(&r);
}

/* A context switch of blocks of both models. */
static void they_are_preempted(void **state)
{
	static const u16 models[] = { VGPU_LAUNCH_PIPELINE, VGPU_LAUNCH_INTERVAL };
	struct rig r = start_with("interval", "1");
	u32 more = host_open(r.h), queue, own = r.context, first = r.queue;
	u64 address = BASE;
	u32 word;

	(void)state;
	queue = host_queue(r.h, more);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "policy", "ppq-exclusive"), 0);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "preemption", "switch"), 0);
	assert_int_equal(vgpu_context_priority(r.h->dev, more, 1), 0);
	assert_int_equal(vgpu_memory_map(r.h->dev, more, BASE, BYTES), 0);
	for (u32 n = 0; n < 2; n++)
		assert_int_equal(launch_as(&r, models[n], 2000, address), 0);
	r.context = more;
	r.queue = queue;
	increment(&r);
	for (u32 n = 0; n < 6; n++) {
		vgpu_device_run(r.h->dev, vgpu_device_now(r.h->dev) + 3000000, ~0u);
		assert_int_equal(launch_as(&r, models[n & 1], 20, address), 0);
	}
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	assert_true(r.h->preemptions);
	host_push(r.h, own, first, cmd_d2h(0, BASE + 1999 * 256, 4));
	host_push(r.h, more, queue, cmd_d2h(4, BASE, 4));
	host_run(r.h);
	memcpy(&word, r.h->memory, 4);
	assert_int_equal(word, 2);
	memcpy(&word, r.h->memory + 4, 4);
	assert_int_equal(word, 6);
	vgpu_context_close(r.h->dev, more);
	r.context = own;
	stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_takes_as_long_as_alone),
		cmocka_unit_test(what_is_not_there_is_refused),
		cmocka_unit_test(they_see_each_others_bytes),
		cmocka_unit_test(they_run_side_by_side),
		cmocka_unit_test(they_are_preempted),
	};

	return cmocka_run_group_tests_name("timing by kernel", tests, NULL, NULL);
}
