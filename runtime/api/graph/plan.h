/* SPDX-License-Identifier: MIT */
/*
 * The plan of an executable graph: its nodes in an order in which each stands behind those it
 * depends on, spread over lanes. Nodes of a lane are in order by being in one stream; a node that
 * depends on one of another lane has a wait for it, unless another wait, or its place in its lane,
 * says as much. Child graphs are part of the plan, and empty nodes are not: what comes after one
 * comes after what that comes after.
 *
 * With rt_lock held.
 */
#ifndef VGPU_RT_GRAPH_PLAN_H
#define VGPU_RT_GRAPH_PLAN_H

#include "../modules/launch.h"
#include "graph.h"

#define RT_LANES	(RT_GRAPH_LANES + 1)

/** struct rt_step - a node of the plan */
struct rt_step {
	struct rt_node *node;		/* of the executable graph's own copy */
	unsigned int lane;
	bool after_start;		/* the lane waits for the begin of the launch here */
	unsigned int wait_count;
	uint32_t waits[RT_LANES];	/* steps that it waits for, at most one of a lane */
	struct rt_prepared launch;	/* of a kernel */
	uint64_t seq;			/* of a launch: where its lane was behind it */
};

struct rt_plan {
	struct rt_step *steps;
	size_t count;
	unsigned int lanes;		/* that have steps, at least 1 */
	unsigned int join_count;
	uint32_t joins[RT_LANES];	/* steps of other lanes that the end waits for */
};

/*
 * vgpuErrorInvalidValue: the graph has a circle, of which @circle is a node. On success
 * rt_plan_free() is for the caller.
 */
vgpuError_t rt_plan_make(struct rt_graph *graph, unsigned int lanes, struct rt_plan *plan,
			 struct rt_node **circle);
void rt_plan_free(struct rt_plan *plan);

#endif
