/* SPDX-License-Identifier: MIT */
/*
 * A queue's ring and fence page in this process, as RING_CREATE lays them out.
 */
#ifndef VGPU_MAPPED_H
#define VGPU_MAPPED_H

#include "vgpu_client.h"

/**
 * struct mapped - a ring
 * @tail: of what a test has stored; tests keep it themselves
 */
struct mapped {
	int fd;
	uint32_t queue;
	struct vgpu_ring_create shape;
	volatile struct vgpu_ring *ring;
	volatile struct vgpu_cmd *commands;
	uint8_t *params;
	const volatile struct vgpu_ring_fence *fence;
	uint32_t tail;
};

static inline int ring_create(int fd, uint32_t queue, uint32_t entries, uint32_t params,
			      struct vgpu_ring_create *shape)
{
	*shape = (struct vgpu_ring_create){ .queue = queue,
					    .entries = entries,
					    .param_bytes = params };
	return call(fd, VGPU_IOC_RING_CREATE, shape);
}

static inline struct mapped must_map_ring(int fd, uint32_t queue, uint32_t entries,
					  uint32_t params)
{
	struct mapped m = { .fd = fd, .queue = queue };
	void *ring, *fence;

	CHECK_EQ(ring_create(fd, queue, entries, params, &m.shape), 0);
	ring = mmap(NULL, m.shape.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    (off_t)m.shape.ring_offset);
	fence = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)m.shape.fence_offset);
	CHECK(ring != MAP_FAILED && fence != MAP_FAILED);
	m.ring = ring;
	m.commands = (void *)((uint8_t *)ring + m.shape.commands);
	m.params = (uint8_t *)ring + m.shape.params;
	m.fence = fence;
	return m;
}

static inline int ring_doorbell(const struct mapped *m)
{
	struct vgpu_ring_doorbell doorbell = { .queue = m->queue };

	return call(m->fd, VGPU_IOC_RING_DOORBELL, &doorbell);
}

#endif
