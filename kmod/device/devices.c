// SPDX-License-Identifier: GPL-2.0-only
/*
 * The devices there are, by number, and their nodes: /dev/vgpu0 … and /dev/vgpu for device 0.
 * Devices come with the module (main.c) or later (configfs.c). One that is removed has no name any
 * more and nobody finds it; it ends when the last file that is open on it is closed.
 */
#include <linux/cdev.h>
#include <linux/module.h>

#include "kmod/device/device.h"

/* The last minor is /dev/vgpu. */
#define MINORS		(KVGPU_DEVICES_MAX + 1)
#define MINOR_DEFAULT	KVGPU_DEVICES_MAX

static dev_t first_devt;
static struct cdev cdev;
static struct class *class;
static struct device *default_node;

struct kvgpu_dev *kvgpu_dev_get_minor(unsigned int minor)
{
	minor -= MINOR(first_devt);
	return kvgpu_dev_get(minor == MINOR_DEFAULT ? 0 : minor);
}

/* ---- coming and going --------------------------------------------------- */

static int node_add(struct kvgpu_dev *kdev)
{
	int ret;

	kdev->sysfs->dev = device_create_with_groups(class, NULL, first_devt + kdev->index, kdev,
						     kvgpu_device_groups, "%s", kdev->name);
	if (IS_ERR(kdev->sysfs->dev))
		return PTR_ERR(kdev->sysfs->dev);
	ret = kvgpu_sms_add(kdev);
	if (ret)
		goto unregister;
	ret = kvgpu_contexts_add(kdev);
	if (ret)
		goto remove_sms;
	kvgpu_trace_add(kdev);
	return 0;

remove_sms:
	kvgpu_sms_remove(kdev);
unregister:
	device_unregister(kdev->sysfs->dev);
	return ret;
}

static int add_locked(const struct vgpu_config *config, const char *system, struct kvgpu_dev **out)
{
	struct kvgpu_dev *kdev;
	unsigned int index;
	int ret;

	for (index = 0; index < KVGPU_DEVICES_MAX && kvgpu_devices[index]; index++)
		;
	if (index == KVGPU_DEVICES_MAX)
		return -ENOSPC;
	kdev = kvgpu_dev_create(index, config, system);
	if (IS_ERR(kdev))
		return PTR_ERR(kdev);
	ret = node_add(kdev);
	if (ret) {
		kvgpu_dev_put(kdev);
		return ret;
	}
	kvgpu_devices[index] = kdev;
	kvgpu_notices_start(kdev);
	*out = kdev;
	return 0;
}

int kvgpu_dev_add(const struct vgpu_config *config, const char *system, struct kvgpu_dev **out)
{
	int ret;

	mutex_lock(&kvgpu_devices_lock);
	ret = add_locked(config, system, out);
	mutex_unlock(&kvgpu_devices_lock);
	return ret;
}

int kvgpu_dev_remove(struct kvgpu_dev *kdev, bool in_use_too)
{
	mutex_lock(&kvgpu_devices_lock);
	if (!in_use_too && kref_read(&kdev->ref) > 1) {
		mutex_unlock(&kvgpu_devices_lock);
		return -EBUSY;
	}
	kvgpu_devices[kdev->index] = NULL;
	kvgpu_notices_stop(kdev);
	kvgpu_trace_remove(kdev);
	kvgpu_contexts_remove(kdev);
	kvgpu_sms_remove(kdev);
	/*
	 * returns when nobody is inside an attribute any more; under lock, so that the name is free
	 * when the number is
	 */
	device_unregister(kdev->sysfs->dev);
	mutex_unlock(&kvgpu_devices_lock);
	kvgpu_dev_put(kdev);
	return 0;
}

/* ---- the module --------------------------------------------------------- */

static char *devnode(KVGPU_DEVNODE_CONST struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0666;
	return NULL;
}

int kvgpu_devices_init(void)
{
	int ret;

	ret = alloc_chrdev_region(&first_devt, 0, MINORS, "vgpu");
	if (ret)
		return ret;
	class = kvgpu_class_create("vgpu");
	if (IS_ERR(class)) {
		ret = PTR_ERR(class);
		goto region;
	}
	class->devnode = devnode;
	default_node = device_create(class, NULL, first_devt + MINOR_DEFAULT, NULL, "vgpu");
	if (!IS_ERR(default_node))
		return 0;
	ret = PTR_ERR(default_node);
	class_destroy(class);
region:
	unregister_chrdev_region(first_devt, MINORS);
	return ret;
}

int kvgpu_devices_open(void)
{
	cdev_init(&cdev, &kvgpu_fops);
	cdev.owner = THIS_MODULE;
	return cdev_add(&cdev, first_devt, MINORS);
}

void kvgpu_devices_close(void)
{
	cdev_del(&cdev);
}

void kvgpu_devices_exit(void)
{
	unsigned int i;

	for (i = 0; i < KVGPU_DEVICES_MAX; i++)
		if (kvgpu_devices[i])
			kvgpu_dev_remove(kvgpu_devices[i], true);
	device_unregister(default_node);
	class_destroy(class);
	unregister_chrdev_region(first_devt, MINORS);
}
