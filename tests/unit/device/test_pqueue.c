// SPDX-License-Identifier: MIT
/*
 * The tournament against a search of all entrants: random entries, changes, departures and pops,
 * while it grows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/random.h"
#include "sim/pqueue.h"

#define MOST	700u

static struct vgpu_random rng;

static u32 below(u32 limit)
{
	return (u32)(vgpu_random_next(&rng) % limit);
}

/* Who should come first; NULL: nobody is in. */
static struct vgpu_pq_entry *search(struct vgpu_pq_entry *all, u32 count)
{
	struct vgpu_pq_entry *first = NULL;
	u32 i;

	for (i = 0; i < count; i++) {
		struct vgpu_pq_entry *e = &all[i];

		if (vgpu_pq_queued(e) && (!first || e->key < first->key ||
					      (e->key == first->key && e->seq < first->seq)))
			first = e;
	}
	return first;
}

static u32 count_in(const struct vgpu_pq_entry *all, u32 count)
{
	u32 in = 0;
	u32 i;

	for (i = 0; i < count; i++)
		in += vgpu_pq_queued(&all[i]);
	return in;
}

static void empty(void **state)
{
	struct vgpu_pqueue t = {};

	(void)state;
	assert_null(vgpu_pqueue_first(&t));
	assert_int_equal(vgpu_pqueue_reserve(&t, 1), 0);
	assert_null(vgpu_pqueue_first(&t));
	assert_int_equal(vgpu_pqueue_count(&t), 0);
	vgpu_pqueue_free(&t);
	assert_null(vgpu_pqueue_first(&t));
}

static void ends_of_the_range(void **state)
{
	struct vgpu_pqueue t = {};
	struct vgpu_pq_entry a = {}, b = {}, c = {};

	(void)state;
	assert_int_equal(vgpu_pqueue_reserve(&t, 3), 0);
	vgpu_pqueue_insert(&t, &a, ~0ull, ~0ull - 1);
	assert_ptr_equal(vgpu_pqueue_first(&t), &a);
	vgpu_pqueue_insert(&t, &b, ~0ull - 1, ~0ull);
	assert_ptr_equal(vgpu_pqueue_first(&t), &b);
	vgpu_pqueue_insert(&t, &c, 0, 0);
	assert_ptr_equal(vgpu_pqueue_first(&t), &c);
	vgpu_pqueue_pop(&t);
	vgpu_pqueue_pop(&t);
	assert_ptr_equal(vgpu_pqueue_first(&t), &a);
	assert_int_equal(vgpu_pqueue_count(&t), 1);
	vgpu_pqueue_free(&t);
}

/* Equal keys leave in the order of seq, whatever their places. */
static void equal_keys(void **state)
{
	struct vgpu_pqueue t = {};
	struct vgpu_pq_entry all[100] = {};
	u32 i;

	(void)state;
	assert_int_equal(vgpu_pqueue_reserve(&t, 100), 0);
	for (i = 0; i < 100; i++)
		vgpu_pqueue_insert(&t, &all[i], 7, (i * 37) % 100);
	for (i = 0; i < 100; i++) {
		assert_int_equal(vgpu_pqueue_first(&t)->seq, i);
		vgpu_pqueue_pop(&t);
	}
	assert_null(vgpu_pqueue_first(&t));
	vgpu_pqueue_free(&t);
}

static void random_play(u64 seed)
{
	static struct vgpu_pq_entry all[MOST];
	struct vgpu_pqueue t = {};
	u32 room = 1;
	u32 keys;
	u32 i;

	vgpu_random_seed(&rng, seed);
	keys = 1 + below(1000);	/* few: many are equal */
	memset(all, 0, sizeof(all));
	assert_int_equal(vgpu_pqueue_reserve(&t, room), 0);
	for (i = 1; i < 20000; i++) {
		struct vgpu_pq_entry *e = &all[below(room)];

		if (room < MOST && below(100) < 5) {
			room += 1 + below(MOST / 20);
			room = room > MOST ? MOST : room;
			assert_int_equal(vgpu_pqueue_reserve(&t, room), 0);
		}
		switch (below(8)) {
		case 0:
			vgpu_pqueue_remove(&t, e);
			assert_false(vgpu_pq_queued(e));
			break;
		case 1:
		case 2:
			if (vgpu_pqueue_first(&t)) {
				e = vgpu_pqueue_first(&t);
				vgpu_pqueue_pop(&t);
				assert_false(vgpu_pq_queued(e));
			}
			break;
		/* what an event does that fires and is scheduled again, and others in between */
		case 3:
			if (vgpu_pqueue_first(&t))
				vgpu_pqueue_pop(&t);
			vgpu_pqueue_remove(&t, &all[below(room)]);
			vgpu_pqueue_insert(&t, &all[below(room)], below(keys), i);
			break;
		default:
			vgpu_pqueue_insert(&t, e, below(keys), i);
			assert_true(vgpu_pq_queued(e));
		}
		if (below(2))
			assert_ptr_equal(vgpu_pqueue_first(&t), search(all, MOST));
		assert_int_equal(vgpu_pqueue_count(&t), count_in(all, MOST));
	}
	while (vgpu_pqueue_first(&t)) {
		assert_ptr_equal(vgpu_pqueue_first(&t), search(all, MOST));
		vgpu_pqueue_remove(&t, vgpu_pqueue_first(&t));
	}
	assert_int_equal(vgpu_pqueue_count(&t), 0);
	vgpu_pqueue_free(&t);
}

static void against_a_search(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 20; seed++)
		random_play(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(ends_of_the_range),
		cmocka_unit_test(equal_keys),
		cmocka_unit_test(against_a_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
