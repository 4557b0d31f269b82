// SPDX-License-Identifier: MIT
/*
 * Names of a PTX module: interning, scopes, declarations of registers, variables, labels and
 * functions. `.reg .b32 %r<1000000>' declares a family; its members get a number when they are
 * first named.
 */
#include <string.h>

#include "parse.h"

#define MAX_REGS	(1u << 22)	/* named registers of one function */
#define MAX_FUNC_PARAMS	4096u

static uint32_t hash_bytes(const char *text, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash ^ hash >> 13;
}

const char *ptx_intern(struct ptx_parse *p, const char *text, size_t len)
{
	uint32_t hash = hash_bytes(text, len);
	struct ptx_name *name;

	if (len > PTX_MAX_NAME)
		ptx_fail(p->ctx, p->line, "`%.40s...': a name longer than %u bytes", text,
			 PTX_MAX_NAME);
	if (p->name_count >= p->name_slots) {
		uint32_t slots = p->name_slots ? p->name_slots * 4 : 1024;
		struct ptx_name **table = ptx_alloc(p->ctx, slots * sizeof(*table)), *next;

		for (uint32_t i = 0; i < p->name_slots; i++)
			for (name = p->names[i]; name; name = next) {
				next = name->next;
				name->next = table[name->hash & (slots - 1)];
				table[name->hash & (slots - 1)] = name;
			}
		p->names = table;
		p->name_slots = slots;
	}
	for (name = p->names[hash & (p->name_slots - 1)]; name; name = name->next)
		if (name->hash == hash && name->len == len && !memcmp(name->text, text, len))
			return name->text;
	name = ptx_alloc(p->ctx, sizeof(*name) + len + 1);
	name->hash = hash;
	name->len = (uint32_t)len;
	memcpy(name->text, text, len);
	name->next = p->names[hash & (p->name_slots - 1)];
	p->names[hash & (p->name_slots - 1)] = name;
	p->name_count++;
	return name->text;
}

/* Interned names hash by what they say, so that nothing depends on addresses. */
static uint32_t name_hash(const char *name)
{
	const struct ptx_name *entry = (const void *)(name - offsetof(struct ptx_name, text));

	return entry->hash;
}

/* Every kernel has the same names of registers: the scope tells them apart. */
static uint32_t sym_hash(const char *name, uint32_t scope)
{
	return name_hash(name) ^ scope * 0x9e3779b1u;
}

static struct ptx_sym *sym_lookup(struct ptx_parse *p, const char *name, uint32_t scope)
{
	if (!p->sym_slots)
		return NULL;
	for (struct ptx_sym *sym = p->syms[sym_hash(name, scope) & (p->sym_slots - 1)]; sym;
	     sym = sym->next)
		if (sym->name == name && sym->scope == scope)
			return sym;
	return NULL;
}

static struct ptx_sym *sym_add(struct ptx_parse *p, const char *name, uint32_t scope,
			       enum ptx_sym_kind kind)
{
	struct ptx_sym *sym = ptx_alloc(p->ctx, sizeof(*sym)), *next, **slot;

	if (p->sym_count >= p->sym_slots) {
		uint32_t slots = p->sym_slots ? p->sym_slots * 4 : 1024;
		struct ptx_sym **table = ptx_alloc(p->ctx, slots * sizeof(*table)), *old;

		for (uint32_t i = 0; i < p->sym_slots; i++)
			for (old = p->syms[i]; old; old = next) {
				next = old->next;
				slot = &table[sym_hash(old->name, old->scope) & (slots - 1)];
				old->next = *slot;
				*slot = old;
			}
		p->syms = table;
		p->sym_slots = slots;
	}
	sym->name = name;
	sym->scope = scope;
	sym->kind = kind;
	sym->line = p->line;
	slot = &p->syms[sym_hash(name, scope) & (p->sym_slots - 1)];
	sym->next = *slot;
	*slot = sym;
	p->sym_count++;
	return sym;
}

static struct ptx_sym *sym_declare(struct ptx_parse *p, const char *name, enum ptx_sym_kind kind)
{
	uint32_t scope = p->scopes[p->scope_count - 1].id;
	struct ptx_sym *old = sym_lookup(p, name, scope);

	if (old)
		ptx_fail(p->ctx, p->line, "`%s' is declared twice in one scope, first on line %u",
			 name, old->line);
	return sym_add(p, name, scope, kind);
}

static uint32_t new_reg(struct ptx_parse *p, const char *name, enum ptx_type type)
{
	struct ptx_register *reg;

	if (p->func->regs_count >= MAX_REGS)
		ptx_fail(p->ctx, p->line, "`%s': more than %u registers in one function", name,
			 MAX_REGS);
	reg = PTX_PUSH(p->ctx, p->func, regs);
	reg->name = name;
	reg->type = type;
	return p->func->regs_count - 1;
}

/* The member `name` of a register family declared in `scope`, NULL if there is none. */
static struct ptx_sym *sym_lookup_family(struct ptx_parse *p, const char *name, size_t len,
					 uint32_t scope)
{
	struct ptx_sym *family, *sym;
	size_t digits = len;
	uint64_t number;

	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	/* %r1<10> and %r<200> can both hold %r15: try every split, longest prefix last */
	for (; digits < len; digits++) {
		if (len - digits > 9 || (name[digits] == '0' && digits + 1 < len))
			continue;
		number = 0;
		for (size_t i = digits; i < len; i++)
			number = number * 10 + (uint64_t)(name[i] - '0');
		family = sym_lookup(p, ptx_intern(p, name, digits), scope);
		if (!family || family->kind != PTX_SYM_REGS || number >= family->number)
			continue;
		sym = sym_add(p, name, scope, PTX_SYM_REG);
		sym->type = family->type;
		sym->number = new_reg(p, name, family->type);
		return sym;
	}
	return NULL;
}

struct ptx_sym *ptx_find(struct ptx_parse *p, const char *name)
{
	size_t len = strlen(name);
	bool digit = len && name[len - 1] >= '0' && name[len - 1] <= '9';
	struct ptx_sym *sym;

	for (uint32_t i = p->scope_count; i > 0; i--) {
		uint32_t scope = p->scopes[i - 1].id;

		sym = sym_lookup(p, name, scope);
		if (!sym && digit && p->func && i > 1)
			sym = sym_lookup_family(p, name, len, scope);
		if (sym)
			return sym;
	}
	return NULL;
}

void ptx_scope_push(struct ptx_parse *p)
{
	if (p->scope_count == PTX_MAX_SCOPES)
		ptx_fail(p->ctx, p->line, "`{': scopes are nested more than %u deep",
			 PTX_MAX_SCOPES);
	p->scopes[p->scope_count].id = p->scope_ids++;
	p->scopes[p->scope_count].first_pending = p->pending_count;
	p->scope_count++;
}

/*
 * Labels used in the scope before their declaration: resolve those declared here, leave the rest to
 * the outer one.
 */
void ptx_scope_pop(struct ptx_parse *p)
{
	struct ptx_scope *scope = &p->scopes[p->scope_count - 1];
	uint32_t keep = scope->first_pending;

	for (uint32_t i = scope->first_pending; i < p->pending_count; i++) {
		struct ptx_pending *pending = &p->pending[i];
		struct ptx_sym *sym = sym_lookup(p, pending->name, scope->id);

		if (sym && sym->kind == PTX_SYM_LABEL) {
			p->func->insns[pending->insn].ops[pending->operand].reg = sym->number;
			continue;
		}
		if (p->scope_count == 2)
			ptx_fail(p->ctx, pending->line, "`%s' is not declared", pending->name);
		p->pending[keep++] = *pending;
	}
	p->pending_count = keep;
	p->scope_count--;
}

void ptx_declare_regs(struct ptx_parse *p, const char *name, uint64_t count, bool range)
{
	struct ptx_sym *sym;

	if (range && count > UINT32_MAX)
		ptx_fail(p->ctx, p->line, "`%s<%llu>': too many registers", name,
			 (unsigned long long)count);
	sym = sym_declare(p, name, range ? PTX_SYM_REGS : PTX_SYM_REG);
	sym->type = p->decl.type;
	sym->number = range ? (uint32_t)count : new_reg(p, name, p->decl.type);
}

static void set_size(struct ptx_parse *p, struct ptx_var *var, const char *name)
{
	uint64_t size = ptx_type_bytes(p->decl.type), natural;

	if (p->decl.type == PTX_PRED)
		ptx_fail(p->ctx, p->line, "`%s': a predicate cannot be a variable", name);
	size *= p->decl.vec ? p->decl.vec : 1;
	natural = size;
	for (uint32_t i = 0; i < p->dim_count; i++) {
		if (i || !p->dim_open)
			size *= p->dims[i];
		if (size > UINT32_MAX)
			ptx_fail(p->ctx, p->line, "`%s' is larger than 4 GiB", name);
	}
	var->size = size;
	var->type = p->decl.type;
	var->align = p->decl.align ? p->decl.align : (uint32_t)natural;
	var->is_open = p->dim_open;
}

static struct ptx_var *new_var(struct ptx_parse *p, const char *name)
{
	struct ptx_var *var = ptx_alloc(p->ctx, sizeof(*var));

	var->name = name;
	var->space = p->decl.space;
	var->line = p->line;
	var->is_extern = p->decl.is_extern;
	var->is_managed = p->decl.is_managed;
	set_size(p, var, name);
	return var;
}

static void func_add_var(struct ptx_parse *p, struct ptx_var *var)
{
	var->owner = p->func;
	var->index = p->func->vars_count;
	*PTX_PUSH(p->ctx, p->func, vars) = var;
}

struct ptx_var *ptx_declare_var(struct ptx_parse *p, const char *name)
{
	struct ptx_var *var = new_var(p, name);
	struct ptx_sym *sym;

	if (p->dim_open && p->has_init && p->dim_count == 1) {
		var->size = (uint64_t)p->inits_count * ptx_type_bytes(var->type);
		var->is_open = false;
	}
	if (var->space == PTX_PARAM && !p->func)
		ptx_fail(p->ctx, p->line, "`%s': a .param variable outside a function", name);
	if (var->is_open && !(var->is_extern || var->space == PTX_SHARED))
		ptx_fail(p->ctx, p->line, "`%s[]': only an extern variable can leave its size open",
			 name);
	sym = sym_lookup(p, name, p->scopes[p->scope_count - 1].id);
	if (sym && sym->kind == PTX_SYM_VAR && (sym->var->is_extern || var->is_extern) &&
	    sym->var->space == var->space && !p->func) {
		/* the definition after `.extern', whose variable has users, or before it */
		if (!var->is_extern) {
			sym->var->is_extern = false;
			sym->var->is_open = false;
			sym->var->size = var->size;
			sym->var->align = var->align;
			sym->var->type = var->type;
			sym->var->is_managed = var->is_managed;
		}
		return sym->var;
	}
	sym = sym_declare(p, name, PTX_SYM_VAR);
	sym->var = var;
	if (p->func && (var->space == PTX_LOCAL || var->space == PTX_PARAM)) {
		func_add_var(p, var);
	} else {
		*p->module->vars_end = var;
		p->module->vars_end = &var->next;
	}
	return var;
}

void ptx_declare_label(struct ptx_parse *p, const char *name)
{
	struct ptx_sym *sym = sym_declare(p, name, PTX_SYM_LABEL);
	struct ptx_insn *insn = PTX_PUSH(p->ctx, p->func, insns);

	sym->number = p->func->label_count++;
	insn->op = PTX_I_LABEL;
	insn->line = p->line;
	insn->guard = PTX_NONE;
	insn->count = sym->number;
}

void ptx_func_begin(struct ptx_parse *p)
{
	p->func = ptx_alloc(p->ctx, sizeof(*p->func));
	p->func->line = p->line;
	p->func->is_entry = p->decl.is_entry;
	ptx_scope_push(p);
}

void ptx_func_name(struct ptx_parse *p, const char *name)
{
	struct ptx_sym *old = sym_lookup(p, name, 0);

	p->func->name = name;
	if (!old) {
		old = sym_add(p, name, 0, PTX_SYM_FUNC);
		old->func = p->func;
		*p->module->funcs_end = p->func;
		p->module->funcs_end = &p->func->next;
		return;
	}
	if (old->kind != PTX_SYM_FUNC || old->func->has_body ||
	    old->func->is_entry != p->func->is_entry) {
		/*
		 * a repeated prototype behind the body is harmless: ptx_func_end() sees whether
		 * this has a body
		 */
		if (old->kind != PTX_SYM_FUNC || old->func->is_entry != p->func->is_entry)
			ptx_fail(p->ctx, p->line, "`%s' is declared twice, first on line %u", name,
				 old->line);
	}
}

void ptx_func_param(struct ptx_parse *p, const char *name, bool result)
{
	struct ptx_var *var = new_var(p, name);
	struct ptx_func *func = p->func;
	struct ptx_sym *sym;

	if (var->is_open)
		ptx_fail(p->ctx, p->line, "`%s[]': a parameter without a size", name);
	if (strcmp(name, "_")) {
		sym = sym_declare(p, name, var->space == PTX_REG ? PTX_SYM_REG : PTX_SYM_VAR);
		sym->var = var;
		sym->type = var->type;
	} else {
		sym = NULL;
	}
	if (func->params_count + func->results_count == MAX_FUNC_PARAMS)
		ptx_fail(p->ctx, p->line, "`%s': more than %u parameters", name, MAX_FUNC_PARAMS);
	if (func->is_entry && var->space == PTX_REG)
		ptx_fail(p->ctx, p->line, "`%s': a parameter of a kernel is .param", name);
	if (var->space == PTX_REG && var->type == PTX_B128)
		ptx_fail(p->ctx, p->line, "`%s': a parameter in a register has at most 64 bits",
			 name);
	if (var->space == PTX_REG) {
		var->reg = new_reg(p, name, var->type);
		if (sym)
			sym->number = var->reg;
	}
	func_add_var(p, var);
	var->is_kernel_param = func->is_entry;
	if (result)
		*PTX_PUSH(p->ctx, func, results) = var;
	else
		*PTX_PUSH(p->ctx, func, params) = var;
}

/*
 * A prototype and its body are one function: uses before the body hold the prototype's struct, so
 * the body moves in.
 */
void ptx_func_end(struct ptx_parse *p, bool body)
{
	struct ptx_func *func = p->func, *first = sym_lookup(p, func->name, 0)->func, *next;

	func->has_body = body;
	ptx_scope_pop(p);
	if (body)
		ptx_params_resolve(p, func);
	p->func = NULL;
	if (first == func)
		return;
	if (body && first->has_body)
		ptx_fail(p->ctx, p->line, "`%s' has two bodies, the first on line %u", func->name,
			 first->line);
	if (first->has_body)
		return;
	next = first->next;
	*first = *func;
	first->next = next;
	for (uint32_t i = 0; i < first->vars_count; i++)
		first->vars[i]->owner = first;
}
