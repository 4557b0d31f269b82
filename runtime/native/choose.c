// SPDX-License-Identifier: MIT
/*
 * What the environment says of native code: VGPU_NATIVE, VGPU_VECTORS. For all processors.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"
#include "platform.h"

static enum vgpu_native_vectors of_processor(void)
{
#ifdef __x86_64__
	if (!vgpu_cpu_has_avx2())
		return VGPU_VECTORS_SSE2;
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			       __builtin_cpu_supports("avx512dq") &&
			       __builtin_cpu_supports("avx512vl") &&
			       __builtin_cpu_supports("avx512cd") ?
		       VGPU_VECTORS_AVX512 :
		       VGPU_VECTORS_AVX2;
#else
	return VGPU_VECTORS_NONE;
#endif
}

static int choose_vectors(enum vgpu_native_vectors *vectors, char *message, size_t size)
{
	static const char *const names[] = { "none", "sse2", "avx2", "avx512" };
	const char *wanted = getenv("VGPU_VECTORS");
	enum vgpu_native_vectors has = of_processor(), chosen = VGPU_VECTORS_NONE;

	if (!wanted || !*wanted) {
		*vectors = has;
		return 0;
	}
	while (strcmp(wanted, names[chosen]))
		if (++chosen > VGPU_VECTORS_AVX512) {
			snprintf(message, size,
				 "VGPU_VECTORS=%s: it must be none, sse2, avx2 or avx512", wanted);
			return -EINVAL;
		}
	if (chosen > has) {
		snprintf(message, size, "VGPU_VECTORS=%s: this processor has %s", wanted,
			 names[has]);
		return -EINVAL;
	}
	*vectors = chosen;
	return 0;
}

int vgpu_native_configure(struct vgpu_native_choice *choice, char *message, size_t size)
{
	static const char *const names[] = { "off", "auto", "always" };
	const char *wanted = getenv("VGPU_NATIVE");
	static bool said;
	int error;

	choice->mode = VGPU_NATIVE_AUTO;
	if (wanted && *wanted) {
		for (choice->mode = VGPU_NATIVE_OFF; strcmp(wanted, names[choice->mode]);)
			if (++choice->mode > VGPU_NATIVE_ALWAYS) {
				snprintf(message, size,
					 "VGPU_NATIVE=%s: it must be off, auto or always", wanted);
				return -EINVAL;
			}
	}
	error = choose_vectors(&choice->vectors, message, size);
	if (error || choice->mode == VGPU_NATIVE_OFF ||
	    choice->vectors != VGPU_VECTORS_NONE)
		return error;
	if (choice->mode == VGPU_NATIVE_ALWAYS &&
	    !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		fprintf(stderr, "vgpu: VGPU_NATIVE=always: %s; the interpreter serves\n",
			of_processor() ? "VGPU_VECTORS=none" :
					 "there is no native code for this processor");
	choice->mode = VGPU_NATIVE_OFF;
	return 0;
}
