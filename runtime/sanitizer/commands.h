/* SPDX-License-Identifier: MIT */
/*
 * Commands of the program, as the transport before the embedded one sees them (commands.c), and
 * what it tells the core.
 */
#ifndef VGPU_SANITIZER_COMMANDS_H
#define VGPU_SANITIZER_COMMANDS_H

#include "tool.h"

/* The mutex of the sanitizer. */
void san_lock(void);
void san_unlock(void);

/* The number of the device that has this host (embedded_device.h), from 0. */
u32 san_device_of(const void *host);

/* To the tools; the first two with the mutex held, the third takes it. */
void san_command_begin(const struct san_command *command);
void san_command_end(const struct san_command *command);
void san_host_knows(u32 device, u32 queue, u64 seq);

#endif
