/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The roof: puts devices and open files together from what the rooms below have, and knows them
 * all.
 */
#ifndef KVGPU_DEVICE_H
#define KVGPU_DEVICE_H

#include "kmod/windows/windows.h"

#define KVGPU_PRESET	"v100"		/* of a device for which nobody names one */

/* ---- system.c: devices on one clock, and their actor -------------------- */

/**
 * kvgpu_system_get - a reference to the system called @name, made if there is none; or to a new one
 * that has no name, for one device
 * @name: one that kvgpu_system_check_name() takes, or empty
 * @device: names the actor of a system without a name
 */
struct kvgpu_system *kvgpu_system_get(const char *name, const char *device);
void kvgpu_system_put(struct kvgpu_system *system);
/* -EINVAL, and a line in the log: not up to 15 of letters, digits, "-", "_", "." */
int kvgpu_system_check_name(const char *name);

/* ---- device.c: a device ------------------------------------------------- */

struct kvgpu_dev *kvgpu_dev_create(unsigned int index, const struct vgpu_config *config,
				   const char *system);

/** struct kvgpu_timeout - of a device: kernels that keep others out (system.c) */
struct kvgpu_timeout {
	u64 look;			/* actor: ktime_get_ns() of the next look */
	u64 since;			/* actor: it was first seen to keep others out, … */
	u32 launch;			/* … this kernel; 0: none */
};

/* ---- file.c: open files ------------------------------------------------- */

extern const struct file_operations kvgpu_fops;

/* ---- devices.c: devices and their nodes --------------------------------- */

int kvgpu_devices_init(void);
/* From now on their nodes can be opened, and no longer. */
int kvgpu_devices_open(void);
void kvgpu_devices_close(void);
/* Removes all of them; no file is open. */
void kvgpu_devices_exit(void);
/*
 * Make device @config in @system (empty: one of its own) under the lowest free number, with its
 * nodes. -ENOSPC: KVGPU_DEVICES_MAX are there.
 */
int kvgpu_dev_add(const struct vgpu_config *config, const char *system, struct kvgpu_dev **out);
/* Take it out: nobody finds it any more. -EBUSY: files are open on it, unless @in_use_too. */
int kvgpu_dev_remove(struct kvgpu_dev *kdev, bool in_use_too);
/* A reference to the device that a node stands for; NULL: there is none. */
struct kvgpu_dev *kvgpu_dev_get_minor(unsigned int minor);

/* ---- main.c, configfs.c ------------------------------------------------- */

/* At most half of this machine's memory becomes the device's, unless somebody asks for more. */
void kvgpu_config_vram(struct vgpu_config *config);
/* vgpu_config_check(), for a device on this machine */
const char *kvgpu_config_check(const struct vgpu_config *config);
/* Say which presets there are. */
void kvgpu_refuse_preset(const char *name_given);
int kvgpu_configfs_init(void);
/* From now on folders can be made. */
void kvgpu_configfs_open(void);
void kvgpu_configfs_exit(void);

#endif
