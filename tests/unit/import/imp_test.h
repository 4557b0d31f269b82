/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the import share: a file with a text, its timeline, the phases of its plan, and
 * what a device does with them.
 */
#ifndef IMP_TEST_H
#define IMP_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/import/import.h"

#define US	1000ull		/* ns */

/* Options that ask for nothing. */
struct imp_options imp_test_options(void);
/* A timeline to fill by hand, or by a reader; imp_test_free() ends it. */
struct imp_timeline *imp_test_timeline(const struct imp_options *options);
void imp_test_free(struct imp_timeline *timeline);
/* Read @text, or @bytes of it, as a trace of PyTorch's profiler. -1: refused, see the message. */
int imp_test_read(struct imp_timeline *timeline, const char *text, size_t bytes);
/* The same with "traceEvents" around. */
int imp_test_events(struct imp_timeline *timeline, const char *events);

/** struct imp_test_run - a plan, and what the device did with it alone */
struct imp_test_run {
	char *job;			/* text */
	struct imp_report report;
	u64 took_ps;
	/* by kernel, in the order of their end: how long each took (ps) */
	u64 *kernels;
	u32 kernel_count;
};

/* Order, plan for preset @gpu, simulate. Everything must succeed. */
struct imp_test_run imp_test_simulate(struct imp_timeline *timeline, const char *gpu);
void imp_test_run_free(struct imp_test_run *run);

#endif
