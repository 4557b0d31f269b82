// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading: module parameters become a configuration, and that the devices that come
 * with the module. A parameter that makes no sense refuses the load with a line that says what
 * would be right.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "kmod/device/device.h"
#include "kmod/policy/bpf_ops.h"
#include "kmod/policy/policy.h"

static char *preset = KVGPU_PRESET;
module_param(preset, charp, 0444);
MODULE_PARM_DESC(preset,
	"shape of the devices: v100 (default), k20c, tanasic-ch6, gtx980, a100, h100, etc, rcc");

static unsigned int devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "number of devices, 1 to 16");

static unsigned int vram_mb;
module_param(vram_mb, uint, 0444);
MODULE_PARM_DESC(
	vram_mb,
	"memory of a device in MiB; default: the preset's, at most half of this machine's");

static char *system = "";
module_param(system, charp, 0444);
MODULE_PARM_DESC(system,
	"name of a system whose devices share one clock; default: each has its own");

static int workers = -1;
module_param(workers, int, 0444);
MODULE_PARM_DESC(workers,
	"threads that execute kernels with that of each device: 0 to 64, at most one for each SM; "
	"-1 (default): the processors less one");

static char *set = "";
module_param(set, charp, 0444);
MODULE_PARM_DESC(set, "fields of the configuration: field=value,field=value");

/* ---- configuration ------------------------------------------------------ */

void kvgpu_refuse_preset(const char *name_given)
{
	char known[128] = "";
	const char *name;
	unsigned int i;

	for (i = 0; (name = vgpu_config_preset_name(i)); i++) {
		strlcat(known, " ", sizeof(known));
		strlcat(known, name, sizeof(known));
	}
	pr_err("preset \"%.40s\" is not known; it is one of:%s\n", name_given, known);
}

/* The fields of set=, one by one. */
static int config_fields(struct vgpu_config *config)
{
	char *copy = kstrdup(set, GFP_KERNEL);
	char *rest = copy, *field, *value;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	while (!ret && (field = strsep(&rest, ",")) != NULL) {
		if (!*field)
			continue;
		value = strchr(field, '=');
		if (!value) {
			pr_err("set: \"%s\" is not of the form field=value\n", field);
			ret = -EINVAL;
			break;
		}
		*value++ = 0;
		ret = vgpu_config_set(config, field, value);
		if (ret == -ENOENT)
			pr_err("set: unknown field \"%s\"; struct vgpu_config lists the fields\n",
			       field);
		else if (ret)
			pr_err("set: %s does not take \"%s\"; a number or a name\n",
			       field, value);
	}
	kfree(copy);
	return ret;
}

/* Device memory is frames of this machine's. */
static u64 machine_bytes(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

void kvgpu_config_vram(struct vgpu_config *config)
{
	config->vram_bytes = min(config->vram_bytes, round_down(machine_bytes() / 2, 1ull << 20));
}

const char *kvgpu_config_check(const struct vgpu_config *config)
{
	const char *wrong;

	/* it looks for its policy */
	mutex_lock(&kvgpu_policies_lock);
	wrong = vgpu_config_check(config);
	mutex_unlock(&kvgpu_policies_lock);
	if (!wrong && config->vram_bytes > machine_bytes())
		wrong = "vram_bytes is more than the memory of this machine";
	return wrong;
}

/* Half of the machine's, unless somebody asks for more. */
static void config_vram(struct vgpu_config *config, u64 of_preset)
{
	if (vram_mb) {
		config->vram_bytes = (u64)vram_mb << 20;
	} else if (config->vram_bytes == of_preset) {
		kvgpu_config_vram(config);
		if (config->vram_bytes < of_preset)
			pr_info("devices have %llu MiB, half of this machine's, not %llu (%s)\n",
				config->vram_bytes >> 20, of_preset >> 20, preset);
	}
}

static int config_make(struct vgpu_config *config)
{
	const char *wrong;
	u64 of_preset;
	int ret;

	if (!devices || devices > KVGPU_DEVICES_MAX) {
		pr_err("devices=%u is out of range; it is 1 to %u\n", devices, KVGPU_DEVICES_MAX);
		return -EINVAL;
	}
	if (workers < -1 || workers > (int)KVGPU_WORKERS_MOST) {
		pr_err("workers=%d is out of range; it is 0 to %u, or -1 (processors less one)\n",
		       workers, KVGPU_WORKERS_MOST);
		return -EINVAL;
	}
	ret = kvgpu_system_check_name(system);
	if (ret)
		return ret;
	ret = vgpu_config_preset(config, preset);
	if (ret) {
		kvgpu_refuse_preset(preset);
		return -EINVAL;
	}
	of_preset = config->vram_bytes;
	ret = config_fields(config);
	if (ret)
		return ret == -ENOMEM ? ret : -EINVAL;
	config_vram(config, of_preset);
	wrong = kvgpu_config_check(config);
	if (wrong) {
		pr_err("invalid configuration: %s\n", wrong);
		return -EINVAL;
	}
	return 0;
}

/* ---- loading and unloading ---------------------------------------------- */

static int devices_add(const struct vgpu_config *config)
{
	struct kvgpu_dev *kdev;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < devices && !ret; i++)
		ret = kvgpu_dev_add(config, system, &kdev);
	return ret;
}

/*
 * A module that fails to load goes without asking who uses it. So what a process can get hold of
 * comes last, when nothing can fail any more: open files, and folders of configfs. Attributes and
 * netlink are different: their removal waits for who is inside.
 */
static int __init kvgpu_init(void)
{
	struct vgpu_config config;
	int ret;

	ret = config_make(&config);
	if (ret)
		return ret;
	workers = workers < 0 ? min(num_online_cpus() - 1, KVGPU_WORKERS_MOST) : workers;
	workers = min_t(u32, workers, config.sms);
	ret = kvgpu_workers_start(workers);
	if (ret)
		return ret;
	ret = kvgpu_sysfs_init();
	if (ret)
		goto workers;
	ret = kvgpu_trace_init();
	if (ret)
		goto sysfs;
	ret = kvgpu_netlink_init();
	if (ret)
		goto trace;
	ret = kvgpu_devices_init();
	if (ret)
		goto netlink;
	ret = devices_add(&config);
	if (ret)
		goto devices;
	ret = kvgpu_configfs_init();
	if (ret)
		goto devices;
	ret = kvgpu_bpf_init();
	if (ret)
		goto configfs;
	ret = kvgpu_devices_open();
	if (ret)
		goto configfs;
	kvgpu_configfs_open();
	pr_info("%u device%s, preset %s, %u SMs, %llu MiB\n", devices, devices == 1 ? "" : "s",
		config.name, config.sms, config.vram_bytes >> 20);
	return 0;
configfs:
	kvgpu_configfs_exit();
devices:
	kvgpu_devices_exit();
netlink:
	kvgpu_netlink_exit();
trace:
	kvgpu_trace_exit();
sysfs:
	kvgpu_sysfs_exit();
workers:
	kvgpu_workers_stop();
	return ret;
}

static void __exit kvgpu_exit(void)
{
	kvgpu_devices_close();
	kvgpu_configfs_exit();
	kvgpu_devices_exit();
	kvgpu_netlink_exit();
	kvgpu_trace_exit();
	kvgpu_sysfs_exit();
	kvgpu_workers_stop();
}

module_init(kvgpu_init);
module_exit(kvgpu_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A software GPU that several programs share");
