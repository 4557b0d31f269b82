// SPDX-License-Identifier: MIT
/*
 * Processes that are killed: in an endless kernel, and at random moments of everything. The device
 * is free again at once, and those who live on get exact results.
 */
#include "vgpu_asm.h"

static void compute(int rounds, uint32_t blocks, uint32_t factor)
{
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_affine(&p), module = must_load(fd, &p), queue = must_queue(fd);

	CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
	for (int i = 0; i < rounds; i++)
		must_compute(fd, queue, module, index, BASE, blocks, factor + (uint32_t)i,
			     (uint32_t)i);
	close(fd);
}

static void endless_kernel(void)
{
	double begin;
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		struct program p = {};
		int fd = must_open();
		struct vgpu_cmd cmds[32];
		uint32_t index = kernel_endless(&p), module = must_load(fd, &p),
			 queue = must_queue(fd);

		/* all of the device, several times over */
		for (int i = 0; i < 32; i++)
			cmds[i] = cmd_launch(module, index, 10000, 256, NULL, 0);
		must_submit(fd, queue, cmds, 32);
		wait_seq(fd, queue, 32, FOREVER);
		_exit(1);
	}
	usleep(500000);
	CHECK_EQ(count_of("contexts"), 1);
	/* others get answers meanwhile */
	begin = seconds_now();
	int fd = must_open();

	must_device_info(fd);
	must_queue(fd);
	close(fd);
	CHECK(seconds_now() - begin < 5 * machine_slowness());
	CHECK(!kill(pid, SIGKILL));
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	CHECK_EQ(count_of("contexts"), 0);
	compute(3, 20, 5);
}

/* A process that does a bit of everything until somebody kills it. */
static void restless(uint64_t seed)
{
	static uint8_t memory[40 * 4096];
	struct program p = {};
	struct binary b;
	uint32_t affine = kernel_affine(&p), endless = kernel_endless(&p);
	uint32_t bytes = program_binary(&p, &b);

	for (;;) {
		struct affine_params params = { .out = BASE, .factor = 3 };
		int fd = open(DEVICE, O_RDWR);
		int queue, module;
		uint64_t seq = 0;

		if (fd < 0)
			continue;
		queue = queue_create(fd);
		module = module_load(fd, &b, bytes, NULL, 0);
		mem_map(fd, BASE, 64 * PAGE);
		for (int i = 0; i < 30 && queue >= 0 && module >= 0; i++) {
			struct vgpu_cmd cmds[3] = {
				cmd_h2d(BASE + rnd(&seed) % PAGE, memory,
					1 + rnd(&seed) % (sizeof(memory) - 1)),
				cmd_launch((uint32_t)module, rnd(&seed) % 16 ? affine : endless,
					   1 + rnd(&seed) % 60, 128, &params, sizeof(params)),
				cmd_d2h(memory, BASE + rnd(&seed) % PAGE,
					1 + rnd(&seed) % (sizeof(memory) - 1)),
			};

			cmds[1].launch.param_bytes =
				cmds[1].launch.kernel == affine ? sizeof(params) : 0;
			submit(fd, (uint32_t)queue, cmds, 3, &seq);
			if (rnd(&seed) % 3 == 0)
				wait_seq(fd, (uint32_t)queue, seq, (int64_t)(rnd(&seed) % 5000000));
			if (rnd(&seed) % 4 == 0) {
				mem_map(fd, BASE + 128 * PAGE, 8 * PAGE);
				mem_unmap(fd, BASE + 128 * PAGE, 8 * PAGE);
			}
		}
		close(fd);
	}
}

static pid_t start_restless(uint64_t seed)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid)
		restless(seed);
	return pid;
}

static void storm(void)
{
	enum { VICTIMS = 4, KILLS = 60 };
	uint64_t seed = 42;
	pid_t victims[VICTIMS], witness;
	int status;

	/*
	 * Under FCFS an endless kernel of another may hold everything up until its process dies:
	 * the storm sees to that.
	 */
	witness = fork();
	CHECK(witness >= 0);
	if (!witness) {
		compute(12, 30, 7);
		_exit(0);
	}
	for (int i = 0; i < VICTIMS; i++)
		victims[i] = start_restless(rnd(&seed));
	for (int i = 0; i < KILLS; i++) {
		int v = (int)(rnd(&seed) % VICTIMS);

		usleep((useconds_t)(rnd(&seed) % 150000));
		CHECK(!kill(victims[v], SIGKILL));
		CHECK(waitpid(victims[v], &status, 0) == victims[v] && WIFSIGNALED(status));
		victims[v] = start_restless(rnd(&seed));
	}
	for (int i = 0; i < VICTIMS; i++) {
		CHECK(!kill(victims[i], SIGKILL));
		CHECK(waitpid(victims[i], &status, 0) == victims[i]);
	}
	CHECK(waitpid(witness, &status, 0) == witness);
	CHECK_EQ(status, 0);
	CHECK_EQ(count_of("contexts"), 0);
	CHECK_EQ(count_of("host_frames"), 0);
	CHECK_EQ(count_of("pinned_pages"), 0);
	compute(2, 20, 5);
}

static const struct test tests[] = {
	{ "kill: an endless kernel's process", endless_kernel },
	{ "kill: a storm", storm },
};

TESTS_MAIN(tests)
