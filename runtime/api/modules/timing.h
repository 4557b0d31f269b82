/* SPDX-License-Identifier: MIT */
/*
 * VGPU_TIMING: the timing model of chosen launches (docs/pipeline.md). A list of rules
 *
 *	NAME[@LAUNCHES]:MODEL
 *
 * separated by commas. NAME is a shell pattern for the name of a kernel: mangled, or as in the
 * source, with its namespaces or without; where the program has a demangler (libstdc++), also as
 * that writes it. LAUNCHES is N, N-M or N-, launches of this kernel by the process, from 1 on. The
 * first rule that fits says the model, interval or pipeline; what none fits has the device's.
 */
#ifndef VGPU_RT_TIMING_H
#define VGPU_RT_TIMING_H

#include "state.h"

/*
 * Reads the variable, once in a process. vgpuErrorInvalidValue, with a message: it is no list of
 * rules
 */
vgpuError_t rt_timing_open(void);
/*
 * The kernel @name is launched: *@flags gets which of VGPU_LAUNCH_PIPELINE and _INTERVAL it is to
 * have, if any, and keeps the others that it has.
 * vgpuErrorNotSupported, with a message: the device has only the other model
 */
vgpuError_t rt_timing_of(const char *name, uint16_t *flags);

/* Pure text, for the two: does @pattern fit a name that @mangled has? */
bool rt_timing_fits(const char *pattern, const char *mangled);

#endif
