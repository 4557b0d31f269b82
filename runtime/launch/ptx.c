// SPDX-License-Identifier: MIT
/*
 * The PTX of launches by kernels (launch.cu), as a string.
 */
#include "ptx.h"

const char vgpu_launch_ptx[] =
#include "launch.ptx.h"
	;
