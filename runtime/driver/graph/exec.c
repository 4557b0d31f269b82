// SPDX-License-Identifier: MIT
/*
 * Driver API: executable graphs, by calls of several versions.
 */
#include "convert.h"

static vgpuError_t create(CUgraphExec *exec, CUgraph graph, unsigned long long flags,
			  CUgraphNode *node)
{
	struct rt_node *circle;
	vgpuError_t error = rt_exec_create((struct rt_exec **)(void *)exec, drv_graph(graph),
					   flags, &circle);

	if (node)
		*node = (CUgraphNode)(void *)circle;
	return error;
}

#define ON_DEVICE(flags)	((flags) & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
				     unsigned long long flags)
{
	return ON_DEVICE(flags) ? DRV_REFUSE("launching graphs from kernels is") :
				  DRV_GRAPH_CALL(create(exec, graph, flags, NULL));
}

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *node,
			       char *log, size_t bytes)
{
	CUresult error = DRV_GRAPH_CALL(create(exec, graph, 0, node));

	rt_exec_log(error == CUDA_SUCCESS, log, bytes);
	return error;
}

static vgpuError_t create_with(CUgraphExec *exec, CUgraph graph,
			       CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	struct rt_node *circle;
	int result;
	vgpuError_t error = rt_exec_create_with((struct rt_exec **)(void *)exec, drv_graph(graph),
						params->flags, drv_stream(params->hUploadStream),
						&circle, &result);

	params->hErrNode_out = (CUgraphNode)(void *)circle;
	params->result_out = (CUgraphInstantiateResult)result;
	return error;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
				      CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	if (params && ON_DEVICE(params->flags))
		return DRV_REFUSE("launching graphs from kernels is");
	return DRV_GRAPH_CALL(params ? create_with(exec, graph, params) : vgpuErrorInvalidValue);
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
	return DRV_GRAPH_CALL(rt_exec_flags(drv_exec(exec), (unsigned long long *)flags));
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	return DRV_GRAPH_CALL(rt_exec_destroy(drv_exec(exec)));
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	return DRV_GRAPH_CALL(rt_exec_upload(drv_exec(exec), drv_stream(stream)));
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	return DRV_GRAPH_CALL(rt_exec_launch(drv_exec(exec), drv_stream(stream)));
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node,
			       unsigned int enabled)
{
	return DRV_GRAPH_CALL(rt_exec_enable(drv_exec(exec), drv_node(node), enabled));
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node,
			       unsigned int *enabled)
{
	return DRV_GRAPH_CALL(rt_exec_is_enabled(drv_exec(exec), drv_node(node), enabled));
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *node,
			   CUgraphExecUpdateResult *result)
{
	struct rt_update update = { .result = RT_UPDATE_ERROR };
	CUresult error = DRV_GRAPH_CALL(rt_exec_update(drv_exec(exec), drv_graph(graph), &update));

	if (node)
		*node = (CUgraphNode)(void *)update.node;
	if (result)
		*result = (CUgraphExecUpdateResult)update.result;
	return error;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
	struct rt_update update = { .result = RT_UPDATE_ERROR };
	CUresult error = DRV_GRAPH_CALL(rt_exec_update(drv_exec(exec), drv_graph(graph), &update));

	if (info)
		*info = (CUgraphExecUpdateResultInfo){
			(CUgraphExecUpdateResult)update.result,
			(CUgraphNode)(void *)update.node,
			(CUgraphNode)(void *)update.from,
		};
	return error;
}
