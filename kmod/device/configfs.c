// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices on demand, in the manner of gpio-sim: mkdir /sys/kernel/config/vgpu/NAME, choose a preset
 * or single fields of the configuration, echo 1 > live. A folder is one device; its fields can be
 * written while it is not live. rmdir removes the device too: files that are open on it go on until
 * they are closed.
 *
 * configfs tells an attribute's functions nothing of the attribute, so each field of the
 * configuration has a pair of its own, made from the list of fields (sim-device/vgpu_config.h).
 */
#include <linux/configfs.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "kmod/device/device.h"

/** struct cfs_device - a folder */
struct cfs_device {
	struct config_group group;
	struct mutex lock;
	struct vgpu_config config;
	char system[KVGPU_SYSTEM_NAME_MAX];
	struct kvgpu_dev *kdev;		/* NULL: not live */
};

static struct cfs_device *of_item(struct config_item *item)
{
	return container_of(to_config_group(item), struct cfs_device, group);
}

/* ---- fields of the configuration ---------------------------------------- */

static ssize_t field_show(struct config_item *item, const char *field, char *text)
{
	struct cfs_device *cfs = of_item(item);
	int ret;

	mutex_lock(&cfs->lock);
	ret = vgpu_config_get(&cfs->config, field, text, PAGE_SIZE - 1);
	mutex_unlock(&cfs->lock);
	return ret < 0 ? ret : ret + sysfs_emit_at(text, ret, "\n");
}

/* Have @set change what the next device is made from. -EBUSY: one is live. */
static ssize_t cfs_store(struct config_item *item, const char *field, const char *text,
			 size_t count,
			 int (*set)(struct cfs_device *cfs, const char *field, const char *value))
{
	struct cfs_device *cfs = of_item(item);
	char *copy = kmemdup_nul(text, count, GFP_KERNEL);
	int ret = -EBUSY;

	if (!copy)
		return -ENOMEM;
	mutex_lock(&cfs->lock);
	if (!cfs->kdev)
		ret = set(cfs, field, strim(copy));
	mutex_unlock(&cfs->lock);
	kfree(copy);
	return ret ? ret : count;
}

static int set_field(struct cfs_device *cfs, const char *field, const char *value)
{
	int ret = vgpu_config_set(&cfs->config, field, value);

	if (ret == -EINVAL)
		pr_notice("vgpu: %s/%s does not take \"%.40s\"; a number or a name\n",
			  config_item_name(&cfs->group.cg_item), field, value);
	return ret;
}

static ssize_t field_store(struct config_item *item, const char *field, const char *text,
			   size_t count)
{
	return cfs_store(item, field, text, count, set_field);
}

/* A pair of functions, and an attribute, for each line of VGPU_CONFIG_FIELDS. */
#define FIELD_FUNCTIONS(id, name)								\
	static ssize_t field_##id##_show(struct config_item *item, char *text)			\
	{											\
		return field_show(item, name, text);						\
	}											\
	static ssize_t field_##id##_store(struct config_item *item, const char *text,		\
					  size_t count)						\
	{											\
		return field_store(item, name, text, count);					\
	}
#define FUNCTIONS(type, name, least, most) FIELD_FUNCTIONS(name, #name)
#define ELEMENT_FUNCTIONS(type, name, index, least, most)					\
	FIELD_FUNCTIONS(name##_##index, #name "[" #index "]")
#define ARRAY_FUNCTIONS(type, name, elements, least, most)					\
	VGPU_CONFIG_EACH_##elements(ELEMENT_FUNCTIONS, type, name, least, most)
#define NAME_FUNCTIONS(name) FIELD_FUNCTIONS(name, #name)
VGPU_CONFIG_FIELDS(FUNCTIONS, ARRAY_FUNCTIONS, NAME_FUNCTIONS)

#define FIELD_ATTR(id, name)									\
	{ name, THIS_MODULE, 0644, .show = field_##id##_show, .store = field_##id##_store },
#define ATTR(type, name, least, most) FIELD_ATTR(name, #name)
#define ELEMENT_ATTR(type, name, index, least, most)						\
	FIELD_ATTR(name##_##index, #name "[" #index "]")
#define ARRAY_ATTR(type, name, elements, least, most)						\
	VGPU_CONFIG_EACH_##elements(ELEMENT_ATTR, type, name, least, most)
#define NAME_ATTR(name) FIELD_ATTR(name, #name)
static struct configfs_attribute fields[] = { VGPU_CONFIG_FIELDS(ATTR, ARRAY_ATTR, NAME_ATTR) };

/* ---- preset, system, live, dev_name ------------------------------------- */

static ssize_t preset_show(struct config_item *item, char *text)
{
	return field_show(item, "name", text);
}

static int set_preset(struct cfs_device *cfs, const char *field, const char *value)
{
	if (vgpu_config_preset(&cfs->config, value)) {
		kvgpu_refuse_preset(value);
		return -EINVAL;
	}
	kvgpu_config_vram(&cfs->config);
	return 0;
}

/* Everything becomes the preset's: single fields are written after it. */
static ssize_t preset_store(struct config_item *item, const char *text, size_t count)
{
	return cfs_store(item, NULL, text, count, set_preset);
}
CONFIGFS_ATTR(, preset);

static ssize_t system_show(struct config_item *item, char *text)
{
	struct cfs_device *cfs = of_item(item);
	ssize_t length;

	mutex_lock(&cfs->lock);
	length = sysfs_emit(text, "%s\n", cfs->system);
	mutex_unlock(&cfs->lock);
	return length;
}

static int set_system(struct cfs_device *cfs, const char *field, const char *value)
{
	int ret = kvgpu_system_check_name(value);

	if (!ret)
		strscpy(cfs->system, value, sizeof(cfs->system));
	return ret;
}

/* Devices with one name here share one clock; an empty line: a clock of its own. */
static ssize_t system_store(struct config_item *item, const char *text, size_t count)
{
	return cfs_store(item, NULL, text, count, set_system);
}
CONFIGFS_ATTR(, system);

static ssize_t live_show(struct config_item *item, char *text)
{
	return sysfs_emit(text, "%d\n", !!READ_ONCE(of_item(item)->kdev));
}

static int go_live(struct cfs_device *cfs, const char *name)
{
	const char *wrong = kvgpu_config_check(&cfs->config);

	if (wrong) {
		pr_notice("vgpu: %s makes no device: %s\n", name, wrong);
		return -EINVAL;
	}
	return kvgpu_dev_add(&cfs->config, cfs->system, &cfs->kdev);
}

static int go_dead(struct cfs_device *cfs)
{
	int ret = kvgpu_dev_remove(cfs->kdev, false);

	if (!ret)
		WRITE_ONCE(cfs->kdev, NULL);
	return ret;
}

static ssize_t live_store(struct config_item *item, const char *text, size_t count)
{
	struct cfs_device *cfs = of_item(item);
	bool live;
	int ret = kstrtobool(text, &live);

	if (ret)
		return ret;
	mutex_lock(&cfs->lock);
	if (live && !cfs->kdev)
		ret = go_live(cfs, config_item_name(item));
	else if (!live && cfs->kdev)
		ret = go_dead(cfs);
	mutex_unlock(&cfs->lock);
	return ret ? ret : count;
}
CONFIGFS_ATTR(, live);

/* "vgpu1"; an empty line while it is not live */
static ssize_t dev_name_show(struct config_item *item, char *text)
{
	struct cfs_device *cfs = of_item(item);
	ssize_t length;

	mutex_lock(&cfs->lock);
	length = sysfs_emit(text, "%s\n", cfs->kdev ? cfs->kdev->name : "");
	mutex_unlock(&cfs->lock);
	return length;
}
CONFIGFS_ATTR_RO(, dev_name);

/* ---- folders ------------------------------------------------------------ */

static void cfs_release(struct config_item *item)
{
	struct cfs_device *cfs = of_item(item);

	if (cfs->kdev)
		kvgpu_dev_remove(cfs->kdev, true);
	mutex_destroy(&cfs->lock);
	kfree(cfs);
}

static struct configfs_item_operations device_ops = { .release = cfs_release };
static struct configfs_attribute *device_attrs[ARRAY_SIZE(fields) + 5];
static const struct config_item_type device_type = {
	.ct_item_ops = &device_ops,
	.ct_attrs = device_attrs,
	.ct_owner = THIS_MODULE,
};

static bool may_make;

static struct config_group *make_device(struct config_group *group, const char *name)
{
	struct cfs_device *cfs;

	if (!READ_ONCE(may_make))
		return ERR_PTR(-EAGAIN);
	cfs = kzalloc(sizeof(*cfs), GFP_KERNEL);
	if (!cfs)
		return ERR_PTR(-ENOMEM);
	mutex_init(&cfs->lock);
	vgpu_config_preset(&cfs->config, KVGPU_PRESET);
	kvgpu_config_vram(&cfs->config);
	config_group_init_type_name(&cfs->group, name, &device_type);
	return &cfs->group;
}

static struct configfs_group_operations vgpu_ops = { .make_group = make_device };
static const struct config_item_type vgpu_type = {
	.ct_group_ops = &vgpu_ops,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem subsystem = {
	.su_group = { .cg_item = { .ci_namebuf = "vgpu", .ci_type = &vgpu_type } },
};

int kvgpu_configfs_init(void)
{
	unsigned int i, count = 0;

	device_attrs[count++] = &attr_preset;
	device_attrs[count++] = &attr_system;
	device_attrs[count++] = &attr_live;
	device_attrs[count++] = &attr_dev_name;
	/* the first is the name of the preset, to be read there */
	for (i = 1; i < ARRAY_SIZE(fields); i++)
		device_attrs[count++] = &fields[i];
	config_group_init(&subsystem.su_group);
	mutex_init(&subsystem.su_mutex);
	return configfs_register_subsystem(&subsystem);
}

void kvgpu_configfs_open(void)
{
	WRITE_ONCE(may_make, true);
}

void kvgpu_configfs_exit(void)
{
	configfs_unregister_subsystem(&subsystem);
}
