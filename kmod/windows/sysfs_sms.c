// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/vgpu/vgpuN/sm/NUMBER/: what each SM does and what the blocks of all kernels there take
 * of it, one value a file; anybody reads. Who has how much of it netlink says, to who may know.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "kmod/windows/stats.h"

/* struct kvgpu_sm_dir - the folder of an SM */
struct kvgpu_sm_dir {
	struct kobject kobj;
	struct kvgpu_dev *kdev;
	u32 number;
};

static struct kvgpu_sm_dir *dir_of(const struct kobject *kobj)
{
	return container_of(kobj, struct kvgpu_sm_dir, kobj);
}

/* ---- files -------------------------------------------------------------- */

/** struct sm_snap - an SM at one moment */
struct sm_snap {
	u32 number;
	struct vgpu_sm_stats stats;
	struct vgpu_sm_use use;
};

static int do_sm(struct kvgpu_dev *kdev, void *arg)
{
	struct sm_snap *snap = arg;
	int ret = vgpu_device_sm_stats(kdev->model, snap->number, &snap->stats);

	return ret ? ret : vgpu_device_sm_use(kdev->model, snap->number, &snap->use);
}

/** struct sm_file - a number of struct vgpu_sm_use */
struct sm_file {
	struct attribute attr;
	u16 offset;
};

#define SM_FILE(name_)										\
	{ .attr = { .name = #name_, .mode = 0444 }, .offset = offsetof(struct vgpu_sm_use, name_) }
static struct sm_file numbers[] = {
	SM_FILE(kernels), SM_FILE(blocks),	SM_FILE(registers),
	SM_FILE(warps),	  SM_FILE(shared_bytes), SM_FILE(shared_size),
};
static struct attribute state_attr = { .name = "state", .mode = 0444 };

static struct attribute *sm_attrs[] = {
	&state_attr,	  &numbers[0].attr, &numbers[1].attr, &numbers[2].attr,
	&numbers[3].attr, &numbers[4].attr, &numbers[5].attr, NULL
};
ATTRIBUTE_GROUPS(sm);

static ssize_t sm_show(struct kobject *kobj, struct attribute *attr, char *text)
{
	struct sm_snap snap = { .number = dir_of(kobj)->number };
	int ret = kvgpu_actor_call_killable(dir_of(kobj)->kdev, do_sm, &snap);
	const struct sm_file *file;

	if (ret)
		return ret;
	if (attr == &state_attr)
		return sysfs_emit(text, "%s\n", vgpu_sm_state_name(snap.stats.state));
	file = container_of(attr, struct sm_file, attr);
	return sysfs_emit(text, "%u\n", *(u32 *)((u8 *)&snap.use + file->offset));
}

/* ---- folders ------------------------------------------------------------ */

static const struct sysfs_ops sm_ops = { .show = sm_show };

static void dir_release(struct kobject *kobj)
{
	kfree(dir_of(kobj));
}

static const struct kobj_type dir_type = {
	.release = dir_release,
	.sysfs_ops = &sm_ops,
	.default_groups = sm_groups,
};

static struct kobject *dir_add(struct kvgpu_dev *kdev, u32 number)
{
	struct kvgpu_sm_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL);

	if (!dir)
		return NULL;
	dir->kdev = kdev;
	dir->number = number;
	if (!kobject_init_and_add(&dir->kobj, &dir_type, kdev->sysfs->sm_dir, "%u", number))
		return &dir->kobj;
	kobject_put(&dir->kobj);
	return NULL;
}

/* Returns when nobody is inside one of the files any more. */
void kvgpu_sms_remove(struct kvgpu_dev *kdev)
{
	struct kvgpu_sysfs *sysfs = kdev->sysfs;
	u32 i;

	for (i = 0; i < kdev->config.sms && sysfs->sms && sysfs->sms[i]; i++) {
		kobject_del(sysfs->sms[i]);
		kobject_put(sysfs->sms[i]);
	}
	kvfree(sysfs->sms);
	kobject_put(sysfs->sm_dir);
}

int kvgpu_sms_add(struct kvgpu_dev *kdev)
{
	struct kvgpu_sysfs *sysfs = kdev->sysfs;
	u32 i;

	sysfs->sm_dir = kobject_create_and_add("sm", &sysfs->dev->kobj);
	sysfs->sms = kvcalloc(kdev->config.sms, sizeof(*sysfs->sms), GFP_KERNEL);
	for (i = 0; sysfs->sm_dir && sysfs->sms && i < kdev->config.sms; i++) {
		sysfs->sms[i] = dir_add(kdev, i);
		if (!sysfs->sms[i])
			break;
	}
	if (i == kdev->config.sms)
		return 0;
	kvgpu_sms_remove(kdev);
	return -ENOMEM;
}
