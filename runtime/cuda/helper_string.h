/* SPDX-License-Identifier: MIT */
/*
 * Command lines of sample programs: --name, --name=value, with one dash or two.
 */
#ifndef VGPU_CUDA_HELPER_STRING_H
#define VGPU_CUDA_HELPER_STRING_H

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

/* What stands behind "--name" or "--name=", NULL if it is not there. */
static inline const char *__vgpu_argument(int argc, const char **argv, const char *name)
{
	size_t length = strlen(name);

	for (int i = 1; i < argc; i++) {
		const char *at = argv[i] + strspn(argv[i], "-");

		if (at == argv[i] || strncasecmp(at, name, length))
			continue;
		if (!at[length])
			return at + length;
		if (at[length] == '=')
			return at + length + 1;
	}
	return NULL;
}

static inline bool checkCmdLineFlag(int argc, const char **argv, const char *name)
{
	return __vgpu_argument(argc, argv, name) != NULL;
}

static inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name)
{
	const char *value = __vgpu_argument(argc, argv, name);

	return value ? atoi(value) : 0;
}

static inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name)
{
	const char *value = __vgpu_argument(argc, argv, name);

	return value ? (float)atof(value) : 0.0f;
}

static inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name,
					    char **string)
{
	const char *value = __vgpu_argument(argc, argv, name);

	*string = value ? (char *)value : NULL;
	return value != NULL;
}

#endif
