// SPDX-License-Identifier: MIT
/*
 * Lost wake-ups: there was no memory for the commands of a ring when the actor looked at it.
 * Nothing of the context is in flight whose end would make it look again, and the process need not
 * ring again. Only for kernels with fault injection (KERNEL=debug).
 */
#include "vgpu_inject.h"
#include "vgpu_mapped.h"

#define ENTRIES		64u
#define LOOK		3	/* allocations that fail, at most, when the actor looks at a ring */
#define RETRY_SECONDS	0.01	/* RETRY_NS of kmod/queue/ring.c */

/* A ring whose commands were refused for lack of memory, and are refused still. */
static struct mapped must_stall(void)
{
	int fd = must_open();
	struct mapped m = must_map_ring(fd, must_queue(fd), ENTRIES, 0);
	double end;

	for (uint32_t i = 0; i < ENTRIES; i++)
		m.commands[i] = cmd_nop();
	actor_slab_fails(true, 0);
	__atomic_store_n(&m.ring->tail, ENTRIES, __ATOMIC_RELEASE);
	CHECK_EQ(ring_doorbell(&m), 0);
	end = deadline(3);
	while (!actor_slab_failed())
		CHECK(seconds_now() < end);
	CHECK_EQ(m.fence->head, 0);
	CHECK_EQ(m.fence->dead, 0);
	return m;
}

/* Look at the fence page only: every call could be what makes the actor look. */
static void must_complete(const struct mapped *m)
{
	double end = deadline(3);

	while (m->fence->completed < ENTRIES) {
		CHECK(seconds_now() < end);
		usleep(1000);
	}
	CHECK_EQ(m->fence->dead, 0);
}

static void memory_comes_back_to(void)
{
	struct mapped m = must_stall();

	actor_slab_fails(false, 0);
	must_complete(&m);
	close(m.fd);
}

static void memory_comes_back(void)
{
	with_actor_safe(memory_comes_back_to);
}

/*
 * By itself the actor looks again after RETRY_NS, so within less than that it can have looked twice
 * at most: more allocations that failed than those are the doorbells'.
 */
static void doorbells_at(void)
{
	struct mapped m = must_stall();
	double end = deadline(3), begin, now;
	long before, failed;

	do {
		begin = seconds_now();
		before = actor_slab_failed();
		do {
			CHECK_EQ(ring_doorbell(&m), 0);
			failed = actor_slab_failed() - before;
			now = seconds_now();
		} while (failed <= 2 * LOOK && now - begin < RETRY_SECONDS);
		CHECK(now < end);
	} while (failed <= 2 * LOOK || now - begin >= RETRY_SECONDS);
	CHECK_EQ(m.fence->head, 0);
	actor_slab_fails(false, 0);
	must_complete(&m);
	close(m.fd);
}

static void doorbells(void)
{
	with_actor_safe(doorbells_at);
}

static const struct test tests[] = {
	{ "hostile_stall: a ring without memory goes on when there is some", memory_comes_back },
	{ "hostile_stall: a doorbell makes the actor look at once", doorbells },
};

TESTS_MAIN(tests)
