/* SPDX-License-Identifier: MIT */
/*
 * Devices on demand as functions, for tests: folders of /sys/kernel/config/vgpu.
 */
#ifndef VGPU_CONFIGFS_H
#define VGPU_CONFIGFS_H

#include <sys/stat.h>

#include "vgpu_client.h"

#define CONFIGFS	"/sys/kernel/config/vgpu/"

static inline void cfs_path(char *path, size_t size, const char *device, const char *file)
{
	snprintf(path, size, CONFIGFS "%s%s%s", device, file ? "/" : "", file ? file : "");
}

static inline int cfs_make(const char *device)
{
	char path[256];

	if (access(CONFIGFS, F_OK))
		SKIP("configfs is not mounted on /sys/kernel/config");
	cfs_path(path, sizeof(path), device, NULL);
	return mkdir(path, 0755) ? -errno : 0;
}

static inline int cfs_remove(const char *device)
{
	char path[256];

	cfs_path(path, sizeof(path), device, NULL);
	return rmdir(path) ? -errno : 0;
}

static inline int cfs_put(const char *device, const char *file, const char *value)
{
	char path[256];
	ssize_t n;
	int fd;

	cfs_path(path, sizeof(path), device, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	n = write(fd, value, strlen(value));
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}

/* The file's text, without the newline. */
static inline const char *cfs_get(const char *device, const char *file)
{
	static char text[256];
	char path[256];
	ssize_t n;
	int fd;

	cfs_path(path, sizeof(path), device, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	n = read(fd, text, sizeof(text) - 1);
	CHECK(n >= 1 && text[n - 1] == '\n');
	text[n - 1] = 0;
	close(fd);
	return text;
}

static inline int cfs_open(const char *device)
{
	char path[300];

	snprintf(path, sizeof(path), "/dev/%s", cfs_get(device, "dev_name"));
	return open(path, O_RDWR | O_CLOEXEC);
}

/* A device of a test's own, live, with 16 MiB. */
static inline void cfs_must_make(const char *device)
{
	CHECK_EQ(cfs_make(device), 0);
	CHECK_EQ(cfs_put(device, "vram_bytes", "16777216"), 0);
	CHECK_EQ(cfs_put(device, "live", "1"), 0);
}

#endif
