// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The memory model "flat": no caches. An access has its effect when it is sent and is answered
 * memory_latency_cycles later, however many there are. For unit tests and the timelines of Tanasic
 * 6.3, of which everything is known; it is deterministic, but what SMs do to each other within a
 * window happens in the order of the SMs.
 */
#include "../../sim/text.h"
#include "pipeline.h"

#define WINDOW	32u	/* cycles: chosen, as there is no interconnect */

struct flat {
	struct vgpu_port port;
	struct vgpu_mem_atomic atomic;
};

static struct vgpu_port *flat_open(struct vgpu_sm *sm)
{
	struct flat *flat = vgpu_mem_alloc_device(sizeof(*flat));

	(void)sm;
	return flat ? &flat->port : NULL;
}

static void flat_close(struct vgpu_port *port)
{
	vgpu_mem_free_device(vgpu_container_of(port, struct flat, port));
}

static u32 flat_window(const struct vgpu_port *port)
{
	(void)port;
	return WINDOW;
}

static void store(u8 *line, const u8 *data, const u64 mask[2])
{
	if (!(~mask[0] | ~mask[1])) {
		memcpy(line, data, VGPU_LINE);
		return;
	}
	for (u32 n = 0; n < VGPU_LINE; n += 4) {
		u32 bits = mask[n / 64] >> n % 64 & 15;

		if (bits == 15)
			memcpy(line + n, data + n, 4);
		else
			for (; bits; bits &= bits - 1)
				line[n + (u32)__builtin_ctz(bits)] =
					data[n + (u32)__builtin_ctz(bits)];
	}
}

static enum vgpu_mem_result flat_access(struct vgpu_port *port,
					const struct vgpu_mem_access *access,
					struct vgpu_port_answer *answer)
{
	struct flat *flat = vgpu_container_of(port, struct flat, port);

	answer->cycle = access->cycle + port->config->memory_latency_cycles;
	switch (access->kind) {
	case VGPU_MEM_LOAD:
		answer->data = access->line;
		break;
	case VGPU_MEM_STORE:
		store(access->line, access->data, access->mask);
		break;
	case VGPU_MEM_ATOMIC:
		vgpu_mem_atomic_copy(&flat->atomic, access->atomic);
		flat->atomic.apply(&flat->atomic, access->line);
		answer->atomic = &flat->atomic;
		break;
	default:
		/* everything before it has had its effect */
		answer->cycle = access->cycle;
		break;
	}
	return VGPU_MEM_DONE;
}

static const struct vgpu_mem_response *flat_response(struct vgpu_port *port, u64 cycle)
{
	(void)port;
	(void)cycle;
	return NULL;
}

static u64 flat_next(const struct vgpu_port *port)
{
	(void)port;
	return VGPU_NEVER;
}

static void flat_nothing(struct vgpu_port *port)
{
	(void)port;
}

static bool flat_idle(const struct vgpu_port *port)
{
	(void)port;
	return true;
}

static void flat_serve(struct vgpu_port *port, u32 context)
{
	(void)port;
	(void)context;
}

static void flat_disown(struct vgpu_port *port, const void *owner)
{
	(void)port;
	(void)owner;
}

const struct vgpu_memory_model vgpu_memory_flat = {
	.name = "flat",
	.open = flat_open,
	.close = flat_close,
	.window = flat_window,
	.access = flat_access,
	.response = flat_response,
	.next = flat_next,
	.submit = flat_nothing,
	.idle = flat_idle,
	.serve = flat_serve,
	.invalidate = flat_nothing,
	.disown = flat_disown,
};

/* ---- all of them -------------------------------------------------------------- */

static const struct vgpu_memory_model *const models[] = { &vgpu_memory_flat, &vgpu_memory_caches };

const struct vgpu_memory_model *vgpu_memory_model_find(const char *name)
{
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(models); i++)
		if (vgpu_text_is(name, models[i]->name))
			return models[i];
	return NULL;
}
