/* SPDX-License-Identifier: MIT */
/* While one exists the device has no memory to give but pieces of less than 64 KB. */
#ifndef TESTS_LIBRARIES_NO_MEMORY_H
#define TESTS_LIBRARIES_NO_MEMORY_H

#include "../common.h"

#include <vector>

struct no_memory {
	std::vector<void *> taken;

	no_memory()
	{
		void *piece;

		for (size_t bytes = (size_t)1 << 34; bytes >= (size_t)1 << 16;)
			if (cudaMalloc(&piece, bytes) == cudaSuccess)
				taken.push_back(piece);
			else
				bytes /= 2;
		cudaGetLastError();
	}
	no_memory(const no_memory &) = delete;
	~no_memory()
	{
		for (void *piece : taken)
			CHECK(cudaFree(piece));
	}
};

#endif
