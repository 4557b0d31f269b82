// SPDX-License-Identifier: MIT
/*
 * Mapped rings that are never empty. Commands without an engine are executed by the front end; they
 * take virtual time, so nobody stops the clock with them.
 */
#include "vgpu_bystander.h"

#define ENTRIES	4096u

struct ring {
	volatile struct vgpu_ring *control;
	const volatile struct vgpu_ring_fence *fence;
	uint32_t queue;
};

static struct ring must_fill(int fd, const struct vgpu_cmd *cmd)
{
	struct vgpu_ring_create shape = { .queue = must_queue(fd), .entries = ENTRIES };
	struct ring ring = { .queue = shape.queue };
	struct vgpu_cmd *commands;

	CHECK_EQ(call(fd, VGPU_IOC_RING_CREATE, &shape), 0);
	ring.control = mmap(NULL, shape.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    (off_t)shape.ring_offset);
	ring.fence = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)shape.fence_offset);
	CHECK(ring.control != MAP_FAILED && ring.fence != MAP_FAILED);
	commands = (void *)((uint8_t *)ring.control + shape.commands);
	for (uint32_t i = 0; i < ENTRIES; i++) {
		commands[i] = *cmd;
		if (cmd->op == VGPU_CMD_WAIT)
			commands[i].wait.queue = ring.queue;
	}
	return ring;
}

/* Rings of @count queues, full of @cmd for ever. */
static void keep_full(volatile uint32_t *going, const struct vgpu_cmd *cmd, uint32_t count)
{
	struct vgpu_ring_doorbell doorbell = {};
	struct ring rings[16];
	int fd = must_open();

	CHECK(count <= ARRAY_SIZE(rings));
	for (uint32_t i = 0; i < count; i++)
		rings[i] = must_fill(fd, cmd);
	doorbell.queue = rings[0].queue;
	for (;;) {
		for (uint32_t i = 0; i < count; i++)
			__atomic_store_n(&rings[i].control->tail, rings[i].fence->head + ENTRIES,
					 __ATOMIC_RELEASE);
		CHECK_EQ(call(fd, VGPU_IOC_RING_DOORBELL, &doorbell), 0);
		if (rings[0].fence->completed > ENTRIES)
			++*going;
	}
}

static void nops(volatile uint32_t *going)
{
	struct vgpu_cmd cmd = cmd_nop();

	keep_full(going, &cmd, 1);
}

static void nops_of_many_queues(volatile uint32_t *going)
{
	struct vgpu_cmd cmd = cmd_nop();

	keep_full(going, &cmd, 16);
}

/* For what has been reached long ago. */
static void waits(volatile uint32_t *going)
{
	struct vgpu_cmd cmd = cmd_wait(0, 0);

	keep_full(going, &cmd, 1);
}

static void ring_of_nops(void)
{
	must_not_notice("a ring of NOPs", nops);
}

static void rings_of_nops(void)
{
	must_not_notice("16 rings of NOPs", nops_of_many_queues);
}

static void ring_of_waits(void)
{
	must_not_notice("a ring of WAITs", waits);
}

static const struct test tests[] = {
	{ "hostile_ring: a ring of NOPs that is never empty", ring_of_nops },
	{ "hostile_ring: sixteen of them", rings_of_nops },
	{ "hostile_ring: a ring of reached WAITs that is never empty", ring_of_waits },
};

TESTS_MAIN(tests)
