// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that goes wrong on demand, for the tests of tools/vgpu-vm: each way is one that
 * vgpu-vm has to notice. Touches nothing.
 */
#include <linux/module.h>

static char *how = "";
module_param(how, charp, 0444);

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
	return 0;
}

static void __exit faulty_exit(void)
{
}

module_init(faulty_init);
module_exit(faulty_exit);
MODULE_DESCRIPTION("goes wrong on demand");
MODULE_LICENSE("GPL");
