// SPDX-License-Identifier: MIT
/*
 * How much managed memory is in VRAM and how much on the host (managed_resident, managed_host), of
 * a context and of a device, after everything that moves pages. check() compares the gauges of a
 * context with its page table.
 */
#include "advice_rig.h"

/* @resident, @host: pages, of the context and of the device, which has no other */
static void counts_are(struct rig *r, u64 resident, u64 host)
{
	struct vgpu_device_info device;

	vgpu_device_info(r->h->dev, &device);
	assert_int_equal(info(r).account.managed_resident, resident * PAGE);
	assert_int_equal(info(r).account.managed_host, host * PAGE);
	assert_int_equal(device.managed_resident, resident * PAGE);
	assert_int_equal(device.managed_host, host * PAGE);
	check(r);
}

static void advance_until_faults(struct rig *r, u64 faults)
{
	while (info(r).account.page_faults < faults)
		vgpu_device_run(r->h->dev, VGPU_NEVER, 1);
}

static void fill(struct rig *r, u64 address, u64 bytes)
{
	struct vgpu_cmd cmd = {
		.op = VGPU_CMD_FILL,
		.fill = { .dst = address, .count = bytes / 4, .value = 7, .width = 4 },
	};

	host_push(r->h, r->context, r->queue, cmd);
	host_run(r->h);
}

#define N	(GRANULE / PAGE)	/* pages of a granule */

/* ---- each transition ------------------------------------------------------ */

static void pages_change_sides(void **state)
{
	struct rig r = START();

	(void)state;
	counts_are(&r, 0, 0);
	/* by a process, with its granule; another one by an SM */
	*word(&r, BASE) = 1;
	counts_are(&r, 0, N);
	time_of(&r, 1, BASE + GRANULE, 0);
	counts_are(&r, N, N);
	/* it is where it was until it has arrived */
	launch(&r, 1, BASE, 0);
	advance_until_faults(&r, 2);
	counts_are(&r, N, N);
	host_run(r.h);
	counts_are(&r, 2 * N, 0);
	*word(&r, BASE + GRANULE) = 1;
	counts_are(&r, N, N);
	*word(&r, BASE) = 1;
	counts_are(&r, 0, 2 * N);
	host_free(r.h);
}

static void prefetches_and_clears(void **state)
{
	struct rig r = START();

	(void)state;
	prefetch(&r, BASE, 3 * GRANULE, 1);
	counts_are(&r, 3 * N, 0);
	prefetch(&r, BASE + GRANULE, GRANULE, 0);
	counts_are(&r, 2 * N, N);
	prefetch(&r, BASE + GRANULE, GRANULE, 1);
	counts_are(&r, 3 * N, 0);
	prefetch(&r, BASE, 2 * GRANULE, 0);
	counts_are(&r, N, 2 * N);
	/* as if some of each had not been touched */
	assert_true(vgpu_as_clear(space(&r), BASE + GRANULE + PAGE, PAGE, ~0ull));
	assert_true(vgpu_as_clear(space(&r), BASE + 2 * GRANULE, 3 * PAGE, ~0ull));
	counts_are(&r, N - 3, 2 * N - 1);
	host_free(r.h);
}

static void copies_and_fills_leave_pages(void **state)
{
	struct rig r = START();

	(void)state;
	time_of(&r, 1, BASE, 0);
	fill(&r, BASE + GRANULE - PAGE, 3 * PAGE);
	/* two pages beyond the granule that the device has: written where they are, on the host */
	counts_are(&r, N, 2);
	host_free(r.h);
}

/* Frames for two granules. What has no data leaves none behind. */
static void pages_are_evicted(void **state)
{
	struct rig r = START("vram_bytes=131072");

	(void)state;
	for (u32 n = 0; n < 2; n++)
		*word(&r, BASE + n * GRANULE) = 1;
	prefetch(&r, BASE, 2 * GRANULE, 1);
	counts_are(&r, 2 * N, 0);
	time_of(&r, 1, BASE + 2 * GRANULE, 0);
	counts_are(&r, 2 * N, N);
	/* of the third granule one page was written, of the second the process has all */
	prefetch(&r, BASE + 4 * GRANULE, 2 * GRANULE, 1);
	assert_int_equal(info(&r).account.pages_evicted, 3 * N);
	counts_are(&r, 2 * N, 2 * N + 1);
	/* no room: used in place, on the host. Nothing else changes before room is needed */
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, 131072), 0);
	time_of(&r, 1, BASE + 6 * GRANULE, 0);
	counts_are(&r, 2 * N, 2 * N + 2);
	host_free(r.h);
}

static void mostly_read_is_on_both_sides(void **state)
{
	struct rig r = START();
	struct kernels k = load_kernels(&r);

	(void)state;
	*word(&r, BASE) = 5;
	advise(&r, BASE, 4 * GRANULE, VGPU_ADVICE_READ_MOSTLY);
	r.module = k.load;
	launch(&r, 1, BASE, 0);
	advance_until_faults(&r, 1);
	counts_are(&r, 0, N);
	host_run(r.h);
	counts_are(&r, N, N);
	/* the other way, one that SMs have written */
	r.module = k.add;
	time_of(&r, 1, BASE + GRANULE, 0);
	counts_are(&r, 2 * N, N);
	seen(&r, BASE + GRANULE);
	counts_are(&r, 2 * N, 2 * N);
	/* an SM writes what both have: the process loses it at once */
	launch(&r, 1, BASE, 0);
	advance_until_faults(&r, 3);
	counts_are(&r, 2 * N, N);
	host_run(r.h);
	counts_are(&r, 2 * N, N);
	/* a fill writes a page of what both have */
	fill(&r, BASE + GRANULE, 4);
	counts_are(&r, 2 * N, N - 1);
	/* a process writes one: those that both have go */
	*word(&r, BASE + GRANULE + PAGE) = 1;
	counts_are(&r, N, N);
	host_free(r.h);
}

static void advice_ends(void **state)
{
	struct rig r = START();

	(void)state;
	advise(&r, BASE, 4 * GRANULE, VGPU_ADVICE_READ_MOSTLY);
	for (u32 n = 0; n < 2; n++)
		*word(&r, BASE + n * GRANULE) = 5;
	prefetch(&r, BASE, 2 * GRANULE, 1);
	counts_are(&r, 2 * N, 2 * N);
	advise(&r, BASE, GRANULE, VGPU_ADVICE_PREFER_DEVICE);
	advise(&r, BASE, GRANULE, VGPU_ADVICE_NOT_READ_MOSTLY);
	counts_are(&r, 2 * N, N);
	advise(&r, BASE + GRANULE, GRANULE, VGPU_ADVICE_NOT_READ_MOSTLY);
	counts_are(&r, N, N);
	host_free(r.h);
}

static void what_both_have_is_evicted(void **state)
{
	struct rig r = START("vram_bytes=65536");

	(void)state;
	advise(&r, BASE, GRANULE, VGPU_ADVICE_READ_MOSTLY);
	*word(&r, BASE) = 5;
	prefetch(&r, BASE, GRANULE, 1);
	counts_are(&r, N, N);
	time_of(&r, 1, BASE + GRANULE, 0);
	counts_are(&r, N, N);
	assert_int_equal(seen(&r, BASE), 5);
	host_free(r.h);
}

/* ---- the end --------------------------------------------------------------- */

/* Of both sides, of what is on its way in both directions, and of what both have. */
static void scatter(struct rig *r)
{
	struct vgpu_cmd cmd = { .op = VGPU_CMD_PREFETCH };

	advise(r, BASE + 4 * GRANULE, GRANULE, VGPU_ADVICE_READ_MOSTLY);
	for (u32 n = 0; n < 5; n++)
		*word(r, BASE + n * GRANULE) = 1;
	prefetch(r, BASE + GRANULE, 4 * GRANULE, 1);
	assert_int_equal(info(r).account.managed_resident, 4 * GRANULE);
	assert_int_equal(info(r).account.managed_host, 2 * GRANULE);
	cmd.prefetch = (struct vgpu_cmd_prefetch){ .address = BASE, .bytes = GRANULE,
						   .to_device = 1 };
	host_push(r->h, r->context, r->queue, cmd);
	cmd.prefetch = (struct vgpu_cmd_prefetch){ .address = BASE + GRANULE, .bytes = GRANULE };
	host_push(r->h, r->context, host_queue(r->h, r->context), cmd);
	while (!(entry(r, BASE) & entry(r, BASE + GRANULE) & VGPU_PTE_MOVING))
		vgpu_device_run(r->h->dev, VGPU_NEVER, 1);
	assert_int_equal(info(r).account.managed_resident, 4 * GRANULE);
	assert_int_equal(info(r).account.managed_host, 2 * GRANULE);
	check(r);
}

static void unmapped(void **state)
{
	struct rig r = START("copy_engines=2");
	int err;

	(void)state;
	scatter(&r);
	/* in parts */
	while ((err = vgpu_as_unmap(space(&r), BASE, MAPPED, 3)) == -EAGAIN)
		check(&r);
	assert_int_equal(err, 0);
	counts_are(&r, 0, 0);
	host_free(r.h);
}

static void closed(void **state)
{
	struct rig other = START("copy_engines=2"), r = open_context(other.h);
	struct vgpu_device_info device;

	(void)state;
	*word(&other, BASE + GRANULE) = 1;
	time_of(&other, 1, BASE, 0);
	scatter(&r);
	vgpu_device_info(r.h->dev, &device);
	assert_int_equal(info(&other).account.managed_resident, GRANULE);
	assert_int_equal(info(&other).account.managed_host, GRANULE);
	assert_int_equal(device.managed_resident, 5 * GRANULE);
	assert_int_equal(device.managed_host, 3 * GRANULE);
	assert_int_equal(vgpu_context_close(r.h->dev, r.context), 0);
	counts_are(&other, N, N);
	assert_int_equal(vgpu_context_close(r.h->dev, other.context), 0);
	vgpu_device_info(r.h->dev, &device);
	assert_true(!device.managed_resident && !device.managed_host && !device.vram_used);
	host_free(r.h);
}

/* A context that had a fault has its memory until its process ends or closes it. */
static void killed(void **state)
{
	struct rig r = START("copy_engines=2");
	struct vgpu_device_info device;

	(void)state;
	scatter(&r);
	/* nothing is there */
	launch(&r, 1, DEVICE, 0);
	host_run(r.h);
	assert_int_equal(info(&r).dead, 1);
	check(&r);
	assert_true(info(&r).account.managed_resident && info(&r).account.managed_host);
	/* its process has ended, and its memory goes in parts before that */
	while (vgpu_context_stop(r.h->dev, r.context, 3) == -EAGAIN)
		check_gauges(&r);
	assert_true(!info(&r).account.managed_resident && !info(&r).account.managed_host);
	assert_int_equal(vgpu_context_close(r.h->dev, r.context), 0);
	vgpu_device_info(r.h->dev, &device);
	assert_true(!device.managed_resident && !device.managed_host);
	host_free(r.h);
}

/* ---- what is left of the device ------------------------------------------- */

static void vram_in_use(void **state)
{
	struct rig r = START("vram_bytes=262144");
	struct vgpu_device_info device;

	(void)state;
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, PAGE), 0);
	prefetch(&r, BASE, 2 * GRANULE, 1);
	vgpu_device_info(r.h->dev, &device);
	assert_int_equal(device.vram_free, 4 * GRANULE - PAGE);
	assert_int_equal(device.vram_used, 2 * GRANULE + PAGE);
	/* a mapping may have what managed pages hold, which is not counted twice */
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE + PAGE,
					 3 * GRANULE - PAGE), 0);
	vgpu_device_info(r.h->dev, &device);
	assert_int_equal(device.vram_free, GRANULE);
	assert_int_equal(device.vram_used, 4 * GRANULE);
	prefetch(&r, BASE, 2 * GRANULE, 0);
	vgpu_device_info(r.h->dev, &device);
	assert_int_equal(device.vram_used, 3 * GRANULE);
	host_free(r.h);
}

/* Memory of a process is no managed memory, nor is device memory. */
static void other_memory(void **state)
{
	struct rig r = START();

	(void)state;
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, GRANULE), 0);
	assert_int_equal(vgpu_process_enable(r.h->dev, r.context), 0);
	memset(r.h->process_pages, HOST_PAGE_WRITE, HOST_PROCESS_PAGES);
	time_of(&r, 4, DEVICE, PAGE);
	time_of(&r, 4, HOST_PROCESS, PAGE);
	counts_are(&r, 0, 0);
	assert_int_equal(info(&r).resident_bytes, 4 * PAGE);
	host_free(r.h);
}

/* ---- anything --------------------------------------------------------------- */

static u32 seed = 1;

static u32 any(u32 below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static void step(struct rig *r, const struct kernels *k)
{
	static const u32 advice[] = { VGPU_ADVICE_READ_MOSTLY, VGPU_ADVICE_NOT_READ_MOSTLY,
				      VGPU_ADVICE_PREFER_DEVICE, VGPU_ADVICE_PREFER_HOST,
				      VGPU_ADVICE_NONE, VGPU_ADVICE_ACCESSED };
	u64 address = BASE + any(8 * N) * PAGE, bytes = (1 + any(N)) * PAGE;
	struct vgpu_cmd cmd = {
		.op = VGPU_CMD_PREFETCH,
		.prefetch = { .address = address, .bytes = bytes, .to_device = any(2) },
	};

	switch (any(7)) {
	case 0:
		*word(r, address) = 1;
		break;
	case 1:
		seen(r, address);
		break;
	case 2:
		advise(r, address, bytes, advice[any(VGPU_ARRAY_SIZE(advice))]);
		break;
	case 3:
		host_push(r->h, r->context, r->queue, cmd);
		break;
	case 4:
		/* a page of it at least; the process loses all */
		vgpu_as_clear(space(r), address, bytes, 1 + any(40));
		for (u64 n = (address - BASE) / PAGE; n < (address + bytes - BASE) / PAGE; n++)
			r->h->granted[r->context][n] = r->h->writable[r->context][n] = false;
		break;
	default:
		r->module = any(2) ? k->add : k->load;
		launch(r, 1 + any(8), address, PAGE);
	}
}

static void anything(void **state)
{
	struct rig r = START("vram_bytes=262144", "eviction_unit=65536", "copy_engines=2");
	struct kernels k = load_kernels(&r);
	struct vgpu_device_info device;

	(void)state;
	for (u32 n = 0; n < 4000; n++) {
		step(&r, &k);
		for (u32 events = any(60); events; events--)
			vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
		check(&r);
		vgpu_device_info(r.h->dev, &device);
		assert_int_equal(info(&r).account.managed_resident, device.managed_resident);
		assert_int_equal(info(&r).account.managed_host, device.managed_host);
	}
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	assert_true(info(&r).account.pages_evicted > 1000);
	check(&r);
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
	counts_are(&r, 0, 0);
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_change_sides),
		cmocka_unit_test(prefetches_and_clears),
		cmocka_unit_test(copies_and_fills_leave_pages),
		cmocka_unit_test(pages_are_evicted),
		cmocka_unit_test(mostly_read_is_on_both_sides),
		cmocka_unit_test(advice_ends),
		cmocka_unit_test(what_both_have_is_evicted),
		cmocka_unit_test(unmapped),
		cmocka_unit_test(closed),
		cmocka_unit_test(killed),
		cmocka_unit_test(vram_in_use),
		cmocka_unit_test(other_memory),
		cmocka_unit_test(anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
