/* SPDX-License-Identifier: MIT */
/*
 * Launches by kernels: the functions of CUDA's device runtime, which the runtime brings
 * (launch/launch.cu), and what vgpucc makes of <<<>>> in device code (vgpu-launches.c): clang lets
 * none name a kernel but as a constant. A launch K<<<configuration>>>(arguments) becomes
 *
 *	__vgpu_launch::kernel<T, K>::at(configuration)(arguments)
 *
 * with the type of the kernel for T. That of one function is its own, and of a template whose
 * arguments are not written it follows from the arguments. Of overloaded kernels it is the one that
 * has these arguments as they are, else the only one that has so many.
 */
#ifndef VGPU_CUDA_DEVICE_LAUNCH_H
#define VGPU_CUDA_DEVICE_LAUNCH_H

#define cudaStreamTailLaunch	((cudaStream_t)0x3)
#define cudaStreamFireAndForget	((cudaStream_t)0x4)

extern "C" {
__device__ void *cudaGetParameterBufferV2(void *function, dim3 grid, dim3 block,
					  unsigned int shared);
__device__ cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t stream);
__device__ cudaError_t cudaGetLastError(void);
__device__ cudaError_t cudaPeekAtLastError(void);
__device__ const char *cudaGetErrorString(cudaError_t error);
__device__ const char *cudaGetErrorName(cudaError_t error);
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
__device__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
__device__ cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes,
				       enum cudaMemcpyKind kind, cudaStream_t stream = 0);
__device__ cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
					 size_t width, size_t height, enum cudaMemcpyKind kind,
					 cudaStream_t stream = 0);
__device__ cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes,
				       cudaStream_t stream = 0);
__device__ cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width,
					 size_t height, cudaStream_t stream = 0);
__device__ cudaError_t cudaGetDevice(int *device);
__device__ cudaError_t cudaGetDeviceCount(int *count);
__device__ cudaError_t cudaRuntimeGetVersion(int *version);
__device__ cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
					      int device);
__device__ cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
__device__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
					     const void *function);
__device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
								     const void *function,
								     int block_size,
								     size_t dynamic_shared);
__device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, const void *function, int block_size, size_t dynamic_shared,
	unsigned int flags);
}

template <class T>
static __inline__ __device__ cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
	*pointer = (T *)malloc(bytes);
	return *pointer || !bytes ? cudaSuccess : cudaErrorMemoryAllocation;
}

extern "C" __device__ __inline__ cudaError_t cudaFree(void *pointer)
{
	free(pointer);
	return cudaSuccess;
}

namespace __vgpu_launch
{

template <class F> struct launcher;
/* What is left of a launch when it is known where and how: the arguments, as the kernel has them */
template <class... P> struct launcher<void (*)(P...)> {
	const void *kernel;
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;

	template <class T> static __device__ int put(char *to, size_t *at, const T &value)
	{
		*at = (*at + alignof(T) - 1) / alignof(T) * alignof(T);
		__builtin_memcpy(to + *at, &value, sizeof(T));
		*at += sizeof(T);
		return 0;
	}

	__device__ void operator()(P... argument) const
	{
		char *to = (char *)cudaGetParameterBufferV2((void *)kernel, grid, block,
							    (unsigned int)shared);
		size_t at = 0;

		if (to) {
			int done[] = { 0, put<P>(to, &at, argument)... };

			(void)done;
		}
		(void)at;
		cudaLaunchDeviceV2(to, stream);
	}
};

template <class T, T K> struct kernel {
	static constexpr T address = K;

	static __device__ launcher<T> at(dim3 grid, dim3 block, size_t shared = 0,
					 cudaStream_t stream = 0)
	{
		return launcher<T>{ (const void *)address, grid, block, shared, stream };
	}
};

/* By the number of parameters: the only kernel of this name that has so many */
template <size_t N> struct pick_by_count {
	static void of();
};
#define __VGPU_PICK(n, types, ...)                                                        \
	template <> struct pick_by_count<n> {                                             \
		template <types>                                                          \
		static __host__ __device__ void (*of(void (*)(__VA_ARGS__), long))(       \
			__VA_ARGS__);                                                     \
	};
#define __VGPU_TYPES1	class P1
#define __VGPU_NAMES1	P1
__VGPU_PICK(1, __VGPU_TYPES1, __VGPU_NAMES1)
#define __VGPU_TYPES2	__VGPU_TYPES1, class P2
#define __VGPU_NAMES2	__VGPU_NAMES1, P2
__VGPU_PICK(2, __VGPU_TYPES2, __VGPU_NAMES2)
#define __VGPU_TYPES3	__VGPU_TYPES2, class P3
#define __VGPU_NAMES3	__VGPU_NAMES2, P3
__VGPU_PICK(3, __VGPU_TYPES3, __VGPU_NAMES3)
#define __VGPU_TYPES4	__VGPU_TYPES3, class P4
#define __VGPU_NAMES4	__VGPU_NAMES3, P4
__VGPU_PICK(4, __VGPU_TYPES4, __VGPU_NAMES4)
#define __VGPU_TYPES5	__VGPU_TYPES4, class P5
#define __VGPU_NAMES5	__VGPU_NAMES4, P5
__VGPU_PICK(5, __VGPU_TYPES5, __VGPU_NAMES5)
#define __VGPU_TYPES6	__VGPU_TYPES5, class P6
#define __VGPU_NAMES6	__VGPU_NAMES5, P6
__VGPU_PICK(6, __VGPU_TYPES6, __VGPU_NAMES6)
#define __VGPU_TYPES7	__VGPU_TYPES6, class P7
#define __VGPU_NAMES7	__VGPU_NAMES6, P7
__VGPU_PICK(7, __VGPU_TYPES7, __VGPU_NAMES7)
#define __VGPU_TYPES8	__VGPU_TYPES7, class P8
#define __VGPU_NAMES8	__VGPU_NAMES7, P8
__VGPU_PICK(8, __VGPU_TYPES8, __VGPU_NAMES8)
#define __VGPU_TYPES9	__VGPU_TYPES8, class P9
#define __VGPU_NAMES9	__VGPU_NAMES8, P9
__VGPU_PICK(9, __VGPU_TYPES9, __VGPU_NAMES9)
#define __VGPU_TYPES10	__VGPU_TYPES9, class P10
#define __VGPU_NAMES10	__VGPU_NAMES9, P10
__VGPU_PICK(10, __VGPU_TYPES10, __VGPU_NAMES10)
#define __VGPU_TYPES11	__VGPU_TYPES10, class P11
#define __VGPU_NAMES11	__VGPU_NAMES10, P11
__VGPU_PICK(11, __VGPU_TYPES11, __VGPU_NAMES11)
#define __VGPU_TYPES12	__VGPU_TYPES11, class P12
#define __VGPU_NAMES12	__VGPU_NAMES11, P12
__VGPU_PICK(12, __VGPU_TYPES12, __VGPU_NAMES12)
#define __VGPU_TYPES13	__VGPU_TYPES12, class P13
#define __VGPU_NAMES13	__VGPU_NAMES12, P13
__VGPU_PICK(13, __VGPU_TYPES13, __VGPU_NAMES13)
#define __VGPU_TYPES14	__VGPU_TYPES13, class P14
#define __VGPU_NAMES14	__VGPU_NAMES13, P14
__VGPU_PICK(14, __VGPU_TYPES14, __VGPU_NAMES14)
#define __VGPU_TYPES15	__VGPU_TYPES14, class P15
#define __VGPU_NAMES15	__VGPU_NAMES14, P15
__VGPU_PICK(15, __VGPU_TYPES15, __VGPU_NAMES15)
#define __VGPU_TYPES16	__VGPU_TYPES15, class P16
#define __VGPU_NAMES16	__VGPU_NAMES15, P16
__VGPU_PICK(16, __VGPU_TYPES16, __VGPU_NAMES16)

/*
 * The type of a pointer to a function: that of the one that there is, else by the arguments, else
 * by their number. clang has several functions of a name only where the host may take them, so
 * vgpucc asks in a function of both sides when the first answer is none.
 */
template <class... A> struct pick : pick_by_count<sizeof...(A)> {
	using pick_by_count<sizeof...(A)>::of;
	template <class... P>
	static __host__ __device__ void (*of(void (*)(P...), int))(P...);
	static __host__ __device__ void (*of(void (*)(A...), ...))(A...);
};
template <class... A> __host__ __device__ pick<A...> pick_for(A...);

}

#endif
