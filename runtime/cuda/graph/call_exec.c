// SPDX-License-Identifier: MIT
/*
 * CUDA names: executable graphs, and those of their calls that mean others since CUDA 12.
 */
#include "convert.h"

#define EXPORT	__attribute__((visibility("default")))
#define VERSION(function, name, version) __asm__(".symver " #function ", " #name "@" version)

static vgpuError_t create(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags,
			  cudaGraphNode_t *node)
{
	struct rt_node *circle;
	vgpuError_t error = rt_exec_create((struct rt_exec **)(void *)exec, to_graph(graph),
					   flags, &circle);

	if (node)
		*node = (cudaGraphNode_t)(void *)circle;
	return error;
}

#define ON_DEVICE(flags)	((flags) & cudaGraphInstantiateFlagDeviceLaunch)

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
					  unsigned long long flags)
{
	return ON_DEVICE(flags) ? CUDA_REFUSE("launching graphs from kernels is") :
				  GRAPH_CALL(create(exec, graph, flags, NULL));
}

/* CUDA 11's, for C. */
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node,
				 char *log, size_t bytes)
{
	cudaError_t error = GRAPH_CALL(create(exec, graph, 0, node));

	rt_exec_log(error == cudaSuccess, log, bytes);
	return error;
}

static vgpuError_t create_with(cudaGraphExec_t *exec, cudaGraph_t graph,
			       cudaGraphInstantiateParams *params)
{
	struct rt_node *circle;
	int result;
	vgpuError_t error = rt_exec_create_with((struct rt_exec **)(void *)exec, to_graph(graph),
						params->flags, cuda_stream(params->uploadStream),
						&circle, &result);

	params->errNode_out = (cudaGraphNode_t)(void *)circle;
	params->result_out = (cudaGraphInstantiateResult)result;
	return error;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
					   cudaGraphInstantiateParams *params)
{
	if (params && ON_DEVICE(params->flags))
		return CUDA_REFUSE("launching graphs from kernels is");
	return GRAPH_CALL(params ? create_with(exec, graph, params) : vgpuErrorInvalidValue);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
	return GRAPH_CALL(rt_exec_flags(to_exec(exec), flags));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	return GRAPH_CALL(rt_exec_destroy(to_exec(exec)));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	return GRAPH_CALL(rt_exec_upload(to_exec(exec), cuda_stream(stream)));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	return GRAPH_CALL(rt_exec_launch(to_exec(exec), cuda_stream(stream)));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
				    unsigned int enabled)
{
	return GRAPH_CALL(rt_exec_enable(to_exec(exec), to_node(node), enabled));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
				    unsigned int *enabled)
{
	return GRAPH_CALL(rt_exec_is_enabled(to_exec(exec), to_node(node), enabled));
}

/* CUDA 11's. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node,
				enum cudaGraphExecUpdateResult *result)
{
	struct rt_update update = { .result = RT_UPDATE_ERROR };
	cudaError_t error = GRAPH_CALL(rt_exec_update(to_exec(exec), to_graph(graph), &update));

	if (node)
		*node = (cudaGraphNode_t)(void *)update.node;
	if (result)
		*result = (enum cudaGraphExecUpdateResult)update.result;
	return error;
}

/* ---- names of other versions ------------------------------------------------------ */

/* Those of the header have symbols of their own. */
#undef cudaGraphInstantiate
#undef cudaGraphExecUpdate

EXPORT cudaError_t cuda11_GraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
					   cudaGraphNode_t *node, char *log, size_t bytes);
EXPORT cudaError_t cuda12_GraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
					   unsigned long long flags)
	__asm__("cudaGraphInstantiate");
EXPORT cudaError_t cuda13_GraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
					   unsigned long long flags);
EXPORT cudaError_t cuda11_GraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
					  cudaGraphNode_t *node,
					  enum cudaGraphExecUpdateResult *result);
EXPORT cudaError_t cuda12_GraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
					  cudaGraphExecUpdateResultInfo *info)
	__asm__("cudaGraphExecUpdate");
EXPORT cudaError_t cuda13_GraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
					  cudaGraphExecUpdateResultInfo *info);

cudaError_t cuda11_GraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
				    cudaGraphNode_t *node, char *log, size_t bytes)
{
	return cudaGraphInstantiate(exec, graph, node, log, bytes);
}
VERSION(cuda11_GraphInstantiate, cudaGraphInstantiate, "libcudart.so.11.0");

cudaError_t cuda12_GraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
				    unsigned long long flags)
{
	return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cuda13_GraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
				    unsigned long long flags)
{
	return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
VERSION(cuda13_GraphInstantiate, cudaGraphInstantiate, "libcudart.so.13");

cudaError_t cuda11_GraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node,
				   enum cudaGraphExecUpdateResult *result)
{
	return cudaGraphExecUpdate(exec, graph, node, result);
}
VERSION(cuda11_GraphExecUpdate, cudaGraphExecUpdate, "libcudart.so.11.0");

cudaError_t cuda12_GraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
				   cudaGraphExecUpdateResultInfo *info)
{
	struct rt_update update = { .result = RT_UPDATE_ERROR };
	cudaError_t error = GRAPH_CALL(rt_exec_update(to_exec(exec), to_graph(graph), &update));

	if (info)
		*info = (cudaGraphExecUpdateResultInfo){
			(enum cudaGraphExecUpdateResult)update.result,
			(cudaGraphNode_t)(void *)update.node,
			(cudaGraphNode_t)(void *)update.from,
		};
	return error;
}

cudaError_t cuda13_GraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
				   cudaGraphExecUpdateResultInfo *info)
{
	return cuda12_GraphExecUpdate(exec, graph, info);
}
VERSION(cuda13_GraphExecUpdate, cudaGraphExecUpdate, "libcudart.so.13");
