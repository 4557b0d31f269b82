// SPDX-License-Identifier: MIT
/*
 * Ordered ranges against a plain array; what the tree promises about its leaves; mappings of an
 * address space at their limit.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "host.h"
#include "platform/user.h"
#include "sim/random.h"
#include "sim/ranges.h"

#define NUMBERS	4096u		/* that ranges lie in */
#define BASE	0x10000000ull
#define PAGE	VGPU_PAGE_SIZE

static u32 below(struct vgpu_random *random, u32 limit)
{
	return (u32)(vgpu_random_next(random) % limit);
}

/* In order, none empty, any two neighbours more than half full. */
static void check_leaves(const struct vgpu_ranges *ranges)
{
	const struct vgpu_range *before = NULL;
	u32 count = 0;

	for (u32 n = 0; n < ranges->leaves; n++) {
		const struct vgpu_ranges_leaf *leaf = ranges->leaf[n];

		assert_in_range(leaf->count, 1, VGPU_RANGES_LEAF);
		if (n)
			assert_true(ranges->leaf[n - 1]->count + leaf->count >
				    VGPU_RANGES_LEAF / 2);
		count += leaf->count;
		for (u32 i = 0; i < leaf->count; i++) {
			assert_true(leaf->range[i].first <= leaf->range[i].last);
			assert_true(!before || before->last < leaf->range[i].first);
			before = &leaf->range[i];
		}
	}
	assert_int_equal(count, ranges->count);
}

/*
 * Random ranges of up to @longest numbers come and go; where they are few and where they are many.
 * what[n]: value of the range that has n, 0: none.
 */
static void compare(u64 seed, u32 longest)
{
	static u32 what[NUMBERS];
	struct vgpu_mem_account account = {};
	struct vgpu_ranges ranges = { .memory = &account };
	struct vgpu_random random;

	memset(what, 0, sizeof(what));
	vgpu_random_seed(&random, seed);
	for (u32 round = 1; round < 20000; round++) {
		bool filling = round / 4000 % 2 == 0;
		u32 first = below(&random, NUMBERS), last = first + below(&random, longest), n;
		struct vgpu_range range = { .value = round };
		const struct vgpu_range *found;

		last = last < NUMBERS ? last : NUMBERS - 1;
		found = vgpu_ranges_at(&ranges, first);
		assert_int_equal(found ? found->value : 0, what[first]);
		if (found && below(&random, filling ? 8 : 2)) {
			u64 from = found->first, to = found->last;

			assert_int_equal(vgpu_ranges_remove(&ranges, from, to + 1), -ENOENT);
			assert_int_equal(vgpu_ranges_remove(&ranges, from + 1, to), -ENOENT);
			if (filling)
				continue;
			assert_int_equal(vgpu_ranges_remove(&ranges, from, to), 0);
			memset(what + from, 0, (to + 1 - from) * sizeof(*what));
			continue;
		}
		for (n = first; n <= last && !what[n]; n++)
			;
		range.first = first;
		range.last = last;
		assert_int_equal(vgpu_ranges_add(&ranges, &range), n <= last ? -EEXIST : 0);
		if (n > last)
			for (n = first; n <= last; n++)
				what[n] = round;
		if (round % 64 == 0)
			check_leaves(&ranges);
	}
	check_leaves(&ranges);
	vgpu_ranges_free(&ranges);
	assert_int_equal(account.bytes, 0);
	assert_int_equal(ranges.count, 0);
}

static void ranges_are_as_in_an_array(void **state)
{
	u64 allocations = vgpu_user_allocations();

	(void)state;
	for (u64 seed = 1; seed <= 8; seed++) {
		compare(seed, 1);
		compare(seed, 6);
	}
	assert_int_equal(vgpu_user_allocations(), allocations);
}

/* Numbers that only just fit. */
static void the_ends_of_all_numbers(void **state)
{
	const struct vgpu_range low = { 0, 0, 1 }, high = { ~0ull, ~0ull, 2 },
				all = { 0, ~0ull, 3 };
	struct vgpu_mem_account account = {};
	struct vgpu_ranges ranges = { .memory = &account };

	(void)state;
	assert_null(vgpu_ranges_at(&ranges, 0));
	assert_int_equal(vgpu_ranges_remove(&ranges, 0, 0), -ENOENT);
	assert_int_equal(vgpu_ranges_add(&ranges, &high), 0);
	assert_int_equal(vgpu_ranges_add(&ranges, &low), 0);
	assert_int_equal(vgpu_ranges_add(&ranges, &all), -EEXIST);
	assert_int_equal(vgpu_ranges_at(&ranges, 0)->value, 1);
	assert_null(vgpu_ranges_at(&ranges, 1));
	assert_int_equal(vgpu_ranges_at(&ranges, ~0ull)->value, 2);
	vgpu_ranges_free(&ranges);
	assert_int_equal(account.bytes, 0);
}

/* Without memory nothing changes. */
static void no_memory(void **state)
{
	struct vgpu_mem_account account = {};
	struct vgpu_ranges ranges = { .memory = &account };
	u32 refused = 0;

	(void)state;
	for (u64 n = 0; n < 2000; n++) {
		const struct vgpu_range range = { 2 * n, 2 * n, n };

		vgpu_user_fail_allocations_after(0);
		if (vgpu_ranges_add(&ranges, &range)) {
			refused++;
			assert_int_equal(ranges.count, n);
			assert_null(vgpu_ranges_at(&ranges, 2 * n));
			vgpu_user_fail_allocations_after(~0ull);
			assert_int_equal(vgpu_ranges_add(&ranges, &range), 0);
		}
		vgpu_user_fail_allocations_after(~0ull);
		check_leaves(&ranges);
	}
	assert_in_range(refused, 2000 / VGPU_RANGES_LEAF, 100);
	vgpu_ranges_free(&ranges);
	assert_int_equal(account.bytes, 0);
}

static void mappings_have_a_limit(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 a = host_open(h), b = host_open(h);

	(void)state;
	for (u64 n = 0; n < VGPU_MAPPINGS_MAX; n++)
		assert_int_equal(vgpu_memory_map(h->dev, a, BASE + n * PAGE, PAGE), 0);
	assert_int_equal(vgpu_memory_map(h->dev, a, 0, PAGE), -ENOMEM);
	assert_int_equal(vgpu_memory_map(h->dev, b, 0, PAGE), 0);
	/* Nothing was promised to who was refused. */
	assert_int_equal(h->dev->mmu.promised, (VGPU_MAPPINGS_MAX + 1ull) * PAGE);
	assert_int_equal(vgpu_memory_unmap(h->dev, a, BASE + 100 * PAGE, PAGE), 0);
	assert_int_equal(vgpu_memory_map(h->dev, a, 0, PAGE), 0);
	assert_int_equal(vgpu_memory_map(h->dev, a, PAGE, PAGE), -ENOMEM);
	host_free(h);
}

/*
 * Ranges that tile all numbers, changed in parts: split at both bounds, given another value, joined
 * again. There are as many as the array has runs.
 */
static void parts_are_as_in_an_array(void **state)
{
	static u32 what[NUMBERS];
	struct vgpu_mem_account account = {};
	struct vgpu_ranges ranges = { .memory = &account };
	struct vgpu_range all = { 0, NUMBERS - 1, 0 };
	struct vgpu_random random;

	(void)state;
	vgpu_random_seed(&random, 7);
	assert_int_equal(vgpu_ranges_add(&ranges, &all), 0);
	for (u32 round = 0; round < 4000; round++) {
		u32 longest = round < 2000 ? 4 : 400, first = below(&random, NUMBERS);
		u32 last = first + below(&random, longest), value = below(&random, 3), runs = 1;

		last = last < NUMBERS ? last : NUMBERS - 1;
		assert_int_equal(vgpu_ranges_split(&ranges, first), 0);
		assert_int_equal(vgpu_ranges_split(&ranges, last + 1), 0);
		for (u64 n = first; n <= last; n = vgpu_ranges_at(&ranges, n)->last + 1) {
			vgpu_ranges_set(&ranges, n, value);
			vgpu_ranges_join(&ranges, n);
		}
		vgpu_ranges_join(&ranges, last + 1);
		for (u32 n = first; n <= last; n++)
			what[n] = value;
		for (u32 n = 1; n < NUMBERS; n++)
			runs += what[n] != what[n - 1];
		assert_int_equal(ranges.count, runs);
		if (round % 64)
			continue;
		check_leaves(&ranges);
		for (u32 n = 0; n < NUMBERS; n++)
			assert_int_equal(vgpu_ranges_at(&ranges, n)->value, what[n]);
	}
	vgpu_ranges_free(&ranges);
	assert_int_equal(account.bytes, 0);
}

/* A split that has no memory for one more leaf changes nothing; gaps are not joined. */
static void parts_without_memory(void **state)
{
	struct vgpu_mem_account account = {};
	struct vgpu_ranges ranges = { .memory = &account };
	struct vgpu_range range = { 0, 1000, 5 };
	u64 n;

	(void)state;
	assert_int_equal(vgpu_ranges_add(&ranges, &range), 0);
	account.budget = account.bytes;
	for (n = 1; n <= 1000 && !vgpu_ranges_split(&ranges, n); n++)
		;
	assert_int_equal(n, VGPU_RANGES_LEAF);
	assert_int_equal(ranges.count, VGPU_RANGES_LEAF);
	assert_int_equal(vgpu_ranges_at(&ranges, n - 1)->first, n - 1);
	assert_int_equal(vgpu_ranges_at(&ranges, 1000)->first, n - 1);
	assert_int_equal(vgpu_ranges_at(&ranges, n - 2)->last, n - 2);
	assert_int_equal(vgpu_ranges_remove(&ranges, 3, 3), 0);
	vgpu_ranges_join(&ranges, 4);
	vgpu_ranges_join(&ranges, 0);
	vgpu_ranges_join(&ranges, 5000);
	assert_int_equal(ranges.count, VGPU_RANGES_LEAF - 1);
	vgpu_ranges_free(&ranges);
	assert_int_equal(account.bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_as_in_an_array),
		cmocka_unit_test(the_ends_of_all_numbers),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(mappings_have_a_limit),
		cmocka_unit_test(parts_are_as_in_an_array),
		cmocka_unit_test(parts_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
