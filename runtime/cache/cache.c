// SPDX-License-Identifier: MIT
/* Programs from a cache, and into one; see cache.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "folder.h"
#include "pack.h"
#include "sha256.h"

/* An entry: this, the hash of what follows it, the program */
static const char mark[8] = "VGPUPRG1";
enum { HEAD = sizeof(mark) + VGPU_SHA256_BYTES };

bool vgpu_cache_open(struct vgpu_program_cache *cache, const char *path, size_t limit,
		     const char *compiler, const char **why)
{
	int folder = vgpu_folder_open(path, why);

	*cache = (struct vgpu_program_cache){.limit = limit};
	snprintf(cache->compiler, sizeof(cache->compiler), "%s", compiler);
	if (folder < 0)
		return false;
	close(folder);
	cache->path = strdup(path);
	*why = cache->path ? NULL : "there is no memory";
	return cache->path;
}

void vgpu_cache_close(struct vgpu_program_cache *cache)
{
	free(cache->path);
	cache->path = NULL;
}

static void add_text(struct vgpu_sha256 *hash, const char *text)
{
	uint64_t length = text ? strlen(text) : UINT64_MAX;

	vgpu_sha256_add(hash, &length, sizeof(length));
	if (text)
		vgpu_sha256_add(hash, text, strlen(text));
}

/* All that the compiler looks at */
static void name_of(const struct vgpu_program_cache *cache, const char *ptx, size_t len,
		    const struct vgpu_compile_options *options, char name[VGPU_ENTRY_NAME])
{
	static const struct vgpu_compile_options none;
	uint8_t digest[VGPU_SHA256_BYTES];
	uint64_t length = len;
	struct vgpu_sha256 hash;

	options = options ? options : &none;
	vgpu_sha256_begin(&hash);
	vgpu_sha256_add(&hash, mark, sizeof(mark));
	add_text(&hash, cache->compiler);
	vgpu_sha256_add(&hash, &options->max_regs, sizeof(options->max_regs));
	vgpu_sha256_add(&hash, &options->stack_bytes, sizeof(options->stack_bytes));
	vgpu_sha256_add(&hash, &options->placed_count, sizeof(options->placed_count));
	add_text(&hash, options->only);
	for (uint32_t i = 0; i < options->placed_count; i++) {
		add_text(&hash, options->placed[i].name);
		vgpu_sha256_add(&hash, &options->placed[i].address,
				sizeof(options->placed[i].address));
	}
	vgpu_sha256_add(&hash, &length, sizeof(length));
	vgpu_sha256_add(&hash, ptx, len);
	vgpu_sha256_end(&hash, digest);
	for (unsigned int i = 0; i < VGPU_SHA256_BYTES; i++)
		snprintf(name + 2 * i, 3, "%02x", digest[i]);
	memcpy(name + VGPU_ENTRY_DIGITS, VGPU_ENTRY_SUFFIX, sizeof(VGPU_ENTRY_SUFFIX));
}

static void digest_of(const uint8_t *bytes, size_t size, uint8_t digest[VGPU_SHA256_BYTES])
{
	struct vgpu_sha256 hash;

	vgpu_sha256_begin(&hash);
	vgpu_sha256_add(&hash, bytes, size);
	vgpu_sha256_end(&hash, digest);
}

static struct vgpu_program *fetch(const struct vgpu_program_cache *cache, int folder,
				  const char *name)
{
	uint8_t digest[VGPU_SHA256_BYTES], *bytes;
	struct vgpu_program *program = NULL;
	size_t size;

	bytes = vgpu_folder_read(folder, name, cache->limit, &size);
	if (!bytes)
		return NULL;
	if (size >= HEAD && !memcmp(bytes, mark, sizeof(mark))) {
		digest_of(bytes + HEAD, size - HEAD, digest);
		if (!memcmp(bytes + sizeof(mark), digest, sizeof(digest)))
			program = vgpu_unpack_program(bytes + HEAD, size - HEAD);
	}
	free(bytes);
	if (!program)
		vgpu_folder_remove(folder, name);
	return program;
}

static void keep_program(const struct vgpu_program_cache *cache, int folder, const char *name,
			 const struct vgpu_program *program)
{
	static const uint8_t no_digest[VGPU_SHA256_BYTES];
	struct vgpu_pack pack = {0};

	vgpu_pack_bytes(&pack, mark, sizeof(mark));
	vgpu_pack_bytes(&pack, no_digest, sizeof(no_digest));
	if (vgpu_pack_program(&pack, program) && pack.size <= cache->limit) {
		digest_of(pack.bytes + HEAD, pack.size - HEAD, pack.bytes + sizeof(mark));
		if (vgpu_folder_write(folder, name, pack.bytes, pack.size))
			vgpu_folder_trim(folder, cache->limit);
	}
	free(pack.bytes);
}

int vgpu_cache_compile_in(const struct vgpu_program_cache *cache, const char *ptx, size_t len,
			  const struct vgpu_compile_options *options, struct vgpu_program **out,
			  char **message)
{
	/* what is made for the sanitizer has tables, and is not kept */
	bool small = len < VGPU_CACHE_LEAST, tables = options && options->red_zone;
	const char *why;
	char name[VGPU_ENTRY_NAME];
	int folder = -1, error = 0;

	if (cache->path && !small && !tables)
		folder = vgpu_folder_open(cache->path, &why);
	if (folder < 0)
		return vgpu_compile_ptx(ptx, len, options, out, message);
	*message = NULL;
	name_of(cache, ptx, len, options, name);
	*out = fetch(cache, folder, name);
	if (!*out) {
		error = vgpu_compile_ptx(ptx, len, options, out, message);
		if (!error)
			keep_program(cache, folder, name, *out);
	}
	close(folder);
	return error;
}
