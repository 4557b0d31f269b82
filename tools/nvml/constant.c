// SPDX-License-Identifier: MIT
/*
 * Questions to which the answer is the same for every vgpu device: there is no display, no
 * graphics, no MIG, no MPS daemon, no unit.
 */
#include "nvml_state.h"

/* A number, of a device. */
#define NONE(name, number)						\
nvmlReturn_t name(nvmlDevice_t device, unsigned int *value);		\
nvmlReturn_t name(nvmlDevice_t device, unsigned int *value)		\
{									\
	nvmlReturn_t result = nvml_enter(device);			\
									\
	if (result)							\
		return result;						\
	nvml_leave();							\
	if (!value)							\
		return NVML_ERROR_INVALID_ARGUMENT;			\
	*value = number;						\
	return NVML_SUCCESS;						\
}

NONE(nvmlDeviceGetComputeMode, 0)		/* many processes at a time */
NONE(nvmlDeviceGetDisplayMode, 0)
NONE(nvmlDeviceGetDisplayActive, 0)
NONE(nvmlDeviceGetPersistenceMode, 0)
NONE(nvmlDeviceGetBrand, 0)			/* unknown */
NONE(nvmlDeviceGetMultiGpuBoard, 0)
NONE(nvmlDeviceGetVirtualizationMode, 0)
NONE(nvmlDeviceIsMigDeviceHandle, 0)
NONE(nvmlDeviceGetMaxMigDeviceCount, 0)
NONE(nvmlDeviceGetNumFans, 0)
NONE(nvmlDeviceGetAccountingMode, 0)

/* No processes of a kind; a list that is not looked at. */
#define NO(name)							\
nvmlReturn_t name(nvmlDevice_t device, unsigned int *count, void *infos); \
nvmlReturn_t name(nvmlDevice_t device, unsigned int *count, void *infos) \
{									\
	nvmlReturn_t result = nvml_enter(device);			\
									\
	(void)infos;							\
	if (result)							\
		return result;						\
	nvml_leave();							\
	if (!count)							\
		return NVML_ERROR_INVALID_ARGUMENT;			\
	*count = 0;							\
	return NVML_SUCCESS;						\
}

NO(nvmlDeviceGetGraphicsRunningProcesses)
NO(nvmlDeviceGetGraphicsRunningProcesses_v2)
NO(nvmlDeviceGetGraphicsRunningProcesses_v3)
NO(nvmlDeviceGetMPSComputeRunningProcesses)
NO(nvmlDeviceGetMPSComputeRunningProcesses_v2)
NO(nvmlDeviceGetMPSComputeRunningProcesses_v3)

nvmlReturn_t nvmlUnitGetCount(unsigned int *count);
nvmlReturn_t nvmlUnitGetCount(unsigned int *count)
{
	nvmlReturn_t result = nvml_enter_system();

	if (result)
		return result;
	nvml_leave();
	if (!count)
		return NVML_ERROR_INVALID_ARGUMENT;
	*count = 0;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceOnSameBoard(nvmlDevice_t one, nvmlDevice_t other, int *same);
nvmlReturn_t nvmlDeviceOnSameBoard(nvmlDevice_t one, nvmlDevice_t other, int *same)
{
	nvmlReturn_t result = nvml_enter(one);

	if (!result) {
		nvml_leave();
		result = nvml_enter(other);
	}
	if (result)
		return result;
	nvml_leave();
	if (!same)
		return NVML_ERROR_INVALID_ARGUMENT;
	*same = one == other;
	return NVML_SUCCESS;
}
