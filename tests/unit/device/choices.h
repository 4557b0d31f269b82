/* SPDX-License-Identifier: MIT */
/*
 * Options of an explorer's command line: OPTION=NUMBER.
 */
#ifndef TEST_CHOICES_H
#define TEST_CHOICES_H

#include <stdbool.h>
#include <stdint.h>

/* An array of these ends with one without a name. value: what it is unless it is chosen */
struct choice {
	const char *name;
	uint32_t value;
};

/* False: @text is no choice of them, and stderr says which there are */
bool choice_set(struct choice *choices, const char *text);
/* Of an option that is there */
uint32_t choice_value(const struct choice *choices, const char *name);

#endif
