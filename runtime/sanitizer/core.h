/* SPDX-License-Identifier: MIT */
/*
 * Inside the sanitizer: what its files share, beside tool.h and report.h. All of it is called with
 * the mutex held.
 */
#ifndef VGPU_SANITIZER_CORE_H
#define VGPU_SANITIZER_CORE_H

#include <stddef.h>

#include "report.h"

/** struct san_options - what the environment asks for */
struct san_options {
	u32 tools;			/* a bit for each enum san_tool_number */
	bool leaks;			/* each leak is a fault */
	u32 limit;			/* reports that are printed */
	u32 padding;			/* bytes behind allocations, from SAN_RED_ZONE */
	const char *log;		/* NULL: stderr */
	const char *status;		/* a file that gets a line for each fault; NULL: none */
};

#define SAN_RED_ZONE	32u		/* bytes behind variables, least of allocations */
#define SAN_PADDING_MAX	(1u << 20)

extern struct san_options san_options;

/** struct san_kernel - a kernel that was launched, for as long as the process */
struct san_kernel {
	struct san_kernel *next;
	u32 device, module, number;	/* what the device calls it */
	char *symbol;
	char *name;
	bool watched;			/* by its name */
	struct vgpu_insn *code;
	u32 code_count;
	u32 shared_static;		/* bytes of its own */
	/* where in memory its variables are (struct vgpu_program_variable), our own copy */
	struct san_variable *variables;
	u32 variable_count;
	const char *ptx;		/* a copy, of all kernels of the module; NULL: not known */
	u32 *ptx_line;			/* of each instruction */
};

enum san_variable_kind { SAN_SHARED, SAN_LOCAL, SAN_PARAM };

struct san_variable {
	char *name;
	u32 offset, size;
	enum san_variable_kind kind;
};

/*
 * kernel.c: the kernel that @device knows by these numbers, from what the runtime has; called where
 * a launch is submitted, with the runtime's lock. NULL: no memory
 */
struct san_kernel *san_kernel_submitted(u32 device, u32 module, u32 number);
/* The same as it was; NULL: it never was submitted. */
struct san_kernel *san_kernel_find(u32 device, u32 module, u32 number);
/* "file:line" of the instruction at @pc; false: it is not known. */
bool san_kernel_line(const struct san_kernel *kernel, u32 pc, char *text, size_t size);
/* Do any filters match? @text: as VGPU_SANITIZER_KERNEL has it; false: it is no filter */
bool san_filter_set(const char *text, char *message, size_t size);
/* How many kernels were launched, and how many of them the filter took. */
void san_filter_counts(u32 *kernels, u32 *watched);
bool san_filter_on(void);

/** struct san_memory - an allocation */
struct san_memory {
	u64 address, bytes;
	enum san_memory_kind kind;
	u64 *written;			/* initcheck: a bit for each byte from address & ~63 on */
};

/* Is @address in a range from which a device's addresses come? */
bool san_heap_has(u64 address);
/* memory.c: the live one around @address, or NULL */
struct san_memory *san_memory_find(u64 address);
/* The nearest live one below and the nearest above, either may be NULL. */
void san_memory_near(u64 address, const struct san_memory **below,
		     const struct san_memory **above);
/* One that was freed and that had @address, the last such; NULL: none is known */
const struct san_memory *san_memory_freed(u64 address);
struct san_memory *san_memory_add(u64 address, u64 bytes, enum san_memory_kind kind);
void san_memory_each(void (*fn)(u64 address, u64 bytes, enum san_memory_kind kind));
/* @remember: for san_memory_freed(). False: none begins there */
bool san_memory_remove(u64 address, bool remember, struct san_memory *out);

/* report.c */
void san_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
void san_report_end(void);
u64 san_report_count(void);

#endif
