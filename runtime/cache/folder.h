/* SPDX-License-Identifier: MIT */
/*
 * The folder of a cache and its files: what may be trusted, reading one whole, writing one so that
 * others never see a part of it, and removing the oldest.
 */
#ifndef VGPU_CACHE_FOLDER_H
#define VGPU_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hexadecimal digits, and what tells an entry from other files */
#define VGPU_ENTRY_DIGITS 64u
#define VGPU_ENTRY_SUFFIX ".vgpu"
#define VGPU_ENTRY_NAME (VGPU_ENTRY_DIGITS + sizeof(VGPU_ENTRY_SUFFIX))

/* Makes it if it is not there. -1: it cannot be used, WHY is set. */
int vgpu_folder_open(const char *path, const char **why);
/* All of the file, to be freed, which was used now. NULL: there is none that may be trusted. */
uint8_t *vgpu_folder_read(int folder, const char *name, size_t most, size_t *size);
/* False: there is nothing of it. */
bool vgpu_folder_write(int folder, const char *name, const uint8_t *bytes, size_t size);
void vgpu_folder_remove(int folder, const char *name);
/* Where all entries are more than LIMIT bytes, the least recently used go until it is 3/4 of it. */
void vgpu_folder_trim(int folder, size_t limit);

#endif
