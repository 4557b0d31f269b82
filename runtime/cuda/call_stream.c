// SPDX-License-Identifier: MIT
/*
 * CUDA names: streams and events.
 */
#include <string.h>

#include "api/events/ipc_event.h"
#include "api/host_call.h"
#include "calls.h"

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	return cuda_error(vgpuStreamCreate((vgpuStream_t *)(void *)stream, flags));
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
	return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	return cuda_error(vgpuStreamCreatePriority((vgpuStream_t *)(void *)stream, flags,
						   priority));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	return cuda_error(vgpuStreamGetFlags(cuda_stream(stream), flags));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	return cuda_error(vgpuStreamGetPriority(cuda_stream(stream), priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	return cuda_error(vgpuStreamDestroy(cuda_stream(stream)));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	return cuda_error(vgpuStreamSynchronize(cuda_stream(stream)));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return cuda_error(vgpuStreamQuery(cuda_stream(stream)));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	return cuda_error(vgpuStreamWaitEvent(cuda_stream(stream), cuda_event(event), flags));
}

static void call_callback(void *function, void *stream, void *argument, vgpuError_t error)
{
	cudaStreamCallback_t call = (cudaStreamCallback_t)(uintptr_t)function;

	call(stream, cuda_error(error), argument);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
				  unsigned int flags)
{
	const struct rt_host_call call = {
		.call = call_callback,
		.function = (void *)(uintptr_t)callback,
		.stream = stream,
		.argument = data,
		.always = true,
	};

	return cuda_error(flags ? rt_result(vgpuErrorInvalidValue) :
				  rt_host_call(cuda_stream(stream), &call));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
	unsigned int flags;
	vgpuError_t error;

	if (!id)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = vgpuStreamGetFlags(cuda_stream(stream), &flags);
	if (error == vgpuSuccess)
		*id = (uintptr_t)cuda_stream(stream);
	return cuda_error(error);
}

/*
 * Streams of other devices are refused wherever they are named, so this one is the current
 * device's.
 */
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	unsigned int flags;
	vgpuError_t error;

	if (!device)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = vgpuStreamGetFlags(cuda_stream(stream), &flags);
	return error == vgpuSuccess ? cudaGetDevice(device) : cuda_error(error);
}

/* Hints about caches and waiting; the priority of a stream stays what it was created with. */
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
				   const cudaStreamAttrValue *value)
{
	unsigned int flags;

	if (!value || (attr != cudaStreamAttributeAccessPolicyWindow &&
		       attr != cudaStreamAttributeSynchronizationPolicy &&
		       attr != cudaStreamAttributePriority))
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return cuda_error(vgpuStreamGetFlags(cuda_stream(stream), &flags));
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
				   cudaStreamAttrValue *value)
{
	cudaError_t error = cudaStreamSetAttribute(stream, attr, value);

	if (error != cudaSuccess)
		return error;
	memset(value, 0, sizeof(*value));
	if (attr == cudaStreamAttributePriority)
		return cudaStreamGetPriority(stream, &value->priority);
	if (attr == cudaStreamAttributeSynchronizationPolicy)
		value->syncPolicy = cudaSyncPolicyAuto;
	if (attr == cudaStreamAttributePriority)
		return cudaStreamGetPriority(stream, &value->priority);
	return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
	unsigned int flags;
	vgpuError_t error = vgpuStreamGetFlags(cuda_stream(src), &flags);

	return cuda_error(error == vgpuSuccess ? vgpuStreamGetFlags(cuda_stream(dst), &flags) :
						 error);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
	return cuda_error(vgpuLaunchHostFunc(cuda_stream(stream), function, data));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	return cuda_error(vgpuEventCreate((vgpuEvent_t *)(void *)event, flags));
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

_Static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(struct rt_ipc_event), "one kind of handle");

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
	struct rt_ipc_event shared;
	vgpuError_t error;

	if (!handle)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = rt_ipc_event_export(cuda_event(event), &shared);
	if (error == vgpuSuccess)
		memcpy(handle, &shared, sizeof(shared));
	return cuda_error(error);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
	struct rt_ipc_event shared;

	if (!event)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	memcpy(&shared, &handle, sizeof(shared));
	return cuda_error(rt_ipc_event_open(&shared, (vgpuEvent_t *)(void *)event));
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	return cuda_error(vgpuEventDestroy(cuda_event(event)));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return cuda_error(vgpuEventRecord(cuda_event(event), cuda_stream(stream)));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	return cuda_error(rt_event_record_with(cuda_event(event), cuda_stream(stream), flags));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return cuda_error(vgpuEventSynchronize(cuda_event(event)));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return cuda_error(vgpuEventQuery(cuda_event(event)));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	return cuda_error(vgpuEventElapsedTime(ms, cuda_event(start), cuda_event(end)));
}
