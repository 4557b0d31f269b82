// SPDX-License-Identifier: MIT
/* Racecheck between blocks and between commands: scopes, chains of atomics, streams, copies. */
#include "race_rig.h"

#define DATA	0x10000
#define FLAG	0x20000

struct fixture {
	struct rig rig;
	struct race_launch *launch;
	struct race_block *block[4];
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	rig_begin(&f->rig);
	race_command(f->rig.race, 1, 1);
	f->launch = race_launch_begin(f->rig.race, 1, 1, 4, NULL);
	for (u32 n = 0; n < 4; n++)
		f->block[n] = race_block_begin(f->launch, n, 64, 0);
	*state = f;
	return 0;
}

static void end_launch(struct fixture *f)
{
	for (u32 n = 0; n < 4; n++)
		if (f->block[n])
			race_block_end(f->block[n], false);
	race_launch_end(f->launch);
	f->launch = NULL;
	memset(f->block, 0, sizeof(f->block));
}

static int end(void **state)
{
	struct fixture *f = *state;

	if (f->launch)
		end_launch(f);
	race_free(f->rig.race);
	free(f);
	return 0;
}

static u64 race_found_reader(const struct race_found *found)
{
	return found->first.site->kind == RACE_READ ? found->first.block : found->second.block;
}

#define DO(b, thread, site, address) one(&f->rig, f->block[b], thread, site, address)

static void blocks_are_apart(void **state)
{
	struct fixture *f = *state;

	DO(0, 0, STORE, DATA);
	assert_int_equal(DO(1, 0, LOAD, DATA), 1);
	assert_int_equal(f->rig.last.first.block, 1);
	assert_int_equal(f->rig.last.second.block, 0);
	DO(2, 5, LOAD, DATA + 4);
	assert_int_equal(DO(0, 5, STORE, DATA + 4), 1);
	assert_int_equal(f->rig.last.second.block, 2);
	assert_int_equal(f->rig.last.second.thread, 5);
}

/* Block 0 hands DATA to block 1 with fences of these scopes, by an atomic at FLAG. */
static u32 message(struct fixture *f, enum race_scope release, enum rig_site by,
		   enum race_scope acquire)
{
	DO(0, 0, STORE, DATA);
	fence(f->block[0], 0, release);
	DO(0, 0, by, FLAG);
	DO(1, 0, by, FLAG);
	fence(f->block[1], 0, acquire);
	return DO(1, 0, LOAD, DATA);
}

static void fences_of_the_gpu(void **state)
{
	assert_int_equal(message(*state, RACE_GPU, ATOM, RACE_GPU), 0);
}

static void release_in_the_block(void **state)
{
	assert_int_equal(message(*state, RACE_BLOCK, ATOM, RACE_GPU), 1);
}

static void acquire_in_the_block(void **state)
{
	assert_int_equal(message(*state, RACE_GPU, ATOM, RACE_BLOCK), 1);
}

/* They are a race themselves. */
static void atomics_of_the_block(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(message(f, RACE_GPU, ATOM_BLOCK, RACE_GPU), 1);
	assert_int_equal(f->rig.found, 2);
}

/* In one block fences and atomics of the block do, and those of the GPU, in any mixture. */
static void scopes_in_one_block(void **state)
{
	struct fixture *f = *state;

	for (u32 n = 0; n < 4; n++) {
		DO(n, 0, STORE, DATA + n * 64);
		fence(f->block[n], 0, n & 1);
		DO(n, 0, n & 2 ? ATOM : ATOM_BLOCK, FLAG + n * 64);
		DO(n, 32, n & 2 ? ATOM : ATOM_BLOCK, FLAG + n * 64);
		fence(f->block[n], 32, !(n & 1));
		assert_int_equal(DO(n, 32, LOAD, DATA + n * 64), 0);
	}
}

/* A chain of atomics: block 2 sees what block 0 released before that of block 1 */
static void chain(void **state)
{
	struct fixture *f = *state;

	DO(0, 0, STORE, DATA);
	fence(f->block[0], 0, RACE_GPU);
	DO(0, 0, ATOM, FLAG);
	DO(1, 0, ATOM, FLAG);
	DO(2, 0, ATOM, FLAG);
	fence(f->block[2], 0, RACE_GPU);
	assert_int_equal(DO(2, 0, LOAD, DATA), 0);
	/* but a store ends it: block 3 sees that alone */
	DO(1, 0, VSTORE, FLAG);
	DO(3, 0, VLOAD, FLAG);
	fence(f->block[3], 0, RACE_GPU);
	assert_int_equal(DO(3, 0, LOAD, DATA), 1);
}

/* Block 2 learns from block 1 what block 0 did. */
static void by_way_of_another(void **state)
{
	struct fixture *f = *state;

	message(f, RACE_GPU, ATOM, RACE_GPU);
	fence(f->block[1], 0, RACE_GPU);
	DO(1, 0, ATOM, FLAG + 4);
	DO(2, 0, ATOM, FLAG + 4);
	fence(f->block[2], 0, RACE_GPU);
	assert_int_equal(DO(2, 0, STORE, DATA), 0);
}

/* Another lock orders nothing. */
static void other_address(void **state)
{
	struct fixture *f = *state;

	DO(0, 0, STORE, DATA);
	fence(f->block[0], 0, RACE_GPU);
	DO(0, 0, ATOM, FLAG);
	DO(1, 0, ATOM, FLAG + 4);
	fence(f->block[1], 0, RACE_GPU);
	assert_int_equal(DO(1, 0, LOAD, DATA), 1);
}

/* All threads write and fence, one of them releases behind a barrier: for all. */
static void fences_pass_barriers(void **state)
{
	struct fixture *f = *state;

	for (u32 w = 0; w < 2; w++) {
		rig_do(&f->rig, f->block[0], w, RACE_ALL, STORE, RACE_GLOBAL, DATA + w * 128, 4);
		race_fence(f->block[0], w, RACE_ALL, true, true, RACE_GPU);
	}
	barrier(f->block[0], 2);
	DO(0, 0, ATOM, FLAG);
	DO(1, 0, ATOM, FLAG);
	/* and a barrier is as good as a fence to who has read the flag */
	barrier(f->block[1], 2);
	for (u32 w = 0; w < 2; w++)
		assert_int_equal(rig_do(&f->rig, f->block[1], w, RACE_ALL, LOAD, RACE_GLOBAL,
					DATA + w * 128, 4), 0);
}

/* A barrier is no fence of the GPU for who releases. */
static void barrier_is_no_release(void **state)
{
	struct fixture *f = *state;

	DO(0, 40, STORE, DATA);
	barrier(f->block[0], 2);
	DO(0, 0, ATOM, FLAG);
	DO(1, 0, ATOM, FLAG);
	fence(f->block[1], 0, RACE_GPU);
	assert_int_equal(DO(1, 0, LOAD, DATA), 1);
}

/* old = *p; atomicCAS(p, old, ...): the read is none. Who reads elsewhere is found, at the end. */
static void read_then_compare(void **state)
{
	struct fixture *f = *state;

	DO(0, 0, LOAD, DATA);
	DO(1, 0, ATOM, DATA);
	DO(2, 0, LOAD, DATA);
	DO(3, 0, OTHER_LOAD, DATA);
	DO(0, 0, CAS, DATA);
	assert_int_equal(f->rig.found, 0);
	end_launch(f);
	assert_int_equal(f->rig.found, 1);
	assert_int_equal(race_found_reader(&f->rig.last), 3);
}

/* Who finds nothing to do does not go on: the instruction is the same. */
static void read_and_leave(void **state)
{
	struct fixture *f = *state;

	DO(0, 0, LOAD, DATA);
	DO(1, 0, LOAD, DATA);
	DO(0, 0, CAS, DATA);
	end_launch(f);
	assert_int_equal(f->rig.found, 0);
}

/* Other atomics do not compare what was read, nor do those at other addresses. */
static void read_then_atomic(void **state)
{
	struct fixture *f = *state;

	DO(0, 0, LOAD, DATA);
	DO(1, 0, ATOM, DATA);
	DO(0, 0, ATOM, DATA);
	DO(0, 0, CAS, DATA + 64);
	end_launch(f);
	assert_int_equal(f->rig.found, 1);
	assert_int_equal(race_found_reader(&f->rig.last), 0);
}

/* Lanes that read one place by one instruction: each may go on, or not. */
static void lanes_read(void **state)
{
	struct fixture *f = *state;

	rig_do(&f->rig, f->block[0], 0, 0xf, OTHER_LOAD, RACE_GLOBAL, DATA, 0);
	DO(1, 0, ATOM, DATA);
	end_launch(f);
	assert_int_equal(f->rig.found, 4);
}

static void many_blocks_read(void **state)
{
	struct fixture *f = *state;

	for (u32 b = 0; b < 4; b++)
		for (u32 t = 0; t < 64; t += 32)
			DO(b, t, LOAD, DATA);
	barrier(f->block[3], 2);
	assert_true(DO(3, 0, STORE, DATA) >= 1);
	assert_int_not_equal(f->rig.last.second.block, 3);
}

/* ---- commands ------------------------------------------------------------------------------ */

/* Another launch of @queue at @seq, of one block */
static void launch(struct fixture *f, u32 queue, u64 seq)
{
	if (f->launch)
		end_launch(f);
	f->launch = race_launch_begin(f->rig.race, queue, seq, 1, NULL);
	f->block[0] = race_block_begin(f->launch, 0, 64, 0);
}

static void queue_order(void **state)
{
	struct fixture *f = *state;

	race_command(f->rig.race, 1, 2);
	DO(0, 0, STORE, DATA);
	launch(f, 1, 2);
	assert_int_equal(DO(0, 40, LOAD, DATA), 0);
}

static void two_queues(void **state)
{
	struct fixture *f = *state;

	race_command(f->rig.race, 2, 1);
	DO(0, 0, STORE, DATA);
	launch(f, 2, 1);
	assert_int_equal(DO(0, 0, LOAD, DATA), 1);
}

/* It waits for command 1 of queue 1, from its second command on. */
static void a_wait(void **state)
{
	struct fixture *f = *state;

	race_command(f->rig.race, 2, 1);
	race_command_waits(f->rig.race, 2, 2, 1, 1);
	race_command(f->rig.race, 2, 3);
	DO(0, 0, STORE, DATA);
	launch(f, 2, 1);
	assert_int_equal(DO(0, 0, LOAD, DATA), 1);
	launch(f, 2, 3);
	assert_int_equal(DO(0, 0, LOAD, DATA), 0);
}

/* By way of queue 3, which waited for queue 1 */
static void chain_of_waits(void **state)
{
	struct fixture *f = *state;

	race_command_waits(f->rig.race, 3, 1, 1, 1);
	race_command(f->rig.race, 3, 2);
	race_command_waits(f->rig.race, 2, 1, 3, 2);
	race_command(f->rig.race, 2, 2);
	DO(0, 0, STORE, DATA);
	launch(f, 2, 2);
	assert_int_equal(DO(0, 0, STORE, DATA), 0);
}

/* What was submitted before the host knew is not ordered, what came later is. */
static void the_host_knows(void **state)
{
	struct fixture *f = *state;

	race_command(f->rig.race, 2, 1);
	race_host_knows(f->rig.race, 1, 1);
	race_command(f->rig.race, 2, 2);
	race_command(f->rig.race, 3, 1);
	DO(0, 0, STORE, DATA);
	launch(f, 2, 1);
	assert_int_equal(DO(0, 0, LOAD, DATA), 1);
	launch(f, 2, 2);
	assert_int_equal(DO(0, 0, LOAD, DATA), 0);
	launch(f, 3, 1);
	assert_int_equal(DO(0, 0, LOAD, DATA), 0);
}

/* Who waits for a wait, which is the newest command of its queue, knows what that waited for. */
static void a_wait_at_the_end(void **state)
{
	struct fixture *f = *state;

	race_command_waits(f->rig.race, 3, 1, 1, 1);
	race_command(f->rig.race, 2, 1);
	race_command_waits(f->rig.race, 4, 1, 3, 1);
	race_command(f->rig.race, 4, 2);
	race_host_knows(f->rig.race, 3, 1);
	race_command(f->rig.race, 2, 2);
	DO(0, 0, STORE, DATA);
	launch(f, 2, 1);
	assert_int_equal(DO(0, 0, LOAD, DATA), 1);
	launch(f, 4, 2);
	assert_int_equal(DO(0, 0, LOAD, DATA), 0);
	launch(f, 2, 2);
	assert_int_equal(DO(0, 0, LOAD, DATA), 0);
}

/* Copies are as kernels, by bytes, and in whole chunks of 1 KiB too. */
static void copies(void **state)
{
	struct fixture *f = *state;

	race_command(f->rig.race, 2, 1);
	race_command(f->rig.race, 1, 2);
	DO(0, 0, STORE, DATA + 4);
	DO(0, 0, LOAD, DATA + 0x800);
	race_command_access(f->rig.race, 2, 1, f->rig.sites + COPY_FROM, NULL, DATA, 4);
	assert_int_equal(f->rig.found, 0);
	race_command_access(f->rig.race, 2, 1, f->rig.sites + COPY_FROM, NULL, DATA, 8);
	assert_int_equal(f->rig.found, 1);
	assert_true(f->rig.last.first.site->command);
	race_command_access(f->rig.race, 2, 1, f->rig.sites + COPY_FROM, NULL, DATA + 0x400, 0x800);
	assert_int_equal(f->rig.found, 1);
	race_command_access(f->rig.race, 2, 1, f->rig.sites + COPY_TO, NULL, DATA + 0x400, 0x800);
	assert_int_equal(f->rig.found, 2);
	/* and what comes later finds them */
	assert_int_equal(DO(1, 0, LOAD, DATA + 0x400), 1);
	assert_true(DO(1, 0, STORE, DATA) >= 1);
	race_host_knows(f->rig.race, 2, 1);
	race_command(f->rig.race, 3, 1);
	launch(f, 3, 1);
	assert_int_equal(DO(0, 0, STORE, DATA + 0x404), 0);
	/* the launch of queue 1 has not been waited for */
	assert_int_equal(DO(0, 0, STORE, DATA + 0x800), 0);
	assert_int_equal(DO(0, 0, STORE, DATA), 1);
}

static void forgotten(void **state)
{
	struct fixture *f = *state;

	DO(0, 0, STORE, DATA);
	DO(0, 0, STORE, DATA + 8);
	DO(0, 0, STORE, DATA + 0x1000);
	race_forget(f->rig.race, DATA, 8);
	race_forget(f->rig.race, DATA + 0x1000, 0x1000);
	assert_int_equal(DO(1, 0, LOAD, DATA), 0);
	assert_int_equal(DO(1, 0, LOAD, DATA + 0x1000), 0);
	assert_int_equal(DO(1, 0, LOAD, DATA + 8), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(blocks_are_apart),
		TEST(fences_of_the_gpu),
		TEST(release_in_the_block),
		TEST(acquire_in_the_block),
		TEST(atomics_of_the_block),
		TEST(scopes_in_one_block),
		TEST(chain),
		TEST(by_way_of_another),
		TEST(other_address),
		TEST(fences_pass_barriers),
		TEST(barrier_is_no_release),
		TEST(read_then_compare),
		TEST(read_and_leave),
		TEST(read_then_atomic),
		TEST(lanes_read),
		TEST(many_blocks_read),
		TEST(queue_order),
		TEST(two_queues),
		TEST(a_wait),
		TEST(chain_of_waits),
		TEST(the_host_knows), TEST(a_wait_at_the_end),
		TEST(copies),
		TEST(forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
