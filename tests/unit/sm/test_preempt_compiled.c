// SPDX-License-Identifier: MIT
/*
 * Compiled programs are preempted at random, by each mechanism, and compute what they compute
 * undisturbed, byte for byte (Tanasic 5.2.2). The programs are random too: registers, 64-bit pairs,
 * floats, shared memory behind barriers, reducing barriers, local memory, so much of it that slices
 * are cut, divergent loops, shuffles, atomics on shared and global memory. What they compute does
 * not depend on the order in which their warps and blocks run, so any difference is state that a
 * preemption lost.
 */
#include <stdlib.h>
#include <string.h>

#include "../device/host.h"
#include "../device/manual.h"
#include "sm/warps.h"
#include "vass_build.h"

#define BASE		0x10000000ull
#define COUNTERS	60000u		/* of the global atomics, from BASE */
#define BYTES		65536u
#define BLOCKS		12u
#define THREADS		96u

static u32 below(struct vgpu_random *random, u32 limit)
{
	return (u32)(vgpu_random_next(random) % limit);
}

/*
 * R0 thread, R1 block, Q2 base, Q4 own address, R6 own place in shared memory, R8 and R9 what is
 * computed, R7 round; R10 to R19 and Q20, Q22 are scratch, Q24 a 64-bit value.
 */
static void piece(struct vass *v, struct vgpu_random *random)
{
	u32 top, n = below(random, 3) + 1;

	switch (below(random, 12)) {
	case 0:
		OPI(v, MUL, 8, 8, 2654435761u);
		OP(v, ADD, 0, 8, 8, 9, 0, 0);
		OPI(v, SHRU, 10, 8, 5 + n);
		OP(v, XOR, 0, 9, 9, 10, 0, 0);
		break;
	case 1:	/* what a thread of another warp has written */
		OP(v, STS, VASS_MEM(4, 1), 0, 6, 8, 0, 0);
		OP(v, BAR, 0, 0, 0, 0, 0, 0);
		OPI(v, ADD, 10, 0, 32 * n + 7);
		OPI(v, REMU, 10, 10, THREADS);
		OPI(v, SHL, 10, 10, 2);
		OP(v, LDS, VASS_MEM(4, 1), 11, 10, 0, 0, 0);
		OP(v, BAR, 0, 0, 0, 0, 0, 0);
		OP(v, ADD, 0, 9, 9, 11, 0, 0);
		break;
	case 2:
		OPI(v, AND, 10, 8, 0x1c);
		OP(v, LDL, VASS_MEM(4, 1), 11, 10, 0, 0, 0);
		OP(v, XOR, 0, 9, 9, 11, 0, 0);
		OP(v, STL, VASS_MEM(4, 1), 0, 10, 8, 0, 4 * n);
		break;
	case 3:	/* every lane goes around as often as its value says */
		OPI(v, AND, 12, 8, 15);
		top = OPI(v, MUL, 9, 9, 3);
		OP(v, ADD, 0, 9, 9, 12, 0, 0);
		OPI(v, SUB, 12, 12, 1);
		vass_op(v, VGPU_OP_SETPS, VGPU_CMP_GE | VGPU_F_IMM, 0, 12, 0, 0, 0);
		OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
		vass_guard(v, 0);
		break;
	case 4:
		OPI(v, AND, 10, 8, 0x1c);
		OP(v, ATOMS, VGPU_ATOM_ADD | VGPU_F_ATOM_NORET, 0, 10, 8, 0, THREADS * 4);
		break;
	case 5:	/* sums in one place, parities in another: they do not mix */
		OPI(v, AND, 10, 9, 0x3c);
		OPI(v, MADWU, 20, 10, 1);
		v->code[v->count - 1].c = 2;
		OP(v, ATOMG, (n == 1 ? VGPU_ATOM_XOR : VGPU_ATOM_ADD) | VGPU_F_ATOM_NORET, 0, 20, 8,
		   0, n == 1 ? COUNTERS : COUNTERS + 64);
		break;
	case 6:
		OP(v, MOV, VGPU_F_IMM, 10, 0, 0, 0, 31);
		OP(v, SHFL, VGPU_SHFL_BFLY | VGPU_F_IMM, 11, 8, 0, 10, (u64)VGPU_PT << 32 | n * 4);
		OP(v, ADD, 0, 8, 8, 11, 0, 0);
		break;
	case 7:
		OP(v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 0);
		OP(v, LDG, VASS_MEM(4, 1), 10, 4, 0, 0, 0);
		OP(v, ADD, 0, 9, 9, 10, 0, 0);
		break;
	case 8:
		OP(v, ZXQ, 0, 22, 8, 0, 0, 0);
		OP(v, MADQ, VGPU_F_IMM, 24, 24, 0, 22, 0x9e3779b97f4a7c15ull);
		OPI(v, SHRUQ, 20, 24, 17);
		OP(v, UNLO, 0, 10, 20, 0, 0, 0);
		OP(v, XOR, 0, 8, 8, 10, 0, 0);
		break;
	case 9:
		OPI(v, AND, 10, 9, 1u << n);
		vass_op(v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 1, 10, 0, 0, 0);
		OP(v, BARRED, VGPU_BARRED_POPC, 11, 1, 0, 0, 3);
		OP(v, ADD, 0, 8, 8, 11, 0, 0);
		break;
	case 10:	/* each lane in a page of its own */
		OPI(v, AND, 10, 0, 31);
		OPI(v, SHL, 10, 10, VGPU_LOCAL_SHIFT);
		for (u32 i = 0; i < 8; i++) {
			OP(v, STL, VASS_MEM(4, 1), 0, 10, 8, 0, 64);
			OP(v, LDL, VASS_MEM(4, 1), 11, 10, 0, 0, 64);
			OP(v, ADD, 0, 9, 9, 11, 0, 0);
		}
		break;
	default:
		OPI(v, AND, 10, 8, 0xfffff);
		OP(v, I2F, 0, 13, 10, 0, 0, 0);
		OP(v, FSQRT, 0, 13, 13, 0, 0, 0);
		OP(v, F2I, VGPU_RND_RZ | VGPU_F_SIGNED, 10, 13, 0, 0, 0);
		OP(v, XOR, 0, 9, 9, 10, 0, 0);
	}
}

static void random_program(struct vass *v, u64 seed, u32 rounds)
{
	struct vgpu_random random;
	u32 top, i;

	vgpu_random_seed(&random, seed);
	vass_init(v, 26, 8);
	v->kernel.shared_bytes = 5120;	/* three blocks an SM: those of both programs do not fit */
	v->kernel.local_bytes = VGPU_LANES * VGPU_LOCAL_SPAN;
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(v, SREG, 0, 1, 0, 0, 0, VGPU_SR_CTAID_X);
	OPI(v, MUL, 8, 1, THREADS);
	OP(v, ADD, 0, 8, 8, 0, 0, 0);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OPI(v, MADWU, 4, 8, 4);
	v->code[v->count - 1].c = 2;
	OPI(v, SHL, 6, 0, 2);
	OPI(v, MUL, 9, 8, (u32)seed * 2 + 1);
	top = OPI(v, ADD, 7, 7, 1);
	for (i = 0; i < 8; i++)
		piece(v, &random);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_LT | VGPU_F_IMM, 0, 7, 0, 0, rounds);
	OP(v, BRA, 0, 0, 0, 0, 0, (u64)(v->count + 1) << 32 | top);
	vass_guard(v, 0);
	/* Everything that was computed goes into what is stored. */
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OPI(v, AND, 10, 0, 7);
	OPI(v, SHL, 10, 10, 2);
	OP(v, LDS, VASS_MEM(4, 1), 11, 10, 0, 0, THREADS * 4);
	OP(v, LDL, VASS_MEM(4, 1), 12, 10, 0, 0, 0);
	OP(v, UNHI, 0, 13, 24, 0, 0, 0);
	OP(v, ADD, 0, 8, 8, 9, 0, 0);
	OP(v, XOR, 0, 8, 8, 11, 0, 0);
	OP(v, ADD, 0, 8, 8, 12, 0, 0);
	OP(v, XOR, 0, 8, 8, 13, 0, 0);
	OP(v, STG, VASS_MEM(4, 1), 0, 4, 8, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static struct host *two_programs(u64 seed, u32 rounds)
{
	/* Many short slices, and contexts that move fast: preemptions by the thousand. */
	struct host *h = host_new("k20c", "sms=3", "active_kernels=8", "slice_ps=300000",
				  "memory_bandwidth=2000000000000", "drain_ps=500000", NULL);
	u32 i;

	vgpu_exec_set_policy(&h->dev->exec, &manual_policy);
	for (i = 0; i < 2; i++) {
		u32 c = host_open(h), q = host_queue(h, c), module, bytes;
		struct vgpu_cmd cmd;
		char message[256] = "";
		struct vass v;
		void *binary;
		u64 param = BASE;

		random_program(&v, seed * 2 + i, rounds);
		binary = vass_binary(&v, &bytes);
		if (vgpu_module_load(h->dev, c, binary, bytes, message, sizeof(message), &module))
			fail_msg("%s", message);
		free(binary);
		assert_int_equal(vgpu_memory_map(h->dev, c, BASE, BYTES), 0);
		cmd = (struct vgpu_cmd){ .op = VGPU_CMD_LAUNCH,
					 .launch = { .module = module,
						     .grid = { BLOCKS, 1, 1 },
						     .block = { THREADS, 1, 1 },
						     .param_bytes = 8,
						     .params = 0x1000 } };
		assert_int_equal(host_try(h, c, q, &cmd, 0, &param), 0);
		host_push(h, c, q, cmd_d2h(i * BYTES, BASE, BYTES));
	}
	return h;
}

/* As vgpu_device_run(), in however many runs. */
static u64 run_until(struct host *h, u64 until)
{
	u64 next;

	do
		next = vgpu_device_run(h->dev, until, ~0u);
	while (next <= until);
	return next;
}

/* Take random SMs for the other kernel, or for the one that runs there, until both have ended. */
static void disturb(struct host *h, u64 seed)
{
	struct vgpu_random random;

	vgpu_random_seed(&random, seed);
	while (run_until(h, h->dev->sim->now + below(&random, 2 * VGPU_US)) != VGPU_NEVER) {
		u32 sm = below(&random, 3);
		struct vgpu_ksr *ksr = manual_kernel(h->dev, 1 + below(&random, 2));

		assert_true(vgpu_exec_check(&h->dev->exec));
		if (!ksr || !h->dev->exec.smst[sm].ksr)
			continue;
		assert_int_equal(vgpu_exec_reserve(&h->dev->exec, sm, ksr), 0);
	}
}

/* Every seed: undisturbed, then with preemptions, @saves of which at least are saves. */
static void programs_compute_the_same(const char *mechanism, u64 seeds, u32 rounds, size_t saves)
{
	u8 *expected = malloc(2 * BYTES);
	u64 seed;

	assert_non_null(expected);
	for (seed = 1; seed <= seeds; seed++) {
		struct host *h = two_programs(seed, rounds);
		size_t resumed;

		host_run(h);
		memcpy(expected, h->memory, 2 * BYTES);
		host_free(h);

		h = two_programs(seed, rounds);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", mechanism), 0);
		disturb(h, seed);
		assert_int_equal(h->fault_count, 0);
		assert_int_equal(h->completion_count, 4);
		if (memcmp(h->memory, expected, 2 * BYTES))
			fail_msg("%s, seed %llu: the results differ", mechanism,
				 (unsigned long long)seed);
		if (host_count_of(h, VGPU_TRACE_SAVE_END) < saves)
			fail_msg("%s, seed %llu: only %zu saves", mechanism,
				 (unsigned long long)seed, host_count_of(h, VGPU_TRACE_SAVE_END));
		assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_START), 2 * BLOCKS);
		assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_END), 2 * BLOCKS);
		resumed = host_count_of(h, VGPU_TRACE_BLOCK_RESUME);
		assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT), resumed);
		assert_true(host_count_of(h, VGPU_TRACE_RESTORE_END) >= resumed);
		host_free(h);
	}
	free(expected);
}

static void a_thousand_switches_change_nothing(void **state)
{
	(void)state;
	programs_compute_the_same("switch", 2, 1000, 1000);
	programs_compute_the_same("switch", 40, 40, 40);
}

static void draining_changes_nothing(void **state)
{
	(void)state;
	programs_compute_the_same("drain", 10, 40, 0);
}

static void draining_and_switching_changes_nothing(void **state)
{
	(void)state;
	programs_compute_the_same("drain-then-switch", 20, 40, 20);
}

/*
 * An SM has executed its slice ahead of the time that takes. The switch waits for the end of it,
 * begins no other, and so saves the state of the present time; the SM's next slice is another
 * kernel's, whose translations are not those of the first.
 */
static void a_switch_waits_for_the_end_of_the_slice(void **state)
{
	struct host *h = two_programs(1, 400);
	struct vgpu_sm *sm = &h->dev->exec.sms[0];
	struct vgpu_smst *smst = &h->dev->exec.smst[0];
	u64 ends, instructions;
	u32 i;

	(void)state;
	h->dev->config.pipeline_drain_ps = 0;
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "switch"), 0);
	vgpu_device_run(h->dev, 20 * VGPU_US, ~0u);
	for (i = 0; i < 50; i++) {
		u32 context = sm->context;

		while (smst->state != VGPU_SM_RUNNING || !vgpu_sm_first(sm)->warps ||
		       !sm->instructions)
			vgpu_device_run(h->dev, h->dev->sim->now + 100 * VGPU_NS, ~0u);
		ends = vgpu_event_time(&sm->step);
		instructions = sm->instructions;
		if (ends <= h->dev->sim->now)
			continue;
		assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0,
						   manual_kernel(h->dev, context == 1 ? 2 : 1)),
				 0);
		vgpu_device_run(h->dev, ends - 1, ~0u);
		assert_int_equal(smst->state, VGPU_SM_RESERVED);
		vgpu_device_run(h->dev, ends, ~0u);
		assert_int_equal(smst->state, VGPU_SM_SAVING);
		assert_int_equal(sm->instructions, instructions);
		assert_false(vgpu_event_pending(&sm->step));
		while (smst->state != VGPU_SM_SETUP)
			vgpu_device_run(h->dev, VGPU_NEVER, 1);
		while (smst->state == VGPU_SM_SETUP)
			vgpu_device_run(h->dev, VGPU_NEVER, 1);
		assert_int_not_equal(sm->context, context);
		assert_int_equal(sm->context, smst->ksr->ctx->sched.id);
	}
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	host_free(h);
}

/* ---- pauses ------------------------------------------------------------- */

/* The same records, memory and events as @expected, which ends. */
static void must_be_the_same(struct host *h, struct host *expected, u64 seed)
{
	if (h->record_count != expected->record_count ||
	    memcmp(h->records, expected->records, h->record_count * sizeof(*h->records)))
		fail_msg("seed %llu: the traces differ", (unsigned long long)seed);
	assert_memory_equal(h->memory, expected->memory, 2 * BYTES);
	assert_int_equal(h->dev->sim->now, expected->dev->sim->now);
	assert_int_equal(h->dev->sim->fired, expected->dev->sim->fired);
	host_leave(expected);
}

/* SMs whose next slice begins where the last one was cut. */
static u32 cut_slices(const struct host *h)
{
	u32 count = 0;

	for (u32 sm = 0; sm < 3; sm++)
		count += h->dev->exec.sms[sm].run->slice.cut;
	return count;
}

/* A host that interrupts at every chance, with and without preemptions, sees the same trace. */
static void a_pause_changes_nothing(void **state)
{
	u32 cut = 0;

	(void)state;
	for (u64 seed = 1; seed <= 20; seed++) {
		struct host *expected = two_programs(seed, 40), *h = two_programs(seed, 40);
		u64 runs = 0;

		host_run(expected);
		vgpu_system_interrupt(vgpu_device_system(h->dev), true);
		while (vgpu_device_run(h->dev, VGPU_NEVER, ~0u) != VGPU_NEVER)
			runs++, cut += cut_slices(h);
		/* three warps of three blocks take part in most slices */
		assert_true(runs > 2 * h->dev->sim->fired);
		must_be_the_same(h, expected, seed);
		host_free(h);

		expected = two_programs(seed, 40);
		h = two_programs(seed, 40);
		vgpu_system_interrupt(vgpu_device_system(h->dev), true);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "switch"), 0);
		assert_int_equal(vgpu_device_knob_set(expected->dev, "preemption", "switch"), 0);
		disturb(expected, seed);
		disturb(h, seed);
		must_be_the_same(h, expected, seed);
		host_free(h);
	}
	assert_true(cut > 0);
}

/*
 * In the middle of a slice the host preempts SMs, and, with every other seed, ends one of the
 * contexts. What the rest computes is the same.
 */
static void the_host_acts_in_a_pause(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 40; seed++) {
		struct host *expected = two_programs(seed, 40), *h = two_programs(seed, 40);
		bool closing = seed % 2;
		struct vgpu_random random;
		u32 paused = 0;

		host_run(expected);
		vgpu_random_seed(&random, seed);
		vgpu_system_interrupt(vgpu_device_system(h->dev), true);
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "switch"), 0);
		while (vgpu_device_run(h->dev, VGPU_NEVER, ~0u) != VGPU_NEVER) {
			u32 sm = below(&random, 3);
			struct vgpu_ksr *ksr = manual_kernel(h->dev, 1 + below(&random, 2));

			if (!h->dev->exec.sms[sm].run->slice.open || below(&random, 5))
				continue;
			paused++;
			assert_true(vgpu_exec_check(&h->dev->exec));
			if (closing && paused == 10) {
				assert_int_equal(vgpu_context_close(h->dev, 2), 0);
				assert_int_equal(vgpu_memory_unmap(h->dev, 1, BASE, 2 * BYTES),
						 -ENOENT);
			} else if (ksr && h->dev->exec.smst[sm].ksr) {
				assert_int_equal(vgpu_exec_reserve(&h->dev->exec, sm, ksr), 0);
			}
		}
		assert_true(paused > 10);
		assert_int_equal(h->fault_count, 0);
		assert_memory_equal(h->memory, expected->memory, (closing ? 1 : 2) * BYTES);
		host_leave(expected);
		host_free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_switches_change_nothing),
		cmocka_unit_test(a_switch_waits_for_the_end_of_the_slice),
		cmocka_unit_test(draining_changes_nothing),
		cmocka_unit_test(draining_and_switching_changes_nothing),
		cmocka_unit_test(a_pause_changes_nothing),
		cmocka_unit_test(the_host_acts_in_a_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
