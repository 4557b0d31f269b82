// SPDX-License-Identifier: MIT
/*
 * The same work a great many times: the kernel's memory stays what it was.
 */
#include "vgpu_asm.h"

/* Kilobytes of everything that the kernel holds for itself. */
static long kernel_kb(void)
{
	static const char *const fields[] = { "SUnreclaim:", "PageTables:", "KernelStack:",
					      "VmallocUsed:", "Percpu:" };
	char name[64];
	long kb, sum = 0;
	FILE *file = fopen("/proc/meminfo", "r");

	CHECK(file);
	while (fscanf(file, "%63s %ld%*[^\n]", name, &kb) == 2)
		for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
			if (!strcmp(name, fields[i]))
				sum += kb;
	fclose(file);
	return sum;
}

static void settle(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	CHECK(fd >= 0 && write(fd, "3", 1) == 1);
	close(fd);
	usleep(200000);
}

static void cycle(const struct program *p, bool fault)
{
	static uint8_t memory[3 * 4096 + 5];
	struct affine_params params = { .out = BASE, .factor = 1 };
	int fd = must_open();
	uint32_t queue = must_queue(fd), module = must_load(fd, p);
	struct vgpu_cmd cmds[4] = { cmd_h2d(BASE + 7, memory, sizeof(memory)),
				    cmd_launch(module, 0, 4, 64, &params, sizeof(params)),
				    cmd_d2h(memory, BASE + 9, sizeof(memory)), cmd_nop() };

	CHECK_EQ(mem_map(fd, BASE, 8 * PAGE), 0);
	CHECK_EQ(mem_map(fd, BASE + (1ull << 40), PAGE), 0);
	if (fault)
		cmds[3] = cmd_fill(8, 1, 1, 1);
	must_submit(fd, queue, cmds, 4);
	CHECK_EQ(wait_seq(fd, queue, 4, FOREVER), fault ? -EIO : 0);
	close(fd);
}

static void cycles(void)
{
	struct program p = {};
	long before, after;

	kernel_affine(&p);
	for (int i = 0; i < 50; i++)
		cycle(&p, i % 2);
	settle();
	before = kernel_kb();
	for (int i = 0; i < 1000; i++)
		cycle(&p, i % 2);
	settle();
	after = kernel_kb();
	printf("# %ld KiB before, %ld KiB after 1000 contexts\n", before, after);
	CHECK(after - before < 1024);
}

/* Frames are pages that no other count shows. */
static void frames(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	uint64_t bytes = 32ull << 20;

	for (int i = 0; i < 8; i++) {
		struct vgpu_cmd fill = cmd_fill(BASE, 1, 1, bytes);

		CHECK_EQ(mem_map(fd, BASE, bytes), 0);
		must_run(fd, queue, &fill, 1);
		CHECK_EQ(count_of("host_frames"), bytes / PAGE);
		CHECK_EQ(mem_unmap(fd, BASE, bytes), 0);
		CHECK_EQ(count_of("host_frames"), 0);
	}
}

static const struct test tests[] = {
	{ "leaks: a thousand contexts", cycles },
	{ "leaks: frames", frames },
};

TESTS_MAIN(tests)
