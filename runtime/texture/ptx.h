/* SPDX-License-Identifier: MIT */
/*
 * The PTX of texture fetches, compiled from texture.cu.
 */
#ifndef VGPU_TEXTURE_PTX_H
#define VGPU_TEXTURE_PTX_H

extern const char vgpu_texture_ptx[];

#endif
