/* SPDX-License-Identifier: MIT */
/*
 * NVML for vgpu devices: the functions of libnvidia-ml.so.1 that there are, with the types, names
 * and numbers that programs have been built with. What it answers comes from the module by netlink
 * (docs/netlink.md) and is shown to who may see it: processes of other users are left out unless
 * the caller is root. Times and utilization are of virtual time. docs/nvml.md.
 *
 * All functions may be called from any thread. Every function but nvmlErrorString(), nvmlInit*()
 * and nvmlSystemGetNVMLVersion() fails with NVML_ERROR_UNINITIALIZED before nvmlInit*(), and with
 * NVML_ERROR_INVALID_ARGUMENT for a NULL or a device that nobody has got from here.
 */
#ifndef VGPU_NVML_H
#define VGPU_NVML_H

#ifdef __cplusplus
extern "C" {
#endif

#define NVML_API_VERSION	13

typedef enum {
	NVML_SUCCESS = 0,
	NVML_ERROR_UNINITIALIZED = 1,
	NVML_ERROR_INVALID_ARGUMENT = 2,
	NVML_ERROR_NOT_SUPPORTED = 3,
	NVML_ERROR_NO_PERMISSION = 4,
	NVML_ERROR_ALREADY_INITIALIZED = 5,
	NVML_ERROR_NOT_FOUND = 6,
	NVML_ERROR_INSUFFICIENT_SIZE = 7,
	NVML_ERROR_INSUFFICIENT_POWER = 8,
	NVML_ERROR_DRIVER_NOT_LOADED = 9,
	NVML_ERROR_TIMEOUT = 10,
	NVML_ERROR_IRQ_ISSUE = 11,
	NVML_ERROR_LIBRARY_NOT_FOUND = 12,
	NVML_ERROR_FUNCTION_NOT_FOUND = 13,
	NVML_ERROR_CORRUPTED_INFOROM = 14,
	NVML_ERROR_GPU_IS_LOST = 15,
	NVML_ERROR_RESET_REQUIRED = 16,
	NVML_ERROR_OPERATING_SYSTEM = 17,
	NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18,
	NVML_ERROR_IN_USE = 19,
	NVML_ERROR_MEMORY = 20,
	NVML_ERROR_NO_DATA = 21,
	NVML_ERROR_VGPU_ECC_NOT_SUPPORTED = 22,
	NVML_ERROR_INSUFFICIENT_RESOURCES = 23,
	NVML_ERROR_FREQ_NOT_SUPPORTED = 24,
	NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
	NVML_ERROR_DEPRECATED = 26,
	NVML_ERROR_NOT_READY = 27,
	NVML_ERROR_GPU_NOT_FOUND = 28,
	NVML_ERROR_INVALID_STATE = 29,
	NVML_ERROR_RESET_TYPE_NOT_SUPPORTED = 30,
	NVML_ERROR_UNKNOWN = 999,
} nvmlReturn_t;

typedef struct nvml_device *nvmlDevice_t;
typedef struct nvml_event_set *nvmlEventSet_t;

#define NVML_DEVICE_NAME_BUFFER_SIZE		64
#define NVML_DEVICE_UUID_BUFFER_SIZE		80
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE	32
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE	16
#define NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE	80
#define NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE	80

typedef struct {
	char busIdLegacy[NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE];
	unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
	char busId[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
} nvmlPciInfo_t;

typedef struct {
	unsigned long long total, free, used;	/* bytes; used: promised to processes */
} nvmlMemory_t;

#define nvmlMemory_v2	(sizeof(nvmlMemory_v2_t) | 2u << 24)
typedef struct {
	unsigned int version;
	unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;

typedef struct {
	unsigned int gpu;	/* per cent of SM time not idle */
	unsigned int memory;	/* per cent of the time in which copy engine 0 transferred */
} nvmlUtilization_t;

typedef struct {
	unsigned int pid;
	unsigned long long usedGpuMemory;
} nvmlProcessInfo_v1_t;

typedef struct {
	unsigned int pid;
	unsigned long long usedGpuMemory;
	unsigned int gpuInstanceId, computeInstanceId;	/* ~0: no MIG */
} nvmlProcessInfo_t;

typedef struct {
	unsigned int pid;
	unsigned long long timeStamp;		/* microseconds since 1970 */
	unsigned int smUtil, memUtil, encUtil, decUtil;
} nvmlProcessUtilizationSample_t;

typedef enum {
	NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO,
} nvmlClockType_t;

#define nvmlEventTypeXidCriticalError	8ull

typedef enum {
	NVML_MEMORY_ERROR_TYPE_CORRECTED,
	NVML_MEMORY_ERROR_TYPE_UNCORRECTED
} nvmlMemoryErrorType_t;

typedef enum {
	NVML_VOLATILE_ECC,
	NVML_AGGREGATE_ECC
} nvmlEccCounterType_t;

typedef enum {
	NVML_MEMORY_LOCATION_L1_CACHE,
	NVML_MEMORY_LOCATION_L2_CACHE,
	NVML_MEMORY_LOCATION_DRAM
} nvmlMemoryLocation_t;

typedef struct {
	nvmlDevice_t device;
	unsigned long long eventType, eventData;	/* XID of a fault of a context */
	unsigned int gpuInstanceId, computeInstanceId;
} nvmlEventData_t;

const char *nvmlErrorString(nvmlReturn_t result);
/* Counted: the last nvmlShutdown() counts. NVML_ERROR_DRIVER_NOT_LOADED: no vgpu device. */
nvmlReturn_t nvmlInit_v2(void);
nvmlReturn_t nvmlInitWithFlags(unsigned int flags);
nvmlReturn_t nvmlShutdown(void);

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length);
nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length);
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version);
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version);
nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length);

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count);
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index);
nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor);
/* "vgpu v100": as cudaDeviceProp.name */
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length);
/* As cudaDeviceProp.uuid: "GPU-76677075-0000-0000-0000-0000000000NN" of device NN */
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length);
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci);
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor);

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory);
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory);
/*
 * Of the virtual time since the last look of this process, or since nvmlInit*(); the first look
 * waits until that was a tenth of a second ago. A second look within 50 ms of real time gets the
 * same answer. 0: no virtual time has passed.
 */
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization);
/* ECC is on, always. Errors are those that vgpu-smi inject has made, all in device memory. */
nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, unsigned int *current,
				  unsigned int *pending);
nvmlReturn_t nvmlDeviceGetDefaultEccMode(nvmlDevice_t device, unsigned int *mode);
nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
					 nvmlEccCounterType_t counter, unsigned long long *count);
/* NVML_ERROR_NOT_SUPPORTED: not device memory */
nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, nvmlMemoryErrorType_t type,
					     nvmlEccCounterType_t counter,
					     nvmlMemoryLocation_t location,
					     unsigned long long *count);
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz);
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type,
				       unsigned int *mhz);

/*
 * Processes with contexts: @count is the room in @infos, and how many there are.
 * NVML_ERROR_INSUFFICIENT_SIZE: the room is not enough.
 */
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int *count,
						  nvmlProcessInfo_v1_t *infos);
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned int *count,
						     nvmlProcessInfo_t *infos);
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count,
						     nvmlProcessInfo_t *infos);
/*
 * A sample for each process that has used SMs since the last call with this device, or since
 * nvmlInit*(), a tenth of a second at least; NVML_ERROR_NOT_FOUND: none has. A sample is of now,
 * whatever @last is.
 */
nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device,
					     nvmlProcessUtilizationSample_t *samples,
					     unsigned int *count, unsigned long long last);

/* Faults of contexts: of everybody's for root, else without the number of the fault (XID 0). */
nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types);
nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set);
nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types,
				      nvmlEventSet_t set);
/* NVML_ERROR_TIMEOUT: none in @timeout_ms; ~0: wait for ever */
nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data,
				 unsigned int timeout_ms);
nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set);

#define nvmlInit			nvmlInit_v2
#define nvmlDeviceGetCount		nvmlDeviceGetCount_v2
#define nvmlDeviceGetHandleByIndex	nvmlDeviceGetHandleByIndex_v2
#define nvmlDeviceGetHandleByPciBusId	nvmlDeviceGetHandleByPciBusId_v2
#define nvmlDeviceGetPciInfo		nvmlDeviceGetPciInfo_v3
#define nvmlEventSetWait		nvmlEventSetWait_v2

#ifdef __cplusplus
}
#endif
#endif
