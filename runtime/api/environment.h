/* SPDX-License-Identifier: MIT */
/*
 * What CUDA's environment variables ask for. They are read when the devices are listed and when one
 * is opened, so again after a reset. A value that means nothing is said on stderr and has no
 * effect.
 */
#ifndef VGPU_RT_ENVIRONMENT_H
#define VGPU_RT_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * CUDA_VISIBLE_DEVICES: which of the @count devices the program sees, in its order. Permutes @index
 * and @place alike; returns how many are left.
 */
unsigned int rt_visible_devices(unsigned int *index, unsigned int *place, unsigned int count);
/* CUDA_DEVICE_MAX_CONNECTIONS, else VGPU_MAX_CONNECTIONS, else 8: hardware queues of streams */
unsigned int rt_queue_limit(void);
/* CUDA_LAUNCH_BLOCKING */
bool rt_launch_blocking(void);
/*
 * CUDA_MPS_PINNED_DEVICE_MEM_LIMIT: most bytes of device @place's memory; ~0: no limit
 */
uint64_t rt_memory_limit(unsigned int place);
/* CUDA_MPS_ACTIVE_THREAD_PERCENTAGE: of @sms SMs, how many the context may have at once */
unsigned int rt_sm_limit(unsigned int sms);

#endif
