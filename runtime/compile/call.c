// SPDX-License-Identifier: MIT
/*
 * Calls and parameters. A call becomes the callee's body in place, with its own registers, labels
 * and slice of local memory. A .param variable becomes a set of registers, one for each piece that
 * is accessed by itself, as long as the pieces do not overlap and its address is not needed; else
 * it lives in local memory.
 */
#include <string.h>

#include "lower.h"

#define MAX_CALL_DEPTH	128u

/*
 * Local memory of the frame being lowered. A callee's frame begins where its caller's ends; callees
 * of one caller share the place, since they never run at the same time.
 */
uint32_t cc_alloc_local(struct cc_lower *l, uint64_t size, uint32_t align)
{
	struct cc_frame *frame = l->frame;
	uint64_t at;

	if (align < 16)		/* vector accesses of a variable that is declared with less */
		align = size >= 16 ? 16 : size >= 8 ? 8 : 4;
	at = ((uint64_t)frame->local_top + align - 1) & ~(uint64_t)(align - 1);
	if (at + size > VGPU_VASS_MAX_LOCAL)
		ptx_fail(l->cc->ctx, frame->func->line,
			 "`%s' needs more than %u bytes of local memory per thread",
			 l->cc->kernel->name, VGPU_VASS_MAX_LOCAL);
	frame->local_top = (uint32_t)(at + size);
	if (l->cc->local_bytes < frame->local_top)
		l->cc->local_bytes = frame->local_top;
	return (uint32_t)at;
}

struct cc_frame *cc_frame_new(struct cc_lower *l, struct ptx_func *func)
{
	struct ptx_ctx *ctx = l->cc->ctx;
	struct cc_frame *frame = ptx_alloc(ctx, sizeof(*frame)), *caller = l->frame;

	frame->caller = caller;
	frame->func = func;
	frame->depth = caller ? caller->depth + 1 : 0;
	frame->regs = ptx_alloc(ctx, func->regs_count * sizeof(*frame->regs));
	memset(frame->regs, 0xff, func->regs_count * sizeof(*frame->regs));
	frame->params = ptx_alloc(ctx, func->vars_count * sizeof(*frame->params));
	frame->locals = ptx_alloc(ctx, func->vars_count * sizeof(*frame->locals));
	frame->carry = CC_NONE;
	frame->first_label = l->cc->label_count;
	l->cc->label_count += func->label_count;
	frame->end_label = l->cc->label_count++;
	frame->local_top = caller ? caller->local_top : l->cc->frame_start;
	l->frame = frame;
	for (uint32_t i = 0; i < func->vars_count; i++)
		if (func->vars[i]->space == PTX_LOCAL) {
			frame->locals[i] =
				cc_alloc_local(l, func->vars[i]->size + l->cc->red_zone,
					       func->vars[i]->align);
			cc_note_variable(l->cc, func->vars[i], frame->locals[i]);
		}
	return frame;
}

/* ---- .param variables --------------------------------------------------- */

/* Notes an access; false if it cannot be one register together with those before. */
static bool add_slot(struct cc_lower *l, struct cc_pvar *pvar, struct ptx_access access,
		     uint32_t *stored)
{
	for (uint32_t i = 0; i < pvar->slots_count; i++) {
		struct cc_slot *slot = &pvar->slots[i];

		if (slot->offset == access.offset) {
			if (access.store && stored[i] && stored[i] != access.size)
				return false;
			if (access.store)
				stored[i] = access.size;
			if (access.size > slot->size)
				slot->size = access.size;
			return true;
		}
	}
	if (pvar->slots_count == 256)
		return false;
	stored[pvar->slots_count] = access.store ? access.size : 0;
	*PTX_PUSH(l->cc->ctx, pvar, slots) =
		(struct cc_slot){ .offset = access.offset, .size = access.size, .reg = CC_NONE };
	return true;
}

/*
 * Can the variable live in registers? Every access on both sides of the call must be one of pieces
 * that do not overlap, and nobody may need its address.
 */
static bool split_into_slots(struct cc_lower *l, struct cc_pvar *pvar, const struct ptx_var *var,
			     const struct ptx_var *formal)
{
	uint32_t stored[257];

	if (var->addressed || var->many_calls || (formal && formal->addressed))
		return false;
	for (uint32_t i = 0; i < var->uses_count; i++)
		if (!add_slot(l, pvar, var->uses[i], stored))
			return false;
	for (uint32_t i = 0; formal && i < formal->uses_count; i++)
		if (!add_slot(l, pvar, formal->uses[i], stored))
			return false;
	for (uint32_t i = 0; i < pvar->slots_count; i++)
		for (uint32_t j = 0; j < pvar->slots_count; j++)
			if (i != j && pvar->slots[i].offset <= pvar->slots[j].offset &&
			    pvar->slots[j].offset < pvar->slots[i].offset + pvar->slots[i].size)
				return false;
	return true;
}

/* The callee's side of a variable that the caller passes. */
static struct ptx_var *formal_of(const struct ptx_var *var)
{
	const struct ptx_func *callee = var->callee;

	if (!callee || var->callee_index >=
			       (var->callee_result ? callee->results_count : callee->params_count))
		return NULL;
	return var->callee_result ? callee->results[var->callee_index] :
				    callee->params[var->callee_index];
}

/* The state of a .param variable of the function being lowered; made when it is first needed. */
struct cc_pvar *cc_param(struct cc_lower *l, struct ptx_var *var)
{
	struct cc_pvar **at = &l->frame->params[var->index];
	struct cc_pvar *pvar;

	if (*at)
		return *at;
	*at = pvar = ptx_alloc(l->cc->ctx, sizeof(*pvar));
	if (split_into_slots(l, pvar, var, formal_of(var))) {
		pvar->kind = CC_PVAR_SLOTS;
		return pvar;
	}
	pvar->kind = CC_PVAR_MEMORY;
	pvar->offset = cc_alloc_local(l, var->size, var->align);
	cc_note_variable(l->cc, var, pvar->offset);
	return pvar;
}

struct cc_slot *cc_param_slot(struct cc_lower *l, struct cc_pvar *pvar, uint32_t offset,
			      uint32_t size)
{
	for (uint32_t i = 0; i < pvar->slots_count; i++) {
		struct cc_slot *slot = &pvar->slots[i];

		if (slot->offset != offset)
			continue;
		if (slot->reg == CC_NONE)
			slot->reg = cc_named(l, slot->size == 8 ? CC_Q : CC_R);
		return slot;
	}
	cc_refuse(l, "%u bytes at offset %u of a parameter were not foreseen", size, offset);
}

void cc_slot_add(struct cc_lower *l, struct cc_pvar *pvar, uint32_t offset, uint32_t size)
{
	for (uint32_t i = 0; i < pvar->slots_count; i++)
		if (pvar->slots[i].offset == offset)
			return;
	*PTX_PUSH(l->cc->ctx, pvar, slots) =
		(struct cc_slot){ .offset = offset, .size = size, .reg = CC_NONE };
}

/* ---- calls -------------------------------------------------------------- */

/* Refuse what cannot be inlined, with a hint where there is one. */
static void check_callee(struct cc_lower *l, struct ptx_func *callee)
{
	if (!callee->has_body)
		cc_refuse(l, "unresolved external function `%s'", callee->name);
	if (callee->is_entry)
		cc_refuse(l, "`%s' is a kernel, which is launched and not called",
			  callee->name);
	if (l->frame->depth >= MAX_CALL_DEPTH)
		cc_refuse(l, "calls are nested more than %u deep", MAX_CALL_DEPTH);
}

/*
 * Connect what the caller passes with the parameter of the callee: a .param variable is shared by
 * both, a .reg parameter is moved in here and a .reg result out behind the body.
 */
static void bind_param(struct cc_lower *l, struct cc_frame *caller, struct cc_frame *frame,
		       const struct ptx_operand *actual, struct ptx_var *formal, bool result)
{
	if (formal->space == PTX_PARAM) {
		if (actual->kind != PTX_OPND_VAR || actual->var->space != PTX_PARAM ||
		    actual->value)
			cc_refuse(l, "`%s' of `%s' wants a .param variable", formal->name,
				  frame->func->name);
		if (actual->var->size < formal->size)
			cc_refuse(l, "`%s' is smaller than `%s' of `%s'", actual->var->name,
				  formal->name, frame->func->name);
		l->frame = caller;
		frame->params[formal->index] = cc_param(l, actual->var);
		l->frame = frame;
		return;
	}
	if (result)
		return;		/* moved out behind the body */
	l->frame = caller;
	struct cc_value value = cc_src_element(l, actual, formal->type, false);

	l->frame = frame;
	cc_move(l, cc_reg(l, formal->reg), value);
}

static void move_results(struct cc_lower *l, struct cc_frame *caller, struct cc_frame *frame,
			 const struct ptx_operand *results)
{
	for (uint32_t i = 0; i < frame->func->results_count; i++) {
		struct ptx_var *formal = frame->func->results[i];
		uint32_t source, dst;

		if (formal->space != PTX_REG)
			continue;
		source = cc_reg(l, formal->reg);
		l->frame = caller;
		dst = cc_dst_element(l, &results->elements[i], formal->type, false);
		cc_move(l, dst, (struct cc_value){ .reg = source });
		l->frame = frame;
	}
}

static void bind_register(struct cc_lower *l, struct cc_frame *frame, const struct ptx_var *formal,
			  uint32_t offset, uint32_t reg)
{
	struct cc_pvar **at = &frame->params[formal->index];

	if (!*at) {
		*at = ptx_alloc(l->cc->ctx, sizeof(**at));
		(*at)->kind = CC_PVAR_SLOTS;
	}
	*PTX_PUSH(l->cc->ctx, *at, slots) = (struct cc_slot){
		.offset = offset, .size = CC_CLASS(l->cc->vregs[reg]) == CC_Q ? 8 : 4, .reg = reg,
	};
}

static void inline_registers(struct cc_lower *l, struct ptx_func *func,
			     const struct cc_passed *passed)
{
	const struct ptx_insn *in = l->in;
	struct cc_frame *caller = l->frame, *frame = cc_frame_new(l, func);
	uint32_t guard = l->guard;
	bool guard_not = l->guard_not;

	for (uint32_t i = 0; i < passed->params_count; i++)
		bind_register(l, frame, func->params[i], 0, passed->params[i]);
	for (uint32_t i = 0; i < passed->results_count; i++)
		bind_register(l, frame, func->results[0], 4 * i, passed->results[i]);
	cc_lower_body(l, func);
	l->in = in;
	l->guard = guard;
	l->guard_not = guard_not;
	l->first_temp = l->cc->vregs_count;
	cc_place(l, frame->end_label);
	l->frame = caller;
}

void cc_call_registers(struct cc_lower *l, struct ptx_func *func, const struct cc_passed *passed)
{
	struct cc_shared *shared;

	l->cc->uses_library[func->library] = true;
	shared = cc_shared_function(l->cc, func);
	if (shared)
		cc_call_shared(l, shared, passed);
	else
		inline_registers(l, func, passed);
}

void cc_lower_call(struct cc_lower *l)
{
	const struct ptx_insn *in = l->in;
	const struct ptx_operand *results = NULL, *params = NULL;
	struct cc_frame *caller = l->frame, *frame;
	unsigned int at = 0;
	struct cc_shared *shared;
	struct ptx_func *callee;
	uint32_t skip = CC_NONE;
	bool by_address = cc_calls_by_address(in);

	if (in->ops[0].kind == PTX_OPND_LIST)
		results = &in->ops[at++];
	if (at >= in->count || (in->ops[at].kind != PTX_OPND_FUNC && !by_address))
		cc_refuse(l, "a function's name or address is wanted");
	callee = in->ops[at++].func;
	if (at < in->count && in->ops[at].kind == PTX_OPND_LIST)
		params = &in->ops[at++];
	if (!by_address) {
		check_callee(l, callee);
		l->cc->uses_library[callee->library] = true;
	}
	if (!by_address && ((results ? results->count : 0) != callee->results_count ||
			    (params ? params->count : 0) != callee->params_count))
		cc_refuse(l, "`%s' has %u parameters and %u results", callee->name,
			  callee->params_count, callee->results_count);
	if (l->guard != CC_PT) {	/* who does not call goes around */
		skip = l->cc->label_count++;
		l->guard_not = !l->guard_not;
		cc_jump(l, skip);
		l->guard = CC_PT;
		l->guard_not = false;
	}
	if (by_address || callee->recursive) {
		cc_lower_invoke(l, callee, results, params);
		if (skip != CC_NONE)
			cc_place(l, skip);
		return;
	}
	shared = cc_shared_function(l->cc, callee);
	if (shared) {
		cc_lower_shared_call(l, shared, results, params);
		if (skip != CC_NONE)
			cc_place(l, skip);
		return;
	}
	/* results first: their place must be below the callee's slice of local memory */
	for (uint32_t i = 0; i < callee->results_count; i++)
		if (results->elements[i].kind == PTX_OPND_VAR &&
		    results->elements[i].var->space == PTX_PARAM)
			cc_param(l, results->elements[i].var);
	for (uint32_t i = 0; i < callee->params_count; i++)
		if (params->elements[i].kind == PTX_OPND_VAR &&
		    params->elements[i].var->space == PTX_PARAM)
			cc_param(l, params->elements[i].var);
	frame = cc_frame_new(l, callee);
	for (uint32_t i = 0; i < callee->results_count; i++)
		bind_param(l, caller, frame, &results->elements[i], callee->results[i], true);
	for (uint32_t i = 0; i < callee->params_count; i++)
		bind_param(l, caller, frame, &params->elements[i], callee->params[i], false);
	cc_lower_body(l, callee);
	l->in = in;
	l->guard = CC_PT;
	l->first_temp = l->cc->vregs_count;
	cc_place(l, frame->end_label);
	move_results(l, caller, frame, results);
	l->frame = caller;
	if (skip != CC_NONE)
		cc_place(l, skip);
}

/* ---- kernels ------------------------------------------------------------ */

/* A parameter whose address is needed is copied to local memory when the kernel starts. */
static void copy_param(struct cc_lower *l, const struct ptx_var *var, uint32_t from, uint32_t to)
{
	uint32_t size = (uint32_t)var->size;

	for (uint32_t at = 0, bytes; at < size; at += bytes) {
		unsigned int log = 3;
		uint32_t temp;

		while ((size - at) >> log == 0 || ((from + at) | (to + at)) & ((1u << log) - 1))
			log--;
		bytes = 1u << log;
		temp = cc_vreg(l->cc, log == 3 ? CC_Q : CC_R);
		cc_op(l, VGPU_OP_LDP, log, temp, CC_NONE, CC_NONE, CC_NONE)->imm = from + at;
		cc_op(l, VGPU_OP_STL, log | VGPU_F_ABS, CC_NONE, CC_NONE, temp, CC_NONE)->imm =
			to + at;
	}
}

static void kernel_params(struct cc_lower *l)
{
	struct ptx_func *func = l->frame->func;

	for (uint32_t i = 0; i < func->params_count; i++) {
		struct ptx_var *var = func->params[i];
		struct cc_pvar *pvar = ptx_alloc(l->cc->ctx, sizeof(*pvar));
		uint32_t from = (uint32_t)var->offset;

		pvar->kind = CC_PVAR_KERNEL;
		pvar->offset = from;
		if (var->addressed) {
			pvar->kind = CC_PVAR_MEMORY;
			pvar->offset = cc_alloc_local(l, var->size, var->align);
			cc_note_variable(l->cc, var, pvar->offset);
			copy_param(l, var, from, pvar->offset);
		}
		l->frame->params[var->index] = pvar;
	}
}

void cc_lower(struct cc *cc)
{
	static const struct ptx_insn nowhere = { .guard = PTX_NONE };
	struct cc_lower lower = { .cc = cc, .guard = CC_PT }, *l = &lower;

	cc_vreg(cc, CC_P);	/* CC_PT */
	l->in = &nowhere;
	l->dynamic_shared = (cc->shared_bytes + 15) & ~15u;
	cc_frame_new(l, cc->kernel);
	l->first_temp = cc->vregs_count;
	kernel_params(l);
	cc_lower_body(l, cc->kernel);
	l->in = &nowhere;
	l->guard = CC_PT;
	cc_place(l, l->frame->end_label);
	cc_op(l, VGPU_OP_EXIT, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE);
}
