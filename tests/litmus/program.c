// SPDX-License-Identifier: MIT
/* The CUDA program of litmus tests: see litmus.cuh, which is the part that does not change. */
#include <string.h>

#include "generate.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

bool gen_has_slot(const struct lit_test *test, u32 slot)
{
	return slot < EX_REGS ? slot < test->regs : slot - EX_REGS < test->lines;
}

const char *gen_outcome(const struct lit_test *test, const struct mod_outcome *outcome, char *text,
			size_t size)
{
	size_t length = 0;

	*text = 0;
	for (u32 slot = 0; slot < MOD_SLOTS && length < size; slot++) {
		if (!gen_has_slot(test, slot))
			continue;
		if (slot < EX_REGS)
			length += (size_t)snprintf(text + length, size - length, "%s%u:%s=%u",
						   length ? " " : "", test->reg_thread[slot],
						   test->reg[slot], outcome->value[slot]);
		else
			length += (size_t)snprintf(text + length, size - length, "%s%s=%u",
						   length ? " " : "", test->line[slot - EX_REGS],
						   outcome->value[slot]);
	}
	return text;
}

/* ".relaxed.gpu"; what is weak or volatile has no scope */
static const char *qualifiers(const struct lit_insn *insn, char *text, size_t size)
{
	static const char *const orders[] = { "", ".volatile", ".relaxed", ".acquire", ".release",
					      ".acq_rel", ".sc" };
	static const char *const scopes[] = { ".cta", ".gpu", ".sys" };

	snprintf(text, size, "%s%s", orders[insn->order],
		 insn->order > LIT_VOLATILE ? scopes[insn->scope] : "");
	return text;
}

static void write_insn(const struct lit_insn *insn, FILE *out)
{
	char how[32];

	qualifiers(insn, how, sizeof(how));
	switch (insn->what) {
	case LIT_LD:
		fprintf(out, "\tasm volatile(\"ld%s.global.u32 %%0, [%%1];\" : \"=r\"(r[%u]) : "
			"\"l\"(at[%u]) : \"memory\");\n", how, insn->reg, insn->line);
		break;
	case LIT_ST:
		fprintf(out, "\tasm volatile(\"st%s.global.u32 [%%0], %u;\" :: \"l\"(at[%u]) : "
			"\"memory\");\n", how, insn->value, insn->line);
		break;
	case LIT_FENCE:
		fprintf(out, "\tasm volatile(\"fence%s;\" ::: \"memory\");\n", how);
		break;
	case LIT_CAS:
		fprintf(out, "\tasm volatile(\"atom%s.global.cas.b32 %%0, [%%1], %u, %u;\" : "
			"\"=r\"(r[%u]) : \"l\"(at[%u]) : \"memory\");\n", how, insn->expect,
			insn->value, insn->reg, insn->line);
		break;
	default:
		fprintf(out, "\tasm volatile(\"atom%s.global.%s %%0, [%%1], %u;\" : \"=r\"(r[%u]) "
			": \"l\"(at[%u]) : \"memory\");\n", how,
			insn->what == LIT_ADD ? "add.u32" : "exch.b32", insn->value, insn->reg,
			insn->line);
	}
}

static void write_thread(const struct lit_test *test, u32 number, u32 thread, FILE *out)
{
	fprintf(out, "static __device__ void test%u_P%u(unsigned *const *at, unsigned *r)\n{\n"
		     "\t(void)at;\n\t(void)r;\n", number, thread);
	for (u32 n = 0; test->insn[thread][n].what != LIT_END; n++)
		write_insn(&test->insn[thread][n], out);
	fputs("}\n\n", out);
}

/* All outcomes that any of the models has, and which */
static void write_outcomes(const struct gen_test *test, u32 number, FILE *out)
{
	const struct mod_outcomes *lists[] = { &test->sc, &test->apart, &test->together };
	static struct mod_outcomes all;

	all.count = 0;
	for (u32 list = 0; list < ARRAY_SIZE(lists); list++)
		for (u32 n = 0; n < lists[list]->count; n++)
			mod_add(&all, &lists[list]->list[n]);
	fprintf(out, "static const struct lit_outcome test%u_outcomes[] = {\n", number);
	for (u32 n = 0; n < all.count; n++) {
		u32 models = 0;

		fputs("\t{ {", out);
		for (u32 slot = 0; slot < MOD_SLOTS; slot++)
			if (gen_has_slot(&test->test, slot))
				fprintf(out, " %u,", all.list[n].value[slot]);
		for (u32 list = 0; list < ARRAY_SIZE(lists); list++)
			models |= (u32)mod_has(lists[list], &all.list[n]) << list;
		fprintf(out, " }, %u },\n", models);
	}
	fprintf(out, "\t{ {}, 0 }\n};\n\n");
}

void gen_write(const struct gen_test *gen, u32 number, FILE *out)
{
	const struct lit_test *test = &gen->test;

	fprintf(out, "/* ---- %s ---- */\n\n", test->name);
	for (u32 thread = 0; thread < test->program.threads; thread++)
		write_thread(test, number, thread, out);
	fprintf(out, "static __global__ void test%u(struct lit_run run)\n{\n"
		     "\tlit_run(run, [](unsigned thread, unsigned *const *at, unsigned *r) {\n"
		     "\t\tswitch (thread) {\n", number);
	for (u32 thread = 0; thread < test->program.threads; thread++)
		fprintf(out, "\t\tcase %u: test%u_P%u(at, r); break;\n", thread, number, thread);
	fputs("\t\t}\n\t});\n}\n\n", out);
	write_outcomes(gen, number, out);
	fprintf(out, "static const struct lit_test test%u_test = { \"%s\", test%u, %u, %u, %u, {",
		number, test->name, number, test->program.threads, test->regs, test->lines);
	for (u32 n = 0; n < test->regs; n++)
		fprintf(out, " %u,", test->reg_thread[n]);
	fputs(" }, {", out);
	for (u32 n = 0; n < test->regs; n++)
		fprintf(out, " \"%u:%s\",", test->reg_thread[n], test->reg[n]);
	for (u32 n = 0; n < test->lines; n++)
		fprintf(out, " \"%s\",", test->line[n]);
	fprintf(out, " }, test%u_outcomes };\n\n", number);
}

void gen_begin(FILE *out)
{
	fputs("// Written by build/litmus, to be compiled with vgpucc -Itests/litmus.\n"
	      "#include \"litmus.cuh\"\n\n", out);
}

void gen_end(u32 count, FILE *out)
{
	fputs("int main(int argc, char **argv)\n{\n"
	      "\tstatic const struct lit_test *const tests[] = {", out);
	for (u32 n = 0; n < count; n++)
		fprintf(out, " &test%u_test,", n);
	fprintf(out, " };\n\n\treturn lit_main(tests, %u, argc, argv);\n}\n", count);
}
