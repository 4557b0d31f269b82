// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a process names by a number: a device, and an ioctl of a file. Such a number is checked
 * before it becomes an index, also where the processor speculates.
 */
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "kmod/core/core.h"

/* ---- devices ------------------------------------------------------------ */

/*
 * Who puts one into the table and takes it out is device/devices.c; a device that is not in the
 * table any more ends with its last reference.
 */
struct kvgpu_dev *kvgpu_devices[KVGPU_DEVICES_MAX];
DEFINE_MUTEX(kvgpu_devices_lock);

struct kvgpu_dev *kvgpu_dev_get(unsigned int index)
{
	struct kvgpu_dev *kdev;

	mutex_lock(&kvgpu_devices_lock);
	kdev = index < KVGPU_DEVICES_MAX ?
		       kvgpu_devices[array_index_nospec(index, KVGPU_DEVICES_MAX)] : NULL;
	if (kdev)
		kref_get(&kdev->ref);
	mutex_unlock(&kvgpu_devices_lock);
	return kdev;
}

void kvgpu_dev_put(struct kvgpu_dev *kdev)
{
	kref_put(&kdev->ref, kdev->release);
}

/* ---- ioctls ------------------------------------------------------------- */

/*
 * A file has a table of them; here their arguments are copied in, once, and answers out, so that a
 * handler sees a struct of the present size in kernel memory. Structs grow at their end: what an
 * older program does not give is 0, what a newer one gives beyond that must be.
 */

/* As much of the answer as the process has room for; the rest of its struct becomes 0. */
static int copy_answer(void __user *to, u32 room, const void *answer, u32 size)
{
	u32 both = min(room, size);

	if (copy_to_user(to, answer, both))
		return -EFAULT;
	return clear_user(to + both, room - both) ? -EFAULT : 0;
}

long kvgpu_ioctl_call(const struct kvgpu_ioctl *table, u32 count, struct file *file,
		      unsigned int cmd, void __user *user)
{
	u64 arg[KVGPU_IOCTL_BYTES / sizeof(u64)];
	const struct kvgpu_ioctl *ioctl;
	u32 room = _IOC_SIZE(cmd);
	u32 nr = _IOC_NR(cmd);
	u32 size;
	int ret;

	if (_IOC_TYPE(cmd) != VGPU_IOC_MAGIC || nr >= count)
		return -ENOTTY;
	ioctl = &table[array_index_nospec(nr, count)];
	if (!ioctl->fn || _IOC_DIR(cmd) != _IOC_DIR(ioctl->cmd))
		return -ENOTTY;
	if (room < ioctl->first)
		return -EINVAL;
	size = _IOC_SIZE(ioctl->cmd);
	if (_IOC_DIR(cmd) & _IOC_WRITE) {
		ret = copy_struct_from_user(arg, size, user, room);
		/* what has been done cannot always be undone: can an answer be written? */
		if (!ret && _IOC_DIR(cmd) & _IOC_READ)
			ret = copy_answer(user, room, arg, size);
		if (ret)
			return ret;
	} else {
		memset(arg, 0, size);
	}
	ret = ioctl->fn(file, arg);
	/* who passed a struct in may find in it what was wrong */
	if (_IOC_DIR(cmd) & _IOC_READ && (!ret || _IOC_DIR(cmd) & _IOC_WRITE) &&
	    copy_answer(user, room, arg, size))
		return -EFAULT;
	return ret;
}
