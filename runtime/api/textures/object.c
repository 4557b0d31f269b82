// SPDX-License-Identifier: MIT
/*
 * Texture and surface objects: object.h.
 */
#include <stdlib.h>
#include <string.h>

#include "texture_limits.h"
#include "memory/pool_store.h"
#include "object.h"

static struct rt_object *objects;	/* with rt_lock */

/** struct image - a descriptor before it is written */
struct image {
	uint32_t words[VGPU_TEXTURE_BYTES / 4];
};

static uint32_t *group(struct image *image, unsigned int offset)
{
	return &image->words[offset / 4];
}

/* ---- what goes into a descriptor ----------------------------------------- */

static unsigned int log2_of(uint32_t value)
{
	unsigned int log = 0;

	while (value >> log > 1)
		log++;
	return log;
}

static uint32_t format_word(const struct rt_format *format)
{
	return VGPU_TEXTURE_FORMAT(log2_of(rt_format_texel(format)), log2_of(format->bytes),
				   (uint32_t)format->channels, (uint32_t)format->kind);
}

static void put_level(struct image *image, unsigned int number, const struct rt_array_level *level)
{
	uint32_t *words = group(image, VGPU_TEXTURE_LEVEL + number * VGPU_TEXTURE_LEVEL_BYTES);

	words[0] = (uint32_t)level->base;
	words[1] = (uint32_t)(level->base >> 32);
	words[2] = (uint32_t)level->pitch;
	words[3] = level->width;
	words[4] = (uint32_t)level->plane;
	words[5] = (uint32_t)(level->plane >> 32);
	words[6] = level->height;
	words[7] = level->depth;
}

static uint32_t bits_of(float number)
{
	uint32_t bits;

	memcpy(&bits, &number, 4);
	return bits;
}

/* What a fetch outside gives is what one inside would: a float, or an integer. */
static uint32_t border_bits(float number, const struct rt_format *format, bool as_float)
{
	if (format->kind == VGPU_TEXTURE_FLOAT || as_float)
		return bits_of(number);
	if (format->kind == VGPU_TEXTURE_SIGNED)
		return number >= -2147483648.0f && number < 2147483648.0f ?
			       (uint32_t)(int32_t)number : 0;
	return number >= 0.0f && number < 4294967296.0f ? (uint32_t)number : 0;
}

/* Wrap and mirror are for coordinates from 0 to 1 (the guide: others are clamped). */
static uint32_t address_mode(unsigned int mode, bool unit)
{
	return unit || mode == VGPU_TEXTURE_OUTSIDE ? mode : VGPU_TEXTURE_CLAMP;
}

static void put_sampling(struct image *image, const struct rt_sampling *s,
			 const struct rt_format *format)
{
	uint32_t *mip = group(image, VGPU_TEXTURE_MIP);
	uint32_t word = 0;

	for (unsigned int i = 0; i < 3; i++)
		word |= address_mode(s->address[i], s->unit) << 2 * i;
	word |= (s->linear ? VGPU_TEXTURE_LINEAR : 0) | (s->unit ? VGPU_TEXTURE_UNIT : 0) |
		(s->as_float && format->kind != VGPU_TEXTURE_FLOAT ? VGPU_TEXTURE_AS_FLOAT : 0) |
		(s->mip_linear ? VGPU_TEXTURE_MIP_LINEAR : 0) |
		(s->srgb ? VGPU_TEXTURE_SRGB : 0);
	group(image, VGPU_TEXTURE_HEAD)[2] = word;
	mip[0] = bits_of(s->bias);
	mip[1] = bits_of(s->least);
	mip[2] = bits_of(s->most);
	for (unsigned int i = 0; i < 4; i++)
		group(image, VGPU_TEXTURE_BORDER)[i] =
			border_bits(s->border[i], format, s->as_float);
}

/* The levels and layers of an array that a view shows. */
static vgpuError_t put_array(struct image *image, const struct rt_array *array,
			     const struct rt_view *view)
{
	const struct rt_array_shape *shape = &array->shape;
	bool cube = shape->flags & RT_ARRAY_CUBE, layered = shape->flags & RT_ARRAY_LAYERED;
	unsigned int first = 0, last = shape->levels - 1, from = 0, to = 0;

	if (layered || cube)
		to = (unsigned int)shape->depth - 1;
	if (!view->whole) {
		first = view->first_level;
		last = view->last_level;
		if (layered || cube) {
			from = view->first_layer;
			to = view->last_layer ? view->last_layer : to;
		}
	}
	if (last < first || last >= shape->levels || to < from ||
	    ((layered || cube) && to >= shape->depth))
		return vgpuErrorInvalidValue;
	for (unsigned int n = first; n <= last; n++) {
		struct rt_array_level level = array->level[n];

		level.base += from * level.plane;
		if (layered || cube)
			level.depth = to - from + 1;
		put_level(image, n - first, &level);
	}
	group(image, VGPU_TEXTURE_HEAD)[3] =
		((to - from + 1) / (cube ? 6 : 1)) | (last - first + 1) << 16;
	group(image, VGPU_TEXTURE_MIP)[3] = shape->flags;
	return vgpuSuccess;
}

/*
 * Device memory: one row of texels, or rows. One row may reach beyond its memory, as with CUDA:
 * programs give more than they fetch from, and a fetch from there is like any other access.
 */
static vgpuError_t put_memory(struct image *image, const struct rt_source *source)
{
	uint32_t texel = rt_format_texel(&source->format);
	bool rows = source->kind == RT_SOURCE_PITCH;
	struct rt_array_level level = {
		.base = source->address, .pitch = rows ? source->pitch : 0, .depth = 1,
		.width = (uint32_t)(rows ? source->width : source->width / texel),
		.height = rows ? (uint32_t)source->height : 1,
	};
	uint64_t base, bytes, last;

	if (rows ? source->width > RT_TEXTURE_PITCHED || source->height > RT_TEXTURE_ROWS ||
		   source->pitch > RT_TEXTURE_PITCH || source->pitch % RT_TEXTURE_PITCH_ALIGNMENT ||
		   source->width * texel > source->pitch || !source->height :
		   source->width / texel > RT_TEXTURE_LINEAR)
		return vgpuErrorInvalidValue;
	if (!level.width || source->address % texel)
		return vgpuErrorInvalidValue;
	last = rows ? (uint64_t)(source->height - 1) * source->pitch + source->width * texel :
		      (uint64_t)level.width * texel;
	if (!rt_memory_find(source->address, &base, &bytes) ||
	    (rows && last > bytes - (source->address - base))) {
		if (!rt_is_mapped((void *)(uintptr_t)source->address, last))
			return vgpuErrorInvalidValue;
	}
	level.plane = level.pitch * level.height;
	put_level(image, 0, &level);
	group(image, VGPU_TEXTURE_HEAD)[3] = 1 | 1 << 16;
	return vgpuSuccess;
}

/* ---- what does not go together ------------------------------------------- */

static vgpuError_t check_format(const struct rt_format *format, const struct rt_sampling *s)
{
	bool integers = format->kind != VGPU_TEXTURE_FLOAT;

	if (!rt_format_valid(format))
		return vgpuErrorInvalidChannelDescriptor;
	if (integers && s->as_float && format->bytes == 4)
		return vgpuErrorInvalidNormSetting;
	if (s->srgb && (format->kind != VGPU_TEXTURE_UNSIGNED || format->bytes > 1 ||
			!s->as_float)) {
		rt_message("sRGB is of unsigned channels of 8 bits that are read as floats");
		return vgpuErrorNotSupported;
	}
	if (integers && !s->as_float && s->linear)
		return vgpuErrorInvalidFilterSetting;
	return vgpuSuccess;
}

static vgpuError_t check_sampling(const struct rt_sampling *s)
{
	for (unsigned int i = 0; i < 3; i++)
		if (s->address[i] > VGPU_TEXTURE_OUTSIDE)
			return vgpuErrorInvalidValue;
	return vgpuSuccess;
}

/* With the lock held. The format of the source, if that is one. */
static vgpuError_t check_source(const struct rt_source *source, struct rt_format *format)
{
	const struct rt_array *array;

	*format = source->format;
	if (source->kind > RT_SOURCE_PITCH)
		return vgpuErrorInvalidValue;
	if (source->kind > RT_SOURCE_MIPMAP)
		return rt_format_valid(format) ? vgpuSuccess : vgpuErrorInvalidChannelDescriptor;
	array = rt_array_known(source->array, source->kind == RT_SOURCE_MIPMAP);
	if (!array)
		return vgpuErrorInvalidResourceHandle;
	if (array->context != rt_current)
		return vgpuErrorInvalidValue;
	*format = array->shape.format;
	return vgpuSuccess;
}

/* What is read as a float, where that depends on the format. */
static struct rt_sampling sampling_of(const struct rt_sampling *said,
				      const struct rt_format *format)
{
	struct rt_sampling sampling = *said;

	if (said->small_as_float)
		sampling.as_float = format->kind != VGPU_TEXTURE_FLOAT && format->bytes < 4;
	return sampling;
}

/* With the lock held. */
static vgpuError_t make_image(struct image *image, const struct rt_source *source,
			      const struct rt_sampling *said, const struct rt_view *view)
{
	struct rt_format format;
	struct rt_sampling full, *sampling = said ? &full : NULL;
	vgpuError_t error = check_source(source, &format);

	memset(image, 0, sizeof(*image));
	if (error == vgpuSuccess && view->format.channels) {
		if (rt_format_texel(&view->format) != rt_format_texel(&format))
			error = vgpuErrorInvalidValue;
		format = view->format;
	}
	if (error == vgpuSuccess && sampling) {
		full = sampling_of(said, &format);
		error = check_sampling(sampling);
		if (error == vgpuSuccess)
			error = check_format(&format, sampling);
	}
	if (error == vgpuSuccess && !sampling &&
	    (source->kind != RT_SOURCE_ARRAY || !(source->array->shape.flags & RT_ARRAY_SURFACE)))
		error = vgpuErrorInvalidValue;
	if (error != vgpuSuccess)
		return error;
	group(image, VGPU_TEXTURE_HEAD)[0] =
		sampling ? VGPU_TEXTURE_OBJECT : VGPU_TEXTURE_SURFACE;
	group(image, VGPU_TEXTURE_HEAD)[1] = format_word(&format);
	if (sampling)
		put_sampling(image, sampling, &format);
	return source->kind <= RT_SOURCE_MIPMAP ? put_array(image, source->array, view) :
						  put_memory(image, source);
}

/* ---- objects ------------------------------------------------------------- */

static bool is_there(const struct rt_object *object)
{
	return object->context == rt_current && object->generation == rt.generation;
}

/* Behind all that the default stream has; with the lock held. */
vgpuError_t rt_write_words(uint64_t handle, const void *words, uint64_t bytes)
{
	struct rt_queue *queue = rt.default_stream.queue;
	vgpuError_t error = rt_flush(queue);

	return error != vgpuSuccess ? error :
				      rt_copy_held(queue, VGPU_CMD_COPY_H2D, handle,
						   (uint64_t)(uintptr_t)words, bytes);
}

/* One whose place is free, or a new one; with the lock held. */
static vgpuError_t get_object(struct rt_object **out)
{
	struct rt_object *object;
	vgpuError_t error;

	for (object = objects; object; object = object->next)
		if (!object->live && (is_there(object) || !object->context))
			break;
	if (!object) {
		object = calloc(1, sizeof(*object));
		if (!object)
			return vgpuErrorMemoryAllocation;
		object->next = objects;
		objects = object;
	}
	if (!object->context) {
		error = rt_alloc_private(VGPU_TEXTURE_BYTES, &object->handle);
		if (error != vgpuSuccess)
			return error;
		object->context = rt_current;
		object->generation = rt.generation;
	}
	*out = object;
	return vgpuSuccess;
}

/* What contexts that were reset had is forgotten; with the lock held. */
static void forget_old(void)
{
	for (struct rt_object *object = objects; object; object = object->next)
		if (object->context && object->context->generation != object->generation) {
			object->context = NULL;
			object->live = false;
		}
}

static struct rt_object *find_object(uint64_t handle, bool surface)
{
	struct rt_object *object = objects;

	while (object && !(object->live && object->handle == handle && object->context &&
			   object->context->generation == object->generation &&
			   object->surface == surface))
		object = object->next;
	return object;
}

vgpuError_t rt_object_change(const struct rt_source *source, const struct rt_sampling *sampling,
			     const struct rt_view *view, uint64_t *handle)
{
	struct rt_object *object = NULL;
	struct image image;
	vgpuError_t error;

	forget_old();
	error = make_image(&image, source, sampling, view);
	if (error == vgpuSuccess && *handle) {
		error = rt_sync_all();
		object = find_object(*handle, !sampling);
	}
	if (error == vgpuSuccess && (!object || !is_there(object)))
		error = get_object(&object);
	if (error == vgpuSuccess)
		error = rt_write_words(object->handle, &image, sizeof(image));
	if (error == vgpuSuccess) {
		object->live = true;
		object->surface = !sampling;
		object->source = *source;
		object->sampling = sampling ? *sampling : (struct rt_sampling){ 0 };
		object->view = *view;
		*handle = object->handle;
	}
	return error;
}

static vgpuError_t create(const struct rt_source *source, const struct rt_sampling *sampling,
			  const struct rt_view *view, uint64_t *handle)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	return rt_leave(rt_object_change(source, sampling, view, handle));
}

vgpuError_t rt_texture_create(const struct rt_source *source, const struct rt_sampling *sampling,
			      const struct rt_view *view, uint64_t *handle)
{
	*handle = 0;
	return create(source, sampling, view, handle);
}

vgpuError_t rt_surface_create(const struct rt_source *source, uint64_t *handle)
{
	static const struct rt_view whole = { .whole = true };

	*handle = 0;
	return create(source, NULL, &whole, handle);
}

vgpuError_t rt_texture_change(const struct rt_source *source, const struct rt_sampling *sampling,
			      uint64_t *handle)
{
	static const struct rt_view whole = { .whole = true };

	return create(source, sampling, &whole, handle);
}

vgpuError_t rt_surface_change(const struct rt_source *source, uint64_t *handle)
{
	static const struct rt_view whole = { .whole = true };

	return create(source, NULL, &whole, handle);
}

/* With the lock held, in its context, of which no work goes on. */
static vgpuError_t end_object(struct rt_object *object)
{
	static const uint32_t gone = VGPU_TEXTURE_GONE;

	object->live = false;
	return rt_write_words(object->handle, &gone, sizeof(gone));
}

vgpuError_t rt_object_lose(uint64_t handle, bool surface)
{
	struct rt_object *object = find_object(handle, surface);
	vgpuError_t error;

	if (!object)
		return vgpuSuccess;
	error = rt_sync_all();
	/* the lock was given up */
	object = find_object(handle, surface);
	return error == vgpuSuccess && object ? end_object(object) : error;
}

vgpuError_t rt_object_destroy(uint64_t handle, bool surface)
{
	struct rt_state *before = rt_current;
	struct rt_object *object;
	vgpuError_t error;

	if (!handle)
		return vgpuSuccess;
	pthread_mutex_lock(&rt_lock);
	object = find_object(handle, surface);
	if (object)
		rt_current = object->context;
	pthread_mutex_unlock(&rt_lock);
	error = object ? rt_enter() : rt_result(vgpuErrorInvalidValue);
	if (object && error == vgpuSuccess) {
		error = rt_sync_all();
		/* the lock was given up */
		object = find_object(handle, surface);
		if (error == vgpuSuccess)
			error = object ? end_object(object) : vgpuErrorInvalidValue;
		error = rt_leave(error);
	}
	rt_current = before;
	return error;
}

vgpuError_t rt_object_find(uint64_t handle, bool surface, struct rt_object *out)
{
	struct rt_object *object;

	pthread_mutex_lock(&rt_lock);
	object = find_object(handle, surface);
	if (object)
		*out = *object;
	pthread_mutex_unlock(&rt_lock);
	return rt_result(object ? vgpuSuccess : vgpuErrorInvalidValue);
}

static bool is_of(const struct rt_object *object, const struct rt_array *array)
{
	const struct rt_array *own = object->source.array;

	return object->live && is_there(object) && object->source.kind <= RT_SOURCE_MIPMAP &&
	       (own == array || own->mipmap == array);
}

vgpuError_t rt_textures_lose(const struct rt_array *array)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	error = rt_sync_all();
	for (struct rt_object *object = objects; object && error == vgpuSuccess;
	     object = object->next)
		if (is_of(object, array))
			error = end_object(object);
	return rt_leave(error);
}
