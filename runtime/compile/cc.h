/* SPDX-License-Identifier: MIT */
/*
 * Inside of the compiler: VASS instructions over virtual registers, the blocks they form, and the
 * passes from PTX to VASS in the order in which compile.c runs them. Shared by the files of this
 * folder and by nobody else.
 */
#ifndef VGPU_CC_H
#define VGPU_CC_H

#include "compile.h"
#include "module.h"

#define CC_NONE		UINT32_MAX
#define CC_NOT		0x80000000u	/* in a predicate source: read inverted */
#define CC_PT 0u /* virtual register 0 is the predicate that is always true */
#define CC_LABEL	VGPU_OP_COUNT	/* pseudo-op: label `target` stands here */
/* pseudo-ops of shared functions: a call; parameter imm is dst; result imm is a (shared.c) */
#define CC_CALL		(VGPU_OP_COUNT + 1)
#define CC_ENTER	(VGPU_OP_COUNT + 2)
#define CC_LEAVE	(VGPU_OP_COUNT + 3)
/* a call of a procedure, by its address a or by name (procedures.c); dst = frame + imm */
#define CC_INVOKE	(VGPU_OP_COUNT + 4)
#define CC_FRAME	(VGPU_OP_COUNT + 5)
#define CC_OPS		(VGPU_OP_COUNT + 6)
#define CC_MAX_INSNS	(VGPU_VASS_MAX_BYTES / sizeof(struct vgpu_insn) / 2)

enum cc_class { CC_R, CC_Q, CC_P };
#define CC_CLASS(v)	((enum cc_class)((v) & 3))
#define CC_SPILL_TEMP \
	4u /* with the class: lives between a spill's load or store and the instruction */

/* Operand kinds and classes of the opcode list. */
enum cc_kind { CC_K_N, CC_K_R, CC_K_Q, CC_K_P, CC_K_RI, CC_K_QI, CC_K_V, CC_K_W, CC_K_A };
enum cc_opclass {
	CC_C_NONE,
	CC_C_SREG,
	CC_C_LUT,
	CC_C_FP,
	CC_C_CV,
	CC_C_CMP,
	CC_C_MEM,
	CC_C_ATOM,
	CC_C_FENCE,
	CC_C_SHFL,
	CC_C_VOTE,
	CC_C_MATCH,
	CC_C_BAR,
	CC_C_BARR,
	CC_C_BRA
};

struct cc_opinfo {
	const char *name;
	uint8_t class, dst, a, b, c;
};
extern const struct cc_opinfo cc_opinfo[CC_OPS];

/* What a call of a shared function passes, in the order of its parameters, and gets back. */
#define CC_MOST_PASSED	9u
#define CC_MOST_RESULTS	4u
struct cc_passed {
	uint32_t params[CC_MOST_PASSED], results[CC_MOST_RESULTS];
	uint32_t params_count, results_count;
};

struct cc_insn {
	uint16_t op;
	uint8_t flags;
	/* MEM, ATOM, FENCE: as vgpu_insn.mem, before emit.c looks at the state space */
	uint8_t mem;
	/* keep: volatile; spill: made by the spiller; constant: a load of constant memory */
	uint8_t guard_not : 1, reloc : 1, keep : 1, spill : 1, constant : 1;
	/* LDL, STL with ABS: of the frame of what is called; EXIT: end of a procedure */
	uint8_t callee : 1, returns : 1;
	uint8_t object;			/* accesses to global memory: VGPU_OBJECT_* */
	uint32_t guard;		/* CC_PT: always */
	uint32_t dst, a, b, c;	/* CC_NONE: unused */
	uint32_t more[3];	/* registers 1..3 of a vector access, or of an atomic's operand b */
	/* SHFL's and SHFLSYNC's predicate result; the upper half that an atomic of 16 bytes has */
	uint32_t second;
	uint32_t members;	/* SHFLSYNC's member mask; CC_NONE: all lanes */
	uint32_t target;	/* BRA, CC_LABEL: label, then block */
	uint32_t line;		/* of the PTX */
	uint64_t imm;
	struct cc_shared *shared;	/* CC_CALL */
	struct cc_passed *passed;	/* CC_CALL: no other instruction has the same */
	struct cc_site *site;		/* CC_INVOKE */
};

struct cc_block {
	uint32_t start, end;		/* instructions */
	/* fall-through or only successor, then the taken one; CC_NONE */
	uint32_t succ[2];
	uint32_t pred_first, pred_count;	/* in cc->preds */
	uint32_t idom, ipdom;
	uint32_t depth;			/* loops around it */
	uint32_t dom_in, dom_out;	/* walk numbers in the dominator tree */
	bool divergent;			/* lanes of a warp can go different ways at its end */
};

struct cc_def {			/* what is known of a virtual register */
	uint32_t insn;		/* its definition, if it has one */
	uint32_t block;
	uint16_t defs;		/* saturating */
	bool ssa;		/* one unguarded definition, which dominates all uses */
	uint32_t uses;
};

struct cc_range {
	uint32_t from, to;	/* positions, to exclusive */
};

struct cc_live {		/* where a register is live: ranges in ascending order */
	struct cc_range *ranges;
	uint32_t count, room;
};

/* One kernel on its way. */
struct cc {
	struct ptx_ctx *ctx;
	struct ptx_func *kernel;
	bool from_llvm;			/* the text is LLVM's */
	uint32_t max_regs;		/* of a thread (bounds.c) */
	struct cc_insn *insns;
	uint32_t insns_count, insns_room;
	uint8_t *vregs;			/* enum cc_class of each virtual register */
	uint32_t vregs_count, vregs_room;
	uint32_t label_count;
	struct cc_block *blocks;
	uint32_t block_count;
	uint32_t *preds;
	uint32_t *order;		/* blocks in reverse postorder */
	uint32_t order_count;
	struct cc_def *defs;
	uint32_t defs_room;
	/* layout */
	uint32_t shared_bytes;
	uint32_t local_bytes;		/* without spills */
	/* an address of local memory is more than a constant in a load or store */
	bool local_escapes;
	bool uses_library[PTX_LIBRARIES];	/* calls functions that link.c brought */
	/* a parameter behind those of the kernel, 8 bytes: its workspace; whether it is read */
	uint32_t workspace_offset;
	bool uses_workspace;
	bool uses_depth;		/* ... 4 bytes behind that: how deep the launch is */
	struct cc_shared **shared;	/* those of the module; NULL: this is one */
	struct ptx_func *textures;	/* functions of texture fetches (ptx_module.textures) */
	/* of the kernel, NULL: it has none; if this is one; local memory before its own */
	struct cc_procedures *procedures;
	struct cc_procedure *procedure;
	uint32_t frame_start;
	/* registers from 0 on that are 32-bit ones, those behind are 64-bit ones; 0: as it comes */
	uint32_t singles;
	uint32_t singles_used, pairs_used;
	/* for the shared functions that the kernel calls */
	uint32_t reserved_regs, reserved_preds;
	uint32_t calls;			/* of this shared function, by the kernel being emitted */
	/* results */
	uint32_t *phys;			/* physical register of each virtual one */
	/* behind each variable, and which there are (struct vgpu_compile_options) */
	uint32_t red_zone;
	uint32_t zone_bytes;		/* of shared_bytes */
	struct vgpu_program_variable *variables;
	uint32_t variables_count, variables_room;
	uint32_t regs, preds_used, max_live, spilled_bytes;
};

/* A function of which a kernel has one copy for all its calls. */
struct cc_shared {
	uint32_t first_reg;		/* its registers in the kernel that is being emitted */
	struct cc_shared *next;
	struct ptx_func *func;
	struct cc cc;			/* compiled by itself */
	struct cc_passed own;		/* its virtual registers */
	uint32_t regs, preds;		/* that a kernel reserves for it */
	bool refused;			/* calls of it have to be inlined */
	bool observes;			/* lanes may have turns in it (warplive.c) */
	/* of the kernel being emitted: where it begins, and where its calls return to */
	uint32_t entry, *returns, returns_count;
	struct place *places;
};

/* A register that lives across a call in a procedure, and where its frame keeps it meanwhile. */
struct cc_kept {
	uint32_t phys, offset;
	enum cc_class class;
};

struct cc_site {		/* a call of a procedure */
	struct cc_procedure *callee;	/* NULL: by address */
	uint32_t params, results;	/* bytes that it passes and wants back */
	struct cc_kept *kept;
	uint32_t kept_count, kept_room;
};

/* A function that is called, not inlined: once in a kernel, whatever calls it (procedures.c). */
struct cc_procedure {
	struct cc_procedure *next;
	struct ptx_func *func;
	struct cc cc;			/* compiled by itself */
	uint32_t params, results;	/* bytes in its frame */
	uint32_t frame;			/* bytes of its frame, a multiple of 16 */
	uint32_t entry;			/* in the kernel being emitted */
	struct place *places;
};

/* The registers of the convention come first: */
enum {
	CC_REG_FRAME,
	CC_REG_SITE,
	CC_REG_WORK,
	CC_REG_WORK2,
	CC_REG_ADDRESS,	/* a pair */
	CC_CONVENTION_REGS = 6
};

struct cc_procedures {		/* of a kernel */
	struct cc_procedure *first;
	uint32_t stack;			/* bytes of their stack, at the end of local memory */
	/* registers behind the kernel's: those of the convention, 32-bit ones, 64-bit ones */
	uint32_t singles, regs, preds;
};

/* ir.c: building blocks */
uint32_t cc_vreg(struct cc *cc, enum cc_class class);
struct cc_insn *cc_append(struct cc *cc, unsigned int op, uint32_t line);
bool cc_waits(const struct cc_insn *insn);		/* for the lanes that a member mask names */
/* no effect but its results, may run without its guard */
bool cc_pure(const struct cc_insn *insn);
unsigned int cc_addr_class(const struct cc_insn *insn);	/* of a MEM or ATOM address register */
/* registers beside each other in operand b and @more; 1: there is no vector */
unsigned int cc_source_vector(const struct cc_insn *insn);
/* every source operand, guard included */
unsigned int cc_sources(struct cc_insn *insn, uint32_t *slots[12]);
unsigned int cc_results(struct cc_insn *insn, uint32_t *slots[5]);
void cc_remove(struct cc_insn *insn);			/* makes it a NOP without operands */
void cc_compact(struct cc *cc);				/* drops NOPs, keeps the blocks right */
void cc_count_defs(struct cc *cc);

/* bounds.c: the most registers that a thread of the kernel may have */
uint32_t cc_register_limit(const struct vgpu_compile_options *options,
			   const struct ptx_func *kernel);
/* lower*.c: PTX of a kernel and of what it calls to instructions over virtual registers */
void cc_lower(struct cc *cc);
/* link.c: adds what the module calls and the runtime has */
void cc_link(struct ptx_ctx *ctx, struct ptx_module *module);
/* compile.c: all passes after cc_lower() and before cc_emit() */
void cc_compile_blocks(struct cc *cc);
/* shared.c */
struct cc_shared *cc_shared_function(struct cc *kernel, struct ptx_func *func);
/*
 * procedures.c: which functions of the module are called by address, or recursive; after
 * cc_layout_shared() compiles those that the kernel reaches; where its own local memory ends
 */
void cc_find_procedures(struct ptx_ctx *ctx, struct ptx_module *module);
void cc_make_procedures(struct cc *kernel, struct ptx_module *module, uint32_t stack);
uint32_t cc_local_end(const struct cc *cc);
bool cc_calls_by_address(const struct ptx_insn *insn);
/* layout.c */
void cc_layout_module(struct ptx_ctx *ctx, struct ptx_module *module,
		      const struct vgpu_compile_options *options, struct vgpu_program *program);
uint32_t cc_layout_shared(struct cc *cc, struct ptx_module *module);
/* The kernel has @var at @offset of its shared or local memory: noted if it has red zones. */
void cc_note_variable(struct cc *cc, const struct ptx_var *var, uint32_t offset);
/* cfg.c, dom.c */
void cc_build_blocks(struct cc *cc);
void cc_loop_depths(struct cc *cc);
void cc_dominators(struct cc *cc);
void cc_postdominators(struct cc *cc);
bool cc_dominates(const struct cc *cc, uint32_t a, uint32_t b);
/* fold.c, simplify.c, space.c, narrow.c, dce.c: each says whether it changed something */
bool cc_fold(struct cc *cc);
bool cc_simplify(struct cc *cc, struct cc_insn *insn, uint32_t block);
/* NULL unless it is the only one */
const struct cc_insn *cc_def_of(const struct cc *cc, uint32_t reg);
bool cc_constant(const struct cc *cc, uint32_t reg, uint64_t *value);
/* its value can be used wherever it is defined */
bool cc_fixed(const struct cc *cc, uint32_t reg);
bool cc_steady(const struct cc *cc, uint32_t reg, uint32_t from, uint32_t to);
/* changes a source, keeping count */
void cc_use(struct cc *cc, uint32_t *slot, uint32_t reg);
bool cc_infer_spaces(struct cc *cc);
bool cc_narrow(struct cc *cc);
bool cc_remove_dead(struct cc *cc);
/* objects.c: of accesses to global memory; after all that changes addresses */
void cc_find_objects(struct cc *cc);
/* objects.c: fill reads and writes of @out from its code */
void cc_count_objects(const struct vgpu_insn *code, uint32_t count,
		      struct vgpu_program_kernel *out);
/* liveness.c */
struct cc_live *cc_liveness(struct cc *cc);
uint32_t cc_max_live(struct cc *cc, const struct cc_live *live);
bool cc_live_overlap(const struct cc_live *a, const struct cc_live *b);
void cc_live_merge(struct cc *cc, struct cc_live *a, const struct cc_live *b);
/* constants.c: after cc_loop_depths(), keeps the blocks */
void cc_share_constants(struct cc *cc);
/* uniform.c, warplive.c */
void cc_find_divergence(struct cc *cc);
struct cc_live *cc_warp_liveness(struct cc *cc, const struct cc_live *live);
/* It has an instruction by which a lane learns what others have written. */
bool cc_observes(const struct cc *cc);
/* groups.c: vector accesses want consecutive registers */
struct cc_groups {
	uint32_t *of;		/* group of each virtual register, CC_NONE: none */
	uint8_t *index;		/* its place in the group */
	uint32_t vregs;		/* registers the two arrays cover */
	uint32_t (*members)[4];
	uint32_t members_count, members_room;
};
void cc_make_groups(struct cc *cc, struct cc_groups *groups);
/* coalesce.c, regalloc.c, spill.c */
void cc_coalesce(struct cc *cc, const struct cc_groups *groups, struct cc_live *live);
void cc_allocate(struct cc *cc);
/* a few instructions make the value anywhere; after cc_count_defs() */
bool cc_can_remake(struct cc *cc, uint32_t v);
void cc_spill(struct cc *cc, const struct cc_live *live, const uint32_t *victims, uint32_t count);
void cc_spill_predicates(struct cc *cc, const uint32_t *victims, uint32_t count);
/* emit.c */
struct cc_code {
	struct vgpu_insn *insns;
	uint32_t *lines;
	uint8_t *relocs;
	uint32_t count;
};
void cc_emit(struct cc *cc, struct cc_code *code);

#endif
