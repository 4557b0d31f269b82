// SPDX-License-Identifier: MIT
/*
 * Page faults (fault/fault.h): memory that is allocated when an SM touches it first. Times are
 * worked out by hand: beside the faults a kernel takes what it takes with memory that is there.
 */
#include <stdlib.h>

#include "fault_rig.h"
#include "vass_build.h"

#define BASE	0x10000000ull
#define PAGE	VGPU_PAGE_SIZE
#define GRANULE	0x10000u
#define MAPPED	(64 * GRANULE)

static u32 load(struct host *h, u32 context, const struct vass *v)
{
	char message[256] = "";
	u32 bytes, module;
	void *binary = vass_binary(v, &bytes);

	if (vgpu_module_load(h->dev, context, binary, bytes, message, sizeof(message), &module))
		fail_msg("%s", message);
	free(binary);
	return module;
}

/* Thread n stores n at the base and n times the stride; or loads it, and stores nothing. */
static void touch(struct vass *v, bool write)
{
	vass_init(v, 16, 16);
	vass_op(v, VGPU_OP_SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	vass_op(v, VGPU_OP_LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	vass_op(v, VGPU_OP_LDP, VASS_MEM(4, 1), 4, 0, 0, 0, 8);
	vass_op(v, VGPU_OP_MADWU, 0, 6, 0, 4, 2, 0);
	if (write)
		vass_op(v, VGPU_OP_STG, VASS_MEM(4, 1), 0, 6, 0, 0, 0);
	else
		vass_op(v, VGPU_OP_LDG, VASS_MEM(4, 1), 8, 6, 0, 0, 0);
	vass_op(v, VGPU_OP_EXIT, 0, 0, 0, 0, 0, 0);
}

static struct rig start(const char *const *settings, bool write)
{
	struct rig r;
	struct vass v;

	r.h = rig_host(settings);
	r.context = host_open(r.h);
	r.queue = host_queue(r.h, r.context);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, BASE, MAPPED), 0);
	touch(&v, write);
	r.module = load(r.h, r.context, &v);
	return r;
}

#define START(write, ...) start((const char *const[]){ __VA_ARGS__, NULL }, write)

static struct vgpu_account account(struct rig *r)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(r->h->dev, r->context, &info), 0);
	return info.account;
}

/* ---- tests -------------------------------------------------------------- */

static void eager_memory_is_there(void **state)
{
	struct rig r = START(true, "allocation=eager");

	(void)state;
	time_of(&r, 32, BASE, GRANULE);
	assert_int_equal(account(&r).page_faults, 0);
	assert_int_equal(account(&r).page_fault_time, 0);
	host_free(r.h);
}

/*
 * @threads of a warp, a granule each: the last is served @last after the first was raised, all
 * together take @sum. The second time, and by copies, nothing faults.
 */
static void granules(struct rig *r, u32 threads, u64 last, u64 sum)
{
	u64 there, first;

	first = time_of(r, threads, BASE, GRANULE);
	assert_int_equal(account(r).page_faults, threads);
	assert_int_equal(account(r).page_fault_time, sum);
	there = time_of(r, threads, BASE, GRANULE);
	assert_int_equal(account(r).page_faults, threads);
	/* the time of the slice in which they were raised passes while they are served */
	assert_true(first <= there + last && first > there + last - VGPU_US);
}

static void the_host_serves_one_after_another(void **state)
{
	for (u32 write = 0; write < 2; write++) {
		struct rig r = START(write, "allocation=lazy", "fault_handler=cpu");

		(void)state;
		/* 12, 14, 16 and 18 us */
		granules(&r, 4, 18 * VGPU_US, 60 * VGPU_US);
		host_free(r.h);
	}
}

/* 5 us there for one after another, 2 us at the host, 5 us back for one after another. */
static void ways_occupy_the_link(void **state)
{
	struct rig r = START(true, "allocation=lazy", "fault_occupies_link=1");

	(void)state;
	/* 12, 17, 22 and 27 us */
	granules(&r, 4, 27 * VGPU_US, 78 * VGPU_US);
	host_free(r.h);
	/* SMs need no interconnect */
	r = START(true, "allocation=lazy", "fault_occupies_link=1", "fault_handler=gpu");
	granules(&r, 4, 20 * VGPU_US, 80 * VGPU_US);
	host_free(r.h);
}

static void a_host_without_a_way(void **state)
{
	struct rig r = START(true, "allocation=lazy", "fault_round_trip_ps=1000000",
			     "fault_cpu_ps=3000000");

	(void)state;
	/* 3, 6 and 9 us */
	granules(&r, 3, 9 * VGPU_US, 18 * VGPU_US);
	host_free(r.h);
}

static void the_sm_serves_all_at_once(void **state)
{
	struct rig r = START(true, "allocation=lazy", "fault_handler=gpu");

	(void)state;
	granules(&r, 4, 20 * VGPU_US, 80 * VGPU_US);
	host_free(r.h);
}

static void a_full_buffer_delays(void **state)
{
	struct rig r = START(true, "allocation=lazy", "fault_buffer=1");

	(void)state;
	/* one after another: 12, 24, 36 and 48 us */
	granules(&r, 4, 48 * VGPU_US, 120 * VGPU_US);
	assert_int_equal(account(&r).page_faults_delayed, 3);
	host_free(r.h);
	r = START(true, "allocation=lazy", "fault_handler=gpu", "fault_buffer=2");
	/* two at 20 us, two at 40 */
	granules(&r, 4, 40 * VGPU_US, 120 * VGPU_US);
	assert_int_equal(account(&r).page_faults_delayed, 2);
	host_free(r.h);
}

static void a_fault_is_for_a_granule(void **state)
{
	static const struct {
		const char *granule;
		u32 faults;	/* of 32 pages from BASE on */
	} sizes[] = { { "4096", 32 }, { "8192", 16 }, { "65536", 2 }, { "2097152", 1 } };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(sizes); n++) {
		struct rig r = START(true, "allocation=lazy");

		assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_granule", sizes[n].granule),
				 0);
		time_of(&r, 32, BASE, PAGE);
		assert_int_equal(account(&r).page_faults, sizes[n].faults);
		host_free(r.h);
	}
}

/* A fault does not go beyond its mapping, nor over pages that are there. */
static void a_granule_has_edges(void **state)
{
	struct rig r = START(false, "allocation=lazy");
	const u64 apart = BASE + MAPPED;

	(void)state;
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, apart, 3 * PAGE), 0);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, apart + 3 * PAGE, 5 * PAGE), 0);
	time_of(&r, 1, apart + PAGE, 0);
	assert_int_equal(account(&r).page_faults, 1);
	time_of(&r, 3, apart, PAGE);
	assert_int_equal(account(&r).page_faults, 1);
	time_of(&r, 5, apart + 3 * PAGE, PAGE);
	assert_int_equal(account(&r).page_faults, 2);
	/* page 7 of the granule is there: 0 to 6, and 8 to 15 */
	host_push(r.h, r.context, r.queue, cmd_fill(BASE + 7 * PAGE, 16, 1, 1));
	host_run(r.h);
	time_of(&r, 16, BASE, PAGE);
	assert_int_equal(account(&r).page_faults, 4);
	time_of(&r, 16, BASE, PAGE);
	assert_int_equal(account(&r).page_faults, 4);
	host_free(r.h);
}

static void copies_do_not_fault(void **state)
{
	struct rig r = START(true, "allocation=lazy");

	(void)state;
	for (u32 n = 0; n < 16; n++)
		host_push(r.h, r.context, r.queue, cmd_fill(BASE + n * PAGE, 4, n, 1));
	host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE + GRANULE, PAGE));
	host_run(r.h);
	time_of(&r, 16, BASE, PAGE);
	assert_int_equal(account(&r).page_faults, 0);
	/* it was read only, which needs no memory */
	time_of(&r, 1, BASE + GRANULE, 0);
	assert_int_equal(account(&r).page_faults, 1);
	host_free(r.h);
}

/* What is written while a fault for it is in flight is there, and the fault ends all the same. */
static void a_copy_comes_before_the_fault_is_served(void **state)
{
	struct rig r = START(false, "allocation=lazy");
	u32 other = host_queue(r.h, r.context);

	(void)state;
	launch(&r, 1, BASE, 0);
	while (!account(&r).page_faults)
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	host_push(r.h, r.context, other, cmd_fill(BASE, 4 * PAGE, 9, 1));
	host_run(r.h);
	assert_int_equal(account(&r).page_faults, 1);
	assert_int_equal(account(&r).page_fault_time, 12 * VGPU_US);
	time_of(&r, 16, BASE, PAGE);
	assert_int_equal(account(&r).page_faults, 1);
	host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE, 5 * PAGE));
	host_run(r.h);
	for (u32 n = 0; n < 5 * PAGE; n++)
		assert_int_equal(r.h->memory[n], n < 4 * PAGE ? 9 : 0);
	host_free(r.h);
}

/* Contexts have pages of their own, and the host serves all of them in turn. */
static void two_contexts_at_one_address(void **state)
{
	struct rig r = START(true, "allocation=lazy"), other = { .h = r.h };
	struct vass v;

	(void)state;
	other.context = host_open(r.h);
	other.queue = host_queue(r.h, other.context);
	assert_int_equal(vgpu_memory_map(r.h->dev, other.context, BASE, MAPPED), 0);
	touch(&v, true);
	other.module = load(r.h, other.context, &v);
	launch(&r, 2, BASE, GRANULE);
	launch(&other, 2, BASE, GRANULE);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	assert_int_equal(account(&r).page_faults, 2);
	assert_int_equal(account(&other).page_faults, 2);
	host_free(r.h);
}

static void memory_goes_while_it_is_waited_for(void **state)
{
	for (u32 n = 0; n < 2; n++) {
		struct rig r = START(true, "allocation=lazy", "fault_buffer=1");

		(void)state;
		launch(&r, 4, BASE, GRANULE);
		while (account(&r).page_faults < 4)
			vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
		if (n)
			assert_int_equal(vgpu_context_close(r.h->dev, r.context), 0);
		else
			assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		assert_int_equal(r.h->dev->mmu.faults.entered, 0);
		assert_true(vgpu_list_empty(&r.h->dev->mmu.faults.delayed));
		host_run(r.h);
		assert_int_equal(r.h->fault_count, !n);
		if (!n)
			assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
		host_free(r.h);
	}
}

/* Other faults go on in their order. */
static void knobs_change_while_faults_are_in_flight(void **state)
{
	struct rig r = START(true, "allocation=lazy", "fault_handler=gpu");

	(void)state;
	launch(&r, 2, BASE, GRANULE);
	while (account(&r).page_faults < 2)
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_handler", "cpu"), 0);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_granule", "2097152"), 0);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "allocation", "eager"), 0);
	host_run(r.h);
	assert_int_equal(account(&r).page_fault_time, 40 * VGPU_US);
	time_of(&r, 8, BASE, GRANULE);
	assert_int_equal(account(&r).page_faults, 2);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "allocation", "lazy"), 0);
	/* 8 granules are there: those that were written */
	time_of(&r, 16, BASE, GRANULE);
	assert_true(account(&r).page_faults > 2);
	host_free(r.h);
}

/* ---- the trace ---------------------------------------------------------- */

/* A record that is expected; @at: picoseconds since the first fault was raised. */
struct expected {
	u64 at;
	u16 type;
	u32 in_flight;
	u64 seq, a, b;
};

#define RAISED(at_, n, mapping, page, b_)							\
	{ at_, VGPU_TRACE_PAGE_FAULT, n, mapping, page, b_ }
#define FULL		(1ull << 32)
#define LATER(what, at_, n, page, b_)								\
	{ at_, VGPU_TRACE_PAGE_FAULT_##what, n, 0, page, b_ }
#define WARPS(at_, active, waiting)	{ at_, VGPU_TRACE_SM_WARPS, 0, 0, active, waiting }
#define SOON		VGPU_NEVER	/* a slice after the record before it */

/* The records of faults and of waiting warps, all of one SM and one launch, are these. */
static void records_are(const struct rig *r, const struct expected *e, size_t count)
{
	u64 begin = VGPU_NEVER, last = 0;
	u32 sm = 0;

	for (size_t n = 0; n < r->h->record_count; n++) {
		const struct vgpu_trace_record *got = &r->h->records[n];

		if (got->type < VGPU_TRACE_PAGE_FAULT)
			continue;
		if (begin == VGPU_NEVER) {
			begin = got->time;
			sm = got->sm;
		}
		assert_true(count--);
		assert_int_equal(got->type, e->type);
		assert_int_equal(got->sm, sm);
		assert_int_equal(got->context, r->context);
		assert_int_equal(got->queue, e->in_flight);
		assert_int_equal(got->kernel, got->type != VGPU_TRACE_SM_WARPS);
		if (got->type == VGPU_TRACE_PAGE_FAULT || got->type == VGPU_TRACE_SM_WARPS)
			assert_int_equal(got->seq, e->seq);
		else
			assert_int_equal(got->seq, begin);
		assert_int_equal(got->a, e->a);
		assert_int_equal(got->b, e->b);
		if (e->at == SOON)
			assert_true(got->time > last && got->time < last + 2 * VGPU_US);
		else
			assert_int_equal(got->time - begin, e->at);
		last = got->time;
		e++;
	}
	assert_int_equal(count, 0);
}

static void must_show(struct rig *r, const char *knob, const char *expected)
{
	char text[64];

	assert_true(vgpu_device_knob_get(r->h->dev, knob, text, sizeof(text)) > 0);
	assert_string_equal(text, expected);
}

/* Names for the numbers of 6.5.3, and the numbers: each fault takes what is set by then. */
static void costs_are_knobs(void **state)
{
	static const char *const wrong[][2] = {
		{ "fault_costs", "pci" }, { "fault_costs", "" }, { "fault_cpu_us", "-1" },
		{ "fault_gpu_us", "x" }, { "fault_round_trip_us", "1.0000001" },
		{ "fault_data_round_trip_us", "3600000001" },
	};
	struct rig r = START(true, "allocation=lazy", "fault_handler=cpu");
	u64 there;

	(void)state;
	must_show(&r, "fault_costs", "[pcie] nvlink");
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_costs", "nvlink"), 0);
	must_show(&r, "fault_costs", "pcie [nvlink]");
	must_show(&r, "fault_round_trip_us", "10");
	must_show(&r, "fault_data_round_trip_us", "12");
	time_of(&r, 1, BASE, GRANULE);
	assert_int_equal(account(&r).page_fault_time, 10 * VGPU_US);
	there = time_of(&r, 1, BASE, GRANULE);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_round_trip_us", "3.5"), 0);
	must_show(&r, "fault_round_trip_us", "3.5");
	must_show(&r, "fault_costs", "pcie nvlink");
	assert_true(time_of(&r, 1, BASE + GRANULE, GRANULE) <= there + 3500 * VGPU_NS);
	assert_int_equal(account(&r).page_fault_time, 13500 * VGPU_NS);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_handler", "gpu"), 0);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_gpu_us", "1"), 0);
	time_of(&r, 1, BASE + 2 * GRANULE, GRANULE);
	assert_int_equal(account(&r).page_fault_time, 14500 * VGPU_NS);
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(wrong); n++)
		assert_int_equal(vgpu_device_knob_set(r.h->dev, wrong[n][0], wrong[n][1]), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_costs", "pcie"), 0);
	must_show(&r, "fault_costs", "[pcie] nvlink");
	must_show(&r, "fault_gpu_us", "20");
	host_free(r.h);
}

static void records_of_what_is_served(void **state)
{
	struct rig r = START(true, "allocation=lazy", "fault_buffer=2");
	/*
	 * A warp whose lanes touch four granules. The host takes 2 us each and 10 us for the way:
	 * served at 12 and 14 us. Each lets one in, which the host begins at once.
	 */
	static const struct expected expected[] = {
		RAISED(0, 1, BASE, BASE, 16),
		RAISED(0, 2, BASE, BASE + GRANULE, 16),
		RAISED(0, 3, BASE, BASE + 2 * GRANULE, FULL | 16),
		RAISED(0, 4, BASE, BASE + 3 * GRANULE, FULL | 16),
		WARPS(0, 0, 1),
		LATER(SERVED, 12 * VGPU_US, 3, BASE, 16),
		LATER(ENTER, 12 * VGPU_US, 3, BASE + 2 * GRANULE, 16),
		/* here, and at 14 and 24 us, the warp makes its access again, and waits on */
		LATER(SERVED, 14 * VGPU_US, 2, BASE + GRANULE, 16),
		LATER(ENTER, 14 * VGPU_US, 2, BASE + 3 * GRANULE, 16),
		LATER(SERVED, 24 * VGPU_US, 1, BASE + 2 * GRANULE, 16),
		LATER(SERVED, 26 * VGPU_US, 0, BASE + 3 * GRANULE, 16),
		WARPS(26 * VGPU_US, 1, 0),
		WARPS(SOON, 0, 0),
	};
	static const struct expected there[] = { WARPS(0, 2, 0), WARPS(SOON, 0, 0) };
	struct rig other = { .h = r.h };
	struct vass v;

	(void)state;
	time_of(&r, 4, BASE, GRANULE);
	records_are(&r, expected, VGPU_ARRAY_SIZE(expected));
	/* all is there: another launch has its warps recorded, another context has not */
	r.h->record_count = 0;
	time_of(&r, 33, BASE, 4);
	records_are(&r, there, VGPU_ARRAY_SIZE(there));
	r.h->record_count = 0;
	other.context = host_open(r.h);
	other.queue = host_queue(r.h, other.context);
	assert_int_equal(vgpu_memory_map(r.h->dev, other.context, BASE, MAPPED), 0);
	touch(&v, true);
	other.module = load(r.h, other.context, &v);
	host_push(r.h, other.context, other.queue, cmd_fill(BASE, 128, 1, 1));
	host_run(r.h);
	time_of(&other, 32, BASE, 4);
	records_are(&other, NULL, 0);
	host_free(r.h);
}

/*
 * Two mappings, a fault each; the first is unmapped 3 us after it was touched. Then the context is
 * closed (0), or the warp finds out what is not mapped when what is has come (1).
 */
static void records_of_what_is_cancelled(void **state)
{
	const u64 second = BASE + MAPPED;
	const struct expected expected[2][8] = {
		{
			RAISED(0, 1, BASE, BASE, 16),
			RAISED(0, 2, second, second, FULL | 1),
			WARPS(0, 0, 1),
			LATER(CANCELLED, 3 * VGPU_US, 1, BASE, 16),
			LATER(ENTER, 3 * VGPU_US, 1, second, 1),
			WARPS(3 * VGPU_US, 0, 0),
			LATER(CANCELLED, 3 * VGPU_US, 0, second, 1),
		},
		{
			RAISED(0, 1, BASE, BASE, 16),
			RAISED(0, 2, second, second, FULL | 1),
			WARPS(0, 0, 1),
			LATER(CANCELLED, 3 * VGPU_US, 1, BASE, 16),
			LATER(ENTER, 3 * VGPU_US, 1, second, 1),
			LATER(SERVED, 15 * VGPU_US, 0, second, 1),
			WARPS(15 * VGPU_US, 1, 0),
			WARPS(SOON, 0, 0),
		},
	};

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct rig r = START(true, "allocation=lazy", "fault_buffer=1");

		assert_int_equal(vgpu_memory_map(r.h->dev, r.context, second, PAGE), 0);
		launch(&r, 2, BASE, MAPPED);
		while (account(&r).page_faults < 2)
			vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
		vgpu_device_run(r.h->dev, r.h->dev->sim->now + 3 * VGPU_US, ~0u);
		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		if (n)
			host_run(r.h);
		assert_int_equal(vgpu_context_close(r.h->dev, r.context), 0);
		assert_int_equal(r.h->fault_count, n);
		records_are(&r, expected[n], n ? 8 : 7);
		host_free(r.h);
	}
}

static void no_records_of_what_is_there(void **state)
{
	struct rig r = START(true, "allocation=eager");

	(void)state;
	time_of(&r, 1024, BASE, PAGE);
	records_are(&r, NULL, 0);
	host_free(r.h);
}

static void what_is_refused(void **state)
{
	struct rig r = START(true, "allocation=lazy");
	struct vgpu_config config = r.h->config;
	char text[64];

	(void)state;
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "allocation", "late"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_handler", "nobody"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_handler", "test"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_granule", "2048"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_granule", "12288"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "fault_granule", "4194304"), -EINVAL);
	assert_true(vgpu_device_knob_get(r.h->dev, "allocation", text, sizeof(text)) > 0);
	assert_string_equal(text, "eager [lazy]");
	assert_true(vgpu_device_knob_get(r.h->dev, "fault_handler", text, sizeof(text)) > 0);
	assert_string_equal(text, "[cpu] gpu");
	assert_true(vgpu_device_knob_get(r.h->dev, "fault_granule", text, sizeof(text)) > 0);
	assert_string_equal(text, "65536");
	host_free(r.h);
	assert_null(vgpu_config_check(&config));
	config.fault_granule = 12288;
	assert_non_null(vgpu_config_check(&config));
	config.fault_granule = 4096;
	assert_int_equal(vgpu_config_set(&config, "allocation", "late"), 0);
	assert_non_null(vgpu_config_check(&config));
	assert_int_equal(vgpu_config_set(&config, "allocation", "eager"), 0);
	assert_int_equal(vgpu_config_set(&config, "fault_handler", "test"), 0);
	assert_non_null(vgpu_config_check(&config));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eager_memory_is_there),
		cmocka_unit_test(the_host_serves_one_after_another),
		cmocka_unit_test(ways_occupy_the_link),
		cmocka_unit_test(a_host_without_a_way),
		cmocka_unit_test(the_sm_serves_all_at_once),
		cmocka_unit_test(a_full_buffer_delays),
		cmocka_unit_test(a_fault_is_for_a_granule),
		cmocka_unit_test(a_granule_has_edges),
		cmocka_unit_test(copies_do_not_fault),
		cmocka_unit_test(a_copy_comes_before_the_fault_is_served),
		cmocka_unit_test(two_contexts_at_one_address),
		cmocka_unit_test(memory_goes_while_it_is_waited_for),
		cmocka_unit_test(knobs_change_while_faults_are_in_flight),
		cmocka_unit_test(costs_are_knobs),
		cmocka_unit_test(records_of_what_is_served),
		cmocka_unit_test(records_of_what_is_cancelled),
		cmocka_unit_test(no_records_of_what_is_there),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
