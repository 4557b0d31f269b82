/* SPDX-License-Identifier: MIT */
/*
 * warp_masks: what member masks mean. Parts of a warp that vote, match and shuffle by masks of
 * their own at one instruction; lanes of one mask that come to a *_sync function from several
 * branches, from loops of different length and after others have exited (CUDA programming guide,
 * warp vote, match and shuffle functions; sm_70 and later).
 */
#include "../common.h"

#define FULL 0xffffffffu
#define N 64

/* Which lanes take part together: halves, quarters, every third lane, pairs with a hole. */
#define MASKINGS 5

__host__ __device__ static unsigned mask_of(int masking, int lane)
{
	const unsigned thirds = 0x49249249u;

	switch (masking) {
	case 0:
		return FULL;
	case 1:
		return lane < 16 ? 0x0000ffffu : 0xffff0000u;
	case 2:
		return 0xffu << (lane & ~7);
	case 3:
		return thirds << lane % 3;
	default:
		return lane % 8 == 5 ? 1u << lane : 0xdfu << (lane & ~7);
	}
}

/* ---- one instruction, several masks ------------------------------------- */

struct answers {
	unsigned ballot, any32, any64, all32, all64, shuffled;
	int any, all, uni, same32, same64;
};

__global__ void by_mask(const int *in, answers *out, int masking)
{
	int t = threadIdx.x, lane = t % 32, v = in[t];
	unsigned mask = mask_of(masking, lane);
	answers a;

	a.ballot = __ballot_sync(mask, v > 3);
	a.any = __any_sync(mask, v > 8) != 0;
	a.all = __all_sync(mask, v > 0) != 0;
	a.uni = __uni_sync(mask, v > 6) != 0;
	a.any32 = __match_any_sync(mask, v);
	a.any64 = __match_any_sync(mask, (unsigned long long)v << 33 | 1);
	a.all32 = __match_all_sync(mask, v / 9, &a.same32);
	a.all64 = __match_all_sync(mask, (unsigned long long)(v / 9) << 40, &a.same64);
	a.shuffled = __shfl_sync(mask, v, __ffs(mask) - 1);
	out[t] = a;
}

static void check_by_mask(const int *in)
{
	int *dev_in = device_from(in, N);
	answers *dev_out = device_new<answers>(N), out[N];

	for (int masking = 0; masking < MASKINGS; masking++) {
		by_mask<<<1, N>>>(dev_in, dev_out, masking);
		CHECK_LAUNCH();
		host_from(out, dev_out, N);
		for (int t = 0; t < N; t++) {
			unsigned mask = mask_of(masking, t % 32), ballot = 0, same = 0, equal = 0;
			int any = 0, all = 1, high = 0, low = 0;
			char what[32];

			for (int j = 0; j < 32; j++) {
				int v = in[t / 32 * 32 + j];

				if (!(mask >> j & 1))
					continue;
				ballot |= (unsigned)(v > 3) << j;
				any |= v > 8;
				all &= v > 0;
				high |= v > 6;
				low |= v <= 6;
				same |= (unsigned)(v == in[t]) << j;
				equal |= (unsigned)(v / 9 == in[t] / 9) << j;
			}
			snprintf(what, sizeof(what), "masking %d", masking);
			expect_same(what, t, out[t].ballot, ballot);
			expect_same(what, t, out[t].any, any);
			expect_same(what, t, out[t].all, all);
			expect_same(what, t, out[t].uni, (int)(!high || !low));
			expect_same(what, t, out[t].any32, same);
			expect_same(what, t, out[t].any64, same);
			expect_same(what, t, out[t].all32, equal == mask ? mask : 0u);
			expect_same(what, t, out[t].all64, equal == mask ? mask : 0u);
			expect_same(what, t, out[t].same32, (int)(equal == mask));
			expect_same(what, t, out[t].same64, (int)(equal == mask));
			expect_same(what, t, (int)out[t].shuffled,
				    in[t / 32 * 32 + __builtin_ctz(mask)]);
		}
	}
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
}

/* ---- one mask, several branches ----------------------------------------- */

/*
 * Neighbours meet in a shuffle that each reaches by its own way, with 32-bit and 64-bit values
 * alive on both.
 */
__global__ void branches(const int *in, int *out, double *sums)
{
	int t = threadIdx.x, lane = t % 32, v = in[t], got;
	double sum = v, other;

	if (lane & 1) {
		double kept = v * 0.5;
		int low = v * 3;

		got = __shfl_xor_sync(FULL, v * 10, 1);
		other = __shfl_xor_sync(FULL, kept, 1);
		sum += other * low + kept;
	} else {
		int first = v + 7, second = v - 7;

		if (lane & 2) {
			double kept = first * 0.25;

			got = __shfl_xor_sync(FULL, v * 100 + second, 1);
			other = __shfl_xor_sync(FULL, kept, 1);
			sum += other + kept * first;
		} else {
			got = __shfl_xor_sync(FULL, v * 1000 + first, 1);
			other = __shfl_xor_sync(FULL, (double)second, 1);
			sum += other * second;
		}
	}
	out[t] = got;
	sums[t] = sum;
}

static void check_branches(const int *in)
{
	int *dev_in = device_from(in, N), *dev_out = device_new<int>(N), out[N];
	double *dev_sums = device_new<double>(N), sums[N];

	branches<<<1, N>>>(dev_in, dev_out, dev_sums);
	CHECK_LAUNCH();
	host_from(out, dev_out, N);
	host_from(sums, dev_sums, N);
	for (int t = 0; t < N; t++) {
		int v = in[t], w = in[t ^ 1], got;
		double sum = v;

		if (t & 1) {	/* the other one is even */
			got = t & 2 ? w * 100 + w - 7 : w * 1000 + w + 7;
			sum += (t & 2 ? (w + 7) * 0.25 : (double)(w - 7)) * (v * 3) + v * 0.5;
		} else {
			got = w * 10;
			sum += t & 2 ? w * 0.5 + (v + 7) * 0.25 * (v + 7) : w * 0.5 * (v - 7);
		}
		expect_same("branches", t, out[t], got);
		expect_same("branches, sums", t, sums[t], sum);
	}
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
	CHECK(cudaFree(dev_sums));
}

/* A vote inside a loop that lanes leave one after the other, matched by those that have left it. */
__global__ void loops(unsigned *out)
{
	int t = threadIdx.x, lane = t % 32, rounds = lane % 4, round = 0;
	unsigned seen = 0;

	for (; round < rounds; round++)
		seen = seen * 31 + __ballot_sync(FULL, lane & 1 << round % 5);
	for (; round < 4; round++)
		seen = seen * 31 + __ballot_sync(FULL, lane & 16);
	out[t] = seen;
}

static void check_loops(void)
{
	unsigned *dev = device_new<unsigned>(N), out[N], want = 0;

	loops<<<1, N>>>(dev);
	CHECK_LAUNCH();
	host_from(out, dev, N);
	for (int round = 0; round < 4; round++) {
		unsigned ballot = 0;

		for (int lane = 0; lane < 32; lane++)
			ballot |= (unsigned)((round < lane % 4 ? lane & 1 << round % 5 :
								 lane & 16) != 0)
				  << lane;
		want = want * 31 + ballot;
	}
	for (int t = 0; t < N; t++)
		expect_same("loops", t, out[t], want);
	CHECK(cudaFree(dev));
}

/*
 * Lanes that have exited are not waited for; halves of a warp go through several operations each in
 * its own branch.
 */
__global__ void leaving(const int *in, int *out)
{
	int t = threadIdx.x, lane = t % 32, v = in[t];

	out[t] = -1;
	if (lane % 8 >= 4)
		return;
	if (lane < 16) {
		int sum = v;

		for (int d = 1; d < 4; d *= 2)
			sum += __shfl_xor_sync(0x0000ffffu, sum, d, 4);
		out[t] = __any_sync(FULL, sum > 1000) ? -2 : sum;
	} else {
		int most = v;

		for (int d = 1; d < 4; d *= 2)
			most = max(most, __shfl_xor_sync(0xffff0000u, most, d, 4));
		out[t] = __any_sync(FULL, most > 1000) ? -2 : most;
	}
}

static void check_leaving(const int *in)
{
	int *dev_in = device_from(in, N), *dev_out = device_new<int>(N), out[N];

	leaving<<<1, N>>>(dev_in, dev_out);
	CHECK_LAUNCH();
	host_from(out, dev_out, N);
	for (int t = 0; t < N; t++) {
		int first = t & ~3, sum = 0, most = in[first];

		for (int j = first; j < first + 4; j++) {
			sum += in[j];
			most = in[j] > most ? in[j] : most;
		}
		expect_same("leaving", t, out[t], t % 8 >= 4 ? -1 : t % 32 < 16 ? sum : most);
	}
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
}

/* Shared memory handed from one branch to the other between two __syncwarp(). */
__global__ void hand_over(const int *in, int *out)
{
	__shared__ int box[N];
	int t = threadIdx.x, lane = t % 32, v = in[t];

	if (lane < 16) {
		box[t] = v * 2;
		__syncwarp();
		__syncwarp();
		out[t] = box[t + 16];
	} else {
		int taken;

		__syncwarp();
		taken = box[t - 16];
		box[t] = taken + v;
		__syncwarp();
		out[t] = taken;
	}
}

static void check_hand_over(const int *in)
{
	int *dev_in = device_from(in, N), *dev_out = device_new<int>(N), out[N];

	hand_over<<<1, N>>>(dev_in, dev_out);
	CHECK_LAUNCH();
	host_from(out, dev_out, N);
	for (int t = 0; t < N; t++)
		expect_same("hand over", t, out[t],
			    t % 32 < 16 ? in[t] * 2 + in[t + 16] : in[t - 16] * 2);
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
}

/*
 * Halves of one warp that meet each among themselves, while each half is one side of a branch of
 * its own.
 */
__global__ void apart(const int *in, int *out)
{
	int t = threadIdx.x, lane = t % 32, v = in[t];
	unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
	int got;

	if ((lane >> 1 ^ lane >> 4) & 1)
		got = __shfl_xor_sync(half, v, 2) + (int)__ballot_sync(half, v & 1);
	else
		got = __shfl_xor_sync(half, -v, 2) + (int)__ballot_sync(half, v & 2);
	out[t] = got;
}

static void check_apart(const int *in)
{
	int *dev_in = device_from(in, N), *dev_out = device_new<int>(N), out[N];

	apart<<<1, N>>>(dev_in, dev_out);
	CHECK_LAUNCH();
	host_from(out, dev_out, N);
	for (int t = 0; t < N; t++) {
		unsigned ballot = 0;
		int other = t ^ 2, first = t & ~15;

		for (int j = first; j < first + 16; j++)
			ballot |= (unsigned)((j >> 1 ^ j >> 4) & 1 ? in[j] & 1 : in[j] >> 1 & 1)
				  << j % 32;
		expect_same("apart", t, out[t],
			    ((other >> 1 ^ other >> 4) & 1 ? in[other] : -in[other]) + (int)ballot);
	}
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
}

/* ---- __fns -------------------------------------------------------------- */

__global__ void find_nth(const unsigned *masks, unsigned *out)
{
	int t = threadIdx.x;

	for (int offset = -4; offset <= 4; offset++)
		out[t * 9 + offset + 4] = __fns(masks[t], t % 32, offset);
}

static void check_fns(void)
{
	unsigned masks[N], out[N * 9], *dev_masks, *dev_out = device_new<unsigned>(N * 9);

	for (int t = 0; t < N; t++)
		masks[t] = t ? (unsigned)t * 2654435761u : 0;
	dev_masks = device_from(masks, N);
	find_nth<<<1, N>>>(dev_masks, dev_out);
	CHECK_LAUNCH();
	host_from(out, dev_out, N * 9);
	for (int t = 0; t < N; t++)
		for (int offset = -4; offset <= 4; offset++) {
			int left = offset < 0 ? -offset : offset, at = t % 32;
			unsigned want = ~0u;

			if (!offset)
				want = masks[t] >> at & 1 ? (unsigned)at : ~0u;
			for (; offset && at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
				if (masks[t] >> at & 1 && !--left) {
					want = (unsigned)at;
					break;
				}
			expect_same("__fns", t * 9 + offset + 4, out[t * 9 + offset + 4], want);
		}
	CHECK(cudaFree(dev_masks));
	CHECK(cudaFree(dev_out));
}

int main(int argc, char **argv)
{
	int in[N];

	parse_size(argc, argv, "warp_masks", NULL, 0, 0, 0);
	for (int t = 0; t < N; t++)
		in[t] = (t * 7 + t / 5) % 11;
	check_by_mask(in);
	check_branches(in);
	check_loops();
	check_leaving(in);
	check_hand_over(in);
	check_apart(in);
	check_fns();
	return finish();
}
