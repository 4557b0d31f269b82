// SPDX-License-Identifier: MIT
/*
 * The registry: __cudaRegister*() as clang's module constructors call them, and the lookups of
 * launches and symbols. Registration only remembers; PTX is compiled at the first use of a kernel
 * or variable of its file, once for each context of the process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/variables.h"
#include "registry.h"

#define EXPORT	__attribute__((visibility("default")))
#define WRAPPER_MAGIC	0x466243b1	/* of the struct clang registers */
#define BUCKETS	1024u

/* What tools/vgpucc puts in front of the PTX. */
struct blob {
	char mark[8];			/* "VGPUPTX1" */
	uint32_t max_regs;		/* 0: no limit */
	uint32_t reserved;
	char ptx[];
};

struct wrapper {
	int magic;
	int version;
	const void *data;
	const struct rt_variable_table *variables;	/* of ours only; NULL: it has none */
};

/* A file as one device has it. */
struct loaded {
	struct vgpuModule *module;	/* of context `generation` */
	uint64_t generation;
	vgpuError_t failed;		/* why it does not load */
	bool tried;
};

struct fatbin {
	struct fatbin *next;
	const struct blob *blob;	/* NULL: not ours */
	const struct rt_variable_table *variables;	/* __managed__; NULL: none */
	struct loaded on[RT_DEVICES];
};

/* A kernel or variable as one device has it. */
struct found {
	uint64_t generation;		/* of what follows */
	struct vgpuFunction *function;
	uint64_t address, bytes;
};

struct entry {
	struct entry *next;
	const void *host;
	const char *name;
	struct fatbin *fatbin;
	bool variable;
	const struct rt_variable *managed;	/* NULL: it is in the PTX, not in the process */
	struct found on[RT_DEVICES];
};

static struct fatbin *fatbins;
static struct entry *entries[BUCKETS];

static struct entry **registry_bucket(const void *host)
{
	return &entries[((uintptr_t)host >> 4) * 0x9e3779b97f4a7c15ull >> 54];
}

static struct entry *registry_lookup(const void *host, bool variable)
{
	struct entry *entry = *registry_bucket(host);

	while (entry && (entry->host != host || entry->variable != variable))
		entry = entry->next;
	return entry;
}

/* The module's managed variables are where they are in the process. */
static vgpuError_t load_blob(const struct fatbin *fatbin, struct vgpuModule **out)
{
	const struct rt_variable_table *variables = fatbin->variables;
	struct vgpu_compile_options options = { .max_regs = fatbin->blob->max_regs };
	struct vgpu_placed_symbol *placed;
	vgpuError_t error;

	if (!variables)
		return rt_module_load(fatbin->blob->ptx, &options, out);
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
	error = rt_module_load(fatbin->blob->ptx, &options, out);
	free(placed);
	return error;
}

static vgpuError_t registry_load(struct fatbin *fatbin, struct vgpuModule **out)
{
	struct loaded *loaded = &fatbin->on[rt_device()];

	if (!loaded->tried || loaded->generation != rt.generation) {
		*loaded = (struct loaded){ .tried = true, .generation = rt.generation };
		if (!fatbin->blob) {
			rt_message(
				"this program's kernels are not for vgpu: compile it with vgpucc");
			loaded->failed = vgpuErrorNoKernelImageForDevice;
		} else {
			loaded->failed = load_blob(fatbin, &loaded->module);
		}
		if (loaded->failed != vgpuSuccess)
			fprintf(stderr, "vgpu: %s\n", vgpuGetLastMessage());
	}
	*out = loaded->module;
	return loaded->failed;
}

vgpuError_t cuda_function(const void *host, struct vgpuFunction **out)
{
	struct entry *entry = registry_lookup(host, false);
	struct vgpuModule *module;
	struct found *found;
	vgpuError_t error;

	if (!entry)
		return vgpuErrorInvalidDeviceFunction;
	found = &entry->on[rt_device()];
	if (!found->function || found->generation != rt.generation) {
		error = registry_load(entry->fatbin, &module);
		if (error == vgpuSuccess)
			error = rt_module_function(module, entry->name, &found->function);
		if (error != vgpuSuccess)
			return error == vgpuErrorSymbolNotFound ? vgpuErrorInvalidDeviceFunction :
								  error;
		found->generation = rt.generation;
	}
	*out = found->function;
	return vgpuSuccess;
}

vgpuError_t cuda_symbol(const void *host, uint64_t *address, uint64_t *bytes)
{
	struct entry *entry = registry_lookup(host, true);
	struct vgpuModule *module;
	struct found *found;
	vgpuError_t error;

	if (!entry)
		return vgpuErrorInvalidSymbol;
	if (entry->managed) {
		*address = (uint64_t)(uintptr_t)host;
		*bytes = entry->managed->bytes;
		return rt_variables_claim(entry->fatbin->variables);
	}
	found = &entry->on[rt_device()];
	if (!found->address || found->generation != rt.generation) {
		error = registry_load(entry->fatbin, &module);
		if (error == vgpuSuccess)
			error = rt_module_global(module, entry->name, &found->address,
						 &found->bytes);
		if (error != vgpuSuccess)
			return error == vgpuErrorSymbolNotFound ? vgpuErrorInvalidSymbol : error;
		found->generation = rt.generation;
	}
	*address = found->address;
	*bytes = found->bytes;
	return vgpuSuccess;
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
	entry->variable = variable;
	pthread_mutex_lock(&rt_lock);
	at = registry_bucket(host);
	entry->next = *at;
	*at = entry;
	pthread_mutex_unlock(&rt_lock);
	return entry;
}

static void registry_add_managed(struct fatbin *fatbin, const struct rt_variable_table *table)
{
	fatbin->variables = table;
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

void **__cudaRegisterFatBinary(void *fat)
{
	const struct wrapper *wrapper = fat;
	struct fatbin *fatbin = must_alloc(sizeof(*fatbin));

	if (wrapper->magic == WRAPPER_MAGIC && wrapper->data &&
	    !memcmp(wrapper->data, "VGPUPTX1", 8))
		fatbin->blob = wrapper->data;
	pthread_mutex_lock(&rt_lock);
	fatbin->next = fatbins;
	fatbins = fatbin;
	pthread_mutex_unlock(&rt_lock);
	if (fatbin->blob && wrapper->variables)
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
			free(entry);
		}
	}
	while (*at && *at != fatbin)
		at = &(*at)->next;
	if (*at)
		*at = fatbin->next;
	if (fatbin->variables)
		rt_variables_remove(fatbin->variables);
	pthread_mutex_unlock(&rt_lock);
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

/* Textures and surfaces: a kernel that uses one is refused when it is compiled. */
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
			   int dim, int norm, int external)
{
	(void)handle, (void)host, (void)device, (void)name, (void)dim, (void)norm, (void)external;
}

void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
			   int dim, int external)
{
	(void)handle, (void)host, (void)device, (void)name, (void)dim, (void)external;
}
