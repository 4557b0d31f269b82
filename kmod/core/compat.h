/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels this module is built for (6.1 to 6.12), and nothing else: every
 * other file is written against the newest of them.
 */
#ifndef KVGPU_COMPAT_H
#define KVGPU_COMPAT_H

#include <linux/version.h>
#include <linux/device.h>
#include <linux/eventfd.h>
#include <linux/mm.h>
#include <net/genetlink.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#else
#include <linux/io_uring/cmd.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define kvgpu_class_create(name)	class_create(THIS_MODULE, name)
#else
#define kvgpu_class_create(name)	class_create(name)
#endif

/* struct class's devnode callback: its device became const */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define KVGPU_DEVNODE_CONST
#else
#define KVGPU_DEVNODE_CONST	const
#endif

/* A kind of kobjects' get_ownership(): its kobject became const */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define KVGPU_KOBJ_CONST
#else
#define KVGPU_KOBJ_CONST	const
#endif

static inline void kvgpu_vm_flags(struct vm_area_struct *vma, unsigned long set,
				  unsigned long clear)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#else
	vm_flags_mod(vma, set, clear);
#endif
}

/* A page fault that shall be made again gives up the lock that it has. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
static inline void kvgpu_release_fault_lock(struct vm_fault *vmf)
{
	mmap_read_unlock(vmf->vma->vm_mm);
}
#else
#define kvgpu_release_fault_lock	release_fault_lock
#endif

/* Of a mapping that is no shadow stack */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define kvgpu_pte_mkwrite	pte_mkwrite
#else
#define kvgpu_pte_mkwrite	pte_mkwrite_novma
#endif

/* Pages of another process; its VMAs were an argument, too. */
static inline long kvgpu_get_user_pages_remote(struct mm_struct *mm, unsigned long address,
					       unsigned long count, unsigned int flags,
					       struct page **pages, int *locked)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
	return get_user_pages_remote(mm, address, count, flags, pages, NULL, locked);
#else
	return get_user_pages_remote(mm, address, count, flags, pages, locked);
#endif
}

/* What a command brings in its SQE: user space may still change it. */
static inline const void *kvgpu_uring_arg(const struct io_uring_cmd *cmd)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
	return cmd->cmd;
#else
	return io_uring_sqe_cmd(cmd->sqe);
#endif
}

/* io_uring calls a driver to cancel commands that were marked, when a ring or a task goes */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
static inline void kvgpu_uring_mark_cancelable(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
}
#else
#define KVGPU_URING_CANCELS
#define kvgpu_uring_mark_cancelable	io_uring_cmd_mark_cancelable
#endif

/* What a family's pre_doit() and post_doit() are told of the operation */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define kvgpu_genl_op	genl_ops
#else
#define kvgpu_genl_op	genl_split_ops
#endif

/* Attributes of the request that began a dump */
static inline struct nlattr **kvgpu_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	return genl_dumpit_info(cb)->attrs;
#else
	return genl_info_dump(cb)->attrs;
#endif
}

static inline void kvgpu_eventfd_signal(struct eventfd_ctx *eventfd)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
	eventfd_signal(eventfd, 1);
#else
	eventfd_signal(eventfd);
#endif
}

#endif
