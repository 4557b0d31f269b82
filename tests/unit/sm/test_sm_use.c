// SPDX-License-Identifier: MIT
/*
 * Who has what of each SM (vgpu_device_sm_use(), sm_blocks ... of vgpu_context_info()): made on
 * paper for kernels side by side and for whole SMs. An SM of gtx980 has 65536 registers, 96 KB,
 * 64 warps and 32 slots.
 */
#include <stdlib.h>
#include <string.h>

#include "../device/host.h"
#include "device/device.h"
#include "vass_build.h"

#define US	VGPU_US

enum { REGISTERS = 65536, SHARED = 98304, SMS = 2 };

struct needs {
	u32 blocks, threads, registers, shared_bytes;
};

/* a quarter of the registers a block; an eighth of the shared memory; an eighth of the warps */
static const struct needs quarter = { 3, 64, REGISTERS / 4, 0 };
static const struct needs eighth = { 4, 32, 1024, SHARED / 8 };
static const struct needs warps = { 100, 256, 2048, 0 };

static struct host *start(const char *policy)
{
	struct host *h = host_new("gtx980", "sms=2", "kernels_per_sm=4", "ideal_switch=0", NULL);

	assert_int_equal(vgpu_device_knob_set(h->dev, "policy", policy), 0);
	return h;
}

/* A kernel of a context of its own; returns the context. */
static u32 push(struct host *h, const struct needs *needs)
{
	u32 context = host_open(h), queue = host_queue(h, context);
	struct vgpu_cmd cmd = cmd_profiled(needs->blocks, 100 * US, 1);

	cmd.profiled.threads = needs->threads;
	cmd.profiled.regs_per_block = needs->registers;
	cmd.profiled.shared_bytes = needs->shared_bytes;
	host_push(h, context, queue, cmd);
	return context;
}

static struct vgpu_sm_use use_of(const struct host *h, u32 sm)
{
	struct vgpu_sm_use use;

	memset(&use, 0xff, sizeof(use));
	assert_int_equal(vgpu_device_sm_use(h->dev, sm, &use), 0);
	return use;
}

/* Of @context on all SMs, by the device's own sums. */
static void check_context(const struct host *h, u32 context, const struct needs *needs, u32 blocks)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(h->dev, context, &info), 0);
	assert_int_equal(info.account.sm_blocks, blocks);
	assert_int_equal(info.account.sm_registers, blocks * needs->registers);
	assert_int_equal(info.account.sm_shared_bytes, blocks * needs->shared_bytes);
	assert_int_equal(info.account.sm_warps, blocks * needs->threads / 32);
}

static void check_kernel(const struct vgpu_sm_kernel *k, u32 context, const struct needs *needs,
			 u32 blocks, u32 eighths)
{
	assert_int_equal(k->context, context);
	assert_int_equal(k->blocks, blocks);
	assert_int_equal(k->registers, blocks * needs->registers);
	assert_int_equal(k->shared_bytes, blocks * needs->shared_bytes);
	assert_int_equal(k->warps, blocks * needs->threads / 32);
	assert_int_equal(k->share, (u64)eighths << 29);
}

static void an_idle_sm_has_nothing(void **state)
{
	struct host *h = start("smk");
	struct vgpu_sm_use use, zero = {};

	(void)state;
	use = use_of(h, 1);
	assert_memory_equal(&use, &zero, sizeof(use));
	assert_int_equal(vgpu_device_sm_use(h->dev, SMS, &use), -ENOENT);
	host_free(h);
}

/*
 * leftover: three blocks of a quarter of the registers go to SM 0, 1, 0, then four of an eighth of
 * the shared memory to the SM with the lowest rSM. That is 1, of which a quarter is taken, until
 * the fourth: 3/8 of its shared memory is less than half of the registers of SM 0.
 */
static void two_contexts_on_an_sm(void **state)
{
	struct host *h = start("leftover");
	u32 a = push(h, &quarter), b = push(h, &eighth);
	struct vgpu_sm_use use;

	(void)state;
	vgpu_device_run(h->dev, 20 * US, ~0u);
	use = use_of(h, 0);
	assert_int_equal(use.kernels, 1);
	check_kernel(&use.kernel[0], a, &quarter, 2, 4);
	assert_int_equal(use.kernel[0].partition, VGPU_NO_PARTITION);
	assert_int_equal(use.share, 1ull << 31);
	use = use_of(h, 1);
	assert_int_equal(use.kernels, 2);
	check_kernel(&use.kernel[0], a, &quarter, 1, 2);
	check_kernel(&use.kernel[1], b, &eighth, 4, 4);
	assert_int_not_equal(use.kernel[0].launch, use.kernel[1].launch);
	assert_int_equal(use.blocks, 5);
	assert_int_equal(use.registers, REGISTERS / 4 + 4096);
	assert_int_equal(use.shared_bytes, SHARED / 2);
	assert_int_equal(use.shared_size, SHARED);
	assert_int_equal(use.warps, 2 + 4);
	assert_int_equal(use.share, 1ull << 31);
	check_context(h, a, &quarter, 3);
	check_context(h, b, &eighth, 4);
	host_run(h);
	check_context(h, a, &quarter, 0);
	assert_int_equal(use_of(h, 1).kernels, 0);
	host_free(h);
}

/* Blocks are there from their dispatch on: the SM is set up for 1 us. */
static void blocks_count_from_their_dispatch_on(void **state)
{
	static const char *const policies[] = { "leftover", "fcfs" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(policies); n++) {
		struct host *h = start(policies[n]);
		struct vgpu_sm_stats stats;
		u32 a = push(h, &quarter);

		do
			vgpu_device_run(h->dev, VGPU_NEVER, 1);
		while (!host_count_of(h, VGPU_TRACE_SM_SETUP));
		vgpu_device_run(h->dev, vgpu_device_now(h->dev), ~0u);
		assert_int_equal(vgpu_device_sm_stats(h->dev, 0, &stats), 0);
		assert_int_equal(stats.state, VGPU_SM_SETUP);
		check_context(h, a, &quarter, 3);
		host_free(h);
	}
}

/* A policy of whole SMs: one kernel each, with the same numbers. 8 blocks of 8 warps fill an SM. */
static void a_whole_sm_has_one_kernel(void **state)
{
	struct host *h = start("fcfs");
	u32 a = push(h, &warps);
	struct vgpu_sm_use use;

	(void)state;
	vgpu_device_run(h->dev, 20 * US, ~0u);
	for (u32 sm = 0; sm < SMS; sm++) {
		use = use_of(h, sm);
		assert_int_equal(use.kernels, 1);
		check_kernel(&use.kernel[0], a, &warps, 8, 8);
		assert_int_equal(use.kernel[0].partition, VGPU_NO_PARTITION);
		assert_int_equal(use.share, VGPU_SHARE_ONE);
		assert_int_equal(use.shared_size, SHARED);
	}
	check_context(h, a, &warps, 16);
	host_run(h);
	host_free(h);
}

/*
 * smk-p: a block of the first takes an eighth of the warps, one of the second a quarter of the
 * registers: 1/8, 1/4, 2/8, 3/8, 1/2, 1/2, 5/8, 3/4, 6/8, 7/8; a fourth of the second does not fit
 * beside, nor an eighth of the first, as 62 of 64 warps are taken. 7 and 3.
 */
static void partitions_are_told(void **state)
{
	struct host *h = start("smk-p");
	struct needs many = quarter;
	struct vgpu_sm_use use;
	u32 a = push(h, &warps), b;

	(void)state;
	many.blocks = 100;
	b = push(h, &many);
	vgpu_device_run(h->dev, 90 * US, ~0u);
	for (u32 sm = 0; sm < SMS; sm++) {
		use = use_of(h, sm);
		assert_int_equal(use.kernels, 2);
		check_kernel(&use.kernel[0], a, &warps, 7, 7);
		check_kernel(&use.kernel[1], b, &many, 3, 6);
		assert_int_equal(use.kernel[0].partition, 7);
		assert_int_equal(use.kernel[1].partition, 3);
		assert_int_equal(use.warps, 62);
		assert_int_equal(use.share, 62ull << 26);
	}
	host_run(h);
	host_free(h);
}

/* The trace names the block that is to leave, also where it has followed others in its slot. */
static void decisions_name_the_block(void **state)
{
	static const struct needs small = { 200, 128, 8192, 0 };
	struct host *h = start("smk-p");
	u32 evictions = 0;

	(void)state;
	push(h, &small);
	vgpu_device_run(h->dev, 550 * US, ~0u);
	push(h, &quarter);
	host_run(h);
	for (size_t i = 0; i + 1 < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (r->type != VGPU_TRACE_DECISION || r->a != VGPU_DECISION_EVICT)
			continue;
		evictions++;
		assert_int_equal(r[1].type, VGPU_TRACE_BLOCK_PREEMPT);
		assert_int_equal(r[1].kernel, r->kernel);
		assert_int_equal(r[1].a, r->b);
		assert_true(r->b >= 2 * 8);
	}
	assert_true(evictions > 1);
	host_free(h);
}

/* What a block takes is in the SM_SETUP of a shared SM: share and warps, registers and bytes. */
static void setups_say_what_a_block_takes(void **state)
{
	struct host *h = start("leftover");
	u64 a = 0, b = 0;

	(void)state;
	push(h, &eighth);
	host_run(h);
	for (size_t i = 0; i < h->record_count; i++)
		if (h->records[i].type == VGPU_TRACE_SM_SETUP) {
			a = h->records[i].a;
			b = h->records[i].b;
		}
	assert_int_equal(a, 1ull << 29 | 1ull << 40);
	assert_int_equal(b, 1024ull << 32 | SHARED / 8);
	host_free(h);
}

/* A context that loops a little on all SMs; *@module is its code. */
static u32 push_compiled(struct host *h, u32 rounds)
{
	u32 context = host_open(h), queue = host_queue(h, context), module, bytes, top;
	char message[256] = "";
	struct vass v;
	void *binary;

	vass_init(&v, 8, 0);
	OP(&v, MOV, VGPU_F_IMM, 1, 0, 0, 0, 0);
	top = OPI(&v, ADD, 1, 1, 1);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 1, 0, 0, rounds);
	OP(&v, BRA, 0, 0, 0, 0, 0, (u64)(v.count + 1) << 32 | top);
	vass_guard(&v, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	binary = vass_binary(&v, &bytes);
	assert_int_equal(vgpu_module_load(h->dev, context, binary, bytes, message, sizeof(message),
					  &module), 0);
	free(binary);
	host_push(h, context, queue,
		  (struct vgpu_cmd){ .op = VGPU_CMD_LAUNCH,
				     .launch = { .module = module,
						 .grid = { 8, 1, 1 },
						 .block = { 64, 1, 1 } } });
	return context;
}

static u64 instructions_of(const struct host *h, u32 context)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(h->dev, context, &info), 0);
	return info.instructions;
}

static u64 instructions_of_all(const struct host *h)
{
	struct vgpu_device_stats stats;

	vgpu_device_stats(h->dev, &stats);
	return stats.instructions;
}

/* Issue shares: what the device counts is what its contexts do, and did. */
static void the_device_counts_instructions(void **state)
{
	static const char *const policies[] = { "smk", "fcfs" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(policies); n++) {
		struct host *h = start(policies[n]);
		u32 a = push_compiled(h, 2000), b = push_compiled(h, 20000);
		u64 of_a, of_b;

		vgpu_device_run(h->dev, 50 * US, ~0u);
		of_a = instructions_of(h, a);
		of_b = instructions_of(h, b);
		assert_true(of_a);
		assert_int_equal(instructions_of_all(h), of_a + of_b);
		host_run(h);
		/* a move, three a round and the exit, of 8 blocks of two warps */
		assert_int_equal(instructions_of(h, a), 16 * (2 + 3 * 2000));
		vgpu_context_close(h->dev, a);
		assert_int_equal(instructions_of_all(h), 16 * (4 + 3 * 22000));
		host_free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_sm_has_nothing),
		cmocka_unit_test(two_contexts_on_an_sm),
		cmocka_unit_test(blocks_count_from_their_dispatch_on),
		cmocka_unit_test(a_whole_sm_has_one_kernel),
		cmocka_unit_test(partitions_are_told),
		cmocka_unit_test(decisions_name_the_block),
		cmocka_unit_test(setups_say_what_a_block_takes),
		cmocka_unit_test(the_device_counts_instructions),
	};

	return cmocka_run_group_tests_name("sm_use", tests, NULL, NULL);
}
