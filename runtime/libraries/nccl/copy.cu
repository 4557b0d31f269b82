// SPDX-License-Identifier: MIT
/*
 * Copies between a program's memory and what ranks share.
 */
#include "comm.h"

enum { THREADS = 256, BLOCKS_MAX = 32 };

/* By words as wide as both addresses allow; all threads of the grid take part. */
template <class Word>
static __device__ void copy_words(char *to, const char *from, size_t bytes, size_t thread,
				  size_t threads)
{
	for (size_t i = thread; i < bytes / sizeof(Word); i += threads)
		((Word *)to)[i] = ((const Word *)from)[i];
	for (size_t i = bytes / sizeof(Word) * sizeof(Word) + thread; i < bytes; i += threads)
		to[i] = from[i];
}

static __device__ void copy_bytes(char *to, const char *from, size_t bytes, size_t thread,
				  size_t threads)
{
	size_t both = (size_t)to | (size_t)from;

	if (to == from)
		return;
	if (!(both % 16))
		copy_words<uint4>(to, from, bytes, thread, threads);
	else if (!(both % 8))
		copy_words<unsigned long long>(to, from, bytes, thread, threads);
	else if (!(both % 4))
		copy_words<unsigned int>(to, from, bytes, thread, threads);
	else if (!(both % 2))
		copy_words<unsigned short>(to, from, bytes, thread, threads);
	else
		copy_words<char>(to, from, bytes, thread, threads);
}

static __global__ void copy_parts(char *to, size_t to_stride, const char *from, size_t from_stride,
				  size_t length, size_t total)
{
	size_t before = blockIdx.y * length;

	if (before >= total)
		return;
	copy_bytes(to + blockIdx.y * to_stride, from + blockIdx.y * from_stride,
		   total - before < length ? total - before : length,
		   blockIdx.x * (size_t)blockDim.x + threadIdx.x, (size_t)gridDim.x * blockDim.x);
}

static __global__ void copy_list(const nccl_piece *list, const volatile int *count)
{
	for (int i = 0; i < *count; i++)
		copy_bytes(list[i].to, list[i].from, list[i].bytes,
			   blockIdx.x * (size_t)blockDim.x + threadIdx.x,
			   (size_t)gridDim.x * blockDim.x);
}

static unsigned int blocks_for(size_t bytes)
{
	size_t blocks = (bytes + 16 * THREADS - 1) / (16 * THREADS);

	return blocks < 1 ? 1 : blocks > BLOCKS_MAX ? BLOCKS_MAX : (unsigned int)blocks;
}

cudaError_t nccl_copy(cudaStream_t stream, void *to, size_t to_stride, const void *from,
		      size_t from_stride, int parts, size_t length, size_t total)
{
	copy_parts<<<dim3(blocks_for(length), (unsigned int)parts), THREADS, 0, stream>>>(
		(char *)to, to_stride, (const char *)from, from_stride, length, total);
	return cudaGetLastError();
}

cudaError_t nccl_copy_pieces(cudaStream_t stream, const nccl_piece *list, const int *count)
{
	copy_list<<<BLOCKS_MAX, THREADS, 0, stream>>>(list, count);
	return cudaGetLastError();
}
