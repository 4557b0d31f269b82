/* SPDX-License-Identifier: MIT */
/*
 * Compute capability: what the current device presents, and which code it takes for that. Ten times
 * the number, as in PTX: 80 is 8.0.
 *
 * The device executes whatever the compiler knows; the number is what it promises. Presets of GPUs
 * of before 7.0 tell theirs, but no compiler has code for them: they take what all others take.
 */
#ifndef VGPU_RT_CAPABILITY_H
#define VGPU_RT_CAPABILITY_H

#include "api/state.h"

#define RT_CAPABILITY		80u	/* where the device does not say */
#define RT_CAPABILITY_LEAST	70u	/* of code */

/* What the device presents. */
static inline unsigned int rt_capability(void)
{
	return rt.info.compute_capability ? rt.info.compute_capability : RT_CAPABILITY;
}

/* The newest code that it takes. */
static inline unsigned int rt_code_capability(void)
{
	unsigned int presented = rt_capability();

	return presented < RT_CAPABILITY_LEAST ? RT_CAPABILITY : presented;
}

/* The newest PTX that a function was compiled from. */
static inline unsigned int rt_function_arch(const struct vgpuFunction *function)
{
	unsigned int arch = function->module->arch;

	return arch ? arch : rt_code_capability();
}

/* capability.c: false with VGPU_STRICT_CAPABILITY=0: what is for newer devices is tried, too. */
bool rt_strict_capability(void);

/*
 * capability.c: device code is for newer devices than this, or others: the message of a refusal.
 * @code: "the PTX is for compute_90"
 */
void rt_capability_message(const char *code);

#endif
