// SPDX-License-Identifier: MIT
/* Memory, utilization and clocks of a device. */
#include "nvml_state.h"

#define SAME_NS		50000000ull	/* a second look within it gets the same answer */

/* Device @device as it is now, between nvml_enter() and nvml_leave(). */
static nvmlReturn_t look(nvmlDevice_t device, struct client_device *now)
{
	nvmlReturn_t result = nvml_enter(device);

	if (result)
		return result;
	result = nvml_look(device, now);
	nvml_leave();
	return result;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	struct client_device now;
	nvmlReturn_t result = look(device, &now);

	if (result)
		return result;
	if (!memory)
		return NVML_ERROR_INVALID_ARGUMENT;
	memory->total = now.vram_bytes;
	memory->free = now.vram_free;
	memory->used = now.vram_bytes - now.vram_free;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
	nvmlMemory_t plain;
	nvmlReturn_t result;

	if (memory && memory->version != nvmlMemory_v2)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	result = nvmlDeviceGetMemoryInfo(device, memory ? &plain : NULL);
	if (result)
		return result;
	memory->total = plain.total;
	memory->reserved = 0;
	memory->free = plain.free;
	memory->used = plain.used;
	return NVML_SUCCESS;
}

static nvmlReturn_t update_rates(struct nvml_device *device)
{
	struct client_device now;
	uint64_t time = nvml_real_time();
	nvmlReturn_t result;

	if (!device->looked)
		nvml_wait_for_a_sample();
	if (device->looked && time - device->looked < SAME_NS)
		return NVML_SUCCESS;
	result = nvml_look(device, &now);
	if (result)
		return result;
	device->rates.gpu = client_utilization(&device->before, &now);
	device->rates.memory = client_copy_share(&device->before, &now);
	device->before = now;
	device->looked = time;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device,
					   nvmlUtilization_t *utilization)
{
	nvmlReturn_t result = nvml_enter(device);

	if (result)
		return result;
	result = utilization ? update_rates(device) : NVML_ERROR_INVALID_ARGUMENT;
	if (!result)
		*utilization = device->rates;
	nvml_leave();
	return result;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type,
				    unsigned int *mhz)
{
	struct client_device now;
	nvmlReturn_t result = look(device, &now);

	if (result)
		return result;
	if (!mhz || (unsigned int)type > NVML_CLOCK_VIDEO)
		return NVML_ERROR_INVALID_ARGUMENT;
	if (type != NVML_CLOCK_GRAPHICS && type != NVML_CLOCK_SM)
		return NVML_ERROR_NOT_SUPPORTED;
	*mhz = now.clock_khz / 1000;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type,
				       unsigned int *mhz)
{
	return nvmlDeviceGetClockInfo(device, type, mhz);
}
