// SPDX-License-Identifier: MIT
/*
 * Driver API: memory and events of other processes, by handles of 64 bytes.
 */
#include <string.h>

#include "api/events/ipc_event.h"
#include "api/memory/ipc.h"
#include "driver.h"

_Static_assert(sizeof(CUipcMemHandle) == sizeof(struct rt_ipc_memory), "one kind of handle");
_Static_assert(sizeof(CUipcEventHandle) == sizeof(struct rt_ipc_event), "one kind of handle");

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr pointer)
{
	CUresult error = drv_check();
	struct rt_ipc_memory memory;

	if (error == CUDA_SUCCESS && !handle)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_ipc_export(drv_pointer(pointer), &memory));
	if (error == CUDA_SUCCESS)
		memcpy(handle, &memory, sizeof(memory));
	return error;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned int flags)
{
	CUresult error = drv_check();
	struct rt_ipc_memory memory;
	void *address;

	if (error == CUDA_SUCCESS && (!pointer || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS))
		error = CUDA_ERROR_INVALID_VALUE;
	memcpy(&memory, &handle, sizeof(memory));
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_ipc_open(&memory, &address));
	if (error == CUDA_SUCCESS)
		*pointer = (CUdeviceptr)(uintptr_t)address;
	return error;
}

#undef cuIpcOpenMemHandle
CUresult cuIpcOpenMemHandle(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned int flags)
{
	return cuIpcOpenMemHandle_v2(pointer, handle, flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr pointer)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(rt_ipc_close(drv_pointer(pointer))) : error;
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
	CUresult error = drv_check();
	struct rt_ipc_event shared;

	if (error == CUDA_SUCCESS && !handle)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_ipc_event_export((vgpuEvent_t)(void *)event, &shared));
	if (error == CUDA_SUCCESS)
		memcpy(handle, &shared, sizeof(shared));
	return error;
}

CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
	CUresult error = drv_check();
	struct rt_ipc_event shared;
	vgpuEvent_t opened;

	if (error == CUDA_SUCCESS && !event)
		error = CUDA_ERROR_INVALID_VALUE;
	memcpy(&shared, &handle, sizeof(shared));
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_ipc_event_open(&shared, &opened));
	if (error != CUDA_SUCCESS)
		return error;
	*event = (CUevent)(void *)opened;
	return CUDA_SUCCESS;
}
