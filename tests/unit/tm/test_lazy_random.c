// SPDX-License-Identifier: MIT
/*
 * WarpTM with whole warps, which the explorer does not have: 6 warps of 4 lanes and 3 partitions
 * do what they do in a random order, until 3000 commit ids have been taken. Each value is written
 * once. What committed lanes have read has to be what memory has when all are executed in the
 * order (commit id, lane); what a silent warp has read, what it has between two of these.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memsys/tm/lazy/commit_order.h"
#include "memsys/tm/lazy/core.h"
#include "memsys/tm/lazy/tcd.h"
#include "sim/random.h"

#define WARPS		6u
#define LANES		4u
#define PARTITIONS	3u
#define WORDS		24u
#define EACH		2u	/* words that a lane reads, and writes at most */
#define CIDS		3000u
#define ALL		(LANES * EACH)

/** struct lane - a transaction: words, and their values */
struct lane {
	u32 read[EACH];
	u32 seen[EACH];
	u32 write[EACH];
	u32 value[EACH];
	u32 writes;
	struct vgpu_tcd_reads reads;
};

/**
 * struct warp - @loads: that have been made; @takes_part: lanes that have no conflict inside it
 * @logs, @decisions: partitions to which one is on its way; @has_log: that have some of its log
 * @ends: it has committed, or not; its empty logs may still be on their way
 */
struct warp {
	struct lane lanes[LANES];
	struct vgpu_wtm_commit commit;
	u32 loads;
	u32 takes_part;
	u32 logs;
	u32 decisions;
	u32 has_log;
	bool ends;
};

/** struct record - of a commit id: @lanes of it have committed; or of a silent warp */
struct record {
	struct lane lane[LANES];
	u32 lanes;
};

static struct vgpu_wtm wtm;
static struct vgpu_wtm_unit *units[PARTITIONS];
static struct warp warps[WARPS];
static struct record records[CIDS + 1], silent[CIDS];
static struct vgpu_random dice;
static u32 memory[WORDS], cids, silents, values;
static u64 now;

static u32 draw(u32 below)
{
	return (u32)((vgpu_random_next(&dice) >> 32) * below >> 32);
}

static u64 address_of(u32 word)
{
	return word * (u64)VGPU_WTM_WORD_BYTES;
}

/* ---- warps ---------------------------------------------------------------------- */

static void begin_warp(struct warp *warp)
{
	bool stores = draw(4) > 0;

	memset(warp, 0, sizeof(*warp));
	for (u32 n = 0; n < LANES; n++) {
		struct lane *lane = &warp->lanes[n];
		u32 first = draw(WORDS);

		lane->writes = stores ? draw(EACH + 1) : 0;
		for (u32 k = 0; k < EACH; k++) {
			lane->read[k] = (first + k * 2) % WORDS;
			lane->write[k] = (first + draw(2) + k * 2) % WORDS;
			lane->value[k] = ++values;
		}
	}
}

static bool has_word(const u32 *words, u32 count, u32 word)
{
	for (u32 n = 0; n < count; n++)
		if (words[n] == word)
			return true;
	return false;
}

static bool conflicts(const struct lane *a, const struct lane *b)
{
	for (u32 n = 0; n < a->writes; n++)
		if (has_word(b->read, EACH, a->write[n]) ||
		    has_word(b->write, b->writes, a->write[n]))
			return true;
	for (u32 n = 0; n < b->writes; n++)
		if (has_word(a->read, EACH, b->write[n]))
			return true;
	return false;
}

/* Of lanes that conflict the first one takes part. */
static void resolve(struct warp *warp)
{
	for (u32 n = 0; n < LANES; n++) {
		bool free = true;

		for (u32 before = 0; before < n; before++)
			free &= !(warp->takes_part >> before & 1) ||
				!conflicts(&warp->lanes[before], &warp->lanes[n]);
		warp->takes_part |= (u32)free << n;
	}
}

static void add_read(struct vgpu_wtm_word *words, u16 *reads, u64 address, u32 value, u32 lanes)
{
	for (u32 n = 0; n < *reads; n++) {
		if (words[n].address != address || words[n].value != value)
			continue;
		words[n].lanes |= lanes;
		return;
	}
	words[(*reads)++] = (struct vgpu_wtm_word){ address, value, lanes };
}

/* The merged log, of what is at @partition; how many words */
static u32 merge(const struct warp *warp, u32 partition, struct vgpu_wtm_log *log,
		 struct vgpu_wtm_word *words)
{
	for (u32 n = 0; n < ALL; n++) {
		const struct lane *lane = &warp->lanes[n / EACH];
		u32 word = lane->read[n % EACH];

		if (warp->takes_part >> n / EACH & 1 && word % PARTITIONS == partition)
			add_read(words, &log->reads, address_of(word), lane->seen[n % EACH],
				 1u << n / EACH);
	}
	for (u32 n = 0; n < ALL; n++) {
		const struct lane *lane = &warp->lanes[n / EACH];
		u32 word = lane->write[n % EACH];

		if (warp->takes_part >> n / EACH & 1 && n % EACH < lane->writes &&
		    word % PARTITIONS == partition)
			words[log->reads + log->writes++] = (struct vgpu_wtm_word){
				address_of(word), lane->value[n % EACH], 1u << n / EACH,
			};
	}
	return (u32)log->reads + log->writes;
}

static bool is_silent(const struct warp *warp)
{
	bool is = true;

	for (u32 n = 0; n < LANES; n++)
		is &= !warp->lanes[n].writes &&
		      vgpu_tcd_is_silent(&wtm, &warp->lanes[n].reads);
	return is;
}

static void keep_record(struct record *record, const struct warp *warp, u32 lanes)
{
	record->lanes = lanes;
	memcpy(record->lane, warp->lanes, sizeof(record->lane));
}

static void begin_commit(struct warp *warp)
{
	u32 partitions = 0;

	resolve(warp);
	if (is_silent(warp)) {
		/* lanes may have started at different times */
		for (u32 n = 0; n < LANES && silents < CIDS; n++)
			keep_record(&silent[silents++], warp, 1u << n);
		begin_warp(warp);
		return;
	}
	for (u32 n = 0; n < PARTITIONS; n++) {
		struct vgpu_wtm_word words[2 * ALL];
		struct vgpu_wtm_log log = { 0 };

		if (merge(warp, n, &log, words)) {
			warp->has_log |= 1u << n;
			partitions++;
		}
	}
	warp->logs = (1u << PARTITIONS) - 1;
	vgpu_wtm_commit_begin(&warp->commit, ++cids, warp->takes_part, partitions);
}

static void move_warp(struct warp *warp)
{
	struct lane *lane = &warp->lanes[warp->loads % LANES];
	u32 word = lane->read[warp->loads / LANES % EACH];

	if (warp->commit.cid)
		return;
	if (warp->loads == ALL) {
		if (cids < CIDS)
			begin_commit(warp);
		return;
	}
	vgpu_tcd_start(&wtm, &lane->reads, now);
	lane->seen[warp->loads / LANES] = memory[word];
	vgpu_tcd_answer(&lane->reads, vgpu_tcd_load(&wtm, units[word % PARTITIONS],
						    address_of(word)));
	warp->loads++;
}

/* ---- partitions -------------------------------------------------------------------- */

/* It begins again, when nothing of it is on its way. */
static void end_commit(struct warp *warp)
{
	if (!warp->ends || warp->logs || warp->decisions)
		return;
	keep_record(&records[warp->commit.cid], warp, vgpu_wtm_commit_lanes(&warp->commit));
	begin_warp(warp);
}

static void deliver_log(struct warp *warp, u32 partition)
{
	struct vgpu_wtm_log log = {
		.cid = warp->commit.cid, .lanes = warp->takes_part, .core = (u16)(warp - warps),
	};
	struct vgpu_wtm_word words[2 * ALL];

	if (!(warp->logs >> partition & 1))
		return;
	merge(warp, partition, &log, words);
	if (vgpu_wtm_log(&wtm, units[partition], &log, words))
		warp->logs &= ~(1u << partition);
	end_commit(warp);
}

static void deliver_verdict(const struct vgpu_wtm_verdict *verdict)
{
	struct warp *warp = &warps[verdict->core];

	assert_int_equal(warp->commit.cid, verdict->cid);
	if (vgpu_wtm_commit_verdict(&warp->commit, verdict))
		warp->decisions = warp->has_log;
}

static void deliver_decision(struct warp *warp, u32 partition)
{
	u32 lanes = vgpu_wtm_commit_lanes(&warp->commit);

	if (!(warp->decisions >> partition & 1))
		return;
	warp->decisions &= ~(1u << partition);
	vgpu_wtm_decide(&wtm, units[partition], warp->commit.cid, lanes);
	warp->ends |= !lanes;
	end_commit(warp);
}

static void compare_word(u32 partition)
{
	struct vgpu_wtm_verdict verdict;
	struct vgpu_wtm_read read;

	if (vgpu_wtm_next_read(&wtm, units[partition], &read) &&
	    vgpu_wtm_read(&wtm, units[partition], &read,
			  memory[read.address / VGPU_WTM_WORD_BYTES], &verdict))
		deliver_verdict(&verdict);
}

static void leave(u32 partition)
{
	struct vgpu_wtm_left left;
	struct warp *warp;

	if (!vgpu_wtm_leave(&wtm, units[partition], now, &left))
		return;
	warp = &warps[left.core];
	if (left.commits)
		memory[left.address / VGPU_WTM_WORD_BYTES] = left.value;
	warp->ends |= left.acks && vgpu_wtm_commit_ack(&warp->commit);
	end_commit(warp);
}

static void step(void)
{
	struct warp *warp = &warps[draw(WARPS)];
	struct vgpu_wtm_verdict verdict;
	u32 partition = draw(PARTITIONS), words;

	now += draw(2);
	switch (draw(7)) {
	case 0:
		move_warp(warp);
		break;
	case 1:
		deliver_log(warp, partition);
		break;
	case 2:
		vgpu_wtm_hazards(&wtm, units[partition], &words);
		break;
	case 3:
		compare_word(partition);
		break;
	case 4:
		if (vgpu_wtm_verdict(&wtm, units[partition], &verdict))
			deliver_verdict(&verdict);
		break;
	case 5:
		deliver_decision(warp, partition);
		break;
	case 6:
		leave(partition);
	}
}

/* ---- the order ------------------------------------------------------------------------ */

static bool reads_match(const struct lane *lane, const u32 *values_then)
{
	for (u32 n = 0; n < EACH; n++)
		if (lane->seen[n] != values_then[lane->read[n]])
			return false;
	return true;
}

static void match_silent(const u32 *values_then)
{
	for (u32 n = 0; n < silents; n++)
		for (u32 lane = 0; lane < LANES; lane++)
			if (silent[n].lanes >> lane & 1 &&
			    reads_match(&silent[n].lane[lane], values_then))
				silent[n].lanes = 0;
}

/* How many lanes have committed */
static u32 check_order(void)
{
	u32 then[WORDS] = { 0 }, committed = 0;

	match_silent(then);
	for (u32 n = 0; n < cids * LANES; n++) {
		const struct record *record = &records[1 + n / LANES];
		const struct lane *lane = &record->lane[n % LANES];

		if (!(record->lanes >> n % LANES & 1))
			continue;
		if (!reads_match(lane, then))
			fail_msg("lane %u of %u has read something else", n % LANES,
				 1 + n / LANES);
		for (u32 k = 0; k < lane->writes; k++)
			then[lane->write[k]] = lane->value[k];
		committed++;
		match_silent(then);
	}
	assert_memory_equal(then, memory, sizeof(then));
	for (u32 n = 0; n < silents; n++)
		if (silent[n].lanes)
			fail_msg("silent warp %u has read what never was there", n);
	return committed;
}

static bool has_ended(void)
{
	for (u32 n = 0; n < PARTITIONS; n++)
		if (units[n]->left != CIDS)
			return false;
	return true;
}

static u32 run_all(const struct vgpu_wtm_setup *setup, u64 seed)
{
	u32 committed, most = 0;

	assert_null(vgpu_wtm_check(setup));
	vgpu_wtm_init(&wtm, setup);
	vgpu_random_seed(&dice, seed);
	cids = silents = values = 0;
	now = 0;
	memset(memory, 0, sizeof(memory));
	memset(records, 0, sizeof(records));
	for (u32 n = 0; n < PARTITIONS; n++)
		units[n] = calloc(1, wtm.bytes);
	for (u32 n = 0; n < WARPS; n++)
		begin_warp(&warps[n]);
	while (!has_ended() && ++most < 20 * 1000 * 1000)
		step();
	assert_true(has_ended());
	committed = check_order();
	for (u32 n = 0; n < PARTITIONS; n++) {
		assert_int_equal(units[n]->used, 0);
		free(units[n]);
	}
	return committed;
}

static void whole_warps_are_serialisable(void **state)
{
	struct vgpu_wtm_setup setup = vgpu_wtm_getm;
	u32 committed;

	(void)state;
	/* each word has a time of its own: many are silent */
	setup.tcd_bytes = VGPU_WTM_WORD_BYTES;
	committed = run_all(&setup, 1);
	assert_true(committed > CIDS);
	assert_true(committed < CIDS * LANES);
	assert_true(silents > 100);
}

/* 2 commit ids, one log, one line of the last-writer history and a filter of 4 rows */
static void they_are_so_in_small_tables(void **state)
{
	struct vgpu_wtm_setup setup = vgpu_wtm_getm;

	(void)state;
	setup.entries = 2;
	setup.log_words = 2 * ALL;
	setup.words = 2 * ALL;
	setup.lwhr_ways = 1;
	setup.lwhr_sets = 1;
	setup.filter_rows = 4;
	for (u64 seed = 2; seed < 5; seed++)
		assert_true(run_all(&setup, seed) > CIDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_warps_are_serialisable),
		cmocka_unit_test(they_are_so_in_small_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
