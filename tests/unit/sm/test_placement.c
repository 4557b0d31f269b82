// SPDX-License-Identifier: MIT
/*
 * Which managed pages are on the device (mmu/placement.h): victims worked out by hand.
 */
#include "managed_rig.h"
#include "mmu/address_space.h"

/* One SM; faults are for one page each unless a test says otherwise. */
#define ONE_SM	"sms=1", "fault_granule=4096"

/* A page of device memory, which is not for managed pages. */
static struct rig open_other(struct host *h)
{
	struct rig r = { .h = h };

	r.context = host_open(h);
	r.queue = host_queue(h, r.context);
	assert_int_equal(vgpu_memory_map(h->dev, r.context, DEVICE, PAGE), 0);
	rig_load_add(&r, false);
	return r;
}

/* A kernel of @r uses a page: the one of @other before it has left no translation in the TLB. */
static void touch(struct rig *r, struct rig *other, u32 page)
{
	launch(other, 1, DEVICE, 0);
	host_run(r->h);
	launch(r, 1, BASE + page * PAGE, 0);
	host_run(r->h);
	assert_int_equal(r->h->fault_count, 0);
}

static struct vgpu_address_space *space(struct rig *r)
{
	return vgpu_context_find(r->h->dev, r->context)->as;
}

static bool is_there(struct rig *r, u32 page)
{
	return vgpu_as_page_state(space(r), BASE + page * PAGE) == VGPU_PAGE_FRAME;
}

/* The first 64 pages: a bit for each that has a frame. */
static u64 there(struct rig *r)
{
	u64 bits = 0;

	for (u32 page = 0; page < 64; page++)
		bits |= (u64)is_there(r, page) << page;
	return bits;
}

static void set(struct rig *r, const char *knob, const char *value)
{
	assert_int_equal(vgpu_device_knob_set(r->h->dev, knob, value), 0);
}

/* ---- evictors ----------------------------------------------------------- */

/*
 * Four frames, pages used in the order 0 1 2 3 0 4 1 5.
 *
 *   fifo   4 evicts 0; 1 is there; 5 evicts 1
 *   lru    4 evicts 1, as 0 was used again; so 1 evicts 2, and 5 evicts 3
 *   clock  4 finds all four used, passes them and evicts 0; 1 is there and used; 5 passes 1 and
 *          evicts 2
 */
static void evictors_differ(void **state)
{
	static const struct {
		const char *set;
		u64 there, faults;
	} cases[] = {
		{ "evictor=fifo", 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5, 6 },
		{ "evictor=lru", 1 << 0 | 1 << 1 | 1 << 4 | 1 << 5, 7 },
		{ "evictor=clock", 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5, 6 },
	};
	static const u32 order[] = { 0, 1, 2, 3, 0, 4, 1, 5 };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = START(ONE_SM, "vram_bytes=20480", cases[n].set);
		struct rig other = open_other(r.h);

		for (u32 i = 0; i < VGPU_ARRAY_SIZE(order); i++)
			touch(&r, &other, order[i]);
		assert_int_equal(there(&r), cases[n].there);
		assert_int_equal(info(&r).account.page_faults, cases[n].faults);
		assert_int_equal(info(&r).account.pages_evicted, cases[n].faults - 4);
		for (u32 page = 0; page < 6; page++)
			assert_int_equal(*word(&r, BASE + page * PAGE), page < 2 ? 2 : 1);
		host_free(r.h);
	}
}

/* The order of a new evictor is known at once: 0 was used after 1. */
static void an_evictor_comes_later(void **state)
{
	struct rig r = START(ONE_SM, "vram_bytes=20480"), other = open_other(r.h);

	(void)state;
	for (u32 page = 0; page < 4; page++)
		touch(&r, &other, page);
	touch(&r, &other, 0);
	set(&r, "evictor", "lru");
	touch(&r, &other, 4);
	assert_int_equal(there(&r), 1 << 0 | 1 << 2 | 1 << 3 | 1 << 4);
	set(&r, "evictor", "fifo");
	touch(&r, &other, 5);
	assert_int_equal(there(&r), 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5);
	host_free(r.h);
}

/* Pages of two contexts in the order A0 B0 A1 B1, A0 used again. */
static void the_victim_is_of_any_context(void **state)
{
	static const struct {
		const char *set;
		u64 a, b;
	} cases[] = {
		{ "evictor=fifo", 1 << 1 | 1 << 2, 1 << 0 | 1 << 1 },
		{ "evictor=lru", 1 << 0 | 1 << 1 | 1 << 2, 1 << 1 },
		{ "evictor=clock", 1 << 1 | 1 << 2, 1 << 0 | 1 << 1 },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig a = START(ONE_SM, "vram_bytes=20480", cases[n].set);
		struct rig b = open_context(a.h), other = open_other(a.h);

		touch(&a, &other, 0);
		touch(&b, &other, 0);
		touch(&a, &other, 1);
		touch(&b, &other, 1);
		touch(&a, &other, 0);
		touch(&a, &other, 2);
		assert_int_equal(there(&a), cases[n].a);
		assert_int_equal(there(&b), cases[n].b);
		assert_int_equal(info(&a).account.pages_evicted, n != 1);
		assert_int_equal(info(&b).account.pages_evicted, n == 1);
		host_free(a.h);
	}
}

/* A page that goes to the host is not a victim; one that stays after all came now. */
static void a_page_that_stays_is_new(void **state)
{
	struct rig r = START(ONE_SM, "vram_bytes=20480"), other = open_other(r.h);
	u64 first, bytes;

	(void)state;
	for (u32 page = 0; page < 4; page++)
		touch(&r, &other, page);
	assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, BASE, true,
					    &first, &bytes, NULL), -EAGAIN);
	assert_int_equal(vgpu_faults_cancel(&r.h->dev->mmu.faults, &space(&r)->faults,
					    BASE / PAGE, 1, 1), 1);
	touch(&r, &other, 4);
	assert_int_equal(there(&r), 1 << 0 | 1 << 2 | 1 << 3 | 1 << 4);
	host_free(r.h);
}

/* ---- eviction units ----------------------------------------------------- */

/* One page after the other is used, in frames for eight. */
static struct rig start_units(const char *unit, const char *bandwidth)
{
	static const u32 order[] = { 0, 1, 16, 17, 512, 513, 2, 18 };
	struct rig r = START("fault_granule=4096", "vram_bytes=32768", unit, bandwidth);

	for (u32 n = 0; n < VGPU_ARRAY_SIZE(order); n++)
		time_of(&r, 1, BASE + order[n] * PAGE, 0);
	assert_int_equal(there(&r), 1 << 0 | 1 << 1 | 1 << 2 | 1 << 16 | 1 << 17 | 1 << 18);
	return r;
}

/* Without data 12 us, and what the device has written: 4.096 us a page at 1 GB/s. */
static void a_unit_goes(void **state)
{
	static const struct {
		const char *set;
		u64 evicted, there;
	} cases[] = {
		{ "eviction_unit=4096", 1, 1 << 1 | 1 << 2 | 1 << 16 | 1 << 17 | 1 << 18 },
		{ "eviction_unit=65536", 3, 1 << 16 | 1 << 17 | 1 << 18 },
		{ "eviction_unit=2097152", 6, 0 },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = start_units(cases[n].set, "link_bandwidth=1000000000");

		takes(&r, 1, BASE + 514 * PAGE, 0, 12 * VGPU_US + cases[n].evicted * 4096000);
		assert_int_equal(there(&r), cases[n].there);
		for (u32 page = 512; page < 515; page++)
			assert_true(is_there(&r, page));
		assert_int_equal(info(&r).account.pages_evicted, cases[n].evicted);
		assert_int_equal(info(&r).account.page_bytes_out, cases[n].evicted * PAGE);
		assert_int_equal(info(&r).resident_bytes, (9 - cases[n].evicted) * PAGE);
		for (u32 page = 0; page < 3; page++)
			assert_int_equal(*word(&r, BASE + page * PAGE), 1);
		host_free(r.h);
	}
}

/* Page 2 takes 41 us to the host; meanwhile the rest of its unit goes. */
static void a_unit_without_what_is_on_its_way(void **state)
{
	struct rig r = start_units("eviction_unit=65536", "link_bandwidth=100000000");
	u64 first, bytes;

	(void)state;
	assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, BASE + 2 * PAGE, true,
					    &first, &bytes, NULL),
			 -EAGAIN);
	time_of(&r, 1, BASE + 514 * PAGE, 0);
	assert_int_equal(there(&r), 1 << 16 | 1 << 17 | 1 << 18);
	assert_int_equal(info(&r).account.pages_evicted, 2);
	for (u32 page = 0; page < 3; page++)
		assert_int_equal(*word(&r, BASE + page * PAGE), 1);
	host_free(r.h);
}

/* ---- shares of contexts ------------------------------------------------- */

/* Eight frames. One context sweeps over ten pages; the other has used two before. */
static void one_context_has_its_share(void **state)
{
	static const struct {
		const char *set;
		u64 own, of_other;
	} cases[] = {
		{ "managed_share=100", 8, 0 },
		{ "managed_share=50", 4, 2 },
		{ "managed_share=99", 7, 1 },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct rig r = START("fault_granule=4096", "vram_bytes=32768", cases[n].set);
		struct rig other = open_context(r.h);

		for (u32 page = 0; page < 2; page++)
			time_of(&other, 1, BASE + page * PAGE, 0);
		for (u32 touched = 0; touched < 30; touched++)
			time_of(&r, 1, BASE + touched % 10 * PAGE, 0);
		assert_int_equal(info(&r).resident_bytes, cases[n].own * PAGE);
		assert_int_equal(info(&r).account.pages_evicted, 30 - cases[n].own);
		assert_int_equal(info(&other).resident_bytes, cases[n].of_other * PAGE);
		assert_int_equal(info(&other).account.pages_evicted, 2 - cases[n].of_other);
		for (u32 page = 0; page < 10; page++)
			assert_int_equal(*word(&r, BASE + page * PAGE), 3);
		host_free(r.h);
	}
}

/* Ten pages of one instruction come at once: as many as the share, and the others later. */
static void pages_on_their_way_count(void **state)
{
	struct rig r = START("fault_granule=4096", "vram_bytes=65536", "managed_share=25");
	u64 most = 0;

	(void)state;
	launch(&r, 10, BASE, PAGE);
	while (!r.h->completion_count) {
		u64 now = info(&r).resident_bytes + space(&r)->resident.arriving * VGPU_LCP_UNIT;

		most = now > most ? now : most;
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	}
	assert_int_equal(most, 4 * PAGE);
	for (u32 page = 0; page < 10; page++)
		assert_int_equal(*word(&r, BASE + page * PAGE), page + 1);
	host_free(r.h);
}

/* A smaller share takes effect with the next fault: 4 of 16 frames, then 1. */
static void a_share_becomes_smaller(void **state)
{
	struct rig r = START("fault_granule=4096", "vram_bytes=65536");

	(void)state;
	for (u32 page = 0; page < 16; page++)
		time_of(&r, 1, BASE + page * PAGE, 0);
	set(&r, "managed_share", "25");
	time_of(&r, 1, BASE + 16 * PAGE, 0);
	assert_int_equal(there(&r), 0xf << 13);
	set(&r, "managed_share", "12");
	time_of(&r, 1, BASE + 15 * PAGE, 0);
	assert_int_equal(there(&r), 0xf << 13);
	time_of(&r, 1, BASE, 0);
	assert_int_equal(there(&r), 1);
	set(&r, "managed_share", "100");
	time_of(&r, 1, BASE + PAGE, 0);
	assert_int_equal(there(&r), 3);
	host_free(r.h);
}

static void a_share_smaller_than_a_granule(void **state)
{
	struct rig r = START("vram_bytes=131072", "managed_share=49");

	(void)state;
	launch(&r, 2, BASE, GRANULE);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	assert_int_equal(info(&r).resident_bytes, 0);
	assert_int_equal(*word(&r, BASE), 1);
	assert_int_equal(*word(&r, BASE + GRANULE), 2);
	host_free(r.h);
}

/* ---- refaults ----------------------------------------------------------- */

/* Four frames. Pages that come again count, each time, and those that a process had in between. */
static void pages_that_come_again(void **state)
{
	struct rig r = START("fault_granule=4096", "vram_bytes=16384");

	(void)state;
	for (u32 page = 0; page < 6; page++)
		time_of(&r, 1, BASE + page * PAGE, 0);
	assert_int_equal(info(&r).account.page_refaults, 0);
	time_of(&r, 1, BASE, 0);
	assert_int_equal(info(&r).account.page_refaults, 1);
	assert_int_equal(*word(&r, BASE + PAGE), 1);
	time_of(&r, 1, BASE + PAGE, 0);
	assert_int_equal(info(&r).account.page_refaults, 2);
	/* a process had it, and nobody evicted it */
	assert_int_equal(*word(&r, BASE + PAGE), 2);
	time_of(&r, 1, BASE + PAGE, 0);
	assert_int_equal(info(&r).account.page_refaults, 2);
	for (u32 page = 2; page < 6; page++)
		time_of(&r, 1, BASE + page * PAGE, 0);
	time_of(&r, 1, BASE, 0);
	/* each had been evicted: 2 by 0, 3 by 1, 4 by 2, 5 by 3, 0 by 4 */
	assert_int_equal(info(&r).account.page_refaults, 7);
	host_free(r.h);
}

/* ---- knobs -------------------------------------------------------------- */

static void knobs(void **state)
{
	static const struct {
		const char *name, *good, *text, *bad, *wrong;
	} cases[] = {
		{ "evictor", "clock", "fifo lru [clock]", "random",
		  "evictor must be one of the names that its knob lists" },
		{ "prefetcher", "tree", "none granule [tree]", "all",
		  "prefetcher must be one of the names that its knob lists" },
		{ "managed_share", "1", "1", "0", "managed_share must be 1..100" },
		{ "managed_share", "100", "100", "101", "managed_share must be 1..100" },
		{ "eviction_unit", "2097152", "2097152", "131072",
		  "eviction_unit must be 4096, 65536 or 2097152 bytes" },
	};
	struct rig r = START();

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		struct vgpu_config config = r.h->config;
		char text[64];

		assert_int_equal(vgpu_device_knob_set(r.h->dev, cases[n].name, cases[n].bad),
				 -EINVAL);
		set(&r, cases[n].name, cases[n].good);
		assert_true(vgpu_device_knob_get(r.h->dev, cases[n].name, text, sizeof(text)) > 0);
		assert_string_equal(text, cases[n].text);
		assert_null(vgpu_config_check(&config));
		if (!vgpu_config_set(&config, cases[n].name, cases[n].bad))
			assert_string_equal(vgpu_config_check(&config), cases[n].wrong);
	}
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evictors_differ),
		cmocka_unit_test(an_evictor_comes_later),
		cmocka_unit_test(the_victim_is_of_any_context),
		cmocka_unit_test(a_page_that_stays_is_new),
		cmocka_unit_test(a_unit_goes),
		cmocka_unit_test(a_unit_without_what_is_on_its_way),
		cmocka_unit_test(one_context_has_its_share),
		cmocka_unit_test(pages_on_their_way_count),
		cmocka_unit_test(a_share_becomes_smaller),
		cmocka_unit_test(a_share_smaller_than_a_granule),
		cmocka_unit_test(pages_that_come_again),
		cmocka_unit_test(knobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
