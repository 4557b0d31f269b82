// SPDX-License-Identifier: MIT
/*
 * The cache of compiled programs: what comes out of it is what was compiled, whatever has become of
 * its files, and whoever uses its folder at the same time.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <dirent.h>

#include "cache/cache.h"
#include "cache/sha256.h"

#define LIMIT (1ul << 20)

static char folder[64];

/* A module with kernels, variables and relocations, long enough to be kept; N makes it another. */
static char *module_text(unsigned int n)
{
	static const char start[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
				    ".global .align 8 .u64 counter = 7;\n"
				    ".global .align 8 .u64 pointer = counter;\n"
				    ".const .align 4 .b32 table[4] = {1, 2, 3, 4};\n";
	static const char kernel[] =
		".visible .entry k%u(.param .u64 out, .param .u32 n)\n{\n"
		".reg .b32 %%r<6>;\n.reg .b64 %%a<4>;\n.reg .pred %%p;\n"
		".shared .align 4 .b32 room[32];\n"
		"ld.param.u64 %%a0, [out];\nld.param.u32 %%r0, [n];\n"
		"mov.u32 %%r1, %%tid.x;\nsetp.ge.u32 %%p, %%r1, %%r0;\n@%%p bra END;\n"
		"ld.const.u32 %%r2, [table];\nmov.u64 %%a1, counter;\nld.global.u32 %%r3, [%%a1];\n"
		"add.u32 %%r2, %%r2, %%r3;\nadd.u32 %%r2, %%r2, %u;\n"
		"mul.wide.u32 %%a2, %%r1, 4;\nadd.u64 %%a0, %%a0, %%a2;\n"
		"st.shared.u32 [room], %%r2;\nld.shared.u32 %%r4, [room];\n"
		"st.global.u32 [%%a0], %%r4;\nEND:\nret;\n}\n";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fputs(start, out);
	for (unsigned int i = 0; i < 8; i++)
		fprintf(out, kernel, i, n);
	fclose(out);
	assert_true(size >= VGPU_CACHE_LEAST);
	return text;
}

static void assert_same(const struct vgpu_program *a, const struct vgpu_program *b)
{
	assert_int_equal(a->kernel_count, b->kernel_count);
	assert_int_equal(a->symbol_count, b->symbol_count);
	assert_int_equal(a->reloc_count, b->reloc_count);
	assert_int_equal(a->binary_count, b->binary_count);
	assert_int_equal(a->data_bytes, b->data_bytes);
	assert_memory_equal(a->data, b->data, a->data_bytes);
	for (uint32_t i = 0; i < a->kernel_count; i++) {
		const struct vgpu_program_kernel *k = &a->kernels[i], *l = &b->kernels[i];

		assert_string_equal(k->name, l->name);
		assert_memory_equal(&k->vass, &l->vass, sizeof(k->vass));
		assert_int_equal(k->param_count, l->param_count);
		assert_memory_equal(k->params, l->params, k->param_count * sizeof(*k->params));
		assert_memory_equal(k->ptx_line, l->ptx_line,
				    k->vass.code_count * sizeof(*k->ptx_line));
		assert_memory_equal(k->reads, l->reads, sizeof(k->reads));
		assert_memory_equal(k->writes, l->writes, sizeof(k->writes));
		assert_int_equal(k->max_live, l->max_live);
	}
	for (uint32_t i = 0; i < a->symbol_count; i++) {
		assert_string_equal(a->symbols[i].name, b->symbols[i].name);
		assert_int_equal(a->symbols[i].offset, b->symbols[i].offset);
		assert_int_equal(a->symbols[i].size, b->symbols[i].size);
	}
	for (uint32_t i = 0; i < a->reloc_count; i++) {
		assert_int_equal(a->relocs[i].kind, b->relocs[i].kind);
		assert_int_equal(a->relocs[i].where, b->relocs[i].where);
	}
	for (uint32_t i = 0; i < a->binary_count; i++) {
		assert_int_equal(a->binaries[i].size, b->binaries[i].size);
		assert_memory_equal(a->binaries[i].bytes, b->binaries[i].bytes,
				    a->binaries[i].size);
	}
}

/* Through the cache; the same as without, and linked the same. */
static void compile(const struct vgpu_program_cache *cache, unsigned int n,
		    const struct vgpu_compile_options *options)
{
	struct vgpu_program *got, *want;
	char *text = module_text(n), *message;

	assert_int_equal(vgpu_compile_ptx(text, strlen(text), options, &want, &message), 0);
	assert_int_equal(vgpu_cache_compile_in(cache, text, strlen(text), options, &got, &message),
			 0);
	assert_null(message);
	assert_true(want->reloc_count > 0);
	assert_same(got, want);
	vgpu_program_link(got, 0x1000);
	vgpu_program_link(want, 0x1000);
	assert_same(got, want);
	vgpu_program_free(got);
	vgpu_program_free(want);
	free(text);
}

/* Files of the folder, and the path of the last one */
static unsigned int entries(char *path, size_t *bytes)
{
	DIR *stream = opendir(folder);
	struct dirent *found;
	unsigned int count = 0;
	struct stat st;

	assert_non_null(stream);
	*bytes = 0;
	while ((found = readdir(stream))) {
		if (found->d_name[0] == '.' && strncmp(found->d_name, ".part", 5))
			continue;
		snprintf(path, 512, "%s/%s", folder, found->d_name);
		assert_int_equal(lstat(path, &st), 0);
		*bytes += (size_t)st.st_size;
		count++;
	}
	closedir(stream);
	return count;
}

static struct vgpu_program_cache open_folder(size_t limit)
{
	struct vgpu_program_cache cache;
	const char *why;

	assert_true(vgpu_cache_open(&cache, folder, limit, "test", &why));
	assert_null(why);
	return cache;
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/vgpu-cache-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char path[512];
	size_t bytes;

	(void)state;
	while (entries(path, &bytes))
		if (unlink(path) && rmdir(path))
			return -1;
	return rmdir(folder);
}

static void test_same(void **state)
{
	struct vgpu_program_cache cache = open_folder(LIMIT);
	struct vgpu_compile_options few = {.max_regs = 16}, one = {.only = "k3"};
	struct vgpu_placed_symbol placed = {"counter", 0x5000};
	struct vgpu_compile_options with = {.placed = &placed, .placed_count = 1};
	char path[512];
	size_t bytes;

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		compile(&cache, 1, NULL);
		compile(&cache, 2, NULL);
		compile(&cache, 1, &few);
		compile(&cache, 1, &one);
		compile(&cache, 1, &with);
		assert_int_equal(entries(path, &bytes), 5);
	}
	placed.address = 0x6000;
	compile(&cache, 1, &with);
	assert_int_equal(entries(path, &bytes), 6);
	vgpu_cache_close(&cache);

	/* another compiler's are others */
	const char *why;
	assert_true(vgpu_cache_open(&cache, folder, LIMIT, "other", &why));
	compile(&cache, 1, NULL);
	assert_int_equal(entries(path, &bytes), 7);
	vgpu_cache_close(&cache);
}

/* An entry that is really used: it has another module's contents under its name. */
static void test_used(void **state)
{
	struct vgpu_program_cache cache = open_folder(LIMIT);
	struct vgpu_program *got, *want;
	char first[512], second[512], path[512], *text = module_text(1), *other = module_text(2);
	char *message;
	size_t bytes;

	(void)state;
	compile(&cache, 1, NULL);
	entries(first, &bytes);
	strcpy(path, first);
	strcat(path, "x");
	assert_int_equal(rename(first, path), 0);
	compile(&cache, 2, NULL);
	unlink(first);
	assert_int_equal(entries(second, &bytes), 2);
	if (!strcmp(second, path)) {
		/* the order of a folder is any */
		DIR *stream = opendir(folder);
		struct dirent *found;

		while ((found = readdir(stream)))
			if (strlen(found->d_name) == strlen(strrchr(first, '/')) - 1)
				snprintf(second, sizeof(second), "%.60s/%.400s", folder,
					 found->d_name);
		closedir(stream);
	}
	assert_int_equal(rename(second, first), 0);
	assert_int_equal(vgpu_cache_compile_in(&cache, text, strlen(text), NULL, &got, &message),
			 0);
	assert_int_equal(vgpu_compile_ptx(other, strlen(other), NULL, &want, &message), 0);
	assert_same(got, want);
	vgpu_program_free(got);
	vgpu_program_free(want);
	free(text);
	free(other);
	vgpu_cache_close(&cache);
}

/* Cut off at any place, with any byte another one, empty: compiled again, and whole afterwards */
static void test_damaged(void **state)
{
	struct vgpu_program_cache cache = open_folder(LIMIT);
	char path[512], *good, *now;
	size_t size, bytes;

	(void)state;
	compile(&cache, 1, NULL);
	assert_int_equal(entries(path, &size), 1);
	good = malloc(size);
	now = malloc(size);
	int file = open(path, O_RDONLY);
	assert_int_equal(read(file, good, size), size);
	close(file);
	for (unsigned int way = 0; way < 60; way++) {
		size_t at = way < 20 ? size * way / 20 : size * (way - 20) / 40;

		file = open(path, O_RDWR);
		if (way < 20) {
			assert_int_equal(ftruncate(file, (off_t)at), 0);
		} else {
			char byte = (char)(good[at] ^ 1 << way % 8);

			assert_int_equal(pwrite(file, &byte, 1, (off_t)at), 1);
		}
		close(file);
		compile(&cache, 1, NULL);
		assert_int_equal(entries(path, &bytes), 1);
		assert_int_equal(bytes, size);
		file = open(path, O_RDONLY);
		assert_int_equal(read(file, now, size), size);
		close(file);
		assert_memory_equal(now, good, size);
	}
	free(good);
	free(now);
	vgpu_cache_close(&cache);
}

/* Writable for others, a link, no file: not read */
static void test_trust(void **state)
{
	struct vgpu_program_cache cache = open_folder(LIMIT);
	char path[512], elsewhere[600], *text = module_text(1), *message;
	struct vgpu_program *got;
	const char *why;
	size_t bytes;

	(void)state;
	/* what is not read is replaced: our file is at its place then */
	compile(&cache, 1, NULL);
	entries(path, &bytes);
	for (int way = 0; way < 4; way++) {
		snprintf(elsewhere, sizeof(elsewhere), "%s-there", folder);
		if (way == 0)
			assert_int_equal(chmod(path, 0666), 0);
		if (way == 1) {
			assert_int_equal(rename(path, elsewhere), 0);
			assert_int_equal(symlink(elsewhere, path), 0);
		}
		if (way == 2)
			assert_int_equal(chmod(path, 0620), 0);
		if (way == 3) {
			assert_int_equal(unlink(path), 0);
			assert_int_equal(mkfifo(path, 0600), 0);
		}
		compile(&cache, 1, NULL);
		struct stat st;
		assert_int_equal(lstat(path, &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(st.st_mode & 0777, 0600);
		unlink(elsewhere);
	}
	if (!geteuid()) {
		/* another user's file, then another user's folder */
		struct stat st;
		assert_int_equal(chown(path, 1, 1), 0);
		compile(&cache, 1, NULL);
		assert_int_equal(lstat(path, &st), 0);
		assert_int_equal(st.st_uid, 0);
		assert_int_equal(chown(folder, 1, 1), 0);
		assert_int_equal(unlink(path), 0);
		compile(&cache, 1, NULL);
		assert_int_equal(entries(path, &bytes), 0);
		assert_int_equal(chown(folder, 0, 0), 0);
	}
	/* a folder that others may write */
	vgpu_cache_close(&cache);
	assert_int_equal(chmod(folder, 0777), 0);
	assert_false(vgpu_cache_open(&cache, folder, LIMIT, "test", &why));
	assert_string_equal(why, "it is not this user's, or others may write there");
	assert_null(cache.path);
	assert_int_equal(vgpu_cache_compile_in(&cache, text, strlen(text), NULL, &got, &message),
			 0);
	vgpu_program_free(got);
	assert_int_equal(chmod(folder, 0700), 0);
	assert_false(vgpu_cache_open(&cache, "/dev/null", LIMIT, "test", &why));
	assert_false(vgpu_cache_open(&cache, "/nowhere/at/all", LIMIT, "test", &why));
	free(text);
}

/* The least recently used go, whole ones only; what another program put there stays. */
static void test_limit(void **state)
{
	struct vgpu_program_cache cache = open_folder(LIMIT);
	char path[512], foreign[600];
	size_t one, bytes;

	(void)state;
	snprintf(foreign, sizeof(foreign), "%s/notes.txt", folder);
	close(open(foreign, O_CREAT | O_WRONLY, 0600));
	compile(&cache, 0, NULL);
	entries(path, &one);
	vgpu_cache_close(&cache);
	/* eight fit */
	cache = open_folder(8 * one + one / 2);
	for (unsigned int n = 1; n < 30; n++) {
		compile(&cache, n, NULL);
		/* so that the first is never the oldest */
		compile(&cache, 0, NULL);
		entries(path, &bytes);
		assert_true(bytes <= 8 * one + one / 2);
		struct timespec moment = {0, 2000000};
		nanosleep(&moment, NULL);
	}
	assert_int_equal(access(foreign, F_OK), 0);
	vgpu_cache_close(&cache);
	/* none fits: nothing is kept */
	cache = open_folder(one / 2);
	unsigned int before = entries(path, &bytes);
	compile(&cache, 100, NULL);
	assert_true(entries(path, &bytes) <= before);
	vgpu_cache_close(&cache);
}

/* Files may be gone at any time. */
static void damage_all(off_t size)
{
	DIR *stream = opendir(folder);
	struct dirent *found;

	while (stream && (found = readdir(stream))) {
		int file = openat(dirfd(stream), found->d_name, O_WRONLY);

		if (file >= 0) {
			(void)!ftruncate(file, size);
			close(file);
		}
	}
	closedir(stream);
}

/* Several processes with one folder that is too small for all, one of which damages what it finds
 */
static void test_processes(void **state)
{
	struct vgpu_program_cache cache = open_folder(LIMIT);
	char path[512];
	pid_t child[6];
	size_t one;

	(void)state;
	compile(&cache, 0, NULL);
	entries(path, &one);
	vgpu_cache_close(&cache);
	for (unsigned int i = 0; i < 6; i++) {
		child[i] = fork();
		if (child[i])
			continue;
		cache = open_folder(5 * one);
		for (unsigned int turn = 0; turn < 40; turn++) {
			compile(&cache, (turn * (i + 1)) % 7, NULL);
			if (!i)
				damage_all((off_t)(one / 3));
		}
		_exit(0);
	}
	for (unsigned int i = 0; i < 6; i++) {
		int status;

		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		assert_int_equal(status, 0);
	}
	DIR *stream = opendir(folder);
	struct dirent *found;
	while ((found = readdir(stream)))
		assert_int_not_equal(strncmp(found->d_name, ".part", 5), 0);
	closedir(stream);
}

/* FIPS 180-4's examples, and one block more */
static void test_hash(void **state)
{
	static const struct {
		const char *text;
		unsigned int times;
		const char *digest;
	} cases[] = {
		{"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"aaaaaaaaaa", 100000,
		 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		uint8_t digest[VGPU_SHA256_BYTES];
		struct vgpu_sha256 hash;
		char text[65];

		vgpu_sha256_begin(&hash);
		for (unsigned int i = 0; i < cases[c].times; i++)
			vgpu_sha256_add(&hash, cases[c].text, strlen(cases[c].text));
		vgpu_sha256_end(&hash, digest);
		for (unsigned int i = 0; i < sizeof(digest); i++)
			snprintf(text + 2 * i, 3, "%02x", digest[i]);
		assert_string_equal(text, cases[c].digest);
	}
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(test_same),	     WITH_FOLDER(test_used),  WITH_FOLDER(test_damaged),
		WITH_FOLDER(test_trust),     WITH_FOLDER(test_limit), WITH_FOLDER(test_processes),
		cmocka_unit_test(test_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
