// SPDX-License-Identifier: MIT
/*
 * Processors of this process; see processors.h.
 */
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "processors.h"

/* Processors of @path, a cpu.max: "QUOTA PERIOD" in microseconds; "max PERIOD": UINT32_MAX */
static uint32_t quota_of(const char *path)
{
	unsigned long quota, period;
	FILE *file = fopen(path, "re");
	int read;

	if (!file)
		return UINT32_MAX;
	read = fscanf(file, "%lu %lu", &quota, &period);
	fclose(file);
	if (read != 2 || !period || quota / period >= UINT32_MAX)
		return UINT32_MAX;
	return quota < period ? 1 : (uint32_t)(quota / period);
}

/* The group of version 2, "0::/PATH", without a slash at its end. False: there is none. */
static bool find_group(const char *groups, char *group, size_t size)
{
	FILE *file = fopen(groups, "re");
	bool found = false;

	while (file && !found && fgets(group, (int)size, file))
		found = !strncmp(group, "0::/", 4);
	if (file)
		fclose(file);
	if (!found)
		return false;
	group[strcspn(group, "\n")] = '\0';
	memmove(group, group + 3, strlen(group + 3) + 1);
	if (!strcmp(group, "/"))
		*group = '\0';
	return true;
}

uint32_t vgpu_processors_quota(const char *groups, const char *root)
{
	char group[PATH_MAX], path[2 * PATH_MAX];
	uint32_t least = UINT32_MAX;

	if (!find_group(groups, group, sizeof(group)))
		return least;
	for (;;) {
		char *last = strrchr(group, '/');
		uint32_t quota;

		snprintf(path, sizeof(path), "%s%s/cpu.max", root, group);
		quota = quota_of(path);
		least = quota < least ? quota : least;
		if (!last)
			return least;
		*last = '\0';
	}
}

uint32_t vgpu_processors(void)
{
	uint32_t quota = vgpu_processors_quota("/proc/self/cgroup", "/sys/fs/cgroup");
	long processors;
	cpu_set_t set;

	/* a set of more than 1024 does not fit */
	if (!sched_getaffinity(0, sizeof(set), &set))
		processors = CPU_COUNT(&set);
	else
		processors = sysconf(_SC_NPROCESSORS_ONLN);
	if (processors < 1)
		processors = 1;
	return quota < processors ? quota : (uint32_t)processors;
}
