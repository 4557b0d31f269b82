/* SPDX-License-Identifier: MIT */
/*
 * vgpu-top: keys.
 */
#ifndef KEYS_H
#define KEYS_H

#include "top.h"

#define KEYS	"q quit  p policy  m preemption  t transfer  up/down, +- priority  s sort  v SMs"

/* Do what key @pressed asks for; false: quit. */
bool key(struct client *client, struct state *state, int pressed);

#endif
