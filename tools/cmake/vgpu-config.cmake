# SPDX-License-Identifier: MIT
#
# find_package(vgpu): the target vgpu::vgpu, its runtime with the CUDA functions of the host, for C and
# C++; VGPU_CUDA_COMPILER, for CMAKE_CUDA_COMPILER, and VGPU_TOOLKIT, for CUDAToolkit_ROOT. It has to be
# found before project() or enable_language(CUDA) for these two to matter.
get_filename_component(_vgpu_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
# Distributions have a folder for each architecture in between.
if(NOT EXISTS "${_vgpu_prefix}/share/vgpu/toolkit")
	get_filename_component(_vgpu_prefix "${_vgpu_prefix}/.." ABSOLUTE)
endif()
set(VGPU_CUDA_COMPILER "${_vgpu_prefix}/bin/vgpucc")
set(VGPU_TOOLKIT "${_vgpu_prefix}/share/vgpu/toolkit")
# What is built finds the libraries: CMake leaves the folders out that it takes for the compiler's own.
list(APPEND CMAKE_BUILD_RPATH "${VGPU_TOOLKIT}/lib64")
if(NOT TARGET vgpu::vgpu)
	# UNKNOWN: before project() CMake does not know of shared libraries. The folder gets into the RPATH
	# where vgpucc does not make the linker look there.
	add_library(vgpu::vgpu UNKNOWN IMPORTED)
	set_target_properties(vgpu::vgpu PROPERTIES
		IMPORTED_LOCATION "${VGPU_TOOLKIT}/lib64/libvgpu.so"
		INTERFACE_INCLUDE_DIRECTORIES "${_vgpu_prefix}/include/vgpu;${_vgpu_prefix}/include/vgpu/cuda")
endif()
unset(_vgpu_prefix)
