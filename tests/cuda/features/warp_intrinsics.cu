/* SPDX-License-Identifier: MIT */
/*
 * warp_intrinsics: shuffles of every kind, width and operand type, votes, the active mask inside
 * branches, and warps that are not full. The reference computes each lane's answer from the text of
 * the CUDA programming guide.
 */
#include "../common.h"

#define WARPS 3
#define N (32 * WARPS)
#define FULL 0xffffffffu
#define WIDTHS 5
#define OFFSETS 5

enum { UP, DOWN, XOR, IDX, KINDS };

static const char *const kind_name[KINDS] = { "shfl_up", "shfl_down", "shfl_xor", "shfl" };

__constant__ int offsets[OFFSETS] = { 0, 1, 3, 16, 31 };
static const int host_offsets[OFFSETS] = { 0, 1, 3, 16, 31 };

template <typename T> __global__ void shuffles(const T *in, T *out)
{
	int t = threadIdx.x;
	T v = in[t];

	for (int o = 0; o < OFFSETS; o++)
		for (int w = 0; w < WIDTHS; w++) {
			T *to = out + ((o * WIDTHS + w) * KINDS) * N + t;
			int d = offsets[o], width = 2 << w;

			to[UP * N] = __shfl_up_sync(FULL, v, d, width);
			to[DOWN * N] = __shfl_down_sync(FULL, v, d, width);
			to[XOR * N] = __shfl_xor_sync(FULL, v, d, width);
			to[IDX * N] = __shfl_sync(FULL, v, (d + t * 5) % 40, width);
		}
}

/* Which lane's value a lane sees: its own when the source lies outside its part of the warp. */
static int source(int kind, int lane, int t, int d, int width)
{
	int part = lane / width * width, src;

	switch (kind) {
	case UP:
		return lane - d < part ? lane : lane - d;
	case DOWN:
		return lane + d >= part + width ? lane : lane + d;
	case XOR:
		/* May look into an earlier part, not into a later one. */
		src = lane ^ d;
		return src >= part + width ? lane : src;
	default:
		return part + (d + t * 5) % 40 % width;
	}
}

template <typename T> static void check_shuffles(const char *type, T scale)
{
	const int total = OFFSETS * WIDTHS * KINDS * N;
	T in[N], *out = (T *)host_alloc(total * sizeof(T)), *dev_in,
		 *dev_out = device_new<T>(total);
	char what[64];

	for (int t = 0; t < N; t++)
		in[t] = (T)(t * 3 - 50) * scale;
	dev_in = device_from(in, N);
	shuffles<T><<<1, N>>>(dev_in, dev_out);
	CHECK_LAUNCH();
	host_from(out, dev_out, total);
	for (int i = 0; i < total; i++) {
		int t = i % N, kind = i / N % KINDS, w = i / (N * KINDS) % WIDTHS;
		int d = host_offsets[i / (N * KINDS * WIDTHS)];

		snprintf(what, sizeof(what), "%s of %s by %d width %d", kind_name[kind], type, d,
			 2 << w);
		expect_same(what, t, out[i], in[t / 32 * 32 + source(kind, t % 32, t, d, 2 << w)]);
	}
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
	free(out);
}

struct votes {
	unsigned ballot, third, active_then, active_else, popc;
	int any_odd, any_big, all_small, all_odd, lanes_below;
};

__global__ void vote(const int *in, votes *out)
{
	int t = threadIdx.x, v = in[t];
	votes r;

	r.ballot = __ballot_sync(FULL, v & 1);
	r.any_odd = __any_sync(FULL, v & 1);
	r.any_big = __any_sync(FULL, v > 1000000);
	r.all_small = __all_sync(FULL, v < 1000000);
	r.all_odd = __all_sync(FULL, v & 1);
	r.popc = __popc(r.ballot);
	r.lanes_below = __popc(r.ballot & ((1u << (t % 32)) - 1));
	r.third = r.active_then = r.active_else = 0;
	if (t % 3 == 0) {
		unsigned mask = __activemask();

		r.active_then = mask;
		r.third = __ballot_sync(mask, v & 2);
	} else {
		r.active_else = __activemask();
	}
	__syncwarp();
	out[t] = r;
}

static void check_votes(void)
{
	int in[N], *dev_in;
	votes out[N], *dev_out = device_new<votes>(N);
	struct lcg g = { 3 };

	for (int t = 0; t < N; t++)
		in[t] = (int)lcg_below(&g, 1000) | (t < 32);
	dev_in = device_from(in, N);
	vote<<<1, N>>>(dev_in, dev_out);
	CHECK_LAUNCH();
	host_from(out, dev_out, N);
	for (int w = 0; w < WARPS; w++) {
		unsigned odd = 0, third = 0, two = 0;

		for (int l = 0; l < 32; l++) {
			int t = w * 32 + l;

			odd |= (unsigned)(in[t] & 1) << l;
			third |= (unsigned)(t % 3 == 0) << l;
			two |= (unsigned)(t % 3 == 0 && in[t] & 2) << l;
		}
		for (int l = 0; l < 32; l++) {
			const votes &r = out[w * 32 + l];
			bool in_third = third >> l & 1;
			long t = w * 32 + l;

			expect_same("ballot", t, r.ballot, odd);
			expect_same("any odd", t, r.any_odd != 0, odd != 0);
			expect_same("any big", t, r.any_big != 0, false);
			expect_same("all small", t, r.all_small != 0, true);
			expect_same("all odd", t, r.all_odd != 0, odd == FULL);
			expect_same("popc", t, r.popc, (unsigned)__builtin_popcount(odd));
			expect_same("lanes below", t, r.lanes_below,
				    __builtin_popcount(odd & ((1u << l) - 1)));
			/*
			 * Volta and later need not bring all lanes of a branch together, so the
			 * mask is only known to hold the lane and nobody from the other side.
			 */
			expect_same("ballot in branch", t, r.third, two & r.active_then);
			expect_same("active, then", t, r.active_then & ~third, 0u);
			expect_same("active, else", t, r.active_else & third, 0u);
			expect_same("active, self", t,
				    ((in_third ? r.active_then : r.active_else) >> l) & 1, 1u);
		}
	}
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
}

/* The last warp has 13 lanes. */
__global__ void short_warp(int *out)
{
	int t = threadIdx.x, lanes = blockDim.x - t / 32 * 32 < 32 ? blockDim.x % 32 : 32;
	unsigned mask = lanes == 32 ? FULL : (1u << lanes) - 1;
	int sum = t;

	for (int d = 1; d < 32; d *= 2) {
		int other = __shfl_up_sync(mask, sum, d);

		if (t % 32 >= d)
			sum += other;
	}
	out[t] = __ballot_sync(mask, 1) == mask ? sum : -1;
}

static void check_short_warp(void)
{
	const int n = 32 + 13;
	int out[n], *dev = device_new<int>(n), sum = 0;

	short_warp<<<1, n>>>(dev);
	CHECK_LAUNCH();
	host_from(out, dev, n);
	for (int t = 0; t < n; t++) {
		sum = t % 32 ? sum + t : t;
		expect_same("prefix sum in a short warp", t, out[t], sum);
	}
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "warp_intrinsics", NULL, 0, 0, 0);
	check_shuffles<int>("int", 1);
	check_shuffles<unsigned>("unsigned", 7u);
	check_shuffles<float>("float", 0.37f);
	check_shuffles<long long>("long long", 1ll << 33);
	check_shuffles<unsigned long long>("unsigned long long", (1ull << 40) + 1);
	check_shuffles<double>("double", 1e-3);
	check_votes();
	check_short_warp();
	return finish();
}
