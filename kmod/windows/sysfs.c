// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/vgpu/vgpuN/: what the device is and does (read-only, anybody), its knobs and its clock
 * (root writes), one value a file. Statistics, knobs, states of SMs and fields of the configuration
 * come by name from where they are listed, so that a new one needs nothing here.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "kmod/windows/stats.h"

static void refuse(const struct kvgpu_dev *kdev, const char *file, const char *text,
		   const char *right)
{
	pr_notice("vgpu: %s: %s does not take \"%.*s\"; %s\n", kdev->name, file,
		  KVGPU_QUOTED(text), right);
}

/* A text that ends at @length, with a newline; or the error that @length is. */
static ssize_t text_line(char *text, int length)
{
	return length < 0 ? length : length + sysfs_emit_at(text, length, "\n");
}

/* ---- knobs -------------------------------------------------------------- */

struct named_value {
	const char *name;
	const char *value;
	char *text;
	size_t room;
};

static int do_knob_get(struct kvgpu_dev *kdev, void *arg)
{
	const struct named_value *knob = arg;

	return vgpu_device_knob_get(kdev->model, knob->name, knob->text, knob->room);
}

static int do_knob_set(struct kvgpu_dev *kdev, void *arg)
{
	const struct named_value *knob = arg;
	int ret = vgpu_device_knob_set(kdev->model, knob->name, knob->value);

	if (!ret)
		kvgpu_notice_knob(kdev, knob->name, knob->value);
	return ret;
}

int kvgpu_knob_get(struct kvgpu_dev *kdev, const char *knob, char *text, size_t room)
{
	struct named_value get = { .name = knob, .text = text, .room = room };

	return kvgpu_actor_call(kdev, do_knob_get, &get);
}

int kvgpu_knob_set(struct kvgpu_dev *kdev, const char *knob, const char *value)
{
	struct named_value set = { .name = knob, .value = value };

	return kvgpu_actor_call(kdev, do_knob_set, &set);
}

static ssize_t knob_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return text_line(text, kvgpu_knob_get(dev_get_drvdata(dev), attr->attr.name, text,
					      PAGE_SIZE - 1));
}

static ssize_t knob_store(struct device *dev, struct device_attribute *attr, const char *text,
			  size_t count)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	char *copy __free(kfree) = kmemdup_nul(text, count, GFP_KERNEL);
	char *now __free(kfree) = kmalloc(PAGE_SIZE, GFP_KERNEL);
	const char *knob = attr->attr.name;
	int ret;

	if (!copy || !now)
		return -ENOMEM;
	ret = kvgpu_knob_set(kdev, knob, strim(copy));
	if (ret == -EINVAL && kvgpu_knob_get(kdev, knob, now, PAGE_SIZE) > 0)
		pr_notice("vgpu: %s: %s does not take \"%.*s\"; it takes %s: %s\n", kdev->name,
			  knob, KVGPU_QUOTED(text),
			  strchr(now, '[') ? "one of these" : "a number, as it is now", now);
	return ret ? ret : count;
}

/* ---- what the device is and has done ------------------------------------ */

static ssize_t preset_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);

	return sysfs_emit(text, "%s\n", kdev->config.name);
}
static DEVICE_ATTR_RO(preset);

static ssize_t system_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);

	return sysfs_emit(text, "%s\n", kdev->system->name);
}
static DEVICE_ATTR_RO(system);

static ssize_t stat_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct kvgpu_device_snap snap;
	int ret = kvgpu_device_read(dev_get_drvdata(dev), &snap);

	return ret ? ret : kvgpu_stat_show(kvgpu_device_stats, attr->attr.name, &snap, text);
}

static const char *stat_name(unsigned int index)
{
	return kvgpu_device_stats[index].name;
}

/* In sm_time_ps/: how long all SMs together have been in a state. */
static ssize_t sm_time_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct kvgpu_device_snap snap;
	int ret = kvgpu_device_read(dev_get_drvdata(dev), &snap);
	unsigned int state = 0;

	while (strcmp(vgpu_sm_state_name(state), attr->attr.name))
		state++;
	return ret ? ret : sysfs_emit(text, "%llu\n", snap.stats.sm_time[state]);
}

static int do_dropped(struct kvgpu_dev *kdev, void *text)
{
	return sysfs_emit(text, "%s\n", kdev->sysfs->dropped);
}

/* The policy or mechanism from outside that the device had to do without last, and why. */
static ssize_t dropped_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return kvgpu_actor_call(dev_get_drvdata(dev), do_dropped, text);
}
static DEVICE_ATTR_RO(dropped);

/* ---- the clock ---------------------------------------------------------- */

const char *const kvgpu_clock_names[KVGPU_CLOCKS] = {
	[KVGPU_FREE] = "free", [KVGPU_PACED] = "paced", [KVGPU_LOCKSTEP] = "lockstep",
};

#define MILLION		1000000u
#define FACTOR_MAX	(1000ull * MILLION)

static int do_mode(struct kvgpu_dev *kdev, void *arg)
{
	kvgpu_clock_set_mode(kdev->system, *(int *)arg);
	return 0;
}

static int do_factor(struct kvgpu_dev *kdev, void *arg)
{
	kvgpu_clock_set_factor(kdev->system, *(u64 *)arg);
	return 0;
}

static ssize_t clock_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	enum kvgpu_clock_mode mode = READ_ONCE(kdev->system->clock->mode);
	int i, n = 0;

	for (i = 0; i < KVGPU_CLOCKS; i++)
		n += sysfs_emit_at(text, n, i == mode ? "%s[%s]" : "%s%s", i ? " " : "",
				   kvgpu_clock_names[i]);
	return text_line(text, n);
}

static ssize_t clock_store(struct device *dev, struct device_attribute *attr, const char *text,
			   size_t count)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	int mode = __sysfs_match_string(kvgpu_clock_names, KVGPU_CLOCKS, text);

	if (mode < 0) {
		refuse(kdev, "clock", text, "free, paced or lockstep");
		return -EINVAL;
	}
	kvgpu_actor_call(kdev, do_mode, &mode);
	return count;
}
static DEVICE_ATTR_RW(clock);

static ssize_t time_factor_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	u64 factor = READ_ONCE(kdev->system->clock->factor);
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
	u32 scale = MILLION;	/* of what has been read */
	bool point = false;

	for (*factor = 0; *text && *text != '\n'; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (!isdigit(*text) || *factor > FACTOR_MAX || scale == 1)
			return -EINVAL;
		*factor = *factor * 10 + (*text - '0');
		if (point)
			scale /= 10;
	}
	*factor *= scale;
	return *factor && *factor <= FACTOR_MAX ? 0 : -EINVAL;
}

static ssize_t time_factor_store(struct device *dev, struct device_attribute *attr,
				 const char *text, size_t count)
{
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);
	u64 factor;

	if (parse_factor(text, &factor)) {
		refuse(kdev, "time_factor", text, "0.000001 to 1000");
		return -EINVAL;
	}
	kvgpu_actor_call(kdev, do_factor, &factor);
	return count;
}
static DEVICE_ATTR_RW(time_factor);

/* ---- numbers that anybody reads ----------------------------------------- */

struct number {
	u32 *value;
	u32 number;
};

/* The actor writes: where it sleeps, it wakes, and what it does next is by the new value. */
static int do_set_number(struct kvgpu_dev *kdev, void *arg)
{
	struct number *set = arg;

	WRITE_ONCE(*set->value, set->number);
	return 0;
}

static ssize_t number_store(struct kvgpu_dev *kdev, const char *file, const char *text,
			    size_t count, u32 *value, u32 least, u32 most, const char *wanted)
{
	struct number set = { .value = value };

	if (kstrtou32(text, 10, &set.number) || set.number < least || set.number > most) {
		refuse(kdev, file, text, wanted);
		return -EINVAL;
	}
	kvgpu_actor_call(kdev, do_set_number, &set);
	return count;
}

#define NUMBER_FILE(file, member, least, most, wanted)						\
static ssize_t file##_show(struct device *dev, struct device_attribute *attr, char *text)	\
{												\
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);						\
												\
	return sysfs_emit(text, "%u\n", READ_ONCE(kdev->member));				\
}												\
												\
static ssize_t file##_store(struct device *dev, struct device_attribute *attr,			\
			    const char *text, size_t count)					\
{												\
	struct kvgpu_dev *kdev = dev_get_drvdata(dev);						\
												\
	return number_store(kdev, #file, text, count, &kdev->member, least, most, wanted);	\
}												\
static DEVICE_ATTR_RW(file)

NUMBER_FILE(lockstep_timeout_ms, system->clock->timeout_ms, 0, U32_MAX,
	    "milliseconds, 0 for no limit");
NUMBER_FILE(timeout_ms, timeout_ms, 0, U32_MAX, "milliseconds, 0 for no limit");
NUMBER_FILE(pin_timeout_ms, pin_timeout_ms, 0, U32_MAX, "milliseconds, 0 for no limit");
NUMBER_FILE(user_share, user_share, 1, 100, "per cent, 1 to 100");

/* ---- config/: what the device was made from ----------------------------- */

static int do_config_get(struct kvgpu_dev *kdev, void *arg)
{
	const struct named_value *field = arg;

	return vgpu_config_get(vgpu_device_config(kdev->model), field->name, field->text,
			       field->room);
}

static ssize_t config_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct named_value field = { .name = attr->attr.name, .text = text, .room = PAGE_SIZE - 1 };

	return text_line(text, kvgpu_actor_call(dev_get_drvdata(dev), do_config_get, &field));
}

/* ---- the files of every device ------------------------------------------ */

static struct attribute *fixed_attrs[] = {
	&dev_attr_preset.attr,
	&dev_attr_system.attr,
	&dev_attr_dropped.attr,
	&dev_attr_clock.attr,
	&dev_attr_time_factor.attr,
	&dev_attr_lockstep_timeout_ms.attr,
	&dev_attr_timeout_ms.attr,
	&dev_attr_pin_timeout_ms.attr,
	&dev_attr_user_share.attr,
	NULL
};
static const struct attribute_group fixed_group = { .attrs = fixed_attrs };

/* Files by the names that @name lists, all of one kind. */
static struct {
	const char *(*name)(unsigned int index);
	struct device_attribute like;
	struct attribute_group group;
} kinds[] = {
	{ stat_name, { .attr.mode = 0444, .show = stat_show } },
	{ vgpu_device_knob_name, { .attr.mode = 0644, .show = knob_show, .store = knob_store } },
	{ vgpu_sm_state_name, { .attr.mode = 0444, .show = sm_time_show }, { "sm_time_ps" } },
	{ vgpu_config_field, { .attr.mode = 0444, .show = config_show }, { "config" } },
};

const struct attribute_group *kvgpu_device_groups[] = {
	&fixed_group,
	&kinds[0].group,
	&kinds[1].group,
	&kinds[2].group,
	&kinds[3].group,
	NULL
};

/* All of them, one kind after the other. */
static struct device_attribute *files;
static struct attribute **file_lists;

int __init kvgpu_sysfs_init(void)
{
	unsigned int kind, i, count = 0;
	struct device_attribute *file;
	struct attribute **list;
	const char *name;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		for (i = 0; kinds[kind].name(i); i++)
			count++;
	file = files = kcalloc(count, sizeof(*files), GFP_KERNEL);
	/* a NULL ends each list */
	list = file_lists = kcalloc(count + ARRAY_SIZE(kinds), sizeof(*file_lists), GFP_KERNEL);
	if (!files || !file_lists) {
		kvgpu_sysfs_exit();
		return -ENOMEM;
	}
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++, list++) {
		kinds[kind].group.attrs = list;
		for (i = 0; (name = kinds[kind].name(i)); i++, file++) {
			*file = kinds[kind].like;
			file->attr.name = name;
			/* lockdep wants keys that are static */
			sysfs_attr_init(&file->attr);
			*list++ = &file->attr;
		}
	}
	return 0;
}

void kvgpu_sysfs_exit(void)
{
	kfree(file_lists);
	kfree(files);
}
