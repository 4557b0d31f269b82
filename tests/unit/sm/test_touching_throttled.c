// SPDX-License-Identifier: MIT
/*
 * Profiled blocks that touch memory, throttled, and what the classifier finds of them. On paper, as
 * in test_touching.c: one SM, faults in 64 KB that the host handles in 12 us.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "managed_rig.h"

#define US(n)	((n) * VGPU_US)

/* Blocks of 30 us that touch @bytes of managed memory @touches times */
static void push(struct rig *r, u64 blocks, u32 occupancy, u32 touches, u32 bytes)
{
	struct vgpu_cmd cmd = cmd_profiled(blocks, US(30), occupancy);

	cmd.profiled.touches = touches;
	cmd.profiled.touch_bytes = bytes;
	cmd.profiled.touch_flags = VGPU_TOUCH_WRITE;
	cmd.profiled.touch_address = BASE;
	host_push(r->h, r->context, r->queue, cmd);
}

/* When block @block has ended, from the start of the first on */
static u64 ended(const struct rig *r, u64 block)
{
	u64 first = VGPU_NEVER;

	for (size_t i = 0; i < r->h->record_count; i++) {
		const struct vgpu_trace_record *record = &r->h->records[i];

		if (record->type == VGPU_TRACE_BLOCK_START && first == VGPU_NEVER)
			first = record->time;
		if (record->type == VGPU_TRACE_BLOCK_END && record->a == block)
			return record->time - first;
	}
	fail_msg("block %llu has not ended", block);
	return 0;
}

/* The first block has started. Returns when. */
static u64 begin(struct rig *r)
{
	while (!host_count_of(r->h, VGPU_TRACE_BLOCK_START))
		vgpu_device_run(r->h->dev, VGPU_NEVER, 1);
	return r->h->dev->sim->now;
}

static void throttle(struct rig *r, u64 time, bool on)
{
	struct vgpu_sm *sm = &r->h->dev->exec.sms[0];

	vgpu_device_run(r->h->dev, time, ~0u);
	assert_true(vgpu_exec_check(&r->h->dev->exec));
	if (on)
		assert_true(vgpu_sm_throttle(sm, r->context, 0));
	else
		vgpu_sm_unthrottle(sm, r->context);
}

static struct rig one_sm(void)
{
	return START("sms=1", "link_bandwidth=16000000000");
}

/*
 * Touches at 0, 10 and 20 us of its own time, each a fault of 12 us: it ends after 66 us. What it
 * stands for is between @from and @to: not the time in which it waits for a page in any case. The
 * page of its second touch, at 22 us, comes at 34.
 */
static void its_time_stands(void **state)
{
	static const struct {
		u64 from, to, more;
	} cases[] = {
		{ 15, 25, 10 },		/* in the middle of its time */
		{ 12, 13, 1 },
		{ 24, 30, 0 },		/* it waits, before and after */
		{ 24, 40, 6 },		/* the page comes meanwhile */
		{ 20, 34, 14 },		/* ... or would have */
		{ 64, 80, 16 },		/* it would have ended */
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = one_sm();
		u64 first;

		push(&r, 1, 1, 3, GRANULE);
		first = begin(&r);
		throttle(&r, first + US(cases[n].from), true);
		throttle(&r, first + US(cases[n].to), false);
		host_run(r.h);
		assert_int_equal(ended(&r, 0), US(66 + cases[n].more));
		assert_int_equal(info(&r).account.page_faults, 3);
		host_free(r.h);
	}
}

/* Two blocks, the second in the place of the first: it comes to a throttled SM and begins later. */
static void it_comes_to_a_throttled_sm(void **state)
{
	struct rig r = one_sm(), other = open_context(r.h);
	u64 first;

	(void)state;
	push(&r, 2, 1, 1, GRANULE);
	first = begin(&r);
	/* that it is throttled for another context means nothing */
	assert_true(vgpu_sm_throttle(&r.h->dev->exec.sms[0], other.context, 0));
	/* 1 ps before the first ends, which has nothing but that to do */
	throttle(&r, first + US(42) - 1, true);
	assert_int_equal(host_count_of(r.h, VGPU_TRACE_BLOCK_END), 0);
	throttle(&r, first + US(50), false);
	host_run(r.h);
	assert_int_equal(ended(&r, 0), US(50) + 1);
	assert_int_equal(ended(&r, 1), US(50) + 1 + US(42));
	host_free(r.h);
}

/* Its context ends meanwhile: nothing is left of it. */
static void its_context_ends(void **state)
{
	struct rig r = one_sm();
	u64 first;

	(void)state;
	push(&r, 1, 1, 3, GRANULE);
	first = begin(&r);
	throttle(&r, first + US(15), true);
	vgpu_context_close(r.h->dev, r.context);
	host_run(r.h);
	assert_int_equal(r.h->dev->exec.idle_count, 1);
	assert_int_equal(r.h->dev->exec.blocks, 0);
	host_free(r.h);
}

/*
 * A touch is an instruction whose lanes have a page of 4 KB each, and a line of that. So nine pages
 * are regular and ten are not; 32 of them are in two pages of 64 KB.
 */
static void touches_are_classified(void **state)
{
	static const struct {
		u32 bytes;
		u64 lines, pages;
		enum vgpu_access_class class;
	} cases[] = {
		{ PAGE, 1, 1, VGPU_ACCESS_REGULAR },
		{ 9 * PAGE, 9, 1, VGPU_ACCESS_REGULAR },
		{ 10 * PAGE, 10, 1, VGPU_ACCESS_IRREGULAR },
		{ 32 * PAGE, 32, 2, VGPU_ACCESS_IRREGULAR },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = START("sms=1", "vram_bytes=262144", "oversubscription=etc",
				     "classifier_cycles=1000000");
		const struct vgpu_pressure *p = &vgpu_context_find(r.h->dev, r.context)->pressure;

		push(&r, 1, 1, 1, cases[n].bytes);
		host_run(r.h);
		assert_int_equal(p->counts.accesses, 1);
		assert_int_equal(p->counts.lines, cases[n].lines);
		assert_int_equal(p->counts.pages, cases[n].pages);
		assert_int_equal(p->class, VGPU_ACCESS_UNKNOWN);
		assert_int_equal(vgpu_device_knob_set(r.h->dev, "classifier_cycles", "1000"), 0);
		for (u32 again = 0; again < 100 && p->class == VGPU_ACCESS_UNKNOWN; again++) {
			push(&r, 1, 1, 1, cases[n].bytes);
			host_run(r.h);
		}
		assert_int_equal(p->class, cases[n].class);
		host_free(r.h);
	}
}

/* Nobody wants to know: nothing is counted. */
static void only_who_is_sampled(void **state)
{
	struct rig r = START("sms=1", "vram_bytes=262144");

	(void)state;
	push(&r, 1, 1, 1, GRANULE);
	host_run(r.h);
	assert_int_equal(vgpu_context_find(r.h->dev, r.context)->pressure.counts.accesses, 0);
	host_free(r.h);
}

/*
 * Launches that touch the same 512 KB, with memory for half of it, irregular: the scheme throttles
 * SMs, and all blocks end.
 */
static void a_scheme_throttles_them(void **state)
{
	struct rig r = START("sms=4", "vram_bytes=262144", "oversubscription=etc",
			     "classifier_cycles=10000", "throttle_detect_cycles=10000",
			     "throttle_execute_cycles=10000", "fault_granule=4096");

	(void)state;
	for (u32 n = 0; n < 20; n++)
		push(&r, 4, 1, 2, 16 * PAGE);
	host_run(r.h);
	assert_true(info(&r).account.throttles > 0);
	assert_int_equal(info(&r).account.sms_throttled, 0);
	assert_int_equal(info(&r).account.access_class, VGPU_ACCESS_IRREGULAR);
	assert_int_equal(host_count_of(r.h, VGPU_TRACE_BLOCK_END), 80);
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_time_stands),
		cmocka_unit_test(it_comes_to_a_throttled_sm),
		cmocka_unit_test(its_context_ends),
		cmocka_unit_test(touches_are_classified),
		cmocka_unit_test(only_who_is_sampled),
		cmocka_unit_test(a_scheme_throttles_them),
	};

	return cmocka_run_group_tests_name("touching_throttled", tests, NULL, NULL);
}
