// SPDX-License-Identifier: MIT
/*
 * The system page of each address space (mmu/system.c, Tanasic 2.4): whatever kernels and commands
 * do with it ends their context, for that reason and at that address; what is next to it is as
 * before. What SMs write there in system mode is what they find there.
 */
#include "fault_rig.h"
#include "mmu/address_space.h"

#define SYSTEM	VGPU_SYSTEM_BASE
#define PAGE	VGPU_PAGE_SIZE
#define BELOW	(SYSTEM - 16 * PAGE)	/* mapped, up to the system page */
#define GRANULE	0x10000u

enum memory { EAGER, LAZY, PROCESS, MEMORIES };

static struct rig start(enum memory memory)
{
	const char *const settings[] = { memory == LAZY ? "allocation=lazy" : "allocation=eager",
					 "fault_handler=gpu", NULL };
	struct rig r = { .h = rig_host(settings) };

	r.context = host_open(r.h);
	r.queue = host_queue(r.h, r.context);
	if (memory == PROCESS)
		assert_int_equal(vgpu_process_enable(r.h->dev, r.context), 0);
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, BELOW, 16 * PAGE), 0);
	return r;
}

static struct vgpu_account account(struct rig *r, u32 context)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(r->h->dev, context, &info), 0);
	return info.account;
}

/* The last command of @r has ended its context, and no other. */
static const struct vgpu_fault *refused(struct rig *r, u64 address, bool write)
{
	const struct vgpu_fault *fault;

	host_run(r->h);
	assert_int_equal(r->h->fault_count, 1);
	assert_int_equal(r->h->dead[0], r->context);
	fault = &r->h->faults[0];
	assert_int_equal(fault->reason, VGPU_FAULT_SYSTEM);
	assert_true(fault->address == address);
	assert_int_equal(fault->write, write);
	/* nothing was fetched, or asked of the process */
	assert_int_equal(account(r, r->context).page_faults, 0);
	assert_int_equal(r->h->process_wants, 0);
	return fault;
}

/* ---- kernels ------------------------------------------------------------ */

static const struct {
	u32 op, flags, bytes;
	bool write;
} accesses[] = {
	{ VGPU_OP_LDG, VASS_MEM(1, 1), 1, false },
	{ VGPU_OP_LDG, VASS_MEM(4, 1), 4, false },
	{ VGPU_OP_LD, VASS_MEM(8, 1), 8, false },
	{ VGPU_OP_LDG, VASS_MEM(4, 4), 16, false },
	{ VGPU_OP_STG, VASS_MEM(1, 1), 1, true },
	{ VGPU_OP_STG, VASS_MEM(4, 1), 4, true },
	{ VGPU_OP_ST, VASS_MEM(8, 1), 8, true },
	{ VGPU_OP_STG, VASS_MEM(4, 4), 16, true },
	{ VGPU_OP_ATOMG, VGPU_ATOM_ADD, 4, true },
	{ VGPU_OP_ATOM, VGPU_ATOM_ADD, 4, true },
	{ VGPU_OP_ATOMGQ, VGPU_ATOM_ADD, 8, true },
};

/* Thread n accesses what is n times the stride behind the base. */
static void access(struct rig *r, u32 n, u32 threads, u64 base, u32 stride)
{
	bool store = accesses[n].op == VGPU_OP_STG || accesses[n].op == VGPU_OP_ST;
	bool load = accesses[n].op == VGPU_OP_LDG || accesses[n].op == VGPU_OP_LD;
	struct vass v;

	vass_init(&v, 24, 16);
	OP(&v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(&v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(&v, LDP, VASS_MEM(4, 1), 4, 0, 0, 0, 8);
	OP(&v, MADWU, 0, 6, 0, 4, 2, 0);
	vass_op(&v, accesses[n].op, accesses[n].flags, store ? 0 : 12, 6, load ? 0 : 8, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	rig_load(r, &v);
	launch(r, threads, base, stride);
}

static void kernels_do_not_reach_it(void **state)
{
	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(accesses); n++) {
		for (u32 where = 0; where < 3 * MEMORIES; where++) {
			u64 last = SYSTEM + PAGE - accesses[n].bytes;
			u64 address = where % 3 == 0 ? SYSTEM : where % 3 == 1 ? last : SYSTEM + 64;
			struct rig r = start(where / 3);
			const struct vgpu_fault *fault;

			access(&r, n, 1, address, 0);
			fault = refused(&r, address, accesses[n].write);
			assert_int_equal(fault->bytes, accesses[n].bytes);
			assert_int_equal(fault->pc, 4);
			host_free(r.h);
		}
	}
}

/* Of a warp one lane is enough: it is the one in the record. */
static void one_lane_is_refused(void **state)
{
	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(accesses); n++) {
		for (enum memory memory = EAGER; memory <= PROCESS; memory++) {
			struct rig r = start(memory);
			const struct vgpu_fault *fault;

			/* pages that are there before it: with LAZY they were touched by a copy */
			host_push(r.h, r.context, r.queue, cmd_fill(BELOW, 16 * PAGE, 1, 1));
			access(&r, n, 17, BELOW, (u32)PAGE);
			fault = refused(&r, SYSTEM, accesses[n].write);
			assert_int_equal(fault->thread[0], 16);
			host_free(r.h);
		}
	}
}

static void what_is_beside_it_is_as_before(void **state)
{
	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(accesses); n++) {
		struct rig r = start(EAGER);

		access(&r, n, 1, SYSTEM - accesses[n].bytes, 0);
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 0);
		access(&r, n, 1, VGPU_ADDRESS_LIMIT, 0);
		host_run(r.h);
		assert_int_equal(r.h->fault_count, 1);
		assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_UNMAPPED);
		host_free(r.h);
		/* misaligned comes first, wherever it is */
		if (accesses[n].bytes == 1)
			continue;
		r = start(EAGER);
		access(&r, n, 1, SYSTEM + 1, 0);
		host_run(r.h);
		assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_MISALIGNED);
		host_free(r.h);
	}
}

/* ---- commands ----------------------------------------------------------- */

static void commands_do_not_reach_it(void **state)
{
	const struct {
		struct vgpu_cmd cmd;
		u64 address;
		bool write;
	} tests[] = {
		{ cmd_h2d(SYSTEM, 0, 4), SYSTEM, true },
		{ cmd_h2d(SYSTEM - 8, 0, 16), SYSTEM, true },
		{ cmd_d2h(0, SYSTEM + PAGE - 1, 1), SYSTEM + PAGE - 1, false },
		{ cmd_d2h(0, SYSTEM - PAGE, 2 * PAGE), SYSTEM, false },
		{ cmd_d2d(BELOW, SYSTEM + 8, 8), SYSTEM + 8, false },
		{ cmd_d2d(SYSTEM + 8, BELOW, 8), SYSTEM + 8, true },
		{ cmd_d2d(BELOW, SYSTEM - 1, 2), SYSTEM, false },
		{ cmd_fill(SYSTEM, 1, 0, 1), SYSTEM, true },
		{ cmd_fill(SYSTEM - 4, 2, 0, 4), SYSTEM, true },
		{ { .op = VGPU_CMD_PREFETCH,
		    .prefetch = { .address = SYSTEM, .bytes = PAGE, .to_device = 1 } },
		  SYSTEM, false },
	};

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(tests); n++) {
		for (enum memory memory = EAGER; memory <= PROCESS; memory++) {
			struct rig r = start(memory);

			host_push(r.h, r.context, r.queue, tests[n].cmd);
			refused(&r, tests[n].address, tests[n].write);
			host_free(r.h);
		}
	}
}

static void nothing_can_be_mapped_there(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 c = host_open(h);
	struct vgpu_address_space *as = vgpu_context_find(h->dev, c)->as;
	u8 *page;

	(void)state;
	for (enum vgpu_mapping_kind kind = VGPU_MAPPING_DEVICE; kind <= VGPU_MAPPING_HOST_READ;
	     kind++) {
		assert_int_equal(vgpu_as_map(as, SYSTEM, PAGE, kind), -EEXIST);
		assert_int_equal(vgpu_as_map(as, SYSTEM - PAGE, 2 * PAGE, kind), -EEXIST);
		assert_int_equal(vgpu_as_map(as, 0, VGPU_ADDRESS_LIMIT, kind), -EEXIST);
		assert_int_equal(vgpu_as_map(as, VGPU_ADDRESS_LIMIT, PAGE, kind), -EINVAL);
	}
	assert_int_equal(vgpu_memory_unmap(h->dev, c, SYSTEM, PAGE), -ENOENT);
	assert_int_equal(vgpu_as_translate(as, SYSTEM, false, &page), VGPU_XLATE_SYSTEM);
	assert_int_equal(vgpu_as_translate(as, SYSTEM + PAGE - 1, true, &page), VGPU_XLATE_SYSTEM);
	assert_int_equal(vgpu_as_translate(as, SYSTEM - 1, true, &page), VGPU_XLATE_UNMAPPED);
	/* and it costs nothing as long as no SM has written there */
	assert_int_equal(h->frames, 0);
	assert_int_equal(h->dev->mmu.page_tables, 0);
	host_free(h);
}

/* ---- the system level --------------------------------------------------- */

static void handlers_use_it(void **state)
{
	struct rig r = start(LAZY);
	u32 other = host_open(r.h);
	const u32 *words;

	(void)state;
	assert_int_equal(vgpu_memory_map(r.h->dev, r.context, GRANULE, 32 * GRANULE), 0);
	rig_load_add(&r, false);
	time_of(&r, 32, GRANULE, GRANULE);
	assert_int_equal(account(&r, r.context).page_faults, 32);
	assert_int_equal(account(&r, r.context).page_faults_local, 32);
	assert_int_equal(account(&r, other).page_faults_local, 0);
	words = (const u32 *)vgpu_as_frame(vgpu_context_find(r.h->dev, r.context)->as, SYSTEM)
			->memory;
	/* the one block was on the first SM */
	assert_int_equal(words[0], 32);
	for (u32 n = 1; n < PAGE / sizeof(u32); n++)
		assert_int_equal(words[n], 0);
	/* Now it has a frame and an entry: the bit is in it. */
	host_push(r.h, r.context, r.queue, cmd_fill(SYSTEM, 1, 0, 4));
	host_run(r.h);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_SYSTEM);
	assert_int_equal(words[0], 32);
	assert_int_equal(account(&r, r.context).page_faults_local, 32);
	/* the next who has the frame does not find it */
	assert_int_equal(vgpu_context_close(r.h->dev, r.context), 0);
	assert_int_equal(r.h->frames, 0);
	host_free(r.h);
}

static void faults_of_the_host_are_not_counted(void **state)
{
	struct rig r = start(LAZY);

	(void)state;
	vgpu_device_knob_set(r.h->dev, "fault_handler", "cpu");
	rig_load_add(&r, false);
	time_of(&r, 32, BELOW, 4);
	assert_int_equal(account(&r, r.context).page_faults, 1);
	assert_int_equal(account(&r, r.context).page_faults_local, 0);
	assert_null(vgpu_as_frame(vgpu_context_find(r.h->dev, r.context)->as, SYSTEM));
	host_free(r.h);
}

/* A handler without memory for its table handles the fault all the same. */
static void a_handler_without_memory(void **state)
{
	struct rig r = start(LAZY);

	(void)state;
	rig_load_add(&r, false);
	r.h->frames_max = 0;
	launch(&r, 32, BELOW, 4);
	host_run(r.h);
	assert_int_equal(account(&r, r.context).page_faults_local, 0);
	assert_int_equal(r.h->faults[0].reason, VGPU_FAULT_NO_MEMORY);
	host_free(r.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_do_not_reach_it),
		cmocka_unit_test(one_lane_is_refused),
		cmocka_unit_test(what_is_beside_it_is_as_before),
		cmocka_unit_test(commands_do_not_reach_it),
		cmocka_unit_test(nothing_can_be_mapped_there),
		cmocka_unit_test(handlers_use_it),
		cmocka_unit_test(faults_of_the_host_are_not_counted),
		cmocka_unit_test(a_handler_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
