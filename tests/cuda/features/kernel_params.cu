/* SPDX-License-Identifier: MIT */
/*
 * kernel_params: structs passed to kernels by value: members at every offset, arrays in them with
 * an index that is known only at run time, and as many bytes as a kernel can have.
 */
#include "../common.h"

#define LARGE 32000

struct odd {
	char head;
	unsigned char bytes[13];
	short shorts[5];
	int words[7];
};

struct __attribute__((packed)) narrow {
	char head;
	unsigned char bytes[19];
};

struct inner {
	short id;
	unsigned char codes[6];
};

struct outer {
	int first;
	inner list[5];
	float scale;
};

struct large {
	char lead;
	int values[LARGE / 4];
};

/* The parameter before the struct puts it where its alignment allows: 2, 4, 12, 20 ... */
__global__ void by_index(short before, odd o, char between, narrow n, int *out, int count)
{
	int t = threadIdx.x;

	if (t < count)
		out[t] = o.bytes[t % 13] + o.shorts[t % 5] * 100 + o.words[t % 7] * 10000 +
			 n.bytes[t % 19] * 7 + before + between;
}

__global__ void nested(char before, outer s, short last, int *out)
{
	int t = threadIdx.x;

	out[t] = s.list[t % 5].codes[t % 6] + s.list[t % 5].id * 10 + s.first +
		 (int)(s.scale * 1000) + last + before;
}

template <int Bytes> struct text {
	unsigned char at[Bytes];
};

/* Structs without alignment of their own, one directly behind the other. */
template <int A, int B> __global__ void bytes(text<A> a, text<B> b, int *out)
{
	int t = threadIdx.x;

	out[t] = a.at[t % A] * 1000 + b.at[t % B];
}

__global__ void many(large s, int *out, int stride)
{
	int t = threadIdx.x, sum = 0;

	for (int i = t; i < LARGE / 4; i += stride)
		sum += s.values[i];
	out[t] = sum + s.lead;
}

template <int A, int B> static void check_bytes(int *dev, int *out)
{
	text<A> a;
	text<B> b;
	char what[32];

	for (int i = 0; i < A; i++)
		a.at[i] = (unsigned char)(i * 3 + 1);
	for (int i = 0; i < B; i++)
		b.at[i] = (unsigned char)(i * 5 + 2);
	bytes<A, B><<<1, 64>>>(a, b, dev);
	CHECK_LAUNCH();
	host_from(out, dev, 64);
	snprintf(what, sizeof(what), "%d and %d bytes", A, B);
	for (int t = 0; t < 64; t++)
		expect_same(what, t, out[t], a.at[t % A] * 1000 + b.at[t % B]);
}

int main(int argc, char **argv)
{
	static large most;
	int out[64], *dev;
	outer s;
	odd o;
	narrow n;

	parse_size(argc, argv, "kernel_params", NULL, 0, 0, 0);
	dev = device_new<int>(64);
	for (int i = 0; i < 13; i++)
		o.bytes[i] = (unsigned char)(40 + i * 11);
	for (int i = 0; i < 5; i++)
		o.shorts[i] = (short)(i * 7 - 9);
	for (int i = 0; i < 7; i++)
		o.words[i] = i * 13 - 20;
	for (int i = 0; i < 19; i++)
		n.bytes[i] = (unsigned char)(i * i);
	by_index<<<1, 64>>>(5, o, 3, n, dev, 64);
	CHECK_LAUNCH();
	host_from(out, dev, 64);
	for (int t = 0; t < 64; t++)
		expect_same("index", t, out[t],
			    o.bytes[t % 13] + o.shorts[t % 5] * 100 + o.words[t % 7] * 10000 +
				    n.bytes[t % 19] * 7 + 8);
	s.first = 77;
	s.scale = 0.25f;
	for (int i = 0; i < 5; i++) {
		s.list[i].id = (short)(i * 3);
		for (int j = 0; j < 6; j++)
			s.list[i].codes[j] = (unsigned char)(i * 6 + j);
	}
	nested<<<1, 64>>>(2, s, 9, dev);
	CHECK_LAUNCH();
	host_from(out, dev, 64);
	for (int t = 0; t < 64; t++)
		expect_same("nested", t, out[t],
			    s.list[t % 5].codes[t % 6] + s.list[t % 5].id * 10 + 77 + 250 + 11);
	check_bytes<1, 9>(dev, out);
	check_bytes<3, 16>(dev, out);
	check_bytes<5, 33>(dev, out);
	check_bytes<7, 1>(dev, out);
	check_bytes<15, 17>(dev, out);
	most.lead = 1;
	for (int i = 0; i < LARGE / 4; i++)
		most.values[i] = i * 3;
	many<<<1, 64>>>(most, dev, 64);
	CHECK_LAUNCH();
	host_from(out, dev, 64);
	for (int t = 0; t < 64; t++) {
		int sum = 1;

		for (int i = t; i < LARGE / 4; i += 64)
			sum += i * 3;
		expect_same("32000 bytes", t, out[t], sum);
	}
	CHECK(cudaFree(dev));
	return finish();
}
