// SPDX-License-Identifier: MIT
/*
 * A kernel that never ends, on a device whose policy does not preempt. It may go on for as long as
 * nobody else has a kernel; one of another context waits for it no longer than timeout_ms.
 */
#include "vgpu_bystander.h"
#include "vgpu_clock.h"
#include "vgpu_configfs.h"

static void endless(int fd, uint64_t block_ps)
{
	struct vgpu_cmd cmd = cmd_profiled(1ull << 40, block_ps);

	must_submit(fd, must_queue(fd), &cmd, 1);
}

/* The kernel of a bystander, and what becomes of the endless one, by two files of a device. */
static void ends_for_others(int hostile, int fd, uint64_t block_ps)
{
	struct vgpu_cmd cmd = cmd_profiled(1, 1000);
	uint32_t queue = must_queue(fd);

	CHECK_EQ(write_text("timeout_ms", "300"), 0);
	endless(hostile, block_ps);
	/* alone it may */
	sleep(1);
	CHECK_EQ(must_context_info(hostile).dead, 0);
	must_submit(fd, queue, &cmd, 1);
	CHECK_EQ(wait_seq(fd, queue, 1, limit_ns(20)), 0);
	CHECK_EQ(must_context_info(fd).dead, 0);
	CHECK_EQ(must_context_info(hostile).fault.reason, VGPU_FAULT_WATCHDOG);
	close(hostile);
	close(fd);
	CHECK_EQ(write_text("timeout_ms", "60000"), 0);
}

static void many_blocks(void)
{
	ends_for_others(must_open(), must_open(), 1000);
}

/*
 * Virtual time is days ahead at once, and goes on as fast as the wall clock from there: on a device
 * that nobody else uses.
 */
static void long_blocks(void)
{
	cfs_must_make("apart");
	snprintf(clock_device, sizeof(clock_device), "%s", cfs_get("apart", "dev_name"));
	ends_for_others(cfs_open("apart"), cfs_open("apart"), 3600 * 1000 * MS);
	CHECK_EQ(cfs_remove("apart"), 0);
}

/* Without a limit, and before the limit, others wait; a context's own kernels do not count. */
static void limits(void)
{
	struct vgpu_cmd cmd = cmd_profiled(1, 1000);
	int hostile = must_open(), fd = must_open();
	uint32_t queue = must_queue(fd), behind = must_queue(hostile);
	char text[32];

	CHECK_EQ(write_text("timeout_ms", "-1"), -EINVAL);
	CHECK_EQ(write_text("timeout_ms", "soon"), -EINVAL);
	CHECK_EQ(write_text("timeout_ms", "300"), 0);
	read_text("timeout_ms", text, sizeof(text));
	CHECK_EQ(strcmp(text, "300\n"), 0);
	endless(hostile, 1000);
	must_submit(hostile, behind, &cmd, 1);
	sleep(1);
	CHECK_EQ(must_context_info(hostile).dead, 0);
	CHECK_EQ(write_text("timeout_ms", "0"), 0);
	must_submit(fd, queue, &cmd, 1);
	sleep(1);
	CHECK_EQ(must_context_info(hostile).dead, 0);
	CHECK_EQ(completed(fd, queue), 0);
	CHECK_EQ(write_text("timeout_ms", "60000"), 0);
	close(hostile);
	CHECK_EQ(wait_seq(fd, queue, 1, limit_ns(20)), 0);
	close(fd);
}

static const struct test tests[] = {
	{ "hostile_kernel: one of endless blocks", many_blocks },
	{ "hostile_kernel: one of blocks that take hours", long_blocks },
	{ "hostile_kernel: how long others wait is a setting", limits },
};

int main(int argc, char **argv)
{
	int ret = tests_main(argc, argv, tests, ARRAY_SIZE(tests));

	write_text("timeout_ms", "60000");
	return ret;
}
