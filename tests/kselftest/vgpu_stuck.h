/* SPDX-License-Identifier: MIT */
/*
 * Where the threads of a test that does not end are: the state, the system call and the kernel's
 * stack of each thread of its process group, as lines of TAP diagnostics.
 */
#ifndef VGPU_STUCK_H
#define VGPU_STUCK_H

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Each line of the file, with @indent before it. */
static inline void stuck_show(const char *path, const char *indent)
{
	char line[256];
	FILE *file = fopen(path, "r");

	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		printf("# %s%.*s\n", indent, (int)strcspn(line, "\n"), line);
	fclose(file);
}

static inline void stuck_thread(const char *task, const char *tid)
{
	char path[640];

	snprintf(path, sizeof(path), "%s/%s/stat", task, tid);
	stuck_show(path, "thread ");
	snprintf(path, sizeof(path), "%s/%s/syscall", task, tid);
	stuck_show(path, "  system call ");
	snprintf(path, sizeof(path), "%s/%s/stack", task, tid);
	stuck_show(path, "  ");
}

static inline pid_t stuck_group_of(const char *pid)
{
	char path[320], stat[512], *end;
	pid_t group = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return -1;
	/* the name may have blanks and parentheses */
	if (fgets(stat, sizeof(stat), file) && (end = strrchr(stat, ')')) &&
	    sscanf(end + 1, " %*c %*d %d", &group) != 1)
		group = -1;
	fclose(file);
	return group;
}

static inline void stuck_group_show(pid_t group)
{
	DIR *processes = opendir("/proc"), *threads;
	struct dirent *process, *thread;
	char task[320];

	if (!processes)
		return;
	while ((process = readdir(processes))) {
		if (!isdigit((unsigned char)process->d_name[0]) ||
		    stuck_group_of(process->d_name) != group)
			continue;
		snprintf(task, sizeof(task), "/proc/%s/task", process->d_name);
		threads = opendir(task);
		while (threads && (thread = readdir(threads)))
			if (isdigit((unsigned char)thread->d_name[0]))
				stuck_thread(task, thread->d_name);
		if (threads)
			closedir(threads);
	}
	closedir(processes);
}

#endif
