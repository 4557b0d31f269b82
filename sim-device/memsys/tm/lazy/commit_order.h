/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the commit unit of a partition (KILO TM, WarpTM; thesis 002, 4.1)
 *
 * Commit ids go through it in their order, each with the log of a warp:
 *
 *   log		comes at any time. Its reads are compared with memory, those of all logs in
 *		parallel: lanes whose value is another fail
 *   hazards	in order: a read of what an earlier commit id writes, which had not left when the
 *		log came, is a hazard: it is compared again when that one has left. Then its own
 *		writes are in the last-writer history (lwhr.h)
 *   verdict	in order: to the core. One with a hazard waits, and those behind it with it, until
 *		the writer has left; its verdict follows when it has been compared again
 *   decision	of the core, from all partitions: lanes that commit
 *   writes	in order, with the time of temporal conflict detection (tcd.h); then an
 *		acknowledgement, and it has left
 *
 * Nobody waits for a later commit id, so that there is no deadlock. There is always room for the
 * log of the earliest commit id that is missing.
 */
#ifndef VGPU_WTM_COMMIT_ORDER_H
#define VGPU_WTM_COMMIT_ORDER_H

#include "warptm.h"

/**
 * vgpu_wtm_log - a log of @log->reads and then @log->writes @words is here, with lanes or empty
 *
 * False: there is no room, the same again later. Logs of other cores may go first.
 */
bool vgpu_wtm_log(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		  const struct vgpu_wtm_log *log, const struct vgpu_wtm_word *words);
/**
 * vgpu_wtm_hazards - those of the next commit id are looked for; false: its log is not here
 *
 * *@words: how many have been looked up or stored. Time is the host's.
 */
bool vgpu_wtm_hazards(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u32 *words);
/** vgpu_wtm_next_read - a word has to be compared, *@read; false: there is none */
bool vgpu_wtm_next_read(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
			struct vgpu_wtm_read *read);
/**
 * vgpu_wtm_read - memory has, or had when it was read after vgpu_wtm_next_read(), @value
 *
 * True: *@verdict goes to its core.
 */
bool vgpu_wtm_read(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		   const struct vgpu_wtm_read *read, u32 value, struct vgpu_wtm_verdict *verdict);
/** vgpu_wtm_verdict - the next one in order, *@verdict, goes to its core; false: not yet */
bool vgpu_wtm_verdict(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		      struct vgpu_wtm_verdict *verdict);
/** vgpu_wtm_decide - of the warp with @cid, whose verdict was sent, @lanes commit */
void vgpu_wtm_decide(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 cid, u32 lanes);
/**
 * vgpu_wtm_leave - of the earliest commit id a word leaves, at @now, or what is left
 *
 * False: not yet. The host writes what *@left says in the same instant.
 */
bool vgpu_wtm_leave(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 now,
		    struct vgpu_wtm_left *left);

#endif
