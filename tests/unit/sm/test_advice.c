// SPDX-License-Identifier: MIT
/*
 * Advice for managed memory (mmu/advice.c): each kind, what each side does, what crosses the
 * interconnect and how long it takes, worked out by hand. A fault without data is 12 us, one with
 * the data of a granule 25; one of a process 7, and 4 KB that go to the host 260,063 ps more.
 */
#include "advice_rig.h"

#define WORD_BACK	260063ull	/* 4 KB at 15.75 GB/s */
/* A nanosecond a byte; memory of the device is no bound. */
#define PLAIN	"link_bandwidth=1000000000", "memory_bandwidth=1000000000000000"

/* ---- mostly read -------------------------------------------------------- */

static void both_sides_read(void **state)
{
	struct rig r = START();
	struct kernels k = load_kernels(&r);

	(void)state;
	*word(&r, BASE) = 5;
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	r.module = k.load;
	takes(&r, 4, BASE, 4, 25 * VGPU_US);
	assert_int_equal(info(&r).account.page_bytes_in, GRANULE);
	assert_int_equal(info(&r).resident_bytes, GRANULE);
	assert_int_equal(r.h->protected, 1);
	assert_int_equal(r.h->revoked, 0);
	check(&r);
	/* from now on neither side waits for the other */
	for (u32 n = 0; n < 3; n++) {
		assert_int_equal(host_waits(&r, BASE + 8, false), 0);
		time_of(&r, 16, BASE, PAGE);
		assert_int_equal(seen(&r, BASE), 5);
	}
	assert_int_equal(info(&r).account.page_faults, 1);
	assert_int_equal(info(&r).account.host_page_faults, 0);
	/* the process has not used this page of the granule yet: it may, while it is copied */
	*word(&r, BASE + GRANULE) = 6;
	r.h->granted[r.context][GRANULE / PAGE + 1] = false;
	launch(&r, 1, BASE + GRANULE, 0);
	while (info(&r).account.page_faults < 2)
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	assert_int_equal(host_waits(&r, BASE + GRANULE + PAGE, false), 0);
	host_run(r.h);
	check(&r);
	host_free(r.h);
}

static void a_write_ends_it(void **state)
{
	struct rig r = START();
	struct kernels k = load_kernels(&r);

	(void)state;
	*word(&r, BASE) = 5;
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	r.module = k.load;
	time_of(&r, 1, BASE, 0);
	/* by the process: nothing crosses */
	assert_int_equal(host_waits(&r, BASE, true), 7 * VGPU_US);
	assert_int_equal(info(&r).account.page_bytes_out, 0);
	assert_int_equal(info(&r).account.host_page_faults, 1);
	assert_int_equal(info(&r).resident_bytes, 0);
	check(&r);
	takes(&r, 1, BASE, 0, 25 * VGPU_US);
	assert_int_equal(info(&r).account.page_bytes_in, 2 * GRANULE);
	assert_true(is_shared(&r, BASE));
	/* by an SM: a fault, and no data */
	r.module = k.add;
	assert_int_equal(r.h->revoked, 0);
	takes(&r, 1, BASE, 0, 12 * VGPU_US);
	assert_int_equal(r.h->revoked, 1);
	assert_int_equal(info(&r).account.page_faults, 3);
	assert_int_equal(info(&r).account.page_bytes_in, 2 * GRANULE);
	assert_false(r.h->granted[r.context][0]);
	assert_false(entry(&r, BASE) & VGPU_PTE_DUPLICATE);
	check(&r);
	/* what was written crosses, and is on both sides; 5, one more, and twice 1 */
	assert_int_equal(host_waits(&r, BASE, false), 7 * VGPU_US + WORD_BACK);
	assert_int_equal(seen(&r, BASE), 8);
	assert_int_equal(info(&r).account.page_bytes_out, PAGE);
	assert_int_equal(info(&r).resident_bytes, GRANULE);
	assert_true(is_shared(&r, BASE) && is_shared(&r, BASE + GRANULE - PAGE));
	check(&r);
	r.module = k.load;
	time_of(&r, 16, BASE, PAGE);
	assert_int_equal(info(&r).account.page_faults, 3);
	host_free(r.h);
}

/* The same where the fault is an SM's to handle: it requests the pages from the host. */
static void a_claim_is_the_hosts(void **state)
{
	struct rig r = START("fault_handler=gpu");

	(void)state;
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	*word(&r, BASE) = 1;
	prefetch(&r, BASE, 1, 1);
	assert_true(is_shared(&r, BASE));
	takes(&r, 1, BASE, 0, 12 * VGPU_US);
	host_free(r.h);
}

/* What nobody has written is on one side: a copy of nothing needs no data. */
static void the_device_touches_it_first(void **state)
{
	struct rig r = START();
	struct kernels k = load_kernels(&r);

	(void)state;
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	r.module = k.load;
	takes(&r, 1, BASE, 0, 12 * VGPU_US);
	assert_false(is_shared(&r, BASE));
	assert_int_equal(r.h->protected + r.h->revoked, 0);
	assert_int_equal(host_waits(&r, BASE + PAGE, false), 7 * VGPU_US);
	assert_int_equal(info(&r).account.page_bytes_out, 0);
	assert_true(is_shared(&r, BASE));
	check(&r);
	/* a granule of which the host has one page: two faults */
	advise(&r, BASE + GRANULE + PAGE, PAGE, VGPU_ADVICE_PREFER_HOST);
	*word(&r, BASE + GRANULE + PAGE) = 3;
	advise(&r, BASE + GRANULE + PAGE, PAGE, VGPU_ADVICE_PREFER_NONE);
	time_of(&r, 1, BASE + GRANULE, 0);
	assert_int_equal(entry(&r, BASE + GRANULE + PAGE) & VGPU_PTE_FRAME, 0);
	time_of(&r, 1, BASE + GRANULE + PAGE, 0);
	assert_true(is_shared(&r, BASE + GRANULE + PAGE));
	assert_int_equal(info(&r).account.page_bytes_in, PAGE);
	check(&r);
	host_free(r.h);
}

/* The first access of an SM writes: the page moves, as without advice. */
static void the_device_writes_first(void **state)
{
	struct rig r = START();
	struct vass v;

	(void)state;
	rig_add(&v, true);
	rig_load(&r, &v);
	*word(&r, BASE) = 1;
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	takes(&r, 1, BASE, 0, 25 * VGPU_US);
	assert_int_equal(r.h->revoked, 1);
	assert_int_equal(r.h->protected, 0);
	assert_int_equal(info(&r).account.page_faults, 1);
	assert_false(is_shared(&r, BASE));
	assert_int_equal(seen(&r, BASE), 3);
	host_free(r.h);
}

static void a_copy_is_evicted_without_a_transfer(void **state)
{
	struct rig r = START("vram_bytes=65536");
	struct kernels k = load_kernels(&r);

	(void)state;
	*word(&r, BASE) = *word(&r, BASE + GRANULE) = 7;
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	r.module = k.load;
	time_of(&r, 1, BASE, 0);
	takes(&r, 1, BASE + GRANULE, 0, 25 * VGPU_US);
	assert_int_equal(info(&r).account.pages_evicted, GRANULE / PAGE);
	assert_int_equal(info(&r).account.page_bytes_out, 0);
	assert_true(r.h->granted[r.context][0]);
	/* the host alone has it: it may write at once */
	assert_int_equal(host_waits(&r, BASE, true), 0);
	check(&r);
	host_free(r.h);
}

static void copies_of_prefetches(void **state)
{
	struct rig r = START("link_bandwidth=1000000000", "command_ps=1000000");
	struct kernels k = load_kernels(&r);

	(void)state;
	*word(&r, BASE) = *word(&r, BASE + GRANULE) = 1;
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	assert_int_equal(prefetch(&r, BASE, 2 * GRANULE, 1), VGPU_US + 2 * 65536000);
	assert_true(is_shared(&r, BASE) && is_shared(&r, BASE + GRANULE));
	assert_int_equal(host_waits(&r, BASE, false), 0);
	check(&r);
	/* it is there already, on both sides */
	assert_int_equal(prefetch(&r, BASE, 2 * GRANULE, 1), VGPU_US);
	assert_int_equal(prefetch(&r, BASE, 2 * GRANULE, 0), VGPU_US);
	assert_int_equal(info(&r).resident_bytes, 2 * GRANULE);
	r.module = k.add;
	time_of(&r, 1, BASE, 0);
	/* one page was written, and comes to both */
	assert_int_equal(prefetch(&r, BASE, 2 * GRANULE, 0), VGPU_US + 4096000);
	assert_true(is_shared(&r, BASE));
	assert_int_equal(info(&r).resident_bytes, 2 * GRANULE);
	assert_int_equal(seen(&r, BASE), 2);
	host_free(r.h);
}

/* Copies write where the page is. */
static void a_copy_command_ends_it(void **state)
{
	struct rig r = START();

	(void)state;
	*word(&r, BASE) = 1;
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	prefetch(&r, BASE, GRANULE, 1);
	memset(r.h->memory, 7, 4);
	host_push(r.h, r.context, r.queue, cmd_h2d(BASE, 0, 4));
	host_run(r.h);
	assert_false(is_shared(&r, BASE));
	assert_true(is_shared(&r, BASE + PAGE));
	check(&r);
	assert_int_equal(host_waits(&r, BASE, false), 7 * VGPU_US + WORD_BACK);
	assert_int_equal(seen(&r, BASE), 0x07070707);
	host_free(r.h);
}

static void without_the_advice_one_side_has_it(void **state)
{
	for (u32 device = 0; device < 2; device++) {
		struct rig r = START();

		(void)state;
		*word(&r, BASE) = 1;
		advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
		if (device)
			advise(&r, BASE, MAPPED, VGPU_ADVICE_PREFER_DEVICE);
		prefetch(&r, BASE, GRANULE, 1);
		advise(&r, BASE, PAGE, VGPU_ADVICE_NOT_READ_MOSTLY);
		assert_true(is_shared(&r, BASE + PAGE));
		assert_int_equal(info(&r).resident_bytes, GRANULE - (device ? 0 : PAGE));
		check(&r);
		assert_int_equal(host_waits(&r, BASE, true), device ? 7 * VGPU_US : 0);
		assert_int_equal(info(&r).account.page_bytes_out, 0);
		assert_int_equal(*word(&r, BASE), 2);
		/* all at once */
		advise(&r, BASE, MAPPED, VGPU_ADVICE_NONE);
		assert_int_equal(info(&r).resident_bytes, 0);
		assert_int_equal(space(&r)->advice.count, 0);
		check(&r);
		host_free(r.h);
	}
}

/* While a copy is on its way, in either direction. */
static void the_advice_ends_meanwhile(void **state)
{
	struct rig r = START();
	struct kernels k = load_kernels(&r);
	u64 first, bytes;
	bool writable;

	(void)state;
	*word(&r, BASE) = 1;
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	r.module = k.load;
	launch(&r, 1, BASE, 0);
	while (!info(&r).account.page_faults)
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	advise(&r, BASE, MAPPED, VGPU_ADVICE_NOT_READ_MOSTLY);
	assert_false(r.h->granted[r.context][0]);
	host_run(r.h);
	assert_int_equal(entry(&r, BASE) & (VGPU_PTE_FRAME | VGPU_PTE_DUPLICATE), VGPU_PTE_FRAME);
	check(&r);
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, BASE, false, &first, &bytes,
					    &writable), -EAGAIN);
	advise(&r, BASE, MAPPED, VGPU_ADVICE_NOT_READ_MOSTLY);
	host_run(r.h);
	assert_int_equal(entry(&r, BASE) & (VGPU_PTE_FRAME | VGPU_PTE_DUPLICATE), VGPU_PTE_FRAME);
	assert_int_equal(host_waits(&r, BASE, false), 7 * VGPU_US);
	assert_int_equal(info(&r).resident_bytes, 0);
	host_free(r.h);
}

/* ---- where it is preferred ---------------------------------------------- */

/* What 32 threads take for a row of words. */
static u64 with_device_memory(struct rig *r)
{
	u64 time;

	assert_int_equal(vgpu_memory_map(r->h->dev, r->context, DEVICE, PAGE), 0);
	time = time_of(r, 32, DEVICE, 4);
	assert_int_equal(vgpu_memory_unmap(r->h->dev, r->context, DEVICE, PAGE), 0);
	return time;
}

/* As host memory: a row of 128 bytes there and back, and the time until a read has its data */
#define IN_PLACE	(3 * VGPU_US + 2 * 128 * VGPU_NS)

static void the_host_is_preferred(void **state)
{
	struct rig r = START(PLAIN, "link_access_ps=3000000");
	u64 there, began;

	(void)state;
	there = with_device_memory(&r);
	advise(&r, BASE, MAPPED, VGPU_ADVICE_PREFER_HOST);
	/* whoever touches it first */
	*word(&r, BASE) = 1;
	assert_int_equal(time_of(&r, 32, BASE, 4), there + IN_PLACE);
	assert_int_equal(time_of(&r, 32, BASE + GRANULE, 4), there + IN_PLACE);
	assert_int_equal(host_waits(&r, BASE + GRANULE, true), 0);
	assert_int_equal(*word(&r, BASE), 2);
	assert_int_equal(time_of(&r, 32, BASE, 4), there + IN_PLACE);
	assert_int_equal(info(&r).account.page_faults, 0);
	assert_int_equal(info(&r).account.host_page_faults, 0);
	assert_int_equal(r.h->revoked, 0);
	/* a prefetch brings it; SMs use it there, and the host has it back, for good */
	prefetch(&r, BASE, PAGE, 1);
	assert_int_equal(info(&r).resident_bytes, GRANULE);
	assert_int_equal(time_of(&r, 32, BASE, 4), there);
	began = r.h->dev->sim->now;
	assert_int_equal(*word(&r, BASE), 4);
	/* 7 us and 4096 bytes at 1 GB/s */
	assert_int_equal(r.h->dev->sim->now - began, 7 * VGPU_US + 4096000);
	assert_int_equal(time_of(&r, 32, BASE, 4), there + IN_PLACE);
	/* without the advice it comes with the next access */
	advise(&r, BASE, PAGE, VGPU_ADVICE_PREFER_NONE);
	time_of(&r, 32, BASE, 4);
	assert_int_equal(info(&r).resident_bytes, PAGE);
	assert_int_equal(info(&r).account.page_faults, 1);
	assert_int_equal(*word(&r, BASE), 6);
	host_free(r.h);
}

/* One SM, a page a fault, four frames. */
#define FOUR	"sms=1", "fault_granule=4096", "vram_bytes=16384"

static void the_device_is_preferred(void **state)
{
	static const char *const evictors[] = { "fifo", "lru", "clock" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(evictors); n++) {
		struct rig r = START(FOUR);

		assert_int_equal(vgpu_device_knob_set(r.h->dev, "evictor", evictors[n]), 0);
		advise(&r, BASE, 2 * PAGE, VGPU_ADVICE_PREFER_DEVICE);
		for (u32 page = 0; page < 8; page++)
			time_of(&r, 1, BASE + page * PAGE, 0);
		assert_int_equal(resident(&r), 1 << 0 | 1 << 1 | 1 << 6 | 1 << 7);
		/* said of a page that is there, and of one that is not */
		advise(&r, BASE + 6 * PAGE, 2 * PAGE, VGPU_ADVICE_PREFER_DEVICE);
		advise(&r, BASE, PAGE, VGPU_ADVICE_PREFER_NONE);
		time_of(&r, 1, BASE + 8 * PAGE, 0);
		assert_int_equal(resident(&r), 1 << 1 | 1 << 6 | 1 << 7 | 1 << 8);
		/* all of them are: the first to come goes */
		advise(&r, BASE + 8 * PAGE, 2 * PAGE, VGPU_ADVICE_PREFER_DEVICE);
		time_of(&r, 1, BASE + 9 * PAGE, 0);
		assert_int_equal(resident(&r), 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9);
		/* a process uses it where it can: on the host */
		*word(&r, BASE + 7 * PAGE) = 5;
		assert_int_equal(resident(&r), 1 << 6 | 1 << 8 | 1 << 9);
		*word(&r, BASE + 12 * PAGE) = 5;
		host_free(r.h);
	}
}

/* A unit of eviction leaves them out. */
static void a_unit_leaves_preferred_pages(void **state)
{
	struct rig r = START("sms=1", "fault_granule=4096", "vram_bytes=65536",
			     "eviction_unit=65536");

	(void)state;
	advise(&r, BASE + 2 * PAGE, PAGE, VGPU_ADVICE_PREFER_DEVICE);
	for (u32 page = 0; page < 17; page++)
		time_of(&r, 1, BASE + page * PAGE, 0);
	assert_int_equal(resident(&r), 1 << 2 | 1 << 16);
	assert_int_equal(info(&r).account.pages_evicted, 15);
	host_free(r.h);
}

/* ---- accessed by the device --------------------------------------------- */

static void the_device_accesses_it(void **state)
{
	struct rig r = START(PLAIN, "link_access_ps=3000000", "fault_data_round_trip_ps=12000000");
	u64 there;

	(void)state;
	there = with_device_memory(&r);
	advise(&r, BASE, MAPPED, VGPU_ADVICE_ACCESSED);
	/* it is nowhere: it comes, as without advice */
	takes(&r, 32, BASE + GRANULE, 4, 12 * VGPU_US);
	*word(&r, BASE) = 1;
	assert_int_equal(time_of(&r, 32, BASE, 4), there + IN_PLACE);
	assert_int_equal(info(&r).account.page_faults, 1);
	assert_int_equal(r.h->revoked, 0);
	/* it is not pinned: it may move, and is used where it is */
	prefetch(&r, BASE, PAGE, 1);
	assert_int_equal(time_of(&r, 32, BASE, 4), there);
	assert_int_equal(*word(&r, BASE), 3);
	assert_int_equal(time_of(&r, 32, BASE, 4), there + IN_PLACE);
	assert_int_equal(info(&r).account.page_faults, 1);
	/* the preferred location goes before it */
	advise(&r, BASE, PAGE, VGPU_ADVICE_PREFER_DEVICE);
	time_of(&r, 32, BASE, 4);
	assert_int_equal(info(&r).resident_bytes, GRANULE + PAGE);
	assert_int_equal(info(&r).account.page_faults, 2);
	*word(&r, BASE) = 0;
	advise(&r, BASE, PAGE, VGPU_ADVICE_PREFER_NONE);
	assert_int_equal(time_of(&r, 32, BASE, 4), there + IN_PLACE);
	advise(&r, BASE, PAGE, VGPU_ADVICE_NOT_ACCESSED);
	time_of(&r, 32, BASE, 4);
	assert_int_equal(info(&r).account.page_faults, 3);
	host_free(r.h);
}

static void mostly_read_goes_before_all(void **state)
{
	struct rig r = START();
	struct kernels k = load_kernels(&r);

	(void)state;
	*word(&r, BASE) = 1;
	advise(&r, BASE, MAPPED, VGPU_ADVICE_PREFER_HOST);
	advise(&r, BASE, MAPPED, VGPU_ADVICE_ACCESSED);
	advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
	r.module = k.load;
	takes(&r, 1, BASE, 0, 25 * VGPU_US);
	assert_true(is_shared(&r, BASE));
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_read),
		cmocka_unit_test(a_write_ends_it),
		cmocka_unit_test(a_claim_is_the_hosts),
		cmocka_unit_test(the_device_touches_it_first),
		cmocka_unit_test(the_device_writes_first),
		cmocka_unit_test(a_copy_is_evicted_without_a_transfer),
		cmocka_unit_test(copies_of_prefetches),
		cmocka_unit_test(a_copy_command_ends_it),
		cmocka_unit_test(without_the_advice_one_side_has_it),
		cmocka_unit_test(the_advice_ends_meanwhile),
		cmocka_unit_test(the_host_is_preferred),
		cmocka_unit_test(the_device_is_preferred),
		cmocka_unit_test(a_unit_leaves_preferred_pages),
		cmocka_unit_test(the_device_accesses_it),
		cmocka_unit_test(mostly_read_goes_before_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
