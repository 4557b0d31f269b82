// SPDX-License-Identifier: MIT
/*
 * Driver API: streams, events, and what happens in the order of a stream.
 */
#include <string.h>

#include "api/graph/capture.h"
#include "api/host_call.h"
#include "driver.h"

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	CUresult error = drv_check();
	vgpuStream_t made;

	if (error == CUDA_SUCCESS && (!stream || (flags & ~1u)))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(vgpuStreamCreatePriority(&made, flags, priority));
	if (error != CUDA_SUCCESS)
		return error;
	*stream = (CUstream)(void *)made;
	return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
	return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	error = drv_error(vgpuStreamDestroy(drv_stream(stream)));
	return error;
}

CUresult cuStreamSynchronize(CUstream stream)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(vgpuStreamSynchronize(drv_stream(stream))) : error;
}

CUresult cuStreamQuery(CUstream stream)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(vgpuStreamQuery(drv_stream(stream))) : error;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       drv_error(vgpuStreamWaitEvent(drv_stream(stream),
						     (vgpuEvent_t)(void *)event, flags)) : error;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(vgpuStreamGetFlags(drv_stream(stream), flags)) :
				       error;
}

/* Whether it is one; there is nothing else to look at. */
static CUresult known(CUstream stream)
{
	unsigned int flags;

	return cuStreamGetFlags(stream, &flags);
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       drv_error(vgpuStreamGetPriority(drv_stream(stream), priority)) : error;
}

/* How a host thread waits and what stays in the L2 cache are hints, a priority is for good. */
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
			      const CUstreamAttrValue *value)
{
	CUresult error = known(stream);

	if (error != CUDA_SUCCESS)
		return error;
	switch (attribute) {
	case CU_STREAM_ATTRIBUTE_PRIORITY:
	case CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW:
	case CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		return value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value)
{
	CUresult error = cuStreamSetAttribute(stream, attribute, value);

	if (error != CUDA_SUCCESS)
		return error;
	memset(value, 0, sizeof(*value));
	if (attribute == CU_STREAM_ATTRIBUTE_PRIORITY)
		return cuStreamGetPriority(stream, &value->priority);
	if (attribute == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY)
		value->syncPolicy = CU_SYNC_POLICY_AUTO;
	return CUDA_SUCCESS;
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
	CUresult error = known(to);

	return error == CUDA_SUCCESS ? known(from) : error;
}

/* Of whatever context it is. */
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	CUresult error = drv_enter();
	struct rt_state *state = rt_current;

	if (error != CUDA_SUCCESS)
		return error;
	if ((uintptr_t)stream > 2)
		state = rt_stream_context(drv_stream(stream));
	if (!state)
		return drv_error(rt_leave(vgpuErrorInvalidResourceHandle));
	if (!context)
		return drv_error(rt_leave(vgpuErrorInvalidValue));
	*context = drv_context_of(state);
	return drv_error(rt_leave(vgpuSuccess));
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
	CUresult error = known(stream);

	if (error == CUDA_SUCCESS && !device)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		*device = rt_device();
	return error;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
	CUresult error = known(stream);

	if (error == CUDA_SUCCESS && !id)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		*id = (uintptr_t)stream;
	return error;
}

static void call_callback(void *function, void *stream, void *argument, vgpuError_t error)
{
	CUstreamCallback call = (CUstreamCallback)(uintptr_t)function;

	call(stream, drv_error(error), argument);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
			     unsigned int flags)
{
	const struct rt_host_call call = {
		.call = call_callback,
		.function = (void *)(uintptr_t)callback,
		.stream = stream,
		.argument = data,
		.always = true,
	};
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && flags)
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? drv_error(rt_host_call(drv_stream(stream), &call)) : error;
}

/* Host and device may use managed memory at the same time: nothing follows from it. */
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes,
				unsigned int flags)
{
	CUresult error = known(stream);
	int managed = 0;

	(void)bytes;
	if (error == CUDA_SUCCESS &&
	    flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
	    flags != CU_MEM_ATTACH_SINGLE)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_capture_never(drv_stream(stream)));
	if (error == CUDA_SUCCESS)
		error = cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer);
	return error == CUDA_SUCCESS && !managed ? CUDA_ERROR_INVALID_VALUE : error;
}

/* ---- events -------------------------------------------------------------- */

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
	CUresult error = drv_check();
	vgpuEvent_t made;

	if (error == CUDA_SUCCESS && (!event || (flags & ~7u)))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(vgpuEventCreate(&made, flags));
	if (error != CUDA_SUCCESS)
		return error;
	*event = (CUevent)(void *)made;
	return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	error = drv_error(vgpuEventDestroy((vgpuEvent_t)(void *)event));
	return error;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	return cuEventRecordWithFlags(event, stream, 0);
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       drv_error(rt_event_record_with((vgpuEvent_t)(void *)event,
						      drv_stream(stream), flags)) :
		       error;
}

CUresult cuEventQuery(CUevent event)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(vgpuEventQuery((vgpuEvent_t)(void *)event)) :
				       error;
}

CUresult cuEventSynchronize(CUevent event)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(vgpuEventSynchronize((vgpuEvent_t)(void *)event)) :
				       error;
}

CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !ms)
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ?
		       drv_error(vgpuEventElapsedTime(ms, (vgpuEvent_t)(void *)start,
						      (vgpuEvent_t)(void *)end)) : error;
}

#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
	return cuEventElapsedTime_v2(ms, start, end);
}
