/* SPDX-License-Identifier: MIT */
/*
 * How large arrays, textures and surfaces may be, in texels and layers: what CUDA's tables say of
 * this architecture.
 */
#ifndef VGPU_RT_TEXTURE_LIMITS_H
#define VGPU_RT_TEXTURE_LIMITS_H

#define RT_TEXTURE_1D		131072	/* and the width of two directions */
#define RT_TEXTURE_2D_HEIGHT	65536
#define RT_TEXTURE_3D		16384
#define RT_TEXTURE_LAYERED	32768	/* also a face of a cube, a gather, a mipmap */
#define RT_TEXTURE_LAYERS	2048
#define RT_TEXTURE_CUBE_LAYERS	2046
#define RT_TEXTURE_LINEAR	(1 << 28)
#define RT_TEXTURE_PITCHED	131072
#define RT_TEXTURE_ROWS		65000
#define RT_TEXTURE_PITCH	2097120
#define RT_TEXTURE_PITCH_ALIGNMENT 32

#endif
