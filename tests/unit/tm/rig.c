// SPDX-License-Identifier: MIT
/*
 * The units of one partition; see rig.h.
 */
#include "rig.h"

void rig_open(struct rig *rig, const struct vgpu_tm_setup *setup)
{
	memset(rig, 0, sizeof(*rig));
	assert_null(vgpu_tm_check(setup));
	vgpu_tm_init(&rig->tm, setup);
	rig->unit = calloc(1, rig->tm.bytes);
}

void rig_close(struct rig *rig)
{
	free(rig->unit);
}

enum vgpu_tm_result rig_access(struct rig *rig, u32 wid, u64 ts, enum vgpu_tm_kind kind,
			       u64 granule)
{
	const struct vgpu_tm_request request = {
		.granule = granule, .ts = ts, .wid = (u16)wid, .kind = (u8)kind,
		.epoch = rig->unit->epoch,
	};

	vgpu_tm_access(&rig->tm, rig->unit, &request, &rig->answer);
	return rig->answer.result;
}

void rig_log(struct rig *rig, u64 granule, u32 writes, bool commits)
{
	const struct vgpu_tm_log log = { granule, writes, commits };
	struct vgpu_tm_drained drained;
	u32 slot;

	assert_true(vgpu_tm_commit_add(&rig->tm, rig->unit, &log, &slot));
	assert_true(vgpu_tm_commit_drain(&rig->tm, rig->unit, &drained));
	assert_int_equal(drained.granule, granule);
	assert_int_equal(drained.slot, slot);
	assert_int_equal(drained.commits, commits);
	assert_false(drained.lost);
}

struct vgpu_tm_entry *rig_entry(struct rig *rig, u64 granule)
{
	struct vgpu_tm_cost cost = { 0 };
	struct vgpu_tm_entry *entry;

	entry = vgpu_tm_precise_find(&rig->tm, rig->unit, granule, &cost);
	assert_non_null(entry);
	return entry;
}

void rig_expect(struct rig *rig, u64 granule, u64 wts, u64 rts, u32 writes, u32 owner)
{
	const struct vgpu_tm_entry *entry = rig_entry(rig, granule);

	assert_int_equal(vgpu_tm_time(entry->wts), wts);
	assert_int_equal(vgpu_tm_time(entry->rts), rts);
	assert_int_equal(entry->writes, writes);
	if (writes)
		assert_int_equal(entry->owner, owner);
}
