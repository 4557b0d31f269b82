// SPDX-License-Identifier: MIT
/*
 * Driver API: the options of a compilation. Options that ask for what the compiler does anyway, or
 * that it has not, are accepted; logs get what it has to say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver.h"

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

CUresult drv_jit_begin(struct drv_jit *jit, unsigned int count, const CUjit_option *options,
		       void **values)
{
	*jit = (struct drv_jit){ .started = seconds() };
	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; i < count; i++) {
		size_t number = (uint32_t)(uintptr_t)values[i];

		switch (options[i]) {
		case CU_JIT_MAX_REGISTERS:
			/* what the compiler can do: from 16 on */
			jit->options.max_regs = !number	      ? 0 :
						number < 16   ? 16 :
						number > 254  ? 254 : (uint32_t)number;
			break;
		case CU_JIT_WALL_TIME: jit->wall_time = &values[i]; break;
		case CU_JIT_ERROR_LOG_BUFFER: jit->error_log = values[i]; break;
		case CU_JIT_INFO_LOG_BUFFER: jit->info_log = values[i]; break;
		case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
			jit->error_room = number;
			jit->error_size = &values[i];
			break;
		case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
			jit->info_room = number;
			jit->info_size = &values[i];
			break;
		default:
			if ((unsigned int)options[i] >= CU_JIT_NUM_OPTIONS)
				return CUDA_ERROR_INVALID_VALUE;
			break;
		}
	}
	return CUDA_SUCCESS;
}

/* Bytes that were written, without the 0 behind them. */
static size_t write_log(char *log, size_t room, const char *text)
{
	size_t length = strlen(text);

	if (!log || !room)
		return 0;
	if (length >= room)
		length = room - 1;
	memcpy(log, text, length);
	log[length] = 0;
	return length;
}

void drv_jit_end(struct drv_jit *jit, vgpuError_t error)
{
	char text[1200] = "";
	size_t written;
	float ms;

	if (error != vgpuSuccess)
		snprintf(text, sizeof(text), "vgpu: %s\n", vgpuGetLastMessage());
	written = write_log(jit->error_log, jit->error_room, text);
	if (jit->error_size)
		*jit->error_size = (void *)(uintptr_t)written;
	written = write_log(jit->info_log, jit->info_room, "");
	if (jit->info_size)
		*jit->info_size = (void *)(uintptr_t)written;
	if (jit->wall_time) {
		ms = (float)((seconds() - jit->started) * 1e3);
		memcpy(jit->wall_time, &ms, sizeof(ms));
	}
}
