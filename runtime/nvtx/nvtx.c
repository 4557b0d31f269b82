// SPDX-License-Identifier: MIT
/*
 * NVTX, the names that a program gives to ranges of its time and to streams (runtime/api/range.c).
 * NVTX 3 is a header of the program's: at its first call it looks for a library that wants to know,
 * which is the one that NVTX_INJECTION64_PATH names, or, where it is built so, any that has the
 * function InitializeInjectionNvtx2Preinject. That is this one; the function gets tables of
 * pointers, into which it enters its own. NVTX 1 and 2 are a library, libnvToolsExt.so.1, with
 * functions of the names below.
 *
 * Push and pop ranges count, of all domains together, in the order in which a thread makes them.
 * Marks, ranges of start and end, categories and names of anything but streams do nothing.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../api/state.h"
#include "../cuda/calls.h"

/** struct nvtxEventAttributes - of version 1 to 3, as NVTX lays it out */
struct nvtxEventAttributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	union {
		const char *ascii;		/* and registered: struct nvtxString */
		const wchar_t *wide;
	} message;
};

enum { MESSAGE_ASCII = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

/* What a registered string, and a domain, is to the program: a copy that stays */
static void *register_text(const char *text)
{
	return strdup(text ? text : "");
}

static void narrow(char *to, const wchar_t *from)
{
	size_t n = 0;

	for (; from && from[n] && n + 1 < RT_RANGE_BYTES; n++)
		to[n] = from[n] > 0 && from[n] < 128 ? (char)from[n] : '?';
	to[n] = '\0';
}

int nvtxRangePushA(const char *text)
{
	return (int)rt_range_push(text);
}

int nvtxRangePushW(const wchar_t *text)
{
	char narrowed[RT_RANGE_BYTES];

	narrow(narrowed, text);
	return nvtxRangePushA(narrowed);
}

int nvtxRangePushEx(const struct nvtxEventAttributes *attributes)
{
	if (!attributes || attributes->size < sizeof(*attributes))
		return nvtxRangePushA("");
	switch (attributes->message_type) {
	case MESSAGE_ASCII:
	case MESSAGE_REGISTERED:
		return nvtxRangePushA(attributes->message.ascii);
	case MESSAGE_WIDE:
		return nvtxRangePushW(attributes->message.wide);
	default:
		return nvtxRangePushA("");
	}
}

/* As NVTX says of a pop without a push: a negative number */
int nvtxRangePop(void)
{
	return rt_range_pop() ? 0 : -1;
}

int nvtxDomainRangePushEx(void *domain, const struct nvtxEventAttributes *attributes)
{
	(void)domain;
	return nvtxRangePushEx(attributes);
}

int nvtxDomainRangePop(void *domain)
{
	(void)domain;
	return nvtxRangePop();
}

void *nvtxDomainRegisterStringA(void *domain, const char *text)
{
	(void)domain;
	return register_text(text);
}

void *nvtxDomainRegisterStringW(void *domain, const wchar_t *text)
{
	char narrowed[RT_RANGE_BYTES];

	narrow(narrowed, text);
	return nvtxDomainRegisterStringA(domain, narrowed);
}

void *nvtxDomainCreateA(const char *name)
{
	return register_text(name);
}

void *nvtxDomainCreateW(const wchar_t *name)
{
	return nvtxDomainRegisterStringW(NULL, name);
}

void nvtxDomainDestroy(void *domain)
{
	free(domain);
}

/* For programs that are linked with the library of NVTX 1 and 2: whatever they hand in */
#define NOTHING(name)		\
	uint64_t name(void)	\
	{			\
		return 0;	\
	}
NOTHING(nvtxInitialize)
NOTHING(nvtxMarkA)
NOTHING(nvtxMarkW)
NOTHING(nvtxMarkEx)
NOTHING(nvtxRangeStartA)
NOTHING(nvtxRangeStartW)
NOTHING(nvtxRangeStartEx)
NOTHING(nvtxRangeEnd)
NOTHING(nvtxNameCategoryA)
NOTHING(nvtxNameCategoryW)
NOTHING(nvtxNameOsThreadA)
NOTHING(nvtxNameOsThreadW)
NOTHING(nvtxDomainMarkEx)
NOTHING(nvtxDomainRangeStartEx)
NOTHING(nvtxDomainRangeEnd)
NOTHING(nvtxDomainNameCategoryA)
NOTHING(nvtxDomainNameCategoryW)
NOTHING(nvtxDomainResourceCreate)
NOTHING(nvtxDomainResourceDestroy)
NOTHING(nvtxNameCudaDeviceA)
NOTHING(nvtxNameCudaEventA)
NOTHING(nvtxNameCuDeviceA)
NOTHING(nvtxNameCuContextA)
NOTHING(nvtxNameCuEventA)

void nvtxNameCudaStreamA(cudaStream_t stream, const char *name)
{
	rt_stream_name(cuda_stream(stream), name);
}

void nvtxNameCudaStreamW(cudaStream_t stream, const wchar_t *name)
{
	char narrowed[RT_RANGE_BYTES];

	narrow(narrowed, name);
	nvtxNameCudaStreamA(stream, narrowed);
}

/* A CUstream is the same. */
void nvtxNameCuStreamA(cudaStream_t stream, const char *name)
{
	nvtxNameCudaStreamA(stream, name);
}

void nvtxNameCuStreamW(cudaStream_t stream, const wchar_t *name)
{
	nvtxNameCudaStreamW(stream, name);
}

/* ---- NVTX 3 ------------------------------------------------------------- */

typedef void function(void);

/** struct entry - a function of ours, and its place in the table of a module of NVTX */
struct entry {
	unsigned int module, id;
	function *call;
};

enum { MODULE_CORE = 1, MODULE_CUDA = 2, MODULE_CUDART = 4, MODULE_CORE2 = 5 };

static const struct entry entries[] = {
	{ MODULE_CORE, 8, (function *)nvtxRangePushEx },
	{ MODULE_CORE, 9, (function *)nvtxRangePushA },
	{ MODULE_CORE, 10, (function *)nvtxRangePushW },
	{ MODULE_CORE, 11, (function *)nvtxRangePop },
	{ MODULE_CUDA, 5, (function *)nvtxNameCuStreamA },
	{ MODULE_CUDA, 6, (function *)nvtxNameCuStreamW },
	{ MODULE_CUDART, 3, (function *)nvtxNameCudaStreamA },
	{ MODULE_CUDART, 4, (function *)nvtxNameCudaStreamW },
	{ MODULE_CORE2, 4, (function *)nvtxDomainRangePushEx },
	{ MODULE_CORE2, 5, (function *)nvtxDomainRangePop },
	{ MODULE_CORE2, 10, (function *)nvtxDomainRegisterStringA },
	{ MODULE_CORE2, 11, (function *)nvtxDomainRegisterStringW },
	{ MODULE_CORE2, 12, (function *)nvtxDomainCreateA },
	{ MODULE_CORE2, 13, (function *)nvtxDomainCreateW },
	{ MODULE_CORE2, 14, (function *)nvtxDomainDestroy },
};

/** struct callbacks - export table 1 of NVTX */
struct callbacks {
	size_t bytes;
	int (*table)(unsigned int module, function ***(*out), unsigned int *count);
};

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id))
{
	const struct callbacks *callbacks = export_table ? export_table(1) : NULL;

	if (!callbacks || callbacks->bytes < sizeof(*callbacks) || !callbacks->table)
		return 0;
	for (size_t n = 0; n < sizeof(entries) / sizeof(*entries); n++) {
		function ***table = NULL;
		unsigned int count = 0;

		/* an older header has fewer modules, and fewer functions of each */
		if (callbacks->table(entries[n].module, &table, &count) && table &&
		    entries[n].id < count && table[entries[n].id])
			*table[entries[n].id] = entries[n].call;
	}
	return 1;
}

int InitializeInjectionNvtx2Preinject(const void *(*export_table)(uint32_t id))
{
	return InitializeInjectionNvtx2(export_table);
}
