// SPDX-License-Identifier: MIT
/* Racecheck in a block: lanes of a warp, warps, barriers, and the fences of its threads. */
#include "race_rig.h"

struct fixture {
	struct rig rig;
	struct race_launch *launch;
	struct race_block *block;
	u64 seq;		/* of queue 2 */
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	rig_begin(&f->rig);
	race_command(f->rig.race, 1, 1);
	f->launch = race_launch_begin(f->rig.race, 1, 1, 1, NULL);
	f->block = race_block_begin(f->launch, 0, 128, 4096);
	*state = f;
	return 0;
}

static void next_launch(struct fixture *f)
{
	race_block_end(f->block, false);
	race_launch_end(f->launch);
	race_command(f->rig.race, 2, ++f->seq);
	f->launch = race_launch_begin(f->rig.race, 2, f->seq, 1, NULL);
	f->block = race_block_begin(f->launch, 0, 128, 4096);
}

static int end(void **state)
{
	struct fixture *f = *state;

	race_block_end(f->block, false);
	race_launch_end(f->launch);
	race_free(f->rig.race);
	free(f);
	return 0;
}

#define SHARED(warp, lanes, site, address, stride) \
	rig_do(&f->rig, f->block, warp, lanes, site, RACE_SHARED, address, stride)

/* Each lane writes a word and reads its own: no other thread is in it. */
static void own_words(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(SHARED(0, RACE_ALL, STORE, 0, 4), 0);
	assert_int_equal(SHARED(0, RACE_ALL, LOAD, 0, 4), 0);
	assert_int_equal(SHARED(0, RACE_ALL, STORE, 0, 4), 0);
}

/* Warp 1 reads what warp 0 wrote: 32 words. Behind a barrier there is none. */
static void barrier_orders(void **state)
{
	struct fixture *f = *state;

	SHARED(0, RACE_ALL, STORE, 0, 4);
	assert_int_equal(SHARED(1, RACE_ALL, LOAD, 0, 4), 32);
	assert_int_equal(f->rig.last.first.thread, 63);
	assert_int_equal(f->rig.last.second.thread, 31);
	assert_int_equal(f->rig.last.address, 124);
	assert_int_equal(f->rig.last.first.site->kind, RACE_READ);
	barrier(f->block, 4);
	assert_int_equal(SHARED(2, RACE_ALL, LOAD, 0, 4), 0);
	/* warp 2 has read since */
	assert_int_equal(SHARED(3, 1, STORE, 0, 4), 1);
	assert_int_equal(f->rig.last.second.thread, 64);
}

static void lanes_need_a_warp_barrier(void **state)
{
	struct fixture *f = *state;

	SHARED(0, 1, STORE, 64, 0);
	assert_int_equal(SHARED(0, 2, LOAD, 64, 0), 1);
	race_warp_sync(f->block, 0, RACE_ALL);
	assert_int_equal(SHARED(0, 2, LOAD, 64, 0), 0);
	race_warp_sync(f->block, 0, RACE_ALL);
	assert_int_equal(SHARED(0, 4, STORE, 64, 0), 0);
}

/* Lanes 0 to 15 meet; lane 16 does not. */
static void a_mask_orders_its_lanes(void **state)
{
	struct fixture *f = *state;

	SHARED(0, 1, STORE, 64, 0);
	race_warp_sync(f->block, 0, 0xffff);
	assert_int_equal(SHARED(0, 1u << 15, LOAD, 64, 0), 0);
	assert_int_equal(SHARED(0, 1u << 16, LOAD, 64, 0), 1);
	/* by way of lane 15, which meets 16 */
	race_warp_sync(f->block, 0, 3u << 15);
	assert_int_equal(SHARED(0, 1u << 16, LOAD, 64, 0), 0);
	assert_int_equal(SHARED(0, 1u << 17, LOAD, 64, 0), 1);
}

/* One instruction: lanes write one word. Only different values are a race. */
static void one_instruction(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(SHARED(0, RACE_ALL, STORE, 0, 0), 31);
	f->rig.same = true;
	assert_int_equal(SHARED(0, RACE_ALL, STORE, 4, 0), 0);
	assert_int_equal(SHARED(1, RACE_ALL, STORE, 4, 0), 0);
	assert_int_equal(SHARED(2, RACE_ALL, LOAD, 4, 0), 1);
}

/* A barrier of warps 0 and 1 says nothing of warp 2. */
static void barrier_of_some(void **state)
{
	struct fixture *f = *state;
	const u32 pair = 3;

	SHARED(0, RACE_ALL, STORE, 0, 4);
	race_barrier_arrive(f->block, 0, RACE_ALL, false);
	race_barrier_arrive(f->block, 1, RACE_ALL, false);
	race_barrier_leave(f->block, &pair);
	assert_int_equal(SHARED(1, 1, LOAD, 0, 0), 0);
	assert_int_equal(SHARED(2, 1, LOAD, 0, 0), 1);
}

/* Half of warp 0 came: what all of it wrote is ordered, the other half has waited for nobody. */
static void half_a_warp_at_a_barrier(void **state)
{
	struct fixture *f = *state;
	const u32 all = 15;

	for (u32 w = 0; w < 2; w++)
		SHARED(w, RACE_ALL, STORE, w * 128, 4);
	for (u32 w = 0; w < 4; w++)
		race_barrier_arrive(f->block, w, w ? RACE_ALL : 0xffff, true);
	race_barrier_leave(f->block, &all);
	assert_int_equal(SHARED(1, RACE_ALL, LOAD, 0, 4), 0);
	assert_int_equal(SHARED(0, RACE_ALL, LOAD, 128, 4), 16);
	assert_int_equal(f->rig.last.first.thread, 31);
}

static void exited_threads_count(void **state)
{
	struct fixture *f = *state;
	const u32 first = 1;

	SHARED(0, 0xf0, STORE, 0, 4);
	SHARED(3, RACE_ALL, STORE, 512, 4);
	race_exit(f->block, 0, 0xf0);
	race_exit(f->block, 3, RACE_ALL);
	race_barrier_arrive(f->block, 0, ~0xf0u, true);
	race_barrier_leave(f->block, &first);
	assert_int_equal(SHARED(0, 0xf, LOAD, 16, 4), 0);
	assert_int_equal(SHARED(0, 0xf, LOAD, 512, 4), 0);
}

/* A write finds a reader of another warp among many, and none once they are ordered. */
static void many_readers(void **state)
{
	struct fixture *f = *state;

	for (u32 w = 0; w < 4; w++)
		assert_int_equal(SHARED(w, RACE_ALL, LOAD, 0, 0), 0);
	assert_true(SHARED(3, 1, STORE, 0, 0) >= 1);
	barrier(f->block, 4);
	for (u32 w = 0; w < 4; w++)
		SHARED(w, RACE_ALL, LOAD, 0, 0);
	barrier(f->block, 4);
	assert_int_equal(SHARED(2, 1, STORE, 0, 0), 0);
}

/* Bytes beside each other are apart; a word is in all of them. */
static void bytes_and_words(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(SHARED(0, RACE_ALL, STORE, 0, 1), 0);
	assert_int_equal(SHARED(1, RACE_ALL, STORE, 32, 1), 0);
	assert_int_equal(SHARED(2, 1, LOAD, 60, 0), 4);
	/* the word was there before its bytes were told apart */
	SHARED(0, 1, STORE, 2048, 0);
	assert_int_equal(SHARED(1, 2, LOAD, 2048, 1), 1);
}

/* What a thread does to a word by an atomic hides neither its store nor its load before that. */
static void weak_then_strong(void **state)
{
	struct fixture *f = *state;

	SHARED(0, 1, STORE, 0, 0);
	SHARED(0, 1, ATOM, 0, 0);
	assert_int_equal(SHARED(0, 2, ATOM, 0, 0), 1);
	SHARED(0, 1, LOAD, 4, 0);
	SHARED(0, 3, VLOAD, 4, 0);
	assert_int_equal(SHARED(0, 2, VSTORE, 4, 0), 1);
	assert_int_equal(f->rig.last.second.thread, 0);
}

static void atomics(void **state)
{
	struct fixture *f = *state;

	for (u32 w = 0; w < 4; w++)
		assert_int_equal(SHARED(w, RACE_ALL, w & 1 ? ATOM : ATOM_BLOCK, 0, 0), 0);
	SHARED(0, 1, VLOAD, 0, 0);
	barrier(f->block, 4);
	SHARED(0, 1, LOAD, 0, 0);
	next_launch(f);
	assert_int_equal(f->rig.found, 0);
	SHARED(1, 1, ATOM, 0, 0);
	SHARED(0, 1, LOAD, 0, 0);
	SHARED(0, 1, STORE, 4, 0);
	assert_int_equal(SHARED(1, 1, ATOM, 4, 0), 1);
	next_launch(f);
	assert_int_equal(f->rig.found, 2);
}

/* Volatile: a word is a flag, the words of a warp are not. */
static void volatile_accesses(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(SHARED(0, 1, VSTORE, 0, 0), 0);
	assert_int_equal(SHARED(0, 2, VLOAD, 0, 0), 0);
	assert_int_equal(SHARED(1, 2, VLOAD, 0, 0), 0);
	assert_int_equal(SHARED(0, RACE_ALL, VSTORE, 128, 4), 0);
	assert_int_equal(SHARED(1, 0xffff, VLOAD, 128, 4), 0);
	SHARED(0, 0xffff, VLOAD, 132, 4);
	next_launch(f);
	assert_int_equal(f->rig.found, 16);
}

/*
 * A reduction that trusts in lanes that go together: of its five steps the first reads what is
 * behind a barrier, the others 8, 4, 2 and 1 words that another lane has just written. Each lane
 * reads its own word in every step, but has written it in between.
 */
static void warp_synchronous(void **state)
{
	struct fixture *f = *state;

	SHARED(0, RACE_ALL, VSTORE, 0, 4);
	barrier(f->block, 4);
	for (u32 half = 16; half; half /= 2) {
		SHARED(0, (1u << half) - 1, VLOAD, 4 * half, 4);
		SHARED(0, (1u << half) - 1, VLOAD, 0, 4);
		SHARED(0, (1u << half) - 1, VSTORE, 0, 4);
	}
	next_launch(f);
	assert_int_equal(f->rig.found, 15);
}

/* Lanes that wait for another's word read it again: flags, though there are many. */
static void lanes_wait(void **state)
{
	struct fixture *f = *state;

	SHARED(0, 0xffff, VSTORE, 0, 4);
	race_warp_sync(f->block, 0, RACE_ALL);
	SHARED(0, 0xffff0000, VLOAD, -64ull, 4);
	SHARED(0, 0xffff0000, VLOAD, -64ull, 4);
	SHARED(0, 0xffff, VSTORE, 0, 4);
	SHARED(0, 0xffff0000, VLOAD, -64ull, 4);
	SHARED(0, 0xffff0000, VSTORE, -64ull, 4);
	next_launch(f);
	assert_int_equal(f->rig.found, 0);
	/* nobody waits */
	SHARED(0, 0xffff, VSTORE, 0, 4);
	SHARED(0, 0xffff0000, VSTORE, -64ull, 4);
	next_launch(f);
	assert_int_equal(f->rig.found, 16);
}

/* data; fence; flag  ->  flag; fence; data, between threads 0 and 32 by words 0 (data), 4 (flag) */
static u32 message(struct fixture *f, bool release, bool acquire)
{
	SHARED(0, 1, STORE, 0, 0);
	if (release)
		fence(f->block, 0, RACE_BLOCK);
	SHARED(0, 1, VSTORE, 4, 0);
	SHARED(1, 1, VLOAD, 4, 0);
	if (acquire)
		fence(f->block, 32, RACE_BLOCK);
	return SHARED(1, 1, LOAD, 0, 0);
}

static void both_fences(void **state)
{
	assert_int_equal(message(*state, true, true), 0);
}

static void no_release(void **state)
{
	assert_int_equal(message(*state, false, true), 1);
}

static void no_acquire(void **state)
{
	assert_int_equal(message(*state, true, false), 1);
}

/* What the lane did behind its fence, and what its neighbour did, has not been released. */
static void only_what_was_before(void **state)
{
	struct fixture *f = *state;

	SHARED(0, 3, STORE, 0, 4);
	fence(f->block, 0, RACE_BLOCK);
	SHARED(0, 1, STORE, 8, 0);
	SHARED(0, 1, VSTORE, 16, 0);
	SHARED(1, 1, VLOAD, 16, 0);
	fence(f->block, 32, RACE_BLOCK);
	assert_int_equal(SHARED(1, 1, LOAD, 0, 0), 0);
	assert_int_equal(SHARED(1, 1, LOAD, 4, 0), 1);
	assert_int_equal(SHARED(1, 1, LOAD, 8, 0), 1);
}

/* A block that was dropped begins again: what it did then was not. */
static void dropped_block(void **state)
{
	struct fixture *f = *state;

	one(&f->rig, f->block, 0, STORE, 0x10000);
	race_block_end(f->block, true);
	f->block = race_block_begin(f->launch, 0, 128, 4096);
	assert_int_equal(one(&f->rig, f->block, 64, LOAD, 0x10000), 0);
	one(&f->rig, f->block, 0, STORE, 0x10000);
	assert_int_equal(one(&f->rig, f->block, 64, LOAD, 0x10000), 1);
}

/* Shared memory of a block is not that of the next. */
static void next_block(void **state)
{
	struct fixture *f = *state;

	SHARED(0, RACE_ALL, STORE, 0, 4);
	next_launch(f);
	assert_int_equal(SHARED(1, RACE_ALL, LOAD, 0, 4), 0);
	assert_int_equal(SHARED(1, RACE_ALL, STORE, 0, 4), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(own_words),
		TEST(barrier_orders),
		TEST(lanes_need_a_warp_barrier),
		TEST(a_mask_orders_its_lanes),
		TEST(one_instruction),
		TEST(barrier_of_some),
		TEST(half_a_warp_at_a_barrier),
		TEST(exited_threads_count),
		TEST(many_readers),
		TEST(bytes_and_words),
		TEST(weak_then_strong),
		TEST(atomics),
		TEST(volatile_accesses),
		TEST(warp_synchronous),
		TEST(lanes_wait),
		TEST(both_fences),
		TEST(no_release),
		TEST(no_acquire),
		TEST(only_what_was_before),
		TEST(dropped_block),
		TEST(next_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
