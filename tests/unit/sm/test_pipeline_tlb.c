// SPDX-License-Identifier: MIT
/*
 * Translations of accesses in the pipeline: each line has one check (Tanasic 6.3.1). A request that
 * has waited for its translation has it, whatever becomes of the entry meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "pipeline_rig.h"

#define LOADS	4u

/* Loads of @LOADS pages, none of which needs what another loads. */
static struct vgpu_account run_loads(const char *entries)
{
	struct vgpu_context_info info;
	struct vgpu_config config;
	struct vass v;
	struct rig r;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	set_field(&config, "timing", "pipeline");
	set_field(&config, "l1_tlb_entries", entries);
	set_field(&config, "l1_tlb_ways", entries);
	r = start_pipeline(&config);
	vass_init(&v, 16, 16);
	OP(&v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	for (u32 n = 0; n < LOADS; n++)
		OP(&v, LDG, VASS_MEM(4, 1), 8 + n, 2, 0, 0, n * VGPU_PAGE_SIZE);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	assert_int_equal(vgpu_context_info(r.h->dev, r.context, &info), 0);
	stop(&r);
	return info.account;
}

/*
 * Each walk takes many windows of the SM, and the next load takes the only entry. That the line is
 * sent in another window than it was checked in is no miss.
 */
static void an_entry_that_goes(void **state)
{
	struct vgpu_account one = run_loads("1"), all = run_loads("32");

	(void)state;
	assert_int_equal(all.tlb_misses, LOADS);
	assert_int_equal(all.page_walks, LOADS);
	assert_int_equal(one.tlb_misses, LOADS);
	assert_int_equal(one.page_walks, LOADS);
}

/*
 * A device whose windows put off what the TLB does not have, or, as a page of the context's memory
 * may move (@managed), ask at once.
 */
static struct rig start_windows(const char *scheme, const char *registers, bool managed)
{
	struct vgpu_config config = caches_config(scheme);
	struct rig r;

	set_field(&config, "l1_tlb_mshrs", registers);
	set_field(&config, "trace_pipeline", "1");
	/* none is replaced: which one is may differ */
	set_field(&config, "l1_tlb_entries", "128");
	/* who comes first makes the others wait */
	set_field(&config, "page_walkers", "2");
	r = start_pipeline(&config);
	if (managed)
		assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, 2 * BASE,
							 VGPU_PAGE_SIZE), 0);
	return r;
}

/* Q8 = a word of each thread in 16 pages, which the TLB has room for */
static void in_many_pages(struct vass *v)
{
	prologue(v, 32);
	OPI(v, AND, 10, 0, 15);
	OPI(v, MADWU, 8, 10, VGPU_PAGE_SIZE);
	v->code[v->count - 1].c = 2;
	OPI(v, MADWU, 8, 0, 4);
	v->code[v->count - 1].c = 8;
}

/* Loads, stores and atomics, some of which use a page while another brings it. */
static struct rig run_all_kinds(const char *scheme, const char *registers, bool managed)
{
	struct rig r = start_windows(scheme, registers, managed);
	struct vass v;

	in_many_pages(&v);
	/* two lines of each page in one window */
	OPI(&v, MADWU, 14, 0, VGPU_PAGE_SIZE / 2);
	v.code[v.count - 1].c = 2;
	OP(&v, LDG, VASS_MEM(4, 1), 10, 14, 0, 0, 0);
	OP(&v, STG, VASS_MEM(4, 1), 0, 8, 0, 0, 0);
	OP(&v, STG, VASS_MEM(4, 1), 0, 4, 6, 0, 1024);
	OP(&v, LDG, VASS_MEM(4, 1), 10, 8, 0, 0, 0);
	OP(&v, LDG, VASS_MEM(4, 1), 11, 4, 0, 0, 1024);
	OP(&v, ADD, 0, 10, 10, 11, 0, 0);
	OP(&v, ATOMG, VGPU_ATOM_ADD, 12, 8, 10, 0, 0);
	OP(&v, STG, VASS_MEM(4, 1), 0, 8, 12, 0, 4);
	OP(&v, LDG, VASS_MEM(4, 1), 13, 8, 0, 0, 0);
	OP(&v, STG, VASS_MEM(4, 1), 0, 4, 13, 0, 2048);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 64, BASE, 0);
	host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE, 65536));
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	return r;
}

static void compare_windows(const char *scheme, const char *registers)
{
	struct rig late = run_all_kinds(scheme, registers, false);
	struct rig at_once = run_all_kinds(scheme, registers, true);
	struct vgpu_context_info a_info, b_info;
	u32 traced = traced_with(&late, 0);

	assert_true(traced > 20);
	assert_int_equal(traced_with(&at_once, 0), traced);
	assert_int_equal(late.h->record_count, at_once.h->record_count);
	for (size_t n = 0; n < late.h->record_count; n++)
		if (late.h->records[n].type == VGPU_TRACE_INSTRUCTION)
			assert_memory_equal(&late.h->records[n], &at_once.h->records[n],
					    sizeof(late.h->records[n]));
	assert_memory_equal(late.h->memory, at_once.h->memory, 65536);
	/* thread 33 has added to what it stored */
	assert_int_equal(((u32 *)late.h->memory)[512 + 33], 33 + 33 + 4 * 33);
	assert_int_equal(vgpu_context_info(late.h->dev, late.context, &a_info), 0);
	assert_int_equal(vgpu_context_info(at_once.h->dev, at_once.context, &b_info), 0);
	assert_memory_equal(&a_info.account, &b_info.account, sizeof(a_info.account));
	vgpu_context_close(late.h->dev, late.context);
	host_leave(late.h);
	stop(&at_once);
}

/* What is put off is answered for the cycle in which it was due. */
static void a_miss_that_waits_for_the_end_of_its_window(void **state)
{
	static const char *const schemes[] = { "stall", "wd-commit", "replay-queue",
					       "operand-log" };
	static const char *const registers[] = { "32", "3", "2", "1", "0" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(schemes); n++)
		for (u32 r = 0; r < VGPU_ARRAY_SIZE(registers); r++)
			compare_windows(schemes[n], registers[r]);
}

/* ---- miss registers ------------------------------------------------------ */

static struct rig start_registers(const char *registers)
{
	struct vgpu_config config = caches_config("stall");

	set_field(&config, "l1_tlb_mshrs", registers);
	set_field(&config, "page_walkers", "1");
	set_field(&config, "blocks_per_sm", "1");
	set_field(&config, "trace_pipeline", "1");
	return start_pipeline(&config);
}

/*
 * Loads of a page that the TLB has, of two that it does not have, and of the first again: from when
 * the first that misses is issued until the last is there.
 */
static u64 cycles_of_hit(const char *registers)
{
	struct rig r = start_registers(registers);
	u32 miss, hit;
	struct vass v;
	u64 cycles;

	vass_init(&v, 16, 16);
	OP(&v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(&v, LDG, VASS_MEM(4, 1), 8, 2, 0, 0, 0);
	OPI(&v, AND, 8, 8, 0);
	OPI(&v, MADWU, 4, 8, 4);
	v.code[v.count - 1].c = 2;
	miss = OP(&v, LDG, VASS_MEM(4, 1), 9, 4, 0, 0, VGPU_PAGE_SIZE);
	OP(&v, LDG, VASS_MEM(4, 1), 10, 4, 0, 0, 2 * VGPU_PAGE_SIZE);
	hit = OP(&v, LDG, VASS_MEM(4, 1), 11, 4, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	cycles = stages_of(&r, hit).commit - stages_of(&r, miss).issue;
	stop(&r);
	return cycles;
}

/* The unit makes its checks in their order. */
static void what_is_behind_a_miss_without_a_register_waits(void **state)
{
	(void)state;
	assert_in_range(cycles_of_hit("0"), 40, 60);
	assert_in_range(cycles_of_hit("2"), 40, 60);
	assert_in_range(cycles_of_hit("1"), 500 + 70 + 40, 500 + 70 + 60);
}

/* A load of another page by block 1 on SM 1, while the second of block 0 waits for a register. */
static void a_miss_without_a_register_takes_no_walker(void **state)
{
	struct rig r = start_registers("1");
	struct vgpu_context_info info;
	u32 second, other;
	struct vass v;

	(void)state;
	vass_init(&v, 16, 16);
	OP(&v, SREG, 0, 0, 0, 0, 0, VGPU_SR_CTAID_X);
	OP(&v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(&v, SETPS, VGPU_CMP_EQ | VGPU_F_IMM, 0, 0, 0, 0, 0);
	OP(&v, LDG, VASS_MEM(4, 1), 8, 2, 0, 0, 0);
	vass_guard(&v, 0);
	second = OP(&v, LDG, VASS_MEM(4, 1), 9, 2, 0, 0, VGPU_PAGE_SIZE);
	vass_guard(&v, 0);
	/* as many cycles that less than the first walk has passed */
	for (u32 n = 0; n < 10; n++)
		OPI(&v, ADD, 0, 0, 1);
	OPI(&v, AND, 0, 0, 0);
	OPI(&v, MADWU, 4, 0, 4);
	v.code[v.count - 1].c = 2;
	other = OP(&v, LDG, VASS_MEM(4, 1), 10, 4, 0, 0, 2 * VGPU_PAGE_SIZE);
	vass_guard(&v, VGPU_P_NOT | 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 2, 32, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	assert_in_range(stages_of(&r, second).commit - stages_of(&r, other).commit, 480, 520);
	/*
	 * The second waited for its register, 570 cycles, and then for the walk of the other, which
	 * had waited for that of the first.
	 */
	assert_int_equal(vgpu_context_info(r.h->dev, r.context, &info), 0);
	assert_in_range(info.account.page_walk_wait / 1000, 1150, 1300);
	stop(&r);
}

/* @op by 32 lanes, of which one has a bad address, and one is behind it. */
static void run_bad_lane(u32 op, bool managed)
{
	struct rig r = start_windows("stall", "32", managed);
	const struct vgpu_fault *fault;
	u32 word = 0;
	struct vass v;

	in_many_pages(&v);
	/* the first lane's page is there, that of lane 9 is not */
	OP(&v, STG, VASS_MEM(4, 1), 0, 2, 0, 0, 8);
	OP(&v, SETPS, VGPU_CMP_EQ | VGPU_F_IMM, 0, 0, 0, 0, 9);
	OP(&v, ADDQ, VGPU_F_IMM, 8, 8, 0, 0, BYTES);
	vass_guard(&v, 0);
	vass_op(&v, op, VASS_MEM(4, 1), op == VGPU_OP_LDG ? 10 : 0, 8,
		op == VGPU_OP_LDG ? 0 : 6, 0, 0);
	epilogue(&v, 6);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	fault = the_fault(&r);
	assert_int_equal(fault->reason, VGPU_FAULT_UNMAPPED);
	assert_int_equal(fault->thread[0], 9);
	assert_int_equal(fault->address, BASE + BYTES + 9 * (VGPU_PAGE_SIZE + 4));
	assert_int_equal(fault->pc, v.count - 3);
	/* a store has no effect before all of its checks */
	if (!vgpu_memory_peek(r.h->dev, r.context, BASE + VGPU_PAGE_SIZE + 4, &word, 4))
		assert_int_equal(word, 0);
	stop(&r);
}

static void a_bad_address_among_those_that_wait(void **state)
{
	(void)state;
	for (u32 managed = 0; managed < 2; managed++) {
		run_bad_lane(VGPU_OP_LDG, managed);
		run_bad_lane(VGPU_OP_STG, managed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_that_goes),
		cmocka_unit_test(a_miss_that_waits_for_the_end_of_its_window),
		cmocka_unit_test(what_is_behind_a_miss_without_a_register_waits),
		cmocka_unit_test(a_miss_without_a_register_takes_no_walker),
		cmocka_unit_test(a_bad_address_among_those_that_wait),
	};

	return cmocka_run_group_tests_name("translations in the pipeline", tests, NULL, NULL);
}
