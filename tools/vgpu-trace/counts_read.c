// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: files of VGPU_STATS. Only the launches are read: the sums follow from them, and are
 * not there if the program was killed.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "counts_csv.h"

#define COLUMNS	(VGPU_COUNTER_COUNT + 32)

/* ---- JSON --------------------------------------------------------------- */

static uint64_t number_of(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static int add_launch(struct counts *counts, const json_t *launch)
{
	const char *name = json_string_value(json_object_get(launch, "kernel"));
	const json_t *values = json_object_get(launch, "counters"), *value;
	struct counts_row *row = counts_row(counts, name ? name : "");

	if (!row)
		return -1;
	row->launches++;
	row->duration_ps += number_of(launch, "duration_ps");
	for (unsigned int n = 0; n < VGPU_COUNTER_COUNT; n++) {
		value = json_object_get(values, vgpu_counter_names[n]);
		if (json_is_integer(value))
			counts_add(&row->value[n], (uint64_t)json_integer_value(value));
	}
	return 0;
}

int counts_read_json(struct counts *counts, FILE *file, const char *path)
{
	json_error_t error;
	json_t *all = json_loadf(file, 0, &error), *list, *launch;
	const char *format = json_string_value(json_object_get(all, "format"));
	size_t n;
	int err = 0;

	if (!all) {
		fprintf(stderr, "vgpu-trace: %s:%d: %s\n", path, error.line, error.text);
		return -1;
	}
	list = json_object_get(all, "launches");
	if (!format || strcmp(format, "vgpu-stats") || !json_is_array(list)) {
		fprintf(stderr, "vgpu-trace: %s is no file of VGPU_STATS\n", path);
		json_decref(all);
		return -1;
	}
	json_array_foreach(list, n, launch)
		err |= add_launch(counts, launch);
	json_decref(all);
	return err;
}

/* ---- CSV ---------------------------------------------------------------- */

/* Cut @line into fields, in place. Returns how many; -1: too many, or a quote that does not end. */
static int cut(char *line, char **fields, int most)
{
	int count = 0;
	char *to = line;

	for (;;) {
		bool quoted = *line == '"', end;

		if (count == most)
			return -1;
		fields[count++] = to;
		line += quoted;
		while (*line && (quoted || (*line != ',' && *line != '\n'))) {
			if (quoted && *line == '"' && *++line != '"')
				break;
			*to++ = *line++;
		}
		end = *line != ',';
		if (end && *line && *line != '\n')
			return -1;
		line++;
		*to++ = '\0';
		if (end)
			return count;
	}
}

static int column(char **head, int count, const char *name)
{
	for (int n = 0; n < count; n++)
		if (!strcmp(head[n], name))
			return n;
	return -1;
}

/* The line of a launch; others are passed over. */
static int add_line(struct counts *counts, char **head, char **fields, int count)
{
	int kernel = column(head, count, "kernel"), duration = column(head, count, "duration_ps");
	struct counts_row *row;

	if (strcmp(fields[0], "launch"))
		return 0;
	row = counts_row(counts, kernel < 0 ? "" : fields[kernel]);
	if (!row)
		return -1;
	row->launches++;
	if (duration >= 0)
		row->duration_ps += strtoull(fields[duration], NULL, 10);
	for (int n = 0; n < count; n++) {
		int counter = counts_find(head[n]);

		/* empty: of this launch it was not counted */
		if (counter >= 0 && *fields[n])
			counts_add(&row->value[counter], strtoull(fields[n], NULL, 10));
	}
	return 0;
}

int counts_read_csv(struct counts *counts, FILE *file, const char *path)
{
	char *head_line = NULL, *line = NULL, *head[COLUMNS], *fields[COLUMNS];
	size_t head_room = 0, room = 0;
	int columns = -1, number = 1, err = 0;

	if (getline(&head_line, &head_room, file) > 0)
		columns = cut(head_line, head, COLUMNS);
	while (columns > 0 && !err && getline(&line, &room, file) > 0) {
		number++;
		if (cut(line, fields, COLUMNS) != columns) {
			fprintf(stderr, "vgpu-trace: %s:%d: %d fields are needed\n", path, number,
				columns);
			err = -1;
		} else {
			err = add_line(counts, head, fields, columns);
		}
	}
	if (columns <= 0)
		fprintf(stderr, "vgpu-trace: %s: the first line names no columns\n", path);
	free(head_line);
	free(line);
	return columns > 0 ? err : -1;
}
