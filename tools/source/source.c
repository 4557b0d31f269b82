// SPDX-License-Identifier: MIT
/* Reading sources, and what a place in one is part of. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/source/source.h"

void *src_more(const char *tool, void *list, size_t count, size_t size)
{
	void *grown = realloc(list, (count + 1) * size);

	if (!grown) {
		fprintf(stderr, "%s: out of memory\n", tool);
		exit(1);
	}
	return grown;
}

bool src_read(struct source *source, const char *tool, const char *path)
{
	FILE *file = fopen(path, "re");
	long size = -1;

	source->text = NULL;
	if (file && !fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0 &&
	    !fseek(file, 0, SEEK_SET)) {
		source->text = src_more(tool, NULL, (size_t)size, 1);
		source->length = fread(source->text, 1, (size_t)size, file);
		source->text[source->length] = 0;
	}
	if (!source->text)
		fprintf(stderr, "%s: %s: %s\n", tool, path, strerror(errno));
	if (file)
		fclose(file);
	return source->text;
}

bool src_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

bool src_is_constant(const struct source *source, size_t at)
{
	const char *text = source->text;

	return text[at] == '"' ||
	       (text[at] == '\'' && !(at && isxdigit((unsigned char)text[at - 1])));
}

size_t src_behind_constant(const struct source *source, size_t at)
{
	char quote = source->text[at++];

	while (at < source->length && source->text[at] != quote)
		at += source->text[at] == '\\' ? 2 : 1;
	return at + 1;
}
