/* SPDX-License-Identifier: MIT */
/*
 * ipc_pool: a process gives another one a pool of memory, by a descriptor, and allocations of it,
 * by 64 bytes each, which the other reads, writes and frees; and what is refused. Where the device
 * is one process's alone such a pool is.
 */
#include "../common.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const int large = 1 << 20, small = 1000;

static int other;	/* a socket, to the other process */

__global__ void add(int *data, int n, int more)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += more;
}

/* Words, and a descriptor if @file is not -1. */
static void say(const void *what, size_t bytes, int file)
{
	struct iovec part = { (void *)what, bytes };
	char control[CMSG_SPACE(sizeof(int))] = {};
	struct msghdr message = {};

	message.msg_iov = &part;
	message.msg_iovlen = 1;
	if (file != -1) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &file, sizeof(file));
	}
	EXPECT(sendmsg(other, &message, 0) == (ssize_t)bytes);
}

/* The other one may have ended: then so does this one. */
static int hear(void *what, size_t bytes)
{
	struct iovec part = { what, bytes };
	char control[CMSG_SPACE(sizeof(int))] = {};
	struct msghdr message = {};
	int file = -1;

	message.msg_iov = &part;
	message.msg_iovlen = 1;
	message.msg_control = control;
	message.msg_controllen = sizeof(control);
	if (recvmsg(other, &message, MSG_WAITALL) != (ssize_t)bytes) {
		mismatch("the other process said nothing");
		exit(finish());
	}
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (header)
		memcpy(&file, CMSG_DATA(header), sizeof(file));
	return file;
}

/* What @data and the numbers from @first on are. */
static void expect_filled(const char *what, const int *data, int n, int first)
{
	int *host = (int *)malloc(n * sizeof(int));

	CHECK(cudaMemcpy(host, data, n * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		if (host[i] != first + i) {
			mismatch("%s %d: got %d, expected %d", what, i, host[i], first + i);
			break;
		}
	free(host);
}

static int *filled(cudaMemPool_t pool, int n, int first)
{
	int *host = (int *)malloc(n * sizeof(int)), *data;

	for (int i = 0; i < n; i++)
		host[i] = first + i;
	CHECK(cudaMallocFromPoolAsync((void **)&data, n * sizeof(int), pool, 0));
	CHECK(cudaMemcpy(data, host, n * sizeof(int), cudaMemcpyHostToDevice));
	free(host);
	return data;
}

static cudaError_t create(cudaMemAllocationHandleType type, cudaMemPool_t *pool)
{
	cudaMemPoolProps props = {};

	props.allocType = cudaMemAllocationTypePinned;
	props.handleTypes = type;
	props.location.type = cudaMemLocationTypeDevice;
	return cudaMemPoolCreate(pool, &props);
}

static cudaMemPool_t given_pool(cudaMemPool_t pool)
{
	const cudaMemAllocationHandleType type = cudaMemHandleTypePosixFileDescriptor;
	char word = 1;
	int file = -1;

	CHECK(cudaMemPoolExportToShareableHandle(&file, pool, type, 0));
	say(&word, 1, file);
	close(file);
	return pool;
}

static cudaMemPool_t taken_pool(void)
{
	const cudaMemAllocationHandleType type = cudaMemHandleTypePosixFileDescriptor;
	cudaMemPool_t pool = NULL;
	char word;
	int file = hear(&word, 1);

	CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)file, type, 0));
	close(file);
	return pool;
}

/* The other process: has both pools, and two of three allocations. */
static void user(void)
{
	cudaMemPool_t pool = taken_pool(), second = taken_pool();
	cudaMemPoolPtrExportData words[3];
	void *data[3], *again, *none;

	hear(words, sizeof(words));
	CHECK(cudaMemPoolImportPointer(&data[0], pool, &words[0]));
	CHECK(cudaMemPoolImportPointer(&data[1], pool, &words[1]));
	EXPECT_ERROR(cudaMemPoolImportPointer(&none, pool, &words[2]), cudaErrorInvalidValue);
	CHECK(cudaMemPoolImportPointer(&data[2], second, &words[2]));
	EXPECT_ERROR(cudaMallocFromPoolAsync(&none, 256, pool, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaDeviceSetMemPool(0, pool), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaIpcCloseMemHandle(data[0]), cudaErrorInvalidValue);
	(void)cudaGetLastError();
	expect_filled("large, of the other", (int *)data[0], large, 5);
	expect_filled("small, of the other", (int *)data[1], small, 6);
	expect_filled("of the second pool", (int *)data[2], small, 7);
	/* opened again it is the same, and freed as often */
	CHECK(cudaMemPoolImportPointer(&again, pool, &words[0]));
	EXPECT(again == data[0]);
	CHECK(cudaFreeAsync(again, 0));
	add<<<(large + 255) / 256, 256>>>((int *)data[0], large, 100);
	add<<<(small + 255) / 256, 256>>>((int *)data[1], small, 100);
	CHECK_LAUNCH();
	CHECK(cudaMemPoolDestroy(second));
	expect_filled("after its pool", (int *)data[2], small, 7);
	CHECK(cudaFreeAsync(data[0], 0));
	CHECK(cudaFree(data[1]));
	CHECK(cudaFreeAsync(data[2], 0));
	EXPECT_ERROR(cudaFreeAsync(data[0], 0), cudaErrorInvalidValue);
	(void)cudaGetLastError();
	CHECK(cudaMemPoolDestroy(pool));
	say("", 1, -1);
}

static void owner(cudaMemPool_t pool)
{
	cudaMemPoolPtrExportData words[3];
	cudaMemPool_t second;
	int *data[3], *plain;
	char word;

	CHECK(create(cudaMemHandleTypePosixFileDescriptor, &second));
	data[0] = filled(given_pool(pool), large, 5);
	data[1] = filled(pool, small, 6);
	data[2] = filled(given_pool(second), small, 7);
	for (int i = 0; i < 3; i++)
		CHECK(cudaMemPoolExportPointer(&words[i], data[i]));
	EXPECT_ERROR(cudaMemPoolExportPointer(&words[0], data[0] + 1), cudaErrorInvalidValue);
	CHECK(cudaMallocAsync((void **)&plain, 256, 0));
	EXPECT_ERROR(cudaMemPoolExportPointer(&words[0], plain), cudaErrorInvalidValue);
	(void)cudaGetLastError();
	say(words, sizeof(words), -1);
	hear(&word, 1);
	expect_filled("large", data[0], large, 105);
	expect_filled("small", data[1], small, 106);
	for (int i = 0; i < 3; i++)
		CHECK(cudaFreeAsync(data[i], 0));
	CHECK(cudaFreeAsync(plain, 0));
	CHECK(cudaMemPoolDestroy(second));
	CHECK(cudaMemPoolDestroy(pool));
}

static void refused(void)
{
	const cudaMemAllocationHandleType type = cudaMemHandleTypePosixFileDescriptor;
	cudaMemPool_t plain, pool;
	int ends[2], file;

	CHECK(create(cudaMemHandleTypeNone, &plain));
	EXPECT_ERROR(cudaMemPoolExportToShareableHandle(&file, plain, type, 0),
		     cudaErrorInvalidValue);
	EXPECT(!pipe(ends));
	EXPECT_ERROR(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)ends[0], type,
							  0),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)-1, type, 0),
		     cudaErrorInvalidValue);
	CHECK(cudaMemPoolDestroy(plain));
	(void)cudaGetLastError();
	close(ends[0]);
	close(ends[1]);
}

int main(int argc, char **argv)
{
	int ends[2], status, types = -1;
	cudaMemPool_t pool;
	pid_t child;

	parse_size(argc, argv, "ipc_pool", NULL, 0, 0, 0);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	child = fork();
	other = ends[child ? 0 : 1];
	close(ends[child ? 1 : 0]);
	if (!child) {
		char word;

		hear(&word, 1);
		if (word)
			user();
		fflush(stdout);
		_exit(test.wrong ? 1 : 0);
	}
	refused();
	CHECK(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
	char shared = (char)types;
	say(&shared, 1, -1);
	if (types) {
		CHECK(create(cudaMemHandleTypePosixFileDescriptor, &pool));
		owner(pool);
	} else {
		EXPECT_ERROR(create(cudaMemHandleTypePosixFileDescriptor, &pool),
			     cudaErrorNotSupported);
		(void)cudaGetLastError();
	}
	if (waitpid(child, &status, 0) != child || status)
		mismatch("the other process: got status %d, expected 0", status);
	return finish();
}
