// SPDX-License-Identifier: MIT
/*
 * The loader: binaries good and bad, of version 1 too, cut short and with bits changed; what passes
 * runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes_rig.h"
#include "sm/verify.h"
#include "vass_build.h"
#include "vgpu_device.h"

static struct vgpu_config config;

static int setup(void **state)
{
	(void)state;
	return vgpu_config_preset(&config, "k20c");
}

static void some_program(struct vass *v)
{
	vass_init(v, 24, 16);
	v->kernel.shared_bytes = 256;
	v->kernel.local_bytes = 32;
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(v, LDP, VASS_MEM(8, 2), 4, 0, 0, 0, 0);
	OPI(v, SHL, 1, 0, 2);
	OP(v, STS, VASS_MEM(4, 1), 0, 1, 0, 0, 0);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);
	OP(v, LDS, VASS_MEM(4, 1), 2, 1, 0, 0, 0);
	OP(v, STL, VASS_MEM(4, 1) | VGPU_F_ABS, 0, 0, 2, 0, 4);
	vass_op(v, VGPU_OP_SETPS, VGPU_CMP_LT | VGPU_F_IMM, 0, 0, 0, 0, 9);
	OP(v, BRA, 0, 0, 0, 0, 0, 11 | 11ull << 32);
	vass_guard(v, 0);
	OP(v, FFMA, VGPU_RND_RZ, 8, 1, 2, 2, 0);
	OP(v, DFMA, 0, 10, 4, 6, 4, 0);
	OP(v, ATOMS, VGPU_ATOM_ADD | VGPU_F_ATOM_NORET, 0, 1, 2, 0, 0);
	OP(v, SHFL, VGPU_SHFL_BFLY | VGPU_F_IMM, 3, 2, 0, 1, 63ull << 32 | 16);
	OP(v, VOTE, VGPU_VOTE_ANY, 1, 0, 0, 0, 0);
	OP(v, BARRED, VGPU_BARRED_POPC, 9, 1, 0, 0, 0);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static int load(const void *binary, u32 bytes, char *message, size_t room,
		struct vgpu_module **module)
{
	/* exactly as long as it says, so that ASan sees a byte read too many */
	void *copy = malloc(bytes ? bytes : 1);
	int error;

	assert_non_null(copy);
	memcpy(copy, binary, bytes);
	error = vgpu_vass_load(&config, copy, bytes, message, room, module);
	free(copy);
	return error;
}

static void refused(const void *binary, u32 bytes, const char *says)
{
	struct vgpu_module *module = NULL;
	char message[256];
	int error = load(binary, bytes, message, sizeof(message), &module);

	if (error != -EINVAL || !strstr(message, says))
		fail_msg("%d \"%s\", want \"%s\"", error, message, says);
	assert_null(module);
}

static void test_good_binary(void **state)
{
	struct vgpu_module *module;
	struct vass v;
	char message[64] = "old";
	u32 bytes;
	void *binary;

	(void)state;
	some_program(&v);
	binary = vass_binary(&v, &bytes);
	assert_int_equal(load(binary, bytes, message, sizeof(message), &module), 0);
	assert_string_equal(message, "");
	assert_int_equal(vgpu_module_kernel_count(module), 1);
	assert_null(vgpu_module_kernel(module, 1));
	assert_string_equal(vgpu_module_kernel(module, 0)->name, "k");
	assert_int_equal(vgpu_module_kernel(module, 0)->vass.regs, 24);
	assert_memory_equal(vgpu_module_kernel(module, 0)->code, v.code,
			    v.count * sizeof(v.code[0]));
	vgpu_vass_free(module);
	/* no kernel is a program of variables only */
	((struct vgpu_vass_header *)binary)->kernel_count = 0;
	assert_int_equal(load(binary, bytes, NULL, 0, &module), 0);
	assert_int_equal(vgpu_module_kernel_count(module), 0);
	vgpu_vass_free(module);
	free(binary);
}

static void test_refused_binaries(void **state)
{
	struct vass v;
	u32 bytes;
	u8 *good, *bad;
	struct vgpu_vass_header *h;
	struct vgpu_vass_kernel *k;

	(void)state;
	some_program(&v);
	good = vass_binary(&v, &bytes);
	bad = malloc(bytes);
	assert_non_null(bad);
	h = (struct vgpu_vass_header *)bad;
#define BAD(change, says)	do {						\
		memcpy(bad, good, bytes);					\
		k = (struct vgpu_vass_kernel *)(bad + h->kernel_offset);	\
		change;								\
		refused(bad, bytes, says);					\
	} while (0)
	BAD(h->magic++, "no VASS binary");
	BAD(h->version = 0, "version of the binary is 0, this device takes 1 to 3");
	BAD(h->version = 4, "version of the binary is 4, this device takes 1 to 3");
	BAD(h->flags = 1, "must be 0");
	BAD(h->reserved[2] = 1, "must be 0");
	BAD(h->total_bytes--, "total_bytes");
	BAD(h->code_offset += 8, "code is not at a multiple of 16");
	BAD(h->code_offset = 16, "code overlaps the header");
	BAD(h->code_offset = 0xfffffff0, "code reaches beyond");
	BAD(h->code_count = 0x10000001, "code reaches beyond");
	BAD(h->kernel_count = 1025, "number of kernels is 1025, at most 1024");
	BAD(h->kernel_count = 2, "kernels reaches beyond");
	BAD(h->names_bytes = 3, "names reaches beyond");
	BAD(h->names_offset = h->code_offset, "two tables");
	BAD(h->kernel_offset = h->code_offset, "two tables");
	BAD(k->name = 2, "kernel 0: its name");
	BAD(k->name = 1, "kernel 0: its name");
	BAD(bad[h->names_offset + 1] = 'x', "kernel 0: its name");
	BAD(bad[h->names_offset] = '\n', "kernel 0: its name");
	BAD(k->entry = 1, "kernel k: its code");
	BAD(k->code_count = 0, "kernel k: its code");
	BAD(k->code_count = ~0u, "kernel k: its code");
	BAD(k->entry = ~0u, "kernel k: its code");
	BAD(k->regs = 0, "kernel k: regs is 0");
	BAD(k->regs = 255, "kernel k: regs is 255, at most 254");
	BAD(k->shared_bytes = 49153, "shared_bytes is 49153, at most 49152");
	BAD(k->local_bytes = 524304, "local_bytes is 524304");
	BAD(k->local_bytes = 8, "multiple of 16");
	BAD(k->param_bytes = 32765, "param_bytes is 32765, at most 32764");
	BAD(k->flags = 1, "must be 0");
	BAD(k->launch_pool[0] = 32, "multiple of 64");
	BAD(k->launch_pool[1] = VGPU_ADDRESS_LIMIT >> 32, "below");
	BAD(k->launch_depth = 4, "launch_pool");
	BAD(k->launch_pool[0] = 64; k->launch_depth = 2, "multiple of 4");
	BAD(k->launch_pool[0] = 64; k->launch_depth = k->param_bytes, "inside the parameters");
	BAD(k->regs = 11, "kernel k: instruction 10 (DFMA): a register");
	BAD(k->param_bytes = 8, "kernel k: instruction 1 (LDP): a parameter");
	BAD(k->code_count--, "instruction 14 (BARRED): the last instruction");
	BAD(((struct vgpu_insn *)(bad + h->code_offset))[15].guard = 0,
	    "instruction 15 (EXIT): the last instruction");
	BAD(((struct vgpu_insn *)(bad + h->code_offset))[3].op = 0xee,
	    "instruction 3 (238): there is no such opcode");
	BAD(((struct vgpu_insn *)(bad + h->code_offset))[3].op = VGPU_OP_CALL,
	    "instruction 3 (CALL): CALL is reserved: this device has no call stack");
	BAD(((struct vgpu_insn *)(bad + h->code_offset))[5].mem = VGPU_ORDER_RELEASE,
	    "instruction 5 (LDS): a load cannot release");
#undef BAD
	free(good);
	free(bad);
}

/*
 * A binary of version 1, as the compiler wrote it when that was the newest:
 *
 *	LDP.64 Q0, [0x0]; SREG R2, SR0; ATOMS.ADD [0x0], R2; BAR 0, 0; LDS.32 R3, [0x0];
 *	MADWU Q0, R2, 0x4, Q0; STG.32 [Q0], R3; MEMBAR; ATOMG.ADD R2, [Q0+1024], R2; ADD R2, R2, R3;
 *	STG.32 [Q0+2048], R2; EXIT
 */
static const u8 version_1[] = {
	0x56, 0x41, 0x53, 0x53, 0x01, 0x00, 0x00, 0x00,
	0x30, 0x01, 0x00, 0x00, 0x70, 0x00, 0x00, 0x00,
	0x0c, 0x00, 0x00, 0x00, 0x30, 0x00, 0x00, 0x00,
	0x01, 0x00, 0x00, 0x00, 0x60, 0x00, 0x00, 0x00,
	0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x0c, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00,
	0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x6b, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x92, 0x00, 0x3f, 0x03, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x03, 0x00, 0x3f, 0x00, 0x02, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x99, 0x00, 0x3f, 0xa0, 0x00, 0x00, 0x02, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0xa4, 0x00, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x90, 0x00, 0x3f, 0x22, 0x03, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x13, 0x00, 0x3f, 0x80, 0x00, 0x02, 0x00, 0x00,
	0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x94, 0x00, 0x3f, 0x02, 0x00, 0x00, 0x03, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x9d, 0x00, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x98, 0x00, 0x3f, 0x00, 0x02, 0x00, 0x02, 0x00,
	0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x0a, 0x00, 0x3f, 0x00, 0x02, 0x02, 0x03, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x94, 0x00, 0x3f, 0x02, 0x00, 0x00, 0x02, 0x00,
	0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0xa7, 0x00, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

/* It loads as what it means in the newest version, and does what it did. */
static void test_version_1(void **state)
{
	u8 v1_atomic = VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, VGPU_CACHE_NONE);
	u8 v1_fence = VGPU_MEM(VGPU_ORDER_SC, VGPU_SCOPE_SYS, VGPU_CACHE_NONE);
	const struct vgpu_vass_header *h;
	const struct vgpu_insn *was;
	const struct vgpu_kernel *k;
	struct vgpu_module *module;
	u64 base = RIG_BASE;
	char message[256];
	u8 bad[sizeof(version_1)] __attribute__((aligned(16)));

	(void)state;
	if (load(version_1, sizeof(version_1), message, sizeof(message), &module))
		fail_msg("%s", message);
	k = vgpu_module_kernel(module, 0);
	memcpy(bad, version_1, sizeof(bad));
	h = (const struct vgpu_vass_header *)bad;
	was = (const struct vgpu_insn *)(bad + h->code_offset);
	assert_int_equal(k->vass.code_count, 12);
	for (u32 n = 0; n < k->vass.code_count; n++) {
		struct vgpu_insn want = was[n];

		if (n == 2 || n == 8)
			want.mem = v1_atomic;
		if (n == 7)
			want.mem = v1_fence;
		assert_memory_equal(&k->code[n], &want, sizeof(want));
	}
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(9);
		u32 *words = (u32 *)rig->memory, old[VGPU_LANES];

		rig->launch.block[0] = 32;
		rig->launch.block[1] = rig->launch.block[2] = rig->launch.warps = 1;
		rig->launch.threads = 32;
		memcpy(rig->code, k->code, k->vass.code_count * sizeof(*k->code));
		memcpy(rig->params, &base, sizeof(base));
		memset(rig->shared, 0, 4);
		memcpy(old, words + 256, sizeof(old));
		assert_int_equal(rig_run(rig, build, 50), VGPU_LANES_BARRIER);
		rig->warp.state = VGPU_WARP_READY;
		assert_int_equal(rig_run(rig, build, 50), VGPU_LANES_EXIT);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			assert_int_equal(words[l], 496);
			assert_int_equal(words[256 + l], old[l] + l);
			assert_int_equal(words[512 + l], old[l] + 496);
		}
		rig_free(rig);
	}
	vgpu_vass_free(module);
	/* it had opcodes of 16 bits, and no orders */
	bad[h->code_offset + 6 * 16 + 1] = VGPU_ORDER_RELEASE;
	refused(bad, sizeof(bad), "kernel k: instruction 6 (916): there is no such opcode");
	bad[h->code_offset + 6 * 16 + 1] = 0;
	bad[h->code_offset + 3 * 16] = 0xee;
	refused(bad, sizeof(bad), "kernel k: instruction 3 (238): there is no such opcode");
}

static void test_shared_code(void **state)
{
	struct vass v;
	u32 bytes;
	u8 *one, *two;
	struct vgpu_vass_header *h;
	struct vgpu_vass_kernel *k;
	struct vgpu_module *module;

	(void)state;
	vass_init(&v, 1, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	one = vass_binary(&v, &bytes);
	two = calloc(1, bytes + 48);
	assert_non_null(two);
	memcpy(two, one, bytes);
	h = (struct vgpu_vass_header *)two;
	k = (struct vgpu_vass_kernel *)(two + h->kernel_offset);
	h->kernel_count = 2;
	h->names_offset += 48;
	h->total_bytes += 48;
	memcpy(two + h->names_offset, "k", 2);
	k[1] = k[0];
	refused(two, bytes + 48, "kernel k: it shares code");
	k[0].code_count = 1;
	k[1].entry = 1;
	k[1].code_count = 1;
	assert_int_equal(load(two, bytes + 48, NULL, 0, &module), 0);
	vgpu_vass_free(module);
	free(one);
	free(two);
}

static void test_truncated(void **state)
{
	struct vass v;
	u32 bytes;
	u8 *binary;

	(void)state;
	some_program(&v);
	binary = vass_binary(&v, &bytes);
	for (u32 n = 0; n < bytes; n++) {
		struct vgpu_module *module;
		struct vgpu_vass_header *h = (struct vgpu_vass_header *)binary;

		assert_int_equal(load(binary, n, NULL, 0, &module), -EINVAL);
		/* and when it admits to it */
		h->total_bytes = n;
		assert_int_equal(load(binary, n, NULL, 0, &module), -EINVAL);
		h->total_bytes = bytes;
	}
	free(binary);
}

/* A message is cut where there is no room for it, and always ends. */
static void test_message_room(void **state)
{
	struct vgpu_module *module;
	char message[64];

	(void)state;
	for (size_t room = 0; room < sizeof(message); room++) {
		memset(message, 'z', sizeof(message));
		assert_int_equal(load("VASS", 4, message, room, &module), -EINVAL);
		for (size_t n = room; n < sizeof(message); n++)
			assert_int_equal(message[n], 'z');
		if (room)
			assert_non_null(memchr(message, 0, room));
	}
}

/*
 * Run what was accepted for a while, with memory exactly as large as it is entitled to: ASan
 * watches.
 */
static void run(const struct vgpu_kernel *k)
{
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);
		u32 *regs = aligned_alloc(64, ((k->vass.regs + 1) & ~1u) * 128);
		u8 *shared = aligned_alloc(64, (k->vass.shared_bytes + 63) & ~63u);
		u32 pages = (k->vass.local_bytes + VGPU_LOCAL_SPAN - 1) / VGPU_LOCAL_SPAN;
		u8 *local = aligned_alloc(64, pages * VGPU_PAGE_SIZE);
		struct vgpu_local_page *table = calloc(pages + 1, sizeof(*table));
		struct vgpu_insn *code = malloc(k->vass.code_count * sizeof(*code));
		u8 *params = malloc(k->vass.param_bytes + 1);
		u32 turns = 0;
		enum vgpu_lanes_end end;

		assert_true(regs && code && params);
		memset(regs, 0, ((k->vass.regs + 1) & ~1u) * 128);
		memcpy(code, k->code, k->vass.code_count * sizeof(*code));
		for (u32 n = 0; n < k->vass.param_bytes; n++)
			params[n] = n % 8 == 3 ? 0x40 : 0;	/* pointers to RIG_BASE */
		rig->warp.regs = regs;
		for (u32 n = 0; n < pages; n++) {
			table[n].memory = local + n * VGPU_PAGE_SIZE;
			if (n % VGPU_LOCAL_TABLE == 0)
				rig->warp.local[n / VGPU_LOCAL_TABLE] = &table[n];
		}
		rig->lanes = (struct vgpu_lanes){
			.code = code,
			.launch = &rig->launch,
			.params = params,
			.shared = shared,
			.shared_bytes = k->vass.shared_bytes,
			.local_bytes = k->vass.local_bytes,
			.tlb = rig->tlb,
			.cost = rig->cost,
			.warp = &rig->warp,
		};
		do {
			rig->lanes.budget = 50;
			end = rig_run_lanes(rig, build);
		} while ((end == VGPU_LANES_BARRIER || end == VGPU_LANES_BUDGET) && ++turns < 20);
		free(regs);
		free(shared);
		free(local);
		free(table);
		free(code);
		free(params);
		rig_free(rig);
	}
}

static void test_bit_flips(void **state)
{
	struct vass v;
	u32 bytes, accepted = 0;
	u8 *binary;

	(void)state;
	some_program(&v);
	binary = vass_binary(&v, &bytes);
	for (u32 bit = 0; bit < bytes * 8; bit++) {
		struct vgpu_module *module;
		char message[256];
		int error;

		binary[bit / 8] ^= (u8)(1 << bit % 8);
		error = load(binary, bytes, message, sizeof(message), &module);
		binary[bit / 8] ^= (u8)(1 << bit % 8);
		if (error) {
			assert_int_equal(error, -EINVAL);
			assert_true(message[0]);
			continue;
		}
		accepted++;
		if (vgpu_module_kernel_count(module))
			run(vgpu_module_kernel(module, 0));
		vgpu_vass_free(module);
	}
	assert_in_range(accepted, 50, bytes * 4);
	free(binary);
}

/* Half of the time 0, else an order, scope and cache operator that some opcode has, or noise. */
static u8 some_mem(u64 *seed)
{
	static const u8 values[] = {
		VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_CTA, VGPU_CACHE_NONE),
		VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, VGPU_CACHE_NONE),
		VGPU_MEM(VGPU_ORDER_ACQUIRE, VGPU_SCOPE_GPU, VGPU_CACHE_NONE),
		VGPU_MEM(VGPU_ORDER_RELEASE, VGPU_SCOPE_SYS, VGPU_CACHE_NONE),
		VGPU_MEM(VGPU_ORDER_ACQ_REL, VGPU_SCOPE_CTA, VGPU_CACHE_NONE),
		VGPU_MEM(VGPU_ORDER_NC, VGPU_SCOPE_CTA, VGPU_CACHE_CS),
		VGPU_MEM(VGPU_ORDER_WEAK, VGPU_SCOPE_CTA, VGPU_CACHE_CG),
	};
	u64 r = rig_random(seed);

	if (r & 1)
		return 0;
	return r & 2 ? (u8)(r >> 8) : values[(r >> 8) % VGPU_ARRAY_SIZE(values)];
}

/* Anything at all in the words of a program; what passes runs. */
static void test_random_words(void **state)
{
	struct vass v;
	u64 seed = 23;
	u32 accepted = 0;

	(void)state;
	for (u32 round = 0; round < 20000; round++) {
		struct vgpu_vass_kernel k = { .regs = 24,
					      .param_bytes = 16,
					      .shared_bytes = 256,
					      .local_bytes = 32,
					      .code_count = 9 };
		struct vgpu_kernel program = { .vass = k, .code = v.code };

		vass_init(&v, 24, 16);
		for (u32 n = 0; n < 8; n++) {
			struct vgpu_insn i;

			do {
				u64 r = rig_random(&seed);

				i = (struct vgpu_insn){
					.op = (u8)(r % (VGPU_OP_COUNT + 1)),
					.mem = some_mem(&seed),
					.guard = r >> 10 & 3 ? VGPU_PT : (u8)(r >> 12 & 0x7f),
					.flags = (u8)(r >> 20),
					.dst = r >> 28 & 31,
					.a = r >> 34 & 31,
					.b = r >> 40 & 31,
					.c = r >> 46 & 31,
				};
				if (r >> 52 & 3)
					i.imm = rig_random(&seed) >> (rig_random(&seed) & 63);
				if (r >> 54 & 1)
					i.c = 0;
				if (r >> 55 & 1)
					i.b = i.c = 0;
				if (i.op == VGPU_OP_BRA)
					i.imm = (i.imm & 7) | (u64)(i.imm >> 8 & 7) << 32;
			} while (vgpu_verify_insn(&i, &k));
			v.code[n] = i;
			accepted++;
		}
		v.code[8] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
		if (round % 8 == 0)
			run(&program);
	}
	assert_int_equal(accepted, 160000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_1),
		cmocka_unit_test(test_good_binary),
		cmocka_unit_test(test_refused_binaries),
		cmocka_unit_test(test_shared_code),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_message_room),
		cmocka_unit_test(test_bit_flips),
		cmocka_unit_test(test_random_words),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
