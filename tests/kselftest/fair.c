// SPDX-License-Identifier: MIT
/*
 * Neither side starves the other: a flood of ioctls lets kernels run, kernels that fill the device let ioctls through.
 */
#include <pthread.h>

#include "vgpu_asm.h"

static volatile bool stop;

static void *flood_main(void *arg)
{
	unsigned long calls = 0;
	struct vgpu_device_info info;
	int fd = *(int *)arg;

	while (!stop) {
		CHECK_EQ(call(fd, VGPU_IOC_DEVICE_INFO, &info), 0);
		calls++;
	}
	return (void *)calls;
}

static double compute(int rounds)
{
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_affine(&p), module = must_load(fd, &p), queue = must_queue(fd);
	double begin;

	CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
	must_compute(fd, queue, module, index, BASE, 200, 3, 1);
	begin = seconds_now();
	for (int i = 0; i < rounds; i++)
		must_compute(fd, queue, module, index, BASE, 200, 3, (uint32_t)i);
	close(fd);
	return seconds_now() - begin;
}

static void flood(void)
{
	enum { THREADS = 4, ROUNDS = 10 };
	pthread_t threads[THREADS];
	unsigned long calls = 0;
	double alone = compute(ROUNDS), flooded;
	int fd = must_open();
	void *done;

	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, flood_main, &fd));
	usleep(50000);
	flooded = compute(ROUNDS);
	stop = true;
	for (int i = 0; i < THREADS; i++) {
		CHECK(!pthread_join(threads[i], &done));
		calls += (unsigned long)done;
	}
	printf("# %d rounds: %.3f s alone, %.3f s beside %lu ioctls of %d threads\n", ROUNDS, alone, flooded, calls, THREADS);
	/* five threads on one or two processors get a fifth each, and some is lost; starving would take minutes */
	CHECK(flooded < 20 * alone + 2);
}

static void full_device(void)
{
	struct program p = {};
	int fd = must_open(), other = must_open();
	uint32_t index = kernel_endless(&p);
	struct vgpu_cmd cmd = cmd_launch(must_load(fd, &p), index, 10000, 256, NULL, 0);
	double begin, longest = 0, all = 0;

	must_submit(fd, must_queue(fd), &cmd, 1);
	usleep(200000);
	for (int i = 0; i < 100; i++) {
		begin = seconds_now();
		must_device_info(other);
		begin = seconds_now() - begin;
		longest = begin > longest ? begin : longest;
		all += begin;
	}
	printf("# an ioctl beside kernels that fill the device: %.3f ms on average, %.3f ms at most\n", all * 10, longest * 1e3);
	CHECK(all / 100 < 0.3 && longest < 3);
}

static const struct test tests[] = {
	{ "fair: kernels beside a flood of ioctls", flood },
	{ "fair: ioctls beside kernels that fill the device", full_device },
};

TESTS_MAIN(tests)
