// SPDX-License-Identifier: MIT
/*
 * Which communicators there are, what they say of themselves, and errors.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "comm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ncclComm *comms;
static char last_error[256];

const unsigned char nccl_type_bytes[ncclNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

/* ---- errors -------------------------------------------------------------- */

static bool is_told(void)
{
	const char *level = getenv("NCCL_DEBUG");

	return level && (!strcasecmp(level, "WARN") || !strcasecmp(level, "INFO") ||
			 !strcasecmp(level, "TRACE"));
}

ncclResult_t nccl_say(ncclResult_t result, const char *text, ...)
{
	char line[sizeof(last_error)];
	va_list values;

	va_start(values, text);
	vsnprintf(line, sizeof(line), text, values);
	va_end(values);
	pthread_mutex_lock(&lock);
	memcpy(last_error, line, sizeof(line));
	pthread_mutex_unlock(&lock);
	if (is_told())
		fprintf(stderr, "vgpu: libnccl: %s (%s)\n", line, ncclGetErrorString(result));
	return result;
}

ncclResult_t nccl_cuda(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return ncclSuccess;
	return nccl_say(ncclUnhandledCudaError, "%s: %s", what, cudaGetErrorString(error));
}

VGPU_API const char *ncclGetErrorString(ncclResult_t result)
{
	static const char *const words[] = {
		[ncclSuccess] = "no error",
		[ncclUnhandledCudaError] = "a call of CUDA failed",
		[ncclSystemError] = "a call of the system failed",
		[ncclInternalError] = "internal error",
		[ncclInvalidArgument] = "invalid argument",
		[ncclInvalidUsage] = "invalid usage",
		[ncclRemoteError] = "another rank has ended or failed",
		[ncclInProgress] = "in progress",
	};

	return (unsigned int)result < ncclNumResults ? words[result] : "unknown result";
}

VGPU_API const char *ncclGetLastError(ncclComm_t comm)
{
	static __thread char said[sizeof(last_error)];

	(void)comm;
	pthread_mutex_lock(&lock);
	memcpy(said, last_error, sizeof(said));
	pthread_mutex_unlock(&lock);
	return said;
}

VGPU_API void ncclResetDebugInit(void)
{
}

VGPU_API ncclResult_t ncclGetVersion(int *version)
{
	if (!version)
		return nccl_say(ncclInvalidArgument, "ncclGetVersion: version is NULL");
	*version = NCCL_VERSION_CODE;
	return ncclSuccess;
}

/* ---- the list ------------------------------------------------------------ */

void nccl_list(struct ncclComm *comm)
{
	pthread_mutex_lock(&lock);
	comm->next = comms;
	comms = comm;
	pthread_mutex_unlock(&lock);
}

bool nccl_unlist(struct ncclComm *comm)
{
	struct ncclComm **at;
	bool found;

	pthread_mutex_lock(&lock);
	for (at = &comms; *at && *at != comm; at = &(*at)->next)
		;
	found = *at;
	if (found)
		*at = comm->next;
	pthread_mutex_unlock(&lock);
	return found;
}

ncclResult_t nccl_check(const struct ncclComm *comm, const char *function)
{
	const struct ncclComm *at;

	pthread_mutex_lock(&lock);
	for (at = comms; at && at != comm; at = at->next)
		;
	pthread_mutex_unlock(&lock);
	if (at)
		return ncclSuccess;
	return nccl_say(ncclInvalidArgument, "%s: the communicator is %s", function,
			comm ? "none, or was destroyed" : "NULL");
}

ncclResult_t nccl_check_ready(struct ncclComm *comm, const char *function)
{
	ncclResult_t status = nccl_check(comm, function);
	int error;

	if (status != ncclSuccess)
		return status;
	error = __atomic_load_n(&comm->error, __ATOMIC_ACQUIRE);
	if (error == ncclInProgress)
		return nccl_say(ncclInvalidUsage, "%s: the communicator is not ready yet",
				function);
	if (comm->finalized)
		return nccl_say(ncclInvalidUsage, "%s: ncclCommFinalize was called", function);
	return (ncclResult_t)error;
}

/* ---- what it is ---------------------------------------------------------- */

static ncclResult_t tell(const struct ncclComm *comm, const char *function, const int *from,
			 int *to)
{
	ncclResult_t status = nccl_check(comm, function);

	if (status != ncclSuccess)
		return status;
	if (!to)
		return nccl_say(ncclInvalidArgument, "%s: no place for the result", function);
	*to = *from;
	return ncclSuccess;
}

VGPU_API ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
	return tell(comm, __func__, &comm->ranks, count);
}

VGPU_API ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
	return tell(comm, __func__, &comm->device, device);
}

VGPU_API ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
	return tell(comm, __func__, &comm->rank, rank);
}

VGPU_API ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
	int now, status;

	status = tell(comm, __func__, &comm->error, &now);
	if (status == ncclSuccess && !error)
		status = nccl_say(ncclInvalidArgument, "%s: no place for the result", __func__);
	if (status == ncclSuccess)
		*error = (ncclResult_t)__atomic_load_n(&comm->error, __ATOMIC_ACQUIRE);
	return (ncclResult_t)status;
}

/* ---- memory -------------------------------------------------------------- */

VGPU_API ncclResult_t ncclMemAlloc(void **pointer, size_t size)
{
	if (!pointer)
		return nccl_say(ncclInvalidArgument, "ncclMemAlloc: pointer is NULL");
	return nccl_cuda(cudaMalloc(pointer, size), "ncclMemAlloc");
}

VGPU_API ncclResult_t ncclMemFree(void *pointer)
{
	return nccl_cuda(cudaFree(pointer), "ncclMemFree");
}

/* Registered memory is used as other memory is: the handle says only that it was. */
VGPU_API ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buffer, size_t size,
				       void **handle)
{
	ncclResult_t status = nccl_check(comm, __func__);

	if (status == ncclSuccess && (!buffer || !size || !handle))
		status = nccl_say(ncclInvalidArgument, "ncclCommRegister: no memory, or no place "
						       "for the handle");
	if (status == ncclSuccess)
		*handle = buffer;
	return status;
}

VGPU_API ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *handle)
{
	(void)handle;
	return nccl_check(comm, __func__);
}

VGPU_API ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t size,
					     ncclWindow_t *window, int flags)
{
	void *handle = NULL;
	ncclResult_t status = ncclCommRegister(comm, buffer, size, window ? &handle : NULL);

	(void)flags;
	if (status == ncclSuccess)
		*window = handle;
	return status;
}

VGPU_API ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window)
{
	return ncclCommDeregister(comm, window);
}

NCCL_API(ncclGetErrorString);
NCCL_API(ncclGetLastError);
NCCL_API(ncclResetDebugInit);
NCCL_API(ncclGetVersion);
NCCL_API(ncclCommCount);
NCCL_API(ncclCommCuDevice);
NCCL_API(ncclCommUserRank);
NCCL_API(ncclCommGetAsyncError);
NCCL_API(ncclMemAlloc);
NCCL_API(ncclMemFree);
NCCL_API(ncclCommRegister);
NCCL_API(ncclCommDeregister);
NCCL_API(ncclCommWindowRegister);
NCCL_API(ncclCommWindowDeregister);
