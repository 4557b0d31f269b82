// SPDX-License-Identifier: MIT
/*
 * Threads that execute what a device may do on several processors (transport/threads.h): each index
 * once, the ends in order, and whoever has its turn is alone, or has the lock.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "transport/busy.h"
#include "transport/processors.h"
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
	assert_int_equal(vgpu_threads_create(&threads, 80, message, sizeof(message)), 0);
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
	struct vgpu_threads *threads;
	char message[128];

	(void)state;
	setenv("VGPU_THREADS", "1", 1);
	assert_int_equal(vgpu_threads_create(&threads, 80, message, sizeof(message)), 0);
	assert_null(threads);
	/* nobody to share the only SM with */
	unsetenv("VGPU_THREADS");
	assert_int_equal(vgpu_threads_create(&threads, 1, message, sizeof(message)), 0);
	assert_null(threads);
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
		assert_int_equal(vgpu_threads_create(&threads, 80, message, sizeof(message)),
				 -EINVAL);
		assert_non_null(strstr(message, "it must be a number from 1 to 64"));
		assert_null(threads);
	}
}

/* Not set: as many as there are processors and SMs, when they are started. */
static void as_many_as_processors(void **state)
{
	static const char *const unset[] = { NULL, "" };
	struct vgpu_threads *threads;
	cpu_set_t all, one;
	char message[128];

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (int n = 0; n < CPU_SETSIZE && !CPU_COUNT(&one); n++)
		if (CPU_ISSET(n, &all))
			CPU_SET(n, &one);
	if (vgpu_processors() < 2)
		skip();
	for (uint32_t n = 0; n < sizeof(unset) / sizeof(unset[0]); n++) {
		uint32_t sms = n ? 2 : 1024, expected = vgpu_processors();

		unsetenv("VGPU_THREADS");
		if (unset[n])
			setenv("VGPU_THREADS", unset[n], 1);
		expected = expected < sms ? expected : sms;
		expected = expected < 64 ? expected : 64;
		assert_int_equal(vgpu_threads_create(&threads, sms, message, sizeof(message)), 0);
		assert_non_null(threads);
		assert_true(vgpu_threads_automatic(threads));
		assert_int_equal(vgpu_threads_start(threads), expected);
		assert_false(vgpu_threads_automatic(threads));
		vgpu_threads_destroy(threads);
	}
	/* the affinity has changed since: nobody else to share with */
	assert_int_equal(vgpu_threads_create(&threads, 80, message, sizeof(message)), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(vgpu_processors(), 1);
	assert_int_equal(vgpu_threads_start(threads), 1);
	vgpu_threads_destroy(threads);
	assert_int_equal(vgpu_threads_create(&threads, 80, message, sizeof(message)), 0);
	assert_null(threads);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

static void write_file(const char *root, const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The quota of /a/b where its own is @b, that of /a @a and that of the root @top; NULL: no file */
static uint32_t quota(const char *b, const char *a, const char *top)
{
	char root[] = "/tmp/vgpu-groups-XXXXXX", command[128], groups[128], dir[128];
	uint32_t found;

	assert_non_null(mkdtemp(root));
	snprintf(dir, sizeof(dir), "%s/a", root);
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(dir, sizeof(dir), "%s/a/b", root);
	assert_int_equal(mkdir(dir, 0700), 0);
	write_file(root, "groups", "1:cpu:/of/version/1\n0::/a/b\n");
	if (b)
		write_file(root, "a/b/cpu.max", b);
	if (a)
		write_file(root, "a/cpu.max", a);
	if (top)
		write_file(root, "cpu.max", top);
	snprintf(groups, sizeof(groups), "%s/groups", root);
	found = vgpu_processors_quota(groups, root);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
	return found;
}

static void quotas_of_groups(void **state)
{
	(void)state;
	assert_int_equal(quota(NULL, NULL, NULL), UINT32_MAX);
	assert_int_equal(quota("max 100000\n", "max 100000\n", NULL), UINT32_MAX);
	assert_int_equal(quota("200000 100000\n", "max 100000\n", NULL), 2);
	/* what is not a whole one is none, but there is always one */
	assert_int_equal(quota("399999 100000\n", NULL, NULL), 3);
	assert_int_equal(quota("5000 100000\n", NULL, NULL), 1);
	/* the least, wherever it is */
	assert_int_equal(quota("800000 100000\n", "150000 50000\n", NULL), 3);
	assert_int_equal(quota("200000 100000\n", "800000 100000\n", NULL), 2);
	/* in a container the groups above are not to be seen, and the root has one */
	assert_int_equal(quota(NULL, NULL, "400000 100000\n"), 4);
	assert_int_equal(quota("nonsense\n", "1 0\n", ""), UINT32_MAX);
	assert_int_equal(vgpu_processors_quota("/nonexistent", "/nonexistent"), UINT32_MAX);
}

/*
 * The device is run every 5 us, for @ns, and threads are given something each time if @used. Is the
 * last time with several?
 */
static bool period(struct vgpu_busy *busy, int64_t *now, int64_t ns, uint64_t *batches, bool used)
{
	bool several = false;

	for (int64_t end = *now + ns; *now <= end; *now += 5000) {
		*batches += used && several;
		several = busy->several ? vgpu_busy_count(busy, *batches) :
					  vgpu_busy_run(busy, *now);
	}
	vgpu_busy_pause(busy);
	*now += 1000000;
	return several;
}

static void several_when_busy(void **state)
{
	struct vgpu_busy busy = {};
	uint64_t batches = 0;
	int64_t now = 12345;

	(void)state;
	/* short ones and pauses, however many */
	for (uint32_t n = 0; n < 1000; n++)
		assert_false(period(&busy, &now, 95000, &batches, true));
	assert_true(period(&busy, &now, 100000, &batches, true));
	/* as long as there is something for them now and then, however short it is */
	for (uint32_t n = 0; n < 10; n++) {
		assert_true(period(&busy, &now, 5000, &batches, true));
		for (uint32_t run = 2; run < VGPU_UNUSED; run++)
			assert_true(period(&busy, &now, 0, &batches, false));
	}
	/* twice as long with every time that they had nothing to do */
	for (uint32_t n = 0, most = 2 * VGPU_DOUBT; n < most; n++) {
		for (uint32_t run = 0; busy.several && run < VGPU_UNUSED; run++)
			period(&busy, &now, 0, &batches, false);
		assert_false(busy.several);
		assert_false(period(&busy, &now, (100000ll << (n < 9 ? n + 1 : 10)) - 5000,
				    &batches, false));
		assert_true(period(&busy, &now, 100000ll << (n < 9 ? n + 1 : 10), &batches, false));
	}
	/* and at once again when they have */
	assert_true(period(&busy, &now, 5000, &batches, true));
	for (uint32_t run = 0; busy.several; run++) {
		assert_in_range(run, 0, VGPU_UNUSED);
		period(&busy, &now, 0, &batches, false);
	}
	assert_false(period(&busy, &now, 195000, &batches, true));
	assert_true(period(&busy, &now, 200000, &batches, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_needs_nothing),
		cmocka_unit_test(each_once_and_in_order),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(as_many_as_processors),
		cmocka_unit_test(quotas_of_groups),
		cmocka_unit_test(several_when_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
