// SPDX-License-Identifier: MIT
/*
 * Frames of an embedded device; see embedded_frames.h.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "embedded_frames.h"
#include "vgpu.h"

#define CHUNK		(2ul << 20)	/* frames come from the system so many bytes at a time */

struct frame {
	struct frame *next;
};

struct chunk {
	struct chunk *next;
	void *memory;
};

#ifdef __SANITIZE_ADDRESS__
/* One allocation a frame: the sanitizer sees the use of a frame that was given back. */
void *vgpu_host_frame_get(struct vgpu_host_frames *frames)
{
	void *memory = aligned_alloc(VGPU_PAGE_SIZE, VGPU_PAGE_SIZE);

	(void)frames;
	if (memory)
		memset(memory, 0, VGPU_PAGE_SIZE);
	return memory;
}

void vgpu_host_frame_put(struct vgpu_host_frames *frames, void *memory)
{
	(void)frames;
	free(memory);
}
#else
/*
 * Device memory may be larger than the host's: rather a fault of the context than the out-of-memory
 * killer. A thirty-second of the host's memory stays free. Where the system does not say how much
 * there is, all may be had.
 */
static bool host_is_low(void)
{
	unsigned long long total, available;
	FILE *file = fopen("/proc/meminfo", "re");
	bool low;

	if (!file)
		return false;
	low = fscanf(file, "MemTotal: %llu kB MemFree: %*u kB MemAvailable: %llu", &total,
		     &available) == 2 &&
	      available < total / 32;
	fclose(file);
	return low;
}

/* CHUNK bytes, aligned to as many: what the processor may map as one page. NULL: no memory. */
static void *map_chunk(void)
{
	char *memory = mmap(NULL, 2 * CHUNK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (memory == MAP_FAILED)
		return NULL;
	/* the upper one that fits: so the next chunk adjoins, where mappings grow downwards */
	before = CHUNK - (uintptr_t)memory % CHUNK;
	munmap(memory, before);
	if (before < CHUNK)
		munmap(memory + before + CHUNK, CHUNK - before);
	return memory + before;
}

void *vgpu_host_frame_get(struct vgpu_host_frames *frames)
{
	struct frame *frame = frames->spare;
	struct chunk *chunk;
	void *memory;

	if (frame) {
		frames->spare = frame->next;
		memset(frame, 0, VGPU_PAGE_SIZE);
		return frame;
	}
	if (frames->fresh == frames->fresh_end) {
		memory = host_is_low() ? NULL : map_chunk();
		if (!memory)
			return NULL;
		/* a small program has no use for a large page; without one all works as well */
		if (frames->chunks)
			madvise(memory, CHUNK, MADV_HUGEPAGE);
		chunk = malloc(sizeof(*chunk));
		if (!chunk) {
			munmap(memory, CHUNK);
			return NULL;
		}
		chunk->memory = memory;
		chunk->next = frames->chunks;
		frames->chunks = chunk;
		frames->fresh = memory;
		frames->fresh_end = frames->fresh + CHUNK;
	}
	memory = frames->fresh;
	frames->fresh += VGPU_PAGE_SIZE;
	return memory;
}

void vgpu_host_frame_put(struct vgpu_host_frames *frames, void *memory)
{
	struct frame *frame = memory;

	frame->next = frames->spare;
	frames->spare = frame;
}
#endif

void vgpu_host_frames_free(struct vgpu_host_frames *frames)
{
	while (frames->chunks) {
		struct chunk *chunk = frames->chunks;

		frames->chunks = chunk->next;
		munmap(chunk->memory, CHUNK);
		free(chunk);
	}
}
