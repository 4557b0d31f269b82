// SPDX-License-Identifier: MIT
/*
 * Attributes of a device, for both front ends. See attributes.h.
 */
#include <stdio.h>

#include "attributes.h"
#include "modules/capability.h"
#include "cuda/device_attributes.h"
#include "textures/texture_limits.h"

enum {
#define ATTRIBUTE(name, number) name = number,
	VGPU_DEVICE_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
};

/* From the bandwidth: two transfers a clock of the memory. */
static int memory_clock_khz(const vgpuDeviceProperties *p)
{
	unsigned int bits = p->memory_bus_bits ? (unsigned int)p->memory_bus_bits : 256;

	return (int)(p->memory_bandwidth * 4 / bits / 1000);
}

static bool is_attribute(int attribute)
{
	switch (attribute) {
#define ATTRIBUTE(name, number) case name:
	VGPU_DEVICE_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
		return true;
	default:
		return false;
	}
}

/* False: it is none of textures and surfaces. */
static bool texture_attribute(int attribute, int *value)
{
	switch (attribute) {
	case MAXIMUM_TEXTURE1D_WIDTH:
	case MAXIMUM_TEXTURE2D_WIDTH:
	case MAXIMUM_SURFACE1D_WIDTH:
	case MAXIMUM_SURFACE2D_WIDTH: *value = RT_TEXTURE_1D; break;
	case MAXIMUM_TEXTURE2D_HEIGHT:
	case MAXIMUM_SURFACE2D_HEIGHT: *value = RT_TEXTURE_2D_HEIGHT; break;
	case MAXIMUM_TEXTURE3D_WIDTH:
	case MAXIMUM_TEXTURE3D_HEIGHT:
	case MAXIMUM_TEXTURE3D_DEPTH:
	case MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE:
	case MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE:
	case MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE:
	case MAXIMUM_SURFACE3D_WIDTH:
	case MAXIMUM_SURFACE3D_HEIGHT:
	case MAXIMUM_SURFACE3D_DEPTH: *value = RT_TEXTURE_3D; break;
	case MAXIMUM_TEXTURE1D_LAYERED_WIDTH:
	case MAXIMUM_TEXTURE2D_LAYERED_WIDTH:
	case MAXIMUM_TEXTURE2D_LAYERED_HEIGHT:
	case MAXIMUM_TEXTURE2D_GATHER_WIDTH:
	case MAXIMUM_TEXTURE2D_GATHER_HEIGHT:
	case MAXIMUM_TEXTURECUBEMAP_WIDTH:
	case MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH:
	case MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH:
	case MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH:
	case MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT:
	case MAXIMUM_SURFACE1D_LAYERED_WIDTH:
	case MAXIMUM_SURFACE2D_LAYERED_WIDTH:
	case MAXIMUM_SURFACE2D_LAYERED_HEIGHT:
	case MAXIMUM_SURFACECUBEMAP_WIDTH:
	case MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: *value = RT_TEXTURE_LAYERED; break;
	case MAXIMUM_TEXTURE1D_LAYERED_LAYERS:
	case MAXIMUM_TEXTURE2D_LAYERED_LAYERS:
	case MAXIMUM_SURFACE1D_LAYERED_LAYERS:
	case MAXIMUM_SURFACE2D_LAYERED_LAYERS: *value = RT_TEXTURE_LAYERS; break;
	case MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS:
	case MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: *value = RT_TEXTURE_CUBE_LAYERS; break;
	case MAXIMUM_TEXTURE1D_LINEAR_WIDTH: *value = RT_TEXTURE_LINEAR; break;
	case MAXIMUM_TEXTURE2D_LINEAR_WIDTH: *value = RT_TEXTURE_PITCHED; break;
	case MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: *value = RT_TEXTURE_ROWS; break;
	case MAXIMUM_TEXTURE2D_LINEAR_PITCH: *value = RT_TEXTURE_PITCH; break;
	case CAN_TEX2D_GATHER: *value = 1; break;
	default: return false;
	}
	return true;
}

void rt_device_properties(vgpuDeviceProperties *properties)
{
	const struct vgpu_device_info *info = &rt.info;

	*properties = (vgpuDeviceProperties){
		.total_memory = info->vram_bytes,
		.shared_per_block = info->shared_per_block,
		.shared_per_sm = info->shared_per_sm,
		.const_memory = 65536,
		.regs_per_block = (int)info->regs_per_sm,
		.regs_per_sm = (int)info->regs_per_sm,
		.warp_size = (int)info->warp_size,
		.threads_per_block = (int)info->threads_per_block,
		.threads_per_sm = (int)info->threads_per_sm,
		.blocks_per_sm = (int)info->blocks_per_sm,
		.block_limit = { RT_BLOCK_X, RT_BLOCK_X, RT_BLOCK_Z },
		.grid_limit = { RT_GRID_X, RT_GRID_YZ, RT_GRID_YZ },
		.sms = (int)info->sms,
		.clock_khz = (int)info->clock_khz,
		.hw_queues = (int)info->hw_queues,
		.copy_engines = info->copy_engines ? (int)info->copy_engines : 1,
		.major = (int)rt_capability() / 10,
		.minor = (int)rt_capability() % 10,
		.memory_bandwidth = info->memory_bandwidth,
		.link_bandwidth = info->link_bandwidth,
		.managed_memory = 1,
		.host_memory = rt.ops->map_host != NULL,
		.process_memory = rt.ops->process_memory,
		.memory_bus_bits = (int)info->memory_bus_bits,
		.l2_bytes = (int)info->l2_bytes,
		.shared_per_block_default = rt_default_shared(),
		.cooperative_launch = (info->launch_flags & VGPU_LAUNCH_COOPERATIVE) != 0,
	};
	snprintf(properties->name, sizeof(properties->name), "vgpu %s", info->name);
}

vgpuError_t rt_device_attribute(int attribute, const vgpuDeviceProperties *p, int device,
				int *value)
{
	switch (attribute) {
	case MAX_THREADS_PER_BLOCK: *value = p->threads_per_block; break;
	case MAX_BLOCK_DIM_X: *value = p->block_limit[0]; break;
	case MAX_BLOCK_DIM_Y: *value = p->block_limit[1]; break;
	case MAX_BLOCK_DIM_Z: *value = p->block_limit[2]; break;
	case MAX_GRID_DIM_X: *value = p->grid_limit[0]; break;
	case MAX_GRID_DIM_Y: *value = p->grid_limit[1]; break;
	case MAX_GRID_DIM_Z: *value = p->grid_limit[2]; break;
	case MAX_SHARED_MEMORY_PER_BLOCK: *value = (int)p->shared_per_block_default; break;
	case TOTAL_CONSTANT_MEMORY: *value = (int)p->const_memory; break;
	case WARP_SIZE: *value = p->warp_size; break;
	case MAX_PITCH: *value = 0x7fffffff; break;
	case MAX_REGISTERS_PER_BLOCK: *value = p->regs_per_block; break;
	case CLOCK_RATE: *value = p->clock_khz; break;
	case TEXTURE_ALIGNMENT: *value = 512; break;
	case TEXTURE_PITCH_ALIGNMENT: *value = RT_TEXTURE_PITCH_ALIGNMENT; break;
	case SURFACE_ALIGNMENT: *value = 512; break;
	case GPU_OVERLAP: *value = 1; break;
	case MULTIPROCESSOR_COUNT: *value = p->sms; break;
	case CAN_MAP_HOST_MEMORY: *value = p->host_memory; break;
	case CONCURRENT_KERNELS: *value = 1; break;
	case PCI_BUS_ID: *value = (int)rt_device_place((unsigned int)device); break;
	case MEMORY_CLOCK_RATE: *value = memory_clock_khz(p); break;
	case GLOBAL_MEMORY_BUS_WIDTH:
		*value = p->memory_bus_bits ? p->memory_bus_bits : 256;
		break;
	case L2_CACHE_SIZE: *value = p->l2_bytes; break;
	case MAX_THREADS_PER_MULTIPROCESSOR: *value = p->threads_per_sm; break;
	case ASYNC_ENGINE_COUNT: *value = p->copy_engines; break;
	case UNIFIED_ADDRESSING: *value = 1; break;
	case COMPUTE_CAPABILITY_MAJOR: *value = p->major; break;
	case COMPUTE_CAPABILITY_MINOR: *value = p->minor; break;
	case MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = (int)p->shared_per_sm; break;
	case MAX_REGISTERS_PER_MULTIPROCESSOR: *value = p->regs_per_sm; break;
	case MANAGED_MEMORY: *value = p->managed_memory; break;
	case CONCURRENT_MANAGED_ACCESS: *value = p->managed_memory; break;
	case HOST_NATIVE_ATOMIC_SUPPORTED: *value = p->host_memory; break;
	case SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: *value = 3; break;
	case PAGEABLE_MEMORY_ACCESS: *value = p->process_memory; break;
	case PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: *value = p->process_memory; break;
	case CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: *value = p->host_memory; break;
	case MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = (int)p->shared_per_block; break;
	case HOST_REGISTER_SUPPORTED: *value = 1; break;
	case READ_ONLY_HOST_REGISTER_SUPPORTED: *value = p->host_memory; break;
	case MAX_BLOCKS_PER_MULTIPROCESSOR: *value = p->blocks_per_sm; break;
	case VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED: *value = p->virtual_memory; break;
	case HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: *value = p->exports_memory; break;
	case MEMORY_POOLS_SUPPORTED: *value = 1; break;
	case MEMPOOL_SUPPORTED_HANDLE_TYPES: *value = p->exports_memory; break;
	case IPC_EVENT_SUPPORTED: *value = 1; break;
	case STREAM_PRIORITIES_SUPPORTED: *value = p->stream_priorities; break;
	case COOPERATIVE_LAUNCH: *value = p->cooperative_launch; break;
	default:
		if (texture_attribute(attribute, value))
			break;
		if (!is_attribute(attribute))
			return vgpuErrorInvalidValue;
		*value = 0;
		break;
	}
	return vgpuSuccess;
}
