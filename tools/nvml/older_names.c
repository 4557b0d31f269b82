// SPDX-License-Identifier: MIT
/* Functions under the names that they had before they got a version. */
#include "nvml_state.h"

#undef nvmlInit
#undef nvmlDeviceGetCount
#undef nvmlDeviceGetHandleByIndex
#undef nvmlDeviceGetHandleByPciBusId
#undef nvmlDeviceGetPciInfo
#undef nvmlEventSetWait

#define SAME(name, as, parameters, arguments)	\
nvmlReturn_t name parameters;			\
nvmlReturn_t name parameters			\
{						\
	return as arguments;			\
}

SAME(nvmlInit, nvmlInit_v2, (void), ())
SAME(nvmlDeviceGetCount, nvmlDeviceGetCount_v2, (unsigned int *count), (count))
SAME(nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByIndex_v2,
     (unsigned int index, nvmlDevice_t *device), (index, device))
SAME(nvmlDeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2,
     (const char *id, nvmlDevice_t *device), (id, device))
SAME(nvmlDeviceGetPciInfo_v2, nvmlDeviceGetPciInfo_v3,
     (nvmlDevice_t device, nvmlPciInfo_t *pci), (device, pci))
SAME(nvmlDeviceGetPciInfo, nvmlDeviceGetPciInfo_v3,
     (nvmlDevice_t device, nvmlPciInfo_t *pci), (device, pci))
SAME(nvmlEventSetWait, nvmlEventSetWait_v2,
     (nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeout_ms), (set, data, timeout_ms))
SAME(nvmlSystemGetCudaDriverVersion_v2, nvmlSystemGetCudaDriverVersion, (int *version), (version))
SAME(nvmlDeviceGetComputeRunningProcesses_v2, nvmlDeviceGetComputeRunningProcesses_v3,
     (nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos), (device, count, infos))
