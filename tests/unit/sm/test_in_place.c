// SPDX-License-Identifier: MIT
/*
 * Memory of the host that SMs use in place (mmu/in_place.c). Times are worked out by hand: a kernel
 * takes what it takes with device memory, and what crosses the interconnect takes the rest.
 */
#include <stdlib.h>

#include "fault_rig.h"
#include "vass_build.h"

#define BASE	HOST_MANAGED
#define PAGE	VGPU_PAGE_SIZE
#define MAPPED	HOST_MANAGED_BYTES
#define DEVICE	0x10000000ull

/* A nanosecond a byte; memory of the device is no bound. An SM cycle is a nanosecond, too. */
#define PLAIN	"link_bandwidth=1000000000", "memory_bandwidth=1000000000000000"

/* Host memory at BASE, as much of the device's at DEVICE. */
static struct rig start(const char *const *settings)
{
	struct rig r = { .h = rig_host(settings) };

	r.context = host_open(r.h);
	r.queue = host_queue(r.h, r.context);
	assert_int_equal(vgpu_memory_map_host(r.h->dev, r.context, BASE, MAPPED), 0);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, MAPPED), 0);
	rig_load_add(&r, false);
	return r;
}

#define START(...) start((const char *const[]){ __VA_ARGS__ __VA_OPT__(,) NULL })

static struct vgpu_context_info info(struct rig *r)
{
	struct vgpu_context_info i;

	assert_int_equal(vgpu_context_info(r->h->dev, r->context, &i), 0);
	return i;
}

/* Of any mapping that is the host's; it asks nobody for access. */
static u32 *word(struct rig *r, u64 address)
{
	assert_non_null(r->h->managed[r->context]);
	return (u32 *)(r->h->managed[r->context] + (address - BASE));
}

/* A launch takes so much more with host memory. */
static u64 more(struct rig *r, u32 threads, u32 stride)
{
	u64 device = time_of(r, threads, DEVICE, stride);
	u64 host = time_of(r, threads, BASE, stride);

	assert_int_equal(time_of(r, threads, BASE, stride), host);
	return host - device;
}

/* ---- tests -------------------------------------------------------------- */

static void each_access_crosses(void **state)
{
	struct rig r = START(PLAIN, "link_access_ps=3000000");

	(void)state;
	/* a row of 128 bytes there and back, and the time until a read has its data */
	assert_int_equal(more(&r, 32, 4), 3 * VGPU_US + 2 * 128 * VGPU_NS);
	for (u32 n = 0; n < 32; n++)
		assert_int_equal(*word(&r, BASE + 4 * n), 2 * (n + 1));
	/* one sector of 32 bytes */
	assert_int_equal(more(&r, 32, 0), 3 * VGPU_US + 2 * 32 * VGPU_NS);
	/* a sector for each lane */
	assert_int_equal(more(&r, 32, 64), 3 * VGPU_US + 2 * 1024 * VGPU_NS);
	/* in pages of their own: all cross together */
	assert_int_equal(more(&r, 8, PAGE), 3 * VGPU_US + 2 * 8 * 32 * VGPU_NS);
	assert_int_equal(info(&r).account.page_faults, 0);
	assert_int_equal(r.h->revoked, 0);
	host_free(r.h);
}

/*
 * 32 warps: each waits for its 128 bytes behind those before, meanwhile the five instructions
 * before the load take 50 cycles; the last one's store is alone.
 */
static void warps_share_the_link(void **state)
{
	struct rig r = START(PLAIN);

	(void)state;
	assert_int_equal(more(&r, 1024, 4), VGPU_US + ((32 + 1) * 128 - 50) * VGPU_NS);
	host_free(r.h);
}

/* Both ways, one after the other. */
static void atomics_cross_twice(void **state)
{
	struct rig r = START(PLAIN);

	(void)state;
	rig_load_add(&r, true);
	assert_int_equal(more(&r, 32, 4), VGPU_US + 2 * 128 * VGPU_NS);
	assert_int_equal(more(&r, 32, 0), VGPU_US + 2 * 32 * VGPU_NS);
	/* twice in a row, and twice all of them in one place */
	assert_int_equal(*word(&r, BASE + 4), 2 * 2);
	assert_int_equal(*word(&r, BASE), 2 * 1 + 2 * 32 * 33 / 2);
	host_free(r.h);
}

/* What crosses is not in the way of those who use device memory. */
static void device_memory_has_no_part(void **state)
{
	struct rig r = START("memory_bandwidth=100000000");

	(void)state;
	/* two segments of 128 bytes at 100 MB/s, an SM of 16; and about 1 us */
	assert_true(time_of(&r, 32, DEVICE, 4) > 2 * 128 * 16 * 10 * VGPU_NS);
	assert_true(time_of(&r, 32, BASE, 4) < 5 * VGPU_US);
	host_free(r.h);
}

static void copies_wait_for_it(void **state)
{
	struct rig r = START(PLAIN);
	const struct vgpu_link *link = &r.h->dev->mmu.faults.link;
	u32 other = host_queue(r.h, r.context);
	u64 began;

	(void)state;
	launch(&r, 1024, BASE, 4);
	while (!link->free[VGPU_LINK_TO_DEVICE])
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	began = r.h->dev->sim->now;
	host_push(r.h, r.context, other, cmd_h2d(DEVICE, 0, PAGE));
	host_run(r.h);
	/* 32 rows of 128 bytes, then the page */
	assert_int_equal(host_done(r.h, r.context, other, 1)->time - began,
			 (32 * 128 + 4096) * VGPU_NS);
	host_free(r.h);
}

static void copies_and_fills(void **state)
{
	struct rig r = START();

	(void)state;
	memset(r.h->memory, 7, PAGE);
	host_push(r.h, r.context, r.queue, cmd_h2d(BASE + 8, 0, PAGE));
	host_push(r.h, r.context, r.queue, cmd_d2d(DEVICE, BASE + 8, 4));
	host_push(r.h, r.context, r.queue, cmd_d2d(BASE + 2 * PAGE, DEVICE, 4));
	host_push(r.h, r.context, r.queue, cmd_fill(BASE, 2, 9, 4));
	host_push(r.h, r.context, r.queue, cmd_d2h(PAGE, BASE + 4, 8));
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	assert_int_equal(*word(&r, BASE + PAGE + 4), 0x07070707);
	assert_int_equal(*word(&r, BASE + 2 * PAGE), 0x07070707);
	assert_int_equal(r.h->memory[PAGE], 9);
	assert_int_equal(r.h->memory[PAGE + 4], 7);
	host_free(r.h);
}

/* It takes no VRAM, and there is nothing to allocate when it is touched. */
static void it_takes_no_frames(void **state)
{
	struct rig r = START("allocation=lazy", "vram_bytes=8388608");
	struct vgpu_device_counts counts;

	(void)state;
	time_of(&r, 32, BASE, 4);
	assert_int_equal(info(&r).account.page_faults, 0);
	assert_int_equal(info(&r).resident_bytes, 0);
	vgpu_device_counts(r.h->dev, &counts);
	assert_int_equal(counts.frames, 0);
	assert_int_equal(counts.page_tables, 0);
	assert_int_equal(*word(&r, BASE + 4), 2);
	/* beside memory that has to come: one access of both kinds */
	launch(&r, 2, DEVICE, BASE - DEVICE);
	host_run(r.h);
	assert_int_equal(info(&r).account.page_faults, 1);
	assert_int_equal(*word(&r, BASE), 1 + 2);
	host_free(r.h);
}

/* After it was used: one page, and more than a TLB has entries. */
static void it_is_unmapped(void **state)
{
	for (u32 all = 0; all < 2; all++) {
		struct rig r = START();
		u64 bytes = all ? MAPPED : PAGE;

		(void)state;
		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		assert_int_equal(vgpu_memory_map_host(r.h->dev, r.context, BASE, bytes), 0);
		time_of(&r, 1, BASE, 0);
		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, bytes), 0);
		launch(&r, 1, BASE, 0);
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 1);
		assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
		assert_int_equal(r.h->faults[0].address, BASE);
		assert_int_equal(*word(&r, BASE), 1);
		host_free(r.h);
	}
}

/* It can be read; a store, an atomic and a fill of it end the context, and write nothing. */
static void read_only(void **state)
{
	(void)state;
	for (u32 how = 0; how < 3; how++) {
		struct rig r = START();

		time_of(&r, 1, BASE, 0);
		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		assert_int_equal(vgpu_memory_map_host_read(r.h->dev, r.context, BASE, PAGE), 0);
		host_push(r.h, r.context, r.queue, cmd_d2d(DEVICE, BASE, 4));
		host_push(r.h, r.context, r.queue, cmd_d2h(0, DEVICE, 4));
		host_run(r.h);
		assert_int_equal(*(u32 *)r.h->memory, 1);
		if (how == 2) {
			host_push(r.h, r.context, r.queue, cmd_fill(BASE, 1, 9, 4));
		} else {
			rig_load_add(&r, how);
			launch(&r, 1, BASE, 0);
		}
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 1);
		assert_int_equal(r.h->faults[0].reason,
				 how == 2 ? VGPU_FAULT_COPY_UNMAPPED : VGPU_FAULT_UNMAPPED);
		/* the load before the store was made */
		assert_int_equal(r.h->faults[0].pc, how == 0 ? 7 : how == 1 ? 5 : 0);
		assert_int_equal(r.h->faults[0].address, BASE);
		assert_int_equal(*word(&r, BASE), 1);
		host_free(r.h);
	}
}

/* Managed memory without room is used in place after four faults of 12 us, for the same price. */
static void managed_memory_without_room(void **state)
{
	u64 took[2];

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		struct rig r = START(PLAIN, "vram_bytes=8388608",
				     n ? "link_access_ps=5000000" : "link_access_ps=0");
		u64 device = time_of(&r, 32, DEVICE, 4);

		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, BASE, MAPPED), 0);
		took[n] = time_of(&r, 32, BASE, 4);
		assert_int_equal(info(&r).account.page_faults, 4);
		assert_true(took[n] - device > 4 * 12 * VGPU_US);
		/* the TLB has it now, which spares the faults and nothing else */
		assert_int_equal(time_of(&r, 32, BASE, 4) - device,
				 n * 5 * VGPU_US + 2 * 128 * VGPU_NS);
		assert_int_equal(info(&r).account.page_faults, 4);
		assert_int_equal(*word(&r, BASE + 4), 4);
		host_free(r.h);
	}
	assert_int_equal(took[1] - took[0], 5 * VGPU_US);
}

static void what_is_refused(void **state)
{
	struct rig r = START();
	struct vgpu_cmd prefetch = {
		.op = VGPU_CMD_PREFETCH,
		.prefetch = { .address = BASE, .bytes = PAGE, .to_device = 1 },
	};
	u64 first, bytes;

	(void)state;
	assert_int_equal(vgpu_memory_map_host(r.h->dev, r.context, BASE, PAGE), -EEXIST);
	assert_int_equal(vgpu_memory_map_host(r.h->dev, r.context, BASE + MAPPED + 1, PAGE),
			 -EINVAL);
	assert_int_equal(vgpu_memory_map_host(r.h->dev, r.context, VGPU_ADDRESS_LIMIT, PAGE),
			 -EINVAL);
	assert_int_equal(vgpu_memory_map_host(r.h->dev, 77, BASE, PAGE), -ENOENT);
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, PAGE), -ENOENT);
	assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, BASE, true,
					    &first, &bytes, NULL), -EFAULT);
	host_push(r.h, r.context, r.queue, prefetch);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_COPY_UNMAPPED);
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_access_crosses),
		cmocka_unit_test(warps_share_the_link),
		cmocka_unit_test(atomics_cross_twice),
		cmocka_unit_test(device_memory_has_no_part),
		cmocka_unit_test(copies_wait_for_it),
		cmocka_unit_test(copies_and_fills),
		cmocka_unit_test(it_takes_no_frames),
		cmocka_unit_test(it_is_unmapped),
		cmocka_unit_test(read_only),
		cmocka_unit_test(managed_memory_without_room),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
