// SPDX-License-Identifier: MIT
/*
 * vgpu-hostcalls: let a __host__ __device__ function name functions of the host. nvcc takes such a
 * call with a warning: the branch is for the host, and what a kernel does that takes it is not
 * defined. clang refuses it. vgpucc calls this with the source as preprocessed and with clang's
 * messages: each function that they name gets an overload for the device, which traps. It has the
 * host's body too, in a function of the host inside, so that the kernels which that launches are
 * there. Constructors and destructors become functions of both. Everything stays on its line.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/source/source.h"

#define TOOL	"vgpu-hostcalls"
#define ERROR	"error: reference to __host__ function '"
#define CALLER	"in __host__ __device__ function"
#define NOTE	": note: '"

/* What the messages name: the function's name and where it stands. */
struct named {
	char *file, *name;
	unsigned long line, column;
};

/* The overload for the function from @start to its body, or its end, at @end. */
struct edit {
	size_t start, name, end;
};

static struct source source;
static struct {
	struct named *named;
	size_t named_count;
	struct edit *edits;
	size_t edit_count;
} mend;

/* ---- the messages -------------------------------------------------------- */

/* "FILE:LINE:COLUMN: note: 'NAME<...>' declared here", cut to its parts. */
static bool read_note(char *line, struct named *named)
{
	char *note = strstr(line, NOTE), *end = strstr(line, "' declared here"), *at = note;

	if (!note || !end)
		return false;
	named->name = note + strlen(NOTE);
	*end = 0;
	/* template arguments are no part of it, but operator< and the like are all name */
	if (strncmp(named->name, "operator", 8))
		named->name[strcspn(named->name, "<")] = 0;
	*note = 0;
	for (int colons = 0; colons < 2;) {
		if (at-- == line)
			return false;
		if (*at == ':') {
			*at = 0;
			if (colons++)
				named->line = strtoul(at + 1, NULL, 10);
			else
				named->column = strtoul(at + 1, NULL, 10);
		}
	}
	named->file = line;
	return named->line && named->column;
}

/* The first note that says "declared here" behind each error of this kind. */
static void read_messages(char *text)
{
	bool wanted = false;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		struct named named = { 0 };

		if (strstr(line, "error: ")) {
			wanted = strstr(line, ERROR) && strstr(line, CALLER);
		} else if (wanted && read_note(line, &named)) {
			mend.named = src_more(TOOL, mend.named, mend.named_count, sizeof(named));
			mend.named[mend.named_count++] = named;
			wanted = false;
		}
	}
}

/* ---- the text ------------------------------------------------------------ */

static bool has(size_t at, const char *word)
{
	return !strncmp(source.text + at, word, strlen(word));
}

/* Behind the bracket that closes the one at @at; 0: there is none. */
static size_t behind_bracket(size_t at)
{
	unsigned int depth = 0;

	while (at < source.length) {
		char c = source.text[at];

		if (src_is_constant(&source, at)) {
			at = src_behind_constant(&source, at);
			continue;
		}
		at++;
		if (strchr("([{", c))
			depth++;
		else if (strchr(")]}", c) && !--depth)
			return at;
	}
	return 0;
}

/* Behind the > that closes the < at @at. */
static size_t behind_template(size_t at)
{
	unsigned int depth = 0;

	while (at < source.length) {
		char c = source.text[at];

		if (c == '(') {
			at = behind_bracket(at);
			continue;
		}
		at++;
		depth += c == '<';
		if (c == '>' && !--depth)
			return at;
	}
	return at;
}

/*
 * The brace where the body of the function begins whose name is at @at, or the semicolon; 0: it is
 * deleted, pure or the like. The braces of a member's initialiser stand behind a name, those of the
 * body do not.
 */
static size_t find_end(size_t at)
{
	bool initialisers = false;
	char before = 0;

	if (has(at, "operator")) {
		at += strlen("operator");
		at += strspn(source.text + at, " ");
		if (has(at, "("))
			at = behind_bracket(at);
		else
			at += strcspn(source.text + at, "(");
	}
	while (at && at < source.length) {
		char c = source.text[at];

		if (c == '=')
			return 0;
		if (c == ';')
			return at;
		if (c == '{' && !(initialisers && (src_in_name(before) || before == '>')))
			return at;
		if (c == ':' && source.text[at + 1] == ':') {
			at += 2;
			continue;
		}
		initialisers |= c == ':';
		if (!isspace((unsigned char)c))
			before = c;
		at = strchr("([{", c) ? behind_bracket(at) : at + 1;
	}
	return 0;
}

/* Where the declaration begins whose function's name is at @name. */
static size_t find_start(size_t name)
{
	unsigned int depth = 0;
	size_t at = name;

	for (; at; at--) {
		char c = source.text[at - 1];

		depth += c == ')' || c == ']';
		if (depth && (c == '(' || c == '['))
			depth--;
		else if (!depth && strchr(";{}([", c))
			break;
		/* public: */
		if (!depth && c == ':' && source.text[at] != ':' && source.text[at - 2] != ':')
			break;
	}
	return at;
}

/* Function @name of a class, named outside it, has to be declared inside. */
static bool is_qualified(size_t name)
{
	return name > 2 && source.text[name - 1] == ':' && source.text[name - 2] == ':';
}

static void add_overload(size_t name)
{
	struct edit edit = { .name = name, .start = find_start(name) };

	edit.end = find_end(name);
	for (size_t i = 0; i < mend.edit_count; i++)
		if (mend.edits[i].name == name)
			return;
	if (!edit.end || is_qualified(name))
		return;
	mend.edits = src_more(TOOL, mend.edits, mend.edit_count, sizeof(*mend.edits));
	mend.edits[mend.edit_count++] = edit;
}

/* Line @line of @file begins at @at: is one of the named on it? */
static void look_at_line(const char *file, size_t file_len, unsigned long line, size_t at)
{
	for (size_t i = 0; i < mend.named_count; i++) {
		const struct named *named = &mend.named[i];

		if (named->line == line && strlen(named->file) == file_len &&
		    !memcmp(named->file, file, file_len) &&
		    named->column - 1 < strcspn(source.text + at, "\n") &&
		    has(at + named->column - 1, named->name))
			add_overload(at + named->column - 1);
	}
}

/* `# LINE "FILE" FLAGS' says where the next line is from. */
static void look_at_text(void)
{
	const char *file = "";
	unsigned long line = 1;
	size_t file_len = 0;

	for (size_t at = 0; at < source.length; at += strcspn(source.text + at, "\n") + 1) {
		char *name;

		if (has(at, "# ") && isdigit((unsigned char)source.text[at + 2])) {
			line = strtoul(source.text + at + 2, &name, 10);
			if (name[0] == ' ' && name[1] == '"') {
				file = name + 2;
				file_len = strcspn(file, "\"\n");
			}
			continue;
		}
		look_at_line(file, file_len, line, at);
		line++;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct edit *one = a, *other = b;

	return one->start < other->start ? -1 : one->start > other->start;
}

/* What the overload does not have: @at is behind it, and its brackets if it has some. */
static size_t skip_attribute(size_t at, bool behind_name)
{
	static const char *const words[] = { "__attribute__", "__asm__", "asm" };
	size_t end = at;

	if (at && src_in_name(source.text[at - 1]))
		return at;
	if (has(at, "__attribute__((host))"))
		return at + strlen("__attribute__((host))");
	for (unsigned int i = 0; behind_name && i < sizeof(words) / sizeof(*words); i++)
		if (has(at, words[i])) {
			end = at + strlen(words[i]);
			end += strspn(source.text + end, " \n");
			return source.text[end] == '(' ? behind_bracket(end) : at;
		}
	return at;
}

/*
 * Up to @end on one line: without line breaks, and without the lines of the preprocessor. Of a
 * declaration, the function's name is at @name.
 */
static void print_line(size_t at, size_t end, size_t name)
{
	while (at < end) {
		size_t behind = name ? skip_attribute(at, at > name) : at;

		if (name && at == name)
			fputs(" __attribute__((device)) ", stdout);
		if (behind > at) {
			at = behind;
		} else if (source.text[at] == '#' && (!at || source.text[at - 1] == '\n')) {
			at += strcspn(source.text + at, "\n");
		} else {
			putchar(source.text[at] == '\n' ? ' ' : source.text[at]);
			at++;
		}
	}
}

/* Behind what stands before the type of the result in the declaration at @at. */
static size_t skip_specifiers(size_t at, size_t name)
{
	static const char *const words[] = {
		"template", "static",	"inline",   "__inline__", "__inline",	   "constexpr",
		"extern",   "friend",	"virtual",  "explicit",	  "__attribute__",
	};
	unsigned int i = 0;

	while (at < name && i < sizeof(words) / sizeof(*words)) {
		at += strspn(source.text + at, " \n");
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (has(at, words[i]) && !src_in_name(source.text[at + strlen(words[i])]))
				break;
		if (i < sizeof(words) / sizeof(*words)) {
			at += strlen(words[i]);
			at += strspn(source.text + at, " \n");
			if (source.text[at] == '(')
				at = behind_bracket(at);
			else if (source.text[at] == '"')
				at = src_behind_constant(&source, at);
			else if (source.text[at] == '<')
				at = behind_template(at);
		} else if (source.text[at] == '#' && source.text[at - 1] == '\n') {
			at += strcspn(source.text + at, "\n");
			i = 0;
		}
	}
	return at;
}

/* Specifiers can stand behind the type, too. */
static void print_type(size_t at, size_t name)
{
	while (at < name) {
		size_t behind = skip_specifiers(at, name);

		if (behind > at) {
			putchar(' ');
			at = behind;
			continue;
		}
		do
			putchar(source.text[at++]);
		while (at < name && src_in_name(source.text[at - 1]) &&
		       src_in_name(source.text[at]));
	}
}

static void print_overload(const struct edit *edit)
{
	size_t type = skip_specifiers(edit->start, edit->name);

	print_line(edit->start, edit->end, edit->name);
	fputs("{ asm volatile(\"trap; // a function of the host, called in a kernel\"); ", stdout);
	if (source.text[edit->end] == '{') {
		fputs("(void)[&]() __attribute__((host)) ", stdout);
		if (type < edit->name) {
			fputs("-> ", stdout);
			print_type(type, edit->name);
		}
		print_line(edit->end, behind_bracket(edit->end), 0);
		putchar(';');
	}
	fputs(" __builtin_unreachable(); } ", stdout);
}

static void print_mended(void)
{
	size_t at = 0;

	if (mend.edit_count)
		qsort(mend.edits, mend.edit_count, sizeof(*mend.edits), by_place);
	for (size_t i = 0; i < mend.edit_count; i++) {
		size_t start = mend.edits[i].start;

		/* there is but one destructor, and what a constructor initialises has to be so */
		if (source.text[mend.edits[i].name] == '~' ||
		    skip_specifiers(start, mend.edits[i].name) == mend.edits[i].name) {
			fwrite(source.text + at, 1, mend.edits[i].name - at, stdout);
			fputs(" __attribute__((device)) __attribute__((host)) ", stdout);
			at = mend.edits[i].name;
			continue;
		}
		/* behind what the preprocessor says of the lines that follow */
		while (isspace((unsigned char)source.text[start]) ||
		       (source.text[start] == '#' && source.text[start - 1] == '\n'))
			start += source.text[start] == '#' ? strcspn(source.text + start, "\n") : 1;
		fwrite(source.text + at, 1, start - at, stdout);
		print_overload(&mend.edits[i]);
		at = start;
	}
	fwrite(source.text + at, 1, source.length - at, stdout);
}

int main(int argc, char **argv)
{
	struct source messages;

	if (argc != 3) {
		fprintf(argc == 2 && !strcmp(argv[1], "--help") ? stdout : stderr,
			"usage: vgpu-hostcalls TEXT MESSAGES\n"
			"  TEXT is a CUDA source as clang -E prints it, MESSAGES what clang says\n"
			"  of it. Prints the text with overloads for the device of the host\n"
			"  functions that the messages name. For vgpucc.\n"
			"exit status: 0 something was mended, 1 nothing was or a file could not\n"
			"  be read, 2 wrong usage\n");
		return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
	}
	if (!src_read(&source, TOOL, argv[1]) || !src_read(&messages, TOOL, argv[2]))
		return 1;
	read_messages(messages.text);
	look_at_text();
	print_mended();
	return mend.edit_count ? fflush(stdout) != 0 : 1;
}
