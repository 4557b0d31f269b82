// SPDX-License-Identifier: MIT
/*
 * Driver API: functions by name, the calls of code whose default stream is the thread's, and what
 * is known by name only.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "absent_calls.h"
#include "api/attributes.h"
#include "driver.h"

/* ---- the calls with another default stream ------------------------------- */

#define NOTHING(name, symbol, since, params)
#define PER_THREAD(name, symbol, since, suffix, params, args) \
	CUresult symbol##suffix params				\
	{							\
		bool before = rt_thread_default(true);		\
		CUresult error = symbol args;			\
								\
		rt_thread_default(before);			\
		return error;					\
	}
VGPU_DRIVER_CALLS(NOTHING, PER_THREAD)

/* ---- what there is not --------------------------------------------------- */

/* Nothing is known of these but the name: whatever is passed is left where it is. */
#define ABSENT(what, name) \
	CUresult name(void); \
	CUresult name(void) \
	{ \
		return DRV_REFUSE(what); \
	}
VGPU_DRIVER_ABSENT_CALLS(ABSENT)

/* ---- by name ------------------------------------------------------------- */

static const struct entry {
	const char *name;
	int since;
	void *function, *per_thread;	/* per_thread: NULL, it is the same */
} entries[] = {
#define ENTRY(name, symbol, since, params)	{ #name, since, (void *)symbol, NULL },
#define ENTRY_BOTH(name, symbol, since, suffix, params, args) \
	{ #name, since, (void *)symbol, (void *)symbol##suffix },
	VGPU_DRIVER_CALLS(ENTRY, ENTRY_BOTH)
#define ENTRY_ABSENT(what, name)		{ #name, 0, (void *)name, NULL },
	VGPU_DRIVER_ABSENT_CALLS(ENTRY_ABSENT)
};

/* What the name means in the newest version that is not newer than @version. */
static CUdriverProcAddressQueryResult find(const char *name, int version, bool per_thread,
					   void **function)
{
	CUdriverProcAddressQueryResult result = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	int best = -1;

	*function = NULL;
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		const struct entry *entry = &entries[i];

		if (strcmp(entry->name, name))
			continue;
		if (entry->since > version) {
			if (best < 0)
				result = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
			continue;
		}
		if (entry->since <= best)
			continue;
		best = entry->since;
		*function = per_thread && entry->per_thread ? entry->per_thread : entry->function;
		result = CU_GET_PROC_ADDRESS_SUCCESS;
	}
	return result;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version,
			     unsigned long long flags, CUdriverProcAddressQueryResult *status)
{
	CUdriverProcAddressQueryResult result;
	CUresult error = CUDA_SUCCESS;

	if (!name || !function || (flags & ~3ull) || flags == 3)
		return CUDA_ERROR_INVALID_VALUE;
	result = find(name, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
		      function);
	/* without a place for the status the code has to say it */
	if (!status && result != CU_GET_PROC_ADDRESS_SUCCESS)
		error = CUDA_ERROR_NOT_FOUND;
	if (status)
		*status = result;
	return error;
}

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags)
{
	return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/*
 * Tables of NVIDIA's own libraries. The CUDA runtime that nvcc links into programs asks for some,
 * and goes on only if the driver is NVIDIA's.
 */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	static bool told;

	if (table)
		*table = NULL;
	if (!table || !id)
		return CUDA_ERROR_INVALID_VALUE;
	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		fprintf(stderr,
			"vgpu: this program, or a library of it, contains NVIDIA's CUDA runtime, "
			"which works with NVIDIA's driver only; build it with nvcc -cudart shared "
			"(CMake: CUDA_RUNTIME_LIBRARY Shared) and run it with vgpu's "
			"libcudart.so\n");
	return CUDA_ERROR_NOT_FOUND;
}
