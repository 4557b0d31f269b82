// SPDX-License-Identifier: MIT
/* The table of live objects, and what functions do with handles, statuses and the host. */
#include "../objects.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 256 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct solver_object *table[BUCKETS];

static struct solver_object **bucket_of(const void *object)
{
	return &table[((uintptr_t)object >> 4) * 0x9e3779b1u >> 8 & (BUCKETS - 1)];
}

void *solver_new(size_t bytes, enum solver_kind kind)
{
	struct solver_object *o = calloc(1, bytes), **bucket = bucket_of(o);

	if (!o)
		return NULL;
	o->kind = kind;
	pthread_mutex_lock(&lock);
	o->next = *bucket;
	*bucket = o;
	pthread_mutex_unlock(&lock);
	return o;
}

bool solver_alive(const void *object, enum solver_kind kind)
{
	const struct solver_object *o;
	bool found;

	pthread_mutex_lock(&lock);
	for (o = *bucket_of(object); o && o != object; o = o->next)
		;
	found = o && o->kind == kind;
	pthread_mutex_unlock(&lock);
	return found;
}

bool solver_delete(const void *object, enum solver_kind kind)
{
	struct solver_object **p, *o;

	pthread_mutex_lock(&lock);
	for (p = bucket_of(object); *p && *p != object; p = &(*p)->next)
		;
	o = *p;
	if (o && o->kind == kind)
		*p = o->next;
	else
		o = NULL;
	pthread_mutex_unlock(&lock);
	free(o);
	return o;
}

void solver_say(const char *function, const char *what)
{
	static const char *said[64];
	static int count;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < count; i++)
		if (said[i] == what) {
			pthread_mutex_unlock(&lock);
			return;
		}
	if (count < 64)
		said[count++] = what;
	pthread_mutex_unlock(&lock);
	fprintf(stderr, "vgpu: libcusolver: %s: %s\n", function, what);
}

cusolverStatus_t solver_create(void **handle, size_t bytes, enum solver_kind kind)
{
	struct solver_handle *h;
	int device, sms;

	SOLVER_WANT(handle);
	*handle = NULL;
	/* the second call fails where the device's context is broken */
	if (cudaGetDevice(&device) != cudaSuccess ||
	    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
		return CUSOLVER_STATUS_NOT_INITIALIZED;
	h = solver_new(bytes, kind);
	if (!h)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	h->device = device;
	*handle = h;
	return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_check(const void *handle, enum solver_kind kind, const char *function)
{
	const struct solver_handle *h = handle;
	int device;

	SOLVER_ALIVE(handle, kind);
	if (cudaGetDevice(&device) != cudaSuccess)
		return CUSOLVER_STATUS_EXECUTION_FAILED;
	if (device == h->device)
		return CUSOLVER_STATUS_SUCCESS;
	solver_say(
		function,
		"the handle is of another device than the calling thread's: cudaSetDevice() first");
	return CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t solver_status(cudaError_t error)
{
	switch (error) {
	case cudaSuccess:
		return CUSOLVER_STATUS_SUCCESS;
	case cudaErrorMemoryAllocation:
		return CUSOLVER_STATUS_ALLOC_FAILED;
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorNoKernelImageForDevice:
		return CUSOLVER_STATUS_ARCH_MISMATCH;
	default:
		return CUSOLVER_STATUS_EXECUTION_FAILED;
	}
}

cusolverStatus_t solver_can_wait(const struct solver_handle *handle, const char *function)
{
	enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;

	if (cudaStreamIsCapturing(handle->stream, &capture) != cudaSuccess)
		return CUSOLVER_STATUS_EXECUTION_FAILED;
	if (capture == cudaStreamCaptureStatusNone)
		return CUSOLVER_STATUS_SUCCESS;
	solver_say(function,
		   "the host waits for a result, which a captured stream has no place for");
	return CUSOLVER_STATUS_NOT_SUPPORTED;
}

cusolverStatus_t solver_bring(const struct solver_handle *handle, void *to, const void *from,
			      size_t bytes, const char *function)
{
	SOLVER_TRY(solver_can_wait(handle, function));
	SOLVER_TRY(
		solver_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, handle->stream)));
	return solver_status(cudaStreamSynchronize(handle->stream));
}
