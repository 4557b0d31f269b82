// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading: module parameters become a configuration, configurations become devices, devices get their
 * nodes: /dev/vgpu0 … and /dev/vgpu for device 0. A parameter that makes no sense refuses the load with a line that says
 * what would be right.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cdev.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "kvgpu.h"

static char *preset = "k20c";
module_param(preset, charp, 0444);
MODULE_PARM_DESC(preset, "shape of the devices: k20c (default), tanasic-ch6, gtx980");

static unsigned int devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "number of devices, 1 to 16");

static unsigned int vram_mb;
module_param(vram_mb, uint, 0444);
MODULE_PARM_DESC(vram_mb, "memory of a device in MiB; default: the preset's, at most half of this machine's");

static char *set = "";
module_param(set, charp, 0444);
MODULE_PARM_DESC(set, "fields of the configuration: field=value,field=value");

unsigned int kvgpu_trace_records = 1u << 19;
module_param_named(trace_records, kvgpu_trace_records, uint, 0444);
MODULE_PARM_DESC(trace_records, "room of the trace ring in records of 48 bytes, a power of two");

/* The last minor is /dev/vgpu. */
#define MINORS		(KVGPU_DEVICES_MAX + 1)
#define MINOR_DEFAULT	KVGPU_DEVICES_MAX

static dev_t first_devt;
static struct cdev cdev;
static struct class *class;
static struct device *default_node;
static struct kvgpu_dev *kdevs[KVGPU_DEVICES_MAX];

struct kvgpu_dev *kvgpu_dev_by_minor(unsigned int minor)
{
	minor -= MINOR(first_devt);
	if (minor == MINOR_DEFAULT)
		minor = 0;
	return minor < devices ? kdevs[minor] : NULL;
}

/* ---- configuration ------------------------------------------------------------------------------------------- */

static void refuse_preset(void)
{
	char known[128] = "";
	const char *name;
	unsigned int i;

	for (i = 0; (name = vgpu_config_preset_name(i)); i++) {
		strlcat(known, " ", sizeof(known));
		strlcat(known, name, sizeof(known));
	}
	pr_err("preset \"%s\" is not known; it is one of:%s\n", preset, known);
}

/* The fields of set=, one by one. */
static int config_fields(struct vgpu_config *config)
{
	char *copy = kstrdup(set, GFP_KERNEL);
	char *rest = copy, *field, *value;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	while (!ret && (field = strsep(&rest, ",")) != NULL) {
		if (!*field)
			continue;
		value = strchr(field, '=');
		if (!value) {
			pr_err("set: \"%s\" is not of the form field=value\n", field);
			ret = -EINVAL;
			break;
		}
		*value++ = 0;
		ret = vgpu_config_set(config, field, value);
		if (ret == -ENOENT)
			pr_err("set: the configuration has no field \"%s\"; struct vgpu_config lists them\n", field);
		else if (ret)
			pr_err("set: field \"%s\" does not take \"%s\"; a decimal number or a name it knows\n", field,
			       value);
	}
	kfree(copy);
	return ret;
}

static int config_vram(struct vgpu_config *config, u64 of_preset)
{
	u64 machine = (u64)totalram_pages() << PAGE_SHIFT;
	u64 half = round_down(machine / 2, 1u << 20);

	if (vram_mb)
		config->vram_bytes = (u64)vram_mb << 20;
	if (config->vram_bytes == of_preset && !vram_mb && of_preset > half) {
		config->vram_bytes = half;
		pr_info("devices have %llu MiB of memory, half of this machine's, instead of the %llu of preset %s\n",
			half >> 20, of_preset >> 20, preset);
	}
	if (config->vram_bytes > machine) {
		pr_err("%llu MiB of device memory do not fit; this machine has %llu\n", config->vram_bytes >> 20,
		       machine >> 20);
		return -EINVAL;
	}
	return 0;
}

static int config_make(struct vgpu_config *config)
{
	const char *wrong;
	u64 of_preset;
	int ret;

	if (!devices || devices > KVGPU_DEVICES_MAX) {
		pr_err("devices=%u is out of range; it is 1 to %u\n", devices, KVGPU_DEVICES_MAX);
		return -EINVAL;
	}
	if (!is_power_of_2(kvgpu_trace_records) || kvgpu_trace_records > 1u << 24) {
		pr_err("trace_records=%u is not a power of two up to %u\n", kvgpu_trace_records, 1u << 24);
		return -EINVAL;
	}
	ret = vgpu_config_preset(config, preset);
	if (ret) {
		refuse_preset();
		return -EINVAL;
	}
	of_preset = config->vram_bytes;
	ret = config_fields(config);
	if (ret)
		return ret == -ENOMEM ? ret : -EINVAL;
	ret = config_vram(config, of_preset);
	if (ret)
		return ret;
	wrong = vgpu_config_check(config);
	if (wrong) {
		pr_err("this configuration makes no device: %s\n", wrong);
		return -EINVAL;
	}
	return 0;
}

/* ---- nodes --------------------------------------------------------------------------------------------------- */

static char *devnode(KVGPU_DEVNODE_CONST struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0666;
	return NULL;
}

static int nodes_create(void)
{
	unsigned int i;

	for (i = 0; i < devices; i++) {
		struct kvgpu_dev *kdev = kdevs[i];

		kdev->dev = device_create_with_groups(class, NULL, first_devt + i, kdev, kdev->groups, "%s", kdev->name);
		if (IS_ERR(kdev->dev))
			return PTR_ERR(kdev->dev);
		if (kvgpu_contexts_add(kdev))
			return -ENOMEM;
		kvgpu_trace_add(kdev);
	}
	default_node = device_create(class, NULL, first_devt + MINOR_DEFAULT, NULL, "vgpu");
	return PTR_ERR_OR_ZERO(default_node);
}

static void nodes_remove(void)
{
	unsigned int i;

	if (!IS_ERR_OR_NULL(default_node))
		device_unregister(default_node);
	for (i = 0; i < devices; i++) {
		if (!kdevs[i] || IS_ERR_OR_NULL(kdevs[i]->dev))
			continue;
		kvgpu_trace_remove(kdevs[i]);
		kvgpu_contexts_remove(kdevs[i]);
		/* returns when nobody is inside an attribute any more */
		device_unregister(kdevs[i]->dev);
	}
}

static void devices_destroy(void)
{
	unsigned int i;

	for (i = 0; i < devices; i++)
		if (kdevs[i])
			kvgpu_dev_destroy(kdevs[i]);
}

static int devices_create(const struct vgpu_config *config)
{
	unsigned int i;

	for (i = 0; i < devices; i++) {
		struct kvgpu_dev *kdev = kvgpu_dev_create(i, config);

		if (IS_ERR(kdev)) {
			devices_destroy();
			return PTR_ERR(kdev);
		}
		kdevs[i] = kdev;
	}
	return 0;
}

static int __init kvgpu_init(void)
{
	struct vgpu_config config;
	int ret;

	ret = config_make(&config);
	if (ret)
		return ret;
	ret = kvgpu_memory_init();
	if (ret)
		return ret;
	ret = devices_create(&config);
	if (ret)
		goto memory;
	ret = alloc_chrdev_region(&first_devt, 0, MINORS, "vgpu");
	if (ret)
		goto destroy;
	class = kvgpu_class_create("vgpu");
	if (IS_ERR(class)) {
		ret = PTR_ERR(class);
		goto region;
	}
	class->devnode = devnode;
	kvgpu_trace_init();
	cdev_init(&cdev, &kvgpu_fops);
	cdev.owner = THIS_MODULE;
	ret = cdev_add(&cdev, first_devt, MINORS);
	if (ret)
		goto class;
	ret = nodes_create();
	if (ret)
		goto nodes;
	pr_info("%u device%s, preset %s, %u SMs, %llu MiB\n", devices, devices == 1 ? "" : "s", config.name, config.sms,
		config.vram_bytes >> 20);
	return 0;
nodes:
	nodes_remove();
	cdev_del(&cdev);
class:
	kvgpu_trace_exit();
	class_destroy(class);
region:
	unregister_chrdev_region(first_devt, MINORS);
destroy:
	devices_destroy();
memory:
	kvgpu_memory_exit();
	return ret;
}

static void __exit kvgpu_exit(void)
{
	nodes_remove();
	cdev_del(&cdev);
	kvgpu_trace_exit();
	class_destroy(class);
	unregister_chrdev_region(first_devt, MINORS);
	devices_destroy();
	kvgpu_memory_exit();
}

module_init(kvgpu_init);
module_exit(kvgpu_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A GPU that many programs share, with no GPU in the machine");
