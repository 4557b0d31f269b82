/* SPDX-License-Identifier: MIT */
/*
 * VGPU_CODE: a file for the code of the kernels that the program launches, for vgpu-trace --lines
 * (docs/pipeline.md). Text, to which each process appends. Of each kernel a line
 *
 *	kernel PID MODULE INDEX COUNT NAME
 *
 * with the numbers by which the trace knows it, then a line for each of its COUNT instructions
 *
 *	PC \t LINE \t FILE \t INSTRUCTION
 *
 * LINE is 0, and FILE empty, where the PTX does not say (-lineinfo).
 */
#ifndef VGPU_RT_CODE_FILE_H
#define VGPU_RT_CODE_FILE_H

#include "state.h"

/* Kernel @index of @image, which @module has, is launched: its code is written, if it is asked for
 * and has not been yet. @id, @number: the device's, of both */
void rt_code_append(const struct vgpuModule *module, const struct rt_image *image, uint32_t index,
		    uint32_t id, uint32_t number);

#endif
