// SPDX-License-Identifier: MIT
/*
 * Driver API: modules, libraries, and what is in them.
 */
#include <stdlib.h>

#include "api/modules/library.h"
#include "driver.h"

static struct vgpuModule *module_of(CUmodule handle)
{
	return (struct vgpuModule *)(void *)handle;
}

static struct rt_library *library_of(CUlibrary handle)
{
	return (struct rt_library *)(void *)handle;
}

static struct rt_kernel *kernel_of(CUkernel handle)
{
	return (struct rt_kernel *)(void *)handle;
}

/* A CUkernel may stand for a CUfunction. */
vgpuError_t drv_function(CUfunction handle, struct vgpuFunction **out)
{
	struct vgpuFunction *function = (struct vgpuFunction *)(void *)handle;
	struct rt_kernel *kernel = (struct rt_kernel *)(void *)handle;

	if (!handle)
		return vgpuErrorInvalidResourceHandle;
	if (rt_function_known(function)) {
		*out = function;
		return vgpuSuccess;
	}
	return rt_kernel_known(kernel) ? rt_kernel_function(kernel, out) :
					 vgpuErrorInvalidResourceHandle;
}

/* ---- modules ------------------------------------------------------------ */

static CUresult load(CUmodule *out, const void *data, size_t bytes, struct drv_jit *jit)
{
	struct vgpuModule *module = NULL;
	struct vgpu_image image;
	CUresult result = drv_enter();
	vgpuError_t error;

	if (result != CUDA_SUCCESS)
		return result;
	error = rt_image_read(data, bytes, &image);
	if (error == vgpuSuccess) {
		error = rt_module_load_image(&image, &jit->options, &module);
		vgpu_image_free(&image);
	}
	error = rt_leave(error);
	drv_jit_end(jit, error);
	if (error != vgpuSuccess)
		return drv_error(error);
	*out = (CUmodule)(void *)module;
	return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
			    CUjit_option *options, void **values)
{
	CUresult error = drv_check();
	struct drv_jit jit;

	if (error == CUDA_SUCCESS && (!module || !image))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_jit_begin(&jit, count, options, values);
	return error == CUDA_SUCCESS ? load(module, image, 0, &jit) : error;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatbin)
{
	return cuModuleLoadDataEx(module, fatbin, 0, NULL, NULL);
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
	CUresult error = drv_check();
	struct drv_jit jit;
	size_t bytes;
	void *code;

	if (error == CUDA_SUCCESS && (!module || !path))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_jit_begin(&jit, 0, NULL, NULL);
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_result(rt_code_file(path, &code, &bytes)));
	if (error != CUDA_SUCCESS)
		return error;
	error = load(module, code, bytes, &jit);
	free(code);
	return error;
}

CUresult cuModuleUnload(CUmodule module)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	error = drv_error(vgpuModuleUnload((vgpuModule_t)(void *)module));
	return error;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	struct vgpuFunction *found;
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && (!function || !name))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	error = drv_error(vgpuModuleGetFunction(&found, (vgpuModule_t)(void *)module, name));
	if (error == CUDA_SUCCESS)
		*function = (CUfunction)(void *)found;
	return error;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
	CUresult error = drv_enter();
	vgpuError_t known = vgpuSuccess;

	if (error != CUDA_SUCCESS)
		return error;
	if (!count)
		known = vgpuErrorInvalidValue;
	else if (!rt_module_known(module_of(module)))
		known = vgpuErrorInvalidResourceHandle;
	else
		*count = module_of(module)->image.program->kernel_count;
	return drv_error(rt_leave(known));
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module)
{
	CUresult error = drv_enter();
	vgpuError_t known = vgpuSuccess;

	if (error != CUDA_SUCCESS)
		return error;
	if (!functions)
		known = vgpuErrorInvalidValue;
	else if (!rt_module_known(module_of(module)))
		known = vgpuErrorInvalidResourceHandle;
	for (unsigned int i = 0; known == vgpuSuccess && i < count &&
	     i < module_of(module)->image.program->kernel_count; i++)
		functions[i] = (CUfunction)(void *)&module_of(module)->functions[i];
	return drv_error(rt_leave(known));
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module,
			      const char *name)
{
	CUresult error = drv_check();
	void *found = NULL;

	if (error == CUDA_SUCCESS && !name)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(vgpuModuleGetGlobal(&found, bytes, (vgpuModule_t)(void *)module,
						      name));
	if (error == CUDA_SUCCESS && pointer)
		*pointer = (CUdeviceptr)(uintptr_t)found;
	return error;
}

/* ---- libraries ---------------------------------------------------------- */

/* The lock is held if there is no error. */
static CUresult enter(CUresult first, bool valid)
{
	bool entered = rt_thread_entered;

	if (first == CUDA_SUCCESS && !valid)
		first = CUDA_ERROR_INVALID_VALUE;
	if (first == CUDA_SUCCESS)
		first = drv_error(rt_enter());
	rt_thread_entered = entered;
	return first;
}

static CUresult library_load(CUlibrary *out, const void *code, size_t bytes, CUjit_option *jit,
			     void **jit_values, unsigned int jit_count)
{
	struct rt_library *library = NULL;
	struct drv_jit options;
	CUresult error = drv_jit_begin(&options, jit_count, jit, jit_values);
	vgpuError_t made;

	if (error == CUDA_SUCCESS)
		error = drv_error(rt_enter());
	if (error != CUDA_SUCCESS)
		return error;
	made = rt_library_create(code, bytes, &library);
	if (made == vgpuSuccess)
		library->max_regs = options.options.max_regs;
	made = rt_leave(made);
	drv_jit_end(&options, made);
	if (made == vgpuSuccess)
		*out = (CUlibrary)(void *)library;
	return drv_error(made);
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit,
			   void **jit_values, unsigned int jit_count, CUlibraryOption *options,
			   void **values, unsigned int count)
{
	CUresult error = drv_initialised();

	(void)options, (void)values, (void)count;
	if (error == CUDA_SUCCESS && (!library || !code))
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? library_load(library, code, 0, jit, jit_values, jit_count) :
				       error;
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit,
			       void **jit_values, unsigned int jit_count, CUlibraryOption *options,
			       void **values, unsigned int count)
{
	CUresult error = drv_initialised();
	size_t bytes;
	void *code;

	(void)options, (void)values, (void)count;
	if (error == CUDA_SUCCESS && (!library || !path))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_result(rt_code_file(path, &code, &bytes)));
	if (error != CUDA_SUCCESS)
		return error;
	error = library_load(library, code, bytes, jit, jit_values, jit_count);
	free(code);
	return error;
}

CUresult cuLibraryUnload(CUlibrary library)
{
	CUresult error = enter(drv_initialised(), true);

	return error == CUDA_SUCCESS ?
		       drv_error(rt_leave(rt_library_destroy(library_of(library)))) : error;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
	CUresult error = enter(drv_initialised(), kernel && name);

	if (error != CUDA_SUCCESS)
		return error;
	return drv_error(rt_leave(rt_library_find(library_of(library), name,
						  (struct rt_kernel **)(void *)kernel)));
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
	CUresult error = enter(drv_initialised(), count);

	if (error != CUDA_SUCCESS)
		return error;
	return drv_error(rt_leave(rt_library_kernels(library_of(library), NULL, 0, count)));
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int count, CUlibrary library)
{
	CUresult error = enter(drv_initialised(), kernels);
	unsigned int found;

	if (error != CUDA_SUCCESS)
		return error;
	return drv_error(rt_leave(rt_library_kernels(library_of(library),
						     (struct rt_kernel **)(void *)kernels, count,
						     &found)));
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
	vgpuError_t loaded = vgpuErrorInvalidResourceHandle;
	CUresult error = enter(drv_check(), module);
	struct vgpuModule *found = NULL;

	if (error != CUDA_SUCCESS)
		return error;
	if (rt_library_known(library_of(library)))
		loaded = rt_library_module(library_of(library), &found);
	*module = (CUmodule)(void *)found;
	return drv_error(rt_leave(loaded));
}

static CUresult library_variable(CUdeviceptr *pointer, size_t *bytes, CUlibrary library,
				 const char *name, bool managed)
{
	CUresult error = enter(drv_check(), name);
	uint64_t address = 0, size = 0;
	vgpuError_t found;

	if (error != CUDA_SUCCESS)
		return error;
	found = rt_library_variable(library_of(library), name, managed, &address, &size);
	if (found == vgpuSuccess && pointer)
		*pointer = address;
	if (found == vgpuSuccess && bytes)
		*bytes = size;
	return drv_error(rt_leave(found));
}

CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary library,
			    const char *name)
{
	return library_variable(pointer, bytes, library, name, false);
}

CUresult cuLibraryGetManaged(CUdeviceptr *pointer, size_t *bytes, CUlibrary library,
			     const char *name)
{
	return library_variable(pointer, bytes, library, name, true);
}

/* ---- kernels of libraries ----------------------------------------------- */

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
	vgpuError_t known = vgpuErrorInvalidResourceHandle;
	CUresult error = enter(drv_check(), function);
	struct vgpuFunction *found = NULL;

	if (error != CUDA_SUCCESS)
		return error;
	if (rt_kernel_known(kernel_of(kernel)))
		known = rt_kernel_function(kernel_of(kernel), &found);
	*function = (CUfunction)(void *)found;
	return drv_error(rt_leave(known));
}

/* Either may be NULL. Needs no device. */
static CUresult look_at(CUkernel handle, CUlibrary *library, const char **name)
{
	struct rt_kernel *kernel = kernel_of(handle);
	bool known;

	if (!library && !name)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&rt_lock);
	known = rt_kernel_known(kernel);
	if (known && library)
		*library = (CUlibrary)(void *)kernel->library;
	if (known && name)
		*name = kernel->name;
	pthread_mutex_unlock(&rt_lock);
	return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
	return look_at(kernel, library, NULL);
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
	return look_at(kernel, NULL, name);
}
