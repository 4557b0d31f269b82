/* SPDX-License-Identifier: MIT */
/*
 * matrix_small_types: products by nvcuda::wmma of matrices of 4 bits and of single bits, tile by
 * tile over the whole of k, from global and from shared memory, with and without saturation; and a
 * sparse product by mma.sp, whose metadata is made on the device of what is zero. Expected values
 * are sums over whole matrices on the host.
 */
#include <mma.h>

#include "../common.h"

using namespace nvcuda;
namespace small = wmma::experimental;

#define SIDE 16	/* rows of A, columns of B */
#define DEPTH 256 /* k */

/* One tile of 8 x 8 by a warp; B by columns, in shared memory. */
template <class T, int k, class Product>
__device__ void tile(const unsigned int *a, const unsigned int *b, int *d, int start,
		     Product product)
{
	const int words = DEPTH * 4 / k; /* of a row of A */
	__shared__ unsigned int shared_b[8 * DEPTH / 8];
	wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 8, 8, k, int> sum;
	int row = blockIdx.y * 8, col = blockIdx.x * 8;

	for (int i = threadIdx.x; i < 8 * words; i += 32)
		shared_b[i] = b[(col + i / words) * words + i % words];
	__syncwarp();
	wmma::fill_fragment(sum, start);
	for (int step = 0; step < DEPTH; step += k) {
		wmma::load_matrix_sync(fa, a + row * words + step * 4 / k, DEPTH);
		wmma::load_matrix_sync(fb, shared_b + step * 4 / k, DEPTH);
		product(sum, fa, fb);
	}
	wmma::store_matrix_sync(d + row * SIDE + col, sum, SIDE, wmma::mem_row_major);
}

template <class T>
__global__ void fours(const unsigned int *a, const unsigned int *b, int *d, int start,
		      bool saturate)
{
	tile<T, 32>(a, b, d, start, [=](auto &sum, auto &fa, auto &fb) {
		wmma::mma_sync(sum, fa, fb, sum, saturate);
	});
}

template <small::bmmaBitOp op>
__global__ void bits(const unsigned int *a, const unsigned int *b, int *d, int start)
{
	tile<small::precision::b1, 128>(a, b, d, start, [](auto &sum, auto &fa, auto &fb) {
		wmma::bmma_sync(sum, fa, fb, sum, op);
	});
}

/* Element k of a row of words. */
static int element(const unsigned int *row, int k, int width, bool sign)
{
	int value = row[k * width / 32] >> k * width % 32 & ((1 << width) - 1);

	return sign && value >> (width - 1) ? value - (1 << width) : value;
}

static void check_small(const char *what, int width, bool sign, int start, bool saturate,
			int (*product)(int, int), void (*launch)(const unsigned *, const unsigned *,
								 int *, int, bool))
{
	static unsigned int a[SIDE * DEPTH / 8], b[SIDE * DEPTH / 8];
	static int d[SIDE * SIDE];
	const int words = DEPTH * width / 32;
	unsigned int seed = 17 * width + sign;

	for (int i = 0; i < SIDE * words; i++) {
		seed = seed * 1664525 + 1013904223;
		a[i] = seed;
		b[i] = seed << 9 ^ seed >> 13;
	}
	unsigned int *da = device_from(a, SIDE * words), *db = device_from(b, SIDE * words);
	int *dd = device_new<int>(SIDE * SIDE);

	launch(da, db, dd, start, saturate);
	CHECK_LAUNCH();
	host_from(d, dd, SIDE * SIDE);
	for (int i = 0; i < SIDE * SIDE; i++) {
		long long sum = start, low = INT_MIN, high = INT_MAX;

		/* saturation is at the end of each product of 32 */
		for (int k = 0, part = 0; k < DEPTH; k++) {
			part += product(element(a + i / SIDE * words, k, width, sign),
					element(b + i % SIDE * words, k, width, sign));
			if (k % 32 < 31)
				continue;
			sum += part;
			part = 0;
			if (saturate)
				sum = sum < low ? low : sum > high ? high : sum;
		}
		expect_same(what, i, d[i], (int)sum);
	}
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dd));
}

/* ---- a sparse product ---------------------------------------------------------- */

/*
 * m16n8k32 of bytes: two of each four neighbours in a row of A are not zero. A lane packs its part
 * of A, eight neighbours of two rows, and lanes exchange what they found out about theirs.
 */
__global__ void sparse(const signed char *a, const signed char *b, int *d)
{
	int lane = threadIdx.x, g = lane / 4, t = lane % 4, sum[4] = { 1, 2, 3, 4 };
	unsigned int packed[2], metadata[2], words[2] = {}, mine;

	for (int half = 0; half < 2; half++) {
		int found = 0;

		packed[half] = metadata[half] = 0;
		for (int i = 0; i < 8; i++) {
			signed char v = a[(g + 8 * half) * 32 + 8 * t + i];

			if (!v)
				continue;
			packed[half] |= (v & 0xffu) << 8 * found;
			metadata[half] |= (i % 4u) << 2 * found++;
		}
		/* 8 bits of each lane are those of the row */
		metadata[half] <<= 8 * t;
		metadata[half] |= __shfl_xor_sync(~0u, metadata[half], 1);
		metadata[half] |= __shfl_xor_sync(~0u, metadata[half], 2);
	}
	for (int i = 0; i < 8; i++)
		words[i / 4] |= (b[(4 * t + i % 4 + i / 4 * 16) * 8 + g] & 0xffu) << i % 4 * 8;
	mine = metadata[t & 1];
	asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
		     "{%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, 1;"
		     : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
		     : "r"(packed[0]), "r"(packed[1]), "r"(words[0]), "r"(words[1]), "r"(mine));
	for (int i = 0; i < 4; i++)
		d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = sum[i];
}

static void check_sparse(void)
{
	static signed char a[16 * 32], b[32 * 8];
	int d[16 * 8];
	unsigned int seed = 5;

	for (int chunk = 0; chunk < 16 * 8; chunk++) {
		static const int pairs[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 },
						 { 1, 2 }, { 1, 3 }, { 2, 3 } };

		for (int i = 0; i < 2; i++) {
			seed = seed * 1664525 + 1013904223;
			a[4 * chunk + pairs[chunk % 6][i]] = (signed char)(seed >> 16 | 1);
		}
	}
	for (int i = 0; i < 32 * 8; i++)
		b[i] = (signed char)(i * 37 + i / 8 * 11);
	signed char *da = device_from(a, 16 * 32), *db = device_from(b, 32 * 8);
	int *dd = device_new<int>(16 * 8);

	sparse<<<1, 32>>>(da, db, dd);
	CHECK_LAUNCH();
	host_from(d, dd, 16 * 8);
	for (int i = 0; i < 16 * 8; i++) {
		int sum = i / 64 * 2 + i % 2 + 1;

		for (int k = 0; k < 32; k++)
			sum += a[i / 8 * 32 + k] * b[k * 8 + i % 8];
		expect_same("sparse", i, d[i], sum);
	}
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dd));
}

int main(int argc, char **argv)
{
	static const dim3 grid(SIDE / 8, SIDE / 8);
	auto times = [](int a, int b) { return a * b; };

	parse_size(argc, argv, "matrix_small_types", NULL, 0, 0, 0);
	check_small("s4", 4, true, -7, false, times,
		    [](auto a, auto b, int *d, int start, bool saturate) {
			    fours<small::precision::s4><<<grid, 32>>>(a, b, d, start, saturate);
		    });
	check_small("s4, saturated", 4, true, INT_MIN + 9, true, times,
		    [](auto a, auto b, int *d, int start, bool saturate) {
			    fours<small::precision::s4><<<grid, 32>>>(a, b, d, start, saturate);
		    });
	check_small("u4, saturated", 4, false, INT_MAX - 9999, true, times,
		    [](auto a, auto b, int *d, int start, bool saturate) {
			    fours<small::precision::u4><<<grid, 32>>>(a, b, d, start, saturate);
		    });
	check_small("bits, one of two", 1, false, 3, false, [](int a, int b) { return a ^ b; },
		    [](auto a, auto b, int *d, int start, bool) {
			    bits<small::bmmaBitOpXOR><<<grid, 32>>>(a, b, d, start);
		    });
	check_small("bits, both", 1, false, 3, false, [](int a, int b) { return a & b; },
		    [](auto a, auto b, int *d, int start, bool) {
			    bits<small::bmmaBitOpAND><<<grid, 32>>>(a, b, d, start);
		    });
	check_sparse();
	return finish();
}
