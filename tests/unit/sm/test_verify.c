// SPDX-License-Identifier: MIT
/*
 * The verifier: every refusal by name, binaries cut at every length, every single bit flipped; what
 * is accepted after a flip must run without harm.
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

/* ---- instructions ------------------------------------------------------- */

#define I(name, ...)	{ .op = VGPU_OP_##name, .guard = VGPU_PT, __VA_ARGS__ }

#define M(order, scope, cache)	\
	.mem = VGPU_MEM(VGPU_ORDER_##order, VGPU_SCOPE_##scope, VGPU_CACHE_##cache)
#define IA(name, ...)	I(name, M(RELAXED, GPU, NONE), __VA_ARGS__)

/* A kernel of 16 registers, 24 parameter bytes, 10 instructions. */
static const struct vgpu_vass_kernel kernel = { .regs = 16, .param_bytes = 24, .code_count = 10 };

static void test_good_insns(void **state)
{
	static const struct vgpu_insn good[] = {
		I(NOP),
		I(MOV, .flags = VGPU_F_IMM, .dst = 15, .imm = 0xffffffff),
		I(MOV, .flags = VGPU_F_IMM, .imm = ~0ull),
		I(MOVQ, .flags = VGPU_F_IMM, .dst = 14, .imm = ~0ull << 5),
		I(SREG, .imm = VGPU_SR_CLOCK),
		I(SREGQ, .imm = VGPU_SR_GLOBALTIMER),
		I(LOP3, .a = 15, .b = 15, .c = 15, .imm = 255),
		I(SEL, .c = VGPU_PT | VGPU_P_NOT),
		I(FADD, .flags = 15),
		I(DADD, .flags = 3, .dst = 14),
		I(F2I, .flags = VGPU_F_SIGNED | 3 | VGPU_F_FTZ),
		I(SETPF, .flags = VGPU_CMP_NAN | VGPU_F_CMP_FTZ, .dst = 63),
		I(SETPS, .flags = VGPU_CMP_GE),
		I(LDG, .flags = VASS_MEM(4, 4), .dst = 12, .a = 14),
		I(LDG, .flags = VASS_MEM(8, 2), .dst = 12),
		I(LDG, .flags = VASS_MEM(2, 1) | VGPU_F_SEXT),
		I(LDG, .flags = VASS_MEM(4, 1) | VGPU_F_ABS, .imm = ~0ull),
		I(LDS, .a = 15, .imm = (u64)-4),
		I(LDG, M(ACQUIRE, SYS, NONE)),
		I(LDG, M(NC, CTA, CS)),
		I(LDL, M(WEAK, CTA, LU)),
		I(LDS, M(RELAXED, CTA, NONE)),
		I(STG, M(RELEASE, GPU, NONE)),
		I(ST, M(WEAK, CTA, WT)),
		I(ATOMS, M(ACQ_REL, CTA, NONE)),
		I(MEMBAR, M(SC, SYS, NONE)),
		I(LDP, .flags = VASS_MEM(8, 1), .imm = 16),
		I(STG, .flags = VASS_MEM(4, 4), .b = 12),
		IA(ATOM, .flags = VGPU_ATOM_CAS, .dst = 15, .a = 14, .b = 15, .c = 15),
		IA(ATOM, .flags = VGPU_ATOM_ADD | VGPU_F_ATOM_FLOAT | VGPU_F_ATOM_NORET, .b = 15),
		IA(ATOMQ, .flags = VGPU_ATOM_MIN | VGPU_F_ATOM_SIGNED, .b = 14),
		I(SHFL, .flags = VGPU_SHFL_IDX | VGPU_F_IMM, .imm = 63ull << 32 | 5),
		I(VOTE, .flags = VGPU_VOTE_UNI, .a = 0x7f),
		I(SHFLSYNC, .flags = VGPU_F_IMM, .imm = 3 | 63ull << 32 | 15ull << 40),
		I(SHFLSYNC, .imm = 63ull << 32 | 0xffull << 40),
		I(VOTESYNC, .flags = VGPU_VOTE_UNI | VGPU_F_IMM, .imm = ~0u),
		I(BALLOTSYNC, .a = 0x7f, .b = 15),
		I(MATCHSYNC, .flags = VGPU_MATCH_ALL, .b = 15),
		I(MATCHSYNCQ, .flags = VGPU_F_IMM, .a = 14, .imm = 1),
		I(BARWARP, .b = 15),
		I(FNS, .c = 15),
		I(BAR, .imm = 15 | 64ull << 32),
		I(BARRED, .flags = VGPU_BARRED_OR, .dst = 15, .a = 63),
		I(BRA, .imm = 9 | 9ull << 32),
		I(BRA, .imm = (u64)VGPU_NO_RECONV << 32),
		I(EXIT, ),
		I(TRAP, ),
		{ .op = VGPU_OP_EXIT, .guard = 0x7f },
		{ .op = VGPU_OP_EXIT, .guard = 0 },
	};

	(void)state;
	for (size_t n = 0; n < VGPU_ARRAY_SIZE(good); n++) {
		const char *wrong = vgpu_verify_insn(&good[n], &kernel);

		if (wrong)
			fail_msg("%s (case %zu): %s", vgpu_op_name(good[n].op), n, wrong);
	}
}

static void test_refused_insns(void **state)
{
	static const struct {
		struct vgpu_insn insn;
		const char *says;
	} bad[] = {
		{ { .op = VGPU_OP_COUNT }, "no such opcode" },
		{ { .op = 0xff }, "no such opcode" },
		{ I(ADD, .mem = 1), "neither accesses nor orders" },
		{ I(LDG, .mem = 7), "no such memory order" },
		{ I(LDG, M(RELEASE, GPU, NONE)), "a load cannot release" },
		{ I(LDS, M(ACQ_REL, GPU, NONE)), "a load cannot release" },
		{ I(LD, M(SC, GPU, NONE)), "a load cannot release" },
		{ I(STG, M(ACQUIRE, GPU, NONE)), "a store cannot acquire" },
		{ I(STG, M(NC, CTA, NONE)), "only a load of global memory" },
		{ I(LDS, M(NC, CTA, NONE)), "only a load of global memory" },
		{ I(LDL, M(RELAXED, CTA, NONE)), "one thread's" },
		{ I(LDP, .flags = 2, M(ACQUIRE, GPU, NONE)), "one thread's" },
		{ I(LDG, M(RELAXED, CLUSTER, NONE)), "cluster is reserved" },
		{ I(LDG, M(WEAK, SYS, NONE)), "has no scope" },
		{ I(LDG, M(NC, GPU, NONE)), "has no scope" },
		{ I(LDG, M(WEAK, CTA, WB)), "of a load is ca" },
		{ I(LDG, M(NC, CTA, LU)), "of an nc load" },
		{ I(STG, M(WEAK, CTA, CA)), "of a store is cg" },
		{ I(LDS, M(WEAK, CTA, CG)), "only loads and stores" },
		{ I(LDP, .flags = 2, M(WEAK, CTA, CA)), "only loads and stores" },
		{ I(LDG, M(RELAXED, GPU, CV)), "beyond weak" },
		{ I(ATOM, ), "order of an atomic" },
		{ I(ATOM, M(SC, GPU, NONE)), "order of an atomic" },
		{ I(ATOM, M(RELAXED, GPU, CG)), "only loads and stores" },
		{ I(MEMBAR, ), "order of a fence" },
		{ I(MEMBAR, M(RELAXED, GPU, NONE)), "order of a fence" },
		{ I(MEMBAR, M(SC, GPU, NONE), .dst = 1), "does not have" },
		{ { .op = VGPU_OP_CALL, .guard = VGPU_PT }, "CALL is reserved" },
		{ { .op = VGPU_OP_CALLI, .guard = VGPU_PT }, "CALLI is reserved" },
		{ { .op = VGPU_OP_RET, .guard = VGPU_PT }, "RET is reserved" },
		{ { .op = VGPU_OP_TXBEGIN, .guard = VGPU_PT }, "TXBEGIN is reserved" },
		{ { .op = VGPU_OP_TXCOMMIT, .guard = VGPU_PT }, "TXCOMMIT is reserved" },
		{ { .op = VGPU_OP_TXABORT, .guard = VGPU_PT }, "TXABORT is reserved" },
		{ { .op = VGPU_OP_NOP, .guard = 0x80 | VGPU_PT }, "bit 7 of the guard" },
		{ I(NOP, .dst = 1), "does not have" },
		{ I(NOP, .flags = 1), "flags must be 0" },
		{ I(NOP, .imm = 1), "imm must be 0" },
		{ I(ADD, .dst = 16), "beyond those" },
		{ I(ADD, .a = 16), "beyond those" },
		{ I(ADD, .b = 255), "beyond those" },
		{ I(ADD, .c = 1), "does not have" },
		{ I(ADD, .imm = 1), "imm must be 0" },
		{ I(ADD, .flags = 1), "only IMM" },
		{ I(ADD, .flags = VGPU_F_IMM, .b = 1), "operand b must be 0" },
		{ I(ADD, .flags = VGPU_F_IMM, .imm = 1ull << 32), "more than 32 bits" },
		{ I(ABS, .flags = VGPU_F_IMM), "flags must be 0" },
		{ I(ADDQ, .dst = 1), "odd" },
		{ I(ADDQ, .a = 3), "odd" },
		{ I(ADDQ, .b = 16), "beyond those" },
		{ I(MADWU, .c = 5), "odd" },
		{ I(SXQ, .dst = 16), "beyond those" },
		{ I(SEL, .c = 0x80), "predicate operand" },
		{ I(PMOV, .dst = 0x40), "result predicate" },
		{ I(PAND, .b = 0x80), "predicate operand" },
		{ I(SREG, .imm = VGPU_SR_CLOCK64), "special register" },
		{ I(SREGQ, .imm = VGPU_SR_CLOCK), "special register" },
		{ I(SREGQ, .imm = VGPU_SR_COUNT), "special register" },
		{ I(SREG, .imm = 1ull << 32), "special register" },
		{ I(LOP3, .imm = 256), "8 bits" },
		{ I(FADD, .flags = 0x10), "flags" },
		{ I(DADD, .flags = VGPU_F_FTZ), "flags" },
		{ I(FSIN, .flags = VGPU_F_IMM), "flags" },
		{ I(F2D, .flags = VGPU_F_SIGNED), "flags" },
		{ I(D2L, .flags = VGPU_F_FTZ), "flags" },
		{ I(F2I, .flags = VGPU_F_SAT), "flags" },
		{ I(H2F, .flags = 0x20), "flags" },
		{ I(SETPS, .flags = VGPU_CMP_EQU), "condition" },
		{ I(SETPF, .flags = VGPU_CMP_COUNT), "condition" },
		{ I(SETPD, .flags = VGPU_F_CMP_FTZ), "flags" },
		{ I(SETPU, .dst = 64), "result predicate" },
		{ I(LDG, .flags = VASS_MEM(8, 4)), "16 bytes" },
		{ I(LDG, .flags = 2 | 3 << 2), "1, 2 or 4" },
		{ I(LDG, .flags = VASS_MEM(4, 4), .dst = 13), "beyond those" },
		{ I(LDG, .flags = VASS_MEM(8, 1), .dst = 1), "odd" },
		{ I(LDG, .flags = VASS_MEM(8, 2), .dst = 14), "beyond those" },
		{ I(LDG, .flags = VASS_MEM(4, 1) | VGPU_F_SEXT), "sign-extended" },
		{ I(LDG, .flags = VASS_MEM(4, 1), .a = 1), "odd" },
		{ I(LDS, .a = 16), "beyond those" },
		{ I(LDG, .flags = VGPU_F_ABS, .a = 2), "absolute" },
		{ I(STG, .flags = VGPU_F_SEXT), "flags" },
		{ I(STG, .flags = VASS_MEM(4, 2), .b = 15), "beyond those" },
		{ I(STG, .dst = 1), "does not have" },
		{ I(LDS, .imm = 1ull << 32), "more than 32 bits" },
		{ I(LDG, .flags = 0x40), "flags" },
		{ I(LDG, .b = 1), "does not have" },
		{ I(LDP, .flags = VASS_MEM(8, 1), .imm = 24), "param_bytes" },
		{ I(LDP, .flags = VASS_MEM(8, 1), .imm = 12), "aligned" },
		{ I(LDP, .flags = VASS_MEM(4, 4), .imm = 16), "param_bytes" },
		{ I(LDP, .imm = ~0ull), "param_bytes" },
		{ I(LDP, .a = 1), "does not have" },
		{ IA(ATOM, .flags = VGPU_ATOM_COUNT), "no such atomic" },
		{ IA(ATOMQ, .flags = VGPU_ATOM_INC), "32-bit only" },
		{ IA(ATOM, .flags = VGPU_ATOM_MIN | VGPU_F_ATOM_FLOAT), "floats" },
		{ IA(ATOM, .flags = VGPU_ATOM_ADD | VGPU_F_ATOM_SIGNED), "signed" },
		{ IA(ATOM, .flags = VGPU_F_ATOM_NORET, .dst = 1), "reduction" },
		{ IA(ATOM, .c = 1), "but in CAS" },
		{ IA(ATOM, .a = 1), "odd" },
		{ IA(ATOM, .b = 16), "beyond those" },
		{ IA(ATOM, .flags = VGPU_ATOM_CAS, .c = 16), "beyond those" },
		{ IA(ATOM, .dst = 16), "beyond those" },
		{ IA(ATOMQ, .b = 1), "odd" },
		{ IA(ATOM, .flags = VGPU_F_ATOM_ABS, .a = 2), "absolute" },
		{ I(SHFL, .flags = VGPU_SHFL_COUNT), "shuffle" },
		{ I(SHFL, .imm = 64ull << 32), "imm of a shuffle" },
		{ I(SHFL, .imm = 1), "imm of a shuffle" },
		{ I(SHFL, .c = 16), "beyond those" },
		{ I(VOTE, .flags = VGPU_VOTE_COUNT), "vote" },
		{ I(VOTE, .imm = 1), "imm must be 0" },
		{ I(SHFL, .imm = 1ull << 40), "without a member mask" },
		{ I(SHFLSYNC, .imm = 16ull << 40), "beyond those" },
		{ I(SHFLSYNC, .imm = 1ull << 48), "member mask" },
		{ I(SHFLSYNC, .imm = 64ull << 32), "imm of a shuffle" },
		{ I(SHFLSYNC, .flags = VGPU_SHFL_COUNT), "shuffle" },
		{ I(VOTESYNC, .flags = VGPU_VOTE_COUNT), "vote" },
		{ I(VOTESYNC, .b = 16), "beyond those" },
		{ I(VOTESYNC, .imm = 1), "imm must be 0" },
		{ I(BALLOTSYNC, .flags = 1), "only IMM" },
		{ I(MATCHSYNC, .flags = VGPU_MATCH_COUNT), "match" },
		{ I(MATCHSYNCQ, .a = 1), "odd" },
		{ I(MATCHSYNC, .flags = VGPU_F_IMM, .imm = 1ull << 32), "more than 32 bits" },
		{ I(BARWARP, .dst = 1), "does not have" },
		{ I(FNS, .c = 16), "beyond those" },
		{ I(BAR, .imm = 16), "imm of a barrier" },
		{ I(BAR, .imm = 33ull << 32), "multiple of 32" },
		{ I(BAR, .imm = 1ull << 48), "imm of a barrier" },
		{ I(BAR, .flags = 1), "flags" },
		{ I(BARRED, .flags = VGPU_BARRED_COUNT), "reduction" },
		{ I(BRA, .imm = 10), "target" },
		{ I(BRA, .imm = 10ull << 32), "reconvergence" },
		{ I(BRA, .flags = 1), "flags" },
		{ I(BRA, .a = 1), "does not have" },
		{ I(EXIT, .imm = 1), "imm must be 0" },
	};

	(void)state;
	for (size_t n = 0; n < VGPU_ARRAY_SIZE(bad); n++) {
		const char *wrong = vgpu_verify_insn(&bad[n].insn, &kernel);

		if (!wrong || !strstr(wrong, bad[n].says))
			fail_msg("opcode %u (case %zu): \"%s\", want \"%s\"", bad[n].insn.op, n,
				 wrong ? wrong : "(accepted)", bad[n].says);
	}
}

/*
 * Every value of mem on every opcode: the table of uapi/vgpu_isa.h, written out once more. A row of
 * `orders' is a bit for each order, and `caches' for each cache operator of its weak and nc ones.
 */
static void test_every_order(void **state)
{
#define O(name)	(1u << VGPU_ORDER_##name)
#define C(name)	(1u << VGPU_CACHE_##name)
	static const u32 load = C(NONE) | C(CA) | C(CG) | C(CS), store = C(NONE) | C(CG) | C(CS);
	static const struct {
		u32 op, weak, nc, orders;
	} table[] = {
		{ VGPU_OP_LD, load | C(LU) | C(CV), load, O(RELAXED) | O(ACQUIRE) },
		{ VGPU_OP_LDG, load | C(LU) | C(CV), load, O(RELAXED) | O(ACQUIRE) },
		{ VGPU_OP_LDL, load | C(LU) | C(CV), 0, 0 },
		{ VGPU_OP_LDS, C(NONE), 0, O(RELAXED) | O(ACQUIRE) },
		{ VGPU_OP_LDP, C(NONE), 0, 0 },
		{ VGPU_OP_ST, store | C(WB) | C(WT), 0, O(RELAXED) | O(RELEASE) },
		{ VGPU_OP_STG, store | C(WB) | C(WT), 0, O(RELAXED) | O(RELEASE) },
		{ VGPU_OP_STL, store | C(WB) | C(WT), 0, 0 },
		{ VGPU_OP_STS, C(NONE), 0, O(RELAXED) | O(RELEASE) },
		{ VGPU_OP_ATOM, 0, 0, O(RELAXED) | O(ACQUIRE) | O(RELEASE) | O(ACQ_REL) },
		{ VGPU_OP_ATOMG, 0, 0, O(RELAXED) | O(ACQUIRE) | O(RELEASE) | O(ACQ_REL) },
		{ VGPU_OP_ATOMS, 0, 0, O(RELAXED) | O(ACQUIRE) | O(RELEASE) | O(ACQ_REL) },
		{ VGPU_OP_ATOMQ, 0, 0, O(RELAXED) | O(ACQUIRE) | O(RELEASE) | O(ACQ_REL) },
		{ VGPU_OP_ATOMGQ, 0, 0, O(RELAXED) | O(ACQUIRE) | O(RELEASE) | O(ACQ_REL) },
		{ VGPU_OP_ATOMSQ, 0, 0, O(RELAXED) | O(ACQUIRE) | O(RELEASE) | O(ACQ_REL) },
		{ VGPU_OP_MEMBAR, 0, 0, O(ACQUIRE) | O(RELEASE) | O(ACQ_REL) | O(SC) },
	};
#undef O
#undef C
	u32 known = 0;

	(void)state;
	for (u32 op = 0; op < 256; op++) {
		known += vgpu_op_name(op) != NULL;
		for (u32 mem = 0; mem < 256; mem++) {
			struct vgpu_insn i = { .op = (u8)op, .mem = (u8)mem, .guard = VGPU_PT };
			u32 order = mem & 7, scope = mem >> 3 & 3, cache = mem >> 5;
			const char *wrong;
			bool right = !mem;
			size_t n;

			for (n = 0; n < VGPU_ARRAY_SIZE(table); n++) {
				if (table[n].op != op)
					continue;
				if (order == VGPU_ORDER_WEAK)
					right = !scope && table[n].weak >> cache & 1;
				else if (order == VGPU_ORDER_NC)
					right = !scope && table[n].nc >> cache & 1;
				else
					right = scope != VGPU_SCOPE_CLUSTER && !cache &&
						table[n].orders >> order & 1;
				break;
			}
			wrong = vgpu_verify_insn(&i, &kernel);
			if (op == VGPU_OP_SREGQ && !mem)	/* 0 is a 32-bit register */
				right = false;
			if (op >= VGPU_OP_COUNT)
				right = false;
			if (right != !wrong)
				fail_msg("opcode %u, mem %#x: %s", op, mem,
					 wrong ? wrong : "taken");
			if (op >= VGPU_OP_COUNT)
				assert_non_null(strstr(wrong, vgpu_op_name(op) ? "reserved" :
									  "no such opcode"));
		}
	}
	assert_int_equal(known, VGPU_OP_COUNT + 6);
}

/* ---- binaries ----------------------------------------------------------- */

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
	BAD(h->version = 0, "version of the binary is 0, this device takes 1 to 2");
	BAD(h->version = 3, "version of the binary is 3, this device takes 1 to 2");
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
	BAD(k->reserved[0] = 1, "must be 0");
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
		u8 *local = aligned_alloc(64, (k->vass.local_bytes * 32 + 63) & ~63u);
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
		rig->warp.local = local;
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
			end = build ? vgpu_lanes_run_avx2(&rig->lanes) :
				      vgpu_lanes_run_sse2(&rig->lanes);
		} while ((end == VGPU_LANES_BARRIER || end == VGPU_LANES_BUDGET) && ++turns < 20);
		free(regs);
		free(shared);
		free(local);
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
		cmocka_unit_test(test_good_insns),   cmocka_unit_test(test_refused_insns),
		cmocka_unit_test(test_every_order),  cmocka_unit_test(test_version_1),
		cmocka_unit_test(test_good_binary),  cmocka_unit_test(test_refused_binaries),
		cmocka_unit_test(test_shared_code),  cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_message_room), cmocka_unit_test(test_bit_flips),
		cmocka_unit_test(test_random_words),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
