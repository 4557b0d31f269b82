/* SPDX-License-Identifier: MIT */
/*
 * Threads that execute what a device may do on several processors at a time:
 * vgpu_host_ops.parallel, .turn, .lock and .unlock. VGPU_THREADS says how many, with the one that
 * drives the device. Where it is not set, they are as many as the process has processors, and are
 * started when there is enough for them to do (busy.h).
 */
#ifndef VGPU_THREADS_H
#define VGPU_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_threads;

/*
 * What the environment asks for, for a device of @sms SMs: *@out, NULL: one thread, which needs
 * nothing. -EINVAL: VGPU_THREADS is no number from 1 to 64; -ENOMEM, -EAGAIN: there are no threads.
 * @message says so.
 */
int vgpu_threads_create(struct vgpu_threads **out, uint32_t sms, char *message, size_t size);
/* NULL: a no-op. Nothing runs. */
void vgpu_threads_destroy(struct vgpu_threads *threads);

/* VGPU_THREADS is not set, and vgpu_threads_start() has not been called. */
bool vgpu_threads_automatic(const struct vgpu_threads *threads);
/*
 * Start them, if it is automatic: as many as vgpu_processors() says, at most one for each SM and
 * 64; fewer where the system has no more. Returns how many there are with the caller, from 1.
 */
uint32_t vgpu_threads_start(struct vgpu_threads *threads);

/* How many have been given to vgpu_threads_run(). */
uint64_t vgpu_threads_batches(const struct vgpu_threads *threads);

/* As vgpu_host_ops.parallel. One caller at a time. */
void vgpu_threads_run(struct vgpu_threads *threads, void (*run)(void *arg, uint32_t n),
		      void (*end)(void *arg, uint32_t n), void *arg, uint32_t count);
/* As vgpu_host_ops.turn, .lock and .unlock */
void vgpu_threads_turn(struct vgpu_threads *threads, uint32_t n);
void vgpu_threads_lock(struct vgpu_threads *threads);
void vgpu_threads_unlock(struct vgpu_threads *threads);

#endif
