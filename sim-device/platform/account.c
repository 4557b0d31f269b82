// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Accounts: memory of the model that belongs to a context. The same in the kernel and in user
 * space; where the bytes come from, the platform decides.
 */
#include "../platform.h"

int vgpu_mem_charge(struct vgpu_mem_account *account, u64 bytes)
{
	if (account->budget &&
	    (bytes > account->budget || account->bytes > account->budget - bytes))
		return -ENOMEM;
	account->bytes += bytes;
	return 0;
}

void vgpu_mem_uncharge(struct vgpu_mem_account *account, u64 bytes)
{
	VGPU_CHECK(account->bytes >= bytes);
	account->bytes -= bytes;
}

void *vgpu_mem_alloc(struct vgpu_mem_account *account, size_t bytes)
{
	void *memory;

	if (vgpu_mem_charge(account, bytes))
		return NULL;
	memory = vgpu_platform_alloc(account->payer, bytes);
	if (!memory)
		vgpu_mem_uncharge(account, bytes);
	return memory;
}

void vgpu_mem_free(struct vgpu_mem_account *account, void *memory, size_t bytes)
{
	if (!memory)
		return;
	vgpu_platform_free(memory, bytes);
	vgpu_mem_uncharge(account, bytes);
}
