/* SPDX-License-Identifier: MIT */
/*
 * The random driver's views of managed memory: mapped over each other, moved, protected, and read
 * and written by system calls, which get an error where there is nothing. And pages of its own
 * memory, which kernels use, go.
 */
#ifndef RANDOM_MANAGED_H
#define RANDOM_MANAGED_H

#include <sys/uio.h>

#include "random.h"

static uint8_t *some_view(struct thread *t)
{
	return t->process->views + pick(t, VIEW_PAGES) * PAGE;
}

static void view_access(struct thread *t)
{
	static const char zeros[2 * PAGE];
	char text[2 * PAGE];
	struct iovec here = { text, 1 + pick(t, sizeof(text) - 1) };
	struct iovec there = { some_view(t) + pick(t, PAGE), here.iov_len };

	if (pick(t, 2)) {
		here.iov_base = (void *)(uintptr_t)zeros;
		process_vm_writev(getpid(), &here, 1, &there, 1, 0);
	} else {
		process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	}
}

static void random_managed(struct thread *t)
{
	static const int advice[] = { MADV_DONTNEED, MADV_WILLNEED, MADV_REMOVE, MADV_DOFORK };
	static const int prots[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_WRITE };
	uint8_t *view = some_view(t), *own = t->process->arena + pick(t, DATA_PAGES - 4) * PAGE;
	uint64_t bytes = PAGE * (1 + pick(t, 4));

	switch (pick(t, 18)) {
	case 0:
	case 1:
	case 2:
		managed_view(some_file(t), view, some_device_address(t) & ~(PAGE - 1), bytes,
			     prots[1 + pick(t, 3)]);
		return;
	case 3: madvise(view, bytes, advice[pick(t, ARRAY_SIZE(advice))]); return;
	case 4: mprotect(view, bytes, prots[pick(t, ARRAY_SIZE(prots))]); return;
	case 5:
		mremap(view, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, some_view(t));
		return;
	case 6: munmap(view, bytes); return;
	case 7: madvise(own, bytes, MADV_DONTNEED); return;
	case 8: madvise(own, bytes, MADV_PAGEOUT); return;
	default: view_access(t);
	}
}

#endif
