// SPDX-License-Identifier: MIT
/*
 * Random structured programs: written as PTX, compiled with and without a tight limit of registers,
 * run on the device by 64 threads that go different ways, and compared with the same program
 * interpreted here, thread by thread.
 */
#include "ptx_run.h"

#define THREADS	64u
#define WORDS	10u		/* 32-bit variables */
#define LONGS	5u		/* 64-bit ones */
#define MAX_CODE	400u
#define MAX_LOOPS	24u

enum op {
	ADD,
	SUB,
	MUL,
	AND,
	XOR,
	SHL,
	SHR,
	SAR,
	MAD,
	MIN,
	DIV,
	SEL,
	GUARDED,
	WIDE,
	SWIDE,
	MADW,
	LOW,
	HIGH,
	PACK,
	EXT,
	SEXT,
	ADDQ,
	SUBQ,
	MULQ,
	XORQ,
	SHLQ,
	SHRQ,
	SELQ,
	STORE,
	LOAD,
	STORE2,
	LOAD2,
	STORE4,
	LOAD4,
	STOREQ,
	LOADQ,
	LOCALST,
	LOCALLD,
	OP_COUNT,
	IF,
	ELSE,
	ENDIF,
	LOOP,
	ENDLOOP
};

struct step {
	enum op op;
	/* match: where IF, ELSE, LOOP, ENDLOOP belong together */
	unsigned int dst, a, b, c, match;
	uint32_t imm;
};

struct program {
	struct step code[MAX_CODE + 64];
	unsigned int count, loops;
	uint64_t seed;
};

struct thread {
	uint32_t w[WORDS];
	uint64_t q[LONGS];
	uint32_t shared[8], local[8], counter[MAX_LOOPS];
};

static unsigned int below(struct program *p, unsigned int n)
{
	return (unsigned int)(ptx_random(&p->seed) % n);
}

static struct step *put(struct program *p, enum op op)
{
	struct step *s = &p->code[p->count++];

	s->op = op;
	s->dst = below(p, WORDS);
	s->a = below(p, WORDS);
	s->b = below(p, WORDS);
	s->c = below(p, WORDS);
	s->imm = (uint32_t)ptx_random(&p->seed) >> below(p, 32);
	return s;
}

static void generate(struct program *p, unsigned int depth, unsigned int length)
{
	while (length-- && p->count < MAX_CODE) {
		unsigned int what = below(p, 12), at = p->count, other;

		if (what == 0 && depth < 4) {
			put(p, IF);
			generate(p, depth + 1, 1 + below(p, 5));
			other = p->count;
			put(p, ELSE);
			p->code[at].match = other;
			if (below(p, 2))
				generate(p, depth + 1, 1 + below(p, 5));
			p->code[other].match = p->count;
			put(p, ENDIF);
		} else if (what == 1 && depth < 3 && p->loops < MAX_LOOPS) {
			put(p, LOOP)->imm = p->loops++;
			generate(p, depth + 1, 1 + below(p, 6));
			p->code[at].match = p->count;
			put(p, ENDLOOP)->match = at;
		} else {
			put(p, (enum op)below(p, OP_COUNT));
		}
	}
}

/* ---- here --------------------------------------------------------------- */

static void simple(struct thread *t, const struct step *s)
{
	uint32_t *w = t->w, a = w[s->a], b = w[s->b], c = w[s->c], *d = &w[s->dst];
	uint64_t *q = t->q, qa = q[s->a % LONGS], qb = q[s->b % LONGS], *qd = &q[s->dst % LONGS];
	unsigned int slot = s->imm % 8;

	switch (s->op) {
	case ADD: *d = s->c & 1 ? a + s->imm : a + b; break;
	case SUB: *d = s->c & 1 ? a - s->imm : a - b; break;
	case MUL: *d = a * b; break;
	case AND: *d = a & (s->c & 1 ? s->imm : b); break;
	case XOR: *d = a ^ b; break;
	case SHL: *d = a << (s->imm & 31); break;
	case SHR: *d = (b & 63) > 31 ? 0 : a >> (b & 63); break;
	case SAR: *d = (uint32_t)((int32_t)a >> (s->imm & 31)); break;
	case MAD: *d = a * b + c; break;
	case MIN: *d = (int32_t)a < (int32_t)b ? a : b; break;
	case DIV: *d = a / (b | 1); break;
	case SEL: *d = a < b ? c : a; break;
	case GUARDED: if (a < b) *d = b + c; break;
	case WIDE: *qd = (uint64_t)a * b; break;
	case SWIDE: *qd = (uint64_t)((int64_t)(int32_t)a * (int32_t)s->imm); break;
	case MADW: *qd = (uint64_t)a * b + qb; break;
	case LOW: *d = (uint32_t)qa; break;
	case HIGH: *d = (uint32_t)(qa >> 32); break;
	case PACK: *qd = a | (uint64_t)b << 32; break;
	case EXT: *qd = a; break;
	case SEXT: *qd = (uint64_t)(int32_t)a; break;
	case ADDQ: *qd = qa + (s->c & 1 ? s->imm : qb); break;
	case SUBQ: *qd = qa - qb; break;
	case MULQ: *qd = qa * qb; break;
	case XORQ: *qd = qa ^ qb; break;
	case SHLQ: *qd = qa << (s->imm & 63); break;
	case SHRQ: *qd = qa >> (s->imm & 63); break;
	case SELQ: *qd = a < b ? qa : qb; break;
	case STORE: t->shared[slot] = a; break;
	case LOAD: *d = t->shared[slot]; break;
	case STORE2: t->shared[slot & 6] = a; t->shared[(slot & 6) + 1] = b; break;
	case LOAD2:
		w[s->dst] = t->shared[slot & 6];
		w[(s->dst + 1) % WORDS] = t->shared[(slot & 6) + 1];
		break;
	case STORE4:
		for (unsigned int i = 0; i < 4; i++)
			t->shared[(slot & 4) + i] = w[(s->a + i * s->b) % WORDS];
		break;
	case LOAD4:
		for (unsigned int i = 0; i < 4; i++)
			w[(s->dst + i) % WORDS] = t->shared[(slot & 4) + i];
		break;
	case STOREQ: memcpy(&t->shared[slot & 6], &qa, 8); break;
	case LOADQ: memcpy(qd, &t->shared[slot & 6], 8); break;
	case LOCALST: t->local[a & 7] = b; break;
	case LOCALLD: *d = t->local[s->imm & 1 ? a & 7 : s->imm >> 1 & 7]; break;
	default: break;
	}
}

static void interpret(const struct program *p, struct thread *t)
{
	for (unsigned int pc = 0; pc < p->count; pc++) {
		const struct step *s = &p->code[pc];

		switch (s->op) {
		case IF:
			if (!(t->w[s->a] < t->w[s->b]))
				pc = s->match;
			break;
		case ELSE:
			pc = s->match;
			break;
		case LOOP:
			t->counter[s->imm] = t->w[s->a] & 3;
			if (!t->counter[s->imm])
				pc = s->match;
			break;
		case ENDLOOP:
			if (--t->counter[p->code[s->match].imm])
				pc = s->match;
			break;
		default:
			simple(t, s);
			break;
		}
	}
}

/* ---- as PTX ------------------------------------------------------------- */

static void write_simple(struct text *t, const struct step *s)
{
	static const char *const names[] = {
		[MUL] = "mul.lo.u32", [XOR] = "xor.b32",     [MIN] = "min.s32",
		[SUBQ] = "sub.u64",   [MULQ] = "mul.lo.u64", [XORQ] = "xor.b64",
	};
	unsigned int d = s->dst, a = s->a, b = s->b, c = s->c, qd = d % LONGS, qa = a % LONGS,
		     qb = b % LONGS;
	unsigned int slot = s->imm % 8;

	switch (s->op) {
	case ADD: case SUB: case AND: {
		const char *name = s->op == ADD ? "add.u32" : s->op == SUB ? "sub.u32" : "and.b32";

		if (c & 1)
			text_add(t, "%s %%w%u, %%w%u, %u;\n", name, d, a, s->imm);
		else
			text_add(t, "%s %%w%u, %%w%u, %%w%u;\n", name, d, a, b);
		break;
	}
	case MUL:
	case XOR:
	case MIN:
		text_add(t, "%s %%w%u, %%w%u, %%w%u;\n", names[s->op], d, a, b);
		break;
	case SHL: text_add(t, "shl.b32 %%w%u, %%w%u, %u;\n", d, a, s->imm & 31); break;
	case SHR:
		text_add(t, "and.b32 %%t0, %%w%u, 63;\nshr.u32 %%w%u, %%w%u, %%t0;\n", b, d, a);
		break;
	case SAR: text_add(t, "shr.s32 %%w%u, %%w%u, %u;\n", d, a, s->imm & 31); break;
	case MAD: text_add(t, "mad.lo.u32 %%w%u, %%w%u, %%w%u, %%w%u;\n", d, a, b, c); break;
	case DIV:
		text_add(t, "or.b32 %%t0, %%w%u, 1;\ndiv.u32 %%w%u, %%w%u, %%t0;\n", b, d, a);
		break;
	case SEL:
		text_add(t,
			 "setp.lt.u32 %%p0, %%w%u, %%w%u;\nselp.b32 %%w%u, %%w%u, %%w%u, %%p0;\n",
			 a, b, d, c, a);
		break;
	case GUARDED:
		text_add(t, "setp.lt.u32 %%p1, %%w%u, %%w%u;\n@%%p1 add.u32 %%w%u, %%w%u, %%w%u;\n",
			 a, b, d, b, c);
		break;
	case WIDE: text_add(t, "mul.wide.u32 %%q%u, %%w%u, %%w%u;\n", qd, a, b); break;
	case SWIDE: text_add(t, "mul.wide.s32 %%q%u, %%w%u, %d;\n", qd, a, (int)s->imm); break;
	case MADW: text_add(t, "mad.wide.u32 %%q%u, %%w%u, %%w%u, %%q%u;\n", qd, a, b, qb); break;
	case LOW: text_add(t, "cvt.u32.u64 %%w%u, %%q%u;\n", d, qa); break;
	case HIGH: text_add(t, "mov.b64 {%%t0, %%w%u}, %%q%u;\n", d, qa); break;
	case PACK: text_add(t, "mov.b64 %%q%u, {%%w%u, %%w%u};\n", qd, a, b); break;
	case EXT: text_add(t, "cvt.u64.u32 %%q%u, %%w%u;\n", qd, a); break;
	case SEXT: text_add(t, "cvt.s64.s32 %%q%u, %%w%u;\n", qd, a); break;
	case ADDQ:
		if (c & 1)
			text_add(t, "add.u64 %%q%u, %%q%u, %u;\n", qd, qa, s->imm);
		else
			text_add(t, "add.u64 %%q%u, %%q%u, %%q%u;\n", qd, qa, qb);
		break;
	case SUBQ:
	case MULQ:
	case XORQ:
		text_add(t, "%s %%q%u, %%q%u, %%q%u;\n", names[s->op], qd, qa, qb);
		break;
	case SHLQ: text_add(t, "shl.b64 %%q%u, %%q%u, %u;\n", qd, qa, s->imm & 63); break;
	case SHRQ: text_add(t, "shr.u64 %%q%u, %%q%u, %u;\n", qd, qa, s->imm & 63); break;
	case SELQ:
		text_add(t,
			 "setp.lt.u32 %%p2, %%w%u, %%w%u;\nselp.b64 %%q%u, %%q%u, %%q%u, %%p2;\n",
			 a, b, qd, qa, qb);
		break;
	case STORE: text_add(t, "st.shared.u32 [%%sh+%u], %%w%u;\n", slot * 4, a); break;
	case LOAD: text_add(t, "ld.u32 %%w%u, [%%gen+%u];\n", d, slot * 4); break;
	case STORE2:
		text_add(t, "st.shared.v2.u32 [%%sh+%u], {%%w%u, %%w%u};\n", (slot & 6) * 4, a, b);
		break;
	case LOAD2:
		text_add(t, "ld.shared.v2.u32 {%%w%u, %%w%u}, [%%sh+%u];\n", d, (d + 1) % WORDS,
			 (slot & 6) * 4);
		break;
	case STORE4:
		text_add(t, "st.shared.v4.u32 [%%sh+%u], {%%w%u, %%w%u, %%w%u, %%w%u};\n",
			 (slot & 4) * 4, a, (a + b) % WORDS, (a + 2 * b) % WORDS,
			 (a + 3 * b) % WORDS);
		break;
	case LOAD4:
		text_add(t, "ld.shared.v4.u32 {%%w%u, %%w%u, %%w%u, %%w%u}, [%%sh+%u];\n", d,
			 (d + 1) % WORDS, (d + 2) % WORDS, (d + 3) % WORDS, (slot & 4) * 4);
		break;
	case STOREQ: text_add(t, "st.u64 [%%gen+%u], %%q%u;\n", (slot & 6) * 4, qa); break;
	case LOADQ: text_add(t, "ld.shared.u64 %%q%u, [%%sh+%u];\n", qd, (slot & 6) * 4); break;
	case LOCALST:
		text_add(
			t,
			"and.b32 %%t0, %%w%u, 7;\nmul.wide.u32 %%qt, %%t0, 4;\nadd.u64 %%qt, "
			"%%SP, %%qt;\n"
			"st.u32 [%%qt], %%w%u;\n",
			a, b);
		break;
	case LOCALLD:
		if (s->imm & 1)
			text_add(
				t,
				"and.b32 %%t0, %%w%u, 7;\nmul.wide.u32 %%qt, %%t0, 4;\nadd.u64 "
				"%%qt, %%SPL, %%qt;\n"
				"ld.local.u32 %%w%u, [%%qt];\n",
				a, d);
		else
			text_add(t, "ld.u32 %%w%u, [%%SP+%u];\n", d, (s->imm >> 1 & 7) * 4);
		break;
	default: break;
	}
}

static void write_ptx(const struct program *p, struct text *t)
{
	text_add(
		t,
		PTX_HEAD
		".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.local .align 8 .b8 "
		"depot[32];\n"
		".reg .b64 %%SP;\n.reg .b64 %%SPL;\n.reg .b32 %%w<%u>;\n.reg .b64 %%q<%u>;\n.reg "
		".b32 %%c<%u>;\n"
		".reg .b32 %%t<2>;\n.reg .b64 %%qt;\n.reg .pred %%p<4>;\n.reg .b64 %%in;\n.reg "
		".b64 %%out;\n.reg .b64 %%sh;\n"
		".reg .b64 %%gen;\n.reg .b32 %%tid;\n.shared .align 16 .b8 mem[%u];\n",
		WORDS, LONGS, MAX_LOOPS, THREADS * 32);
	text_add(
		t,
		"mov.u64 %%SPL, depot;\ncvta.local.u64 %%SP, %%SPL;\nld.param.u64 %%in, "
		"[in];\nld.param.u64 %%out, [out];\n"
		"mov.u32 %%tid, %%tid.x;\nmad.wide.u32 %%in, %%tid, %u, %%in;\nmad.wide.u32 "
		"%%out, %%tid, %u, %%out;\n"
		"mul.wide.u32 %%sh, %%tid, 32;\nmov.u64 %%qt, mem;\nadd.u64 %%sh, %%sh, "
		"%%qt;\ncvta.shared.u64 %%gen, %%sh;\n",
		WORDS * 4 + LONGS * 8, WORDS * 4 + LONGS * 8);
	for (unsigned int i = 0; i < 8; i++)
		text_add(t, "st.shared.u32 [%%sh+%u], %u;\nst.u32 [%%SP+%u], %u;\n", i * 4, i,
			 i * 4, i * 7);
	for (unsigned int i = 0; i < LONGS; i++)
		text_add(t, "ld.global.u64 %%q%u, [%%in+%u];\n", i, i * 8);
	for (unsigned int i = 0; i < WORDS; i++)
		text_add(t, "ld.global.u32 %%w%u, [%%in+%u];\n", i, LONGS * 8 + i * 4);
	for (unsigned int pc = 0; pc < p->count; pc++) {
		const struct step *s = &p->code[pc];

		switch (s->op) {
		case IF:
			text_add(t, "setp.lt.u32 %%p3, %%w%u, %%w%u;\n@!%%p3 bra L%u;\n", s->a,
				 s->b, s->match);
			break;
		case ELSE: text_add(t, "bra.uni L%u;\nL%u:\n", s->match, pc); break;
		case ENDIF: text_add(t, "L%u:\n", pc); break;
		case LOOP:
			text_add(
				t,
				"and.b32 %%c%u, %%w%u, 3;\nsetp.eq.u32 %%p3, %%c%u, 0;\n@%%p3 bra "
				"L%u;\nL%u:\n",
				s->imm, s->a, s->imm, s->match, pc);
			break;
		case ENDLOOP:
			text_add(
				t,
				"sub.u32 %%c%u, %%c%u, 1;\nsetp.ne.u32 %%p3, %%c%u, 0;\n@%%p3 bra "
				"L%u;\nL%u:\n",
				p->code[s->match].imm, p->code[s->match].imm, p->code[s->match].imm,
				s->match, pc);
			break;
		default: write_simple(t, s); break;
		}
	}
	for (unsigned int i = 0; i < LONGS; i++)
		text_add(t, "st.global.u64 [%%out+%u], %%q%u;\n", i * 8, i);
	for (unsigned int i = 0; i < WORDS; i++)
		text_add(t, "st.global.u32 [%%out+%u], %%w%u;\n", LONGS * 8 + i * 4, i);
	text_add(t, "ret;\n}\n");
}

struct state {
	uint64_t q[LONGS];
	uint32_t w[WORDS];
};

static void try_program(uint64_t seed)
{
	static struct state in[THREADS], want[THREADS], got[THREADS];
	static const uint32_t limits[] = { 0, 24, 16 };
	struct program *p = calloc(1, sizeof(*p));
	struct text text = { 0 };

	assert_non_null(p);
	p->seed = seed;
	generate(p, 0, 20 + below(p, 60));
	for (unsigned int i = 0; i < THREADS; i++) {
		struct thread thread = { 0 };

		for (unsigned int k = 0; k < LONGS; k++)
			in[i].q[k] = ptx_random(&p->seed) >> below(p, 64);
		for (unsigned int k = 0; k < WORDS; k++)
			in[i].w[k] = (uint32_t)ptx_random(&p->seed) >> below(p, 32);
		memcpy(thread.q, in[i].q, sizeof(thread.q));
		memcpy(thread.w, in[i].w, sizeof(thread.w));
		for (unsigned int k = 0; k < 8; k++) {
			thread.shared[k] = k;
			thread.local[k] = k * 7;
		}
		interpret(p, &thread);
		memcpy(want[i].q, thread.q, sizeof(thread.q));
		memcpy(want[i].w, thread.w, sizeof(thread.w));
	}
	write_ptx(p, &text);
	for (unsigned int l = 0; l < sizeof(limits) / sizeof(*limits); l++) {
		struct vgpuModule *module = ptx_load(text.text, limits[l]);

		memset(got, 0xee, sizeof(got));
		ptx_launch(module, "k", THREADS, in, sizeof(in), got, sizeof(got));
		if (memcmp(got, want, sizeof(want))) {
			for (unsigned int i = 0; i < THREADS; i++)
				for (unsigned int k = 0; k < WORDS; k++)
					if (got[i].w[k] != want[i].w[k])
						print_message("thread %u w%u: %x, expected %x\n", i,
							      k, got[i].w[k], want[i].w[k]);
			for (unsigned int i = 0; i < THREADS; i++)
				for (unsigned int k = 0; k < LONGS; k++)
					if (got[i].q[k] != want[i].q[k])
						print_message(
							"thread %u q%u: %llx, expected %llx\n", i,
							k, (unsigned long long)got[i].q[k],
							(unsigned long long)want[i].q[k]);
			if (getenv("VGPU_TEST_KEEP"))
				print_message("%s", text.text);
			fail_msg("seed %llu, at most %u registers", (unsigned long long)seed,
				 limits[l]);
		}
		assert_int_equal(vgpuModuleUnload(module), vgpuSuccess);
	}
	text_free(&text);
	free(p);
}

static void random_programs(void **state)
{
	const char *seed = getenv("VGPU_TEST_SEED"), *count = getenv("VGPU_TEST_COUNT");
	uint64_t first = seed ? strtoull(seed, NULL, 0) : 1;
	unsigned int programs = count ? (unsigned int)strtoul(count, NULL, 0) : 120;

	(void)state;
	ptx_begin();
	for (uint64_t s = first; s < first + programs; s++)
		try_program(s);
	ptx_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
