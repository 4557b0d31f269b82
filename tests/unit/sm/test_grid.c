// SPDX-License-Identifier: MIT
/*
 * Blocks that wait for all others of their launch, with every policy and every mechanism, beside
 * kernels that never end, that come and go, and page faults: each launch ends, and with what it
 * must compute. Two SMs with four places each, and launches of eight blocks.
 *
 * Block n adds to a word, then waits in a loop until all have added, as often as params.rounds
 * says; each time it stores to a granule of its own, which may not be there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../device/host.h"
#include "device/device.h"
#include "vass_build.h"

#define BASE	0x10000000ull
#define GRANULE	0x10000u
#define BLOCKS	8u
#define THREADS	32u
#define OUT	(BASE + GRANULE)
#define BYTES	((BLOCKS + 1ull) * GRANULE)
#define ENDLESS	(~0u)

struct rig {
	struct host *h;
	u32 count;
	u32 context[3], barrier[3], counting[3];
};

static void barrier_program(struct vass *v)
{
	u32 top, spin;

	vass_init(v, 20, 24);
	OP(v, SREG, 0, 1, 0, 0, 0, VGPU_SR_CTAID_X);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);	/* Q2 the word */
	OP(v, LDP, VASS_MEM(4, 1), 4, 0, 0, 0, 8);	/* R4 threads of the grid */
	OP(v, LDP, VASS_MEM(4, 1), 5, 0, 0, 0, 12);	/* R5 rounds */
	OP(v, LDP, VASS_MEM(8, 1), 6, 0, 0, 0, 16);	/* Q6 results */
	OPI(v, MADWU, 12, 1, GRANULE);			/* Q12 that of the block */
	v->code[v->count - 1].c = 6;
	OP(v, MOV, VGPU_F_IMM, 8, 0, 0, 0, 0);		/* R8 as many have to have added */
	OP(v, MOV, VGPU_F_IMM, 9, 0, 0, 0, 0);		/* R9 round */
	OP(v, MOV, VGPU_F_IMM, 10, 0, 0, 0, 1);
	top = OP(v, ADD, 0, 8, 8, 4, 0, 0);
	OP(v, ATOMG, VGPU_ATOM_ADD | VGPU_F_ATOM_NORET, 0, 2, 10, 0, 0);
	spin = OP(v, LDG, VASS_MEM(4, 1), 11, 2, 0, 0, 0);
	vass_mem(v, VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, 0);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT, 0, 11, 8, 0, 0);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | spin);
	vass_guard(v, 0);
	OPI(v, ADD, 9, 9, 1);
	OP(v, STG, VASS_MEM(4, 1), 0, 12, 9, 0, 0);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT, 0, 9, 5, 0, 0);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* Counts to params.rounds. */
static void counting_program(struct vass *v)
{
	u32 top;

	vass_init(v, 20, 24);
	OP(v, LDP, VASS_MEM(4, 1), 5, 0, 0, 0, 12);
	OP(v, MOV, VGPU_F_IMM, 9, 0, 0, 0, 0);
	top = OPI(v, ADD, 9, 9, 1);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT, 0, 9, 5, 0, 0);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static u32 load(struct rig *r, u32 n, void (*program)(struct vass *v))
{
	static struct vass v;
	char message[256] = "";
	u32 bytes, module = 0;
	void *binary;

	program(&v);
	binary = vass_binary(&v, &bytes);
	if (vgpu_module_load(r->h->dev, r->context[n], binary, bytes, message, sizeof(message),
			     &module))
		fail_msg("%s", message);
	free(binary);
	return module;
}

static u64 launch(struct rig *r, u32 n, bool waits, u32 queue, u32 rounds)
{
	u32 blocks = waits ? BLOCKS : 1;
	u64 params[3] = { BASE, (u64)rounds << 32 | blocks * THREADS, OUT };
	struct vgpu_cmd cmd = { .op = VGPU_CMD_LAUNCH,
				.flags = waits ? VGPU_LAUNCH_COOPERATIVE : 0,
				.launch = { .module = waits ? r->barrier[n] : r->counting[n],
					    .grid = { blocks, 1, 1 },
					    .block = { THREADS, 1, 1 },
					    .param_bytes = 24,
					    .params = 0x1000 } };

	if (waits)
		host_push(r->h, r->context[n], queue, cmd_fill(BASE, 1, 0, 4));
	assert_int_equal(host_try(r->h, r->context[n], queue, &cmd, 0, params), 0);
	return waits ? 2 : 1;
}

static bool is_done(const struct host *h, u32 context, u32 queue, u64 seq)
{
	for (size_t n = 0; n < h->completion_count; n++)
		if (h->completions[n].context == context && h->completions[n].queue == queue &&
		    h->completions[n].seq == seq)
			return true;
	return false;
}

/* Run until command @seq has ended, for @us at most. */
static void run_to(struct rig *r, const char *what, u32 n, u32 queue, u64 seq, u64 us)
{
	u64 end = r->h->dev->sim->now + us * VGPU_US;

	while (!is_done(r->h, r->context[n], queue, seq)) {
		u64 next = vgpu_device_run(r->h->dev, end, 64);

		assert_true(vgpu_exec_check(&r->h->dev->exec));
		if (r->h->fault_count)
			fail_msg("%s: a fault", what);
		if ((next == VGPU_NEVER || next >= end) &&
		    !is_done(r->h, r->context[n], queue, seq))
			fail_msg("%s: command %llu has not ended in %llu us", what,
				 (unsigned long long)seq, (unsigned long long)us);
	}
}

static struct rig start(u32 contexts, const char *policy, const char *mechanism, const char *timing)
{
	char text[3][64];
	struct rig r = { .count = contexts };

	snprintf(text[0], sizeof(text[0]), "policy=%s", policy);
	snprintf(text[1], sizeof(text[1]), "preemption=%s", mechanism);
	snprintf(text[2], sizeof(text[2]), "timing=%s", timing);
	r.h = host_new("tanasic-ch6", "sms=2", "blocks_per_sm=4", "kernels_per_sm=4",
		       "active_kernels=8", "grid_turn_ps=20000000", "allocation=lazy",
		       "fault_handler=gpu", "block_switching=1", "extra_blocks=1", text[0], text[1],
		       text[2], NULL);
	for (u32 n = 0; n < contexts; n++) {
		r.context[n] = host_open(r.h);
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context[n], BASE, BYTES), 0);
		r.barrier[n] = load(&r, n, barrier_program);
		r.counting[n] = load(&r, n, counting_program);
	}
	return r;
}

/* Each block of context @n has done @rounds. */
static void check_results(struct rig *r, const char *what, u32 n, u32 rounds)
{
	u32 queue = host_queue(r->h, r->context[n]);
	const u32 *memory = (const u32 *)r->h->memory;

	for (u32 b = 0; b < BLOCKS; b++)
		host_push(r->h, r->context[n], queue, cmd_d2h(4ull * b, OUT + b * GRANULE, 4));
	host_push(r->h, r->context[n], queue, cmd_d2h(4 * BLOCKS, BASE, 4));
	run_to(r, what, n, queue, BLOCKS + 1, 100000);
	for (u32 b = 0; b < BLOCKS; b++)
		assert_int_equal(memory[b], rounds);
	assert_int_equal(memory[BLOCKS], rounds * BLOCKS * THREADS);
}

/*
 * A kernel that never ends has a place, or an SM, from the start; then one comes that has a more
 * important stream, and neither it nor the barriers wait for ever.
 */
static void beside_an_endless_one(const char *policy, const char *mechanism, const char *timing)
{
	struct rig r = start(1, policy, mechanism, timing);
	u32 queue[2];
	char what[96];
	u64 seq;

	snprintf(what, sizeof(what), "%s, %s, %s", policy, mechanism, timing);
	for (u32 n = 0; n < 2; n++)
		queue[n] = host_queue(r.h, r.context[0]);
	launch(&r, 0, false, queue[0], ENDLESS);
	vgpu_device_run(r.h->dev, 10 * VGPU_US, ~0u);
	seq = launch(&r, 0, true, queue[1], 3);
	run_to(&r, what, 0, queue[1], seq, 20000);
	check_results(&r, what, 0, 3);
	vgpu_context_close(r.h->dev, r.context[0]);
	host_free(r.h);
}

/* Two contexts with barriers, and a more important one with short kernels all the time. */
static void beside_others(const char *policy, const char *mechanism, const char *timing)
{
	struct rig r = start(3, policy, mechanism, timing);
	u32 queue[3];
	char what[96];
	u64 seq[3];

	snprintf(what, sizeof(what), "others: %s, %s, %s", policy, mechanism, timing);
	for (u32 n = 0; n < 3; n++)
		queue[n] = host_queue(r.h, r.context[n]);
	vgpu_context_priority(r.h->dev, r.context[2], 1);
	for (u32 n = 0; n < 2; n++) {
		launch(&r, n, true, queue[n], 5);
		seq[n] = 2 + launch(&r, n, true, queue[n], 4);
	}
	for (u32 n = 0; n < 8; n++) {
		vgpu_device_run(r.h->dev, r.h->dev->sim->now + 30 * VGPU_US, ~0u);
		launch(&r, 2, false, queue[2], n % 2 ? 2000 : 200);
	}
	for (u32 n = 0; n < 2; n++)
		run_to(&r, what, n, queue[n], seq[n], 100000);
	run_to(&r, what, 2, queue[2], 8, 100000);
	for (u32 n = 0; n < 2; n++)
		check_results(&r, what, n, 4);
	for (u32 n = 0; n < 3; n++)
		vgpu_context_close(r.h->dev, r.context[n]);
	host_free(r.h);
}

static void with_all(const char *timing)
{
	const struct vgpu_preemption *mechanism;
	const struct vgpu_policy *policy;

	for (u32 n = 0; (policy = vgpu_policy_at(n)); n++)
		for (u32 k = 0; (mechanism = vgpu_preemption_at(k)); k++) {
			beside_an_endless_one(policy->name, mechanism->name, timing);
			beside_others(policy->name, mechanism->name, timing);
		}
}

static void nobody_waits_for_ever(void **state)
{
	(void)state;
	with_all("interval");
}

static void nor_with_pipelines(void **state)
{
	(void)state;
	with_all("pipeline");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_waits_for_ever),
		cmocka_unit_test(nor_with_pipelines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
