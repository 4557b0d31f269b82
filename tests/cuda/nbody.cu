/* SPDX-License-Identifier: MIT */
/*
 * nbody: gravity between all pairs, positions staged through shared memory a block at a time, then
 * one step of the motion. float4 loads and rsqrtf.
 */
#include "common.h"

#define BDIM 64
#define STEPS 2
#define SOFT 0.01f
#define DT 0.0078125f

__global__ void accelerate(const float4 *pos, float3 *acc, int n)
{
	__shared__ float4 tile[BDIM];
	int i = blockIdx.x * BDIM + threadIdx.x;
	float4 me = i < n ? pos[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
	float3 a = make_float3(0.0f, 0.0f, 0.0f);

	for (int base = 0; base < n; base += BDIM) {
		int j = base + threadIdx.x;

		/* Beyond the end stands a body without mass. */
		tile[threadIdx.x] = j < n ? pos[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
		__syncthreads();
		for (int k = 0; k < BDIM; k++) {
			float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
			float inv = rsqrtf(dx * dx + dy * dy + dz * dz + SOFT);
			float pull = tile[k].w * inv * inv * inv;

			a.x += dx * pull;
			a.y += dy * pull;
			a.z += dz * pull;
		}
		__syncthreads();
	}
	if (i < n)
		acc[i] = a;
}

__global__ void move(float4 *pos, float4 *vel, const float3 *acc, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float4 p = pos[i], v = vel[i];

	v.x += acc[i].x * DT;
	v.y += acc[i].y * DT;
	v.z += acc[i].z * DT;
	p.x += v.x * DT;
	p.y += v.y * DT;
	p.z += v.z * DT;
	pos[i] = p;
	vel[i] = v;
}

/*
 * Each step is checked from the positions that the device itself had, so errors do not add up over
 * steps. One pull: the squared distance has at most 6 roundings and only positive terms, half of
 * that remains after rsqrtf, which itself is good to 2 ulp (4 roundings), three times that after
 * the cube, and 7 more products and differences: below 32. The sum adds one for each body.
 */
static void verify(const float4 *pos, const float3 *acc, int n)
{
	for (int i = 0; i < n; i++) {
		double sum[3] = { 0 }, size[3] = { 0 };
		const float got[3] = { acc[i].x, acc[i].y, acc[i].z };

		for (int j = 0; j < n; j++) {
			double d[3] = { (double)pos[j].x - pos[i].x, (double)pos[j].y - pos[i].y,
					(double)pos[j].z - pos[i].z };
			double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + (double)SOFT;
			double pull = pos[j].w / (r2 * sqrt(r2));

			for (int k = 0; k < 3; k++) {
				sum[k] += d[k] * pull;
				size[k] += fabs(d[k] * pull);
			}
		}
		for (int k = 0; k < 3; k++)
			expect_near(k == 0 ? "acc.x" :
				    k == 1 ? "acc.y" :
					     "acc.z",
				    i, got[k], sum[k], (n + 32) * F32_ROUND * size[k]);
	}
}

/* Velocity and position: a product and a sum each, so two roundings of what is added up. */
static void verify_move(const float4 *before, const float4 *speed, const float3 *acc,
			const float4 *after, int n)
{
	for (int i = 0; i < n; i++) {
		double v = speed[i].x + (double)acc[i].x * DT, p = before[i].x + v * DT;
		double size = fabs(before[i].x) + fabs(speed[i].x) + fabs(acc[i].x);

		expect_near("pos.x", i, after[i].x, p, 4 * F32_ROUND * size);
		expect_same("mass", i, after[i].w, before[i].w);
	}
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "nbody", "bodies", 210, 1, 1 << 15);
	float4 *pos[2], *vel, *dev_pos, *dev_vel;
	float3 *acc, *dev_acc;
	struct lcg g = { 1687 };
	int blocks = (n + BDIM - 1) / BDIM;

	pos[0] = (float4 *)host_alloc(n * sizeof(float4));
	pos[1] = (float4 *)host_alloc(n * sizeof(float4));
	vel = (float4 *)host_alloc(n * sizeof(float4));
	acc = (float3 *)host_alloc(n * sizeof(float3));
	for (int i = 0; i < n; i++) {
		pos[0][i] = make_float4(lcg_float(&g, -1.0f, 1.0f), lcg_float(&g, -1.0f, 1.0f),
					lcg_float(&g, -1.0f, 1.0f), lcg_float(&g, 0.5f, 1.5f));
		vel[i] = make_float4(lcg_float(&g, -1.0f, 1.0f), 0.0f, 0.0f, 0.0f);
	}
	CHECK(cudaMalloc((void **)&dev_pos, n * sizeof(float4)));
	CHECK(cudaMalloc((void **)&dev_vel, n * sizeof(float4)));
	CHECK(cudaMalloc((void **)&dev_acc, n * sizeof(float3)));
	CHECK(cudaMemcpy(dev_pos, pos[0], n * sizeof(float4), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dev_vel, vel, n * sizeof(float4), cudaMemcpyHostToDevice));
	for (int s = 0; s < STEPS; s++) {
		accelerate<<<blocks, BDIM>>>(dev_pos, dev_acc, n);
		CHECK(cudaGetLastError());
		move<<<blocks, BDIM>>>(dev_pos, dev_vel, dev_acc, n);
		CHECK_LAUNCH();
		CHECK(cudaMemcpy(acc, dev_acc, n * sizeof(float3), cudaMemcpyDeviceToHost));
		verify(pos[s % 2], acc, n);
		CHECK(cudaMemcpy(pos[(s + 1) % 2], dev_pos, n * sizeof(float4),
				 cudaMemcpyDeviceToHost));
		verify_move(pos[s % 2], vel, acc, pos[(s + 1) % 2], n);
		CHECK(cudaMemcpy(vel, dev_vel, n * sizeof(float4), cudaMemcpyDeviceToHost));
	}
	CHECK(cudaFree(dev_pos));
	CHECK(cudaFree(dev_vel));
	CHECK(cudaFree(dev_acc));
	free(pos[0]);
	free(pos[1]);
	free(vel);
	free(acc);
	return finish();
}
