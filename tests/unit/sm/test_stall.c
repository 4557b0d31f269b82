// SPDX-License-Identifier: MIT
/*
 * What an SM does on a page fault (sm_on_fault). On paper: one SM, a kernel of one warp that waits
 * for memory of its own. A context switch drains the pipeline in 0.2 us and saves; an SM that
 * stalls on faults saves no sooner than they have been served.
 */
#include <stdlib.h>

#include "../device/host.h"
#include "../device/manual.h"
#include "device/device.h"
#include "vass_build.h"

#define BASE	0x10000000ull
#define GRANULE	0x10000u
#define DRAIN	(VGPU_US / 5)

struct rig {
	struct host *h;
	u32 context[2], queue[2], module[2];
};

/* Thread n stores n at the base and n granules. */
static void program(struct vass *v)
{
	vass_init(v, 16, 8);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OPI(v, MADWU, 6, 0, GRANULE);
	v->code[v->count - 1].c = 2;
	OP(v, STG, VASS_MEM(4, 1), 0, 6, 0, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static struct rig start(const char *on_fault, const char *mechanism, const char *more)
{
	struct rig r = { .h = host_new("tanasic-ch6", "sms=1", "active_kernels=4",
				       "allocation=lazy", "drain_ps=5000000",
				       "memory_bandwidth=65536000000", more, NULL) };
	struct vass v;

	program(&v);
	vgpu_exec_set_policy(&r.h->dev->exec, &manual_policy);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "sm_on_fault", on_fault), 0);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "preemption", mechanism), 0);
	for (u32 n = 0; n < 2; n++) {
		char message[256] = "";
		u32 bytes;
		void *binary = vass_binary(&v, &bytes);

		r.context[n] = host_open(r.h);
		r.queue[n] = host_queue(r.h, r.context[n]);
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context[n], BASE, 32 * GRANULE), 0);
		if (vgpu_module_load(r.h->dev, r.context[n], binary, bytes, message,
				     sizeof(message), &r.module[n]))
			fail_msg("%s", message);
		free(binary);
	}
	return r;
}

static void launch(struct rig *r, u32 n, u32 threads)
{
	u64 params[1] = { BASE };
	struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH,
				.launch = { .module = r->module[n],
					    .grid = { 1, 1, 1 },
					    .block = { threads, 1, 1 },
					    .param_bytes = 8,
					    .params = 0x1000 } };

	assert_int_equal(host_try(r->h, r->context[n], r->queue[n], &cmd, 0, params), 0);
}

static u64 page_faults(struct rig *r)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(r->h->dev, r->context[0], &info), 0);
	return info.account.page_faults;
}

static void run_to(struct rig *r, u64 time)
{
	vgpu_device_run(r->h->dev, time, ~0u);
	assert_true(vgpu_exec_check(&r->h->dev->exec));
}

/*
 * The first kernel has raised @threads faults and its slice has ended; the second one is there, and
 * the SM is reserved for it 4 us after the faults were raised. Returns when they were.
 */
static u64 reserve(struct rig *r, u32 threads)
{
	struct vgpu_device *dev = r->h->dev;
	u64 raised;

	launch(r, 0, threads);
	launch(r, 1, 1);
	while (page_faults(r) < threads)
		vgpu_device_run(dev, VGPU_NEVER, 1);
	raised = dev->sim->now;
	run_to(r, raised + 4 * VGPU_US);
	assert_int_equal(vgpu_exec_reserve(&dev->exec, 0, manual_kernel(dev, 2)), 0);
	return raised;
}

static u64 estimate_of(struct rig *r)
{
	struct vgpu_preemption_estimate estimate;

	assert_int_equal(vgpu_exec_estimate(&r->h->dev->exec, 0, &estimate), 0);
	return estimate.latency;
}

/* To the end, with a check after each event. Both kernels are complete, or @died has ended. */
static void finish(struct rig *r, bool died)
{
	while (vgpu_device_run(r->h->dev, VGPU_NEVER, 1) != VGPU_NEVER)
		assert_true(vgpu_exec_check(&r->h->dev->exec));
	assert_int_equal(r->h->completion_count, 2);
	assert_int_equal(r->h->fault_count, died);
	assert_int_equal(r->h->dev->exec.idle_count, 1);
	assert_int_equal(r->h->dev->exec.save_area, 0);
	host_free(r->h);
}

/*
 * The faults are served 12, 14, 16 us after they were raised, the SM is asked for after 4. One that
 * stalls is saved from then on; else from 4.2 us on, or 9.2 where it drains for 5 us first.
 */
static void stalling_waits_for_the_faults(void **state)
{
	static const struct {
		const char *on_fault;
		const char *mechanism;
		u32 faults;
		u64 begins;	/* the save, after the request */
	} cases[] = {
		{ "stall", "switch", 1, 8 * VGPU_US },
		{ "stall", "switch", 3, 12 * VGPU_US },
		{ "preemptible", "switch", 3, DRAIN },
		{ "stall", "drain-then-switch", 1, 8 * VGPU_US },
		{ "preemptible", "drain-then-switch", 1, 5 * VGPU_US + DRAIN },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = start(cases[n].on_fault, cases[n].mechanism, NULL);
		u64 raised = reserve(&r, cases[n].faults);
		u64 save = vgpu_exec_save_time(&r.h->dev->exec, 0);

		assert_true(save > 0);
		if (!strcmp(cases[n].mechanism, "switch"))
			assert_int_equal(estimate_of(&r), cases[n].begins + save);
		else
			assert_true(estimate_of(&r) >= cases[n].begins + save);
		run_to(&r, raised + 4 * VGPU_US + cases[n].begins - 1);
		assert_int_equal(r.h->dev->exec.smst[0].state, VGPU_SM_RESERVED);
		run_to(&r, raised + 4 * VGPU_US + cases[n].begins);
		assert_int_equal(r.h->dev->exec.smst[0].state, VGPU_SM_SAVING);
		finish(&r, false);
	}
}

static void the_latency_is_what_was_left_and_the_save(void **state)
{
	(void)state;
	for (u32 stall = 0; stall < 2; stall++) {
		struct rig r = start(stall ? "stall" : "preemptible", "switch", NULL);
		u64 save;

		reserve(&r, 2);
		save = vgpu_exec_save_time(&r.h->dev->exec, 0);
		host_run(r.h);
		assert_int_equal(r.h->preemptions, 1);
		assert_int_equal(r.h->preemption_ps, (stall ? 10 * VGPU_US : DRAIN) + save);
		finish(&r, false);
	}
}

/* Draining does not change: the block ends when its page has come. */
static void draining_is_as_it_was(void **state)
{
	u64 latency[2];

	(void)state;
	for (u32 stall = 0; stall < 2; stall++) {
		struct rig r = start(stall ? "stall" : "preemptible", "drain", NULL);

		reserve(&r, 1);
		assert_true(estimate_of(&r) == VGPU_NEVER);
		host_run(r.h);
		latency[stall] = r.h->preemption_ps;
		finish(&r, false);
	}
	assert_int_equal(latency[0], latency[1]);
	assert_true(latency[0] > 8 * VGPU_US);
}

/* One fault at a time: when those that are delayed will be served is not known. */
static void delayed_faults_are_waited_for(void **state)
{
	struct rig r = start("stall", "switch", "fault_buffer=1");
	u64 save;

	(void)state;
	reserve(&r, 3);
	save = vgpu_exec_save_time(&r.h->dev->exec, 0);
	assert_true(estimate_of(&r) == VGPU_NEVER);
	host_run(r.h);
	/* 12, 24, 36 us */
	assert_int_equal(r.h->preemption_ps, 32 * VGPU_US + save);
	finish(&r, false);
}

/* The knob is written 3 us after the request: an SM that stalls is saved at once. */
static void the_knob_changes_meanwhile(void **state)
{
	struct rig r = start("stall", "switch", NULL);
	u64 save, raised = reserve(&r, 1);

	(void)state;
	save = vgpu_exec_save_time(&r.h->dev->exec, 0);
	run_to(&r, raised + 7 * VGPU_US);
	assert_true(r.h->dev->exec.smst[0].stalled);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "sm_on_fault", "stall"), 0);
	run_to(&r, raised + 7 * VGPU_US);
	assert_true(r.h->dev->exec.smst[0].stalled);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "sm_on_fault", "preemptible"), 0);
	run_to(&r, raised + 7 * VGPU_US);
	assert_int_equal(r.h->dev->exec.smst[0].state, VGPU_SM_SAVING);
	/* too late for this one */
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "sm_on_fault", "stall"), 0);
	host_run(r.h);
	assert_int_equal(r.h->preemption_ps, 3 * VGPU_US + save);
	finish(&r, false);
	/* while the pipeline drains it is in time */
	r = start("preemptible", "switch", NULL);
	reserve(&r, 1);
	save = vgpu_exec_save_time(&r.h->dev->exec, 0);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "sm_on_fault", "stall"), 0);
	host_run(r.h);
	assert_int_equal(r.h->preemption_ps, 8 * VGPU_US + save);
	finish(&r, false);
}

/* The context whose faults they are, or the one that wants the SM; by a fault, or closed. */
static void contexts_end_meanwhile(void **state)
{
	(void)state;
	for (u32 n = 0; n < 4; n++) {
		struct rig r = start("stall", "switch", NULL);
		struct vgpu_fault fault = { .reason = VGPU_FAULT_TRAP };
		u64 raised = reserve(&r, 2);
		u32 context = r.context[n & 1];

		run_to(&r, raised + 6 * VGPU_US);
		assert_true(r.h->dev->exec.smst[0].stalled);
		if (n & 2)
			assert_int_equal(vgpu_context_close(r.h->dev, context), 0);
		else
			assert_int_equal(vgpu_context_end(r.h->dev, context, &fault), 0);
		assert_true(vgpu_exec_check(&r.h->dev->exec));
		finish(&r, !(n & 2));
	}
}

/* What is waited for is unmapped: the wait is over, and the block faults when it is back. */
static void memory_goes_meanwhile(void **state)
{
	struct rig r = start("stall", "switch", NULL);
	u64 raised = reserve(&r, 2);

	(void)state;
	run_to(&r, raised + 6 * VGPU_US);
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context[0], BASE, 32 * GRANULE), 0);
	run_to(&r, raised + 6 * VGPU_US);
	assert_int_equal(r.h->dev->exec.smst[0].state, VGPU_SM_SAVING);
	host_run(r.h);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	finish(&r, true);
}

static void what_is_refused(void **state)
{
	struct rig r = start("stall", "switch", NULL);
	struct vgpu_config config = r.h->config;
	char text[64];

	(void)state;
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "sm_on_fault", ""), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "sm_on_fault", "stalls"), -EINVAL);
	assert_true(vgpu_device_knob_get(r.h->dev, "sm_on_fault", text, sizeof(text)) > 0);
	assert_string_equal(text, "preemptible [stall]");
	host_free(r.h);
	assert_null(vgpu_config_check(&config));
	assert_string_equal(config.sm_on_fault, "preemptible");
	assert_int_equal(vgpu_config_set(&config, "sm_on_fault", "later"), 0);
	assert_string_equal(vgpu_config_check(&config), "sm_on_fault must be preemptible or stall");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stalling_waits_for_the_faults),
		cmocka_unit_test(the_latency_is_what_was_left_and_the_save),
		cmocka_unit_test(draining_is_as_it_was),
		cmocka_unit_test(delayed_faults_are_waited_for),
		cmocka_unit_test(the_knob_changes_meanwhile),
		cmocka_unit_test(contexts_end_meanwhile),
		cmocka_unit_test(memory_goes_meanwhile),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
