/* SPDX-License-Identifier: MIT */
/*
 * What sample programs include under this name: command lines, the stop watch, comparison of
 * arrays.
 */
#ifndef VGPU_CUDA_HELPER_FUNCTIONS_H
#define VGPU_CUDA_HELPER_FUNCTIONS_H

#include <math.h>
#include <stdio.h>

#include "helper_string.h"
#include "helper_timer.h"

static inline bool compareData(const float *reference, const float *data, unsigned int count,
			       float epsilon, float share)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < count; i++)
		wrong += !(fabsf(reference[i] - data[i]) <= epsilon);
	return (float)wrong <= share * (float)count;
}

static inline bool sdkCompareL2fe(const float *reference, const float *data, unsigned int count,
				  float epsilon)
{
	float error = 0, norm = 0;

	for (unsigned int i = 0; i < count; i++) {
		error += (reference[i] - data[i]) * (reference[i] - data[i]);
		norm += reference[i] * reference[i];
	}
	return norm > 0 && sqrtf(error) / sqrtf(norm) < epsilon;
}

#endif
