// SPDX-License-Identifier: MIT
/*
 * The queue of events against a search of all entries: a simulation whose entries lie dense, far
 * apart, all at one time or at several distances at once, one after the other, so that the width of
 * the buckets changes; with moves, removals, replacements and urgent entries.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/calendar.h"
#include "sim/random.h"

#define MOST	1200u

static struct vgpu_random rng;
static struct vgpu_pq_entry entries[MOST];
static u64 now, seq, urgent_seq;

static u64 below(u64 limit)
{
	return vgpu_random_next(&rng) % limit;
}

static struct vgpu_pq_entry *search(void)
{
	struct vgpu_pq_entry *first = NULL;

	for (u32 i = 0; i < MOST; i++) {
		struct vgpu_pq_entry *e = &entries[i];

		if (vgpu_pq_queued(e) && (!first || e->key < first->key ||
					  (e->key == first->key && e->seq < first->seq)))
			first = e;
	}
	return first;
}

static u32 count_queued(void)
{
	u32 count = 0;

	for (u32 i = 0; i < MOST; i++)
		count += vgpu_pq_queued(&entries[i]);
	return count;
}

/* How far away the next entry is, in a phase of the simulation. */
static u64 distance(u32 phase)
{
	switch (phase) {
	case 0:
		return below(1000);
	case 1:
		return 20000000 + below(2000000);
	case 2:
		return below(3) * 7;
	case 3:
		return 1ull << below(45);
	case 4:
		return 5000000;
	case 5:
		return below(20) ? below(50000) : 1000000000000ull + below(1000);
	case 6:
		return 1000000000ull * (1 + below(50));
	default:
		return 0;
	}
}

#define PHASES	8u

static void each_is_seen_once(const struct vgpu_calendar *c)
{
	static bool seen[MOST];
	const struct vgpu_pq_entry *entry;
	u32 count = 0;
	u32 at = 0;

	memset(seen, 0, sizeof(seen));
	while ((entry = vgpu_calendar_each(c, &at))) {
		assert_true(vgpu_pq_queued(entry));
		assert_false(seen[entry - entries]);
		seen[entry - entries] = true;
		count++;
	}
	assert_int_equal(count, count_queued());
	assert_int_equal(count, vgpu_calendar_count(c));
}

/* One of the first @active entries is inserted, moved, removed or replaced. */
static void disturb(struct vgpu_calendar *c, u32 active, u32 phase)
{
	struct vgpu_pq_entry *e = &entries[below(active)];
	struct vgpu_pq_entry *other = &entries[below(active)];

	switch (below(6)) {
	case 0:
		if (vgpu_pq_queued(e))
			vgpu_calendar_clear(c, e);
		break;
	case 1:
		vgpu_calendar_insert_any(c, e, now, urgent_seq++);
		break;
	case 2:
		if (!vgpu_pq_queued(e) || vgpu_pq_queued(other))
			break;
		/* seqs are even, so there is one that is free */
		if (e->seq % 2)
			break;
		other->key = e->key;
		other->seq = e->seq + 1;
		vgpu_calendar_replace(c, e, other);
		break;
	default:
		vgpu_calendar_insert(c, e, now + distance(phase), seq);
		seq += 2;
	}
}

static void simulate(u64 seed, u32 steps, u32 active)
{
	struct vgpu_calendar c = {};
	bool changed = false, used = false;
	u32 switched = 0;
	u32 shift;

	vgpu_random_seed(&rng, seed);
	memset(entries, 0, sizeof(entries));
	now = 0;
	seq = 1ull << 62;
	urgent_seq = 0;
	assert_int_equal(vgpu_calendar_reserve(&c, active), 0);
	shift = c.shift;
	for (u32 step = 0; step < steps; step++) {
		u32 phase = step / 20000 % PHASES;
		bool drains = step / 4000 % 10 == 9;
		struct vgpu_pq_entry *first = vgpu_calendar_first(&c);

		if (!drains && (step % 8 == 0 || !first))
			disturb(&c, active, phase);
		if (step % 5000 == 0)
			each_is_seen_once(&c);
		if (step % 16 == 0)
			assert_ptr_equal(vgpu_calendar_first(&c), search());
		first = vgpu_calendar_first(&c);
		changed |= c.shift != shift;
		switched += c.on != used;
		used = c.on;
		if (!first)
			continue;
		assert_true(first->key >= now);
		now = first->key;
		vgpu_calendar_pop(&c, first);
		assert_false(vgpu_pq_queued(first));
		if (drains)
			continue;
		if (below(400)) {
			vgpu_calendar_insert(&c, first, now + distance(phase), seq);
			seq += 2;
		}
		/* as many as there can be, most of the time */
		if (below(4) == 0) {
			struct vgpu_pq_entry *e = &entries[below(active)];

			if (!vgpu_pq_queued(e)) {
				vgpu_calendar_insert(&c, e, now + distance(phase), seq);
				seq += 2;
			}
		}
	}
	assert_int_equal(!!c.places, active >= VGPU_CALENDAR_MANY);
	assert_int_equal(changed, active >= VGPU_CALENDAR_MANY);
	/* it was used, and then not, and again */
	assert_int_equal(switched > 2, active >= VGPU_CALENDAR_MANY);
	while (vgpu_calendar_first(&c)) {
		struct vgpu_pq_entry *first = vgpu_calendar_first(&c);

		assert_ptr_equal(first, search());
		vgpu_calendar_pop(&c, first);
	}
	assert_int_equal(vgpu_calendar_count(&c), 0);
	vgpu_calendar_free(&c);
	assert_null(vgpu_calendar_first(&c));
}

static void few_entries_have_no_calendar(void **state)
{
	(void)state;
	simulate(1, 60000, 20);
}

static void the_first_comes_first(void **state)
{
	(void)state;
	simulate(2, 400000, MOST);
	simulate(3, 200000, 300);
}

/* Entries of the last picoseconds there are, and of the first. */
static void ends_of_the_clock(void **state)
{
	struct vgpu_calendar c = {};

	(void)state;
	memset(entries, 0, sizeof(entries));
	assert_int_equal(vgpu_calendar_reserve(&c, MOST), 0);
	for (u32 i = 0; i < 600; i++)
		vgpu_calendar_insert(&c, &entries[i], i < 300 ? 299 - i : ~0ull - 1 - (599 - i),
				     1000 + i);
	for (u32 i = 0; i < 600; i++) {
		struct vgpu_pq_entry *first = vgpu_calendar_first(&c);

		assert_int_equal(first - entries, i < 300 ? 299 - i : i);
		vgpu_calendar_pop(&c, first);
	}
	assert_null(vgpu_calendar_first(&c));
	vgpu_calendar_free(&c);
}

/* More entries at one time than a bucket has room for, in the order of insertion. */
static void one_time_for_all(void **state)
{
	struct vgpu_calendar c = {};

	(void)state;
	memset(entries, 0, sizeof(entries));
	assert_int_equal(vgpu_calendar_reserve(&c, MOST), 0);
	for (u32 i = 0; i < MOST; i++)
		vgpu_calendar_insert(&c, &entries[i], 1000000000, i);
	for (u32 i = 0; i < MOST; i++) {
		struct vgpu_pq_entry *first = vgpu_calendar_first(&c);

		assert_ptr_equal(first, &entries[i]);
		vgpu_calendar_pop(&c, first);
	}
	assert_null(vgpu_calendar_first(&c));
	vgpu_calendar_free(&c);
}

/* Places of entries that were removed are free again when the calendar is empty. */
static void removed_and_inserted_again(void **state)
{
	struct vgpu_calendar c = {};
	u64 next = 0;

	(void)state;
	memset(entries, 0, sizeof(entries));
	assert_int_equal(vgpu_calendar_reserve(&c, MOST), 0);
	for (u32 round = 0; round < 50; round++) {
		for (u32 i = 0; i < MOST; i++)
			vgpu_calendar_insert(&c, &entries[i], 1000000 + i % 7, next++);
		assert_true(c.on);
		assert_int_equal(vgpu_calendar_count(&c), MOST);
		for (u32 i = 0; i < MOST; i++)
			vgpu_calendar_clear(&c, &entries[(i * 7 + round) % MOST]);
		assert_int_equal(vgpu_calendar_count(&c), 0);
		assert_null(vgpu_calendar_first(&c));
		/* one alone, and removed again */
		vgpu_calendar_insert(&c, &entries[round], 1000003, next++);
		assert_ptr_equal(vgpu_calendar_first(&c), &entries[round]);
		vgpu_calendar_clear(&c, &entries[round]);
	}
	vgpu_calendar_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_entries_have_no_calendar),
		cmocka_unit_test(the_first_comes_first),
		cmocka_unit_test(ends_of_the_clock),
		cmocka_unit_test(one_time_for_all),
		cmocka_unit_test(removed_and_inserted_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
