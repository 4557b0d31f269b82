// SPDX-License-Identifier: MIT
/*
 * What comes to the host with a page that a process touches (placement/prefetchers.c), and what a
 * process may access afterwards without asking (vgpu_managed_ahead()). Granules of 64 KB, an SM has
 * written one page of each: 40.96 us at 100 MB/s.
 */
#include "advice_rig.h"

#define SLOW_LINK	"link_bandwidth=100000000", "fault_data_round_trip_ps=0"
#define DATA		40960000ull
#define ALL		0xffffffffull	/* the granules of 2 MB */

static u64 address_of(u32 granule)
{
	return BASE + (u64)granule * GRANULE;
}

/* All granules of 2 MB are on the device; an SM has written each. */
static void write_on_device(struct rig *r)
{
	time_of(r, 32, BASE, GRANULE);
}

/* A bit for each of the first 32 granules that is on the device. */
static u64 on_device(struct rig *r)
{
	u64 bits = 0;

	for (u32 granule = 0; granule < 32; granule++)
		bits |= (u64)(vgpu_as_page_state(space(r), address_of(granule)) ==
			      VGPU_PAGE_FRAME) << granule;
	return bits;
}

/* A process reads a granule, and then nothing happens for a while. */
static void touch(struct rig *r, u32 granule)
{
	seen(r, address_of(granule));
	host_run(r->h);
}

static void faults_are(struct rig *r, u64 faults)
{
	assert_int_equal(info(r).account.host_page_faults, faults);
}

static void none_comes_alone(void **state)
{
	struct rig r = START();

	(void)state;
	write_on_device(&r);
	touch(&r, 0);
	touch(&r, 1);
	assert_int_equal(on_device(&r), ALL & ~3ull);
	faults_are(&r, 2);
	host_free(r.h);
}

/* The process waits for its own granule: 2 us for the handler and the data. */
static void the_next_granule_comes(void **state)
{
	struct rig r = START("prefetcher=granule", SLOW_LINK);
	u64 alone, out;

	(void)state;
	write_on_device(&r);
	out = info(&r).account.page_bytes_out;
	alone = host_waits(&r, address_of(0), false);
	assert_true(alone >= DATA && alone < DATA + 10 * VGPU_US);
	assert_int_equal(vgpu_as_page_state(space(&r), address_of(1)), VGPU_PAGE_MOVING);
	host_run(r.h);
	assert_int_equal(on_device(&r), ALL & ~3ull);
	faults_are(&r, 1);
	assert_int_equal(info(&r).account.page_bytes_out - out, 2 * PAGE);
	/* no fault, and so nothing comes behind it */
	assert_int_equal(host_waits(&r, address_of(1), false), 0);
	faults_are(&r, 1);
	host_free(r.h);
}

/* Who touches what is on its way waits for that, without a fault of its own. */
static void a_prefetch_is_waited_for(void **state)
{
	struct rig r = START("prefetcher=granule", SLOW_LINK);
	u64 rest;

	(void)state;
	write_on_device(&r);
	seen(&r, address_of(0));
	rest = host_waits(&r, address_of(1), false);
	assert_true(rest > DATA - 10 * VGPU_US && rest <= DATA);
	faults_are(&r, 1);
	host_free(r.h);
}

/* As for SMs: 3 of 4 are more than half, 5 of 8, 9 of 16, 17 of 32. */
static void a_block_leaves_by_density(void **state)
{
	static const struct {
		u32 touched, gone;
	} steps[] = { { 0, 1 }, { 1, 2 }, { 2, 4 }, { 4, 8 }, { 8, 16 }, { 16, 32 } };
	struct rig r = START("prefetcher=tree");

	(void)state;
	write_on_device(&r);
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(steps); n++) {
		touch(&r, steps[n].touched);
		assert_int_equal(on_device(&r), ALL & ~((1ull << steps[n].gone) - 1));
	}
	faults_are(&r, VGPU_ARRAY_SIZE(steps));
	for (u32 granule = 0; granule < 32; granule++)
		assert_int_equal(seen(&r, address_of(granule)), 1 + granule);
	faults_are(&r, VGPU_ARRAY_SIZE(steps));
	host_free(r.h);
}

/* Granules 0 to 2 were written, the others nobody has touched: they are no reason for 3 to go. */
static void what_nobody_has_touched_does_not_count(void **state)
{
	struct rig r = START("prefetcher=tree");

	(void)state;
	time_of(&r, 3, BASE, GRANULE);
	/* with them came 3 */
	assert_int_equal(on_device(&r), 0xf);
	touch(&r, 0);
	assert_int_equal(on_device(&r), 0xe);
	host_free(r.h);
}

/* What is to be on the device stays there, what is mostly read is on both sides afterwards. */
static void advice_holds(void **state)
{
	struct rig r = START("prefetcher=granule");

	(void)state;
	write_on_device(&r);
	advise(&r, address_of(1), GRANULE, VGPU_ADVICE_PREFER_DEVICE);
	touch(&r, 0);
	assert_int_equal(on_device(&r), ALL & ~1ull);
	advise(&r, address_of(4), 2 * GRANULE, VGPU_ADVICE_READ_MOSTLY);
	touch(&r, 4);
	assert_int_equal(on_device(&r), ALL & ~1ull);
	faults_are(&r, 2);
	/* 5 came with 4 */
	assert_int_equal(seen(&r, address_of(5)), 6);
	faults_are(&r, 2);
	assert_int_equal(on_device(&r), ALL & ~1ull);
	host_free(r.h);
}

static u64 ahead(struct rig *r, u64 address)
{
	return vgpu_managed_ahead(r->h->dev, r->context, address);
}

/* Pages with data that are on the host, up to the first that is not, or to the next 2 MB. */
static void ahead_is_what_is_there(void **state)
{
	struct rig r = START();

	(void)state;
	/* nobody has touched it */
	assert_int_equal(ahead(&r, address_of(1)), 0);
	write_on_device(&r);
	assert_int_equal(ahead(&r, address_of(1)), 0);
	touch(&r, 1);
	touch(&r, 2);
	assert_int_equal(ahead(&r, address_of(0)), 0);
	assert_int_equal(ahead(&r, address_of(1)), 2 * GRANULE);
	assert_int_equal(ahead(&r, address_of(2) + PAGE), GRANULE - PAGE);
	assert_int_equal(ahead(&r, address_of(3)), 0);
	touch(&r, 31);
	touch(&r, 32);
	assert_int_equal(ahead(&r, address_of(31)), GRANULE);
	assert_int_equal(ahead(&r, address_of(32)), 0);
	/* an SM has it again */
	time_of(&r, 1, address_of(2), 0);
	assert_int_equal(ahead(&r, address_of(1)), GRANULE);
	/* no managed memory, no context */
	assert_int_equal(ahead(&r, 4096), 0);
	assert_int_equal(vgpu_managed_ahead(r.h->dev, 99, address_of(1)), 0);
	host_free(r.h);
}

/* Another mapping begins where one ends. */
static void ahead_ends_with_the_mapping(void **state)
{
	struct rig r = START();

	(void)state;
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
	for (u32 n = 0; n < 2; n++)
		assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, address_of(n),
							 GRANULE), 0);
	touch(&r, 0);
	touch(&r, 1);
	assert_int_equal(ahead(&r, address_of(0) + PAGE), GRANULE - PAGE);
	assert_int_equal(ahead(&r, address_of(1)), GRANULE);
	host_free(r.h);
}

/* A page on its way to the device is not the process's, though its data is on the host. */
static void ahead_ends_where_a_page_leaves(void **state)
{
	struct rig r = START(SLOW_LINK);

	(void)state;
	for (u32 n = 0; n < 4; n++)
		touch(&r, n);
	assert_int_equal(ahead(&r, address_of(1)), 3 * GRANULE);
	launch(&r, 1, address_of(2), 0);
	while (vgpu_as_page_state(space(&r), address_of(2)) != VGPU_PAGE_MOVING)
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	assert_int_equal(ahead(&r, address_of(1)), GRANULE);
	assert_int_equal(ahead(&r, address_of(2)), 0);
	host_run(r.h);
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_comes_alone),
		cmocka_unit_test(the_next_granule_comes),
		cmocka_unit_test(a_prefetch_is_waited_for),
		cmocka_unit_test(a_block_leaves_by_density),
		cmocka_unit_test(what_nobody_has_touched_does_not_count),
		cmocka_unit_test(advice_holds),
		cmocka_unit_test(ahead_is_what_is_there),
		cmocka_unit_test(ahead_ends_with_the_mapping),
		cmocka_unit_test(ahead_ends_where_a_page_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
