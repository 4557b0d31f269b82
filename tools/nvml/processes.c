// SPDX-License-Identifier: MIT
/* Who uses a device: memory and SM time of processes. Those of other users are root's to see. */
#include <string.h>
#include <sys/time.h>

#include "nvml_state.h"

/* ---- memory ------------------------------------------------------------- */

static struct nvml_process found[NVML_PROCESSES];	/* under the lock */

/* Processes of @device into found; @room is that of the caller's list, then how many there are. */
static nvmlReturn_t find_processes(nvmlDevice_t device, const void *list, unsigned int *room)
{
	unsigned int count;
	nvmlReturn_t result = nvml_processes(device, found, NVML_PROCESSES, &count);
	bool fits = count <= *room && (list || !count);

	if (result)
		return result;
	*room = count;
	return fits ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count,
						     nvmlProcessInfo_t *infos)
{
	nvmlReturn_t result;

	if (!count)
		return NVML_ERROR_INVALID_ARGUMENT;
	result = nvml_enter(device);
	if (result)
		return result;
	result = find_processes(device, infos, count);
	for (unsigned int n = 0; !result && n < *count; n++)
		infos[n] = (nvmlProcessInfo_t){ .pid = found[n].pid,
						.usedGpuMemory = found[n].memory,
						.gpuInstanceId = ~0u,
						.computeInstanceId = ~0u };
	nvml_leave();
	return result;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int *count,
						  nvmlProcessInfo_v1_t *infos)
{
	nvmlReturn_t result;

	if (!count)
		return NVML_ERROR_INVALID_ARGUMENT;
	result = nvml_enter(device);
	if (result)
		return result;
	result = find_processes(device, infos, count);
	for (unsigned int n = 0; !result && n < *count; n++)
		infos[n] = (nvmlProcessInfo_v1_t){ found[n].pid, found[n].memory };
	nvml_leave();
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
	struct client_device now;
	unsigned int processes, room = *count;
	nvmlReturn_t result;

	nvml_wait_for_a_sample();
	result = nvml_look(device, &now);

	if (!result)
		result = nvml_processes(device, found, NVML_PROCESSES, &processes);
	if (result)
		return result;
	*count = sample(device, found, processes, &now, NULL);
	if (!*count)
		return NVML_ERROR_NOT_FOUND;
	if (!samples || room < *count)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	sample(device, found, processes, &now, samples);
	memcpy(device->processes, found, processes * sizeof(*found));
	device->process_count = processes;
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
