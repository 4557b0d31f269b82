/* SPDX-License-Identifier: MIT */
/*
 * Texture and surface references of modules (CUtexref, CUsurfref): a variable of 8 bytes, from
 * which kernels take the handle of an object, with a description that programs change part by part.
 * Each change goes to the object at once, if something is bound, behind all work of the context.
 * While the parts do not go together nothing is bound: a kernel that fetches ends by a trap.
 *
 * With rt_lock held, which is given up while work ends. Handles come from the program.
 */
#ifndef VGPU_RT_REFERENCE_H
#define VGPU_RT_REFERENCE_H

#include "object.h"

/**
 * struct rt_reference - one
 * @module: NULL: of none, and so no kernel's
 * @format: of what is bound, if that is memory
 * @bound: @source is what it is bound to
 * @object: its own; 0: none yet
 */
struct rt_reference {
	struct rt_reference *next;
	struct vgpuModule *module;
	struct rt_state *context;
	uint64_t generation;
	uint64_t variable;
	bool surface, bound;
	struct rt_source source;
	struct rt_format format;
	struct rt_sampling sampling;
	uint64_t object;
};

/*
 * The one of a variable, the same each time. vgpuErrorSymbolNotFound: there is none of 8 bytes;
 * vgpuErrorInvalidValue: it is one of the other kind.
 */
vgpuError_t rt_reference_of(struct vgpuModule *module, const char *name, bool surface,
			    struct rt_reference **out);
/* Of no module, and its end: vgpuErrorInvalidResourceHandle for one of a module. */
vgpuError_t rt_reference_new(struct rt_reference **out);
vgpuError_t rt_reference_free(struct rt_reference *reference);
/* NULL: it is none of the current context. */
struct rt_reference *rt_reference_known(const void *handle, bool surface);
/* Binds it; with an error it is as before, and the codes are those of rt_texture_create(). */
vgpuError_t rt_reference_bind(struct rt_reference *reference, const struct rt_source *source);
/* Its description has changed. */
vgpuError_t rt_reference_update(struct rt_reference *reference);
#endif
