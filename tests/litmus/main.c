// SPDX-License-Identifier: MIT
/*
 * litmus: CUDA programs of litmus tests in herd's format, and what the tests may show.
 *
 *	build/litmus FILE...			writes the program to standard output
 *	build/litmus --allowed FILE...		prints outcomes, and which model has them; the
 *						status is 1 if a condition is not so
 */
#include <stdlib.h>
#include <string.h>

#include "generate.h"

static void find_allowed(struct gen_test *test)
{
	static const u8 apart[EX_THREADS] = { 0, 1, 2, 3 }, together[EX_THREADS];

	mod_sc(&test->test, &test->sc);
	mod_ptx(&test->test, apart, &test->apart);
	mod_ptx(&test->test, together, &test->together);
}

/* Is what the test claims so, with each thread in a block of its own? */
static bool is_right(const struct gen_test *test)
{
	const struct lit_test *t = &test->test;
	u32 count = 0;

	for (u32 n = 0; n < test->apart.count; n++) {
		bool holds = true;

		for (u32 term = 0; term < t->terms; term++)
			holds &= test->apart.list[n].value[t->slot[term]] == t->value[term];
		count += holds;
	}
	return t->quantifier == LIT_EXISTS ? count > 0 :
	       t->quantifier == LIT_NOT_EXISTS ? !count : count == test->apart.count;
}

/* False: the test's condition is not what PTX says */
static bool print_allowed(const struct gen_test *test)
{
	static struct mod_outcomes all;
	char text[128];

	all = test->sc;
	for (u32 n = 0; n < test->apart.count; n++)
		mod_add(&all, &test->apart.list[n]);
	for (u32 n = 0; n < test->together.count; n++)
		mod_add(&all, &test->together.list[n]);
	printf("Test %s: %u sc, %u ptx, %u ptx in one block\n", test->test.name, test->sc.count,
	       test->apart.count, test->together.count);
	for (u32 n = 0; n < all.count; n++)
		printf("  %s:%s%s%s\n", gen_outcome(&test->test, &all.list[n], text, sizeof(text)),
		       mod_has(&test->sc, &all.list[n]) ? " sc" : "",
		       mod_has(&test->apart, &all.list[n]) ? " ptx" : "",
		       mod_has(&test->together, &all.list[n]) ? " ptx-block" : "");
	puts(is_right(test) ? "Ok" : "No");
	return is_right(test);
}

/* All tests of a file. @number: of the next test */
static bool take_file(const char *path, bool allowed, u32 *number)
{
	static char text[1 << 16];
	static struct gen_test test;
	FILE *file = fopen(path, "r");
	char error[160], *next = text, *one;
	u32 line = 1, first = 1;
	bool right = true;
	size_t length;

	if (!file) {
		perror(path);
		return false;
	}
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = 0;
	for (; (one = lit_next(&next, &line)); first = line) {
		if (!lit_read(one, &test.test, error, sizeof(error))) {
			fprintf(stderr, "%s, test from line %u: %s\n", path, first, error);
			return false;
		}
		find_allowed(&test);
		if (allowed)
			right &= print_allowed(&test);
		else
			gen_write(&test, (*number)++, stdout);
	}
	return right;
}

int main(int argc, char **argv)
{
	bool allowed = argc > 1 && !strcmp(argv[1], "--allowed");
	bool right = true;
	u32 number = 0;

	if (argc < 2 + allowed) {
		fprintf(stderr, "usage: %s [--allowed] FILE...\n", argv[0]);
		return 2;
	}
	if (!allowed)
		gen_begin(stdout);
	for (int n = 1 + allowed; n < argc; n++)
		right &= take_file(argv[n], allowed, &number);
	if (!allowed)
		gen_end(number, stdout);
	return !right || ferror(stdout);
}
