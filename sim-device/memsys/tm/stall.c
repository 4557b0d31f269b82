// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The stall buffer; see stall.h.
 */
#include "stall.h"

/* That of the granule, or a free one */
static u32 find_line(const struct vgpu_tm *tm, const struct vgpu_tm_line *lines, u64 tag)
{
	u32 free = tm->setup.stall_lines;

	for (u32 line = 0; line < tm->setup.stall_lines; line++) {
		if (lines[line].tag == tag)
			return line;
		if (!lines[line].tag && free == tm->setup.stall_lines)
			free = line;
	}
	return free;
}

bool vgpu_tm_stall_add(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		       const struct vgpu_tm_request *request)
{
	struct vgpu_tm_line *lines = vgpu_tm_lines(tm, unit);
	u32 line = find_line(tm, lines, request->granule + 1);

	if (line == tm->setup.stall_lines || lines[line].count == tm->setup.stall_entries)
		return false;
	lines[line].tag = request->granule + 1;
	vgpu_tm_waiters(tm, unit, line)[lines[line].count++] = *request;
	return true;
}

void vgpu_tm_stall_take(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u32 line, u32 n,
			struct vgpu_tm_request *request)
{
	struct vgpu_tm_request *waiters = vgpu_tm_waiters(tm, unit, line);
	struct vgpu_tm_line *of = &vgpu_tm_lines(tm, unit)[line];

	*request = waiters[n];
	waiters[n] = waiters[--of->count];
	memset(&waiters[of->count], 0, sizeof(*waiters));
	if (!of->count)
		of->tag = 0;
}

u32 vgpu_tm_stalled(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit)
{
	u32 count = 0;

	for (u32 line = 0; line < tm->setup.stall_lines; line++)
		count += (u32)vgpu_tm_lines(tm, unit)[line].count;
	return count;
}
