/* SPDX-License-Identifier: MIT */
/*
 * struct_padding: structures with padding at their end, given back by one function and handed on by
 * value to the next, and structures whose members lie across their alignment (bit-fields, packed
 * and derived ones).
 */
#include "../common.h"

#define N 32

/* A member with an initialiser: clang writes the padding as a member of its own. */
struct reading {
	int value;
	bool valid{};
};

struct sample {
	double weight;
	short count{};
	unsigned char kind{};
};

template <class T> class holder {
	T held{};
public:
	__host__ __device__ holder() {}
	__host__ __device__ explicit holder(T value) : held(value) {}
	__host__ __device__ const T &get() const { return held; }
};

__host__ __device__ inline reading make_reading(int v)
{
	return reading{ v, true };
}

__host__ __device__ inline sample make_sample(int v)
{
	return sample{ v * 0.5, (short)(v + 1), (unsigned char)(v * 3) };
}

/* Behind three bytes a bit-field of 16 lies across its alignment. */
struct head {
	unsigned char a, b;
};

struct bits : head {
	char c;
	unsigned short low : 5;
	unsigned short high : 13;
	char d;
};

#pragma pack(push, 1)
struct tight {
	char lead;
	int word;
	double number;
	short last;
};
#pragma pack(pop)

__host__ __device__ __noinline__ bits make_bits(int v)
{
	bits s;

	s.a = (unsigned char)v;
	s.b = (unsigned char)(v * 7);
	s.c = (char)(v - 9);
	s.low = v & 31;
	s.high = v * 97 & 0x1fff;
	s.d = (char)(3 - v);
	return s;
}

__host__ __device__ __noinline__ tight make_tight(int v)
{
	tight t;

	t.lead = (char)v;
	t.word = v * 100003;
	t.number = v * 1.25;
	t.last = (short)(v * -11);
	return t;
}

__host__ __device__ __noinline__ int sum_bits(bits s)
{
	return s.a + s.b * 3 + s.c * 5 + s.low * 7 + s.high * 11 + s.d * 13;
}

__host__ __device__ __noinline__ double sum_tight(tight t)
{
	return t.lead + t.word + t.number * 8 + t.last;
}

struct answers {
	int value, valid, count, kind, bits;
	double weight, tight;
};

__host__ __device__ static void compute(int v, holder<reading> *h, holder<sample> *s, answers *out)
{
	const reading r = make_reading(v);
	const sample p = make_sample(v);

	*h = holder<reading>(r);
	*s = holder<sample>(p);
	out->value = h->get().value;
	out->valid = h->get().valid;
	out->weight = s->get().weight;
	out->count = s->get().count;
	out->kind = s->get().kind;
	out->bits = sum_bits(make_bits(v));
	out->tight = sum_tight(make_tight(v));
}

__global__ void all(holder<reading> *h, holder<sample> *s, answers *out)
{
	int t = threadIdx.x;

	compute(t * 5 + 1, h + t, s + t, out + t);
}

int main(int argc, char **argv)
{
	holder<reading> *h;
	holder<sample> *s;
	answers got[N], *dev;

	parse_size(argc, argv, "struct_padding", NULL, 0, 0, 0);
	h = device_new<holder<reading>>(N);
	s = device_new<holder<sample>>(N);
	dev = device_new<answers>(N);
	all<<<1, N>>>(h, s, dev);
	CHECK_LAUNCH();
	host_from(got, dev, N);
	for (int t = 0; t < N; t++) {
		holder<reading> r;
		holder<sample> p;
		answers want;

		compute(t * 5 + 1, &r, &p, &want);
		expect_same("value", t, got[t].value, want.value);
		expect_same("valid", t, got[t].valid, want.valid);
		expect_same("weight", t, got[t].weight, want.weight);
		expect_same("count", t, got[t].count, want.count);
		expect_same("kind", t, got[t].kind, want.kind);
		expect_same("bits", t, got[t].bits, want.bits);
		expect_same("tight", t, got[t].tight, want.tight);
	}
	CHECK(cudaFree(h));
	CHECK(cudaFree(s));
	CHECK(cudaFree(dev));
	return finish();
}
