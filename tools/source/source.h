/* SPDX-License-Identifier: MIT */
/*
 * A source in memory, for tools that look for places in it: read whole, and what a place is part
 * of. Places are bytes from the text's beginning.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/** struct source - a text and its length in bytes; a 0 is behind it */
struct source {
	char *text;
	size_t length;
};

/* The whole file, to be freed with free(); false, with a message for the user: not to be read. */
bool src_read(struct source *source, const char *tool, const char *path);

/* @list of @count elements of @size bytes, with room for one more; ends the tool without memory. */
void *src_more(const char *tool, void *list, size_t count, size_t size);

/* What names are made of, in C++ as clang takes it */
bool src_in_name(char c);

/* Does a string or a character begin at @at? An apostrophe behind a digit divides digits. */
bool src_is_constant(const struct source *source, size_t at);

/* Behind the string or character that begins at @at. */
size_t src_behind_constant(const struct source *source, size_t at);

#endif
