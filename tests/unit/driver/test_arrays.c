// SPDX-License-Identifier: MIT
/*
 * Arrays, texture and surface objects of the driver API: what they say of themselves, copies by
 * offset and box, how integers are read, and what is refused.
 */
#include "drv_rig.h"

#define W 4
#define H 3

static CUarray new_array(CUarray_format format, unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR desc = {
		.Width = W, .Height = H, .Format = format, .NumChannels = 1, .Flags = flags
	};
	CUarray array;

	OK(cuArray3DCreate(&array, &desc));
	return array;
}

static void arrays_are_copied(void **state)
{
	CUcontext context = drv_begin();
	CUarray array = new_array(CU_AD_FORMAT_UNSIGNED_INT8, 0);
	CUarray other = new_array(CU_AD_FORMAT_UNSIGNED_INT8, 0);
	unsigned char from[W * H], to[W * H];
	CUDA_ARRAY_DESCRIPTOR desc;
	CUDA_MEMCPY2D box = {
		.srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array, .srcXInBytes = 1,
		.srcY = 1, .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, .dstPitch = 2,
		.WidthInBytes = 2, .Height = 2,
	};

	(void)state;
	for (int i = 0; i < W * H; i++)
		from[i] = (unsigned char)(i + 1);
	OK(cuArrayGetDescriptor(&desc, array));
	assert_int_equal(desc.Width, W);
	assert_int_equal(desc.Height, H);
	assert_int_equal(desc.Format, CU_AD_FORMAT_UNSIGNED_INT8);
	assert_int_equal(desc.NumChannels, 1);
	OK(cuMemcpyHtoA(array, 0, from, W * H));
	/* bytes 3 to 8 are in three rows */
	OK(cuMemcpyAtoH(to, array, 3, 6));
	assert_memory_equal(to, from + 3, 6);
	OK(cuMemcpy2D(&box));
	assert_int_equal(to[0], 6);
	assert_int_equal(to[1], 7);
	assert_int_equal(to[2], 10);
	assert_int_equal(to[3], 11);
	OK(cuMemcpyAtoA(other, 5, array, 2, 7));
	OK(cuMemcpyAtoH(to, other, 5, 7));
	assert_memory_equal(to, from + 2, 7);
	REFUSED(cuMemcpyHtoA(array, 10, from, 3), CUDA_ERROR_INVALID_VALUE);
	box.srcXInBytes = 3;
	REFUSED(cuMemcpy2D(&box), CUDA_ERROR_INVALID_VALUE);
	OK(cuArrayDestroy(array));
	REFUSED(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
	REFUSED(cuMemcpyHtoA(array, 0, from, 1), CUDA_ERROR_INVALID_HANDLE);
	OK(cuArrayDestroy(other));
	drv_end(context);
}

static void graphs_copy_them(void **state)
{
	CUcontext context = drv_begin();
	CUarray array = new_array(CU_AD_FORMAT_UNSIGNED_INT8, 0);
	unsigned char from[W * H], to[4] = { 0 };
	CUDA_MEMCPY3D in = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array,
		.WidthInBytes = W, .Height = H, .Depth = 1,
	}, out = {
		.srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array, .srcXInBytes = 1,
		.srcY = 1, .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, .dstPitch = 2,
		.WidthInBytes = 2, .Height = 2, .Depth = 1,
	}, found;
	CUgraphNode first, second;
	CUgraphExec exec;
	CUgraph graph;

	(void)state;
	for (int i = 0; i < W * H; i++)
		from[i] = (unsigned char)(i + 1);
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddMemcpyNode(&first, graph, NULL, 0, &in, context));
	OK(cuGraphAddMemcpyNode(&second, graph, &first, 1, &out, context));
	OK(cuGraphMemcpyNodeGetParams(second, &found));
	assert_int_equal(found.srcMemoryType, CU_MEMORYTYPE_ARRAY);
	assert_ptr_equal(found.srcArray, array);
	assert_int_equal(found.srcXInBytes, 1);
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuGraphLaunch(exec, NULL));
	OK(cuCtxSynchronize());
	assert_int_equal(to[0], 6);
	assert_int_equal(to[1], 7);
	assert_int_equal(to[2], 10);
	assert_int_equal(to[3], 11);
	out.srcXInBytes = 3;
	REFUSED(cuGraphMemcpyNodeSetParams(second, &out), CUDA_ERROR_INVALID_VALUE);
	OK(cuArrayDestroy(array));
	REFUSED(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_HANDLE);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	drv_end(context);
}

static void objects_say_what_they_are(void **state)
{
	CUcontext context = drv_begin();
	CUarray bytes = new_array(CU_AD_FORMAT_SIGNED_INT8, CUDA_ARRAY3D_SURFACE_LDST);
	CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_ARRAY }, found;
	CUDA_TEXTURE_DESC desc = {
		.addressMode = { CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_MIRROR },
		.filterMode = CU_TR_FILTER_MODE_LINEAR, .flags = CU_TRSF_NORMALIZED_COORDINATES,
	}, said;
	CUtexObject texture;
	CUsurfObject surface;

	(void)state;
	resource.res.array.hArray = bytes;
	/* integers of 8 bits are floats, which can be filtered, unless a flag says otherwise */
	OK(cuTexObjectCreate(&texture, &resource, &desc, NULL));
	OK(cuTexObjectGetResourceDesc(&found, texture));
	assert_int_equal(found.resType, CU_RESOURCE_TYPE_ARRAY);
	assert_ptr_equal(found.res.array.hArray, bytes);
	OK(cuTexObjectGetTextureDesc(&said, texture));
	assert_int_equal(said.addressMode[1], CU_TR_ADDRESS_MODE_MIRROR);
	assert_int_equal(said.flags, CU_TRSF_NORMALIZED_COORDINATES);
	OK(cuTexObjectDestroy(texture));
	REFUSED(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
	desc.flags |= CU_TRSF_READ_AS_INTEGER;
	REFUSED(cuTexObjectCreate(&texture, &resource, &desc, NULL), CUDA_ERROR_INVALID_VALUE);
	OK(cuSurfObjectCreate(&surface, &resource));
	OK(cuSurfObjectGetResourceDesc(&found, surface));
	assert_ptr_equal(found.res.array.hArray, bytes);
	OK(cuSurfObjectDestroy(surface));
	OK(cuArrayDestroy(bytes));
	resource.res.array.hArray = bytes = new_array(CU_AD_FORMAT_FLOAT, 0);
	REFUSED(cuSurfObjectCreate(&surface, &resource), CUDA_ERROR_INVALID_VALUE);
	OK(cuArrayDestroy(bytes));
	drv_end(context);
}

static void mipmaps_have_levels(void **state)
{
	CUcontext context = drv_begin();
	CUDA_ARRAY3D_DESCRIPTOR desc = {
		.Width = 8, .Height = 4, .Format = CU_AD_FORMAT_HALF, .NumChannels = 2
	};
	CUmipmappedArray mipmap;
	CUarray level, again;

	(void)state;
	OK(cuMipmappedArrayCreate(&mipmap, &desc, 4));
	OK(cuMipmappedArrayGetLevel(&level, mipmap, 2));
	OK(cuMipmappedArrayGetLevel(&again, mipmap, 2));
	assert_ptr_equal(level, again);
	OK(cuArray3DGetDescriptor(&desc, level));
	assert_int_equal(desc.Width, 2);
	assert_int_equal(desc.Height, 1);
	REFUSED(cuMipmappedArrayGetLevel(&level, mipmap, 4), CUDA_ERROR_INVALID_VALUE);
	REFUSED(cuArrayDestroy(again), CUDA_ERROR_INVALID_VALUE);
	OK(cuMipmappedArrayDestroy(mipmap));
	REFUSED(cuArrayGetDescriptor(&(CUDA_ARRAY_DESCRIPTOR){ 0 }, again),
		CUDA_ERROR_INVALID_HANDLE);
	drv_end(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_are_copied),
		cmocka_unit_test(graphs_copy_them),
		cmocka_unit_test(objects_say_what_they_are),
		cmocka_unit_test(mipmaps_have_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
