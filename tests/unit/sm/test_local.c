// SPDX-License-Identifier: MIT
/*
 * Local memory of compiled blocks: which pages of it there are, and what is in them.
 */
#include "block_rig.h"
#include "device/device.h"
#include "platform/user.h"
#include "sm/warps.h"

/* 32 KB of local memory. @written: every lane writes one word. */
static void one_word(struct rig *r, bool written)
{
	struct vass v;

	prologue(&v, 16);
	v.kernel.local_bytes = 32 << 10;
	OP(&v, STL, VASS_MEM(4, 1), 0, 7, 0, 0, 4096);
	vass_guard(&v, written ? VGPU_PT : VGPU_PT | VGPU_P_NOT);
	OP(&v, LDL, VASS_MEM(4, 1), 8, 7, 0, 0, 4096);
	epilogue(&v, 8);
	program(r, &v);
}

/* Returns the pages that the SMs have in their pools afterwards: all there are. */
static u32 run_one_word(struct rig *r, bool written)
{
	const u32 *out;
	u32 pages = 0;

	one_word(r, written);
	out = (const u32 *)result(r, 60, 1024);
	for (u32 n = 0; n < 16384; n++)
		assert_int_equal(out[n], written ? n % 1024 : 0);
	for (u32 n = 0; n < r->h->config.sms; n++)
		pages += r->h->dev->exec.sms[n].run->page_count;
	return pages;
}

/* It costs what is written of it: a page and a table for each warp, and those are reused, clean. */
static void test_local_by_the_page(void **state)
{
	struct rig r = start(NULL);
	u32 warps = 2 * r.h->config.sms * 32;	/* two blocks fit into an SM */

	(void)state;
	assert_int_equal(run_one_word(&r, false), 0);
	assert_int_equal(run_one_word(&r, true), 2 * warps);
	assert_int_equal(run_one_word(&r, false), 2 * warps);
	stop(&r);
}

#define LOCAL_WORDS	1024u
#define ROUNDS		8u
#define PLACE(thread, round)	(((thread) * 52 + (round) * 612) & (LOCAL_WORDS * 4 - 4))

/* What scattered_local() computes. */
static u32 scattered(u32 thread)
{
	u32 memory[LOCAL_WORDS] = {}, sum = 0;

	for (u32 n = 0; n < ROUNDS; n++)
		if (n % 3 != 2 || thread % 2)
			memory[PLACE(thread, n) / 4] = thread + 100 * n + 1;
	for (u32 n = 0; n < ROUNDS; n++)
		sum = sum * 31 + memory[(PLACE(thread, n) + 4 * (n & 1)) / 4 % LOCAL_WORDS];
	return sum;
}

/* Lanes in different pages; some of them only; by offsets and by generic addresses. */
static void test_scattered_local(void **state)
{
	struct rig r = start(NULL);
	struct vass v;

	(void)state;
	prologue(&v, 32);
	v.kernel.local_bytes = LOCAL_WORDS * 4;
	OPI(&v, AND, 13, 0, 1);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 0, 13, 0, 0, 1);
	for (u32 n = 0; n < 2 * ROUNDS; n++) {
		u32 round = n % ROUNDS, op;
		bool store = n < ROUNDS, generic = n & 1;

		OPI(&v, MUL, 8, 0, 52);
		OPI(&v, ADD, 8, 8, round * 612 + (store ? 0 : 4 * (round & 1)));
		OPI(&v, AND, 8, 8, LOCAL_WORDS * 4 - 4);
		OP(&v, ZXQ, 0, 10, 8, 0, 0, 0);
		OPI(&v, ADDQ, 10, 10, VGPU_LOCAL_WINDOW);
		OPI(&v, ADD, 9, 0, 100 * round + 1);
		op = generic ? store ? VGPU_OP_ST : VGPU_OP_LD : store ? VGPU_OP_STL : VGPU_OP_LDL;
		vass_op(&v, op, VASS_MEM(4, 1), store ? 0 : 12, generic ? 10 : 8, store ? 9 : 0, 0,
			0);
		if (store && round % 3 == 2)
			vass_guard(&v, 0);
		if (!store) {
			OPI(&v, MUL, 7, 7, 31);
			OP(&v, ADD, 0, 7, 7, 12, 0, 0);
		}
	}
	epilogue(&v, 7);
	program(&r, &v);
	for (u32 again = 0; again < 2; again++) {
		const u32 *out = (const u32 *)result(&r, 40, 256);

		for (u32 n = 0; n < 40 * 256; n++)
			assert_int_equal(out[n], scattered(n % 256));
	}
	stop(&r);
}

/* No memory for the state of a block, the table of its pages, or a page: that ends the context. */
static void test_no_page_of_local(void **state)
{
	(void)state;
	for (u64 left = 0; left < 3; left++) {
		struct rig r = start(NULL);

		one_word(&r, true);
		launch(&r, 1, 32, BASE, 0);
		vgpu_user_fail_allocations_after(left);
		host_run(r.h);
		vgpu_user_fail_allocations_after(~0ull);
		assert_int_equal(the_fault(&r)->reason, VGPU_FAULT_NO_MEMORY);
		stop(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_local_by_the_page),
		cmocka_unit_test(test_scattered_local),
		cmocka_unit_test(test_no_page_of_local),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
