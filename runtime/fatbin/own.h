/* SPDX-License-Identifier: MIT */
/*
 * Device code as tools/vgpucc puts it into objects: one image behind the other, each PTX text that
 * is for a virtual architecture, for real ones, or both. What nvcc calls SASS for sm_80 is this
 * text, too, if a device may run it without being told how to compile it: the two are told apart so
 * that -gencode means what it says.
 */
#ifndef VGPU_FATBIN_OWN_H
#define VGPU_FATBIN_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VGPU_OWN_MARK		"VGPUPTX1"
#define VGPU_OWN_ALIGN		8u	/* where images begin, counted from the first */

/* flags */
#define VGPU_OWN_SEPARATE	1u	/* -rdc=true: linked with all of its program */
#define VGPU_OWN_MORE		2u	/* another image follows */
#define VGPU_OWN_REAL		4u	/* for real architectures alone: no code=compute_NN */
/* The real architectures, one of each major number, the least of those asked for: bytes 1 to 3 */
#define VGPU_OWN_SM(flags, n)	((flags) >> (8 + 8 * (n)) & 0xff)
#define VGPU_OWN_SMS		3u

/** struct vgpu_own - an image; the text ends in 0 */
struct vgpu_own {
	char mark[8];			/* VGPU_OWN_MARK */
	uint32_t max_regs;		/* 0: no limit */
	uint32_t flags;			/* VGPU_OWN_* */
	char ptx[];
} __attribute__((packed));	/* in archives they are where they are */

/* Bytes of all images that stand behind each other at @data; 0: one of them is not whole. */
size_t vgpu_own_bytes(const void *data, size_t bytes);
/* The next image; NULL: there is none. */
const struct vgpu_own *vgpu_own_next(const struct vgpu_own *image);

/**
 * vgpu_own_pick - the image that a device takes
 * @first: of those that stand behind each other
 * @arch: the newest architecture that the device takes (80)
 * @strict: none for newer architectures, or for real ones that the device is not
 *
 * As CUDA has it: code for real architectures of the same major number that are not newer, the
 * newest of it; else the newest PTX that is not newer. Without @strict, where there is neither, the
 * oldest of all. NULL: there is none.
 */
const struct vgpu_own *vgpu_own_pick(const struct vgpu_own *first, unsigned int arch, bool strict);

/* Is this image for that real or virtual architecture? */
bool vgpu_own_names_arch(const struct vgpu_own *image, unsigned int arch);
/* What the images are for, "sm_80, compute_80, compute_90", cut off where there is no room. */
void vgpu_own_names(const struct vgpu_own *first, char *text, size_t size);

#endif
