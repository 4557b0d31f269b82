// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What each instruction of a launch costs (trace_lines, docs/pipeline.md): how often it was issued,
 * and for how many cycles a warp scheduler issued nothing because of it. These are the cycles that
 * are counted for the SM (enum vgpu_stall, SMK 6.4), each given to one instruction: of those that
 * were fetched and wait, the one that was fetched first; where none waits, the one at which the
 * warp stands that came first. So the sums of a device are the same.
 *
 * Counts are an SM's own, so its windows may run beside others. They go to the trace when the
 * launch has ended.
 */
#include "pipeline.h"

/** struct vgpu_pipe_lines - of one launch; row @rows - 1: of no instruction */
struct vgpu_pipe_lines {
	struct vgpu_pipe_lines *next;
	u32 launch;
	u32 rows;
	u64 counts[][VGPU_LINE_COUNTS];
};

static struct vgpu_pipe_lines *find_lines(const struct vgpu_pipe *p,
					  const struct vgpu_launch *launch)
{
	struct vgpu_pipe_lines *lines = p->lines;

	while (lines && lines->launch != launch->id)
		lines = lines->next;
	return lines;
}

void vgpu_lines_come(struct vgpu_pipe *p, const struct vgpu_launch *launch)
{
	u32 rows = launch->kernel->vass.code_count + 1;
	struct vgpu_pipe_lines *lines;

	if (find_lines(p, launch))
		return;
	lines = vgpu_mem_alloc_device(sizeof(*lines) + rows * sizeof(lines->counts[0]));
	if (!lines)
		return;
	lines->launch = launch->id;
	lines->rows = rows;
	lines->next = p->lines;
	p->lines = lines;
}

void vgpu_lines_fini(struct vgpu_pipe *p)
{
	while (p->lines) {
		struct vgpu_pipe_lines *next = p->lines->next;

		vgpu_mem_free_device(p->lines);
		p->lines = next;
	}
}

static void add_count(struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw, u32 pc,
		enum vgpu_line_count what, u64 count)
{
	struct vgpu_pipe_lines *lines = find_lines(p, pw->block->launch);

	if (lines)
		lines->counts[pc < lines->rows ? pc : lines->rows - 1][what] += count;
}

void vgpu_lines_issue(struct vgpu_pipe *p, const struct vgpu_pipe_entry *e)
{
	add_count(p, e->warp, e->pc, VGPU_LINE_ISSUED, 1);
}

/* ---- who is to blame ------------------------------------------------------ */

static bool may_be_to_blame(const struct vgpu_pipe_entry *e, enum vgpu_stall why)
{
	return e->state == VGPU_ENTRY_READY || e->state == VGPU_ENTRY_REFUSED ||
	       (why == VGPU_STALL_DATA && e->state == VGPU_ENTRY_WAITING);
}

/* Of @pw, the instruction that was fetched first and waits, if it was before @oldest. */
static const struct vgpu_pipe_entry *older_of(const struct vgpu_pipe *p,
					      const struct vgpu_pipe_warp *pw, enum vgpu_stall why,
					      const struct vgpu_pipe_entry *oldest)
{
	for (u64 slots = pw->slots; slots; slots &= slots - 1) {
		const struct vgpu_pipe_entry *e =
			&p->entries[pw->entry[__builtin_ctzll(slots)]];

		if (may_be_to_blame(e, why) && (!oldest || e->age < oldest->age))
			oldest = e;
	}
	return oldest;
}

static enum vgpu_line_count reason_of(const struct vgpu_pipe *p, const struct vgpu_pipe_entry *e)
{
	const struct vgpu_pipe_warp *pw = e->warp;

	if (e->state == VGPU_ENTRY_READY)
		return VGPU_LINE_UNIT;
	if (e->state == VGPU_ENTRY_REFUSED)
		return VGPU_LINE_QUEUE;
	if (e->wait_store || e->wait_alone)
		return VGPU_LINE_MEMORY;
	for (u64 slots = e->wait_commit; slots; slots &= slots - 1)
		if (p->entries[pw->entry[__builtin_ctzll(slots)]].d.flags & VGPU_DEC_GLOBAL)
			return VGPU_LINE_MEMORY;
	return VGPU_LINE_OPERAND;
}

/* Why nothing is fetched of @pw; *@pc: where it stands. */
static enum vgpu_line_count held_by(const struct vgpu_pipe_warp *pw, u32 *pc)
{
	*pc = pw->w->pc;
	if (pw->held & (VGPU_HELD_EXITED | VGPU_HELD_STOP))
		return VGPU_LINE_END;
	if (pw->held & VGPU_HELD_FAULT)
		return VGPU_LINE_PAGE;
	if (pw->held & VGPU_HELD_BARRIER) {
		/* it stands behind it */
		*pc -= *pc ? 1 : 0;
		return VGPU_LINE_BARRIER;
	}
	return pw->held & (VGPU_HELD_CONTROL | VGPU_HELD_DRAIN) ? VGPU_LINE_BRANCH :
								   VGPU_LINE_FETCH;
}

/* Does @a tell more than @b, which may be NULL? One that can go on; of several, the oldest. */
static bool tells_more(const struct vgpu_pipe_warp *a, const struct vgpu_pipe_warp *b)
{
	bool a_ended = a->held & VGPU_HELD_EXITED, b_ended = b && b->held & VGPU_HELD_EXITED;

	if (!b || a_ended != b_ended)
		return !b || b_ended;
	return a->order < b->order;
}

void vgpu_lines_stall(struct vgpu_pipe *p, u32 n, enum vgpu_stall why, u64 cycles)
{
	const struct vgpu_pipe_warp *stands = NULL, *any = NULL;
	const struct vgpu_pipe_entry *oldest = NULL;
	enum vgpu_line_count reason;
	u32 pc;

	for (u32 word = 0; word < p->warp_words; word++)
		for (u64 bits = p->used[word]; bits; bits &= bits - 1) {
			u32 index = word * 64 + (u32)__builtin_ctzll(bits);
			const struct vgpu_pipe_warp *pw = p->warps[index];

			any = pw;
			if (vgpu_pipe_scheduler_of(p, index) != n)
				continue;
			if (why != VGPU_STALL_CONTROL)
				oldest = older_of(p, pw, why, oldest);
			if (tells_more(pw, stands))
				stands = pw;
		}
	if (oldest) {
		add_count(p, oldest->warp, oldest->pc, reason_of(p, oldest), cycles);
	} else if (stands) {
		reason = held_by(stands, &pc);
		add_count(p, stands, pc, reason, cycles);
	} else if (any) {
		/* others have warps */
		add_count(p, any, ~0u, VGPU_LINE_END, cycles);
	}
}

/* ---- to the trace --------------------------------------------------------- */

static void emit_lines(const struct vgpu_sm *sm, const struct vgpu_launch *launch,
		 const struct vgpu_pipe_lines *lines)
{
	for (u32 pc = 0; pc < lines->rows; pc++)
		for (u32 what = 0; what < VGPU_LINE_COUNTS; what++) {
			if (!lines->counts[pc][what])
				continue;
			vgpu_trace_emit(sm->trace, &(struct vgpu_trace_record){
				.type = VGPU_TRACE_LINE,
				.sm = (u16)sm->index,
				.context = launch->context,
				.kernel = launch->id,
				.queue = pc < lines->rows - 1 ? pc : ~0u,
				.seq = what,
				.a = lines->counts[pc][what],
			});
		}
}

void vgpu_sm_report_lines(struct vgpu_sm *sm, const struct vgpu_launch *launch)
{
	struct vgpu_pipe_lines **at, *lines;

	if (likely(!sm->pipe || !sm->pipe->lines))
		return;
	for (at = &sm->pipe->lines; *at && (*at)->launch != launch->id; at = &(*at)->next)
		;
	lines = *at;
	if (!lines)
		return;
	if (sm->trace->on)
		emit_lines(sm, launch, lines);
	*at = lines->next;
	vgpu_mem_free_device(lines);
}
