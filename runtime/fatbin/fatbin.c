// SPDX-License-Identifier: MIT
/*
 * The entries of a fat binary. A header of 16 bytes (magic, version, its own size, size of the
 * rest) is followed by entries, each with a header of its own and its code. The layout is the one
 * that nvcc 9 to 13 write: little endian, all sizes in bytes.
 */
#include <errno.h>
#include <string.h>

#include "fatbin.h"

#define LEAST_HEADER	64u		/* of an entry */
#define FLAG_LZ4	0x2000u
#define FLAG_ZSTD	0x8000u

static uint16_t read16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t read32(const uint8_t *at)
{
	return read16(at) | (uint32_t)read16(at + 2) << 16;
}

static uint64_t read64(const uint8_t *at)
{
	return read32(at) | (uint64_t)read32(at + 4) << 32;
}

size_t vgpu_fatbin_bytes(const void *header)
{
	const uint8_t *at = header;
	uint64_t rest = read64(at + 8);
	uint16_t own = read16(at + 6);

	if (read32(at) != VGPU_FATBIN_MAGIC || own < VGPU_FATBIN_HEADER || rest > SIZE_MAX / 2)
		return 0;
	return own + rest;
}

int vgpu_fatbin_next(const void *data, size_t bytes, size_t *at, struct vgpu_code *code)
{
	const uint8_t *entry;
	uint64_t size, flags, packed;
	uint32_t own;
	size_t all;

	if (bytes < VGPU_FATBIN_HEADER)
		return -EINVAL;
	all = vgpu_fatbin_bytes(data);
	if (!all || all > bytes)
		return -EINVAL;
	if (!*at)
		*at = read16((const uint8_t *)data + 6);
	if (*at >= all)
		return 0;
	if (all - *at < LEAST_HEADER)
		return -EINVAL;
	entry = (const uint8_t *)data + *at;
	own = read32(entry + 4);
	size = read64(entry + 8);
	packed = read32(entry + 16);
	flags = read64(entry + 40);
	if (own < LEAST_HEADER || own > all - *at || size > all - *at - own)
		return -EINVAL;
	*code = (struct vgpu_code){
		.kind = read16(entry),
		.arch = read32(entry + 28),
		.minor = read16(entry + 24),
		.major = read16(entry + 26),
		.data = entry + own,
		.bytes = size,
		.unpacked = size,
		.packing = flags & FLAG_ZSTD ? VGPU_ZSTD : flags & FLAG_LZ4 ? VGPU_LZ4 : VGPU_PLAIN,
	};
	if (code->packing != VGPU_PLAIN) {
		code->unpacked = read64(entry + 56);
		if (packed > size || code->unpacked > VGPU_IMAGE_MOST)
			return -EINVAL;
		code->bytes = packed ? packed : size;
	}
	*at += own + size;
	return 1;
}
