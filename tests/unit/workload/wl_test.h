/* SPDX-License-Identifier: MIT */
/*
 * What the tests of workloads share: a job from text, a small device whose times can be added up by
 * hand.
 */
#ifndef WL_TEST_H
#define WL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/workload/workload.h"

/* Read a job file called "job" from @text; @message as wl_job_read(). */
int wl_test_read(const char *text, struct wl_job *job, char *message);
/* The same for one that must be good. */
struct wl_job wl_test_job(const char *text);
/* Preset k20c with @sms SMs, where launch and setup of an SM take no time. */
struct wl_setup wl_test_setup(u32 sms);
/* Run the study; it must succeed. */
struct wl_study wl_test_study(const struct wl_job *job, const struct wl_setup *setup);

#endif
