// SPDX-License-Identifier: MIT
/*
 * vgpu-run --explain: whether a program of CUDA will run, said before it is run: which runtime it
 * has, for which architectures there is code, whether the PTX compiles, which libraries it loads
 * and who has those. Looks at the file only; libraries that the program opens while it runs are not
 * seen.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compile/compile.h"
#include "fatbin/fatbin.h"
#include "fatbin/own.h"
#include "run.h"

#define ARCH	80u	/* of the newest code that a device takes, if nothing else is said */

struct program {
	struct vgpu_elf elf;
	bool shared_runtime, own_runtime, driver, nvidia;	/* libraries that it needs */
	char other_runtime[64];		/* the same of a version that vgpu has not; "" */
	bool has_code, own_code;
	bool linked;			/* of separate compilation: its PTX is apart */
	unsigned int good, bad;		/* fat binaries */
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static void *file_bytes(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "re");
	struct stat about;
	char *data = NULL;
	long size;

	if (!file)
		return NULL;
	if (!fstat(fileno(file), &about) && S_ISDIR(about.st_mode)) {
		fclose(file);
		errno = EISDIR;
		return NULL;
	}
	errno = 0;
	if (!fseek(file, 0, SEEK_END) && (size = ftell(file)) > 0 && !fseek(file, 0, SEEK_SET)) {
		data = malloc((size_t)size);
		if (data && fread(data, 1, (size_t)size, file) != (size_t)size) {
			free(data);
			data = NULL;
		}
		*bytes = (size_t)size;
	}
	fclose(file);
	return data;
}

/* ---- libraries ---------------------------------------------------------- */

/* NVIDIA's, which contain the CUDA runtime. */
static bool is_nvidias(const char *name)
{
	static const char *const names[] = { "libcublas", "libcudnn", "libcufft", "libcurand",
					     "libcusolver", "libcusparse", "libnccl", "libnpp",
					     "libcupti", "libnvJitLink", "libnvjpeg" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (begins(name, names[i]))
			return true;
	return false;
}

/* Those of NVIDIA's names that vgpu has libraries of its own for. */
static bool is_library_of_vgpu(const char *name)
{
	static const char *const names[] = {
		"libcublas.so.11",   "libcublas.so.12",	  "libcublas.so.13", "libcublasLt.so.11",
		"libcublasLt.so.12", "libcublasLt.so.13", "libcufft.so.10",  "libcufft.so.11",
		"libcufft.so.12",    "libcufftw.so.10",	  "libcufftw.so.11", "libcufftw.so.12",
		"libcurand.so.10",   "libcusparse.so.11", "libcusparse.so.12",
		"libcusolver.so.11", "libcusolver.so.12", "libnccl.so.2",
	};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void look_at_library(struct program *p, const char *name)
{
	const char *who = "the system's";

	if (begins(name, "libcudart.so")) {
		p->shared_runtime = true;
		who = "vgpu has it";
		if (strcmp(name, "libcudart.so.11.0") && strcmp(name, "libcudart.so.12") &&
		    strcmp(name, "libcudart.so.13") && strcmp(name, "libcudart.so")) {
			who = "vgpu has versions 11.0, 12 and 13 only";
			snprintf(p->other_runtime, sizeof(p->other_runtime), "%s", name);
		}
	} else if (begins(name, "libvgpu.so")) {
		p->own_runtime = true;
		who = "vgpu itself";
	} else if (begins(name, "libcuda.so")) {
		p->driver = true;
		who = "vgpu has it";
	} else if (is_library_of_vgpu(name)) {
		who = "vgpu has it";
	} else if (is_nvidias(name)) {
		p->nvidia = true;
		who = "NVIDIA's: it works with NVIDIA's driver only";
	} else if (begins(name, "libnvrtc")) {
		who = "NVIDIA's: it needs no device, and works";
	}
	printf("  library %-24s %s\n", name, who);
}

static void look_at_libraries(struct program *p)
{
	size_t bytes, names_bytes;
	const uint8_t *dynamic = vgpu_elf_section(&p->elf, ".dynamic", &bytes);
	const uint8_t *names = vgpu_elf_section(&p->elf, ".dynstr", &names_bytes);
	Elf64_Dyn entry;

	if (!dynamic || !names || !names_bytes || names[names_bytes - 1])
		return;
	for (size_t at = 0; bytes - at >= sizeof(entry); at += sizeof(entry)) {
		memcpy(&entry, dynamic + at, sizeof(entry));
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < names_bytes)
			look_at_library(p, (const char *)names + entry.d_un.d_val);
	}
}

/* ---- device code --------------------------------------------------------- */

/* The first PTX that compiles, and how many kernels it has; else why not. */
static bool try_ptx(const struct vgpu_image *image, char *text, size_t size)
{
	const struct vgpu_image_ptx *ptx;

	for (unsigned int i = 0; (ptx = vgpu_image_try(image, ARCH, false, i)); i++) {
		struct vgpu_program *program;
		char *message = NULL;

		if (!vgpu_compile_ptx(ptx->text, strlen(ptx->text), NULL, &program, &message)) {
			snprintf(text, size, "the PTX for compute_%u compiles, kernels: %u%s",
				 ptx->arch, program->kernel_count,
				 ptx->arch > ARCH ? "; it is for devices with a larger "
						    "compute_capability than 8.0, or "
						    "VGPU_STRICT_CAPABILITY=0" : "");
			vgpu_program_free(program);
			return true;
		}
		if (!i)
			snprintf(text, size, "the PTX for compute_%u does not compile: %s",
				 ptx->arch, message ? message : "out of memory");
		free(message);
	}
	return false;
}

/* nvcc links SASS without a kernel into programs. */
static bool has_kernels(const uint8_t *data, size_t bytes)
{
	struct vgpu_code code;
	bool found = false;
	size_t at = 0;

	while (!found && vgpu_fatbin_next(data, bytes, &at, &code) > 0) {
		char *text = vgpu_code_unpack(&code);

		found = text && (code.kind != VGPU_CODE_SASS ||
				 memmem(text, code.unpacked, ".text.", 6));
		free(text);
	}
	return found;
}

static void look_at_fatbin(struct program *p, unsigned int number, const uint8_t *data,
			   size_t bytes, bool linked)
{
	char message[512], text[640];
	struct vgpu_image image;
	bool good = false;
	int error = vgpu_image_read(data, bytes, ARCH, &image, message, sizeof(message));

	if (error == -ENOENT && (p->linked || !has_kernels(data, bytes)))
		return;
	if (error) {
		snprintf(text, sizeof(text), "%s", message);
	} else if (linked) {
		/* its names may be in another one: only all together compile */
		good = true;
		snprintf(text, sizeof(text), "to be linked when it is loaded");
	} else {
		good = try_ptx(&image, text, sizeof(text));
	}
	printf("  code %u: %s; %s\n", number, error ? "none that is usable" : image.contents, text);
	if (!error)
		vgpu_image_free(&image);
	p->has_code = true;
	p->good += good;
	p->bad += !good;
}

static void look_at_own(struct program *p, const uint8_t *data, size_t bytes)
{
	char names[160] = "";

	p->has_code = p->own_code = true;
	if (vgpu_own_bytes(data, bytes))
		vgpu_own_names((const void *)data, names, sizeof(names));
	printf("  code: PTX of vgpucc%s%s\n", *names ? " for " : "", names);
}

/* Fat binaries stand one behind the other, at multiples of 8. */
static void look_at_section(struct program *p, const char *name, bool linked)
{
	const uint8_t *data;
	unsigned int number = 0;
	size_t bytes, at = 0;

	data = vgpu_elf_section(&p->elf, name, &bytes);
	while (data && bytes - at >= VGPU_FATBIN_HEADER) {
		size_t all = vgpu_fatbin_bytes(data + at);

		if (bytes - at >= sizeof(struct vgpu_own) &&
		    !memcmp(data + at, VGPU_OWN_MARK, strlen(VGPU_OWN_MARK))) {
			look_at_own(p, data + at, bytes - at);
			return;
		}
		/* one that is cut off is not usable, and is said to be so */
		if (all > VGPU_FATBIN_HEADER)
			look_at_fatbin(p, ++number, data + at, all < bytes - at ? all : bytes - at,
				       linked);
		at += all && all <= bytes - at ? (all + 7) & ~(size_t)7 : 8;
		if (at > bytes)
			break;
	}
}

/* ---- what follows -------------------------------------------------------- */

static int explain_end(const struct program *p, const char *path)
{
	const char *why = NULL;
	char text[160];

	if (p->other_runtime[0]) {
		snprintf(text, sizeof(text), "vgpu has no %s: build it with CUDA 11, 12 or 13",
			 p->other_runtime);
		why = text;
	} else if (p->nvidia) {
		why = "it needs libraries of NVIDIA that work with NVIDIA's driver only";
	} else if (p->has_code && !p->shared_runtime && !p->own_runtime && !p->driver) {
		why = "NVIDIA's runtime is inside the program, and works with NVIDIA's driver "
		      "only: build it with nvcc -cudart shared (CMake: CUDA_RUNTIME_LIBRARY "
		      "Shared)";
	} else if (p->bad && !p->good && !p->own_code) {
		why = "there is no PTX for it: build it with -arch=compute_80, or a lower one";
	}
	if (why) {
		printf("%s does not run on vgpu: %s\n", path, why);
		return 1;
	}
	if (!p->has_code && !p->shared_runtime && !p->own_runtime && !p->driver) {
		printf("%s has nothing of CUDA\n", path);
		return 0;
	}
	printf("%s runs on vgpu%s%s\n", path,
	       p->bad ? ", as long as it uses no kernel of the code that does not compile" : "",
	       p->own_runtime ? "" : ", with LD_LIBRARY_PATH at the folder of libvgpu.so");
	return 0;
}

int explain_program(const char *path)
{
	struct program p = { 0 };
	size_t bytes = 0;
	void *data = file_bytes(path, &bytes);
	int status;

	if (!data) {
		fprintf(stderr, "vgpu-run: %s: %s\n", path, errno ? strerror(errno) : "is empty");
		return 2;
	}
	if (!vgpu_elf_open(data, bytes, &p.elf)) {
		fprintf(stderr, "vgpu-run: %s is no 64-bit ELF program or library\n", path);
		free(data);
		return 2;
	}
	printf("%s\n", path);
	look_at_libraries(&p);
	p.linked = vgpu_elf_section(&p.elf, "__nv_relfatbin", &bytes);
	look_at_section(&p, ".nv_fatbin", false);
	look_at_section(&p, "__nv_relfatbin", true);
	if (p.has_code)
		printf("  runtime: %s\n", p.shared_runtime ? "CUDA's, shared" :
		       p.own_runtime ? "vgpu's" : p.driver ? "none: the driver API" :
						  "CUDA's, static");
	status = explain_end(&p, path);
	free(data);
	return status;
}
