/* SPDX-License-Identifier: MIT */
/*
 * What to do instead of what is not supported: REFUSAL(what, do, page). @what is the word of the
 * front ends' refusals with its verb ("graphs are"); @page is of docs/.
 */
#ifndef VGPU_RT_REFUSALS_H
#define VGPU_RT_REFUSALS_H

#include <stdbool.h>

#define RT_NOT_THERE	"cuda.md#what-is-not-there"

#define RT_REFUSALS(REFUSAL)									\
	REFUSAL("3D copies between devices are",						\
		"copy with cuMemcpy3D: an address names its device", "cuda.md#several-devices")	\
	REFUSAL("NVVM's intermediate code is", "link PTX or cubins with PTX",			\
		"cuda-driver.md#device-code")							\
	REFUSAL("a barrier over the grids of several devices is",				\
		"launch a cooperative kernel on each and wait for all of them between two",	\
		RT_NOT_THERE)									\
	REFUSAL("a cluster of blocks is",							\
		"launch without a cluster; blocks exchange data in global memory", RT_NOT_THERE) \
	REFUSAL("a handle for Windows or a fabric is",						\
		"use a file descriptor (CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)",		\
		"cuda-driver.md#memory-of-other-processes")					\
	REFUSAL("access to a pool from other devices is", "copy with cudaMemcpyPeerAsync",	\
		"cuda.md#several-devices")							\
	REFUSAL("advice about memory is", "ask for each attribute: cuMemRangeGetAttribute",	\
		"memory.md#advice")								\
	REFUSAL("an L2 cache is", "leave the limit as it is: it changes no result",		\
		RT_NOT_THERE)									\
	REFUSAL("an affinity to some SMs is",							\
		"limit the SMs of a process by CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",		\
		"runtime.md#selecting-the-device")						\
	REFUSAL("waiting for kernels in kernels is",						\
		"launch what comes behind them into cudaStreamTailLaunch",			\
		"cuda.md#launches-by-kernels")							\
	REFUSAL("an event in a kernel is", "record an event behind the launch", RT_NOT_THERE)	\
	REFUSAL("checkpoints of processes are", "have the program save what it needs",		\
		RT_NOT_THERE)									\
	REFUSAL("clusters of blocks are",							\
		"launch without a cluster; blocks exchange data in global memory", RT_NOT_THERE) \
	REFUSAL("conditional nodes are",							\
		"launch one graph or another by what the host has read", "cuda.md#graphs")	\
	REFUSAL("copies and advice in batches are", "make one call for each", RT_NOT_THERE)	\
	REFUSAL("copies in batches are", "call cudaMemcpyAsync for each", RT_NOT_THERE)		\
	REFUSAL("core dumps are",								\
		"read the message on stderr: it names kernel, thread and address of a fault",	\
		"runtime.md#errors")								\
	REFUSAL("events of a whole context are",						\
		"record one in each stream: cuEventRecord", RT_NOT_THERE)			\
	REFUSAL("edges with ports are", "have a node come after all of the other one",		\
		"cuda.md#graphs")								\
	REFUSAL("green contexts are",								\
		"limit the SMs of a process by CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",		\
		"runtime.md#selecting-the-device")						\
	REFUSAL("host memory mapped into the device is", "copy with cudaMemcpy",		\
		"cuda.md#pinned-memory")							\
	REFUSAL("launching graphs from kernels is", "launch kernels, or the graph from the host", \
		"cuda.md#launches-by-kernels")							\
	REFUSAL("memory and semaphores of other APIs are",					\
		"copy through memory of the host, with cudaMemcpy", RT_NOT_THERE)		\
	REFUSAL("memory of the host is", "allocate it with cuMemHostAlloc",			\
		"cuda-driver.md#virtual-memory-management")					\
	REFUSAL("memory of I/O devices is", "register memory of the process",			\
		"cuda.md#pinned-memory")							\
	REFUSAL("lists of atomics of links are",						\
		"ask with cuDeviceGetP2PAttribute", "cuda.md#several-devices")			\
	REFUSAL("memory shared with other drivers is",						\
		"copy through memory of the host, with cudaMemcpy", RT_NOT_THERE)		\
	REFUSAL("multicast objects are", "copy to each device", "cuda.md#several-devices")	\
	REFUSAL("notifications are", "ask when it matters, by cudaMemGetInfo", RT_NOT_THERE)	\
	REFUSAL("pools of a location are", "name the device: cudaDeviceGetDefaultMemPool",	\
		"cuda.md#pools")								\
	REFUSAL("shares of SMs of a context are",						\
		"limit the SMs of a process by CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",		\
		"runtime.md#selecting-the-device")						\
	REFUSAL("semaphores of other APIs in graphs are",					\
		"wait for other APIs on the host, between graphs", "cuda.md#graphs")		\
	REFUSAL("sharing memory with a graphics API is",					\
		"copy through memory of the host, with cudaMemcpy", RT_NOT_THERE)		\
	REFUSAL("sparse arrays and planes of arrays are",					\
		"create an array for each plane, with all of its memory", RT_NOT_THERE)		\
	REFUSAL("tensor maps are", "copy tiles by loads and stores", RT_NOT_THERE)		\
	REFUSAL("the identifier of Windows is", "use the UUID or the PCI bus ID",		\
		RT_NOT_THERE)									\
	REFUSAL("this attribute of a launch is", "launch without it", RT_NOT_THERE)		\
	REFUSAL("this call is", "leave it out", RT_NOT_THERE)					\
	REFUSAL("waiting for words of memory is", "wait for an event: cudaStreamWaitEvent",	\
		RT_NOT_THERE)

/**
 * struct rt_refusal - what stderr says of a call that is refused
 * @what: what is not supported, with its verb
 * @instead: what to do, in the imperative
 * @page: of docs/, where it is described
 */
struct rt_refusal {
	const char *what, *instead, *page;
};

/* NULL: nothing is known of @what. */
const struct rt_refusal *rt_refusal_of(const char *what);
/* The first time, by *@said: @call, what is not supported, the name of its error, what to do. */
void rt_say_refused(bool *said, const char *call, const char *what, const char *error);

#endif
