/* SPDX-License-Identifier: MIT */
/*
 * CUDA gives the word __noinline__ a meaning that libstdc++'s __attribute__((__noinline__)) in this
 * header cannot take: out of sight while it is read.
 */
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
