// SPDX-License-Identifier: MIT
/*
 * What a translation costs (mmu/l2_tlb.h, mmu/walkers.h): the L2 TLB that all SMs share, its miss
 * registers and the page table walkers, with times computed by hand; which entries go, and when.
 */
#include <stdlib.h>
#include <string.h>

#include "../device/host.h"
#include "device/device.h"
#include "mmu/address_space.h"
#include "vass_build.h"

#define BASE	0x10000000ull
#define PAGES	1024u
#define PAGE	VGPU_PAGE_SIZE
#define LOOKUP	(70 * VGPU_NS)	/* 70 cycles of 1 ns */
#define WALK	(500 * VGPU_NS)
#define WAYS	4u
#define SETS	4u

struct rig {
	struct host *h;
	struct vgpu_address_space *as[2];
	u32 context[2];
};

/* Two contexts; an L2 TLB of 4 sets of 4, @mshrs and @walkers */
static struct rig start(const char *mshrs, const char *walkers)
{
	struct rig r = { .h = host_new("k20c", "sms=2", "clock_khz=1000000", "l2_tlb_entries=16",
				       "l2_tlb_ways=4", "l2_tlb_cycles=70", mshrs, walkers,
				       "page_walk_ps=500000", NULL) };

	for (u32 n = 0; n < 2; n++) {
		r.context[n] = host_open(r.h);
		r.as[n] = vgpu_context_find(r.h->dev, r.context[n])->as;
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context[n], BASE, PAGES * PAGE), 0);
	}
	return r;
}

/* What the access of one lane to page @page costs that begins at @elapsed; a TLB has missed it. */
static u64 cost(struct rig *r, u32 n, u32 page, u64 elapsed, enum vgpu_access_kind kind)
{
	u64 address = BASE + page * PAGE;
	struct vgpu_access access = {
		.kind = kind, .lanes = 1, .bytes = 4, .elapsed = elapsed, .address = &address,
	};
	struct vgpu_page_waiter waiter = {};
	struct vgpu_access_answer answer;

	assert_int_equal(vgpu_mmu_access(r->as[n], &access, &waiter, &answer), VGPU_ACCESS_OK);
	return answer.cost_ps;
}

static u64 load(struct rig *r, u32 n, u32 page, u64 elapsed)
{
	return cost(r, n, page, elapsed, VGPU_ACCESS_LOAD);
}

static struct vgpu_account account(struct rig *r, u32 n)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(r->h->dev, r->context[n], &info), 0);
	return info.account;
}

/* Let time go by: until then what is in flight has come. */
static void wait(struct rig *r, u64 ps)
{
	u32 queue = host_queue(r->h, r->context[0]);

	host_push(r->h, r->context[0], queue, cmd_profiled(1, ps, 1));
	host_run(r->h);
}

static void a_miss_walks_and_a_hit_does_not(void **state)
{
	struct rig r = start("l2_tlb_mshrs=8", "page_walkers=2");

	(void)state;
	assert_int_equal(load(&r, 0, 1, 0), LOOKUP + WALK);
	/* the walk has ended: at its end to the picosecond, the lookup included */
	assert_int_equal(load(&r, 0, 1, WALK), LOOKUP);
	assert_int_equal(load(&r, 0, 1, 3 * WALK), LOOKUP);
	/* another context has pages of its own at the same address */
	assert_int_equal(load(&r, 1, 1, 3 * WALK), LOOKUP + WALK);
	assert_int_equal(account(&r, 0).tlb_misses, 3);
	assert_int_equal(account(&r, 0).l2_tlb_hits, 2);
	assert_int_equal(account(&r, 0).l2_tlb_misses, 1);
	assert_int_equal(account(&r, 0).page_walks, 1);
	assert_int_equal(account(&r, 0).page_walk_wait, 0);
	assert_int_equal(account(&r, 1).tlb_misses, 1);
	assert_int_equal(account(&r, 1).page_walks, 1);
	host_free(r.h);
}

static void walkers_are_waited_for(void **state)
{
	struct rig r = start("l2_tlb_mshrs=8", "page_walkers=2");

	(void)state;
	assert_int_equal(load(&r, 0, 0, 0), LOOKUP + WALK);
	assert_int_equal(load(&r, 1, 1, 0), LOOKUP + WALK);
	/*
	 * Walkers are reserved from the beginning of the slice, so a walker that has begun is free
	 * a lookup earlier than its miss is served.
	 */
	assert_int_equal(load(&r, 0, 2, 0), 2 * WALK);
	assert_int_equal(load(&r, 1, 3, 0), 2 * WALK);
	assert_int_equal(load(&r, 0, 4, 0), 3 * WALK);
	assert_int_equal(account(&r, 0).page_walk_wait, WALK - LOOKUP + 2 * WALK - LOOKUP);
	assert_int_equal(account(&r, 1).page_walk_wait, WALK - LOOKUP);
	/* One that comes when a walker is free again does not wait. */
	assert_int_equal(load(&r, 1, 5, 2 * WALK), LOOKUP + WALK);
	assert_int_equal(account(&r, 1).page_walk_wait, WALK - LOOKUP);
	/* Later, all are free. */
	wait(&r, 10 * WALK);
	assert_int_equal(load(&r, 1, 6, 0), LOOKUP + WALK);
	assert_int_equal(load(&r, 1, 7, 0), LOOKUP + WALK);
	assert_int_equal(load(&r, 1, 8, 0), 2 * WALK);
	host_free(r.h);
}

static void registers_are_waited_for(void **state)
{
	struct rig r = start("l2_tlb_mshrs=1", "page_walkers=8");

	(void)state;
	/* As with one walker: the register is in use until the translation has come. */
	assert_int_equal(load(&r, 0, 0, 0), LOOKUP + WALK);
	assert_int_equal(load(&r, 0, 1, 0), 2 * WALK);
	assert_int_equal(load(&r, 0, 2, 0), 3 * WALK);
	/* what is in flight takes no further one, wherever it waits */
	assert_int_equal(load(&r, 0, 2, 0), 3 * WALK);
	assert_int_equal(account(&r, 0).page_walks, 3);
	host_free(r.h);
}

static void misses_of_the_same_page_share_a_walk(void **state)
{
	struct rig r = start("l2_tlb_mshrs=8", "page_walkers=1");

	(void)state;
	/* two SMs: each TLB has missed it */
	assert_int_equal(load(&r, 0, 1, 0), LOOKUP + WALK);
	assert_int_equal(load(&r, 0, 1, 0), LOOKUP + WALK);
	assert_int_equal(load(&r, 0, 1, 100 * VGPU_NS), LOOKUP + WALK - 100 * VGPU_NS);
	assert_int_equal(account(&r, 0).l2_tlb_misses, 3);
	assert_int_equal(account(&r, 0).page_walks, 1);
	/* the same page of another context is another one, which waits for the walker */
	assert_int_equal(load(&r, 1, 1, 0), 2 * WALK);
	/*
	 * A miss that another SM has in its slice, earlier in time than the one that is known: it
	 * asked first.
	 */
	wait(&r, 10 * WALK);
	assert_int_equal(load(&r, 0, 2, 900 * VGPU_NS), LOOKUP + WALK);
	assert_int_equal(load(&r, 0, 2, 100 * VGPU_NS), LOOKUP + WALK);
	assert_int_equal(load(&r, 0, 2, 100 * VGPU_NS + WALK), LOOKUP);
	assert_int_equal(load(&r, 0, 2, 0), LOOKUP + WALK);
	assert_int_equal(account(&r, 0).page_walks, 2);
	host_free(r.h);
}

/* More pages of a set in flight than it has ways: their walks are known by the registers. */
static void a_walk_is_shared_when_its_entry_has_gone(void **state)
{
	struct rig r = start("l2_tlb_mshrs=8", "page_walkers=8");

	(void)state;
	for (u32 n = 0; n < WAYS + 1; n++)
		assert_int_equal(load(&r, 0, n * SETS, 0), LOOKUP + WALK);
	assert_int_equal(load(&r, 0, 0, 100 * VGPU_NS), LOOKUP + WALK - 100 * VGPU_NS);
	assert_int_equal(account(&r, 0).page_walks, WAYS + 1);
	/* not when it is not in flight any more; and page 1 was replaced for page 0 */
	assert_int_equal(load(&r, 0, 0, 2 * WALK), LOOKUP);
	assert_int_equal(load(&r, 0, SETS, 2 * WALK), LOOKUP + WALK);
	host_free(r.h);
}

static void what_was_used_longest_ago_is_replaced(void **state)
{
	struct rig r = start("l2_tlb_mshrs=8", "page_walkers=8");
	u64 late = 0;

	(void)state;
	for (u32 n = 0; n < WAYS; n++)
		load(&r, 0, n * SETS, late += WALK);
	load(&r, 0, 1, late);			/* of another set */
	late += WALK;
	assert_int_equal(load(&r, 0, 0, late), LOOKUP);
	late += WALK;
	load(&r, 0, WAYS * SETS, late);		/* for the second, not the first */
	late += WALK;
	assert_int_equal(load(&r, 0, 0, late), LOOKUP);
	assert_int_equal(load(&r, 0, 2 * SETS, late), LOOKUP);
	assert_int_equal(load(&r, 0, 3 * SETS, late), LOOKUP);
	assert_int_equal(load(&r, 0, WAYS * SETS, late), LOOKUP);
	assert_int_equal(load(&r, 0, 1, late), LOOKUP);
	assert_int_equal(load(&r, 0, SETS, late), LOOKUP + WALK);
	host_free(r.h);
}

static void invalidations_are_exact(void **state)
{
	/* pages of a range that is smaller than the sets are looked up, of a larger one searched */
	const struct {
		u32 first, count;
	} ranges[] = { { 5, 1 }, { 4, 2 }, { 0, SETS }, { 6, 1000 } };

	(void)state;
	for (u32 i = 0; i < 4; i++) {
		struct rig r = start("l2_tlb_mshrs=8", "page_walkers=8");
		u32 first = ranges[i].first, last = first + ranges[i].count - 1;

		for (u32 n = 0; n < 2; n++)
			for (u32 page = 0; page < 8; page++)
				load(&r, n, page, 0);
		wait(&r, 10 * WALK);
		vgpu_as_invalidate(r.as[0], BASE + first * PAGE, ranges[i].count * PAGE);
		for (u32 page = 0; page < 8; page++) {
			bool went = page >= first && page <= last;

			assert_int_equal(load(&r, 1, page, 0), LOOKUP);
			assert_int_equal(load(&r, 0, page, 0), LOOKUP + (went ? WALK : 0));
		}
		host_free(r.h);
	}
}

static void an_address_space_takes_its_own(void **state)
{
	struct rig r = start("l2_tlb_mshrs=8", "page_walkers=8");
	const struct vgpu_l2_tlb *tlb = &r.h->dev->mmu.l2_tlb;

	(void)state;
	for (u32 page = 0; page < 8; page++)
		load(&r, page % 2, page, 0);
	assert_int_equal(vgpu_context_close(r.h->dev, r.context[1]), 0);
	for (u32 n = 0; n < SETS * WAYS; n++)
		assert_int_not_equal(tlb->entries[n].context, r.context[1]);
	for (u32 n = 0; n < 8; n++)
		assert_int_not_equal(tlb->walkers.mshrs[n].context, r.context[1]);
	wait(&r, 10 * WALK);
	for (u32 page = 0; page < 8; page += 2)
		assert_int_equal(load(&r, 0, page, 0), LOOKUP);
	host_free(r.h);
}

/* Neither an entry nor a walk that is in flight outlives the mapping. */
static void a_translation_ends_with_its_mapping(void **state)
{
	struct rig r = start("l2_tlb_mshrs=8", "page_walkers=8");

	(void)state;
	for (u32 waits = 0; waits < 2; waits++) {
		load(&r, 0, 3, 0);
		load(&r, 1, 3, 0);
		if (waits)
			wait(&r, 10 * WALK);
		assert_int_equal(vgpu_memory_unmap(r.h->dev, r.context[0], BASE, PAGES * PAGE), 0);
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context[0], BASE, PAGES * PAGE), 0);
		assert_int_equal(load(&r, 0, 3, 100 * VGPU_NS), LOOKUP + WALK);
		assert_int_equal(load(&r, 1, 3, 100 * VGPU_NS),
				 LOOKUP + (waits ? 0 : WALK - 100 * VGPU_NS));
		wait(&r, 10 * WALK);
	}
	host_free(r.h);
}

/* A page that was read as zeros has another translation once it is written. */
static void a_first_write_walks_again(void **state)
{
	struct rig r = start("l2_tlb_mshrs=8", "page_walkers=8");

	(void)state;
	load(&r, 0, 3, 0);
	wait(&r, 10 * WALK);
	assert_int_equal(load(&r, 0, 3, 0), LOOKUP);
	assert_int_equal(cost(&r, 0, 3, 0, VGPU_ACCESS_STORE), LOOKUP + WALK);
	wait(&r, 10 * WALK);
	assert_int_equal(cost(&r, 0, 3, 0, VGPU_ACCESS_ATOMIC), LOOKUP);
	host_free(r.h);
}

static void shapes_that_cannot_be_are_refused(void **state)
{
	struct vgpu_config c;

	(void)state;
	assert_int_equal(vgpu_config_preset(&c, "tanasic-ch6"), 0);
	assert_null(vgpu_config_check(&c));
	c.l1_tlb_ways = 5;
	assert_non_null(vgpu_config_check(&c));
	c.l1_tlb_ways = 0;
	assert_non_null(vgpu_config_check(&c));
	c.l1_tlb_entries = 0;
	assert_null(vgpu_config_check(&c));
	c.l2_tlb_entries = 1023;
	assert_non_null(vgpu_config_check(&c));
	c.l2_tlb_entries = 1024;
	c.l2_tlb_ways = 0;
	assert_non_null(vgpu_config_check(&c));
	c.l2_tlb_ways = 1024;
	assert_null(vgpu_config_check(&c));
	c.l2_tlb_mshrs = 0;
	assert_non_null(vgpu_config_check(&c));
	c.l2_tlb_mshrs = 1;
	c.page_walkers = 0;
	assert_non_null(vgpu_config_check(&c));
	c.l2_tlb_entries = 0;
	assert_null(vgpu_config_check(&c));
}

static void what_is_not_mapped_is_not_entered(void **state)
{
	struct rig r = start("l2_tlb_mshrs=8", "page_walkers=8");
	u64 address = BASE + PAGES * PAGE;
	struct vgpu_access access = { .lanes = 1, .bytes = 4, .address = &address };
	struct vgpu_page_waiter waiter = {};
	struct vgpu_access_answer answer;

	(void)state;
	assert_int_equal(vgpu_mmu_access(r.as[0], &access, &waiter, &answer), VGPU_ACCESS_FAULT);
	for (u32 n = 0; n < SETS * WAYS; n++)
		assert_int_equal(r.h->dev->mmu.l2_tlb.entries[n].context, 0);
	host_free(r.h);
}

/* ---- kernels ------------------------------------------------------------ */

/* @blocks of @threads execute @v on @queue of the first context. */
static void run_code(struct rig *r, u32 queue, const struct vass *v, u32 blocks, u32 threads)
{
	struct vgpu_cmd cmd = {
		.op = VGPU_CMD_LAUNCH,
		.launch = { .grid = { blocks, 1, 1 }, .block = { threads, 1, 1 } },
	};
	char message[256] = "";
	u32 bytes, module;
	void *binary = vass_binary(v, &bytes);

	if (vgpu_module_load(r->h->dev, r->context[0], binary, bytes, message, sizeof(message),
			     &module))
		fail_msg("%s", message);
	free(binary);
	cmd.launch.module = module;
	assert_int_equal(host_try(r->h, r->context[0], queue, &cmd, 0, NULL), 0);
	host_run(r->h);
}

/*
 * Every lane of one warp reads @stride bytes behind the one before, @times; time of the kernel.
 * @info: of the context afterwards
 */
static u64 run(u32 stride, u32 times, const char *l1, const char *l2, const char *walkers,
	       struct vgpu_account *info)
{
	struct host *h = host_new("k20c", "sms=1", "clock_khz=1000000", l1, l2, "l2_tlb_ways=8",
				  "l2_tlb_cycles=70", "l2_tlb_mshrs=128", walkers,
				  "page_walk_ps=500000", NULL);
	struct rig r = { .h = h, .context = { host_open(h) } };
	u32 queue = host_queue(h, r.context[0]);
	struct vass v;
	u64 time;

	vgpu_memory_map(h->dev, r.context[0], BASE, PAGES * PAGE);
	vass_init(&v, 26, 0);
	OP(&v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(&v, MOVQ, VGPU_F_IMM, 2, 0, 0, 0, BASE);
	OPI(&v, MADWU, 8, 0, stride);
	v.code[v.count - 1].c = 2;
	for (u32 n = 0; n < times; n++)
		OP(&v, LDG, VASS_MEM(4, 1), 11, 8, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	run_code(&r, queue, &v, 1, 32);
	assert_int_equal(h->fault_count, 0);
	time = host_done(h, r.context[0], queue, 1)->time;
	*info = account(&r, 0);
	host_free(h);
	return time;
}

/* The misses of one instruction are in flight together; one after the other without an L2 TLB. */
static void misses_of_an_instruction_overlap(void **state)
{
	struct vgpu_account info;
	u64 none, alone, all, two;

	(void)state;
	none = run(4, 1, "l1_tlb_entries=0", "l2_tlb_entries=0", "page_walkers=0", &info);
	assert_int_equal(info.tlb_misses, 1);
	assert_int_equal(info.page_walks, 1);
	assert_int_equal(info.l2_tlb_hits + info.l2_tlb_misses, 0);
	alone = run(4, 1, "l1_tlb_entries=0", "l2_tlb_entries=1024", "page_walkers=64", &info);
	assert_int_equal(alone, none + LOOKUP);
	assert_int_equal(info.tlb_misses, 1);
	all = run(PAGE, 1, "l1_tlb_entries=0", "l2_tlb_entries=1024", "page_walkers=64", &info);
	assert_int_equal(info.tlb_misses, 32);
	assert_int_equal(info.l2_tlb_misses, 32);
	assert_int_equal(info.page_walks, 32);
	assert_int_equal(all, alone);
	two = run(PAGE, 1, "l1_tlb_entries=0", "l2_tlb_entries=1024", "page_walkers=2", &info);
	/* The last of 16 on a walker; the miss is in the beginning, behind four instructions. */
	assert_in_range(two - alone, 15 * WALK - LOOKUP - 50 * VGPU_NS, 15 * WALK - LOOKUP);
	none = run(PAGE, 1, "l1_tlb_entries=0", "l2_tlb_entries=0", "page_walkers=0", &info);
	assert_int_equal(info.page_walks, 32);
	assert_int_equal(none, all - LOOKUP + 31 * WALK);
}

/* The addresses of a warp: lane n is @step times as many bytes behind as @of it says. */
struct pattern {
	u32 op;		/* LDG or STG */
	u32 and;	/* of the lane's number */
	u32 step;
};

/*
 * Time of a kernel whose warps access so pages that are there. @managed: the context has managed
 * memory, too, so that a page may have to be fetched.
 */
static u64 run_pattern(const struct pattern *p, bool managed, struct vgpu_account *info)
{
	struct host *h = host_new("k20c", "sms=1", "page_walk_ps=500000", NULL);
	struct rig r = { .h = h, .context = { host_open(h) } };
	u32 queue = host_queue(h, r.context[0]);
	struct vass v;
	u64 time;

	vgpu_memory_map(h->dev, r.context[0], BASE, PAGES * PAGE);
	if (managed)
		assert_int_equal(vgpu_memory_map_managed(h->dev, r.context[0], HOST_MANAGED,
							 PAGE), 0);
	/* page 20 has not been written */
	host_push(h, r.context[0], queue, cmd_fill(BASE, 20 * PAGE / 4, 1, 4));
	host_push(h, r.context[0], queue,
		  cmd_fill(BASE + 21 * PAGE, (PAGES - 21) * PAGE / 4, 1, 4));
	host_run(h);
	vass_init(&v, 26, 0);
	OP(&v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(&v, MOVQ, VGPU_F_IMM, 2, 0, 0, 0, BASE);
	OPI(&v, AND, 1, 0, p->and);
	OPI(&v, MADWU, 8, 1, p->step);
	v.code[v.count - 1].c = 2;
	for (u32 n = 0; n < 8; n++) {
		vass_op(&v, p->op, VASS_MEM(4, 1), p->op == VGPU_OP_LDG ? 11 : 0, 8, 0, 0, 0);
		OPI(&v, ADDQ, 8, 8, PAGE);
	}
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	run_code(&r, queue, &v, 2, 64);
	assert_int_equal(h->fault_count, 0);
	time = host_done(h, r.context[0], queue, 3)->time;
	*info = account(&r, 0);
	host_free(h);
	return time;
}

/* Pages that stay are looked for in a shorter way, which makes no difference. */
static void the_shorter_way_takes_the_same_time(void **state)
{
	static const struct pattern patterns[] = {
		{ VGPU_OP_LDG, 31, 4 },		/* a row */
		{ VGPU_OP_LDG, 31, 132 },	/* lanes in two pages */
		{ VGPU_OP_LDG, 31, PAGE },	/* as many pages as lanes */
		{ VGPU_OP_STG, 31, PAGE },
		{ VGPU_OP_LDG, 1, PAGE },	/* in turn: each page misses once */
		{ VGPU_OP_STG, 3, 5 * PAGE },
		{ VGPU_OP_LDG, 30, PAGE },
		{ VGPU_OP_STG, 63, PAGE / 4 },
		{ VGPU_OP_LDG, 1, 256 * PAGE },	/* in one entry of the TLB */
		{ VGPU_OP_STG, 3, 256 * PAGE },
	};
	struct vgpu_account shorter, longer;

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(patterns); n++) {
		u64 time = run_pattern(&patterns[n], false, &shorter);

		assert_int_equal(time, run_pattern(&patterns[n], true, &longer));
		assert_int_equal(shorter.tlb_misses, longer.tlb_misses);
		assert_int_equal(shorter.page_walks, longer.page_walks);
		assert_memory_equal(&shorter, &longer, sizeof(shorter));
	}
}

/*
 * The fault of a warp whose first lane's page is there, lane 1 uses @second, and all others what is
 * not mapped; @known: the TLB has the page, @managed as above. @info: of the context afterwards
 */
static struct vgpu_fault run_fault(u32 op, u64 second, bool known, bool managed,
				   struct vgpu_account *info)
{
	struct host *h = host_new("k20c", "sms=1", "page_walk_ps=500000", NULL);
	struct rig r = { .h = h, .context = { host_open(h) } };
	u32 queue = host_queue(h, r.context[0]);
	u64 *address = (u64 *)h->memory;
	struct vgpu_fault fault;
	struct vass v;

	vgpu_memory_map(h->dev, r.context[0], BASE, PAGES * PAGE);
	if (managed)
		assert_int_equal(vgpu_memory_map_managed(h->dev, r.context[0], HOST_MANAGED,
							 PAGE), 0);
	for (u32 lane = 0; lane < 32; lane++)
		address[lane] = lane == 0 ? BASE + PAGE : lane == 1 ? second :
				BASE + 2 * PAGES * PAGE;
	host_push(h, r.context[0], queue, cmd_h2d(BASE, 0, 32 * sizeof(*address)));
	host_push(h, r.context[0], queue, cmd_fill(BASE + PAGE, PAGE / 4, 1, 4));
	host_run(h);
	vass_init(&v, 26, 0);
	OP(&v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(&v, MOVQ, VGPU_F_IMM, 2, 0, 0, 0, BASE);
	OPI(&v, MADWU, 4, 0, 8);
	v.code[v.count - 1].c = 2;
	OP(&v, LDG, VASS_MEM(8, 1), 8, 4, 0, 0, 0);
	if (known)
		OP(&v, STG, VASS_MEM(4, 1), 0, 2, 0, 0, PAGE);
	vass_op(&v, op, VASS_MEM(4, 1), op == VGPU_OP_LDG ? 11 : 0, 8, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	run_code(&r, queue, &v, 1, 32);
	assert_int_equal(h->fault_count, 1);
	fault = h->faults[0];
	*info = account(&r, 0);
	host_free(h);
	return fault;
}

/* What is wrong does not depend on what the TLB has, nor on how the others' pages are found. */
static void the_first_lane_that_is_wrong_is_reported(void **state)
{
	static const u64 second[] = { BASE + PAGE + 2, VGPU_ADDRESS_LIMIT, BASE + PAGE + 4 };
	static const u32 lanes[] = { 1, 1, 2 };
	struct vgpu_account shorter, longer;

	(void)state;
	for (u32 n = 0; n < 4 * VGPU_ARRAY_SIZE(second); n++) {
		u32 op = n & 1 ? VGPU_OP_LDG : VGPU_OP_STG, known = n >> 1 & 1;
		struct vgpu_fault a = run_fault(op, second[n / 4], known, false, &shorter);
		struct vgpu_fault b = run_fault(op, second[n / 4], known, true, &longer);

		assert_int_equal(a.thread[0], lanes[n / 4]);
		assert_int_equal(a.reason, b.reason);
		assert_int_equal(a.thread[0], b.thread[0]);
		assert_int_equal(a.address, b.address);
		assert_int_equal(a.pc, b.pc);
		assert_memory_equal(&shorter, &longer, sizeof(shorter));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_miss_walks_and_a_hit_does_not),
		cmocka_unit_test(walkers_are_waited_for),
		cmocka_unit_test(registers_are_waited_for),
		cmocka_unit_test(misses_of_the_same_page_share_a_walk),
		cmocka_unit_test(a_walk_is_shared_when_its_entry_has_gone),
		cmocka_unit_test(what_was_used_longest_ago_is_replaced),
		cmocka_unit_test(invalidations_are_exact),
		cmocka_unit_test(an_address_space_takes_its_own),
		cmocka_unit_test(a_translation_ends_with_its_mapping),
		cmocka_unit_test(a_first_write_walks_again),
		cmocka_unit_test(what_is_not_mapped_is_not_entered),
		cmocka_unit_test(shapes_that_cannot_be_are_refused),
		cmocka_unit_test(misses_of_an_instruction_overlap),
		cmocka_unit_test(the_shorter_way_takes_the_same_time),
		cmocka_unit_test(the_first_lane_that_is_wrong_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
