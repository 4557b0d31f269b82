// SPDX-License-Identifier: MIT
/*
 * Mapped rings that are never empty. Commands without an engine are executed by the front end; they
 * take virtual time, so nobody stops the clock with them.
 */
#include "vgpu_bystander.h"
#include "vgpu_mapped.h"

#define ENTRIES	4096u

static struct mapped must_fill(int fd, const struct vgpu_cmd *cmd)
{
	struct mapped m = must_map_ring(fd, must_queue(fd), ENTRIES, 0);
	struct vgpu_cmd filled = *cmd;

	if (cmd->op == VGPU_CMD_WAIT)
		filled.wait.queue = m.queue;
	for (uint32_t i = 0; i < ENTRIES; i++)
		m.commands[i] = filled;
	return m;
}

/* Rings of @count queues, full of @cmd for ever. */
static void keep_full(volatile uint32_t *going, const struct vgpu_cmd *cmd, uint32_t count)
{
	struct mapped rings[16];
	int fd = must_open();

	CHECK(count <= ARRAY_SIZE(rings));
	for (uint32_t i = 0; i < count; i++)
		rings[i] = must_fill(fd, cmd);
	for (;;) {
		for (uint32_t i = 0; i < count; i++)
			__atomic_store_n(&rings[i].ring->tail, rings[i].fence->head + ENTRIES,
					 __ATOMIC_RELEASE);
		CHECK_EQ(ring_doorbell(&rings[0]), 0);
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
