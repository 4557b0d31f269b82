// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The lanes on the lines of an access. An access has a small register file of its own, with the
 * operands that it has read, and an instruction on these. To the lanes, a line is a page of which
 * they touch nothing else: they hold a translation of it that points to where the line lies.
 */
#include "pipeline.h"

static bool is_atomic(u32 op)
{
	return op >= VGPU_OP_ATOM && op <= VGPU_OP_ATOMSQ;
}

u32 vgpu_access_bytes(const struct vgpu_insn *i)
{
	if (is_atomic(i->op))
		return i->op < VGPU_OP_ATOMQ ? 4 : VGPU_F_ATOM_128(i->flags) ? 16 : 8;
	return VGPU_F_SIZE(i->flags) * VGPU_F_COUNT(i->flags);
}

static u32 *reg(struct vgpu_pipe_access *access, u32 slot)
{
	return &access->regs[slot * VGPU_LANES];
}

/* ---- operands ------------------------------------------------------------------ */

static void copy_in(struct vgpu_pipe_access *access, u32 to, const u32 *regs, u32 from, u32 count)
{
	memcpy(reg(access, to), &regs[from * VGPU_LANES], count * VGPU_LANES * sizeof(u32));
}

static u32 slots_of_result(const struct vgpu_insn *i)
{
	if (is_atomic(i->op))
		return vgpu_access_bytes(i) / 4;
	return VGPU_F_COUNT(i->flags) * (VGPU_F_SIZE(i->flags) == 8 ? 2 : 1);
}

static u32 slots_of_value(const struct vgpu_insn *i)
{
	bool both = is_atomic(i->op) && VGPU_F_ATOM(i->flags) == VGPU_ATOM_CAS128;

	return slots_of_result(i) << both;
}

/* From the log, an address or operand of 8 bytes an entry. */
static void read_log(struct vgpu_pipe_access *access)
{
	const struct vgpu_pipe_entry *e = access->entry;
	const struct vgpu_pipe_block *pb = vgpu_pipe_block(e->warp->block);

	for (u32 n = 0; n < e->log_count; n++)
		memcpy(reg(access, 2 * n), pb->log + e->log[n] * VGPU_LOG_ENTRY, VGPU_LOG_ENTRY);
}

void vgpu_access_capture(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	struct vgpu_pipe_entry *e = access->entry;
	const struct vgpu_insn *i = e->insn;
	const struct vgpu_warp *w = e->warp->w;
	bool store = e->d.flags & VGPU_DEC_WRITES && !is_atomic(i->op);

	(void)p;
	access->insn = *i;
	access->insn.guard = VGPU_PT;
	access->insn.a = VGPU_ACCESS_A;
	access->insn.b = store || is_atomic(i->op) ? VGPU_ACCESS_B : 0;
	access->insn.c = is_atomic(i->op) ? VGPU_ACCESS_C : 0;
	access->insn.dst = store ? 0 : VGPU_ACCESS_DST;
	if (e->logged) {
		access->lanes = e->active;
		read_log(access);
		return;
	}
	access->lanes = e->active & vgpu_pipe_guarded(w, i);
	if (!(i->flags & VGPU_F_ABS))
		copy_in(access, VGPU_ACCESS_A, w->regs, i->a, 2);
	if (store || is_atomic(i->op))
		copy_in(access, VGPU_ACCESS_B, w->regs, i->b, slots_of_value(i));
	if (is_atomic(i->op) && VGPU_F_ATOM(i->flags) == VGPU_ATOM_CAS)
		copy_in(access, VGPU_ACCESS_C, w->regs, i->c, slots_of_value(i));
}

/* ---- lines ---------------------------------------------------------------------- */

static struct vgpu_pipe_line *line_of(struct vgpu_pipe_access *access, u64 address)
{
	for (u32 n = access->count; n-- > 0;)
		if (access->line[n].address == address)
			return &access->line[n];
	access->line[access->count] = (struct vgpu_pipe_line){ .address = address };
	return &access->line[access->count++];
}

/* Of lane @l; @a: its operand A, of all lanes. */
static u64 address_of(const struct vgpu_insn *i, const u64 *a, u32 l)
{
	return (i->flags & VGPU_F_ABS ? 0 : a[l]) + i->imm;
}

/* For the classifier of its context; an instruction that is replayed counts again. */
static void count_access(const struct vgpu_pipe_access *access)
{
	struct vgpu_access_counts *counts = access->entry->warp->block->launch->counts;

	if (!counts->on)
		return;
	counts->accesses++;
	counts->lines += access->count;
	for (u32 n = 0; n < access->count; n++) {
		bool before = false;

		for (u32 j = 0; j < n && !before; j++)
			before = !((access->line[j].address ^ access->line[n].address) >>
				   VGPU_COUNTED_PAGE_SHIFT);
		counts->pages += !before;
	}
}

bool vgpu_access_coalesce(struct vgpu_pipe *p, struct vgpu_pipe_access *access)
{
	const u64 *a = (const u64 *)reg(access, VGPU_ACCESS_A);
	const struct vgpu_insn *i = &access->insn;
	u64 odd = 0, last = ~0ull, bytes = vgpu_access_bytes(i);
	struct vgpu_pipe_line *line = NULL;

	(void)p;
	access->count = 0;
	for (u32 lanes = access->lanes; lanes; lanes &= lanes - 1) {
		u32 l = (u32)__builtin_ctz(lanes);
		u64 address = address_of(i, a, l);

		access->address[l] = address;
		odd |= address & (bytes - 1);
		odd |= address >= VGPU_ADDRESS_LIMIT;
		address &= ~(u64)(VGPU_LINE - 1);
		if (address != last)
			line = line_of(access, address);
		last = address;
		line->lanes |= lanes & -lanes;
	}
	if (unlikely(access->entry->warp->block->launch->counts))
		count_access(access);
	return !odd;
}

/* ---- order within a warp ------------------------------------------------------------ */

static bool is_weak(const struct vgpu_pipe_entry *e)
{
	u32 order = VGPU_MEM_ORDER(e->insn->mem);

	return !is_atomic(e->insn->op) && (order == VGPU_ORDER_WEAK || order == VGPU_ORDER_NC);
}

static bool touches(const struct vgpu_pipe_access *access, u64 line)
{
	for (u32 n = 0; n < access->count; n++)
		if (access->line[n].address == line)
			return true;
	return false;
}

/* Does @e, of which @lanes take part, touch no line of @access? */
static bool is_apart(const struct vgpu_pipe_entry *e, u32 lanes,
		     const struct vgpu_pipe_access *access)
{
	const struct vgpu_insn *i = e->insn;
	const u64 *a = (const u64 *)&e->warp->w->regs[i->a * VGPU_LANES];
	u64 bytes = vgpu_access_bytes(i), last = ~0ull;

	for (; lanes; lanes &= lanes - 1) {
		u64 address = address_of(i, a, (u32)__builtin_ctz(lanes));
		u64 line = address & ~(u64)(VGPU_LINE - 1);

		/* other memory, or it ends its kernel */
		if (address >= VGPU_ADDRESS_LIMIT || address & (bytes - 1))
			return false;
		if (line != last && touches(access, line))
			return false;
		last = line;
	}
	return true;
}

static bool is_unsent_load(const struct vgpu_pipe_entry *e)
{
	if ((e->d.flags & (VGPU_DEC_GLOBAL | VGPU_DEC_WRITES)) != VGPU_DEC_GLOBAL)
		return false;
	/* without an access: not read yet, or to be replayed; else it is shared or local memory */
	return e->access ? e->access->unsent :
			   e->state <= VGPU_ENTRY_ISSUED || e->state == VGPU_ENTRY_FAULTED;
}

bool vgpu_access_loads_wait(const struct vgpu_pipe *p, const struct vgpu_pipe_warp *pw)
{
	for (u64 slots = pw->slots; slots; slots &= slots - 1)
		if (is_unsent_load(&p->entries[pw->entry[__builtin_ctzll(slots)]]))
			return true;
	return false;
}

/* The same of @older, a load: if it is known where it loads, and @e stores elsewhere. */
static bool may_pass_load(const struct vgpu_pipe_entry *e, u32 lanes,
			  const struct vgpu_pipe_entry *older)
{
	return !is_unsent_load(older) ||
	       (older->access && !older->access->whole && !e->logged &&
		is_apart(e, lanes, older->access));
}

bool vgpu_access_may_pass(const struct vgpu_pipe *p, const struct vgpu_pipe_entry *e)
{
	const struct vgpu_pipe_warp *pw = e->warp;
	u32 lanes;

	if (pw->unsent && (!p->config->overtake_stores || e->logged || !is_weak(e)))
		return false;
	lanes = e->active & vgpu_pipe_guarded(pw->w, e->insn);
	for (u64 slots = pw->slots; slots; slots &= slots - 1) {
		const struct vgpu_pipe_entry *older =
			&p->entries[pw->entry[__builtin_ctzll(slots)]];

		if (older->age >= e->age)
			continue;
		if (!(older->d.flags & VGPU_DEC_WRITES)) {
			if (e->d.flags & VGPU_DEC_WRITES && !may_pass_load(e, lanes, older))
				return false;
			continue;
		}
		if (!pw->unsent)
			continue;
		/* one that has not read its operands may store anywhere */
		if (!is_weak(older) || !older->access || older->access->whole)
			return false;
		if (older->access->unsent && !is_apart(e, lanes, older->access))
			return false;
	}
	return true;
}

void vgpu_access_mask(const struct vgpu_pipe_access *access, const struct vgpu_pipe_line *line,
		      u64 mask[2])
{
	u32 bytes = vgpu_access_bytes(&access->insn);
	u64 part = (1ull << bytes) - 1;

	mask[0] = 0;
	mask[1] = 0;
	for (u32 lanes = line->lanes; lanes; lanes &= lanes - 1) {
		u32 offset = access->address[__builtin_ctz(lanes)] & (VGPU_LINE - 1);

		mask[offset / 64] |= part << offset % 64;
	}
}

enum vgpu_lanes_end vgpu_access_run(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
				    u32 active, u64 number, u8 *page)
{
	struct vgpu_lanes *s = &p->sm->run->lanes;
	struct vgpu_warp *w = p->scratch;
	u32 slot;

	w->pc = 0;
	w->reconv = VGPU_NO_RECONV;
	w->active = active;
	w->live = ~0u;
	w->regs = access->regs;
	s->warp = w;
	s->code = &access->insn;
	s->budget = 1;
	s->held = 1;
	s->on_host = false;
	s->hold_used = 0;
	slot = vgpu_lanes_hold_slot(s, number);
	s->hold_used = 1ull << slot;
	s->hold[slot] = (struct vgpu_tlb_entry){ number, page, page };
	p->entered = NULL;
	vgpu_pipe_lanes_begin(p);
	return p->sm->run->run(s);
}

/* Where the page of @line would begin if it were where its line is: only the line is touched. */
static u8 *page_around(const struct vgpu_pipe_line *line, const u8 *data)
{
	return (u8 *)((unsigned long)data - (line->address & (VGPU_PAGE_SIZE - 1)));
}

/* Words need no lanes: most lines of a load are of a lane or two. */
static bool load_words(struct vgpu_pipe_access *access, const struct vgpu_pipe_line *line,
		       const u8 *data)
{
	const struct vgpu_insn *i = &access->insn;
	u32 count = VGPU_F_COUNT(i->flags);

	if ((i->op != VGPU_OP_LDG && i->op != VGPU_OP_LD) || VGPU_F_SIZE(i->flags) != 4)
		return false;
	for (u32 lanes = line->lanes; lanes; lanes &= lanes - 1) {
		u32 l = (u32)__builtin_ctz(lanes);
		const u8 *from = data + (access->address[l] & (VGPU_LINE - 1));

		for (u32 n = 0; n < count; n++)
			memcpy(&reg(access, VGPU_ACCESS_DST + n)[l], from + 4 * n, 4);
	}
	return true;
}

void vgpu_access_load(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
		      const struct vgpu_pipe_line *line, const u8 *data)
{
	enum vgpu_lanes_end end;

	if (load_words(access, line, data))
		return;
	end = vgpu_access_run(p, access, line->lanes, line->address >> VGPU_PAGE_SHIFT,
			      page_around(line, data));

	VGPU_CHECK(end == VGPU_LANES_BUDGET);
}

void vgpu_access_store(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
		       const struct vgpu_pipe_line *line, u8 *data)
{
	vgpu_access_load(p, access, line, data);
}

/* ---- atomics ---------------------------------------------------------------------- */

/*
 * Execute @atomic on @bytes: the lanes' own instruction on operands in the same places. The
 * executor is the SM from which it comes.
 */
static void apply(struct vgpu_mem_atomic *atomic, u8 *bytes)
{
	struct vgpu_pipe *p = atomic->executor;
	struct vgpu_pipe_access *a = p->atomic;
	bool wide = atomic->bytes >= 8, all = atomic->bytes == 16, fpu = p->fpu;
	u64 *b = (u64 *)reg(a, VGPU_ACCESS_B), *dst = (u64 *)reg(a, VGPU_ACCESS_DST);
	u64 *address = (u64 *)reg(a, VGPU_ACCESS_A);

	a->insn = (struct vgpu_insn){
		.op = wide ? VGPU_OP_ATOMGQ : VGPU_OP_ATOMG,
		.mem = VGPU_MEM_V1_ATOMIC,
		.guard = VGPU_PT,
		.flags = (u8)(atomic->op & ~(VGPU_F_ATOM_ABS | VGPU_F_ATOM_NORET)),
		.dst = VGPU_ACCESS_DST,
		.a = VGPU_ACCESS_A,
		.b = VGPU_ACCESS_B,
		.c = all ? 0 : VGPU_ACCESS_C,
	};
	for (u32 l = 0; l < VGPU_LANES; l++) {
		address[l] = atomic->offset[l];
		if (all) {
			b[l] = atomic->a[l];
			b[l + VGPU_LANES] = atomic->high[0][l];
			b[l + 2 * VGPU_LANES] = atomic->b[l];
			b[l + 3 * VGPU_LANES] = atomic->high[1][l];
		} else if (wide) {
			b[l] = atomic->a[l];
			((u64 *)reg(a, VGPU_ACCESS_C))[l] = atomic->b[l];
		} else {
			reg(a, VGPU_ACCESS_B)[l] = (u32)atomic->a[l];
			reg(a, VGPU_ACCESS_C)[l] = (u32)atomic->b[l];
		}
	}
	VGPU_CHECK(vgpu_access_run(p, a, atomic->lanes, 0, bytes) == VGPU_LANES_BUDGET);
	for (u32 l = 0; l < VGPU_LANES; l++)
		atomic->old[l] = wide ? dst[l] : reg(a, VGPU_ACCESS_DST)[l];
	if (all)
		memcpy(atomic->high[2], dst + VGPU_LANES, sizeof(atomic->high[2]));
	if (!fpu)
		vgpu_pipe_lanes_end(p);
}

void vgpu_access_atomic(struct vgpu_pipe *p, struct vgpu_pipe_access *access,
			const struct vgpu_pipe_line *line, struct vgpu_mem_atomic *atomic)
{
	const u64 *b = (const u64 *)reg(access, VGPU_ACCESS_B);
	u32 bytes = vgpu_access_bytes(&access->insn);

	atomic->apply = apply;
	atomic->executor = p;
	atomic->no_return = access->insn.flags & VGPU_F_ATOM_NORET &&
			    !(access->entry->d.flags & (VGPU_DEC_ACQUIRES | VGPU_DEC_ALONE));
	atomic->lanes = line->lanes;
	atomic->op = access->insn.flags;
	atomic->bytes = (u8)bytes;
	for (u32 l = 0; l < VGPU_LANES; l++) {
		bool in = line->lanes >> l & 1;

		atomic->offset[l] = in ? (u8)(access->address[l] & (VGPU_LINE - 1)) : 0;
		if (bytes == 16) {
			atomic->a[l] = in ? b[l] : 0;
			atomic->high[0][l] = in ? b[l + VGPU_LANES] : 0;
			atomic->b[l] = in ? b[l + 2 * VGPU_LANES] : 0;
			atomic->high[1][l] = in ? b[l + 3 * VGPU_LANES] : 0;
		} else if (bytes == 8) {
			atomic->a[l] = in ? b[l] : 0;
			atomic->b[l] = in ? ((u64 *)reg(access, VGPU_ACCESS_C))[l] : 0;
		} else {
			atomic->a[l] = in ? reg(access, VGPU_ACCESS_B)[l] : 0;
			atomic->b[l] = in ? reg(access, VGPU_ACCESS_C)[l] : 0;
		}
	}
}

void vgpu_access_atomic_done(struct vgpu_pipe_access *access, const struct vgpu_mem_atomic *atomic)
{
	for (u32 lanes = atomic->lanes; lanes; lanes &= lanes - 1) {
		u32 l = (u32)__builtin_ctz(lanes);
		u64 *dst = (u64 *)reg(access, VGPU_ACCESS_DST);

		if (atomic->bytes == 4) {
			reg(access, VGPU_ACCESS_DST)[l] = (u32)atomic->old[l];
			continue;
		}
		dst[l] = atomic->old[l];
		if (atomic->bytes == 16)
			dst[l + VGPU_LANES] = atomic->high[2][l];
	}
}

/* ---- the result --------------------------------------------------------------------- */

void vgpu_access_result(const struct vgpu_pipe_access *access, struct vgpu_warp *w, u32 dst)
{
	const struct vgpu_insn *i = &access->insn;
	const u32 *from = &access->regs[VGPU_ACCESS_DST * VGPU_LANES];
	u32 *to = &w->regs[dst * VGPU_LANES], m = access->lanes, count = slots_of_result(i);
	bool pairs = is_atomic(i->op) ? i->op >= VGPU_OP_ATOMQ : VGPU_F_SIZE(i->flags) == 8;

	if (unlikely(w->written))
		vgpu_written_mark(w->written, access->entry->insn);
	if (m == ~0u) {
		memcpy(to, from, count * VGPU_LANES * sizeof(u32));
		return;
	}
	if (pairs) {
		for (u32 n = 0; n < count; n += 2)
			for (u32 lanes = m; lanes; lanes &= lanes - 1) {
				u32 l = n * VGPU_LANES / 2 + (u32)__builtin_ctz(lanes);

				((u64 *)to)[l] = ((const u64 *)from)[l];
			}
		return;
	}
	for (u32 n = 0; n < count; n++)
		for (u32 lanes = m; lanes; lanes &= lanes - 1) {
			u32 l = n * VGPU_LANES + (u32)__builtin_ctz(lanes);

			to[l] = from[l];
		}
}
