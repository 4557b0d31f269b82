// SPDX-License-Identifier: MIT
/*
 * What one warp instruction costs, by operation: nanoseconds of processor time for 32 lanes, in
 * both builds of the lanes, with all lanes and with 31 of them, and how often that goes into an
 * FFMA measured in the same run. Median of RUNS runs; the spread is that of the AVX2 build. Rows
 * above their bound are marked: three FFMA, six for division, square root and transcendental ones.
 *
 * usage: bench_interp [NAME]...	rows whose name begins so
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "sm/lanes.h"
#include "sm/verify.h"

#define RUNS		7
#define CODE		64u
#define EXECUTE		3250u		/* a run: the code and its branch fifty times */
#define REGS		64u
#define PAGES		64u
#define BASE		0x40000000ull
#define SHARED		32768u
#define LOCAL		1024u
#define PARTIAL		0x7fffffffu

enum kind { KIND_N, KIND_R, KIND_Q, KIND_P, KIND_RI, KIND_QI, KIND_V, KIND_W, KIND_A };
enum class {
	CLASS_NONE,
	CLASS_SREG,
	CLASS_LUT,
	CLASS_FP,
	CLASS_CV,
	CLASS_CMP,
	CLASS_MEM,
	CLASS_ATOM,
	CLASS_FENCE,
	CLASS_SHFL,
	CLASS_VOTE,
	CLASS_MATCH,
	CLASS_BAR,
	CLASS_BARR,
	CLASS_BRA
};

static const struct {
	const char *name;
	enum class class;
	enum kind dst, a, b, c;
} isa[] = {
#define ROW(name, class, dst, a, b, c) \
	{ #name, CLASS_##class, KIND_##dst, KIND_##a, KIND_##b, KIND_##c },
	VGPU_ISA(ROW)
};

/* where operands begin in the register file: 32-bit ones, then pairs, then what is written */
enum { R_A = 0, R_B = 1, R_C = 2, R_ADDR = 3, Q_A = 4, Q_B = 6, Q_C = 8, Q_ADDR = 10, OUT = 16 };

static struct vgpu_lanes lanes __attribute__((aligned(64)));
static struct vgpu_warp warp;
static struct vgpu_launch launch;
static struct vgpu_insn code[CODE + 1];
static u32 regs[REGS * VGPU_LANES] __attribute__((aligned(64)));
static u8 memory[PAGES * 4096u] __attribute__((aligned(4096)));
static u8 shared[SHARED] __attribute__((aligned(64)));
static u8 local[LOCAL * VGPU_LANES] __attribute__((aligned(64)));
static struct vgpu_local_page local_pages[LOCAL / VGPU_LOCAL_SPAN];
static u8 params[64] __attribute__((aligned(64)));
static struct vgpu_tlb_entry tlb[VGPU_TLB_ENTRIES];
static u16 cost[VGPU_OP_COUNT];
static enum vgpu_lanes_end (*const builds[2])(struct vgpu_lanes *) = { vgpu_lanes_run_sse2,
								       vgpu_lanes_run_avx2 };

static u64 random64(void)
{
	static u64 state = 1;
	u64 z = state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static u32 float_bits(double d)
{
	float f = (float)d;
	u32 v;

	memcpy(&v, &f, 4);
	return v;
}

static u64 double_bits(double d)
{
	u64 v;

	memcpy(&v, &d, 8);
	return v;
}

/*
 * Operands as programs have them: floats of ordinary size, counts below the width, divisors of some
 * bits. @bits: of 64-bit operands.
 */
static void operands(const struct vgpu_insn *i, u32 bits)
{
	enum class class = isa[i->op].class;
	bool floats = class == CLASS_FP || i->op == VGPU_OP_SETPF || i->op == VGPU_OP_SETPD;
	bool counts = i->op >= VGPU_OP_SHL && i->op <= VGPU_OP_BFI;

	for (u32 n = 0; n < 3; n++) {
		for (u32 l = 0; l < VGPU_LANES; l++) {
			u64 r = random64(), wide = bits < 64 ? r & ((1ull << bits) - 1) : r;
			double d = 1 + (double)(r >> 40) * 0x1p-24;

			if (floats ||
			    (class == CLASS_CV && (i->op < VGPU_OP_I2F || i->op > VGPU_OP_L2D))) {
				double x = class == CLASS_CV ? d * 1000 : d;

				regs[(R_A + n) * VGPU_LANES + l] =
					i->op == VGPU_OP_H2F ? (u32)r & 0x7bff : float_bits(x);
				((u64 *)regs)[(Q_A / 2 + n) * VGPU_LANES + l] = double_bits(x);
			} else {
				regs[(R_A + n) * VGPU_LANES + l] =
					n && counts ? (u32)r & (n == 2 ? 0x1f1f : 31) :
						      (u32)r >> 12 * n;
				((u64 *)regs)[(Q_A / 2 + n) * VGPU_LANES + l] = n ? wide | 1 : wide;
			}
		}
	}
}

enum pattern { ROW_OF, SAME, STRIDE_2, STRIDE_32, PAGES_OF, RANDOM, PATTERNS };
static const char *const patterns[PATTERNS] = { "row",	     "same",	    "stride 2",
						"stride 32", "a page each", "random" };

static void addresses(enum pattern pattern, u32 bytes, enum vgpu_op op)
{
	u32 room = op == VGPU_OP_LDL || op == VGPU_OP_STL ? LOCAL : SHARED;

	for (u32 l = 0; l < VGPU_LANES; l++) {
		u64 at = 0;

		switch (pattern) {
		case ROW_OF: at = l; break;
		case STRIDE_2: at = l * 2; break;
		case STRIDE_32: at = l * 32; break;
		case PAGES_OF: at = (l * 4096 + l * 68) / bytes; break;
		case RANDOM: at = random64() >> 8; break;
		default: break;
		}
		at = at * bytes % sizeof(memory);
		((u64 *)regs)[Q_ADDR / 2 * VGPU_LANES + l] = BASE + at;
		regs[R_ADDR * VGPU_LANES + l] = (u32)at % room;
	}
}

static double once(int build, const struct vgpu_insn *i, u32 active)
{
	double start;
	struct timespec t;

	for (u32 n = 0; n < CODE; n++) {
		code[n] = *i;
		if (isa[i->op].dst == KIND_P)
			code[n].dst = (u8)(n % 8);
		else if (isa[i->op].dst != KIND_N)
			code[n].dst = (u8)(OUT + n * 4 % 32);
	}
	code[CODE] = (struct vgpu_insn){ .op = VGPU_OP_BRA,
					 .guard = VGPU_PT,
					 .imm = (u64)VGPU_NO_RECONV << 32 };
	warp = (struct vgpu_warp){ .active = active,
				   .live = active,
				   .reconv = VGPU_NO_RECONV,
				   .threads = 32,
				   .regs = regs,
				   .local = { local_pages } };
	warp.preds[VGPU_PT] = ~0u;
	warp.preds[1] = 0x5a5a1234;
	lanes.code = code;
	lanes.launch = &launch;
	lanes.params = params;
	lanes.shared = shared;
	lanes.shared_bytes = SHARED;
	lanes.local_bytes = LOCAL;
	for (u32 n = 0; n < LOCAL / VGPU_LOCAL_SPAN; n++)
		local_pages[n].memory = local + n * VGPU_PAGE_SIZE;
	lanes.tlb = tlb;
	lanes.cost = cost;
	lanes.warp = &warp;
	lanes.budget = EXECUTE;
	lanes.slow = 0;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	start = (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
	if (builds[build](&lanes) != VGPU_LANES_BUDGET) {
		fprintf(stderr, "%s: stopped at %llx, reason %u\n", isa[i->op].name, lanes.address,
			lanes.reason);
		exit(1);
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	/* some count for several */
	return ((double)t.tv_sec * 1e9 + (double)t.tv_nsec - start) / (EXECUTE - lanes.slow);
}

static char **only;
static int only_count, above;

static void measure(const char *form, const struct vgpu_insn *i, bool slow)
{
	const struct vgpu_insn ffma = {
		.op = VGPU_OP_FFMA, .guard = VGPU_PT, .a = R_A, .b = R_B, .c = R_C
	};
	struct bench_stat stat[2][2], ratio[2][2];
	char name[64];
	bool wanted = !only_count;

	snprintf(name, sizeof(name), "%s%s%s", isa[i->op].name, *form ? " " : "", form);
	for (int n = 0; n < only_count; n++)
		wanted |= !strncmp(name, only[n], strlen(only[n]));
	if (!wanted)
		return;
	printf("%-28s", name);
	for (int build = vgpu_cpu_has_avx2(); build >= 0; build--) {
		for (int part = 0; part < 2; part++) {
			double ns[RUNS], against[RUNS];

			once(build, i, part ? PARTIAL : ~0u);
			for (int run = 0; run < RUNS; run++) {
				static u32 saved[3 * VGPU_LANES];
				double fma;

				/* the reference has operands of its own */
				memcpy(saved, regs, sizeof(saved));
				for (u32 l = 0; l < 3 * VGPU_LANES; l++)
					regs[l] = 0x3f800000;
				fma = once(build, &ffma, ~0u);
				memcpy(regs, saved, sizeof(saved));
				ns[run] = once(build, i, part ? PARTIAL : ~0u);
				against[run] = ns[run] / fma;
			}
			stat[build][part] = bench_stat(ns, RUNS);
			ratio[build][part] = bench_stat(against, RUNS);
			printf("  %6.1f %5.1f", stat[build][part].median,
			       ratio[build][part].median);
			if (build && !part)
				printf(" (%.1f to %.1f)", stat[1][0].min, stat[1][0].max);
		}
	}
	for (int build = 0; build <= vgpu_cpu_has_avx2(); build++) {
		if (ratio[build][0].median > (slow ? 6 : 3) ||
		    ratio[build][1].median > (slow ? 6 : 3)) {
			printf("  above %d in %s", slow ? 6 : 3, build ? "AVX2" : "SSE2");
			above++;
		}
	}
	printf("\n");
}

static bool slow(u32 op)
{
	switch (op) {
	case VGPU_OP_FDIV:
	case VGPU_OP_FSQRT:
	case VGPU_OP_FRCP:
	case VGPU_OP_FRSQ:
	case VGPU_OP_FSIN:
	case VGPU_OP_FCOS:
	case VGPU_OP_FEX2:
	case VGPU_OP_FLG2:
	case VGPU_OP_FTANH:
	case VGPU_OP_DDIV:
	case VGPU_OP_DSQRT:
	case VGPU_OP_DRCP:
	case VGPU_OP_DRSQ:
	case VGPU_OP_DIVS:
	case VGPU_OP_DIVU:
	case VGPU_OP_REMS:
	case VGPU_OP_REMU:
	case VGPU_OP_DIVSQ:
	case VGPU_OP_DIVUQ: case VGPU_OP_REMSQ: case VGPU_OP_REMUQ:
		return true;
	}
	return false;
}

static u8 source(enum kind kind, u8 r, u8 q)
{
	return kind == KIND_R || kind == KIND_RI ? r :
	       kind == KIND_Q || kind == KIND_QI ? q :
	       kind == KIND_P			 ? 1 :
						   0;
}

/* All forms of the opcodes that compute lane by lane. */
static void arithmetic(u32 op)
{
	static const struct {
		u8 flags;
		const char *name;
	} forms[] = {
		{ 0, "" },
		{ VGPU_F_IMM, "imm" },
		{ VGPU_F_SIGNED, "signed" },
		{ VGPU_RND_RZ, "rz" },
		{ VGPU_RND_RM, "rm" },
		{ VGPU_RND_RP, "rp" },
		{ VGPU_F_FTZ, "ftz" },
		{ VGPU_F_SAT, "sat" },
		{ VGPU_F_FTZ | VGPU_F_SAT, "ftz sat" },
		{ VGPU_F_FTZ | VGPU_RND_RP, "ftz rp" },
		{ VGPU_F_FTZ | VGPU_F_IMM, "ftz imm" },
		{ VGPU_F_SIGNED | VGPU_RND_RZ, "signed rz" },
		{ VGPU_F_SIGNED | VGPU_RND_RZ | VGPU_F_FTZ, "signed rz ftz" },
		{ VGPU_CMP_LT, "lt" },
		{ VGPU_CMP_GEU, "geu" },
		{ VGPU_CMP_LT | VGPU_F_CMP_FTZ, "lt ftz" },
	};
	const struct vgpu_kernel kernel = { .vass = { .regs = REGS, .code_count = CODE } };
	bool wide = isa[op].a == KIND_Q && op >= VGPU_OP_MULQ && op <= VGPU_OP_MAXUQ;

	for (size_t n = 0; n < VGPU_ARRAY_SIZE(forms); n++) {
		struct vgpu_insn i = {
			.op = (u8)op,
			.guard = VGPU_PT,
			.flags = forms[n].flags,
			.dst = isa[op].dst == KIND_N ? 0 : OUT,
			.a = source(isa[op].a, R_A, Q_A),
			.b = source(isa[op].b, R_B, Q_B),
			.c = source(isa[op].c, R_C, Q_C),
		};
		bool compare = isa[op].class == CLASS_CMP;

		if (compare ? n && n != 1 && n < 13 : n >= 13)
			continue;
		if (i.flags & VGPU_F_IMM) {
			i.b = 0;
			i.imm = isa[op].class == CLASS_FP ?
					isa[op].dst == KIND_Q ? double_bits(1.25) : 0x3fa00000 :
					13;
		}
		if (op == VGPU_OP_LOP3)
			i.imm = 0x96;
		if (vgpu_verify_insn(&i, &kernel.vass))
			continue;
		for (u32 bits = wide ? 30 : 40; bits <= 64; bits += 17) {
			char form[48];

			operands(&i, bits);
			snprintf(form, sizeof(form), wide ? "%s%s%u bits" : "%s", forms[n].name,
				 *forms[n].name ? " " : "", bits);
			measure(form, &i, slow(op));
			if (!wide)
				break;
		}
	}
}

static void access(u32 op, u32 flags, const char *form)
{
	bool narrow = op == VGPU_OP_LDS || op == VGPU_OP_LDL || op == VGPU_OP_STS ||
		      op == VGPU_OP_STL || op == VGPU_OP_ATOMS || op == VGPU_OP_ATOMSQ;
	bool atomic = isa[op].class == CLASS_ATOM, wide = isa[op].b == KIND_Q;
	u32 bytes = atomic ? wide ? 8 : 4 : VGPU_F_SIZE(flags) * VGPU_F_COUNT(flags);

	for (enum pattern p = 0; p < PATTERNS; p++) {
		struct vgpu_insn i = {
			.op = (u8)op,
			.guard = VGPU_PT,
			.flags = (u8)flags,
			.a = narrow ? R_ADDR : Q_ADDR,
			.b = isa[op].dst == KIND_V ? 0 :
			     atomic && !wide	   ? R_B :
						     Q_B,
			.c = atomic ? wide ? Q_C : R_C : 0,
			.dst = isa[op].dst == KIND_N ? 0 : OUT,
		};
		char name[48];

		if (op == VGPU_OP_LDP ? p : narrow && p == PAGES_OF)
			continue;
		if (op == VGPU_OP_LDP)
			i.a = 0;
		operands(&i, 64);
		addresses(p, bytes, op);
		snprintf(name, sizeof(name), "%s%s%s", form, *form ? ", " : "",
			 op == VGPU_OP_LDP ? "" : patterns[p]);
		measure(name, &i, false);
	}
}

static void accesses(void)
{
	static const struct {
		u16 op;
		u8 flags;
		const char *form;
	} forms[] = {
		{ VGPU_OP_LDP, 2, "4" },
		{ VGPU_OP_LDP, 3, "8" },
		{ VGPU_OP_LDG, 2, "4" },
		{ VGPU_OP_LDG, 0, "1" },
		{ VGPU_OP_LDG, 1 | VGPU_F_SEXT, "2 signed" },
		{ VGPU_OP_LDG, 3, "8" },
		{ VGPU_OP_LDG, 2 | 1 << 2, "2x4" },
		{ VGPU_OP_LDG, 2 | 2 << 2, "4x4" },
		{ VGPU_OP_LDG, 3 | 1 << 2, "2x8" },
		{ VGPU_OP_STG, 2, "4" },
		{ VGPU_OP_STG, 0, "1" },
		{ VGPU_OP_STG, 1, "2" },
		{ VGPU_OP_STG, 3, "8" },
		{ VGPU_OP_STG, 2 | 2 << 2, "4x4" },
		{ VGPU_OP_LD, 2, "4" },
		{ VGPU_OP_ST, 2, "4" },
		{ VGPU_OP_LDS, 2, "4" },
		{ VGPU_OP_LDS, 0, "1" },
		{ VGPU_OP_LDS, 3, "8" },
		{ VGPU_OP_LDS, 2 | 2 << 2, "4x4" },
		{ VGPU_OP_STS, 2, "4" },
		{ VGPU_OP_STS, 0, "1" },
		{ VGPU_OP_STS, 3, "8" },
		{ VGPU_OP_STS, 2 | 2 << 2, "4x4" },
		{ VGPU_OP_LDL, 2, "4" },
		{ VGPU_OP_LDL, 3, "8" },
		{ VGPU_OP_STL, 2, "4" },
		{ VGPU_OP_STL, 3, "8" },
		{ VGPU_OP_ATOMG, VGPU_ATOM_ADD, "add" },
		{ VGPU_OP_ATOMG, VGPU_ATOM_ADD | VGPU_F_ATOM_NORET, "red add" },
		{ VGPU_OP_ATOMG, VGPU_ATOM_ADD | VGPU_F_ATOM_FLOAT, "add f32" },
		{ VGPU_OP_ATOMG, VGPU_ATOM_MIN | VGPU_F_ATOM_SIGNED, "min" },
		{ VGPU_OP_ATOMG, VGPU_ATOM_CAS, "cas" },
		{ VGPU_OP_ATOMG, VGPU_ATOM_EXCH, "exch" },
		{ VGPU_OP_ATOMG, VGPU_ATOM_INC, "inc" },
		{ VGPU_OP_ATOMS, VGPU_ATOM_ADD, "add" },
		{ VGPU_OP_ATOMS, VGPU_ATOM_ADD | VGPU_F_ATOM_NORET, "red add" },
		{ VGPU_OP_ATOMS, VGPU_ATOM_CAS, "cas" },
		{ VGPU_OP_ATOMS, VGPU_ATOM_ADD | VGPU_F_ATOM_FLOAT, "add f32" },
		{ VGPU_OP_ATOM, VGPU_ATOM_ADD, "add" },
		{ VGPU_OP_ATOMGQ, VGPU_ATOM_ADD, "add" },
		{ VGPU_OP_ATOMGQ, VGPU_ATOM_CAS, "cas" },
		{ VGPU_OP_ATOMGQ, VGPU_ATOM_ADD | VGPU_F_ATOM_FLOAT, "add f64" },
		{ VGPU_OP_ATOMSQ, VGPU_ATOM_MAX, "max" },
	};

	for (size_t n = 0; n < VGPU_ARRAY_SIZE(forms); n++)
		access(forms[n].op, forms[n].flags, forms[n].form);
}

static void special_registers(void)
{
	static const struct {
		u8 which;
		const char *name;
	} list[] = {
		{ VGPU_SR_TID_X, "tid.x" },   { VGPU_SR_TID_Y, "tid.y" },
		{ VGPU_SR_NTID_X, "ntid.x" }, { VGPU_SR_CTAID_X, "ctaid.x" },
		{ VGPU_SR_LANEID, "laneid" }, { VGPU_SR_LANEMASK_LT, "lanemask_lt" },
		{ VGPU_SR_CLOCK, "clock" },
	};
	static const u32 blocks[][3] = { { 256, 1, 1 }, { 16, 16, 1 }, { 8, 6, 5 } };

	for (size_t b = 0; b < VGPU_ARRAY_SIZE(blocks); b++) {
		memcpy(launch.block, blocks[b], sizeof(launch.block));
		for (size_t n = 0; n < (b ? 2 : VGPU_ARRAY_SIZE(list)); n++) {
			struct vgpu_insn i = { .op = VGPU_OP_SREG,
					       .guard = VGPU_PT,
					       .dst = OUT,
					       .imm = list[n].which };
			char name[48];

			snprintf(name, sizeof(name), "%s of %ux%ux%u", list[n].name, blocks[b][0],
				 blocks[b][1], blocks[b][2]);
			measure(name, &i, false);
		}
	}
}

static void across(void)
{
	static const struct {
		u16 op;
		u8 flags;
		const char *form;
	} list[] = {
		{ VGPU_OP_SHFL, VGPU_SHFL_IDX, "idx" },
		{ VGPU_OP_SHFL, VGPU_SHFL_UP, "up" },
		{ VGPU_OP_SHFL, VGPU_SHFL_BFLY, "bfly" },
		{ VGPU_OP_SHFL, VGPU_SHFL_DOWN | VGPU_F_IMM, "down imm" },
		{ VGPU_OP_VOTE, VGPU_VOTE_ALL, "all" },
		{ VGPU_OP_BALLOT, 0, "" },
		{ VGPU_OP_ACTIVE, 0, "" },
		{ VGPU_OP_SHFLSYNC, VGPU_SHFL_BFLY | VGPU_F_IMM, "bfly imm" },
		{ VGPU_OP_SHFLSYNC, VGPU_SHFL_IDX, "idx" },
		{ VGPU_OP_VOTESYNC, VGPU_VOTE_ANY | VGPU_F_IMM, "any" },
		{ VGPU_OP_BALLOTSYNC, VGPU_F_IMM, "" },
		{ VGPU_OP_MATCHSYNC, VGPU_MATCH_ANY | VGPU_F_IMM, "any" },
		{ VGPU_OP_MATCHSYNC, VGPU_MATCH_ALL | VGPU_F_IMM, "all" },
		{ VGPU_OP_MATCHSYNCQ, VGPU_MATCH_ANY | VGPU_F_IMM, "any" },
		{ VGPU_OP_BARWARP, VGPU_F_IMM, "" },
	};

	for (size_t n = 0; n < VGPU_ARRAY_SIZE(list); n++) {
		struct vgpu_insn i = { .op = list[n].op, .guard = VGPU_PT, .flags = list[n].flags };

		i.a = source(isa[i.op].a, R_A, Q_A);
		bool shuffle = isa[i.op].class == CLASS_SHFL;

		i.b = i.flags & VGPU_F_IMM || !shuffle ? 0 : R_B;
		i.c = shuffle ? R_C : 0;
		if (shuffle)
			i.imm = (u64)VGPU_PT << 32 | (i.flags & VGPU_F_IMM ? 3 : 0);
		else if (i.flags & VGPU_F_IMM)
			i.imm = ~0u;
		if (i.op == VGPU_OP_SHFLSYNC)
			i.imm |= (u64)VGPU_SHFL_FULL << 40;
		operands(&i, 64);
		for (u32 l = 0; l < VGPU_LANES && shuffle; l++)
			regs[R_C * VGPU_LANES + l] = 0x1f;
		measure(list[n].form, &i, false);
	}
}

int main(int argc, char **argv)
{
	only = argv + 1;
	only_count = argc - 1;
	launch = (struct vgpu_launch){ .id = 9, .grid = { 50, 6, 7 }, .warps = 8, .threads = 256 };
	for (u32 n = 0; n < VGPU_TLB_ENTRIES; n++)
		tlb[n].page = ~0ull;
	for (u32 n = 0; n < PAGES; n++) {
		u64 page = (BASE >> VGPU_PAGE_SHIFT) + n;

		tlb[page % VGPU_TLB_ENTRIES] =
			(struct vgpu_tlb_entry){ page, memory + n * 4096u, memory + n * 4096u };
	}
	printf("%-28s  %s\n", "warp instruction",
	       vgpu_cpu_has_avx2() ?
		       "AVX2: ns, x FFMA (spread), 31 lanes: ns, x FFMA  SSE2: the same" :
		       "SSE2: ns, x FFMA  31 lanes: ns, x FFMA");
	for (u32 op = 0; op < VGPU_OP_COUNT; op++) {
		enum class class = isa[op].class;

		if ((class == CLASS_NONE && op != VGPU_OP_NOP &&
		     (op < VGPU_OP_MEMBAR || op == VGPU_OP_MATCH || op == VGPU_OP_MATCHQ ||
		      op == VGPU_OP_FNS)) ||
		    class == CLASS_LUT || class == CLASS_FP || class == CLASS_CV ||
		    class == CLASS_CMP)
			arithmetic(op);
	}
	special_registers();
	accesses();
	across();
	printf("%d above their bound\n", above);
	return 0;
}
