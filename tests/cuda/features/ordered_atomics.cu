/* SPDX-License-Identifier: MIT */
/*
 * ordered_atomics: __nv_atomic_*() in their forms, with every order and scope, on numbers of all
 * types that they take; and what one block has released, another acquires.
 */
#include "../common.h"

#define THREADS 160

static void check(bool right, const char *type, const char *what)
{
	if (!right)
		mismatch("%s: %s", type, what);
}

template <typename T> struct cells {
	T sum, rest, least, most;
};

template <typename T> struct masks {
	T all, any, odd, last, kept;
};

template <typename T> __global__ void numbers(cells<T> *c)
{
	int t = threadIdx.x;

	__nv_atomic_fetch_add(&c->sum, t, __NV_ATOMIC_RELAXED);
	__nv_atomic_add(&c->sum, 1, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
	__nv_atomic_sub(&c->rest, t, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
	__nv_atomic_fetch_sub(&c->rest, 2, __NV_ATOMIC_RELEASE);
}

template <typename T> __global__ void ordered(cells<T> *c)
{
	T x = (T)threadIdx.x - 80;

	__nv_atomic_min(&c->least, x, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
	__nv_atomic_fetch_max(&c->most, x, __NV_ATOMIC_ACQUIRE);
}

template <typename T> __global__ void bits(masks<T> *m, unsigned int *failed)
{
	T x = (T)1 << threadIdx.x % (8 * sizeof(T)), seen;

	__nv_atomic_and(&m->all, ~x, __NV_ATOMIC_RELAXED);
	__nv_atomic_fetch_or(&m->any, x, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
	__nv_atomic_xor(&m->odd, x, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
	__nv_atomic_exchange_n(&m->last, threadIdx.x, __NV_ATOMIC_ACQ_REL);

	seen = __nv_atomic_load_n(&m->kept, __NV_ATOMIC_RELAXED);
	while (!__nv_atomic_compare_exchange_n(&m->kept, &seen, seen + 3, false,
					       __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED,
					       __NV_THREAD_SCOPE_DEVICE))
		__nv_atomic_add(failed, 1, __NV_ATOMIC_RELAXED);
}

struct pair {
	float x, y;
};

/* Values that are no numbers, by the forms that take addresses; const and volatile places */
__global__ void structures(pair *p, const volatile unsigned char *byte, double *number)
{
	pair mine = { 1, 2 }, old, wrong = { 0, 0 };
	double d;

	__nv_atomic_exchange(p, &mine, &old, __NV_ATOMIC_RELAXED);
	__nv_atomic_store(p + 1, &old, __NV_ATOMIC_SEQ_CST);
	if (__nv_atomic_compare_exchange(p, &wrong, &old, true, __NV_ATOMIC_SEQ_CST,
					 __NV_ATOMIC_SEQ_CST))
		return;
	__nv_atomic_store(p + 2, &wrong, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
	__nv_atomic_load(number, &d, __NV_ATOMIC_ACQUIRE);
	__nv_atomic_store_n(number, d + __nv_atomic_load_n(byte, __NV_ATOMIC_SEQ_CST),
			    __NV_ATOMIC_RELAXED);
}

/* The last block to come adds up what all have written: it must see it. */
__global__ void last_block(int *value, int *arrived, int *sum)
{
	value[blockIdx.x] = blockIdx.x + 1;
	if (__nv_atomic_fetch_add(arrived, 1, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE) !=
	    (int)gridDim.x - 1)
		return;
	__nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
	for (int i = 0; i < (int)gridDim.x; i++)
		*sum += __nv_atomic_load_n(&value[i], __NV_ATOMIC_RELAXED);
}

template <typename T> static cells<T> *cells_of(T least, T most)
{
	cells<T> *c;

	CHECK(cudaMallocManaged(&c, sizeof(*c)));
	*c = { 0, 0, least, most };
	return c;
}

template <typename T> static void check_numbers(const char *name)
{
	cells<T> *c = cells_of<T>(0, 0);
	T sum = THREADS * (THREADS - 1) / 2;

	numbers<<<1, THREADS>>>(c);
	CHECK_LAUNCH();
	check(c->sum == sum + THREADS, name, "add");
	check(c->rest == (T)(0 - sum - 2 * THREADS), name, "sub");
	CHECK(cudaFree(c));
}

template <typename T> static void check_ordered(const char *name, T least, T most)
{
	cells<T> *c = cells_of<T>(most, least);

	ordered<<<1, THREADS>>>(c);
	CHECK_LAUNCH();
	if ((T)-1 < 0)
		check(c->least == (T)-80 && c->most == 79, name, "min and max");
	else
		check(c->least == 0 && c->most == (T)-1, name, "min and max");
	CHECK(cudaFree(c));
}

template <typename T> static void check_bits(const char *name)
{
	const T ones = ~(T)0, half = sizeof(T) == 8 ? (T)(ones >> 4 >> 28) : 0;
	unsigned int *failed;
	masks<T> *m;

	CHECK(cudaMallocManaged(&m, sizeof(*m)));
	CHECK(cudaMallocManaged(&failed, sizeof(*failed)));
	*m = { ones, 0, 0, THREADS, 0 };
	*failed = 0;
	bits<<<1, THREADS>>>(m, failed);
	CHECK_LAUNCH();
	check(m->all == 0 && m->any == ones, name, "and, or");
	/* 160 threads: each bit of 32 five times, and of 64 the lower half three times */
	check(m->odd == (sizeof(T) == 8 ? half : ones), name, "xor");
	check(m->last < THREADS, name, "exchange");
	check(m->kept == 3 * THREADS, name, "compare and exchange");
	check(*failed > 0, name, "lanes that come later fail at first");
	CHECK(cudaFree(m));
	CHECK(cudaFree(failed));
}

int main(int argc, char **argv)
{
	unsigned char *byte;
	double *number;
	int *value;
	pair *p;

	parse_size(argc, argv, "ordered_atomics", NULL, 0, 0, 0);
	check_numbers<int>("int");
	check_numbers<unsigned int>("unsigned int");
	check_numbers<long>("long");
	check_numbers<unsigned long long>("unsigned long long");
	check_numbers<float>("float");
	check_numbers<double>("double");
	check_ordered<int>("int", INT_MIN, INT_MAX);
	check_ordered<unsigned int>("unsigned int", 0, UINT_MAX);
	check_ordered<long>("long", LONG_MIN, LONG_MAX);
	check_ordered<unsigned long long>("unsigned long long", 0, ULLONG_MAX);
	check_bits<unsigned int>("unsigned int");
	check_bits<unsigned long>("unsigned long");

	CHECK(cudaMallocManaged(&p, 3 * sizeof(*p)));
	CHECK(cudaMallocManaged(&number, sizeof(*number)));
	CHECK(cudaMallocManaged(&byte, 1));
	p[0] = { 5, 6 };
	*byte = 200;
	*number = 0.5;
	structures<<<1, 1>>>(p, byte, number);
	CHECK_LAUNCH();
	check(p[0].x == 1 && p[0].y == 2, "values", "a structure is exchanged");
	check(p[1].x == 5 && p[1].y == 6, "values", "the old one is returned");
	check(p[2].x == 1 && p[2].y == 2, "values", "compare and exchange says what is there");
	check(*number == 200.5, "values", "load of a byte and of a double");

	CHECK(cudaMallocManaged(&value, 66 * sizeof(int)));
	memset(value, 0, 66 * sizeof(int));
	last_block<<<64, 1>>>(value, value + 64, value + 65);
	CHECK_LAUNCH();
	check(value[65] == 64 * 65 / 2, "values", "the last block sees what the others wrote");
	return finish();
}
