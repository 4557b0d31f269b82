// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/vgpu/vgpuN/contexts/ID/: every open context, one value a file. Anybody reads how it is
 * to be scheduled, and root writes that. The rest, every statistic among it, is for the user who
 * opened the context and for root: the files belong to that user and have mode 0400, so that it is
 * decided when a file is opened, and not by who happens to read what somebody else has opened.
 */
#include <linux/kobject.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "kmod/windows/stats.h"

/*
 * struct kvgpu_ctx_dir - the folder of a context; readers may hold it a little longer than the
 * context lives
 */
struct kvgpu_ctx_dir {
	struct kobject kobj;
	struct kvgpu_dev *kdev;
	u32 id;
	struct pid *process;
	kuid_t owner;			/* of files that are being made */
};

static struct kvgpu_ctx_dir *dir_of(const struct kobject *kobj)
{
	return container_of(kobj, struct kvgpu_ctx_dir, kobj);
}

/* ---- files -------------------------------------------------------------- */

static struct attribute pid_attr = { .name = "pid", .mode = 0400 };
static struct attribute clock_attr = { .name = "clock", .mode = 0400 };
static struct attribute fault_attr = { .name = "fault", .mode = 0400 };
static struct attribute priority_attr = { .name = "priority", .mode = 0644 };
static struct attribute tokens_attr = { .name = "tokens", .mode = 0644 };
static struct attribute budget_attr = { .name = "memory_budget", .mode = 0644 };

#define STAT_ATTR(number, name_, path, member, file, text)					\
	&(struct attribute){ .name = #file, .mode = 0400 },

static struct attribute *owners_attrs[] = {
	&pid_attr,
	&clock_attr,
	&fault_attr,
	VGPU_CONTEXT_STATS(STAT_ATTR)
	NULL
};
ATTRIBUTE_GROUPS(owners);

static struct attribute *roots_attrs[] = {
	&priority_attr,
	&tokens_attr,
	&budget_attr,
	NULL
};
static const struct attribute_group roots_group = { .attrs = roots_attrs };

static ssize_t ctx_show(struct kobject *kobj, struct attribute *attr, char *text)
{
	struct kvgpu_ctx_snap snap;
	int ret;

	/* 0: it has no number in the namespace of who reads */
	if (attr == &pid_attr)
		return sysfs_emit(text, "%d\n", pid_vnr(dir_of(kobj)->process));
	ret = kvgpu_context_read(dir_of(kobj)->kdev, dir_of(kobj)->id, &snap);
	if (ret)
		return ret;
	if (attr == &clock_attr)
		return sysfs_emit(text, "%s\n", snap.clock);
	if (attr == &fault_attr)
		return sysfs_emit(text, "%u\n", snap.info.fault.reason);
	if (attr == &priority_attr)
		return sysfs_emit(text, "%d\n", snap.priority);
	if (attr == &tokens_attr && snap.tokens == VGPU_TOKENS_SHARE)
		return sysfs_emit(text, "share\n");
	if (attr == &tokens_attr)
		return sysfs_emit(text, "%u\n", snap.tokens);
	if (attr == &budget_attr && snap.memory_budget == VGPU_BUDGET_OF_DEVICE)
		return sysfs_emit(text, "device\n");
	if (attr == &budget_attr)
		return sysfs_emit(text, "%llu\n", snap.memory_budget);
	return kvgpu_stat_show(kvgpu_context_stats, attr->name, &snap, text);
}

/* ---- writing ------------------------------------------------------------ */

int kvgpu_ctx_priority(struct kvgpu_ctx *ctx, s32 priority, bool may_raise)
{
	int ret;

	if (priority > ctx->priority && !may_raise)
		return -EPERM;
	ret = vgpu_context_priority(ctx->kdev->model, ctx->id, priority);
	if (!ret)
		WRITE_ONCE(ctx->priority, priority);
	return ret;
}

static int do_context_set(struct kvgpu_dev *kdev, void *arg)
{
	const struct kvgpu_ctx_setting *set = arg;
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, set->id);
	int ret = ctx ? 0 : -ENODEV;

	if (!ret && set->set_tokens) {
		ret = vgpu_context_tokens(kdev->model, set->id, set->tokens);
		if (!ret)
			ctx->tokens = set->tokens;
	}
	if (!ret && set->set_budget) {
		ret = vgpu_context_memory_budget(kdev->model, set->id, set->memory_budget);
		if (!ret)
			ctx->memory_budget = set->memory_budget;
	}
	if (!ret && set->set_priority)
		ret = kvgpu_ctx_priority(ctx, set->priority, true);
	return ret;
}

int kvgpu_context_set(struct kvgpu_dev *kdev, struct kvgpu_ctx_setting *set)
{
	return kvgpu_actor_call_killable(kdev, do_context_set, set);
}

static int parse_tokens(const char *text, u32 *tokens)
{
	*tokens = VGPU_TOKENS_SHARE;
	if (sysfs_streq(text, "share"))
		return 0;
	return kstrtou32(text, 10, tokens) || *tokens > VGPU_TOKENS_MAX ? -EINVAL : 0;
}

static int parse_budget(const char *text, u64 *bytes)
{
	*bytes = VGPU_BUDGET_OF_DEVICE;
	if (sysfs_streq(text, "device"))
		return 0;
	return kstrtou64(text, 10, bytes) || *bytes == VGPU_BUDGET_OF_DEVICE ? -EINVAL : 0;
}

static ssize_t ctx_store(struct kobject *kobj, struct attribute *attr, const char *text,
			 size_t count)
{
	struct kvgpu_ctx_dir *dir = dir_of(kobj);
	struct kvgpu_ctx_setting set = { .id = dir->id };
	const char *right;
	int ret;

	BUILD_BUG_ON(VGPU_TOKENS_MAX != 1024);
	if (attr == &priority_attr) {
		right = "a number, -2147483648 to 2147483647, a higher one is more important";
		set.set_priority = true;
		ret = kstrtos32(text, 10, &set.priority);
	} else if (attr == &tokens_attr) {
		right = "a number of SMs, 0 to 1024, or: share";
		set.set_tokens = true;
		ret = parse_tokens(text, &set.tokens);
	} else if (attr == &budget_attr) {
		right = "bytes of device memory, 0: no limit, or: device";
		set.set_budget = true;
		ret = parse_budget(text, &set.memory_budget);
	} else {
		/* who owns a file may change its mode */
		return -EACCES;
	}
	if (ret) {
		pr_notice("vgpu: %s: contexts/%u/%s does not take \"%.*s\"; it takes %s\n",
			  dir->kdev->name, dir->id, attr->name, KVGPU_QUOTED(text), right);
		return -EINVAL;
	}
	ret = kvgpu_context_set(dir->kdev, &set);
	return ret ? ret : count;
}

/* ---- folders ------------------------------------------------------------ */

static const struct sysfs_ops ctx_ops = { .show = ctx_show, .store = ctx_store };

static void dir_release(struct kobject *kobj)
{
	put_pid(dir_of(kobj)->process);
	kfree(dir_of(kobj));
}

static void dir_get_ownership(KVGPU_KOBJ_CONST struct kobject *kobj, kuid_t *uid, kgid_t *gid)
{
	*uid = dir_of(kobj)->owner;
	*gid = GLOBAL_ROOT_GID;
}

static const struct kobj_type dir_type = {
	.release = dir_release,
	.sysfs_ops = &ctx_ops,
	.get_ownership = dir_get_ownership,
	.default_groups = owners_groups,
};

/* Who owned a file that root writes could change its mode and write it. */
static int dir_add(struct kvgpu_ctx_dir *dir, struct kobject *parent)
{
	int ret = kobject_add(&dir->kobj, parent, "%u", dir->id);

	if (ret)
		return ret;
	dir->owner = GLOBAL_ROOT_UID;
	ret = sysfs_create_group(&dir->kobj, &roots_group);
	if (ret)
		kobject_del(&dir->kobj);
	return ret;
}

int kvgpu_ctx_dir_add(struct kvgpu_ctx *ctx)
{
	struct kvgpu_sysfs *sysfs = ctx->kdev->sysfs;
	struct kvgpu_ctx_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL_ACCOUNT);
	int ret = -ENXIO;

	if (!dir)
		return -ENOMEM;
	dir->kdev = ctx->kdev;
	dir->id = ctx->id;
	dir->process = get_pid(ctx->process);
	dir->owner = ctx->owner;
	kobject_init(&dir->kobj, &dir_type);
	mutex_lock(&sysfs->contexts_lock);
	if (sysfs->contexts_dir)
		ret = dir_add(dir, sysfs->contexts_dir);
	mutex_unlock(&sysfs->contexts_lock);
	if (ret)
		kobject_put(&dir->kobj);
	else
		ctx->dir = dir;
	return ret;
}

/* Returns when nobody is inside one of its files any more. */
void kvgpu_ctx_dir_remove(struct kvgpu_ctx *ctx)
{
	kobject_del(&ctx->dir->kobj);
	kobject_put(&ctx->dir->kobj);
}

int kvgpu_contexts_add(struct kvgpu_dev *kdev)
{
	kdev->sysfs->contexts_dir = kobject_create_and_add("contexts", &kdev->sysfs->dev->kobj);
	return kdev->sysfs->contexts_dir ? 0 : -ENOMEM;
}

/* The folders of contexts that are still open go with it. */
void kvgpu_contexts_remove(struct kvgpu_dev *kdev)
{
	struct kvgpu_sysfs *sysfs = kdev->sysfs;
	struct kobject *dir = sysfs->contexts_dir;

	mutex_lock(&sysfs->contexts_lock);
	sysfs->contexts_dir = NULL;
	kobject_del(dir);
	mutex_unlock(&sysfs->contexts_lock);
	kobject_put(dir);
}
