/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4): names of entries, and whether their contents are whole. */
#ifndef VGPU_CACHE_SHA256_H
#define VGPU_CACHE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define VGPU_SHA256_BYTES 32u

struct vgpu_sha256 {
	uint32_t state[8];
	uint64_t bytes;
	uint8_t block[64];
};

void vgpu_sha256_begin(struct vgpu_sha256 *hash);
void vgpu_sha256_add(struct vgpu_sha256 *hash, const void *data, size_t bytes);
void vgpu_sha256_end(struct vgpu_sha256 *hash, uint8_t digest[VGPU_SHA256_BYTES]);

#endif
