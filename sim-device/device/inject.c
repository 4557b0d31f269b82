// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Faults that root injects, so that monitors have something to find. They act as the host does, not
 * in an event of the model: contexts that end by them end as by any call of the host, whatever
 * their blocks are doing, and others are left as they are. The numbers are those of NVIDIA's list
 * of XIDs, as far as monitors act on them.
 */
#include "device.h"

/* What a context ends with by an XID; VGPU_FAULT_NONE: it is said, and nothing ends. */
static u32 reason_of(u32 xid)
{
	switch (xid) {
	case 31:	/* page fault of the MMU */
		return VGPU_FAULT_UNMAPPED;
	case 8:		/* a channel has stopped */
	case 109:	/* a context switch has not ended */
		return VGPU_FAULT_WATCHDOG;
	case 48:	/* an error of two bits */
	case 94:	/* an error that is contained in a process */
	case 95:	/* one that is not */
		return VGPU_FAULT_ECC;
	case 13:	/* exception of the graphics engine */
	case 32:	/* invalid push buffer */
	case 43:	/* a process has been stopped */
	case 45:	/* channels are being removed */
	case 68:
	case 69:	/* exceptions of other engines */
		return VGPU_FAULT_ENGINE;
	default:
		return VGPU_FAULT_NONE;
	}
}

#define XID_OFFLINE	79u
#define XID_ECC		48u
#define XID_HANG	8u

/* The context of the kernel that has been executing for longest; 0: there is none. */
static u32 oldest(const struct vgpu_device *dev)
{
	const struct vgpu_ksr *ksr;

	vgpu_list_for_each(ksr, &dev->exec.active_queue, struct vgpu_ksr, node)
		if (ksr->started && !ksr->launch.stopped)
			return ksr->launch.context;
	return 0;
}

static void end_all(struct vgpu_device *dev, u32 reason)
{
	const struct vgpu_fault fault = { .reason = reason };

	/* none is closed, so places in the list stay */
	for (u32 i = 0; i < dev->contexts.count; i++)
		vgpu_context_end(dev, dev->contexts.list[i]->id, &fault);
}

/* A page of device memory is nobody's from now on, if one is free. */
static void retire_page(struct vgpu_device *dev)
{
	if (dev->config.vram_bytes - dev->mmu.promised < VGPU_PAGE_SIZE)
		return;
	dev->mmu.promised += VGPU_PAGE_SIZE;
	dev->retired_pages++;
}

static int end_one(struct vgpu_device *dev, u32 context, u32 reason)
{
	const struct vgpu_fault fault = { .reason = reason };

	if (!context)
		context = oldest(dev);
	return context ? vgpu_context_end(dev, context, &fault) : -ENOENT;
}

static int inject_ecc(struct vgpu_device *dev, u32 context)
{
	int err = end_one(dev, context, VGPU_FAULT_ECC);

	if (err)
		return err;
	dev->ecc_uncorrected++;
	retire_page(dev);
	return 0;
}

static int inject_xid(struct vgpu_device *dev, u32 xid, u32 context)
{
	u32 reason = reason_of(xid);

	if (!xid || xid > VGPU_XID_MAX)
		return -EINVAL;
	if (reason == VGPU_FAULT_ECC)
		return inject_ecc(dev, context);
	if (reason)
		return end_one(dev, context, reason);
	return !context || vgpu_context_find(dev, context) ? 0 : -ENOENT;
}

/* 79 is what VGPU_INJECT_OFFLINE says; both are the same. */
static bool goes_offline(const struct vgpu_injection *what)
{
	return what->kind == VGPU_INJECT_OFFLINE ||
	       (what->kind == VGPU_INJECT_XID && what->xid == XID_OFFLINE);
}

static int inject(struct vgpu_device *dev, const struct vgpu_injection *what, u32 *xid)
{
	if (goes_offline(what)) {
		*xid = XID_OFFLINE;
		dev->offline = true;
		end_all(dev, VGPU_FAULT_OFFLINE);
		return 0;
	}
	switch (what->kind) {
	case VGPU_INJECT_XID:
		*xid = what->xid;
		return inject_xid(dev, what->xid, what->context);
	case VGPU_INJECT_ECC_CORRECTED:
		dev->ecc_corrected++;
		return 0;
	case VGPU_INJECT_ECC_UNCORRECTED:
		*xid = XID_ECC;
		return inject_ecc(dev, what->context);
	case VGPU_INJECT_HANG:
		*xid = XID_HANG;
		return end_one(dev, what->context, VGPU_FAULT_WATCHDOG);
	default:
		return -EINVAL;
	}
}

int vgpu_device_inject(struct vgpu_device *dev, const struct vgpu_injection *what, u32 *xid)
{
	int err;

	*xid = 0;
	if (what->kind == VGPU_INJECT_RECOVER) {
		dev->offline = false;
		return 0;
	}
	if (dev->offline)
		return -ESHUTDOWN;
	err = inject(dev, what, xid);
	if (err || !*xid)
		return err;
	dev->last_xid = *xid;
	dev->xids++;
	return 0;
}
