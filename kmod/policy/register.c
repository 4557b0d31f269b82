// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: Policies and mechanisms of other modules
 *
 * A module that registers one uses vgpu.ko, which therefore stays. It may go itself at any time,
 * also while a device has its policy selected: a policy is an experiment, and its author wants to
 * load the next version. So no device holds its module. The devices go on without it.
 */
#include <linux/lockdep.h>

#include "kmod/policy/policy.h"
#include "kmod/policy/vgpu_module.h"

DEFINE_MUTEX(kvgpu_policies_lock);
static LIST_HEAD(attached);	/* struct kvgpu_dev, under kvgpu_policies_lock */

void kvgpu_policies_attach(struct kvgpu_dev *kdev)
{
	lockdep_assert_held(&kvgpu_policies_lock);
	list_add_tail(&kdev->attached, &attached);
}

void kvgpu_policies_detach(struct kvgpu_dev *kdev)
{
	mutex_lock(&kvgpu_policies_lock);
	list_del(&kdev->attached);
	mutex_unlock(&kvgpu_policies_lock);
}

/* ---- what is said ---------------------------------------------------------- */

static int report(const char *what, const char *name, const struct module *owner, int error)
{
	const char *module = owner->name;
	const char *right = "a name of letters, digits, -, _ and ., and what vgpu_policy.h demands";

	switch (error) {
	case 0:
		pr_info("vgpu: %s %s of module %s is registered\n", what, name, module);
		break;
	case -EEXIST:
		pr_err("vgpu: there is a %s %s; the one of module %s needs another name\n", what,
		       name, module);
		break;
	case -ENOSPC:
		pr_err("vgpu: %s %s of module %s: 16 from outside are there, and no more may be\n",
		       what, name, module);
		break;
	default:
		pr_err("vgpu: a %s of module %s is not registered: it needs %s\n", what, module,
		       right);
	}
	return error;
}

/* ---- policies -------------------------------------------------------------- */

int kvgpu_policy_register(const struct vgpu_policy *policy, struct module *owner)
{
	int ret;

	mutex_lock(&kvgpu_policies_lock);
	ret = vgpu_policy_add(policy);
	mutex_unlock(&kvgpu_policies_lock);
	return report("policy", policy->name, owner, ret);
}
EXPORT_SYMBOL_GPL(kvgpu_policy_register);

static int do_drop_policy(struct kvgpu_dev *kdev, void *policy)
{
	vgpu_device_drop_policy(kdev->model, policy);
	return 0;
}

static int do_drop_preemption(struct kvgpu_dev *kdev, void *preemption)
{
	vgpu_device_drop_preemption(kdev->model, preemption);
	return 0;
}

static void drop(int (*fn)(struct kvgpu_dev *kdev, void *what), const void *what)
{
	struct kvgpu_dev *kdev;

	lockdep_assert_held(&kvgpu_policies_lock);
	list_for_each_entry(kdev, &attached, attached)
		kvgpu_actor_call(kdev, fn, (void *)(uintptr_t)what);
}

void vgpu_policy_unregister(const struct vgpu_policy *policy)
{
	mutex_lock(&kvgpu_policies_lock);
	vgpu_policy_remove(policy);
	drop(do_drop_policy, policy);
	mutex_unlock(&kvgpu_policies_lock);
	pr_info("vgpu: policy %s is unregistered\n", policy->name);
}
EXPORT_SYMBOL_GPL(vgpu_policy_unregister);

/* ---- mechanisms ------------------------------------------------------------ */

int kvgpu_preemption_register(const struct vgpu_preemption *preemption, struct module *owner)
{
	int ret;

	mutex_lock(&kvgpu_policies_lock);
	ret = vgpu_preemption_add(preemption);
	mutex_unlock(&kvgpu_policies_lock);
	return report("preemption mechanism", preemption->name, owner, ret);
}
EXPORT_SYMBOL_GPL(kvgpu_preemption_register);

void vgpu_preemption_unregister(const struct vgpu_preemption *preemption)
{
	mutex_lock(&kvgpu_policies_lock);
	vgpu_preemption_remove(preemption);
	drop(do_drop_preemption, preemption);
	mutex_unlock(&kvgpu_policies_lock);
	pr_info("vgpu: preemption mechanism %s is unregistered\n", preemption->name);
}
EXPORT_SYMBOL_GPL(vgpu_preemption_unregister);
