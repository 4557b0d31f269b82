/* SPDX-License-Identifier: MIT */
/*
 * device_assert: assert() in kernels: what a failed one prints on stderr, of each lane that fails
 * and of no other, what the program gets, and what printf() wrote before.
 */
#include "../common.h"

#include <assert.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static __device__ __noinline__ void inner(int x)
{
	assert(x < 40 && "x is small");
}

static const int line_of_inner = __LINE__ - 3;

__global__ void check(int limit)
{
	if (threadIdx.x == 0 && threadIdx.y == 0 && blockIdx.x == 1)
		printf("before\n");
	if (blockIdx.x == 1 && threadIdx.y == 1)
		inner((int)threadIdx.x < limit ? 1 : 40 + (int)threadIdx.x);
}

__global__ void holds(int *out)
{
	assert(out);
	*out = 7;
}

/* What a process of its own prints, @limit: lanes of the row that do not fail. */
static char said[1 << 16], wrote[1 << 10];

static size_t read_all(int fd, char *text, size_t size)
{
	size_t bytes = 0;
	ssize_t got;

	while (bytes < size - 1 && (got = read(fd, text + bytes, size - 1 - bytes)) > 0)
		bytes += (size_t)got;
	text[bytes] = 0;
	close(fd);
	return bytes;
}

static int run_child(int limit)
{
	int out[2], err[2], status = 0;
	pid_t child;

	if (pipe(out) || pipe(err) || (child = fork()) < 0)
		return -1;
	if (!child) {
		dup2(out[1], 1);
		dup2(err[1], 2);
		close(out[0]);
		close(err[0]);
		check<<<3, dim3(8, 2)>>>(limit);
		status = (int)cudaDeviceSynchronize();
		fflush(stdout);
		_exit(status == cudaErrorAssert && cudaGetLastError() == cudaErrorAssert ? 77 : 1);
	}
	close(out[1]);
	close(err[1]);
	read_all(err[0], said, sizeof(said));
	read_all(out[0], wrote, sizeof(wrote));
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int count(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static int lanes_that_fail(void)
{
	char line[512];

	if (run_child(5) != 77)
		return 1;
	for (int lane = 0; lane < 8; lane++) {
		snprintf(line, sizeof(line),
			 "%s:%d: void inner(int): block: [1,0,0], thread: [%d,1,0] Assertion "
			 "`x < 40 && \"x is small\"` failed.\n",
			 __FILE__, line_of_inner, lane);
		if (count(said, line) != (lane >= 5)) {
			fprintf(stderr, "lane %d: %s", lane, said);
			return 1;
		}
	}
	return count(said, "Assertion") != 3 || strcmp(wrote, "before\n") != 0;
}

int main(int argc, char **argv)
{
	int *device, host = 0;

	parse_size(argc, argv, "device_assert", NULL, 0, 0, 0);
	EXPECT(!lanes_that_fail());
	EXPECT(run_child(8) == 1 && !said[0]);
	CHECK(cudaMalloc(&device, sizeof(*device)));
	holds<<<1, 1>>>(device);
	CHECK(cudaMemcpy(&host, device, sizeof(host), cudaMemcpyDeviceToHost));
	EXPECT(host == 7);
	return finish();
}
