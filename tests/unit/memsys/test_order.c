// SPDX-License-Identifier: MIT
/*
 * Litmus tests: what several SMs may see of each other's accesses, by PTX's memory model, under the
 * protocol "gpu". A test runs with many distances in time between its threads, on a machine in
 * which one partition of L2 may be far behind. What the model forbids must never be seen; what it
 * allows because L1s are not coherent must be seen at least once: else the test would say nothing.
 */
#include "mem_rig.h"

#include "memsys/hierarchy.h"

#define X	0x10000u
#define Y	0x20080u	/* in another partition than X */

/* Threads of a test are on SMs 0 to 3; SMs 4 to 7 send to the partition of X. */
struct setting {
	u32 distance;		/* cycles that thread 1 and thread 3 begin later than 0 and 2 */
	bool clogged;		/* the partition of X has much to do */
	bool fenced;
	bool warm;		/* SMs have X and Y in their L1s, as they were */
};

static struct rig *begin(const struct setting *setting)
{
	struct rig *rig = rig_open("sms=8 l2_bytes=65536");

	assert_ptr_not_equal(vgpu_partition_of(rig->memsys, X >> 7),
			     vgpu_partition_of(rig->memsys, Y >> 7));
	rig_scripts(rig);
	for (u32 sm = 0; setting->warm && sm < 4; sm++) {
		rig_op(rig, sm, 0, RIG_LOAD, X, 0);
		rig_op(rig, sm, 0, RIG_LOAD, Y, 0);
	}
	rig_go(rig);
	rig_scripts(rig);
	for (u32 sm = 4; setting->clogged && sm < 8; sm++)
		for (u32 n = 0; n < 60; n++)
			rig_op(rig, sm, 0, RIG_ADD, X + 64, 1);
	for (u32 sm = 0; sm < 4; sm++)
		rig_op(rig, sm, 0, RIG_UNTIL, 0,
		       (u32)vgpu_cycle_at(&rig->config, rig->sim.now) + 60 +
			       (sm & 1) * setting->distance);
	return rig;
}

static void fence(struct rig *rig, const struct setting *setting, u32 sm, enum vgpu_order order)
{
	if (setting->fenced)
		rig_strong(rig, sm, 0, RIG_FENCE, 0, 0, order);
}

static struct rig_op *relaxed(struct rig *rig, u32 sm, enum rig_do what, u64 address, u32 value)
{
	return rig_strong(rig, sm, 0, what, address, value, VGPU_ORDER_RELAXED);
}

/* How often @seen says so, over all distances */
static u32 count(const struct setting *base, bool (*seen)(const struct setting *setting))
{
	struct setting setting = *base;
	u32 times = 0;

	for (setting.distance = 0; setting.distance < 400; setting.distance += 13)
		times += seen(&setting);
	return times;
}

/* ---- message passing ------------------------------------------------------ */

/* Data is read by a plain load, which may hit in the L1. */
static bool old_message(const struct setting *setting)
{
	struct rig *rig = begin(setting);
	struct rig_op *data;
	bool seen;

	rig_op(rig, 0, 0, RIG_STORE, X, 1);
	fence(rig, setting, 0, VGPU_ORDER_RELEASE);
	relaxed(rig, 0, RIG_STORE, Y, 1);
	relaxed(rig, 1, RIG_SPIN, Y, 1);
	fence(rig, setting, 1, VGPU_ORDER_ACQUIRE);
	data = rig_op(rig, 1, 0, RIG_LOAD, X, 0);
	rig_go(rig);
	seen = !data->result;
	rig_close(rig);
	return seen;
}

static void a_message_needs_release_and_acquire(void **state)
{
	(void)state;
	/* an old line in the reader's L1 */
	assert_true(count(&(struct setting){ .warm = true }, old_message) > 0);
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(count(&(struct setting){ .warm = n & 1, .clogged = n & 2,
							  .fenced = true }, old_message), 0);
}

static bool old_message_acquired(const struct setting *setting)
{
	struct rig *rig = begin(setting);
	struct rig_op *data;
	bool seen;

	rig_op(rig, 0, 0, RIG_STORE, X, 1);
	fence(rig, setting, 0, VGPU_ORDER_RELEASE);
	rig_strong(rig, 0, 0, RIG_STORE, Y, 1, VGPU_ORDER_RELEASE);
	rig_strong(rig, 1, 0, RIG_SPIN, Y, 1, VGPU_ORDER_ACQUIRE);
	data = rig_op(rig, 1, 0, RIG_LOAD, X, 0);
	rig_go(rig);
	seen = !data->result;
	rig_close(rig);
	return seen;
}

static void an_acquiring_load_empties_the_l1(void **state)
{
	(void)state;
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(count(&(struct setting){ .warm = n & 1, .clogged = n & 2,
							  .fenced = true },
				       old_message_acquired), 0);
}

/* What another warp of the block has stored before a barrier is released, too. */
static void a_fence_releases_for_the_block(void **state)
{
	const struct setting setting = { .clogged = true };
	struct rig *rig = begin(&setting);
	u32 now = (u32)vgpu_cycle_at(&rig->config, rig->sim.now);
	struct rig_op *store, *fence;

	(void)state;
	store = rig_op(rig, 0, 0, RIG_STORE, X, 1);
	/* the barrier: warp 1 goes on when warp 0 has made its store */
	rig_op(rig, 0, 1, RIG_UNTIL, 0, now + 80);
	fence = rig_strong(rig, 0, 1, RIG_FENCE, 0, 0, VGPU_ORDER_RELEASE);
	rig_go(rig);
	assert_true(store->sent < fence->sent);
	assert_true(store->done > fence->sent + 100);
	assert_int_equal(fence->done, store->done);
	rig_close(rig);
}

/* SM 1 sees what SM 0 has stored, and tells SM 2 by another word. */
static bool old_message_by_a_third(const struct setting *setting)
{
	struct rig *rig = begin(setting);
	struct rig_op *data;
	bool seen;

	relaxed(rig, 0, RIG_STORE, X, 1);
	relaxed(rig, 1, RIG_SPIN, X, 1);
	fence(rig, setting, 1, VGPU_ORDER_ACQ_REL);
	relaxed(rig, 1, RIG_STORE, Y, 1);
	relaxed(rig, 2, RIG_SPIN, Y, 1);
	fence(rig, setting, 2, VGPU_ORDER_ACQUIRE);
	data = rig_op(rig, 2, 0, RIG_LOAD, X, 0);
	rig_go(rig);
	seen = !data->result;
	rig_close(rig);
	return seen;
}

static void a_message_may_go_by_a_third(void **state)
{
	(void)state;
	assert_true(count(&(struct setting){ .warm = true }, old_message_by_a_third) > 0);
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(count(&(struct setting){ .warm = n & 1, .clogged = n & 2,
							  .fenced = true },
				       old_message_by_a_third), 0);
}

/* ---- store buffering, load buffering -------------------------------------- */

static bool both_old(const struct setting *setting)
{
	struct rig *rig = begin(setting);
	struct rig_op *y, *x;
	bool seen;

	relaxed(rig, 0, RIG_STORE, X, 1);
	fence(rig, setting, 0, VGPU_ORDER_SC);
	y = rig_op(rig, 0, 0, RIG_LOAD, Y, 0);
	relaxed(rig, 1, RIG_STORE, Y, 1);
	fence(rig, setting, 1, VGPU_ORDER_SC);
	x = rig_op(rig, 1, 0, RIG_LOAD, X, 0);
	rig_go(rig);
	seen = !y->result && !x->result;
	rig_close(rig);
	return seen;
}

static void sc_fences_forbid_store_buffering(void **state)
{
	(void)state;
	assert_true(count(&(struct setting){ .warm = true }, both_old) > 0);
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(count(&(struct setting){ .warm = n & 1, .clogged = n & 2,
							  .fenced = true }, both_old), 0);
}

static bool both_new(const struct setting *setting)
{
	struct rig *rig = begin(setting);
	struct rig_op *x, *y;
	bool seen;

	/* SM 0 waits for X for long, and its store to Y does not */
	x = relaxed(rig, 0, RIG_LOAD, X, 0);
	fence(rig, setting, 0, VGPU_ORDER_ACQ_REL);
	relaxed(rig, 0, RIG_STORE, Y, 1);
	y = relaxed(rig, 1, RIG_LOAD, Y, 0);
	fence(rig, setting, 1, VGPU_ORDER_ACQ_REL);
	relaxed(rig, 1, RIG_STORE, X, 1);
	rig_go(rig);
	seen = x->result && y->result;
	rig_close(rig);
	return seen;
}

static void fences_forbid_load_buffering(void **state)
{
	(void)state;
	assert_int_equal(count(&(struct setting){ .clogged = true, .fenced = true }, both_new), 0);
	assert_int_equal(count(&(struct setting){ .fenced = true }, both_new), 0);
}

/* ---- one location --------------------------------------------------------- */

static bool new_then_old(const struct setting *setting)
{
	struct rig *rig = begin(setting);
	struct rig_op *loads[24];
	bool seen = false;

	for (u32 n = 1; n <= 20; n++)
		relaxed(rig, 0, RIG_STORE, X, n);
	for (u32 n = 0; n < 24; n++)
		loads[n] = relaxed(rig, 1, RIG_LOAD, X, 0);
	rig_go(rig);
	for (u32 n = 1; n < 24; n++)
		seen |= loads[n]->result < loads[n - 1]->result;
	rig_close(rig);
	return seen;
}

static void a_location_has_one_order(void **state)
{
	(void)state;
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(count(&(struct setting){ .warm = n & 1, .clogged = n & 2 },
				       new_then_old), 0);
}

/* A thread sees its own stores and atomics, and not those that it makes later. */
static void a_thread_sees_its_own_accesses_in_order(void **state)
{
	struct rig *rig = rig_open("");
	struct rig_op *ops[8];

	(void)state;
	*rig_word(rig, X) = 50;
	rig_scripts(rig);
	ops[0] = rig_op(rig, 0, 0, RIG_LOAD, X, 0);	/* a miss, and the store comes meanwhile */
	rig_op(rig, 0, 0, RIG_STORE, X, 51);
	ops[1] = rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	rig_op(rig, 0, 0, RIG_STORE, X, 52);
	ops[2] = rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	ops[3] = rig_op(rig, 0, 0, RIG_ADD, X, 1);
	ops[4] = rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	rig_op(rig, 0, 0, RIG_WAIT, 0, 0);
	ops[5] = rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	rig_op(rig, 0, 0, RIG_STORE, X, 60);
	ops[6] = rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	rig_go(rig);
	for (u32 n = 0; n < 3; n++)
		assert_int_equal(ops[n]->result, 50 + n);
	assert_int_equal(ops[3]->result, 52);
	assert_int_equal(ops[4]->result, 53);
	assert_true(ops[5]->hit);
	assert_int_equal(ops[5]->result, 53);
	assert_int_equal(ops[6]->result, 60);
	rig_close(rig);
}

static void atomics_have_one_order_at_l2(void **state)
{
	struct rig *rig = rig_open("");
	bool seen[16 * 8] = {};

	(void)state;
	rig_scripts(rig);
	for (u32 sm = 0; sm < 16; sm++)
		for (u32 n = 0; n < 8; n++)
			rig_op(rig, sm, n, RIG_ADD, X, 1);
	rig_go(rig);
	for (u32 sm = 0; sm < 16; sm++) {
		for (u32 n = 0; n < 8; n++) {
			u32 old = rig->sms[sm].warps[n].ops[0].result;

			assert_true(old < 16 * 8);
			assert_false(seen[old]);
			seen[old] = true;
			/* the same cycle: the lower SM is first; one SM: in its order */
			assert_true(!n || old > rig->sms[sm].warps[n - 1].ops[0].result);
			assert_true(!sm || old > rig->sms[sm - 1].warps[n].ops[0].result);
		}
	}
	vgpu_memsys_flush(rig->memsys, X >> 12, false);
	assert_int_equal(*rig_word(rig, X), 16 * 8);
	rig_close(rig);
}

/* ---- independent reads of independent writes ------------------------------ */

static bool two_orders(const struct setting *setting)
{
	struct rig *rig = begin(setting);
	struct rig_op *a[2], *b[2];
	bool seen;

	relaxed(rig, 0, RIG_STORE, X, 1);
	relaxed(rig, 2, RIG_STORE, Y, 1);
	a[0] = relaxed(rig, 1, RIG_LOAD, X, 0);
	fence(rig, setting, 1, VGPU_ORDER_SC);
	a[1] = rig_op(rig, 1, 0, RIG_LOAD, Y, 0);
	b[0] = relaxed(rig, 3, RIG_LOAD, Y, 0);
	fence(rig, setting, 3, VGPU_ORDER_SC);
	b[1] = rig_op(rig, 3, 0, RIG_LOAD, X, 0);
	rig_go(rig);
	seen = a[0]->result && !a[1]->result && b[0]->result && !b[1]->result;
	rig_close(rig);
	return seen;
}

static void sc_fences_forbid_two_orders_of_writes(void **state)
{
	(void)state;
	assert_true(count(&(struct setting){ .warm = true }, two_orders) > 0);
	for (u32 n = 0; n < 4; n++)
		assert_int_equal(count(&(struct setting){ .warm = n & 1, .clogged = n & 2,
							  .fenced = true }, two_orders), 0);
}

/* ---- fences --------------------------------------------------------------- */

static void a_fence_waits_for_what_was_sent(void **state)
{
	struct rig *rig = rig_open("");
	struct rig_op *stores[3], *fence, *idle, *block;

	(void)state;
	rig_scripts(rig);
	idle = rig_strong(rig, 0, 0, RIG_FENCE, 0, 0, VGPU_ORDER_RELEASE);
	stores[0] = rig_op(rig, 0, 0, RIG_STORE, X, 1);
	stores[1] = rig_op(rig, 0, 0, RIG_STORE, Y, 1);
	block = rig_strong(rig, 0, 0, RIG_FENCE, 0, 0, VGPU_ORDER_ACQ_REL);
	block->scope = VGPU_SCOPE_CTA;
	fence = rig_strong(rig, 0, 0, RIG_FENCE, 0, 0, VGPU_ORDER_ACQ_REL);
	stores[2] = rig_op(rig, 0, 0, RIG_STORE, X, 2);
	rig_go(rig);
	/* nothing to wait for: done in the same cycle. For the block it need not wait */
	assert_true(idle->hit);
	assert_int_equal(idle->done, idle->sent);
	assert_true(block->hit);
	assert_int_equal(block->done, block->sent);
	assert_int_equal(fence->done, stores[1]->done);
	assert_true(stores[1]->done >= stores[0]->done);
	assert_true(stores[2]->sent >= fence->done);
	rig_close(rig);
}

/* The L1 has it until the fence, and what is on its way does not enter it afterwards. */
static void a_stale_line_stays_until_acquire(void **state)
{
	struct rig *rig = rig_open("");
	u32 now;
	struct rig_op *stale, *fresh, *kept;

	(void)state;
	rig_scripts(rig);
	rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	rig_go(rig);
	rig_scripts(rig);
	rig_op(rig, 1, 0, RIG_STORE, X, 1);
	rig_go(rig);
	now = (u32)vgpu_cycle_at(&rig->config, rig->sim.now);
	rig_scripts(rig);
	stale = rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	/* a release alone drops nothing */
	rig_strong(rig, 0, 0, RIG_FENCE, 0, 0, VGPU_ORDER_RELEASE);
	kept = rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	rig_op(rig, 0, 0, RIG_UNTIL, 0, now + 1000);
	rig_strong(rig, 0, 0, RIG_FENCE, 0, 0, VGPU_ORDER_ACQUIRE);
	fresh = rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	rig_go(rig);
	assert_true(stale->hit);
	assert_int_equal(stale->result, 0);
	assert_true(kept->hit);
	assert_false(fresh->hit);
	assert_int_equal(fresh->result, 1);
	rig_close(rig);
}

/* Warp 1's acquire ends while warp 0's miss is on its way: the line must not enter the L1. */
static void a_miss_from_before_an_acquire_does_not_enter(void **state)
{
	struct rig *rig = rig_open("");
	struct rig_op *first, *acquire, *load;
	u32 now;

	(void)state;
	rig_scripts(rig);
	rig_op(rig, 1, 0, RIG_LOAD, Y, 0);
	rig_go(rig);
	now = (u32)vgpu_cycle_at(&rig->config, rig->sim.now);
	rig_scripts(rig);
	first = rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	rig_op(rig, 0, 1, RIG_UNTIL, 0, now + 20);
	acquire = rig_strong(rig, 0, 1, RIG_LOAD, Y, 0, VGPU_ORDER_ACQUIRE);
	rig_op(rig, 0, 0, RIG_UNTIL, 0, now + 1000);
	load = rig_op(rig, 0, 0, RIG_LOAD, X, 0);
	rig_go(rig);
	assert_true(acquire->sent > first->sent && acquire->done < first->done);
	assert_false(load->hit);
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_needs_release_and_acquire),
		cmocka_unit_test(an_acquiring_load_empties_the_l1),
		cmocka_unit_test(a_fence_releases_for_the_block),
		cmocka_unit_test(a_message_may_go_by_a_third),
		cmocka_unit_test(sc_fences_forbid_store_buffering),
		cmocka_unit_test(fences_forbid_load_buffering),
		cmocka_unit_test(a_location_has_one_order),
		cmocka_unit_test(a_thread_sees_its_own_accesses_in_order),
		cmocka_unit_test(atomics_have_one_order_at_l2),
		cmocka_unit_test(sc_fences_forbid_two_orders_of_writes),
		cmocka_unit_test(a_fence_waits_for_what_was_sent),
		cmocka_unit_test(a_stale_line_stays_until_acquire),
		cmocka_unit_test(a_miss_from_before_an_acquire_does_not_enter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
