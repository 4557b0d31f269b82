/* SPDX-License-Identifier: MIT */
/*
 * Files of sysfs and debugfs, for what reads and writes all of them at random: which there are,
 * what is in them, and the knobs, which are put back.
 */
#ifndef VGPU_FILES_H
#define VGPU_FILES_H

#include <dirent.h>
#include <sys/stat.h>

#include "vgpu_selftest.h"

#define SYSFS		"/sys/class/vgpu/vgpu0"
#define DEBUGFS		"/sys/kernel/debug/vgpu/0"
#define PATHS_MAX	2048u
#define KNOBS		128u

/** struct paths - the files there were when it was looked, in an order that does not change */
struct paths {
	char path[PATHS_MAX][160];
	uint32_t count;
};

static inline int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* All files below @folder whose names, and whose folders' names, are @wanted. */
static inline void paths_add(struct paths *paths, const char *folder,
			     int (*wanted)(const struct dirent *entry))
{
	struct dirent **entries;
	int count = scandir(folder, &entries, wanted, alphasort);
	char path[160];

	for (int i = 0; i < count; i++) {
		bool fits = snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) <
			    (int)sizeof(path);

		if (fits && entries[i]->d_type == DT_DIR)
			paths_add(paths, path, wanted);
		else if (fits && entries[i]->d_type == DT_REG && paths->count < PATHS_MAX)
			strcpy(paths->path[paths->count++], path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Reads it to its end, a page at most at a time. */
static inline ssize_t file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	n = read(fd, text, size - 1);
	text[n > 0 ? n : 0] = 0;
	close(fd);
	return n;
}

static inline void file_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		errno = 0;
	close(fd);
}

/* Files that root can write and read, and what they said when they were kept. */
static struct {
	char path[160], value[256];
} knobs[KNOBS];
static uint32_t knob_count;

/* What is written to the file to have it as it is now: without brackets and newline. */
static inline bool knob_read(const char *path, char *value, size_t size)
{
	char *chosen;

	if (file_read(path, value, size) <= 0)
		return false;
	value[strcspn(value, "\n")] = 0;
	/* of several the one in brackets */
	chosen = strchr(value, '[');
	if (chosen) {
		memmove(value, chosen + 1, strlen(chosen));
		value[strcspn(value, "]")] = 0;
	}
	return true;
}

/* Those of @paths below @folder. */
static inline void knobs_keep(const struct paths *paths, const char *folder)
{
	char value[sizeof(knobs[0].value)];
	struct stat st;

	CHECK(paths->count < PATHS_MAX);
	for (uint32_t i = 0; i < paths->count; i++) {
		const char *path = paths->path[i];

		if (strncmp(path, folder, strlen(folder)) || strstr(path, "/power/") ||
		    stat(path, &st) || !(st.st_mode & 0200) || !(st.st_mode & 0400) ||
		    !knob_read(path, value, sizeof(value)))
			continue;
		CHECK(knob_count < KNOBS);
		strcpy(knobs[knob_count].path, path);
		strcpy(knobs[knob_count++].value, value);
	}
}

#endif
