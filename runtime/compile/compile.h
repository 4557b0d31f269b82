/* SPDX-License-Identifier: MIT */
/*
 * The PTX compiler of the runtime: PTX text in, a program of VASS code out. Contents page of
 * runtime/ptx (parser) and runtime/compile (control-flow graph, post-dominators, liveness, register
 * allocation, emission). Pure: no device, no global state, safe to call from several threads.
 */
#ifndef VGPU_COMPILE_H
#define VGPU_COMPILE_H

#include <stddef.h>
#include <stdint.h>

#include "vgpu_isa.h"

struct vgpu_program_param {
	uint32_t offset;	/* bytes from the start of the parameter block */
	uint32_t size;
};

/* A variable of a kernel, where compile options asked for red zones. */
struct vgpu_program_variable {
	char *name;
	uint32_t offset, size;	/* in shared memory of the block, in local memory of the thread */
	/* PARAM: in local memory, and without a red zone */
	enum { VGPU_VARIABLE_SHARED, VGPU_VARIABLE_LOCAL, VGPU_VARIABLE_PARAM } kind;
};

struct vgpu_program_kernel {
	const char *name;		/* as in the PTX, mangled */
	/* its row in the binary: registers, shared, local, parameter bytes … */
	struct vgpu_vass_kernel vass;
	const struct vgpu_program_param *params;
	uint32_t param_count;
	uint32_t spilled_bytes;		/* of vass.local_bytes, what register spills take */
	uint32_t zone_bytes;		/* of vass.shared_bytes, those of red zones */
	uint32_t stack_bytes;		/* at the end of vass.local_bytes: the stack of its calls */
	int uses_heap;			/* it calls malloc() or free() */
	int uses_print;			/* it calls vprintf() */
	int uses_launch;		/* it launches kernels */
	/* the last 8 bytes of its parameters: a cooperative launch's workspace; 0: none */
	uint32_t workspace_offset;
	uint32_t max_live;		/* most 32-bit registers live at once */
	/* bit per object (VGPU_OBJECT_*) that it reads, but for nc, or writes, but for atomics */
	uint64_t reads[4], writes[4];
	struct vgpu_program_variable *variables;	/* NULL: not kept */
	uint32_t variable_count;
	/* [vass.code_count] line of the PTX each instruction comes from; see VGPU_LINE_LIBRARY */
	const uint32_t *ptx_line;
};

/* In a line number: of the PTX that the runtime brings, not of the module's. */
#define VGPU_LINE_LIBRARY	0x80000000u	/* heap/ptx.h */
#define VGPU_LINE_PRINT		0x40000000u	/* with the other: print/ptx.h */
#define VGPU_LINE_TEXTURE	0x10000000u	/* likewise: texture/ptx.h */
#define VGPU_LINE_LAUNCH	0x08000000u	/* likewise: launch/ptx.h */
/* the whole number: a call by an address that is no function's, or not one of these parameters */
#define VGPU_LINE_NO_FUNCTION	0x20000000u
#define VGPU_LINE_PROTOTYPE	0x20000001u

/* A .global or .const variable; all of a program's live in one data segment. */
struct vgpu_program_symbol {
	const char *name;
	uint64_t offset;	/* in the data segment */
	uint64_t size;
	int constant;		/* .const */
	int managed;		/* .attribute(.managed): the host is to use it, too */
};

/* Where the 64-bit word at `where` must grow by the address at which the data segment is placed. */
struct vgpu_program_reloc {
	enum { VGPU_RELOC_CODE, VGPU_RELOC_DATA } kind;
	/* CODE: index of an instruction of all binaries, its imm; DATA: byte offset in data */
	uint32_t where;
};

/* VASS, vgpu_vass_header first, not yet relocated. A large module has several. */
struct vgpu_program_binary {
	uint8_t *bytes;
	uint32_t size;
	/* of the program, in order: kernels, and instructions, of which relocations speak */
	uint32_t first_kernel, kernel_count;
	uint32_t first_insn, insn_count;
};

struct vgpu_program {
	struct vgpu_program_kernel *kernels;
	struct vgpu_program_symbol *symbols;
	struct vgpu_program_reloc *relocs;
	uint32_t kernel_count;
	uint32_t symbol_count;
	uint32_t reloc_count;
	uint8_t *data;		/* initial contents of the data segment */
	uint64_t data_bytes;	/* 0: the program has no variables */
	int uses_heap;		/* it calls malloc() or free() */
	/* where in data a struct vgpu_heap (heap/heap.h) is to be put before the data is used */
	uint64_t heap_offset;
	int uses_print;		/* the same for vprintf() and struct vgpu_print (print/print.h) */
	uint64_t print_offset;
	int uses_launch;	/* the same, of launches by kernels: struct vgpu_launch */
	uint64_t launch_offset;
	struct vgpu_program_binary *binaries;
	uint32_t binary_count;
};

/* A .global variable that is not in the data segment: its address is known before. */
struct vgpu_placed_symbol {
	const char *name;
	uint64_t address;
};

#define VGPU_STACK_BYTES	1024u	/* the stack of a thread where nothing else is said */

struct vgpu_compile_options {
	/*
	 * most registers per thread, 16..VGPU_VASS_MAX_REGS; more are spilled. 0: no limit of ours.
	 * As with nvcc, it does not count for kernels with bounds of their own (.maxntid, .reqntid,
	 * .minnctapersm, .maxnreg), which limit their registers.
	 */
	uint32_t max_regs;
	/* only this kernel, with max_regs whatever its bounds; NULL: all */
	const char *only;
	/*
	 * bytes of stack per thread, for kernels whose calls are recursive or by address, beside
	 * what their frames take once; 0: VGPU_STACK_BYTES
	 */
	uint32_t stack_bytes;
	/* what the PTX says they contain does not count; those that it does not have are ignored */
	const struct vgpu_placed_symbol *placed;
	uint32_t placed_count;
	/*
	 * bytes that stay free behind each variable, for who looks at accesses, and tables of the
	 * variables of kernels are kept; a multiple of 16. Shared variables have none where there
	 * is no room. 0: neither
	 */
	uint32_t red_zone;
};

/**
 * vgpu_compile_ptx - compile one PTX module
 * @ptx: text, need not end in 0
 * @len: its bytes
 * @options: NULL for defaults
 * @out: the program, to be freed with vgpu_program_free()
 * @message: on failure, one malloc'ed line: "ptx line N: `instruction': what is wrong and what
 *   would be right"
 *
 * Everything of the PTX is compiled or refused; nothing is compiled wrong silently. docs/ptx.md
 * lists what is supported. Returns 0, -EINVAL for PTX that is malformed or not supported, -ENOMEM.
 */
int vgpu_compile_ptx(const char *ptx, size_t len, const struct vgpu_compile_options *options,
		     struct vgpu_program **out, char **message);

/**
 * vgpu_program_link - relocate the program for a data segment at @base (a device address, multiple
 * of 256)
 *
 * Patches binary and data in place; called once per program.
 */
void vgpu_program_link(struct vgpu_program *program, uint64_t base);

/* The binary that has @kernel of the program, and its first instruction there. */
const struct vgpu_program_binary *vgpu_program_binary_of(const struct vgpu_program *program,
							 uint32_t kernel);
const struct vgpu_insn *vgpu_program_code(const struct vgpu_program *program, uint32_t kernel);

void vgpu_program_free(struct vgpu_program *program);

/**
 * vgpu_disassemble - write one instruction as text, for example "@!P3 BRA 17, 21"
 * @insn: the instruction; it need not be valid
 * @text: at least 96 bytes
 * @size: bytes at @text
 */
void vgpu_disassemble(const struct vgpu_insn *insn, char *text, size_t size);

#endif
