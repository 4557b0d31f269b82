// SPDX-License-Identifier: MIT
/*
 * A process with two CUDA runtimes: build systems that find an installed toolkit link its libcudart
 * beside ours. Then some calls go to one and some to the other, and a program prints "0 devices" or
 * garbage. It is ended when this library is loaded, before main(), with a message that names the
 * other.
 *
 * The other is found by its name among the loaded libraries, or, if it is inside the program or has
 * another name, by the symbols that the program's calls are bound to. A library that stands in
 * front of some functions only, as tools for profiling do, is no runtime. A program that has loaded
 * this library as the driver alone, by the name libcuda.so.1, may have NVIDIA's runtime for what
 * needs no device.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int here;	/* in this library */

/* What each runtime has. */
static const char *const names[] = { "__cudaRegisterFatBinary", "cudaLaunchKernel", "cudaMalloc",
				     "cudaGetDeviceCount", "cudaGetErrorString" };

/* libcudart.so, libcudart.so.12, libcudart-0123abcd.so.11.0 */
static bool is_libcudart(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	return !strncmp(name, "libcudart", 9) && (name[9] == '.' || name[9] == '-');
}

static bool is_inside(const struct dl_phdr_info *object, const void *address)
{
	for (unsigned int i = 0; i < object->dlpi_phnum; i++) {
		uintptr_t first = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;

		if (object->dlpi_phdr[i].p_type == PT_LOAD &&
		    (uintptr_t)address - first < object->dlpi_phdr[i].p_memsz)
			return true;
	}
	return false;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *found)
{
	(void)size;
	if (!is_libcudart(object->dlpi_name) || is_inside(object, &here))
		return 0;
	*(const char **)found = object->dlpi_name;
	return 1;
}

/* The object that all the names are bound to, NULL: ours, or not one alone. */
static const char *who_is_called(void)
{
	Dl_info ours, first = { 0 }, next;

	if (!dladdr(&here, &ours))
		return NULL;
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const void *symbol = dlsym(RTLD_DEFAULT, names[i]);

		if (!symbol || !dladdr(symbol, &next) || next.dli_fbase == ours.dli_fbase)
			return NULL;
		if (!i)
			first = next;
		else if (next.dli_fbase != first.dli_fbase)
			return NULL;
	}
	return first.dli_fname;
}

static bool is_driver_alone(void)
{
	const char *name;
	Dl_info ours;

	if (!dladdr(&here, &ours) || !ours.dli_fname)
		return false;
	name = strrchr(ours.dli_fname, '/');
	return !strncmp(name ? name + 1 : ours.dli_fname, "libcuda.", 8);
}

static __attribute__((constructor)) void refuse_other_runtime(void)
{
	const char *other = NULL;

	if (is_driver_alone())
		return;
	dl_iterate_phdr(look_at, &other);
	if (!other)
		other = who_is_called();
	if (!other)
		return;
	fprintf(stderr,
		"vgpu: this program has two CUDA runtimes: libvgpu and the one in %s; link it with "
		"vgpu's alone (vgpucc links it; CMake: leave CUDA::cudart out)\n",
		other);
	_exit(1);
}
