/* SPDX-License-Identifier: MIT */
/* It defines what <type_traits> declares, std::swap, which is therefore the device's, too. */
#pragma GCC system_header
#if defined(__clang__) && defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#include_next <bits/move.h>
#pragma clang force_cuda_host_device end
#else
#include_next <bits/move.h>
#endif
