// SPDX-License-Identifier: MIT
/*
 * TLB checks that are put off to the end of a window (together.c) give the times of checks that are
 * made at once: random accesses, with few miss registers and walkers, so that it matters who comes
 * first. The same program is run a second time in a context with a managed page, where nothing is
 * put off. The TLB has room for all pages: which one would be replaced may differ.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pipeline_rig.h"
#include "sim/random.h"

#define PAGE		VGPU_PAGE_SIZE
#define SECOND		(BASE + BYTES)	/* another mapping of device memory */
#define ACCESSES	6u
#define PAGES		30u		/* of each mapping */
#define RECORDS		4096u
#define LANES		32u

struct program {
	u32 op[ACCESSES];
	u64 address[ACCESSES][LANES];
	const char *scheme;
	const char *registers;
	const char *walkers;
	u32 blocks;
};

/*
 * What is compared: instructions and their stages. Not when they were recorded, and in which order:
 * that is by windows.
 */
struct outcome {
	struct vgpu_trace_record records[RECORDS];
	u32 count;
	u64 time;
	struct vgpu_account account;
};

static struct vgpu_random numbers;

static u32 below(u32 n)
{
	return (u32)(vgpu_random_next(&numbers) % n);
}

/* Lanes in one page, in a row of pages, in some in turn, or anywhere, in one mapping or in two */
static void make_program(struct program *p, u32 seed)
{
	static const char *const registers[] = { "32", "8", "5", "4", "3", "2", "1", "0" };
	static const char *const walkers[] = { "8", "4", "2", "1" };
	static const char *const schemes[] = { "stall", "wd-commit", "replay-queue", "operand-log",
					       "wd-lastcheck" };
	u32 pages = seed & 1 ? 2 * PAGES : PAGES;

	vgpu_random_seed(&numbers, seed);
	for (u32 n = 0; n < ACCESSES; n++) {
		u32 kind = below(4), stride = 1 + below(32), base = below(pages);
		u32 mod = 1 + below(8);

		p->op[n] = below(3) ? VGPU_OP_LDG : below(2) ? VGPU_OP_STG : VGPU_OP_ATOMG;
		for (u32 lane = 0; lane < LANES; lane++) {
			u32 page = kind == 0 ? base : kind == 1 ? base + lane / stride :
				   kind == 2 ? base + lane % mod : below(pages);

			page %= pages;
			p->address[n][lane] = (page < PAGES ? BASE + (1 + page) * PAGE :
							      SECOND + (page - PAGES) * PAGE) +
					      4 * lane + 128 * below(3);
		}
	}
	p->registers = registers[below(VGPU_ARRAY_SIZE(registers))];
	p->walkers = walkers[below(VGPU_ARRAY_SIZE(walkers))];
	p->scheme = schemes[below(VGPU_ARRAY_SIZE(schemes))];
	p->blocks = 1 + below(6);
}

/* Each access by both warps of a block, when all addresses have been loaded */
static void make_code(struct vass *v, const struct program *p)
{
	vass_init(v, 60, 16);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OPI(v, AND, 0, 0, LANES - 1);
	OPI(v, MADWU, 4, 0, 8);
	v->code[v->count - 1].c = 2;
	OPI(v, MOVQ, 28, 0, 0);
	for (u32 n = 0; n < ACCESSES; n++)
		OP(v, LDG, VASS_MEM(8, 1), 8 + 2 * n, 4, 0, 0, 8 * LANES * n);
	for (u32 n = 0; n < ACCESSES; n++)
		OP(v, ADDQ, 0, 28, 28, 8 + 2 * n, 0, 0);
	OPI(v, MULQ, 28, 28, 0);
	for (u32 n = 0; n < ACCESSES; n++)
		OP(v, ADDQ, 0, 8 + 2 * n, 8 + 2 * n, 28, 0, 0);
	for (u32 n = 0; n < ACCESSES; n++) {
		if (p->op[n] == VGPU_OP_LDG)
			OP(v, LDG, VASS_MEM(4, 1), 40 + n, 8 + 2 * n, 0, 0, 0);
		else if (p->op[n] == VGPU_OP_STG)
			OP(v, STG, VASS_MEM(4, 1), 0, 8 + 2 * n, 0, 0, 0);
		else
			OP(v, ATOMG, VGPU_ATOM_ADD, 40 + n, 8 + 2 * n, 0, 0, 0);
	}
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct vgpu_trace_record));
}

static void run_once(const struct program *p, bool managed, struct outcome *o)
{
	struct vgpu_config config = caches_config(p->scheme);
	struct vgpu_context_info info;
	struct vass v;
	struct rig r;

	set_field(&config, "l1_tlb_mshrs", p->registers);
	set_field(&config, "page_walkers", p->walkers);
	set_field(&config, "l1_tlb_entries", "128");
	set_field(&config, "l1_tlb_ways", "128");
	set_field(&config, "trace_pipeline", "1");
	r = start_pipeline(&config);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, SECOND, BYTES), 0);
	if (managed)
		assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, HOST_MANAGED, PAGE),
				 0);
	memcpy(r.h->memory, p->address, sizeof(p->address));
	host_push(r.h, r.context, r.queue, cmd_h2d(BASE, 0, sizeof(p->address)));
	host_push(r.h, r.context, r.queue, cmd_fill(BASE + PAGE, PAGES * PAGE / 4, 1, 4));
	host_push(r.h, r.context, r.queue, cmd_fill(SECOND, PAGES * PAGE / 4, 1, 4));
	host_run(r.h);
	make_code(&v, p);
	program(&r, &v);
	launch(&r, p->blocks, 2 * LANES, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	assert_int_equal(vgpu_context_info(r.h->dev, r.context, &info), 0);
	o->account = info.account;
	o->time = vgpu_device_now(r.h->dev);
	o->count = 0;
	for (size_t n = 0; n < r.h->record_count; n++) {
		if (r.h->records[n].type != VGPU_TRACE_INSTRUCTION)
			continue;
		assert_true(o->count < RECORDS);
		o->records[o->count++] = (struct vgpu_trace_record){
			.queue = r.h->records[n].queue,
			.seq = r.h->records[n].seq,
			.a = r.h->records[n].a,
			.b = r.h->records[n].b,
		};
	}
	qsort(o->records, o->count, sizeof(o->records[0]), compare);
	if (managed) {
		stop(&r);
	} else {
		vgpu_context_close(r.h->dev, r.context);
		host_leave(r.h);
	}
}

static void late_is_as_at_once(void **state)
{
	static struct outcome late, at_once;
	struct program p;

	(void)state;
	for (u32 seed = 0; seed < 200; seed++) {
		make_program(&p, seed);
		run_once(&p, false, &late);
		run_once(&p, true, &at_once);
		if (late.time != at_once.time || late.count != at_once.count ||
		    memcmp(late.records, at_once.records, late.count * sizeof(late.records[0])) ||
		    memcmp(&late.account, &at_once.account, sizeof(late.account)))
			fail_msg("seed %u: %s, %s registers, %s walkers", seed, p.scheme,
				 p.registers, p.walkers);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_is_as_at_once),
	};

	return cmocka_run_group_tests_name("checks that are put off", tests, NULL, NULL);
}
