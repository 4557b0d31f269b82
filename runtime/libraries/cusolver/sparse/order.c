// SPDX-License-Identifier: MIT
/*
 * Orders of rows and columns that keep factors sparse: reverse Cuthill and McKee, minimum degree,
 * nested dissection by levels; and the functions that give them.
 */
#include "sparse.h"

#include <stdlib.h>
#include <string.h>

/* The graph of A and its transpose without the diagonal: neighbours of i from first[i] on */
struct graph {
	int n;
	int *first, *next;
};

static bool make_graph(struct graph *g, int n, int base, const int *offsets, const int *columns)
{
	int nnz = offsets[n] - base, *seen, count = 0;
	int *where = calloc((size_t)n + 2, sizeof(int)),
	    *all = malloc(((size_t)nnz * 2 + 1) * sizeof(int));

	g->n = n;
	g->first = calloc((size_t)n + 2, sizeof(int));
	g->next = malloc(((size_t)nnz * 2 + 1) * sizeof(int));
	seen = malloc(((size_t)n + 1) * sizeof(int));
	if (!where || !all || !g->first || !g->next || !seen) {
		free(where);
		free(all);
		free(seen);
		return false;
	}
	for (int i = 0; i < n; i++)
		for (int e = offsets[i] - base; e < offsets[i + 1] - base; e++) {
			where[i + 2]++;
			where[columns[e] - base + 2]++;
		}
	for (int i = 0; i < n; i++)
		where[i + 2] += where[i + 1];
	for (int i = 0; i < n; i++)
		for (int e = offsets[i] - base; e < offsets[i + 1] - base; e++) {
			int j = columns[e] - base;

			all[where[i + 1]++] = j;
			all[where[j + 1]++] = i;
		}
	for (int i = 0; i < n; i++)
		seen[i] = -1;
	for (int i = 0; i < n; i++) {
		g->first[i] = count;
		seen[i] = i;
		for (int e = where[i]; e < where[i + 1]; e++)
			if (seen[all[e]] != i) {
				seen[all[e]] = i;
				g->next[count++] = all[e];
			}
	}
	g->first[n] = count;
	free(where);
	free(all);
	free(seen);
	return true;
}

static int degree(const struct graph *g, int i)
{
	return g->first[i + 1] - g->first[i];
}

/*
 * The nodes with part[i] == id that can be reached from `from`, level by level, to `list`, those of
 * a level by degree; returns how many. level[i] is set; it must be -1 before.
 */
static int levels(const struct graph *g, const int *part, int id, int from, int *list, int *level)
{
	int count = 1;

	list[0] = from;
	level[from] = 0;
	for (int k = 0; k < count; k++) {
		int i = list[k], begin = count;

		for (int e = g->first[i]; e < g->first[i + 1]; e++) {
			int j = g->next[e], at;

			if (part[j] != id || level[j] >= 0)
				continue;
			level[j] = level[i] + 1;
			for (at = count++; at > begin && degree(g, list[at - 1]) > degree(g, j);
			     at--)
				list[at] = list[at - 1];
			list[at] = j;
		}
	}
	return count;
}

/* A node far from others: twice the last one of the levels */
static int far_node(const struct graph *g, const int *part, int id, int from, int *list, int *level)
{
	for (int turn = 0; turn < 2; turn++) {
		int count = levels(g, part, id, from, list, level);

		from = list[count - 1];
		for (int k = 0; k < count; k++)
			level[list[k]] = -1;
	}
	return from;
}

static void reverse_cuthill_mckee(const struct graph *g, int *part, int *level, int *order)
{
	int done = 0;

	for (int i = 0; i < g->n; i++) {
		if (level[i] >= 0)
			continue;
		int from = far_node(g, part, 0, i, order + done, level);

		done += levels(g, part, 0, from, order + done, level);
	}
	for (int k = 0; k < g->n / 2; k++) {
		int t = order[k];

		order[k] = order[g->n - 1 - k];
		order[g->n - 1 - k] = t;
	}
}

/*
 * Parts are halved at the middle level, whose nodes come behind both halves. What waits is in
 * `order` itself: part id is its place.
 */
static void nested_dissection(const struct graph *g, int *part, int *level, int *order, int *list)
{
	enum { SMALL = 8 };
	int begin = 0, end = g->n;

	for (int k = 0; k < g->n; k++)
		order[k] = k;
	/* from the end: a part is order[begin..end), all with the number of its end */
	for (int i = 0; i < g->n; i++)
		part[i] = end;
	while (end > 0) {
		int id = part[order[end - 1]], count, middle, at, half;

		for (begin = end; begin > 0 && part[order[begin - 1]] == id; begin--)
			;
		if (end - begin <= SMALL) {
			end = begin;
			continue;
		}
		int from = far_node(g, part, id, order[begin], list, level);

		count = levels(g, part, id, from, list, level);
		middle = level[list[count / 2]];
		/* those before the middle, what was not reached, those behind, the middle */
		at = begin;
		int total = end - begin, kept = 0;
		int *rest = list + count;

		for (int k = begin; k < end; k++)
			if (level[order[k]] < 0)
				rest[kept++] = order[k];
		for (int k = 0; k < count; k++)
			if (level[list[k]] < middle)
				order[at++] = list[k];
		half = at;
		for (int k = half; k > begin; k--)
			part[order[k - 1]] = half;
		for (int k = 0; k < kept; k++)
			order[at++] = rest[k];
		for (int k = half; k < at; k++)
			part[order[k]] = at;
		half = at;
		for (int k = 0; k < count; k++)
			if (level[list[k]] > middle)
				order[at++] = list[k];
		for (int k = half; k < at; k++)
			part[order[k]] = at;
		for (int k = 0; k < count; k++)
			if (level[list[k]] == middle)
				order[at++] = list[k];
		/* a part that is one level, or one level and what is before it, is not halved again
		 */
		for (int k = 0; k < count; k++)
			level[list[k]] = -1;
		end = begin + total;
		while (end > begin && part[order[end - 1]] == id)
			end--;
	}
}

/*
 * Minimum degree: the node with the fewest neighbours goes first, and its neighbours become those
 * of one another. Lists of neighbours grow as they do in the factor.
 */
static bool minimum_degree(const struct graph *g, int *order)
{
	int n = g->n;
	int **near = calloc((size_t)n + 1, sizeof(*near)),
	    *count = calloc((size_t)n + 1, sizeof(int));
	int *mark = calloc((size_t)n + 1, sizeof(int)), stamp = 0;
	bool good = near && count && mark;

	for (int i = 0; good && i < n; i++) {
		count[i] = degree(g, i);
		near[i] = malloc(((size_t)count[i] + 1) * sizeof(int));
		good = near[i];
		if (good)
			memcpy(near[i], g->next + g->first[i], count[i] * sizeof(int));
	}
	for (int k = 0; good && k < n; k++) {
		int best = -1;

		for (int i = 0; i < n; i++)
			if (mark[i] >= 0 && (best < 0 || count[i] < count[best]))
				best = i;
		order[k] = best;
		mark[best] = -1;
		for (int e = 0; good && e < count[best]; e++) {
			int i = near[best][e], kept = 0;
			int *list = malloc(((size_t)count[i] + count[best] + 1) * sizeof(int));

			good = list;
			if (!good)
				break;
			mark[i] = ++stamp;
			for (int f = 0; f < count[i]; f++)
				if (mark[near[i][f]] >= 0 && mark[near[i][f]] != stamp) {
					mark[near[i][f]] = stamp;
					list[kept++] = near[i][f];
				}
			for (int f = 0; f < count[best]; f++)
				if (mark[near[best][f]] != stamp) {
					mark[near[best][f]] = stamp;
					list[kept++] = near[best][f];
				}
			free(near[i]);
			near[i] = list;
			count[i] = kept;
		}
	}
	for (int i = 0; near && i < n; i++)
		free(near[i]);
	free(near);
	free(count);
	free(mark);
	return good;
}

bool sparse_reorder(enum sparse_order kind, int n, int base, const int *offsets, const int *columns,
		    int *order)
{
	struct graph g = {0};
	int *part = calloc((size_t)n + 1, sizeof(int)),
	    *level = malloc(((size_t)n + 1) * sizeof(int));
	int *list = malloc(((size_t)n * 2 + 1) * sizeof(int));
	bool good = part && level && list;

	for (int i = 0; i < n; i++) {
		order[i] = i;
		if (good)
			level[i] = -1;
	}
	if (good && kind != ORDER_NONE) {
		good = make_graph(&g, n, base, offsets, columns);
		if (good && kind == ORDER_RCM)
			reverse_cuthill_mckee(&g, part, level, order);
		else if (good && kind == ORDER_ND)
			nested_dissection(&g, part, level, order, list);
		else if (good)
			good = minimum_degree(&g, order);
	}
	free(g.first);
	free(g.next);
	free(part);
	free(level);
	free(list);
	return good;
}

static cusolverStatus_t give_order(cusolverSpHandle_t handle, int n, int nnz,
				   const cusparseMatDescr_t a, const int *offsets,
				   const int *columns, int *order, enum sparse_order kind,
				   const char *function)
{
	SOLVER_TRY(solver_check(handle, SOLVER_SP, function));
	int base = sparse_base(a, function);

	SOLVER_WANT(order && sparse_pattern(n, n, nnz, base, offsets, columns));
	return sparse_reorder(kind, n, base, offsets, columns, order)
		       ? CUSOLVER_STATUS_SUCCESS
		       : CUSOLVER_STATUS_ALLOC_FAILED;
}

#define GIVE(name, kind)                                                                       \
	VGPU_API cusolverStatus_t name(cusolverSpHandle_t handle, int n, int nnz,              \
				       const cusparseMatDescr_t a, const int *offsets,         \
				       const int *columns, int *order)                         \
	{                                                                                      \
		return give_order(handle, n, nnz, a, offsets, columns, order, kind, __func__); \
	}
GIVE(cusolverSpXcsrsymrcmHost, ORDER_RCM)
GIVE(cusolverSpXcsrsymmdqHost, ORDER_MDQ)
GIVE(cusolverSpXcsrsymamdHost, ORDER_AMD)

VGPU_API cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnz,
						    const cusparseMatDescr_t a, const int *offsets,
						    const int *columns, const int64_t *options,
						    int *order)
{
	(void)options;
	return give_order(handle, n, nnz, a, offsets, columns, order, ORDER_ND, __func__);
}
