// SPDX-License-Identifier: MIT
/*
 * How virtual time passes: the clock modes, waits for several fences and for a virtual time,
 * priorities, tokens and memory budgets of contexts.
 */
#include "vgpu_clock.h"

/* ---- knobs -------------------------------------------------------------- */

static void modes(void)
{
	static const char *const wrong[] = { "", "\n", "fast\n", "free paced\n", "0\n" };
	static const char *const factors[] = { "0\n",	 "-1\n", "1e3\n",   "0.0000001\n",
					       "1001\n", ".\n",	 "1.2.3\n", "x\n" };
	char text[256];

	read_text("clock", text, sizeof(text));
	CHECK(!strcmp(text, "[free] paced lockstep\n"));
	for (size_t i = 1; i < ARRAY_SIZE(wrong); i++)
		CHECK_EQ(write_text("clock", wrong[i]), -EINVAL);
	clock_is("lockstep\n");
	read_text("clock", text, sizeof(text));
	CHECK(!strcmp(text, "free paced [lockstep]\n"));
	clock_is("free");
	for (size_t i = 0; i < ARRAY_SIZE(factors); i++)
		CHECK_EQ(write_text("time_factor", factors[i]), -EINVAL);
	CHECK_EQ(write_text("time_factor", "0.25\n"), 0);
	read_text("time_factor", text, sizeof(text));
	CHECK(!strcmp(text, "0.25\n"));
	CHECK_EQ(write_text("time_factor", "0.000001"), 0);
	read_text("time_factor", text, sizeof(text));
	CHECK(!strcmp(text, "0.000001\n"));
	CHECK_EQ(write_text("time_factor", "1000"), 0);
	CHECK_EQ(write_text("time_factor", "1"), 0);
	read_text("time_factor", text, sizeof(text));
	CHECK(!strcmp(text, "1\n"));
	CHECK(!setgid(65534) && !setuid(65534));
	CHECK_EQ(write_text("clock", "free\n"), -EACCES);
}

/* ---- waits -------------------------------------------------------------- */

static void wait_for_any(void)
{
	struct vgpu_wait_any answer;
	int fd = must_open();
	uint32_t a = must_queue(fd), b = must_queue(fd);
	struct vgpu_fence fences[2] = { { .queue = a, .seq = 1 }, { .queue = b, .seq = 1 } };
	struct vgpu_fence wrong = { .queue = a, .seq = 3 };
	uint64_t start;

	clock_is("lockstep");
	start = must_device_info(fd).time;
	must_start(fd, a, 20 * US);
	must_start(fd, b, 10 * US);
	CHECK_EQ(wait_any(fd, fences, 2, NEVER, &answer), 0);
	CHECK_EQ(answer.which, 1);
	CHECK(answer.time - start >= 10 * US && answer.time - start < 20 * US);
	/* what is there already does not wait */
	CHECK_EQ(wait_any(fd, fences, 2, NEVER, &answer), 0);
	CHECK_EQ(answer.which, 1);
	CHECK_EQ(wait_any(fd, fences, 1, start + 15 * US, &answer), 0);
	CHECK_EQ(answer.which, VGPU_FENCE_NONE);
	CHECK_EQ(answer.time, start + 15 * US);
	CHECK_EQ(wait_any(fd, fences, 1, NEVER, &answer), 0);
	CHECK_EQ(answer.which, 0);
	/* a time that is past */
	CHECK_EQ(wait_any(fd, NULL, 0, 0, &answer), 0);
	CHECK_EQ(answer.which, VGPU_FENCE_NONE);

	CHECK_EQ(wait_any(fd, &wrong, 1, NEVER, &answer), -EINVAL);
	wrong = (struct vgpu_fence){ .queue = 12345, .seq = 1 };
	CHECK_EQ(wait_any(fd, &wrong, 1, NEVER, &answer), -ENOENT);
	wrong = (struct vgpu_fence){ .queue = a, .seq = 1, .reserved = 1 };
	CHECK_EQ(wait_any(fd, &wrong, 1, NEVER, &answer), -EINVAL);
	CHECK_EQ(wait_any(fd, NULL, 1, NEVER, &answer), -EFAULT);
	CHECK_EQ(wait_any(fd, NULL, VGPU_FENCES_MAX + 1, NEVER, &answer), -EINVAL);
	answer = (struct vgpu_wait_any){ .flags = 1 };
	CHECK_EQ(call(fd, VGPU_IOC_WAIT_ANY, &answer), -EINVAL);
	answer = (struct vgpu_wait_any){ .reserved = 1 };
	CHECK_EQ(call(fd, VGPU_IOC_WAIT_ANY, &answer), -EINVAL);
	clock_is("free");
	/* an idle device that runs free goes where somebody wants to sleep until */
	start = virtual_now();
	CHECK_EQ(must_sleep(fd, start + 3 * MS), start + 3 * MS);
}

static void timeouts_are_virtual(void)
{
	int fd = must_open(), looks = 0;
	uint32_t queue = must_queue(fd);
	uint64_t start, seq;

	clock_is("lockstep");
	seq = must_start(fd, queue, 50 * MS);
	start = virtual_now();
	CHECK_EQ(wait_seq(fd, queue, seq, 1000000), -ETIMEDOUT);
	CHECK_EQ(virtual_now(), start + 1 * MS);
	/* who only looks, again and again, comes to an end: a look takes a microsecond */
	CHECK_EQ(wait_seq(fd, queue, seq, 0), -ETIMEDOUT);
	CHECK_EQ(virtual_now(), start + 1 * MS + 1 * US);
	CHECK_EQ(wait_seq(fd, queue, seq, 48 * 1000000ll), -ETIMEDOUT);
	while (wait_seq(fd, queue, seq, 0))
		CHECK(looks++ < 1500);
	CHECK(looks > 500);
	clock_is("free");
}
/* What root sets of a context, the context is told, and kept to. */
static void budgets(void)
{
	int fd = must_open();
	struct vgpu_mem mem = { .address = 0x10000000, .bytes = 2 << 20 };
	char name[64], text[64];

	snprintf(name, sizeof(name), "contexts/%u/memory_budget", must_context_info(fd).id);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "device\n"));
	CHECK_EQ(must_device_info(fd).memory_budget, 0);
	CHECK_EQ(write_text(name, "lots\n"), -EINVAL);
	CHECK_EQ(write_text(name, "-1\n"), -EINVAL);
	CHECK_EQ(write_text(name, "1048576\n"), 0);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "1048576\n"));
	CHECK_EQ(must_device_info(fd).memory_budget, 1048576);
	CHECK_EQ(must_device_info(fd).vram_free, 1048576);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_MAP, &mem), -ENOMEM);
	mem.bytes = 1 << 20;
	CHECK_EQ(call(fd, VGPU_IOC_MEM_MAP, &mem), 0);
	CHECK_EQ(must_device_info(fd).vram_free, 0);
	/* that of the device, for those that have none of their own */
	CHECK_EQ(write_text("memory_budget", "4096\n"), 0);
	CHECK_EQ(must_device_info(fd).memory_budget, 1048576);
	CHECK_EQ(write_text(name, "device\n"), 0);
	CHECK_EQ(must_device_info(fd).memory_budget, 4096);
	CHECK_EQ(write_text("memory_budget", "0\n"), 0);
	CHECK_EQ(must_device_info(fd).memory_budget, 0);
	close(fd);
}

static void priorities(void)
{
	struct vgpu_context_priority priority = { .priority = 3 };
	int fd = must_open(), seat = seat_create(fd, getpid(), 7), other;
	char name[64], text[64], path[128];

	CHECK(seat >= 0);
	other = must_open();
	snprintf(name, sizeof(name), "contexts/%u/priority", must_context_info(other).id);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "7\n"));
	CHECK_EQ(write_text(name, "nine\n"), -EINVAL);
	CHECK_EQ(write_text(name, "99999999999\n"), -EINVAL);
	CHECK_EQ(write_text(name, "-5\n"), 0);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "-5\n"));
	snprintf(name, sizeof(name), "contexts/%u/tokens", must_context_info(other).id);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "share\n"));
	CHECK_EQ(write_text(name, "4\n"), 0);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "4\n"));
	CHECK_EQ(write_text(name, "1025\n"), -EINVAL);
	CHECK_EQ(write_text(name, "-1\n"), -EINVAL);
	CHECK_EQ(write_text(name, "\n"), -EINVAL);
	CHECK_EQ(write_text(name, "share\n"), 0);
	snprintf(name, sizeof(name), "contexts/%u/pid", must_context_info(fd).id);
	read_text(name, text, sizeof(text));
	CHECK_EQ(atoi(text), getpid());
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_PRIORITY, &priority), 0);
	priority.flags = 1;
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_PRIORITY, &priority), -EINVAL);
	/* anybody may step back, not forward */
	CHECK(!setgid(65534) && !setuid(65534));
	priority = (struct vgpu_context_priority){ .priority = 2 };
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_PRIORITY, &priority), 0);
	priority.priority = 3;
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_PRIORITY, &priority), -EPERM);
	CHECK_EQ(seat_create(fd, getpid(), 1), -EPERM);
	snprintf(name, sizeof(name), "contexts/%u/priority", must_context_info(fd).id);
	CHECK_EQ(write_text(name, "1\n"), -EACCES);
	read_text(name, text, sizeof(text));
	CHECK(!strcmp(text, "2\n"));
	close(fd);
	CHECK(access(SYSFS "vgpu0/contexts", F_OK) == 0);
	snprintf(path, sizeof(path), SYSFS "vgpu0/%s", name);
	CHECK(access(path, F_OK) < 0 && errno == ENOENT);
}

/* ---- paced -------------------------------------------------------------- */

static void paced(void)
{
	int fd = must_open();
	uint32_t queue = must_queue(fd);
	double begin, took;
	uint64_t start;

	clock_is("paced");
	/* an idle device's time goes on */
	begin = seconds_now();
	start = virtual_now();
	usleep(200000);
	took = (double)(virtual_now() - start) * 1e-12;
	CHECK(took >= 0.19 && took <= seconds_now() - begin + 0.01);
	/* a kernel takes what it says, at least */
	begin = seconds_now();
	CHECK_EQ(wait_seq(fd, queue, must_start(fd, queue, 300 * MS), FOREVER), 0);
	took = seconds_now() - begin;
	CHECK(took >= 0.29 && took < 2);
	begin = seconds_now();
	start = virtual_now();
	must_sleep(fd, start + 250 * MS);
	took = seconds_now() - begin;
	CHECK(took >= 0.24 && took < 2);
	/* ten times as fast, and slow motion */
	CHECK_EQ(write_text("time_factor", "10"), 0);
	begin = seconds_now();
	CHECK_EQ(wait_seq(fd, queue, must_start(fd, queue, 3000 * MS), FOREVER), 0);
	took = seconds_now() - begin;
	CHECK(took >= 0.29 && took < 2);
	CHECK_EQ(write_text("time_factor", "0.001"), 0);
	begin = seconds_now();
	CHECK_EQ(wait_seq(fd, queue, must_start(fd, queue, 300 * US), FOREVER), 0);
	took = seconds_now() - begin;
	CHECK(took >= 0.29 && took < 2);
	CHECK_EQ(write_text("time_factor", "1"), 0);
	clock_is("free");
}
static const struct test tests[] = {
	{ "clock: the knobs", modes },
	{ "clock: wait for any of several fences, or a time", wait_for_any },
	{ "clock: in lockstep timeouts and looks take virtual time", timeouts_are_virtual },
	{ "clock: memory budgets of contexts", budgets },
	{ "clock: priorities and tokens of contexts", priorities },
	{ "clock: paced", paced },
};

int main(int argc, char **argv)
{
	return clock_tests_main(argc, argv, tests, ARRAY_SIZE(tests));
}
