/* SPDX-License-Identifier: MIT */
/*
 * device_new: new, new[], delete and delete[] in kernels. Objects with constructors and destructors
 * and aligned ones, and lists and trees that one kernel builds, a later one reads and changes, and
 * a third one frees.
 */
#include "../common.h"

#define THREADS 640
#define BDIM 128
#define LENGTH 9

__device__ int built, destroyed;

class counted {
	int value;
	double half;

public:
	__device__ counted(int v = -1) : value(v), half(v * 0.5)
	{
		atomicAdd(&built, 1);
	}
	__device__ ~counted()
	{
		atomicAdd(&destroyed, 1);
	}
	__device__ int sum() const
	{
		return value + (int)(2 * half);
	}
};

struct alignas(64) wide {
	int lane[16];
};

__global__ void make_objects(counted **single, counted **array, wide **aligned, int *wrong)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;

	single[t] = new counted(t);
	array[t] = t % 3 ? new counted[t % 4 + 1] : NULL;
	aligned[t] = new wide[2]();
	if (!single[t] || !aligned[t] || (t % 3 && !array[t]) || (size_t)aligned[t] % 64)
		atomicAdd(wrong, 1);
	aligned[t][1].lane[t % 16] = t;
}

__global__ void free_objects(counted **single, counted **array, wide **aligned, int *wrong)
{
	int t = gridDim.x * blockDim.x - 1 - (blockIdx.x * blockDim.x + threadIdx.x);

	if (single[t]->sum() != 2 * t)
		atomicAdd(wrong, 1);
	for (int i = 0; array[t] && i < t % 4 + 1; i++)
		if (array[t][i].sum() != -2)
			atomicAdd(wrong, 1);
	for (int i = 0; i < 32; i++)
		if (aligned[t][i / 16].lane[i % 16] != (i == 16 + t % 16 ? t : 0))
			atomicAdd(wrong, 1);
	delete single[t];
	delete[] array[t];
	delete[] aligned[t];
}

struct node {
	node *next, *left, *right;
	int value;

	__device__ node(int v, node *n) : next(n), left(NULL), right(NULL), value(v) {}
};

__device__ node *shared_list;

/* A list for each thread, of a length of its own, and one list that all push to. */
__global__ void build_lists(node **heads)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	node *mine;

	heads[t] = NULL;
	for (int i = 0; i < t % LENGTH; i++)
		heads[t] = new node(t * 100 + i, heads[t]);
	mine = new node(t, NULL);
	for (;;) {
		node *old = *(node *volatile *)&shared_list;

		mine->next = old;
		__threadfence();
		if (atomicCAS((unsigned long long *)&shared_list, (unsigned long long)old,
			      (unsigned long long)mine) == (unsigned long long)old)
			break;
	}
}

/* Each list becomes a search tree of new nodes; what it was made of goes. */
__global__ void lists_to_trees(node **heads, node **roots)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	node *next, **at;

	roots[t] = NULL;
	for (node *n = heads[t]; n; n = next) {
		int key = n->value * 7 % 1000;

		for (at = &roots[t]; *at; at = key < (*at)->value ? &(*at)->left : &(*at)->right)
			;
		*at = new node(key, NULL);
		next = n->next;
		delete n;
	}
	heads[t] = NULL;
}

/* Takes the least node out again and again: the keys come in ascending order. */
__global__ void free_trees(node **roots, int *sums, int *wrong)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, last = -1;

	sums[t] = 0;
	while (roots[t]) {
		node **at = &roots[t], *gone;

		while ((*at)->left)
			at = &(*at)->left;
		gone = *at;
		*at = gone->right;
		if (gone->value < last)
			atomicAdd(wrong, 1);
		last = gone->value;
		sums[t] += last;
		delete gone;
	}
}

__global__ void free_shared_list(long long *sum, int *count)
{
	while (shared_list) {
		node *gone = shared_list;

		shared_list = gone->next;
		*sum += gone->value;
		++*count;
		delete gone;
	}
}

static int tree_sum(int t)
{
	int sum = 0;

	for (int i = 0; i < t % LENGTH; i++)
		sum += (t * 100 + i) * 7 % 1000;
	return sum;
}

int main(int argc, char **argv)
{
	int zero = 0, got, want = 0, *wrong, *sums, host_sums[THREADS], *count;
	long long nothing = 0, total, *sum;
	counted **single, **array;
	node **heads, **roots;
	wide **aligned;

	parse_size(argc, argv, "device_new", NULL, 0, 0, 0);
	wrong = device_from(&zero, 1);
	count = device_from(&zero, 1);
	sum = device_from(&nothing, 1);
	single = device_new<counted *>(THREADS);
	array = device_new<counted *>(THREADS);
	aligned = device_new<wide *>(THREADS);
	for (int t = 0; t < THREADS; t++)
		want += 1 + (t % 3 ? t % 4 + 1 : 0);
	make_objects<<<THREADS / BDIM, BDIM>>>(single, array, aligned, wrong);
	free_objects<<<THREADS / BDIM, BDIM>>>(single, array, aligned, wrong);
	CHECK_LAUNCH();
	CHECK(cudaMemcpyFromSymbol(&got, built, sizeof(got)));
	expect_same("constructors", 0, got, want);
	CHECK(cudaMemcpyFromSymbol(&got, destroyed, sizeof(got)));
	expect_same("destructors", 0, got, want);

	heads = device_new<node *>(THREADS);
	roots = device_new<node *>(THREADS);
	sums = device_new<int>(THREADS);
	build_lists<<<THREADS / BDIM, BDIM>>>(heads);
	lists_to_trees<<<THREADS / BDIM, BDIM>>>(heads, roots);
	free_trees<<<THREADS / BDIM, BDIM>>>(roots, sums, wrong);
	free_shared_list<<<1, 1>>>(sum, count);
	CHECK_LAUNCH();
	host_from(host_sums, sums, THREADS);
	for (int t = 0; t < THREADS; t++)
		expect_same("trees", t, host_sums[t], tree_sum(t));
	host_from(&total, sum, 1);
	expect_same("list of all", 0, total, (long long)THREADS * (THREADS - 1) / 2);
	host_from(&got, count, 1);
	expect_same("length of the list of all", 0, got, THREADS);
	host_from(&got, wrong, 1);
	expect_same("wrong", 0, got, 0);
	return finish();
}
