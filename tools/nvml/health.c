// SPDX-License-Identifier: MIT
/* Errors of memory, as vgpu-smi inject makes them. */
#include "nvml_state.h"

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending)
{
	nvmlReturn_t result = nvml_enter(device);

	if (result)
		return result;
	nvml_leave();
	if (!current || !pending)
		return NVML_ERROR_INVALID_ARGUMENT;
	*current = *pending = 1;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetDefaultEccMode(nvmlDevice_t device, unsigned int *mode)
{
	return nvmlDeviceGetEccMode(device, mode, &(unsigned int){ 0 });
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
					 nvmlEccCounterType_t counter, unsigned long long *count)
{
	nvmlReturn_t result = nvml_enter(device);
	struct client_device now;

	if (result)
		return result;
	result = nvml_look(device, &now);
	nvml_leave();
	if (result)
		return result;
	if (!count || (unsigned int)type > NVML_MEMORY_ERROR_TYPE_UNCORRECTED ||
	    (unsigned int)counter > NVML_AGGREGATE_ECC)
		return NVML_ERROR_INVALID_ARGUMENT;
	*count = type == NVML_MEMORY_ERROR_TYPE_CORRECTED ? now.ecc_corrected :
							    now.ecc_uncorrected;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, nvmlMemoryErrorType_t type,
					     nvmlEccCounterType_t counter,
					     nvmlMemoryLocation_t location,
					     unsigned long long *count)
{
	if (location != NVML_MEMORY_LOCATION_DRAM)
		return NVML_ERROR_NOT_SUPPORTED;
	return nvmlDeviceGetTotalEccErrors(device, type, counter, count);
}
