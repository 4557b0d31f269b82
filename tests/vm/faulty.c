// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that goes wrong on demand, for the tests of tools/vgpu-vm: each way is one that
 * vgpu-vm has to notice, the later ones only in kernels that check for them. Touches its own
 * memory, and a byte behind it.
 */
#include <asm/fpu/api.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/timer.h>

static char *how = "";
module_param(how, charp, 0444);

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);

struct object {
	struct timer_list timer;
};

static void expired(struct timer_list *timer)
{
}

static void lock_order(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void sleep_in_atomic(void)
{
	spin_lock(&spin);
	msleep(1);
	spin_unlock(&spin);
}

static void write_behind(void)
{
	u8 *bytes = kmalloc(32, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(bytes);
	if (bytes)
		bytes[32] = 1;
	kfree(bytes);
}

static void free_armed_timer(void)
{
	struct object *object = kzalloc(sizeof(*object), GFP_KERNEL);

	if (!object)
		return;
	timer_setup(&object->timer, expired, 0);
	mod_timer(&object->timer, jiffies + 1000 * HZ);
	kfree(object);
}

static void fpu_twice(void)
{
	kernel_fpu_begin();
	kernel_fpu_begin();
	kernel_fpu_end();
	kernel_fpu_end();
}

static u64 racy;

static int count_racily(void *unused)
{
	while (!kthread_should_stop()) {
		racy++;
		cond_resched();
	}
	return 0;
}

static void race(void)
{
	struct task_struct *other = kthread_run(count_racily, NULL, "faulty");
	unsigned long end = jiffies + 3 * HZ;

	if (IS_ERR(other))
		return;
	while (time_before(jiffies, end)) {
		racy++;
		cond_resched();
	}
	kthread_stop(other);
}

static int __init faulty_init(void)
{
	pr_info("faulty: how=%s\n", how);
	if (!strcmp(how, "warn"))
		WARN(1, "faulty: asked to warn\n");
	else if (!strcmp(how, "bug"))
		BUG();
	else if (!strcmp(how, "null"))
		WRITE_ONCE(*(int *)NULL, 1);
	else if (!strcmp(how, "hold"))
		__module_get(THIS_MODULE);
	else if (!strcmp(how, "refuse"))
		return -EINVAL;
	else if (!strcmp(how, "order"))
		lock_order();
	else if (!strcmp(how, "atomic"))
		sleep_in_atomic();
	else if (!strcmp(how, "behind"))
		write_behind();
	else if (!strcmp(how, "object"))
		free_armed_timer();
	else if (!strcmp(how, "fpu"))
		fpu_twice();
	else if (!strcmp(how, "race"))
		race();
	return 0;
}

static void __exit faulty_exit(void)
{
}

module_init(faulty_init);
module_exit(faulty_exit);
MODULE_DESCRIPTION("goes wrong on demand");
MODULE_LICENSE("GPL");
