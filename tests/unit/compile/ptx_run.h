/* SPDX-License-Identifier: MIT */
/*
 * What the compiler's tests share: PTX run on the embedded device, compilations that must be
 * refused.
 */
#ifndef PTX_RUN_H
#define PTX_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "compile.h"
#include "state.h"

#define PTX_HEAD	".version 6.3\n.target sm_70\n.address_size 64\n"

/* Text that grows. */
struct text {
	char *text;
	size_t len, room;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *t);

/* A device to run on; ends with ptx_end(). */
void ptx_begin(void);
void ptx_end(void);
struct vgpuModule *ptx_load(const char *ptx, uint32_t max_regs);
/* One block of `threads` runs `kernel`(in, out); out is read back. */
void ptx_launch(struct vgpuModule *module, const char *kernel, unsigned int threads, const void *in,
		size_t in_bytes, void *out, size_t out_bytes);
/* How a launch of one block of `threads` ends, whose parameters are null. */
vgpuError_t ptx_outcome(struct vgpuModule *module, const char *kernel, unsigned int threads);
/* Compiles; the program must be freed. Fails the test with the compiler's message. */
struct vgpu_program *ptx_compile(const char *ptx, uint32_t max_regs);
/* The compiler must refuse it with a message that contains `why`. */
void ptx_refused(const char *ptx, const char *why);
uint64_t ptx_random(uint64_t *state);

#endif
