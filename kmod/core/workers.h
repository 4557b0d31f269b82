/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads of the module that execute batches (batch.h) with the actors, for contexts whose own
 * threads do something else meanwhile.
 */
#ifndef KVGPU_WORKERS_H
#define KVGPU_WORKERS_H

#define KVGPU_WORKERS_MOST	64u

/* Before the first device is made. -ENOMEM, -EINTR: there are none. */
int kvgpu_workers_start(unsigned int count);
/* No device is left. */
void kvgpu_workers_stop(void);
/* How many there are: the same from kvgpu_workers_start() to kvgpu_workers_stop(). */
unsigned int kvgpu_workers_number(void);
/* There is a batch for them, of which @most have something to execute. */
void kvgpu_workers_wake(u32 most);

#endif
