// SPDX-License-Identifier: MIT
/*
 * The process's cache: where it is, and which compiler this is. That is the build of the file that
 * this code is in (libvgpu.so): every other build has entries of its own. A file without a build's
 * number has no cache.
 */
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache.h"

static struct vgpu_program_cache cache;

/* ---- this build ---------------------------------------------------------- */

struct build {
	const void *code; /* something of the file */
	char name[64]; /* "": not found, or it has none */
};

static void build_of_notes(const uint8_t *at, size_t bytes, struct build *build)
{
	ElfW(Nhdr) note;

	while (bytes >= sizeof(note)) {
		size_t name, length;

		memcpy(&note, at, sizeof(note));
		name = (note.n_namesz + 3ul) & ~3ul;
		length = (note.n_descsz + 3ul) & ~3ul;
		at += sizeof(note);
		bytes -= sizeof(note);
		if (name > bytes || length > bytes - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at, "GNU", 4) &&
		    2ul * note.n_descsz < sizeof(build->name))
			for (uint32_t i = 0; i < note.n_descsz; i++)
				snprintf(build->name + 2 * i, 3, "%02x", at[name + i]);
		at += name + length;
		bytes -= name + length;
	}
}

static int look_at_file(struct dl_phdr_info *info, size_t size, void *data)
{
	struct build *build = data;
	uintptr_t code = (uintptr_t)build->code;
	bool ours = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		ours |= part->p_type == PT_LOAD &&
			code - (info->dlpi_addr + part->p_vaddr) < part->p_memsz;
	}
	for (int i = 0; ours && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_NOTE)
			build_of_notes((const uint8_t *)(info->dlpi_addr + part->p_vaddr),
				       part->p_memsz, build);
	}
	return ours;
}

/* ---- where it is --------------------------------------------------------- */

/* The user's folder of caches, as the XDG Base Directory Specification has it; made if need be. */
static bool usual_path(char *path, size_t size)
{
	const char *caches = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	int length;

	if (caches && *caches == '/')
		length = snprintf(path, size, "%s", caches);
	else if (home && *home == '/')
		length = snprintf(path, size, "%s/.cache", home);
	else
		return false;
	if (length < 0 || (size_t)length + sizeof("/vgpu") > size)
		return false;
	if (mkdir(path, 0700) && errno != EEXIST)
		return false;
	strcat(path, "/vgpu");
	return true;
}

static bool size_of_text(const char *text, size_t *size)
{
	unsigned long long n;
	unsigned int shift;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	end += shift != 0;
	if (errno || end == text || *end || *text == '-' || !n || n > SIZE_MAX >> shift)
		return false;
	*size = (size_t)n << shift;
	return true;
}

static void open_cache(void)
{
	const char *path = secure_getenv("VGPU_CACHE"), *size = getenv("VGPU_CACHE_SIZE"), *why;
	const char *disabled = getenv("CUDA_CACHE_DISABLE");
	struct build build = {.code = &cache};
	size_t limit = VGPU_CACHE_LIMIT;
	char usual[4096];

	if (path ? !strcmp(path, "off") : disabled && !strcmp(disabled, "1"))
		return;
	if (size && !size_of_text(size, &limit)) {
		fprintf(stderr,
			"vgpu: VGPU_CACHE_SIZE=%s: must be a number of bytes, such as 64M or 1G\n",
			size);
		limit = VGPU_CACHE_LIMIT;
	}
	dl_iterate_phdr(look_at_file, &build);
	if (!*build.name)
		return;
	if (path && *path != '/') {
		fprintf(stderr,
			"vgpu: VGPU_CACHE=%s: must be `off' or the path of a folder that begins "
			"with /: nothing is kept\n",
			path);
		return;
	}
	if (!path && !usual_path(usual, sizeof(usual)))
		return;
	/* the usual one is not there for some users, such as those without a home: silently */
	if (!vgpu_cache_open(&cache, path ? path : usual, limit, build.name, &why) && path)
		fprintf(stderr, "vgpu: VGPU_CACHE=%s: %s: nothing is kept\n", path, why);
}

int vgpu_cache_compile(const char *ptx, size_t len, const struct vgpu_compile_options *options,
		       struct vgpu_program **out, char **message)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_cache);
	return vgpu_cache_compile_in(&cache, ptx, len, options, out, message);
}
