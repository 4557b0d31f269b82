// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls by number. A file has a table of them; here their arguments are copied in, once, and
 * answers out, so that a handler sees a struct of the present size in kernel memory. Structs grow
 * at their end: what an older program does not give is 0, what a newer one gives beyond that must
 * be.
 */
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "kmod/core/core.h"

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
