/* SPDX-License-Identifier: MIT */
/*
 * graph_nodes: graphs that are built node by node: kernels, copies, fills, functions of the host,
 * child graphs, events and memory, with the order that edges ask for; what is changed afterwards,
 * in the graph, in a clone, and in an executable graph; and what is refused.
 */
#include "../common.h"

#define N 1000
#define BDIM 128
#define BLOCKS ((N + BDIM - 1) / BDIM)

__device__ int table[4];

/* Takes a while where spins are asked for: out = in * 3 + add. */
__global__ void step(const int *in, int *out, int add, int spins)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	volatile int drop = 0;

	for (int s = 0; s < spins; s++)
		drop = drop + s;
	if (i < N)
		out[i] = in[i] * 3 + add;
}

__global__ void sum(const int *a, const int *b, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < N)
		out[i] = a[i] + b[i];
}

__global__ void from_table(int *out)
{
	out[0] = table[0] + 10 * table[3];
}

static int *zeros(void)
{
	int *dev = device_new<int>(N);

	CHECK(cudaMemset(dev, 0, N * sizeof(int)));
	/* for streams that do not block, too */
	CHECK(cudaDeviceSynchronize());
	return dev;
}

/** struct args - parameters of step(), which a node copies */
struct args {
	const int *in;
	int *out;
	int add, spins;
	void *list[4];
};

static cudaKernelNodeParams step_params(args *a, const int *in, int *out, int add, int spins)
{
	cudaKernelNodeParams params = {};

	*a = { in, out, add, spins, { &a->in, &a->out, &a->add, &a->spins } };
	params.func = (void *)step;
	params.gridDim = dim3(BLOCKS);
	params.blockDim = dim3(BDIM);
	params.kernelParams = a->list;
	return params;
}

static cudaGraphNode_t add_step(cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
				const int *in, int *out, int add, int spins = 0)
{
	args a;
	cudaKernelNodeParams params = step_params(&a, in, out, add, spins);
	cudaGraphNode_t node;

	CHECK(cudaGraphAddKernelNode(&node, graph, after, n, &params));
	return node;
}

static cudaGraphNode_t add_sum(cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
			       const int *a, const int *b, int *out)
{
	void *list[] = { &a, &b, &out };
	cudaKernelNodeParams params = {};
	cudaGraphNode_t node;

	params.func = (void *)sum;
	params.gridDim = dim3(BLOCKS);
	params.blockDim = dim3(BDIM);
	params.kernelParams = list;
	CHECK(cudaGraphAddKernelNode(&node, graph, after, n, &params));
	return node;
}

static void expect_all(const char *what, const int *dev, int want)
{
	static int host[N];

	host_from(host, dev, N);
	for (int i = 0; i < N; i++)
		expect_same(what, i, host[i], want);
}

/* fill, then two branches of which one is slow, then their sum, read back by a copy node */
static void diamond(void)
{
	int *a = zeros(), *b = zeros(), *c = zeros(), *d = zeros(), back[N];
	cudaGraphNode_t fill, branch[2], join, copy, nodes[8], from[8], to[8];
	cudaMemsetParams set = {};
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	size_t n = 8, edges = 8;
	enum cudaGraphNodeType type;

	CHECK(cudaGraphCreate(&graph, 0));
	set.dst = a;
	set.value = 5;
	set.elementSize = 4;
	set.width = N;
	set.height = 1;
	CHECK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &set));
	branch[0] = add_step(graph, &fill, 1, a, b, 1, 2000);
	branch[1] = add_step(graph, &fill, 1, a, c, 2);
	join = add_sum(graph, branch, 2, b, c, d);
	CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &join, 1, back, d, sizeof(back),
				       cudaMemcpyDeviceToHost));
	CHECK(cudaGraphGetNodes(graph, nodes, &n));
	EXPECT(n == 5 && nodes[0] == fill && nodes[4] == copy && !nodes[5]);
	CHECK(cudaGraphGetEdges(graph, from, to, &edges));
	EXPECT(edges == 5 && from[0] == fill && to[0] == branch[0]);
	n = 8;
	CHECK(cudaGraphGetRootNodes(graph, nodes, &n));
	EXPECT(n == 1 && nodes[0] == fill);
	CHECK(cudaGraphNodeGetDependencies(join, NULL, &n));
	EXPECT(n == 2);
	CHECK(cudaGraphNodeGetType(copy, &type));
	EXPECT(type == cudaGraphNodeTypeMemcpy);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	for (int round = 0; round < 3; round++) {
		memset(back, 0, sizeof(back));
		CHECK(cudaMemset(d, 0, N * sizeof(int)));
		CHECK(cudaGraphLaunch(exec, 0));
		CHECK(cudaDeviceSynchronize());
		for (int i = 0; i < N; i++)
			expect_same("diamond", i, back[i], 5 * 3 + 1 + 5 * 3 + 2);
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(c));
	CHECK(cudaFree(d));
}

/* in = in * 3 + 1, launched several times at once: each launch behind the one before */
static void behind_itself(void)
{
	int *a = zeros(), want = 0;
	cudaStream_t one, two;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	CHECK(cudaGraphCreate(&graph, 0));
	add_step(graph, NULL, 0, a, a, 1, 500);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphUpload(exec, one));
	for (int i = 0; i < 6; i++) {
		CHECK(cudaGraphLaunch(exec, i % 2 ? one : two));
		want = want * 3 + 1;
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaDeviceSynchronize());
	expect_all("behind itself", a, want);
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(one));
	CHECK(cudaStreamDestroy(two));
	CHECK(cudaFree(a));
}

static void count_call(void *counter)
{
	++*(volatile int *)counter;
}

/* kernel, function, kernel; the function comes between */
static void functions_and_children(void)
{
	int *a = zeros(), *b = zeros(), *c = zeros(), calls = 0;
	cudaHostNodeParams call = { count_call, &calls }, read;
	cudaGraphNode_t node, empty, child_node, first;
	cudaGraph_t graph, child, inside;
	cudaGraphExec_t exec;

	CHECK(cudaGraphCreate(&child, 0));
	first = add_step(child, NULL, 0, a, b, 7, 300);
	add_step(child, &first, 1, b, b, 0);
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddHostNode(&node, graph, NULL, 0, &call));
	CHECK(cudaGraphAddChildGraphNode(&child_node, graph, &node, 1, child));
	CHECK(cudaGraphDestroy(child));
	CHECK(cudaGraphAddEmptyNode(&empty, graph, &child_node, 1));
	add_step(graph, &empty, 1, b, c, 4);
	CHECK(cudaGraphHostNodeGetParams(node, &read));
	EXPECT(read.fn == count_call && read.userData == &calls);
	CHECK(cudaGraphChildGraphNodeGetGraph(child_node, &inside));
	EXPECT(inside != child);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	EXPECT(calls == 2);
	expect_all("child", c, 7 * 3 * 3 + 4);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(c));
}

static void symbols(void)
{
	int in[2] = { 3, 4 }, out = 0, *dev = zeros();
	cudaGraphNode_t to[2], from, kernel;
	cudaKernelNodeParams params = {};
	void *list[] = { &dev };
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemcpyNodeToSymbol(&to[0], graph, NULL, 0, (const void *)table, &in[0],
					     4, 0, cudaMemcpyHostToDevice));
	CHECK(cudaGraphAddMemcpyNodeToSymbol(&to[1], graph, NULL, 0, (const void *)table, &in[1],
					     4, 12, cudaMemcpyHostToDevice));
	params.func = (void *)from_table;
	params.gridDim = params.blockDim = dim3(1);
	params.kernelParams = list;
	CHECK(cudaGraphAddKernelNode(&kernel, graph, to, 2, &params));
	CHECK(cudaGraphAddMemcpyNode1D(&from, graph, &kernel, 1, &out, dev, 4,
				       cudaMemcpyDeviceToHost));
	EXPECT_ERROR(cudaGraphAddMemcpyNodeToSymbol(&to[0], graph, NULL, 0, (const void *)table,
						    in, 8, 12, cudaMemcpyHostToDevice),
		     cudaErrorInvalidValue);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	expect_same("symbols", 0, out, 43);
	/* what is copied is what is there at the launch */
	in[1] = 9;
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	expect_same("symbols", 1, out, 93);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFree(dev));
}

static void changes(void)
{
	int *a = zeros(), *b = zeros(), *c = zeros();
	cudaGraph_t graph, clone, other, third;
	enum cudaGraphExecUpdateResult result;
	cudaGraphNode_t node, twin, wrong;
	cudaKernelNodeParams params, read;
	cudaKernelNodeAttrValue value = {};
	unsigned int enabled = 7;
	cudaGraphExec_t exec;
	args more;
	cudaError_t error;

	CHECK(cudaGraphCreate(&graph, 0));
	node = add_step(graph, NULL, 0, a, b, 1);
	CHECK(cudaGraphClone(&clone, graph));
	CHECK(cudaGraphNodeFindInClone(&twin, node, clone));
	EXPECT(twin != node);
	CHECK(cudaGraphKernelNodeGetParams(node, &read));
	EXPECT(read.func == (void *)step && read.gridDim.x == BLOCKS && read.blockDim.x == BDIM &&
	       *(int *)read.kernelParams[2] == 1);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	/* the graph changes, what was made of it does not */
	params = step_params(&more, a, b, 2, 0);
	CHECK(cudaGraphKernelNodeSetParams(node, &params));
	CHECK(cudaGraphLaunch(exec, 0));
	expect_all("as it was", b, 1);
	params = step_params(&more, a, b, 3, 0);
	CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &params));
	CHECK(cudaGraphLaunch(exec, 0));
	expect_all("one node", b, 3);
	CHECK(cudaGraphExecUpdate(exec, clone, &wrong, &result));
	EXPECT(result == cudaGraphExecUpdateSuccess);
	CHECK(cudaGraphLaunch(exec, 0));
	expect_all("all of a clone", b, 1);
	CHECK(cudaGraphNodeSetEnabled(exec, node, 0));
	CHECK(cudaGraphNodeGetEnabled(exec, node, &enabled));
	EXPECT(enabled == 0);
	CHECK(cudaMemset(b, 0, N * sizeof(int)));
	CHECK(cudaGraphLaunch(exec, 0));
	expect_all("nothing", b, 0);
	CHECK(cudaGraphNodeSetEnabled(exec, node, 1));
	/* another shape */
	CHECK(cudaGraphCreate(&other, 0));
	twin = add_step(other, NULL, 0, a, b, 1);
	add_step(other, &twin, 1, b, c, 1);
	EXPECT_ERROR(cudaGraphExecUpdate(exec, other, &wrong, &result),
		     cudaErrorGraphExecUpdateFailure);
	EXPECT(result == cudaGraphExecUpdateErrorTopologyChanged);
	CHECK(cudaGraphCreate(&third, 0));
	CHECK(cudaGraphAddEmptyNode(&twin, third, NULL, 0));
	EXPECT_ERROR(cudaGraphExecUpdate(exec, third, &wrong, &result),
		     cudaErrorGraphExecUpdateFailure);
	EXPECT(result == cudaGraphExecUpdateErrorNodeTypeChanged && wrong == twin);
	CHECK(cudaGraphLaunch(exec, 0));
	expect_all("unchanged", b, 1);
	/* attributes stay when parameters change */
	value.cooperative = 1;
	error = cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, &value);
	params.gridDim.x = 1 << 24;
	/* on a small device it is too large before, too, and the node stays what it is */
	if (error != cudaErrorCooperativeLaunchTooLarge) {
		CHECK(error);
		EXPECT_ERROR(cudaGraphKernelNodeSetParams(node, &params),
			     cudaErrorCooperativeLaunchTooLarge);
	}
	CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &params));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphDestroy(clone));
	CHECK(cudaGraphDestroy(other));
	CHECK(cudaGraphDestroy(third));
	cudaGetLastError();
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(c));
}

/* An event of one graph is what another one waits for. */
static void events(void)
{
	int *a = zeros(), *b = zeros();
	cudaGraph_t first, second;
	cudaGraphExec_t one, two;
	cudaStream_t s, t;
	cudaGraphNode_t node, record, wait;
	cudaEvent_t event, read;

	CHECK(cudaEventCreate(&event));
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	CHECK(cudaGraphCreate(&first, 0));
	node = add_step(first, NULL, 0, a, a, 5, 3000);
	CHECK(cudaGraphAddEventRecordNode(&record, first, &node, 1, event));
	CHECK(cudaGraphEventRecordNodeGetEvent(record, &read));
	EXPECT(read == event);
	CHECK(cudaGraphCreate(&second, 0));
	CHECK(cudaGraphAddEventWaitNode(&wait, second, NULL, 0, event));
	add_step(second, &wait, 1, a, b, 0);
	CHECK(cudaGraphInstantiateWithFlags(&one, first, 0));
	CHECK(cudaGraphInstantiateWithFlags(&two, second, 0));
	CHECK(cudaGraphLaunch(one, s));
	CHECK(cudaGraphLaunch(two, t));
	CHECK(cudaStreamSynchronize(t));
	expect_all("event", b, 15);
	CHECK(cudaEventQuery(event));
	CHECK(cudaGraphExecDestroy(one));
	CHECK(cudaGraphExecDestroy(two));
	CHECK(cudaGraphDestroy(first));
	CHECK(cudaGraphDestroy(second));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(s));
	CHECK(cudaStreamDestroy(t));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
}

static void memory(void)
{
	cudaMemAllocNodeParams alloc = {};
	int *a = zeros(), *b = zeros(), *kept;
	cudaGraphNode_t node[4];
	cudaGraphExec_t exec, again;
	unsigned long long used = 1;
	cudaGraph_t graph, clone;

	alloc.poolProps.allocType = cudaMemAllocationTypePinned;
	alloc.poolProps.location.type = cudaMemLocationTypeDevice;
	alloc.bytesize = N * sizeof(int);
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemAllocNode(&node[0], graph, NULL, 0, &alloc));
	EXPECT(alloc.dptr != NULL);
	node[1] = add_step(graph, &node[0], 1, a, (int *)alloc.dptr, 6);
	node[2] = add_step(graph, &node[1], 1, (int *)alloc.dptr, b, 0);
	CHECK(cudaGraphAddMemFreeNode(&node[3], graph, &node[2], 1, alloc.dptr));
	EXPECT_ERROR(cudaGraphDestroyNode(node[0]), cudaErrorNotSupported);
	EXPECT_ERROR(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	EXPECT_ERROR(cudaGraphInstantiateWithFlags(&again, graph, 0), cudaErrorNotSupported);
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaGraphLaunch(exec, 0));
	expect_all("memory", b, 18);
	CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
	EXPECT(used == N * sizeof(int));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaDeviceGraphMemTrim(0));
	CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
	EXPECT(used == 0);
	/* memory that outlives its launch */
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemAllocNode(&node[0], graph, NULL, 0, &alloc));
	kept = (int *)alloc.dptr;
	add_step(graph, &node[0], 1, a, kept, 8);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, 0));
	EXPECT_ERROR(cudaGraphLaunch(exec, 0), cudaErrorInvalidValue);
	expect_all("kept", kept, 8);
	CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
	EXPECT(used == N * sizeof(int));
	CHECK(cudaFreeAsync(kept, 0));
	EXPECT_ERROR(cudaFreeAsync(kept, 0), cudaErrorInvalidValue);
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaFree(kept));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph,
					    cudaGraphInstantiateFlagAutoFreeOnLaunch));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	/* the program has it still */
	expect_all("kept longer", kept, 8);
	CHECK(cudaFree(kept));
	CHECK(cudaDeviceGraphMemTrim(0));
	cudaGetLastError();
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
}

static void give_back(void *calls)
{
	++*(int *)calls;
}

static void user_objects(void)
{
	cudaUserObject_t object;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	cudaGraphNode_t node;
	int calls = 0;

	CHECK(cudaUserObjectCreate(&object, &calls, give_back, 1,
				   cudaUserObjectNoDestructorSync));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
	CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
	EXPECT_ERROR(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	EXPECT(calls == 0);
	CHECK(cudaGraphExecDestroy(exec));
	EXPECT(calls == 1);
	cudaGetLastError();
}

static void refusals(void)
{
	int *a = zeros(), *b = zeros();
	cudaGraphNode_t one, two, far, node;
	cudaGraphInstantiateParams how = {};
	cudaKernelNodeParams params;
	cudaGraph_t graph, other;
	cudaGraphExec_t exec;
	args more;

	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphCreate(&other, 0));
	EXPECT_ERROR(cudaGraphCreate(&graph, 1), cudaErrorInvalidValue);
	one = add_step(graph, NULL, 0, a, b, 1);
	two = add_step(graph, &one, 1, a, b, 1);
	far = add_step(other, NULL, 0, a, b, 1);
	EXPECT_ERROR(cudaGraphAddEmptyNode(&node, graph, &far, 1), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGraphAddEmptyNode(&node, graph, NULL, 1), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL), cudaErrorInvalidValue);
	params = step_params(&more, a, b, 1, 0);
	params.blockDim.x = 4096;
	EXPECT_ERROR(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params),
		     cudaErrorInvalidConfiguration);
	params = step_params(&more, a, b, 1, 0);
	params.func = NULL;
	EXPECT_ERROR(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params),
		     cudaErrorInvalidDeviceFunction);
	EXPECT_ERROR(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, a, b, 1 << 30,
					      cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGraphAddDependencies(graph, &one, &two, 1), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGraphAddDependencies(graph, &one, &one, 1), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGraphRemoveDependencies(graph, &two, &one, 1), cudaErrorInvalidValue);
	/* a circle is found when the graph is to be executed */
	CHECK(cudaGraphAddDependencies(graph, &two, &one, 1));
	EXPECT_ERROR(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGraphInstantiateWithParams(&exec, graph, &how), cudaErrorInvalidValue);
	EXPECT(how.errNode_out == one || how.errNode_out == two);
	EXPECT(how.result_out == cudaGraphInstantiateInvalidStructure);
	CHECK(cudaGraphRemoveDependencies(graph, &two, &one, 1));
	CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
	CHECK(cudaGraphDestroyNode(two));
	EXPECT_ERROR(cudaGraphDestroyNode(two), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGraphAddEmptyNode(&node, graph, &two, 1), cudaErrorInvalidValue);
	params = step_params(&more, a, b, 1, 0);
	EXPECT_ERROR(cudaGraphExecKernelNodeSetParams(exec, far, &params), cudaErrorInvalidValue);
	CHECK(cudaGraphExecDestroy(exec));
	EXPECT_ERROR(cudaGraphLaunch(exec, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
	CHECK(cudaGraphDestroy(graph));
	EXPECT_ERROR(cudaGraphDestroy(graph), cudaErrorInvalidValue);
	CHECK(cudaGraphDestroy(other));
	cudaGetLastError();
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "graph_nodes", NULL, 0, 0, 0);
	diamond();
	behind_itself();
	functions_and_children();
	symbols();
	changes();
	events();
	memory();
	user_objects();
	refusals();
	return finish();
}
