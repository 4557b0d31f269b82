/* SPDX-License-Identifier: MIT */
/*
 * Text of a program, which should be UTF-8, in files that have to be.
 */
#ifndef VGPU_UTF8_H
#define VGPU_UTF8_H

#include <string.h>

/* Bytes of the character that @text begins with, 0: there is no whole and valid one */
static inline size_t vgpu_utf8_character(const char *text)
{
	const unsigned char *t = (const unsigned char *)text;
	size_t bytes = t[0] < 0x80 ? 1 : t[0] < 0xc2 ? 0 : t[0] < 0xe0 ? 2 : t[0] < 0xf0 ? 3 :
		       t[0] < 0xf5 ? 4 : 0;

	/* @text ends with a byte that continues nothing */
	for (size_t n = 1; n < bytes; n++)
		if ((t[n] & 0xc0) != 0x80)
			return 0;
	/* a longer form of a shorter one, a surrogate, beyond 0x10ffff */
	if ((t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xed && t[1] > 0x9f) ||
	    (t[0] == 0xf0 && t[1] < 0x90) || (t[0] == 0xf4 && t[1] > 0x8f))
		return 0;
	return bytes;
}

/*
 * Copy @text to @to without an end, @most bytes of it or up to the last character that ends within
 * them; what is no character is `?'. Returns the number of bytes.
 */
static inline size_t vgpu_utf8_copy(char *to, const char *text, size_t most)
{
	size_t at = 0;

	while (text[at]) {
		size_t bytes = vgpu_utf8_character(text + at);

		if (at + (bytes ? bytes : 1) > most)
			break;
		if (bytes)
			memcpy(to + at, text + at, bytes);
		else
			to[at] = '?';
		at += bytes ? bytes : 1;
	}
	return at;
}

#endif
