// SPDX-License-Identifier: MIT
/*
 * vgpu-launches: launches by kernels for a clang that knows none. vgpucc calls this with a source
 * as preprocessed, its marks of lines blanked, and with clang's messages about that: each launch
 * that they find fault with becomes what runtime/cuda/device_launch.h has, and so does each kernel
 * that device code names otherwise. Everything stays on its line.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/source/source.h"

#define TOOL	"vgpu-launches"

/* What a launch K<<<C>>>(A) becomes: KERNEL decltype(GIVEN A))::of(K, 0)), K>AT C)(A) */
#define KERNEL	"::__vgpu_launch::kernel<"
#define GIVEN	"decltype(::__vgpu_launch::pick_for("
#define AT	"::at("

/* A piece of the text: from @start to before @end */
struct piece {
	size_t start, end;
};

/* A launch, or with an empty configuration a kernel that is named */
struct edit {
	size_t start, end;
	struct piece callee, configuration, arguments;
	bool overloaded;
};

static struct source source;
static struct {
	struct edit *edits;
	size_t count;
} job;

/* ---- the text ------------------------------------------------------------ */

/* Where @mark stands next, outside of brackets and quotes; the length: nowhere. */
static size_t find_outside(size_t at, const char *mark)
{
	int depth = 0;

	while (at < source.length) {
		char c = source.text[at];

		if (!depth && !strncmp(source.text + at, mark, strlen(mark)))
			return at;
		if (src_is_constant(&source, at)) {
			at = src_behind_constant(&source, at);
			continue;
		}
		depth += strchr("([{", c) && c ? 1 : 0;
		depth -= strchr(")]}", c) && c ? 1 : 0;
		if (depth < 0)
			break;
		at++;
	}
	return source.length;
}

static size_t skip_spaces(size_t at)
{
	while (at < source.length && isspace((unsigned char)source.text[at]))
		at++;
	return at;
}

static size_t spaces_before(size_t at)
{
	while (at && isspace((unsigned char)source.text[at - 1]))
		at--;
	return at;
}

/* The '<' of the template arguments that end before @at */
static size_t arguments_before(size_t at)
{
	int angles = 0, brackets = 0;

	while (at) {
		char c = source.text[--at];

		brackets += c == ')' || c == ']' || c == '}';
		brackets -= c == '(' || c == '[' || c == '{';
		if (c == ';' || brackets < 0)
			return source.length;
		angles += !brackets && c == '>' && !(at && source.text[at - 1] == '-');
		angles -= !brackets && c == '<';
		if (!angles)
			return at;
	}
	return source.length;
}

/* Where the name that ends before @at begins, with what qualifies it; the length: there is none. */
static size_t name_before(size_t at)
{
	for (;;) {
		size_t end = spaces_before(at);

		if (end && source.text[end - 1] == '>')
			end = spaces_before(arguments_before(end));
		if (end >= source.length || !end || !src_in_name(source.text[end - 1]))
			return source.length;
		while (end && src_in_name(source.text[end - 1]))
			end--;
		at = end;
		end = spaces_before(end);
		if (end < 2 || source.text[end - 1] != ':' || source.text[end - 2] != ':')
			return at;
		at = end - 2;
		end = spaces_before(at);
		if (!end || !(src_in_name(source.text[end - 1]) || source.text[end - 1] == '>'))
			return at;
	}
}

/* Behind the name at @at, its template arguments included. */
static size_t behind_name(size_t at)
{
	int angles = 0;
	size_t open;

	while (at < source.length && src_in_name(source.text[at]))
		at++;
	open = skip_spaces(at);
	if (source.text[open] != '<' || !strncmp(source.text + open, "<<<", 3))
		return at;
	for (at = open; at < source.length; at++) {
		if (source.text[at] == '(') {
			at = find_outside(at + 1, ")");
			continue;
		}
		angles += source.text[at] == '<';
		angles -= source.text[at] == '>';
		if (!angles)
			return at + 1;
		if (source.text[at] == ';')
			break;
	}
	return source.length;
}

/* ---- edits --------------------------------------------------------------- */

static void add(struct edit edit)
{
	for (size_t i = 0; i < job.count; i++)
		if (job.edits[i].start == edit.start)
			return;
	job.edits = src_more(TOOL, job.edits, job.count, sizeof(edit));
	job.edits[job.count++] = edit;
}

/* A launch whose <<< is at @at */
static void add_launch(size_t at)
{
	struct edit edit = { .callee = { name_before(at), spaces_before(at) } };

	edit.start = edit.callee.start;
	edit.configuration = (struct piece){ at + 3, find_outside(at + 3, ">>>") };
	edit.arguments.start = skip_spaces(edit.configuration.end + 3);
	if (edit.callee.start >= source.length || edit.arguments.start >= source.length ||
	    source.text[edit.arguments.start] != '(')
		return;
	edit.arguments.end = find_outside(++edit.arguments.start, ")");
	edit.end = edit.arguments.end + 1;
	if (edit.arguments.end < source.length)
		add(edit);
}

/* What clang finds fault with at @at: the <<< of a launch, its kernel, or a kernel that is named */
static void add_at(size_t at)
{
	size_t end, start;

	if (!strncmp(source.text + at, "<<<", 3)) {
		add_launch(at);
		return;
	}
	/* of a qualified name it is the beginning or the last part */
	start = at;
	for (;;) {
		end = behind_name(start);
		if (end >= source.length)
			return;
		start = skip_spaces(end);
		if (source.text[start] != ':' || source.text[start + 1] != ':')
			break;
		start = skip_spaces(start + 2);
	}
	if (!strncmp(source.text + start, "<<<", 3))
		add_launch(start);
	else
		add((struct edit){ name_before(end), end, .callee = { name_before(end), end } });
}

static size_t place_of(unsigned long line, unsigned long column)
{
	const char *at = source.text;

	while (--line && at)
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
	if (!at || (size_t)(at - source.text) + column > source.length)
		return source.length;
	return (size_t)(at - source.text) + column - 1;
}

/*
 * Of a launch as put_kernel() has written it, what clang knows no kernel for at @at: the kernel is
 * overloaded. Device code may not even name one of several, but a function of the host may.
 */
static void add_overloaded(size_t at)
{
	static const char before[] = KERNEL "decltype(";
	const size_t length = strlen(before);
	struct edit edit = { .overloaded = true };

	if (at < length || strncmp(source.text + at - length, before, length) ||
	    strncmp(source.text + at, GIVEN, strlen(GIVEN)))
		return;
	edit.start = at - length;
	edit.callee.start = find_outside(at - strlen("decltype("), ", ") + 2;
	edit.callee.end = find_outside(edit.callee.start, ">" AT);
	edit.configuration.start = edit.callee.end + strlen(">" AT);
	edit.configuration.end = find_outside(edit.configuration.start, ")");
	edit.arguments.start = edit.configuration.end + 1;
	while (edit.arguments.start < source.length && source.text[edit.arguments.start++] != '(')
		;
	edit.arguments.end = find_outside(edit.arguments.start, ")");
	edit.end = edit.arguments.end + 1;
	if (edit.arguments.end < source.length)
		add(edit);
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
			place = row ? place_of(row, column) : source.length;
			if (place < source.length &&
			    (strstr(line, "reference to __global__ function") ||
			     strstr(line, "'__cudaPushCallConfiguration'")))
				add_at(place);
			else if (place < source.length && strstr(line, "call to 'of'"))
				add_overloaded(place);
		} else if (place < source.length &&
			   (strstr(line, "call to __global__ function from __"))) {
			add_at(place);
		}
	}
}

/* ---- output -------------------------------------------------------------- */

static void put(struct piece piece, bool one_line)
{
	for (size_t i = piece.start; i < piece.end; i++)
		putchar(one_line && source.text[i] == '\n' ? ' ' : source.text[i]);
}

/* What lies between two pieces stays on its line. */
static void put_lines(size_t from, size_t to)
{
	for (; from < to; from++)
		if (source.text[from] == '\n')
			putchar('\n');
}

static int by_place(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void put_kernel(const struct edit *edit)
{
	if (edit->overloaded) {
		printf("({ typedef " GIVEN);
		put(edit->arguments, true);
		printf(")) __vgpu_given; struct __vgpu_chosen { static __attribute__((host)) "
		       "__attribute__((device)) auto of() { return " KERNEL
		       "decltype(__vgpu_given::of(");
	} else {
		printf(KERNEL "decltype(" GIVEN);
		put(edit->arguments, true);
		printf("))::of(");
	}
	put(edit->callee, true);
	printf(", 0)), ");
	put(edit->callee, false);
	printf(edit->overloaded ? ">(); } }; decltype(__vgpu_chosen::of())" : ">");
}

static void put_edit(const struct edit *edit)
{
	put_kernel(edit);
	if (!edit->configuration.end) {
		printf("::address");
		return;
	}
	put_lines(edit->callee.end, edit->configuration.start);
	printf(AT);
	put(edit->configuration, false);
	put_lines(edit->configuration.end, edit->arguments.start);
	printf(")(");
	put(edit->arguments, false);
	printf(edit->overloaded ? "); })" : ")");
}

int main(int argc, char **argv)
{
	struct source messages;
	size_t at = 0;

	if (argc != 3) {
		bool help = argc == 2 && !strcmp(argv[1], "--help");

		fprintf(help ? stdout : stderr,
			"usage: vgpu-launches TEXT MESSAGES\n"
			"  TEXT is a CUDA source as clang -E prints it, MESSAGES what clang says\n"
			"  of it. Prints the text with launches by kernels as clang takes them.\n"
			"  For vgpucc.\n"
			"exit status: 0 something was rewritten, 1 nothing was to be, 2 wrong\n"
			"  usage, or a file could not be read\n");
		return help ? 0 : 2;
	}
	if (!src_read(&source, TOOL, argv[1]) || !src_read(&messages, TOOL, argv[2]))
		return 2;
	read_messages(messages.text, argv[1]);
	if (job.count)
		qsort(job.edits, job.count, sizeof(*job.edits), by_place);
	for (size_t i = 0; i < job.count; i++) {
		const struct edit *edit = &job.edits[i];

		/* one in the other: the next round sees to it */
		if (edit->start < at)
			continue;
		put((struct piece){ at, edit->start }, false);
		put_edit(edit);
		at = edit->end;
	}
	put((struct piece){ at, source.length }, false);
	free(source.text);
	free(job.edits);
	free(messages.text);
	return !job.count;
}
