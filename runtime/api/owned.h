/* SPDX-License-Identifier: MIT */
/*
 * What belongs to a part of the program that a front end knows (a context of the driver API), and
 * is to be freed with it. Here, and not in the front end, because what one makes another one may
 * free, and its address may be that of something else next.
 *
 * All functions are called with the lock held.
 */
#ifndef VGPU_RT_OWNED_H
#define VGPU_RT_OWNED_H

#include "state.h"

enum rt_owned { RT_OWNED_MEMORY, RT_OWNED_STREAM, RT_OWNED_EVENT, RT_OWNED_MODULE };

/* @handle, of the current device, belongs to @owner. Without memory for that it does not. */
void rt_own(enum rt_owned kind, const void *handle, const void *owner);
/* It is gone. */
void rt_disown(enum rt_owned kind, const void *handle);
/* Whom it belongs to; NULL: nobody. */
const void *rt_owned_by(enum rt_owned kind, const void *handle);
/* Something that belonged to @owner, and does not any more; NULL: there is nothing. */
const void *rt_owned_take(const void *owner, enum rt_owned *kind);
/* All of the current device is gone. */
void rt_owned_reset(void);

#endif
