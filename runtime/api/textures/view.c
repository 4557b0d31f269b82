// SPDX-License-Identifier: MIT
/*
 * Views of arrays, as programs say them: object.h.
 */
#include "object.h"

/* CUDA's numbers, cudaResourceViewFormat and CUresourceViewFormat. */
#define PLAIN_FORMATS	24		/* 1 to 24; behind them are compressed blocks */
#define ALL_FORMATS	34

/* Each kind of channel has three formats: with 1, 2 and 4 channels. */
static struct rt_format view_format(unsigned int number)
{
	static const struct rt_format kinds[] = {
		{ 0, 1, VGPU_TEXTURE_UNSIGNED }, { 0, 1, VGPU_TEXTURE_SIGNED },
		{ 0, 2, VGPU_TEXTURE_UNSIGNED }, { 0, 2, VGPU_TEXTURE_SIGNED },
		{ 0, 4, VGPU_TEXTURE_UNSIGNED }, { 0, 4, VGPU_TEXTURE_SIGNED },
		{ 0, 2, VGPU_TEXTURE_FLOAT },	 { 0, 4, VGPU_TEXTURE_FLOAT },
	};
	struct rt_format format = kinds[(number - 1) / 3];

	format.channels = (uint8_t)(1u << (number - 1) % 3);
	return format;
}

vgpuError_t rt_view_make(const struct rt_view_asked *asked, const struct rt_source *source,
			 struct rt_view *view)
{
	*view = (struct rt_view){ .whole = !asked };
	if (!asked)
		return vgpuSuccess;
	if (source->kind > RT_SOURCE_MIPMAP || asked->format < 0 || asked->format > ALL_FORMATS)
		return vgpuErrorInvalidValue;
	if (asked->format > PLAIN_FORMATS) {
		rt_message("a view of compressed blocks is not supported: decompress them before");
		return vgpuErrorNotSupported;
	}
	if (asked->format)
		view->format = view_format((unsigned int)asked->format);
	view->first_level = asked->first_level;
	view->last_level = asked->last_level;
	view->first_layer = asked->first_layer;
	view->last_layer = asked->last_layer;
	return vgpuSuccess;
}

/* The number of a format, 0: it is no view's. */
static int number_of(const struct rt_format *format)
{
	for (unsigned int number = 1; number <= PLAIN_FORMATS; number++) {
		struct rt_format this = view_format(number);

		if (this.channels == format->channels && this.bytes == format->bytes &&
		    this.kind == format->kind)
			return (int)number;
	}
	return 0;
}

vgpuError_t rt_view_tell(const struct rt_object *object, struct rt_view_asked *asked)
{
	const struct rt_array_shape *shape;

	if (object->view.whole)
		return vgpuErrorInvalidValue;
	shape = &object->source.array->shape;
	*asked = (struct rt_view_asked){
		number_of(&object->view.format), shape->width, shape->height, shape->depth,
		object->view.first_level, object->view.last_level, object->view.first_layer,
		object->view.last_layer,
	};
	return vgpuSuccess;
}
