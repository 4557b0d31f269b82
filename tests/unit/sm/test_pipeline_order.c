// SPDX-License-Identifier: MIT
/*
 * Accesses of one warp to memory that has no frames, or has to be waited for: they are seen in the
 * order of the program, and every access ends once, whatever kinds of memory its lanes use.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "pipeline_rig.h"

#define FAR	0x20000000ull		/* device memory, too */
#define PAGES	1024u

static const char *const schemes[] = { "stall", "wd-commit", "wd-lastcheck", "replay-queue",
				       "operand-log" };

/* @at_once: a page of the context's memory may move, so no check is put off. */
static struct rig begin(const char *scheme, bool at_once)
{
	struct vgpu_config config = caches_config(scheme);
	struct rig r = start_pipeline(&config);

	assert_int_equal(vgpu_process_enable(r.h->dev, r.context), 0);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, FAR, PAGES * VGPU_PAGE_SIZE), 0);
	if (at_once)
		assert_int_equal(vgpu_memory_map_managed(r.h->dev, r.context, 2 * FAR,
							 VGPU_PAGE_SIZE), 0);
	return r;
}

static void run_to_end(struct rig *r)
{
	for (u32 n = 0; n < 20; n++) {
		host_run(r->h);
		if (r->h->process_wants)
			serve_process_pages(r);
	}
	assert_int_equal(r->h->fault_count, 0);
}

/*
 * Lane 1 loads a word of the device, the others memory of the process that is not there yet. The
 * store behind it changes lane 1's word, which it must not have loaded then. @pad: instructions
 * between, so that it comes at any time.
 */
static u32 load_before_store(const char *scheme, bool at_once, bool at_hand, u32 pad)
{
	struct rig r = begin(scheme, at_once);
	struct vass v;
	u32 got;

	prologue(&v, 32);
	OP(&v, STG, VASS_MEM(4, 1), 0, 4, 6, 0, 2048);
	OP(&v, LDG, VASS_MEM(4, 1), 14, 4, 0, 0, 2048);
	OP(&v, ADD, 0, 20, 14, 14, 0, 0);	/* until it is there */
	OPI(&v, MOVQ, 16, 0, HOST_PROCESS);
	OP(&v, SETPS, VGPU_CMP_EQ | VGPU_F_IMM, 1, 0, 0, 0, 1);
	OPI(&v, ADDQ, 26, 4, 2048);
	OP(&v, SELQ, 0, 16, 26, 16, 1, 0);
	OPI(&v, ADD, 22, 20, 77);
	for (u32 n = 0; n < pad; n++)
		OPI(&v, ADD, 24, 24, 1);
	OP(&v, LDG, VASS_MEM(4, 1), 18, 16, 0, 0, 0);
	OP(&v, STG, VASS_MEM(4, 1), 0, 26, 22, 0, 0);
	OP(&v, STG, VASS_MEM(4, 1), 0, 4, 18, 0, 1024);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	if (at_hand)
		memset(r.h->process_pages, HOST_PAGE_WRITE, HOST_PROCESS_PAGES);
	launch(&r, 1, 32, BASE, 0);
	host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE, 65536));
	run_to_end(&r);
	memcpy(&got, r.h->memory + 1024 + 4, 4);
	stop(&r);
	return got;
}

static void a_store_behind_a_load_that_waits(void **state)
{
	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(schemes); n++)
		for (u32 variant = 0; variant < 4; variant++)
			for (u32 pad = 0; pad < 12; pad += 3)
				assert_int_equal(load_before_store(schemes[n], variant & 1,
								   variant >> 1, pad), 4);
}

/* The place of a page in the table of known frames: frame_of() of access_check.c */
static u64 place_of(u64 page)
{
	return (page ^ page / 256 * 5) % 256;
}

/*
 * One access whose lanes use a page that the TLB does not have, one that it has but whose frame is
 * not known any more, and memory of the process that is not there.
 */
static void run_three_kinds(const char *scheme, u32 op, bool at_once)
{
	u64 known = FAR / VGPU_PAGE_SIZE + 16, same_place = known + 17;
	struct rig r = begin(scheme, at_once);
	struct vass v;

	while (place_of(same_place) != place_of(known) || same_place % 4 == known % 4)
		same_place++;
	assert_true(same_place < FAR / VGPU_PAGE_SIZE + PAGES);
	prologue(&v, 32);
	OPI(&v, MOVQ, 10, 0, known * VGPU_PAGE_SIZE);
	OPI(&v, MOVQ, 12, 0, same_place * VGPU_PAGE_SIZE);
	OP(&v, STG, VASS_MEM(4, 1), 0, 10, 6, 0, 0);
	OP(&v, STG, VASS_MEM(4, 1), 0, 12, 6, 0, 0);
	OP(&v, LDG, VASS_MEM(4, 1), 14, 12, 0, 0, 0);
	OP(&v, ADD, 0, 6, 6, 14, 0, 0);		/* until both have come */
	OPI(&v, MOVQ, 16, 0, HOST_PROCESS);
	OP(&v, SETPS, VGPU_CMP_EQ | VGPU_F_IMM, 1, 0, 0, 0, 1);
	OP(&v, SELQ, 0, 16, 10, 16, 1, 0);
	OPI(&v, MOVQ, 10, 0, (known + 40) * VGPU_PAGE_SIZE);
	OP(&v, SETPS, VGPU_CMP_EQ | VGPU_F_IMM, 1, 0, 0, 0, 0);
	OP(&v, SELQ, 0, 16, 10, 16, 1, 0);
	vass_op(&v, op, VASS_MEM(4, 1), op == VGPU_OP_LDG ? 18 : 0, 16,
		op == VGPU_OP_LDG ? 0 : 6, 0, 0);
	epilogue(&v, 6);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	run_to_end(&r);
	assert_int_equal(r.h->completion_count, 1);
	stop(&r);
}

static void an_access_of_three_kinds_of_memory(void **state)
{
	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(schemes); n++)
		for (u32 at_once = 0; at_once < 2; at_once++) {
			run_three_kinds(schemes[n], VGPU_OP_LDG, at_once);
			run_three_kinds(schemes[n], VGPU_OP_STG, at_once);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_behind_a_load_that_waits),
		cmocka_unit_test(an_access_of_three_kinds_of_memory),
	};

	return cmocka_run_group_tests_name("order of a warp's accesses", tests, NULL, NULL);
}
