/* SPDX-License-Identifier: MIT */
/*
 * From a line of PTX to the line of the source that it was compiled from.
 */
#ifndef RT_SOURCE_LINE_H
#define RT_SOURCE_LINE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * rt_source_line - the source line of line @number of @ptx
 * @number: from 1
 * @file: out: its name as in .file, cut to @size bytes, 0 included
 * @line: out
 *
 * The last .loc of the function before that line says it; one with line 0 means code of no line and
 * is passed over. false: there is none, or no .file of its number.
 */
bool rt_source_line(const char *ptx, unsigned int number, char *file, size_t size,
		    unsigned int *line);

#endif
