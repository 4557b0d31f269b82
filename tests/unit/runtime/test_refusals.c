// SPDX-License-Identifier: MIT
/*
 * What is refused at run time says what to do: every word of the front ends' tables is known
 * (refusals.h), and each page of docs/ that is named is there, with its part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "refusals.h"
#include "cuda/absent_calls.h"
#include "cuda/refused_calls.h"
#undef VGPU_CUDA_ABSENT_CALLS_H
#include "driver/absent_calls.h"

static void every_word_is_known(void **state)
{
	static const char *const words[] = {
#define WORD(what, name)		what,
#define WORD_OF(what, name, params)	what,
		VGPU_CUDA_ABSENT_CALLS(WORD)
		VGPU_CUDA_REFUSED_CALLS(WORD_OF)
		VGPU_DRIVER_ABSENT_CALLS(WORD)
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!rt_refusal_of(words[i]))
			fail_msg("\"%s\" is not in refusals.h", words[i]);
	assert_null(rt_refusal_of("something else is"));
}

/* The words that stand in the code of the front ends, REFUSE("...") */
static void words_in_the_code_are_known(void **state)
{
	FILE *list = popen("grep -rhoE '(CUDA|DRV)_REFUSE\\(\"[^\"]+\"|"
			   "_refuse\\(&[a-z]+, call, \"[^\"]+\"|return \"[a-zA-Z ]+ (is|are)\"' "
			   "runtime/cuda runtime/driver runtime/api/graph/request.c", "r");
	char line[256];
	int count = 0;

	(void)state;
	assert_non_null(list);
	while (fgets(line, sizeof(line), list)) {
		char *word = strchr(line, '"') + 1;

		*strchr(word, '"') = '\0';
		if (!rt_refusal_of(word))
			fail_msg("\"%s\" is not in refusals.h", word);
		count++;
	}
	assert_int_equal(pclose(list), 0);
	assert_in_range(count, 15, 1000);
}

/* As GitHub makes it of a heading: lower case, without punctuation, - for a blank. */
static void anchor_of(const char *heading, char *anchor)
{
	for (; *heading && *heading != '\n'; heading++) {
		if (*heading == ' ')
			*anchor++ = '-';
		else if (*heading >= 'A' && *heading <= 'Z')
			*anchor++ = (char)(*heading - 'A' + 'a');
		else if ((*heading >= 'a' && *heading <= 'z') || *heading == '-')
			*anchor++ = *heading;
	}
	*anchor = '\0';
}

static bool page_has(const char *page)
{
	char path[128], line[4096], anchor[4096];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "docs/%.*s", (int)strcspn(page, "#"), page);
	file = fopen(path, "r");
	while (file && !found && fgets(line, sizeof(line), file)) {
		if (*line != '#')
			continue;
		anchor_of(line + strspn(line, "# "), anchor);
		found = !strcmp(anchor, strchr(page, '#') + 1);
	}
	if (file)
		fclose(file);
	return found;
}

static void every_page_is_there(void **state)
{
	static const char *const pages[] = {
#define PAGE(what, instead, page)	page,
		RT_REFUSALS(PAGE)
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (!page_has(pages[i]))
			fail_msg("docs/%s is not there", pages[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_is_known),
		cmocka_unit_test(words_in_the_code_are_known),
		cmocka_unit_test(every_page_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
