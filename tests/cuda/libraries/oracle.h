/* SPDX-License-Identifier: MIT */
/*
 * Libraries of the host that say what is right: those that tools/setup unit installs. Where one is
 * not, the program says so and is skipped.
 */
#ifndef TESTS_LIBRARIES_ORACLE_H
#define TESTS_LIBRARIES_ORACLE_H

#include "common.h"

#include <dlfcn.h>

/* FILE, of Debian's PACKAGE; its names stay its own, whatever libraries of ours have them, too. */
static inline void *oracle(const char *file, const char *package)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

	if (library)
		return library;
	printf("%s: skipped: no %s: apt-get install %s\n", test.name, file, package);
	fflush(stdout);
	exit(4);
}

static inline void *oracle_symbol(void *library, const char *name)
{
	void *symbol = dlsym(library, name);

	if (!symbol) {
		fprintf(stderr, "%s: %s\n", test.name, dlerror());
		exit(1);
	}
	return symbol;
}

#endif
