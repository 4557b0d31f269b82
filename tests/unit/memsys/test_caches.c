// SPDX-License-Identifier: MIT
/*
 * What caches keep, and until when: replacement, write-back, bytes under masks, cache operators,
 * and the frames that others than SMs touch.
 */
#include "mem_rig.h"

/* ---- replacement --------------------------------------------------------- */

/* Lines of one set of the L1: 64 sets */
#define SET_STRIDE	(64 * 128u)

static void the_l1_drops_what_was_used_longest_ago(void **state)
{
	static const u8 lines[] = { 0, 1, 2, 3, 0, 4, 0, 2, 3, 1 };
	/* 4 replaces 1, then 1 replaces 4: four ways */
	static const bool hits[] = { 0, 0, 0, 0, 1, 0, 1, 1, 1, 0 };
	struct rig *rig = rig_open("");

	(void)state;
	rig_scripts(rig);
	for (u32 n = 0; n < sizeof(lines); n++) {
		rig_op(rig, 0, 0, RIG_LOAD, 0x10000 + lines[n] * SET_STRIDE, 0);
		rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	}
	rig_go(rig);
	for (u32 n = 0; n < sizeof(lines); n++)
		assert_int_equal(rig->sms[0].warps[0].ops[2 * n].hit, hits[n]);
	rig_close(rig);
}

static void streaming_loads_go_first(void **state)
{
	struct rig *rig = rig_open("");
	struct rig_op *last;

	(void)state;
	rig_scripts(rig);
	for (u32 n = 0; n < 5; n++) {
		/* line 3 is the youngest of four, and goes */
		rig_op(rig, 0, 0, RIG_LOAD, 0x10000 + n * SET_STRIDE, 0)->cache =
			n == 3 ? VGPU_CACHE_CS : VGPU_CACHE_NONE;
		rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	}
	last = rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	assert_true(last->hit);
	rig_close(rig);
}

/* One partition, one set of two ways */
#define TINY_L2 "l2_partitions=1 l2_bytes=256 l2_ways=2 l1_bytes=0"

static void l2_writes_back_what_it_drops(void **state)
{
	struct rig *rig = rig_open(TINY_L2);

	(void)state;
	*rig_word(rig, 0x10000) = 1;
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_STORE, 0x10000, 5);
	rig_op(rig, 0, 0, RIG_STORE, 0x10040, 6);
	rig_op(rig, 0, 0, RIG_STORE, 0x11000, 7);
	rig_go(rig);
	/* both are in L2 only */
	assert_int_equal(*rig_word(rig, 0x10000), 1);
	assert_int_equal(*rig_word(rig, 0x11000), 0);
	assert_int_equal(rig_stats(rig).dram_written, 0);
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_LOAD, 0x12000, 0);
	rig_go(rig);
	/* the older one has gone: two sectors of 32 bytes, and no byte beside the two words */
	assert_int_equal(*rig_word(rig, 0x10000), 5);
	assert_int_equal(*rig_word(rig, 0x10040), 6);
	assert_int_equal(*rig_word(rig, 0x10004), 0);
	assert_int_equal(*rig_word(rig, 0x11000), 0);
	assert_int_equal(rig_stats(rig).dram_written, 64);
	/* a clean line goes without a trace */
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	rig_op(rig, 0, 0, RIG_LOAD, 0x13000, 0);
	rig_go(rig);
	assert_int_equal(rig->sms[0].warps[0].ops[0].result, 5);
	assert_int_equal(*rig_word(rig, 0x11000), 7);
	assert_int_equal(rig_stats(rig).dram_written, 96);
	rig_close(rig);
}

static void l2_keeps_bytes_that_were_stored(void **state)
{
	struct rig *rig = rig_open("l1_bytes=0");
	struct rig_op *stored, *other;

	(void)state;
	for (u32 n = 0; n < 32; n++)
		rig_word(rig, 0x10000)[n] = 100 + n;
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_STORE, 0x10008, 5);
	rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	stored = rig_op(rig, 0, 0, RIG_LOAD, 0x10008, 0);
	rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	other = rig_op(rig, 0, 0, RIG_LOAD, 0x1000c, 0);
	rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	rig_op(rig, 0, 0, RIG_LOAD, 0x10008, 0);
	rig_go(rig);
	/* what has been stored is there without a read; the next word is not */
	assert_int_equal(stored->result, 5);
	assert_int_equal(other->result, 103);
	assert_int_equal(rig->sms[0].warps[0].ops[6].result, 5);
	assert_int_equal(rig_stats(rig).l2_misses, 1);
	assert_int_equal(rig_stats(rig).dram_read, 128);
	/* 40 bytes back: a cycle at L2 */
	assert_int_equal(stored->done - stored->sent, 40 + 1 + 20 + 70 + 1 + 20);
	rig_close(rig);
}

/* A set whose lines are all being read has no place until the first has come. */
static void a_line_that_is_read_is_not_dropped(void **state)
{
	struct rig *rig = rig_open(TINY_L2);
	const struct rig_op *ops = NULL;

	(void)state;
	for (u32 n = 0; n < 4; n++)
		*rig_word(rig, 0x10000 + n * 0x1000) = 50 + n;
	rig_scripts(rig);
	for (u32 n = 0; n < 4; n++)
		rig_op(rig, 0, 0, RIG_LOAD, 0x10000 + n * 0x1000, 0);
	rig_go(rig);
	ops = rig->sms[0].warps[0].ops;
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(ops[n].result, 50 + n);
	assert_true(ops[2].done >= ops[0].done + 70 + 200);
	assert_true(rig_stats(rig).l2_stall_cycles >= 200);
	rig_close(rig);
}

/* ---- operators ----------------------------------------------------------- */

static struct rig_op *load_with(struct rig *rig, u64 address, enum vgpu_cache cache,
				enum vgpu_order order, enum vgpu_scope scope)
{
	struct rig_op *op = rig_op(rig, 0, 0, RIG_LOAD, address, 0);

	op->cache = (u8)cache;
	op->order = (u8)order;
	op->scope = (u8)scope;
	rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	return op;
}

static void operators_and_orders_say_which_cache_answers(void **state)
{
	static const struct {
		u8 cache, order, scope;
		bool hits;	/* a line that is there */
		bool leaves;	/* the line in the L1 */
	} cases[] = {
		{ VGPU_CACHE_NONE, VGPU_ORDER_WEAK, 0, true, true },
		{ VGPU_CACHE_CA, VGPU_ORDER_WEAK, 0, true, true },
		{ VGPU_CACHE_CS, VGPU_ORDER_WEAK, 0, true, true },
		{ VGPU_CACHE_LU, VGPU_ORDER_WEAK, 0, true, true },
		{ VGPU_CACHE_CG, VGPU_ORDER_WEAK, 0, false, false },
		{ VGPU_CACHE_CV, VGPU_ORDER_WEAK, 0, false, false },
		{ VGPU_CACHE_NONE, VGPU_ORDER_NC, 0, true, true },
		{ VGPU_CACHE_NONE, VGPU_ORDER_RELAXED, VGPU_SCOPE_CTA, true, true },
		{ VGPU_CACHE_NONE, VGPU_ORDER_ACQUIRE, VGPU_SCOPE_CTA, true, true },
		{ VGPU_CACHE_NONE, VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, false, false },
		{ VGPU_CACHE_NONE, VGPU_ORDER_RELAXED, VGPU_SCOPE_SYS, false, false },
		{ VGPU_CACHE_NONE, VGPU_ORDER_ACQUIRE, VGPU_SCOPE_GPU, false, false },
	};
	struct rig *rig = rig_open("");

	(void)state;
	for (u32 n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		struct rig_op *op, *again;

		vgpu_l1d_invalidate(rig->sms[0].l1);
		rig_scripts(rig);
		load_with(rig, 0x10000, VGPU_CACHE_NONE, VGPU_ORDER_WEAK, 0);
		op = load_with(rig, 0x10000, cases[n].cache, cases[n].order, cases[n].scope);
		again = load_with(rig, 0x10000, VGPU_CACHE_NONE, VGPU_ORDER_WEAK, 0);
		rig_go(rig);
		assert_int_equal(op->hit, cases[n].hits);
		assert_int_equal(again->hit, cases[n].leaves);
	}
	rig_close(rig);
}

/* Kepler: global memory is cached in L2 only, unless a load says otherwise. */
static void l1_global_says_whether_plain_loads_use_the_l1(void **state)
{
	struct rig *rig = rig_open("l1_global=0");
	struct rig_op *ops[6];

	(void)state;
	rig_scripts(rig);
	ops[0] = load_with(rig, 0x10000, VGPU_CACHE_NONE, VGPU_ORDER_WEAK, 0);
	ops[1] = load_with(rig, 0x10000, VGPU_CACHE_NONE, VGPU_ORDER_WEAK, 0);
	ops[2] = load_with(rig, 0x10000, VGPU_CACHE_CA, VGPU_ORDER_WEAK, 0);
	ops[3] = load_with(rig, 0x10000, VGPU_CACHE_CA, VGPU_ORDER_WEAK, 0);
	ops[4] = load_with(rig, 0x20000, VGPU_CACHE_NONE, VGPU_ORDER_NC, 0);
	ops[5] = load_with(rig, 0x20000, VGPU_CACHE_NONE, VGPU_ORDER_NC, 0);
	rig_go(rig);
	assert_false(ops[1]->hit);
	assert_false(ops[2]->hit);
	assert_true(ops[3]->hit);
	assert_true(ops[5]->hit);
	rig_close(rig);
}

/* Texels have a cache of their own: neither finds what the other one has. */
static void texels_have_a_cache_of_their_own(void **state)
{
	const u8 lu = VGPU_CACHE_LU, none = VGPU_CACHE_NONE;
	struct rig *rig = rig_open("tex_bytes=1024 tex_ways=2 tex_cycles=90");
	struct rig_op *ops[8];

	(void)state;
	rig_scripts(rig);
	ops[0] = load_with(rig, 0x10000, lu, VGPU_ORDER_NC, 0);
	ops[1] = load_with(rig, 0x10000, lu, VGPU_ORDER_NC, 0);
	ops[2] = load_with(rig, 0x10000, none, VGPU_ORDER_WEAK, 0);
	ops[3] = load_with(rig, 0x10000, none, VGPU_ORDER_NC, 0);
	/* four sets: two more lines of the first one, and the line that was used first has gone */
	ops[4] = load_with(rig, 0x10200, lu, VGPU_ORDER_NC, 0);
	ops[5] = load_with(rig, 0x10400, lu, VGPU_ORDER_NC, 0);
	ops[6] = load_with(rig, 0x10000, lu, VGPU_ORDER_NC, 0);
	ops[7] = load_with(rig, 0x10000, none, VGPU_ORDER_WEAK, 0);
	rig_go(rig);
	assert_false(ops[0]->hit);
	assert_true(ops[1]->hit);
	assert_false(ops[2]->hit);
	assert_true(ops[3]->hit);
	assert_false(ops[4]->hit);
	assert_false(ops[5]->hit);
	assert_false(ops[6]->hit);
	assert_true(ops[7]->hit);
	/* and a kernel begins with none */
	vgpu_l1d_invalidate(rig->sms[0].l1);
	rig_scripts(rig);
	ops[0] = load_with(rig, 0x10000, lu, VGPU_ORDER_NC, 0);
	rig_go(rig);
	assert_false(ops[0]->hit);
	rig_close(rig);
}

/* Without one texels are in the L1. */
static void texels_go_through_the_l1_otherwise(void **state)
{
	struct rig *rig = rig_open("l1_global=0 tex_bytes=0");
	struct rig_op *ops[2];

	(void)state;
	rig_scripts(rig);
	ops[0] = load_with(rig, 0x10000, VGPU_CACHE_LU, VGPU_ORDER_NC, 0);
	ops[1] = load_with(rig, 0x10000, VGPU_CACHE_NONE, VGPU_ORDER_NC, 0);
	rig_go(rig);
	assert_false(ops[0]->hit);
	assert_true(ops[1]->hit);
	rig_close(rig);
}

static void wt_writes_through_to_memory(void **state)
{
	struct rig *rig = rig_open("");

	(void)state;
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_STORE, 0x10000, 5)->cache = VGPU_CACHE_WT;
	rig_op(rig, 0, 0, RIG_STORE, 0x20000, 6);
	rig_go(rig);
	assert_int_equal(*rig_word(rig, 0x10000), 5);
	assert_int_equal(*rig_word(rig, 0x20000), 0);
	assert_int_equal(rig_stats(rig).dram_written, 32);
	rig_close(rig);
}

static void a_store_updates_the_l1_of_its_sm_and_allocates_nothing(void **state)
{
	struct rig *rig = rig_open("");
	struct rig_op *op, *other, *missed;

	(void)state;
	*rig_word(rig, 0x10004) = 9;
	rig_scripts(rig);
	load_with(rig, 0x10000, VGPU_CACHE_NONE, VGPU_ORDER_WEAK, 0);
	rig_op(rig, 0, 0, RIG_STORE, 0x10000, 5);
	op = rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	other = rig_op(rig, 0, 0, RIG_LOAD, 0x10004, 0);
	rig_op(rig, 0, 0, RIG_STORE, 0x20000, 6);
	rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	missed = rig_op(rig, 0, 0, RIG_LOAD, 0x20000, 0);
	rig_go(rig);
	assert_true(op->hit);
	assert_int_equal(op->result, 5);
	assert_int_equal(other->result, 9);
	assert_false(missed->hit);
	assert_int_equal(missed->result, 6);
	rig_close(rig);
}

/* ---- others that touch frames --------------------------------------------- */

static void a_copy_sees_what_sms_have_stored(void **state)
{
	struct rig *rig = rig_open("");
	struct rig_op *op;

	(void)state;
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_STORE, 0x10000, 5);
	rig_op(rig, 1, 0, RIG_STORE, 0x10ffc, 6);
	rig_op(rig, 1, 0, RIG_STORE, 0x11000, 7);
	rig_go(rig);
	vgpu_memsys_flush(rig->memsys, 0x10, false);
	assert_int_equal(*rig_word(rig, 0x10000), 5);
	assert_int_equal(*rig_word(rig, 0x10ffc), 6);
	assert_int_equal(*rig_word(rig, 0x11000), 0);
	/* the line is still in L2 */
	rig_scripts(rig);
	op = rig_op(rig, 2, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	assert_int_equal(op->result, 5);
	assert_int_equal(rig_stats(rig).l2_misses, 1);	/* the rest of the line */
	vgpu_memsys_flush_all(rig->memsys);
	assert_int_equal(*rig_word(rig, 0x11000), 7);
	rig_close(rig);
}

static void sms_see_what_a_copy_has_written(void **state)
{
	struct rig *rig = rig_open("");
	struct rig_op *before, *stale, *other;

	(void)state;
	rig_scripts(rig);
	before = rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	vgpu_memsys_flush(rig->memsys, 0x10, true);
	*rig_word(rig, 0x10000) = 77;
	rig_scripts(rig);
	stale = rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	other = rig_op(rig, 1, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	(void)before;
	/* a kernel that runs meanwhile has no right to it; the next one begins with an empty L1 */
	assert_int_equal(stale->result, 0);
	assert_int_equal(other->result, 77);
	rig_close(rig);
}

/* A frame goes while requests to it are on their way, at L2, and waiting for DRAM. */
static void a_frame_that_goes_is_forgotten(void **state)
{
	/* cycles at which it goes: from before the first request is at L2 until after the last */
	for (u64 cycle = 0; cycle < 700; cycle += 7) {
		struct rig *rig = rig_open("");
		struct rig_op *first, *second, *after;
		u8 *page = rig->memory + 0x10000, kept[4096];

		rig_scripts(rig);
		*rig_word(rig, 0x10080) = 40;
		first = rig_op(rig, 0, 0, RIG_LOAD, 0x10080, 0);
		rig_op(rig, 0, 0, RIG_STORE, 0x10000, 5);
		rig_op(rig, 0, 0, RIG_ADD, 0x10000, 1);
		rig_op(rig, 0, 0, RIG_STORE, 0x10004, 6);
		second = rig_op(rig, 0, 0, RIG_ADD, 0x10000, 10);
		for (u32 n = 0; n < 16; n++)
			rig_op(rig, 0, 1, RIG_STORE, 0x10100 + n * 128, n);
		after = rig_op(rig, 0, 1, RIG_LOAD, 0x20000, 0);
		*rig_word(rig, 0x20000) = 3;
		for (u32 n = 0; n < rig->config.sms; n++)
			rig_kick(&rig->sms[n], 0);
		rig_run_to(rig, cycle);
		vgpu_memsys_forget(rig->memsys, 0x10);
		memcpy(kept, page, sizeof(kept));
		/* whoever still has a pointer to it changes it, or reads what it must not */
		memset(page, 0xdd, sizeof(kept));
		if (first->sent) {
			assert_int_equal(((u32 *)kept)[32], 40);
			assert_true(!second->sent || ((u32 *)kept)[0] == 16);
		}
		rig_close(rig);
		(void)after;
	}
	(void)state;
}

/* As above, to the end: what was sent before has had its effect in the old frame, in order. */
static void what_is_in_flight_takes_effect_when_a_frame_goes(void **state)
{
	u32 caught = 0;

	(void)state;
	for (u64 cycle = 1; cycle < 500; cycle += 3) {
		struct rig *rig = rig_open("");
		struct rig_op *load, *add, *later;
		u32 word;

		*rig_word(rig, 0x10000) = 1;
		rig_scripts(rig);
		load = rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
		rig_op(rig, 0, 0, RIG_STORE, 0x10000, 5);
		add = rig_op(rig, 0, 0, RIG_ADD, 0x10000, 2);
		later = rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
		rig_kick(&rig->sms[0], 0);
		rig_run_to(rig, cycle);
		vgpu_memsys_forget(rig->memsys, 0x10);
		word = *rig_word(rig, 0x10000);
		/* all four were sent in the first window */
		assert_int_equal(word, 7);
		caught += !load->done;
		*rig_word(rig, 0x10000) = 0xdddddddd;
		rig_run(rig);
		assert_int_equal(load->result, 1);
		assert_int_equal(add->result, 5);
		assert_int_equal(later->result, 7);
		assert_int_equal(*rig_word(rig, 0x10000), 0xdddddddd);
		rig_close(rig);
	}
	assert_true(caught > 20);
}

static void the_l1_forgets_the_frame_too(void **state)
{
	struct rig *rig = rig_open("");
	struct rig_op *op;

	(void)state;
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_op(rig, 0, 0, RIG_LOAD, 0x11000, 0);
	rig_go(rig);
	vgpu_memsys_forget(rig->memsys, 0x10);
	*rig_word(rig, 0x10000) = 8;
	rig_scripts(rig);
	op = rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_op(rig, 0, 0, RIG_LOAD, 0x11000, 0);
	rig_go(rig);
	assert_false(op->hit);
	assert_int_equal(op->result, 8);
	assert_true(rig->sms[0].warps[0].ops[1].hit);
	rig_close(rig);
}

static void contexts_do_not_see_each_other(void **state)
{
	struct rig *rig = rig_open("");
	struct rig_op *op;

	(void)state;
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	vgpu_l1d_serve(rig->sms[0].l1, 1);
	rig_scripts(rig);
	op = rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	assert_true(op->hit);
	vgpu_l1d_serve(rig->sms[0].l1, 2);
	rig_scripts(rig);
	op = rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_go(rig);
	assert_false(op->hit);
	rig_close(rig);
}

static u64 no_step(struct rig_sm *sm, u64 cycle)
{
	(void)sm;
	(void)cycle;
	return VGPU_NEVER;
}

static void nobody_hears_of_what_has_no_owner(void **state)
{
	struct rig *rig = rig_open("");

	(void)state;
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_LOAD, 0x10000, 0);
	rig_op(rig, 0, 0, RIG_LOAD, 0x10004, 0);
	rig_op(rig, 0, 0, RIG_STORE, 0x20000, 5);
	rig_op(rig, 0, 0, RIG_ADD, 0x20000, 1);
	rig_kick(&rig->sms[0], 0);
	rig_run_to(rig, 10);
	vgpu_l1d_disown(rig->sms[0].l1, &rig->sms[1]);
	assert_false(vgpu_l1d_idle(rig->sms[0].l1));
	vgpu_l1d_disown(rig->sms[0].l1, &rig->sms[0]);
	/* came() would fail: the scripts are others */
	rig_scripts(rig);
	rig->sms[0].step = no_step;
	rig_run(rig);
	assert_true(vgpu_l1d_idle(rig->sms[0].l1));
	vgpu_memsys_flush(rig->memsys, 0x20, false);
	assert_int_equal(*rig_word(rig, 0x20000), 6);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_l1_drops_what_was_used_longest_ago),
		cmocka_unit_test(streaming_loads_go_first),
		cmocka_unit_test(l2_writes_back_what_it_drops),
		cmocka_unit_test(l2_keeps_bytes_that_were_stored),
		cmocka_unit_test(a_line_that_is_read_is_not_dropped),
		cmocka_unit_test(operators_and_orders_say_which_cache_answers),
		cmocka_unit_test(l1_global_says_whether_plain_loads_use_the_l1),
		cmocka_unit_test(texels_have_a_cache_of_their_own),
		cmocka_unit_test(texels_go_through_the_l1_otherwise),
		cmocka_unit_test(wt_writes_through_to_memory),
		cmocka_unit_test(a_store_updates_the_l1_of_its_sm_and_allocates_nothing),
		cmocka_unit_test(a_copy_sees_what_sms_have_stored),
		cmocka_unit_test(sms_see_what_a_copy_has_written),
		cmocka_unit_test(a_frame_that_goes_is_forgotten),
		cmocka_unit_test(what_is_in_flight_takes_effect_when_a_frame_goes),
		cmocka_unit_test(the_l1_forgets_the_frame_too),
		cmocka_unit_test(contexts_do_not_see_each_other),
		cmocka_unit_test(nobody_hears_of_what_has_no_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
