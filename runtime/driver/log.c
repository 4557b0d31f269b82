// SPDX-License-Identifier: MIT
/* Driver API: the log (api/messages/log.h). None of it needs a device or cuInit(). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/messages/log.h"
#include "driver.h"

#define FILE_ROOM	(1u << 20)

CUresult cuLogsRegisterCallback(CUlogsCallback call, void *data, CUlogsCallbackHandle *handle)
{
	/* the levels are numbered alike */
	return drv_error(rt_log_register((rt_log_call *)(void *)call, data,
					 (struct rt_log_reader **)handle));
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle)
{
	return drv_error(rt_log_unregister((struct rt_log_reader *)handle));
}

CUresult cuLogsCurrent(CUlogIterator *iterator, unsigned int flags)
{
	if (!iterator || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*iterator = rt_log_next();
	return CUDA_SUCCESS;
}

CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size,
			    unsigned int flags)
{
	size_t length = 0;
	uint32_t next;
	bool any;
	char *text;

	if (!buffer || !size || !*size || flags)
		return CUDA_ERROR_INVALID_VALUE;
	text = rt_log_text(iterator, *size, &length, &any, &next);
	if (!text)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(buffer, text, length + 1);
	free(text);
	*size = length;
	if (any && !length)
		return CUDA_ERROR_INVALID_VALUE;
	if (iterator)
		*iterator = next;
	return CUDA_SUCCESS;
}

CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *path, unsigned int flags)
{
	size_t length = 0;
	uint32_t next;
	bool any, failed;
	char *text;
	FILE *f;

	if (!path || flags)
		return CUDA_ERROR_INVALID_VALUE;
	text = rt_log_text(iterator, FILE_ROOM, &length, &any, &next);
	if (!text)
		return CUDA_ERROR_OUT_OF_MEMORY;
	f = fopen(path, "we");
	failed = !f || fwrite(text, 1, length, f) != length;
	if (f)
		failed |= fclose(f) != 0;
	free(text);
	if (failed) {
		rt_message("cuLogsDumpToFile: %s: %s", path, strerror(errno));
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (iterator)
		*iterator = next;
	return CUDA_SUCCESS;
}
