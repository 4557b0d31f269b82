// SPDX-License-Identifier: MIT
/*
 * Code of a fat binary, unpacked: LZ4 blocks (nvcc up to 12, --compress-mode=speed) and zstd frames
 * (nvcc 12.8 and later).
 */
#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "fatbin.h"

static bool unpack_lz4(const struct vgpu_code *code, char *out)
{
	int got;

	if (code->bytes > INT_MAX || code->unpacked > INT_MAX)
		return false;
	got = LZ4_decompress_safe((const char *)code->data, out, (int)code->bytes,
				  (int)code->unpacked);
	return got >= 0 && (size_t)got == code->unpacked;
}

static bool unpack_zstd(const struct vgpu_code *code, char *out)
{
	return ZSTD_decompress(out, code->unpacked, code->data, code->bytes) == code->unpacked;
}

char *vgpu_code_unpack(const struct vgpu_code *code)
{
	char *out = malloc(code->unpacked + 1);
	bool done = true;

	if (!out)
		return NULL;
	switch (code->packing) {
	case VGPU_PLAIN:
		memcpy(out, code->data, code->bytes);
		break;
	case VGPU_LZ4:
		done = unpack_lz4(code, out);
		break;
	case VGPU_ZSTD:
		done = unpack_zstd(code, out);
		break;
	}
	if (!done) {
		free(out);
		return NULL;
	}
	out[code->unpacked] = 0;
	return out;
}
