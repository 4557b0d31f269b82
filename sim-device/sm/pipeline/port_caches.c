// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The memory model "caches": the L1 of the SM and what is behind it (memsys/memsys.h). */
#include "pipeline.h"

struct caches {
	struct vgpu_port port;
	struct vgpu_memsys *memsys;
	struct vgpu_l1d *l1;
};

static struct caches *of(const struct vgpu_port *port)
{
	return (struct caches *)((unsigned long)port - offsetof(struct caches, port));
}

static struct vgpu_port *caches_open(struct vgpu_sm *sm)
{
	struct caches *caches = vgpu_mem_alloc_device(sizeof(*caches));

	if (!caches)
		return NULL;
	caches->memsys = sm->env->memsys;
	caches->l1 = vgpu_memsys_l1d(sm->env->memsys, sm->index);
	return &caches->port;
}

static void caches_close(struct vgpu_port *port)
{
	vgpu_mem_free_device(of(port));
}

static u32 caches_window(const struct vgpu_port *port)
{
	return vgpu_memsys_window(of(port)->memsys);
}

static enum vgpu_mem_result caches_access(struct vgpu_port *port,
					  const struct vgpu_mem_access *access,
					  struct vgpu_port_answer *answer)
{
	struct vgpu_mem_answer got = {};
	enum vgpu_mem_result result = vgpu_l1d_access(of(port)->l1, access, &got);

	answer->cycle = got.cycle;
	answer->data = got.data;
	return result;
}

static const struct vgpu_mem_response *caches_response(struct vgpu_port *port, u64 cycle)
{
	return vgpu_l1d_response(of(port)->l1, cycle);
}

static u64 caches_next(const struct vgpu_port *port)
{
	return vgpu_l1d_next(of(port)->l1);
}

static void caches_submit(struct vgpu_port *port)
{
	vgpu_l1d_submit(of(port)->l1);
}

static bool caches_idle(const struct vgpu_port *port)
{
	return vgpu_l1d_idle(of(port)->l1);
}

static void caches_serve(struct vgpu_port *port, u32 context)
{
	vgpu_l1d_serve(of(port)->l1, context);
}

static void caches_invalidate(struct vgpu_port *port)
{
	vgpu_l1d_refresh(of(port)->l1);
}

static void caches_disown(struct vgpu_port *port, const void *owner)
{
	vgpu_l1d_disown(of(port)->l1, owner);
}

static bool caches_apart(const struct vgpu_port *port)
{
	return vgpu_memsys_apart(of(port)->memsys);
}

static void caches_direct(struct vgpu_port *port, u64 frame, bool write)
{
	if (frame)
		vgpu_memsys_flush(of(port)->memsys, frame, write);
	vgpu_l1d_refresh(of(port)->l1);
}

const struct vgpu_memory_model vgpu_memory_caches = {
	.name = "caches",
	.open = caches_open,
	.close = caches_close,
	.window = caches_window,
	.access = caches_access,
	.response = caches_response,
	.next = caches_next,
	.submit = caches_submit,
	.idle = caches_idle,
	.serve = caches_serve,
	.invalidate = caches_invalidate,
	.disown = caches_disown,
	.apart = caches_apart,
	.direct = caches_direct,
};
