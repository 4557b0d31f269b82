/* SPDX-License-Identifier: MIT */
/*
 * The knobs of vgpu0 before and after a test. A test that fails ends where it does, with the knobs
 * that it has set; those would be the next tests' failures.
 */
#ifndef VGPU_KNOBS_H
#define VGPU_KNOBS_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KNOBS_FOLDER	"/sys/class/vgpu/vgpu0"

struct knobs {
	unsigned int count;
	struct {
		char name[64], value[64];
	} knob[128];
};

/* What can be written to @name to have it as it is now; false: nothing. */
static inline bool knob_value(int folder, const char *name, char value[64])
{
	char text[512], *begin, *end;
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	/* of a list, the one in brackets */
	begin = strchr(text, '[');
	begin = begin ? begin + 1 : text;
	end = begin + strcspn(begin, "]\n");
	*end = 0;
	if (!*begin || strlen(begin) >= 64 || strchr(begin, ' '))
		return false;
	strcpy(value, begin);
	return true;
}

static inline void knobs_save(struct knobs *knobs)
{
	DIR *dir = opendir(KNOBS_FOLDER);
	struct dirent *entry;

	knobs->count = 0;
	while (dir && (entry = readdir(dir)) && knobs->count < 128) {
		char *name = knobs->knob[knobs->count].name;
		struct stat st;

		if (strlen(entry->d_name) >= 64 || !strcmp(entry->d_name, "uevent") ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode) || !(st.st_mode & 0200))
			continue;
		strcpy(name, entry->d_name);
		knobs->count += knob_value(dirfd(dir), name, knobs->knob[knobs->count].value);
	}
	if (dir)
		closedir(dir);
}

/* Write what is otherwise now, and say so. */
static inline void knobs_put_back(const struct knobs *before)
{
	int folder = open(KNOBS_FOLDER, O_RDONLY | O_DIRECTORY);

	for (unsigned int i = 0; folder >= 0 && i < before->count; i++) {
		const char *name = before->knob[i].name, *value = before->knob[i].value;
		char now[64] = "";
		int fd;

		if (knob_value(folder, name, now) && !strcmp(now, value))
			continue;
		fd = openat(folder, name, O_WRONLY | O_NOFOLLOW);
		printf("# %s was left at %s: %s again%s\n", name, now, value,
		       fd >= 0 && write(fd, value, strlen(value)) > 0 ? "" : " is refused");
		if (fd >= 0)
			close(fd);
	}
	if (folder >= 0)
		close(folder);
}

#endif
