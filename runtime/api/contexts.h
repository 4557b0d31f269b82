/* SPDX-License-Identifier: MIT */
/*
 * Contexts of a device beside its primary one, for a front end that has such (cuCtxCreate): each is
 * a connection to the device of its own, with its own addresses, handles and fate. And their ends,
 * also the primary one's (vgpuDeviceReset).
 *
 * DOC: Addresses
 *
 * All contexts of a process have different addresses, as with unified addressing: each allocates in
 * a range of its own, which is reserved for as long as the process runs, so an address says which
 * context it is of (rt_owner()). One of a context that was destroyed is of none, until a later one
 * has its range.
 *
 * A struct rt_state is never freed. One of a context that was closed serves a later one, when no
 * thread has it any more.
 *
 * No function wants the lock held.
 */
#ifndef VGPU_RT_CONTEXTS_H
#define VGPU_RT_CONTEXTS_H

#include "state.h"

/*
 * Opens one more context of @device; @front, not NULL, is what the caller calls it. The thread's is
 * not changed. vgpuErrorMemoryAllocation: the device, or the process, can have no more.
 */
vgpuError_t rt_context_open(int device, void *front, struct rt_state **out);
/*
 * Waits for its work and closes it, with all that is in it. Calls for which it is current get
 * vgpuErrorContextIsDestroyed from now on.
 */
void rt_context_close(struct rt_state *state);
/* It is closed, and no thread has it any more. */
void rt_context_forget(struct rt_state *state);
/*
 * Closes the primary context of @device if nothing is in it: it was opened for a question, and is
 * opened again when it is needed.
 */
void rt_primary_leave(int device);

#endif
