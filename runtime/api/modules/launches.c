// SPDX-License-Identifier: MIT
/*
 * Launches by kernels. Their pool is mapped when the first module that needs it is loaded, and
 * serves all modules of the context. Each such module has a table of its kernels, by which device
 * code finds what the device calls them.
 */
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "grid.h"
#include "launch.h"
#include "launch/launch.h"
#include "launches.h"

#define DEFAULT_LIMIT	2048u	/* as CUDA's */
#define LEAST_SLOTS	16u

static uint32_t launch_limit(void)
{
	return rt.by_kernels.limit ? rt.by_kernels.limit : DEFAULT_LIMIT;
}

static uint32_t slots_of(uint32_t limit)
{
	uint32_t slots = LEAST_SLOTS;

	while (slots < limit)
		slots *= 2;
	return slots;
}

static uint64_t row_at(uint64_t pool)
{
	return pool + sizeof(struct vgpu_launch_pool);
}

static uint64_t records_at(uint64_t pool, uint32_t slots)
{
	return row_at(pool) + ((uint64_t)slots * 4 + 63) / 64 * 64;
}

static vgpuError_t write_memory(uint64_t to, const void *from, uint64_t bytes)
{
	struct rt_queue *queue = rt.default_stream.queue;
	vgpuError_t error = rt_flush(queue);

	return error != vgpuSuccess ? error :
		rt_copy_held(queue, VGPU_CMD_COPY_H2D, to, (uint64_t)(uintptr_t)from, bytes);
}

static vgpuError_t map_pool(void)
{
	uint32_t slots = slots_of(launch_limit());
	struct vgpu_launch_pool pool = { .slots = slots };
	uint64_t bytes = records_at(0, slots) + slots * sizeof(struct vgpu_launch_record);
	vgpuError_t error = rt_alloc_private(bytes, &rt.by_kernels.base);

	if (error == vgpuErrorMemoryAllocation)
		rt_message("device memory has no room for the launches of kernels: "
			   "cudaLimitDevRuntimePendingLaunchCount is %u, which takes %llu bytes",
			   launch_limit(), (unsigned long long)bytes);
	if (error == vgpuSuccess)
		error = write_memory(rt.by_kernels.base, &pool, sizeof(pool));
	return error;
}

static size_t table_bytes(const struct vgpu_program *program)
{
	return sizeof(struct vgpu_launch_table) +
	       program->kernel_count * sizeof(struct vgpu_launch_kernel);
}

vgpuError_t rt_launches_link(struct vgpuModule *module)
{
	struct vgpu_program *program = module->image.program;
	uint32_t slots = slots_of(launch_limit());
	struct vgpu_launch launch;
	vgpuError_t error = rt.by_kernels.base ? vgpuSuccess : map_pool();

	if (error == vgpuSuccess)
		error = rt_alloc_private(table_bytes(program), &module->launch_table);
	if (error != vgpuSuccess)
		return error;
	launch = (struct vgpu_launch){
		.pool = rt.by_kernels.base,
		.row = row_at(rt.by_kernels.base),
		.records = records_at(rt.by_kernels.base, slots),
		.table = module->launch_table,
		.mask = slots - 1,
		.most = launch_limit(),
	};
	memcpy(program->data + program->launch_offset, &launch, sizeof(launch));
	return vgpuSuccess;
}

void rt_launches_patch(const struct vgpu_program *program)
{
	for (uint32_t k = 0; program->uses_launch && k < program->kernel_count; k++) {
		const struct vgpu_program_binary *binary = vgpu_program_binary_of(program, k);
		struct vgpu_vass_header header;
		struct vgpu_vass_kernel *row;

		memcpy(&header, binary->bytes, sizeof(header));
		row = (struct vgpu_vass_kernel *)(binary->bytes + header.kernel_offset) +
		      (k - binary->first_kernel);
		if (!program->kernels[k].uses_launch)
			continue;
		row->launch_pool[0] = (uint32_t)rt.by_kernels.base;
		row->launch_pool[1] = (uint32_t)(rt.by_kernels.base >> 32);
	}
}

static uint32_t constant_bytes(const struct vgpu_program *program)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < program->symbol_count; i++)
		if (program->symbols[i].constant)
			bytes += program->symbols[i].size;
	return (uint32_t)bytes;
}

static void fill_device(struct vgpu_launch_table *table)
{
	uint64_t limits[VGPU_LAUNCH_LIMITS] = {
		rt.stack_limit ? rt.stack_limit : VGPU_STACK_BYTES, rt.printf.limit,
		rt.malloc.limit, 0, launch_limit(),
	};
	vgpuDeviceProperties properties;

	table->device = (uint32_t)rt_device();
	table->grid_limit[0] = RT_GRID_X;
	table->grid_limit[1] = table->grid_limit[2] = RT_GRID_YZ;
	table->block_limit[0] = table->block_limit[1] = RT_BLOCK_X;
	table->block_limit[2] = RT_BLOCK_Z;
	table->threads_per_block = rt.info.threads_per_block;
	table->threads_per_sm = rt.info.threads_per_sm;
	table->blocks_per_sm = rt.info.blocks_per_sm;
	table->regs_per_sm = rt.info.regs_per_sm;
	memcpy(table->shared_steps, rt.info.shared_config, 5 * sizeof(table->shared_steps[0]));
	table->shared_steps[5] = rt.info.shared_per_sm;
	memcpy(table->limits, limits, sizeof(limits));
	rt_device_properties(&properties);
	for (int i = 1; i < VGPU_LAUNCH_ATTRIBUTES; i++)
		rt_device_attribute(i, &properties, (int)table->device, &table->attributes[i]);
}

/*
 * What a launch of kernel @k runs, with the stack that the program has set: blocks of one warp
 * leave it all its registers.
 */
static const struct vgpu_program_kernel *launched(struct vgpuModule *module, uint32_t k,
						  struct vgpu_launch_kernel *out)
{
	const struct vgpuFunction function = { .module = module, .index = k };
	uint32_t number;
	const struct rt_image *image = rt_image_for(&function, 32, &number);

	if (!image) {
		image = &module->image;
		number = k;
	}
	return rt_image_kernel(image, number, &out->module, &out->kernel);
}

vgpuError_t rt_launches_tell(struct vgpuModule *module)
{
	const struct vgpu_program *program = module->image.program;
	size_t bytes = table_bytes(program);
	struct vgpu_launch_table *table = calloc(1, bytes);
	vgpuError_t error;

	if (!table)
		return vgpuErrorMemoryAllocation;
	table->count = program->kernel_count;
	table->constant_bytes = constant_bytes(program);
	fill_device(table);
	for (uint32_t k = 0; k < program->kernel_count; k++) {
		struct vgpu_launch_kernel *out = &table->kernels[k];
		const struct vgpu_program_kernel *kernel = launched(module, k, out);

		out->param_bytes = kernel->vass.param_bytes;
		out->regs = kernel->vass.regs;
		out->shared_bytes = kernel->vass.shared_bytes;
		out->local_bytes = kernel->vass.local_bytes;
		out->max_threads = kernel->vass.max_threads ? kernel->vass.max_threads :
							      rt.info.threads_per_block;
		out->max_shared = rt_default_shared();
	}
	error = write_memory(module->launch_table, table, bytes);
	free(table);
	return error;
}

vgpuError_t rt_launches_tell_all(void)
{
	vgpuError_t error = vgpuSuccess;

	for (struct vgpuModule *module = rt.modules; module && error == vgpuSuccess;
	     module = module->next)
		if (module->launch_table)
			error = rt_launches_tell(module);
	return error;
}

void rt_launches_unlink(struct vgpuModule *module)
{
	if (module->launch_table)
		rt_alloc_free_private(module->launch_table);
	module->launch_table = 0;
}

void rt_launches_reset(void)
{
	memset(&rt.by_kernels, 0, sizeof(rt.by_kernels));
}

vgpuError_t rt_launches_set_limit(size_t count)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (rt.by_kernels.base) {
		rt_message("how many launches of kernels may be pending cannot change after a "
			   "module with such kernels was loaded; call cudaDeviceReset() first");
		return rt_leave(vgpuErrorInvalidValue);
	}
	if (!count || count > VGPU_LAUNCH_SLOTS_MAX) {
		rt_message("%zu pending launches of kernels: from 1 to %u are possible", count,
			   VGPU_LAUNCH_SLOTS_MAX);
		return rt_leave(vgpuErrorInvalidValue);
	}
	rt.by_kernels.limit = (uint32_t)count;
	return rt_leave(vgpuSuccess);
}

static uint64_t limit(void)
{
	return launch_limit();
}

vgpuError_t rt_launches_get_limit(size_t *count)
{
	return rt_give_limit(limit, count);
}
