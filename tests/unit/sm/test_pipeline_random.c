// SPDX-License-Identifier: MIT
/*
 * Random accesses of warps whose lanes use device memory and memory of the process, which comes and
 * goes, on random hierarchies. Every thread has words of its own, so the result is that of
 * timing=interval whatever the pipeline does, and whether checks of the TLB may be put off or not.
 *
 * TEST_SEED, TEST_PROGRAMS: another first seed, another number of programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

#include "pipeline_rig.h"
#include "sim/random.h"

#define COMPARED	65536u
#define PROCESS_PAGES	64u

enum way { PUT_OFF, AT_ONCE, INTERVAL };

static struct vgpu_random seeded;

static u32 below(u32 limit)
{
	return (u32)(vgpu_random_next(&seeded) % limit);
}

static void choose_config(struct vgpu_config *config)
{
	static const char *const fields[][8] = {
		{ "fault_scheme", "stall", "wd-commit", "wd-lastcheck", "replay-queue",
		  "operand-log" },
		{ "icnt_cycles", "1", "7", "20", "46", "70" },
		{ "l2_tlb_cycles", "20", "70", "71", "21", "46" },
		{ "page_walk_ps", "0", "1", "1000", "500000", "3333" },
		{ "l1_tlb_mshrs", "0", "1", "32" },
		{ "page_walkers", "1", "2", "64" },
		{ "clock_khz", "1000000", "999983", "745000", "3000001" },
		{ "l1_tlb_cycles", "0", "1", "7", "40" },
		{ "overtake_stores", "0", "1" },
		{ "memory_queue", "32", "2", "64" },
		{ "sms", "1", "2", "5" },
		{ "l1_tlb_entries", "4", "32" },
	};

	assert_int_equal(vgpu_config_preset(config, "tanasic-ch6"), 0);
	set_field(config, "l1_tlb_ways", "2");
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(fields); n++) {
		u32 count = 1;

		while (count < VGPU_ARRAY_SIZE(fields[n]) && fields[n][count])
			count++;
		set_field(config, fields[n][0], fields[n][1 + below(count - 1)]);
	}
}

/* Q(@q) = a word of the thread, in a page that changes with @v's length; guard 1: who takes part */
static void choose_address(struct vass *v, u32 q)
{
	OPI(v, MUL, 20, 7, 2 * below(8) + 1);
	OPI(v, ADD, 20, 20, below(64));
	OPI(v, AND, 20, 20, (1u << below(7)) - 1);
	OPI(v, MADWU, q, 20, VGPU_PAGE_SIZE);
	v->code[v->count - 1].c = 2;
	OPI(v, MADWU, q, 7, 4);
	v->code[v->count - 1].c = (u8)q;
	OPI(v, AND, 21, 0, below(3) ? (1u << below(6)) - 1 : 0);
	OP(v, SETPS, VGPU_CMP_EQ | VGPU_F_IMM, 1, 21, 0, 0, 0);
	if (below(3))
		return;
	/* some lanes: the same in memory of the process */
	OPI(v, AND, 22, 0, (1u << below(5)) - 1);
	OP(v, SETPS, VGPU_CMP_EQ | VGPU_F_IMM, 0, 22, 0, 0, 0);
	OPI(v, ANDQ, 24, q, PROCESS_PAGES * VGPU_PAGE_SIZE - 1);
	OPI(v, ORQ, 24, 24, HOST_PROCESS);
	OP(v, MOVQ, 0, q, 0, 24, 0, 0);
	vass_guard(v, 0);
}

static void random_accesses(struct vass *v)
{
	prologue(v, 64);
	OP(v, SREG, 0, 7, 0, 0, 0, VGPU_SR_NTID_X);
	OP(v, MAD, 0, 7, 1, 7, 0, 0);
	for (u32 n = 0, count = 6 + below(20); n < count; n++) {
		u32 q = 10 + 2 * below(4);

		choose_address(v, q);
		switch (below(n > 5 ? 3 : 1)) {
		case 0:
			OP(v, STG, VASS_MEM(4, 1), 0, q, 7, 0, 0);
			break;
		case 1:
			OP(v, STG, VASS_MEM(4, 1), 0, q, 7, 0, 0);
			vass_guard(v, 1);
			OP(v, LDG, VASS_MEM(4, 1), 30 + below(8), q, 0, 0, 0);
			break;
		case 2:
			OP(v, ATOMG, VGPU_ATOM_ADD, 30 + below(8), q, 7, 0, 0);
			break;
		}
		vass_guard(v, 1);
	}
	for (u32 n = 31; n < 38; n++)
		OP(v, XOR, 0, 30, 30, n, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 4, 30, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* What the kernel waits for comes; sometimes a page goes again. */
static void serve_pages(struct rig *r)
{
	for (u32 n = 0; n < 4000 && r->h->process_wants; n++) {
		serve_process_pages(r);
		if (!below(3))
			r->h->process_pages[below(PROCESS_PAGES)] = HOST_PAGE_NONE;
		host_run(r->h);
	}
}

/* Program @seed; @bytes: what memory begins with in the end */
static void run(u64 seed, enum way way, u8 *bytes)
{
	struct vgpu_config config;
	struct vass v;
	struct rig r;

	vgpu_random_seed(&seeded, seed);
	choose_config(&config);
	set_field(&config, "timing", way == INTERVAL ? "interval" : "pipeline");
	set_field(&config, "memory_model", "caches");
	r = start_pipeline(&config);
	/* memory that may move: the MMU is asked at once */
	if (way == AT_ONCE)
		assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, 2 * BASE,
							 VGPU_PAGE_SIZE), 0);
	assert_int_equal(vgpu_process_enable(r.h->dev, r.context), 0);
	if (below(2))
		memset(r.h->process_pages, HOST_PAGE_WRITE, HOST_PROCESS_PAGES);
	random_accesses(&v);
	program(&r, &v);
	launch(&r, 1 + below(4), 32 * (1 + below(8)), BASE, 0);
	host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE, COMPARED));
	host_run(r.h);
	serve_pages(&r);
	assert_int_equal(r.h->fault_count, 0);
	assert_int_equal(r.h->completion_count, 2);
	memcpy(bytes, r.h->memory, COMPARED);
	stop(&r);
}

static u64 from_environment(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

static void the_order_of_the_program(void **state)
{
	static u8 want[COMPARED], got[COMPARED];
	u64 first = from_environment("TEST_SEED", 1),
	    count = from_environment("TEST_PROGRAMS", 700);

	(void)state;
	for (u64 seed = first; seed < first + count; seed++) {
		run(seed, INTERVAL, want);
		for (enum way way = PUT_OFF; way < INTERVAL; way++) {
			run(seed, way, got);
			if (memcmp(want, got, COMPARED))
				fail_msg("seed %llu: other memory with the pipeline, %s",
					 (unsigned long long)seed,
					 way == PUT_OFF ? "checks put off" : "asked at once");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_the_program),
	};

	return cmocka_run_group_tests_name("random accesses in the pipeline", tests, NULL, NULL);
}
