// SPDX-License-Identifier: MIT
/*
 * Device code that is for devices of more than ours presents. See capability.h.
 */
#include <stdlib.h>
#include <string.h>

#include "capability.h"

bool rt_strict_capability(void)
{
	const char *text = getenv("VGPU_STRICT_CAPABILITY");

	return !text || strcmp(text, "0");
}

void rt_capability_message(const char *code)
{
	unsigned int takes = rt_code_capability();

	rt_message("%s, and the device takes PTX for compute capability %u.%u and less, and what "
		   "is for one GPU (sm_) from %u.0 to %u.%u: build with -arch=sm_%u, have a device "
		   "with another compute_capability (docs/cuda.md#compute-capability), or set "
		   "VGPU_STRICT_CAPABILITY=0, with which it is tried",
		   code, takes / 10, takes % 10, takes / 10, takes / 10, takes % 10, takes);
}
