/* SPDX-License-Identifier: MIT */
/*
 * Between the driver API's words for arrays and textures and the native ones. A CUarray is a
 * struct rt_array, as a cudaArray_t is.
 */
#ifndef VGPU_DRIVER_TEXTURES_H
#define VGPU_DRIVER_TEXTURES_H

#include "api/textures/object.h"
#include "driver.h"

/* array.c: false for what no texel can be */
bool drv_format(CUarray_format format, unsigned int channels, struct rt_format *out);
CUarray_format drv_array_format(const struct rt_format *format);

/* texture.c: CU_TRSF_... of what is sampled so */
unsigned int drv_texture_flags(const struct rt_sampling *sampling);

#endif
