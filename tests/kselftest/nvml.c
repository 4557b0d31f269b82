// SPDX-License-Identifier: MIT
/*
 * libnvidia-ml.so.1 (docs/nvml.md), as a monitor loads it: what a device is, who uses it and
 * how much, faults as events, other users' contexts, and wrong arguments.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "tools/nvml/nvml.h"
#include "vgpu_asm.h"

#define LIBRARY	"build/libnvidia-ml.so.1"

static void *library;

static void *function(const char *name)
{
	void *found;

	if (!library)
		library = dlopen(LIBRARY, RTLD_NOW);
	if (!library)
		printf("# %s\n", dlerror());
	CHECK(library);
	found = dlsym(library, name);
	if (!found)
		printf("# there is no %s\n", name);
	CHECK(found);
	return found;
}

#undef nvmlInit
#define F(name)	((__typeof__(&name))function(#name))
#define MUST(call)	CHECK_EQ(call, NVML_SUCCESS)

static nvmlDevice_t first(void)
{
	nvmlDevice_t device;

	MUST(F(nvmlInit_v2)());
	MUST(F(nvmlDeviceGetHandleByIndex_v2)(0, &device));
	return device;
}

static void identity(void)
{
	int fd = must_open();
	struct vgpu_device_info info = must_device_info(fd);
	char text[96], uuid[96], name[96];
	nvmlDevice_t device = first(), same;
	nvmlMemory_v2_t memory = { .version = nvmlMemory_v2 };
	unsigned int number;
	int major, minor;
	nvmlPciInfo_t pci;

	MUST(F(nvmlDeviceGetCount_v2)(&number));
	CHECK_EQ(number, 1);
	MUST(F(nvmlDeviceGetName)(device, text, sizeof(text)));
	snprintf(name, sizeof(name), "vgpu %s", info.name);
	CHECK(!strcmp(text, name));
	CHECK_EQ(F(nvmlDeviceGetName)(device, text, (unsigned int)strlen(name)),
		 NVML_ERROR_INSUFFICIENT_SIZE);
	MUST(F(nvmlDeviceGetUUID)(device, uuid, sizeof(uuid)));
	CHECK(!strcmp(uuid, "GPU-76677075-0000-0000-0000-000000000000"));
	MUST(F(nvmlDeviceGetHandleByUUID)(uuid, &same));
	CHECK(same == device);
	MUST(F(nvmlDeviceGetPciInfo_v3)(device, &pci));
	CHECK(!strcmp(pci.busId, "00000000:00:00.0"));
	MUST(F(nvmlDeviceGetHandleByPciBusId_v2)("0000:00:00.0", &same));
	CHECK(same == device);
	CHECK_EQ(F(nvmlDeviceGetHandleByPciBusId_v2)("0000:01:00.0", &same), NVML_ERROR_NOT_FOUND);
	MUST(F(nvmlDeviceGetMemoryInfo_v2)(device, &memory));
	CHECK_EQ(memory.total, info.vram_bytes);
	CHECK_EQ(memory.used + memory.free, memory.total);
	MUST(F(nvmlDeviceGetClockInfo)(device, NVML_CLOCK_SM, &number));
	CHECK_EQ(number, info.clock_khz / 1000);
	MUST(F(nvmlDeviceGetCudaComputeCapability)(device, &major, &minor));
	CHECK_EQ(major * 10 + minor, info.compute_capability);
	MUST(F(nvmlShutdown)());
}

static nvmlProcessInfo_t *find(nvmlProcessInfo_t *list, unsigned int count, pid_t pid)
{
	for (unsigned int n = 0; n < count; n++)
		if (list[n].pid == (unsigned int)pid)
			return &list[n];
	return NULL;
}

/* An endless kernel in this process has the device, 3 MB in two contexts. */
static void use(void)
{
	nvmlDevice_t device = first();
	uint32_t queue;
	int fd = must_open_busy(&queue), other = must_open();
	nvmlProcessInfo_t list[8], *mine;
	nvmlProcessUtilizationSample_t samples[8];
	nvmlUtilization_t rates;
	unsigned int count = 0;

	CHECK_EQ(mem_map(fd, BASE + (64 << 20), 1 << 20), 0);
	CHECK_EQ(mem_map(other, BASE, 2 << 20), 0);
	CHECK_EQ(F(nvmlDeviceGetComputeRunningProcesses_v3)(device, &count, NULL),
		 NVML_ERROR_INSUFFICIENT_SIZE);
	CHECK(count >= 1);
	count = 8;
	MUST(F(nvmlDeviceGetComputeRunningProcesses_v3)(device, &count, list));
	mine = find(list, count, getpid());
	CHECK(mine);
	CHECK(mine->usedGpuMemory >= 3 << 20);
	MUST(F(nvmlDeviceGetUtilizationRates)(device, &rates));
	CHECK(rates.gpu >= 1 && rates.gpu <= 100);
	count = 8;
	MUST(F(nvmlDeviceGetProcessUtilization)(device, samples, &count, 0));
	CHECK_EQ(count, 1);
	CHECK_EQ(samples[0].pid, getpid());
	CHECK(samples[0].smUtil >= 1 && samples[0].smUtil <= 100);
	close(fd);
	close(other);
	count = 8;
	MUST(F(nvmlDeviceGetComputeRunningProcesses_v3)(device, &count, list));
	CHECK(!find(list, count, getpid()));
	MUST(F(nvmlShutdown)());
}

/* A profiled block touches memory that is not mapped. */
static void events(void)
{
	nvmlDevice_t device = first();
	int fd = must_open();
	struct vgpu_cmd cmd = cmd_touching(1, BASE);
	unsigned long long types;
	nvmlEventSet_t set;
	nvmlEventData_t data;

	MUST(F(nvmlDeviceGetSupportedEventTypes)(device, &types));
	CHECK_EQ(types, nvmlEventTypeXidCriticalError);
	MUST(F(nvmlEventSetCreate)(&set));
	CHECK_EQ(F(nvmlDeviceRegisterEvents)(device, types << 1, set), NVML_ERROR_NOT_SUPPORTED);
	MUST(F(nvmlDeviceRegisterEvents)(device, types, set));
	CHECK_EQ(F(nvmlEventSetWait_v2)(set, &data, 50), NVML_ERROR_TIMEOUT);
	must_submit(fd, must_queue(fd), &cmd, 1);
	MUST(F(nvmlEventSetWait_v2)(set, &data, 30000));
	CHECK(data.device == device);
	CHECK_EQ(data.eventType, nvmlEventTypeXidCriticalError);
	CHECK_EQ(data.eventData, 31);
	MUST(F(nvmlEventSetFree)(set));
	MUST(F(nvmlShutdown)());
}

/* Who is not root sees the device, and no processes of others. */
static void other_user(void)
{
	uint32_t queue;
	int fd = must_open_busy(&queue);
	nvmlProcessInfo_t list[8];
	unsigned int count = 8;
	nvmlUtilization_t rates;
	nvmlDevice_t device;

	(void)fd;
	CHECK_EQ(setresuid(1000, 1000, 1000), 0);
	device = first();
	MUST(F(nvmlDeviceGetUtilizationRates)(device, &rates));
	MUST(F(nvmlDeviceGetComputeRunningProcesses_v3)(device, &count, list));
	CHECK_EQ(count, 0);
	MUST(F(nvmlShutdown)());
}

static void wrong(void)
{
	nvmlMemory_v2_t memory = { .version = 1 };
	nvmlReturn_t (*temperature)(nvmlDevice_t, int, unsigned int *);
	nvmlDevice_t device;
	unsigned int number;

	CHECK_EQ(F(nvmlDeviceGetCount_v2)(&number), NVML_ERROR_UNINITIALIZED);
	CHECK_EQ(F(nvmlShutdown)(), NVML_ERROR_UNINITIALIZED);
	device = first();
	MUST(F(nvmlInit_v2)());
	MUST(F(nvmlShutdown)());
	CHECK_EQ(F(nvmlDeviceGetIndex)(NULL, &number), NVML_ERROR_INVALID_ARGUMENT);
	CHECK_EQ(F(nvmlDeviceGetIndex)((nvmlDevice_t)((char *)device + 8), &number),
		 NVML_ERROR_INVALID_ARGUMENT);
	CHECK_EQ(F(nvmlDeviceGetIndex)(device, NULL), NVML_ERROR_INVALID_ARGUMENT);
	CHECK_EQ(F(nvmlDeviceGetHandleByIndex_v2)(1, &device), NVML_ERROR_INVALID_ARGUMENT);
	CHECK_EQ(F(nvmlDeviceGetHandleByUUID)("GPU-0", &device), NVML_ERROR_NOT_FOUND);
	CHECK_EQ(F(nvmlDeviceGetMemoryInfo_v2)(device, &memory),
		 NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	temperature = (__typeof__(temperature))function("nvmlDeviceGetTemperature");
	CHECK_EQ(temperature(device, 0, &number), NVML_ERROR_NOT_SUPPORTED);
	CHECK(strstr(F(nvmlErrorString)(NVML_ERROR_DRIVER_NOT_LOADED), "vgpu.ko"));
	CHECK(!strcmp(F(nvmlErrorString)((nvmlReturn_t)12345), "Unknown error"));
	MUST(F(nvmlShutdown)());
	CHECK_EQ(F(nvmlDeviceGetIndex)(device, &number), NVML_ERROR_UNINITIALIZED);
}

static void *looks(void *arg)
{
	nvmlUtilization_t rates;
	nvmlProcessInfo_t list[8];

	for (int i = 0; i < 50; i++) {
		unsigned int count = 8;

		MUST(F(nvmlDeviceGetUtilizationRates)(arg, &rates));
		MUST(F(nvmlDeviceGetComputeRunningProcesses_v3)(arg, &count, list));
	}
	return NULL;
}

static void threads(void)
{
	nvmlDevice_t device = first();
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, looks, device), 0);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
	MUST(F(nvmlShutdown)());
}

static const struct test tests[] = {
	{ "nvml: what a device is", identity },
	{ "nvml: who uses it, and how much", use },
	{ "nvml: a fault is an event", events },
	{ "nvml: without privileges", other_user },
	{ "nvml: wrong arguments", wrong },
	{ "nvml: from several threads", threads },
};

TESTS_MAIN(tests)
