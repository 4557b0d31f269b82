// SPDX-License-Identifier: MIT
/*
 * The file of VGPU_TRACE; see embedded_trace.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "embedded_trace.h"
#include "utf8.h"

int vgpu_embedded_trace_open(unsigned int index, FILE **out, char *message, size_t size)
{
	const char *wanted = getenv("VGPU_TRACE");
	char path[4096];

	*out = NULL;
	if (!wanted || !*wanted)
		return 0;
	snprintf(path, sizeof(path), index ? "%s.%u" : "%s", wanted, index);
	*out = fopen(path, "we");
	if (!*out) {
		snprintf(message, size, "VGPU_TRACE: cannot open %s: %s", path, strerror(errno));
		return -EINVAL;
	}
	fwrite("VGPUTRC1", 8, 1, *out);
	return 0;
}

void vgpu_embedded_trace_text(FILE *trace, struct vgpu_trace_record record, const char *text)
{
	char kept[VGPU_TRACE_NAME_BYTES];
	size_t length = vgpu_utf8_copy(kept, text, sizeof(kept));
	bool range = record.type == VGPU_TRACE_RANGE;
	size_t bytes = (range ? 2 : 3) * sizeof(u64);

	record.sm = 0xffff;
	for (size_t at = 0; trace && at < length; at += bytes) {
		u64 piece[3] = {};

		memcpy(piece, kept + at, length - at < bytes ? length - at : bytes);
		record.kernel = (u32)at;
		if (!range)
			record.seq = piece[0];
		record.a = piece[!range];
		record.b = piece[1 + !range];
		fwrite(&record, sizeof(record), 1, trace);
	}
}
