// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/vgpu/vgpuN/: what the device is (read-only, anybody) and its knobs (root writes), one value a file. Knobs
 * come from the model by name, so that a new one needs nothing here.
 */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "kvgpu.h"

#define KNOBS_MAX	64u

struct kvgpu_knob {
	struct device_attribute attr;
};

/* ---- knobs --------------------------------------------------------------------------------------------------- */

struct knob_msg {
	struct kvgpu_msg msg;
	const char *knob;
	const char *value;
	char *text;
	size_t room;
};

static int do_knob_get(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct knob_msg *m = container_of(msg, struct knob_msg, msg);

	return vgpu_device_knob_get(kdev->model, m->knob, m->text, m->room);
}

static int do_knob_set(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct knob_msg *m = container_of(msg, struct knob_msg, msg);

	return vgpu_device_knob_set(kdev->model, m->knob, m->value);
}

/* The value as text with a newline; its length or a negative errno. */
static ssize_t knob_text(struct kvgpu_dev *kdev, const char *knob, char *text, size_t room)
{
	struct knob_msg m = { .msg.fn = do_knob_get, .knob = knob, .text = text, .room = room - 1 };
	int ret = kvgpu_post(kdev, &m.msg);

	if (ret < 0)
		return ret;
	text[ret++] = '\n';
	text[ret] = 0;
	return ret;
}

static ssize_t knob_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return knob_text(dev_get_drvdata(dev), attr->attr.name, text, PAGE_SIZE - 1);
}

static ssize_t knob_store(struct device *dev, struct device_attribute *attr, const char *text, size_t count)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	struct knob_msg m = { .msg.fn = do_knob_set, .knob = attr->attr.name };
	char *copy = kmemdup_nul(text, count, GFP_KERNEL);
	char *now;
	int ret;

	if (!copy)
		return -ENOMEM;
	m.value = strim(copy);
	ret = kvgpu_post(kdev, &m.msg);
	if (ret == -EINVAL) {
		now = kzalloc(PAGE_SIZE, GFP_KERNEL);
		if (now && knob_text(kdev, m.knob, now, PAGE_SIZE) > 0)
			pr_notice("vgpu: %s: %s does not take \"%.40s\"; it takes %s: %s", kdev->name, m.knob, m.value,
				  strchr(now, '[') ? "one of these" : "a number, as it is now", now);
		kfree(now);
	}
	kfree(copy);
	return ret ? ret : count;
}

/* ---- what the device is -------------------------------------------------------------------------------------- */

struct info_msg {
	struct kvgpu_msg msg;
	struct vgpu_device_info info;
};

static int do_info(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	vgpu_device_info(kdev->model, &container_of(msg, struct info_msg, msg)->info);
	return 0;
}

#define INFO_ATTR(name_, format, field)								\
static ssize_t name_##_show(struct device *dev, struct device_attribute *attr, char *text)	\
{												\
	struct info_msg m = { .msg.fn = do_info };						\
												\
	kvgpu_post(dev_get_drvdata(dev), &m.msg);						\
	return sysfs_emit(text, format "\n", m.info.field);					\
}												\
static DEVICE_ATTR_RO(name_)

INFO_ATTR(preset, "%s", name);
INFO_ATTR(sms, "%u", sms);
INFO_ATTR(clock_khz, "%u", clock_khz);
INFO_ATTR(hw_queues, "%u", hw_queues);
INFO_ATTR(queues, "%u", queues);
INFO_ATTR(contexts, "%u", contexts);
INFO_ATTR(vram_bytes, "%llu", vram_bytes);
INFO_ATTR(vram_free, "%llu", vram_free);
INFO_ATTR(time_ps, "%llu", time);

static struct attribute *info_attrs[] = {
	&dev_attr_preset.attr,
	&dev_attr_sms.attr,
	&dev_attr_clock_khz.attr,
	&dev_attr_hw_queues.attr,
	&dev_attr_queues.attr,
	&dev_attr_contexts.attr,
	&dev_attr_vram_bytes.attr,
	&dev_attr_vram_free.attr,
	&dev_attr_time_ps.attr,
	NULL
};

static const struct attribute_group info_group = { .attrs = info_attrs };

/* ---- one set of attributes a device -------------------------------------------------------------------------- */

int kvgpu_sysfs_prepare(struct kvgpu_dev *kdev)
{
	struct attribute **attrs;
	unsigned int count = 0, i;

	while (count < KNOBS_MAX && vgpu_device_knob_name(count))
		count++;
	kdev->knobs = kcalloc(count + 1, sizeof(*kdev->knobs), GFP_KERNEL);
	attrs = kcalloc(count + 1, sizeof(*attrs), GFP_KERNEL);
	kdev->knob_group.attrs = attrs;
	if (!kdev->knobs || !attrs) {
		kvgpu_sysfs_free(kdev);
		return -ENOMEM;
	}
	for (i = 0; i < count; i++) {
		struct device_attribute *attr = &kdev->knobs[i].attr;

		sysfs_attr_init(&attr->attr);
		attr->attr.name = vgpu_device_knob_name(i);
		attr->attr.mode = 0644;
		attr->show = knob_show;
		attr->store = knob_store;
		attrs[i] = &attr->attr;
	}
	kdev->groups[0] = &info_group;
	kdev->groups[1] = &kdev->knob_group;
	return 0;
}

void kvgpu_sysfs_free(struct kvgpu_dev *kdev)
{
	kfree(kdev->knob_group.attrs);
	kfree(kdev->knobs);
}
