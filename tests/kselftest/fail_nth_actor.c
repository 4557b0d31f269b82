// SPDX-License-Identifier: MIT
/*
 * The actor's memory runs out at every point of a batch of commands, and nobody else's. The batch
 * is refused, or its context ends for lack of memory, or its results are exact. Only for kernels
 * with fault injection (KERNEL=debug), as root.
 */
#include "fail_nth.h"

#define SPACE_STEP	64u
#define SPACE_MAX	(1u << 20)

static uint32_t must_load_local(int fd)
{
	struct program p = {};

	kernel_affine(&p);
	return must_load(fd, &p);
}

/* A copy to the device, a kernel, a copy back; 0, a lack of memory, or the context has ended. */
static int compute(int fd, uint32_t q, uint32_t loaded, uint32_t *out)
{
	struct affine_params affine_of = { .out = BASE, .factor = 3, .add = 5 };
	struct vgpu_cmd cmds[] = {
		cmd_h2d(BASE, buffer, BYTES),
		cmd_launch(loaded, 0, 4, 128, &affine_of, sizeof(affine_of)),
		cmd_d2h(out, BASE, 512 * sizeof(*out)),
	};
	uint64_t seq;
	int ret = submit(fd, q, cmds, ARRAY_SIZE(cmds), &seq);

	return ret ? ret : wait_seq(fd, q, seq, limit_ns(30));
}

/* From its @space-th byte on the actor gets no slab memory. True: it would have wanted more. */
static bool without_memory(unsigned int space)
{
	static uint32_t out[512];
	int fd = must_open(), ret;
	uint32_t q = must_queue(fd), loaded = must_load_local(fd);
	struct vgpu_context_info info;
	bool failed;

	CHECK_EQ(mem_map(fd, BASE, BYTES), 0);
	memset(out, 0, sizeof(out));
	actor_slab_fails(true, space);
	ret = compute(fd, q, loaded, out);
	failed = actor_slab_failed();
	actor_slab_fails(false, 0);
	info = must_context_info(fd);
	if (info.dead)
		CHECK_EQ(info.fault.reason, VGPU_FAULT_NO_MEMORY);
	else
		CHECK(!ret || is_lack(ret));
	CHECK(failed || !ret);
	/* it may have been for something else, but then all is as it should be */
	if (!info.dead && !ret)
		for (uint32_t i = 0; i < ARRAY_SIZE(out); i++)
			CHECK_EQ(out[i], i * 3 + 5);
	if (!info.dead && ret)
		CHECK_EQ(compute(fd, q, loaded, out), 0);
	close(fd);
	return failed;
}

static void actor_commands_at(void)
{
	unsigned int space = 0;

	/* what is made once is there */
	actor_slab_fails(false, 0);
	while (without_memory(space)) {
		space += SPACE_STEP;
		CHECK(space < SPACE_MAX);
	}
	printf("# commands: %u bytes of slab until none is missing\n", space);
	CHECK(space);
}

static void actor_commands(void)
{
	with_actor_safe(actor_commands_at);
}

static const struct test tests[] = {
	{ "fail_nth_actor: in the middle of commands", actor_commands },
};

TESTS_MAIN(tests)
