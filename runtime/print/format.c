// SPDX-License-Identifier: MIT
/*
 * From a record to text: the host's C library prints each conversion, with an argument of the type
 * that it wants. Knows nothing of the device.
 */
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "print.h"

#define WIDTH_MOST	4095	/* as long as the C standard wants a conversion at least */

struct reader {
	const uint64_t *words;
	uint64_t left;
};

/* One conversion, its stars replaced. */
struct conversion {
	char flags[8];
	int width, precision;		/* -1: none */
	unsigned int shorts;		/* how many h */
	char letter;
};

static bool next_word(struct reader *from, uint64_t *word)
{
	if (!from->left)
		return false;
	*word = *from->words++;
	from->left--;
	return true;
}

/* @bytes at @text, which no 0 ends; NULL: a null pointer. */
static bool next_text(struct reader *from, const char **text, size_t *bytes)
{
	uint64_t word, words;

	*text = NULL;
	*bytes = 0;
	if (!next_word(from, &word))
		return false;
	if (!word)
		return true;
	words = (word - 1) / 8 + ((word - 1) % 8 != 0);
	if (words > from->left)
		return false;
	*text = (const char *)from->words;
	*bytes = word - 1;
	from->words += words;
	from->left -= words;
	return true;
}

static int bounded(long long value)
{
	return value < -WIDTH_MOST ? -WIDTH_MOST : value > WIDTH_MOST ? WIDTH_MOST : (int)value;
}

/* A width or precision; stars have been taken out of the arguments into @stars. */
static int number(const char **at, const int **stars)
{
	long long value = 0;

	if (**at == '*') {
		++*at;
		return bounded(*(*stars)++);
	}
	for (; **at >= '0' && **at <= '9'; ++*at)
		if (value <= WIDTH_MOST)
			value = value * 10 + (**at - '0');
	return bounded(value);
}

static void parse_conversion(const char *at, const int *stars, struct conversion *c)
{
	unsigned int flags = 0;

	memset(c, 0, sizeof(*c));
	c->precision = -1;
	for (at++; *at && strchr("-+ #0", *at); at++)
		if (!strchr(c->flags, *at))
			c->flags[flags++] = *at;
	c->width = number(&at, &stars);
	if (*at == '.') {
		at++;
		c->precision = number(&at, &stars);
	}
	for (; strchr("hljztL", *at); at++)
		c->shorts += *at == 'h';
	c->letter = *at;
}

static void print_integer(FILE *out, const struct conversion *c, uint64_t word, bool wide)
{
	bool is_signed = c->letter == 'd' || c->letter == 'i';
	unsigned int unused = wide ? 0 : c->shorts > 1 ? 56 : c->shorts ? 48 : 32;
	uint64_t value = is_signed ? (uint64_t)((int64_t)(word << unused) >> unused) :
				     word << unused >> unused;
	char format[32];

	snprintf(format, sizeof(format), "%%%s*.*ll%c", c->flags, c->letter);
	fprintf(out, format, c->width, c->precision, (unsigned long long)value);
}

static void print_value(FILE *out, const struct conversion *c, unsigned int kind, uint64_t word)
{
	char format[32];
	double real;

	snprintf(format, sizeof(format), "%%%s*.*%c", c->flags, c->letter);
	switch (kind) {
	case VGPU_PRINT_INT:
	case VGPU_PRINT_LONG:
		if (c->letter == 'c') {
			snprintf(format, sizeof(format), "%%%s*c", c->flags);
			fprintf(out, format, c->width, (int)(unsigned char)word);
		} else {
			print_integer(out, c, word, kind == VGPU_PRINT_LONG);
		}
		break;
	case VGPU_PRINT_DOUBLE:
		memcpy(&real, &word, sizeof(real));
		fprintf(out, format, c->width, c->precision, real);
		break;
	case VGPU_PRINT_POINTER:
		fprintf(out, format, c->width, c->precision, (void *)(uintptr_t)word);
		break;
	}
}

/* The bytes end without a 0, so there is a precision always. */
static void print_string(FILE *out, const struct conversion *c, const char *text, size_t bytes)
{
	char format[32];

	if (!text) {
		text = "(null)";
		bytes = 6;
	}
	if (!c->width && c->precision < 0) {
		fwrite(text, 1, bytes, out);
		return;
	}
	if (c->precision >= 0 && bytes > (size_t)c->precision)
		bytes = (size_t)c->precision;
	snprintf(format, sizeof(format), "%%%s*.*s", c->flags);
	fprintf(out, format, c->width, (int)(bytes > INT32_MAX ? INT32_MAX : bytes), text);
}

static bool print_conversion(FILE *out, struct reader *from, const char *at,
			     const struct vgpu_print_spec *spec)
{
	struct conversion c;
	const char *text;
	int stars[2] = { 0 };
	uint64_t word;
	size_t bytes;

	for (unsigned int i = 0; i < spec->stars; i++) {
		if (!next_word(from, &word))
			return false;
		stars[i] = (int)(uint32_t)word;
	}
	parse_conversion(at, stars, &c);
	if (spec->kind == VGPU_PRINT_STRING) {
		if (!next_text(from, &text, &bytes))
			return false;
		print_string(out, &c, text, bytes);
		return true;
	}
	if (!next_word(from, &word))
		return false;
	print_value(out, &c, spec->kind, word);
	return true;
}

static bool print_format(FILE *out, struct reader *from, const char *at, uint32_t arguments)
{
	while (*at) {
		size_t plain = strcspn(at, "%");
		struct vgpu_print_spec spec;

		fwrite(at, 1, plain, out);
		at += plain;
		if (!*at)
			break;
		spec = vgpu_print_spec(at);
		if (spec.kind == VGPU_PRINT_NONE) {
			fputc('%', out);
			at++;
			continue;
		}
		if (spec.kind == VGPU_PRINT_PERCENT) {
			fputc('%', out);
		} else if (spec.stars + 1 > arguments) {
			fwrite(at, 1, spec.bytes, out);
			arguments = 0;
		} else {
			arguments -= spec.stars + 1;
			if (!print_conversion(out, from, at, &spec))
				return false;
		}
		at += spec.bytes;
	}
	return true;
}

bool vgpu_print_record(FILE *out, const uint64_t *words, uint64_t count, uint32_t arguments)
{
	struct reader from = { words, count };
	const char *text;
	char *format;
	size_t bytes;
	bool whole;

	if (!next_text(&from, &text, &bytes) || !text)
		return false;
	format = strndup(text, bytes);
	if (!format)
		return false;
	whole = print_format(out, &from, format, arguments);
	free(format);
	return whole;
}

bool vgpu_print_assertion(FILE *out, const uint64_t *words, uint64_t count)
{
	struct reader from = { words, count };
	const char *text[3];		/* expression, file, function */
	size_t bytes[3];
	uint64_t number[7];		/* line, block, thread */

	for (unsigned int i = 0; i < 3; i++) {
		if (!next_text(&from, &text[i], &bytes[i]))
			return false;
		if (!text[i])
			text[i] = "";
		if (bytes[i] > INT32_MAX)
			bytes[i] = INT32_MAX;
	}
	for (unsigned int i = 0; i < 7; i++)
		if (!next_word(&from, &number[i]))
			return false;
	fprintf(out,
		"%.*s:%u: %.*s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%.*s` failed.\n",
		(int)bytes[1], text[1], (unsigned int)number[0], (int)bytes[2], text[2],
		(unsigned int)number[1], (unsigned int)number[2], (unsigned int)number[3],
		(unsigned int)number[4], (unsigned int)number[5], (unsigned int)number[6],
		(int)bytes[0], text[0]);
	return true;
}
