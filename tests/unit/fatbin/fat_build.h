/* SPDX-License-Identifier: MIT */
/*
 * Fat binaries made by hand, byte by byte as nvcc lays them out.
 */
#ifndef FAT_BUILD_H
#define FAT_BUILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fatbin/fatbin.h"

struct fat {
	uint8_t bytes[32768];
	size_t size;
};

/* Only the header. */
void fat_begin(struct fat *fat);
/* PTX text, its 0 included, packed as @packing says. */
void fat_add_ptx(struct fat *fat, unsigned int arch, const char *text, enum vgpu_packing packing);
/* Some bytes that stand for SASS. */
void fat_add_sass(struct fat *fat, unsigned int arch);

#endif
