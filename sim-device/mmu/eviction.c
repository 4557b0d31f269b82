// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Trace records of evictions: which pages of whom went, for whom, and when what had been written
 * there crosses the interconnect. While tracing is off nothing is done here.
 */
#include "address_space.h"

/* Pages of a record: their bytes have 32 bits. */
#define RUN_PAGES	(1u << 18)

static void emit(const struct vgpu_page_fault *fault, struct vgpu_trace_record *record)
{
	const struct vgpu_fault_request *request = &fault->request;

	record->sm = request->prefetch ? VGPU_NO_SM : (u16)request->sm;
	record->kernel = request->prefetch ? 0 : request->kernel;
	vgpu_trace_emit(fault->faults->trace, record);
}

static void emit_run(struct vgpu_eviction *e)
{
	if (e->pages)
		emit(e->fault, &(struct vgpu_trace_record){
				       .type = VGPU_TRACE_EVICT,
				       .context = e->owner,
				       .queue = e->fault->space->context,
				       .seq = e->mapping,
				       .a = e->address,
				       .b = e->pages << 32 | e->written,
			       });
	e->pages = 0;
}

void vgpu_eviction_add(struct vgpu_eviction *e, const struct vgpu_address_space *owner, u64 address,
		       u64 written)
{
	const struct vgpu_range *mapping;

	if (likely(!e->fault->faults->trace->on))
		return;
	mapping = vgpu_ranges_at(&owner->mappings, address);
	if (!VGPU_CHECK(mapping))
		return;
	if (e->owner != owner->context || e->mapping != mapping->first || e->pages == RUN_PAGES ||
	    e->address + (e->pages << VGPU_PAGE_SHIFT) != address)
		emit_run(e);
	if (!e->pages) {
		e->owner = owner->context;
		e->mapping = mapping->first;
		e->address = address;
		e->written = 0;
	}
	e->pages++;
	e->written += written;
}

void vgpu_eviction_end(struct vgpu_eviction *e, u64 written)
{
	const struct vgpu_faults *faults = e->fault->faults;

	if (likely(!faults->trace->on))
		return;
	emit_run(e);
	if (written)
		emit(e->fault, &(struct vgpu_trace_record){
				       .type = VGPU_TRACE_WRITE_BACK,
				       .context = e->fault->space->context,
				       .seq = faults->link.began[VGPU_LINK_TO_HOST],
				       .a = faults->link.free[VGPU_LINK_TO_HOST],
				       .b = written,
			       });
}
