// SPDX-License-Identifier: MIT
/*
 * The PTX of printf() of device code (print.cu), as a string.
 */
#include "ptx.h"

const char vgpu_print_ptx[] =
#include "print.ptx.h"
	;
