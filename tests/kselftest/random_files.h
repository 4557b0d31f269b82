/* SPDX-License-Identifier: MIT */
/*
 * The random driver's files: everything below sysfs and debugfs of device 0 is read and written,
 * fdinfo read, devices made through configfs and taken away. Who is not root tries the same.
 */
#ifndef RANDOM_FILES_H
#define RANDOM_FILES_H

#include "random.h"
#include "vgpu_configfs.h"
#include "vgpu_files.h"

/*
 * A trigger keeps the probe of its event when the event is disabled, and the kernel then finds it
 * there when the module goes: that is its own matter (trace_events.c, soft mode).
 */
static int no_trigger(const struct dirent *entry)
{
	return visible(entry) && strcmp(entry->d_name, "trigger");
}

static void paths_find(struct paths *paths)
{
	paths->count = 0;
	paths_add(paths, SYSFS "/.", visible);
	paths_add(paths, DEBUGFS, visible);
	paths_add(paths, "/sys/kernel/tracing/events/vgpu", no_trigger);
}

/* One of the words that the file itself offers, a number, or nonsense. */
static void some_value(struct thread *t, const char *path, char value[4096])
{
	char text[4096], *word, *rest = text;

	switch (pick(t, 4)) {
	case 0:
		snprintf(value, 4096, "%llu",
			 (unsigned long long)(pick(t, 2) ? pick(t, 20) : rnd(&t->seed)));
		return;
	case 1:
		for (uint64_t i = pick(t, 8) ? pick(t, 30) : 4000; i; i--)
			*value++ = (char)(1 + pick(t, 255));
		*value = 0;
		return;
	default:
		strcpy(value, "1");
		if (file_read(path, text, sizeof(text)) <= 0)
			return;
		while ((word = strsep(&rest, " \n")))
			if (*word && pick(t, 3) == 0)
				snprintf(value, 4096, "%s", word);
		value[strcspn(value, "]")] = 0;
		if (*value == '[')
			memmove(value, value + 1, strlen(value));
	}
}

/*
 * What changes most; a lockstep clock stands still while a thread of anybody's does anything else
 * than wait.
 */
static void main_knob(struct thread *t)
{
	char path[160], value[4096];

	switch (pick(t, 4)) {
	case 0:
		return file_write(SYSFS "/clock", pick(t, 4) ? "free" :
						  pick(t, 2) ? "lockstep" :
							       "paced");
	default:
		snprintf(path, sizeof(path), SYSFS "/%s", pick(t, 2) ? "policy" : "preemption");
		some_value(t, path, value);
		file_write(path, value);
	}
}

static void random_files(struct thread *t, struct paths *paths)
{
	char text[4096], value[4096], path[64];
	const char *file;

	if (!paths->count || pick(t, 200) == 0)
		paths_find(paths);
	if (!paths->count)
		return;
	file = paths->path[pick(t, paths->count)];
	switch (pick(t, 8)) {
	case 0:
		some_value(t, file, value);
		file_write(file, value);
		return;
	case 1:
	case 2: return main_knob(t);
	case 3:
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", some_file(t));
		file_read(path, text, sizeof(text));
		return;
	default:
		file_read(file, text, sizeof(text));
	}
}

/* ---- configfs ----------------------------------------------------------- */

static void random_configfs(struct thread *t)
{
	static const char *const fields[] = { "sms",	    "policy", "preemption", "hw_queues",
					      "vram_bytes", "preset", "clock_khz" };
	static const char *const values[] = { "1",	"2",	   "16",     "0",  "fcfs", "dss",
					      "switch", "4194304", "gtx980", "-1", "x" };
	char name[16], path[256];

	snprintf(name, sizeof(name), "random-%d", (int)pick(t, 3));
	switch (pick(t, 6)) {
	case 0:
		cfs_path(path, sizeof(path), name, NULL);
		if (mkdir(path, 0755))
			return;
		cfs_path(path, sizeof(path), name, "vram_bytes");
		return file_write(path, "8388608");
	case 1:
	case 2:
		cfs_path(path, sizeof(path), name, fields[pick(t, ARRAY_SIZE(fields))]);
		return file_write(path, values[pick(t, ARRAY_SIZE(values))]);
	case 3:
	case 4:
		cfs_path(path, sizeof(path), name, "live");
		return file_write(path, pick(t, 4) ? "1" : "0");
	default:
		cfs_remove(name);
	}
}

#endif
