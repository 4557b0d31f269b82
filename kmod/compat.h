/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels this module is built for (6.1 to 6.12), and nothing else: every other file is
 * written against the newest of them.
 */
#ifndef KVGPU_COMPAT_H
#define KVGPU_COMPAT_H

#include <linux/version.h>
#include <linux/device.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define kvgpu_class_create(name)	class_create(THIS_MODULE, name)
#else
#define kvgpu_class_create(name)	class_create(name)
#endif

/* struct class's devnode callback: its device became const */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define KVGPU_DEVNODE_CONST
#else
#define KVGPU_DEVNODE_CONST	const
#endif

#endif
