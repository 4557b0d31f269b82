// SPDX-License-Identifier: MIT
/*
 * What PTX text says of itself in its first directives: the version of the ISA and the
 * architecture it is for. The compiler reads the rest.
 */
#include <ctype.h>
#include <string.h>

#include "fatbin.h"

/* Spaces and comments. */
static const char *skip(const char *at, const char *end)
{
	while (at < end) {
		if (isspace((unsigned char)*at)) {
			at++;
		} else if (end - at > 1 && at[0] == '/' && at[1] == '/') {
			while (at < end && *at != '\n')
				at++;
		} else if (end - at > 1 && at[0] == '/' && at[1] == '*') {
			const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);

			at = close ? close + 2 : end;
		} else {
			break;
		}
	}
	return at;
}

static const char *number(const char *at, const char *end, unsigned int *out)
{
	for (*out = 0; at < end && isdigit((unsigned char)*at) && *out < 100000; at++)
		*out = *out * 10 + (unsigned int)(*at - '0');
	return at;
}

static bool word(const char **at, const char *end, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(end - *at) < length || memcmp(*at, text, length))
		return false;
	*at += length;
	return true;
}

bool vgpu_ptx_head(const char *text, size_t length, struct vgpu_ptx_head *head)
{
	const char *end = text + length, *at = skip(text, end);

	*head = (struct vgpu_ptx_head){ 0 };
	if (!word(&at, end, ".version"))
		return false;
	at = number(skip(at, end), end, &head->major);
	if (at < end && *at == '.')
		at = number(at + 1, end, &head->minor);
	at = skip(at, end);
	if (!word(&at, end, ".target"))
		return true;
	at = skip(at, end);
	if (word(&at, end, "sm_") || word(&at, end, "compute_"))
		number(at, end, &head->arch);
	return true;
}
