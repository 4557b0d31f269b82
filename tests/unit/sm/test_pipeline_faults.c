// SPDX-License-Identifier: MIT
/*
 * Page faults in the pipeline: what is computed must not depend on the fault scheme (Tanasic 6.3),
 * but does with the one that is wrong on purpose, by the two problems of 6.2. On paper, each lane:
 *
 *	R10 <- ld [Q2]        its page is not there: it faults
 *	Q2 <- Q2 + 4          RAW on replay: who reads Q2 again reads another word
 *	R8 <- R10 * 3
 *	R9 <- R9 - 4          sparse replay: who executes it twice has another sum
 *
 * Words are 100, 101, ...
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "device/device.h"
#include "pipeline_rig.h"

#define FAR	4u		/* bytes from one address to the other */
#define OUT	65536u		/* where results are: R8, then R9 */
#define LANES	32u

static const char *const schemes[] = {
	"stall", "wd-commit", "wd-lastcheck", "replay-queue", "operand-log",
};

static void hazards(struct vass *v)
{
	vass_init(v, 24, 16);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_LANEID);
	OPI(v, SHL, 1, 0, 2);
	OP(v, ZXQ, 0, 12, 1, 0, 0, 0);
	OP(v, ADDQ, 0, 2, 2, 12, 0, 0);	/* Q2 = base + 4 * lane */
	OPI(v, MOV, 9, 0, 1000);
	OP(v, MOVQ, 0, 14, 0, 2, 0, 0);	/* Q14: where results go */
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OP(v, LDG, VASS_MEM(4, 1), 10, 2, 0, 0, 0);
	OPI(v, ADDQ, 2, 2, FAR);
	OPI(v, MUL, 8, 10, 3);
	OPI(v, SUB, 9, 9, 4);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 14, 8, 0, OUT);
	OP(v, STG, VASS_MEM(4, 1), 0, 14, 9, 0, OUT + 4096);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* Pages take 20 us to come; the content was copied before. */
static struct vgpu_config fault_config(const char *scheme, const char *memory)
{
	struct vgpu_config config = timeline_config(scheme);

	set_field(&config, "memory_model", memory);
	set_field(&config, "page_arrival_ps", "20000000");
	return config;
}

static void fill(struct rig *r)
{
	u32 *words = (u32 *)r->h->memory;

	for (u32 n = 0; n < 16384; n++)
		words[n] = 100 + n;
	host_push(r->h, r->context, r->queue, cmd_h2d(BASE, 0, 65536));
	host_run(r->h);
	memset(r->h->memory, 0, 65536);
}

static const u32 *compute(struct rig *r)
{
	struct vass v;

	hazards(&v);
	program(r, &v);
	launch(r, 1, LANES, BASE, 0);
	host_push(r->h, r->context, r->queue, cmd_d2h(0, BASE + OUT, 8192));
	host_run(r->h);
	assert_int_equal(r->h->fault_count, 0);
	return (const u32 *)r->h->memory;
}

static void every_scheme_computes_the_same(void **state)
{
	static const char *const memories[] = { "flat", "caches" };

	(void)state;
	for (u32 n = 0; n < 2 * sizeof(schemes) / sizeof(*schemes); n++) {
		const char *scheme = schemes[n / 2];
		struct vgpu_config config = fault_config(scheme, memories[n % 2]);
		struct rig r = start_pipeline(&config);
		const u32 *words;

		fill(&r);
		words = compute(&r);
		for (u32 l = 0; l < LANES; l++) {
			assert_int_equal(words[l], 3 * (100 + l));
			assert_int_equal(words[1024 + l], 996);
		}
		/* it has faulted, and what stall does is not replay */
		assert_true(host_count_of(r.h, VGPU_TRACE_PAGE_FAULT) > 0);
		assert_int_equal(traced_with(&r, VGPU_TRACED_REPLAYED) > 0,
				 strcmp(scheme, "stall") != 0);
		stop(&r);
	}
}

static void the_wrong_scheme_computes_something_else(void **state)
{
	struct vgpu_config config = fault_config("wrong", "flat");
	struct rig r = start_pipeline(&config);
	const u32 *words;

	(void)state;
	fill(&r);
	words = compute(&r);
	for (u32 l = 0; l < LANES; l++) {
		assert_int_not_equal(words[l], 3 * (100 + l));
		assert_true(words[1024 + l] < 996);
	}
	stop(&r);
}

/* What each scheme has to replay: of figure 6.7, ld and what could not be issued. */
static void what_is_replayed(void **state)
{
	static const u32 want[] = {
		0,	/* stall */
		1, 1,	/* the load, which holds its warp */
		3,	/* with add, which must not write what the load reads */
		2,	/* with mul, which needs its result */
	};

	(void)state;
	for (u32 n = 0; n < sizeof(schemes) / sizeof(*schemes); n++) {
		struct vgpu_config config = fault_config(schemes[n], "flat");
		struct rig r = start_pipeline(&config);
		u32 squashed;

		fill(&r);
		compute(&r);
		squashed = 0;
		for (size_t k = 0; k < r.h->record_count; k++) {
			const struct vgpu_trace_record *rec = &r.h->records[k];
			u32 pc = rec->queue & 0xffffff;

			squashed += rec->type == VGPU_TRACE_INSTRUCTION &&
				    rec->b & VGPU_TRACED_SQUASHED && pc >= 8 && pc < 12;
		}
		assert_int_equal(squashed, want[n]);
		stop(&r);
	}
}

#define PAGES	12u

/* So many loads, of a page each. */
static void many_pages(struct vass *v)
{
	vass_init(v, 24, 16);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	for (u32 n = 0; n < PAGES; n++)
		OP(v, LDG, VASS_MEM(4, 1), (u8)(8 + n), 2, 0, 0, 4096 * n);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* A walk takes @walk_ps; the kernel of many_pages() has been launched. */
static struct rig launch_many_pages(const char *scheme, const char *walk_ps)
{
	struct vgpu_config config = fault_config(scheme, "flat");
	struct rig r;
	struct vass v;

	set_field(&config, "l1_tlb_cycles", "1");
	set_field(&config, "page_walk_ps", walk_ps);
	set_field(&config, "operand_log_bytes", "65536");
	r = start_pipeline(&config);
	many_pages(&v);
	program(&r, &v);
	launch(&r, 1, LANES, BASE, 0);
	return r;
}

/*
 * That a page is not there is known when its table has been walked. Until then the warp goes on, if
 * its scheme lets it: loads that do not depend on each other fault at the same time.
 */
static void a_fault_is_known_after_the_walk(void **state)
{
	static const u32 want[] = { PAGES, 1, 1, PAGES, PAGES };

	(void)state;
	for (u32 n = 0; n < sizeof(schemes) / sizeof(*schemes); n++) {
		struct rig r = launch_many_pages(schemes[n], "500000");

		/* pages come after 20 us */
		vgpu_device_run(r.h->dev, r.h->dev->sim->now + 10000000, 100000);
		assert_int_equal(host_count_of(r.h, VGPU_TRACE_PAGE_FAULT), want[n]);
		host_run(r.h);
		assert_int_equal(host_count_of(r.h, VGPU_TRACE_PAGE_FAULT), PAGES);
		stop(&r);
	}
}

/*
 * A store, whose page is not there; a load of what it has stored; a load of another line and page.
 * @order: of the store.
 */
static void store_and_load(struct vass *v, u32 order)
{
	vass_init(v, 24, 16);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_LANEID);
	OPI(v, SHL, 1, 0, 2);
	OP(v, ZXQ, 0, 12, 1, 0, 0, 0);
	OP(v, ADDQ, 0, 2, 2, 12, 0, 0);
	OPI(v, MOV, 8, 0, 7);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 2, 8, 0, 0);
	vass_mem(v, order, order == VGPU_ORDER_WEAK ? 0 : VGPU_SCOPE_GPU,
		 VGPU_CACHE_NONE);
	OP(v, LDG, VASS_MEM(4, 1), 10, 2, 0, 0, 4096);
	OP(v, LDG, VASS_MEM(4, 1), 9, 2, 0, 0, 0);
	OP(v, ADD, 0, 11, 9, 10, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 2, 11, 0, OUT);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* An access overtakes the stores of its warp that wait, if they are weak and touch other lines. */
static void accesses_overtake_stores(void **state)
{
	static const u32 orders[] = { VGPU_ORDER_WEAK, VGPU_ORDER_RELAXED };

	(void)state;
	for (u32 n = 0; n < 4 * sizeof(schemes) / sizeof(*schemes); n++) {
		struct vgpu_config config = fault_config(schemes[n / 4], "caches");
		bool holds = n / 4 == 1 || n / 4 == 2;	/* the scheme, by the store */
		const u32 *words;
		struct rig r;
		struct vass v;

		set_field(&config, "page_walk_ps", "500000");
		set_field(&config, "overtake_stores", n & 2 ? "1" : "0");
		r = start_pipeline(&config);
		fill(&r);
		store_and_load(&v, orders[n % 2]);
		program(&r, &v);
		launch(&r, 1, LANES, BASE, 0);
		vgpu_device_run(r.h->dev, r.h->dev->sim->now + 10000000, 100000);
		assert_int_equal(host_count_of(r.h, VGPU_TRACE_PAGE_FAULT),
				 n % 4 == 2 && !holds ? 2 : 1);
		host_run(r.h);
		host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE + OUT, 4096));
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 0);
		words = (const u32 *)r.h->memory;
		for (u32 l = 0; l < LANES; l++)
			assert_int_equal(words[l], 7 + 100 + 1024 + l);
		stop(&r);
	}
}

/* The context closes when a page has been found missing, and the walk has not ended. */
static void a_context_dies_during_the_walk(void **state)
{
	(void)state;
	for (u32 n = 0; n < sizeof(schemes) / sizeof(*schemes); n++) {
		struct rig r = launch_many_pages(schemes[n], "5000000");

		while (!host_count_of(r.h, VGPU_TRACE_PAGE_FAULT))
			vgpu_device_run(r.h->dev, r.h->dev->sim->now + 100000, 100000);
		stop(&r);
	}
}

/* The scheme that goes back to the load does so also while the line behind it is missed. */
static void the_wrong_scheme_finds_its_code(void **state)
{
	struct vgpu_config config = fault_config("wrong", "flat");
	struct rig r;
	struct vass v;

	(void)state;
	set_field(&config, "l1i_bytes", "256");
	set_field(&config, "l1i_ways", "1");
	set_field(&config, "l1i_miss_cycles", "20000");
	r = start_pipeline(&config);
	vass_init(&v, 24, 16);
	OP(&v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	while (v.count < 14)
		OPI(&v, MOV, 9, 0, 1);
	OP(&v, BAR, 0, 0, 0, 0, 0, 0);
	/* the last instruction of its line */
	OP(&v, LDG, VASS_MEM(4, 1), 8, 2, 0, 0, 0);
	OPI(&v, MOV, 9, 0, 1);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, LANES, BASE, 0);
	vgpu_device_run(r.h->dev, r.h->dev->sim->now + 2000000000, 100000);
	assert_int_equal(host_count_of(r.h, VGPU_TRACE_BLOCK_END), 1);
	stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_scheme_computes_the_same),
		cmocka_unit_test(the_wrong_scheme_computes_something_else),
		cmocka_unit_test(what_is_replayed),
		cmocka_unit_test(a_fault_is_known_after_the_walk),
		cmocka_unit_test(accesses_overtake_stores),
		cmocka_unit_test(a_context_dies_during_the_walk),
		cmocka_unit_test(the_wrong_scheme_finds_its_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
