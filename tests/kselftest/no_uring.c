// SPDX-License-Identifier: MIT
/*
 * The runtime where io_uring is not to be had: by a seccomp filter, as containers have it, in both
 * of the ways that these refuse, and by sysctl kernel.io_uring_disabled where the kernel has that.
 * Unless io_uring was asked for, nobody notices.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "vgpu_client.h"

#define LIBRARY		"build/libvgpu.so"
#define SYSCTL		"/proc/sys/kernel/io_uring_disabled"

static void refuse_uring(int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };

	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

/*
 * cudaMalloc() over @transport (NULL: unset), without io_uring if @error. What stderr said is in
 * @said. Returns its result.
 */
static int run(const char *transport, int error, char *said, size_t size)
{
	int status, ends[2];
	ssize_t n, got = 0;
	pid_t pid;

	CHECK(!pipe(ends));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		int (*allocate)(void **, size_t);
		void *library, *memory;

		CHECK(dup2(ends[1], 2) == 2);
		close(ends[0]);
		close(ends[1]);
		if (transport)
			setenv("VGPU_TRANSPORT", transport, 1);
		else
			unsetenv("VGPU_TRANSPORT");
		if (error)
			refuse_uring(error);
		library = dlopen(LIBRARY, RTLD_NOW);
		CHECK(library);
		allocate = (int (*)(void **, size_t))dlsym(library, "cudaMalloc");
		CHECK(allocate);
		_exit(allocate(&memory, 1 << 20));
	}
	close(ends[1]);
	while ((n = read(ends[0], said + got, size - 1 - (size_t)got)) > 0)
		got += n;
	said[got] = 0;
	close(ends[0]);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	if (*said)
		printf("# %s: %s", transport ? transport : "unset", said);
	return WEXITSTATUS(status);
}

/* It says so in one line. */
static void must_refuse(int error, const char *why)
{
	char said[1024];

	CHECK(run("uring", error, said, sizeof(said)) != 0);
	CHECK(strstr(said, "VGPU_TRANSPORT=uring: no io_uring") && strstr(said, why) &&
	      strstr(said, "choose ioctl or mapped"));
	CHECK(strchr(said, '\n') && !strchr(said, '\n')[1]);
}

static void must_run_without(int error)
{
	static const char *const transports[] = { NULL, "ioctl", "mapped" };
	char said[1024];

	for (size_t i = 0; i < ARRAY_SIZE(transports); i++) {
		CHECK_EQ(run(transports[i], error, said, sizeof(said)), 0);
		CHECK(!*said);
	}
}

static void setup(void)
{
	if (access(LIBRARY, R_OK))
		SKIP("no " LIBRARY " here");
}

static void there(void)
{
	char said[1024];

	setup();
	CHECK_EQ(run("uring", 0, said, sizeof(said)), 0);
	CHECK(!*said);
}

static void filtered(void)
{
	setup();
	must_run_without(ENOSYS);
	must_refuse(ENOSYS, "this kernel has none");
	must_run_without(EPERM);
	must_refuse(EPERM, "a seccomp filter");
}

static void disabled(void)
{
	char value = 0;
	int fd;

	setup();
	fd = open(SYSCTL, O_RDWR);
	if (fd < 0)
		SKIP("this kernel has no kernel.io_uring_disabled");
	/* behind the beginning a sysctl takes no notice of what is written */
	CHECK(pwrite(fd, "2", 1, 0) == 1);
	must_run_without(0);
	must_refuse(0, "kernel.io_uring_disabled");
	CHECK(pwrite(fd, "0", 1, 0) == 1);
	CHECK(pread(fd, &value, 1, 0) == 1 && value == '0');
	close(fd);
}

static const struct test tests[] = {
	{ "no uring: it is there, and used", there },
	{ "no uring: a seccomp filter", filtered },
	{ "no uring: sysctl", disabled },
};

TESTS_MAIN(tests)
