// SPDX-License-Identifier: MIT
/*
 * One line for each function that refuses.
 */
#include <stdio.h>

#include "refuse.h"

int vgpu_library_refuse(const char *library, const char *function, const char *why,
			int status, unsigned char *told)
{
	if (__atomic_exchange_n(told, 1, __ATOMIC_RELAXED))
		return status;
	if (why)
		fprintf(stderr, "vgpu: %s: %s: %s (status %d)\n", library, function, why, status);
	else
		fprintf(stderr,
			"vgpu: %s: %s is not supported (status %d): docs/libraries.md\n",
			library, function, status);
	return status;
}
