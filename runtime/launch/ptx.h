/* SPDX-License-Identifier: MIT */
/*
 * The PTX of launches by kernels, compiled from launch.cu.
 */
#ifndef VGPU_LAUNCH_PTX_H
#define VGPU_LAUNCH_PTX_H

extern const char vgpu_launch_ptx[];

#endif
