// SPDX-License-Identifier: MIT
/*
 * The driver's log: who registers is told what calls that fail say, once; dumps to memory and to a
 * file from an iterator on, what is lost, what has no room.
 */
#include "../common.h"

#include <cuda.h>
#include <string>
#include <unistd.h>

static std::string told;
static int times;

/* A call that fails, with @word in what is said of it */
static void fail(const char *word)
{
	std::string name = word, ptx = ".version 7.0\n.target sm_70\n.address_size 64\n";
	CUmodule module;

	ptx += ".global .b32 " + name + ";\n.global .b32 " + name + ";\n";
	EXPECT(cuModuleLoadData(&module, ptx.c_str()) == CUDA_ERROR_INVALID_PTX);
}

static void take(void *data, CUlogLevel level, char *message, size_t length)
{
	EXPECT(data == &told && level == CU_LOG_LEVEL_ERROR && strlen(message) == length);
	told = message;
	times++;
	/* what a reader's own calls say is kept, and not told: it would never end */
	fail("own");
}

static std::string dump(CUlogIterator *from, size_t room, CUresult want)
{
	static char buffer[1 << 16];
	size_t size = room;

	memset(buffer, 'x', sizeof(buffer));
	EXPECT(cuLogsDumpToMemory(from, buffer, &size, 0) == want);
	EXPECT(size < room && strlen(buffer) == size && buffer[room] == 'x');
	return buffer;
}

static bool has(const std::string &text, const char *part)
{
	return text.find(part) != std::string::npos;
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/driver_log.XXXXXX", read_back[4096] = "";
	CUlogsCallbackHandle handle, second;
	CUlogIterator start, at;
	std::string text;
	FILE *f;
	int fd;

	parse_size(argc, argv, "driver_log", NULL, 0, 0, 0);
	CHECK(cudaFree(0));
	EXPECT(cuLogsCurrent(&start, 0) == CUDA_SUCCESS);
	at = start;
	EXPECT(dump(&at, 100, CUDA_SUCCESS).empty() && at == start);
	EXPECT(cuLogsRegisterCallback(take, &told, &handle) == CUDA_SUCCESS);
	EXPECT(cudaLogsRegisterCallback((cudaLogsCallback_t)take, &told, &second) == cudaSuccess);
	fail("alpha");
	EXPECT(times == 2 && has(told, "alpha"));
	EXPECT(cudaLogsUnregisterCallback(second) == cudaSuccess);
	EXPECT(cudaLogsUnregisterCallback(second) == cudaErrorInvalidValue);
	fail("beta");
	EXPECT(times == 3 && has(told, "beta"));
	EXPECT(cuLogsUnregisterCallback(handle) == CUDA_SUCCESS);
	fail("gamma");
	EXPECT(times == 3);

	text = dump(&at, 4096, CUDA_SUCCESS);
	EXPECT(has(text, "alpha") && has(text, "own") && has(text, "beta") &&
	       has(text, "gamma"));
	EXPECT(text.find("alpha") < text.find("gamma") && text.back() == '\n');
	EXPECT(!has(text, "older messages"));
	EXPECT(dump(&at, 4096, CUDA_SUCCESS).empty());
	at = start;
	text = dump(&at, text.size() - 1, CUDA_SUCCESS);
	EXPECT(has(text, "no room") && !has(text, "alpha") && has(text, "gamma"));
	at = start;
	EXPECT(dump(&at, 8, CUDA_ERROR_INVALID_VALUE).empty() && at == start);

	fd = mkstemp(path);
	EXPECT(fd >= 0 && !close(fd));
	EXPECT(cudaLogsDumpToFile(&at, path, 0) == cudaSuccess);
	f = fopen(path, "r");
	EXPECT(f && fread(read_back, 1, sizeof(read_back) - 1, f) > 0);
	fclose(f);
	unlink(path);
	EXPECT(has(read_back, "alpha") && has(read_back, "gamma"));

	for (int n = 0; n < 70; n++)
		fail(n < 69 ? "again" : "last");
	at = start;
	text = dump(&at, 1 << 15, CUDA_SUCCESS);
	EXPECT(has(text, "are lost") && !has(text, "alpha") && has(text, "last"));
	EXPECT(!has(dump(NULL, 1 << 15, CUDA_SUCCESS), "are lost"));

	EXPECT(cuLogsRegisterCallback(NULL, NULL, &handle) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuLogsCurrent(NULL, 0) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuLogsCurrent(&at, 1) == CUDA_ERROR_INVALID_VALUE);
	EXPECT(cuLogsDumpToFile(NULL, "/nowhere/log", 0) == CUDA_ERROR_INVALID_VALUE);
	return finish();
}
