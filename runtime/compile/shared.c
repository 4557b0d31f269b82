// SPDX-License-Identifier: MIT
/*
 * Shared functions. Calls are inlined, but malloc() and free() are large and a kernel can call
 * them in many places. So a kernel has one copy of each behind its own code. A call is one
 * instruction for all passes (CC_CALL); when it is emitted it puts the argument and the number of
 * the call into registers of the function and jumps there. At its end the function branches by that
 * number to behind the call.
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

static bool is_word(struct ptx_var *const *vars, uint32_t count)
{
	return !count || (count == 1 && vars[0]->space == PTX_PARAM && vars[0]->size == 8 &&
			  !vars[0]->addressed);
}

/* The register of a parameter or result that is one word. */
static uint32_t word_of(struct cc_lower *l, struct ptx_var *var)
{
	return cc_param_slot(l, cc_param(l, var), 0, 8)->reg;
}

static void lower_function(struct cc *cc)
{
	static const struct ptx_insn nowhere = { .guard = PTX_NONE };
	struct cc_lower lower = { .cc = cc, .guard = CC_PT, .in = &nowhere }, *l = &lower;
	struct ptx_func *func = cc->kernel;

	cc_vreg(cc, CC_P);	/* CC_PT */
	cc_frame_new(l, func);
	if (func->params_count)
		cc_op(l, CC_ENTER, 0, word_of(l, func->params[0]), CC_NONE, CC_NONE, CC_NONE);
	l->first_temp = cc->vregs_count;
	cc_lower_body(l, func);
	l->in = &nowhere;
	l->guard = CC_PT;
	cc_place(l, l->frame->end_label);
	if (func->results_count)
		cc_op(l, CC_LEAVE, 0, CC_NONE, word_of(l, func->results[0]), CC_NONE, CC_NONE);
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
			shared->argument = cc->insns[i].dst;
		if (cc->insns[i].op == CC_LEAVE)
			shared->result = cc->insns[i].a;
		shared->refused |= cc_waits(&cc->insns[i]);
	}
	shared->refused |= cc->local_bytes || cc->spilled_bytes;
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

	if (!func->library || !kernel->shared || !is_word(func->params, func->params_count) ||
	    !is_word(func->results, func->results_count))
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
static uint32_t word_of_call(struct cc_lower *l, const struct ptx_operand *actual,
			     struct cc_pvar **memory)
{
	struct cc_pvar *pvar;

	*memory = NULL;
	if (actual->kind != PTX_OPND_VAR || actual->var->space != PTX_PARAM || actual->value ||
	    actual->var->size != 8)
		cc_refuse(l, "`%s' is no .param variable of 8 bytes", actual->name);
	pvar = cc_param(l, actual->var);
	if (pvar->kind == CC_PVAR_SLOTS)
		return cc_param_slot(l, pvar, 0, 8)->reg;
	*memory = pvar;
	return cc_temp(l, CC_Q);
}

void cc_lower_shared_call(struct cc_lower *l, struct cc_shared *shared,
			  const struct ptx_operand *results, const struct ptx_operand *params)
{
	uint32_t argument = CC_NONE, result = CC_NONE;
	struct cc_pvar *memory = NULL;

	if (shared->func->params_count)
		argument = word_of_call(l, &params->elements[0], &memory);
	if (memory)
		cc_op(l, VGPU_OP_LDL, 3 | VGPU_F_ABS, argument, CC_NONE, CC_NONE, CC_NONE)->imm =
			memory->offset;
	memory = NULL;
	if (shared->func->results_count)
		result = word_of_call(l, &results->elements[0], &memory);
	cc_op(l, CC_CALL, 0, result, argument, CC_NONE, CC_NONE)->shared = shared;
	if (memory)
		cc_op(l, VGPU_OP_STL, 3 | VGPU_F_ABS, CC_NONE, CC_NONE, result, CC_NONE)->imm =
			memory->offset;
}
