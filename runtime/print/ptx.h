/* SPDX-License-Identifier: MIT */
/*
 * The PTX of printf() of device code, compiled from print.cu.
 */
#ifndef VGPU_PRINT_PTX_H
#define VGPU_PRINT_PTX_H

extern const char vgpu_print_ptx[];

#endif
