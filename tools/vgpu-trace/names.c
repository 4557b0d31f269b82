// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: names of kernels and engines. The trace has those of kernels as the linker does; of a
 * C++ name only what it is called is shown, without arguments.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

void trace_name_piece(struct kernel *kernel, const struct vgpu_trace_record *rec)
{
	uint64_t piece[3] = { rec->seq, rec->a, rec->b };

	if (rec->queue + sizeof(piece) < sizeof(kernel->name))
		memcpy(kernel->name + rec->queue, piece, sizeof(piece));
}

/*
 * Append a length and so many letters, as the names inside a mangled name are; what is behind it,
 * NULL: it is none.
 */
static const char *part(const char *from, char *to, size_t size)
{
	char *end;
	unsigned long length = isdigit((unsigned char)*from) ? strtoul(from, &end, 10) : 0;
	size_t have = strlen(to);

	if (!length || length > strlen(end))
		return NULL;
	snprintf(to + have, size - have, "%s%.*s", have ? "::" : "", (int)length, end);
	return end + length;
}

const char *trace_kernel_name(const struct kernel *kernel, char *text, size_t size)
{
	const char *at = kernel->name;

	text[0] = 0;
	if (!strncmp(at, "_ZN", 3)) {
		at += 3;
		while (at && *at != 'E')
			at = part(at, text, size);
	} else if (!strncmp(at, "_Z", 2)) {
		at = part(at + 2, text, size);
	}
	if (text[0])
		return text;
	if (kernel->name[0])
		snprintf(text, size, "%s", kernel->name);
	else if (kernel->module == ~0u)
		snprintf(text, size, "profiled %u", kernel->index);
	else
		snprintf(text, size, "module %u kernel %u", kernel->module, kernel->index);
	return text;
}

char *trace_engine_name(const struct trace *trace, uint32_t engine, char *text, size_t size)
{
	if (trace->copy_engines == 1)
		snprintf(text, size, "transfer engine");
	else
		snprintf(text, size, "copy engine %u", engine);
	return text;
}

const char *trace_decision_name(uint32_t decision)
{
	static const char *const names[VGPU_DECISION_COUNT] = {
		[VGPU_DECISION_ADMIT] = "admit",
		[VGPU_DECISION_ASSIGN] = "assign",
		[VGPU_DECISION_RESERVE] = "reserve",
		[VGPU_DECISION_EVICT] = "evict",
		[VGPU_DECISION_REPLACE] = "replace",
		[VGPU_DECISION_PARTITION] = "partition",
		[VGPU_DECISION_QUOTA] = "quota",
	};

	return decision < VGPU_DECISION_COUNT ? names[decision] : "?";
}
