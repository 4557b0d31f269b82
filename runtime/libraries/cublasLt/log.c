// SPDX-License-Identifier: MIT
/*
 * The log: off at first, or as CUBLASLT_LOG_LEVEL, CUBLASLT_LOG_MASK and CUBLASLT_LOG_FILE say. It
 * goes to a file or stream and to a function of the program's.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "refuse.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
	FILE *file;
	bool opened, disabled;
	cublasLtLoggerCallback_t callback;
	int level, mask;
} to;

static void read_environment(void)
{
	const char *level = secure_getenv("CUBLASLT_LOG_LEVEL");
	const char *mask = secure_getenv("CUBLASLT_LOG_MASK");
	const char *path = secure_getenv("CUBLASLT_LOG_FILE");

	to.level = level ? atoi(level) : 0;
	to.mask = mask ? atoi(mask) : 0;
	to.file = path ? fopen(path, "we") : NULL;
	to.opened = to.file != NULL;
	if (path && !to.file)
		fprintf(stderr, "vgpu: libcublasLt: CUBLASLT_LOG_FILE=%s: %s\n", path,
			strerror(errno));
}

void lt_log(int level, const char *function, const char *format, ...)
{
	cublasLtLoggerCallback_t callback = NULL;
	char message[256];
	va_list arguments;

	pthread_once(&once, read_environment);
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	pthread_mutex_lock(&lock);
	if (!to.disabled && (level <= to.level || to.mask & 1 << (level - 1))) {
		callback = to.callback;
		fprintf(to.file ? to.file : stdout, "[cublasLt][%s] %s: %s\n",
			level == 1 ? "Error" : "Api", function, message);
		fflush(to.file ? to.file : stdout);
	}
	pthread_mutex_unlock(&lock);
	/* it may call us */
	if (callback)
		callback(level, function, message);
}

static void use_file(FILE *file, bool opened)
{
	pthread_mutex_lock(&lock);
	if (to.opened)
		fclose(to.file);
	to.file = file;
	to.opened = opened;
	pthread_mutex_unlock(&lock);
}

VGPU_API cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback)
{
	pthread_once(&once, read_environment);
	pthread_mutex_lock(&lock);
	to.callback = callback;
	pthread_mutex_unlock(&lock);
	return CUBLAS_STATUS_SUCCESS;
}

VGPU_API cublasStatus_t cublasLtLoggerSetFile(FILE *file)
{
	pthread_once(&once, read_environment);
	use_file(file, false);
	return CUBLAS_STATUS_SUCCESS;
}

VGPU_API cublasStatus_t cublasLtLoggerOpenFile(const char *path)
{
	FILE *file = path ? fopen(path, "we") : NULL;

	pthread_once(&once, read_environment);
	if (!file)
		return CUBLAS_STATUS_INVALID_VALUE;
	use_file(file, true);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t set_number(int *number, int value, int most)
{
	pthread_once(&once, read_environment);
	if (value < 0 || value > most)
		return CUBLAS_STATUS_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	*number = value;
	pthread_mutex_unlock(&lock);
	return CUBLAS_STATUS_SUCCESS;
}

VGPU_API cublasStatus_t cublasLtLoggerSetLevel(int level)
{
	return set_number(&to.level, level, 5);
}

VGPU_API cublasStatus_t cublasLtLoggerSetMask(int mask)
{
	return set_number(&to.mask, mask, 31);
}

VGPU_API cublasStatus_t cublasLtLoggerForceDisable(void)
{
	pthread_once(&once, read_environment);
	pthread_mutex_lock(&lock);
	to.disabled = true;
	pthread_mutex_unlock(&lock);
	return CUBLAS_STATUS_SUCCESS;
}
