/* SPDX-License-Identifier: MIT */
/*
 * host_new: new and delete of the host where clang has no function to tell the side by:
 * initialisers of variables and members, default arguments; and of both sides.
 */
#include "../common.h"

#include <memory>
#include <new>

struct alignas(64) wide {
	int x[32];
	wide() : x{} { x[3] = 5; }
};

struct throws {
	int k = 3;
	throws(int n)
	{
		if (n == 9)
			throw 1;
	}
	~throws() { k = 0; }
};

static int *global = new int(3);
static wide *one = new wide, *many = new wide[3];

struct members {
	int *p = new int(4), *zeros = new int[10]();
	throws *t = new throws(2);
	wide *w = new wide;
	std::unique_ptr<int> u{ new int(9) };
	static throws *shared;
	~members()
	{
		delete p;
		delete[] zeros;
		delete t;
		delete w;
	}
};
throws *members::shared = new throws(1);

static int by_default(int *p = new int(6), throws *t = new throws(4))
{
	int sum = *p + t->k;

	delete p;
	delete t;
	return sum;
}

template <class T> struct of_a_type {
	T *p = new T(7), *q = new (std::nothrow) T(8);
};

__host__ __device__ static int of_both()
{
	int *p = new int(5), x = *p;

	delete p;
	return x;
}

struct for_both {
	int *p;
	__host__ __device__ for_both() : p(new int(11)) {}
	__host__ __device__ ~for_both() { delete p; }
};

__global__ void kernel(int *out)
{
	for_both b;

	*out = of_both() + *b.p;
}

int main(int argc, char **argv)
{
	of_a_type<int> of_int;
	bool caught = false;
	members m;
	for_both b;
	int *out;

	parse_size(argc, argv, "host_new", NULL, 0, 0, 0);
	EXPECT(*global == 3 && one->x[3] == 5 && many[2].x[3] == 5);
	EXPECT(*m.p == 4 && !m.zeros[9] && m.t->k == 3 && m.w->x[3] == 5 && *m.u == 9);
	EXPECT(members::shared->k == 3);
	EXPECT(by_default() == 9);
	EXPECT(*of_int.p == 7 && *of_int.q == 8);
	EXPECT(of_both() == 5 && *b.p == 11);
	try {
		by_default(new int(1), new throws(9));
	} catch (int) {
		caught = true;
	}
	EXPECT(caught);
	CHECK(cudaMallocManaged(&out, sizeof(*out)));
	kernel<<<1, 1>>>(out);
	CHECK_LAUNCH();
	EXPECT(*out == 16);
	CHECK(cudaFree(out));
	delete global;
	delete one;
	delete[] many;
	delete of_int.p;
	delete of_int.q;
	return finish();
}
