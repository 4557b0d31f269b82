/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the files of shared SMs have in common: residents.c, block_dispatch.c, residents_end.c. */
#ifndef VGPU_RESIDENTS_H
#define VGPU_RESIDENTS_H

#include "exec.h"

/* residents.c: the entry of @ksr, a new one if need be: there is room for it */
struct vgpu_sharer *vgpu_sharer_get(struct vgpu_smst *smst, struct vgpu_ksr *ksr);
/* residents.c: it stays in the table while it has blocks, or a part of the SM is kept for it */
void vgpu_sharer_put(struct vgpu_sharer *resident);
/* residents.c: what @smst, with @blocks blocks, has for @ksr: the first decides the size */
struct vgpu_resources vgpu_smst_resources(const struct vgpu_exec *exec,
					  const struct vgpu_smst *smst, u64 blocks,
					  const struct vgpu_ksr *ksr);
/* residents.c: the context of @resident held the SM if @held; does it still? Count it */
void vgpu_sharer_count_holder(struct vgpu_exec *exec, const struct vgpu_sharer *resident,
			      bool held);
/* residents.c: may a block of @entry's kernel, NULL: of a new one, be beside the others? */
bool vgpu_sharer_may_come(const struct vgpu_exec *exec, const struct vgpu_smst *smst,
			  const struct vgpu_sharer *entry);
/* residents.c: the block whose state is being restored now, if it is one of @sharer, or NULL */
const struct vgpu_block *vgpu_sharer_restoring(const struct vgpu_sharer *sharer);
/* block_dispatch.c: a block of @resident gives its part back */
void vgpu_sharer_leave(struct vgpu_exec *exec, struct vgpu_sharer *resident);
/* block_dispatch.c: one that was told to leave does so, or has ended */
void vgpu_sharer_has_left(struct vgpu_sharer *resident);
/* block_dispatch.c: as vgpu_exec_evict(); @by_choice: as the mechanism chooses, else it is saved */
int vgpu_residents_evict_newest(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr,
				bool by_choice);
/* block_dispatch.c: one that was to come does not, or comes now */
void vgpu_sharer_end_promise(struct vgpu_exec *exec, struct vgpu_sharer *resident);
/* block_dispatch.c: none of those that were to come does */
void vgpu_sharer_drop_promises(struct vgpu_exec *exec, struct vgpu_sharer *resident);
/* block_dispatch.c: who was promised room on @sm has it, or the SM is idle; no policy is called */
void vgpu_residents_fill(struct vgpu_exec *exec, u32 sm);

#endif
