/* SPDX-License-Identifier: MIT */
/*
 * The units of one partition, for tests that drive them by hand.
 */
#ifndef TEST_TM_RIG_H
#define TEST_TM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memsys/tm/commit.h"
#include "memsys/tm/precise.h"
#include "memsys/tm/validation.h"

struct rig {
	struct vgpu_tm tm;
	struct vgpu_tm_unit *unit;
	struct vgpu_tm_answer answer;	/* the last one */
};

void rig_open(struct rig *rig, const struct vgpu_tm_setup *setup);
void rig_close(struct rig *rig);
/* An access; its result */
enum vgpu_tm_result rig_access(struct rig *rig, u32 wid, u64 ts, enum vgpu_tm_kind kind,
			       u64 granule);
/* A log entry comes and goes through the commit unit. */
void rig_log(struct rig *rig, u64 granule, u32 writes, bool commits);
/* The entry of @granule in the precise table; there has to be one */
struct vgpu_tm_entry *rig_entry(struct rig *rig, u64 granule);
/* Times of the entry of @granule, "#writes" and owner are these */
void rig_expect(struct rig *rig, u64 granule, u64 wts, u64 rts, u32 writes, u32 owner);

#endif
