%code top {
/* SPDX-License-Identifier: MIT */
/*
 * Grammar of PTX. Actions only call the builders of scope.c, data.c and build.c. The stack has a fixed depth, so that
 * an error can leave by a jump without leaving memory behind.
 */
}
%code requires {
#include <stdint.h>
struct ptx_parse;
}
%code {
#include <string.h>

#include "parse.h"

int ptx_yylex(YYSTYPE *value, void *scanner);

#define CTX	(p->ctx)
#define YYMAXDEPTH	1000
#undef YYINITDEPTH
#define YYINITDEPTH	1000

static void ptx_yyerror(void *scanner, struct ptx_parse *p, const char *message)
{
	(void)scanner;
	ptx_fail(CTX, p->line, "%s", message);
}
}

%define api.pure full
%define api.prefix {ptx_yy}
%define parse.error detailed
%param { void *scanner }
%parse-param { struct ptx_parse *p }

%union {
	struct { const char *name; uint32_t line; } id;
	uint64_t bits;
	unsigned int mod;
	uint32_t index;
	int flag;
}

%token T_VERSION ".version" T_TARGET ".target" T_ADDRSIZE ".address_size" T_LINK ".visible" T_EXTERN ".extern"
%token T_COMMON ".common" T_ENTRY ".entry" T_FUNC ".func" T_REG ".reg" T_ALIGN ".align" T_MAXNTID ".maxntid"
%token T_MINNCTA ".minnctapersm" T_MAXNREG ".maxnreg"
%token T_ATTRIBUTE ".attribute" T_MANAGED ".managed"
%token T_TUNE ".maxnctapersm" T_NORETURN ".noreturn" T_PTR ".ptr" T_SKIP ".pragma"
%token <mod> T_TYPE "type" T_SPACE "state space" T_VEC "vector size" T_MOD "modifier" T_WEAK ".weak"
%token <bits> T_INT "number" T_F32 "f32 number" T_F64 "f64 number"
%token <id> T_SELECT "name with a selector"
%token <id> T_ID "name" T_PROTO ".callprototype"

%type <mod> anymod
%type <bits> integer expression
%type <index> mark
%type <flag> bang

%start module

%%

/* ---- module: directives, variables, functions in any order ---- */

module:
	%empty
	| module item
	;

item:
	T_VERSION T_F64
	| T_TARGET target_list
	| T_ADDRSIZE T_INT {
		if ($2 != 64)
			ptx_fail(CTX, p->line, "`.address_size': only 64 is supported");
	}
	| T_SKIP ';'
	| linkage variable ';'
	| linkage function
	| ';'
	;

target_list:
	T_ID
	| target_list ',' T_ID
	;

/* Resets p->decl: nothing of an earlier declaration carries over. */
linkage:
	%empty		{ memset(&p->decl, 0, sizeof(p->decl)); }
	| linkage T_LINK
	| linkage T_WEAK
	| linkage T_EXTERN	{ p->decl.is_extern = true; }
	| linkage T_COMMON	{ p->decl.is_common = true; }
	;

variable:
	T_SPACE {
		p->decl.space = $1 == PTX_M_PARAM ? PTX_PARAM : $1 == PTX_M_GLOBAL ? PTX_GLOBAL :
				$1 == PTX_M_CONST ? PTX_CONST : $1 == PTX_M_LOCAL ? PTX_LOCAL : PTX_SHARED;
	} attributes T_TYPE { p->decl.type = $4; } declarators
	;

attributes:
	%empty
	| attributes T_ALIGN T_INT {
		if (!$3 || $3 > 4096 || ($3 & ($3 - 1)))
			ptx_fail(CTX, p->line, "`.align': a power of two up to 4096 is wanted");
		p->decl.align = (uint32_t)$3;
	}
	| attributes T_VEC	{ p->decl.vec = $2 == PTX_M_V2 ? 2 : 4; }
	| attributes T_ATTRIBUTE '(' T_MANAGED ')' {
		if (p->decl.space != PTX_GLOBAL)
			ptx_fail(CTX, p->line, "`.managed': only a .global variable can be");
		p->decl.is_managed = true;
	}
	;

declarators:
	declarator
	| declarators ',' declarator
	;

/*
 * A variable is declared when its initialiser has been read: [] takes its length from it. Values are
 * collected flat in p->inits, init_nested says that there were inner braces.
 */
declarator:
	T_ID { p->dim_count = 0; p->dim_open = false; p->inits_count = 0;
		p->has_init = p->init_nested = false; p->init_depth = 0;
	} dims initialiser {
		struct ptx_var *var = ptx_declare_var(p, $1.name);

		if (p->has_init)
			ptx_data_init(p, var);
	}
	;

dims:
	%empty
	| dims '[' T_INT ']' {
		if (p->dim_count == 8 || $3 > UINT32_MAX)
			ptx_fail(CTX, p->line, "`[%llu]': the array is too large", (unsigned long long)$3);
		p->dims[p->dim_count++] = (uint32_t)$3;
	}
	| dims '[' ']' {
		if (p->dim_count)
			ptx_fail(CTX, p->line, "`[]': only the first dimension can be open");
		p->dim_open = true;
		p->dims[p->dim_count++] = 0;
	}
	;

initialiser:
	%empty
	| '=' { p->has_init = true; } value
	;

value:
	scalar
	| '{' '}'
	| '{' { p->init_nested |= p->init_depth++ > 0; } values '}'	{ p->init_depth--; }
	;

values:
	value
	| values ',' value
	;

/* A number or an address; + and - of an address change the value that was entered last. */
scalar:
	expression	{ ptx_data_value(p, PTX_OPND_INT, $1); }
	| T_F32		{ ptx_data_value(p, PTX_OPND_F32, $1); }
	| T_F64		{ ptx_data_value(p, PTX_OPND_F64, $1); }
	| '-' T_F64	{ ptx_data_value(p, PTX_OPND_F64, $2 ^ 1ull << 63); }
	| address_value
	| address_value '+' expression	{ p->inits[p->inits_count - 1].bits += $3; }
	| address_value '-' T_INT	{ p->inits[p->inits_count - 1].bits -= $3; }
	;

address_value:
	T_ID {
		ptx_data_value(p, PTX_OPND_VAR, 0);
		p->inits[p->inits_count - 1].symbol = $1.name;
	}
	| T_ID '(' T_ID ')' {
		if (strcmp($1.name, "generic"))
			ptx_fail(CTX, $1.line, "`%s(': only generic(name) is supported here", $1.name);
		ptx_data_value(p, PTX_OPND_VAR, 0);
		p->inits[p->inits_count - 1].symbol = $3.name;
		p->inits[p->inits_count - 1].generic = true;
	}
	;

expression:
	integer
	| '(' expression ')'	{ $$ = $2; }
	| '~' expression	{ $$ = ~$2; }
	;

integer:
	T_INT
	| '-' T_INT		{ $$ = -$2; }
	;

/* ---- functions ---- */

/*
 * The function begins before its results are read, since they are declared in its scope; its name,
 * which finds an earlier prototype, comes after them.
 */
function:
	T_ENTRY T_ID { p->decl.is_entry = true; ptx_func_begin(p); ptx_func_name(p, $2.name); }
	parameters tuning body
	| T_FUNC { ptx_func_begin(p); } results T_ID { ptx_func_name(p, $4.name); } parameters tuning body
	;

results:
	%empty
	| '(' ')'
	| '(' result_list ')'
	;

result_list:
	parameter T_ID { p->dim_count = 0; p->dim_open = false; } dims	{ ptx_func_param(p, $2.name, true); }
	| result_list ',' parameter T_ID { p->dim_count = 0; p->dim_open = false; } dims {
		ptx_func_param(p, $4.name, true);
	}
	;

parameters:
	%empty
	| '(' ')'
	| '(' parameter_list ')'
	;

parameter_list:
	parameter T_ID { p->dim_count = 0; p->dim_open = false; } dims	{ ptx_func_param(p, $2.name, false); }
	| parameter_list ',' parameter T_ID { p->dim_count = 0; p->dim_open = false; } dims {
		ptx_func_param(p, $4.name, false);
	}
	;

parameter:
	T_SPACE {
		memset(&p->decl, 0, sizeof(p->decl));
		if ($1 != PTX_M_PARAM)
			ptx_fail(CTX, p->line, "a parameter is .param or .reg");
		p->decl.space = PTX_PARAM;
	} attributes T_TYPE { p->decl.type = $4; } pointer
	| T_REG {
		memset(&p->decl, 0, sizeof(p->decl));
		p->decl.space = PTX_REG;
	} T_TYPE { p->decl.type = $3; }
	;

pointer:
	%empty
	| T_PTR pointer_space pointer_align
	;

pointer_space:
	%empty
	| T_SPACE
	;

pointer_align:
	%empty
	| T_ALIGN T_INT
	;

/*
 * .maxntid and .reqntid give up to three factors, of which the product counts (0: too large to be a
 * limit); with .minnctapersm and .maxnreg they limit registers (compile/bounds.c). The rest asks for
 * what this compiler does anyway.
 */
tuning:
	%empty
	| tuning T_NORETURN
	| tuning T_TUNE T_INT
	| tuning T_MINNCTA T_INT	{ p->func->min_blocks = $3 < 65536 ? (uint32_t)$3 : 65535; }
	| tuning T_MAXNREG T_INT	{ p->func->max_regs = $3 < 65536 ? (uint32_t)$3 : 65535; }
	| tuning T_MAXNTID T_INT	{ p->func->max_threads = $3 < 65536 ? (uint32_t)$3 : 0; }
	| tuning ',' T_INT {
		uint64_t product = (uint64_t)p->func->max_threads * ($3 < 65536 ? $3 : 0);

		p->func->max_threads = product < 65536 ? (uint32_t)product : 0;
	}
	| tuning T_SKIP
	;

body:
	';'			{ ptx_func_end(p, false); }
	| '{' { memset(&p->decl, 0, sizeof(p->decl)); } statements '}'	{ ptx_func_end(p, true); }
	;

statements:
	%empty
	| statements statement
	;

/* ---- statements and instructions ---- */

statement:
	T_REG T_TYPE { p->decl.type = $2; } registers ';'
	| local_variable ';'	{ memset(&p->decl, 0, sizeof(p->decl)); }
	| '{' { ptx_scope_push(p); } statements '}' { ptx_scope_pop(p); }
	| T_ID ':'		{ ptx_declare_label(p, $1.name); }
	| T_ID ':' T_PROTO ';'	{ ptx_prototype(p, $1.name, $3.name); }
	| instruction
	| guard instruction
	| T_SKIP ';'
	| ';'
	;

local_variable:
	variable
	| T_EXTERN { p->decl.is_extern = true; } variable
	;

registers:
	register
	| registers ',' register
	;

register:
	T_ID				{ ptx_declare_regs(p, $1.name, 0, false); }
	| T_ID '<' T_INT '>'		{ ptx_declare_regs(p, $1.name, $3, true); }
	;

/* The guard is read before the instruction and kept for it; ptx_insn_end() clears it. */
guard:
	'@' bang T_ID			{ ptx_insn_guard(p, $3.name, $2); }
	;

bang:
	%empty	{ $$ = 0; }
	| '!'	{ $$ = 1; }
	;

instruction:
	T_ID { p->insn_line = $1.line; ptx_insn_begin(p, $1.name); } mods operands ';'	{ ptx_insn_end(p); }
	;

mods:
	%empty
	| mods anymod		{ ptx_insn_mod(p, $2); }
	;

anymod:
	T_TYPE
	| T_SPACE
	| T_VEC
	| T_MOD
	| T_WEAK
	;

operands:
	%empty
	| operand_list
	;

operand_list:
	operand
	| operand_list ',' operand
	;

operand:
	T_SELECT		{ ptx_operand_select(p, $1.name); }
	| '-' T_SELECT		{
		ptx_operand_select(p, $2.name);
		p->ops[p->op_count - 1].minus = true;
	}
	| '-' T_ID		{
		struct ptx_operand *o = ptx_operand_new(p, PTX_OPND_REG);

		o->name = $2.name;
		o->minus = true;
	}
	| plain
	| '!' T_ID		{
		struct ptx_operand *o = ptx_operand_new(p, PTX_OPND_REG);

		o->name = $2.name;
		o->negated = true;
	}
	| T_ID '|' T_ID		{
		struct ptx_operand *o = ptx_operand_new(p, PTX_OPND_REG);
		struct ptx_sym *second = ptx_find(p, $3.name);

		o->name = $1.name;
		if (second && second->kind == PTX_SYM_REG)
			o->second = second->number;
		else if (strcmp($3.name, "_"))
			ptx_fail(CTX, p->insn_line, "`%s' is not a register", $3.name);
	}
	| '[' mark address ']'	{ ptx_operand_group(p, PTX_OPND_ADDR, $2); }
	| '{' mark elements '}'	{ ptx_operand_group(p, PTX_OPND_VEC, $2); }
	| '(' mark ')'		{ ptx_operand_group(p, PTX_OPND_LIST, $2); }
	| '(' mark elements ')'	{ ptx_operand_group(p, PTX_OPND_LIST, $2); }
	;

/* How many operands there were before a group: those behind become its elements. */
mark:
	%empty			{ $$ = p->op_count; }
	;

elements:
	plain
	| elements ',' plain
	;

/* Of a texture or surface the coordinates are behind it. */
address:
	plain
	| plain ',' plain
	| plain ',' '{' elements '}'
	| plain ',' plain ',' '{' elements '}'	{
		ptx_fail(CTX, p->insn_line, "`%s': a sampler apart from its texture is not supported",
			 ptx_op_name(p->insn.op));
	}
	;

/*
 * An operand without brackets. What a name stands for (a register, a variable, a label, a function) is
 * not known here: all are entered as registers, and resolve_name() in build.c decides.
 */
plain:
	T_ID			{ ptx_operand_new(p, PTX_OPND_REG)->name = $1.name; }
	| T_ID T_MOD		{
		struct ptx_operand *o = ptx_operand_new(p, PTX_OPND_SREG);

		o->name = $1.name;
		o->reg = ptx_find_sreg($1.name, $2);
		if (o->reg == PTX_NONE)
			ptx_fail(CTX, p->insn_line, "`%s.%s': no such special register%s", $1.name, ptx_mod_name($2),
				 ptx_absent($1.name, strlen($1.name)));
	}
	| T_ID '+' integer	{
		struct ptx_operand *o = ptx_operand_new(p, PTX_OPND_REG);

		o->name = $1.name;
		o->value = $3;
	}
	| T_ID '-' T_INT	{
		struct ptx_operand *o = ptx_operand_new(p, PTX_OPND_REG);

		o->name = $1.name;
		o->value = -$3;
	}
	| integer		{ ptx_operand_new(p, PTX_OPND_INT)->value = $1; }
	| T_F32			{ ptx_operand_new(p, PTX_OPND_F32)->value = $1; }
	| T_F64			{ ptx_operand_new(p, PTX_OPND_F64)->value = $1; }
	| '-' T_F64		{ ptx_operand_new(p, PTX_OPND_F64)->value = $2 ^ 1ull << 63; }
	;

%%
