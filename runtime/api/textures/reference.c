// SPDX-License-Identifier: MIT
/*
 * Texture and surface references of modules: reference.h.
 */
#include <stdlib.h>

#include "reference.h"

static struct rt_reference *references;	/* with rt_lock */

static bool is_stale(const struct rt_reference *reference)
{
	return reference->context->generation != reference->generation;
}

/* Those of contexts that were reset have nothing on the device any more. */
static void forget_stale(void)
{
	struct rt_reference **at = &references, *gone;

	while (*at) {
		gone = *at;
		if (is_stale(gone)) {
			*at = gone->next;
			free(gone);
		} else {
			at = &gone->next;
		}
	}
}

static vgpuError_t reference_new(struct rt_reference **out)
{
	struct rt_reference *reference = calloc(1, sizeof(*reference));

	if (!reference)
		return vgpuErrorMemoryAllocation;
	reference->context = rt_current;
	reference->generation = rt.generation;
	reference->format = (struct rt_format){ 1, 4, VGPU_TEXTURE_FLOAT };
	reference->sampling.small_as_float = true;
	reference->next = references;
	references = reference;
	*out = reference;
	return vgpuSuccess;
}

static void reference_free(struct rt_reference *reference)
{
	struct rt_reference **at = &references;

	while (*at != reference)
		at = &(*at)->next;
	*at = reference->next;
	free(reference);
}

/* No work of its context is left. */
static void forget_module(const struct vgpuModule *module)
{
	for (struct rt_reference *reference = references, *next; reference; reference = next) {
		next = reference->next;
		if (reference->module != module || is_stale(reference))
			continue;
		if (reference->object)
			rt_object_lose(reference->object, reference->surface);
		reference_free(reference);
	}
}

vgpuError_t rt_reference_of(struct vgpuModule *module, const char *name, bool surface,
			    struct rt_reference **out)
{
	struct rt_reference *reference;
	uint64_t address, bytes;
	vgpuError_t error = rt_module_global(module, name, &address, &bytes);

	if (error != vgpuSuccess)
		return error;
	if (bytes != sizeof(uint64_t))
		return vgpuErrorSymbolNotFound;
	forget_stale();
	for (reference = references; reference; reference = reference->next)
		if (reference->module == module && reference->variable == address)
			break;
	if (!reference) {
		error = reference_new(&reference);
		if (error != vgpuSuccess)
			return error;
		reference->module = module;
		reference->variable = address;
		rt_module_goes = forget_module;
		reference->surface = surface;
	}
	if (reference->surface != surface)
		return vgpuErrorInvalidValue;
	*out = reference;
	return vgpuSuccess;
}

vgpuError_t rt_reference_new(struct rt_reference **out)
{
	forget_stale();
	return reference_new(out);
}

vgpuError_t rt_reference_free(struct rt_reference *reference)
{
	if (reference->module)
		return vgpuErrorInvalidResourceHandle;
	reference_free(reference);
	return vgpuSuccess;
}

struct rt_reference *rt_reference_known(const void *handle, bool surface)
{
	struct rt_reference *reference = references;

	while (reference && reference != handle)
		reference = reference->next;
	return reference && !is_stale(reference) && reference->context == rt_current &&
			       reference->surface == surface ? reference : NULL;
}

/* Parts that may yet come to go together, and not what is bound. */
static bool is_of_parts(vgpuError_t error)
{
	return error == vgpuErrorInvalidFilterSetting || error == vgpuErrorInvalidNormSetting ||
	       error == vgpuErrorNotSupported;
}

/* The object and the variable become what @reference says. */
static vgpuError_t apply(struct rt_reference *reference)
{
	static const struct rt_view whole = { .whole = true };
	struct rt_source source = reference->source;
	uint64_t object = reference->object;
	vgpuError_t error;

	/* of no module: nothing can use it */
	if (!reference->bound || !reference->module)
		return vgpuSuccess;
	if (source.kind > RT_SOURCE_MIPMAP)
		source.format = reference->format;
	error = rt_object_change(&source, reference->surface ? NULL : &reference->sampling, &whole,
				 &object);
	if (is_of_parts(error))
		return reference->object ? rt_object_lose(reference->object, reference->surface) :
					   vgpuSuccess;
	if (error == vgpuSuccess)
		error = rt_write_words(reference->variable, &object, sizeof(object));
	if (error == vgpuSuccess)
		reference->object = object;
	return error;
}

vgpuError_t rt_reference_bind(struct rt_reference *reference, const struct rt_source *source)
{
	const struct rt_reference before = *reference;
	vgpuError_t error;

	reference->source = *source;
	reference->bound = true;
	if (source->kind > RT_SOURCE_MIPMAP)
		reference->format = source->format;
	error = apply(reference);
	/* the lock may have been given up meanwhile */
	if (error != vgpuSuccess && rt_reference_known(reference, before.surface)) {
		reference->source = before.source;
		reference->format = before.format;
		reference->bound = before.bound;
	}
	return error;
}

vgpuError_t rt_reference_update(struct rt_reference *reference)
{
	return apply(reference);
}
