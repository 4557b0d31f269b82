// SPDX-License-Identifier: MIT
/*
 * Process memory that is slow on purpose: a page that userfaultfd holds back stalls the process it
 * belongs to and nobody else, and a stalled process can be killed. Arguments that change while they
 * are read.
 */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "vgpu_asm.h"

/* Two pages that nobody will ever fill in. */
static uint8_t *held_back(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	uint8_t *pages =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (uffd < 0)
		SKIP("no userfaultfd here");
	CHECK(pages != MAP_FAILED);
	CHECK(!ioctl(uffd, UFFDIO_API, &api));
	reg.range.start = (uintptr_t)pages;
	reg.range.len = 2 * PAGE;
	CHECK(!ioctl(uffd, UFFDIO_REGISTER, &reg));
	return pages;
}

enum {
	STALL_H2D,
	STALL_D2H,
	STALL_PARAMS,
	STALL_COMMANDS,
	STALL_ARGUMENT,
	STALL_MODULE,
	STALL_WAIT,
	STALLS
};

static void stall(int fd, uint32_t queue, int how)
{
	uint8_t *pages = held_back();
	struct vgpu_cmd cmd = cmd_nop();
	struct program p = {};
	uint32_t module;

	switch (how) {
	case STALL_H2D:
		cmd = cmd_h2d(BASE, pages, PAGE + 1);
		break;
	case STALL_D2H:
		cmd = cmd_d2h(pages, BASE, PAGE + 1);
		break;
	case STALL_PARAMS:
		kernel_affine(&p);
		module = must_load(fd, &p);
		cmd = cmd_launch(module, 0, 1, 32, pages, sizeof(struct affine_params));
		break;
	case STALL_COMMANDS:
		submit(fd, queue, (void *)pages, 2, NULL);
		return;
	case STALL_ARGUMENT:
		call(fd, VGPU_IOC_SUBMIT, pages);
		return;
	case STALL_MODULE:
		module_load(fd, pages, 2 * PAGE, NULL, 0);
		return;
	case STALL_WAIT:
		call(fd, VGPU_IOC_WAIT, pages);
		return;
	}
	submit(fd, queue, &cmd, 1, NULL);
}

static void stalls_its_owner_alone(void)
{
	struct program p = {};
	int ready[2], status;
	char byte;

	kernel_affine(&p);
	for (int how = 0; how < STALLS; how++) {
		uint32_t module, queue;
		pid_t pid;
		int fd;

		CHECK(!pipe(ready));
		pid = fork();
		CHECK(pid >= 0);
		if (!pid) {
			fd = must_open();
			queue = must_queue(fd);
			CHECK_EQ(mem_map(fd, BASE, 4 * PAGE), 0);
			CHECK(write(ready[1], "x", 1) == 1);
			stall(fd, queue, how);
			_exit(1);	/* nothing may come back */
		}
		CHECK(read(ready[0], &byte, 1) == 1);
		usleep(100000);
		fd = must_open();
		queue = must_queue(fd);
		module = must_load(fd, &p);
		CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
		must_compute(fd, queue, module, 0, BASE, 10, 3, 4);
		close(fd);
		CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
		CHECK(!kill(pid, SIGKILL));
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
		CHECK_EQ(count_of("contexts"), 0);
		close(ready[0]);
		close(ready[1]);
	}
}

static volatile bool stop;

static void *flip_main(void *arg)
{
	volatile struct vgpu_cmd *cmd = arg;

	while (!stop) {
		cmd->copy.bytes = 1ull << 40;
		cmd->op = VGPU_CMD_NOP;
		cmd->copy.bytes = 64;
		cmd->op = VGPU_CMD_COPY_D2H;
	}
	return NULL;
}

/*
 * What is checked is what is used: a command that another thread changes meanwhile is one or the
 * other.
 */
static void changing_commands(void)
{
	uint8_t memory[64];
	int fd = must_open(), ret;
	uint32_t queue = must_queue(fd), taken = 0, refused = 0;
	struct vgpu_cmd *cmd =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	double until = seconds_now() + 3;

	CHECK(cmd != MAP_FAILED);
	CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
	*cmd = cmd_d2h(memory, BASE, 64);
	CHECK(!pthread_create(&thread, NULL, flip_main, cmd));
	while (seconds_now() < until) {
		ret = submit(fd, queue, cmd, 1, NULL);
		CHECK(!ret || ret == -EINVAL || ret == -EAGAIN);
		taken += !ret;
		refused += ret == -EINVAL;
	}
	stop = true;
	pthread_join(thread, NULL);
	printf("# %u taken, %u refused\n", taken, refused);
	CHECK_EQ(must_context_info(fd).dead, 0);
}

static const struct test tests[] = {
	{ "hostile: pages that never come stall their owner alone", stalls_its_owner_alone },
	{ "hostile: commands that change while they are read", changing_commands },
};

TESTS_MAIN(tests)
