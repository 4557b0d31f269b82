// SPDX-License-Identifier: MIT
/*
 * The PTX of texture fetches (texture.cu), as a string.
 */
#include "texture/ptx.h"

const char vgpu_texture_ptx[] =
#include "texture.ptx.h"
	;
