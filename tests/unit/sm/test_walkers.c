// SPDX-License-Identifier: MIT
/*
 * The page table walkers and miss registers (mmu/walkers.h) against the same by searching all of
 * them, over random misses and invalidations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "mmu/walkers.h"
#include "vgpu_model.h"

#define MOST	64u
#define WALK	(500 * VGPU_NS)

struct model {
	struct vgpu_mshr mshr[MOST];
	u64 free[MOST];
	u64 walker[MOST];
	u32 mshrs;
	u32 walkers;
};

static u32 least(const u64 *values, u32 count)
{
	u32 first = 0;

	for (u32 n = 1; n < count; n++)
		if (values[n] < values[first])
			first = n;
	return first;
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

static const struct vgpu_walk *merge(const struct model *m, u32 context, u64 page, u64 time)
{
	const struct vgpu_walk *best = NULL;

	for (u32 n = 0; n < m->mshrs; n++) {
		const struct vgpu_walk *walk = &m->mshr[n].walk;
		u64 ready = vgpu_walk_ready(walk, time);

		if (m->mshr[n].context == context && m->mshr[n].page == page && ready > time &&
		    (!best || ready < vgpu_walk_ready(best, time)))
			best = walk;
	}
	return best;
}

/* Of two walks that are ready at the same time either will do. */
static void same_time(const struct vgpu_walk *ours, const struct vgpu_walk *expected, u64 time)
{
	assert_int_equal(!ours, !expected);
	if (ours)
		assert_int_equal(vgpu_walk_ready(ours, time), vgpu_walk_ready(expected, time));
}

static const struct vgpu_walk *walk(struct model *m, u32 context, u64 page, u64 now, u64 time)
{
	u32 n = least(m->free, m->mshrs), w = least(m->walker, m->walkers);
	u64 began = later(m->free[n], now), idle = later(m->walker[w], now);
	u64 ready = later(later(began, time), idle) + WALK;

	m->walker[w] = idle + WALK;
	m->free[n] = began + ready - later(began, time);
	m->mshr[n] = (struct vgpu_mshr){
		.page = page, .context = context, .walk = { time, ready },
	};
	return &m->mshr[n].walk;
}

static void invalidate(struct model *m, u32 context, u64 first, u64 count)
{
	for (u32 n = 0; n < m->mshrs; n++)
		if (m->mshr[n].context == context && m->mshr[n].page - first < count)
			m->mshr[n].context = 0;
}

static void same_walk(const struct vgpu_walk *ours, const struct vgpu_walk *expected)
{
	assert_int_equal(ours->asked, expected->asked);
	assert_int_equal(ours->ready, expected->ready);
}

/* Pages are few, so that many misses are of a page whose walk is in flight. */
static void compare(u32 mshrs, u32 walkers, u32 seed)
{
	struct vgpu_config config = {
		.l2_tlb_mshrs = mshrs, .page_walkers = walkers, .page_walk_ps = WALK,
	};
	struct model m = { .mshrs = mshrs, .walkers = walkers };
	struct vgpu_walkers ours;
	u64 now = 0, waited = 0;
	u32 merged = 0, dropped = 0;

	srandom(seed);
	memset(&ours, 0, sizeof(ours));
	assert_int_equal(vgpu_walkers_init(&ours, &config), 0);
	for (u32 i = 0; i < 20000; i++) {
		u32 context = (u32)random() % 3 + 1;
		u64 page = (u64)random() % 40, time;
		const struct vgpu_walk *expected;

		now += random() % 8 ? 0 : (u64)random() % (WALK / 2);
		time = now + (u64)random() % WALK;
		if (!(random() % 50)) {
			u64 count = random() % 2 ? 3 : 1000;

			invalidate(&m, context, page, count);
			vgpu_walkers_invalidate(&ours, context, page, count);
			dropped++;
			continue;
		}
		expected = merge(&m, context, page, time);
		same_time(vgpu_walkers_merge(&ours, context, page, time), expected, time);
		merged += !!expected;
		if (expected)
			continue;
		/* nobody may wait for some of them */
		context = random() % 10 ? context : 0;
		same_walk(vgpu_walkers_walk(&ours, context, page, now, time, &waited),
			  walk(&m, context, page, now, time));
	}
	assert_true(merged > 100 && dropped > 100 && waited);
	vgpu_walkers_fini(&ours);
}

static void as_if_all_were_searched(void **state)
{
	(void)state;
	compare(1, 1, 1);
	compare(5, 3, 2);
	compare(16, 7, 3);
	compare(MOST, MOST, 4);
	compare(MOST, 8, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_if_all_were_searched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
