// SPDX-License-Identifier: MIT
/*
 * The tables of the validation unit: H3 hashes, the recency Bloom filter, the cuckoo table with its
 * stash and overflow area; by hand, and at random against a plain array.
 */
#include "memsys/tm/approximate.h"
#include "memsys/tm/h3.h"
#include "rig.h"
#include "sim/random.h"

/* ---- hashes ----------------------------------------------------------------- */

static void a_hash_is_linear_and_that_of_its_seed(void **state)
{
	static u32 h3[2 * VGPU_TM_WAYS][64], same[2 * VGPU_TM_WAYS][64],
		other[2 * VGPU_TM_WAYS][64];
	struct vgpu_random random;

	(void)state;
	vgpu_tm_h3_fill(h3, 7);
	vgpu_tm_h3_fill(same, 7);
	vgpu_tm_h3_fill(other, 8);
	assert_memory_equal(h3, same, sizeof(h3));
	assert_memory_not_equal(h3, other, sizeof(h3));
	vgpu_random_seed(&random, 1);
	for (u32 n = 0; n < 1000; n++) {
		u64 a = vgpu_random_next(&random), b = vgpu_random_next(&random);
		const u32 *matrix = h3[n % (2 * VGPU_TM_WAYS)];

		assert_int_equal(vgpu_tm_h3(matrix, a ^ b),
				 vgpu_tm_h3(matrix, a) ^ vgpu_tm_h3(matrix, b));
		assert_int_equal(vgpu_tm_h3(matrix, 1ull << n % 64), matrix[n % 64]);
	}
	assert_int_equal(vgpu_tm_h3(h3[0], 0), 0);
}

/* Each row of each way gets about as many of the first granules as another. */
static void hashes_spread_granules(void **state)
{
	static struct vgpu_tm tm;
	const u32 rows = vgpu_tm_getm.precise_rows, each = 256;

	(void)state;
	vgpu_tm_init(&tm, &vgpu_tm_getm);
	for (u32 way = 0; way < VGPU_TM_WAYS; way++) {
		u32 *count = calloc(rows, sizeof(*count));

		for (u64 granule = 0; granule < (u64)rows * each; granule++)
			count[vgpu_tm_precise_row(&tm, way, granule)]++;
		for (u32 row = 0; row < rows; row++)
			assert_in_range(count[row], each / 2, each * 2);
		free(count);
	}
}

/* ---- the recency Bloom filter -------------------------------------------------- */

static struct vgpu_tm_setup filter(u32 ways, u32 rows)
{
	struct vgpu_tm_setup setup = vgpu_tm_getm;

	setup.approximate_ways = ways;
	setup.approximate_rows = rows;
	return setup;
}

static bool share_row(const struct rig *rig, u32 way, u64 a, u64 b)
{
	return vgpu_tm_approximate_row(&rig->tm, way, a) ==
	       vgpu_tm_approximate_row(&rig->tm, way, b);
}

/* The first granule from 1 on that shares a row with @granule in way @way, but not in the other */
static u64 sharer(const struct rig *rig, u32 way, u64 granule)
{
	u64 other = 1;

	while (other == granule || !share_row(rig, way, other, granule) ||
	       share_row(rig, !way, other, granule))
		other++;
	return other;
}

static void the_filter_finds_the_earliest_of_its_ways(void **state)
{
	const struct vgpu_tm_setup setup = filter(2, 8);
	const u64 granule = 1000;
	struct rig rig;
	u64 wts, rts, first, second;

	(void)state;
	rig_open(&rig, &setup);
	first = sharer(&rig, 0, granule);
	second = sharer(&rig, 1, granule);
	vgpu_tm_approximate_find(&rig.tm, rig.unit, granule, &wts, &rts);
	assert_true(!wts && !rts);
	/* one way of it has been touched: the other still knows */
	vgpu_tm_approximate_insert(&rig.tm, rig.unit, first, 5, 9);
	vgpu_tm_approximate_find(&rig.tm, rig.unit, granule, &wts, &rts);
	assert_true(!wts && !rts);
	/* both: of each timestamp the earlier one, whichever way it is in */
	vgpu_tm_approximate_insert(&rig.tm, rig.unit, second, 8, 3);
	vgpu_tm_approximate_find(&rig.tm, rig.unit, granule, &wts, &rts);
	assert_int_equal(wts, 5);
	assert_int_equal(rts, 3);
	/* its own: only what is later enters a way */
	vgpu_tm_approximate_insert(&rig.tm, rig.unit, granule, 6, 4);
	vgpu_tm_approximate_find(&rig.tm, rig.unit, granule, &wts, &rts);
	assert_int_equal(wts, 6);
	assert_int_equal(rts, 4);
	vgpu_tm_approximate_insert(&rig.tm, rig.unit, granule, 2, 1);
	vgpu_tm_approximate_find(&rig.tm, rig.unit, granule, &wts, &rts);
	assert_int_equal(wts, 6);
	assert_int_equal(rts, 4);
	rig_close(&rig);
}

/* Below what was inserted it never is; with room it seldom is above, and with 4 ways less often. */
static u32 count_exact(u32 ways, u32 rows)
{
	const struct vgpu_tm_setup setup = filter(ways, rows);
	static u64 last[256][2];
	struct vgpu_random random;
	u32 exact = 0;
	struct rig rig;
	u64 wts, rts;

	memset(last, 0, sizeof(last));
	rig_open(&rig, &setup);
	vgpu_random_seed(&random, 3);
	for (u64 n = 1; n < 4000; n++) {
		u64 granule = vgpu_random_next(&random) >> 56;

		wts = vgpu_random_next(&random) % (n * 4);
		rts = vgpu_random_next(&random) % (n * 4);
		vgpu_tm_approximate_insert(&rig.tm, rig.unit, granule, wts, rts);
		last[granule][0] = vgpu_tm_later(last[granule][0], wts);
		last[granule][1] = vgpu_tm_later(last[granule][1], rts);
	}
	for (u64 granule = 0; granule < 256; granule++) {
		vgpu_tm_approximate_find(&rig.tm, rig.unit, granule, &wts, &rts);
		assert_true(wts >= last[granule][0] && rts >= last[granule][1]);
		exact += wts == last[granule][0] && rts == last[granule][1];
	}
	rig_close(&rig);
	return exact;
}

static void the_filter_never_finds_less(void **state)
{
	u32 one_register, four_small, four_large;

	(void)state;
	one_register = count_exact(1, 1);
	four_small = count_exact(4, 64);
	four_large = count_exact(4, 1024);
	assert_in_range(one_register, 0, 1);
	assert_true(four_small > one_register);
	assert_true(four_large > four_small);
	assert_true(four_large > 240);
}

/* ---- the cuckoo table ------------------------------------------------------------- */

static struct vgpu_tm_setup cuckoo(u32 ways, u32 rows, u32 percent)
{
	struct vgpu_tm_setup setup = vgpu_tm_getm;

	setup.precise_ways = ways;
	setup.precise_rows = rows;
	setup.evict_percent = percent;
	setup.stash = 2;
	setup.overflow = 3;
	setup.probes = 8;
	return setup;
}

/* Insert what has not been there; its stamps are such that it can be known. */
static bool put(struct rig *rig, u64 granule, u32 writes, struct vgpu_tm_cost *cost)
{
	const struct vgpu_tm_entry entry = {
		.tag = granule + 1, .wts = granule * 10, .rts = granule * 10 + 1, .writes = writes,
	};

	memset(cost, 0, sizeof(*cost));
	assert_null(vgpu_tm_precise_find(&rig->tm, rig->unit, granule, cost));
	return vgpu_tm_precise_insert(&rig->tm, rig->unit, &entry, cost);
}

static bool is_there(struct rig *rig, u64 granule)
{
	struct vgpu_tm_cost cost = { 0 };
	const struct vgpu_tm_entry *entry;

	entry = vgpu_tm_precise_find(&rig->tm, rig->unit, granule, &cost);
	if (entry)
		assert_true(entry->wts == granule * 10 && entry->rts == granule * 10 + 1);
	return entry;
}

/* The first granule after @granule whose rows in two ways are these */
static u64 with_rows(const struct rig *rig, u64 granule, u32 first, u32 second)
{
	do
		granule++;
	while (vgpu_tm_precise_row(&rig->tm, 0, granule) != first ||
	       vgpu_tm_precise_row(&rig->tm, 1, granule) != second);
	return granule;
}

static const struct vgpu_tm_entry *slot(struct rig *rig, u32 way, u32 row)
{
	return &vgpu_tm_ways(&rig->tm, rig->unit)[way * rig->tm.setup.precise_rows + row];
}

/*
 * Two ways of two rows, never full: p is in way 0, x, whose place there p has, in way 1. y has
 * the same two places. It takes that of x, x that of p, and p goes to its other one.
 */
static void an_insertion_displaces(void **state)
{
	const struct vgpu_tm_setup setup = cuckoo(2, 2, 100);
	struct vgpu_tm_cost cost;
	u64 p, x, y;
	struct rig rig;

	(void)state;
	rig_open(&rig, &setup);
	p = with_rows(&rig, 0, 0, 1);
	x = with_rows(&rig, 0, 0, 0);
	y = with_rows(&rig, x, 0, 0);
	assert_true(put(&rig, p, 1, &cost));
	assert_int_equal(cost.tables, 1);
	assert_int_equal(slot(&rig, 0, 0)->tag, p + 1);
	assert_true(put(&rig, x, 0, &cost));
	assert_int_equal(cost.tables, 1);
	assert_int_equal(slot(&rig, 1, 0)->tag, x + 1);
	assert_true(put(&rig, y, 0, &cost));
	assert_int_equal(cost.tables, 3);
	assert_int_equal(slot(&rig, 1, 0)->tag, y + 1);
	assert_int_equal(slot(&rig, 0, 0)->tag, x + 1);
	assert_int_equal(slot(&rig, 1, 1)->tag, p + 1);
	assert_int_equal(rig.unit->used, 3);
	assert_true(is_there(&rig, p) && is_there(&rig, x) && is_there(&rig, y));
	rig_close(&rig);
}

/* The same with a table that counts as full from the beginning: x is not locked, and goes. */
static void an_insertion_evicts_what_is_not_locked(void **state)
{
	const struct vgpu_tm_setup setup = cuckoo(2, 2, 0);
	struct vgpu_tm_cost cost;
	u64 p, x, y, wts, rts;
	struct rig rig;

	(void)state;
	rig_open(&rig, &setup);
	p = with_rows(&rig, 0, 0, 1);
	x = with_rows(&rig, 0, 0, 0);
	y = with_rows(&rig, x, 0, 0);
	put(&rig, p, 1, &cost);
	put(&rig, x, 0, &cost);
	assert_true(put(&rig, y, 1, &cost));
	assert_int_equal(cost.tables, 1);
	assert_int_equal(slot(&rig, 0, 0)->tag, p + 1);
	assert_int_equal(slot(&rig, 1, 0)->tag, y + 1);
	assert_int_equal(rig.unit->used, 2);
	assert_false(is_there(&rig, x));
	vgpu_tm_approximate_find(&rig.tm, rig.unit, x, &wts, &rts);
	assert_int_equal(wts, x * 10);
	assert_int_equal(rts, x * 10 + 1);
	rig_close(&rig);
}

/*
 * Four places, two of the stash, three of the overflow area, all for locked entries: nine have
 * room, the tenth has not. One that is not locked is only approximate then.
 */
static void chains_end_in_stash_and_overflow(void **state)
{
	const struct vgpu_tm_setup setup = cuckoo(4, 1, 0);
	struct vgpu_tm_cost cost;
	struct rig rig;
	u64 wts, rts;

	(void)state;
	rig_open(&rig, &setup);
	for (u64 granule = 1; granule <= 9; granule++) {
		assert_true(put(&rig, granule, 1, &cost));
		assert_int_equal(cost.tables, granule <= 4 ? 1 : 1 + setup.probes);
		assert_int_equal(rig.unit->used, granule < 4 ? granule : 4);
		assert_int_equal(rig.unit->overflowed, granule <= 6 ? 0 : granule - 6);
		/* those looked at before, and the one written */
		assert_int_equal(cost.overflow, granule <= 6 ? 0 : granule - 7 + 1);
		assert_int_equal(vgpu_tm_locks(&rig.tm, rig.unit), granule);
	}
	assert_false(put(&rig, 10, 1, &cost));
	assert_true(put(&rig, 11, 0, &cost));
	assert_false(is_there(&rig, 11));
	vgpu_tm_approximate_find(&rig.tm, rig.unit, 11, &wts, &rts);
	assert_true(wts == 110 && rts == 111);
	for (u64 granule = 1; granule <= 9; granule++)
		assert_true(is_there(&rig, granule));
	assert_int_equal(vgpu_tm_locks(&rig.tm, rig.unit), 9);
	rig_close(&rig);
}

/*
 * All places of a newcomer that is not locked have locked entries. The one that it displaces does
 * not evict it again, but goes to the next way; the one that was there does.
 */
static void a_chain_may_evict_the_newcomer(void **state)
{
	const struct vgpu_tm_setup setup = cuckoo(4, 1, 0);
	struct vgpu_tm_cost cost;
	struct rig rig;
	u64 wts, rts;

	(void)state;
	rig_open(&rig, &setup);
	for (u64 granule = 1; granule <= 4; granule++)
		put(&rig, granule, 1, &cost);
	assert_true(put(&rig, 5, 0, &cost));
	assert_int_equal(cost.tables, 1 + 2);
	for (u64 granule = 1; granule <= 4; granule++)
		assert_true(is_there(&rig, granule));
	assert_false(is_there(&rig, 5));
	vgpu_tm_approximate_find(&rig.tm, rig.unit, 5, &wts, &rts);
	assert_true(wts == 50 && rts == 51);
	assert_int_equal(vgpu_tm_locks(&rig.tm, rig.unit), 4);
	rig_close(&rig);
}

/* An entry leaves the overflow area when it is unlocked, one of the stash when others need it. */
static void unlocked_entries_make_room(void **state)
{
	const struct vgpu_tm_setup setup = cuckoo(4, 1, 0);
	struct vgpu_tm_entry *in_stash, *in_overflow;
	struct vgpu_tm_cost cost;
	u64 stashed, overflowed, wts, rts;
	struct rig rig;

	(void)state;
	rig_open(&rig, &setup);
	for (u64 granule = 1; granule <= 9; granule++)
		put(&rig, granule, 1, &cost);
	in_overflow = vgpu_tm_overflow(&rig.tm, rig.unit);
	overflowed = in_overflow->tag - 1;
	in_overflow->writes = 0;
	vgpu_tm_precise_unlocked(&rig.tm, rig.unit, in_overflow, &cost);
	assert_int_equal(rig.unit->overflowed, 2);
	assert_false(is_there(&rig, overflowed));
	vgpu_tm_approximate_find(&rig.tm, rig.unit, overflowed, &wts, &rts);
	assert_true(wts == overflowed * 10 && rts == overflowed * 10 + 1);
	in_stash = vgpu_tm_stash(&rig.tm, rig.unit) + 1;
	stashed = in_stash->tag - 1;
	in_stash->writes = 0;
	vgpu_tm_precise_unlocked(&rig.tm, rig.unit, in_stash, &cost);
	assert_true(is_there(&rig, stashed));
	assert_true(put(&rig, 10, 1, &cost));
	assert_false(is_there(&rig, stashed));
	assert_true(is_there(&rig, 10));
	assert_int_equal(rig.unit->overflowed, 2);
	assert_int_equal(vgpu_tm_locks(&rig.tm, rig.unit), 8);
	rig_close(&rig);
}

/* ---- all of it, against an array -------------------------------------------------- */

#define GRANULES	200u

struct plain {
	u64 wts;
	u64 rts;
	u32 writes;
	u32 owner;
	u64 ts;
};

/* Locked granules are exact, others not below. */
static void compare(struct rig *rig, const struct plain *plain, u64 granule)
{
	struct vgpu_tm_cost cost = { 0 };
	const struct vgpu_tm_entry *entry;
	u64 wts, rts;

	entry = vgpu_tm_precise_find(&rig->tm, rig->unit, granule, &cost);
	if (entry) {
		assert_int_equal(entry->writes, plain->writes);
		assert_true(entry->wts >= plain->wts && entry->rts >= plain->rts);
		return;
	}
	assert_int_equal(plain->writes, 0);
	vgpu_tm_approximate_find(&rig->tm, rig->unit, granule, &wts, &rts);
	assert_true(wts >= plain->wts && rts >= plain->rts);
}

static void access_plain(struct rig *rig, struct plain *plain, u64 granule, u64 ts, u32 wid,
			 bool stores)
{
	u64 stamp = vgpu_tm_stamp(&rig->tm, ts, wid);
	enum vgpu_tm_result result = rig_access(rig, wid, ts, stores, granule);
	bool own = plain->writes && plain->owner == wid && plain->ts == ts;

	assert_true(result == VGPU_TM_SUCCESS || result == VGPU_TM_ABORT);
	/* the exact rule allows at least what the tables allow */
	if (result == VGPU_TM_ABORT)
		return;
	assert_true(own || (!plain->writes && stamp >= plain->wts &&
			    (!stores || stamp >= plain->rts)));
	if (!stores) {
		plain->rts = vgpu_tm_later(plain->rts, stamp);
		return;
	}
	plain->wts = vgpu_tm_successor(&rig->tm, stamp);
	plain->owner = wid;
	plain->ts = ts;
	plain->writes++;
}

static void run_at_random(u32 ways, u32 rows, u32 percent, u64 seed)
{
	static struct plain plain[GRANULES];
	struct vgpu_tm_setup setup = cuckoo(ways, rows, percent);
	struct vgpu_random random;
	struct rig rig;
	u32 locks = 0;

	memset(plain, 0, sizeof(plain));
	setup.overflow = GRANULES;
	setup.approximate_rows = 16;
	rig_open(&rig, &setup);
	vgpu_random_seed(&random, seed);
	for (u64 n = 0; n < 20000; n++) {
		u64 granule = (vgpu_random_next(&random) >> 32) % GRANULES;
		struct plain *of = &plain[granule];
		u32 what = (u32)(vgpu_random_next(&random) >> 62);

		if (what == 3 && of->writes) {
			rig_log(&rig, granule, of->writes, n & 1);
			of->writes = 0;
		} else if (of->writes) {
			access_plain(&rig, of, granule, of->ts, of->owner, what & 1);
		} else {
			access_plain(&rig, of, granule, n / 4 + what * 2, n & 7, what & 1);
		}
		compare(&rig, of, granule);
	}
	for (u64 granule = 0; granule < GRANULES; granule++) {
		compare(&rig, &plain[granule], granule);
		locks += !!plain[granule].writes;
	}
	assert_int_equal(vgpu_tm_locks(&rig.tm, rig.unit), locks);
	assert_true(locks > 10);
	rig_close(&rig);
}

static void tables_agree_with_an_array(void **state)
{
	(void)state;
	run_at_random(1, 1, 0, 1);
	run_at_random(4, 1, 0, 2);
	run_at_random(4, 8, 70, 3);
	run_at_random(4, 32, 70, 4);
	run_at_random(3, 21, 100, 5);
	run_at_random(4, 170, 70, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hash_is_linear_and_that_of_its_seed),
		cmocka_unit_test(hashes_spread_granules),
		cmocka_unit_test(the_filter_finds_the_earliest_of_its_ways),
		cmocka_unit_test(the_filter_never_finds_less),
		cmocka_unit_test(an_insertion_displaces),
		cmocka_unit_test(an_insertion_evicts_what_is_not_locked),
		cmocka_unit_test(chains_end_in_stash_and_overflow),
		cmocka_unit_test(a_chain_may_evict_the_newcomer),
		cmocka_unit_test(unlocked_entries_make_room),
		cmocka_unit_test(tables_agree_with_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
