/* SPDX-License-Identifier: MIT */
/*
 * Functions of the process in streams of an embedded device (VGPU_CMD_HOST), and who waits for
 * what. Virtual time has to stand while one runs, or it would depend on how fast the host is; it
 * must not stand for long, as the function may wait for what the device does. So whoever runs the
 * device waits for a function that is due, for VGPU_HOST_PATIENCE_NS of real time at most; a
 * function that returns by then has taken no virtual time.
 *
 * In the same way the thread that is to call a function leaves the device to the program's threads,
 * until none of them has run it for as long.
 *
 * All but _now() are called with the device's lock held, which a wait gives up meanwhile.
 */
#ifndef VGPU_EMBEDDED_HOST_H
#define VGPU_EMBEDDED_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define VGPU_HOST_PATIENCE_NS	20000000
#define VGPU_HOST_TURN_NS	10000000

/**
 * struct vgpu_host_calls - @pending: HOST commands that nobody has called done
 * @late: one took longer than patience lasts; until the next is done
 * @alone: the program's threads do not run the device
 */
struct vgpu_host_calls {
	pthread_mutex_t *lock;
	pthread_cond_t due, done;
	uint64_t pending;
	bool late;
	bool alone;
};

void vgpu_host_calls_init(struct vgpu_host_calls *calls, pthread_mutex_t *lock);
/* Wait until one is done. False: patience is over. */
bool vgpu_host_calls_patience(struct vgpu_host_calls *calls);
/* The device has nothing to do: wait until one is done, but not for long. */
void vgpu_host_calls_doze(struct vgpu_host_calls *calls);
/* Wait until one may be due, or patience is over and the caller is alone. */
void vgpu_host_calls_wait_due(struct vgpu_host_calls *calls);
/* One may be due, or the context is dead. */
void vgpu_host_calls_due(struct vgpu_host_calls *calls);
void vgpu_host_calls_done(struct vgpu_host_calls *calls);
/* Real time, nanoseconds */
int64_t vgpu_host_calls_now(void);

#endif
