// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Page tables. Walks visit only what exists: clearing a range costs what was touched in it, not
 * what was mapped.
 */
#include "page_table.h"

#define LEVELS		4
#define TABLE_BITS	9
#define TABLE_ENTRIES	32	/* that clearing or walking one takes as long as */
#define TABLE_SIZE (1u << TABLE_BITS) /* addresses of 47 bits use half of the root */

/*
 * A table of level 3 (root) to 1 holds tables of the level below, one of level 0 holds page
 * entries.
 */
union table {
	union table *below[TABLE_SIZE];
	u64 pte[TABLE_SIZE];
};

static unsigned int shift_of(int level)
{
	return VGPU_PAGE_SHIFT + (unsigned int)level * TABLE_BITS;
}

static u32 index_of(u64 address, int level)
{
	return (u32)(address >> shift_of(level)) & (TABLE_SIZE - 1);
}

u64 *vgpu_pte_find(const struct vgpu_page_table *table, u64 address)
{
	union table *t = table->root;
	int level;

	for (level = LEVELS - 1; t && level > 0; level--)
		t = t->below[index_of(address, level)];
	return t ? &t->pte[index_of(address, 0)] : NULL;
}

static union table *make_table(struct vgpu_mmu *mmu, struct vgpu_mem_account *memory)
{
	union table *t = vgpu_mem_alloc(memory, sizeof(*t));

	if (t)
		mmu->page_tables++;
	return t;
}

static void drop_table(struct vgpu_mmu *mmu, struct vgpu_mem_account *memory, union table *t)
{
	mmu->page_tables--;
	vgpu_mem_free(memory, t, sizeof(*t));
}

u64 *vgpu_pte_make(struct vgpu_mmu *mmu, struct vgpu_page_table *table, u64 address)
{
	union table **at = (union table **)&table->root;
	int level;

	/*
	 * Tables made before memory ran out stay, empty: the next look or the next clear of that
	 * range finds them.
	 */
	for (level = LEVELS - 1;; level--) {
		if (!*at)
			*at = make_table(mmu, table->memory);
		if (!*at)
			return NULL;
		if (!level)
			return &(*at)->pte[index_of(address, 0)];
		at = &(*at)->below[index_of(address, level)];
	}
}

static bool is_empty(const union table *t)
{
	u32 i;

	for (i = 0; i < TABLE_SIZE; i++)
		if (t->pte[i])
			return false;
	return true;
}

static void use_up(u64 *left, u64 count)
{
	*left -= *left < count ? *left : count;
}

static void clear_entry(struct vgpu_mmu *mmu, u64 *pte, struct vgpu_pte_clearing *clearing)
{
	use_up(&clearing->left, 1);
	clearing->on_host += vgpu_pte_on_host(*pte);
	if ((*pte & (VGPU_PTE_FRAME | VGPU_PTE_SHARED)) == VGPU_PTE_FRAME) {
		vgpu_frame_put(&mmu->frames, vgpu_pte_number(*pte));
		clearing->frames++;
	}
	*pte = 0;
}

/*
 * Clear [first, last] in *at, a table of @level that @memory pays for, as far as clearing->left
 * goes; *at becomes NULL when nothing is left in it.
 */
static void clear_table(struct vgpu_mmu *mmu, struct vgpu_mem_account *memory, union table **at,
			int level, u64 first, u64 last, struct vgpu_pte_clearing *clearing)
{
	u64 span = 1ull << shift_of(level);
	u32 from = index_of(first, level);
	u32 to = index_of(last, level);
	union table *t = *at;
	u32 i;

	for (i = from; i <= to && clearing->left; i++) {
		u64 low = i == from ? first : (first & ~(span - 1)) + (i - from) * span;
		u64 high = i == to ? last : (low & ~(span - 1)) + span - 1;

		if (level) {
			if (t->below[i])
				clear_table(mmu, memory, &t->below[i], level - 1, low, high,
					    clearing);
		} else if (t->pte[i]) {
			clear_entry(mmu, &t->pte[i], clearing);
		}
	}
	use_up(&clearing->left, TABLE_ENTRIES);
	if (is_empty(t)) {
		drop_table(mmu, memory, t);
		*at = NULL;
	}
}

void vgpu_pte_clear(struct vgpu_mmu *mmu, struct vgpu_page_table *table, u64 address, u64 bytes,
		    struct vgpu_pte_clearing *clearing)
{
	if (table->root && bytes)
		clear_table(mmu, table->memory, (union table **)&table->root, LEVELS - 1, address,
			    address + bytes - 1, clearing);
}
