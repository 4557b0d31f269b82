// SPDX-License-Identifier: MIT
/*
 * Order and lanes of an executable graph; see plan.h.
 *
 * Which steps are over when a step begins is told by a clock: for each lane, the last step of it
 * that is over then, since all before it in the lane are over, too. A step's clock is the most of
 * those of what it waits for. It needs a wait for a step only if that is not in the clock already,
 * and may follow in any lane whose last step is in its clock without being held up by it.
 */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/** struct rt_ends - the steps that stand for a node: what comes after it comes after these */
struct rt_ends {
	uint32_t *list;
	size_t count, room;
};

/* Of each lane the number of a step, and 1; 0: none. */
struct clock {
	uint32_t seen[RT_LANES];
};

struct planner {
	struct rt_plan *plan;
	struct clock *clocks;		/* of each step, with itself */
	size_t room;
	unsigned int lanes;
	uint32_t last[RT_LANES];	/* step in the lane, and 1 */
	uint32_t load[RT_LANES];
	struct rt_node *circle;
};

static vgpuError_t ends_add(struct rt_ends *ends, uint32_t step)
{
	uint32_t *list = ends->list;
	size_t room = ends->room ? 2 * ends->room : 2;

	for (size_t i = 0; i < ends->count; i++)
		if (list[i] == step)
			return vgpuSuccess;
	if (ends->count == ends->room) {
		list = realloc(list, room * sizeof(*list));
		if (!list)
			return vgpuErrorMemoryAllocation;
		ends->list = list;
		ends->room = room;
	}
	list[ends->count++] = step;
	return vgpuSuccess;
}

static vgpuError_t ends_join(struct rt_ends *to, const struct rt_ends *from)
{
	vgpuError_t error = vgpuSuccess;

	for (size_t i = 0; from && i < from->count && error == vgpuSuccess; i++)
		error = ends_add(to, from->list[i]);
	return error;
}

/* The nodes in order, each behind those that it comes after; fewer of them: there is a circle. */
static size_t sort(struct rt_graph *graph, struct rt_node **order)
{
	size_t count = 0;

	rt_for_nodes(node, graph) {
		node->mark = node->from.count;
		if (!node->mark)
			order[count++] = node;
	}
	for (size_t i = 0; i < count; i++)
		for (size_t n = 0; n < order[i]->to.count; n++)
			if (!--order[i]->to.list[n]->mark)
				order[count++] = order[i]->to.list[n];
	return count;
}

/* ---- lanes ------------------------------------------------------------------ */

static void clock_join(struct clock *to, const struct clock *from)
{
	for (unsigned int lane = 0; lane < RT_LANES; lane++)
		if (from->seen[lane] > to->seen[lane])
			to->seen[lane] = from->seen[lane];
}

/*
 * The lane of one that it follows; else one that holds nothing up, of which used ones are better;
 * else the one with the fewest steps.
 */
static unsigned int choose_lane(const struct planner *planner, const struct rt_ends *after,
				const struct clock *over)
{
	const struct rt_plan *plan = planner->plan;
	unsigned int best = RT_LANES, least = 0;

	for (size_t i = 0; i < after->count; i++) {
		unsigned int lane = plan->steps[after->list[i]].lane;

		if (planner->last[lane] == after->list[i] + 1)
			return lane;
	}
	for (unsigned int lane = 0; lane < planner->lanes; lane++) {
		if (planner->load[lane] < planner->load[least])
			least = lane;
		if (planner->last[lane] <= over->seen[lane] &&
		    (best == RT_LANES || (planner->last[lane] && !planner->last[best])))
			best = lane;
	}
	return best == RT_LANES ? least : best;
}

static int newest_first(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? 1 : left > right ? -1 : 0;
}

static vgpuError_t add_step(struct planner *planner, struct rt_node *node, struct rt_ends *after,
			    uint32_t *number)
{
	struct rt_plan *plan = planner->plan;
	uint32_t at = (uint32_t)plan->count;
	struct rt_step *step = &plan->steps[at];
	struct clock over = { { 0 } }, known = { { 0 } };

	for (size_t i = 0; i < after->count; i++)
		clock_join(&over, &planner->clocks[after->list[i]]);
	*step = (struct rt_step){ .node = node, .lane = choose_lane(planner, after, &over) };
	if (planner->last[step->lane])
		known = planner->clocks[planner->last[step->lane] - 1];
	if (after->count)
		qsort(after->list, after->count, sizeof(*after->list), newest_first);
	for (size_t i = 0; i < after->count; i++) {
		uint32_t other = after->list[i];

		if (known.seen[plan->steps[other].lane] > other)
			continue;
		step->waits[step->wait_count++] = other;
		clock_join(&known, &planner->clocks[other]);
	}
	step->after_start = step->lane && !planner->last[step->lane] && !step->wait_count;
	known.seen[step->lane] = at + 1;
	planner->clocks[at] = known;
	planner->last[step->lane] = at + 1;
	planner->load[step->lane]++;
	plan->count++;
	*number = at;
	return vgpuSuccess;
}

/* ---- nodes ------------------------------------------------------------------- */

static vgpuError_t plan_graph(struct planner *planner, struct rt_graph *graph,
			      const struct rt_ends *before, struct rt_ends *out);

static vgpuError_t plan_node(struct planner *planner, struct rt_node *node,
			     const struct rt_ends *before)
{
	struct rt_ends after = { 0 };
	vgpuError_t error = vgpuSuccess;
	uint32_t step;

	node->ends = calloc(1, sizeof(*node->ends));
	if (!node->ends)
		return vgpuErrorMemoryAllocation;
	if (!node->from.count)
		error = ends_join(&after, before);
	for (size_t i = 0; i < node->from.count && error == vgpuSuccess; i++)
		error = ends_join(&after, node->from.list[i]->ends);
	if (error == vgpuSuccess && node->params.type == RT_NODE_EMPTY) {
		error = ends_join(node->ends, &after);
	} else if (error == vgpuSuccess && node->params.type == RT_NODE_CHILD) {
		error = plan_graph(planner, node->params.child, &after, node->ends);
	} else if (error == vgpuSuccess) {
		error = add_step(planner, node, &after, &step);
		if (error == vgpuSuccess)
			error = ends_add(node->ends, step);
	}
	free(after.list);
	return error;
}

/* A graph of which roots come after @before; what comes after it comes after @out. */
static vgpuError_t plan_graph(struct planner *planner, struct rt_graph *graph,
			      const struct rt_ends *before, struct rt_ends *out)
{
	struct rt_node **order = calloc(graph->count + 1, sizeof(*order));
	vgpuError_t error = vgpuSuccess;
	size_t count;

	if (!order)
		return vgpuErrorMemoryAllocation;
	count = sort(graph, order);
	rt_for_nodes(node, graph)
		node->ends = NULL;
	for (size_t i = 0; i < count && error == vgpuSuccess; i++)
		error = plan_node(planner, order[i], before);
	if (error == vgpuSuccess && count < graph->count) {
		rt_for_nodes(node, graph)
			if (node->mark && !planner->circle)
				planner->circle = node;
		error = vgpuErrorInvalidValue;
	}
	if (error == vgpuSuccess && !graph->count)
		error = ends_join(out, before);
	rt_for_nodes(node, graph) {
		if (!node->to.count && error == vgpuSuccess)
			error = ends_join(out, node->ends);
	}
	rt_for_nodes(node, graph) {
		if (node->ends)
			free(node->ends->list);
		free(node->ends);
		node->ends = NULL;
	}
	free(order);
	return error;
}

static size_t count_steps(const struct rt_graph *graph)
{
	size_t count = graph->count;

	rt_for_nodes(node, graph)
		if (node->params.type == RT_NODE_CHILD)
			count += count_steps(node->params.child);
	return count;
}

/* What the end waits for: the last steps of other lanes that lane 0 does not know to be over. */
static void join_lanes(struct planner *planner)
{
	struct rt_plan *plan = planner->plan;
	struct clock known = { { 0 } };

	if (planner->last[0])
		known = planner->clocks[planner->last[0] - 1];
	plan->lanes = 1;
	for (unsigned int lane = 1; lane < RT_LANES; lane++) {
		if (!planner->last[lane])
			continue;
		plan->lanes = lane + 1;
		if (planner->last[lane] > known.seen[lane])
			plan->joins[plan->join_count++] = planner->last[lane] - 1;
	}
}

vgpuError_t rt_plan_make(struct rt_graph *graph, unsigned int lanes, struct rt_plan *plan,
			 struct rt_node **circle)
{
	size_t room = count_steps(graph);
	struct planner planner = { .plan = plan, .room = room, .lanes = lanes };
	struct rt_ends none = { 0 }, all = { 0 };
	vgpuError_t error = room < UINT32_MAX ? vgpuSuccess : vgpuErrorMemoryAllocation;

	*plan = (struct rt_plan){ 0 };
	planner.clocks = calloc(room + 1, sizeof(*planner.clocks));
	plan->steps = calloc(room + 1, sizeof(*plan->steps));
	if (!planner.clocks || !plan->steps)
		error = vgpuErrorMemoryAllocation;
	if (error == vgpuSuccess)
		error = plan_graph(&planner, graph, &none, &all);
	if (error == vgpuSuccess)
		join_lanes(&planner);
	else
		rt_plan_free(plan);
	*circle = planner.circle;
	free(planner.clocks);
	free(all.list);
	return error;
}

void rt_plan_free(struct rt_plan *plan)
{
	free(plan->steps);
	*plan = (struct rt_plan){ 0 };
}
