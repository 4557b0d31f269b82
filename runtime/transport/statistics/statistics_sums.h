/* SPDX-License-Identifier: MIT */
/*
 * Sums of what was counted for launches, by kernel, stream, context and SM, and how a line of a
 * VGPU_STATS file is written, in JSON and in CSV. statistics.c has the file.
 */
#ifndef VGPU_STATISTICS_SUMS_H
#define VGPU_STATISTICS_SUMS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "vgpu_model.h"

enum vgpu_stats_scope {
	VGPU_STATS_LAUNCH,
	VGPU_STATS_LAUNCH_SM,		/* what a launch has on one SM */
	VGPU_STATS_KERNEL,
	VGPU_STATS_STREAM,
	VGPU_STATS_CONTEXT,
	VGPU_STATS_SM,
	VGPU_STATS_DEVICE,
	VGPU_STATS_SCOPES
};

/**
 * struct vgpu_stats_sum - a line: a launch, or the sum of several
 * @name: of the kernel; NULL: of several
 * @label: what the program calls the range of a launch, or a stream; NULL: nothing
 * @launch, @context, @queue, @sm: ~0: of several
 * @launches: how many
 * @duration_ps: from start to end, of all of them
 */
struct vgpu_stats_sum {
	enum vgpu_stats_scope scope;
	const char *name;
	const char *label;
	u32 launch;
	u32 context;
	u32 queue;
	u32 sm;
	u64 launches;
	u64 duration_ps;
	u64 preempted_ps;
	uint64_t value[VGPU_COUNTER_COUNT];
};

/** struct vgpu_stats_sums - all of them; zero at first */
struct vgpu_stats_sums {
	struct vgpu_stats_sum *sum;
	size_t count, room;
	bool failed;			/* there was no memory: they are not complete */
};

void vgpu_stats_sums_add(struct vgpu_stats_sums *sums, const struct vgpu_launch_counts *counts);
void vgpu_stats_sums_free(struct vgpu_stats_sums *sums);

/* A launch; on all SMs, or on @sm */
struct vgpu_stats_sum vgpu_stats_of_launch(const struct vgpu_launch_counts *counts);
struct vgpu_stats_sum vgpu_stats_of_sm(const struct vgpu_launch_counts *counts, u32 sm);
bool vgpu_stats_is_zero(const struct vgpu_stats_sum *sum);

/* "launch", "launch-sm", "kernel" … */
const char *vgpu_stats_scope_name(enum vgpu_stats_scope scope);

/* @counts: of the launch that the line is of, or part of; NULL: it is a sum */
void vgpu_stats_csv_head(FILE *out, const struct vgpu_config *config);
void vgpu_stats_csv(FILE *out, const struct vgpu_config *config, const struct vgpu_stats_sum *sum,
		    const struct vgpu_launch_counts *counts);
void vgpu_stats_json_head(FILE *out, const struct vgpu_config *config);
/* An object, with those of its SMs if it is a launch */
void vgpu_stats_json(FILE *out, const struct vgpu_config *config, const struct vgpu_stats_sum *sum,
		     const struct vgpu_launch_counts *counts);

#endif
