/* SPDX-License-Identifier: MIT */
/*
 * What the functions of nvml.h share. Private to tools/nvml/. Between nvml_enter() and nvml_leave()
 * a thread has all of it for itself.
 */
#ifndef NVML_STATE_H
#define NVML_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "nvml.h"
#include "tools/netlink/client.h"

#define NVML_DEVICES	64u
#define NVML_PROCESSES	1024u

/** struct nvml_process - a process, when it was looked at; @memory: promised to it, bytes */
struct nvml_process {
	uint32_t pid;
	uint64_t sm_time, memory;
};

/**
 * struct nvml_device - a handle
 * @before: as it was when its utilization was asked for
 * @looked: when that was, nanoseconds of real time; 0: not yet
 * @rates: the answer then
 * @processes, @process_time: the same for nvmlDeviceGetProcessUtilization(); virtual time
 */
struct nvml_device {
	uint32_t index;
	struct client_device before;
	uint64_t looked;
	nvmlUtilization_t rates;
	struct nvml_process processes[NVML_PROCESSES];
	unsigned int process_count;
	uint64_t process_time;
};

/*
 * Begin a function. NVML_SUCCESS: nvml_leave() has to follow; else it is what the function
 * returns. @device NULL: it is about none.
 */
nvmlReturn_t nvml_enter(const struct nvml_device *device);
nvmlReturn_t nvml_enter_system(void);
void nvml_leave(void);

struct client *nvml_client(void);
unsigned int nvml_device_count(void);
/* NULL: there is none of this place. */
struct nvml_device *nvml_device_at(unsigned int place);
/* Wait until nvmlInit*() was a tenth of a second ago: for who looks once, right behind it. */
void nvml_wait_for_a_sample(void);
/* Nanoseconds of real time. */
uint64_t nvml_real_time(void);
/* The device as it is now. NVML_ERROR_GPU_IS_LOST: it is no more. */
nvmlReturn_t nvml_look(const struct nvml_device *device, struct client_device *now);
/* Its processes that the caller may see, each once, @most of them. */
nvmlReturn_t nvml_processes(const struct nvml_device *device, struct nvml_process *processes,
			    unsigned int most, unsigned int *count);
/* Copy with its NUL; NVML_ERROR_INSUFFICIENT_SIZE */
nvmlReturn_t nvml_text(char *to, unsigned int length, const char *text);

#endif
