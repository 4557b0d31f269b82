// SPDX-License-Identifier: MIT
/*
 * Shared functions. Calls are inlined, but malloc(), free() and texture fetches are large and a
 * kernel can call them in many places. So a kernel has one copy of each behind its own code. A call
 * is one instruction for all passes (CC_CALL); when it is emitted it puts the arguments and the
 * number of the call into registers of the function and jumps there. At its end the function
 * branches by that number to behind the call.
 *
 * The function is compiled once for a module, by itself, as if it were a kernel. Its registers
 * begin where those of the kernel end, those of each behind those of the one before, as lanes of a
 * warp may be in two of them at the same time. Lanes that are at a call together run the whole
 * function before any other lanes of their warp go on, since nothing in it waits by a member mask,
 * and its branches meet inside it. So the branches at the end do not diverge, unless lanes have
 * had turns (docs/isa.md) in one of its loops; then they may.
 */
#include <string.h>

#include "lower.h"

/* A kernel that may have fewer registers beside the function inlines it. */
#define LEAST_REGS	64u

/* Registers that a parameter or result is passed in, its whole bytes; 0: it cannot be. */
static uint32_t pieces_of(const struct ptx_var *var)
{
	if (var->space != PTX_PARAM || var->addressed)
		return 0;
	if (var->size == 8 || var->size == 4)
		return 1;
	for (uint32_t i = 0; i < var->uses_count; i++)
		if (var->uses[i].size != 4)
			return 0;
	return var->size % 4 || var->size > 4 * CC_MOST_RESULTS ? 0 : (uint32_t)var->size / 4;
}

/* Functions of one word, and all of textures: others are called in few places. */
static bool is_small(const struct ptx_func *func)
{
	return func->library == PTX_LIBRARY_TEXTURE ||
	       (func->params_count <= 1 && (!func->params_count || func->params[0]->size == 8) &&
		(!func->results_count || func->results[0]->size == 8));
}

static bool is_passed(struct ptx_var *const *vars, uint32_t count, uint32_t most, bool results)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t pieces = pieces_of(vars[i]);

		if (!pieces || (pieces > 1 && !results))
			return false;
		sum += pieces;
	}
	return sum <= most;
}

/* The register of a piece of a parameter or result. */
static uint32_t piece(struct cc_lower *l, struct ptx_var *var, uint32_t number)
{
	uint32_t bytes = pieces_of(var) == 1 ? (uint32_t)var->size : 4;
	struct cc_pvar *pvar = cc_param(l, var);

	cc_slot_add(l, pvar, number * bytes, bytes);
	return cc_param_slot(l, pvar, number * bytes, bytes)->reg;
}

static void lower_function(struct cc *cc)
{
	static const struct ptx_insn nowhere = { .guard = PTX_NONE };
	struct cc_lower lower = { .cc = cc, .guard = CC_PT, .in = &nowhere }, *l = &lower;
	struct ptx_func *func = cc->kernel;

	cc_vreg(cc, CC_P);	/* CC_PT */
	cc_frame_new(l, func);
	for (uint32_t i = 0; i < func->params_count; i++)
		cc_op(l, CC_ENTER, 0, piece(l, func->params[i], 0), CC_NONE, CC_NONE, CC_NONE)
			->imm = i;
	l->first_temp = cc->vregs_count;
	cc_lower_body(l, func);
	l->in = &nowhere;
	l->guard = CC_PT;
	cc_place(l, l->frame->end_label);
	for (uint32_t i = 0; func->results_count && i < pieces_of(func->results[0]); i++)
		cc_op(l, CC_LEAVE, 0, CC_NONE, piece(l, func->results[0], i), CC_NONE, CC_NONE)
			->imm = i;
	cc_op(l, VGPU_OP_EXIT, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE);
}

static struct cc_shared *compile_function(struct cc *kernel, struct ptx_func *func)
{
	struct cc_shared *shared = ptx_alloc(kernel->ctx, sizeof(*shared));
	struct cc *cc = &shared->cc;

	cc->ctx = kernel->ctx;
	cc->kernel = func;
	cc->from_llvm = true;
	cc->max_regs = VGPU_VASS_MAX_REGS;
	shared->func = func;
	lower_function(cc);
	cc_compile_blocks(cc);
	for (uint32_t i = 0; i < cc->insns_count; i++) {
		if (cc->insns[i].op == CC_ENTER)
			shared->own.params[cc->insns[i].imm] = cc->insns[i].dst;
		if (cc->insns[i].op == CC_LEAVE)
			shared->own.results[cc->insns[i].imm] = cc->insns[i].a;
		shared->refused |= cc_waits(&cc->insns[i]);
	}
	shared->refused |= cc->local_bytes || cc->spilled_bytes;
	shared->observes = cc_observes(cc);
	/* one more register for the number of the call, and a predicate to compare it */
	shared->regs = ((cc->regs + 1) & ~1u) + 2;
	shared->preds = cc->preds_used ? cc->preds_used : 1;
	return shared;
}

/* The compiled function if calls of it by the kernel are to be shared, else NULL. */
struct cc_shared *cc_shared_function(struct cc *kernel, struct ptx_func *func)
{
	uint32_t regs = 0;
	struct cc_shared *shared;

	if (!func->library || !kernel->shared || func->results_count > 1 || !is_small(func) ||
	    !is_passed(func->params, func->params_count, CC_MOST_PASSED, false) ||
	    !is_passed(func->results, func->results_count, CC_MOST_RESULTS, true))
		return NULL;
	for (shared = *kernel->shared; shared; shared = shared->next)
		if (shared->func == func)
			break;
	if (!shared) {
		shared = compile_function(kernel, func);
		shared->next = *kernel->shared;
		*kernel->shared = shared;
	}
	for (const struct cc_shared *each = *kernel->shared; each; each = each->next)
		regs += each->refused ? 0 : each->regs;
	if (shared->refused || regs + LEAST_REGS > kernel->max_regs)
		return NULL;
	kernel->reserved_regs = regs;
	if (kernel->reserved_preds < shared->preds)
		kernel->reserved_preds = shared->preds;
	return shared;
}

/* Where the caller has an argument or wants a result: a register, or a place in local memory. */
static uint32_t word_of_call(struct cc_lower *l, const struct ptx_operand *actual, uint64_t size,
			     struct cc_pvar **memory)
{
	struct cc_pvar *pvar;

	*memory = NULL;
	if (actual->kind != PTX_OPND_VAR || actual->var->space != PTX_PARAM || actual->value ||
	    actual->var->size != size)
		cc_refuse(l, "`%s' is no .param variable of %u bytes", actual->name,
			  (unsigned int)size);
	pvar = cc_param(l, actual->var);
	if (pvar->kind == CC_PVAR_SLOTS)
		return cc_param_slot(l, pvar, 0, (uint32_t)size)->reg;
	*memory = pvar;
	return cc_temp(l, size == 8 ? CC_Q : CC_R);
}

void cc_call_shared(struct cc_lower *l, struct cc_shared *shared, const struct cc_passed *passed)
{
	struct cc_insn *insn = cc_op(l, CC_CALL, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE);

	insn->shared = shared;
	insn->passed = ptx_alloc(l->cc->ctx, sizeof(*insn->passed));
	*insn->passed = *passed;
}

/* A call as it is in the text: of a function with one result at most, of one piece. */
void cc_lower_shared_call(struct cc_lower *l, struct cc_shared *shared,
			  const struct ptx_operand *results, const struct ptx_operand *params)
{
	const struct ptx_func *func = shared->func;
	struct cc_passed passed = { 0 };
	struct cc_pvar *memory;
	uint64_t size = 0;

	for (uint32_t i = 0; i < func->params_count; i++) {
		uint32_t reg = word_of_call(l, &params->elements[i], func->params[i]->size,
					    &memory);

		if (memory)
			cc_op(l, VGPU_OP_LDL, (func->params[i]->size == 8 ? 3 : 2) | VGPU_F_ABS,
			      reg, CC_NONE, CC_NONE, CC_NONE)->imm = memory->offset;
		passed.params[passed.params_count++] = reg;
	}
	memory = NULL;
	if (func->results_count) {
		size = func->results[0]->size;
		passed.results[passed.results_count++] =
			word_of_call(l, &results->elements[0], size, &memory);
	}
	cc_call_shared(l, shared, &passed);
	if (memory)
		cc_op(l, VGPU_OP_STL, (size == 8 ? 3 : 2) | VGPU_F_ABS, CC_NONE, CC_NONE,
		      passed.results[0], CC_NONE)->imm = memory->offset;
}
