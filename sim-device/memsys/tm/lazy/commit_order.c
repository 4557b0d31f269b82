// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The commit unit of a partition; see commit_order.h.
 */
#include "commit_order.h"
#include "lwhr.h"
#include "tcd.h"

enum {
	WAITS,		/* for its reads, for its turn */
	AGAIN,		/* its turn has come, and its reads are compared once more */
	DECIDES,	/* its verdict is sent, or there is nothing to decide */
	DECIDED,
	HAS_LEFT,
};

static struct vgpu_wtm_entry *entry_of(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
				       u64 cid)
{
	return vgpu_wtm_entries(unit) + cid % wtm->setup.entries;
}

/* ---- words ------------------------------------------------------------------- */

/* One that is free, number + 1 */
static u32 get_word(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit)
{
	u32 number = unit->free;

	unit->used++;
	if (!number)
		return ++unit->fresh;
	unit->free = vgpu_wtm_words(wtm, unit)[number - 1].next;
	return number;
}

static void put_word(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u32 number)
{
	struct vgpu_wtm_kept *kept = &vgpu_wtm_words(wtm, unit)[number - 1];

	memset(kept, 0, sizeof(*kept));
	kept->next = unit->free;
	unit->free = number;
	/* none is there: as at the beginning */
	if (--unit->used)
		return;
	memset(vgpu_wtm_words(wtm, unit), 0, unit->fresh * sizeof(*kept));
	unit->fresh = 0;
	unit->free = 0;
}

static void put_first(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		      struct vgpu_wtm_entry *entry)
{
	u32 number = entry->first;

	entry->first = vgpu_wtm_words(wtm, unit)[number - 1].next;
	put_word(wtm, unit, number);
}

static void keep_words(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		       struct vgpu_wtm_entry *entry, const struct vgpu_wtm_word *words, u32 count)
{
	u32 *link = &entry->first;

	for (u32 n = 0; n < count; n++) {
		*link = get_word(wtm, unit);
		vgpu_wtm_words(wtm, unit)[*link - 1].word = words[n];
		link = &vgpu_wtm_words(wtm, unit)[*link - 1].next;
		*link = 0;
	}
}

/* ---- logs --------------------------------------------------------------------- */

/* Its reads have to be compared, all of them. */
static void queue_reads(struct vgpu_wtm_unit *unit, struct vgpu_wtm_entry *entry)
{
	u32 number = (u32)(entry - vgpu_wtm_entries(unit)) + 1;

	entry->next_read = entry->first;
	entry->asked = 0;
	entry->answered = 0;
	entry->next = 0;
	if (unit->last_reader)
		vgpu_wtm_entries(unit)[unit->last_reader - 1].next = number;
	else
		unit->first_reader = number;
	unit->last_reader = number;
}

/* The earliest log that is missing may have all; the others leave room for the largest one. */
static bool has_room(const struct vgpu_wtm *wtm, const struct vgpu_wtm_unit *unit, u64 cid,
		     u32 count)
{
	u32 kept = cid == unit->filled + 1 ? 0 : wtm->setup.log_words;

	return cid <= unit->left + wtm->setup.entries &&
	       (!count || (u64)unit->used + count + kept <= wtm->setup.words);
}

bool vgpu_wtm_log(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		  const struct vgpu_wtm_log *log, const struct vgpu_wtm_word *words)
{
	struct vgpu_wtm_entry *entry = entry_of(wtm, unit, log->cid);
	u32 count = (u32)log->reads + log->writes;

	if (!has_room(wtm, unit, log->cid, count))
		return false;
	*entry = (struct vgpu_wtm_entry){
		.cid = log->cid, .left_before = unit->left, .lanes = log->lanes,
		.commits = log->decided ? log->lanes : 0, .reads = log->reads,
		.writes = log->writes, .core = log->core, .warp = log->warp,
		.state = log->decided ? DECIDED : count ? WAITS : HAS_LEFT,
	};
	keep_words(wtm, unit, entry, words, count);
	if (log->reads)
		queue_reads(unit, entry);
	while (entry_of(wtm, unit, unit->filled + 1)->cid == unit->filled + 1)
		unit->filled++;
	return true;
}

/* ---- hazards -------------------------------------------------------------------- */

static void search_read(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
			struct vgpu_wtm_entry *entry, const struct vgpu_wtm_word *word)
{
	u64 cid = vgpu_lwhr_find(wtm, unit, word->address);

	if (cid > entry->left_before && wtm->setup.fault != VGPU_WTM_NO_HAZARDS)
		entry->after = vgpu_tm_later(entry->after, cid);
}

bool vgpu_wtm_hazards(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u32 *words)
{
	struct vgpu_wtm_entry *entry = entry_of(wtm, unit, unit->searched + 1);
	u32 reads = entry->reads, number = entry->first;

	*words = 0;
	if (unit->searched == unit->filled)
		return false;
	for (; number; number = vgpu_wtm_words(wtm, unit)[number - 1].next) {
		const struct vgpu_wtm_word *word = &vgpu_wtm_words(wtm, unit)[number - 1].word;
		bool is_read = reads > 0;

		reads -= is_read;
		if (!(word->lanes & ~entry->failed))
			continue;
		++*words;
		if (is_read)
			search_read(wtm, unit, entry, word);
		else
			vgpu_lwhr_store(wtm, unit, word->address, entry->cid);
	}
	unit->searched++;
	return true;
}

/* ---- validation ------------------------------------------------------------------- */

/* What has left at the earliest commit ids is not there any more. */
static void retire(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit)
{
	while (unit->left < unit->passed) {
		struct vgpu_wtm_entry *entry = entry_of(wtm, unit, unit->left + 1);

		if (entry->state != HAS_LEFT)
			return;
		memset(entry, 0, sizeof(*entry));
		unit->left++;
	}
}

/* The verdict of what needs its reads no more */
static void send_verdict(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
			 struct vgpu_wtm_entry *entry, struct vgpu_wtm_verdict *verdict)
{
	*verdict = (struct vgpu_wtm_verdict){
		.cid = entry->cid, .failed = entry->failed, .core = entry->core,
		.warp = entry->warp,
	};
	for (; entry->reads; entry->reads--)
		put_first(wtm, unit, entry);
	entry->asked = 0;
	entry->answered = 0;
	entry->after = 0;
	entry->state = DECIDES;
}

bool vgpu_wtm_next_read(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
			struct vgpu_wtm_read *read)
{
	struct vgpu_wtm_entry *entry;
	const struct vgpu_wtm_kept *kept;

	if (!unit->first_reader)
		return false;
	entry = &vgpu_wtm_entries(unit)[unit->first_reader - 1];
	kept = &vgpu_wtm_words(wtm, unit)[entry->next_read - 1];
	*read = (struct vgpu_wtm_read){ kept->word.address, entry->cid, entry->next_read };
	entry->next_read = kept->next;
	if (++entry->asked < entry->reads)
		return true;
	entry->next_read = 0;
	unit->first_reader = entry->next;
	if (!entry->next)
		unit->last_reader = 0;
	entry->next = 0;
	return true;
}

bool vgpu_wtm_read(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		   const struct vgpu_wtm_read *read, u32 value, struct vgpu_wtm_verdict *verdict)
{
	struct vgpu_wtm_entry *entry = entry_of(wtm, unit, read->cid);
	const struct vgpu_wtm_word *word = &vgpu_wtm_words(wtm, unit)[read->word - 1].word;

	if (word->value != value && wtm->setup.fault != VGPU_WTM_NO_VALIDATION)
		entry->failed |= word->lanes;
	if (++entry->answered < entry->reads || entry->state != AGAIN)
		return false;
	send_verdict(wtm, unit, entry, verdict);
	return true;
}

/* False: not yet. It has a hazard, and begins again: no verdict, *@sends is false. */
static bool pass(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		 struct vgpu_wtm_entry *entry, struct vgpu_wtm_verdict *verdict, bool *sends)
{
	bool fails = entry->failed == entry->lanes;

	*sends = false;
	if (entry->state != WAITS)
		return true;
	if (entry->answered < entry->reads || (entry->after > unit->left && !fails))
		return false;
	if (entry->after && !fails) {
		entry->state = AGAIN;
		queue_reads(unit, entry);
		return true;
	}
	send_verdict(wtm, unit, entry, verdict);
	*sends = true;
	return true;
}

bool vgpu_wtm_verdict(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		      struct vgpu_wtm_verdict *verdict)
{
	bool sends = false;

	while (unit->passed < unit->searched && !sends) {
		if (!pass(wtm, unit, entry_of(wtm, unit, unit->passed + 1), verdict, &sends))
			break;
		unit->passed++;
		retire(wtm, unit);
	}
	return sends;
}

/* ---- writes -------------------------------------------------------------------------- */

void vgpu_wtm_decide(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 cid, u32 lanes)
{
	struct vgpu_wtm_entry *entry = entry_of(wtm, unit, cid);

	entry->commits = lanes;
	entry->state = DECIDED;
}

/* The one whose turn it is; NULL: it has not been decided */
static struct vgpu_wtm_entry *leaving(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit)
{
	for (u64 cid = unit->left + 1; cid <= unit->passed; cid++) {
		struct vgpu_wtm_entry *entry = entry_of(wtm, unit, cid);

		if (entry->state == DECIDED)
			return entry;
		if (wtm->setup.fault != VGPU_WTM_ANY_ORDER)
			return NULL;
	}
	return NULL;
}

static void leave_word(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit,
		       struct vgpu_wtm_entry *entry, u64 now, struct vgpu_wtm_left *left)
{
	const struct vgpu_wtm_word *word = &vgpu_wtm_words(wtm, unit)[entry->first - 1].word;

	left->has_word = true;
	left->address = word->address;
	left->value = word->value;
	left->commits = (word->lanes & entry->commits) != 0;
	if (left->commits)
		vgpu_tcd_store(wtm, unit, word->address, now);
	put_first(wtm, unit, entry);
	entry->writes--;
}

bool vgpu_wtm_leave(const struct vgpu_wtm *wtm, struct vgpu_wtm_unit *unit, u64 now,
		    struct vgpu_wtm_left *left)
{
	struct vgpu_wtm_entry *entry = leaving(wtm, unit);

	if (!entry)
		return false;
	memset(left, 0, sizeof(*left));
	left->cid = entry->cid;
	left->core = entry->core;
	left->warp = entry->warp;
	if (entry->writes)
		leave_word(wtm, unit, entry, now, left);
	if (entry->writes)
		return true;
	left->acks = entry->commits != 0;
	entry->state = HAS_LEFT;
	retire(wtm, unit);
	return true;
}
