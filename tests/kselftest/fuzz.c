// SPDX-License-Identifier: MIT
/*
 * Random ioctls with fixed seeds, by several threads on shared files: numbers, handles, addresses and sizes that are right
 * just often enough to get somewhere. Nothing is checked but that everything is still there afterwards.
 */
#include <pthread.h>

#include "vgpu_asm.h"

#define SECONDS		6
#define THREADS		3

static uint8_t *arena;		/* 16 pages, the last but one not mapped, the last read-only */
static int files[3];
static double end;

static uint64_t some_address(uint64_t *seed)
{
	switch (rnd(seed) % 8) {
	case 0: return 0;
	case 1: return rnd(seed);
	case 2: return (uintptr_t)arena + 14 * PAGE - rnd(seed) % 64;
	case 3: return 0xffff888000000000ull + rnd(seed) % PAGE;
	case 4: return ~0ull - rnd(seed) % 64;
	default: return (uintptr_t)arena + rnd(seed) % (16 * PAGE);
	}
}

static uint64_t some_device(uint64_t *seed)
{
	switch (rnd(seed) % 8) {
	case 0: return rnd(seed);
	case 1: return VGPU_ADDRESS_LIMIT - rnd(seed) % (2 * PAGE);
	default: return BASE + rnd(seed) % 64 * PAGE + (rnd(seed) % 2 ? 0 : rnd(seed) % PAGE);
	}
}

static uint64_t some_size(uint64_t *seed)
{
	switch (rnd(seed) % 6) {
	case 0: return rnd(seed);
	case 1: return 0;
	case 2: return PAGE * (rnd(seed) % 8);
	default: return rnd(seed) % (8 * PAGE);
	}
}

static struct vgpu_cmd some_command(uint64_t *seed)
{
	struct vgpu_cmd cmd = {};

	switch (rnd(seed) % 10) {
	case 0:
		for (size_t i = 0; i < 7; i++)
			cmd.raw[i] = rnd(seed);
		cmd.op = (uint16_t)(rnd(seed) % (VGPU_CMD_COUNT + 1));
		return cmd;
	case 1: return cmd_nop();
	case 2:
	case 3: return cmd_h2d(some_device(seed), (void *)some_address(seed), some_size(seed));
	case 4: return cmd_d2h((void *)some_address(seed), some_device(seed), some_size(seed));
	case 5: return cmd_copy(VGPU_CMD_COPY_D2D, some_device(seed), some_device(seed), some_size(seed));
	case 6: return cmd_fill(some_device(seed), (uint32_t)rnd(seed), 1u << rnd(seed) % 4, some_size(seed));
	case 7: return cmd_wait((uint32_t)(rnd(seed) % 4), rnd(seed) % 20);
	case 8: return cmd_stamp((void *)(some_address(seed) & ~7ull));
	default: return cmd_launch((uint32_t)(rnd(seed) % 4), (uint32_t)(rnd(seed) % 3), (uint32_t)(rnd(seed) % 9),
				   (uint32_t)(rnd(seed) % 300), (void *)some_address(seed), (uint32_t)(rnd(seed) % 20));
	}
}

static void one_call(int fd, uint64_t *seed)
{
	struct vgpu_cmd cmds[8];
	struct binary b;
	struct program p = {};
	union {
		struct vgpu_queue_create create;
		struct vgpu_queue_destroy destroy;
		struct vgpu_module_load load;
		struct vgpu_module_unload unload;
		struct vgpu_mem mem;
		struct vgpu_submit submit;
		struct vgpu_wait wait;
		struct vgpu_device_info device;
		struct vgpu_context_info context;
		uint64_t raw[64];
	} arg = {};
	unsigned long request;

	switch (rnd(seed) % 13) {
	case 0:
		request = VGPU_IOC_QUEUE_CREATE;
		arg.create.flags = rnd(seed) % 8 == 0;
		break;
	case 1:
		request = VGPU_IOC_QUEUE_DESTROY;
		arg.destroy.queue = (uint32_t)(rnd(seed) % 40);
		break;
	case 2:
		request = VGPU_IOC_MODULE_LOAD;
		kernel_affine(&p);
		arg.load.bytes = program_binary(&p, &b);
		arg.load.binary = rnd(seed) % 4 ? (uintptr_t)&b : some_address(seed);
		((uint8_t *)&b)[rnd(seed) % sizeof(b)] ^= (uint8_t)(rnd(seed) % 4);
		arg.load.message = some_address(seed);
		arg.load.message_bytes = (uint32_t)some_size(seed);
		break;
	case 3:
		request = VGPU_IOC_MODULE_UNLOAD;
		arg.unload.module = (uint32_t)(rnd(seed) % 8);
		break;
	case 4:
	case 5:
		request = rnd(seed) % 3 ? VGPU_IOC_MEM_MAP : VGPU_IOC_MEM_UNMAP;
		arg.mem.address = some_device(seed) & ~(PAGE - 1);
		arg.mem.bytes = some_size(seed);
		if (rnd(seed) % 8)
			arg.mem.bytes &= ~(PAGE - 1);
		break;
	case 6:
	case 7:
	case 8:
		request = VGPU_IOC_SUBMIT;
		for (size_t i = 0; i < ARRAY_SIZE(cmds); i++)
			cmds[i] = some_command(seed);
		arg.submit.queue = (uint32_t)(rnd(seed) % 6);
		arg.submit.count = (uint32_t)(rnd(seed) % (rnd(seed) % 8 ? 4 : 300));
		if (arg.submit.count > ARRAY_SIZE(cmds))
			arg.submit.count = ARRAY_SIZE(cmds);
		arg.submit.commands = rnd(seed) % 8 ? (uintptr_t)cmds : some_address(seed);
		break;
	case 9:
		request = VGPU_IOC_WAIT;
		arg.wait.queue = (uint32_t)(rnd(seed) % 6);
		arg.wait.seq = rnd(seed) % 30;
		arg.wait.timeout_ns = (int64_t)(rnd(seed) % 2000000);
		break;
	case 10:
		request = VGPU_IOC_CONTEXT_INFO;
		break;
	case 11:
		request = VGPU_IOC_DEVICE_INFO;
		break;
	default:
		request = _IOC(rnd(seed) % 4, VGPU_IOC_MAGIC, rnd(seed) % 256, rnd(seed) % 300);
		for (size_t i = 0; i < ARRAY_SIZE(arg.raw); i++)
			arg.raw[i] = rnd(seed);
		break;
	}
	if (request != VGPU_IOC_WAIT || arg.wait.timeout_ns >= 0)
		ioctl(fd, request, rnd(seed) % 32 ? (void *)&arg : (void *)some_address(seed));
}

static void *fuzz_main(void *arg)
{
	uint64_t seed = (uintptr_t)arg;
	unsigned long calls = 0;

	while (seconds_now() < end) {
		size_t which = rnd(&seed) % ARRAY_SIZE(files);

		/* a fault ends a context for good: begin a new one now and then */
		if (rnd(&seed) % 200 == 0) {
			int fresh = open(DEVICE, O_RDWR);

			if (fresh >= 0) {
				dup2(fresh, files[which]);
				close(fresh);
				queue_create(files[which]);
			}
		}
		one_call(files[which], &seed);
		calls++;
	}
	return (void *)calls;
}

static void fuzz(uint64_t seed)
{
	pthread_t threads[THREADS];
	unsigned long calls = 0;
	void *done;

	arena = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(arena != MAP_FAILED);
	CHECK(!munmap(arena + 14 * PAGE, PAGE) && !mprotect(arena + 15 * PAGE, PAGE, PROT_READ));
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		files[i] = must_open();
		must_queue(files[i]);
		CHECK_EQ(mem_map(files[i], BASE, 8 * PAGE), 0);
	}
	end = seconds_now() + SECONDS;
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, fuzz_main, (void *)(seed + i * 1000)));
	for (int i = 0; i < THREADS; i++) {
		CHECK(!pthread_join(threads[i], &done));
		calls += (unsigned long)done;
	}
	printf("# %lu calls\n", calls);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		close(files[i]);
	/* and it works */
	struct program p = {};
	int fd = must_open();
	uint32_t index = kernel_affine(&p), module = must_load(fd, &p);

	CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
	must_compute(fd, must_queue(fd), module, index, BASE, 20, 3, 1);
}

static void seed_1(void)
{
	fuzz(1);
}

static void seed_2(void)
{
	fuzz(2000003);
}

static void seed_3(void)
{
	fuzz(777);
}

static const struct test tests[] = {
	{ "fuzz: seed 1", seed_1 },
	{ "fuzz: seed 2000003", seed_2 },
	{ "fuzz: seed 777", seed_3 },
};

TESTS_MAIN(tests)
