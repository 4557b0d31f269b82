// SPDX-License-Identifier: MIT
/*
 * Libraries, and the choice among the PTX of an image. See library.h.
 *
 * A device takes PTX for what it presents and for older ones, the newest first. Whether the
 * compiler knows all of it, only the compiler can say: one after the other is tried. With
 * VGPU_STRICT_CAPABILITY=0 so are those for newer devices then, the oldest first.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capability.h"
#include "library.h"

vgpuError_t rt_image_read(const void *data, size_t bytes, struct vgpu_image *out)
{
	char message[512];

	switch (vgpu_image_read(data, bytes, rt_code_capability(), out, message,
				sizeof(message))) {
	case 0:
		return vgpuSuccess;
	case -ENOMEM:
		rt_message("out of memory for device code");
		return vgpuErrorMemoryAllocation;
	case -EFAULT:
		rt_message("%s", message);
		return vgpuErrorInvalidValue;
	case -ENOENT:
		rt_message("%s", message);
		return vgpuErrorNoKernelImageForDevice;
	default:
		rt_message("%s", message);
		return vgpuErrorInvalidKernelImage;
	}
}

/*
 * All of an image is for newer devices. CUDA's loader finds nothing in a fat binary then; text by
 * itself it gives to its compiler, which refuses it.
 */
vgpuError_t rt_image_refuse(const struct vgpu_image *image)
{
	char code[sizeof(image->contents) + 16];

	snprintf(code, sizeof(code), "the code is %s", image->contents);
	rt_capability_message(code);
	return image->text ? vgpuErrorInvalidPtx : vgpuErrorNoKernelImageForDevice;
}

static struct vgpu_image_ptx *image_try(const struct vgpu_image *image, unsigned int n)
{
	return vgpu_image_try(image, rt_code_capability(), rt_strict_capability(), n);
}

struct vgpu_image_ptx *rt_image_best(const struct vgpu_image *image)
{
	return image_try(image, 0);
}

vgpuError_t rt_module_load_image(const struct vgpu_image *image,
				 const struct vgpu_compile_options *options,
				 struct vgpuModule **out)
{
	vgpuError_t first = vgpuErrorNoKernelImageForDevice, error;
	const struct vgpu_image_ptx *ptx;
	char message[1024] = "";

	if (!image_try(image, 0))
		return rt_image_refuse(image);
	for (unsigned int i = 0; (ptx = image_try(image, i)); i++) {
		error = rt_module_load(ptx->text, options, out);
		if (error == vgpuSuccess)
			return error;
		if (!i) {
			first = error;
			snprintf(message, sizeof(message), "%s", vgpuGetLastMessage());
		}
		if (error != vgpuErrorInvalidPtx && error != vgpuErrorUnsupportedPtxVersion)
			return error;
	}
	if (image->count > 1)
		rt_message("none of the PTX (the code is %s) compiles; for compute_%u: %s",
			   image->contents, image_try(image, 0)->arch, message);
	else
		rt_message("%s", message);
	return first;
}

/* The image of vgpucc's for the device; NULL: there is none, of which the message is there. */
static const struct vgpu_own *pick(const struct vgpu_own *first)
{
	const struct vgpu_own *own = vgpu_own_pick(first, rt_code_capability(),
						   rt_strict_capability());
	char code[160] = "the code is for ";

	if (!own) {
		vgpu_own_names(first, code + strlen(code), sizeof(code) - strlen(code));
		rt_capability_message(code);
	}
	return own;
}

/* The library's managed variables are where they are in the process. */
static vgpuError_t load_own(const struct rt_library *library, struct vgpuModule **out)
{
	const struct rt_variable_table *variables = library->variables;
	struct vgpu_compile_options options = { .max_regs = library->max_regs };
	const struct vgpu_own *own = pick(library->own);
	struct vgpu_placed_symbol *placed;
	vgpuError_t error;

	if (!own)
		return vgpuErrorNoKernelImageForDevice;
	if (!variables)
		return rt_module_load(own->ptx, &options, out);
	error = rt_variables_claim(variables);
	if (error != vgpuSuccess)
		return error;
	placed = calloc(variables->count + 1, sizeof(*placed));
	if (!placed)
		return vgpuErrorMemoryAllocation;
	for (uint64_t i = 0; i < variables->count; i++)
		if (variables->variables[i].address)
			placed[options.placed_count++] = (struct vgpu_placed_symbol){
				variables->variables[i].name,
				(uint64_t)(uintptr_t)variables->variables[i].address
			};
	options.placed = placed;
	error = rt_module_load(own->ptx, &options, out);
	free(placed);
	return error;
}

/* The code of separate compilation. */
static vgpuError_t load_parts(const struct rt_library *library, struct vgpuModule **out)
{
	struct vgpu_compile_options options = { .max_regs = library->max_regs };
	const char **texts = calloc(library->part_count, sizeof(*texts));
	char message[512] = "", *ptx = NULL;
	vgpuError_t error;
	int joined;

	if (!texts)
		return vgpuErrorMemoryAllocation;
	for (unsigned int n = 0; n < library->part_count; n++) {
		const struct vgpu_own *own = pick(library->parts[n]);

		if (!own) {
			free(texts);
			return vgpuErrorNoKernelImageForDevice;
		}
		texts[n] = own->ptx;
	}
	joined = vgpu_ptx_join(texts, library->part_count, &ptx, message, sizeof(message));
	free(texts);
	switch (joined) {
	case 0:
		break;
	case -ENOMEM:
		return vgpuErrorMemoryAllocation;
	default:
		rt_message("the device code of several files does not link: %s", message);
		return vgpuErrorInvalidPtx;
	}
	error = rt_module_load(ptx, &options, out);
	free(ptx);
	return error;
}

/* What was loaded, or failed, is not what it has now. */
static void try_again(struct rt_library *library)
{
	for (unsigned int n = 0; n < library->on.room; n++) {
		struct rt_library_on *on = rt_by_context_get(&library->on, n);

		if (on)
			on->tried = false;
	}
}

bool rt_library_add_part(struct rt_library *library, const struct vgpu_own *part)
{
	size_t bytes = (library->part_count + 1) * sizeof(*library->parts);
	const struct vgpu_own **parts = realloc(library->parts, bytes);

	if (!parts)
		return false;
	library->parts = parts;
	parts[library->part_count++] = part;
	try_again(library);
	return true;
}

void rt_library_remove_part(struct rt_library *library, const struct vgpu_own *part)
{
	unsigned int n = 0;

	while (n < library->part_count && library->parts[n] != part)
		n++;
	if (n == library->part_count)
		return;
	library->parts[n] = library->parts[--library->part_count];
	try_again(library);
}

static vgpuError_t load_image(struct rt_library *library, struct vgpuModule **out)
{
	struct vgpu_compile_options options = { .max_regs = library->max_regs };

	if (!library->read) {
		library->unreadable = rt_image_read(library->data, 0, &library->image);
		library->read = library->unreadable == vgpuSuccess;
	}
	return library->read ? rt_module_load_image(&library->image, &options, out) :
			       library->unreadable;
}

vgpuError_t rt_library_module(struct rt_library *library, struct vgpuModule **out)
{
	struct rt_library_on *on = rt_by_context_make(&library->on, rt_current, sizeof(*on));

	if (!on)
		return vgpuErrorMemoryAllocation;
	if (!on->tried || on->generation != rt.generation) {
		*on = (struct rt_library_on){ .tried = true, .generation = rt.generation };
		on->failed = library->own   ? load_own(library, &on->module) :
			     library->parts ? load_parts(library, &on->module) :
					      load_image(library, &on->module);
		if (on->failed == vgpuSuccess && library->loaded)
			on->failed = library->loaded(library, on->module);
		if (on->module)
			on->module->of_library = true;
		if (on->failed != vgpuSuccess)
			fprintf(stderr, "vgpu: %s\n", vgpuGetLastMessage());
	}
	*out = on->module;
	return on->failed;
}

/* ---- kernels ------------------------------------------------------------ */

#define BUCKETS	1024u

static struct rt_kernel *kernels[BUCKETS];	/* by library and name */
static struct rt_kernel *handles[BUCKETS];	/* by address: each launch by a handle looks here */

static struct rt_kernel **kernel_bucket(const struct rt_library *library, const char *name)
{
	uint64_t hash = (uintptr_t)library * 0x9e3779b97f4a7c15ull;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
	return &kernels[hash >> 54];
}

static struct rt_kernel **handle_bucket(const struct rt_kernel *handle)
{
	return &handles[((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15ull >> 54];
}

struct rt_kernel *rt_library_kernel(struct rt_library *library, const char *name)
{
	struct rt_kernel **bucket = kernel_bucket(library, name), *kernel;

	for (kernel = *bucket; kernel; kernel = kernel->next)
		if (kernel->library == library && !strcmp(kernel->name, name))
			return kernel;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return NULL;
	kernel->name = strdup(name);
	if (!kernel->name) {
		free(kernel);
		return NULL;
	}
	kernel->library = library;
	kernel->next = *bucket;
	*bucket = kernel;
	bucket = handle_bucket(kernel);
	kernel->next_handle = *bucket;
	*bucket = kernel;
	return kernel;
}

bool rt_kernel_known(const struct rt_kernel *handle)
{
	const struct rt_kernel *kernel = *handle_bucket(handle);

	while (kernel && kernel != handle)
		kernel = kernel->next_handle;
	return kernel;
}

vgpuError_t rt_kernel_function(struct rt_kernel *kernel, struct vgpuFunction **out)
{
	struct rt_kernel_on *on = rt_by_context_get(&kernel->on, rt_number_of(rt_current));
	struct vgpuModule *module;
	vgpuError_t error;

	if (!on)
		on = rt_by_context_make(&kernel->on, rt_current, sizeof(*on));
	if (!on)
		return vgpuErrorMemoryAllocation;
	if (!on->function || on->generation != rt.generation) {
		error = rt_library_module(kernel->library, &module);
		if (error == vgpuSuccess)
			error = rt_module_function(module, kernel->name, &on->function);
		if (error != vgpuSuccess)
			return error;
		on->generation = rt.generation;
	}
	*out = on->function;
	return vgpuSuccess;
}

static void free_kernel(struct rt_kernel *kernel)
{
	struct rt_kernel **at = handle_bucket(kernel);

	while (*at != kernel)
		at = &(*at)->next_handle;
	*at = kernel->next_handle;
	rt_by_context_free(&kernel->on);
	free(kernel->name);
	free(kernel);
}

void rt_library_forget(struct rt_library *library)
{
	for (unsigned int i = 0; i < BUCKETS; i++) {
		struct rt_kernel **link = &kernels[i];

		while (*link) {
			struct rt_kernel *kernel = *link;

			if (kernel->library != library) {
				link = &kernel->next;
				continue;
			}
			*link = kernel->next;
			free_kernel(kernel);
		}
	}
	vgpu_image_free(&library->image);
	library->read = false;
}

/* ---- libraries of the program -------------------------------------------- */

static struct rt_library *made;

bool rt_library_known(const struct rt_library *handle)
{
	for (const struct rt_library *library = made; library; library = library->next)
		if (library == handle)
			return true;
	return false;
}

vgpuError_t rt_library_create(const void *data, size_t bytes, struct rt_library **out)
{
	struct rt_library *library = calloc(1, sizeof(*library));
	vgpuError_t error;

	if (!library)
		return vgpuErrorMemoryAllocation;
	error = rt_image_read(data, bytes, &library->image);
	if (error != vgpuSuccess) {
		free(library);
		return error;
	}
	library->read = true;
	library->next = made;
	made = library;
	*out = library;
	return vgpuSuccess;
}

/* From all contexts that are open. Each waits, without the lock. */
static void unload(struct rt_library *library)
{
	struct rt_state *before = rt_current;

	for (unsigned int n = 0; n < library->on.room; n++) {
		struct rt_library_on *on = rt_by_context_get(&library->on, n);

		rt_current = rt_context_number(n);
		if (on && rt.phase == RT_READY && rt.sticky == vgpuSuccess && on->module &&
		    on->generation == rt.generation)
			rt_module_unload(on->module);
	}
	rt_current = before;
}

vgpuError_t rt_library_destroy(struct rt_library *library)
{
	struct rt_library **at = &made;

	while (*at && *at != library)
		at = &(*at)->next;
	if (!*at)
		return vgpuErrorInvalidResourceHandle;
	*at = library->next;
	/* first: then no thread finds it by a kernel while it is unloaded */
	rt_library_forget(library);
	unload(library);
	rt_by_context_free(&library->on);
	free(library);
	return vgpuSuccess;
}

vgpuError_t rt_library_find(struct rt_library *library, const char *name, struct rt_kernel **out)
{
	struct vgpuFunction *function;
	struct vgpuModule *module;
	vgpuError_t error;

	if (!rt_library_known(library))
		return vgpuErrorInvalidResourceHandle;
	error = rt_library_module(library, &module);
	if (error == vgpuSuccess)
		error = rt_module_function(module, name, &function);
	if (error != vgpuSuccess)
		return error;
	*out = rt_library_kernel(library, name);
	return *out ? vgpuSuccess : vgpuErrorMemoryAllocation;
}

vgpuError_t rt_library_variable(struct rt_library *library, const char *name, bool managed,
				uint64_t *address, uint64_t *bytes)
{
	struct vgpuModule *module;
	vgpuError_t error;

	if (!rt_library_known(library))
		return vgpuErrorInvalidResourceHandle;
	error = rt_library_module(library, &module);
	if (error == vgpuSuccess)
		error = rt_module_global(module, name, address, bytes);
	if (error == vgpuSuccess && managed && !rt_is_managed((void *)(uintptr_t)*address))
		error = vgpuErrorSymbolNotFound;
	return error;
}

vgpuError_t rt_library_kernels(struct rt_library *library, struct rt_kernel **list,
			       unsigned int room, unsigned int *count)
{
	const struct vgpu_program *program;
	struct vgpuModule *module;
	vgpuError_t error;

	if (!rt_library_known(library))
		return vgpuErrorInvalidResourceHandle;
	error = rt_library_module(library, &module);
	if (error != vgpuSuccess)
		return error;
	program = module->image.program;
	*count = program->kernel_count;
	for (unsigned int i = 0; i < room && i < program->kernel_count; i++) {
		list[i] = rt_library_kernel(library, program->kernels[i].name);
		if (!list[i])
			return vgpuErrorMemoryAllocation;
	}
	return vgpuSuccess;
}

vgpuError_t rt_code_file(const char *path, void **code, size_t *bytes)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0, got;

	*bytes = 0;
	if (!file) {
		rt_message("%s: %s", path, strerror(errno));
		return vgpuErrorFileNotFound;
	}
	do {
		char *grown = realloc(text, (room += 1u << 20) + 1);

		if (!grown)
			break;
		text = grown;
		got = fread(text + *bytes, 1, room - *bytes, file);
		*bytes += got;
	} while (*bytes == room);
	fclose(file);
	if (!text || *bytes == room) {
		free(text);
		return vgpuErrorMemoryAllocation;
	}
	if (!*bytes) {
		rt_message("%s is empty", path);
		free(text);
		return vgpuErrorInvalidKernelImage;
	}
	text[*bytes] = 0;
	*code = text;
	return vgpuSuccess;
}
