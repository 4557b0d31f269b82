// SPDX-License-Identifier: MIT
/*
 * The registry: __cudaRegister*() as the module constructors of clang and nvcc call them, and the
 * lookups of launches and symbols. Registration only remembers; PTX is compiled at the first use of
 * a kernel or variable of its file, once for each context of the process.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry.h"
#include "transport/host_memory.h"

#define EXPORT	__attribute__((visibility("default")))
#define BUCKETS	1024u

/* struct vgpu_wrapper, as vgpucc has it */
struct own_wrapper {
	int magic;
	int version;
	const void *data;
	const struct rt_variable_table *variables;	/* NULL: it has none */
};

/* A managed variable of nvcc: its host code has a pointer to it. */
struct managed {
	struct managed *next;
	void **pointer;
	const char *name;
};

/* The code of separate compilation of one program or shared library, which is one library. */
struct linked {
	struct linked *next;
	const void *object;		/* where that is in the process */
	struct rt_library library;
	unsigned int files;
};

/* The library is the first member: it is what kernels know. */
struct fatbin {
	struct rt_library library;
	struct rt_library *code;	/* that one, or the one that it is linked to */
	struct linked *linked;		/* NULL: to none */
	const struct vgpu_own *part;	/* its code there */
	struct fatbin *next;
	struct managed *managed;
};

/* A variable as one context has it. */
struct found {
	uint64_t generation;		/* of what follows */
	uint64_t address, bytes;
	uint64_t object;		/* that a reference is bound to; 0: none */
};

struct entry {
	struct entry *next;
	const void *host;
	const char *name;
	struct fatbin *fatbin;
	struct rt_kernel *kernel;	/* NULL: a variable */
	const struct rt_variable *managed;	/* NULL: it is in the PTX, not in the process */
	struct rt_by_context on;	/* struct found */
	bool as_float;			/* a texture reference: it reads integers as floats */
};

static struct fatbin *fatbins;
static struct linked *links;
static struct entry *entries[BUCKETS];

static struct entry **registry_bucket(const void *host)
{
	return &entries[((uintptr_t)host >> 4) * 0x9e3779b97f4a7c15ull >> 54];
}

static struct entry *registry_lookup(const void *host, bool variable)
{
	struct entry *entry = *registry_bucket(host);

	while (entry && (entry->host != host || !entry->kernel != variable))
		entry = entry->next;
	return entry;
}

/* What launches name: a host function, or a handle of __cudaGetKernel() and its like. */
static struct rt_kernel *kernel_of(const void *host)
{
	const struct entry *entry = registry_lookup(host, false);

	if (entry)
		return entry->kernel;
	return rt_kernel_known(host) ? (struct rt_kernel *)(uintptr_t)host : NULL;
}

vgpuError_t cuda_function(const void *host, struct vgpuFunction **out)
{
	struct rt_kernel *kernel = kernel_of(host);
	vgpuError_t error;

	if (!kernel && rt_function_known(host)) {
		*out = (struct vgpuFunction *)(uintptr_t)host;
		return vgpuSuccess;
	}
	if (!kernel)
		return vgpuErrorInvalidDeviceFunction;
	error = rt_kernel_function(kernel, out);
	return error == vgpuErrorSymbolNotFound ? vgpuErrorInvalidDeviceFunction : error;
}

vgpuError_t cuda_enter_function(const void *host, struct vgpuFunction **out)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	error = cuda_function(host, out);
	return error == vgpuSuccess ? error : rt_leave(error);
}

const void *cuda_host_function(const struct vgpuFunction *function)
{
	const struct rt_kernel_on *on;

	for (unsigned int i = 0; i < BUCKETS; i++)
		for (const struct entry *entry = entries[i]; entry; entry = entry->next) {
			if (!entry->kernel)
				continue;
			on = rt_by_context_get(&entry->kernel->on, rt_number_of(rt_current));
			if (on && on->generation == rt.generation && on->function == function)
				return entry->host;
		}
	return function;
}

struct rt_kernel *cuda_kernel(const void *host)
{
	return kernel_of(host);
}

/* nvcc's host code names a managed variable by where it is, too. */
static bool managed_symbol(const void *host, uint64_t *address, uint64_t *bytes)
{
	for (const struct fatbin *fatbin = fatbins; fatbin; fatbin = fatbin->next)
		for (const struct managed *each = fatbin->managed; each; each = each->next)
			if (*each->pointer == host) {
				*address = (uint64_t)(uintptr_t)host;
				return rt_alloc_find(*address, address, bytes);
			}
	return false;
}

/* The variable in the current context, found if it has not been. */
static vgpuError_t find_variable(struct entry *entry, struct found **out)
{
	struct found *found = rt_by_context_make(&entry->on, rt_current, sizeof(*found));
	struct vgpuModule *module;
	vgpuError_t error;

	if (!found)
		return vgpuErrorMemoryAllocation;
	if (!found->address || found->generation != rt.generation) {
		error = rt_library_module(entry->fatbin->code, &module);
		if (error == vgpuSuccess)
			error = rt_module_global(module, entry->name, &found->address,
						 &found->bytes);
		if (error != vgpuSuccess)
			return error == vgpuErrorSymbolNotFound ? vgpuErrorInvalidSymbol : error;
		found->generation = rt.generation;
		found->object = 0;
	}
	*out = found;
	return vgpuSuccess;
}

/* Whatever @pointer is: it points to this text. */
static bool is_text(const void *pointer, const char *text)
{
	size_t bytes = strlen(text) + 1;

	return !vgpu_host_probe((uint64_t)(uintptr_t)pointer, bytes, false) &&
	       !memcmp(pointer, text, bytes);
}

/* Programs of before CUDA 5 name variables by their names, which are no variables any more. */
static void say_if_name(const void *host)
{
	static bool said;

	for (unsigned int i = 0; i < BUCKETS && !said; i++)
		for (const struct entry *entry = entries[i]; entry; entry = entry->next)
			if (!entry->kernel && !said && is_text(host, entry->name)) {
				fprintf(stderr, "vgpu: \"%s\" is the name of a variable, which "
						"CUDA takes no longer since version 5: write the "
						"variable itself, without quotes\n", entry->name);
				said = true;
			}
}

vgpuError_t cuda_symbol(const void *host, uint64_t *address, uint64_t *bytes)
{
	struct entry *entry = registry_lookup(host, true);
	struct found *found;
	vgpuError_t error;

	if (!entry && host && managed_symbol(host, address, bytes))
		return vgpuSuccess;
	if (!entry) {
		say_if_name(host);
		return vgpuErrorInvalidSymbol;
	}
	if (entry->managed) {
		*address = (uint64_t)(uintptr_t)host;
		*bytes = entry->managed->bytes;
		return rt_variables_claim(entry->fatbin->code->variables);
	}
	error = find_variable(entry, &found);
	if (error != vgpuSuccess)
		return error;
	*address = found->address;
	*bytes = found->bytes;
	return vgpuSuccess;
}

vgpuError_t cuda_reference(const void *host, struct cuda_reference *out)
{
	struct entry *entry = registry_lookup(host, true);
	struct found *found;
	vgpuError_t error = entry ? find_variable(entry, &found) : vgpuErrorInvalidSymbol;

	if (error == vgpuSuccess)
		*out = (struct cuda_reference){ found->address, entry->as_float, &found->object };
	return error;
}

EXPORT void **__cudaRegisterFatBinary(void *fat);
EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
EXPORT void __cudaUnregisterFatBinary(void **handle);
EXPORT int __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
				  int threads, void *tid, void *bid, void *block, void *grid,
				  int *warp);
EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
			      int external, size_t bytes, int constant, int global);
EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **device,
				  const char *name, int dim, int norm, int external);
EXPORT void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
				     int external, size_t bytes, int constant, int global);
EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
EXPORT char __cudaInitModule(void **handle);
EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device,
				  const char *name, int dim, int external);

/* A program without the memory for this cannot go on, and there is nobody to tell yet. */
static void *must_alloc(size_t bytes)
{
	void *memory = calloc(1, bytes);

	if (!memory) {
		fprintf(stderr, "vgpu: no memory to register kernels\n");
		abort();
	}
	return memory;
}

static struct entry *registry_add(struct fatbin *fatbin, const void *host, const char *name,
				  bool variable)
{
	struct entry *entry = must_alloc(sizeof(*entry)), **at;

	entry->host = host;
	entry->name = name;
	entry->fatbin = fatbin;
	pthread_mutex_lock(&rt_lock);
	if (!variable) {
		entry->kernel = rt_library_kernel(fatbin->code, name);
		if (!entry->kernel)
			abort();
	}
	at = registry_bucket(host);
	entry->next = *at;
	*at = entry;
	pthread_mutex_unlock(&rt_lock);
	return entry;
}

static void registry_add_managed(struct fatbin *fatbin, const struct rt_variable_table *table)
{
	fatbin->library.variables = table;
	for (uint64_t i = 0; i < table->count; i++) {
		const struct rt_variable *variable = &table->variables[i];

		if (variable->bytes)
			registry_add(fatbin, variable->address, variable->name, true)->managed =
				variable;
	}
	pthread_mutex_lock(&rt_lock);
	rt_variables_add(table);
	pthread_mutex_unlock(&rt_lock);
}

/* Is it memory of another context, which is open? */
static bool is_elsewhere(const void *pointer)
{
	struct rt_state *before = rt_current;
	uint64_t base, bytes;
	bool found;

	rt_current = rt_owner(pointer);
	found = rt_current != before && rt.phase == RT_READY &&
		rt_alloc_find((uint64_t)(uintptr_t)pointer, &base, &bytes);
	rt_current = before;
	return found;
}

/* The code is loaded: host code finds managed variables by pointers of its own. */
static vgpuError_t set_managed(struct rt_library *library, struct vgpuModule *module)
{
	struct fatbin *fatbin = (struct fatbin *)library;
	uint64_t address, bytes;
	vgpuError_t error = vgpuSuccess;

	for (const struct managed *each = fatbin->managed; each && error == vgpuSuccess;
	     each = each->next) {
		error = rt_module_global(module, each->name, &address, &bytes);
		if (error == vgpuSuccess && *each->pointer && is_elsewhere(*each->pointer)) {
			rt_message("the managed variable `%s' is of another context", each->name);
			error = vgpuErrorNotSupported;
		}
		if (error == vgpuSuccess)
			*each->pointer = (void *)(uintptr_t)address;
	}
	return error;
}

/* With the lock held. */
static void link_to_others(struct fatbin *fatbin, const struct vgpu_own *own)
{
	struct linked *linked = links;
	Dl_info about = { 0 };

	dladdr(own, &about);
	while (linked && linked->object != about.dli_fbase)
		linked = linked->next;
	if (!linked) {
		linked = must_alloc(sizeof(*linked));
		linked->object = about.dli_fbase;
		linked->next = links;
		links = linked;
	}
	if (!rt_library_add_part(&linked->library, own))
		abort();
	/* the least of all: which kernel is in which file is not known any more */
	if (own->max_regs &&
	    (!linked->library.max_regs || own->max_regs < linked->library.max_regs))
		linked->library.max_regs = own->max_regs;
	linked->files++;
	fatbin->linked = linked;
	fatbin->part = own;
	fatbin->code = &linked->library;
}

static void unlink_from_others(struct fatbin *fatbin)
{
	struct linked *linked = fatbin->linked, **at = &links;

	rt_library_remove_part(&linked->library, fatbin->part);
	if (--linked->files)
		return;
	while (*at != linked)
		at = &(*at)->next;
	*at = linked->next;
	rt_library_forget(&linked->library);
	rt_by_context_free(&linked->library.on);
	free(linked->library.parts);
	free(linked);
}

void **__cudaRegisterFatBinary(void *fat)
{
	const struct own_wrapper *wrapper = fat;
	struct fatbin *fatbin = must_alloc(sizeof(*fatbin));
	const struct vgpu_own *own = NULL;

	fatbin->library.data = fat;
	fatbin->code = &fatbin->library;
	fatbin->library.loaded = set_managed;
	if ((uint32_t)wrapper->magic == VGPU_WRAPPER_MAGIC && wrapper->version == 1 &&
	    wrapper->data && !memcmp(wrapper->data, VGPU_OWN_MARK, strlen(VGPU_OWN_MARK)))
		own = wrapper->data;
	if (own) {
		fatbin->library.own = own;
		fatbin->library.max_regs = own->max_regs;
	}
	pthread_mutex_lock(&rt_lock);
	if (own && own->flags & VGPU_OWN_SEPARATE)
		link_to_others(fatbin, own);
	fatbin->next = fatbins;
	fatbins = fatbin;
	pthread_mutex_unlock(&rt_lock);
	if (own && wrapper->variables)
		registry_add_managed(fatbin, wrapper->variables);
	return (void **)fatbin;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

/* A shared object with kernels goes away: its host addresses may be used for other things next. */
void __cudaUnregisterFatBinary(void **handle)
{
	struct fatbin *fatbin = (struct fatbin *)handle, **at = &fatbins;

	pthread_mutex_lock(&rt_lock);
	for (unsigned int i = 0; i < BUCKETS; i++) {
		struct entry **link = &entries[i];

		while (*link) {
			struct entry *entry = *link;

			if (entry->fatbin != fatbin) {
				link = &entry->next;
				continue;
			}
			*link = entry->next;
			rt_by_context_free(&entry->on);
			free(entry);
		}
	}
	while (*at && *at != fatbin)
		at = &(*at)->next;
	if (*at)
		*at = fatbin->next;
	if (fatbin->library.variables)
		rt_variables_remove(fatbin->library.variables);
	rt_library_forget(&fatbin->library);
	rt_by_context_free(&fatbin->library.on);
	if (fatbin->linked)
		unlink_from_others(fatbin);
	pthread_mutex_unlock(&rt_lock);
	while (fatbin->managed) {
		struct managed *managed = fatbin->managed;

		fatbin->managed = managed->next;
		free(managed);
	}
	free(fatbin);
}

int __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
			   int threads, void *tid, void *bid, void *block, void *grid, int *warp)
{
	(void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	registry_add((struct fatbin *)handle, host, name, false);
	return 0;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
		       size_t bytes, int constant, int global)
{
	(void)device, (void)external, (void)bytes, (void)constant, (void)global;
	registry_add((struct fatbin *)handle, host, name, true);
}

/* nvcc's __managed__: kernels know the variable by its name, host code by a pointer. */
void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name,
			      int external, size_t bytes, int constant, int global)
{
	struct fatbin *fatbin = (struct fatbin *)handle;
	struct managed *managed = must_alloc(sizeof(*managed));

	(void)device, (void)external, (void)bytes, (void)constant, (void)global;
	managed->pointer = pointer;
	managed->name = name;
	managed->next = fatbin->managed;
	fatbin->managed = managed;
	/* symbols are named by the pointer's address */
	registry_add(fatbin, pointer, name, true);
}

/* Host code that uses a managed variable calls this before. */
char __cudaInitModule(void **handle)
{
	struct fatbin *fatbin = (struct fatbin *)handle;
	struct vgpuModule *module;
	vgpuError_t error;

	if (!fatbin->managed || *fatbin->managed->pointer)
		return 0;
	error = rt_enter();
	if (error == vgpuSuccess)
		error = rt_leave(rt_library_module(&fatbin->library, &module));
	return (char)(error != vgpuSuccess);
}

/* Of kernels that use variables of the host, which needs memory that all devices share. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
	(void)handle, (void)name, (void)host, (void)bytes;
}

/* Texture and surface references: variables that have the handle of what they are bound to. */
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
			   int dim, int norm, int external)
{
	(void)device, (void)dim, (void)external;
	registry_add((struct fatbin *)handle, host, name, true)->as_float = norm;
}

void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
			   int dim, int external)
{
	(void)device, (void)dim, (void)external;
	registry_add((struct fatbin *)handle, host, name, true);
}
