// SPDX-License-Identifier: MIT
/* nvmlInit() and nvmlShutdown(), devices and what is asked of them; names of errors. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nvml_state.h"

#define SAMPLE_NS	100000000ull

static struct nvml {
	pthread_mutex_t lock;
	unsigned int users;
	struct client client;
	struct nvml_device *devices;
	unsigned int count;
	uint64_t begun;			/* real time of the first nvmlInit*() */
} nvml = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_device(const struct nvml_device *device)
{
	for (unsigned int n = 0; n < nvml.count; n++)
		if (device == &nvml.devices[n])
			return true;
	return false;
}

nvmlReturn_t nvml_enter_system(void)
{
	pthread_mutex_lock(&nvml.lock);
	if (nvml.users)
		return NVML_SUCCESS;
	pthread_mutex_unlock(&nvml.lock);
	return NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t nvml_enter(const struct nvml_device *device)
{
	nvmlReturn_t result = nvml_enter_system();

	if (result)
		return result;
	if (is_device(device))
		return NVML_SUCCESS;
	pthread_mutex_unlock(&nvml.lock);
	return NVML_ERROR_INVALID_ARGUMENT;
}

void nvml_leave(void)
{
	pthread_mutex_unlock(&nvml.lock);
}

struct client *nvml_client(void)
{
	return &nvml.client;
}

unsigned int nvml_device_count(void)
{
	return nvml.count;
}

struct nvml_device *nvml_device_at(unsigned int place)
{
	return place < nvml.count ? &nvml.devices[place] : NULL;
}

uint64_t nvml_real_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

void nvml_wait_for_a_sample(void)
{
	uint64_t passed = nvml_real_time() - nvml.begun;
	struct timespec rest = { .tv_nsec = (long)(SAMPLE_NS - passed) };

	if (passed < SAMPLE_NS)
		nanosleep(&rest, NULL);
}

/* ---- what the module says ----------------------------------------------- */

static nvmlReturn_t verdict(int status)
{
	switch (status) {
	case CLIENT_OK: return NVML_SUCCESS;
	case CLIENT_ABSENT: return NVML_ERROR_DRIVER_NOT_LOADED;
	case CLIENT_FORBIDDEN: return NVML_ERROR_NO_PERMISSION;
	}
	return NVML_ERROR_UNKNOWN;
}

nvmlReturn_t nvml_look(const struct nvml_device *device, struct client_device *now)
{
	struct client_device *list;
	size_t count;
	nvmlReturn_t result;

	result = verdict(client_devices(&nvml.client, (int)device->index, &list, &count));
	if (result)
		return result == NVML_ERROR_UNKNOWN ? NVML_ERROR_GPU_IS_LOST : result;
	if (!count || list[0].offline)
		result = NVML_ERROR_GPU_IS_LOST;
	else
		*now = list[0];
	free(list);
	return result;
}

static void add_context(struct nvml_process *processes, unsigned int most, unsigned int *count,
			const struct client_context *context)
{
	unsigned int n = 0;

	while (n < *count && processes[n].pid != context->pid)
		n++;
	if (n == most)
		return;
	if (n == *count)
		processes[(*count)++] = (struct nvml_process){ .pid = context->pid };
	processes[n].sm_time += context->sm_time;
	processes[n].memory += context->mapped_bytes;
}

nvmlReturn_t nvml_processes(const struct nvml_device *device, struct nvml_process *processes,
			    unsigned int most, unsigned int *count)
{
	struct client_context *list;
	size_t contexts;
	nvmlReturn_t result;

	result = verdict(client_contexts(&nvml.client, (int)device->index, &list, &contexts));
	if (result)
		return result;
	*count = 0;
	for (size_t i = 0; i < contexts; i++)
		if (!list[i].hidden && list[i].pid)
			add_context(processes, most, count, &list[i]);
	free(list);
	return NVML_SUCCESS;
}

/* ---- init --------------------------------------------------------------- */

static void begin_device(struct nvml_device *device, const struct client_device *now)
{
	device->index = now->index;
	device->before = *now;
	device->process_time = now->time;
	/* without them, none has used anything yet */
	nvml_processes(device, device->processes, NVML_PROCESSES, &device->process_count);
}

static nvmlReturn_t begin(void)
{
	struct client_device *list;
	nvmlReturn_t result = verdict(client_open(&nvml.client));
	size_t count;

	if (result)
		return result;
	result = verdict(client_devices(&nvml.client, -1, &list, &count));
	if (!result && !count) {
		free(list);
		result = NVML_ERROR_DRIVER_NOT_LOADED;
	}
	if (result) {
		client_close(&nvml.client);
		return result;
	}
	nvml.count = count < NVML_DEVICES ? (unsigned int)count : NVML_DEVICES;
	nvml.devices = calloc(nvml.count, sizeof(*nvml.devices));
	nvml.begun = nvml_real_time();
	if (nvml.devices)
		for (unsigned int n = 0; n < nvml.count; n++)
			begin_device(&nvml.devices[n], &list[n]);
	else
		client_close(&nvml.client);
	free(list);
	return nvml.devices ? NVML_SUCCESS : NVML_ERROR_MEMORY;
}

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
	nvmlReturn_t result = NVML_SUCCESS;

	(void)flags;		/* "no GPUs is fine", "do not attach": as without */
	pthread_mutex_lock(&nvml.lock);
	if (!nvml.users)
		result = begin();
	if (!result)
		nvml.users++;
	pthread_mutex_unlock(&nvml.lock);
	return result;
}

nvmlReturn_t nvmlInit_v2(void)
{
	return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlShutdown(void)
{
	nvmlReturn_t result = nvml_enter_system();

	if (result)
		return result;
	if (!--nvml.users) {
		client_close(&nvml.client);
		free(nvml.devices);
		nvml.devices = NULL;
		nvml.count = 0;
	}
	nvml_leave();
	return NVML_SUCCESS;
}

/* ---- texts -------------------------------------------------------------- */

nvmlReturn_t nvml_text(char *to, unsigned int length, const char *text)
{
	if (!to)
		return NVML_ERROR_INVALID_ARGUMENT;
	if (strlen(text) >= length)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	memcpy(to, text, strlen(text) + 1);
	return NVML_SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t result)
{
	static const char *const texts[] = {
		[NVML_SUCCESS] = "Success",
		[NVML_ERROR_UNINITIALIZED] = "nvmlInit() was not called",
		[NVML_ERROR_INVALID_ARGUMENT] = "Invalid argument",
		[NVML_ERROR_NOT_SUPPORTED] = "Not supported by vgpu",
		[NVML_ERROR_NO_PERMISSION] = "Insufficient permissions",
		[NVML_ERROR_NOT_FOUND] = "Not found",
		[NVML_ERROR_INSUFFICIENT_SIZE] = "Insufficient size",
		[NVML_ERROR_DRIVER_NOT_LOADED] = "vgpu.ko is not loaded, or has no device",
		[NVML_ERROR_TIMEOUT] = "Timeout",
		[NVML_ERROR_FUNCTION_NOT_FOUND] = "Function not found",
		[NVML_ERROR_GPU_IS_LOST] = "The device is no more",
		[NVML_ERROR_MEMORY] = "Out of memory",
		[NVML_ERROR_ARGUMENT_VERSION_MISMATCH] = "Unknown version of an argument",
	};

	if ((unsigned int)result < sizeof(texts) / sizeof(*texts) && texts[result])
		return texts[result];
	return "Unknown error";
}
