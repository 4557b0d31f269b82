// SPDX-License-Identifier: MIT
/*
 * Lowering of loads, stores, fences and asynchronous copies; atomics are in lower_atom.c.
 * Parameters of kernels are read with LDP, parameters of functions live in registers or in local
 * memory (call.c decides).
 */
#include "lower.h"

enum ptx_space cc_space_of(struct cc_lower *l)
{
	switch (ptx_mod_of(l->in, PTX_K_SPACE)) {
	case PTX_M_GLOBAL:
		return PTX_GLOBAL;
	case PTX_M_CONST:
		return PTX_CONST;
	case PTX_M_SHARED:
	case PTX_M_SHAREDCTA:
		return PTX_SHARED;
	case PTX_M_LOCAL:
		return PTX_LOCAL;
	case PTX_M_PARAM:
		return PTX_PARAM;
	default:
		return PTX_GENERIC;
	}
}

static bool narrow_space(enum ptx_space space)
{
	return space == PTX_SHARED || space == PTX_LOCAL;
}

/* The address operand, its base in the register class its space wants. */
struct cc_address cc_address_operand(struct cc_lower *l, const struct ptx_operand *o,
				 enum ptx_space space)
{
	struct cc_address address = { .space = space, .base = CC_NONE, .offset = o->value };
	struct cc_value value;
	uint32_t base, low;

	if (o->kind != PTX_OPND_ADDR)
		cc_refuse(l, "an address in [ ] is wanted");
	if (o->var) {
		if (space == PTX_GENERIC)
			address.space = o->var->space;
		else if (o->var->space != space &&
			 !(space == PTX_GLOBAL && o->var->space == PTX_CONST))
			cc_refuse(l, "`%s' is not in that state space", o->var->name);
		value = cc_address_of(l, o);
		address.offset = value.imm;
		address.reloc = value.reloc;
		address.constant = o->var->space == PTX_CONST;
		if (address.space == PTX_CONST)
			address.space = PTX_GLOBAL;
		else if (address.space == PTX_PARAM)
			address.space = PTX_LOCAL;
		return address;
	}
	address.constant = space == PTX_CONST;
	if (space == PTX_CONST)
		address.space = PTX_GLOBAL;
	/* through a register: the variable has an address, so it is in local memory */
	else if (space == PTX_PARAM)
		address.space = PTX_LOCAL;
	if (o->reg == PTX_NONE)
		return address;
	base = cc_reg(l, o->reg);
	if (l->cc->vregs[base] == CC_P)
		cc_refuse(l, "a predicate is no address");
	if (l->frame->func->regs[o->reg].type == PTX_B128)
		cc_refuse(l, "register `%s' is too wide for an address", o->name);
	if (ptx_type_bytes(l->frame->func->regs[o->reg].type) <
	    (narrow_space(address.space) ? 4u : 8u))
		cc_refuse(l, "register `%s' is too narrow for an address", o->name);
	if (narrow_space(address.space) && l->cc->vregs[base] == CC_Q) {
		low = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_UNLO, 0, low, base, CC_NONE, CC_NONE);
		base = low;
	}
	address.base = base;
	return address;
}

/* Offsets into shared and local memory have 32 bits, also those that are negative. */
void cc_check_offset(struct cc_lower *l, const struct cc_address *address)
{
	uint64_t offset = address->offset;

	if (narrow_space(address->space) && offset >> 32 && (int64_t)offset != (int32_t)offset)
		cc_refuse(l, "the offset %lld is more than 32 bits", (long long)offset);
}

static unsigned int log2_bytes(unsigned int bytes)
{
	return bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

static unsigned int mem_op(enum ptx_space space, bool store)
{
	switch (space) {
	case PTX_GLOBAL:
		return store ? VGPU_OP_STG : VGPU_OP_LDG;
	case PTX_SHARED:
		return store ? VGPU_OP_STS : VGPU_OP_LDS;
	case PTX_LOCAL:
		return store ? VGPU_OP_STL : VGPU_OP_LDL;
	case PTX_PARAM:
		return VGPU_OP_LDP;
	default:
		return store ? VGPU_OP_ST : VGPU_OP_LD;
	}
}

/* One VASS access of `count` elements; registers as its fields want them. */
void cc_access_memory(struct cc_lower *l, const struct cc_address *address, bool store,
			  unsigned int bytes, bool sign, unsigned int count, const uint32_t *regs)
{
	unsigned int flags = log2_bytes(bytes) | log2_bytes(count) << 2;
	struct cc_insn *insn;

	if (sign && bytes < 4)
		flags |= VGPU_F_SEXT;
	if (address->base == CC_NONE && address->space != PTX_PARAM)
		flags |= VGPU_F_ABS;
	for (unsigned int i = 1; i < count && !store; i++)
		cc_define_temp(l, regs[i]);
	insn = cc_op(l, mem_op(address->space, store), flags, store ? CC_NONE : regs[0],
		     address->base, store ? regs[0] : CC_NONE, CC_NONE);
	for (unsigned int i = 1; i < count; i++)
		insn->more[i - 1] = regs[i];
	cc_check_offset(l, address);
	insn->imm = address->offset;
	insn->reloc = address->reloc;
	insn->constant = address->constant && !store;
	insn->mem = l->mem;
	insn->keep = ptx_mod_of(l->in, PTX_K_SEM) != PTX_M_NONE && !ptx_has(l->in, PTX_M_WEAK);
}

/* One element of a .param variable that lies across its alignment, a byte at a time. */
static void store_bytes(struct cc_lower *l, struct cc_address address, unsigned int bytes,
			uint32_t reg)
{
	if (bytes == 8) {
		uint32_t low = cc_temp(l, CC_R), high = cc_temp(l, CC_R);

		cc_op(l, VGPU_OP_UNLO, 0, low, reg, CC_NONE, CC_NONE);
		cc_op(l, VGPU_OP_UNHI, 0, high, reg, CC_NONE, CC_NONE);
		store_bytes(l, address, 4, low);
		address.offset += 4;
		store_bytes(l, address, 4, high);
		return;
	}
	for (unsigned int i = 0; i < bytes; i++, address.offset++) {
		uint32_t byte = reg;

		if (i) {
			byte = cc_temp(l, CC_R);
			cc_opi(l, VGPU_OP_SHRU, 0, byte, reg, 8 * i, CC_NONE);
		}
		cc_access_memory(l, &address, true, 1, false, 1, &byte);
	}
}

static void load_bytes(struct cc_lower *l, struct cc_address address, unsigned int bytes, bool sign,
		       uint32_t dst)
{
	uint32_t sum = cc_temp(l, CC_R);

	if (bytes == 8) {
		uint32_t high = cc_temp(l, CC_R);

		load_bytes(l, address, 4, false, sum);
		address.offset += 4;
		load_bytes(l, address, 4, false, high);
		cc_op(l, VGPU_OP_PACK, 0, dst, sum, high, CC_NONE);
		return;
	}
	cc_access_memory(l, &address, false, 1, false, 1, &sum);
	for (unsigned int i = 1; i < bytes; i++) {
		uint32_t byte = cc_temp(l, CC_R), moved = cc_temp(l, CC_R), more = cc_temp(l, CC_R);

		address.offset++;
		cc_access_memory(l, &address, false, 1, false, 1, &byte);
		cc_opi(l, VGPU_OP_SHL, 0, moved, byte, 8 * i, CC_NONE);
		cc_op(l, VGPU_OP_OR, 0, more, sum, moved, CC_NONE);
		sum = more;
	}
	if (sign && bytes == 2)
		cc_op(l, VGPU_OP_SX16, 0, dst, sum, CC_NONE, CC_NONE);
	else
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, sum, CC_NONE);
}

/*
 * cc_access_memory() of a .param variable by its name. LLVM writes accesses of members where the
 * structure has them, also where that is no multiple of their size (bit-fields, packed and derived
 * structures).
 */
static void access_param(struct cc_lower *l, struct cc_address address, bool store,
			 unsigned int bytes, bool sign, unsigned int count, const uint32_t *regs)
{
	if (address.offset % (bytes * count) == 0) {
		cc_access_memory(l, &address, store, bytes, sign, count, regs);
		return;
	}
	for (unsigned int i = 0; i < count; i++, address.offset += bytes) {
		if (address.offset % bytes == 0)
			cc_access_memory(l, &address, store, bytes, sign, 1, &regs[i]);
		else if (store)
			store_bytes(l, address, bytes, regs[i]);
		else
			load_bytes(l, address, bytes, sign, regs[i]);
	}
}

static unsigned int vector_count(struct cc_lower *l, const struct ptx_operand *o,
				 unsigned int bytes)
{
	unsigned int count = ptx_has(l->in, PTX_M_V2) ? 2 :
			     ptx_has(l->in, PTX_M_V4) ? 4 :
			     ptx_has(l->in, PTX_M_V8) ? 8 : 1;

	if (count > 1 ? o->kind != PTX_OPND_VEC || o->count != count :
			o->kind == PTX_OPND_VEC && o->count != 1)
		cc_refuse(l, "%u registers are wanted", count);
	if (count == 8 && bytes != 4)
		cc_refuse(l, "eight elements are of 32 bits each");
	return count;
}

static enum ptx_type memory_type(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);

	if (type == PTX_PRED)
		cc_refuse(l, "type .pred is not supported here");
	return type;
}

static bool is_direct_param(const struct ptx_operand *o)
{
	return o->kind == PTX_OPND_ADDR && o->var && o->var->space == PTX_PARAM;
}

/* Accesses of 32 bytes are of global memory; what is direct has no address that could be tested. */
static void check_vector(struct cc_lower *l, const struct ptx_operand *at, unsigned int bytes)
{
	if (bytes > 16 && (is_direct_param(at) || !ptx_has(l->in, PTX_M_GLOBAL)))
		cc_refuse(l, "an access of more than 16 bytes is one of .global memory");
}

/* ---- values of elements ------------------------------------------------- */

/* Where a load of `type` puts the element before it is widened to the register of operand `o`. */
static uint32_t load_target(struct cc_lower *l, enum ptx_type type, uint32_t dst)
{
	return ptx_type_bytes(type) < 8 && l->cc->vregs[dst] == CC_Q ? cc_temp(l, CC_R) : dst;
}

static void widen_loaded(struct cc_lower *l, enum ptx_type type, uint32_t dst, uint32_t loaded)
{
	if (dst != loaded)
		cc_op(l, cc_signed(type) ? VGPU_OP_SXQ : VGPU_OP_ZXQ, 0, dst, loaded, CC_NONE,
		      CC_NONE);
}

static void load_slot(struct cc_lower *l, enum ptx_type type, uint32_t dst,
		      const struct cc_slot *slot)
{
	struct cc_value value = { .reg = slot->reg };
	uint32_t low;

	if (ptx_type_bytes(type) < 8 && l->cc->vregs[slot->reg] == CC_Q) {
		low = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_UNLO, 0, low, slot->reg, CC_NONE, CC_NONE);
		value.reg = low;
	}
	value = cc_extended(l, value, type);
	if (ptx_type_bytes(type) < 8 && l->cc->vregs[dst] == CC_Q)
		widen_loaded(l, type, dst, value.reg);
	else
		cc_move(l, dst, value);
}

static void store_slot(struct cc_lower *l, const struct cc_slot *slot, struct cc_value value)
{
	uint32_t reg;

	if (l->cc->vregs[slot->reg] == CC_Q && slot->size == 8 && value.reg != CC_NONE &&
	    l->cc->vregs[value.reg] ==
		    CC_R) { /* fewer bytes than the slot holds: the rest is unspecified */
		reg = cc_temp(l, CC_Q);
		cc_op(l, VGPU_OP_ZXQ, 0, reg, value.reg, CC_NONE, CC_NONE);
		value.reg = reg;
	}
	cc_move(l, slot->reg, value);
}

/* ---- ld, st ------------------------------------------------------------- */

/*
 * The fence before a release or behind an acquire. The access has the order itself; the fence says
 * it again, as it did when it was the only one to, and takes the same cycles.
 */
void cc_acquire_release(struct cc_lower *l, bool before)
{
	unsigned int order = VGPU_MEM_ORDER(l->mem),
		     fence = before ? VGPU_ORDER_RELEASE : VGPU_ORDER_ACQUIRE;

	if (order == fence || order == VGPU_ORDER_ACQ_REL)
		cc_op(l, VGPU_OP_MEMBAR, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE)->mem =
			(uint8_t)VGPU_MEM(fence, VGPU_MEM_SCOPE(l->mem), 0);
}

void cc_lower_ld(struct cc_lower *l)
{
	enum ptx_type type = memory_type(l);
	const struct ptx_operand *o = cc_operand(l, 0), *from = cc_operand(l, 1);
	unsigned int bytes = ptx_type_bytes(type), count = vector_count(l, o, bytes);
	const struct ptx_operand *elements = o->kind == PTX_OPND_VEC ? o->elements : o;
	bool wider = ptx_type_letter(type) != 'f' || bytes == 2;
	uint32_t dst[8] = { 0 }, loaded[8] = { 0 };
	struct cc_address address;
	struct cc_pvar *pvar;

	check_vector(l, from, count * bytes);
	l->mem = cc_ld_bits(l);
	for (unsigned int i = 0; i < count; i++)
		dst[i] = cc_dst_element(l, &elements[i], type, wider);
	if (is_direct_param(from)) {
		if (cc_space_of(l) != PTX_PARAM)
			cc_refuse(l, "`%s' is not in that state space", from->var->name);
		pvar = cc_param(l, from->var);
		if (pvar->kind == CC_PVAR_SLOTS) {
			for (unsigned int i = 0; i < count; i++)
				load_slot(l, type, dst[i],
					  cc_param_slot(l, pvar, (uint32_t)from->value + i * bytes,
							bytes));
			return;
		}
		address = (struct cc_address){
			.space = pvar->kind == CC_PVAR_KERNEL ? PTX_PARAM : PTX_LOCAL,
			.base = CC_NONE,
			.offset = pvar->offset + from->value,
		};
	} else {
		address = cc_address_operand(l, from, cc_space_of(l));
	}
	for (unsigned int i = 0; i < count; i++)
		loaded[i] = load_target(l, type, dst[i]);
	if (count * bytes > 16)
		cc_access_32(l, &address, false, bytes, loaded);
	else if (is_direct_param(from))
		access_param(l, address, false, bytes, cc_signed(type), count, loaded);
	else
		cc_access_memory(l, &address, false, bytes, cc_signed(type), count, loaded);
	for (unsigned int i = 0; i < count; i++)
		widen_loaded(l, type, dst[i], loaded[i]);
	cc_acquire_release(l, false);
}

void cc_lower_st(struct cc_lower *l)
{
	enum ptx_type type = memory_type(l);
	const struct ptx_operand *to = cc_operand(l, 0), *o = cc_operand(l, 1);
	unsigned int bytes = ptx_type_bytes(type), count = vector_count(l, o, bytes);
	const struct ptx_operand *elements = o->kind == PTX_OPND_VEC ? o->elements : o;
	bool wider = ptx_type_letter(type) != 'f' || bytes == 2;
	struct cc_value values[8];
	uint32_t regs[8];
	struct cc_address address;
	struct cc_pvar *pvar;

	check_vector(l, to, count * bytes);
	l->mem = cc_st_bits(l);
	for (unsigned int i = 0; i < count; i++)
		values[i] = cc_src_element(l, &elements[i], type, wider);
	if (cc_space_of(l) == PTX_CONST)
		cc_refuse(l, "constant memory cannot be written");
	if (is_direct_param(to)) {
		if (cc_space_of(l) != PTX_PARAM || to->var->is_kernel_param)
			cc_refuse(l, "a parameter of a kernel cannot be written");
		pvar = cc_param(l, to->var);
		if (pvar->kind == CC_PVAR_SLOTS) {
			for (unsigned int i = 0; i < count; i++)
				store_slot(l,
					   cc_param_slot(l, pvar, (uint32_t)to->value + i * bytes,
							 bytes),
					   values[i]);
			return;
		}
		address = (struct cc_address){
			.space = PTX_LOCAL, .base = CC_NONE, .offset = pvar->offset + to->value,
		};
	} else {
		address = cc_address_operand(l, to, cc_space_of(l));
	}
	for (unsigned int i = 0; i < count; i++)
		regs[i] = cc_in_reg(l, values[i], cc_class_of(type));
	cc_acquire_release(l, true);
	if (count * bytes > 16)
		cc_access_32(l, &address, true, bytes, regs);
	else if (is_direct_param(to))
		access_param(l, address, true, bytes, false, count, regs);
	else
		cc_access_memory(l, &address, true, bytes, false, count, regs);
}

/* ---- fences ------------------------------------------------------------ */

void cc_lower_fence(struct cc_lower *l)
{
	cc_op(l, VGPU_OP_MEMBAR, 0, CC_NONE, CC_NONE, CC_NONE, CC_NONE)->mem = cc_fence_bits(l);
}

/* ---- asynchronous copies -------------------------------------------------- */

/* The operand behind the size: how long the source is, or, a predicate, whether it has no bytes. */
static uint32_t source_size(struct cc_lower *l, unsigned int bytes)
{
	const struct ptx_operand *o = cc_operand(l, 3);
	struct cc_value source;
	uint32_t size;

	if (o->kind == PTX_OPND_REG && l->frame->func->regs[o->reg].type == PTX_PRED) {
		size = cc_temp(l, CC_R);
		cc_opi(l, VGPU_OP_SEL, 0, size, cc_const(l, CC_R, 0), bytes, cc_src_pred(l, 3));
		return size;
	}
	source = cc_src(l, 3, PTX_U32);
	if (source.reg == CC_NONE && source.imm > bytes)
		cc_refuse(l, "the source is at most as long as the copy");
	return cc_in_reg(l, source, CC_R);
}

/*
 * cp.async: the words are there when the instruction ends, which is sooner than a wait for them
 * asks for; so there is nothing to commit and to wait for. Of a source that is shorter than the
 * copy the rest is zero, and nothing is read where it has no bytes.
 */
static void copy_async(struct cc_lower *l, unsigned int bytes)
{
	struct cc_address to = cc_address_operand(l, cc_operand(l, 0), PTX_SHARED),
		       from = cc_address_operand(l, cc_operand(l, 1), PTX_GLOBAL);
	uint32_t words[4], guard = l->guard, some, both, size = CC_NONE;
	unsigned int count = bytes / 4;
	bool guard_not = l->guard_not;

	for (unsigned int i = 0; i < count; i++) {
		words[i] = cc_temp(l, CC_R);
		cc_define_temp(l, words[i]);
	}
	if (l->in->count == 4) {
		size = source_size(l, bytes);
		some = cc_temp(l, CC_P);
		cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_NE, some, size, 0, CC_NONE);
		both = some;
		if (guard != CC_PT) {
			both = cc_temp(l, CC_P);
			cc_op(l, VGPU_OP_PAND, 0, both, some, guard | (guard_not ? CC_NOT : 0),
			      CC_NONE);
		}
		/* of words that are not read zero remains */
		for (unsigned int i = 0; i < count; i++)
			words[i] = cc_const(l, CC_R, 0);
		l->guard = both;
		l->guard_not = false;
	}
	cc_access_memory(l, &from, false, 4, false, count, words);
	l->guard = guard;
	l->guard_not = guard_not;
	for (unsigned int i = 1; i < count && size != CC_NONE; i++) {
		uint32_t there = cc_temp(l, CC_P), word = cc_temp(l, CC_R);

		cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_GT, there, size, 4 * i, CC_NONE);
		cc_opi(l, VGPU_OP_SEL, 0, word, words[i], 0, there);
		words[i] = word;
	}
	cc_access_memory(l, &to, true, 4, false, count, words);
}

void cc_lower_cp(struct cc_lower *l)
{
	const struct ptx_operand *size;

	if (!ptx_has(l->in, PTX_M_ASYNC))
		cc_refuse(l, "of cp there is cp.async");
	if (ptx_has(l->in, PTX_M_MBAR)) {
		cc_lower_mbarrier_copy(l);
		return;
	}
	if (l->in->type_count || ptx_mod_of(l->in, PTX_K_MBARRIER) != PTX_M_NONE)
		cc_refuse(l, "of barriers there is cp.async.mbarrier.arrive");
	if (ptx_mod_of(l->in, PTX_K_GROUP) != PTX_M_NONE)
		return;
	if (l->in->count < 3 || !(ptx_has(l->in, PTX_M_CA) || ptx_has(l->in, PTX_M_CG)) ||
	    !ptx_has(l->in, PTX_M_GLOBAL))
		cc_refuse(l, ".ca or .cg, .shared.global, two addresses and a size are wanted");
	size = cc_operand(l, 2);
	if (size->kind != PTX_OPND_INT ||
	    (size->value != 4 && size->value != 8 && size->value != 16))
		cc_refuse(l, "a copy is of 4, 8 or 16 bytes");
	l->mem = 0;
	copy_async(l, (unsigned int)size->value);
}
