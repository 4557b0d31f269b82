// SPDX-License-Identifier: MIT
/*
 * Ranges of managed memory with advice: where they end, how many there may be, what goes with
 * them; then advice at random.
 */
#include "advice_rig.h"

/* ---- ranges ------------------------------------------------------------- */

/* A fault is for pages of the same advice. */
static void a_granule_is_divided(void **state)
{
	struct rig r = START();

	(void)state;
	*word(&r, BASE) = 1;
	advise(&r, BASE + 4 * PAGE, 4 * PAGE, VGPU_ADVICE_PREFER_HOST);
	time_of(&r, 1, BASE, 0);
	assert_int_equal(resident(&r), 0xf);
	time_of(&r, 1, BASE + 5 * PAGE, 0);
	assert_int_equal(resident(&r), 0xf);
	time_of(&r, 1, BASE + 9 * PAGE, 0);
	assert_int_equal(resident(&r), 0xff0f);
	assert_int_equal(space(&r)->advice.count, 3);
	advise(&r, BASE + 8 * PAGE, PAGE, VGPU_ADVICE_PREFER_HOST);
	assert_int_equal(space(&r)->advice.count, 3);
	advise(&r, BASE + 6 * PAGE, PAGE, VGPU_ADVICE_ACCESSED);
	assert_int_equal(space(&r)->advice.count, 5);
	advise(&r, BASE + 2 * PAGE, 8 * PAGE, VGPU_ADVICE_NONE);
	assert_int_equal(space(&r)->advice.count, 0);
	host_free(r.h);
}

/* A prefetcher brings no page that is used where it is. */
static void prefetchers_follow_it(void **state)
{
	struct rig r = START("fault_granule=4096", "prefetcher=granule");

	(void)state;
	advise(&r, BASE + PAGE, PAGE, VGPU_ADVICE_PREFER_HOST);
	*word(&r, BASE + 3 * PAGE) = 1;
	advise(&r, BASE + 3 * PAGE, PAGE, VGPU_ADVICE_READ_MOSTLY);
	time_of(&r, 1, BASE, 0);
	assert_int_equal(resident(&r), 1);
	time_of(&r, 1, BASE + 2 * PAGE, 0);
	assert_int_equal(resident(&r), 1 << 0 | 1 << 2 | 1 << 3);
	assert_true(is_shared(&r, BASE + 3 * PAGE));
	host_free(r.h);
}

/* In parts as small as may be: the same as at once, and the end of it too. */
static void advice_in_parts(void **state)
{
	struct rig r = START();
	u32 parts = 0;
	u64 done = 0;
	int err;

	(void)state;
	*word(&r, BASE) = *word(&r, BASE + (4 << 20)) = 1;
	for (u32 n = 0; n < 100; n += 2)
		advise(&r, BASE + n * PAGE, PAGE, VGPU_ADVICE_ACCESSED);
	assert_int_equal(space(&r)->advice.count, 100);
	do {
		err = vgpu_managed_advise_part(r.h->dev, r.context, BASE, MAPPED,
					       VGPU_ADVICE_READ_MOSTLY, 1, &done);
		assert_true(err == 0 || err == -EAGAIN);
		assert_true(done <= MAPPED && (err == 0) == (done == MAPPED));
		parts++;
	} while (err);
	assert_true(parts >= 100);
	assert_int_equal(space(&r)->advice.count, 100);
	for (u32 n = 0; n < 102; n++)
		assert_int_equal(vgpu_advice_at(space(&r), BASE + n * PAGE),
				 VGPU_ADVISED_READ_MOSTLY |
					 (n % 2 || n == 100 ? 0 : VGPU_ADVISED_ACCESSED));
	for (parts = 0; (err = vgpu_memory_unmap_part(r.h->dev, r.context, BASE, MAPPED, 8));
	     parts++)
		assert_int_equal(err, -EAGAIN);
	assert_true(parts > 100 / 8);
	assert_int_equal(space(&r)->advice.count, 0);
	host_free(r.h);
}

static void what_is_refused(void **state)
{
	struct rig r = START();
	const struct {
		u64 address, bytes;
		u32 advice;
	} bad[] = {
		{ BASE, 0, 1 },			     { BASE + 1, PAGE, 1 },
		{ BASE, PAGE + 1, 1 },		     { BASE - PAGE, 2 * PAGE, 1 },
		{ BASE, MAPPED + PAGE, 1 },	     { BASE + MAPPED, PAGE, 1 },
		{ BASE, PAGE, VGPU_ADVICE_COUNT },   { BASE, PAGE, ~0u },
		{ DEVICE, PAGE, 1 },		     { ~0ull << 12, PAGE, 1 },
		{ BASE + PAGE, ~0ull << 12, 1 },     { BASE, ~0ull, 1 },
	};

	(void)state;
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, DEVICE, PAGE), 0);
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(bad); n++)
		assert_int_equal(vgpu_managed_advise(r.h->dev, r.context, bad[n].address,
						     bad[n].bytes, bad[n].advice),
				 -EINVAL);
	assert_int_equal(vgpu_managed_advise(r.h->dev, 77, BASE, PAGE, 1), -ENOENT);
	assert_int_equal(space(&r)->advice.count, 0);
	/* it goes with the mapping */
	advise(&r, BASE, PAGE, VGPU_ADVICE_READ_MOSTLY);
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
	assert_int_equal(space(&r)->advice.count, 0);
	assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, BASE, MAPPED), 0);
	assert_int_equal(vgpu_advice_at(space(&r), BASE), 0);
	host_free(r.h);
}

/* Every second page of a mapping that is large enough; the context pays for it. */
static void advice_has_a_limit(void **state)
{
	struct rig r = START();
	u64 bytes = (VGPU_ADVISED_MAX + 8) * (u64)PAGE, address = BASE + (1ull << 32);
	u64 before = space(&r)->memory->bytes, at;
	int err = 0;

	(void)state;
	assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, address, bytes), 0);
	for (at = 0; at < bytes && !err; at += 2 * PAGE)
		err = vgpu_managed_advise(r.h->dev, r.context, address + at, PAGE,
					  VGPU_ADVICE_ACCESSED);
	assert_int_equal(err, -ENOMEM);
	assert_in_range(space(&r)->advice.count, VGPU_ADVISED_MAX - 3, VGPU_ADVISED_MAX);
	assert_true(space(&r)->memory->bytes > before + VGPU_ADVISED_MAX * 24);
	assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, address, bytes), 0);
	assert_int_equal(space(&r)->advice.count, 0);
	host_free(r.h);
}

/* ---- all together ------------------------------------------------------- */

/*
 * Kernels that read and that write, both sides at the same time, advice that comes and goes, too
 * little room, memory that goes. Kernels add to words that the process reads, and the other way
 * round.
 */
static void at_random(void **state)
{
	for (u32 seed = 0; seed < 12; seed++) {
		struct rig r = START(seed & 1 ? "vram_bytes=262144" : "sms=2",
				     seed & 2 ? "fault_handler=gpu" : "fault_handler=cpu",
				     seed & 4 ? "prefetcher=tree" : "prefetcher=none",
				     seed & 8 ? "fault_granule=4096" : "fault_granule=65536");
		struct kernels k = load_kernels(&r);
		u32 added = 0, mine[8] = { 0 }, last = 0;
		u64 random = seed * 2 + 1;

		(void)state;
		for (u32 round = 0; round < 400; round++) {
			u64 where, page;

			random = random * 6364136223846793005ull + 1442695040888963407ull;
			page = (random >> 52) % 128;
			if (!(random >> 40 & 3))
				advise(&r, BASE + page * PAGE,
				       ((random >> 44) % (128 - page) + 1) * PAGE,
				       (u32)((random >> 33) % VGPU_ADVICE_COUNT));
			r.module = random >> 32 & 1 ? k.add : k.load;
			added += r.module == k.add;
			launch(&r, 8, BASE, GRANULE);
			if (!(random >> 30 & 7))
				host_push(r.h, r.context, r.queue,
					  (struct vgpu_cmd){
						  .op = VGPU_CMD_PREFETCH,
						  .prefetch = { .address = BASE + page * PAGE,
								.bytes = 1 + random % (4 * GRANULE),
								.to_device = random >> 29 & 1 },
					  });
			for (u32 n = 0; n < (random >> 60); n++)
				vgpu_device_run(r.h->dev, VGPU_NEVER, 1);
			where = (random >> 20) % 8;
			if (random >> 28 & 1)
				mine[where] = ++*word(&r, BASE + where * GRANULE + 4);
			else
				assert_int_equal(seen(&r, BASE + where * GRANULE + 4),
						 mine[where]);
			assert_true(seen(&r, BASE) >= last);
			last = seen(&r, BASE);
			check(&r);
			if (random >> 27 & 1)
				host_run(r.h);
			check(&r);
		}
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 0);
		for (u32 n = 0; n < 8; n++) {
			assert_int_equal(seen(&r, BASE + n * GRANULE), added * (n + 1));
			assert_int_equal(*word(&r, BASE + n * GRANULE + 4), mine[n]);
		}
		if (seed & 1)
			assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context, BASE, MAPPED), 0);
		host_free(r.h);
	}
}

/* Unmapped, or closed, in each state of each fault. */
static void memory_goes_while_it_is_copied(void **state)
{
	for (u32 n = 0; n < 96; n++) {
		struct rig r = START();
		struct kernels k = load_kernels(&r);
		u64 first, bytes;
		bool writable;

		(void)state;
		*word(&r, BASE) = 1;
		advise(&r, BASE, MAPPED, VGPU_ADVICE_READ_MOSTLY);
		r.module = n & 1 ? k.load : k.add;
		launch(&r, 4, BASE, GRANULE);
		if (n & 2) {
			host_run(r.h);
			r.module = k.add;
			if (n & 4)
				vgpu_managed_fetch(r.h->dev, r.context, BASE, false, &first, &bytes,
						   &writable);
			launch(&r, 4, BASE, GRANULE);
		}
		vgpu_device_run(r.h->dev, VGPU_NEVER, n / 8);
		if (n & 4)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_granule_is_divided),
		cmocka_unit_test(prefetchers_follow_it),
		cmocka_unit_test(advice_in_parts),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(advice_has_a_limit),
		cmocka_unit_test(at_random),
		cmocka_unit_test(memory_goes_while_it_is_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
