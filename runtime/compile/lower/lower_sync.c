// SPDX-License-Identifier: MIT
/*
 * Lowering of what threads do together (barriers, votes, matches, shuffles) and of control flow
 * within a function. Lanes of a warp reconverge at the immediate post-dominator; the member mask of
 * a .sync instruction is kept, since it may name other lanes than those that are active.
 */
#include "lower.h"

void cc_lower_nothing(struct cc_lower *l)
{
	(void)l;	/* a hint to hardware that this device does not have */
}

/* The member mask of a .sync instruction is its operand @index; @insn takes it as operand b. */
static void set_members(struct cc_insn *insn, struct cc_value members)
{
	insn->b = members.reg;
	if (members.reg != CC_NONE)
		return;
	insn->flags |= VGPU_F_IMM;
	insn->imm = (uint32_t)members.imm;
}

/* ---- barriers ----------------------------------------------------------- */

static uint64_t constant(struct cc_lower *l, unsigned int index, uint64_t limit, const char *what)
{
	struct cc_value value = cc_src(l, index, PTX_U32);
	struct cc_insn *def;

	/*
	 * clang puts the constant into a register at -O0: look for it at the end of what has been
	 * written
	 */
	for (uint32_t i = l->cc->insns_count;
	     value.reg != CC_NONE && i > 0 && i + 64 > l->cc->insns_count; i--) {
		def = &l->cc->insns[i - 1];
		if (def->op == CC_LABEL)
			break;
		if (def->dst != value.reg)
			continue;
		if (def->op == VGPU_OP_MOV && (def->flags & VGPU_F_IMM) && def->guard == CC_PT) {
			value.reg = CC_NONE;
			value.imm = def->imm;
		}
		break;
	}
	if (value.reg != CC_NONE || value.imm > limit)
		cc_refuse(l, "%s must be a constant up to %llu", what, (unsigned long long)limit);
	return value.imm;
}

static void barrier(struct cc_lower *l, unsigned int first, unsigned int count, unsigned int op,
		    unsigned int flags, uint32_t dst, uint32_t p)
{
	uint64_t imm = constant(l, first, VGPU_BARRIERS - 1, "the barrier's number"), threads = 0;

	if (count == 2) {
		threads = constant(l, first + 1, 1024, "the number of threads");
		if (threads % 32 || !threads)
			cc_refuse(l, "the number of threads must be a multiple of 32");
	}
	cc_op(l, op, flags, dst, p, CC_NONE, CC_NONE)->imm = imm | threads << 32;
}

static void barrier_reduction(struct cc_lower *l)
{
	bool popc = ptx_has(l->in, PTX_M_POPC), and = ptx_has(l->in, PTX_M_AND);
	unsigned int flags = popc ? VGPU_BARRED_POPC : and ? VGPU_BARRED_AND : VGPU_BARRED_OR;
	uint32_t p, dst, r;

	if ((!popc && !and && !ptx_has(l->in, PTX_M_OR)) || l->in->count < 3 ||
	    cc_type(l, 0) != (popc ? PTX_U32 : PTX_PRED))
		cc_refuse(l,
			  "red.popc.u32, red.and.pred or red.or.pred with a predicate is wanted");
	p = cc_src_pred(l, l->in->count - 1);
	if (popc) {
		barrier(l, 1, l->in->count - 2, VGPU_OP_BARRED, flags, cc_dst(l, 0, PTX_U32), p);
		return;
	}
	dst = cc_dst_pred(l, cc_operand(l, 0));
	r = cc_temp(l, CC_R);
	barrier(l, 1, l->in->count - 2, VGPU_OP_BARRED, flags, r, p);
	cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_NE, dst, r, 0, CC_NONE);
}

void cc_lower_bar(struct cc_lower *l)
{
	if (ptx_has(l->in, PTX_M_WARP)) {
		struct cc_value members = cc_src(l, 0, PTX_B32);

		set_members(cc_op(l, VGPU_OP_BARWARP, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE),
			    members);
		return;
	}
	if (ptx_has(l->in, PTX_M_ARRIVE))
		cc_refuse(l, "a barrier without waiting is not supported");
	if (ptx_has(l->in, PTX_M_RED)) {
		barrier_reduction(l);
		return;
	}
	if (!ptx_has(l->in, PTX_M_SYNC) || l->in->count > 2 || l->in->type_count)
		cc_refuse(l, ".sync or .red is wanted, with one or two operands");
	barrier(l, 0, l->in->count, VGPU_OP_BAR, 0, CC_NONE, CC_NONE);
}

/* ---- warp --------------------------------------------------------------- */

static void vote(struct cc_lower *l, unsigned int op, unsigned int flags, uint32_t dst, uint32_t p)
{
	struct cc_value members;

	if (!ptx_has(l->in, PTX_M_SYNC)) {
		cc_op(l, op, flags, dst, p, CC_NONE, CC_NONE);
		return;
	}
	members = cc_src(l, 2, PTX_B32);
	set_members(cc_op(l, op == VGPU_OP_VOTE ? VGPU_OP_VOTESYNC : VGPU_OP_BALLOTSYNC, flags, dst,
			  p, CC_NONE, CC_NONE),
		    members);
}

void cc_lower_vote(struct cc_lower *l)
{
	unsigned int mod = ptx_mod_of(l->in, PTX_K_VOTE);
	bool sync = ptx_has(l->in, PTX_M_SYNC);
	uint32_t p;

	if (l->in->count != 2u + sync)
		cc_refuse(l, "%u operands are wanted", 2u + sync);
	p = cc_src_pred(l, 1);
	if (mod == PTX_M_BALLOT) {
		vote(l, VGPU_OP_BALLOT, 0, cc_dst(l, 0, PTX_B32), p);
		return;
	}
	if (cc_type(l, 0) != PTX_PRED || mod == PTX_M_NONE)
		cc_refuse(l, ".all, .any or .uni with .pred, or .ballot.b32 is wanted");
	vote(l, VGPU_OP_VOTE,
	     mod == PTX_M_ALL ? VGPU_VOTE_ALL :
	     mod == PTX_M_ANY ? VGPU_VOTE_ANY :
				VGPU_VOTE_UNI,
	     cc_dst_pred(l, cc_operand(l, 0)), p);
}

/* elect.sync d|p, members: d is the lowest lane of them, of which p is true. */
void cc_lower_elect(struct cc_lower *l)
{
	struct ptx_operand d = *cc_operand(l, 0), p = d;
	uint32_t dst, pred, lanes = cc_temp(l, CC_R), reversed = cc_temp(l, CC_R);
	uint32_t lowest = cc_temp(l, CC_R), lane = cc_temp(l, CC_R);
	struct cc_value members;

	if (!ptx_has(l->in, PTX_M_SYNC))
		cc_refuse(l, ".sync is wanted");
	if (d.second == PTX_NONE)
		cc_refuse(l, "a register or _, and a predicate are wanted: d|p");
	p.kind = PTX_OPND_REG;
	p.reg = d.second;
	d.second = p.second = PTX_NONE;
	dst = cc_dst_element(l, &d, PTX_B32, false);
	pred = cc_dst_pred(l, &p);
	members = cc_src(l, 1, PTX_B32);
	set_members(cc_op(l, VGPU_OP_BALLOTSYNC, 0, lanes, CC_PT, CC_NONE, CC_NONE), members);
	cc_op(l, VGPU_OP_BREV, 0, reversed, lanes, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_CLZ, 0, lowest, reversed, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_SREG, 0, lane, CC_NONE, CC_NONE, CC_NONE)->imm = VGPU_SR_LANEID;
	cc_op(l, VGPU_OP_SETPU, VGPU_CMP_EQ, pred, lane, lowest, CC_NONE);
	cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, lowest, CC_NONE);
}

void cc_lower_match(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	const struct ptx_operand *o = cc_operand(l, 0);
	bool wide = ptx_type_bytes(type) == 8, all = ptx_has(l->in, PTX_M_ALL);
	struct ptx_operand d = *o, q = *o;
	uint32_t a = cc_src_reg(l, 1, type), dst, mask;
	struct cc_value members;

	if (ptx_type_bytes(type) < 4 || (!all && !ptx_has(l->in, PTX_M_ANY)))
		cc_refuse(l, ".any or .all, .b32 or .b64 is wanted");
	if (!all && o->second != PTX_NONE)
		cc_refuse(l, "only .all has a predicate as a second result");
	members = cc_src(l, 2, PTX_B32);
	d.second = PTX_NONE;
	dst = cc_dst_element(l, &d, PTX_B32, true);
	/* PTX has a 32-bit result also for .b64; clang before 15 writes a 64-bit one there */
	mask = cc_temp(l, CC_R);
	set_members(cc_op(l, wide ? VGPU_OP_MATCHSYNCQ : VGPU_OP_MATCHSYNC,
			  all ? VGPU_MATCH_ALL : VGPU_MATCH_ANY, mask, a, CC_NONE, CC_NONE),
		    members);
	if (o->second != PTX_NONE) {
		q.reg = o->second;
		q.second = PTX_NONE;
		cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_NE, cc_dst_pred(l, &q), mask, 0, CC_NONE);
	}
	if (CC_CLASS(l->cc->vregs[dst]) == CC_Q)
		cc_op(l, VGPU_OP_ZXQ, 0, dst, mask, CC_NONE, CC_NONE);
	else
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, mask, CC_NONE);
}

void cc_lower_activemask(struct cc_lower *l)
{
	cc_op(l, VGPU_OP_ACTIVE, 0, cc_dst(l, 0, PTX_B32), CC_NONE, CC_NONE, CC_NONE);
}

void cc_lower_shfl(struct cc_lower *l)
{
	unsigned int mod = ptx_mod_of(l->in, PTX_K_SHFL);
	bool sync = ptx_has(l->in, PTX_M_SYNC);
	const struct ptx_operand *o = cc_operand(l, 0);
	struct ptx_operand d = *o, q = *o;
	struct cc_value a, b, c, members = { .reg = CC_NONE, .imm = UINT32_MAX };
	uint32_t dst, second = CC_NONE;
	struct cc_insn *insn;

	if (ptx_type_bytes(cc_type(l, 0)) != 4 || mod == PTX_M_NONE || l->in->count != 4u + sync)
		cc_refuse(l, ".up, .down, .bfly or .idx, .b32 and %u operands are wanted",
			  4u + sync);
	if (sync)
		members = cc_src(l, 4, PTX_B32);
	if (o->second != PTX_NONE) {
		q.reg = o->second;
		q.second = PTX_NONE;
		second = cc_dst_pred(l, &q);
	}
	d.second = PTX_NONE;
	dst = cc_dst_element(l, &d, PTX_B32, false);
	a = cc_src(l, 1, PTX_B32);
	b = cc_src(l, 2, PTX_B32);
	c = cc_src(l, 3, PTX_B32);
	c.reg = cc_in_reg(l, c, CC_R);
	if (members.reg == CC_NONE && members.imm != UINT32_MAX)
		members.reg = cc_in_reg(l, members, CC_R);
	insn = cc_opv(l, sync ? VGPU_OP_SHFLSYNC : VGPU_OP_SHFL,
		      mod == PTX_M_UP	? VGPU_SHFL_UP :
		      mod == PTX_M_DOWN ? VGPU_SHFL_DOWN :
		      mod == PTX_M_BFLY ? VGPU_SHFL_BFLY :
					  VGPU_SHFL_IDX,
		      dst, a, b, c.reg);
	insn->second = second;
	insn->members = members.reg;
}

/* ---- reductions ---------------------------------------------------------- */

static unsigned int redux_op(struct cc_lower *l, enum ptx_type type)
{
	bool sign = type == PTX_S32;

	if (ptx_has(l->in, PTX_M_ADD))
		return VGPU_OP_ADD;
	if (ptx_has(l->in, PTX_M_MIN))
		return sign ? VGPU_OP_MINS : VGPU_OP_MINU;
	if (ptx_has(l->in, PTX_M_MAX))
		return sign ? VGPU_OP_MAXS : VGPU_OP_MAXU;
	if (ptx_has(l->in, PTX_M_AND))
		return VGPU_OP_AND;
	if (ptx_has(l->in, PTX_M_OR))
		return VGPU_OP_OR;
	if (ptx_has(l->in, PTX_M_XOR))
		return VGPU_OP_XOR;
	cc_refuse(l, ".add, .min, .max, .and, .or or .xor is wanted");
}

uint32_t cc_shuffled(struct cc_lower *l, unsigned int mode, uint32_t value, struct cc_value lane,
		     uint32_t c, uint32_t members)
{
	uint32_t out = cc_temp(l, CC_R);
	struct cc_insn *insn;

	insn = cc_opv(l, VGPU_OP_SHFLSYNC, mode, out, (struct cc_value){ .reg = value }, lane,
		      cc_const(l, CC_R, c));
	insn->second = CC_NONE;
	insn->members = members;
	return out;
}

static uint32_t shuffled(struct cc_lower *l, unsigned int mode, uint32_t value, uint32_t by,
			 uint32_t members)
{
	return cc_shuffled(l, mode, value, (struct cc_value){ .reg = CC_NONE, .imm = by }, 31,
			   members);
}

/* Of a whole warp in five steps; of other masks lane by lane, those that are not in it left out. */
void cc_lower_redux(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	unsigned int op = redux_op(l, type);
	uint32_t dst, sum, all, have = CC_NONE, part, shifted, bit;
	struct cc_value members;

	if (!ptx_has(l->in, PTX_M_SYNC) || ptx_type_bytes(type) != 4 ||
	    ptx_type_letter(type) == 'f')
		cc_refuse(l, ".sync and .u32, .s32 or .b32 are wanted");
	dst = cc_dst(l, 0, type);
	sum = cc_src_reg(l, 1, type);
	members = cc_src(l, 2, PTX_B32);
	if (members.reg == CC_NONE && (uint32_t)members.imm == UINT32_MAX) {
		for (uint32_t step = 1; step < 32; step *= 2) {
			part = shuffled(l, VGPU_SHFL_BFLY, sum, step, CC_NONE);
			all = cc_temp(l, CC_R);
			cc_op(l, op, 0, all, sum, part, CC_NONE);
			sum = all;
		}
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, sum, CC_NONE);
		return;
	}
	members.reg = cc_in_reg(l, members, CC_R);
	/* what changes nothing: 0, all bits, the largest or the smallest number */
	have = cc_const(l, CC_R, op == VGPU_OP_AND || op == VGPU_OP_MINU ? UINT32_MAX :
			op == VGPU_OP_MINS ? INT32_MAX :
			op == VGPU_OP_MAXS ? (uint32_t)INT32_MIN : 0);
	for (uint32_t lane = 0; lane < 32; lane++) {
		part = shuffled(l, VGPU_SHFL_IDX, sum, lane, members.reg);
		all = cc_temp(l, CC_R);
		shifted = cc_temp(l, CC_R);
		bit = cc_temp(l, CC_P);
		cc_op(l, op, 0, all, have, part, CC_NONE);
		cc_opi(l, VGPU_OP_AND, 0, shifted, members.reg, 1u << lane, CC_NONE);
		cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_NE, bit, shifted, 0, CC_NONE);
		part = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_SEL, 0, part, all, have, bit);
		have = part;
	}
	cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, have, CC_NONE);
}

/* ---- control flow ------------------------------------------------------- */

void cc_lower_control(struct cc_lower *l)
{
	switch (l->in->op) {
	case PTX_I_BRA:
		if (cc_operand(l, 0)->kind != PTX_OPND_LABEL)
			cc_refuse(l, "a label is wanted (indirect branches are not supported)");
		cc_jump(l, l->frame->first_label + cc_operand(l, 0)->reg);
		break;
	case PTX_I_RET:
		if (!l->frame->func->is_entry) {
			cc_jump(l, l->frame->end_label);
			break;
		}
		cc_op(l, VGPU_OP_EXIT, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE);
		break;
	case PTX_I_EXIT:
		cc_op(l, VGPU_OP_EXIT, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE);
		break;
	default:	/* trap, brkpt: without a debugger both end the program */
		cc_op(l, VGPU_OP_TRAP, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE);
		break;
	}
}

/* createpolicy: the caches follow none. */
void cc_lower_policy(struct cc_lower *l)
{
	cc_move(l, cc_dst(l, 0, PTX_B64), (struct cc_value){ .reg = CC_NONE });
}
