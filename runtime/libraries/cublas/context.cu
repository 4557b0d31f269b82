// SPDX-License-Identifier: MIT
/*
 * Handles, their settings, and what functions do first. Live handles are in a list: what is not
 * there is refused, whatever memory it points to.
 */
#include "context.h"
#include "live.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cublasContext *handles;

namespace blas
{

void say(const char *function, const char *what)
{
	say_once("libcublas", function, what);
}

static bool alive(cublasHandle_t handle)
{
	struct cublasContext *h;

	pthread_mutex_lock(&lock);
	for (h = handles; h && h != handle; h = h->next)
		;
	pthread_mutex_unlock(&lock);
	return h;
}

cublasStatus_t check(cublasHandle_t handle, const char *function)
{
	int device;

	if (!handle || !alive(handle))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (cudaGetDevice(&device) != cudaSuccess)
		return CUBLAS_STATUS_EXECUTION_FAILED;
	if (device == handle->device)
		return CUBLAS_STATUS_SUCCESS;
	say(function,
	    "the handle is of another device than the calling thread's: cudaSetDevice() first");
	return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t status_of(cudaError_t error)
{
	switch (error) {
	case cudaSuccess:
		return CUBLAS_STATUS_SUCCESS;
	case cudaErrorMemoryAllocation:
		/* told by the status: no later launch of the program's is to find it */
		cudaGetLastError();
		return CUBLAS_STATUS_ALLOC_FAILED;
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorNoKernelImageForDevice:
		return CUBLAS_STATUS_ARCH_MISMATCH;
	default:
		return CUBLAS_STATUS_EXECUTION_FAILED;
	}
}

cublasStatus_t bring(cublasHandle_t handle, void *to, const void *from, size_t bytes,
		     const char *function)
{
	enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;

	if (cudaStreamIsCapturing(handle->stream, &capture) != cudaSuccess)
		return CUBLAS_STATUS_EXECUTION_FAILED;
	if (capture != cudaStreamCaptureStatusNone) {
		say(function,
		    "the host waits for a result, which a captured stream has no place for: "
		    "CUBLAS_POINTER_MODE_DEVICE");
		return CUBLAS_STATUS_NOT_SUPPORTED;
	}
	BLAS_TRY(status_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, handle->stream)));
	return status_of(cudaStreamSynchronize(handle->stream));
}

/*
 * Slots are the process's, one for each stream that a handle was given: what a stream does is in
 * order, whichever handle it came through. The default stream of each thread is many streams with
 * one name.
 */
static int slot_of(cudaStream_t stream)
{
	static cudaStream_t streams[SLOTS];
	static int count;
	int slot = -1;

	if (stream == cudaStreamPerThread)
		return slot;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < count; i++)
		if (streams[i] == stream)
			slot = i;
	if (slot < 0 && count < SLOTS) {
		slot = count++;
		streams[slot] = stream;
	}
	pthread_mutex_unlock(&lock);
	return slot;
}

} // namespace blas

using namespace blas;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	struct cublasContext *h;

	if (!handle)
		return CUBLAS_STATUS_INVALID_VALUE;
	*handle = NULL;
	h = (struct cublasContext *)calloc(1, sizeof(*h));
	if (!h)
		return CUBLAS_STATUS_ALLOC_FAILED;
	if (cudaGetDevice(&h->device) != cudaSuccess ||
	    cudaDeviceGetAttribute(&h->sms, cudaDevAttrMultiProcessorCount, h->device) !=
		    cudaSuccess) {
		free(h);
		return CUBLAS_STATUS_NOT_INITIALIZED;
	}
	h->tuning = tuning_of(h->device);
	h->special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
	h->slot = slot_of(NULL);
	pthread_mutex_lock(&lock);
	h->next = handles;
	handles = h;
	pthread_mutex_unlock(&lock);
	*handle = h;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
	struct cublasContext **p;

	pthread_mutex_lock(&lock);
	for (p = &handles; *p && *p != handle; p = &(*p)->next)
		;
	if (*p)
		*p = handle->next;
	else
		handle = NULL;
	pthread_mutex_unlock(&lock);
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

#define ALIVE(handle)                                         \
	do {                                                  \
		if (!(handle) || !alive(handle))              \
			return CUBLAS_STATUS_NOT_INITIALIZED; \
	} while (0)
#define WANT(condition)                                     \
	do {                                                \
		if (!(condition))                           \
			return CUBLAS_STATUS_INVALID_VALUE; \
	} while (0)

EXPORT cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
	(void)handle;
	WANT(version);
	*version = CUBLAS_VERSION;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
	WANT(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
	*value = type == MAJOR_VERSION	 ? CUBLAS_VER_MAJOR
		 : type == MINOR_VERSION ? CUBLAS_VER_MINOR
					 : CUBLAS_VER_PATCH;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT size_t cublasGetCudartVersion(void)
{
	int version = 0;

	cudaRuntimeGetVersion(&version);
	return version;
}

EXPORT cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
	ALIVE(handle);
	// Nothing here needs more than a handle has of its own; what the caller gives stays
	// untouched.
	WANT(((uintptr_t)workspace & 255) == 0);
	(void)bytes;
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
	ALIVE(handle);
	handle->stream = stream;
	handle->slot = slot_of(stream);
	return CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream)
{
	ALIVE(handle);
	WANT(stream);
	*stream = handle->stream;
	return CUBLAS_STATUS_SUCCESS;
}

// Name, type, field, condition of a value
#define SETTING(set, get, type, field, good)                          \
	EXPORT cublasStatus_t set(cublasHandle_t handle, type value)  \
	{                                                             \
		ALIVE(handle);                                        \
		WANT(good);                                           \
		handle->field = value;                                \
		return CUBLAS_STATUS_SUCCESS;                         \
	}                                                             \
	EXPORT cublasStatus_t get(cublasHandle_t handle, type *value) \
	{                                                             \
		ALIVE(handle);                                        \
		WANT(value);                                          \
		*value = handle->field;                               \
		return CUBLAS_STATUS_SUCCESS;                         \
	}
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode,
	(unsigned)value <= 1)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics,
	(unsigned)value <= 1)
SETTING(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math,
	((unsigned)value & ~16u) <= 4 || ((unsigned)value & ~16u) == 8)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, int, sm_target,
	value >= 0 && value <= handle->sms)

SETTING(cublasSetEmulationStrategy, cublasGetEmulationStrategy, cublasEmulationStrategy_t, strategy,
	(unsigned)value <= 2)
SETTING(cublasSetEmulationSpecialValuesSupport, cublasGetEmulationSpecialValuesSupport,
	cudaEmulationSpecialValuesSupport, special_values, (unsigned)value <= 0xffff)
SETTING(cublasSetFixedPointEmulationMantissaControl, cublasGetFixedPointEmulationMantissaControl,
	cudaEmulationMantissaControl, mantissa, (unsigned)value <= 1)
SETTING(cublasSetFixedPointEmulationMaxMantissaBitCount,
	cublasGetFixedPointEmulationMaxMantissaBitCount, int, most_bits, value >= 0)
SETTING(cublasSetFixedPointEmulationMantissaBitOffset,
	cublasGetFixedPointEmulationMantissaBitOffset, int, bit_offset, true)
SETTING(cublasSetFixedPointEmulationMantissaBitCountPointer,
	cublasGetFixedPointEmulationMantissaBitCountPointer, int *, bits, true)

static const struct {
	cublasStatus_t status;
	const char *name, *text;
} statuses[] = {
	{CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
	{CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
	 "the library was not initialized"},
	{CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED",
	 "the resource allocation failed"},
	{CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
	 "an unsupported value or parameter was passed to the function"},
	{CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
	 "the function requires a feature that the device lacks"},
	{CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
	 "an access to GPU memory space failed"},
	{CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
	 "the function failed to launch on the GPU"},
	{CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR",
	 "an internal operation failed"},
	{CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
	 "the functionality is not supported"},
	{CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
	 "the functionality requires a license"},
};

EXPORT const char *cublasGetStatusName(cublasStatus_t status)
{
	for (const auto &s : statuses)
		if (s.status == status)
			return s.name;
	return "unknown cublas status";
}

EXPORT const char *cublasGetStatusString(cublasStatus_t status)
{
	for (const auto &s : statuses)
		if (s.status == status)
			return s.text;
	return "unknown cublas status";
}

EXPORT void cublasXerbla(const char *name, int argument)
{
	fprintf(stderr,
		"vgpu: libcublas: on entry to %s parameter number %d had an illegal value\n", name,
		argument);
}
