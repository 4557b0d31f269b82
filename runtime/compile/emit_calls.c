// SPDX-License-Identifier: MIT
/*
 * Emission of calls of procedures (procedures.c has the convention). Behind the kernel's code, its
 * shared functions and its procedures stand three pieces for all of them: calls by address search
 * for the procedure here, procedures end here, and from here lanes leave for the kernel.
 *
 * Lanes that call different procedures part where the search does, and meet where procedures end;
 * lanes that go back to different calls part there, and meet where they leave. So all lanes that
 * the kernel sent in together come back together, however deep each of them went.
 */
#include <stdlib.h>

#include "emit.h"

static uint8_t reg_of(const struct emission *e, unsigned int reg)
{
	return (uint8_t)(e->first_reg + reg);
}

static void emit_number(struct emission *e, unsigned int reg, uint64_t number, uint32_t line)
{
	struct vgpu_insn *out = cc_emit_insn(e, VGPU_OP_MOV, line);

	out->flags = VGPU_F_IMM;
	out->dst = reg_of(e, reg);
	out->imm = number;
}

/* The frame moves by @by bytes, which may be negative. */
static void emit_move_frame(struct emission *e, uint32_t by, uint32_t line)
{
	struct vgpu_insn *out = cc_emit_insn(e, VGPU_OP_ADD, line);

	out->flags = VGPU_F_IMM;
	out->dst = out->a = reg_of(e, CC_REG_FRAME);
	out->imm = by;
}

static struct vgpu_insn *emit_jump(struct emission *e, uint32_t target, uint32_t meet,
				   uint32_t line)
{
	struct vgpu_insn *out = cc_emit_insn(e, VGPU_OP_BRA, line);

	out->imm = target | (uint64_t)meet << 32;
	return out;
}

static void emit_kept(struct emission *e, const struct cc_kept *kept, bool store, uint32_t line)
{
	uint8_t reg = (uint8_t)kept->phys;
	struct vgpu_insn *out;

	if (kept->class == CC_P && store) {
		out = cc_emit_insn(e, VGPU_OP_P2R, line);
		out->dst = reg_of(e, CC_REG_WORK);
		out->a = reg;
	}
	if (kept->class == CC_P)
		reg = reg_of(e, CC_REG_WORK);
	out = cc_emit_insn(e, store ? VGPU_OP_STL : VGPU_OP_LDL, line);
	out->flags = kept->class == CC_Q ? 3 : 2;
	out->a = reg_of(e, CC_REG_FRAME);
	out->imm = kept->offset;
	if (store)
		out->b = reg;
	else
		out->dst = reg;
	if (kept->class == CC_P && !store) {
		out = cc_emit_insn(e, VGPU_OP_SETPU, line);
		out->flags = VGPU_CMP_NE | VGPU_F_IMM;
		out->dst = (uint8_t)kept->phys;
		out->a = reg;
	}
}

/* The registers of the procedure being emitted, @cc, as they are in the kernel. */
static struct cc_kept placed(const struct emission *e, const struct cc *cc, struct cc_kept kept)
{
	switch (kept.class) {
	case CC_P:
		kept.phys += e->first_pred;
		break;
	case CC_R:
		kept.phys += e->first_reg + CC_CONVENTION_REGS;
		break;
	case CC_Q:
		kept.phys +=
			e->first_reg + CC_CONVENTION_REGS + cc->procedures->singles - cc->singles;
		break;
	}
	return kept;
}

uint32_t cc_invoke_length(const struct cc *cc, const struct cc_insn *insn)
{
	const struct cc_site *site = insn->site;
	uint32_t length = 3 + (site->callee ? 0 : 2);

	if (!cc->procedure)
		return length;
	length += 3;
	for (uint32_t i = 0; i < site->kept_count; i++)
		length += site->kept[i].class == CC_P ? 4 : 2;
	return length;
}

/* Parameters and results of a call in units of 16 bytes, which its callee compares. */
static uint32_t shape_of(uint32_t params, uint32_t results)
{
	return params / 16 | results / 16 << 16;
}

static void emit_all_kept(struct emission *e, const struct cc *cc, const struct cc_site *site,
			  bool store, uint32_t line)
{
	struct cc_kept number = {CC_REG_SITE, cc_local_end(cc), CC_R};

	number.phys += e->first_reg;
	emit_kept(e, &number, store, line);
	for (uint32_t i = 0; i < site->kept_count; i++) {
		struct cc_kept kept = placed(e, cc, site->kept[i]);

		emit_kept(e, &kept, store, line);
	}
}

void cc_emit_invoke(struct emission *e, const struct cc *cc, const struct cc_insn *call,
		    uint8_t address)
{
	const struct cc_site *site = call->site;
	struct vgpu_insn *out;

	if (cc->procedure)
		emit_all_kept(e, cc, site, true, call->line);
	if (!site->callee) {
		out = cc_emit_insn(e, VGPU_OP_MOVQ, call->line);
		out->dst = reg_of(e, CC_REG_ADDRESS);
		out->b = address;
		emit_number(e, CC_REG_WORK, shape_of(site->params, site->results), call->line);
	}
	emit_number(e, CC_REG_SITE, e->returns_count, call->line);
	if (cc->procedure)
		emit_move_frame(e, cc->procedure->frame, call->line);
	else
		emit_number(e, CC_REG_FRAME, cc_local_end(cc), call->line);
	emit_jump(e, site->callee ? site->callee->entry : e->dispatch, VGPU_NO_RECONV, call->line);
	e->returns[e->returns_count++] = e->at;
	if (!cc->procedure)
		return;
	emit_move_frame(e, -cc->procedure->frame, call->line);
	emit_all_kept(e, cc, site, false, call->line);
}

void cc_emit_local(const struct emission *e, const struct cc *cc, const struct cc_insn *insn,
		   struct vgpu_insn *out)
{
	uint32_t end = cc->procedure ? cc->procedure->frame : cc_local_end(cc);

	if (insn->op == CC_FRAME) {
		out->op = VGPU_OP_ADD;
		out->flags = VGPU_F_IMM;
		out->a = reg_of(e, CC_REG_FRAME);
		return;
	}
	if ((insn->op != VGPU_OP_LDL && insn->op != VGPU_OP_STL) || !(insn->flags & VGPU_F_ABS))
		return;
	if (insn->callee)
		out->imm = (uint32_t)out->imm + end;
	if (!cc->procedure)
		return;
	out->flags &= (uint8_t)~VGPU_F_ABS;
	out->a = reg_of(e, CC_REG_FRAME);
}

/* ---- searching by a number ---------------------------------------------- */

/* Goes on at @left if the register is below @number. */
static void emit_below(struct emission *e, unsigned int reg, bool wide, uint64_t number,
		       uint32_t left, uint32_t meet)
{
	struct vgpu_insn *out = cc_emit_insn(e, wide ? VGPU_OP_SETPUQ : VGPU_OP_SETPU, 0);

	out->flags = VGPU_CMP_LT | VGPU_F_IMM;
	out->dst = (uint8_t)e->first_pred;
	out->a = reg_of(e, reg);
	out->imm = number;
	emit_jump(e, left, meet, 0)->guard = (uint8_t)e->first_pred;
}

/* To the call with the number in CC_REG_SITE, which is in [from, to). */
static void emit_search(struct emission *e, uint32_t from, uint32_t to, uint32_t meet)
{
	uint32_t middle = from + (to - from) / 2;

	if (to - from == 1) {
		emit_jump(e, e->returns[from], VGPU_NO_RECONV, 0);
		return;
	}
	emit_below(e, CC_REG_SITE, false, middle, e->at + 2 + 3 * (to - middle) - 2, meet);
	emit_search(e, middle, to, meet);
	emit_search(e, from, middle, meet);
}

static uint32_t search_length(uint32_t count)
{
	return 3 * count - 2;
}

/* Behind the end of a procedure: lanes leave, or go back to a call of a procedure. */
uint32_t cc_finish_length(const struct emission *e)
{
	return e->sites > e->kernel_sites ? 2 + search_length(e->sites - e->kernel_sites) : 0;
}

uint32_t cc_out_length(const struct emission *e)
{
	return search_length(e->kernel_sites);
}

void cc_emit_finish(struct emission *e, uint32_t line)
{
	emit_jump(e, e->finish, VGPU_NO_RECONV, line);
}

void cc_emit_ends(struct emission *e)
{
	if (e->sites > e->kernel_sites) {
		emit_below(e, CC_REG_SITE, false, e->kernel_sites, e->out, e->out);
		emit_search(e, e->kernel_sites, e->sites, e->out);
	}
	emit_search(e, 0, e->kernel_sites, VGPU_NO_RECONV);
}

/* ---- calls by address --------------------------------------------------- */

#define LEAF_LENGTH 8u

static uint32_t count_taken(const struct cc *kernel)
{
	uint32_t count = 0;

	for (const struct cc_procedure *own = kernel->procedures->first; own; own = own->next)
		count += own->func->taken;
	return count;
}

uint32_t cc_dispatch_length(const struct cc *kernel)
{
	uint32_t count = count_taken(kernel);

	return count ? count * LEAF_LENGTH + 2 * (count - 1) : 1;
}

/* Unless the register compares to the number, the program ends. */
static void emit_check(struct emission *e, unsigned int op, unsigned int compare, unsigned int reg,
		       uint64_t number, uint32_t line)
{
	struct vgpu_insn *out = cc_emit_insn(e, op, line);

	out->flags = (uint8_t)(compare | VGPU_F_IMM);
	out->dst = (uint8_t)e->first_pred;
	out->a = reg_of(e, reg);
	out->imm = number;
	out = cc_emit_insn(e, VGPU_OP_TRAP, line);
	out->guard = (uint8_t)(e->first_pred | VGPU_P_NOT);
}

/* It must be this one, take as many parameters, and give as many results or more. */
static void emit_leaf(struct emission *e, const struct cc_procedure *own)
{
	uint32_t shape = shape_of(own->params, own->results);
	struct vgpu_insn *out;

	emit_check(e, VGPU_OP_SETPUQ, VGPU_CMP_EQ, CC_REG_ADDRESS, own->func->address,
		   VGPU_LINE_NO_FUNCTION);
	out = cc_emit_insn(e, VGPU_OP_AND, VGPU_LINE_PROTOTYPE);
	out->flags = VGPU_F_IMM;
	out->dst = reg_of(e, CC_REG_WORK2);
	out->a = reg_of(e, CC_REG_WORK);
	out->imm = 0xffff;
	emit_check(e, VGPU_OP_SETPU, VGPU_CMP_EQ, CC_REG_WORK2, shape & 0xffff,
		   VGPU_LINE_PROTOTYPE);
	emit_check(e, VGPU_OP_SETPU, VGPU_CMP_LE, CC_REG_WORK, shape, VGPU_LINE_PROTOTYPE);
	emit_jump(e, own->entry, VGPU_NO_RECONV, 0);
}

/* @list has the procedures by ascending address. */
static void emit_dispatch(struct emission *e, const struct cc_procedure *const *list,
			  uint32_t count)
{
	uint32_t left = count / 2, right = count - left;

	if (count == 1) {
		emit_leaf(e, *list);
		return;
	}
	emit_below(e, CC_REG_ADDRESS, true, list[left]->func->address,
		   e->at + 2 + right * LEAF_LENGTH + 2 * (right - 1), e->finish);
	emit_dispatch(e, list + left, right);
	emit_dispatch(e, list, left);
}

static int compare_address(const void *a, const void *b)
{
	const struct cc_procedure *x = *(const struct cc_procedure *const *)a;
	const struct cc_procedure *y = *(const struct cc_procedure *const *)b;

	return x->func->address < y->func->address ? -1 : x->func->address > y->func->address;
}

void cc_emit_dispatch(struct emission *e, const struct cc *kernel)
{
	uint32_t count = count_taken(kernel), at = 0;
	const struct cc_procedure **list = ptx_alloc(kernel->ctx, (count + 1) * sizeof(*list));

	for (const struct cc_procedure *own = kernel->procedures->first; own; own = own->next)
		if (own->func->taken)
			list[at++] = own;
	if (!count) {
		cc_emit_insn(e, VGPU_OP_TRAP, VGPU_LINE_NO_FUNCTION);
		return;
	}
	qsort(list, count, sizeof(*list), compare_address);
	emit_dispatch(e, list, count);
}
