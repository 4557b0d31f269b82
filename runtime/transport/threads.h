/* SPDX-License-Identifier: MIT */
/*
 * Threads that execute what a device may do on several processors at a time:
 * vgpu_host_ops.parallel, .turn, .lock and .unlock. VGPU_THREADS says how many, with the one that
 * drives the device.
 */
#ifndef VGPU_THREADS_H
#define VGPU_THREADS_H

#include <stddef.h>
#include <stdint.h>

struct vgpu_threads;

/*
 * What the environment asks for: *@out, NULL: one thread, which needs nothing. -EINVAL:
 * VGPU_THREADS is no number from 1 to 64; -ENOMEM, -EAGAIN: there are no threads. @message says so.
 */
int vgpu_threads_create(struct vgpu_threads **out, char *message, size_t size);
/* NULL: a no-op. Nothing runs. */
void vgpu_threads_destroy(struct vgpu_threads *threads);

/* As vgpu_host_ops.parallel. One caller at a time. */
void vgpu_threads_run(struct vgpu_threads *threads, void (*run)(void *arg, uint32_t n),
		      void (*end)(void *arg, uint32_t n), void *arg, uint32_t count);
/* As vgpu_host_ops.turn, .lock and .unlock */
void vgpu_threads_turn(struct vgpu_threads *threads, uint32_t n);
void vgpu_threads_lock(struct vgpu_threads *threads);
void vgpu_threads_unlock(struct vgpu_threads *threads);

#endif
