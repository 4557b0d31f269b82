// SPDX-License-Identifier: MIT
/*
 * Emission: blocks in their order, virtual registers by their physical ones, branches by
 * instruction number and with the point where their paths meet.
 */
#include <string.h>

#include "emit.h"

/* How many instructions it becomes. */
static uint32_t insn_length(const struct cc *cc, const struct cc_insn *insn)
{
	switch (insn->op) {
	case VGPU_OP_NOP:
	case CC_LABEL:
	case CC_ENTER:
	case CC_LEAVE:
		return 0;
	case CC_CALL:
		return 2 + insn->passed->params_count + insn->passed->results_count;
	case CC_INVOKE:
		return cc_invoke_length(cc, insn);
	case VGPU_OP_EXIT:	/* of a shared function: a branch for each call */
		return cc->calls ? 2 * cc->calls - 1 : 1;
	default:
		return 1;
	}
}

/* Where every block comes to stand, from @index on; returns where the next one may. */
static uint32_t place_blocks(const struct cc *cc, struct place *places, uint32_t index)
{
	for (uint32_t b = 0; b < cc->block_count; b++) {
		const struct cc_block *block = &cc->blocks[b];
		struct place *place = &places[b];

		place->index = index;
		for (uint32_t i = block->start; i < block->end; i++)
			index += insn_length(cc, &cc->insns[i]);
		place->inverted = block->succ[1] == b + 1;
		place->jump =
			block->succ[0] != CC_NONE && block->succ[0] != b + 1 && !place->inverted;
		index += place->jump;
	}
	return index;
}

static uint8_t phys(const struct cc *cc, uint32_t reg)
{
	return reg == CC_NONE ?
		       0 :
		       (uint8_t)(cc->phys[reg & ~CC_NOT] | (reg & CC_NOT ? VGPU_P_NOT : 0));
}

/*
 * Memory order, scope and cache operator of an access in the state space that it turned out to be
 * in: a thread's own memory has no order, shared memory and parameters no cache operator.
 */
static uint8_t mem_bits(const struct cc_insn *insn)
{
	unsigned int order = VGPU_MEM_ORDER(insn->mem);

	switch (insn->op) {
	case VGPU_OP_LDP:
		return 0;
	case VGPU_OP_LDL:
	case VGPU_OP_STL:
		return order == VGPU_ORDER_WEAK ? insn->mem : 0;
	case VGPU_OP_LDS:
	case VGPU_OP_STS:
		return order == VGPU_ORDER_WEAK ? 0 : insn->mem;
	default:
		return insn->mem;
	}
}

static void encode_insn(const struct cc *cc, const struct cc_insn *insn, struct vgpu_insn *out)
{
	memset(out, 0, sizeof(*out));
	out->op = (uint8_t)insn->op;
	out->mem = mem_bits(insn);
	out->guard = (uint8_t)(cc->phys[insn->guard] | (insn->guard_not ? VGPU_P_NOT : 0));
	out->flags = insn->flags;
	out->dst = phys(cc, insn->dst);
	out->a = phys(cc, insn->a);
	out->b = phys(cc, insn->b);
	out->c = phys(cc, insn->c) | insn->object;
	out->imm = insn->imm;
	if (insn->op == VGPU_OP_SHFL || insn->op == VGPU_OP_SHFLSYNC)
		out->imm = (uint32_t)insn->imm |
			   (uint64_t)(insn->second == CC_NONE ? VGPU_PT : cc->phys[insn->second])
				   << 32;
	if (insn->op == VGPU_OP_SHFLSYNC)
		out->imm |= (uint64_t)(insn->members == CC_NONE ? VGPU_SHFL_FULL :
								  cc->phys[insn->members])
			    << 40;
}

static uint64_t branch_imm(const struct place *places, uint32_t target, uint32_t meet)
{
	return places[target].index |
	       (uint64_t)(meet == CC_NONE ? VGPU_NO_RECONV : places[meet].index) << 32;
}

/* ---- calls of shared functions ------------------------------------------ */

struct vgpu_insn *cc_emit_insn(struct emission *e, unsigned int op, uint32_t line)
{
	struct vgpu_insn *insn = &e->code->insns[e->at];

	insn->op = (uint8_t)op;
	insn->guard = VGPU_PT;
	e->code->lines[e->at++] = line;
	return insn;
}

/* In which register the kernel's copy of the function has its virtual register @reg. */
static uint8_t shared_phys(const struct cc_shared *shared, uint32_t reg)
{
	return (uint8_t)(shared->first_reg + shared->cc.phys[reg]);
}

/* The last register that the kernel reserves for the function: the number of the call. */
static uint8_t call_number(const struct cc_shared *shared)
{
	return (uint8_t)(shared->first_reg + shared->regs - 1);
}

static void emit_copy(struct emission *e, enum cc_class class, uint8_t dst, uint8_t src,
		      uint32_t line)
{
	struct vgpu_insn *out = cc_emit_insn(e, class == CC_Q ? VGPU_OP_MOVQ : VGPU_OP_MOV, line);

	out->dst = dst;
	out->b = src;
}

static void emit_call(struct emission *e, const struct cc *cc, const struct cc_insn *call)
{
	const struct cc_passed *passed = call->passed;
	struct cc_shared *shared = call->shared;
	struct vgpu_insn *out;

	for (uint32_t i = 0; i < passed->params_count; i++)
		emit_copy(e, CC_CLASS(cc->vregs[passed->params[i]]),
			  shared_phys(shared, shared->own.params[i]), phys(cc, passed->params[i]),
			  call->line);
	out = cc_emit_insn(e, VGPU_OP_MOV, call->line);
	out->flags = VGPU_F_IMM;
	out->dst = call_number(shared);
	out->imm = shared->returns_count;
	out = cc_emit_insn(e, VGPU_OP_BRA, call->line);
	out->imm = shared->entry | (uint64_t)VGPU_NO_RECONV << 32;
	shared->returns[shared->returns_count++] = e->at;
	for (uint32_t i = 0; i < passed->results_count; i++)
		emit_copy(e, CC_CLASS(cc->vregs[passed->results[i]]), phys(cc, passed->results[i]),
			  shared_phys(shared, shared->own.results[i]), call->line);
}

/* The end of a shared function: to behind the call of this number. */
static void emit_return(struct emission *e, const struct cc_shared *shared, uint32_t line)
{
	struct vgpu_insn *out;

	for (uint32_t i = 0; i < shared->returns_count; i++) {
		bool last = i + 1 == shared->returns_count;

		if (!last) {
			out = cc_emit_insn(e, VGPU_OP_SETPU, line);
			out->flags = VGPU_CMP_EQ | VGPU_F_IMM;
			out->dst = (uint8_t)e->first_pred;
			out->a = call_number(shared);
			out->imm = i;
		}
		out = cc_emit_insn(e, VGPU_OP_BRA, line);
		out->guard = last ? VGPU_PT : (uint8_t)e->first_pred;
		out->imm = shared->returns[i] | (uint64_t)VGPU_NO_RECONV << 32;
	}
}

/* ---- blocks ------------------------------------------------------------- */

/* @shared: the function that the blocks are of, NULL for those of the kernel. */
static void emit_blocks(struct emission *e, const struct cc *cc, const struct place *places,
			const struct cc_shared *shared)
{
	for (uint32_t b = 0; b < cc->block_count; b++) {
		const struct cc_block *block = &cc->blocks[b];
		uint32_t line = 0;

		for (uint32_t i = block->start; i < block->end; i++) {
			const struct cc_insn *insn = &cc->insns[i];
			struct vgpu_insn *out;

			line = insn->line ? insn->line : line;
			if (!insn_length(cc, insn))
				continue;
			if (insn->op == CC_CALL) {
				emit_call(e, cc, insn);
				continue;
			}
			if (insn->op == VGPU_OP_EXIT && shared) {
				emit_return(e, shared, line);
				continue;
			}
			if (insn->op == CC_INVOKE) {
				cc_emit_invoke(e, cc, insn, phys(cc, insn->a));
				continue;
			}
			if (insn->op == VGPU_OP_EXIT && insn->returns) {
				cc_emit_finish(e, line);
				continue;
			}
			e->code->relocs[e->at] = insn->reloc;
			out = cc_emit_insn(e, insn->op, insn->line);
			encode_insn(cc, insn, out);
			cc_emit_local(e, cc, insn, out);
			if (insn->op == VGPU_OP_BRA) {
				uint32_t target =
					places[b].inverted ? block->succ[0] : block->succ[1];

				out->guard ^= places[b].inverted ? VGPU_P_NOT : 0;
				out->imm = branch_imm(places, target, block->ipdom);
			}
		}
		if (places[b].jump)
			cc_emit_insn(e, VGPU_OP_BRA, line)->imm =
				branch_imm(places, block->succ[0], CC_NONE);
	}
}

static struct place *new_places(struct cc *kernel, const struct cc *cc)
{
	return ptx_alloc(kernel->ctx, (cc->block_count + 1) * sizeof(struct place));
}

/* Counts the kernel's calls of each shared function; returns whether there are any. */
static bool count_calls(struct cc *cc)
{
	bool any = false;

	for (struct cc_shared *shared = cc->shared ? *cc->shared : NULL; shared;
	     shared = shared->next)
		shared->cc.calls = shared->returns_count = 0;
	for (uint32_t i = 0; i < cc->insns_count; i++)
		if (cc->insns[i].op == CC_CALL) {
			cc->insns[i].shared->cc.calls++;
			any = true;
		}
	return any;
}

/* The function with its registers behind those of the kernel. */
static struct cc shifted(const struct emission *e, struct cc *kernel,
			 const struct cc_shared *shared)
{
	struct cc cc = shared->cc;

	cc.phys = ptx_alloc(kernel->ctx, cc.vregs_count * sizeof(*cc.phys));
	for (uint32_t v = 1; v < cc.vregs_count; v++)
		if (shared->cc.phys[v] != CC_NONE)
			cc.phys[v] = shared->cc.phys[v] +
				     (CC_CLASS(cc.vregs[v]) == CC_P ? e->first_pred :
									 shared->first_reg);
	cc.phys[CC_PT] = VGPU_PT;
	return cc;
}

/* The procedure with its registers behind those of the kernel, each size in its own part. */
static struct cc placed(const struct emission *e, struct cc *kernel,
			const struct cc_procedure *procedure)
{
	struct cc cc = procedure->cc;
	uint32_t first = e->first_reg + CC_CONVENTION_REGS;

	cc.phys = ptx_alloc(kernel->ctx, cc.vregs_count * sizeof(*cc.phys));
	for (uint32_t v = 1; v < cc.vregs_count; v++) {
		enum cc_class class = CC_CLASS(cc.vregs[v]);

		if (procedure->cc.phys[v] == CC_NONE)
			continue;
		cc.phys[v] = procedure->cc.phys[v] +
			     (class == CC_P ? e->first_pred : first);
		if (class == CC_Q)
			cc.phys[v] += kernel->procedures->singles - cc.singles;
	}
	cc.phys[CC_PT] = VGPU_PT;
	return cc;
}

static uint32_t count_sites(const struct cc *cc)
{
	uint32_t count = 0;

	for (uint32_t b = 0; b < cc->block_count; b++)
		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++)
			count += cc->insns[i].op == CC_INVOKE;
	return count;
}

/* Where the procedures and what all their calls share come to stand, behind @index. */
static uint32_t place_procedures(struct emission *e, struct cc *cc, uint32_t index)
{
	e->dispatch = index;
	index += cc_dispatch_length(cc);
	e->sites = e->kernel_sites;
	for (struct cc_procedure *own = cc->procedures->first; own; own = own->next) {
		own->entry = index;
		own->places = new_places(cc, &own->cc);
		index = place_blocks(&own->cc, own->places, index);
		e->sites += count_sites(&own->cc);
	}
	e->returns = ptx_alloc(cc->ctx, e->sites * sizeof(*e->returns));
	e->finish = index;
	e->out = index + cc_finish_length(e);
	return e->out + cc_out_length(e);
}

static void emit_procedures(struct emission *e, struct cc *cc)
{
	cc_emit_dispatch(e, cc);
	for (struct cc_procedure *own = cc->procedures->first; own; own = own->next) {
		struct cc moved = placed(e, cc, own);

		emit_blocks(e, &moved, own->places, NULL);
	}
	cc_emit_ends(e);
	cc->regs = e->first_reg + cc->procedures->regs;
}

void cc_emit(struct cc *cc, struct cc_code *code)
{
	struct emission emission = { .code = code }, *e = &emission;
	struct place *places = new_places(cc, cc);
	struct cc_shared *first = count_calls(cc) ? *cc->shared : NULL;
	uint32_t first_reg;

	first_reg = (cc->regs + 1) & ~1u;
	e->first_pred = cc->preds_used;
	e->kernel_sites = cc->procedures ? count_sites(cc) : 0;
	code->count = place_blocks(cc, places, 0);
	for (struct cc_shared *shared = first; shared; shared = shared->next) {
		if (!shared->cc.calls)
			continue;
		shared->first_reg = first_reg;
		first_reg += shared->regs;
		shared->entry = code->count;
		shared->places = new_places(cc, &shared->cc);
		shared->returns = ptx_alloc(cc->ctx, shared->cc.calls * sizeof(*shared->returns));
		code->count = place_blocks(&shared->cc, shared->places, code->count);
	}
	e->first_reg = first_reg;
	if (e->kernel_sites)
		code->count = place_procedures(e, cc, code->count);
	code->insns = ptx_alloc(cc->ctx, code->count * sizeof(*code->insns));
	code->lines = ptx_alloc(cc->ctx, code->count * sizeof(*code->lines));
	code->relocs = ptx_alloc(cc->ctx, code->count);
	emit_blocks(e, cc, places, NULL);
	for (struct cc_shared *shared = first; shared; shared = shared->next) {
		struct cc moved;

		if (!shared->cc.calls)
			continue;
		moved = shifted(e, cc, shared);
		emit_blocks(e, &moved, shared->places, shared);
		if (cc->regs < shared->first_reg + shared->regs)
			cc->regs = shared->first_reg + shared->regs;
	}
	if (e->kernel_sites)
		emit_procedures(e, cc);
}
