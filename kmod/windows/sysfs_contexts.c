// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/vgpu/vgpuN/contexts/ID/: every open context, one value a file. Anybody reads, root
 * writes what can be written. Every statistic of a context is a file.
 */
#include <linux/kobject.h>
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
};

static struct kvgpu_ctx_dir *dir_of(struct kobject *kobj)
{
	return container_of(kobj, struct kvgpu_ctx_dir, kobj);
}

static int dir_snap(struct kobject *kobj, struct kvgpu_ctx_snap *snap)
{
	return kvgpu_snap_context(dir_of(kobj)->kdev, dir_of(kobj)->id, snap);
}

/* ---- statistics --------------------------------------------------------- */

static ssize_t stat_show(struct kobject *kobj, struct kobj_attribute *attr, char *text);

#define STAT_INDEX(number, name, path, member, file, text) STAT_##name,
#define STAT_ATTR(number, name, path, member, file, text) __ATTR(file, 0444, stat_show, NULL),
#define STAT_POINTER(number, name, path, member, file, text) &stat_attrs[STAT_##name].attr,

enum { VGPU_CONTEXT_STATS(STAT_INDEX) };
static struct kobj_attribute stat_attrs[] = { VGPU_CONTEXT_STATS(STAT_ATTR) };

static ssize_t stat_show(struct kobject *kobj, struct kobj_attribute *attr, char *text)
{
	struct kvgpu_ctx_snap snap;
	int ret = dir_snap(kobj, &snap);

	if (ret)
		return ret;
	return sysfs_emit(text, "%llu\n",
			  kvgpu_stat_value(&kvgpu_context_stats[attr - stat_attrs], &snap));
}

/* ---- the others --------------------------------------------------------- */

#define SHOW(name_, format, value)								\
static ssize_t name_##_show(struct kobject *kobj, struct kobj_attribute *attr, char *text)	\
{												\
	struct kvgpu_ctx_snap snap;								\
	int ret = dir_snap(kobj, &snap);							\
												\
	return ret ? ret : sysfs_emit(text, format "\n", value);				\
}
SHOW(pid, "%d", snap.pid)
SHOW(clock, "%s", snap.clock)
SHOW(fault, "%u", snap.info.fault.reason)
SHOW(priority, "%d", snap.priority)

static ssize_t tokens_show(struct kobject *kobj, struct kobj_attribute *attr, char *text)
{
	struct kvgpu_ctx_snap snap;
	int ret = dir_snap(kobj, &snap);

	if (ret)
		return ret;
	return snap.tokens == VGPU_TOKENS_SHARE ? sysfs_emit(text, "share\n") :
						  sysfs_emit(text, "%u\n", snap.tokens);
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

struct ctx_setting {
	u32 id;
	s32 priority;
	u32 tokens;
};

static int do_priority(struct kvgpu_dev *kdev, void *arg)
{
	const struct ctx_setting *set = arg;
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, set->id);

	return ctx ? kvgpu_ctx_priority(ctx, set->priority, true) : -ENODEV;
}

static int do_tokens(struct kvgpu_dev *kdev, void *arg)
{
	const struct ctx_setting *set = arg;
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, set->id);
	int ret;

	if (!ctx)
		return -ENODEV;
	ret = vgpu_context_tokens(kdev->model, set->id, set->tokens);
	if (!ret)
		ctx->tokens = set->tokens;
	return ret;
}

int kvgpu_context_set_priority(struct kvgpu_dev *kdev, u32 id, s32 priority)
{
	struct ctx_setting set = { .id = id, .priority = priority };

	return kvgpu_actor_call_killable(kdev, do_priority, &set);
}

int kvgpu_context_set_tokens(struct kvgpu_dev *kdev, u32 id, u32 tokens)
{
	struct ctx_setting set = { .id = id, .tokens = tokens };

	return kvgpu_actor_call_killable(kdev, do_tokens, &set);
}

/* -EINVAL, and what would be right in the log. */
static int refuse(const struct kvgpu_ctx_dir *dir, const char *name, const char *text,
		  const char *right)
{
	pr_notice("vgpu: %s: contexts/%u/%s does not take \"%.*s\"; it takes %s\n", dir->kdev->name,
		  dir->id, name, (int)min(strcspn(text, "\n"), (size_t)40), text, right);
	return -EINVAL;
}

static ssize_t priority_store(struct kobject *kobj, struct kobj_attribute *attr, const char *text,
			      size_t count)
{
	struct kvgpu_ctx_dir *dir = dir_of(kobj);
	s32 priority;
	int ret;

	if (kstrtos32(text, 10, &priority))
		return refuse(dir, "priority", text, "a number, -2147483648 to 2147483647, "
			      "a higher one is more important");
	ret = kvgpu_context_set_priority(dir->kdev, dir->id, priority);
	return ret ? ret : count;
}

static ssize_t tokens_store(struct kobject *kobj, struct kobj_attribute *attr, const char *text,
			    size_t count)
{
	struct kvgpu_ctx_dir *dir = dir_of(kobj);
	u32 tokens;
	int ret;

	BUILD_BUG_ON(VGPU_TOKENS_MAX != 1024);
	if (sysfs_streq(text, "share"))
		tokens = VGPU_TOKENS_SHARE;
	else if (kstrtou32(text, 10, &tokens) || tokens > VGPU_TOKENS_MAX)
		return refuse(dir, "tokens", text, "a number of SMs, 0 to 1024, or: share");
	ret = kvgpu_context_set_tokens(dir->kdev, dir->id, tokens);
	return ret ? ret : count;
}

/* ---- folders ------------------------------------------------------------ */

static struct kobj_attribute pid_attr = __ATTR_RO(pid);
static struct kobj_attribute clock_attr = __ATTR_RO(clock);
static struct kobj_attribute fault_attr = __ATTR_RO(fault);
static struct kobj_attribute priority_attr = __ATTR_RW(priority);
static struct kobj_attribute tokens_attr = __ATTR_RW(tokens);

static struct attribute *ctx_attrs[] = {
	&pid_attr.attr,
	&clock_attr.attr,
	&fault_attr.attr,
	&priority_attr.attr,
	&tokens_attr.attr,
	VGPU_CONTEXT_STATS(STAT_POINTER)
	NULL
};
ATTRIBUTE_GROUPS(ctx);

static void dir_release(struct kobject *kobj)
{
	kfree(dir_of(kobj));
}

static const struct kobj_type dir_type = {
	.release = dir_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = ctx_groups,
};

int kvgpu_ctx_dir_add(struct kvgpu_ctx *ctx)
{
	struct kvgpu_sysfs *sysfs = ctx->kdev->sysfs;
	struct kvgpu_ctx_dir *dir;
	int ret = -ENXIO;

	dir = kzalloc(sizeof(*dir), GFP_KERNEL_ACCOUNT);
	if (!dir)
		return -ENOMEM;
	dir->kdev = ctx->kdev;
	dir->id = ctx->id;
	kobject_init(&dir->kobj, &dir_type);
	mutex_lock(&sysfs->contexts_lock);
	if (sysfs->contexts_dir)
		ret = kobject_add(&dir->kobj, sysfs->contexts_dir, "%u", ctx->id);
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
