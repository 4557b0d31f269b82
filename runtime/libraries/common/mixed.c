// SPDX-License-Identifier: MIT
/*
 * A process that has libraries of vgpu's and of NVIDIA's. NVIDIA's work with NVIDIA's driver only
 * and fail with an error that says nothing of it, so this is said when ours are loaded.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libcublas.so.12, libcublas-0123abcd.so.12 */
static bool is_mathematics(const char *name)
{
	static const char *const names[] = { "libcublas", "libcublasLt", "libcufft", "libcufftw",
					     "libcurand", "libcusparse", "libcusolver",
					     "libnccl", "libcudnn" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t length = strlen(names[i]);

		if (!strncmp(name, names[i], length) &&
		    (name[length] == '.' || name[length] == '-'))
			return true;
	}
	return false;
}

/* The folder of a file, as it is without links; the caller frees it. */
static char *folder_of(const char *path)
{
	char *whole = realpath(path, NULL), *end = whole ? strrchr(whole, '/') : NULL;

	if (end)
		*end = '\0';
	return whole;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *ours)
{
	const char *here = ours, *name = strrchr(object->dlpi_name, '/');
	char *folder, *other;
	bool same;

	(void)size;
	if (!name || !is_mathematics(name + 1))
		return 0;
	folder = folder_of(here);
	other = folder_of(object->dlpi_name);
	same = !folder || !other || !strcmp(folder, other);
	free(folder);
	free(other);
	if (same)
		return 0;
	fprintf(stderr,
		"vgpu: this program has vgpu's %s and NVIDIA's %s, which works with NVIDIA's "
		"driver only: set LD_LIBRARY_PATH to vgpu's folder alone\n",
		here, object->dlpi_name);
	return 1;
}

static __attribute__((constructor)) void look_for_others(void)
{
	static const char here;
	Dl_info ours;

	if (dladdr(&here, &ours) && ours.dli_fname)
		dl_iterate_phdr(look_at, (void *)ours.dli_fname);
}
