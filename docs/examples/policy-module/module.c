// SPDX-License-Identifier: GPL-2.0-only
/*
 * A policy of a module of its own: edf.c for every device of vgpu.ko.
 */
#include "vgpu_module.h"
#include "vgpu_policy_file.h"

static int __init edf_init(void)
{
	return vgpu_policy_register(vgpu_policy_file.policy);
}

static void __exit edf_exit(void)
{
	vgpu_policy_unregister(vgpu_policy_file.policy);
}

module_init(edf_init);
module_exit(edf_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Earliest deadline first, a scheduling policy for vgpu");
