/* SPDX-License-Identifier: MIT */
/*
 * system_page: memory of the device's own code, which every address space has at the same place, is
 * not for kernels. Who tries gets cudaErrorIllegalAddress, from each kind of access; another
 * process, which works on the same device meanwhile, gets its results and no error.
 */
#include "../common.h"

#include <sys/wait.h>
#include <unistd.h>

#define N	4096
#define ROUNDS	8

/* the last page of what addresses a process may have */
#ifdef __aarch64__
#define LAST	0xfffffffff000
#else
#define LAST	0x7ffffffff000
#endif
static const uintptr_t addresses[] = { LAST, LAST + 0x800, LAST + 0xffc };

__global__ void add(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		p[i] += i;
}

__global__ void read_at(const volatile int *p, int *out)
{
	*out = *p;
}

__global__ void write_at(volatile int *p)
{
	*p = 1;
}

__global__ void add_at(int *p)
{
	atomicAdd(p, 1);
}

/* One lane of a warp, the others where they may */
__global__ void scatter(int *p, int *system)
{
	int *at = threadIdx.x == 7 ? system : p + threadIdx.x * 1024;

	*at = threadIdx.x;
}

static int child(const char *mode)
{
	int *system = (int *)addresses[mode[1] - '0'], *p = device_new<int>(32 * 1024), host = 0;
	cudaError_t error;

	switch (mode[0]) {
	case 'r': read_at<<<1, 1>>>(system, p); break;
	case 'w': write_at<<<1, 1>>>(system); break;
	case 'a': add_at<<<1, 1>>>(system); break;
	default: scatter<<<1, 32>>>(p, system); break;
	}
	CHECK(cudaGetLastError());
	error = cudaDeviceSynchronize();
	if (error != cudaErrorIllegalAddress)
		mismatch("%s: got %s, expected cudaErrorIllegalAddress", mode,
			 cudaGetErrorName(error));
	EXPECT_ERROR(cudaGetLastError(), cudaErrorIllegalAddress);
	EXPECT_ERROR(cudaMemcpy(&host, p, sizeof(int), cudaMemcpyDeviceToHost),
		     cudaErrorIllegalAddress);
	return test.wrong ? 1 : 0;
}

static pid_t run_child(const char *mode)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	pid_t pid;

	self[len > 0 ? len : 0] = 0;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execl(self, self, "--child", mode, (char *)NULL);
		_exit(127);
	}
	return pid;
}

int main(int argc, char **argv)
{
	const char kinds[] = { 'r', 'w', 'a', 's' };
	int host[N], *p, rounds = 0, status;

	if (argc == 3 && !strcmp(argv[1], "--child")) {
		test.name = "system_page child";
		return child(argv[2]);
	}
	parse_size(argc, argv, "system_page", NULL, 0, 0, 0);
	p = device_new<int>(N);
	CHECK(cudaMemset(p, 0, N * sizeof(*p)));
	for (char kind : kinds) {
		for (unsigned n = 0; n < 3; n++) {
			char mode[3] = { kind, (char)('0' + n), 0 };
			pid_t pid = run_child(mode);

			for (int i = 0; i < ROUNDS; i++, rounds++)
				add<<<N / 128, 128>>>(p, N);
			CHECK_LAUNCH();
			if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
			    WEXITSTATUS(status))
				mismatch("child '%s': got another end, expected exit 0", mode);
		}
	}
	CHECK(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect_same("word", i, host[i], i * rounds);
	EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
	CHECK(cudaFree(p));
	return finish();
}
