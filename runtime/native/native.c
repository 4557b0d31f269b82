// SPDX-License-Identifier: MIT
/*
 * Which kernels have native code: a table by what their instructions are, for all devices of the
 * process. Code lies in mappings of its own, between pages that cannot be accessed; while it is
 * written it cannot be executed, and afterwards it cannot be written.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "native.h"
#include "run.h"

#define BUCKETS		1024u
#define MOST_BYTES	(64u << 20)	/* of code; beyond that the interpreter serves */
/*
 * A kernel is translated when it has executed so many warp instructions as it has instructions,
 * times this. To translate one takes some 5 us, to interpret one 10 to 30 ns.
 */
#define EXECUTIONS	256u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct native_kernel *kernels[BUCKETS];
static struct vgpu_native_stats totals;

static uint64_t hash_of(const void *data, size_t bytes, uint64_t hash)
{
	const uint8_t *p = data;

	while (bytes >= 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		hash = (hash ^ v) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
		p += 8;
		bytes -= 8;
	}
	while (bytes--)
		hash = (hash ^ *p++) * 0x100000001b3ull;
	return hash;
}

/* Code to where it can be executed; NULL: there is no such memory. */
static const uint8_t *place(const struct native_object *object, size_t room)
{
	uint8_t *guard = mmap(NULL, room + 2 * VGPU_PAGE_SIZE, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		*at = guard + VGPU_PAGE_SIZE;

	if (guard == MAP_FAILED)
		return NULL;
	if (mprotect(at, room, PROT_READ | PROT_WRITE))
		goto fail;
	memcpy(at, object->bytes, object->size);
	if (mprotect(at, room, PROT_READ | PROT_EXEC))
		goto fail;
	return at;
fail:
	munmap(guard, room + 2 * VGPU_PAGE_SIZE);
	return NULL;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Without memory a kernel has no native code, which is no error. */
static void translate(struct native_kernel *k)
{
	struct native_object object;
	uint64_t begin = now();

	if (totals.bytes >= MOST_BYTES ||
	    vgpu_translate(k->insns, k->count, k->cost, k->vectors, &object))
		return;
	k->room = (object.size + VGPU_PAGE_SIZE - 1) & ~(size_t)(VGPU_PAGE_SIZE - 1);
	k->start = place(&object, k->room);
	free(object.bytes);
	if (k->start) {
		k->entries = object.entries;
		k->strided = object.strided;
		k->code.run = (u32 (*)(struct vgpu_lanes *))(uintptr_t)k->start;
		totals.bytes += object.size;
		totals.instructions += k->count;
	} else {
		free(object.entries);
	}
	totals.nanoseconds += now() - begin;
}

static struct native_kernel *kernel_of(const struct vgpu_insn *code, uint32_t count,
				       const uint16_t *cost, enum vgpu_native_vectors vectors)
{
	size_t bytes = count * sizeof(*code);
	struct native_kernel *k;
	uint64_t hash = hash_of(cost, sizeof(k->cost), hash_of(code, bytes, count + vectors));

	for (k = kernels[hash % BUCKETS]; k; k = k->next)
		if (k->hash == hash && k->count == count && k->vectors == vectors &&
		    !memcmp(k->insns, code, bytes) && !memcmp(k->cost, cost, sizeof(k->cost)))
			return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->insns = malloc(bytes);
	if (!k->insns) {
		free(k);
		return NULL;
	}
	memcpy(k->insns, code, bytes);
	memcpy(k->cost, cost, sizeof(k->cost));
	k->code = (struct vgpu_native_code){ NULL, vgpu_native_begin, vgpu_native_end };
	k->vectors = vectors;
	k->interpreter = vectors == VGPU_VECTORS_SSE2 ? vgpu_lanes_run_sse2 : vgpu_lanes_run_avx2;
	k->one = vectors == VGPU_VECTORS_SSE2 ? vgpu_lanes_one_sse2 : vgpu_lanes_one_avx2;
	k->hash = hash;
	k->count = count;
	translate(k);
	k->next = kernels[hash % BUCKETS];
	kernels[hash % BUCKETS] = k;
	return k;
}

int vgpu_native_find(const struct vgpu_native_choice *choice, const struct vgpu_insn *code,
		     uint32_t count, const uint16_t *cost, uint64_t executed,
		     const struct vgpu_native_code **out)
{
	const struct native_kernel *k;

	if (choice->mode == VGPU_NATIVE_OFF || choice->vectors == VGPU_VECTORS_NONE)
		return -EOPNOTSUPP;
	if (choice->mode == VGPU_NATIVE_AUTO && executed < (uint64_t)count * EXECUTIONS)
		return -EAGAIN;
	pthread_mutex_lock(&lock);
	k = kernel_of(code, count, cost, choice->vectors);
	pthread_mutex_unlock(&lock);
	if (!k || !k->start)
		return -ENOMEM;
	*out = &k->code;
	return 0;
}

void vgpu_native_forget(void)
{
	pthread_mutex_lock(&lock);
	for (uint32_t n = 0; n < BUCKETS; n++) {
		struct native_kernel *k;

		while ((k = kernels[n])) {
			kernels[n] = k->next;
			if (k->start)
				munmap((void *)(uintptr_t)(k->start - VGPU_PAGE_SIZE),
				       k->room + 2 * VGPU_PAGE_SIZE);
			free(k->entries);
			free(k->insns);
			free(k);
		}
	}
	memset(&totals, 0, sizeof(totals));
	pthread_mutex_unlock(&lock);
}

void vgpu_native_stats(struct vgpu_native_stats *stats)
{
	pthread_mutex_lock(&lock);
	*stats = totals;
	pthread_mutex_unlock(&lock);
}
