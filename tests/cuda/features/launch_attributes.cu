/* SPDX-License-Identifier: MIT */
/*
 * launch_attributes: which attributes of a launch are accepted, and which are refused: by number
 * and the first word of the value. The driver API has the same list (tests/unit/driver).
 */
#include "../common.h"

__global__ void count(unsigned int *sum)
{
	atomicAdd(sum, 1u);
}

/* Waits for the launch before it, if it may have begun before that was over. */
__global__ void copy_sum(const unsigned int *sum, unsigned int *copy)
{
#if !defined(__CUDACC_VER_MAJOR__) || __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
	*copy = *sum;
	cudaTriggerProgrammaticLaunchCompletion();
#else
	*copy = *sum;
#endif
}

static const struct {
	cudaLaunchAttributeID id;
	unsigned int first_word;
	bool refused;
} attributes[] = {
	{ cudaLaunchAttributeIgnore, 7, false },
	{ cudaLaunchAttributeAccessPolicyWindow, 7, false },
	{ cudaLaunchAttributeCooperative, 1, false },
	{ cudaLaunchAttributeSynchronizationPolicy, 1, false },
	{ cudaLaunchAttributeClusterDimension, 1, false },
	{ cudaLaunchAttributeClusterDimension, 2, true },
	{ cudaLaunchAttributeClusterSchedulingPolicyPreference, 1, false },
	{ cudaLaunchAttributeProgrammaticStreamSerialization, 1, false },
	{ cudaLaunchAttributeProgrammaticEvent, 0, true },
	{ cudaLaunchAttributePriority, (unsigned int)-2, false },
	{ (cudaLaunchAttributeID)9, 1, false },		/* domains of memory */
	{ (cudaLaunchAttributeID)10, 1, false },
	{ (cudaLaunchAttributeID)11, 2, true },		/* preferred cluster */
	{ (cudaLaunchAttributeID)12, 0, true },		/* event at the start */
	{ (cudaLaunchAttributeID)13, 1, true },		/* node that kernels update */
	{ (cudaLaunchAttributeID)13, 0, false },
	{ (cudaLaunchAttributeID)14, 50, false },	/* shared memory */
	{ (cudaLaunchAttributeID)16, 1, false },	/* links */
	{ (cudaLaunchAttributeID)15, 0, true },
	{ (cudaLaunchAttributeID)99, 0, true },
};

int main(int argc, char **argv)
{
	unsigned int *sum = device_new<unsigned int>(1), got, want = 0;
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute;
	unsigned int *copy = device_new<unsigned int>(1);
	void *arguments[] = { &sum }, *more[] = { &sum, &copy };

	parse_size(argc, argv, "launch_attributes", NULL, 0, 0, 0);
	config.gridDim = dim3(2);
	config.blockDim = dim3(1);
	config.attrs = &attribute;
	config.numAttrs = 1;
	CHECK(cudaMemset(sum, 0, sizeof(*sum)));
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
		cudaError_t error, wanted;

		memset(&attribute, 0, sizeof(attribute));
		attribute.val.clusterDim.x = attributes[i].first_word;
		attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
		attribute.id = attributes[i].id;
		wanted = attributes[i].refused ? cudaErrorNotSupported : cudaSuccess;
		error = cudaLaunchKernelExC(&config, (const void *)count, arguments);
		if (error != wanted)
			mismatch("attribute %d of %u: %s, expected %s", attributes[i].id,
				 attributes[i].first_word, cudaGetErrorName(error),
				 cudaGetErrorName(wanted));
		cudaGetLastError();
		want += attributes[i].refused ? 0 : 2;
	}
	CHECK(cudaMemcpy(&got, sum, sizeof(got), cudaMemcpyDeviceToHost));
	EXPECT(got == want);
	memset(&attribute, 0, sizeof(attribute));
	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = 1;
	count<<<100, 1>>>(sum);
	CHECK(cudaLaunchKernelExC(&config, (const void *)copy_sum, more));
	CHECK(cudaMemcpy(&got, copy, sizeof(got), cudaMemcpyDeviceToHost));
	EXPECT(got == want + 100);
	CHECK(cudaFree(sum));
	CHECK(cudaFree(copy));
	return finish();
}
