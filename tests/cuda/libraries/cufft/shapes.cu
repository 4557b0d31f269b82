/* SPDX-License-Identifier: MIT */
/*
 * Transforms of one to three dimensions in layouts drawn at random: batched, embedded, strided, in
 * place and not, of all types.
 */
#include "fft.h"

static long long random_length(int rank)
{
	static const int one[] = {1,  2,   3,	8,   15,  16,  17,  30,
				  64, 100, 128, 210, 256, 331, 625, 1024};
	static const int more[] = {1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 17, 20, 24, 32, 38};

	return rank == 1 ? one[lcg_below(&draw, 16)] : more[lcg_below(&draw, 16 - 2 * rank)];
}

/* More room than there must be, and numbers of several transforms that lie between each other. */
static void embed(problem *q, side *s)
{
	long long whole = 1;
	bool between = lcg_below(&draw, 4) == 0;

	s->stride = between ? q->batch + lcg_below(&draw, 3) : 1 + lcg_below(&draw, 3);
	for (int i = 0; i < q->rank; i++) {
		s->embed[i] = count_of(*q, *s, i) + lcg_below(&draw, 3);
		whole *= s->embed[i];
	}
	s->distance = between ? 1 : whole * s->stride + lcg_below(&draw, 5);
}

static problem random_problem()
{
	problem q = {};

	q.f = (form)lcg_below(&draw, 3);
	q.p = (precision)lcg_below(&draw, 2);
	q.rank = 1 + (int)lcg_below(&draw, 3);
	q.batch = 1 + lcg_below(&draw, 5);
	q.in_place = lcg_below(&draw, 3) == 0;
	q.embedded = lcg_below(&draw, 2);
	q.direction = q.f == R2C			? CUFFT_FORWARD
		      : q.f == C2R || lcg_below(&draw, 2) ? CUFFT_INVERSE
							   : CUFFT_FORWARD;
	for (int i = 0; i < q.rank; i++)
		q.n[i] = random_length(q.rank);
	pack(&q);
	if (!q.embedded || (q.in_place && q.f != C2C))
		return q;
	embed(&q, &q.in);
	if (q.in_place)
		q.out = q.in;
	else
		embed(&q, &q.out);
	return q;
}

/* By hand: 1, 2, 3, 4 and its transform 10, -2 + 2 i, -2, -2 - 2 i. */
static void test_by_hand()
{
	static const cufftComplex from[] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}};
	static const cufftComplex to[] = {{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}};
	cufftComplex *data = device_from(from, 4), got[4];
	cufftHandle plan;

	OK(cufftPlan1d(&plan, 4, CUFFT_C2C, 1));
	OK(cufftExecC2C(plan, data, data, CUFFT_FORWARD));
	host_from(got, data, 4);
	for (int i = 0; i < 4; i++)
		EXPECT(got[i].x == to[i].x && got[i].y == to[i].y);
	OK(cufftExecC2C(plan, data, data, CUFFT_INVERSE));
	host_from(got, data, 4);
	for (int i = 0; i < 4; i++)
		EXPECT(got[i].x == 4 * from[i].x && got[i].y == 0);
	OK(cufftDestroy(plan));
	CHECK(cudaFree(data));
}

/* Long lines among others: parts of them are lines of a work area, which another one follows. */
static void test_long()
{
	static const struct {
		form f;
		precision p;
		int rank, direction;
		bool in_place;
		long long n[3], batch;
	} list[] = {
		{C2C, SINGLE, 2, -1, false, {3, 4096}, 1},
		{C2C, SINGLE, 2, 1, true, {4096, 3}, 1},
		{C2C, DOUBLE, 2, -1, true, {1500, 2}, 2},
		{R2C, SINGLE, 2, -1, true, {2, 6000}, 1},
		{C2R, SINGLE, 2, 1, false, {2, 6000}, 1},
		{R2C, SINGLE, 2, -1, false, {4096, 2}, 1},
		{C2R, DOUBLE, 2, 1, true, {2048, 3}, 1},
		{C2C, SINGLE, 2, -1, false, {2053, 2}, 1},
		{R2C, DOUBLE, 2, -1, false, {3, 1031}, 1},
		{C2R, DOUBLE, 2, 1, false, {2, 1031}, 1},
		{C2C, SINGLE, 3, 1, false, {2, 2500, 2}, 1},
	};

	for (const auto &l : list) {
		problem q = {};

		q.f = l.f;
		q.p = l.p;
		q.rank = l.rank;
		q.direction = l.direction;
		q.in_place = l.in_place;
		memcpy(q.n, l.n, sizeof(q.n));
		q.batch = l.batch;
		pack(&q);
		try_problem(q, run_plan);
	}
}

int main(int argc, char **argv)
{
	long count = parse_size(argc, argv, "shapes", "how many problems", 250, 1, 1000000);

	test_by_hand();
	for (long i = 0; i < count; i++)
		try_problem(random_problem(), run_plan);
	test_long();
	return finish();
}
