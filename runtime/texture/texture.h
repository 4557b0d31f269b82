/* SPDX-License-Identifier: MIT */
/*
 * What a texture or surface object is: a descriptor in device memory, of which the 64-bit handle is
 * the address. The runtime writes it (api/textures/), kernels read it: a fetch is a call of a
 * function of texture.cu, which the PTX compiler adds to modules that have such instructions.
 *
 * A descriptor stays where it is for as long as its context lives; one that is destroyed says so,
 * and is used again by a later object.
 */
#ifndef VGPU_TEXTURE_H
#define VGPU_TEXTURE_H

/* ---- the descriptor: 32-bit words, read 16 bytes at a time ---------------- */

/* byte offsets of the groups of four words */
#define VGPU_TEXTURE_HEAD	0	/* state, format, sampling, layers | levels << 16 */
#define VGPU_TEXTURE_MIP	16	/* floats: bias, least and largest level; its shape */
#define VGPU_TEXTURE_BORDER	32	/* what a fetch outside gives, as the fetch would */
#define VGPU_TEXTURE_LEVEL	48	/* for each level: */
#define VGPU_TEXTURE_LEVEL_BYTES 32	/* base (2 words), pitch, width; plane (2), height, depth */
#define VGPU_TEXTURE_LEVELS	16	/* the most */
#define VGPU_TEXTURE_BYTES \
	(VGPU_TEXTURE_LEVEL + VGPU_TEXTURE_LEVELS * VGPU_TEXTURE_LEVEL_BYTES)

/* state: of what it is; what is destroyed, and what lost its array, has none of these */
#define VGPU_TEXTURE_OBJECT	0x74786574u
#define VGPU_TEXTURE_SURFACE	0x66727573u
#define VGPU_TEXTURE_GONE	0x656e6f67u

/* format: log2 of the bytes of a texel, of a channel; channels; what they are */
#define VGPU_TEXTURE_FORMAT(texel, channel, channels, kind) \
	((texel) | (channel) << 3 | (channels) << 5 | (kind) << 8)
#define VGPU_TEXTURE_TEXEL_LOG(format)		((format) & 7)
#define VGPU_TEXTURE_CHANNEL_LOG(format)	((format) >> 3 & 3)
#define VGPU_TEXTURE_CHANNELS(format)		((format) >> 5 & 7)
#define VGPU_TEXTURE_KIND(format)		((format) >> 8 & 3)
#define VGPU_TEXTURE_SIGNED	0
#define VGPU_TEXTURE_UNSIGNED	1
#define VGPU_TEXTURE_FLOAT	2

/* sampling: what happens outside, of each of three directions, as CUDA numbers it; and flags */
#define VGPU_TEXTURE_WRAP	0
#define VGPU_TEXTURE_CLAMP	1
#define VGPU_TEXTURE_MIRROR	2
#define VGPU_TEXTURE_OUTSIDE	3	/* the border's colour */
#define VGPU_TEXTURE_MODE(sampling, direction)	((sampling) >> 2 * (direction) & 3)
#define VGPU_TEXTURE_LINEAR	0x40
#define VGPU_TEXTURE_UNIT	0x80	/* coordinates from 0 to 1 */
#define VGPU_TEXTURE_AS_FLOAT	0x100	/* integers become floats from 0 or -1 to 1 */
#define VGPU_TEXTURE_MIP_LINEAR	0x200
#define VGPU_TEXTURE_SRGB	0x400	/* 8 bits, all channels but the fourth one */

/* shape, the fourth word of VGPU_TEXTURE_MIP: flags of CUDA's arrays */
#define VGPU_TEXTURE_LAYERED	0x01
#define VGPU_TEXTURE_CUBE	0x04

/* ---- the last parameter of __vgpu_surface() ------------------------------- */

/* bytes of the access, and what it does outside: as CUDA numbers the modes */
#define VGPU_SURFACE_HOW(bytes, mode)	((bytes) | (mode) << 8)
#define VGPU_SURFACE_ZERO	0
#define VGPU_SURFACE_CLAMP	1
#define VGPU_SURFACE_TRAP	2

/* ---- the last parameter of __vgpu_texture_query() -------------------------- */

enum vgpu_texture_query {
	VGPU_QUERY_WIDTH,
	VGPU_QUERY_HEIGHT,
	VGPU_QUERY_DEPTH,
	VGPU_QUERY_ARRAY_SIZE,
	VGPU_QUERY_LEVELS,
	VGPU_QUERY_UNIT,	/* normalized_coords */
};

#endif
