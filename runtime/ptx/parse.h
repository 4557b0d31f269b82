/* SPDX-License-Identifier: MIT */
/*
 * State of one parse, shared by the files of runtime/ptx and by nobody else.
 */
#ifndef VGPU_PTX_PARSE_H
#define VGPU_PTX_PARSE_H

#include "module.h"
#include "sreg.h"

#define PTX_WORD_SLOTS	1024u
#define PTX_MAX_SCOPES	64u
#define PTX_MAX_OPERANDS	512u	/* of one instruction, elements included */
#define PTX_MAX_NAME	1023u

struct ptx_words {
	uint16_t mods[PTX_WORD_SLOTS];
	uint16_t ops[PTX_WORD_SLOTS];
};

void ptx_words_init(struct ptx_words *words);
unsigned int ptx_find_mod(const struct ptx_words *words, const char *text, size_t len);
int ptx_find_op(const struct ptx_words *words, const char *text, size_t len);
uint32_t ptx_find_sreg(const char *name, unsigned int mod);

/* What a name means in a scope. */
enum ptx_sym_kind { PTX_SYM_REG, PTX_SYM_REGS, PTX_SYM_VAR, PTX_SYM_FUNC, PTX_SYM_LABEL };

struct ptx_sym {
	struct ptx_sym *next;	/* in its hash chain */
	const char *name;	/* interned: equal names are equal pointers */
	uint32_t scope;
	enum ptx_sym_kind kind;
	enum ptx_type type;	/* REG, REGS */
	uint32_t number;	/* REG, LABEL: its number; REGS: how many */
	uint32_t line;
	struct ptx_var *var;
	struct ptx_func *func;
};

struct ptx_name {
	struct ptx_name *next;
	uint32_t hash;
	uint32_t len;
	char text[];
};

struct ptx_pending {	/* a label used before it is declared */
	const char *name;
	uint32_t insn, operand, line;
};

struct ptx_scope {
	uint32_t id;
	uint32_t first_pending;
};

/* Attributes of the declaration being read. */
struct ptx_decl {
	enum ptx_space space;
	enum ptx_type type;
	uint32_t align, vec;
	bool is_extern, is_entry, is_common, is_managed;
};

struct ptx_value {	/* one scalar of an initialiser, or a constant expression */
	uint64_t bits;
	uint8_t kind;	/* PTX_OPND_INT, _F32, _F64, _VAR */
	bool generic;
	const char *symbol;
};

struct ptx_parse {
	struct ptx_ctx *ctx;
	struct ptx_module *module;
	struct ptx_words words;
	uint32_t line;
	/* names */
	struct ptx_name **names;
	uint32_t name_count, name_slots;
	struct ptx_sym **syms;
	uint32_t sym_count, sym_slots;
	struct ptx_scope scopes[PTX_MAX_SCOPES];
	uint32_t scope_count, scope_ids;
	struct ptx_pending *pending;
	uint32_t pending_count, pending_room;
	/* the declaration, function and instruction being read */
	struct ptx_decl decl;
	uint32_t dims[8], dim_count;
	bool dim_open;
	struct ptx_value *inits;
	uint32_t inits_count, inits_room;
	bool has_init, init_nested;
	uint32_t init_depth;
	struct ptx_func *func;
	struct ptx_insn insn;
	struct ptx_operand ops[PTX_MAX_OPERANDS];
	uint32_t op_count;
	uint32_t insn_line;
};

/* scope.c */
const char *ptx_intern(struct ptx_parse *p, const char *text, size_t len);
void ptx_scope_push(struct ptx_parse *p);
void ptx_scope_pop(struct ptx_parse *p);
struct ptx_sym *ptx_find(struct ptx_parse *p, const char *name);
void ptx_declare_regs(struct ptx_parse *p, const char *name, uint64_t count, bool range);
/*
 * reserved.c: an operand that names a register of reserved shared memory becomes what that is in;
 * false: it names none
 */
bool ptx_reserved_shared(struct ptx_parse *p, struct ptx_operand *o);
struct ptx_var *ptx_declare_var(struct ptx_parse *p, const char *name);
void ptx_declare_label(struct ptx_parse *p, const char *name);
void ptx_func_begin(struct ptx_parse *p);
void ptx_func_name(struct ptx_parse *p, const char *name);
void ptx_func_param(struct ptx_parse *p, const char *name, bool result);
void ptx_func_end(struct ptx_parse *p, bool body);
/* data.c */
void ptx_data_init(struct ptx_parse *p, struct ptx_var *var);
void ptx_data_value(struct ptx_parse *p, uint8_t kind, uint64_t bits);
/* prototype.c */
void ptx_prototype(struct ptx_parse *p, const char *label, const char *text);
/* params.c */
void ptx_params_resolve(struct ptx_parse *p, struct ptx_func *func);
/* build.c */
void ptx_insn_begin(struct ptx_parse *p, const char *opcode);
void ptx_insn_mod(struct ptx_parse *p, unsigned int mod);
void ptx_insn_guard(struct ptx_parse *p, const char *name, bool negated);
struct ptx_operand *ptx_operand_new(struct ptx_parse *p, uint8_t kind);
/* A register with a selector, as written: "%r1.b0". */
void ptx_operand_select(struct ptx_parse *p, const char *text);
void ptx_operand_group(struct ptx_parse *p, uint8_t kind, uint32_t first);
void ptx_insn_end(struct ptx_parse *p);

#endif
