// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Operand log (Tanasic 6.3.3, figures 6.8 and 6.9): the replay queue, and a log of the operands of
 * accesses in flight. Sources are released when they have been read, as in the baseline; a replay
 * reads the log. An entry has 8 bytes of each lane, an address or a datum: loads take one, stores
 * two, those of more than two registers a lane
 * and compare-and-swap three. An access has its entries from issue to its last
 * TLB check, and while it waits to be replayed. The log is partitioned: a block has its share of
 * it, as large as the occupancy of its kernel leaves it.
 *
 * An access that needs more entries than its block has is not logged: its sources are released as
 * with the replay queue.
 */
#include "../scheme.h"

static u32 entries_of(const struct vgpu_pipe_entry *e)
{
	const struct vgpu_insn *i = e->insn;

	if (!(e->d.flags & VGPU_DEC_WRITES))
		return 1;
	if (i->op >= VGPU_OP_ATOM && VGPU_F_ATOM_128(i->flags))
		return VGPU_F_ATOM(i->flags) == VGPU_ATOM_CAS128 ? 5 : 3;
	if (i->op >= VGPU_OP_ATOM)
		return VGPU_F_ATOM(i->flags) == VGPU_ATOM_CAS ? 3 : 2;
	return VGPU_F_COUNT(i->flags) * (VGPU_F_SIZE(i->flags) == 8 ? 2 : 1) > 2 ? 3 : 2;
}

static bool admit(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_block *pb = vgpu_pipe_block(e->warp->block);
	u32 need = entries_of(e);

	(void)p;
	if (e->logged || need > pb->log_entries)
		return true;
	if (need > pb->log_entries - pb->log_used)
		return false;
	pb->log_used += need;
	e->log_count = (u8)need;
	for (u32 n = 0, word = 0; n < need; n++) {
		while (!~pb->log_map[word])
			word++;
		e->log[n] = (u16)(word * 64 + (u32)__builtin_ctzll(~pb->log_map[word]));
		pb->log_map[word] |= 1ull << e->log[n] % 64;
	}
	return true;
}

static void read(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	if (e->log_count)
		vgpu_pipe_release(p, e);
}

static void checked(struct vgpu_pipe *p, struct vgpu_pipe_entry *e)
{
	struct vgpu_pipe_block *pb = vgpu_pipe_block(e->warp->block);

	vgpu_pipe_release(p, e);
	if (!e->log_count)
		return;
	for (u32 n = 0; n < e->log_count; n++)
		pb->log_map[e->log[n] / 64] &= ~(1ull << e->log[n] % 64);
	pb->log_used -= e->log_count;
	e->log_count = 0;
	vgpu_pipe_admit_again(p);
}

static u64 context_bytes(const struct vgpu_pipe_block *pb)
{
	return (u64)vgpu_pipe_replays(pb) * VGPU_REPLAY_BYTES + (u64)pb->log_used * VGPU_LOG_ENTRY;
}

const struct vgpu_fault_scheme vgpu_scheme_operand_log = {
	.name = "operand-log",
	.preemptible = true,
	.logs = true,
	.admit = admit,
	.issued = vgpu_pipe_fetch_on,
	.read = read,
	.checked = checked,
	.context_bytes = context_bytes,
};
