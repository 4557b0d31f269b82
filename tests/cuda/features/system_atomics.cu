/* SPDX-License-Identifier: MIT */
/*
 * system_atomics: the _system forms of atomic functions, on managed memory: the results of each,
 * also for unsigned numbers that would be negative ones.
 */
#include "../common.h"

struct words {
	unsigned int u[5];
	unsigned long long q[4];
	int i[4];
	float f[2];
	double d;
};

__global__ void change(words *w)
{
	atomicMax_system(&w->u[0], 0xfffffff0u);
	atomicMin_system(&w->u[1], 0xfffffff0u);
	atomicInc_system(&w->u[2], 2);
	atomicDec_system(&w->u[3], 5);
	atomicSub_system(&w->u[4], 1);
	atomicMax_system(&w->q[0], 0xfffffffffffffff0ull);
	atomicMin_system(&w->q[1], 0xfffffffffffffff0ull);
	atomicAdd_system(&w->q[2], 1ull << 40);
	atomicCAS_system(&w->q[3], 0ull, 7ull);
	atomicAdd_system(&w->i[0], -5);
	atomicSub_system(&w->i[1], 7);
	atomicMin_system(&w->i[2], -3);
	atomicCAS_system(&w->i[3], 1, 9);
	atomicAdd_system(&w->f[0], 1.5f);
	atomicExch_system(&w->f[1], 4.0f);
	atomicAdd_system(&w->d, 2.5);
}

int main(int argc, char **argv)
{
	words *w;

	parse_size(argc, argv, "system_atomics", NULL, 0, 0, 0);
	CHECK(cudaMallocManaged(&w, sizeof(*w)));
	*w = {};
	w->u[0] = w->u[1] = 5;
	w->q[0] = w->q[1] = 5;
	change<<<1, 1>>>(w);
	CHECK_LAUNCH();
	expect_same("max of 32 bits", 0, w->u[0], 0xfffffff0u);
	expect_same("min of 32 bits", 1, w->u[1], 5u);
	expect_same("inc", 2, w->u[2], 1u);
	expect_same("dec", 3, w->u[3], 5u);
	expect_same("sub", 4, w->u[4], 0xffffffffu);
	expect_same("max of 64 bits", 0, w->q[0], 0xfffffffffffffff0ull);
	expect_same("min of 64 bits", 1, w->q[1], 5ull);
	expect_same("add of 64 bits", 2, w->q[2], 1ull << 40);
	expect_same("cas of 64 bits", 3, w->q[3], 7ull);
	expect_same("add", 0, w->i[0], -5);
	expect_same("sub", 1, w->i[1], -7);
	expect_same("min", 2, w->i[2], -3);
	expect_same("cas", 3, w->i[3], 0);
	expect_same("add of floats", 0, w->f[0], 1.5f);
	expect_same("exch of floats", 1, w->f[1], 4.0f);
	expect_same("add of doubles", 0, w->d, 2.5);
	CHECK(cudaFree(w));
	return finish();
}
