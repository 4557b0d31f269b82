// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The validation unit; see validation.h.
 */
#include "approximate.h"
#include "precise.h"
#include "rollover.h"
#include "stall.h"
#include "validation.h"

static u64 stamp_of(const struct vgpu_tm *tm, const struct vgpu_tm_request *request)
{
	return vgpu_tm_stamp(tm, request->ts, request->wid);
}

static bool is_own(const struct vgpu_tm *tm, const struct vgpu_tm_entry *entry,
		   const struct vgpu_tm_request *request)
{
	if (!entry->writes || entry->owner != request->wid)
		return false;
	return tm->setup.fault == VGPU_TM_OWNER_IS_WARP ||
	       tm->setup.fault == VGPU_TM_STORE_KEEPS_WTS ||
	       entry->wts == vgpu_tm_successor(tm, stamp_of(tm, request));
}

/* Test of the timestamps: the cause of an abort */
static enum vgpu_tm_cause test_times(const struct vgpu_tm *tm, const struct vgpu_tm_entry *entry,
				     const struct vgpu_tm_request *request)
{
	u64 stamp = stamp_of(tm, request);

	if (request->kind == VGPU_TM_LOAD)
		return stamp < entry->wts ? VGPU_TM_WAR : VGPU_TM_NO_CAUSE;
	if (stamp < entry->wts)
		return VGPU_TM_WAW;
	if (stamp < entry->rts)
		return VGPU_TM_RAW;
	if (tm->setup.rule == VGPU_TM_STRICT && stamp == entry->rts &&
	    entry->reader != request->wid + 1u)
		return VGPU_TM_RAW;
	return VGPU_TM_NO_CAUSE;
}

/* ---- what follows ------------------------------------------------------------ */

static void load(const struct vgpu_tm *tm, struct vgpu_tm_entry *entry,
		 const struct vgpu_tm_request *request)
{
	u64 stamp = stamp_of(tm, request);

	if (tm->setup.fault == VGPU_TM_LOAD_KEEPS_RTS)
		return;
	if (stamp > entry->rts)
		entry->reader = (u16)(request->wid + 1);
	else if (stamp == entry->rts && entry->reader != request->wid + 1u)
		entry->reader = 0;
	entry->rts = vgpu_tm_later(entry->rts, stamp);
}

static void store(const struct vgpu_tm *tm, struct vgpu_tm_entry *entry,
		  const struct vgpu_tm_request *request)
{
	entry->writes++;
	entry->owner = request->wid;
	if (tm->setup.fault != VGPU_TM_STORE_KEEPS_WTS)
		entry->wts = vgpu_tm_successor(tm, stamp_of(tm, request));
}

static void abort_with(struct vgpu_tm_answer *answer, enum vgpu_tm_cause cause, u64 time)
{
	answer->result = VGPU_TM_ABORT;
	answer->cause = (u8)cause;
	answer->time = time;
}

static u64 reported(const struct vgpu_tm_entry *entry, const struct vgpu_tm_request *request)
{
	return vgpu_tm_time(request->kind == VGPU_TM_LOAD ?
			    entry->wts : vgpu_tm_later(entry->wts, entry->rts));
}

static void queue(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		  struct vgpu_tm_answer *answer)
{
	if (vgpu_tm_stall_add(tm, unit, &answer->request))
		answer->result = VGPU_TM_QUEUED;
	else
		abort_with(answer, VGPU_TM_STALL_FULL, answer->request.ts);
}

/* @old: the entry, NULL if there is none; @entry: a copy, or one from the approximate table */
static void succeed(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, struct vgpu_tm_entry *old,
		    struct vgpu_tm_entry *entry, struct vgpu_tm_answer *answer)
{
	answer->result = VGPU_TM_SUCCESS;
	answer->time = vgpu_tm_time(vgpu_tm_later(entry->wts, entry->rts));
	if (is_own(tm, entry, &answer->request))
		answer->time = answer->request.ts;
	if (answer->request.kind == VGPU_TM_LOAD)
		load(tm, entry, &answer->request);
	else
		store(tm, entry, &answer->request);
	if (old)
		*old = *entry;
	else if (!vgpu_tm_precise_insert(tm, unit, entry, &answer->cost))
		abort_with(answer, VGPU_TM_NO_ROOM, answer->request.ts);
}

static void validate(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		     struct vgpu_tm_answer *answer)
{
	const struct vgpu_tm_request *request = &answer->request;
	bool lock_first = tm->setup.fault == VGPU_TM_LOCK_FIRST;
	struct vgpu_tm_entry *old, entry;
	enum vgpu_tm_cause cause;

	old = vgpu_tm_precise_find(tm, unit, request->granule, &answer->cost);
	if (old) {
		entry = *old;
	} else {
		memset(&entry, 0, sizeof(entry));
		entry.tag = request->granule + 1;
		vgpu_tm_approximate_find(tm, unit, request->granule, &entry.wts, &entry.rts);
	}
	cause = test_times(tm, &entry, request);
	if (is_own(tm, &entry, request))
		succeed(tm, unit, old, &entry, answer);
	else if (cause && !(lock_first && entry.writes))
		abort_with(answer, cause, reported(&entry, request));
	else if (entry.writes)
		queue(tm, unit, answer);
	else
		succeed(tm, unit, old, &entry, answer);
}

void vgpu_tm_access(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		    const struct vgpu_tm_request *request, struct vgpu_tm_answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	answer->request = *request;
	if (unit->ring == VGPU_TM_STALLED_FOR_CORES && request->epoch == unit->epoch)
		answer->result = VGPU_TM_DROPPED;
	else if (unit->ring != VGPU_TM_RUNS)
		answer->result = VGPU_TM_STALLED;
	else if (request->ts >= tm->setup.limit)
		answer->result = VGPU_TM_ROLLOVER;
	else
		validate(tm, unit, answer);
}

/* ---- who waits ----------------------------------------------------------------- */

static bool is_ready(const struct vgpu_tm *tm, const struct vgpu_tm_entry *entry,
		     const struct vgpu_tm_request *request)
{
	if (!entry || !entry->writes)
		return true;
	if (tm->setup.fault == VGPU_TM_RETRY_UNLOCKED)
		return false;
	return is_own(tm, entry, request) ||
	       (tm->setup.fault != VGPU_TM_LOCK_FIRST && test_times(tm, entry, request));
}

/* Of line @line, the one with the smallest timestamp; the number of its entries: none */
static u32 find_ready(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u32 line)
{
	const struct vgpu_tm_request *waiters = vgpu_tm_waiters(tm, unit, line);
	const struct vgpu_tm_line *of = &vgpu_tm_lines(tm, unit)[line];
	struct vgpu_tm_cost cost = { 0 };
	const struct vgpu_tm_entry *entry;
	u32 count = (u32)of->count, first = count;

	if (!count)
		return count;
	/* who releases a lock has its entry: nobody looks it up for this */
	entry = vgpu_tm_precise_find(tm, unit, of->tag - 1, &cost);
	for (u32 n = 0; n < count; n++)
		if (is_ready(tm, entry, &waiters[n]) &&
		    (first == count ||
		     stamp_of(tm, &waiters[n]) < stamp_of(tm, &waiters[first])))
			first = n;
	return first;
}

bool vgpu_tm_retry(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		   struct vgpu_tm_answer *answer)
{
	for (u32 line = 0; line < tm->setup.stall_lines; line++) {
		u32 n = find_ready(tm, unit, line);
		struct vgpu_tm_request request;

		if (n == vgpu_tm_lines(tm, unit)[line].count)
			continue;
		vgpu_tm_stall_take(tm, unit, line, n, &request);
		vgpu_tm_access(tm, unit, &request, answer);
		return true;
	}
	return false;
}

bool vgpu_tm_release(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u64 granule, u32 writes,
		     struct vgpu_tm_cost *cost)
{
	struct vgpu_tm_entry *entry = vgpu_tm_precise_find(tm, unit, granule, cost);

	if (!entry || entry->writes < writes)
		return false;
	entry->writes -= writes;
	if (!entry->writes)
		vgpu_tm_precise_unlocked(tm, unit, entry, cost);
	return true;
}
