// SPDX-License-Identifier: MIT
/*
 * Plans of executable graphs: order, lanes and waits, worked out by hand, and for random graphs
 * whether what the plan orders is what the edges ask for.
 */
#include "rig.h"
#include "graph/plan.h"

#define MOST 64u

static const struct rt_params event = { .type = RT_NODE_EVENT_WAIT };
static const struct rt_params empty = { .type = RT_NODE_EMPTY };

static struct rt_node *node_after(struct rt_graph *graph, struct rt_node *const *after, size_t n,
				  const struct rt_params *params)
{
	struct rt_node *node;

	OK(rt_node_add(graph, after, n, params, &node));
	return node;
}

static size_t step_of(const struct rt_plan *plan, const struct rt_node *node)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->steps[i].node == node)
			return i;
	fail_msg("a node is not in the plan");
	return 0;
}

static void a_row_has_one_lane_and_no_waits(void **state)
{
	struct rt_node *node = NULL, *circle;
	struct rt_graph *graph;
	struct rt_plan plan;

	(void)state;
	OK(rt_graph_create(&graph));
	for (int i = 0; i < 5; i++)
		node = node_after(graph, &node, i > 0, &event);
	OK(rt_plan_make(graph, RT_LANES, &plan, &circle));
	assert_int_equal(plan.count, 5);
	assert_int_equal(plan.lanes, 1);
	assert_int_equal(plan.join_count, 0);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(plan.steps[i].lane, 0);
		assert_int_equal(plan.steps[i].wait_count, 0);
		assert_false(plan.steps[i].after_start);
	}
	rt_plan_free(&plan);
	OK(rt_graph_destroy(graph));
}

/* a, then b and c, then d: c is in another lane and waits for a; d waits for c alone. */
static void a_diamond_has_two_lanes(void **state)
{
	struct rt_node *a, *circle, *b[2], *d;
	struct rt_graph *graph;
	struct rt_plan plan;

	(void)state;
	OK(rt_graph_create(&graph));
	a = node_after(graph, NULL, 0, &event);
	b[0] = node_after(graph, &a, 1, &event);
	b[1] = node_after(graph, &a, 1, &event);
	d = node_after(graph, b, 2, &event);
	/* says nothing that the others do not */
	OK(rt_graph_link(graph, &a, &d, 1));
	OK(rt_plan_make(graph, RT_LANES, &plan, &circle));
	assert_int_equal(plan.lanes, 2);
	assert_int_equal(plan.steps[step_of(&plan, b[0])].lane, 0);
	assert_int_equal(plan.steps[step_of(&plan, b[0])].wait_count, 0);
	assert_int_equal(plan.steps[step_of(&plan, b[1])].lane, 1);
	assert_int_equal(plan.steps[step_of(&plan, b[1])].wait_count, 1);
	assert_int_equal(plan.steps[step_of(&plan, b[1])].waits[0], 0);
	assert_int_equal(plan.steps[step_of(&plan, d)].wait_count, 1);
	assert_int_equal(plan.join_count, plan.steps[step_of(&plan, d)].lane == 0 ? 0 : 1);
	rt_plan_free(&plan);
	/* with one lane all is in order without waits */
	OK(rt_plan_make(graph, 1, &plan, &circle));
	assert_int_equal(plan.lanes, 1);
	for (size_t i = 0; i < plan.count; i++)
		assert_int_equal(plan.steps[i].wait_count, 0);
	rt_plan_free(&plan);
	OK(rt_graph_destroy(graph));
}

/* Two roots: the second lane begins with the launch, and the end waits for it. */
static void roots_begin_with_the_launch(void **state)
{
	struct rt_graph *graph;
	struct rt_node *circle;
	struct rt_plan plan;

	(void)state;
	OK(rt_graph_create(&graph));
	node_after(graph, NULL, 0, &event);
	node_after(graph, NULL, 0, &event);
	OK(rt_plan_make(graph, RT_LANES, &plan, &circle));
	assert_int_equal(plan.lanes, 2);
	assert_false(plan.steps[0].after_start);
	assert_true(plan.steps[1].after_start);
	assert_int_equal(plan.join_count, 1);
	assert_int_equal(plan.joins[0], 1);
	rt_plan_free(&plan);
	OK(rt_graph_destroy(graph));
}

/* a and b, an empty node after both, then c: it waits for what the empty node comes after. */
static void empty_nodes_are_no_steps(void **state)
{
	struct rt_node *first[2], *middle, *last, *circle;
	struct rt_graph *graph;
	struct rt_plan plan;

	(void)state;
	OK(rt_graph_create(&graph));
	first[0] = node_after(graph, NULL, 0, &event);
	first[1] = node_after(graph, NULL, 0, &event);
	middle = node_after(graph, first, 2, &empty);
	last = node_after(graph, &middle, 1, &event);
	OK(rt_plan_make(graph, RT_LANES, &plan, &circle));
	assert_int_equal(plan.count, 3);
	assert_int_equal(plan.steps[step_of(&plan, last)].wait_count, 1);
	rt_plan_free(&plan);
	/* and one that comes after everything is the end */
	middle = node_after(graph, &last, 1, &empty);
	OK(rt_plan_make(graph, RT_LANES, &plan, &circle));
	assert_int_equal(plan.count, 3);
	rt_plan_free(&plan);
	OK(rt_graph_destroy(graph));
}

static void circles_are_refused(void **state)
{
	struct rt_node *a, *b, *circle = NULL;
	struct rt_graph *graph;
	struct rt_plan plan;

	(void)state;
	OK(rt_graph_create(&graph));
	a = node_after(graph, NULL, 0, &event);
	b = node_after(graph, &a, 1, &event);
	OK(rt_graph_link(graph, &b, &a, 1));
	assert_int_equal(rt_plan_make(graph, RT_LANES, &plan, &circle), vgpuErrorInvalidValue);
	assert_true(circle == a || circle == b);
	OK(rt_graph_destroy(graph));
}

/*
 * What is over when a step begins, by the plan alone: the steps before it in its lane, those it
 * waits for, and what was over when those began.
 */
static void known_over(const struct rt_plan *plan, bool over[MOST][MOST])
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct rt_step *step = &plan->steps[i];

		for (size_t n = 0; n < i; n++) {
			bool direct = plan->steps[n].lane == step->lane;

			for (unsigned int w = 0; w < step->wait_count; w++)
				direct |= step->waits[w] == n;
			if (!direct)
				continue;
			over[i][n] = true;
			for (size_t m = 0; m < n; m++)
				over[i][m] |= over[n][m];
		}
	}
}

static void check_random(uint32_t seed, unsigned int lanes)
{
	static bool over[MOST][MOST];
	struct rt_node *nodes[MOST], *circle;
	struct rt_graph *graph;
	struct rt_plan plan;
	unsigned int count = 2 + seed % (MOST - 2);

	memset(over, 0, sizeof(over));
	OK(rt_graph_create(&graph));
	for (unsigned int i = 0; i < count; i++) {
		nodes[i] = node_after(graph, NULL, 0, &event);
		for (unsigned int n = 0; n < i; n++) {
			seed = seed * 1664525u + 1013904223u;
			if (seed >> 24 < 24)
				OK(rt_graph_link(graph, &nodes[n], &nodes[i], 1));
		}
	}
	OK(rt_plan_make(graph, lanes, &plan, &circle));
	assert_int_equal(plan.count, count);
	assert_true(plan.lanes <= lanes);
	known_over(&plan, over);
	for (unsigned int i = 0; i < count; i++)
		for (size_t n = 0; n < nodes[i]->from.count; n++) {
			size_t later = step_of(&plan, nodes[i]);
			size_t earlier = step_of(&plan, nodes[i]->from.list[n]);

			assert_true(earlier < later && over[later][earlier]);
		}
	/* every lane but the first begins behind the launch */
	for (size_t i = 0; i < plan.count; i++) {
		const struct rt_step *step = &plan.steps[i];
		bool first = true;

		for (size_t n = 0; n < i; n++)
			first &= plan.steps[n].lane != step->lane;
		assert_int_equal(step->after_start, first && step->lane && !step->wait_count);
	}
	rt_plan_free(&plan);
	OK(rt_graph_destroy(graph));
}

static void random_graphs_are_in_order(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed < 300; seed++)
		check_random(seed * 2654435761u, 1 + seed % RT_LANES);
}

static void handles_that_were_destroyed_are_unknown(void **state)
{
	struct rt_graph *graphs[200];

	(void)state;
	for (int i = 0; i < 200; i++)
		OK(rt_graph_create(&graphs[i]));
	for (int i = 0; i < 200; i += 3)
		OK(rt_graph_destroy(graphs[i]));
	for (int i = 0; i < 200; i++) {
		assert_int_equal(rt_graph_known(graphs[i]), i % 3 != 0);
		assert_int_equal(rt_graph_destroy(graphs[i]),
				 i % 3 ? vgpuSuccess : vgpuErrorInvalidValue);
	}
	assert_false(rt_graph_known(NULL));
	assert_false(rt_node_known((struct rt_node *)graphs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_has_one_lane_and_no_waits),
		cmocka_unit_test(a_diamond_has_two_lanes),
		cmocka_unit_test(roots_begin_with_the_launch),
		cmocka_unit_test(empty_nodes_are_no_steps),
		cmocka_unit_test(circles_are_refused),
		cmocka_unit_test(random_graphs_are_in_order),
		cmocka_unit_test(handles_that_were_destroyed_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
