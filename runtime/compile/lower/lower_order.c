// SPDX-License-Identifier: MIT
/*
 * Memory order, scope and cache operator: the modifiers of ld, st, atom, red, fence and membar as
 * the byte that an instruction has for them (vgpu_insn.mem). What goes with what, and what stands
 * for a modifier that is left out, is as in the PTX ISA's pages of these instructions and in its
 * memory consistency model, where .volatile is .relaxed.sys and membar is fence.sc. Hints for
 * eviction and prefetch (L1::..., L2::...) change no meaning and have no bits: they are dropped.
 *
 * It only reads modifiers; lower_mem.c makes the instructions, and emit.c drops what an access does
 * not have in the state space that was found for it later.
 */
#include "lower.h"

#define BIT(n)	(1u << (n))

/* The modifiers of an instruction that say order and scope, PTX_M_NONE where it has none. */
struct semantics {
	unsigned int order, scope;
};

static struct semantics semantics_of(struct cc_lower *l)
{
	struct semantics sem = { PTX_M_NONE, PTX_M_NONE };

	for (unsigned int i = 0; i < l->in->mod_count; i++) {
		unsigned int mod = l->in->mods[i], *slot = &sem.order;

		if (!(ptx_mod_kinds(mod) & PTX_K_SEM))
			continue;
		if (mod == PTX_M_CTA || mod == PTX_M_GPU || mod == PTX_M_SYS)
			slot = &sem.scope;
		if (*slot != PTX_M_NONE)
			cc_refuse(l, ".%s and .%s do not go together", ptx_mod_name(*slot),
				  ptx_mod_name(mod));
		*slot = mod;
	}
	return sem;
}

static enum vgpu_order order_number(unsigned int mod)
{
	switch (mod) {
	case PTX_M_VOLATILE:
	case PTX_M_RELAXED:
		return VGPU_ORDER_RELAXED;
	case PTX_M_ACQUIRE:
		return VGPU_ORDER_ACQUIRE;
	case PTX_M_RELEASE:
		return VGPU_ORDER_RELEASE;
	case PTX_M_ACQREL:
		return VGPU_ORDER_ACQ_REL;
	case PTX_M_SC:
		return VGPU_ORDER_SC;
	default:
		return VGPU_ORDER_WEAK;
	}
}

static enum vgpu_scope scope_number(unsigned int mod)
{
	return mod == PTX_M_CTA ? VGPU_SCOPE_CTA :
	       mod == PTX_M_GPU ? VGPU_SCOPE_GPU :
				  VGPU_SCOPE_SYS;
}

/* Refuse an order that is not one of @orders (a bit for each enum vgpu_order). */
static void check_order(struct cc_lower *l, unsigned int mod, unsigned int orders)
{
	if (!(orders & BIT(order_number(mod))) || mod == PTX_M_VOLATILE || mod == PTX_M_WEAK)
		cc_refuse(l, "memory order .%s is not one that this instruction has",
			  ptx_mod_name(mod));
}

static enum vgpu_cache cache_number(unsigned int mod)
{
	switch (mod) {
	case PTX_M_CA:
		return VGPU_CACHE_CA;
	case PTX_M_CG:
		return VGPU_CACHE_CG;
	case PTX_M_CS:
		return VGPU_CACHE_CS;
	case PTX_M_LU:
		return VGPU_CACHE_LU;
	case PTX_M_CV:
		return VGPU_CACHE_CV;
	case PTX_M_WB:
		return VGPU_CACHE_WB;
	case PTX_M_WT:
		return VGPU_CACHE_WT;
	default:		/* .nc, hints */
		return VGPU_CACHE_NONE;
	}
}

/* The cache operator, one of @caches (a bit for each enum vgpu_cache). */
static enum vgpu_cache cache_of(struct cc_lower *l, unsigned int caches)
{
	enum vgpu_cache cache = VGPU_CACHE_NONE;

	for (unsigned int i = 0; i < l->in->mod_count; i++) {
		enum vgpu_cache found = cache_number(l->in->mods[i]);

		if (found == VGPU_CACHE_NONE)
			continue;
		if (cache != VGPU_CACHE_NONE || !(caches & BIT(found)))
			cc_refuse(l, "cache operator .%s does not go here",
				  ptx_mod_name(l->in->mods[i]));
		cache = found;
	}
	return cache;
}

/*
 * Of a ld or st. Without an order it is weak, and only then has it a cache operator; .relaxed,
 * .acquire and .release want a scope.
 */
static uint8_t ld_st_bits(struct cc_lower *l, unsigned int orders, unsigned int caches)
{
	struct semantics sem = semantics_of(l);
	enum vgpu_cache cache = cache_of(l, caches);

	if (sem.order == PTX_M_NONE || sem.order == PTX_M_WEAK) {
		if (sem.scope != PTX_M_NONE)
			cc_refuse(l, "scope .%s without a memory order", ptx_mod_name(sem.scope));
		return (uint8_t)VGPU_MEM(VGPU_ORDER_WEAK, 0, cache);
	}
	if (cache != VGPU_CACHE_NONE)
		cc_refuse(l, "a cache operator goes with weak accesses only");
	if (sem.order == PTX_M_VOLATILE) {
		if (sem.scope != PTX_M_NONE)
			cc_refuse(l, ".volatile has no scope");
		return (uint8_t)VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_SYS, 0);
	}
	check_order(l, sem.order, orders);
	if (sem.scope == PTX_M_NONE)
		cc_refuse(l, "memory order .%s wants a scope (.cta, .gpu or .sys)",
			  ptx_mod_name(sem.order));
	return (uint8_t)VGPU_MEM(order_number(sem.order), scope_number(sem.scope), 0);
}

uint8_t cc_ld_bits(struct cc_lower *l)
{
	const unsigned int nc = BIT(VGPU_CACHE_CA) | BIT(VGPU_CACHE_CG) | BIT(VGPU_CACHE_CS);
	const unsigned int all = nc | BIT(VGPU_CACHE_LU) | BIT(VGPU_CACHE_CV);
	uint8_t bits;

	if (!ptx_has(l->in, PTX_M_NC))
		return ld_st_bits(l, BIT(VGPU_ORDER_RELAXED) | BIT(VGPU_ORDER_ACQUIRE), all);
	if (!ptx_has(l->in, PTX_M_GLOBAL))
		cc_refuse(l, ".nc is for global memory");
	/* .nc.lu is no PTX: the runtime's own functions load texels so */
	bits = ld_st_bits(l, BIT(VGPU_ORDER_RELAXED) | BIT(VGPU_ORDER_ACQUIRE),
			  l->frame->func->library == PTX_LIBRARY_TEXTURE ? nc | BIT(VGPU_CACHE_LU) :
									   nc);
	if (VGPU_MEM_ORDER(bits) != VGPU_ORDER_WEAK)
		cc_refuse(l, ".nc goes with weak loads only");
	return (uint8_t)(bits | VGPU_MEM(VGPU_ORDER_NC, 0, 0));
}

uint8_t cc_st_bits(struct cc_lower *l)
{
	if (ptx_has(l->in, PTX_M_NC))
		cc_refuse(l, ".nc is for loads");
	return ld_st_bits(l, BIT(VGPU_ORDER_RELAXED) | BIT(VGPU_ORDER_RELEASE),
			  BIT(VGPU_CACHE_CG) | BIT(VGPU_CACHE_CS) | BIT(VGPU_CACHE_WB) |
				  BIT(VGPU_CACHE_WT));
}

/* Of atom and red: relaxed and of the GPU where it does not say. */
uint8_t cc_atom_bits(struct cc_lower *l)
{
	struct semantics sem = semantics_of(l);
	unsigned int orders = BIT(VGPU_ORDER_RELAXED) | BIT(VGPU_ORDER_RELEASE);

	for (unsigned int i = 0; i < l->in->mod_count; i++)
		if ((ptx_mod_kinds(l->in->mods[i]) & PTX_K_CACHE) && l->in->mods[i] != PTX_M_L2HINT)
			cc_refuse(l, "modifier .%s is not supported here",
				  ptx_mod_name(l->in->mods[i]));
	if (l->in->op == PTX_I_ATOM)
		orders |= BIT(VGPU_ORDER_ACQUIRE) | BIT(VGPU_ORDER_ACQ_REL);
	if (sem.order == PTX_M_NONE)
		sem.order = PTX_M_RELAXED;
	if (sem.scope == PTX_M_NONE)
		sem.scope = PTX_M_GPU;
	check_order(l, sem.order, orders);
	return (uint8_t)VGPU_MEM(order_number(sem.order), scope_number(sem.scope), 0);
}

/*
 * Of mbarrier: an arrival releases and a wait acquires where it does not say, among the threads of
 * the block.
 */
uint8_t cc_mbarrier_bits(struct cc_lower *l)
{
	unsigned int what = ptx_mod_of(l->in, PTX_K_MBARRIER), orders = BIT(VGPU_ORDER_RELAXED);
	struct semantics sem = semantics_of(l);
	unsigned int usual = PTX_M_RELAXED;

	if (what == PTX_M_ARRIVE || what == PTX_M_ARRIVEDROP)
		usual = PTX_M_RELEASE;
	else if (what == PTX_M_TESTWAIT || what == PTX_M_TRYWAIT)
		usual = PTX_M_ACQUIRE;
	else if (what != PTX_M_EXPECTTX && what != PTX_M_COMPLETETX)
		orders = 0;
	if (sem.order == PTX_M_NONE && sem.scope == PTX_M_NONE)
		sem.order = usual;
	else
		check_order(l, sem.order, orders ? orders | BIT(order_number(usual)) : 0);
	if (sem.scope != PTX_M_NONE && sem.scope != PTX_M_CTA)
		cc_refuse(l, "the scope is .cta");
	return (uint8_t)VGPU_MEM(order_number(sem.order), VGPU_SCOPE_CTA, 0);
}

/* Of fence, which is acq_rel where it does not say, and of membar, which is sc. */
uint8_t cc_fence_bits(struct cc_lower *l)
{
	struct semantics sem;
	unsigned int level;

	if (l->in->op == PTX_I_MEMBAR) {
		level = ptx_mod_of(l->in, PTX_K_LEVEL);
		if (l->in->mod_count != 1 ||
		    (level != PTX_M_CTA && level != PTX_M_GL && level != PTX_M_SYS))
			cc_refuse(l, "one level (.cta, .gl or .sys) is wanted");
		return (uint8_t)VGPU_MEM(VGPU_ORDER_SC,
					 level == PTX_M_GL ? VGPU_SCOPE_GPU : scope_number(level),
					 0);
	}
	sem = semantics_of(l);
	if (sem.order == PTX_M_NONE)
		sem.order = PTX_M_ACQREL;
	check_order(l, sem.order,
		    BIT(VGPU_ORDER_ACQUIRE) | BIT(VGPU_ORDER_RELEASE) | BIT(VGPU_ORDER_ACQ_REL) |
			    BIT(VGPU_ORDER_SC));
	if (sem.scope == PTX_M_NONE)
		cc_refuse(l, "a fence wants a scope (.cta, .gpu or .sys)");
	return (uint8_t)VGPU_MEM(order_number(sem.order), scope_number(sem.scope), 0);
}
