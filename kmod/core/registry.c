// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of devices, by number. Who puts one there and takes it out is device/devices.c; a
 * device that is not in the table any more ends with its last reference.
 */
#include <linux/nospec.h>

#include "kmod/core/core.h"

struct kvgpu_dev *kvgpu_devices[KVGPU_DEVICES_MAX];
DEFINE_MUTEX(kvgpu_devices_lock);

struct kvgpu_dev *kvgpu_dev_get(unsigned int index)
{
	struct kvgpu_dev *kdev;

	mutex_lock(&kvgpu_devices_lock);
	kdev = index < KVGPU_DEVICES_MAX ?
		       kvgpu_devices[array_index_nospec(index, KVGPU_DEVICES_MAX)] : NULL;
	if (kdev)
		kref_get(&kdev->ref);
	mutex_unlock(&kvgpu_devices_lock);
	return kdev;
}

void kvgpu_dev_put(struct kvgpu_dev *kdev)
{
	kref_put(&kdev->ref, kdev->release);
}
