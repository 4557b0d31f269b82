// SPDX-License-Identifier: MIT
/*
 * The programs; see programs.h. Registers are numbered through all warps.
 */
#include <string.h>

#include "programs.h"
#include "sim/random.h"

enum { A, B, C };
#define L(l, r)	{ TX_LOAD, l, r }
#define S(l, v)	{ TX_STORE, l, v }

const struct tx_program tx_programs[] = {
	{ "write-skew", 2, { 0 }, { { { L(A, 0), S(B, 1) } }, { { L(B, 1), S(A, 2) } } } },
	{ "transfers", 2, { 0 },
	  { { { L(A, 0), S(A, 1), L(B, 1), S(B, 1) } },
	    { { L(B, 2), S(B, 2), L(A, 3), S(A, 2) } } } },
	{ "3-cycle", 3, { 0 },
	  { { { L(A, 0), S(B, 1) } }, { { L(B, 1), S(C, 2) } }, { { L(C, 2), S(A, 3) } } } },
	{ "increments", 2, { 0 },
	  { { { L(A, 0), S(A, 1) } }, { { L(A, 1), S(A, 2) } } } },
	{ "read-both-write-one", 2, { 0 },
	  { { { L(A, 0), L(B, 1), S(A, 1) } }, { { L(A, 2), L(B, 3), S(B, 2) } } } },
	{ "reader", 2, { 0 },
	  { { { L(A, 0), L(B, 1) } }, { { S(A, 1), S(B, 1) } } } },
	{ "mixture", 3, { 0 },
	  { { { L(A, 0), S(B, 1) } }, { { L(B, 1), S(A, 2) } }, { { L(A, 2), L(B, 3) } } } },
	/* figure 4.7, with smaller timestamps */
	{ "figure-4.7", 2, { 2, 1 },
	  { { { L(A, 0), S(A, 1), L(B, 1), S(B, 1) } },
	    { { L(B, 2), S(B, 2), L(A, 3), S(A, 2) } } } },
	/* more than there is room for in the smallest tables */
	{ "three-locations", 2, { 0 },
	  { { { S(A, 1), S(B, 1), S(C, 1) } }, { { L(C, 0), L(B, 1), L(A, 2) } } } },
	{ "twice", 2, { 0 },
	  { { { S(A, 1), S(B, 1), S(A, 2) } }, { { L(A, 0), S(A, 3), L(B, 1) } } } },
	/* the log of a warp's first transaction is on its way when the second one begins */
	{ "one-after-the-other", 2, { 0 },
	  { { { S(A, 1) }, { L(A, 0), S(A, 2) } }, { { L(A, 1), S(A, 3) } } } },
	{ "two-and-a-reader", 2, { 0 },
	  { { { S(A, 1) }, { S(A, 2), S(B, 2) } }, { { L(B, 0), L(A, 1) } } } },
	/* whichever is last, it is so in both places */
	{ "blind-writers", 2, { 0 },
	  { { { S(A, 1), S(B, 1) } }, { { S(A, 2), S(B, 2) } } } },
	/* three that wait for each other in the stall buffer */
	{ "queue", 3, { 0, 1, 2 },
	  { { { S(A, 1), S(B, 1) } }, { { S(B, 2), S(A, 2) } }, { { S(A, 3), S(B, 3) } } } },
};

const u32 tx_program_count = sizeof(tx_programs) / sizeof(tx_programs[0]);

const struct tx_program *tx_program_find(const char *name)
{
	for (u32 n = 0; n < tx_program_count; n++)
		if (!strcmp(tx_programs[n].name, name))
			return &tx_programs[n];
	return NULL;
}

struct tx_program tx_program_random(u64 seed)
{
	struct tx_program program = { .name = "random", .warps = 3 };
	struct vgpu_random random;
	u8 reg = 0;

	vgpu_random_seed(&random, seed);
	for (u32 warp = 0; warp < program.warps; warp++) {
		u32 count = 2 + (u32)(vgpu_random_next(&random) >> 63);

		for (u32 n = 0; n < count; n++) {
			struct tx_op *op = &program.ops[warp][0][n];
			u64 draw = vgpu_random_next(&random) >> 62;

			op->location = (u8)(draw & 1);
			op->what = draw & 2 && reg < TX_REGS ? TX_LOAD : TX_STORE;
			op->value = op->what == TX_LOAD ? reg++ : (u8)(warp * TX_OPS + n + 1);
		}
	}
	return program;
}
