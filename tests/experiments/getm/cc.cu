// SPDX-License-Identifier: MIT
/*
 * CC: an image is divided into an object and what is behind it, by a minimum cut of a graph with a
 * node for each pixel (CudaCuts), found by pushing and relabelling. To push is the critical
 * section: excess of a pixel goes to a neighbour that is lower by one, or to the sink, as much as
 * the edge still takes. Heights are made exact again now and then by the host.
 *
 * The result is proved, not compared: what has been pushed has to be a flow, and its value has to
 * be the capacity of the cut between pixels that still reach the sink and those that do not. No
 * flow is larger than a cut, so both are the best there are.
 */
#include "getm.h"

#define AGAIN	8	/* passes between exact heights */
#define EDGES	4	/* of a pixel: right, left, down, up; n ^ 1 is the way back */

/**
 * struct graph - the image as a network
 * @excess: of a pixel, at first what the source gives it
 * @sink: what the edge to the sink still takes
 * @edge: what the edges to neighbours still take
 * @height: of a pixel. Those without a way to the sink have @pixels and more
 */
struct graph {
	int *excess, *sink, *edge, *height;
	int width, pixels;
};

/* The neighbour of @pixel along edge number @n, or -1 */
static __host__ __device__ int neighbour(const struct graph *graph, int pixel, int n)
{
	int column = pixel % graph->width;

	switch (n) {
	case 0:
		/* the last row may be shorter */
		return column + 1 < graph->width && pixel + 1 < graph->pixels ? pixel + 1 : -1;
	case 1:
		return column ? pixel - 1 : -1;
	case 2:
		return pixel + graph->width < graph->pixels ? pixel + graph->width : -1;
	default:
		return pixel - graph->width;	/* negative in the first row */
	}
}

template <enum form form>
static __device__ void push_to_sink(const struct graph *graph, unsigned *locks, int pixel)
{
	int *excess = &graph->excess[pixel], *sink = &graph->sink[pixel];

	atomically<form>(locks, (unsigned)pixel, [&] {
		int flow = *excess < *sink ? *excess : *sink;

		*excess -= flow;
		*sink -= flow;
	});
}

template <enum form form>
static __device__ void push_to(const struct graph *graph, unsigned *locks, int pixel, int n,
			       int other)
{
	int *excess = &graph->excess[pixel], *gets = &graph->excess[other];
	int *edge = &graph->edge[pixel * EDGES + n], *back = &graph->edge[other * EDGES + (n ^ 1)];

	atomically<form>(locks, (unsigned)pixel, (unsigned)other, [&] {
		int flow = *excess < *edge ? *excess : *edge;

		*excess -= flow;
		*edge -= flow;
		*gets += flow;
		*back += flow;
	});
}

/* Heights do not change meanwhile. @sections counts for each thread */
template <enum form form>
__global__ void push(struct graph graph, unsigned *locks, unsigned *sections, unsigned threads)
{
	const volatile int *excess = graph.excess, *edge = graph.edge;
	unsigned taken = 0;

	if (my_number() >= threads)
		return;
	for (int pixel = (int)my_number(); pixel < graph.pixels; pixel += (int)threads) {
		int height = graph.height[pixel];

		if (height >= graph.pixels || excess[pixel] <= 0)
			continue;
		if (height == 1 && graph.sink[pixel] > 0) {
			push_to_sink<form>(&graph, locks, pixel);
			taken++;
		}
		for (int n = 0; n < EDGES; n++) {
			int other = neighbour(&graph, pixel, n);

			if (other < 0 || height != graph.height[other] + 1 ||
			    edge[pixel * EDGES + n] <= 0 || excess[pixel] <= 0)
				continue;
			push_to<form>(&graph, locks, pixel, n, other);
			taken++;
		}
	}
	sections[my_number()] += taken;
}

/* A pixel with excess rises to one above the lowest that its edges lead to */
__global__ void relabel(struct graph graph, unsigned threads)
{
	if (my_number() >= threads)
		return;
	for (int pixel = (int)my_number(); pixel < graph.pixels; pixel += (int)threads) {
		int lowest = graph.sink[pixel] > 0 ? 0 : graph.pixels;

		if (graph.excess[pixel] <= 0 || graph.height[pixel] >= graph.pixels)
			continue;
		for (int n = 0; n < EDGES; n++) {
			int other = neighbour(&graph, pixel, n);

			if (other >= 0 && graph.edge[pixel * EDGES + n] > 0 &&
			    graph.height[other] < lowest)
				lowest = graph.height[other];
		}
		if (lowest >= graph.height[pixel])
			graph.height[pixel] = lowest + 1;
	}
}

/* How far pixels are from the sink; whether one with excess reaches it */
static bool exact_heights(const struct graph *graph)
{
	int *queue = host_array<int>((size_t)graph->pixels), head = 0, tail = 0;
	bool active = false;

	for (int pixel = 0; pixel < graph->pixels; pixel++) {
		graph->height[pixel] = graph->sink[pixel] > 0 ? 1 : graph->pixels;
		if (graph->sink[pixel] > 0)
			queue[tail++] = pixel;
	}
	while (head < tail) {
		int pixel = queue[head++];

		active |= graph->excess[pixel] > 0;
		for (int n = 0; n < EDGES; n++) {
			int other = neighbour(graph, pixel, n);

			if (other < 0 || graph->height[other] < graph->pixels ||
			    graph->edge[other * EDGES + (n ^ 1)] <= 0)
				continue;
			graph->height[other] = graph->height[pixel] + 1;
			queue[tail++] = other;
		}
	}
	free(queue);
	return active;
}

static struct graph empty_graph(int width, int pixels)
{
	size_t count = (size_t)pixels;

	return (struct graph){ host_array<int>(count), host_array<int>(count),
			       host_array<int>(count * EDGES), host_array<int>(count), width,
			       pixels };
}

/* A bright disc in noise. Pixels that differ less have an edge that is harder to cut */
static struct graph image_of(unsigned size, unsigned seed)
{
	int width = 1;

	/* 4 wide and 3 high */
	while (width * width < (int)size / 3 * 4)
		width++;
	struct graph graph = empty_graph(width, (int)size);
	int *bright = host_array<int>(size), height = ((int)size + width - 1) / width;

	for (int pixel = 0; pixel < graph.pixels; pixel++) {
		int x = pixel % width - width / 2, y = pixel / width - height / 2;
		bool inside = x * x + y * y < height * height / 9;

		bright[pixel] = (inside ? 96 : 32) + (int)(draw(seed, (unsigned)pixel) % 128);
		graph.excess[pixel] = bright[pixel] > 128 ? bright[pixel] - 128 : 0;
		graph.sink[pixel] = bright[pixel] < 128 ? 128 - bright[pixel] : 0;
	}
	for (int pixel = 0; pixel < graph.pixels; pixel++)
		for (int n = 0; n < EDGES; n++) {
			int other = neighbour(&graph, pixel, n);

			if (other >= 0)
				graph.edge[pixel * EDGES + n] =
					2 + 300 / (8 + abs(bright[pixel] - bright[other]));
		}
	free(bright);
	return graph;
}

/* What has gone from @first to @now is a flow: nothing is less than nothing, nothing gets lost */
static bool is_flow(const struct graph *first, const struct graph *now)
{
	for (int pixel = 0; pixel < first->pixels; pixel++) {
		int left = first->excess[pixel] - now->excess[pixel] -
			   (first->sink[pixel] - now->sink[pixel]);

		if (now->excess[pixel] < 0 || now->sink[pixel] < 0)
			return wrong("pixel %d has excess %d, %d for the sink", pixel,
				     now->excess[pixel], now->sink[pixel]);
		for (int n = 0; n < EDGES; n++) {
			int other = neighbour(first, pixel, n), edge = pixel * EDGES + n;
			int back = other * EDGES + (n ^ 1);

			if (other < 0)
				continue;
			if (now->edge[edge] < 0 || now->edge[edge] + now->edge[back] !=
						   first->edge[edge] + first->edge[back])
				return wrong("edges between pixels %d and %d take %d and %d",
					     pixel, other, now->edge[edge], now->edge[back]);
			left -= first->edge[edge] - now->edge[edge];
		}
		if (left)
			return wrong("pixel %d has lost %d", pixel, left);
	}
	return true;
}

/* The flow is as large as the cut; heights of @now are exact */
static bool is_best(const struct graph *first, const struct graph *now)
{
	long flow = 0, cut = 0;

	for (int pixel = 0; pixel < first->pixels; pixel++) {
		bool below = now->height[pixel] < now->pixels;

		flow += first->sink[pixel] - now->sink[pixel];
		cut += below ? first->excess[pixel] : first->sink[pixel];
		for (int n = 0; n < EDGES && !below; n++) {
			int other = neighbour(first, pixel, n);

			if (other >= 0 && now->height[other] < now->pixels)
				cut += first->edge[pixel * EDGES + n];
		}
	}
	if (!flow || flow != cut)
		return wrong("the flow is %ld and the cut %ld", flow, cut);
	return true;
}

static bool run(const struct options *o, unsigned long *sections)
{
	static void (*const forms[])(struct graph, unsigned *, unsigned *, unsigned) =
		ALL_FORMS(push);
	struct graph first = image_of(o->work.size, o->seed), now = first, at = first;
	size_t pixels = o->work.size;
	unsigned threads = o->work.threads;
	unsigned *locks = device_array<unsigned>(pixels, NULL);
	unsigned *all = device_array<unsigned>(threads, NULL);
	unsigned *taken = host_array<unsigned>(threads);

	if (pixels > MOST / 32)
		return wrong("at most %u pixels", MOST / 32);
	at.excess = device_array(pixels, first.excess);
	at.sink = device_array(pixels, first.sink);
	at.edge = device_array(pixels * EDGES, first.edge);
	at.height = device_array<int>(pixels, NULL);
	while (exact_heights(&now)) {
		CHECK(cudaMemcpy(at.height, now.height, pixels * sizeof(int),
				 cudaMemcpyHostToDevice));
		for (unsigned n = 0; n < AGAIN; n++) {
			launch(o, forms, threads, at, locks, all, threads);
			relabel<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(at, threads);
			CHECK(cudaGetLastError());
		}
		if (now.excess == first.excess)
			now = empty_graph(first.width, first.pixels);
		to_host(now.excess, at.excess, pixels);
		to_host(now.sink, at.sink, pixels);
		to_host(now.edge, at.edge, pixels * EDGES);
		/* what is none may never come to an end */
		if (!is_flow(&first, &now))
			return false;
	}
	to_host(taken, all, threads);
	for (unsigned n = 0; n < threads; n++)
		*sections += taken[n];
	return is_best(&first, &now);
}

int main(int argc, char **argv)
{
	static const struct workload works[] = { { "CC", 30000, 30000, 0 } };

	return run_workload(works, run, argc, argv);
}
