// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Frames that others than SMs touch, or that go; see memsys.h. What has arrived at L2 by now is
 * handled, and dirty bytes go to the frame. Requests that are still on their way take effect there
 * at once, in the order in which they would arrive: they keep their times, and no pointer to the
 * frame. Then L2 has no line of it, because that would not be what the frame has.
 */
#include "coherent/coherent.h"
#include "hierarchy.h"

void vgpu_memsys_apply_one(struct vgpu_mem_request *request)
{
	switch (request->kind) {
	case VGPU_MEM_LOAD:
		memcpy(request->data, request->bytes, VGPU_LINE);
		break;
	case VGPU_MEM_STORE:
		vgpu_mask_copy(request->bytes, request->data, request->mask);
		break;
	default:
		request->atomic->apply(request->atomic, request->bytes);
	}
	request->bytes = NULL;
}

static bool is_on(const struct vgpu_mem_request *request, u64 frame)
{
	return request->bytes && request->physical >> VGPU_FRAME_LINE_BITS == frame;
}

/* The first on its way from @l1 to @frame; NULL: none */
static struct vgpu_mem_request *first_of(const struct vgpu_l1d *l1, u64 frame)
{
	struct vgpu_mem_request *request = l1->outbox.head;

	while (request && !is_on(request, frame))
		request = request->next;
	return request;
}

/* The next on its way to @frame; NULL: none */
static struct vgpu_mem_request *next_of(const struct vgpu_memsys *memsys, u64 frame)
{
	struct vgpu_mem_request *first = NULL, *other;

	for (u32 n = 0; n < memsys->delayed.count; n++) {
		other = memsys->delayed.entries[n].request;
		if (is_on(other, frame) && (!first || other->at < first->at ||
					    (other->at == first->at && other->seq < first->seq)))
			first = other;
	}
	for (u32 n = 0; n < memsys->config->sms; n++) {
		other = first_of(&memsys->l1s[n], frame);
		if (other && (!first || other->at < first->at))
			first = other;
	}
	return first;
}

void vgpu_memsys_apply(struct vgpu_memsys *memsys, u64 frame)
{
	struct vgpu_mem_request *request;

	while ((request = next_of(memsys, frame)))
		vgpu_memsys_apply_one(request);
}

/* L2 has nothing of @frame that its bytes do not have; and nothing at all if @drop. */
static void clean_frame(struct vgpu_memsys *memsys, u64 frame, bool drop)
{
	for (u32 n = 0; n < VGPU_FRAME_LINES; n++) {
		u64 physical = frame << VGPU_FRAME_LINE_BITS | n;
		struct vgpu_partition *p = vgpu_partition_of(memsys, physical);
		u32 at = vgpu_partition_find(memsys, p, physical);

		if (at == ~0u)
			continue;
		vgpu_partition_clean(memsys, p, at);
		if (drop)
			p->tags[at] = 0;
	}
}

void vgpu_memsys_flush(struct vgpu_memsys *memsys, u64 frame, bool write)
{
	struct vgpu_mem_request *request;

	vgpu_memsys_catch_up(memsys);
	if (unlikely(memsys->coherent)) {
		vgpu_cc_flush(memsys, frame, write);
		return;
	}
	request = next_of(memsys, frame);
	clean_frame(memsys, frame, write || request);
	for (; request; request = next_of(memsys, frame))
		vgpu_memsys_apply_one(request);
}

void vgpu_memsys_forget(struct vgpu_memsys *memsys, u64 frame)
{
	vgpu_memsys_flush(memsys, frame, true);
	for (u32 n = 0; n < memsys->config->sms; n++)
		vgpu_l1d_drop_frame(&memsys->l1s[n], frame);
	vgpu_memsys_replace(memsys);
}

void vgpu_memsys_replace(struct vgpu_memsys *memsys)
{
	if (likely(!memsys->coherent))
		return;
	vgpu_memsys_catch_up(memsys);
	vgpu_cc_replace(memsys);
}

void vgpu_memsys_flush_all(struct vgpu_memsys *memsys)
{
	u32 lines = memsys->sets * memsys->config->l2_ways;

	vgpu_memsys_catch_up(memsys);
	for (u32 n = 0; n < memsys->config->l2_partitions; n++)
		for (u32 at = 0; at < lines; at++)
			if (memsys->partitions[n].tags[at])
				vgpu_partition_clean(memsys, &memsys->partitions[n], at);
}
