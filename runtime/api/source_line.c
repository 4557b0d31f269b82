// SPDX-License-Identifier: MIT
/*
 * The source line of a fault: read out of the .file and .loc directives of the module's PTX, which
 * the runtime keeps. With the PTX line of each instruction (struct vgpu_program_kernel) that is the
 * line table; it is looked up when a message is written, and programs pay nothing for it. Knows
 * nothing but text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source_line.h"

/* The arguments of directive @name, which the line at @line begins with; NULL: it does not. */
static const char *arguments_of(const char *line, const char *name)
{
	size_t length = strlen(name);

	line += strspn(line, " \t");
	if (strncmp(line, name, length) || !line[length] || !strchr(" \t", line[length]))
		return NULL;
	return line + length;
}

static const char *next_line(const char *line)
{
	line = strchr(line, '\n');
	return line ? line + 1 : NULL;
}

/* A function begins or ends in this line: what .loc said does not hold beyond. */
static bool bounds_function(const char *line)
{
	size_t length = strcspn(line, "\n");
	const char *end = line + length;

	if (*line == '}')
		return true;
	for (const char *at = line; (at = strchr(at, '.')) && at < end; at++)
		if (!strncmp(at, ".entry", 6) || !strncmp(at, ".func", 5))
			return true;
	return false;
}

/* The text between quotes at *@at, which goes behind it; false: there is none. */
static bool quoted(const char **at, const char **text, int *length)
{
	*at += strspn(*at, " \t");
	if (**at != '"')
		return false;
	*text = ++*at;
	*length = (int)strcspn(*at, "\"\n");
	*at += *length + ((*text)[*length] == '"');
	return true;
}

/* .file NUMBER "NAME", or .file NUMBER "FOLDER" "NAME" */
static bool find_file(const char *ptx, unsigned long number, char *file, size_t size)
{
	for (const char *line = ptx; line; line = next_line(line)) {
		const char *at = arguments_of(line, ".file"), *folder, *name;
		int folder_length, length;
		char *end;

		if (!at || strtoul(at, &end, 10) != number)
			continue;
		at = end;
		if (!quoted(&at, &folder, &folder_length))
			continue;
		if (!quoted(&at, &name, &length))
			snprintf(file, size, "%.*s", folder_length, folder);
		else if (*name == '/' || !folder_length)
			snprintf(file, size, "%.*s", length, name);
		else
			snprintf(file, size, "%.*s/%.*s", folder_length, folder, length, name);
		return true;
	}
	return false;
}

bool rt_source_line(const char *ptx, unsigned int number, char *file, size_t size,
		    unsigned int *line)
{
	unsigned long in_file = 0, in_line = 0;
	const char *at = ptx;

	for (unsigned int n = 1; at && n <= number; n++, at = next_line(at)) {
		const char *arguments = arguments_of(at, ".loc");
		unsigned long value;
		char *end;

		if (bounds_function(at))
			in_line = 0;
		if (!arguments)
			continue;
		value = strtoul(arguments, &end, 10);
		arguments = end;
		if (strtoul(arguments, &end, 10)) {
			in_file = value;
			in_line = strtoul(arguments, &end, 10);
		}
	}
	*line = (unsigned int)in_line;
	return in_line && find_file(ptx, in_file, file, size);
}
