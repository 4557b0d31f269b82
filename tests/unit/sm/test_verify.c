// SPDX-License-Identifier: MIT
/*
 * The verifier, instruction by instruction: what is good, and every refusal by name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes_rig.h"
#include "sm/verify.h"
#include "vass_build.h"
#include "vgpu_device.h"

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
		IA(ATOMGQ, .flags = VGPU_ATOM_EXCH128, .dst = 12, .b = 12),
		IA(ATOMSQ, .flags = VGPU_ATOM_CAS128, .dst = 12, .b = 8),
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
		{ I(LDG, M(NC, CTA, CV)), "of an nc load" },
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
		{ IA(ATOM, .flags = VGPU_ATOM_EXCH128), "64-bit operands" },
		{ IA(ATOMGQ, .flags = VGPU_ATOM_CAS128 | VGPU_F_ATOM_NORET), "have a result" },
		{ IA(ATOMGQ, .flags = VGPU_ATOM_CAS128, .c = 2), "but in CAS" },
		{ IA(ATOMGQ, .flags = VGPU_ATOM_EXCH128, .dst = 14), "beyond those" },
		{ IA(ATOMGQ, .flags = VGPU_ATOM_EXCH128, .dst = 1), "odd" },
		{ IA(ATOMGQ, .flags = VGPU_ATOM_EXCH128, .b = 14), "beyond those" },
		{ IA(ATOMGQ, .flags = VGPU_ATOM_CAS128, .b = 10), "beyond those" },
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
		{ VGPU_OP_LD, load | C(LU) | C(CV), load | C(LU), O(RELAXED) | O(ACQUIRE) },
		{ VGPU_OP_LDG, load | C(LU) | C(CV), load | C(LU), O(RELAXED) | O(ACQUIRE) },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_insns),
		cmocka_unit_test(test_refused_insns),
		cmocka_unit_test(test_every_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
