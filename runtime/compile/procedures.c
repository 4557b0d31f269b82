// SPDX-License-Identifier: MIT
/*
 * Procedures: functions that are called instead of inlined, since nobody knows which one it will be
 * (a call by address) or how deep it goes (recursion). A kernel has one copy of each behind its own
 * code, that all its calls share. The device has no instruction that calls (docs/isa.md); a call is
 * a jump with its number in a register, and the end of a procedure goes by that number to behind
 * the call (emit_calls.c).
 *
 * Convention. The registers of procedures are behind the kernel's: where the frame begins, the
 * number of the call, two to work with, the address that is called (a pair), then those of the
 * procedure, 32-bit ones apart from 64-bit ones, as lanes of a warp can be in different procedures.
 * The stack is at the end of local memory and grows up. A frame has the parameters, the results,
 * the procedure's own local memory and spilled registers, and what has to live across its calls. So
 * a stack that is full is an access beyond local memory, which is a fault.
 *
 * For all passes a call is one instruction (CC_INVOKE), at which branches meet as if it were. Local
 * memory of a procedure is addressed from 0; emission adds where the frame begins.
 */
#include <string.h>

#include "launch/launch.h"
#include "lower.h"

/* An address of a function: this, bits of its name's hash, its number. Never memory. */
#define FUNCTION_ADDRESS (3ull << 56)
/* At least so many registers are the procedures', and so many the kernel's own. */
#define LEAST_SINGLES 12u
#define LEAST_PAIRS 16u
#define LEAST_KERNEL 16u
#define MOST_PREDS 16u
/* Beside the limit on stacks: what calls need that are not recursive. */
#define MOST_FRAMES (16u << 10)

/* ---- which functions they are ------------------------------------------- */

bool cc_calls_by_address(const struct ptx_insn *insn)
{
	uint32_t at;

	if (insn->op != PTX_I_CALL || !insn->count)
		return false;
	at = insn->ops[0].kind == PTX_OPND_LIST;
	return at < insn->count && insn->ops[at].kind == PTX_OPND_REG;
}

static void take_operand(const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_FUNC)
		o->func->taken = true;
	for (uint32_t e = 0; e < o->count; e++)
		take_operand(&o->elements[e]);
}

/* Direct calls of the module: from function number to function number, by the caller. */
struct graph {
	struct ptx_func **funcs;
	uint32_t funcs_count, funcs_room;
	uint32_t *first, *to; /* of each caller: callees from first[n] to first[n + 1] */
	uint32_t to_count, to_room, first_count, first_room;
};

static void collect_calls(struct ptx_ctx *ctx, struct graph *g)
{
	for (uint32_t f = 0; f < g->funcs_count; f++) {
		struct ptx_func *func = g->funcs[f];

		*PTX_PUSH(ctx, g, first) = g->to_count;
		for (uint32_t i = 0; i < func->insns_count; i++) {
			struct ptx_insn *insn = &func->insns[i];

			if (insn->op == PTX_I_LABEL)
				continue;
			for (uint32_t o = 0; o < insn->count; o++)
				if (insn->op == PTX_I_CALL && o < 2 &&
				    insn->ops[o].kind == PTX_OPND_FUNC)
					*PTX_PUSH(ctx, g, to) = insn->ops[o].func->mark;
				else
					take_operand(&insn->ops[o]);
		}
	}
	*PTX_PUSH(ctx, g, first) = g->to_count;
}

/*
 * Takes away functions that call none of those that are left, until there is none: those are in no
 * circle. @left has the others.
 */
static void remove_leaves(struct ptx_ctx *ctx, const uint32_t *first, const uint32_t *to,
			  uint32_t count, bool *left)
{
	uint32_t *calls = ptx_alloc(ctx, (count + 1) * sizeof(*calls));
	uint32_t *callers = ptx_alloc(ctx, (count + 2) * sizeof(*callers));
	uint32_t *from = ptx_alloc(ctx, (first[count] + 1) * sizeof(*from));
	uint32_t *queue = ptx_alloc(ctx, (count + 1) * sizeof(*queue)), depth = 0;

	for (uint32_t f = 0; f < count; f++)
		for (uint32_t e = first[f]; left[f] && e < first[f + 1]; e++)
			if (left[to[e]]) {
				calls[f]++;
				callers[to[e] + 2]++;
			}
	for (uint32_t f = 0; f < count; f++)
		callers[f + 2] += callers[f + 1];
	for (uint32_t f = 0; f < count; f++)
		for (uint32_t e = first[f]; left[f] && e < first[f + 1]; e++)
			if (left[to[e]])
				from[callers[to[e] + 1]++] = f;
	for (uint32_t f = 0; f < count; f++)
		if (left[f] && !calls[f])
			queue[depth++] = f;
	while (depth) {
		uint32_t f = queue[--depth];

		left[f] = false;
		for (uint32_t e = callers[f]; e < callers[f + 1]; e++)
			if (!--calls[from[e]])
				queue[depth++] = from[e];
	}
}

/*
 * Functions in a circle of calls, and those on a way from one circle to another, which do no harm.
 */
static void find_recursion(struct ptx_ctx *ctx, struct graph *g)
{
	uint32_t count = g->funcs_count, *first, *to, *at;
	bool *left = ptx_alloc(ctx, count + 1);

	memset(left, true, count);
	remove_leaves(ctx, g->first, g->to, count, left);
	/* and the same for callers */
	first = ptx_alloc(ctx, (count + 2) * sizeof(*first));
	at = ptx_alloc(ctx, (count + 2) * sizeof(*at));
	to = ptx_alloc(ctx, (g->to_count + 1) * sizeof(*to));
	for (uint32_t e = 0; e < g->to_count; e++)
		first[g->to[e] + 1]++;
	for (uint32_t f = 0; f < count; f++)
		first[f + 1] += first[f];
	memcpy(at, first, (count + 1) * sizeof(*at));
	for (uint32_t f = 0; f < count; f++)
		for (uint32_t e = g->first[f]; e < g->first[f + 1]; e++)
			to[at[g->to[e]]++] = f;
	remove_leaves(ctx, first, to, count, left);
	for (uint32_t f = 0; f < count; f++)
		g->funcs[f]->recursive = left[f] && !g->funcs[f]->library;
}

static uint64_t address_of(const struct ptx_func *func, uint32_t number)
{
	uint32_t hash = 2166136261u;

	for (const char *c = func->name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	return FUNCTION_ADDRESS | (uint64_t)(hash & 0xffffff) << 32 | ((uint64_t)number + 1) << 4;
}

void cc_find_procedures(struct ptx_ctx *ctx, struct ptx_module *module)
{
	struct graph graph = {0}, *g = &graph;
	uint32_t kernels = 0;

	for (struct ptx_func *func = module->funcs; func; func = func->next) {
		func->address = func->is_entry && func->has_body ?
				VGPU_KERNEL_ADDRESS + ((uint64_t)kernels++ << 4) :
				address_of(func, g->funcs_count);
		func->mark = g->funcs_count;
		*PTX_PUSH(ctx, g, funcs) = func;
	}
	collect_calls(ctx, g);
	for (struct ptx_var *var = module->vars; var; var = var->next)
		for (uint32_t i = 0; i < var->refs_count; i++)
			if (var->refs[i].func)
				var->refs[i].func->taken = true;
	find_recursion(ctx, g);
	for (uint32_t f = 0; f < g->funcs_count; f++)
		g->funcs[f]->mark = 0;
}

/* ---- frames ------------------------------------------------------------- */

/* The place of @size bytes in a frame; it depends on sizes only, which both sides know. */
static uint32_t place_in_frame(uint32_t *at, uint64_t size)
{
	uint32_t place = size > 8 ? (*at + 15) & ~15u : *at;

	*at = place + (((uint32_t)size + 7) & ~7u);
	return place;
}

static void check_frame(struct ptx_ctx *ctx, uint32_t line, const char *name, uint64_t bytes)
{
	if (bytes > VGPU_VASS_MAX_PARAM)
		ptx_fail(ctx, line, "the parameters or results of `%s' take more than %u bytes",
			 name, VGPU_VASS_MAX_PARAM);
}

/* Bytes that the variables take in a frame. */
static uint32_t frame_bytes(struct ptx_ctx *ctx, const struct ptx_func *func,
			    struct ptx_var *const *vars, uint32_t count)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		check_frame(ctx, func->line, func->name, at + vars[i]->size);
		place_in_frame(&at, vars[i]->size);
	}
	return (at + 15) & ~15u;
}

static unsigned int log2_of(uint32_t bytes)
{
	return bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0;
}

static struct cc_insn *local_access(struct cc_lower *l, bool store, uint32_t bytes, uint32_t reg,
				    uint32_t offset)
{
	struct cc_insn *insn =
		cc_op(l, store ? VGPU_OP_STL : VGPU_OP_LDL, log2_of(bytes) | VGPU_F_ABS,
		      store ? CC_NONE : reg, CC_NONE, store ? reg : CC_NONE, CC_NONE);

	insn->imm = offset;
	return insn;
}

/* ---- a procedure -------------------------------------------------------- */

/* Parameters and results are in the frame from @at on; a .reg one has a register, too. */
static void formals(struct cc_lower *l, struct ptx_var *const *vars, uint32_t count, uint32_t at)
{
	for (uint32_t i = 0; i < count; i++) {
		struct cc_pvar *pvar = ptx_alloc(l->cc->ctx, sizeof(*pvar));

		pvar->kind = CC_PVAR_MEMORY;
		pvar->offset = place_in_frame(&at, vars[i]->size);
		l->frame->params[vars[i]->index] = pvar;
	}
}

static void registers_of(struct cc_lower *l, struct ptx_var *const *vars, uint32_t count,
			 bool store)
{
	for (uint32_t i = 0; i < count; i++)
		if (vars[i]->space == PTX_REG)
			local_access(l, store, (uint32_t)vars[i]->size, cc_reg(l, vars[i]->reg),
				     l->frame->params[vars[i]->index]->offset);
}

static void lower_procedure(struct cc *cc)
{
	static const struct ptx_insn nowhere = {.guard = PTX_NONE};
	struct cc_lower lower = {.cc = cc, .guard = CC_PT, .in = &nowhere}, *l = &lower;
	struct cc_procedure *own = cc->procedure;
	struct ptx_func *func = cc->kernel;

	cc_vreg(cc, CC_P); /* CC_PT */
	l->dynamic_shared = (cc->shared_bytes + 15) & ~15u;
	cc_frame_new(l, func);
	formals(l, func->params, func->params_count, 0);
	formals(l, func->results, func->results_count, own->params);
	registers_of(l, func->params, func->params_count, false);
	l->first_temp = cc->vregs_count;
	cc_lower_body(l, func);
	l->in = &nowhere;
	l->guard = CC_PT;
	cc_place(l, l->frame->end_label);
	registers_of(l, func->results, func->results_count, true);
	cc_op(l, VGPU_OP_EXIT, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE)->returns = 1;
}

static bool lives_across(const struct cc_live *live, uint32_t insn)
{
	for (uint32_t r = 0; r < live->count; r++)
		if (live->ranges[r].from <= insn * 2 && live->ranges[r].to > insn * 2 + 1)
			return true;
	return false;
}

/* Registers that live across the call get a place in the frame from @at on. Returns its end. */
static uint32_t keep_registers(struct cc *cc, const struct cc_live *live, uint32_t insn,
			       uint32_t at)
{
	struct cc_site *site = cc->insns[insn].site;

	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint32_t v = 1; v < cc->vregs_count; v++) {
			enum cc_class class = CC_CLASS(cc->vregs[v]);

			if ((class == CC_Q) != (pass == 0) || cc->phys[v] == CC_NONE ||
			    !lives_across(&live[v], insn))
				continue;
			*PTX_PUSH(cc->ctx, site, kept) = (struct cc_kept){cc->phys[v], at, class};
			at += class == CC_Q ? 8 : 4;
		}
	return at;
}

static void compile_procedure(struct cc_procedure *own)
{
	struct cc *cc = &own->cc;
	struct cc_live *live;
	uint32_t end, most;

	lower_procedure(cc);
	cc_compile_blocks(cc);
	live = cc_liveness(cc);
	/* first the number of the call that it returns from */
	end = most = cc_local_end(cc);
	for (uint32_t b = 0; b < cc->block_count; b++)
		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++)
			if (cc->insns[i].op == CC_INVOKE) {
				uint32_t kept = keep_registers(cc, live, i, end + 8);

				most = kept > most ? kept : most;
			}
	own->frame = (most + 15) & ~15u;
}

uint32_t cc_local_end(const struct cc *cc)
{
	uint32_t spill_start = cc->spilled_bytes ? (cc->local_bytes + 7) & ~7u : cc->local_bytes;

	return (spill_start + cc->spilled_bytes + 15) & ~15u;
}

/* ---- those of a kernel -------------------------------------------------- */

/* Does the kernel reach it by calls of functions by name, or by an address if it has such calls? */
static bool is_wanted(const struct ptx_func *func, uint32_t mark, bool by_address)
{
	return func->has_body && !func->is_entry && func->mark == mark &&
	       (func->recursive || (func->taken && by_address));
}

static bool reaches_address(const struct ptx_module *module, uint32_t mark)
{
	for (const struct ptx_func *func = module->funcs; func; func = func->next)
		for (uint32_t i = 0; func->mark == mark && i < func->insns_count; i++)
			if (cc_calls_by_address(&func->insns[i]))
				return true;
	return false;
}

static void measure(struct cc *kernel, struct cc_procedures *all, uint32_t limit)
{
	uint32_t singles = 0, pairs = 0, preds = 1, frames = 0, largest = 0;

	for (const struct cc_procedure *own = all->first; own; own = own->next) {
		const struct cc *cc = &own->cc;

		singles = cc->singles_used > singles ? cc->singles_used : singles;
		pairs = cc->pairs_used > pairs ? cc->pairs_used : pairs;
		preds = cc->preds_used > preds ? cc->preds_used : preds;
		largest = own->frame > largest ? own->frame : largest;
		frames += frames < MOST_FRAMES ? own->frame : 0;
		for (unsigned int i = 0; i < PTX_LIBRARIES; i++)
			kernel->uses_library[i] |= cc->uses_library[i];
		kernel->uses_workspace |= cc->uses_workspace;
		kernel->uses_depth |= cc->uses_depth;
		if (kernel->shared_bytes < cc->shared_bytes)
			kernel->shared_bytes = cc->shared_bytes;
	}
	all->singles = (singles + 1) & ~1u;
	all->regs = CC_CONVENTION_REGS + all->singles + pairs;
	all->preds = preds;
	if (frames > MOST_FRAMES)
		frames = largest > MOST_FRAMES ? largest : MOST_FRAMES;
	all->stack = ((limit ? limit : VGPU_STACK_BYTES) + frames + 15) & ~15u;
	if (kernel->reserved_preds < preds)
		kernel->reserved_preds = preds;
}

void cc_make_procedures(struct cc *kernel, struct ptx_module *module, uint32_t stack)
{
	uint32_t mark = kernel->kernel->mark, half;
	bool by_address = reaches_address(module, mark);
	struct cc_procedures *all = ptx_alloc(kernel->ctx, sizeof(*all));
	struct cc_procedure **end = &all->first;

	/* at most half of the registers are theirs */
	half = kernel->max_regs / 2 & ~3u;
	half = half > CC_CONVENTION_REGS ? half - CC_CONVENTION_REGS : 0;
	if (half < LEAST_SINGLES + LEAST_PAIRS)
		half = LEAST_SINGLES + LEAST_PAIRS;
	for (struct ptx_func *func = module->funcs; func; func = func->next) {
		struct cc_procedure *own;

		func->procedure = NULL;
		if (!is_wanted(func, mark, by_address))
			continue;
		*end = own = ptx_alloc(kernel->ctx, sizeof(*own));
		end = &own->next;
		func->procedure = own;
		own->func = func;
		own->params = frame_bytes(kernel->ctx, func, func->params, func->params_count);
		own->results = frame_bytes(kernel->ctx, func, func->results, func->results_count);
		own->cc = (struct cc){
			.ctx = kernel->ctx,
			.kernel = func,
			.from_llvm = kernel->from_llvm,
			.shared_bytes = kernel->shared_bytes,
			.textures = kernel->textures,
			.workspace_offset = kernel->workspace_offset,
			.procedures = all,
			.procedure = own,
			.frame_start = own->params + own->results,
			.local_bytes = own->params + own->results,
			.singles = LEAST_SINGLES + ((half - LEAST_SINGLES - LEAST_PAIRS) / 2 & ~3u),
			.max_regs = half,
			.reserved_preds = VGPU_PREDS - 1 - MOST_PREDS,
		};
	}
	if (!all->first && !by_address)
		return;
	for (struct cc_procedure *own = all->first; own; own = own->next)
		compile_procedure(own);
	kernel->procedures = all;
	measure(kernel, all, stack);
	if (kernel->max_regs < all->regs + LEAST_KERNEL)
		kernel->max_regs = all->regs + LEAST_KERNEL;
}

/* ---- calls -------------------------------------------------------------- */

/* Copies a .param variable in memory to or from the frame of the callee. */
static void copy_memory(struct cc_lower *l, uint32_t size, uint32_t own, uint32_t place, bool store)
{
	for (uint32_t at = 0, bytes; at < size; at += bytes) {
		uint32_t temp;

		bytes = 8;
		while (bytes > size - at || (own + at) % bytes || (place + at) % bytes)
			bytes /= 2;
		temp = cc_vreg(l->cc, bytes == 8 ? CC_Q : CC_R);
		local_access(l, false, bytes, temp, (store ? own : place) + at)->callee = !store;
		local_access(l, true, bytes, temp, (store ? place : own) + at)->callee = store;
	}
}

/* Moves one parameter to the frame of the callee, or one result from there. */
static void pass_variable(struct cc_lower *l, struct ptx_var *var, uint32_t place, uint32_t size,
			  bool store)
{
	struct cc_pvar *pvar = cc_param(l, var);

	if (pvar->kind == CC_PVAR_MEMORY) {
		copy_memory(l, size, pvar->offset, place, store);
		return;
	}
	if (pvar->kind != CC_PVAR_SLOTS)
		cc_refuse(l, "`%s' is a parameter of the kernel, not a variable to be passed",
			  var->name);
	for (uint32_t i = 0; i < pvar->slots_count; i++) {
		struct cc_slot *slot = &pvar->slots[i];

		if (slot->offset + slot->size > size || (store && slot->reg == CC_NONE))
			continue;
		cc_param_slot(l, pvar, slot->offset, slot->size);
		local_access(l, store, slot->size, slot->reg, place + slot->offset)->callee = 1;
	}
}

static void pass_operand(struct cc_lower *l, const struct ptx_operand *actual, enum ptx_type type,
			 uint32_t place, uint32_t size, bool store)
{
	uint32_t reg;

	if (actual->kind == PTX_OPND_VAR && actual->var->space == PTX_PARAM && !actual->value) {
		if (actual->var->size < size)
			cc_refuse(l, "`%s' has %llu bytes where %u are passed", actual->name,
				  (unsigned long long)actual->var->size, size);
		pass_variable(l, actual->var, place, size, store);
		return;
	}
	if (size > 8)
		cc_refuse(l, "a .param variable of %u bytes is wanted", size);
	reg = store ? cc_in_reg(l, cc_src_element(l, actual, type, false), cc_class_of(type))
		    : cc_dst_element(l, actual, type, false);
	local_access(l, store, size, reg, place)->callee = 1;
}

/* What both sides know of an operand: its type, if it is no .param variable, and its bytes. */
static enum ptx_type type_of(struct cc_lower *l, const struct ptx_operand *actual, uint32_t size)
{
	if (actual->kind == PTX_OPND_REG)
		return l->frame->func->regs[actual->reg].type;
	return size == 8 ? PTX_B64 : size == 2 ? PTX_B16 : size == 1 ? PTX_B8 : PTX_B32;
}

static uint32_t size_of(struct cc_lower *l, const struct ptx_operand *actual)
{
	if (actual->kind == PTX_OPND_VAR && actual->var->space == PTX_PARAM)
		return (uint32_t)actual->var->size;
	if (actual->kind == PTX_OPND_REG && type_of(l, actual, 0) != PTX_PRED)
		return ptx_type_bytes(type_of(l, actual, 0));
	cc_refuse(l, "`%s' cannot be passed without a prototype",
		  actual->name ? actual->name : "a constant");
}

static const struct ptx_prototype *prototype_of(struct cc_lower *l)
{
	const struct ptx_operand *last = &l->in->ops[l->in->count - 1];
	const struct ptx_func *func = l->frame->func;

	for (uint32_t i = 0; last->kind == PTX_OPND_LABEL && i < func->protos_count; i++)
		if (func->protos[i].label == last->reg)
			return &func->protos[i];
	return NULL;
}

/* Passes all of a list; returns the bytes they take in the frame. */
static uint32_t pass_list(struct cc_lower *l, const struct ptx_operand *list, const uint32_t *sizes,
			  struct ptx_var *const *vars, uint32_t from, bool store)
{
	uint32_t at = from, size, place;

	for (uint32_t i = 0; list && i < list->count; i++) {
		const struct ptx_operand *actual = &list->elements[i];

		if (actual->kind == PTX_OPND_SINK) {
			if (!sizes && !vars)
				cc_refuse(l, "`_' cannot be passed without a prototype");
			size = sizes ? sizes[i] : (uint32_t)vars[i]->size;
			check_frame(l->cc->ctx, l->in->line, "call", at - from + (uint64_t)size);
			place_in_frame(&at, size);
			continue;
		}
		size = sizes ? sizes[i] : vars ? (uint32_t)vars[i]->size : size_of(l, actual);
		check_frame(l->cc->ctx, l->in->line, "call", at - from + (uint64_t)size);
		place = place_in_frame(&at, size);
		pass_operand(l, actual, type_of(l, actual, size), place, size, store);
	}
	return (at - from + 15) & ~15u;
}

void cc_lower_invoke(struct cc_lower *l, struct ptx_func *callee, const struct ptx_operand *results,
		     const struct ptx_operand *params)
{
	const struct ptx_prototype *proto = callee ? NULL : prototype_of(l);
	const uint32_t *gives = proto ? proto->sizes : NULL;
	const uint32_t *takes = proto ? proto->sizes + proto->results_count : NULL;
	struct cc_site *site = ptx_alloc(l->cc->ctx, sizeof(*site));
	const struct ptx_operand *target = &l->in->ops[results ? 1 : 0];
	uint32_t address = CC_NONE;
	struct cc_insn *insn;

	if (proto && ((results ? results->count : 0) != proto->results_count ||
		      (params ? params->count : 0) != proto->sizes_count - proto->results_count))
		cc_refuse(l, "the prototype has %u parameters and %u results",
			  proto->sizes_count - proto->results_count, proto->results_count);
	if (!callee)
		address = cc_in_reg(l, cc_src_element(l, target, PTX_B64, false), CC_Q);
	site->callee = callee ? callee->procedure : NULL;
	site->params = pass_list(l, params, takes, callee ? callee->params : NULL, 0, true);
	insn = cc_op(l, CC_INVOKE, 0, CC_NONE, address, CC_NONE, CC_NONE);
	insn->site = site;
	site->results =
		pass_list(l, results, gives, callee ? callee->results : NULL, site->params, false);
}
