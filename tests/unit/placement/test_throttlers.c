// SPDX-License-Identifier: MIT
/*
 * The adaptive throttler (placement/throttlers.c) by hand: what it does to eight SMs that all have
 * blocks, with epochs of 10 and 20 us.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "placement/pressure.h"
#include "vgpu_device.h"

#define SMS	8u

/* A machine: the SMs that have blocks, and the stack of those that are throttled. */
struct machine {
	struct vgpu_sim sim;
	struct vgpu_config config;
	struct vgpu_trace trace;
	struct vgpu_pressure p;
	u32 busy;		/* bit per SM */
	u32 stack[SMS];
	u32 throttled;
	u32 limit;
};

static bool is_throttled(const struct machine *m, u32 sm)
{
	for (u32 n = 0; n < m->throttled; n++)
		if (m->stack[n] == sm)
			return true;
	return false;
}

static u32 running(void *context)
{
	const struct machine *m = context;
	u32 count = 0;

	for (u32 sm = 0; sm < SMS; sm++)
		count += (m->busy >> sm & 1) && !is_throttled(m, sm);
	return count;
}

static u32 throttled(void *context)
{
	return ((struct machine *)context)->throttled;
}

static bool throttle(void *context, u32 sm)
{
	struct machine *m = context;

	if (!(m->busy >> sm & 1) || is_throttled(m, sm) || running(m) < 2)
		return false;
	m->stack[m->throttled++] = sm;
	return true;
}

static u32 throttle_some(void *context, u32 count)
{
	u32 done = 0;

	for (u32 sm = SMS; sm-- && done < count;)
		done += throttle(context, sm);
	return done;
}

static bool unthrottle_last(void *context)
{
	struct machine *m = context;

	return m->throttled && m->throttled--;
}

static void unthrottle(void *context)
{
	((struct machine *)context)->throttled = 0;
}

static void limit(void *context, u32 sms)
{
	((struct machine *)context)->limit = sms;
}

static const struct vgpu_pressure_host host = {
	.running = running,
	.throttled = throttled,
	.throttle = throttle,
	.throttle_some = throttle_some,
	.unthrottle_last = unthrottle_last,
	.unthrottle = unthrottle,
	.limit = limit,
};

/* A clock of 1 GHz: cycles are nanoseconds. */
static void begin(struct machine *m, const struct vgpu_throttler *throttler)
{
	*m = (struct machine){ .busy = 0xff };
	vgpu_sim_init(&m->sim);
	assert_int_equal(vgpu_event_reserve(&m->sim, VGPU_PRESSURE_EVENTS), 0);
	assert_int_equal(vgpu_config_preset(&m->config, "tanasic-ch6"), 0);
	assert_int_equal(m->config.clock_khz, 1000000);
	m->config.sms = SMS;
	m->config.throttle_detect_cycles = 10000;
	m->config.throttle_execute_cycles = 20000;
	m->p = (struct vgpu_pressure){
		.sim = &m->sim,
		.trace = &m->trace,
		.config = &m->config,
		.host = &host,
		.context = m,
		.remedies.throttler = throttler,
		.started = true,
	};
	vgpu_pressure_init(&m->p);
	throttler->start(&m->p);
}

static void end(struct machine *m)
{
	vgpu_pressure_fini(&m->p);
	assert_int_equal(m->throttled, 0);
	vgpu_event_release(&m->sim, VGPU_PRESSURE_EVENTS);
	vgpu_sim_fini(&m->sim);
}

static void run_to(struct machine *m, u64 us)
{
	vgpu_sim_run(&m->sim, us * VGPU_US, ~0u);
}

/* A fault of @sm is raised and, with the eviction that it needs or without one, served. */
static void fault(struct machine *m, u32 sm, bool evicts)
{
	m->p.remedies.throttler->raised(&m->p, sm);
	if (evicts)
		vgpu_pressure_ops.evicted(&m->p);
	m->p.remedies.throttler->ended(&m->p, sm);
}

static void expect(const struct machine *m, u32 count, u32 last)
{
	assert_int_equal(m->throttled, count);
	if (count)
		assert_int_equal(m->stack[count - 1], last);
}

/* It begins 1 us (1000 cycles) after the kernel, with half: 7, 6, 5, 4. */
static void half_at_first(void **state)
{
	struct machine m;

	(void)state;
	begin(&m, &vgpu_throttler_adaptive);
	expect(&m, 0, 0);
	run_to(&m, 1);
	expect(&m, 4, 4);
	end(&m);
}

/* DETECT to 11 us without a fault: 4 goes on; EXECUTE to 31, DETECT to 41: 5 goes on. */
static void up_without_faults(void **state)
{
	struct machine m;

	(void)state;
	begin(&m, &vgpu_throttler_adaptive);
	run_to(&m, 10);
	expect(&m, 4, 4);
	run_to(&m, 11);
	expect(&m, 3, 5);
	run_to(&m, 40);
	expect(&m, 3, 5);
	run_to(&m, 41);
	expect(&m, 2, 6);
	/* 71, 101; at 131 nothing is throttled any more, and none is later */
	run_to(&m, 71);
	expect(&m, 1, 7);
	run_to(&m, 101);
	expect(&m, 0, 0);
	run_to(&m, 1000);
	expect(&m, 0, 0);
	end(&m);
}

/* A fault with an eviction at 5 us: SM 2, whose it is, when it is served. Then EXECUTE to 25 us. */
static void down_with_an_eviction(void **state)
{
	struct machine m;

	(void)state;
	begin(&m, &vgpu_throttler_adaptive);
	run_to(&m, 5);
	m.p.remedies.throttler->raised(&m.p, 2);
	vgpu_pressure_ops.evicted(&m.p);
	expect(&m, 4, 4);
	/* another SM's, raised before, and what is raised meanwhile do not count */
	m.p.remedies.throttler->ended(&m.p, 3);
	m.p.remedies.throttler->raised(&m.p, 1);
	expect(&m, 4, 4);
	m.p.remedies.throttler->ended(&m.p, 2);
	expect(&m, 5, 2);
	fault(&m, 1, true);
	expect(&m, 5, 2);
	/* EXECUTE ends at 25, DETECT at 35 */
	run_to(&m, 34);
	expect(&m, 5, 2);
	run_to(&m, 35);
	expect(&m, 4, 4);
	end(&m);
}

/* An eviction before the epoch does not count; a fault without one changes nothing. */
static void a_fault_without_an_eviction(void **state)
{
	struct machine m;

	(void)state;
	begin(&m, &vgpu_throttler_adaptive);
	vgpu_pressure_ops.evicted(&m.p);
	run_to(&m, 5);
	fault(&m, 2, false);
	expect(&m, 4, 4);
	/* EXECUTE from 5 to 25: DETECT does not end at 11 */
	run_to(&m, 30);
	expect(&m, 4, 4);
	end(&m);
}

/* Down to the last SM that runs, and no further. */
static void one_runs(void **state)
{
	struct machine m;

	(void)state;
	begin(&m, &vgpu_throttler_adaptive);
	for (u32 n = 0; n < 12; n++) {
		run_to(&m, 2 + 21 * n);
		fault(&m, n % 4, true);
	}
	assert_int_equal(m.throttled, 7);
	assert_int_equal(running(&m), 1);
	end(&m);
}

/* Steps of 2 down and 3 up: the SM that faulted and the highest that runs; 3, 2, 4 go on. */
static void larger_steps(void **state)
{
	struct machine m;

	(void)state;
	begin(&m, &vgpu_throttler_adaptive);
	m.config.throttle_down = 2;
	m.config.throttle_up = 3;
	run_to(&m, 5);
	fault(&m, 2, true);
	expect(&m, 6, 3);
	run_to(&m, 35);
	expect(&m, 3, 5);
	end(&m);
}

/* No SM has blocks for 3 us; when some have, it begins. What it had found out it keeps. */
static void it_waits_for_blocks(void **state)
{
	struct machine m;

	(void)state;
	begin(&m, &vgpu_throttler_adaptive);
	m.busy = 0;
	run_to(&m, 3);
	expect(&m, 0, 0);
	m.busy = 0x0f;
	run_to(&m, 4);
	expect(&m, 2, 2);
	fault(&m, 0, true);
	expect(&m, 3, 0);
	/* the kernel has ended: all have gone on; the next one has four SMs, three are throttled */
	m.throttled = 0;
	m.p.remedies.throttler->start(&m.p);
	run_to(&m, 5);
	expect(&m, 3, 1);
	end(&m);
}

static void half_of_the_device(void **state)
{
	struct machine m;

	(void)state;
	begin(&m, &vgpu_throttler_half);
	assert_int_equal(m.limit, 4);
	run_to(&m, 1000);
	expect(&m, 0, 0);
	end(&m);
	assert_int_equal(m.limit, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_at_first),
		cmocka_unit_test(up_without_faults),
		cmocka_unit_test(down_with_an_eviction),
		cmocka_unit_test(a_fault_without_an_eviction),
		cmocka_unit_test(one_runs),
		cmocka_unit_test(larger_steps),
		cmocka_unit_test(it_waits_for_blocks),
		cmocka_unit_test(half_of_the_device),
	};

	return cmocka_run_group_tests_name("throttlers", tests, NULL, NULL);
}
