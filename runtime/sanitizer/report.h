/* SPDX-License-Identifier: MIT */
/*
 * Reports of the sanitizer: the same fault is one report with a count. Two are the same if tool,
 * @key, kernel and both instructions are. They are written when they are first found, and counted
 * at the end.
 */
#ifndef VGPU_SANITIZER_REPORT_H
#define VGPU_SANITIZER_REPORT_H

#include "tool.h"

/**
 * struct san_where - an instruction that a thread executed
 * @launch: NULL: there is none, it is the host
 * @at: of the block in the grid; @thread: x fastest, in the block
 * @pc: ~0: not an instruction, only the kernel is named
 */
struct san_where {
	const struct san_launch *launch;
	u32 at[3];
	u32 thread;
	u32 pc;
};

/* Of lane @lane of @w at @pc */
struct san_where san_where(const struct san_warp *w, u32 lane, u32 pc);

/**
 * san_report - a fault was found
 * @tool: whose
 * @key: what it is, by a constant text of the tool's: "Invalid __global__ read of size 4"
 * @first: where, the access that found it
 * @second: the other access; NULL: there is none
 * @second_text: what it is, before its place: "Write of size 4"
 * @format: one line more, or NULL: which address, which allocation
 *
 * Returns whether it is new: if not it has been counted and nothing was formatted.
 */
bool san_report(enum san_tool_number tool, const char *key, const struct san_where *first,
		const struct san_where *second, const char *second_text, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* Writes where an address lies: "0x… is 4 bytes behind the allocation at 0x… of 1024 bytes" */
void san_describe_address(u64 address, char *text, size_t size);

#endif
