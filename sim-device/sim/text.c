// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Text in and out of the device: numbers and names of configurations and knobs.
 */
#include "text.h"

static bool at_end(const char *text)
{
	return !text[0] || (text[0] == '\n' && !text[1]);
}

int vgpu_text_to_u64(const char *text, u64 *value)
{
	u64 result = 0;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	for (; *text >= '0' && *text <= '9'; text++) {
		u64 digit = (u64)(*text - '0');

		if (result > (~0ull - digit) / 10)
			return -EINVAL;
		result = result * 10 + digit;
	}
	if (!at_end(text))
		return -EINVAL;
	*value = result;
	return 0;
}

int vgpu_text_to_scaled(const char *text, u64 unit, u64 *value)
{
	u64 result = 0, digits = 0;
	bool point = false;

	for (; !at_end(text); text++) {
		if (*text == '.' && digits && !point && text[1] >= '0' && text[1] <= '9') {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9' || (point && unit % 10))
			return -EINVAL;
		if (result > (~0ull - 9) / 10)
			return -EINVAL;
		result = result * 10 + (u64)(*text - '0');
		digits++;
		if (point)
			unit /= 10;
	}
	if (!digits || result > ~0ull / unit)
		return -EINVAL;
	*value = result * unit;
	return 0;
}

bool vgpu_text_is(const char *text, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(text, name, length) && at_end(text + length);
}

void vgpu_text_copy(char *to, size_t size, const char *from)
{
	size_t i;

	for (i = 0; i + 1 < size && from[i]; i++)
		to[i] = from[i];
	memset(to + i, 0, size - i);
}

static void put_char(struct vgpu_text *text, char c)
{
	if (text->length + 1 < text->size) {
		text->at[text->length] = c;
		text->at[text->length + 1] = 0;
	}
	text->length++;
}

void vgpu_text_put(struct vgpu_text *text, const char *string)
{
	while (*string)
		put_char(text, *string++);
}

void vgpu_text_put_u64(struct vgpu_text *text, u64 value)
{
	char digits[20];
	unsigned int count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while (value /= 10);
	while (count)
		put_char(text, digits[--count]);
}

void vgpu_text_put_scaled(struct vgpu_text *text, u64 value, u64 unit)
{
	u64 below = value % unit;

	vgpu_text_put_u64(text, value / unit);
	if (!below)
		return;
	put_char(text, '.');
	while (below) {
		unit /= 10;
		put_char(text, (char)('0' + below / unit));
		below %= unit;
	}
}
