// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The table of module_table.h.
 */
#include "module_table.h"
#include "sm.h"

static struct vgpu_module_ref **handle_slot(const struct vgpu_module_table *table, u32 handle)
{
	struct vgpu_module_ref **at;

	if (!handle || handle > table->room)
		return NULL;
	at = &table->list[vgpu_index(handle - 1, table->room)];
	return *at ? at : NULL;
}

struct vgpu_module_ref *vgpu_module_get(struct vgpu_module_table *table, u32 handle)
{
	struct vgpu_module_ref **at = handle_slot(table, handle);

	if (!at)
		return NULL;
	(*at)->refs++;
	return *at;
}

void vgpu_module_put(struct vgpu_module_ref *ref)
{
	struct vgpu_mem_account *memory = ref->table->memory;

	if (--ref->refs)
		return;
	ref->table->bytes -= ref->bytes;
	ref->table->alive--;
	vgpu_mem_uncharge(memory, vgpu_module_memory(ref->code));
	vgpu_vass_free(ref->code);
	vgpu_mem_free(memory, ref, sizeof(*ref));
}

/* A free slot in the table, made if there is none. */
static int free_slot(struct vgpu_module_table *table, u32 *slot)
{
	struct vgpu_module_ref **list;
	u32 room;

	for (*slot = 0; *slot < table->room; ++*slot)
		if (!table->list[*slot])
			return 0;
	if (table->room == VGPU_MODULES_MAX)
		return -ENOSPC;
	room = table->room ? table->room * 2 : 16;
	list = vgpu_mem_alloc(table->memory, room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	if (table->room)
		memcpy(list, table->list, table->room * sizeof(*list));
	vgpu_mem_free(table->memory, table->list, table->room * sizeof(*list));
	table->list = list;
	table->room = room;
	return 0;
}

int vgpu_module_table_add(struct vgpu_module_table *table, struct vgpu_module *code, u32 *handle)
{
	u32 slot, bytes = vgpu_module_bytes(code);
	struct vgpu_module_ref *ref;
	int err;

	if (bytes > VGPU_MODULE_BYTES_MAX - table->bytes)
		return -ENOSPC;
	err = free_slot(table, &slot);
	if (err)
		return err;
	/* The code was allocated by who loaded it; from now on it is the context's. */
	err = vgpu_mem_charge(table->memory, vgpu_module_memory(code));
	if (err)
		return err;
	ref = vgpu_mem_alloc(table->memory, sizeof(*ref));
	if (!ref) {
		vgpu_mem_uncharge(table->memory, vgpu_module_memory(code));
		return -ENOMEM;
	}
	ref->code = code;
	ref->table = table;
	ref->refs = 1;
	ref->bytes = bytes;
	table->bytes += bytes;
	table->list[slot] = ref;
	table->count++;
	table->alive++;
	*handle = slot + 1;
	return 0;
}

static void drop_handle(struct vgpu_module_table *table, struct vgpu_module_ref **at)
{
	struct vgpu_module_ref *ref = *at;

	*at = NULL;
	table->count--;
	vgpu_module_put(ref);
}

int vgpu_module_table_remove(struct vgpu_module_table *table, u32 handle)
{
	struct vgpu_module_ref **at = handle_slot(table, handle);

	if (!at)
		return -ENOENT;
	drop_handle(table, at);
	return 0;
}

void vgpu_module_table_free(struct vgpu_module_table *table)
{
	u32 i;

	for (i = 0; i < table->room; i++)
		if (table->list[i])
			drop_handle(table, &table->list[i]);
	vgpu_mem_free(table->memory, table->list, table->room * sizeof(*table->list));
	*table = (struct vgpu_module_table){ .memory = table->memory };
}
