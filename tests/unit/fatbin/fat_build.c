// SPDX-License-Identifier: MIT
/*
 * Fat binaries made by hand: a header of 16 bytes, entries with headers of 64.
 */
#include <lz4.h>
#include <zstd.h>

#include "fat_build.h"

static void put(uint8_t *at, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

void fat_begin(struct fat *fat)
{
	memset(fat, 0, sizeof(*fat));
	put(fat->bytes, 0xba55ed50, 4);
	put(fat->bytes + 4, 1, 2);
	put(fat->bytes + 6, 16, 2);
	fat->size = 16;
}

static void add(struct fat *fat, unsigned int kind, unsigned int arch, const void *data,
		size_t size, size_t packed, size_t unpacked, uint64_t flags)
{
	uint8_t *entry = fat->bytes + fat->size;
	size_t padded = (size + 7) & ~(size_t)7;

	assert_true(fat->size + 64 + padded <= sizeof(fat->bytes));
	put(entry, kind, 2);
	put(entry + 2, 0x101, 2);
	put(entry + 4, 64, 4);
	put(entry + 8, padded, 8);
	put(entry + 16, packed, 4);
	put(entry + 24, 0, 2);
	put(entry + 26, 9, 2);
	put(entry + 28, arch, 4);
	put(entry + 40, 0x11 | flags, 8);
	put(entry + 56, unpacked, 8);
	memcpy(entry + 64, data, size);
	fat->size += 64 + padded;
	put(fat->bytes + 8, fat->size - 16, 8);
}

void fat_add_ptx(struct fat *fat, unsigned int arch, const char *text, enum vgpu_packing packing)
{
	static char packed[16384];
	size_t size = strlen(text) + 1, got;

	if (packing == VGPU_PLAIN) {
		add(fat, 1, arch, text, size, 0, 0, 0);
	} else if (packing == VGPU_LZ4) {
		got = (size_t)LZ4_compress_default(text, packed, (int)size, sizeof(packed));
		add(fat, 1, arch, packed, got, got, size, 0x2000);
	} else {
		got = ZSTD_compress(packed, sizeof(packed), text, size, 3);
		add(fat, 1, arch, packed, got, got, size, 0x8000);
	}
}

void fat_add_sass(struct fat *fat, unsigned int arch)
{
	add(fat, 2, arch, "\177ELF and so on", 14, 0, 0, 0);
}
