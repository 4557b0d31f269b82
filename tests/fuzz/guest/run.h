/* SPDX-License-Identifier: MIT */
/*
 * An input while it is executed: what it has open, what it has prepared, and which values the
 * numbers of an operation stand for.
 */
#ifndef FUZZ_RUN_H
#define FUZZ_RUN_H

#include <liburing.h>

#include "input.h"
#include "tests/kselftest/netlink_client.h"
#include "tests/kselftest/vgpu_asm.h"
#include "tests/kselftest/vgpu_files.h"

#define SLOTS		4u
#define QUEUES		4u
#define RINGS		4u
#define BATCH		64u
#define ARENA_PAGES	16u
#define PARAMS_PAGE	12u		/* struct affine_params lies there */

/** struct ring - a mapped one */
struct ring {
	struct vgpu_ring_create shape;
	uint8_t *memory;
	const struct vgpu_ring_fence *fence;
};

/** struct dirty - what an input has changed for everybody */
struct dirty {
	uint32_t knobs;			/* bits, by place in the table of knobs */
	bool config;			/* devices of configfs */
	bool samples;			/* of netlink */
};

/** struct run - an input while it is executed */
struct run {
	int files[SLOTS];
	uint32_t queues[SLOTS][QUEUES];
	uint32_t queue_count[SLOTS];
	uint32_t modules[SLOTS];
	struct vgpu_cmd batch[BATCH];
	uint32_t count;
	struct ring rings[RINGS];
	uint32_t ring_count;
	struct io_uring uring;
	bool uring_made;
	int seat;
	int netlink;
	uint16_t family;
	uint32_t groups[GROUPS];
	struct request request;
	struct program program;
	struct binary image;
	uint32_t image_bytes;
	uint8_t *arena;
	struct dirty *dirty;
};

/* ---- values ------------------------------------------------------------- */

static uint64_t wide(uint32_t x)
{
	uint64_t state = x;

	return rnd(&state);
}

static uint64_t host_address(const struct run *run, uint32_t x)
{
	uintptr_t arena = (uintptr_t)run->arena;

	switch (x >> 28) {
	case 10: return x & 0xfff;
	case 11: return 0xffff888000000000ull + (x & 0xffff);
	case 12: return ~0ull - (x & 63);
	case 13: return arena + (ARENA_PAGES - 2) * PAGE - (x & 63);
	case 14: return run->ring_count ? (uintptr_t)run->rings[0].memory + (x & 0xfff) : 0;
	case 15: return wide(x);
	default: return arena + x % (ARENA_PAGES * PAGE);
	}
}

static uint64_t device_address(uint32_t x)
{
	switch (x >> 28) {
	case 12: return VGPU_ADDRESS_LIMIT - (x & 0x1fff);
	case 13: return x & 0xfffffff;
	case 14: return wide(x);
	case 15: return BASE + (x & 0xfffffff);
	default: return BASE + (x & 0xffff);
	}
}

static uint64_t size_of(uint32_t x)
{
	switch (x >> 28) {
	case 10: return PAGE * (x & 15);
	case 11: return 0;
	case 12: return x & 0xffffff;
	case 13: return 1ull << (x & 63);
	case 14: return ~0ull - (x & 0xfff);
	case 15: return wide(x);
	default: return x & 0x3fff;
	}
}

/* Numbers of queues, kernels, sequences: mostly small ones. */
static uint32_t small(uint32_t x)
{
	return x >> 28 == 15 ? (uint32_t)wide(x) : x & 0x3f;
}

static uint64_t time_of(uint32_t x)
{
	switch (x >> 28) {
	case 13: return wide(x);
	case 14: return ~0ull - (x & 3);
	default: return (uint64_t)(x & 0xfffffff) << 8;
	}
}

static uint32_t slot_of(const struct op *op)
{
	return op->a % SLOTS;
}

static int file_of(const struct run *run, const struct op *op)
{
	return run->files[slot_of(op)];
}

static uint32_t queue_of(const struct run *run, const struct op *op)
{
	return op->b < 0xf0 ? run->queues[slot_of(op)][op->b % QUEUES] : op->b - 0xf0u;
}

#endif
