// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Module handles of a context. A handle is the lowest free number, as with files; the code behind
 * it lives as long as the handle or a launch that needs it, so that a module can be unloaded while
 * its kernels run. Until then its bytes count: who loads, launches and unloads over and over holds
 * no more than who only loads.
 */
#include "device.h"

static struct vgpu_module_ref **find(const struct vgpu_context *ctx, u32 handle)
{
	if (!handle || handle > ctx->modules_room || !ctx->modules[handle - 1])
		return NULL;
	return &ctx->modules[handle - 1];
}

struct vgpu_module_ref *vgpu_module_get(struct vgpu_context *ctx, u32 handle)
{
	struct vgpu_module_ref **at = find(ctx, handle);

	if (!at)
		return NULL;
	(*at)->refs++;
	return *at;
}

void vgpu_module_put(struct vgpu_device *dev, struct vgpu_module_ref *ref)
{
	if (--ref->refs)
		return;
	ref->ctx->module_bytes -= ref->bytes;
	vgpu_vass_free(ref->code);
	vgpu_mem_free(ref);
	dev->contexts.modules--;
}

/* A free place in the table, made if there is none. */
static int free_place(struct vgpu_context *ctx, u32 *place)
{
	struct vgpu_module_ref **modules;
	u32 room;

	for (*place = 0; *place < ctx->modules_room; ++*place)
		if (!ctx->modules[*place])
			return 0;
	if (ctx->modules_room == VGPU_MODULES_MAX)
		return -ENOSPC;
	room = ctx->modules_room ? ctx->modules_room * 2 : 16;
	modules = vgpu_mem_alloc(room * sizeof(*modules));
	if (!modules)
		return -ENOMEM;
	if (ctx->modules_room)
		memcpy(modules, ctx->modules, ctx->modules_room * sizeof(*modules));
	vgpu_mem_free(ctx->modules);
	ctx->modules = modules;
	ctx->modules_room = room;
	return 0;
}

int vgpu_module_add(struct vgpu_device *dev, u32 context, struct vgpu_module *code, u32 *module)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	u32 place, bytes = vgpu_module_bytes(code);
	struct vgpu_module_ref *ref;
	int err;

	if (!ctx)
		return -ENOENT;
	if (ctx->dead)
		return -EIO;
	if (bytes > VGPU_MODULE_BYTES_MAX - ctx->module_bytes)
		return -ENOSPC;
	err = free_place(ctx, &place);
	if (err)
		return err;
	ref = vgpu_mem_alloc(sizeof(*ref));
	if (!ref)
		return -ENOMEM;
	ref->code = code;
	ref->ctx = ctx;
	ref->refs = 1;
	ref->bytes = bytes;
	ctx->module_bytes += bytes;
	ctx->modules[place] = ref;
	ctx->modules_count++;
	dev->contexts.modules++;
	*module = place + 1;
	return 0;
}

int vgpu_module_load(struct vgpu_device *dev, u32 context, const void *binary, u32 bytes,
		     char *message, size_t message_bytes, u32 *module)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);
	struct vgpu_module *code;
	int err;

	if (!ctx || ctx->dead)
		return ctx ? -EIO : -ENOENT;
	err = vgpu_vass_load(&dev->config, binary, bytes, message, message_bytes, &code);
	if (err)
		return err;
	err = vgpu_module_add(dev, context, code, module);
	if (err)
		vgpu_vass_free(code);
	return err;
}

static void drop(struct vgpu_device *dev, struct vgpu_context *ctx, struct vgpu_module_ref **at)
{
	struct vgpu_module_ref *ref = *at;

	*at = NULL;
	ctx->modules_count--;
	vgpu_module_put(dev, ref);
}

int vgpu_module_unload(struct vgpu_device *dev, u32 context, u32 module)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	struct vgpu_module_ref **at = ctx ? find(ctx, module) : NULL;

	if (!at)
		return -ENOENT;
	drop(dev, ctx, at);
	return 0;
}

void vgpu_modules_drop(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	u32 i;

	for (i = 0; i < ctx->modules_room; i++)
		if (ctx->modules[i])
			drop(dev, ctx, &ctx->modules[i]);
	vgpu_mem_free(ctx->modules);
}
