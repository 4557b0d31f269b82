/* SPDX-License-Identifier: MIT */
/*
 * The stop watch of sample programs: real time, in milliseconds.
 */
#ifndef VGPU_CUDA_HELPER_TIMER_H
#define VGPU_CUDA_HELPER_TIMER_H

#include <stdlib.h>
#include <time.h>

struct StopWatchInterface {
	double begun, total;
	int runs;
	bool running;
};

static inline double __vgpu_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static inline bool sdkCreateTimer(StopWatchInterface **timer)
{
	*timer = (StopWatchInterface *)calloc(1, sizeof(**timer));
	return *timer != NULL;
}

static inline bool sdkDeleteTimer(StopWatchInterface **timer)
{
	free(*timer);
	*timer = NULL;
	return true;
}

static inline bool sdkStartTimer(StopWatchInterface **timer)
{
	(*timer)->begun = __vgpu_now_ms();
	(*timer)->running = true;
	return true;
}

static inline bool sdkStopTimer(StopWatchInterface **timer)
{
	(*timer)->total += __vgpu_now_ms() - (*timer)->begun;
	(*timer)->runs++;
	(*timer)->running = false;
	return true;
}

static inline bool sdkResetTimer(StopWatchInterface **timer)
{
	(*timer)->total = 0;
	(*timer)->runs = 0;
	(*timer)->begun = __vgpu_now_ms();
	return true;
}

static inline float sdkGetTimerValue(StopWatchInterface **timer)
{
	return (float)((*timer)->total +
		       ((*timer)->running ? __vgpu_now_ms() - (*timer)->begun : 0));
}

static inline float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
	return (*timer)->runs ? (float)((*timer)->total / (*timer)->runs) : 0.0f;
}

#endif
