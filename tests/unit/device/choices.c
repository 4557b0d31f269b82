// SPDX-License-Identifier: MIT
/*
 * Options of an explorer's command line; see choices.h.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"

uint32_t choice_value(const struct choice *choices, const char *name)
{
	for (; choices->name; choices++)
		if (!strcmp(choices->name, name))
			return choices->value;
	abort();
}

bool choice_set(struct choice *choices, const char *text)
{
	for (struct choice *choice = choices; choice->name; choice++) {
		size_t length = strlen(choice->name);
		char *end;

		if (strncmp(text, choice->name, length) || text[length] != '=')
			continue;
		choice->value = (uint32_t)strtoul(text + length + 1, &end, 0);
		if (end != text + length + 1 && !*end)
			return true;
	}
	fprintf(stderr, "%s: no such option; OPTION=NUMBER, where OPTION is", text);
	for (; choices->name; choices++)
		fprintf(stderr, " %s", choices->name);
	fputc('\n', stderr);
	return false;
}
