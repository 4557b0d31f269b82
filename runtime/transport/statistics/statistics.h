/* SPDX-License-Identifier: MIT */
/*
 * VGPU_STATS=FILE.json or FILE.csv: what an embedded device has counted for each launch
 * (docs/statistics.md). Each launch is in the file as soon as it has ended, and the file is valid
 * then: a program that is killed leaves the launches that it has made. What follows from them, the
 * sums by kernel, stream, context and SM, comes when the device ends. Where the program makes it
 * again, its launches are added, and their numbers and those of contexts go on.
 *
 * A process that fork() has made writes nothing: the file is its parent's.
 */
#ifndef VGPU_STATISTICS_H
#define VGPU_STATISTICS_H

#include <stddef.h>

#include "vgpu_model.h"

struct vgpu_statistics;

/*
 * For device @index of the program, whose shape is @config. *@out is NULL if nobody has asked.
 * -EINVAL: the file cannot be written, its name has another ending, or it has launches of a device
 * of another shape; -ENOMEM. @message says which.
 */
int vgpu_statistics_open(unsigned int index, const struct vgpu_config *config,
			 struct vgpu_statistics **out, char *message, size_t size);
/* Writes the sums. NULL: a no-op. Without it that is done when the program ends. */
void vgpu_statistics_close(struct vgpu_statistics *statistics);
/* What the program calls a queue, or with @seq the range in which it has made that command of it */
void vgpu_statistics_name(struct vgpu_statistics *statistics, u32 context, u32 queue, u64 seq,
			  const char *text);
/* @context is closed: its launches have been added, and commands with names that were none go. */
void vgpu_statistics_leave(struct vgpu_statistics *statistics, u32 context);
void vgpu_statistics_add(struct vgpu_statistics *statistics,
			 const struct vgpu_launch_counts *counts);

#endif
