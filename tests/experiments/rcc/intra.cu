// SPDX-License-Identifier: MIT
/*
 * Programs whose blocks share nothing that they write while a kernel runs, after table 3.4 of
 * thesis 002: they share with the kernel before. All arithmetic is of integers, so that results can
 * be compared; LUD's is modulo 2^32 with pivots of 1.
 */
#include "rcc.h"

/* ---- HSP: heat on a grid, a tile with its border in shared memory ---- */

#define SIDE	128
#define TILE	16

__global__ void hsp(const int *now, const int *power, int *next)
{
	__shared__ int tile[TILE + 2][TILE + 2];
	int x = (int)(blockIdx.x * TILE + threadIdx.x), y = (int)(blockIdx.y * TILE + threadIdx.y);

	for (int ty = (int)threadIdx.y; ty < TILE + 2; ty += TILE)
		for (int tx = (int)threadIdx.x; tx < TILE + 2; tx += TILE) {
			int gx = (int)blockIdx.x * TILE + tx - 1;
			int gy = (int)blockIdx.y * TILE + ty - 1;

			gx = gx < 0 ? 0 : gx >= SIDE ? SIDE - 1 : gx;
			gy = gy < 0 ? 0 : gy >= SIDE ? SIDE - 1 : gy;
			tile[ty][tx] = now[gy * SIDE + gx];
		}
	__syncthreads();
	int tx = (int)threadIdx.x + 1, ty = (int)threadIdx.y + 1;

	next[y * SIDE + x] = (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] +
			      tile[ty + 1][tx]) / 4 + power[y * SIDE + x];
}

static int clamp(int n)
{
	return n < 0 ? 0 : n >= SIDE ? SIDE - 1 : n;
}

static bool run_hsp()
{
	static int cell[2][SIDE * SIDE], power[SIDE * SIDE], got[SIDE * SIDE];

	for (int n = 0; n < SIDE * SIDE; n++) {
		cell[0][n] = (int)random_below(1000);
		power[n] = (int)random_below(10);
	}
	int *at[2] = { device_array(SIDE * SIDE, cell[0]), device_array<int>(SIDE * SIDE, NULL) };
	int *heat = device_array(SIDE * SIDE, power);

	for (int round = 0; round < 3; round++) {
		int *now = cell[round & 1], *next = cell[~round & 1];

		hsp<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(at[round & 1], heat,
									  at[~round & 1]);
		for (int y = 0; y < SIDE; y++)
			for (int x = 0; x < SIDE; x++)
				next[y * SIDE + x] = (now[y * SIDE + clamp(x - 1)] +
						      now[y * SIDE + clamp(x + 1)] +
						      now[clamp(y - 1) * SIDE + x] +
						      now[clamp(y + 1) * SIDE + x]) / 4 +
						     power[y * SIDE + x];
	}
	to_host(got, at[1], SIDE * SIDE);
	return !memcmp(got, cell[1], sizeof(got));
}

/* ---- KMN: the nearest of some centres, for each point ---- */

#define POINTS	8192
#define CENTRES	8
#define AXES	4

static __host__ __device__ int nearest(const int *point, unsigned stride, const int *centre)
{
	int best = 0, least = 0x7fffffff;

	for (int c = 0; c < CENTRES; c++) {
		int distance = 0;

		for (int a = 0; a < AXES; a++) {
			int d = point[a * stride] - centre[c * AXES + a];

			distance += d * d;
		}
		if (distance < least) {
			least = distance;
			best = c;
		}
	}
	return best;
}

__global__ void kmn(const int *points, const int *centres, int *member)
{
	unsigned n = blockIdx.x * blockDim.x + threadIdx.x;

	member[n] = nearest(points + n, POINTS, centres);
}

static bool run_kmn()
{
	static int points[AXES * POINTS], centres[CENTRES * AXES], got[POINTS];
	int *where, *at, *member;

	for (int n = 0; n < AXES * POINTS; n++)
		points[n] = (int)random_below(1000);
	memcpy(centres, points, sizeof(centres));
	where = device_array(AXES * POINTS, points);
	at = device_array(CENTRES * AXES, centres);
	member = device_array<int>(POINTS, NULL);
	for (int round = 0; round < 2; round++) {
		int sum[CENTRES][AXES] = {}, count[CENTRES] = {};

		kmn<<<POINTS / 128, 128>>>(where, at, member);
		to_host(got, member, POINTS);
		for (int n = 0; n < POINTS; n++) {
			if (got[n] != nearest(points + n, POINTS, centres))
				return false;
			count[got[n]]++;
			for (int a = 0; a < AXES; a++)
				sum[got[n]][a] += points[a * POINTS + n];
		}
		for (int c = 0; c < CENTRES; c++)
			for (int a = 0; a < AXES && count[c]; a++)
				centres[c * AXES + a] = sum[c][a] / count[c];
		CHECK(cudaMemcpy(at, centres, sizeof(centres), cudaMemcpyHostToDevice));
	}
	return true;
}

/* ---- LPS: three dimensions, a column for each thread ---- */

#define EDGE	32

static __host__ __device__ int laplace(const int *now, int x, int y, int z)
{
	int n = (z * EDGE + y) * EDGE + x;

	return (now[n - 1] + now[n + 1] + now[n - EDGE] + now[n + EDGE] + now[n - EDGE * EDGE] +
		now[n + EDGE * EDGE]) / 6;
}

__global__ void lps(const int *now, int *next)
{
	int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 4 + threadIdx.y);

	if (x && y && x < EDGE - 1 && y < EDGE - 1)
		for (int z = 1; z < EDGE - 1; z++)
			next[(z * EDGE + y) * EDGE + x] = laplace(now, x, y, z);
}

static bool run_lps()
{
	static int cell[2][EDGE * EDGE * EDGE], got[EDGE * EDGE * EDGE];

	for (int n = 0; n < EDGE * EDGE * EDGE; n++)
		cell[0][n] = cell[1][n] = (int)random_below(100000);
	int *at[2] = { device_array(EDGE * EDGE * EDGE, cell[0]),
		       device_array(EDGE * EDGE * EDGE, cell[1]) };

	for (int round = 0; round < 3; round++) {
		lps<<<dim3(EDGE / 32, EDGE / 4), dim3(32, 4)>>>(at[round & 1], at[~round & 1]);
		for (int z = 1; z < EDGE - 1; z++)
			for (int y = 1; y < EDGE - 1; y++)
				for (int x = 1; x < EDGE - 1; x++)
					cell[~round & 1][(z * EDGE + y) * EDGE + x] =
						laplace(cell[round & 1], x, y, z);
	}
	to_host(got, at[1], EDGE * EDGE * EDGE);
	return !memcmp(got, cell[1], sizeof(got));
}

/* ---- NDL: alignment of two sequences, tiles along diagonals ---- */

#define LETTERS	256
#define PART	32
#define ROW	(LETTERS + 1)

static __host__ __device__ int score(int corner, int left, int above, int match)
{
	int best = corner + match;

	best = left - 2 > best ? left - 2 : best;
	return above - 2 > best ? above - 2 : best;
}

__global__ void ndl(int *table, const int *a, const int *b, int diagonal, int first)
{
	int by = first + (int)blockIdx.x, bx = diagonal - by, t = (int)threadIdx.x;

	/* a diagonal of the tile a step */
	for (int step = 0; step < 2 * PART - 1; step++) {
		int x = bx * PART + step - t + 1, y = by * PART + t + 1;

		if (step >= t && step - t < PART)
			table[y * ROW + x] = score(table[(y - 1) * ROW + x - 1],
						   table[y * ROW + x - 1],
						   table[(y - 1) * ROW + x],
						   a[x - 1] == b[y - 1] ? 3 : -1);
		__syncthreads();
	}
}

static bool run_ndl()
{
	static int table[ROW * ROW], got[ROW * ROW], a[LETTERS], b[LETTERS];
	const int parts = LETTERS / PART;

	for (int n = 0; n < LETTERS; n++) {
		a[n] = (int)random_below(4);
		b[n] = (int)random_below(4);
	}
	for (int n = 0; n < ROW; n++)
		table[n] = table[n * ROW] = -2 * n;
	int *at = device_array(ROW * ROW, table), *one = device_array(LETTERS, a);
	int *other = device_array(LETTERS, b);

	for (int diagonal = 0; diagonal < 2 * parts - 1; diagonal++) {
		int first = diagonal < parts ? 0 : diagonal - parts + 1;
		int last = diagonal < parts ? diagonal : parts - 1;

		ndl<<<last - first + 1, PART>>>(at, one, other, diagonal, first);
	}
	to_host(got, at, ROW * ROW);
	for (int y = 1; y < ROW; y++)
		for (int x = 1; x < ROW; x++)
			table[y * ROW + x] = score(table[(y - 1) * ROW + x - 1],
						   table[y * ROW + x - 1],
						   table[(y - 1) * ROW + x],
						   a[x - 1] == b[y - 1] ? 3 : -1);
	return !memcmp(got, table, sizeof(table));
}

/* ---- SR: differences to neighbours, then what they make of the image ---- */

static __host__ __device__ int difference(const int *image, int x, int y)
{
	int right = x + 1 < SIDE ? x + 1 : x, below = y + 1 < SIDE ? y + 1 : y;

	return (image[y * SIDE + right] + image[below * SIDE + x] - 2 * image[y * SIDE + x]) / 8;
}

static __host__ __device__ int diffused(const int *image, const int *change, int x, int y)
{
	int left = x ? x - 1 : x, above = y ? y - 1 : y;

	return image[y * SIDE + x] + change[y * SIDE + x] +
	       (change[y * SIDE + left] + change[above * SIDE + x]) / 2;
}

__global__ void sr_change(const int *image, int *change)
{
	int n = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	change[n] = difference(image, n % SIDE, n / SIDE);
}

__global__ void sr_apply(const int *image, const int *change, int *out)
{
	int n = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	out[n] = diffused(image, change, n % SIDE, n / SIDE);
}

static bool run_sr()
{
	static int image[2][SIDE * SIDE], change[SIDE * SIDE], got[SIDE * SIDE];

	for (int n = 0; n < SIDE * SIDE; n++)
		image[0][n] = (int)random_below(10000);
	int *at[2] = { device_array(SIDE * SIDE, image[0]), device_array<int>(SIDE * SIDE, NULL) };
	int *changes = device_array<int>(SIDE * SIDE, NULL);

	for (int round = 0; round < 3; round++) {
		int *now = image[round & 1], *next = image[~round & 1];

		sr_change<<<SIDE * SIDE / 128, 128>>>(at[round & 1], changes);
		sr_apply<<<SIDE * SIDE / 128, 128>>>(at[round & 1], changes, at[~round & 1]);
		for (int n = 0; n < SIDE * SIDE; n++)
			change[n] = difference(now, n % SIDE, n / SIDE);
		for (int n = 0; n < SIDE * SIDE; n++)
			next[n] = diffused(now, change, n % SIDE, n / SIDE);
	}
	to_host(got, at[1], SIDE * SIDE);
	return !memcmp(got, image[1], sizeof(got));
}

/* ---- LUD: a matrix into two triangles, a column of the rest at a time ---- */

#define ORDER	96

/* A row for each block: the pivots are 1, so no division */
__global__ void lud(unsigned *a, int k)
{
	int row = k + 1 + (int)blockIdx.x;
	unsigned factor = a[row * ORDER + k];

	for (int column = k + 1 + (int)threadIdx.x; column < ORDER; column += (int)blockDim.x)
		a[row * ORDER + column] -= factor * a[k * ORDER + column];
}

static bool run_lud()
{
	static unsigned lower[ORDER][ORDER], upper[ORDER][ORDER];
	static unsigned a[ORDER * ORDER], got[ORDER * ORDER];

	for (int y = 0; y < ORDER; y++)
		for (int x = 0; x < ORDER; x++) {
			lower[y][x] = x < y ? random_below(100) : x == y;
			upper[y][x] = x > y ? random_below(100) : x == y;
		}
	for (int y = 0; y < ORDER; y++)
		for (int x = 0; x < ORDER; x++)
			for (int k = 0; k < ORDER; k++)
				a[y * ORDER + x] += lower[y][k] * upper[k][x];
	unsigned *at = device_array(ORDER * ORDER, a);

	for (int k = 0; k < ORDER - 1; k++)
		lud<<<ORDER - 1 - k, 64>>>(at, k);
	to_host(got, at, ORDER * ORDER);
	for (int y = 0; y < ORDER; y++)
		for (int x = 0; x < ORDER; x++)
			if (got[y * ORDER + x] != (x < y ? lower[y][x] : upper[y][x]))
				return false;
	return true;
}

int main(int argc, char **argv)
{
	static const struct program programs[] = {
		{ "HSP", run_hsp }, { "KMN", run_kmn }, { "LPS", run_lps }, { "NDL", run_ndl },
		{ "SR", run_sr }, { "LUD", run_lud },
	};

	return run_program(programs, 6, argc, argv);
}
