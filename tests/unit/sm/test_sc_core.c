// SPDX-License-Identifier: MIT
/*
 * Cores with one access a warp in flight (sc_core), to the cycle, and what they count: accesses
 * that only waited for others of their warp. The machine is that of test_pipeline_timeline.c, whose
 * load is issued in cycle 2 and commits in cycle 11. What is not an access goes on meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "device/device.h"
#include "pipeline_rig.h"

struct sums {
	u64 stalls;
	u64 cycles;
	u64 writes;
};

static struct sums sums_of(const struct rig *r)
{
	const u64 *sum = r->h->counts[0].sum;

	assert_int_equal(r->h->counts_count, 1);
	return (struct sums){ sum[VGPU_COUNT_SC_STALLS], sum[VGPU_COUNT_SC_STALL_TIME],
			      sum[VGPU_COUNT_SC_STALL_WRITE_TIME] };
}

/* What is common to all: R2, R3 are the address of a word, R4 a place in shared memory */
static void begin(struct vass *v)
{
	vass_init(v, 16, 16);
	v->kernel.shared_bytes = 256;
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OPI(v, MOV, 4, 0, 64);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);	/* nothing is in flight behind it */
}

static u32 load(struct vass *v, u32 to)
{
	return OP(v, LDG, VASS_MEM(4, 1), to, 2, 0, 0, 0);
}

static u32 store(struct vass *v, u32 from)
{
	return OP(v, STG, VASS_MEM(4, 1), 0, 2, from, 0, 0);
}

static u32 load_shared(struct vass *v, u32 to)
{
	return OP(v, LDS, VASS_MEM(4, 1), to, 4, 0, 0, 0);
}

/* Ends the program, runs it with @core, checks the @count instructions from @first on if @want. */
static struct sums run(struct vass *v, const char *core, const char *order, u32 first,
		       const struct stages *want, u32 count)
{
	struct vgpu_config config = timeline_config("stall");
	struct sums sums;
	struct rig r;

	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
	set_field(&config, "sc_core", core);
	set_field(&config, "issue_order", order);
	set_field(&config, "kernel_statistics", "1");
	r = start_pipeline(&config);
	program(&r, v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	check_timeline(&r, first, want, count);
	sums = sums_of(&r);
	stop(&r);
	return sums;
}

static void check_sums(struct sums got, u64 stalls, u64 cycles, u64 writes)
{
	assert_int_equal(got.stalls, stalls);
	assert_int_equal(got.cycles, cycles);
	assert_int_equal(got.writes, writes);
}

/* ld, add, ld, sub: of these the second load alone waits, for the first to commit. */
static u32 two_loads(struct vass *v)
{
	u32 first;

	begin(v);
	first = load(v, 10);
	OPI(v, ADD, 8, 7, 8);
	load(v, 11);
	OPI(v, SUB, 9, 9, 4);
	return first;
}

static void an_access_waits_for_the_one_before(void **state)
{
	static const struct stages alone[] = {
		{ 1, 2, 11 }, { 2, 3, 6 }, { 3, 12, 21 }, { 12, 13, 16 },
	};
	static const struct stages many[] = {
		{ 1, 2, 11 }, { 2, 3, 6 }, { 3, 4, 13 }, { 4, 5, 8 },
	};
	struct vass v;
	u32 first = two_loads(&v);

	(void)state;
	/* from its fetch in 3 to the commit in 11 */
	check_sums(run(&v, "1", "out-of-order", first, alone, 4), 1, 8, 0);
	first = two_loads(&v);
	check_sums(run(&v, "1", "in-order", first, alone, 4), 1, 8, 0);
	first = two_loads(&v);
	check_sums(run(&v, "0", "out-of-order", first, many, 4), 0, 0, 0);
}

/* One that needs what the load before it has loaded does not wait because of its order. */
static void operands_are_no_order(void **state)
{
	struct vass v;
	u32 first;

	(void)state;
	begin(&v);
	first = load(&v, 10);
	store(&v, 10);
	check_sums(run(&v, "1", "out-of-order", first, NULL, 0), 0, 0, 0);
	/* in order it waits for the sum, and that for the load */
	begin(&v);
	first = load(&v, 10);
	OPI(&v, ADD, 8, 10, 1);
	load(&v, 11);
	check_sums(run(&v, "1", "in-order", first, NULL, 0), 0, 0, 0);
	/* out of order it could be issued before the sum */
	begin(&v);
	first = load(&v, 10);
	OPI(&v, ADD, 8, 10, 1);
	load(&v, 11);
	check_sums(run(&v, "1", "out-of-order", first, NULL, 0), 1, 8, 0);
}

static void a_store_is_waited_for(void **state)
{
	struct vass v;
	struct sums got;
	u32 first;

	(void)state;
	begin(&v);
	first = store(&v, 10);
	load(&v, 11);
	got = run(&v, "1", "out-of-order", first, NULL, 0);
	assert_int_equal(got.stalls, 1);
	assert_true(got.cycles > 8);
	assert_int_equal(got.writes, got.cycles);
	/* a fence waits in place of what is behind it */
	begin(&v);
	first = store(&v, 10);
	OP(&v, MEMBAR, 0, 0, 0, 0, 0, 0);
	load(&v, 11);
	got = run(&v, "1", "out-of-order", first, NULL, 0);
	assert_int_equal(got.stalls, 1);
	assert_int_equal(got.writes, got.cycles);
	begin(&v);
	first = store(&v, 10);
	OP(&v, MEMBAR, 0, 0, 0, 0, 0, 0);
	load(&v, 11);
	check_sums(run(&v, "0", "out-of-order", first, NULL, 0), 0, 0, 0);
}

/* Shared memory: behind global accesses, and these behind it, but not behind itself */
static void shared_memory_has_its_place(void **state)
{
	struct vass v;
	struct sums got;
	u32 first;

	(void)state;
	begin(&v);
	first = load_shared(&v, 10);
	load_shared(&v, 11);
	check_sums(run(&v, "1", "out-of-order", first, NULL, 0), 0, 0, 0);
	begin(&v);
	first = load(&v, 10);
	load_shared(&v, 11);
	/* fetched in 2, the first commits in 11 */
	check_sums(run(&v, "1", "out-of-order", first, NULL, 0), 1, 9, 0);
	begin(&v);
	first = load_shared(&v, 10);
	load(&v, 11);
	got = run(&v, "1", "out-of-order", first, NULL, 0);
	assert_int_equal(got.stalls, 1);
	assert_int_equal(got.writes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_access_waits_for_the_one_before),
		cmocka_unit_test(operands_are_no_order),
		cmocka_unit_test(a_store_is_waited_for),
		cmocka_unit_test(shared_memory_has_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
