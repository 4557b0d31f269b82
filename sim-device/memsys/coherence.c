// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The protocols that there are, and the one of today's GPUs (Tanasic 2.1): L1s are not coherent. A
 * store goes through to L2, other L1s keep what they have of its line, and an SM that acquires
 * drops all it has. Loads and stores that are strong with a scope beyond the block go to L2, and so
 * do all atomics; so L2 alone decides in which order they take effect.
 */
#include "../sim/text.h"
#include "coherence.h"

/* Is it strong for threads on other SMs? */
static bool is_shared(enum vgpu_order order, enum vgpu_scope scope)
{
	return order != VGPU_ORDER_WEAK && order != VGPU_ORDER_NC && scope > VGPU_SCOPE_CTA;
}

static bool acquires(enum vgpu_order order, enum vgpu_scope scope)
{
	return is_shared(order, scope) &&
	       (order == VGPU_ORDER_ACQUIRE || order == VGPU_ORDER_ACQ_REL ||
		order == VGPU_ORDER_SC);
}

static u32 load_use(const struct vgpu_config *config, enum vgpu_order order, enum vgpu_scope scope,
		    enum vgpu_cache cache)
{
	/* the L1's line may be older than what this load returns: no later one sees it */
	if (is_shared(order, scope) || cache == VGPU_CACHE_CG || cache == VGPU_CACHE_CV)
		return VGPU_L1_DROP | (acquires(order, scope) ? VGPU_L1_ACQUIRE : 0);
	if (order == VGPU_ORDER_NC && cache == VGPU_CACHE_LU) {
		if (config->tex_bytes)
			return VGPU_L1_LOOKUP | VGPU_L1_ENTER | VGPU_L1_TEXTURE;
		cache = VGPU_CACHE_NONE;	/* texels are used again */
	}
	if (!config->l1_bytes)
		return 0;
	if (!config->l1_global && cache != VGPU_CACHE_CA && order != VGPU_ORDER_NC)
		return VGPU_L1_LOOKUP;
	return VGPU_L1_LOOKUP | VGPU_L1_ENTER |
	       (cache == VGPU_CACHE_CS || cache == VGPU_CACHE_LU ? VGPU_L1_STREAM : 0);
}

static u32 gpu_use(const struct vgpu_config *config, enum vgpu_mem_kind kind, enum vgpu_order order,
		   enum vgpu_scope scope, enum vgpu_cache cache)
{
	switch (kind) {
	case VGPU_MEM_LOAD:
		return load_use(config, order, scope, cache);
	case VGPU_MEM_STORE:
		return VGPU_L1_UPDATE;
	case VGPU_MEM_ATOMIC:
		return VGPU_L1_DROP | (acquires(order, scope) ? VGPU_L1_ACQUIRE : 0);
	default:
		/* threads of a block share an L1, and its accesses reach L2 in their order */
		if (scope <= VGPU_SCOPE_CTA)
			return 0;
		return VGPU_L1_WAIT | (acquires(order, scope) ? VGPU_L1_ACQUIRE : 0);
	}
}

const struct vgpu_coherence_ops vgpu_coherence_gpu = {
	.name = "gpu",
	.use = gpu_use,
};

static const struct vgpu_coherence_ops *const protocols[] = { &vgpu_coherence_gpu };

const struct vgpu_coherence_ops *vgpu_coherence_find(const char *name)
{
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(protocols); i++)
		if (vgpu_text_is(name, protocols[i]->name))
			return protocols[i];
	return NULL;
}
