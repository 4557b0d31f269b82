// SPDX-License-Identifier: MIT
/* Who uses a device: memory and SM time of processes. Those of other users are root's to see. */
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "nvml_state.h"

/* ---- memory ------------------------------------------------------------- */

static unsigned int sum_memory(const struct client_context *contexts, size_t count,
			       nvmlProcessInfo_t *infos)
{
	unsigned int found = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned int n = 0;

		if (contexts[i].hidden || !contexts[i].pid)
			continue;
		while (n < found && infos[n].pid != contexts[i].pid)
			n++;
		if (n == found)
			infos[found++] = (nvmlProcessInfo_t){ .pid = contexts[i].pid,
							      .gpuInstanceId = ~0u,
							      .computeInstanceId = ~0u };
		infos[n].usedGpuMemory += contexts[i].mapped_bytes;
	}
	return found;
}

/* All processes of @device, a malloc'ed list. */
static nvmlReturn_t list_processes(nvmlDevice_t device, nvmlProcessInfo_t **infos,
				   unsigned int *count)
{
	struct client_context *contexts;
	nvmlReturn_t result = nvml_enter(device);
	size_t found;

	if (result)
		return result;
	result = nvml_contexts(device, &contexts, &found);
	nvml_leave();
	if (result)
		return result;
	*infos = calloc(found + 1, sizeof(**infos));
	if (*infos)
		*count = sum_memory(contexts, found, *infos);
	free(contexts);
	return *infos ? NVML_SUCCESS : NVML_ERROR_MEMORY;
}

/* @room: in the caller's list; it becomes how many there are. */
static nvmlReturn_t fit(unsigned int *room, unsigned int count, const void *list)
{
	bool fits = count <= *room && (list || !count);

	*room = count;
	return fits ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device,
						     unsigned int *count,
						     nvmlProcessInfo_t *infos)
{
	nvmlProcessInfo_t *all;
	unsigned int found;
	nvmlReturn_t result;

	if (!count)
		return NVML_ERROR_INVALID_ARGUMENT;
	result = list_processes(device, &all, &found);
	if (result)
		return result;
	result = fit(count, found, infos);
	if (!result && found)
		memcpy(infos, all, found * sizeof(*infos));
	free(all);
	return result;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device,
						  unsigned int *count,
						  nvmlProcessInfo_v1_t *infos)
{
	nvmlProcessInfo_t *all;
	unsigned int found;
	nvmlReturn_t result;

	if (!count)
		return NVML_ERROR_INVALID_ARGUMENT;
	result = list_processes(device, &all, &found);
	if (result)
		return result;
	result = fit(count, found, infos);
	for (unsigned int n = 0; !result && n < found; n++)
		infos[n] = (nvmlProcessInfo_v1_t){ all[n].pid, all[n].usedGpuMemory };
	free(all);
	return result;
}

/* ---- SM time ------------------------------------------------------------ */

static uint64_t before_of(const struct nvml_device *device, uint32_t pid)
{
	for (unsigned int n = 0; n < device->process_count; n++)
		if (device->processes[n].pid == pid)
			return device->processes[n].sm_time;
	return 0;
}

/* What has happened since the last call. Returns the number of samples; @samples NULL: count. */
static unsigned int sample(struct nvml_device *device, const struct nvml_process *processes,
			   unsigned int count, const struct client_device *now,
			   nvmlProcessUtilizationSample_t *samples)
{
	double all = (double)(now->time - device->process_time) * now->sms;
	struct timeval time;
	unsigned int used = 0;

	gettimeofday(&time, NULL);
	for (unsigned int n = 0; n < count; n++) {
		uint64_t before = before_of(device, processes[n].pid);
		double share;

		if (processes[n].sm_time <= before || all <= 0)
			continue;
		share = (double)(processes[n].sm_time - before) * 100 / all;
		if (samples)
			samples[used] = (nvmlProcessUtilizationSample_t){
				.pid = processes[n].pid,
				.timeStamp = (uint64_t)time.tv_sec * 1000000 +
					     (uint64_t)time.tv_usec,
				.smUtil = share > 100 ? 100 : (unsigned int)(share + 0.5),
			};
		used++;
	}
	return used;
}

static nvmlReturn_t take_samples(struct nvml_device *device,
				 nvmlProcessUtilizationSample_t *samples, unsigned int *count)
{
	static struct nvml_process processes[NVML_PROCESSES];	/* under the lock */
	struct client_context *contexts;
	struct client_device now;
	unsigned int found, room = *count;
	size_t number;
	nvmlReturn_t result;

	nvml_wait_for_a_sample();
	result = nvml_look(device, &now);

	if (!result)
		result = nvml_contexts(device, &contexts, &number);
	if (result)
		return result;
	found = nvml_processes(contexts, number, processes);
	free(contexts);
	*count = sample(device, processes, found, &now, NULL);
	if (!*count)
		return NVML_ERROR_NOT_FOUND;
	if (!samples || room < *count)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	sample(device, processes, found, &now, samples);
	memcpy(device->processes, processes, found * sizeof(*processes));
	device->process_count = found;
	device->process_time = now.time;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device,
					     nvmlProcessUtilizationSample_t *samples,
					     unsigned int *count, unsigned long long last)
{
	nvmlReturn_t result;

	(void)last;		/* the samples are of now */
	if (!count)
		return NVML_ERROR_INVALID_ARGUMENT;
	result = nvml_enter(device);
	if (result)
		return result;
	result = take_samples(device, samples, count);
	nvml_leave();
	return result;
}
