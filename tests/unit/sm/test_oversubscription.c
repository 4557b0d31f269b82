// SPDX-License-Identifier: MIT
/*
 * A context with more managed memory than frames: eviction ahead of time, and the classifier, with
 * times worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "managed_rig.h"
#include "mmu/address_space.h"

/* Eight frames, a page each time; 4.096 us to write one back. */
#define EIGHT	"fault_granule=4096", "vram_bytes=32768", "link_bandwidth=1000000000"

#define WRITE_BACK	4096000ull

static struct vgpu_context *context(struct rig *r)
{
	return vgpu_context_find(r->h->dev, r->context);
}

static void fill(struct rig *r, u32 pages)
{
	for (u32 page = 0; page < pages; page++)
		time_of(r, 1, BASE + page * PAGE, 0);
}

/*
 * The ninth page: without, the write-back of the first delays it. With, the page whose frame made
 * less than two free (the seventh) has sent one, and so on: there is a frame, and whose page was
 * there has crossed long ago.
 */
static void room_is_made_before(void **state)
{
	static const struct {
		const char *set;
		u64 more, evicted, ahead;
	} cases[] = {
		{ "proactive_eviction=0", WRITE_BACK, 1, 0 },
		{ "proactive_eviction=1", 0, 3, 3 },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = START(EIGHT, "proactive_bytes=8192", cases[n].set);

		fill(&r, 8);
		takes(&r, 1, BASE + 8 * PAGE, 0, 12 * VGPU_US + cases[n].more);
		assert_int_equal(info(&r).account.pages_evicted, cases[n].evicted);
		assert_int_equal(vgpu_as_migrated(context(&r)->as)->ahead, cases[n].ahead);
		for (u32 page = 0; page < 9; page++)
			assert_int_equal(*word(&r, BASE + page * PAGE), page == 8 ? 2 : 1);
		host_free(r.h);
	}
}

/*
 * Seven pages are there, and two more come at once; one frame is to be free. The first, handled
 * after 7 us, gets the last free frame and sends a page. The second, handled 2 us later, has a
 * frame when that has crossed: 4.096 - 2 us later than without. Reactive it would be 4.096 us.
 */
static void a_frame_in_flight_is_waited_for(void **state)
{
	static const struct {
		const char *set;
		u64 last;
	} cases[] = {
		{ "proactive_eviction=0", 14 * VGPU_US + WRITE_BACK },
		{ "proactive_eviction=1", 12 * VGPU_US + WRITE_BACK },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = START(EIGHT, "proactive_bytes=4096", cases[n].set);
		u64 first, there;

		fill(&r, 7);
		first = time_of(&r, 2, BASE + 7 * PAGE, PAGE);
		there = time_of(&r, 2, BASE + 7 * PAGE, PAGE);
		assert_in_range(first, there + cases[n].last - VGPU_US, there + cases[n].last);
		host_free(r.h);
	}
}

/* Not of a context that fits, and not where enough is free. */
static void only_where_it_helps(void **state)
{
	struct rig r = START("fault_granule=4096", "proactive_eviction=1");

	(void)state;
	fill(&r, 12);
	assert_false(context(&r)->pressure.oversubscribed);
	assert_int_equal(info(&r).account.pages_evicted, 0);
	host_free(r.h);
	r = START(EIGHT, "proactive_bytes=4096", "proactive_eviction=1");
	assert_true(context(&r)->pressure.oversubscribed);
	fill(&r, 7);
	assert_int_equal(info(&r).account.pages_evicted, 0);
	host_free(r.h);
}

/* Its own pages go, however old those of others are. */
static void its_own_go(void **state)
{
	struct rig a = START(EIGHT, "proactive_bytes=8192"), b = open_context(a.h);

	(void)state;
	fill(&a, 3);
	assert_int_equal(vgpu_device_knob_set(a.h->dev, "proactive_eviction", "1"), 0);
	fill(&b, 5);
	assert_int_equal(info(&a).account.pages_evicted, 0);
	assert_int_equal(info(&b).account.pages_evicted, 2);
	host_free(a.h);
}

/* What was read only is written back as well with evict_clean. */
static void clean_pages_may_be_copied(void **state)
{
	for (u32 clean = 0; clean < 2; clean++) {
		struct rig r = START(EIGHT, clean ? "evict_clean=1" : "evict_clean=0");
		struct vass v;

		(void)state;
		fill(&r, 8);
		/* they go to the host, and come again to be read */
		for (u32 page = 0; page < 8; page++)
			assert_int_equal(*word(&r, BASE + page * PAGE), 1);
		rig_add(&v, false);
		v.count -= 3;
		vass_op(&v, VGPU_OP_ADD, 0, 8, 8, 9, 0, 0);
		vass_op(&v, VGPU_OP_EXIT, 0, 0, 0, 0, 0, 0);
		rig_load(&r, &v);
		fill(&r, 8);
		assert_int_equal(info(&r).account.pages_evicted, 0);
		assert_int_equal(info(&r).account.page_bytes_out, 8 * PAGE);
		time_of(&r, 1, BASE + 8 * PAGE, 0);
		assert_int_equal(info(&r).account.pages_evicted, 1);
		assert_int_equal(info(&r).account.page_bytes_out, (8 + clean) * PAGE);
		host_free(r.h);
	}
}

static u32 raised, ended;

static void count_mapped(struct vgpu_pressure *pressure)
{
	(void)pressure;
}

static void count_raised(struct vgpu_pressure *pressure, u32 sm)
{
	(void)pressure;
	assert_int_equal(sm, 0);
	raised++;
}

static void count_placed(struct vgpu_pressure *pressure, const struct vgpu_page_fault *fault)
{
	(void)pressure;
	(void)fault;
}

static void count_ended(struct vgpu_pressure *pressure, u32 sm)
{
	(void)pressure;
	assert_int_equal(sm, 0);
	ended++;
}

static const struct vgpu_pressure_ops counting = {
	.mapped = count_mapped,
	.raised = count_raised,
	.evicted = count_mapped,
	.placed = count_placed,
	.ended = count_ended,
};

/* A throttler that waits for a fault waits for one that is cancelled, too: it is told. */
static void every_fault_ends(void **state)
{
	struct rig r = START(EIGHT, "sms=1");

	(void)state;
	raised = ended = 0;
	r.h->dev->mmu.pressure_ops = &counting;
	launch(&r, 1, BASE, 0);
	while (!raised)
		vgpu_device_run(r.h->dev, r.h->dev->sim->now + VGPU_US / 10, ~0u);
	assert_int_equal(ended, 0);
	assert_int_equal(vgpu_faults_cancel(&r.h->dev->mmu.faults, &context(&r)->as->faults,
					    BASE / PAGE, 1, 1), 1);
	assert_int_equal(ended, 1);
	host_run(r.h);
	assert_int_equal(raised, 2);
	assert_int_equal(ended, 2);
	assert_int_equal(*word(&r, BASE), 1);
	host_free(r.h);
}

/* ---- the classifier ----------------------------------------------------------------------- */

/*
 * A load and a store of 32 lanes each: words in a row are in one line each, words 384 bytes apart
 * in 32 lines and one page of 64 KB, words 64 KB apart in 32 of each. Words 36 bytes apart are in 9
 * lines (31 * 36 / 128 is 8), which are fewer than 10, words 40 bytes apart in 10.
 */
static void lines_of_an_instruction(void **state)
{
	static const struct {
		u32 stride;
		u64 lines, pages;
		enum vgpu_access_class class;
	} cases[] = {
		{ 0, 1, 1, VGPU_ACCESS_REGULAR },
		{ 4, 1, 1, VGPU_ACCESS_REGULAR },
		{ 36, 9, 1, VGPU_ACCESS_REGULAR },
		{ 40, 10, 1, VGPU_ACCESS_IRREGULAR },
		{ 384, 32, 1, VGPU_ACCESS_IRREGULAR },
		{ 65536, 32, 32, VGPU_ACCESS_IRREGULAR },
	};
	static const char *const timings[] = { "timing=interval", "timing=pipeline" };

	(void)state;
	for (u32 n = 0; n < 2 * VGPU_ARRAY_SIZE(cases); n++) {
		u32 c = n / 2;
		struct rig r = START("fault_granule=4096", "vram_bytes=262144",
				     "oversubscription=etc", "classifier_cycles=100000000",
				     timings[n % 2]);
		const struct vgpu_pressure *p = &context(&r)->pressure;

		time_of(&r, 32, BASE, cases[c].stride);
		assert_int_equal(p->counts.accesses, 2);
		assert_int_equal(p->counts.lines, 2 * cases[c].lines);
		assert_int_equal(p->counts.pages, 2 * cases[c].pages);
		assert_int_equal(p->class, VGPU_ACCESS_UNKNOWN);
		host_free(r.h);
	}
	for (u32 c = 0; c < VGPU_ARRAY_SIZE(cases); c++) {
		struct rig r = START("fault_granule=4096", "vram_bytes=262144",
				     "oversubscription=etc", "classifier_cycles=1000");

		/* windows of 1 us; the faults take 12 us and more */
		for (u32 n = 0; n < 3; n++)
			time_of(&r, 32, BASE, cases[c].stride);
		assert_int_equal(context(&r)->pressure.class, cases[c].class);
		host_free(r.h);
	}
}

/* A window is of time with kernels: the time between them does not count. */
static void a_window_stands_still(void **state)
{
	struct rig r = START("fault_granule=4096", "vram_bytes=32768", "oversubscription=etc",
			     "classifier_cycles=50000");
	const struct vgpu_pressure *p = &context(&r)->pressure;
	u64 time = 0;

	(void)state;
	while (p->class == VGPU_ACCESS_UNKNOWN) {
		time += time_of(&r, 32, BASE, 4);
		vgpu_device_run(r.h->dev, r.h->dev->sim->now + VGPU_MS, ~0u);
		assert_true(time < VGPU_MS);
	}
	assert_true(time >= 50 * VGPU_US);
	host_free(r.h);
}

/*
 * Launches of one kernel with a pointer to the same memory share it. The stride, which is beside
 * it in the parameters, is none. A hint goes before, and is of managed memory only.
 */
static void launches_share_data(void **state)
{
	static const char *const schemes[] = { "none", "etc" };

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct rig r = START(EIGHT, "sms=1"), other;
		const struct vgpu_pressure *p = &context(&r)->pressure;

		assert_int_equal(vgpu_device_knob_set(r.h->dev, "oversubscription", schemes[n]), 0);
		other = open_context(r.h);
		fill(&r, 1);
		assert_int_equal(info(&r).account.data_shared, VGPU_SHARING_UNKNOWN);
		fill(&other, 1);
		assert_int_equal(info(&r).account.data_shared, VGPU_SHARING_UNKNOWN);
		fill(&r, 1);
		assert_int_equal(info(&r).account.data_shared, VGPU_SHARING_FOUND);
		assert_int_equal(info(&other).account.data_shared, VGPU_SHARING_UNKNOWN);
		assert_false(p->remedies.compression);
		assert_int_equal(vgpu_managed_advise(r.h->dev, r.context, BASE, PAGE,
						     VGPU_ADVICE_NOT_SHARED), 0);
		assert_int_equal(info(&r).account.data_shared, VGPU_SHARING_DENIED);
		fill(&r, 1);
		assert_int_equal(info(&r).account.data_shared, VGPU_SHARING_DENIED);
		assert_int_equal(vgpu_managed_advise(r.h->dev, r.context, BASE + MAPPED, PAGE,
						     VGPU_ADVICE_SHARED), -EINVAL);
		assert_int_equal(vgpu_managed_advise(r.h->dev, r.context, BASE + 1, PAGE,
						     VGPU_ADVICE_SHARED), -EINVAL);
		assert_int_equal(vgpu_managed_advise(r.h->dev, r.context, BASE, PAGE,
						     VGPU_ADVICE_SHARED), 0);
		assert_int_equal(info(&r).account.data_shared, VGPU_SHARING_HINTED);
		host_free(r.h);
	}
}

/* Memory that is mapped where other memory was is other memory. */
static void gone_memory_is_not_shared(void **state)
{
	struct rig r = START(EIGHT, "sms=1");

	(void)state;
	for (u32 n = 0; n < 3; n++) {
		fill(&r, 1);
		assert_int_equal(info(&r).account.data_shared, VGPU_SHARING_UNKNOWN);
		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, BASE, MAPPED), 0);
	}
	fill(&r, 1);
	fill(&r, 1);
	assert_int_equal(info(&r).account.data_shared, VGPU_SHARING_FOUND);
	host_free(r.h);
}

/* What a scheme chooses by class and sharing (thesis 3.6.5). */
static void etc_chooses(void **state)
{
	static const struct {
		enum vgpu_access_class class;
		bool ahead, throttles, compresses, shared_compresses;
	} cases[] = {
		{ VGPU_ACCESS_UNKNOWN, false, false, false, false },
		{ VGPU_ACCESS_REGULAR, true, false, false, true },
		{ VGPU_ACCESS_IRREGULAR, false, true, true, true },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = START(EIGHT, "oversubscription=etc");
		struct vgpu_pressure *p = &context(&r)->pressure;

		p->class = cases[n].class;
		vgpu_pressure_update(p);
		assert_int_equal(p->remedies.proactive_eviction, cases[n].ahead);
		assert_int_equal(!!p->remedies.throttler, cases[n].throttles);
		assert_int_equal(p->remedies.compression, cases[n].compresses);
		vgpu_pressure_hint(p, BASE, false);
		assert_int_equal(p->remedies.compression, cases[n].compresses);
		vgpu_pressure_hint(p, BASE, true);
		assert_int_equal(p->remedies.compression, cases[n].shared_compresses);
		assert_int_equal(context(&r)->as->compresses, cases[n].shared_compresses);
		host_free(r.h);
	}
}

/* Knobs take effect at once, and a name that there is not is refused. */
static void knobs(void **state)
{
	struct rig r = START(EIGHT);
	const struct vgpu_pressure *p = &context(&r)->pressure;
	char text[128];

	(void)state;
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "oversubscription", "lru"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "throttling", "2"), -EINVAL);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "oversubscription", "simple-throttle"), 0);
	assert_true(vgpu_device_knob_get(r.h->dev, "oversubscription", text, sizeof(text)) > 0);
	assert_string_equal(text, "none [simple-throttle] etc");
	assert_ptr_equal(p->remedies.throttler, &vgpu_throttler_half);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "oversubscription", "none"), 0);
	assert_ptr_equal(p->remedies.throttler, NULL);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "throttling", "1"), 0);
	assert_ptr_equal(p->remedies.throttler, &vgpu_throttler_adaptive);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "throttling", "0"), 0);
	assert_ptr_equal(p->remedies.throttler, NULL);
	assert_false(p->remedies.proactive_eviction);
	assert_int_equal(vgpu_device_knob_set(r.h->dev, "proactive_eviction", "1"), 0);
	assert_true(p->remedies.proactive_eviction);
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_is_made_before),
		cmocka_unit_test(a_frame_in_flight_is_waited_for),
		cmocka_unit_test(only_where_it_helps),
		cmocka_unit_test(its_own_go),
		cmocka_unit_test(clean_pages_may_be_copied),
		cmocka_unit_test(every_fault_ends),
		cmocka_unit_test(lines_of_an_instruction),
		cmocka_unit_test(a_window_stands_still),
		cmocka_unit_test(launches_share_data),
		cmocka_unit_test(gone_memory_is_not_shared),
		cmocka_unit_test(etc_chooses),
		cmocka_unit_test(knobs),
	};

	return cmocka_run_group_tests_name("oversubscription", tests, NULL, NULL);
}
