// SPDX-License-Identifier: MIT
/*
 * Files of a cache; see folder.h. Everything goes by the folder's descriptor: what is at its path
 * later does not matter. Other processes add and remove files at any time.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"

/* Files that are being written; what a process leaves that was killed goes after so many seconds */
#define PART_PREFIX ".part-"
#define PART_SECONDS 3600

static bool own(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int vgpu_folder_open(const char *path, const char **why)
{
	struct stat st;
	int folder;

	*why = NULL;
	if (mkdir(path, 0700) && errno != EEXIST) {
		*why = "it cannot be made";
		return -1;
	}
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0) {
		*why = "it cannot be opened as a folder";
		return -1;
	}
	if (!fstat(folder, &st) && own(&st))
		return folder;
	*why = "it is not this user's, or others may write there";
	close(folder);
	return -1;
}

static uint8_t *read_all(int file, size_t size)
{
	uint8_t *bytes = malloc(size ? size : 1);
	size_t done = 0;

	while (bytes && done < size) {
		ssize_t n = read(file, bytes + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			free(bytes);
			return NULL;
		}
		done += (size_t)n;
	}
	return bytes;
}

uint8_t *vgpu_folder_read(int folder, const char *name, size_t most, size_t *size)
{
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	uint8_t *bytes = NULL;
	struct stat st;

	if (file < 0)
		return NULL;
	if (!fstat(file, &st) && S_ISREG(st.st_mode) && own(&st) && (uintmax_t)st.st_size <= most) {
		*size = (size_t)st.st_size;
		bytes = read_all(file, *size);
		/* its time is when it was used last; a file system may have none */
		if (bytes)
			(void)!futimens(file, NULL);
	}
	close(file);
	return bytes;
}

static bool write_all(int file, const uint8_t *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(file, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

bool vgpu_folder_write(int folder, const char *name, const uint8_t *bytes, size_t size)
{
	uint64_t number;
	char part[64];
	bool whole;
	int file;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return false;
	snprintf(part, sizeof(part), PART_PREFIX "%016llx", (unsigned long long)number);
	file = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		return false;
	whole = write_all(file, bytes, size);
	whole = !close(file) && whole;
	if (whole && !renameat(folder, part, folder, name))
		return true;
	unlinkat(folder, part, 0);
	return false;
}

void vgpu_folder_remove(int folder, const char *name)
{
	unlinkat(folder, name, 0);
}

/* ---- the limit ----------------------------------------------------------- */

struct entry {
	char name[VGPU_ENTRY_NAME];
	struct timespec used;
	size_t bytes;
};

static bool is_entry(const char *name)
{
	return strlen(name) == VGPU_ENTRY_NAME - 1 &&
	       strspn(name, "0123456789abcdef") == VGPU_ENTRY_DIGITS &&
	       !strcmp(name + VGPU_ENTRY_DIGITS, VGPU_ENTRY_SUFFIX);
}

static int older_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void remove_left(int folder, const char *name, const struct stat *st)
{
	if (!strncmp(name, PART_PREFIX, strlen(PART_PREFIX)) &&
	    st->st_mtim.tv_sec < time(NULL) - PART_SECONDS)
		unlinkat(folder, name, 0);
}

/* All entries, to be freed; NULL: none, or no memory */
static struct entry *list(int folder, DIR *stream, size_t *count, size_t *bytes)
{
	struct entry *all = NULL, *grown;
	struct dirent *found;
	struct stat st;

	*count = *bytes = 0;
	while ((found = readdir(stream))) {
		if (fstatat(folder, found->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!is_entry(found->d_name)) {
			remove_left(folder, found->d_name, &st);
			continue;
		}
		if (!(*count & (*count - 1))) {
			grown = realloc(all, (*count ? 2 * *count : 1) * sizeof(*all));
			if (!grown)
				break;
			all = grown;
		}
		memcpy(all[*count].name, found->d_name, VGPU_ENTRY_NAME);
		all[*count].used = st.st_mtim;
		all[*count].bytes = (size_t)st.st_size;
		*bytes += (size_t)st.st_size;
		++*count;
	}
	return all;
}

void vgpu_folder_trim(int folder, size_t limit)
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = again < 0 ? NULL : fdopendir(again);
	size_t count, bytes;
	struct entry *all;

	if (!stream) {
		if (again >= 0)
			close(again);
		return;
	}
	all = list(folder, stream, &count, &bytes);
	closedir(stream);
	if (all && bytes > limit) {
		qsort(all, count, sizeof(*all), older_first);
		for (size_t i = 0; i < count && bytes > limit - limit / 4; i++) {
			unlinkat(folder, all[i].name, 0);
			bytes -= all[i].bytes;
		}
	}
	free(all);
}
