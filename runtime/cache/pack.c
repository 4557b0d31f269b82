// SPDX-License-Identifier: MIT
/*
 * Programs as bytes and back; see pack.h. What is read is looked at as far as the host follows it:
 * lengths, and where relocations go. The code itself the device verifies.
 */
#include <stdlib.h>
#include <string.h>

#include "heap/heap.h"
#include "launch/launch.h"
#include "pack.h"
#include "print/print.h"

void vgpu_pack_bytes(struct vgpu_pack *pack, const void *from, size_t count)
{
	if (pack->failed || !count)
		return;
	if (pack->room - pack->size < count) {
		size_t room = pack->room ? pack->room : 4096;
		uint8_t *grown;

		while (room - pack->size < count)
			room *= 2;
		grown = realloc(pack->bytes, room);
		if (!grown) {
			pack->failed = true;
			return;
		}
		pack->bytes = grown;
		pack->room = room;
	}
	memcpy(pack->bytes + pack->size, from, count);
	pack->size += count;
}

static void pack_name(struct vgpu_pack *pack, const char *name)
{
	uint32_t length = (uint32_t)strlen(name);

	vgpu_pack_bytes(pack, &length, sizeof(length));
	vgpu_pack_bytes(pack, name, length);
}

/* Without its pointers, so that the same program is the same bytes */
static void pack_kernel(struct vgpu_pack *pack, const struct vgpu_program_kernel *kernel)
{
	struct vgpu_program_kernel k;

	memcpy(&k, kernel, sizeof(k));
	k.name = NULL;
	k.params = NULL;
	k.ptx_line = NULL;
	vgpu_pack_bytes(pack, &k, sizeof(k));
	pack_name(pack, kernel->name);
	vgpu_pack_bytes(pack, kernel->params, k.param_count * sizeof(*k.params));
	vgpu_pack_bytes(pack, kernel->ptx_line, k.vass.code_count * sizeof(*k.ptx_line));
}

static void pack_symbol(struct vgpu_pack *pack, const struct vgpu_program_symbol *symbol)
{
	struct vgpu_program_symbol s;

	memcpy(&s, symbol, sizeof(s));
	s.name = NULL;
	vgpu_pack_bytes(pack, &s, sizeof(s));
	pack_name(pack, symbol->name);
}

static void pack_binary(struct vgpu_pack *pack, const struct vgpu_program_binary *binary)
{
	struct vgpu_program_binary b;

	memcpy(&b, binary, sizeof(b));
	b.bytes = NULL;
	vgpu_pack_bytes(pack, &b, sizeof(b));
	vgpu_pack_bytes(pack, binary->bytes, b.size);
}

bool vgpu_pack_program(struct vgpu_pack *pack, const struct vgpu_program *program)
{
	struct vgpu_program head;

	for (uint32_t i = 0; i < program->kernel_count; i++)
		if (program->kernels[i].variables)
			return false;
	memcpy(&head, program, sizeof(head));
	head.kernels = NULL;
	head.symbols = NULL;
	head.relocs = NULL;
	head.data = NULL;
	head.binaries = NULL;
	vgpu_pack_bytes(pack, &head, sizeof(head));
	for (uint32_t i = 0; i < program->kernel_count; i++)
		pack_kernel(pack, &program->kernels[i]);
	for (uint32_t i = 0; i < program->symbol_count; i++)
		pack_symbol(pack, &program->symbols[i]);
	vgpu_pack_bytes(pack, program->relocs, program->reloc_count * sizeof(*program->relocs));
	vgpu_pack_bytes(pack, program->data, program->data_bytes);
	for (uint32_t i = 0; i < program->binary_count; i++)
		pack_binary(pack, &program->binaries[i]);
	return !pack->failed;
}

/* ---- and back ------------------------------------------------------------ */

struct reader {
	const uint8_t *at;
	size_t left;
	bool failed;
};

static void take_bytes(struct reader *r, void *to, size_t count)
{
	if (r->failed || count > r->left) {
		r->failed = true;
		return;
	}
	memcpy(to, r->at, count);
	r->at += count;
	r->left -= count;
}

/* An array of its own, with a 0 behind it; there may be none. */
static void *take_array(struct reader *r, uint64_t count, size_t size)
{
	void *array;

	if (r->failed || count > r->left / size) {
		r->failed = true;
		return NULL;
	}
	array = malloc(count * size + 1);
	if (!array) {
		r->failed = true;
		return NULL;
	}
	take_bytes(r, array, count * size);
	((char *)array)[count * size] = 0;
	return array;
}

static char *take_name(struct reader *r)
{
	uint32_t length = 0;

	take_bytes(r, &length, sizeof(length));
	return take_array(r, length, 1);
}

/* Zeroed, for as many structures as the bytes that are left can be. */
static void *room_for(struct reader *r, uint32_t count, size_t size)
{
	void *array = NULL;

	if (!r->failed && count <= r->left / size)
		array = calloc((size_t)count + 1, size);
	r->failed |= !array;
	return array;
}

static void take_kernels(struct reader *r, struct vgpu_program *p, uint32_t count)
{
	p->kernels = room_for(r, count, sizeof(*p->kernels));
	for (uint32_t i = 0; i < count && !r->failed; i++) {
		struct vgpu_program_kernel *k = &p->kernels[i];

		take_bytes(r, k, sizeof(*k));
		k->name = NULL;
		k->params = NULL;
		k->ptx_line = NULL;
		k->variables = NULL;
		k->variable_count = 0;
		p->kernel_count = i + 1;
		k->name = take_name(r);
		k->params = take_array(r, k->param_count, sizeof(*k->params));
		k->ptx_line = take_array(r, k->vass.code_count, sizeof(*k->ptx_line));
	}
}

static void take_symbols(struct reader *r, struct vgpu_program *p, uint32_t count)
{
	p->symbols = room_for(r, count, sizeof(*p->symbols));
	for (uint32_t i = 0; i < count && !r->failed; i++) {
		take_bytes(r, &p->symbols[i], sizeof(p->symbols[i]));
		p->symbols[i].name = NULL;
		p->symbol_count = i + 1;
		p->symbols[i].name = take_name(r);
	}
}

static void take_binaries(struct reader *r, struct vgpu_program *p, uint32_t count)
{
	p->binaries = room_for(r, count, sizeof(*p->binaries));
	for (uint32_t i = 0; i < count && !r->failed; i++) {
		struct vgpu_program_binary *b = &p->binaries[i];

		take_bytes(r, b, sizeof(*b));
		b->bytes = NULL;
		p->binary_count = i + 1;
		b->bytes = take_array(r, b->size, 1);
	}
}

/* Binaries have the kernels and the instructions of the program, one behind the other. */
static bool binaries_fit(const struct vgpu_program *p, uint32_t *insns)
{
	uint32_t kernels = 0;

	*insns = 0;
	for (uint32_t i = 0; i < p->binary_count; i++) {
		const struct vgpu_program_binary *b = &p->binaries[i];
		struct vgpu_vass_header header;

		if (b->size < sizeof(header) || b->first_kernel != kernels ||
		    b->first_insn != *insns)
			return false;
		memcpy(&header, b->bytes, sizeof(header));
		if (header.total_bytes != b->size || header.code_count != b->insn_count ||
		    header.kernel_count != b->kernel_count || header.code_offset > b->size ||
		    header.code_offset % 16 ||
		    b->insn_count > (b->size - header.code_offset) / sizeof(struct vgpu_insn))
			return false;
		for (uint32_t k = 0; k < b->kernel_count; k++) {
			const struct vgpu_vass_kernel *v;

			if (kernels + k >= p->kernel_count)
				return false;
			v = &p->kernels[kernels + k].vass;
			if (v->entry > b->insn_count || v->code_count > b->insn_count - v->entry)
				return false;
		}
		kernels += b->kernel_count;
		*insns += b->insn_count;
	}
	return kernels == p->kernel_count;
}

static bool inside(const struct vgpu_program *p, uint64_t offset, uint64_t bytes)
{
	return offset <= p->data_bytes && bytes <= p->data_bytes - offset;
}

/* Relocations of code are in its order. */
static bool relocs_fit(const struct vgpu_program *p, uint32_t insns)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < p->reloc_count; i++) {
		const struct vgpu_program_reloc *reloc = &p->relocs[i];

		if (reloc->kind == VGPU_RELOC_DATA) {
			if (!inside(p, reloc->where, 8))
				return false;
			continue;
		}
		if (reloc->kind != VGPU_RELOC_CODE || reloc->where >= insns || reloc->where < last)
			return false;
		last = reloc->where;
	}
	return true;
}

static bool program_fits(const struct vgpu_program *p)
{
	uint32_t insns;

	for (uint32_t i = 0; i < p->symbol_count; i++)
		if (!p->symbols[i].managed && !inside(p, p->symbols[i].offset, p->symbols[i].size))
			return false;
	if ((p->uses_heap && !inside(p, p->heap_offset, sizeof(struct vgpu_heap))) ||
	    (p->uses_print && !inside(p, p->print_offset, sizeof(struct vgpu_print))) ||
	    (p->uses_launch && !inside(p, p->launch_offset, sizeof(struct vgpu_launch))))
		return false;
	return binaries_fit(p, &insns) && relocs_fit(p, insns);
}

struct vgpu_program *vgpu_unpack_program(const uint8_t *bytes, size_t size)
{
	struct reader r = {bytes, size, false};
	struct vgpu_program head, *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	take_bytes(&r, &head, sizeof(head));
	if (r.failed) {
		free(p);
		return NULL;
	}
	*p = head;
	p->kernels = NULL;
	p->symbols = NULL;
	p->relocs = NULL;
	p->data = NULL;
	p->binaries = NULL;
	p->kernel_count = p->symbol_count = p->reloc_count = p->binary_count = 0;
	take_kernels(&r, p, head.kernel_count);
	take_symbols(&r, p, head.symbol_count);
	p->relocs = take_array(&r, head.reloc_count, sizeof(*p->relocs));
	p->reloc_count = r.failed ? 0 : head.reloc_count;
	p->data = take_array(&r, head.data_bytes, 1);
	take_binaries(&r, p, head.binary_count);
	if (r.failed || r.left || !program_fits(p)) {
		vgpu_program_free(p);
		return NULL;
	}
	return p;
}
