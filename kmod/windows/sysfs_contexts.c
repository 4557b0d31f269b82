// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/vgpu/vgpuN/contexts/ID/: every open context, one value a file. Anybody reads, root
 * writes what can be written.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "kmod/windows/windows.h"

/*
 * struct kvgpu_ctx_dir - the folder of a context; readers may hold it a little longer than the
 * context lives
 */
struct kvgpu_ctx_dir {
	struct kobject kobj;
	struct kvgpu_dev *kdev;
	u32 id;
};

struct ctx_msg {
	struct kvgpu_msg msg;
	u32 id;
	struct vgpu_context_info info;
	s32 priority;
	u32 tokens;
	pid_t pid;
	const char *clock;
};

static struct kvgpu_ctx_dir *dir_of(struct kobject *kobj)
{
	return container_of(kobj, struct kvgpu_ctx_dir, kobj);
}

/* ---- reading ------------------------------------------------------------ */

static const char *clock_state(const struct kvgpu_participant *participant)
{
	if (participant->waiting)
		return "waiting";
	return participant->attached ? "running" : "detached";
}

static int do_read(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ctx_msg *m = container_of(msg, struct ctx_msg, msg);
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, m->id);

	if (!ctx)
		return -ENODEV;
	m->priority = ctx->priority;
	m->tokens = ctx->tokens;
	m->pid = ctx->pid;
	m->clock = clock_state(ctx->participant);
	return vgpu_context_info(kdev->model, m->id, &m->info);
}

static int ctx_read(struct kobject *kobj, struct ctx_msg *m)
{
	*m = (struct ctx_msg){ .msg.fn = do_read, .id = dir_of(kobj)->id };
	return kvgpu_post_killable(dir_of(kobj)->kdev, &m->msg);
}

#define SHOW(name_, format, value)								\
static ssize_t name_##_show(struct kobject *kobj, struct kobj_attribute *attr, char *text)	\
{												\
	struct ctx_msg m;									\
	int ret = ctx_read(kobj, &m);								\
												\
	return ret ? ret : sysfs_emit(text, format "\n", value);				\
}
#define INFO(name, format, value)								\
SHOW(name, format, value)									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

INFO(pid, "%d", m.pid);
INFO(clock, "%s", m.clock);
INFO(fault, "%u", m.info.fault.reason);
INFO(queues, "%u", m.info.queues);
INFO(modules, "%u", m.info.modules);
INFO(mapped_bytes, "%llu", m.info.mapped_bytes);
INFO(resident_bytes, "%llu", m.info.resident_bytes);
INFO(kernels, "%llu", m.info.kernels);
INFO(blocks, "%llu", m.info.blocks);
INFO(copies, "%llu", m.info.copies);
INFO(copied_bytes, "%llu", m.info.copied_bytes);
INFO(instructions, "%llu", m.info.instructions);
INFO(sm_time_ps, "%llu", m.info.sm_time);
INFO(preemptions, "%llu", m.info.account.preemptions);
INFO(preemption_time_ps, "%llu", m.info.account.preemption_time);
INFO(saved_bytes, "%llu", m.info.account.saved_bytes);
INFO(save_area, "%llu", m.info.account.save_area);
SHOW(priority, "%d", m.priority)

static ssize_t tokens_show(struct kobject *kobj, struct kobj_attribute *attr, char *text)
{
	struct ctx_msg m;
	int ret = ctx_read(kobj, &m);

	if (ret)
		return ret;
	return m.tokens == VGPU_TOKENS_SHARE ? sysfs_emit(text, "share\n") :
					       sysfs_emit(text, "%u\n", m.tokens);
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

static int do_priority(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ctx_msg *m = container_of(msg, struct ctx_msg, msg);
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, m->id);

	return ctx ? kvgpu_ctx_priority(ctx, m->priority, true) : -ENODEV;
}

static int do_tokens(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct ctx_msg *m = container_of(msg, struct ctx_msg, msg);
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, m->id);
	int ret;

	if (!ctx)
		return -ENODEV;
	ret = vgpu_context_tokens(kdev->model, m->id, m->tokens);
	if (!ret)
		ctx->tokens = m->tokens;
	return ret;
}

int kvgpu_context_set_priority(struct kvgpu_dev *kdev, u32 id, s32 priority)
{
	struct ctx_msg m = { .msg.fn = do_priority, .id = id, .priority = priority };

	return kvgpu_post_killable(kdev, &m.msg);
}

int kvgpu_context_set_tokens(struct kvgpu_dev *kdev, u32 id, u32 tokens)
{
	struct ctx_msg m = { .msg.fn = do_tokens, .id = id, .tokens = tokens };

	return kvgpu_post_killable(kdev, &m.msg);
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
		return refuse(
			dir, attr->attr.name, text,
			"a number, -2147483648 to 2147483647, a higher one is more important");
	ret = kvgpu_context_set_priority(dir->kdev, dir->id, priority);
	return ret ? ret : count;
}

static struct kobj_attribute priority_attr = __ATTR_RW(priority);

static ssize_t tokens_store(struct kobject *kobj, struct kobj_attribute *attr, const char *text,
			    size_t count)
{
	static const char right[] = "a number of SMs, 0 to 1024, or: share";
	struct kvgpu_ctx_dir *dir = dir_of(kobj);
	u32 tokens;
	int ret;

	BUILD_BUG_ON(VGPU_TOKENS_MAX != 1024);
	if (sysfs_streq(text, "share"))
		tokens = VGPU_TOKENS_SHARE;
	else if (kstrtou32(text, 10, &tokens) || tokens > VGPU_TOKENS_MAX)
		return refuse(dir, attr->attr.name, text, right);
	ret = kvgpu_context_set_tokens(dir->kdev, dir->id, tokens);
	return ret ? ret : count;
}

static struct kobj_attribute tokens_attr = __ATTR_RW(tokens);

/* ---- folders ------------------------------------------------------------ */

static struct attribute *ctx_attrs[] = {
	&pid_attr.attr,
	&priority_attr.attr,
	&tokens_attr.attr,
	&clock_attr.attr,
	&fault_attr.attr,
	&queues_attr.attr,
	&modules_attr.attr,
	&mapped_bytes_attr.attr,
	&resident_bytes_attr.attr,
	&kernels_attr.attr,
	&blocks_attr.attr,
	&copies_attr.attr,
	&copied_bytes_attr.attr,
	&instructions_attr.attr,
	&sm_time_ps_attr.attr,
	&preemptions_attr.attr,
	&preemption_time_ps_attr.attr,
	&saved_bytes_attr.attr,
	&save_area_attr.attr,
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
	struct kvgpu_dev *kdev = ctx->kdev;
	struct kvgpu_ctx_dir *dir;
	int ret;

	dir = kzalloc(sizeof(*dir), GFP_KERNEL_ACCOUNT);
	if (!dir)
		return -ENOMEM;
	dir->kdev = kdev;
	dir->id = ctx->id;
	kobject_init(&dir->kobj, &dir_type);
	mutex_lock(&kdev->sysfs->contexts_lock);
	ret = -ENXIO;
	if (kdev->sysfs->contexts_dir)
		ret = kobject_add(&dir->kobj, kdev->sysfs->contexts_dir, "%u", ctx->id);
	mutex_unlock(&kdev->sysfs->contexts_lock);
	if (ret) {
		kobject_put(&dir->kobj);
		return ret;
	}
	ctx->dir = dir;
	return 0;
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
	struct kobject *dir = kdev->sysfs->contexts_dir;

	mutex_lock(&kdev->sysfs->contexts_lock);
	kdev->sysfs->contexts_dir = NULL;
	kobject_del(dir);
	mutex_unlock(&kdev->sysfs->contexts_lock);
	kobject_put(dir);
}
