// SPDX-License-Identifier: MIT
/*
 * Threads that execute what a device may do on several processors (transport/threads.h): each index
 * once, the ends in order, and whoever has its turn is alone, or has the lock.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "transport/threads.h"

#define COUNT	13u

struct batch {
	struct vgpu_threads *threads;
	uint32_t turns;			/* a bit for each index that asks for its turn */
	uint32_t runs[COUNT];
	uint32_t written;		/* by who has its turn, without any protection */
	uint32_t order[2 * COUNT];
	uint32_t locked;		/* how often, written by who has the lock */
};

static void run(void *arg, uint32_t n)
{
	struct batch *b = arg;

	/* some take longer than others */
	for (volatile uint32_t left = n * 7919 % 13 * 50; left; left--)
		;
	b->runs[n]++;
	for (uint32_t left = 20; left; left--) {
		vgpu_threads_lock(b->threads);
		b->locked++;
		vgpu_threads_unlock(b->threads);
	}
	if (!(b->turns >> n & 1))
		return;
	vgpu_threads_turn(b->threads, n);
	b->order[b->written++] = 2 * n;
}

static void end(void *arg, uint32_t n)
{
	struct batch *b = arg;

	b->order[b->written++] = 2 * n + 1;
}

/* Batches with an order, and some without one, which have no turns */
static void batches(const char *wanted, uint32_t rounds)
{
	struct vgpu_threads *threads;
	char message[128] = "";
	uint32_t random = 1;

	setenv("VGPU_THREADS", wanted, 1);
	assert_int_equal(vgpu_threads_create(&threads, message, sizeof(message)), 0);
	for (uint32_t round = 0; round < rounds; round++) {
		struct batch b = { .threads = threads };
		uint32_t count, next = 0;
		bool ordered;

		random = random * 1664525 + 1013904223;
		ordered = random >> 20 & 3;
		b.turns = ordered ? random >> 16 & random >> 3 : 0;
		count = round % COUNT + 1;
		vgpu_threads_run(threads, run, ordered ? end : NULL, &b, count);
		for (uint32_t n = 0; n < count; n++) {
			assert_int_equal(b.runs[n], 1);
			if (!ordered)
				continue;
			if (b.turns >> n & 1)
				assert_int_equal(b.order[next++], 2 * n);
			assert_int_equal(b.order[next++], 2 * n + 1);
		}
		assert_int_equal(b.written, next);
		assert_int_equal(b.locked, 20 * count);
	}
	vgpu_threads_destroy(threads);
}

static void one_needs_nothing(void **state)
{
	static const char *const one[] = { "1", "" };
	struct vgpu_threads *threads;
	char message[128];

	(void)state;
	for (uint32_t n = 0; n < sizeof(one) / sizeof(one[0]); n++) {
		setenv("VGPU_THREADS", one[n], 1);
		assert_int_equal(vgpu_threads_create(&threads, message, sizeof(message)), 0);
		assert_null(threads);
	}
}

static void each_once_and_in_order(void **state)
{
	(void)state;
	batches("2", 3000);
	batches("3", 3000);
	batches("16", 300);
}

static void what_is_refused(void **state)
{
	static const char *const wrong[] = { "0", "65", "-1", "two", "2x", " 2", "+2" };
	struct vgpu_threads *threads;
	char message[128];

	(void)state;
	for (uint32_t n = 0; n < sizeof(wrong) / sizeof(wrong[0]); n++) {
		setenv("VGPU_THREADS", wrong[n], 1);
		assert_int_equal(vgpu_threads_create(&threads, message, sizeof(message)), -EINVAL);
		assert_non_null(strstr(message, "it must be a number from 1 to 64"));
		assert_null(threads);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_needs_nothing),
		cmocka_unit_test(each_once_and_in_order),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
