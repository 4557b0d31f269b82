// SPDX-License-Identifier: MIT
/*
 * vgpu-launches: launches by kernels for a clang that knows none. vgpucc calls this with a source
 * as preprocessed, its marks of lines blanked, and with clang's messages about that: each launch
 * that they find fault with becomes what runtime/cuda/device_launch.h has, and so does each kernel
 * that device code names otherwise. Everything stays on its line.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece of the text: from @start to before @end */
struct piece {
	size_t start, end;
};

/* A launch, or with an empty configuration a kernel that is named */
struct edit {
	struct piece callee, configuration, arguments;
	size_t end;
};

static struct {
	char *text;
	size_t length;
	struct edit *edits;
	size_t count;
} job;

static void *more(void *list, size_t count, size_t size)
{
	void *grown = realloc(list, (count + 1) * size);

	if (!grown) {
		fprintf(stderr, "vgpu-launches: out of memory\n");
		exit(1);
	}
	return grown;
}

static char *read_file(const char *path, size_t *length)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	long size = -1;

	if (file && !fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0 &&
	    !fseek(file, 0, SEEK_SET)) {
		text = more(NULL, (size_t)size, 1);
		*length = fread(text, 1, (size_t)size, file);
		text[*length] = 0;
	}
	if (file)
		fclose(file);
	if (!text)
		fprintf(stderr, "vgpu-launches: %s: %s\n", path, strerror(errno));
	return text;
}

/* ---- the text ------------------------------------------------------------ */

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Behind a string or a character that begins at @at. */
static size_t behind_quotes(size_t at)
{
	char quote = job.text[at++];

	while (at < job.length && job.text[at] != quote)
		at += job.text[at] == '\\' ? 2 : 1;
	return at + 1;
}

/* Where @mark stands next, outside of brackets and quotes; job.length: nowhere. */
static size_t find_outside(size_t at, const char *mark)
{
	int depth = 0;

	while (at < job.length) {
		char c = job.text[at];

		if (!depth && !strncmp(job.text + at, mark, strlen(mark)))
			return at;
		if (c == '"' || (c == '\'' && !(at && isalnum((unsigned char)job.text[at - 1])))) {
			at = behind_quotes(at);
			continue;
		}
		depth += strchr("([{", c) && c ? 1 : 0;
		depth -= strchr(")]}", c) && c ? 1 : 0;
		if (depth < 0)
			break;
		at++;
	}
	return job.length;
}

static size_t skip_spaces(size_t at)
{
	while (at < job.length && isspace((unsigned char)job.text[at]))
		at++;
	return at;
}

static size_t spaces_before(size_t at)
{
	while (at && isspace((unsigned char)job.text[at - 1]))
		at--;
	return at;
}

/* The '<' of the template arguments that end before @at */
static size_t arguments_before(size_t at)
{
	int angles = 0, brackets = 0;

	while (at) {
		char c = job.text[--at];

		brackets += c == ')' || c == ']' || c == '}';
		brackets -= c == '(' || c == '[' || c == '{';
		if (c == ';' || brackets < 0)
			return job.length;
		angles += !brackets && c == '>' && !(at && job.text[at - 1] == '-');
		angles -= !brackets && c == '<';
		if (!angles)
			return at;
	}
	return job.length;
}

/* Where the name that ends before @at begins, with what qualifies it; job.length: there is none. */
static size_t name_before(size_t at)
{
	for (;;) {
		size_t end = spaces_before(at);

		if (end && job.text[end - 1] == '>')
			end = spaces_before(arguments_before(end));
		if (end >= job.length || !end || !in_name(job.text[end - 1]))
			return job.length;
		while (end && in_name(job.text[end - 1]))
			end--;
		at = end;
		end = spaces_before(end);
		if (end < 2 || job.text[end - 1] != ':' || job.text[end - 2] != ':')
			return at;
		at = end - 2;
		end = spaces_before(at);
		if (!end || !(in_name(job.text[end - 1]) || job.text[end - 1] == '>'))
			return at;
	}
}

/* Behind the name at @at, its template arguments included. */
static size_t behind_name(size_t at)
{
	int angles = 0;

	while (at < job.length && in_name(job.text[at]))
		at++;
	if (job.text[skip_spaces(at)] != '<' || !strncmp(job.text + skip_spaces(at), "<<<", 3))
		return at;
	for (at = skip_spaces(at); at < job.length; at++) {
		if (job.text[at] == '(') {
			at = find_outside(at + 1, ")");
			continue;
		}
		angles += job.text[at] == '<';
		angles -= job.text[at] == '>';
		if (!angles)
			return at + 1;
		if (job.text[at] == ';')
			break;
	}
	return job.length;
}

/* ---- edits --------------------------------------------------------------- */

static void add(struct edit edit)
{
	for (size_t i = 0; i < job.count; i++)
		if (job.edits[i].callee.start == edit.callee.start)
			return;
	job.edits = more(job.edits, job.count, sizeof(edit));
	job.edits[job.count++] = edit;
}

/* A launch whose <<< is at @at */
static void add_launch(size_t at)
{
	struct edit edit = { .callee = { name_before(at), spaces_before(at) } };

	edit.configuration = (struct piece){ at + 3, find_outside(at + 3, ">>>") };
	edit.arguments.start = skip_spaces(edit.configuration.end + 3);
	if (edit.callee.start >= job.length || edit.arguments.start >= job.length ||
	    job.text[edit.arguments.start] != '(')
		return;
	edit.arguments.end = find_outside(++edit.arguments.start, ")");
	edit.end = edit.arguments.end + 1;
	if (edit.arguments.end < job.length)
		add(edit);
}

/* What clang finds fault with at @at: the <<< of a launch, its kernel, or a kernel that is named */
static void add_at(size_t at)
{
	size_t end, start;

	if (!strncmp(job.text + at, "<<<", 3)) {
		add_launch(at);
		return;
	}
	/* of a qualified name it is the beginning or the last part */
	start = at;
	for (;;) {
		end = behind_name(start);
		if (end >= job.length)
			return;
		start = skip_spaces(end);
		if (job.text[start] != ':' || job.text[start + 1] != ':')
			break;
		start = skip_spaces(start + 2);
	}
	if (!strncmp(job.text + start, "<<<", 3))
		add_launch(start);
	else
		add((struct edit){ .callee = { name_before(end), end }, .end = end });
}

static size_t place_of(unsigned long line, unsigned long column)
{
	const char *at = job.text;

	while (--line && at)
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
	if (!at || (size_t)(at - job.text) + column > job.length)
		return job.length;
	return (size_t)(at - job.text) + column - 1;
}

/* "FILE:LINE:COLUMN: error: …"; the note behind an error may be what tells. */
static void read_messages(char *messages, const char *name)
{
	size_t length = strlen(name), place = 0;

	for (char *line = strtok(messages, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long row, column;

		if (strncmp(line, name, length) ||
		    sscanf(line + length, ":%lu:%lu:", &row, &column) != 2)
			continue;
		if (strstr(line, ": error: ")) {
			place = row ? place_of(row, column) : job.length;
			if (place < job.length &&
			    (strstr(line, "reference to __global__ function") ||
			     strstr(line, "'__cudaPushCallConfiguration'")))
				add_at(place);
		} else if (place < job.length &&
			   (strstr(line, "call to __global__ function from __"))) {
			add_at(place);
		}
	}
}

/* ---- output -------------------------------------------------------------- */

static void put(struct piece piece, bool one_line)
{
	for (size_t i = piece.start; i < piece.end; i++)
		putchar(one_line && job.text[i] == '\n' ? ' ' : job.text[i]);
}

/* What lies between two pieces stays on its line. */
static void put_lines(size_t from, size_t to)
{
	for (; from < to; from++)
		if (job.text[from] == '\n')
			putchar('\n');
}

static int by_place(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;

	return x->callee.start < y->callee.start ? -1 : x->callee.start > y->callee.start;
}

static void put_kernel(const struct edit *edit)
{
	printf("::__vgpu_launch::kernel<decltype(decltype(::__vgpu_launch::pick_for(");
	put(edit->arguments, true);
	printf("))::of(");
	put(edit->callee, true);
	printf(", 0)), ");
	put(edit->callee, false);
	printf(">::");
}

int main(int argc, char **argv)
{
	size_t at = 0, length;
	char *messages;

	if (argc != 3) {
		fprintf(stderr, "usage: vgpu-launches TEXT MESSAGES\n"
				"Writes TEXT, a preprocessed CUDA source, with launches by kernels "
				"as clang takes them.\nMESSAGES: what clang says of TEXT. Exit "
				"status 1: nothing is to be done.\n");
		return 2;
	}
	job.text = read_file(argv[1], &job.length);
	messages = read_file(argv[2], &length);
	if (!job.text || !messages)
		return 2;
	read_messages(messages, argv[1]);
	if (job.count)
		qsort(job.edits, job.count, sizeof(*job.edits), by_place);
	for (size_t i = 0; i < job.count; i++) {
		const struct edit *edit = &job.edits[i];

		/* one in the other: the next round sees to it */
		if (edit->callee.start < at)
			continue;
		put((struct piece){ at, edit->callee.start }, false);
		put_kernel(edit);
		if (edit->configuration.end) {
			put_lines(edit->callee.end, edit->configuration.start);
			printf("at(");
			put(edit->configuration, false);
			put_lines(edit->configuration.end, edit->arguments.start);
			printf(")(");
			put(edit->arguments, false);
			printf(")");
		} else {
			printf("address");
		}
		at = edit->end;
	}
	put((struct piece){ at, job.length }, false);
	free(job.text);
	free(job.edits);
	free(messages);
	return !job.count;
}
