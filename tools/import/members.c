// SPDX-License-Identifier: MIT
/*
 * Import of timelines: members of an event. The scanner has made sure that brackets and strings of
 * the text are closed. Most events are none of ours: they are told by a look at their members, and
 * only what is wanted of the others goes to jansson.
 */
#include <string.h>

#include "import.h"

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* Behind the string that begins at @at. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\')
			at++;
	return at < end ? at + 1 : end;
}

/* Behind the value that begins at @at. */
static const char *skip_value(const char *at, const char *end)
{
	u32 depth = 0;

	if (at < end && *at == '"')
		return skip_string(at, end);
	while (at < end) {
		if (*at == '"') {
			at = skip_string(at, end);
			continue;
		}
		if (*at == '{' || *at == '[') {
			depth++;
		} else if (*at == '}' || *at == ']') {
			if (!depth)
				return at;
			if (!--depth)
				return at + 1;
		} else if (!depth && strchr(", \n\t\r:", *at)) {
			return at;
		}
		at++;
	}
	return end;
}

int imp_members(const struct imp_piece *object, const char *const *keys, struct imp_piece *values,
		unsigned int count, u64 *place)
{
	const char *at = object->text + 1, *end = object->text + object->length;
	bool first = true;
	unsigned int i;

	memset(values, 0, count * sizeof(*values));
	for (;; first = false) {
		const char *key, *value;
		size_t length;

		at = skip_space(at, end);
		if (at + 1 == end && *at == '}')
			return 0;
		if (!first) {
			if (at == end || *at != ',')
				break;
			at = skip_space(at + 1, end);
		}
		if (at == end || *at != '"')
			break;
		key = at + 1;
		at = skip_string(at, end);
		length = (size_t)(at - key - 1);
		at = skip_space(at, end);
		if (at == end || *at != ':')
			break;
		value = skip_space(at + 1, end);
		at = skip_value(value, end);
		if (at == value)
			break;
		for (i = 0; i < count; i++) {
			if (strlen(keys[i]) != length || memcmp(keys[i], key, length))
				continue;
			values[i].text = value;
			values[i].length = (size_t)(at - value);
			values[i].offset = object->offset + (u64)(value - object->text);
		}
	}
	*place = object->offset + (u64)(at - object->text);
	return -1;
}

int imp_nanoseconds(const struct imp_piece *number, u64 *ns)
{
	char text[40];
	size_t length = number->length;
	const char *point;

	/* a string, as some exporters write large numbers */
	if (length >= 2 && number->text[0] == '"') {
		struct imp_piece inside = { number->text + 1, length - 2, 0 };

		return inside.text[0] == '"' ? -1 : imp_nanoseconds(&inside, ns);
	}
	if (!length || length >= sizeof(text))
		return -1;
	memcpy(text, number->text, length);
	text[length] = 0;
	/* finer than nanoseconds is what a binary fraction looks like in decimal digits */
	point = strchr(text, '.');
	if (point && strspn(point + 1, "0123456789") != strlen(point + 1))
		return -1;
	if (point && strlen(point) > 4)
		text[point - text + 4] = 0;
	return wl_decimal(text, 3, ns) || *ns >= 1ull << 63 ? -1 : 0;
}
