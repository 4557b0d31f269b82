/* SPDX-License-Identifier: MIT */
/*
 * What the environment says of embedded devices: VGPU_PRESET (several presets: several devices),
 * VGPU_VRAM, VGPU_SET, VGPU_PRIORITIES. Each failure is explained in @message, one line
 * for a person.
 */
#ifndef VGPU_EMBEDDED_CONFIG_H
#define VGPU_EMBEDDED_CONFIG_H

#include <stddef.h>

#include "vgpu_device.h"

/* The configuration of device @index. -EINVAL: a variable has a value that makes no sense. */
int vgpu_embedded_configure(unsigned int index, struct vgpu_config *config, char *message,
			    size_t size);

/* Apply the knobs among the settings of VGPU_SET to a new device. -EINVAL: there is no such key, or
 * the knob does not take the value. */
int vgpu_embedded_set_knobs(struct vgpu_device *device, char *message, size_t size);

/* *@priority: of the @n-th context of a device, 0: the first. -EINVAL: VGPU_PRIORITIES makes no
 * sense. */
int vgpu_embedded_priority(unsigned int n, s32 *priority, char *message, size_t size);

#endif
