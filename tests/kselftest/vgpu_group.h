/* SPDX-License-Identifier: MIT */
/*
 * Memory that somebody pays for: a control group with a limit, and how much the machine has left
 * meanwhile.
 */
#ifndef VGPU_GROUP_H
#define VGPU_GROUP_H

#include <pthread.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "vgpu_client.h"

static inline void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	CHECK(fd >= 0);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

/* ---- memory of the machine ---------------------------------------------- */

static volatile long least;
static volatile bool watching;

static inline void *watch_main(void *unused)
{
	while (watching) {
		long now = meminfo("MemAvailable:");

		if (now < least)
			least = now;
		usleep(5000);
	}
	return unused;
}

/*
 * Freed pages that a processor keeps for its next use are free, but not in MemAvailable: of 6.12,
 * tens of MiB.
 */
static inline void keep_few_pages(const char *fraction)
{
	put("/proc/sys/vm/percpu_pagelist_high_fraction", fraction);
}

static inline pthread_t watch(void)
{
	pthread_t thread;

	keep_few_pages("50000");
	least = meminfo("MemTotal:");
	watching = true;
	CHECK(!pthread_create(&thread, NULL, watch_main, NULL));
	return thread;
}

/* The least that was available since watch(), KiB. */
static inline long watch_end(pthread_t thread)
{
	watching = false;
	pthread_join(thread, NULL);
	keep_few_pages("0");
	return least;
}

/* ---- control groups ----------------------------------------------------- */

#define CGROUPS		"/tmp/vgpu-cgroup"
#define GROUP		CGROUPS "/vgpu"

/* A group with at most @max bytes, which anybody may enter; or skip the test. */
static inline void group_make(const char *max)
{
	mkdir(CGROUPS, 0755);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL) && errno != EBUSY)
		SKIP("no cgroup2 here");
	if (access(CGROUPS "/cgroup.subtree_control", W_OK))
		SKIP("no cgroup2 here");
	put(CGROUPS "/cgroup.subtree_control", "+memory");
	CHECK(!mkdir(GROUP, 0755) || errno == EEXIST);
	put(GROUP "/memory.max", max);
	CHECK(!chmod(CGROUPS "/cgroup.procs", 0666) && !chmod(GROUP "/cgroup.procs", 0666));
}

static inline void group_enter(void)
{
	put(GROUP "/cgroup.procs", "0");
}

static inline void group_leave(void)
{
	put(CGROUPS "/cgroup.procs", "0");
}

static inline long long group_bytes(void)
{
	char text[32] = "";
	int fd = open(GROUP "/memory.current", O_RDONLY);

	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return atoll(text);
}

/* Its processes have ended, and nothing may be charged to it any more. */
static inline void group_remove(void)
{
	int status;

	for (int i = 0; i < 500 && rmdir(GROUP); i++)
		usleep(10000);
	CHECK(access(GROUP, F_OK));
	/* the kernel takes groups that were removed apart some time later */
	for (int i = 0; (status = umount(CGROUPS)) && errno == EBUSY && i < 500; i++)
		usleep(10000);
	CHECK(!status);
}

#endif
