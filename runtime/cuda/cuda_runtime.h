/* SPDX-License-Identifier: MIT */
/* For who has this folder alone among the folders of headers, as with CMake's CUDAToolkit. */
#include "../cuda_runtime.h"
