// SPDX-License-Identifier: MIT
/*
 * Fuzz target: fat binaries. Covers what the host code of a CUDA program registers
 * (runtime/cuda/registry.c) and the way of its PTX from there to a launch (module.c and launch.c of
 * runtime/api/modules) on the embedded device. The first byte of an input is the kind of wrapper,
 * the rest is what the wrapper points to. A watchdog in virtual time ends kernels that do not end
 * themselves.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime_api.h"
#include "vgpu_isa.h"

#define HEAD		16u	/* mark, registers, reserved; then the text */
#define KERNELS_MAX	8u
#define NAME_BYTES	128u
#define BUFFER		4096u

void **__cudaRegisterFatBinary(void *fat);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
int __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
			   int threads, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
		       size_t bytes, int constant, int global);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct wrapper {
	int magic;
	int version;
	const void *data;
	void *unused;
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	setenv("VGPU_TRANSPORT", "embedded", 1);
	setenv("VGPU_SET", "watchdog_ps=2000000,sms=1", 1);
	return 0;
}

/* The words behind `.entry` and `.b8`, as the names that host code would register. */
static unsigned int names_behind(const char *text, const char *word, char (*names)[NAME_BYTES])
{
	unsigned int count = 0;

	while (count < KERNELS_MAX && (text = strstr(text, word))) {
		size_t length;

		text += strlen(word);
		text += strspn(text, " \t");
		length = strcspn(text, " \t\n([;");
		if (length && length < NAME_BYTES) {
			memcpy(names[count], text, length);
			names[count++][length] = 0;
		}
	}
	return count;
}

static void use(const char *kernel, char *variable)
{
	static char argument[VGPU_VASS_MAX_PARAM + 8];
	static void *arguments[VGPU_VASS_MAX_PARAM];
	struct cudaFuncAttributes attributes;
	void *buffer = NULL, *address;
	size_t bytes;

	if (cudaMalloc(&buffer, BUFFER) != cudaSuccess)
		return;
	for (size_t n = 0; n + sizeof(buffer) <= sizeof(argument); n += sizeof(buffer))
		memcpy(argument + n, &buffer, sizeof(buffer));
	for (size_t n = 0; n < VGPU_VASS_MAX_PARAM; n++)
		arguments[n] = argument;
	if (cudaGetSymbolAddress(&address, variable) == cudaSuccess &&
	    cudaGetSymbolSize(&bytes, variable) == cudaSuccess && bytes <= sizeof(argument))
		cudaMemcpyToSymbol(variable, argument, bytes, 0, cudaMemcpyHostToDevice);
	if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess) {
		dim3 grid = { 2, 1, 1 }, block = { 48, 1, 1 };

		cudaLaunchKernel(kernel, grid, block, arguments, 0, NULL);
		cudaDeviceSynchronize();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char names[KERNELS_MAX][NAME_BYTES], variables[KERNELS_MAX][NAME_BYTES];
	static char hosts[2 * KERNELS_MAX];
	struct wrapper wrapper = { .version = 1 };
	unsigned int kernels, symbols;
	void **handle;
	char *blob;

	if (!size)
		return -1;
	/* vgpucc ends the text with a 0 */
	blob = calloc(1, (size > HEAD ? size : HEAD) + 1);
	if (!blob)
		abort();
	memcpy(blob, data + 1, size - 1);
	wrapper.magic = data[0] == 1 ? 0 : 0x466243b1;
	wrapper.data = data[0] == 2 ? NULL : blob;
	kernels = names_behind(blob + HEAD, ".entry", names);
	symbols = names_behind(blob + HEAD, ".b8", variables);
	handle = __cudaRegisterFatBinary(&wrapper);
	for (unsigned int n = 0; n < kernels; n++)
		__cudaRegisterFunction(handle, &hosts[n], names[n], names[n], -1, NULL, NULL, NULL,
				       NULL, NULL);
	for (unsigned int n = 0; n < symbols; n++)
		__cudaRegisterVar(handle, &hosts[KERNELS_MAX + n], variables[n], variables[n], 0, 4,
				  0, 0);
	__cudaRegisterFatBinaryEnd(handle);
	/* one more than there are: host addresses that nobody registered */
	for (unsigned int n = 0; n <= kernels && n < KERNELS_MAX; n++)
		use(&hosts[n], &hosts[KERNELS_MAX + n]);
	__cudaUnregisterFatBinary(handle);
	if (cudaFuncGetAttributes(&(struct cudaFuncAttributes){ 0 }, &hosts[0]) == cudaSuccess) {
		fprintf(stderr, "fuzz_fatbin: a kernel is found after its file was unregistered\n");
		abort();
	}
	if (cudaDeviceReset() != cudaSuccess)
		abort();
	cudaGetLastError();
	free(blob);
	return 0;
}
