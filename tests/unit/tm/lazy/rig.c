// SPDX-License-Identifier: MIT
/*
 * The units of WarpTM of one partition; see rig.h.
 */
#include "rig.h"

void lazy_rig_open(struct lazy_rig *rig, const struct vgpu_wtm_setup *setup)
{
	memset(rig, 0, sizeof(*rig));
	assert_null(vgpu_wtm_check(setup));
	vgpu_wtm_init(&rig->wtm, setup);
	rig->unit = calloc(1, rig->wtm.bytes);
}

void lazy_rig_close(struct lazy_rig *rig)
{
	free(rig->unit);
}

void lazy_rig_begin(struct lazy_rig *rig, u64 cid, u32 lanes)
{
	rig->log = (struct vgpu_wtm_log){ .cid = cid, .lanes = lanes, .core = 3, .warp = 7 };
}

static void add_word(struct lazy_rig *rig, u32 word, u32 value, u32 lanes)
{
	rig->words[rig->log.reads + rig->log.writes] = (struct vgpu_wtm_word){
		word * (u64)VGPU_WTM_WORD_BYTES, value, lanes,
	};
}

void lazy_rig_read(struct lazy_rig *rig, u32 word, u32 value, u32 lanes)
{
	add_word(rig, word, value, lanes);
	rig->log.reads++;
}

void lazy_rig_write(struct lazy_rig *rig, u32 word, u32 value, u32 lanes)
{
	add_word(rig, word, value, lanes);
	rig->log.writes++;
}

bool lazy_rig_comes(struct lazy_rig *rig)
{
	return vgpu_wtm_log(&rig->wtm, rig->unit, &rig->log, rig->words);
}

bool lazy_rig_compare(struct lazy_rig *rig)
{
	struct vgpu_wtm_read read;
	bool sends = false;

	while (vgpu_wtm_next_read(&rig->wtm, rig->unit, &read))
		sends |= vgpu_wtm_read(&rig->wtm, rig->unit, &read,
				       rig->memory[read.address / VGPU_WTM_WORD_BYTES],
				       &rig->verdict);
	return sends;
}

u32 lazy_rig_search(struct lazy_rig *rig)
{
	u32 count = 0, words;

	while (vgpu_wtm_hazards(&rig->wtm, rig->unit, &words))
		count++;
	return count;
}

void lazy_rig_expect(struct lazy_rig *rig, u64 cid, u32 failed)
{
	assert_true(vgpu_wtm_verdict(&rig->wtm, rig->unit, &rig->verdict));
	assert_int_equal(rig->verdict.cid, cid);
	assert_int_equal(rig->verdict.failed, failed);
	assert_int_equal(rig->verdict.core, 3);
	assert_int_equal(rig->verdict.warp, 7);
}

void lazy_rig_expect_none(struct lazy_rig *rig)
{
	assert_false(vgpu_wtm_verdict(&rig->wtm, rig->unit, &rig->verdict));
}

u32 lazy_rig_leave(struct lazy_rig *rig)
{
	u32 count = 0;

	while (vgpu_wtm_leave(&rig->wtm, rig->unit, rig->now, &rig->left)) {
		if (!rig->left.commits)
			continue;
		rig->memory[rig->left.address / VGPU_WTM_WORD_BYTES] = rig->left.value;
		count++;
	}
	return count;
}
