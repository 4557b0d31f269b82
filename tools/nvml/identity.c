// SPDX-License-Identifier: MIT
/* Which devices there are, and what they are called: as the CUDA runtime says it. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "nvml_state.h"

/* As cuDriverGetVersion() */
#define CUDA_VERSION	13000

/* ---- the system --------------------------------------------------------- */

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
	nvmlReturn_t result = nvml_enter_system();
	char text[16];

	if (result)
		return result;
	nvml_leave();
	snprintf(text, sizeof(text), "%d.0", VGPU_UAPI_VERSION);
	return nvml_text(version, length, text);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
	char text[32];

	snprintf(text, sizeof(text), "%d.%d", NVML_API_VERSION, VGPU_UAPI_VERSION);
	return nvml_text(version, length, text);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
	nvmlReturn_t result = nvml_enter_system();

	if (result)
		return result;
	nvml_leave();
	if (!version)
		return NVML_ERROR_INVALID_ARGUMENT;
	*version = CUDA_VERSION;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length)
{
	nvmlReturn_t result = nvml_enter_system();
	char text[64];

	if (result)
		return result;
	client_process_name(pid, text, sizeof(text));
	nvml_leave();
	return pid && text[0] == '[' ? NVML_ERROR_NOT_FOUND : nvml_text(name, length, text);
}

/* ---- handles ------------------------------------------------------------ */

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count)
{
	nvmlReturn_t result = nvml_enter_system();

	if (result)
		return result;
	if (count)
		*count = nvml_device_count();
	nvml_leave();
	return count ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
	nvmlReturn_t result = nvml_enter_system();
	struct nvml_device *found;

	if (result)
		return result;
	found = nvml_device_at(index);
	nvml_leave();
	if (!device || !found)
		return NVML_ERROR_INVALID_ARGUMENT;
	*device = found;
	return NVML_SUCCESS;
}

/* "0000:01:00.0" and "00000000:01:00.0" are the same. */
static const char *without_zeros(const char *bus)
{
	return bus + strspn(bus, "0");
}

static nvmlReturn_t handle_by(const char *what, nvmlDevice_t *device,
			      const char *(*name)(uint32_t index, char *text, size_t size),
			      bool bus)
{
	nvmlReturn_t result = nvml_enter_system();
	char text[NVML_DEVICE_UUID_BUFFER_SIZE];

	if (result)
		return result;
	result = what && device ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT;
	for (unsigned int n = 0; result == NVML_ERROR_NOT_FOUND && n < nvml_device_count(); n++) {
		struct nvml_device *one = nvml_device_at(n);

		name(one->index, text, sizeof(text));
		if (strcasecmp(bus ? without_zeros(text) : text,
			       bus ? without_zeros(what) : what))
			continue;
		*device = one;
		result = NVML_SUCCESS;
	}
	nvml_leave();
	return result;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
	return handle_by(uuid, device, client_uuid, false);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device)
{
	return handle_by(id, device, client_bus, true);
}

/* ---- a device ----------------------------------------------------------- */

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
	nvmlReturn_t result = nvml_enter(device);

	if (result)
		return result;
	if (index)
		*index = (unsigned int)(device - nvml_device_at(0));
	nvml_leave();
	return index ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor)
{
	nvmlReturn_t result = nvml_enter(device);

	if (result)
		return result;
	if (minor)
		*minor = device->index;
	nvml_leave();
	return minor ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
	nvmlReturn_t result = nvml_enter(device);
	char text[NVML_DEVICE_NAME_BUFFER_SIZE];

	if (result)
		return result;
	snprintf(text, sizeof(text), "vgpu %s", device->before.preset);
	nvml_leave();
	return nvml_text(name, length, text);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
	nvmlReturn_t result = nvml_enter(device);
	char text[NVML_DEVICE_UUID_BUFFER_SIZE];

	if (result)
		return result;
	client_uuid(device->index, text, sizeof(text));
	nvml_leave();
	return nvml_text(uuid, length, text);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	nvmlReturn_t result = nvml_enter(device);

	if (result)
		return result;
	if (pci) {
		memset(pci, 0, sizeof(*pci));
		pci->bus = device->index & 0xff;
		client_bus(device->index, pci->busId, sizeof(pci->busId));
		memcpy(pci->busIdLegacy, pci->busId + 4, sizeof("0000:00:00.0"));
	}
	nvml_leave();
	return pci ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

static nvmlReturn_t look_at(nvmlDevice_t device, struct client_device *now)
{
	nvmlReturn_t result = nvml_enter(device);

	if (result)
		return result;
	result = nvml_look(device, now);
	nvml_leave();
	return result;
}

/* An older module, which does not say, takes code for 7.0. */
static unsigned int capability_of(const struct client_device *now)
{
	return now->compute_capability ? (unsigned int)now->compute_capability : 70;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major,
						int *minor)
{
	struct client_device now;
	nvmlReturn_t result = look_at(device, &now);

	if (result)
		return result;
	if (!major || !minor)
		return NVML_ERROR_INVALID_ARGUMENT;
	*major = (int)capability_of(&now) / 10;
	*minor = (int)capability_of(&now) % 10;
	return NVML_SUCCESS;
}

/* NVML's numbers of generations, by the first capability of each. */
nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, unsigned int *architecture);
nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, unsigned int *architecture)
{
	static const struct {
		unsigned int from, number;
	} generations[] = {
		{ 90, 9 }, { 89, 8 }, { 80, 7 }, { 75, 6 },
		{ 70, 5 }, { 60, 4 }, { 50, 3 }, { 0, 2 },
	};
	struct client_device now;
	nvmlReturn_t result = look_at(device, &now);
	unsigned int n = 0;

	if (result)
		return result;
	if (!architecture)
		return NVML_ERROR_INVALID_ARGUMENT;
	while (capability_of(&now) < generations[n].from)
		n++;
	*architecture = generations[n].number;
	return NVML_SUCCESS;
}
