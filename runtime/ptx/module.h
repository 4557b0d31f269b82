/* SPDX-License-Identifier: MIT */
/*
 * A PTX module in memory: what the parser hands to the compiler. Names are resolved, nothing else
 * is decided. Contents page of runtime/ptx: lexer.l and parser.y read the text, scope.c resolves
 * names, build.c makes instructions, data.c turns initialisers into bytes.
 */
#ifndef VGPU_PTX_MODULE_H
#define VGPU_PTX_MODULE_H

#include "arena.h"
#include "words.h"

#define PTX_NONE	UINT32_MAX

enum ptx_type {
	PTX_T_NONE,
#define PTX_X(name, text, bytes, letter) PTX_##name,
	PTX_TYPES(PTX_X)
#undef PTX_X
	PTX_TYPE_COUNT
};

enum ptx_mod {
	PTX_M_NONE = PTX_TYPE_COUNT,	/* types and modifiers share one numbering */
#define PTX_X(name, text, kinds) PTX_M_##name,
	PTX_MODS(PTX_X)
#undef PTX_X
	PTX_M_UNKNOWN,
	PTX_MOD_COUNT
};

enum ptx_op {
#define PTX_X(name, text) PTX_I_##name,
	PTX_OPS(PTX_X)
#undef PTX_X
	PTX_I_LABEL,		/* not an instruction: a label stands here */
	PTX_OP_COUNT
};

enum ptx_space { PTX_GENERIC, PTX_REG, PTX_PARAM, PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_LOCAL };

/*
 * An access at a constant offset of a .param variable, as far as the function that declares it
 * makes one.
 */
struct ptx_access {
	uint32_t offset, size;
	bool store;
};

struct ptx_init_ref {	/* a word of an initialiser that is an address */
	uint64_t where;
	struct ptx_var *var;
	struct ptx_func *func;	/* instead of var: of a function */
	uint32_t line;
	enum ptx_space space;	/* PTX_GENERIC when written generic(name) */
};

struct ptx_var {
	const char *name;
	struct ptx_var *next;
	struct ptx_func *owner;	/* NULL for a variable of the module */
	enum ptx_space space;	/* PTX_REG: a parameter in a register */
	enum ptx_type type;
	uint32_t line;
	uint32_t align;
	uint32_t index;		/* of a variable of a function: its number there */
	uint32_t reg;		/* PTX_REG */
	uint64_t size;		/* bytes */
	bool is_extern, is_open, is_kernel_param;
	bool is_managed;	/* .attribute(.managed) */
	bool is_placed;		/* by the compiler's caller: offset is the address */
	uint8_t *init;		/* size bytes, or NULL */
	struct ptx_init_ref *refs;
	uint32_t refs_count, refs_room;
	/* .param: how it is used */
	struct ptx_access *uses;
	uint32_t uses_count, uses_room;
	bool addressed;		/* its address is taken, or it is accessed through a register */
	struct ptx_func *callee;	/* of the one call it is passed to, or is the result of */
	uint32_t callee_index;
	bool callee_result, many_calls;
	uint64_t offset;	/* for the compiler: where a module variable was placed */
};

enum ptx_opnd_kind {
	PTX_OPND_SINK,		/* _ */
	PTX_OPND_REG,		/* also !p and p|q */
	PTX_OPND_INT,
	PTX_OPND_F32,		/* bits in value */
	PTX_OPND_F64,
	PTX_OPND_SREG,
	PTX_OPND_VAR,		/* address of var, plus value */
	/* [base + value]; base a register, a variable or neither; coordinates are elements */
	PTX_OPND_ADDR,
	PTX_OPND_VEC,		/* { elements } */
	PTX_OPND_LIST,		/* ( elements ), of call */
	PTX_OPND_LABEL,
	PTX_OPND_FUNC,
};

struct ptx_operand {
	uint8_t kind;
	bool negated;		/* !p */
	uint8_t count;		/* of elements */
	uint32_t reg;		/* register, label or special register number; PTX_NONE: none */
	uint32_t second;	/* q of p|q, PTX_NONE: none */
	uint64_t value;
	struct ptx_var *var;
	struct ptx_func *func;
	struct ptx_operand *elements;
	const char *name;	/* as written, where it was a name */
	/* .b3210 or .h1 behind it, of video instructions: digits as written; 0: none */
	uint8_t select_count, select[4];
	bool select_halves;
	bool minus;		/* -%r1, of vmad */
};

#define PTX_MAX_MODS	12
#define PTX_MAX_TYPES	4

struct ptx_insn {
	uint32_t line;
	uint16_t op;
	uint8_t mod_count;
	uint8_t type_count;
	uint16_t mods[PTX_MAX_MODS];	/* in order, types included */
	uint8_t types[PTX_MAX_TYPES];
	bool guard_negated;
	uint32_t guard;			/* register, PTX_NONE: always */
	uint32_t count;			/* operands; of PTX_I_LABEL: the label's number */
	struct ptx_operand *ops;
};

/* .callprototype: bytes of each result, then of each parameter, of what is called by address */
struct ptx_prototype {
	uint32_t label;			/* that names it */
	uint32_t *sizes, sizes_count, sizes_room;
	uint32_t results_count;
};

struct ptx_register {
	const char *name;
	enum ptx_type type;
};

/* What the runtime brings: modules of its own that link.c adds. */
enum ptx_library { PTX_LIBRARY_NONE, PTX_LIBRARY_HEAP, PTX_LIBRARY_PRINT, PTX_LIBRARY_TEXTURE,
		   PTX_LIBRARY_LAUNCH, PTX_LIBRARIES };

struct ptx_func {
	const char *name;
	struct ptx_func *next;
	uint32_t line;
	bool is_entry, has_body;
	/* of a block; blocks an SM has to have room for; registers of a thread. 0: not said */
	uint32_t max_threads, min_blocks, max_regs;
	struct ptx_var **params, **results;
	uint32_t params_count, params_room, results_count, results_room;
	struct ptx_insn *insns;
	uint32_t insns_count, insns_room;
	struct ptx_register *regs;
	uint32_t regs_count, regs_room;
	struct ptx_var **vars;		/* .param and .local ones, parameters included */
	uint32_t vars_count, vars_room;
	uint32_t label_count;
	struct ptx_prototype *protos;
	uint32_t protos_count, protos_room;
	enum ptx_library library;	/* that it is of */
	uint32_t mark;			/* for walks of the compiler */
	/* for the compiler (compile/procedures.c) */
	bool taken;			/* its address is */
	bool recursive;			/* it may call itself, by calls that name functions */
	uint64_t address;		/* what its address is */
	struct cc_procedure *procedure;	/* of the kernel that is being compiled */
};

struct ptx_module {
	struct ptx_func *funcs, **funcs_end;
	struct ptx_var *vars, **vars_end;	/* of every .global, .const and .shared variable */
	/* of each library the struct that tells it where its memory is; NULL: it is not used */
	struct ptx_var *library_vars[PTX_LIBRARIES];
	struct ptx_var *reserved_shared;	/* NULL: no function names it (reserved.c) */
	struct ptx_func *textures;	/* the functions of texture fetches; NULL: there are none */
};

/* PTX text to module; leaves through ptx_fail() when it is malformed. */
struct ptx_module *ptx_parse(struct ptx_ctx *ctx, const char *text, size_t len);

unsigned int ptx_type_bytes(enum ptx_type type);
char ptx_type_letter(enum ptx_type type);	/* u s b f p m o, h for packed halves */
const char *ptx_mod_name(unsigned int mod);	/* without the dot */
const char *ptx_op_name(unsigned int op);
/* behind the message that a word is unknown: what it belongs to, which is not there; "" */
const char *ptx_absent(const char *word, size_t len);
uint64_t ptx_mod_kinds(unsigned int mod);
/* The instruction as written, operands left out: "ld.global.f32". */
const char *ptx_insn_text(const struct ptx_insn *insn, char *text, size_t size);

static inline bool ptx_has(const struct ptx_insn *insn, unsigned int mod)
{
	for (unsigned int i = 0; i < insn->mod_count; i++)
		if (insn->mods[i] == mod)
			return true;
	return false;
}

/*
 * The modifier of one of `kinds` that the instruction carries, PTX_M_NONE if none; the first one.
 */
static inline unsigned int ptx_mod_of(const struct ptx_insn *insn, uint64_t kinds)
{
	for (unsigned int i = 0; i < insn->mod_count; i++)
		if (ptx_mod_kinds(insn->mods[i]) & kinds)
			return insn->mods[i];
	return PTX_M_NONE;
}

#endif
