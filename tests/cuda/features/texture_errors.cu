/* SPDX-License-Identifier: MIT */
/*
 * texture_errors: descriptions that make no texture or surface, questions about objects, and
 * kernels that use an object which is gone: these end with a trap, and the context with them.
 */
#include "texture_reference.h"

#define W 8
#define H 4

__global__ void fetch(cudaTextureObject_t texture, float *out)
{
	*out = tex2D<float>(texture, 1, 1);
}

__global__ void write(cudaSurfaceObject_t surface, int x)
{
	surf2Dwrite(1.0f, surface, x, 0);
}

template <class T> static cudaArray_t new_array(unsigned int flags = 0)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
	cudaArray_t array;

	CHECK(cudaMallocArray(&array, &format, W, H, flags));
	return array;
}

static cudaResourceDesc of_array(cudaArray_t array)
{
	cudaResourceDesc resource = {};

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	return resource;
}

static void check_samplings(void)
{
	cudaArray_t bytes = new_array<unsigned char>(), words = new_array<int>();
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModeLinear, false);
	cudaResourceDesc resource = of_array(bytes);
	cudaTextureObject_t object;

	EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &desc, NULL),
		     cudaErrorInvalidFilterSetting);
	desc.readMode = cudaReadModeNormalizedFloat;
	CHECK(cudaCreateTextureObject(&object, &resource, &desc, NULL));
	CHECK(cudaDestroyTextureObject(object));
	resource = of_array(words);
	EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &desc, NULL),
		     cudaErrorInvalidNormSetting);
	desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
	desc.addressMode[1] = (cudaTextureAddressMode)4;
	EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &desc, NULL),
		     cudaErrorInvalidValue);
	desc.addressMode[1] = cudaAddressModeClamp;
	desc.sRGB = 1;
	EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &desc, NULL),
		     cudaErrorNotSupported);
	CHECK(cudaFreeArray(words));
	desc.sRGB = 0;
	EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &desc, NULL),
		     cudaErrorInvalidResourceHandle);
	EXPECT_ERROR(cudaCreateTextureObject(NULL, &resource, &desc, NULL), cudaErrorInvalidValue);
	CHECK(cudaFreeArray(bytes));
}

__global__ void last_texel(cudaTextureObject_t object, int last, float *out)
{
	*out = tex1Dfetch<float2>(object, last).y;
}

static void check_memory(void)
{
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
	float *memory = device_new<float>(1024);
	cudaResourceDesc resource = {};
	cudaTextureObject_t object;

	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = memory;
	resource.res.linear.sizeInBytes = 4096;
	resource.res.linear.desc = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
	EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &desc, NULL),
		     cudaErrorInvalidChannelDescriptor);
	resource.res.linear.desc = cudaCreateChannelDesc<float2>();
	resource.res.linear.devPtr = memory + 1;
	EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &desc, NULL),
		     cudaErrorInvalidValue);
	resource.res.linear.devPtr = memory + 1024 * 1024 * 1024;
	EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &desc, NULL),
		     cudaErrorInvalidValue);
	/* it may reach beyond the memory, whose last texel is there */
	resource.res.linear.devPtr = memory + 2;
	resource.res.linear.sizeInBytes = 1 << 24;
	CHECK(cudaMemset(memory + 1022, 0x40, 8));
	CHECK(cudaCreateTextureObject(&object, &resource, &desc, NULL));
	(void)cudaGetLastError();
	last_texel<<<1, 1>>>(object, 4096 / 8 - 2, memory);
	CHECK_LAUNCH();
	float got;
	CHECK(cudaMemcpy(&got, memory, sizeof(got), cudaMemcpyDeviceToHost));
	EXPECT(got == 3.00392150878906250f);
	CHECK(cudaDestroyTextureObject(object));
	resource.resType = cudaResourceTypePitch2D;
	resource.res.pitch2D.devPtr = memory;
	resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
	resource.res.pitch2D.width = 10;
	resource.res.pitch2D.height = 4;
	resource.res.pitch2D.pitchInBytes = 36;
	EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &desc, NULL),
		     cudaErrorInvalidValue);
	resource.res.pitch2D.pitchInBytes = 32;
	EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &desc, NULL),
		     cudaErrorInvalidValue);
	resource.res.pitch2D.pitchInBytes = 64;
	CHECK(cudaCreateTextureObject(&object, &resource, &desc, NULL));
	CHECK(cudaDestroyTextureObject(object));
	CHECK(cudaFree(memory));
}

static void check_questions(void)
{
	cudaTextureDesc desc = sampling(cudaAddressModeMirror, cudaFilterModeLinear, true), found;
	cudaArray_t array = new_array<float2>();
	cudaTextureObject_t object;
	cudaResourceViewDesc view;
	cudaResourceDesc resource;

	desc.borderColor[2] = 2;
	desc.maxMipmapLevelClamp = 3;
	object = texture_of(array, desc);
	CHECK(cudaGetTextureObjectResourceDesc(&resource, object));
	EXPECT(resource.resType == cudaResourceTypeArray && resource.res.array.array == array);
	CHECK(cudaGetTextureObjectTextureDesc(&found, object));
	EXPECT(found.addressMode[1] == cudaAddressModeMirror && found.normalizedCoords == 1 &&
	       found.filterMode == cudaFilterModeLinear && found.borderColor[2] == 2 &&
	       found.maxMipmapLevelClamp == 3);
	EXPECT_ERROR(cudaGetTextureObjectResourceViewDesc(&view, object), cudaErrorInvalidValue);
	CHECK(cudaDestroyTextureObject(object));
	EXPECT_ERROR(cudaDestroyTextureObject(object), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGetTextureObjectResourceDesc(&resource, object), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaDestroySurfaceObject(object), cudaErrorInvalidValue);
	resource = of_array(array);
	EXPECT_ERROR(cudaCreateSurfaceObject(&object, &resource), cudaErrorInvalidValue);
	CHECK(cudaFreeArray(array));
}

/* The kernel that was launched last ends with @want, and the context begins anew. */
static void expect_end(cudaError_t want)
{
	EXPECT_ERROR(cudaDeviceSynchronize(), want);
	CHECK(cudaDeviceReset());
}

static void check_gone(void)
{
	cudaTextureDesc desc = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
	cudaArray_t array = new_array<float>(cudaArraySurfaceLoadStore);
	cudaTextureObject_t texture = texture_of(array, desc);
	cudaSurfaceObject_t surface;
	cudaResourceDesc resource;

	CHECK(cudaDestroyTextureObject(texture));
	fetch<<<1, 1>>>(texture, device_new<float>(1));
	expect_end(cudaErrorLaunchFailure);

	array = new_array<float>();
	texture = texture_of(array, desc);
	CHECK(cudaFreeArray(array));
	fetch<<<1, 1>>>(texture, device_new<float>(1));
	expect_end(cudaErrorLaunchFailure);

	array = new_array<float>(cudaArraySurfaceLoadStore);
	texture = texture_of(array, desc);
	write<<<1, 1>>>(texture, 0);
	expect_end(cudaErrorLaunchFailure);

	array = new_array<float>(cudaArraySurfaceLoadStore);
	resource = of_array(array);
	CHECK(cudaCreateSurfaceObject(&surface, &resource));
	write<<<1, 1>>>(surface, (W - 1) * 4);
	CHECK(cudaDeviceSynchronize());
	write<<<1, 1>>>(surface, W * 4 - 3);
	expect_end(cudaErrorLaunchFailure);
	EXPECT_ERROR(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
	EXPECT_ERROR(cudaDestroySurfaceObject(surface), cudaErrorInvalidValue);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "texture_errors", NULL, 0, 0, 0);
	check_samplings();
	check_memory();
	check_questions();
	cudaGetLastError();
	check_gone();
	return finish();
}
