// SPDX-License-Identifier: MIT
/*
 * Compiled blocks are dropped and run again from their start (docs/preemption.md): where the device
 * says that this is right, by hand; that it changes no byte there, at random; and that it would
 * elsewhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/host.h"
#include "../device/manual.h"
#include "sm/verify.h"
#include "sm/warps.h"
#include "random_program.h"

#define IN	VGPU_OBJECT_PARAM(0)
#define OUT	VGPU_OBJECT_PARAM(8)

/* ---- the marks, by hand -------------------------------------------------- */

static struct vgpu_module *load(const struct vass *v, char *message, size_t room)
{
	struct vgpu_module *module = NULL;
	struct vgpu_config config;
	uint32_t bytes;
	void *binary = vass_binary(v, &bytes);

	assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
	vgpu_vass_load(&config, binary, bytes, message, room, &module);
	free(binary);
	return module;
}

/*
 * Of each instruction: '.' a block that stands there may be flushed, '|' it may not; then whether
 * one may of which threads have exited. @apart: with VGPU_LAUNCH_APART
 */
static void marks_are(const struct vass *v, bool apart, const char *want)
{
	char message[256] = "", got[VASS_MOST + 3] = "";
	struct vgpu_module *module = load(v, message, sizeof(message));
	const struct vgpu_repeat *repeat;
	u32 n;

	if (!module)
		fail_msg("%s", message);
	repeat = &vgpu_module_kernel(module, 0)->repeat[apart];
	for (n = 0; n < v->count; n++)
		got[n] = repeat->past[n / 64] >> n % 64 & 1 ? '|' : '.';
	got[n++] = ' ';
	got[n] = repeat->past_exit ? '|' : '.';
	assert_string_equal(got, want);
	vgpu_vass_free(module);
}

static void access_object(struct vass *v, unsigned int op, unsigned int object)
{
	bool load = op == VGPU_OP_LDG || op == VGPU_OP_LD;

	vass_op(v, op, VASS_MEM(4, 1), load ? 8 : 0, 2, load ? 0 : 8, object, 0);
}

/* A load of @from, a store to @to, the end. */
static struct vass *copy(struct vass *v, unsigned int from, unsigned int to)
{
	vass_init(v, 16, 16);
	access_object(v, VGPU_OP_LDG, from);
	access_object(v, VGPU_OP_STG, to);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
	return v;
}

static void a_store_may_be_repeated_where_nobody_reads(void **state)
{
	struct vass v;

	(void)state;
	/* not known what is read and written: done after the store */
	marks_are(copy(&v, VGPU_OBJECT_ANY, VGPU_OBJECT_ANY), true, "..| |");
	marks_are(copy(&v, VGPU_OBJECT_ANY, OUT), true, "..| |");
	marks_are(copy(&v, IN, VGPU_OBJECT_ANY), true, "..| |");
	/* two parameters: if they point to different memory */
	marks_are(copy(&v, IN, OUT), false, "..| |");
	marks_are(copy(&v, IN, OUT), true, "... .");
	/* in place */
	marks_are(copy(&v, OUT, OUT), true, "..| |");
	/* variables of the program, and what nobody can write */
	marks_are(copy(&v, IN, VGPU_OBJECT_VARIABLE), true, "... .");
	marks_are(copy(&v, VGPU_OBJECT_VARIABLE, VGPU_OBJECT_VARIABLE), true, "..| |");
	marks_are(copy(&v, VGPU_OBJECT_CONSTANT, OUT), false, "... .");
	copy(&v, OUT, OUT);
	v.code[0].mem = VGPU_MEM(VGPU_ORDER_NC, 0, 0);
	marks_are(&v, false, "... .");
	/* nothing is read at all */
	vass_init(&v, 16, 16);
	access_object(&v, VGPU_OP_ST, VGPU_OBJECT_ANY);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	marks_are(&v, false, ".. .");
}

static void what_others_may_act_on_is_not_repeated(void **state)
{
	struct vass v;

	(void)state;
	copy(&v, IN, OUT);
	v.code[1].mem = VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_SYS, 0);
	marks_are(&v, true, "..| |");
	/* atomics on global memory, or on what may be; not those on shared memory */
	for (u32 n = 0; n < 3; n++) {
		static const u8 ops[] = { VGPU_OP_ATOMG, VGPU_OP_ATOM, VGPU_OP_ATOMS };

		vass_init(&v, 16, 16);
		vass_op(&v, ops[n], VGPU_ATOM_ADD | VGPU_F_ATOM_NORET, 0, 2, 8, 0, 0);
		OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
		marks_are(&v, true, n < 2 ? ".| |" : ".. .");
	}
}

/* What may see something else the second time could store elsewhere. */
static void what_varies_is_not_repeated(void **state)
{
	static const struct vgpu_insn varies[] = {
		{ .op = VGPU_OP_SREG, .dst = 9, .imm = VGPU_SR_SMID },
		{ .op = VGPU_OP_SREG, .dst = 9, .imm = VGPU_SR_CLOCK },
		{ .op = VGPU_OP_SREGQ, .dst = 10, .imm = VGPU_SR_GLOBALTIMER },
		{ .op = VGPU_OP_ATOMS, .dst = 9, .a = 2, .b = 8,
		  .mem = VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, 0) },
		{ .op = VGPU_OP_LDG, .flags = VASS_MEM(4, 1), .dst = 9, .a = 2, .c = IN,
		  .mem = VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_SYS, 0) },
		{ .op = VGPU_OP_LDG, .flags = VASS_MEM(4, 1), .dst = 9, .a = 2, .c = OUT },
		{ .op = VGPU_OP_MEMBAR, .mem = VGPU_MEM(VGPU_ORDER_SC, VGPU_SCOPE_GPU, 0) },
	};
	struct vass v;

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(varies); n++) {
		copy(&v, IN, OUT);
		/* wherever it stands */
		v.count--;
		v.code[v.count] = varies[n];
		v.code[v.count++].guard = VGPU_PT;
		OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
		marks_are(&v, true, "..|| |");
	}
	/* numbers that are the same again */
	copy(&v, IN, OUT);
	v.count--;
	OP(&v, SREG, 0, 9, 0, 0, 0, VGPU_SR_CTAID_X);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	marks_are(&v, true, ".... .");
}

static void a_mark_is_where_some_path_has_stored(void **state)
{
	struct vass v;
	u32 over, loop;

	(void)state;
	/* 0 load, 1 branch to 3, 2 store, 3 nop, 4 exit: behind the branch nobody knows */
	vass_init(&v, 16, 16);
	access_object(&v, VGPU_OP_LDG, OUT);
	over = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 1);
	access_object(&v, VGPU_OP_STG, OUT);
	OP(&v, NOP, 0, 0, 0, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	vass_target(&v, over, 3, 3);
	marks_are(&v, true, "...|| |");
	/* 0 load, 1 nop, 2 store, 3 branch to 1, 4 exit: in a loop, from its second round on */
	vass_init(&v, 16, 16);
	access_object(&v, VGPU_OP_LDG, OUT);
	loop = OP(&v, NOP, 0, 0, 0, 0, 0, 0);
	access_object(&v, VGPU_OP_STG, OUT);
	over = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 1);
	vass_target(&v, over, loop, over + 1);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	marks_are(&v, true, ".|||| |");
	/* 0 exit of some, 1 load, 2 store, 3 exit: nobody knows which exit it was */
	vass_init(&v, 16, 16);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 1);
	access_object(&v, VGPU_OP_LDG, OUT);
	access_object(&v, VGPU_OP_STG, OUT);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	marks_are(&v, true, "...| |");
}

static void objects_are_checked(void **state)
{
	static const struct {
		u8 op, object;
		const char *message;
	} wrong[] = {
		{ VGPU_OP_LDS, 1, "only accesses to global memory name an object" },
		{ VGPU_OP_STL, 1, "only accesses to global memory name an object" },
		{ VGPU_OP_LDG, 3, "the object is a parameter beyond param_bytes" },
		{ VGPU_OP_STG, VGPU_OBJECT_PARAMS, "the object is a parameter beyond param_bytes" },
		{ VGPU_OP_STG, VGPU_OBJECT_CONSTANT, "no kernel writes it" },
	};
	char message[256];
	struct vass v;

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(wrong); n++) {
		bool load_op = wrong[n].op == VGPU_OP_LDS || wrong[n].op == VGPU_OP_LDG;

		vass_init(&v, 16, 16);
		vass_op(&v, wrong[n].op, VASS_MEM(4, 1), load_op ? 8 : 0, 2, load_op ? 0 : 8,
			wrong[n].object, 0);
		OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
		assert_null(load(&v, message, sizeof(message)));
		if (!strstr(message, wrong[n].message))
			fail_msg("%s", message);
	}
}

/* ---- at random ------------------------------------------------------------ */

enum program { COPIES, IN_PLACE };

/* Back to @top as often as R7 says. */
static void loop(struct vass *v, u32 top)
{
	u32 at;

	OPI(v, SUB, 7, 7, 1);
	vass_op(v, VGPU_OP_SETPS, VGPU_CMP_GT | VGPU_F_IMM, 0, 7, 0, 0, 0);
	at = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 0);
	vass_target(v, at, top, at + 1);
}

/*
 * Each thread goes round @rounds times: it loads its word of the input, mixes, and stores. COPIES
 * stores to the output; IN_PLACE to the input, so that a second run begins with other numbers.
 */
static void make_program(struct vass *v, enum program program, u32 rounds)
{
	u32 to = program == COPIES ? OUT : IN, top;

	vass_init(v, 32, 16);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(v, SREG, 0, 1, 0, 0, 0, VGPU_SR_CTAID_X);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(v, LDP, VASS_MEM(8, 1), 4, 0, 0, 0, 8);
	OPI(v, MUL, 6, 1, THREADS);
	OP(v, ADD, 0, 6, 6, 0, 0, 0);
	OPI(v, MADWU, 2, 6, 4);
	v->code[v->count - 1].c = 2;
	OPI(v, MADWU, 4, 6, 4);
	v->code[v->count - 1].c = 4;
	OP(v, MOV, VGPU_F_IMM, 9, 0, 0, 0, 0);
	/* it computes for a while before its first store */
	OP(v, MOV, VGPU_F_IMM, 7, 0, 0, 0, rounds * 4);
	top = OPI(v, MUL, 9, 9, 2246822519u);
	OP(v, ADD, 0, 9, 9, 6, 0, 0);
	loop(v, top);
	OP(v, MOV, VGPU_F_IMM, 7, 0, 0, 0, rounds);
	top = OP(v, LDG, VASS_MEM(4, 1), 8, 2, 0, IN, 0);
	/* even: in place each word is multiplied by one more, which must not be */
	OPI(v, MUL, 9, 9, 2654435760u);
	OP(v, ADD, 0, 9, 9, 8, 0, 0);
	OPI(v, ADD, 9, 9, 1);
	OP(v, STG, VASS_MEM(4, 1), 0, program == COPIES ? 4 : 2, 9, to, 0);
	loop(v, top);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static struct host *two_contexts(enum program program, u32 rounds, const char *timing)
{
	struct host *h = host_new("k20c", "sms=3", "active_kernels=8", "slice_ps=300000",
				  "memory_bandwidth=2000000000000", "flushes_most=12", timing,
				  NULL);

	vgpu_exec_set_policy(&h->dev->exec, &manual_policy);
	for (u32 n = 0; n < HOST_MEMORY / 4; n++)
		((u32 *)h->memory)[n] = n * 2654435761u;
	for (u32 n = 0; n < 2; n++) {
		u32 c = host_open(h), q = host_queue(h, c), module, bytes;
		u64 params[2] = { BASE, BASE + BYTES };
		char message[256] = "";
		struct vgpu_cmd cmd;
		struct vass v;
		void *binary;

		make_program(&v, program, rounds);
		binary = vass_binary(&v, &bytes);
		if (vgpu_module_load(h->dev, c, binary, bytes, message, sizeof(message), &module))
			fail_msg("%s", message);
		free(binary);
		assert_int_equal(vgpu_memory_map(h->dev, c, BASE, 2 * BYTES), 0);
		host_push(h, c, q, cmd_h2d(BASE, n * BYTES, BYTES));
		cmd = (struct vgpu_cmd){ .op = VGPU_CMD_LAUNCH,
					 .flags = VGPU_LAUNCH_APART,
					 .launch = { .module = module,
						     .grid = { BLOCKS, 1, 1 },
						     .block = { THREADS, 1, 1 },
						     .param_bytes = 16,
						     .params = 0x1000 } };
		assert_int_equal(host_try(h, c, q, &cmd, 0, params), 0);
		host_push(h, c, q, cmd_d2h(2 * n * BYTES, BASE, 2 * BYTES));
	}
	return h;
}

/* The device believes of all that runs that it may be flushed anywhere. */
static void forget_marks(struct host *h)
{
	struct vgpu_ksr *ksr;

	vgpu_list_for_each(ksr, &h->dev->exec.active_queue, struct vgpu_ksr, node) {
		const struct vgpu_kernel *kernel = ksr->launch.kernel;
		struct vgpu_repeat *repeat = (struct vgpu_repeat *)&kernel->repeat[1];

		memset(repeat->past, 0, (kernel->vass.code_count + 63) / 64 * sizeof(u64));
		repeat->past_exit = false;
	}
}

/** struct outcome - of two programs that were preempted */
struct outcome {
	u8 bytes[4 * BYTES];
	size_t flushes;
	size_t saves;
};

static void run(enum program program, const char *timing, const char *mechanism, u64 seed,
		bool marks, struct outcome *out)
{
	struct host *h = two_contexts(program, 60, timing);
	struct vgpu_random random;
	u64 next;

	vgpu_random_seed(&random, seed);
	if (mechanism)
		assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", mechanism), 0);
	for (;;) {
		u64 until = h->dev->sim->now + below(&random, 3 * VGPU_US);
		struct vgpu_ksr *ksr;
		u32 sm;

		do
			next = vgpu_device_run(h->dev, until, ~0u);
		while (next <= until);
		if (next == VGPU_NEVER)
			break;
		if (!marks)
			forget_marks(h);
		assert_true(vgpu_exec_check(&h->dev->exec));
		sm = below(&random, 3);
		ksr = manual_kernel(h->dev, 1 + below(&random, 2));
		if (mechanism && ksr && h->dev->exec.smst[sm].ksr)
			assert_int_equal(vgpu_exec_reserve(&h->dev->exec, sm, ksr), 0);
	}
	assert_int_equal(h->fault_count, 0);
	assert_int_equal(h->completion_count, 6);
	memcpy(out->bytes, h->memory, sizeof(out->bytes));
	out->flushes = host_count_of(h, VGPU_TRACE_BLOCK_FLUSH);
	out->saves = host_count_of(h, VGPU_TRACE_SAVE_END);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_START), 2 * BLOCKS);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_END), 2 * BLOCKS);
	host_free(h);
}

static struct outcome want, got;

static void flushes_change_nothing(enum program program, const char *timing)
{
	static const char *const mechanisms[] = { "flush", "chimera" };
	size_t flushes = 0, saves = 0;

	run(program, timing, NULL, 1, true, &want);
	for (u64 seed = 1; seed <= 20; seed++) {
		run(program, timing, mechanisms[seed % 2], seed, true, &got);
		if (memcmp(got.bytes, want.bytes, sizeof(got.bytes)))
			fail_msg("%s, %s, seed %llu: other bytes", timing, mechanisms[seed % 2],
				 (unsigned long long)seed);
		flushes += got.flushes;
		saves += got.saves;
	}
	assert_true(flushes >= 20);
	assert_true(saves >= (program == COPIES ? 0 : 20));
}

static void blocks_that_copy_are_flushed_anywhere(void **state)
{
	(void)state;
	flushes_change_nothing(COPIES, "timing=interval");
	flushes_change_nothing(COPIES, "timing=pipeline");
}

static void blocks_that_work_in_place_are_flushed_before_their_first_store(void **state)
{
	(void)state;
	flushes_change_nothing(IN_PLACE, "timing=interval");
	flushes_change_nothing(IN_PLACE, "timing=pipeline");
}

/* The same, flushed where it must not be: the marks are what makes the bytes right. */
static void past_the_mark_a_flush_gives_wrong_bytes(void **state)
{
	(void)state;
	run(IN_PLACE, "timing=interval", NULL, 1, true, &want);
	run(IN_PLACE, "timing=interval", "flush", 1, false, &got);
	assert_true(got.flushes > 20);
	assert_memory_not_equal(got.bytes, want.bytes, sizeof(got.bytes));
	/* where nothing has to be marked, that makes no difference */
	run(COPIES, "timing=interval", NULL, 1, true, &want);
	run(COPIES, "timing=interval", "flush", 1, false, &got);
	assert_memory_equal(got.bytes, want.bytes, sizeof(got.bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_may_be_repeated_where_nobody_reads),
		cmocka_unit_test(what_others_may_act_on_is_not_repeated),
		cmocka_unit_test(what_varies_is_not_repeated),
		cmocka_unit_test(a_mark_is_where_some_path_has_stored),
		cmocka_unit_test(objects_are_checked),
		cmocka_unit_test(blocks_that_copy_are_flushed_anywhere),
		cmocka_unit_test(blocks_that_work_in_place_are_flushed_before_their_first_store),
		cmocka_unit_test(past_the_mark_a_flush_gives_wrong_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
