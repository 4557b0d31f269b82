/* SPDX-License-Identifier: MIT */
/*
 * VGPU_TRACE=FILE: the records of an embedded device, and those of the program's own names
 * (docs/tracing.md).
 */
#ifndef VGPU_EMBEDDED_TRACE_H
#define VGPU_EMBEDDED_TRACE_H

#include <stdio.h>

#include "vgpu_model.h"

/*
 * Of the first device the file that is named, of the others that with their number behind it. *@out
 * is NULL if nobody has asked; -EINVAL: it cannot be opened, @message says why.
 */
int vgpu_embedded_trace_open(unsigned int index, FILE **out, char *message, size_t size);
/*
 * What the program calls a command or a queue: @record has its type, VGPU_TRACE_RANGE or
 * _STREAM_NAME, and all that is not of the text. NULL: a no-op.
 */
void vgpu_embedded_trace_text(FILE *trace, struct vgpu_trace_record record, const char *text);

#endif
