/* SPDX-License-Identifier: MIT */
/*
 * The units of WarpTM of one partition, for tests that drive them by hand.
 */
#ifndef TEST_TM_LAZY_RIG_H
#define TEST_TM_LAZY_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memsys/tm/lazy/commit_order.h"

/**
 * struct lazy_rig - @log, @count, @words: the log that is being put together
 * @memory: word n is at address 4 * n
 * @verdict, @left: the last ones
 */
struct lazy_rig {
	struct vgpu_wtm wtm;
	struct vgpu_wtm_unit *unit;
	struct vgpu_wtm_log log;
	struct vgpu_wtm_word words[16];
	u32 memory[16];
	struct vgpu_wtm_verdict verdict;
	struct vgpu_wtm_left left;
	u64 now;
};

void lazy_rig_open(struct lazy_rig *rig, const struct vgpu_wtm_setup *setup);
void lazy_rig_close(struct lazy_rig *rig);
/* A log of @cid of these lanes begins; words of @lanes are added to it, reads first; it comes. */
void lazy_rig_begin(struct lazy_rig *rig, u64 cid, u32 lanes);
void lazy_rig_read(struct lazy_rig *rig, u32 word, u32 value, u32 lanes);
void lazy_rig_write(struct lazy_rig *rig, u32 word, u32 value, u32 lanes);
bool lazy_rig_comes(struct lazy_rig *rig);
/* All words that can be are compared with memory; true: a verdict has followed */
bool lazy_rig_compare(struct lazy_rig *rig);
/* Hazards of all logs that can be, of so many */
u32 lazy_rig_search(struct lazy_rig *rig);
/* The next verdict in order goes; it is of @cid, and @failed are its lanes. */
void lazy_rig_expect(struct lazy_rig *rig, u64 cid, u32 failed);
/* There is none. */
void lazy_rig_expect_none(struct lazy_rig *rig);
/* All that can leave does, and is written; how many words were */
u32 lazy_rig_leave(struct lazy_rig *rig);

#endif
