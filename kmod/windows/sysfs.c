// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/vgpu/vgpuN/: what the device is (read-only, anybody) and its knobs (root writes), one
 * value a file. Knobs come from the model by name, so that a new one needs nothing here.
 */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "kmod/windows/windows.h"

/* Attributes whose names the model knows: knobs, fields of the configuration. */
#define NAMES_MAX	128u

/* ---- knobs -------------------------------------------------------------- */

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

	int ret = vgpu_device_knob_set(kdev->model, m->knob, m->value);

	if (!ret)
		kvgpu_notice_knob(kdev, m->knob, m->value);
	return ret;
}

int kvgpu_knob_get(struct kvgpu_dev *kdev, const char *knob, char *text, size_t room)
{
	struct knob_msg m = { .msg.fn = do_knob_get, .knob = knob, .text = text, .room = room };

	return kvgpu_post(kdev, &m.msg);
}

/* The name that a notice keeps is the model's own. */
static const char *knob_name(const char *knob)
{
	const char *name;
	unsigned int i;

	for (i = 0; (name = vgpu_device_knob_name(i)) && strcmp(name, knob); i++)
		;
	return name;
}

int kvgpu_knob_set(struct kvgpu_dev *kdev, const char *knob, const char *value)
{
	struct knob_msg m = { .msg.fn = do_knob_set, .knob = knob_name(knob), .value = value };

	return m.knob ? kvgpu_post(kdev, &m.msg) : -ENOENT;
}

/* The value as text with a newline; its length or a negative errno. */
static ssize_t knob_text(struct kvgpu_dev *kdev, const char *knob, char *text, size_t room)
{
	int ret = kvgpu_knob_get(kdev, knob, text, room - 1);

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

static ssize_t knob_store(struct device *dev, struct device_attribute *attr, const char *text,
			  size_t count)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	const char *knob = attr->attr.name, *value;
	char *copy = kmemdup_nul(text, count, GFP_KERNEL);
	char *now;
	int ret;

	if (!copy)
		return -ENOMEM;
	value = strim(copy);
	ret = kvgpu_knob_set(kdev, knob, value);
	if (ret == -EINVAL) {
		now = kzalloc(PAGE_SIZE, GFP_KERNEL);
		if (now && knob_text(kdev, knob, now, PAGE_SIZE) > 0)
			pr_notice("vgpu: %s: %s does not take \"%.40s\"; it takes %s: %s",
				  kdev->name, knob, value,
				  strchr(now, '[') ? "one of these" : "a number, as it is now",
				  now);
		kfree(now);
	}
	kfree(copy);
	return ret ? ret : count;
}

/* ---- what the device is ------------------------------------------------- */

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
INFO_ATTR(context_count, "%u", contexts);
INFO_ATTR(vram_bytes, "%llu", vram_bytes);
INFO_ATTR(vram_free, "%llu", vram_free);
INFO_ATTR(time_ps, "%llu", time);

static struct attribute *info_attrs[] = {
	&dev_attr_preset.attr,
	&dev_attr_sms.attr,
	&dev_attr_clock_khz.attr,
	&dev_attr_hw_queues.attr,
	&dev_attr_queues.attr,
	&dev_attr_context_count.attr,
	&dev_attr_vram_bytes.attr,
	&dev_attr_vram_free.attr,
	&dev_attr_time_ps.attr,
	NULL
};

static const struct attribute_group info_group = { .attrs = info_attrs };

/* ---- what it has done --------------------------------------------------- */

struct stats_msg {
	struct kvgpu_msg msg;
	struct vgpu_device_stats stats;
};

static int do_stats(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	vgpu_device_stats(kdev->model, &container_of(msg, struct stats_msg, msg)->stats);
	return 0;
}

static ssize_t events_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct stats_msg m = { .msg.fn = do_stats };

	kvgpu_post(dev_get_drvdata(dev), &m.msg);
	return sysfs_emit(text, "%llu\n", m.stats.events);
}
static DEVICE_ATTR_RO(events);

static ssize_t preemptions_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);

	return sysfs_emit(text, "%llu\n", READ_ONCE(kdev->trace->preemptions->count));
}
static DEVICE_ATTR_RO(preemptions);

static struct attribute *stats_attrs[] = {
	&dev_attr_events.attr,
	&dev_attr_preemptions.attr,
	NULL
};

static const struct attribute_group stats_group = { .attrs = stats_attrs };

/* sm_time_ps/: a file for each state of an SM, in which all SMs together have been so long. */
static struct device_attribute sm_attrs[VGPU_SM_STATES];
static struct attribute *sm_attr_list[VGPU_SM_STATES + 1];
static const struct attribute_group sm_group = { .name = "sm_time_ps", .attrs = sm_attr_list };

static ssize_t sm_time_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct stats_msg m = { .msg.fn = do_stats };

	kvgpu_post(dev_get_drvdata(dev), &m.msg);
	return sysfs_emit(text, "%llu\n", m.stats.sm_time[attr - sm_attrs]);
}

static void sm_attrs_prepare(void)
{
	unsigned int i;

	for (i = 0; i < VGPU_SM_STATES; i++) {
		sysfs_attr_init(&sm_attrs[i].attr);
		sm_attrs[i].attr.name = vgpu_sm_state_name(i);
		sm_attrs[i].attr.mode = 0444;
		sm_attrs[i].show = sm_time_show;
		sm_attr_list[i] = &sm_attrs[i].attr;
	}
}

/* ---- the clock ---------------------------------------------------------- */

static const char *const clocks[KVGPU_CLOCKS] = {
	[KVGPU_FREE] = "free", [KVGPU_PACED] = "paced", [KVGPU_LOCKSTEP] = "lockstep",
};

const char *kvgpu_clock_name(enum kvgpu_clock_mode mode)
{
	return clocks[mode];
}

#define MILLION		1000000u
#define FACTOR_MAX	(1000ull * MILLION)

struct clock_msg {
	struct kvgpu_msg msg;
	enum kvgpu_clock_mode mode;
	u64 factor;
};

static int do_mode(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	kvgpu_clock_set_mode(kdev, container_of(msg, struct clock_msg, msg)->mode);
	return 0;
}

static int do_factor(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	kvgpu_clock_set_factor(kdev, container_of(msg, struct clock_msg, msg)->factor);
	return 0;
}

static ssize_t clock_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	int i, n = 0;

	for (i = 0; i < KVGPU_CLOCKS; i++)
		n += sysfs_emit_at(text, n, i == READ_ONCE(kdev->clock->mode) ? "%s[%s]" : "%s%s",
				   i ? " " : "", clocks[i]);
	return n + sysfs_emit_at(text, n, "\n");
}

static ssize_t clock_store(struct device *dev, struct device_attribute *attr, const char *text,
			   size_t count)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	struct clock_msg m = { .msg.fn = do_mode };
	int mode = __sysfs_match_string(clocks, KVGPU_CLOCKS, text);

	if (mode < 0) {
		pr_notice(
			"vgpu: %s: clock does not take \"%.*s\"; free, paced or lockstep\n",
			kdev->name, (int)min(strcspn(text, "\n"), (size_t)40), text);
		return -EINVAL;
	}
	m.mode = mode;
	kvgpu_post(kdev, &m.msg);
	return count;
}
static DEVICE_ATTR_RW(clock);

static ssize_t time_factor_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	u64 factor = READ_ONCE(kdev->clock->factor);
	u32 digits = 6, below = factor % MILLION;

	if (!below)
		return sysfs_emit(text, "%llu\n", factor / MILLION);
	for (; below % 10 == 0; below /= 10)
		digits--;
	return sysfs_emit(text, "%llu.%0*u\n", factor / MILLION, digits, below);
}

/* A decimal number with up to six digits behind the point, in millionths. */
static int parse_factor(const char *text, u64 *factor)
{
	u32 left = 0;
	bool point = false, any = false;

	for (*factor = 0; *text && *text != '\n'; text++) {
		if (*text == '.' && !point) {
			point = true;
			left = 6;
			continue;
		}
		if (*text < '0' || *text > '9' || *factor > FACTOR_MAX || (point && !left))
			return -EINVAL;
		*factor = *factor * 10 + (*text - '0');
		left -= point;
		any = true;
	}
	for (left = point ? left : 6; left; left--)
		*factor *= 10;
	return any && *factor && *factor <= FACTOR_MAX ? 0 : -EINVAL;
}

static ssize_t time_factor_store(struct device *dev, struct device_attribute *attr,
				 const char *text, size_t count)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	struct clock_msg m = { .msg.fn = do_factor };

	if (parse_factor(text, &m.factor)) {
		pr_notice(
			"vgpu: %s: time_factor does not take \"%.*s\"; 0.000001 to 1000\n",
			kdev->name, (int)min(strcspn(text, "\n"), (size_t)40), text);
		return -EINVAL;
	}
	kvgpu_post(kdev, &m.msg);
	return count;
}
static DEVICE_ATTR_RW(time_factor);

static struct attribute *clock_attrs[] = {
	&dev_attr_clock.attr,
	&dev_attr_time_factor.attr,
	NULL
};

static const struct attribute_group clock_group = { .attrs = clock_attrs };

/* ---- config/: what the device was made from ----------------------------- */

static int do_config_get(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct knob_msg *m = container_of(msg, struct knob_msg, msg);

	return vgpu_config_get(vgpu_device_config(kdev->model), m->knob, m->text, m->room);
}

static ssize_t config_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct knob_msg m = { .msg.fn = do_config_get,
			      .knob = attr->attr.name,
			      .text = text,
			      .room = PAGE_SIZE - 1 };
	int ret = kvgpu_post(dev_get_drvdata(dev), &m.msg);

	return ret < 0 ? ret : ret + sysfs_emit_at(text, ret, "\n");
}

/* ---- one set of attributes a device ------------------------------------- */

/* An attribute for each name that @name lists. -ENOMEM. */
static int named_attrs(struct attribute_group *group, const char *(*name)(unsigned int index),
		       const struct device_attribute *like)
{
	struct device_attribute *attrs;
	struct attribute **list;
	unsigned int count = 0, i;

	while (count < NAMES_MAX && name(count))
		count++;
	/* one piece: the list, then what it points to */
	list = kzalloc((count + 1) * sizeof(*list) + count * sizeof(*attrs), GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	attrs = (struct device_attribute *)(list + count + 1);
	for (i = 0; i < count; i++) {
		attrs[i] = *like;
		sysfs_attr_init(&attrs[i].attr);
		attrs[i].attr.name = name(i);
		list[i] = &attrs[i].attr;
	}
	group->attrs = list;
	return 0;
}

int kvgpu_sysfs_prepare(struct kvgpu_dev *kdev)
{
	static const struct device_attribute knob = { .attr.mode = 0644,
						      .show = knob_show,
						      .store = knob_store };
	static const struct device_attribute config = { .attr.mode = 0444, .show = config_show };

	kdev->sysfs->config_group.name = "config";
	if (named_attrs(&kdev->sysfs->knob_group, vgpu_device_knob_name, &knob) ||
	    named_attrs(&kdev->sysfs->config_group, vgpu_config_field, &config)) {
		kvgpu_sysfs_free(kdev);
		return -ENOMEM;
	}
	sm_attrs_prepare();
	kdev->sysfs->groups[0] = &info_group;
	kdev->sysfs->groups[1] = &kdev->sysfs->knob_group;
	kdev->sysfs->groups[2] = &clock_group;
	kdev->sysfs->groups[3] = &stats_group;
	kdev->sysfs->groups[4] = &sm_group;
	kdev->sysfs->groups[5] = &kdev->sysfs->config_group;
	return 0;
}

void kvgpu_sysfs_free(struct kvgpu_dev *kdev)
{
	kfree(kdev->sysfs->knob_group.attrs);
	kfree(kdev->sysfs->config_group.attrs);
}
