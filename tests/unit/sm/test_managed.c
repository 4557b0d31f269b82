// SPDX-License-Identifier: MIT
/*
 * Managed memory (mmu/managed.c): pages that move to the side that uses them. Times are worked out
 * by hand, as in test_page_fault.c: beside the faults a kernel takes what it takes with memory that
 * is there.
 */
#include "managed_rig.h"
#include "mmu/address_space.h"

/* ---- tests -------------------------------------------------------------- */

static void what_nobody_has_touched(void **state)
{
	struct rig r = START();

	(void)state;
	/* no data: 12 us */
	takes(&r, 4, BASE, 4, 12 * VGPU_US);
	assert_int_equal(info(&r).account.page_faults, 1);
	assert_int_equal(info(&r).account.page_bytes_in, 0);
	assert_int_equal(info(&r).resident_bytes, GRANULE);
	assert_int_equal(r.h->revoked, 0);
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(*word(&r, BASE + 4 * n), 2 * (n + 1));
	/* the one page that was written */
	assert_int_equal(info(&r).account.page_bytes_out, PAGE);
	assert_int_equal(info(&r).resident_bytes, 0);
	assert_int_equal(info(&r).account.host_page_faults, 1);
	host_free(r.h);
}

static void what_the_host_has_written(void **state)
{
	for (u32 gpu = 0; gpu < 2; gpu++) {
		struct rig r = START(gpu ? "fault_handler=gpu" : "fault_handler=cpu");

		(void)state;
		for (u32 n = 0; n < 4; n++)
			*word(&r, BASE + 4 * n) = 100;
		/* the host has it: an SM requests it from there, too. 25 us */
		takes(&r, 4, BASE, 4, 25 * VGPU_US);
		assert_int_equal(r.h->revoked, 1);
		assert_int_equal(info(&r).account.page_bytes_in, GRANULE);
		/* untouched: 12 us, 20 us on the SM */
		takes(&r, 1, BASE + GRANULE, 4, (gpu ? 20 : 12) * VGPU_US);
		for (u32 n = 0; n < 4; n++)
			assert_int_equal(*word(&r, BASE + 4 * n), 100 + 2 * (n + 1));
		/* there is data again */
		takes(&r, 4, BASE, 4, 25 * VGPU_US);
		host_free(r.h);
	}
}

/* What only the device has read goes back without a transfer, and what it has not is in order. */
static void to_the_host(void **state)
{
	struct rig r = START("fault_cpu_ps=3000000", "fault_round_trip_ps=13000000");
	u64 began;

	(void)state;
	*word(&r, BASE) = 1;
	time_of(&r, 1, BASE, 0);
	began = r.h->dev->sim->now;
	assert_int_equal(*word(&r, BASE), 2);
	/* 3 us, 4 KB at 15.75 GB/s, and 5 us for the way */
	assert_int_equal(r.h->dev->sim->now - began, 8 * VGPU_US + 260063);
	assert_int_equal(info(&r).account.page_bytes_out, PAGE);
	host_free(r.h);
}

/* Two granules share the link: 65,536 bytes at 1 GB/s. */
static void migrations_share_the_link(void **state)
{
	struct rig r = START("link_bandwidth=1000000000", "fault_data_round_trip_ps=0");

	(void)state;
	*word(&r, BASE) = 1;
	*word(&r, BASE + GRANULE) = 1;
	/* 2 us, 5 us there, 65.536 us twice, of which the second waits, 5 us back */
	takes(&r, 2, BASE, GRANULE, 12 * VGPU_US + 2 * 65536000);
	host_free(r.h);
}

/* The way back occupies the path behind the data. */
static void ways_share_the_link(void **state)
{
	struct rig r = START("link_bandwidth=1000000000", "fault_data_round_trip_ps=0",
			     "fault_occupies_link=1");

	(void)state;
	*word(&r, BASE) = 1;
	*word(&r, BASE + GRANULE) = 1;
	/* 5 us there, 2 us, then 65.536 us and 5 us back twice */
	takes(&r, 2, BASE, GRANULE, 17 * VGPU_US + 2 * 65536000);
	host_free(r.h);
}

static void copies_share_the_link(void **state)
{
	struct rig r = START("link_bandwidth=1000000000", "fault_data_round_trip_ps=0");
	u32 other = host_queue(r.h, r.context);
	u64 began;

	(void)state;
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, MAPPED), 0);
	*word(&r, BASE) = 1;
	launch(&r, 1, BASE, 0);
	while (!info(&r).account.page_faults)
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
	/* 7 us later the migration reserves the link */
	vgpu_device_run(r.h->dev, r.h->dev->sim->now + 8 * VGPU_US, 1000);
	began = r.h->dev->sim->now;
	host_push(r.h, r.context, other, cmd_h2d(DEVICE, 0, PAGE));
	host_run(r.h);
	/* the copy waits for the 64.536 us that are left, and takes 4.096 */
	assert_int_equal(host_done(r.h, r.context, other, 1)->time - began,
			 64536000 + 4096000);
	/* the other direction is free */
	began = r.h->dev->sim->now;
	host_push(r.h, r.context, other, cmd_d2h(0, DEVICE, PAGE));
	host_run(r.h);
	assert_int_equal(host_done(r.h, r.context, other, 2)->time - began, 4096000);
	host_free(r.h);
}

/* A page is never accessible on both sides. */
static void one_side_at_a_time(void **state)
{
	struct rig r = START();
	u64 random = 1;

	(void)state;
	for (u32 round = 0; round < 200; round++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		launch(&r, 8, BASE, GRANULE / 2);
		for (u32 n = 0; n < (random >> 60); n++)
			vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
		/* beside what the kernel adds to, while it does */
		++*word(&r, BASE + (random >> 40) % 8 * (GRANULE / 2) + 4);
		for (u64 page = 0; page < MAPPED / PAGE; page++)
			if (r.h->granted[r.context][page])
				assert_true(vgpu_as_page_state(r.h->dev->contexts.list[0]->as,
							       BASE + page * PAGE) ==
					    VGPU_PAGE_HOST);
		host_run(r.h);
	}
	assert_int_equal(r.h->fault_count, 0);
	random = 0;
	for (u32 n = 0; n < 8; n++) {
		assert_int_equal(*word(&r, BASE + n * (GRANULE / 2)), 200 * (n + 1));
		random += *word(&r, BASE + n * (GRANULE / 2) + 4);
	}
	assert_int_equal(random, 200);
	host_free(r.h);
}

/* What SMs use without asking has a frame. */
static void tlbs_have_frames(struct vgpu_address_space *as)
{
	struct vgpu_tlb *tlb;

	vgpu_list_for_each(tlb, &as->tlbs, struct vgpu_tlb, node)
		for (u32 n = 0; n < VGPU_TLB_ENTRIES; n++) {
			u64 page = tlb->entries[n].page;

			/* none, or one that is used in place */
			if (page >= VGPU_ADDRESS_LIMIT >> VGPU_PAGE_SHIFT)
				continue;
			assert_true(vgpu_as_page_state(as, page << VGPU_PAGE_SHIFT) !=
				    VGPU_PAGE_HOST);
		}
}

/* Thread n loads the word at the base and n words, and those up to @steps strides behind it. */
static void load_walk(struct rig *r, u32 steps)
{
	struct vass v;
	u32 top;

	vass_init(&v, 16, 16);
	vass_op(&v, VGPU_OP_SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	vass_op(&v, VGPU_OP_LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	vass_op(&v, VGPU_OP_LDP, VASS_MEM(4, 1), 4, 0, 0, 0, 8);
	OPI(&v, MADWU, 6, 0, 4);
	v.code[v.count - 1].c = 2;
	vass_op(&v, VGPU_OP_MOV, VGPU_F_IMM, 12, 0, 0, 0, 0);
	top = vass_op(&v, VGPU_OP_LDG, VASS_MEM(4, 1), 8, 6, 0, 0, 0);
	OPI(&v, MADWU, 6, 4, 1);
	v.code[v.count - 1].c = 6;
	OPI(&v, ADD, 12, 12, 1);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 12, 0, 0, steps);
	vass_op(&v, VGPU_OP_BRA, 0, 0, 0, 0, 0, (u64)(v.count + 1) << 32 | top);
	vass_guard(&v, 0);
	vass_op(&v, VGPU_OP_EXIT, 0, 0, 0, 0, 0, 0);
	rig_load(r, &v);
}

/*
 * An access whose page the host has always taken again uses it on its way there; when it has gone
 * no TLB knows where it was.
 */
static void used_on_its_way(void **state)
{
	struct rig r = START("l1_tlb_entries=0");
	struct vgpu_address_space *as = r.h->dev->contexts.list[0]->as;
	u64 first, bytes;

	(void)state;
	load_walk(&r, 20000);
	time_of(&r, 1, BASE, 0);
	launch(&r, 1, BASE, 0);
	/* it waits for the page to go, to come, to go and to come */
	while (r.h->completion_count == 1) {
		if (vgpu_as_page_state(as, BASE) == VGPU_PAGE_FRAME)
			assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, BASE, true, &first,
							    &bytes, NULL),
					 -EAGAIN);
		vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
		tlbs_have_frames(as);
	}
	host_free(r.h);
}

/* Twice as much as there is: the oldest goes, and what was written is not lost. */
static void more_than_there_is(void **state)
{
	struct rig r = START("vram_bytes=262144");

	(void)state;
	for (u32 round = 0; round < 3; round++)
		for (u32 n = 0; n < 8; n++) {
			launch(&r, 1, BASE + n * GRANULE, 0);
			host_run(r.h);
			assert_true(info(&r).resident_bytes <= 4 * GRANULE);
		}
	/* 24 granules came, and 4 are there */
	assert_int_equal(info(&r).account.page_faults, 24);
	assert_int_equal(info(&r).account.pages_evicted, 20 * (GRANULE / PAGE));
	/* of each, one page was written */
	assert_int_equal(info(&r).account.page_bytes_out, 20 * PAGE);
	assert_int_equal(info(&r).account.page_bytes_in, 16 * PAGE);
	for (u32 n = 0; n < 8; n++)
		assert_int_equal(*word(&r, BASE + n * GRANULE), 3);
	host_free(r.h);
}

/* One instruction needs more than there is; or device memory has left nothing. */
static void no_room_at_all(void **state)
{
	for (u32 full = 0; full < 2; full++) {
		struct rig r = START("vram_bytes=131072");

		(void)state;
		if (full)
			assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, 131072), 0);
		launch(&r, 32, BASE, GRANULE);
		launch(&r, 32, BASE, GRANULE);
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 0);
		for (u32 n = 0; n < 32; n++)
			assert_int_equal(*word(&r, BASE + n * GRANULE), 2 * (n + 1));
		host_free(r.h);
	}
}

/* Device memory that is mapped later takes the place of managed pages. */
static void device_memory_comes_first(void **state)
{
	struct rig r = START("vram_bytes=262144");

	(void)state;
	time_of(&r, 4, BASE, GRANULE);
	assert_int_equal(info(&r).resident_bytes, 4 * GRANULE);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, 2 * GRANULE), 0);
	time_of(&r, 1, BASE + 4 * GRANULE, 0);
	assert_int_equal(info(&r).resident_bytes, 2 * GRANULE);
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(*word(&r, BASE + n * GRANULE), n + 1);
	host_free(r.h);
}

/* 4 KB take 41 us to the host; meanwhile, 7 us after it was raised, another granule needs room. */
static void a_page_on_its_way_is_not_evicted(void **state)
{
	struct rig r = START("vram_bytes=131072", "link_bandwidth=100000000");
	const struct vgpu_address_space *as = r.h->dev->contexts.list[0]->as;
	u64 first, bytes;

	(void)state;
	time_of(&r, 2, BASE, GRANULE);
	assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, BASE, true,
					    &first, &bytes, NULL), -EAGAIN);
	time_of(&r, 1, BASE + 2 * GRANULE, 0);
	assert_int_equal(vgpu_as_page_state(as, BASE + GRANULE), VGPU_PAGE_HOST);
	assert_int_equal(vgpu_as_page_state(as, BASE + 2 * GRANULE), VGPU_PAGE_FRAME);
	assert_int_equal(info(&r).account.pages_evicted, GRANULE / PAGE);
	for (u32 n = 0; n < 3; n++)
		assert_int_equal(*word(&r, BASE + n * GRANULE), n == 1 ? 2 : 1);
	host_free(r.h);
}

static void copies_use_pages_where_they_are(void **state)
{
	struct rig r = START();

	(void)state;
	memset(r.h->memory, 7, PAGE);
	host_push(r.h, r.context, r.queue, cmd_h2d(BASE, 0, 2 * PAGE));
	host_run(r.h);
	assert_int_equal(*word(&r, BASE), 0x07070707);
	*word(&r, BASE + PAGE) = 5;
	time_of(&r, 1, BASE + GRANULE, 0);
	host_push(r.h, r.context, r.queue, cmd_d2d(BASE + GRANULE + PAGE, BASE + PAGE, 4));
	host_push(r.h, r.context, r.queue, cmd_d2h(PAGE, BASE + GRANULE, 2 * PAGE));
	host_push(r.h, r.context, r.queue, cmd_fill(BASE + GRANULE, 1, 9, 4));
	host_run(r.h);
	assert_int_equal(r.h->memory[PAGE], 1);
	assert_int_equal(r.h->memory[2 * PAGE], 5);
	assert_int_equal(*word(&r, BASE + GRANULE), 9);
	assert_int_equal(info(&r).account.page_faults, 1);
	host_free(r.h);
}

static struct vgpu_cmd cmd_prefetch(u64 address, u64 bytes, u32 to_device)
{
	return (struct vgpu_cmd){
		.op = VGPU_CMD_PREFETCH,
		.prefetch = { .address = address, .bytes = bytes, .to_device = to_device },
	};
}

/* Time of a prefetch from its push to its completion. */
static u64 prefetch(struct rig *r, u64 address, u64 bytes, u32 to_device)
{
	u64 began = r->h->dev->sim->now;
	u64 seq = host_push(r->h, r->context, r->queue, cmd_prefetch(address, bytes, to_device));

	host_run(r->h);
	return host_done(r->h, r->context, r->queue, seq)->time - began;
}

static void prefetches(void **state)
{
	struct rig r = START("link_bandwidth=1000000000", "command_ps=1000000");
	u64 began;

	(void)state;
	*word(&r, BASE) = 1;
	*word(&r, BASE + GRANULE) = 1;
	/* two granules at 1 GB/s; the third has no data */
	assert_int_equal(prefetch(&r, BASE + 100, 2 * GRANULE, 1), VGPU_US + 2 * 65536000);
	assert_int_equal(info(&r).resident_bytes, 3 * GRANULE);
	assert_int_equal(prefetch(&r, BASE, 3 * GRANULE, 1), VGPU_US);
	time_of(&r, 3, BASE, GRANULE);
	assert_int_equal(info(&r).account.page_faults, 0);
	/* one page of each was written */
	assert_int_equal(prefetch(&r, BASE, 3 * GRANULE, 0), VGPU_US + 3 * 4096000);
	assert_int_equal(info(&r).resident_bytes, 0);
	began = r.h->dev->sim->now;
	assert_int_equal(*word(&r, BASE), 2);
	assert_int_equal(r.h->dev->sim->now, began);
	assert_int_equal(info(&r).account.host_page_faults, 0);
	/* all of it, which takes more than one event */
	prefetch(&r, BASE, MAPPED, 1);
	assert_int_equal(info(&r).resident_bytes, MAPPED);
	prefetch(&r, BASE, MAPPED, 1);
	prefetch(&r, BASE, MAPPED, 0);
	assert_int_equal(info(&r).resident_bytes, 0);
	assert_int_equal(info(&r).copies, 0);
	host_free(r.h);
}

static void prefetches_without_room(void **state)
{
	struct rig r = START("vram_bytes=131072");

	(void)state;
	for (u32 n = 0; n < 8; n++)
		*word(&r, BASE + n * GRANULE) = n;
	prefetch(&r, BASE, 8 * GRANULE, 1);
	assert_int_equal(info(&r).resident_bytes, 2 * GRANULE);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, 131072), 0);
	prefetch(&r, BASE, 8 * GRANULE, 1);
	for (u32 n = 0; n < 8; n++)
		assert_int_equal(*word(&r, BASE + n * GRANULE), n);
	host_free(r.h);
}

/* Beside a fault for the same granule, and with memory that goes. */
static void prefetches_end_early(void **state)
{
	for (u32 n = 0; n < 24; n++) {
		struct rig r = START("link_bandwidth=1000000000");
		u32 other = host_queue(r.h, r.context);

		(void)state;
		*word(&r, BASE) = 1;
		launch(&r, 4, BASE, GRANULE);
		vgpu_device_run(r.h->dev, VGPU_NEVER, n);
		host_push(r.h, r.context, other, cmd_prefetch(BASE, 8 * GRANULE, n & 1));
		vgpu_device_run(r.h->dev, VGPU_NEVER, n / 2);
		if (n % 3 == 1)
			assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		else if (n % 3 == 2)
			assert_int_equal(vgpu_context_close(r.h->dev, r.context), 0);
		host_run(r.h);
		if (n % 3 == 0) {
			host_done(r.h, r.context, other, 1);
			assert_int_equal(*word(&r, BASE), 2);
		}
		host_free(r.h);
	}
}

static void contexts_have_their_own(void **state)
{
	struct rig r = START(), other = open_context(r.h);

	(void)state;
	*word(&r, BASE) = 10;
	*word(&other, BASE) = 20;
	launch(&r, 1, BASE, 0);
	launch(&other, 1, BASE, 0);
	host_run(r.h);
	assert_int_equal(*word(&r, BASE), 11);
	assert_int_equal(*word(&other, BASE), 21);
	host_free(r.h);
}

/* Unmapped, or closed, in each state of a fault in each direction. */
static void memory_goes_while_it_moves(void **state)
{
	for (u32 n = 0; n < 40; n++) {
		struct rig r = START("vram_bytes=262144");
		u64 first, bytes;
		int err;

		(void)state;
		*word(&r, BASE) = 1;
		launch(&r, 4, BASE, GRANULE);
		if (n & 1) {
			host_run(r.h);
			err = vgpu_managed_fetch(r.h->dev, r.context, BASE, true,
						 &first, &bytes, NULL);
			assert_int_equal(err, -EAGAIN);
		}
		vgpu_device_run(r.h->dev, VGPU_NEVER, n / 4);
		if (n & 2)
			assert_int_equal(vgpu_context_close(r.h->dev, r.context), 0);
		else
			assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		assert_int_equal(r.h->dev->mmu.faults.entered, 0);
		assert_int_equal(r.h->dev->mmu.arriving, 0);
		assert_int_equal(r.h->dev->mmu.frames.managed, 0);
		host_run(r.h);
		host_free(r.h);
	}
}

static void prefetches_outside(void **state)
{
	static const u64 bad[] = { BASE + MAPPED, DEVICE, BASE - PAGE };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(bad); n++) {
		struct rig r = START();

		assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, PAGE), 0);
		host_push(r.h, r.context, r.queue, cmd_prefetch(bad[n], 2 * PAGE, n & 1));
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 1);
		assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_COPY_UNMAPPED);
		assert_int_equal(r.h->faults[0].address, bad[n]);
		host_free(r.h);
	}
}

static void what_is_refused(void **state)
{
	struct rig r = START();
	u64 first, bytes;

	(void)state;
	assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, BASE, PAGE), -EEXIST);
	assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, DEVICE + 1, PAGE), -EINVAL);
	assert_int_equal(vgpu_memory_map_managed(r.h->dev, 77, DEVICE, PAGE), -ENOENT);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, PAGE), 0);
	assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, DEVICE, true,
					    &first, &bytes, NULL), -EFAULT);
	assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, 0, true,
					    &first, &bytes, NULL), -EFAULT);
	assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, ~0ull, true,
					    &first, &bytes, NULL), -EFAULT);
	assert_int_equal(vgpu_managed_fetch(r.h->dev, 77, BASE, true,
					    &first, &bytes, NULL), -ENOENT);
	assert_int_equal(vgpu_managed_fetch(r.h->dev, r.context, BASE, true,
					    &first, &bytes, NULL), 0);
	assert_int_equal(first, BASE);
	assert_int_equal(bytes, GRANULE);
	assert_int_equal(host_try(r.h, r.context, r.queue,
				  &(struct vgpu_cmd){ .op = VGPU_CMD_PREFETCH }, 0, NULL),
			 -EINVAL);
	for (u32 n = 0; n < 3; n++) {
		struct vgpu_cmd cmd = cmd_prefetch(BASE, n == 0 ? 0 : PAGE, n == 1 ? 2 : 1);

		cmd.prefetch.reserved0 = n == 2;
		assert_int_equal(host_try(r.h, r.context, r.queue, &cmd, 0, NULL), -EINVAL);
	}
	/* behind the end */
	launch(&r, 1, BASE + MAPPED, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 1);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	host_free(r.h);
}

#define STEPS	100u

/*
 * Many warps wait for the same page, and find it in the TLB when it has come: that is no access
 * whose pages go again and again, which would be made in place.
 */
static void pages_in_turn(void **state)
{
	struct rig r = START("fault_granule=65536");

	(void)state;
	assert_true(STEPS * GRANULE <= MAPPED);
	load_walk(&r, STEPS);
	time_of(&r, 1024, BASE, GRANULE);
	assert_int_equal(info(&r).account.page_faults, STEPS);
	assert_int_equal(info(&r).resident_bytes, STEPS * GRANULE);
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nobody_has_touched),
		cmocka_unit_test(what_the_host_has_written),
		cmocka_unit_test(to_the_host),
		cmocka_unit_test(migrations_share_the_link),
		cmocka_unit_test(ways_share_the_link),
		cmocka_unit_test(copies_share_the_link),
		cmocka_unit_test(one_side_at_a_time),
		cmocka_unit_test(used_on_its_way),
		cmocka_unit_test(more_than_there_is),
		cmocka_unit_test(no_room_at_all),
		cmocka_unit_test(device_memory_comes_first),
		cmocka_unit_test(a_page_on_its_way_is_not_evicted),
		cmocka_unit_test(copies_use_pages_where_they_are),
		cmocka_unit_test(prefetches),
		cmocka_unit_test(prefetches_without_room),
		cmocka_unit_test(prefetches_end_early),
		cmocka_unit_test(prefetches_outside),
		cmocka_unit_test(contexts_have_their_own),
		cmocka_unit_test(memory_goes_while_it_moves),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(pages_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
