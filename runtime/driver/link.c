// SPDX-License-Identifier: MIT
/*
 * Driver API: linking. What is added is PTX, in whatever wraps it; the result, which CUDA calls a
 * cubin, is PTX text of one module that the compiler takes. cuModuleLoadData() takes it like any.
 * A limit of registers is written into it, as .maxnreg of the kernels that have no bounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/modules/library.h"
#include "cache/cache.h"
#include "driver.h"
#include "transport/host_memory.h"

struct CUlinkState_st {
	struct CUlinkState_st *next;
	char **texts;
	unsigned int count;
	char *joined;
	struct drv_jit jit;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUlinkState states;

static bool is_state(CUlinkState handle)
{
	CUlinkState state;

	pthread_mutex_lock(&lock);
	for (state = states; state && state != handle; state = state->next)
		;
	pthread_mutex_unlock(&lock);
	return state;
}

CUresult cuLinkCreate_v2(unsigned int count, CUjit_option *options, void **values, CUlinkState *out)
{
	CUresult error = drv_check();
	CUlinkState state;

	if (error == CUDA_SUCCESS && !out)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	state = calloc(1, sizeof(*state));
	if (!state)
		return CUDA_ERROR_OUT_OF_MEMORY;
	/* the logs are written until the state is destroyed, as CUDA has it */
	error = drv_jit_begin(&state->jit, count, options, values);
	if (error != CUDA_SUCCESS) {
		free(state);
		return error;
	}
	pthread_mutex_lock(&lock);
	state->next = states;
	states = state;
	pthread_mutex_unlock(&lock);
	*out = state;
	return CUDA_SUCCESS;
}

static vgpuError_t add(CUlinkState state, const void *data, size_t bytes)
{
	struct vgpu_image image;
	vgpuError_t error = rt_image_read(data, bytes, &image);
	struct vgpu_image_ptx *found;
	char **grown;

	if (error != vgpuSuccess)
		return error;
	found = rt_image_best(&image);
	grown = found ? realloc(state->texts, (state->count + 1) * sizeof(*grown)) : NULL;
	if (grown) {
		state->texts = grown;
		grown[state->count++] = found->text;
		found->text = NULL;
	}
	error = !found ? rt_image_refuse(&image) : grown ? vgpuSuccess : vgpuErrorMemoryAllocation;
	vgpu_image_free(&image);
	return error;
}

/* An archive (ar): what precedes each of its files, in decimal digits. */
#define ARCHIVE		"!<arch>\n"
#define HEADER		60u
#define SIZE_AT		48u
#define SIZE_DIGITS	10u
#define END_AT		58u

static bool file_size(const char *header, size_t room, size_t *size)
{
	*size = 0;
	if (memcmp(header + END_AT, "`\n", 2))
		return false;
	for (unsigned int n = 0; n < SIZE_DIGITS && header[SIZE_AT + n] != ' '; n++) {
		if (header[SIZE_AT + n] < '0' || header[SIZE_AT + n] > '9')
			return false;
		*size = *size * 10 + (size_t)(header[SIZE_AT + n] - '0');
	}
	return *size <= room;
}

/*
 * The PTX of all its files. Those without are left out, as NVIDIA's libcudadevrt.a is: what is
 * needed of that the compiler brings.
 */
static vgpuError_t add_archive(CUlinkState state, const char *data, size_t bytes)
{
	size_t at = strlen(ARCHIVE), size;

	for (; at + HEADER <= bytes; at += HEADER + size + (size & 1)) {
		const char *header = data + at;
		/* names of files, and the index of their symbols */
		bool list = header[0] == '/' && (header[1] == ' ' || header[1] == '/');

		if (!file_size(header, bytes - at - HEADER, &size)) {
			rt_message("an archive to be linked is cut off or malformed at byte %zu",
				   at);
			return vgpuErrorInvalidKernelImage;
		}
		if (!list && size &&
		    add(state, header + HEADER, size) == vgpuErrorMemoryAllocation)
			return vgpuErrorMemoryAllocation;
	}
	return vgpuSuccess;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
			  const char *name, unsigned int count, CUjit_option *options,
			  void **values)
{
	CUresult error = drv_check();
	vgpuError_t added;

	(void)name, (void)count, (void)options, (void)values;
	if (error != CUDA_SUCCESS)
		return error;
	if (!is_state(state))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!data || !bytes || (unsigned int)type > CU_JIT_INPUT_NVVM)
		return CUDA_ERROR_INVALID_VALUE;
	if (type == CU_JIT_INPUT_NVVM)
		return DRV_REFUSE("NVVM's intermediate code is");
	/* what is no memory of the process is refused as any other code is */
	if (bytes >= strlen(ARCHIVE) && !vgpu_host_probe((uintptr_t)data, bytes, false) &&
	    !memcmp(data, ARCHIVE, strlen(ARCHIVE)))
		added = add_archive(state, data, bytes);
	else
		added = add(state, data, bytes);
	drv_jit_end(&state->jit, added);
	return drv_error(rt_result(added));
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
			  unsigned int count, CUjit_option *options, void **values)
{
	CUresult error = drv_check();
	size_t bytes;
	void *code;

	if (error == CUDA_SUCCESS && !path)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_result(rt_code_file(path, &code, &bytes)));
	if (error != CUDA_SUCCESS)
		return error;
	error = cuLinkAddData_v2(state, type, code, bytes, path, count, options, values);
	free(code);
	return error;
}

/* The end of what is no word of PTX at @text: a comment, or one character. */
static const char *skip_one(const char *text)
{
	const char *end = !strncmp(text, "//", 2) ? strchr(text, '\n') :
			  !strncmp(text, "/*", 2) ? strstr(text + 2, "*/") : text + 1;

	return end ? end : text + strlen(text);
}

/* The next @what outside comments, NULL: none. */
static const char *find_word(const char *text, const char *what)
{
	size_t length = strlen(what);

	while (*text && strncmp(text, what, length))
		text = skip_one(text);
	return *text ? text : NULL;
}

/* Where the kernel behind @entry wants its limit, NULL: it has bounds of its own, or no body. */
static const char *place_of_limit(const char *entry)
{
	const char *body = find_word(entry, "{"), *end = find_word(entry, ";"), *at;
	static const char *const bounds[] = { ".maxntid", ".reqntid", ".minnctapersm", ".maxnreg" };

	if (!body || (end && end < body))
		return NULL;
	for (unsigned int i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		at = find_word(entry, bounds[i]);
		if (at && at < body)
			return NULL;
	}
	return body;
}

static vgpuError_t write_limit(CUlinkState state)
{
	const char *from = state->joined, *entry, *place;
	size_t length = 0;
	char *out = NULL;
	FILE *file = open_memstream(&out, &length);

	if (!file)
		return vgpuErrorMemoryAllocation;
	for (entry = find_word(from, ".entry"); entry; entry = find_word(entry + 1, ".entry")) {
		place = place_of_limit(entry);
		if (!place)
			continue;
		fprintf(file, "%.*s.maxnreg %u\n", (int)(place - from), from,
			state->jit.options.max_regs);
		from = place;
	}
	fputs(from, file);
	if (fclose(file)) {
		free(out);
		return vgpuErrorMemoryAllocation;
	}
	free(state->joined);
	state->joined = out;
	return vgpuSuccess;
}

/* Compiled here, too: this is the call of which programs expect the errors. */
static vgpuError_t complete(CUlinkState state)
{
	char message[512] = "out of memory", *said = NULL;
	struct vgpu_program *program;

	if (!state->count) {
		rt_message("nothing was added to be linked");
		return vgpuErrorInvalidKernelImage;
	}
	if (vgpu_ptx_join((const char *const *)state->texts, state->count, &state->joined, message,
			  sizeof(message))) {
		rt_message("%s", message);
		return vgpuErrorInvalidPtx;
	}
	if (vgpu_cache_compile(state->joined, strlen(state->joined), &state->jit.options, &program,
			       &said)) {
		rt_message("%s", said ? said : "out of memory while compiling");
		free(said);
		return vgpuErrorInvalidPtx;
	}
	vgpu_program_free(program);
	return state->jit.options.max_regs ? write_limit(state) : vgpuSuccess;
}

CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *bytes)
{
	CUresult error = drv_check();
	vgpuError_t linked;

	if (error != CUDA_SUCCESS)
		return error;
	if (!is_state(state))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!cubin)
		return CUDA_ERROR_INVALID_VALUE;
	free(state->joined);
	state->joined = NULL;
	linked = complete(state);
	drv_jit_end(&state->jit, linked);
	if (linked != vgpuSuccess)
		return drv_error(rt_result(linked));
	*cubin = state->joined;
	if (bytes)
		*bytes = strlen(state->joined) + 1;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
	CUlinkState *at = &states;

	pthread_mutex_lock(&lock);
	while (*at && *at != state)
		at = &(*at)->next;
	if (!*at) {
		pthread_mutex_unlock(&lock);
		return CUDA_ERROR_INVALID_HANDLE;
	}
	*at = state->next;
	pthread_mutex_unlock(&lock);
	for (unsigned int i = 0; i < state->count; i++)
		free(state->texts[i]);
	free(state->texts);
	free(state->joined);
	free(state);
	return CUDA_SUCCESS;
}
