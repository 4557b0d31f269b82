// SPDX-License-Identifier: MIT
/*
 * Lowering of textures and surfaces, in unified mode: the operand is a handle of 64 bits, or a
 * variable of type .texref or .surfref, which has one. A fetch or a query becomes a call of a
 * function of the runtime's (texture/texture.cu), an access of a surface a call that says where,
 * and an ordinary load or store.
 */
#include <string.h>

#include "lower.h"
#include "texture/texture.h"

#define HALF	0x3f000000u	/* 0.5f */

/* ---- calls --------------------------------------------------------------- */

static void pass(struct cc_lower *l, struct cc_passed *passed, struct cc_value value,
		 enum cc_class class)
{
	uint32_t reg = cc_named(l, class);

	cc_move(l, reg, value);
	passed->params[passed->params_count++] = reg;
}

static void pass_number(struct cc_lower *l, struct cc_passed *passed, uint32_t number)
{
	pass(l, passed, (struct cc_value){ .reg = CC_NONE, .imm = number }, CC_R);
}

static struct ptx_func *function(struct cc_lower *l, const char *name)
{
	for (struct ptx_func *func = l->cc->textures; func; func = func->next)
		if (!strcmp(func->name, name))
			return func;
	cc_refuse(l, "`%s' is not in the runtime's library", name);
}

/* Calls a function with @count results of @class. */
static void call(struct cc_lower *l, const char *name, struct cc_passed *passed,
		 enum cc_class class, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		passed->results[passed->results_count++] = cc_named(l, class);
	cc_call_registers(l, function(l, name), passed);
}

/* Lanes whose guard is false go around what follows, which has none; CC_NONE: all do it. */
static uint32_t go_around(struct cc_lower *l)
{
	uint32_t skip;

	if (l->guard == CC_PT)
		return CC_NONE;
	skip = l->cc->label_count++;
	l->guard_not = !l->guard_not;
	cc_jump(l, skip);
	l->guard = CC_PT;
	l->guard_not = false;
	return skip;
}

static void meet(struct cc_lower *l, uint32_t skip)
{
	if (skip != CC_NONE)
		cc_place(l, skip);
}

/* ---- operands ------------------------------------------------------------ */

uint32_t cc_reference(struct cc_lower *l, const struct ptx_operand *o)
{
	struct cc_value where = cc_address_of(l, o);
	struct cc_address address = {
		.space = PTX_GLOBAL, .base = CC_NONE, .offset = where.imm, .reloc = where.reloc,
	};
	uint32_t handle = cc_temp(l, CC_Q);
	uint8_t mem = l->mem;

	l->mem = 0;
	cc_access_memory(l, &address, false, 8, false, 1, &handle);
	l->mem = mem;
	return handle;
}

/* The handle, which is the first thing that all functions take. */
static void pass_handle(struct cc_lower *l, struct cc_passed *passed, const struct ptx_operand *o)
{
	struct cc_value value = { .reg = CC_NONE };

	if (o->kind != PTX_OPND_ADDR || o->value)
		cc_refuse(l, "a texture or surface in [ ] is wanted");
	if (o->var) {
		if (o->var->type != PTX_TEXREF && o->var->type != PTX_SURFREF)
			cc_refuse(l, "`%s' is no .texref and no .surfref variable", o->name);
		value.reg = cc_reference(l, o);
	} else if (o->reg != PTX_NONE) {
		value.reg = cc_reg(l, o->reg);
		if (l->cc->vregs[value.reg] != CC_Q)
			cc_refuse(l, "register `%s' is too narrow for a handle", o->name);
	}
	pass(l, passed, value, CC_Q);
}

struct geometry {
	unsigned int mod;
	bool layered;
	unsigned int coordinates;	/* beside the layer */
	const char *function, *with_lod;
};

static const struct geometry *geometry_of(struct cc_lower *l)
{
	static const struct geometry all[] = {
		{ PTX_M_TEX1D, false, 1, "__vgpu_texture_1d", "__vgpu_texture_1d_lod" },
		{ PTX_M_TEX2D, false, 2, "__vgpu_texture_2d", "__vgpu_texture_2d_lod" },
		{ PTX_M_TEX3D, false, 3, "__vgpu_texture_3d", "__vgpu_texture_3d_lod" },
		{ PTX_M_TEXA1D, true, 1, "__vgpu_texture_1d", "__vgpu_texture_1d_lod" },
		{ PTX_M_TEXA2D, true, 2, "__vgpu_texture_2d", "__vgpu_texture_2d_lod" },
		{ PTX_M_TEXCUBE, false, 3, "__vgpu_texture_cube", "__vgpu_texture_cube_lod" },
		{ PTX_M_TEXACUBE, true, 3, "__vgpu_texture_cube", "__vgpu_texture_cube_lod" },
	};

	for (unsigned int i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (ptx_has(l->in, all[i].mod))
			return &all[i];
	cc_refuse(l, "a geometry is wanted: .1d .2d .3d .a1d .a2d .cube .acube");
}

static struct cc_value coordinate(struct cc_lower *l, const struct ptx_operand *o,
				  const struct geometry *g, unsigned int index, enum ptx_type type)
{
	unsigned int at = index + g->layered;

	if (o->count < g->coordinates + g->layered)
		cc_refuse(l, "%u coordinates where %u are wanted", o->count,
			  g->coordinates + g->layered);
	return cc_src_element(l, &o->elements[at], type, false);
}

/* A coordinate as a float; integers mean the middle of their texel. */
static void pass_coordinate(struct cc_lower *l, struct cc_passed *passed,
			    const struct ptx_operand *o, const struct geometry *g,
			    unsigned int index)
{
	enum ptx_type type = cc_type(l, 1);
	struct cc_value value = coordinate(l, o, g, index, type);
	uint32_t number, middle;

	if (type != PTX_F32) {
		number = cc_temp(l, CC_R);
		middle = cc_temp(l, CC_R);
		value.reg = cc_in_reg(l, value, CC_R);
		cc_op(l, VGPU_OP_I2F, VGPU_F_SIGNED, number, value.reg, CC_NONE, CC_NONE);
		cc_opi(l, VGPU_OP_FADD, 0, middle, number, HALF, CC_NONE);
		value = (struct cc_value){ .reg = middle };
	}
	pass(l, passed, value, CC_R);
}

static void pass_layer(struct cc_lower *l, struct cc_passed *passed, const struct ptx_operand *o,
		       const struct geometry *g)
{
	if (g->layered)
		pass(l, passed, cc_src_element(l, &o->elements[0], PTX_B32, false), CC_R);
	else
		pass_number(l, passed, 0);
}

static void check_types(struct cc_lower *l)
{
	enum ptx_type dtype = cc_type(l, 0), ctype = cc_type(l, 1);

	if (!ptx_has(l->in, PTX_M_V4) || cc_operand(l, 0)->kind != PTX_OPND_VEC ||
	    cc_operand(l, 0)->count != 4)
		cc_refuse(l, "four registers for the result are wanted");
	if ((dtype != PTX_F32 && dtype != PTX_S32 && dtype != PTX_U32) ||
	    (ctype != PTX_F32 && ctype != PTX_S32))
		cc_refuse(l, "results are .f32 .s32 .u32, coordinates .f32 .s32");
}

static void write_results(struct cc_lower *l, const struct cc_passed *passed)
{
	for (unsigned int i = 0; i < 4; i++)
		if (cc_operand(l, 0)->elements[i].kind != PTX_OPND_SINK)
			cc_move(l,
				cc_dst_element(l, &cc_operand(l, 0)->elements[i], cc_type(l, 0),
					       false),
				(struct cc_value){ .reg = passed->results[i] });
}

/* ---- tex ----------------------------------------------------------------- */

/* Gradients: as many components as coordinates, the rest 0. */
static struct cc_value level_of_gradients(struct cc_lower *l, const struct geometry *g)
{
	struct cc_passed passed = { 0 };

	pass_handle(l, &passed, cc_operand(l, 1));
	for (unsigned int which = 0; which < 2; which++) {
		const struct ptx_operand *o = cc_operand(l, 2 + which);

		for (unsigned int i = 0; i < 3; i++) {
			if (i >= g->coordinates)
				pass_number(l, &passed, 0);
			else if (o->kind == PTX_OPND_VEC && o->count > i)
				pass(l, &passed,
				     cc_src_element(l, &o->elements[i], PTX_F32, false), CC_R);
			else if (o->kind != PTX_OPND_VEC && !i)
				pass(l, &passed, cc_src_element(l, o, PTX_F32, false), CC_R);
			else
				cc_refuse(l, "a gradient has %u components", g->coordinates);
		}
	}
	call(l, "__vgpu_texture_lod", &passed, CC_R, 1);
	return (struct cc_value){ .reg = passed.results[0] };
}

static bool has_level(struct cc_lower *l)
{
	bool level = ptx_has(l->in, PTX_M_TEXLEVEL), grad = ptx_has(l->in, PTX_M_TEXGRAD);
	unsigned int count = grad ? 4 : level ? 3 : 2;

	if (l->in->count != count)
		cc_refuse(l, "offsets and comparisons of depths are not supported: %u operands "
			  "where %u are wanted", l->in->count, count);
	return level || grad;
}

static struct cc_value level_of_detail(struct cc_lower *l, const struct geometry *g)
{
	struct cc_value lod;
	uint32_t number;

	if (ptx_has(l->in, PTX_M_TEXGRAD))
		return level_of_gradients(l, g);
	lod = cc_src(l, 2, cc_type(l, 1));
	if (cc_type(l, 1) == PTX_F32)
		return lod;
	number = cc_temp(l, CC_R);
	cc_op(l, VGPU_OP_I2F, VGPU_F_SIGNED, number, cc_in_reg(l, lod, CC_R), CC_NONE, CC_NONE);
	return (struct cc_value){ .reg = number };
}

void cc_lower_tex(struct cc_lower *l)
{
	const struct geometry *g = geometry_of(l);
	const struct ptx_operand *o = cc_operand(l, 1);
	struct cc_passed passed = { 0 };
	uint32_t skip = go_around(l);
	bool level = has_level(l);
	struct cc_value lod;

	check_types(l);
	if (g->mod == PTX_M_TEX1D && cc_type(l, 1) == PTX_S32 && !level) {
		pass_handle(l, &passed, o);
		pass(l, &passed, coordinate(l, o, g, 0, PTX_S32), CC_R);
		call(l, "__vgpu_texture_fetch", &passed, CC_R, 4);
	} else {
		if (level)
			lod = level_of_detail(l, g);
		pass_handle(l, &passed, o);
		for (unsigned int i = 0; i < g->coordinates; i++)
			pass_coordinate(l, &passed, o, g, i);
		if (g->mod != PTX_M_TEX3D)
			pass_layer(l, &passed, o, g);
		if (level)
			pass(l, &passed, lod, CC_R);
		call(l, level ? g->with_lod : g->function, &passed, CC_R, 4);
	}
	write_results(l, &passed);
	meet(l, skip);
}

void cc_lower_tld4(struct cc_lower *l)
{
	static const unsigned int channels[] = { PTX_M_R, PTX_M_TEXGREEN, PTX_M_MATRIX_B,
						 PTX_M_MATRIX_A };
	const struct geometry *g = geometry_of(l);
	const struct ptx_operand *o = cc_operand(l, 1);
	struct cc_passed passed = { 0 };
	uint32_t skip = go_around(l), channel = 0;

	check_types(l);
	if (g->coordinates != 2 || cc_type(l, 1) != PTX_F32)
		cc_refuse(l, "the geometry is .2d or .a2d, and coordinates are .f32");
	while (channel < 4 && !ptx_has(l->in, channels[channel]))
		channel++;
	if (channel == 4)
		cc_refuse(l, "a channel is wanted: .r .g .b .a");
	pass_handle(l, &passed, o);
	pass_coordinate(l, &passed, o, g, 0);
	pass_coordinate(l, &passed, o, g, 1);
	pass_layer(l, &passed, o, g);
	pass_number(l, &passed, channel);
	call(l, "__vgpu_texture_gather", &passed, CC_R, 4);
	write_results(l, &passed);
	meet(l, skip);
}

/* ---- txq, suq ------------------------------------------------------------ */

void cc_lower_txq(struct cc_lower *l)
{
	static const unsigned int what[] = {
		[VGPU_QUERY_WIDTH] = PTX_M_QWIDTH, [VGPU_QUERY_HEIGHT] = PTX_M_QHEIGHT,
		[VGPU_QUERY_DEPTH] = PTX_M_QDEPTH, [VGPU_QUERY_ARRAY_SIZE] = PTX_M_QARRAY,
		[VGPU_QUERY_LEVELS] = PTX_M_QLEVELS, [VGPU_QUERY_UNIT] = PTX_M_QUNIT,
	};
	struct cc_passed passed = { 0 };
	uint32_t skip = go_around(l), n = 0;

	while (n < sizeof(what) / sizeof(*what) && !ptx_has(l->in, what[n]))
		n++;
	if (n == sizeof(what) / sizeof(*what) || cc_type(l, 0) != PTX_B32)
		cc_refuse(l, "a query of .b32 is wanted: .width .height .depth .array_size "
			  ".num_mipmap_levels .normalized_coords");
	pass_handle(l, &passed, cc_operand(l, 1));
	pass_number(l, &passed, n);
	call(l, "__vgpu_texture_query", &passed, CC_R, 1);
	cc_move(l, cc_dst(l, 0, PTX_B32), (struct cc_value){ .reg = passed.results[0] });
	meet(l, skip);
}

/* ---- suld, sust ---------------------------------------------------------- */

static unsigned int surface_mode(struct cc_lower *l)
{
	if (ptx_has(l->in, PTX_M_SURFZERO))
		return VGPU_SURFACE_ZERO;
	if (ptx_has(l->in, PTX_M_CLAMP))
		return VGPU_SURFACE_CLAMP;
	if (ptx_has(l->in, PTX_M_SURFTRAP))
		return VGPU_SURFACE_TRAP;
	cc_refuse(l, "what happens outside is wanted: .trap .clamp .zero");
}

/* The surface and three coordinates, and @how. */
static void pass_place(struct cc_lower *l, struct cc_passed *passed, const struct ptx_operand *o,
		       uint32_t how)
{
	const struct geometry *g = geometry_of(l);

	if (g->coordinates == 3 && g->mod != PTX_M_TEX3D)
		cc_refuse(l, "a surface is .1d .2d .3d .a1d .a2d; faces of a cube are layers");
	pass_handle(l, passed, o);
	for (unsigned int i = 0; i < 3; i++)
		if (i < g->coordinates)
			pass(l, passed, coordinate(l, o, g, i, PTX_S32), CC_R);
		else if (i == 2)
			pass_layer(l, passed, o, g);
		else
			pass_number(l, passed, 0);
	pass_number(l, passed, how);
}

/* Where the access at operand @index goes, and a predicate that is true if it goes anywhere. */
static struct cc_address surface_address(struct cc_lower *l, unsigned int index,
					 unsigned int bytes, uint32_t *inside)
{
	struct cc_passed passed = { 0 };

	pass_place(l, &passed, cc_operand(l, index), VGPU_SURFACE_HOW(bytes, surface_mode(l)));
	call(l, "__vgpu_surface", &passed, CC_Q, 1);
	*inside = cc_named(l, CC_P);
	cc_opi(l, VGPU_OP_SETPUQ, VGPU_CMP_NE, *inside, passed.results[0], 0, CC_NONE);
	return (struct cc_address){ .space = PTX_GLOBAL, .base = passed.results[0] };
}

static unsigned int element_count(struct cc_lower *l, const struct ptx_operand *o)
{
	unsigned int count = ptx_has(l->in, PTX_M_V2) ? 2 : ptx_has(l->in, PTX_M_V4) ? 4 : 1;

	if (!ptx_has(l->in, PTX_M_MATRIX_B) || ptx_type_letter(cc_type(l, 0)) != 'b')
		cc_refuse(l, "an access is .b of .b8 .b16 .b32 .b64, or a store .p of .b32");
	if (count > 1 ? o->kind != PTX_OPND_VEC || o->count != count :
			o->kind == PTX_OPND_VEC && o->count != 1)
		cc_refuse(l, "%u registers are wanted", count);
	if (count * ptx_type_bytes(cc_type(l, 0)) > 16)
		cc_refuse(l, "an access of more than 16 bytes");
	return count;
}

void cc_lower_suld(struct cc_lower *l)
{
	const struct ptx_operand *o = cc_operand(l, 0);
	const struct ptx_operand *elements = o->kind == PTX_OPND_VEC ? o->elements : o;
	enum ptx_type type = cc_type(l, 0);
	unsigned int bytes = ptx_type_bytes(type), count = element_count(l, o);
	enum cc_class class = cc_class_of(type);
	uint32_t skip = go_around(l), inside, loaded[4], dst;
	struct cc_address address = surface_address(l, 1, bytes * count, &inside);

	for (unsigned int i = 0; i < count; i++) {
		loaded[i] = cc_named(l, class);
		cc_move(l, loaded[i], (struct cc_value){ .reg = CC_NONE });
	}
	l->mem = 0;
	l->guard = inside;
	cc_access_memory(l, &address, false, bytes, false, count, loaded);
	l->guard = CC_PT;
	for (unsigned int i = 0; i < count; i++) {
		if (elements[i].kind == PTX_OPND_SINK)
			continue;
		dst = cc_dst_element(l, &elements[i], type, true);
		if (l->cc->vregs[dst] == class)
			cc_move(l, dst, (struct cc_value){ .reg = loaded[i] });
		else
			cc_op(l, VGPU_OP_ZXQ, 0, dst, loaded[i], CC_NONE, CC_NONE);
	}
	meet(l, skip);
}

/* A formatted store, which a function does: it knows the channels of the surface. */
static void store_formatted(struct cc_lower *l)
{
	const struct ptx_operand *o = cc_operand(l, 1);
	const struct ptx_operand *elements = o->kind == PTX_OPND_VEC ? o->elements : o;
	unsigned int count = ptx_has(l->in, PTX_M_V2) ? 2 : ptx_has(l->in, PTX_M_V4) ? 4 : 1;
	struct cc_passed passed = { 0 };
	uint32_t skip = go_around(l);

	if (ptx_type_bytes(cc_type(l, 0)) != 4)
		cc_refuse(l, "a formatted store is of .b32");
	if (o->kind == PTX_OPND_VEC ? o->count != count : count > 1)
		cc_refuse(l, "%u registers are wanted", count);
	pass_place(l, &passed, cc_operand(l, 0), VGPU_SURFACE_HOW(0, surface_mode(l)));
	for (unsigned int i = 0; i < 4; i++)
		if (i < count)
			pass(l, &passed, cc_src_element(l, &elements[i], cc_type(l, 0), false),
			     CC_R);
		else
			pass_number(l, &passed, 0);
	call(l, "__vgpu_surface_put", &passed, CC_R, 0);
	meet(l, skip);
}

static void store_bytes(struct cc_lower *l)
{
	const struct ptx_operand *o = cc_operand(l, 1);
	const struct ptx_operand *elements = o->kind == PTX_OPND_VEC ? o->elements : o;
	enum ptx_type type = cc_type(l, 0);
	unsigned int bytes = ptx_type_bytes(type), count = element_count(l, o);
	uint32_t skip = go_around(l), inside, regs[4];
	struct cc_address address = surface_address(l, 0, bytes * count, &inside);

	for (unsigned int i = 0; i < count; i++)
		regs[i] = cc_in_reg(l, cc_src_element(l, &elements[i], type, true),
				    cc_class_of(type));
	l->mem = 0;
	l->guard = inside;
	cc_access_memory(l, &address, true, bytes, false, count, regs);
	l->guard = CC_PT;
	meet(l, skip);
}

void cc_lower_sust(struct cc_lower *l)
{
	if (ptx_has(l->in, PTX_M_SURFFORMAT))
		store_formatted(l);
	else
		store_bytes(l);
}
