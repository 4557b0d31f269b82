// SPDX-License-Identifier: MIT
/*
 * Graphs by the driver API: nodes of every kind, updates, capture, and what is refused; the handles
 * of the runtime API are the same.
 */
#include "drv_rig.h"

#define N 8u

static CUmodule module;
static CUfunction set;
static CUdeviceptr words;

/* words[index] = value */
static CUDA_KERNEL_NODE_PARAMS set_params(uint64_t *where, uint32_t *value, uint64_t *more,
					  void **list)
{
	list[0] = where;
	list[1] = value;
	list[2] = more;
	return (CUDA_KERNEL_NODE_PARAMS){
		.func = set, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
		.blockDimX = 1, .blockDimY = 1, .blockDimZ = 1, .kernelParams = list,
	};
}

static CUgraphNode add_set(CUgraph graph, const CUgraphNode *after, size_t count,
			   unsigned int index, uint32_t value)
{
	uint64_t where = words + 4ul * index, more = 0;
	CUDA_KERNEL_NODE_PARAMS params;
	CUgraphNode node;
	void *list[3];

	params = set_params(&where, &value, &more, list);
	OK(cuGraphAddKernelNode(&node, graph, after, count, &params));
	return node;
}

static CUcontext begin(void)
{
	CUcontext context = drv_begin();

	OK(cuModuleLoadData(&module, drv_ptx));
	OK(cuModuleGetFunction(&set, module, "set"));
	words = drv_words(N);
	return context;
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return (CUDA_MEMCPY3D){
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = src,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = dst,
		.WidthInBytes = bytes, .Height = 1, .Depth = 1,
	};
}

static void nodes_of_every_kind(void **state)
{
	CUcontext context = begin();
	CUDA_MEMSET_NODE_PARAMS fill = { .dst = words, .value = 7, .elementSize = 4, .width = 2,
					 .height = 1 }, fill_read;
	CUDA_MEMCPY3D copy = copy_of(words + 16, words, 8), copy_read;
	CUDA_KERNEL_NODE_PARAMS kernel_read;
	CUgraphNode a, b, c, listed[3];
	CUgraphExec exec;
	CUgraph graph;
	size_t count = 3;

	(void)state;
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddMemsetNode(&a, graph, NULL, 0, &fill, context));
	OK(cuGraphAddMemcpyNode(&b, graph, &a, 1, &copy, context));
	c = add_set(graph, &b, 1, 0, 9);
	OK(cuGraphMemsetNodeGetParams(a, &fill_read));
	assert_memory_equal(&fill_read, &fill, sizeof(fill));
	OK(cuGraphMemcpyNodeGetParams(b, &copy_read));
	assert_int_equal(copy_read.dstDevice, copy.dstDevice);
	assert_int_equal(copy_read.WidthInBytes, 8);
	OK(cuGraphKernelNodeGetParams(c, &kernel_read));
	assert_ptr_equal(kernel_read.func, set);
	assert_int_equal(*(uint32_t *)kernel_read.kernelParams[1], 9);
	REFUSED(cuGraphMemsetNodeGetParams(b, &fill_read), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphGetNodes(graph, listed, &count));
	assert_int_equal(count, 3);
	assert_ptr_equal(listed[2], c);
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuGraphDestroy(graph));
	OK(cuGraphLaunch(exec, NULL));
	OK(cuCtxSynchronize());
	assert_int_equal(drv_read(words), 9);
	assert_int_equal(drv_read(words + 4), 7);
	assert_int_equal(drv_read(words + 16), 7);
	OK(cuGraphExecDestroy(exec));
	REFUSED(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
	drv_end(context);
}

static void executable_graphs_are_updated(void **state)
{
	CUcontext context = begin();
	CUgraphExecUpdateResultInfo info;
	CUgraph graph, other, third;
	uint64_t where, more = 0;
	CUDA_KERNEL_NODE_PARAMS params;
	uint32_t value = 5;
	CUgraphExec exec;
	CUgraphNode a, b;
	void *list[3];

	(void)state;
	OK(cuGraphCreate(&graph, 0));
	a = add_set(graph, NULL, 0, 0, 1);
	b = add_set(graph, &a, 1, 1, 2);
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	where = words + 4;
	params = set_params(&where, &value, &more, list);
	OK(cuGraphExecKernelNodeSetParams(exec, b, &params));
	OK(cuGraphLaunch(exec, NULL));
	assert_int_equal(drv_read(words), 1);
	assert_int_equal(drv_read(words + 4), 5);
	/* the same shape */
	OK(cuGraphCreate(&other, 0));
	a = add_set(other, NULL, 0, 2, 11);
	add_set(other, &a, 1, 3, 12);
	OK(cuGraphExecUpdate_v2(exec, other, &info));
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
	OK(cuGraphLaunch(exec, NULL));
	assert_int_equal(drv_read(words + 8), 11);
	assert_int_equal(drv_read(words + 12), 12);
	/* the same nodes, another edge */
	OK(cuGraphCreate(&third, 0));
	add_set(third, NULL, 0, 4, 1);
	b = add_set(third, NULL, 0, 5, 1);
	REFUSED(cuGraphExecUpdate_v2(exec, third, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	assert_ptr_equal(info.errorNode, b);
	OK(cuGraphLaunch(exec, NULL));
	assert_int_equal(drv_read(words + 16), 0);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	OK(cuGraphDestroy(other));
	OK(cuGraphDestroy(third));
	drv_end(context);
}

static void launch_set(CUstream stream, unsigned int index, uint32_t value)
{
	uint64_t where = words + 4ul * index, more = 0;
	void *list[] = { &where, &value, &more };

	OK(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, stream, list, NULL));
}

static void streams_are_captured(void **state)
{
	CUcontext context = begin();
	CUstreamCaptureStatus status;
	const CUgraphNode *after;
	CUstream one, two;
	CUgraphExec exec;
	CUgraph graph;
	CUevent event;
	cuuint64_t id;
	size_t count;
	int capturing;

	(void)state;
	OK(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
	launch_set(one, 0, 3);
	OK(cuEventRecord(event, one));
	OK(cuStreamWaitEvent(two, event, 0));
	OK(cuMemcpyDtoDAsync(words + 4, words, 4, two));
	OK(cuStreamIsCapturing(two, &capturing));
	assert_int_equal(capturing, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	OK(cuEventRecord(event, two));
	OK(cuStreamWaitEvent(one, event, 0));
	OK(cuStreamGetCaptureInfo_v2(one, &status, &id, &graph, &after, &count));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	assert_int_equal(count, 2);
	OK(cuMemsetD32Async(words + 8, 6, 1, one));
	OK(cuStreamEndCapture(one, &graph));
	assert_int_equal(drv_read(words), 0);
	OK(cuGraphGetEdges(graph, NULL, NULL, &count));
	assert_int_equal(count, 3);
	OK(cuGraphInstantiate(&exec, graph, NULL, NULL, 0));
	OK(cuGraphLaunch(exec, two));
	OK(cuStreamSynchronize(two));
	assert_int_equal(drv_read(words + 4), 3);
	assert_int_equal(drv_read(words + 8), 6);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	OK(cuEventDestroy(event));
	OK(cuStreamDestroy(one));
	OK(cuStreamDestroy(two));
	drv_end(context);
}

static CUgraphNode add_spin(CUgraph graph, CUfunction spin, const CUgraphNode *after,
			    unsigned int index)
{
	uint64_t where = words + 4ul * index;
	uint32_t rounds = 20000;
	void *list[] = { &where, &rounds };
	CUDA_KERNEL_NODE_PARAMS params = {
		.func = spin, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
		.blockDimX = 1, .blockDimY = 1, .blockDimZ = 1, .kernelParams = list,
	};
	CUgraphNode node;

	OK(cuGraphAddKernelNode(&node, graph, after, after != NULL, &params));
	return node;
}

/* Virtual milliseconds of a launch. */
static float time_of(CUgraph graph, CUstream stream)
{
	CUevent begun, ended;
	CUgraphExec exec;
	float ms;

	OK(cuEventCreate(&begun, CU_EVENT_DEFAULT));
	OK(cuEventCreate(&ended, CU_EVENT_DEFAULT));
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuEventRecord(begun, stream));
	OK(cuGraphLaunch(exec, stream));
	OK(cuEventRecord(ended, stream));
	OK(cuStreamSynchronize(stream));
	OK(cuEventElapsedTime(&ms, begun, ended));
	OK(cuGraphExecDestroy(exec));
	OK(cuEventDestroy(begun));
	OK(cuEventDestroy(ended));
	return ms;
}

/* Four slow kernels: as a row they take almost four times as long as side by side. */
static void branches_run_side_by_side(void **state)
{
	CUcontext context = begin();
	CUgraph row, branches;
	CUfunction spin;
	CUstream stream;
	CUmodule slow;
	CUgraphNode node;

	(void)state;
	OK(cuModuleLoadData(&slow, drv_spin_ptx));
	OK(cuModuleGetFunction(&spin, slow, "spin"));
	OK(cuStreamCreate(&stream, 0));
	OK(cuGraphCreate(&row, 0));
	OK(cuGraphCreate(&branches, 0));
	node = add_spin(row, spin, NULL, 0);
	for (unsigned int i = 1; i < 4; i++)
		node = add_spin(row, spin, &node, i);
	for (unsigned int i = 0; i < 4; i++)
		add_spin(branches, spin, NULL, 4 + i);
	assert_true(time_of(row, stream) > 3 * time_of(branches, stream));
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(drv_read(words + 4 * i), 20000);
	OK(cuGraphDestroy(row));
	OK(cuGraphDestroy(branches));
	OK(cuStreamDestroy(stream));
	drv_end(context);
}

/* Unloaded under an executable graph: its launch is refused, and nothing else is lost. */
static void a_module_goes(void **state)
{
	CUcontext context = begin();
	CUgraphExec exec;
	CUgraph graph;

	(void)state;
	OK(cuGraphCreate(&graph, 0));
	add_set(graph, NULL, 0, 0, 1);
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuModuleUnload(module));
	REFUSED(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_HANDLE);
	OK(cuMemsetD32(words, 4, 1));
	assert_int_equal(drv_read(words), 4);
	OK(cuGraphDestroy(graph));
	drv_end(context);
}

/* The context of an executable graph, and of a capture, goes. */
static void a_context_goes(void **state)
{
	CUcontext first = begin(), second;
	CUgraphExec exec;
	CUstream stream;
	CUgraph graph;

	(void)state;
	OK(cuGraphCreate(&graph, 0));
	add_set(graph, NULL, 0, 0, 1);
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuStreamCreate(&stream, 0));
	OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	launch_set(stream, 0, 3);
	OK(cuCtxDestroy(first));
	OK(cuCtxCreate(&second, 0, 0));
	REFUSED(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_NOT_SUPPORTED);
	OK(cuMemAlloc(&words, 4));
	OK(cuMemFree(words));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	OK(cuCtxDestroy(second));
}

static void memory_and_attributes(void **state)
{
	CUcontext context = begin();
	CUDA_MEM_ALLOC_NODE_PARAMS alloc = {
		.poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			       .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } },
		.bytesize = 4096,
	}, read;
	CUlaunchAttributeValue value = { .priority = -2 };
	CUgraphNode node, kernel;
	CUdeviceptr freed;
	cuuint64_t bytes;
	CUgraph graph;

	(void)state;
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc));
	OK(cuGraphMemAllocNodeGetParams(node, &read));
	assert_int_equal(read.dptr, alloc.dptr);
	OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &bytes));
	assert_int_equal(bytes, 4096);
	OK(cuGraphAddMemFreeNode(&node, graph, &node, 1, alloc.dptr));
	OK(cuGraphMemFreeNodeGetParams(node, &freed));
	assert_int_equal(freed, alloc.dptr);
	REFUSED(cuGraphAddMemFreeNode(&node, graph, NULL, 0, words), CUDA_ERROR_INVALID_VALUE);
	kernel = add_set(graph, NULL, 0, 0, 1);
	OK(cuGraphKernelNodeSetAttribute(kernel, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	value.priority = 0;
	OK(cuGraphKernelNodeGetAttribute(kernel, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	assert_int_equal(value.priority, -2);
	OK(cuGraphDestroy(graph));
	OK(cuDeviceGraphMemTrim(0));
	OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &bytes));
	assert_int_equal(bytes, 0);
	drv_end(context);
}

static void by_name(void **state)
{
	void *old, *with_flags;

	(void)state;
	OK(cuInit(0));
	OK(cuGetProcAddress("cuGraphInstantiate", &old, 11020, 0));
	assert_ptr_equal(old, cuGraphInstantiate_v2);
	OK(cuGetProcAddress("cuGraphInstantiate", &with_flags, 12000, 0));
	assert_ptr_equal(with_flags, cuGraphInstantiateWithFlags);
	OK(cuGetProcAddress("cuStreamBeginCapture", &old, 12000,
			    CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
	assert_ptr_equal(old, cuStreamBeginCapture_v2_ptsz);
}

static void other_nodes_are_refused(void **state)
{
	CUcontext context = begin();
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUgraphEdgeData edge = { .from_port = 1 };
	CUgraphNode node, other;
	CUgraph graph;

	(void)state;
	OK(cuGraphCreate(&graph, 0));
	REFUSED(cuGraphAddNode(&node, graph, NULL, 0, &params), CUDA_ERROR_NOT_SUPPORTED);
	params.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
	REFUSED(cuGraphAddNode(&node, graph, NULL, 0, &params), CUDA_ERROR_NOT_SUPPORTED);
	params.type = (CUgraphNodeType)99;
	REFUSED(cuGraphAddNode(&node, graph, NULL, 0, &params), CUDA_ERROR_INVALID_VALUE);
	params.type = CU_GRAPH_NODE_TYPE_EMPTY;
	OK(cuGraphAddNode(&node, graph, NULL, 0, &params));
	OK(cuGraphAddEmptyNode(&other, graph, NULL, 0));
	REFUSED(cuGraphAddDependencies_v2(graph, &node, &other, &edge, 1),
		CUDA_ERROR_NOT_SUPPORTED);
	OK(cuGraphDestroy(graph));
	REFUSED(cuGraphAddEmptyNode(&other, graph, NULL, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuGraphAddEmptyNode(&other, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuGraphCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
	drv_end(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_of_every_kind),
		cmocka_unit_test(executable_graphs_are_updated),
		cmocka_unit_test(streams_are_captured),
		cmocka_unit_test(branches_run_side_by_side),
		cmocka_unit_test(a_module_goes),
		cmocka_unit_test(a_context_goes),
		cmocka_unit_test(memory_and_attributes),
		cmocka_unit_test(by_name),
		cmocka_unit_test(other_nodes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
