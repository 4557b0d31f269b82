// SPDX-License-Identifier: MIT
/*
 * The litmus tests; see programs.h. x is line 0, y line 1.
 */
#include <assert.h>
#include <string.h>

#include "programs.h"

enum { X, Y };
#define R(l, r)		{ EX_READ, l, 0, r }
#define W(l, v)		{ EX_WRITE, l, v, 0 }
#define SWAP(l, v, r)	{ EX_SWAP, l, v, r }

const struct ex_program ex_programs[] = {
	{ "MP", 2, { 0, 1 }, false, { { W(X, 1), W(Y, 1) }, { R(Y, 0), R(X, 1) } } },
	{ "SB", 2, { 0, 1 }, false, { { W(X, 1), R(Y, 0) }, { W(Y, 1), R(X, 1) } } },
	{ "LB", 2, { 0, 1 }, false, { { R(X, 0), W(Y, 1) }, { R(Y, 1), W(X, 1) } } },
	{ "S", 2, { 0, 1 }, true, { { W(X, 2), W(Y, 1) }, { R(Y, 0), W(X, 1) } } },
	{ "R", 2, { 0, 1 }, true, { { W(X, 1), W(Y, 1) }, { W(Y, 2), R(X, 0) } } },
	{ "2+2W", 2, { 0, 1 }, true, { { W(X, 1), W(Y, 2) }, { W(Y, 1), W(X, 2) } } },
	{ "2+2W+reads", 2, { 0, 1 }, false,
	  { { W(X, 1), W(Y, 2), R(Y, 0) }, { W(Y, 1), W(X, 2), R(X, 1) } } },
	{ "CoRR", 2, { 0, 1 }, false, { { W(X, 1) }, { R(X, 0), R(X, 1) } } },
	{ "CoRR+own", 3, { 0, 0, 1 }, false, { { W(X, 1) }, { R(X, 0), R(X, 1) }, { R(X, 2) } } },
	{ "CoWW", 2, { 0, 1 }, true, { { W(X, 1), W(X, 2), R(X, 0) }, { R(X, 1), R(X, 2) } } },
	{ "MP+one", 2, { 0, 0 }, false, { { W(X, 1), W(Y, 1) }, { R(Y, 0), R(X, 1) } } },
	{ "SB+one", 2, { 0, 0 }, false, { { W(X, 1), R(Y, 0) }, { W(Y, 1), R(X, 1) } } },
	{ "AT", 2, { 0, 1 }, true, { { SWAP(X, 1, 0) }, { SWAP(X, 2, 1) } } },
	{ "MP+at", 2, { 0, 1 }, false,
	  { { W(X, 1), SWAP(Y, 1, 2) }, { R(Y, 0), R(X, 1) } } },
	{ "SB+at", 2, { 0, 1 }, false,
	  { { SWAP(X, 1, 2), R(Y, 0) }, { SWAP(Y, 1, 3), R(X, 1) } } },
	{ "figure 3.3", 2, { 0, 1 }, false,
	  { { W(X, 1), R(Y, 0), W(Y, 2), W(X, 2) }, { W(Y, 1), R(X, 1), R(X, 2) } } },
	{ "WRC", 3, { 0, 1, 2 }, false,
	  { { W(X, 1) }, { R(X, 0), W(Y, 1) }, { R(Y, 1), R(X, 2) } } },
	{ "WRC+pair", 3, { 0, 1, 0 }, false,
	  { { W(X, 1) }, { R(X, 0), W(Y, 1) }, { R(Y, 1), R(X, 2) } } },
	{ "ISA2", 3, { 0, 1, 0 }, false,
	  { { W(X, 1), W(Y, 1) }, { R(Y, 0), W(Y, 2) }, { R(Y, 1), R(X, 2) } } },
	{ "IRIW", 4, { 0, 1, 2, 3 }, false,
	  { { W(X, 1) }, { W(Y, 1) }, { R(X, 0), R(Y, 1) }, { R(Y, 2), R(X, 3) } } },
	{ "IRIW+pairs", 4, { 0, 1, 0, 1 }, false,
	  { { W(X, 1) }, { W(Y, 1) }, { R(X, 0), R(Y, 1) }, { R(Y, 2), R(X, 3) } } },
};

const u32 ex_program_count = sizeof(ex_programs) / sizeof(ex_programs[0]);

const struct ex_program *ex_program_find(const char *name)
{
	for (u32 n = 0; n < ex_program_count; n++)
		if (!strcmp(ex_programs[n].name, name))
			return &ex_programs[n];
	assert(!"no such program");
	return NULL;
}

struct ex_program ex_program_fenced(const struct ex_program *program)
{
	struct ex_program fenced = *program;

	for (u32 thread = 0; thread < program->threads; thread++) {
		const struct ex_op *ops = program->ops[thread];
		u32 to = 0;

		memset(fenced.ops[thread], 0, sizeof(fenced.ops[thread]));
		for (u32 n = 0; ops[n].what != EX_END; n++) {
			if (n)
				fenced.ops[thread][to++].what = EX_FENCE;
			assert(to < EX_OPS - 1);
			fenced.ops[thread][to++] = ops[n];
		}
	}
	return fenced;
}

u32 ex_program_warm(const struct ex_program *program)
{
	u32 warm = 0;

	for (u32 n = 0; n < program->threads; n++)
		warm |= ((1u << EX_LINES) - 1) << program->core[n] * EX_LINES;
	return warm;
}
