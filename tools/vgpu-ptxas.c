// SPDX-License-Identifier: MIT
/*
 * vgpu-ptxas: compile PTX as the runtime will when the program runs, and say what comes out or why
 * it does not. vgpucc calls it, so that what is not supported is an error of the compilation.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compile/compile.h"
#include "runtime/fatbin/fatbin.h"
#include "runtime/fatbin/own.h"
#include "sim-device/vgpu_device.h"

static void usage(FILE *out)
{
	fprintf(out,
		"usage: vgpu-ptxas [--resource-usage] [--maxregs N] [--source NAME] "
		"[--managed NAME]... [--disassemble] FILE.ptx\n"
		"       vgpu-ptxas --link FILE...\n"
		"  --resource-usage   registers, memory, spills and occupancy of each kernel; "
		"VGPU_PRESET selects the device\n"
		"  --maxregs N        maximum registers per thread, 16 to %u\n"
		"  --source NAME      name of the source file for messages\n"
		"  --managed NAME     this variable is a __managed__ one of the host's code\n"
		"  --disassemble      print the code\n"
		"  --link FILE...     look whether the device code in objects and archives "
		"(vgpucc -rdc=true) can be linked\n"
		"exit status: 0 success, 1 the file could not be read or is invalid, 2 wrong "
		"usage\n",
		VGPU_VASS_MAX_REGS);
}

/* Any address in the process will do. */
#define MANAGED_ADDRESS	0x7f0000000000ull

static bool add_managed(struct vgpu_compile_options *options, struct vgpu_placed_symbol **list,
			const char *name)
{
	size_t bytes = (options->placed_count + 1) * sizeof(**list);
	struct vgpu_placed_symbol *grown = realloc(*list, bytes);

	if (!grown)
		return false;
	grown[options->placed_count++] = (struct vgpu_placed_symbol){ name, MANAGED_ADDRESS };
	options->placed = *list = grown;
	return true;
}

static char *read_file(const char *path, size_t *length)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	long size;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0 && !fseek(file, 0, SEEK_SET)) {
		text = malloc((size_t)size + 1);
		if (text) {
			*length = fread(text, 1, (size_t)size, file);
			text[*length] = 0;
		}
	}
	fclose(file);
	return text;
}

static unsigned int occupancy(const struct vgpu_config *config,
			      const struct vgpu_vass_kernel *kernel, unsigned int threads)
{
	unsigned int blocks = config->blocks_per_sm, shared = config->shared_per_sm;

#define AT_MOST(n) (blocks = blocks < (n) ? blocks : (n))
	for (unsigned int i = 0; i < VGPU_ARRAY_SIZE(config->shared_steps); i++)
		if (kernel->shared_bytes > shared)
			shared = config->shared_steps[i] ? config->shared_steps[i] : shared;
	AT_MOST(config->threads_per_sm / threads);
	AT_MOST(config->regs_per_sm / (kernel->regs * threads));
	if (kernel->shared_bytes)
		AT_MOST(shared / kernel->shared_bytes);
#undef AT_MOST
	return blocks;
}

/* Of a kernel that is compiled again when it is launched with the largest blocks. */
static void print_usage_again(const char *ptx, size_t length, struct vgpu_compile_options options,
			      const struct vgpu_program_kernel *kernel,
			      const struct vgpu_config *config)
{
	unsigned int most = config->regs_per_sm / kernel->vass.regs / 32 * 32;
	struct vgpu_program *program;
	char *message = NULL;

	if (kernel->vass.max_threads || most >= config->threads_per_block)
		return;
	options.only = kernel->name;
	options.max_regs = config->regs_per_sm / config->threads_per_block;
	if (vgpu_compile_ptx(ptx, length, &options, &program, &message)) {
		fprintf(stderr, "  blocks of more than %u threads do not run: %s\n", most,
			message ? message : "out of memory");
		free(message);
		return;
	}
	fprintf(stderr,
		"  blocks of more than %u threads run with fewer registers: %u and %u bytes "
		"spilled for %u threads\n",
		most, program->kernels[0].vass.regs, program->kernels[0].spilled_bytes,
		config->threads_per_block);
	vgpu_program_free(program);
}

static void print_usage_of_kernels(const char *ptx, size_t length,
				   const struct vgpu_compile_options *options,
				   const struct vgpu_program *program,
				   const struct vgpu_config *config)
{
	for (uint32_t i = 0; i < program->kernel_count; i++) {
		const struct vgpu_program_kernel *kernel = &program->kernels[i];
		const struct vgpu_vass_kernel *vass = &kernel->vass;
		unsigned int threads = vass->max_threads && vass->max_threads < 256 ?
					       (vass->max_threads + 31) / 32 * 32 :
					       256;
		unsigned int blocks = occupancy(config, vass, threads);

		fprintf(stderr, "kernel %s:\n", kernel->name);
		fprintf(stderr,
			"  %u registers (%u live at once), %u bytes shared, %u bytes local of "
			"which %u spilled, "
			"%u bytes parameters, %u instructions\n",
			vass->regs, kernel->max_live, vass->shared_bytes, vass->local_bytes,
			kernel->spilled_bytes, vass->param_bytes, vass->code_count);
		fprintf(stderr, "  %s: %u blocks of %u threads on an SM, %u of %u threads (%u%%)\n",
			config->name, blocks, threads, blocks * threads, config->threads_per_sm,
			blocks * threads * 100 / config->threads_per_sm);
		print_usage_again(ptx, length, *options, kernel, config);
	}
	if (program->data_bytes)
		fprintf(stderr, "variables: %llu bytes\n", (unsigned long long)program->data_bytes);
}

static void disassemble(const struct vgpu_program *program)
{
	char text[128];

	for (uint32_t i = 0; i < program->kernel_count; i++) {
		const struct vgpu_program_kernel *kernel = &program->kernels[i];
		const struct vgpu_insn *code = vgpu_program_code(program, i);

		printf("%s:\n", kernel->name);
		for (uint32_t pc = 0; pc < kernel->vass.code_count; pc++) {
			uint32_t line = kernel->ptx_line ? kernel->ptx_line[pc] : 0;

			vgpu_disassemble(&code[pc], text, sizeof(text));
			printf("%6u  %-40s // %s line %u\n", pc, text,
			       line & VGPU_LINE_LIBRARY ? "library" : "ptx",
			       line & ~(VGPU_LINE_LIBRARY | VGPU_LINE_PRINT | VGPU_LINE_TEXTURE |
				       VGPU_LINE_LAUNCH));
		}
	}
}

/* ---- separate compilation ------------------------------------------------ */

/* @paths: of the files that they are from; @texts: of the architecture that is looked at */
struct parts {
	const struct vgpu_own **images;
	const char **texts, **paths;
	const char *path;		/* that is being read */
	unsigned int count;
};

static bool add_part(struct parts *parts, const struct vgpu_own *image)
{
	size_t count = parts->count + 1;
	const struct vgpu_own **images = realloc(parts->images, count * sizeof(*images));
	const char **texts = realloc(parts->texts, count * sizeof(*texts));
	const char **paths = realloc(parts->paths, count * sizeof(*paths));

	parts->images = images ? images : parts->images;
	parts->texts = texts ? texts : parts->texts;
	parts->paths = paths ? paths : parts->paths;
	if (!images || !texts || !paths)
		return false;
	images[parts->count] = image;
	paths[parts->count++] = parts->path;
	return true;
}

static bool is_archive(const char *path)
{
	size_t length = strlen(path);

	return length > 2 && !strcmp(path + length - 2, ".a");
}

/* The messages of nvlink, which build systems and people know. */
static void tell_twice(void *of, const char *name, size_t length, unsigned int module,
		       unsigned int first)
{
	const struct parts *parts = of;

	fprintf(stderr,
		"nvlink error   : Multiple definition of '%.*s' in '%s', first defined in '%s'\n",
		(int)length, name, parts->paths[module], parts->paths[first]);
}

static void tell_missing(void *of, const char *name, size_t length, unsigned int module,
			 unsigned int first)
{
	const struct parts *parts = of;

	(void)first;
	fprintf(stderr, "nvlink error   : Undefined reference to '%.*s' in '%s'\n", (int)length,
		name, parts->paths[module]);
}

/* As nvlink: objects may not define a name twice. Of an archive a member is for who needs it. */
static bool are_apart(const struct parts *parts)
{
	struct parts objects = { 0 };
	int twice;

	for (unsigned int n = 0; n < parts->count; n++) {
		objects.path = parts->paths[n];
		if (is_archive(objects.path))
			continue;
		if (!add_part(&objects, parts->images[n]))
			return true;
		objects.texts[objects.count - 1] = parts->texts[n];
	}
	twice = objects.count ?
			vgpu_ptx_twice(objects.texts, objects.count, tell_twice, &objects) : 0;
	free(objects.images);
	free(objects.texts);
	free(objects.paths);
	return twice <= 0;
}

/* The PTX in the bytes of a file, wherever it is. */
static bool find_parts(struct parts *parts, const char *data, size_t bytes)
{
	const char *at = data, *end = data + bytes;

	while ((at = memmem(at, (size_t)(end - at), VGPU_OWN_MARK, strlen(VGPU_OWN_MARK)))) {
		size_t whole = vgpu_own_bytes(at, (size_t)(end - at));
		const struct vgpu_own *image = (const void *)at;

		if (whole && image->flags & VGPU_OWN_SEPARATE && !add_part(parts, image))
			return false;
		at += whole ? whole : strlen(VGPU_OWN_MARK);
	}
	return true;
}

static int link_texts(const struct parts *parts)
{
	char message[512] = "out of memory", *compile_message = NULL, *ptx = NULL;
	struct vgpu_program *program = NULL;

	if (!are_apart(parts))
		return 1;
	if (vgpu_ptx_join(parts->texts, parts->count, &ptx, message, sizeof(message))) {
		fprintf(stderr, "device code does not link: %s\n", message);
		return 1;
	}
	if (vgpu_compile_ptx(ptx, strlen(ptx), NULL, &program, &compile_message)) {
		if (vgpu_ptx_missing(parts->texts, parts->count, tell_missing, (void *)parts) <= 0)
			fprintf(stderr, "device code of %u files, linked: %s\n", parts->count,
				compile_message ? compile_message : message);
		return 1;
	}
	vgpu_program_free(program);
	free(ptx);
	return 0;
}

/* What a device that takes code for @arch would link. NULL, or a file that has none for it. */
static const char *choose_texts(struct parts *parts, unsigned int arch)
{
	for (unsigned int n = 0; n < parts->count; n++) {
		const struct vgpu_own *image = vgpu_own_pick(parts->images[n], arch, true);

		if (!image)
			return parts->paths[n];
		parts->texts[n] = image->ptx;
	}
	return NULL;
}

/* For each architecture that the first part has code for, and at least one that all have. */
static int link_each(struct parts *parts)
{
	const char *without = NULL;
	bool linked = false;

	for (unsigned int arch = 70; arch <= 90; arch++) {
		const struct vgpu_own *image = parts->images[0];

		while (image && !vgpu_own_names_arch(image, arch))
			image = vgpu_own_next(image);
		if (!image)
			continue;
		without = choose_texts(parts, arch);
		if (without)
			continue;
		if (link_texts(parts))
			return 1;
		linked = true;
	}
	if (linked)
		return 0;
	fprintf(stderr, "device code does not link: %s has none for an architecture that %s is "
			"for\n", without ? without : parts->paths[0], parts->paths[0]);
	return 1;
}

/* What was read stays as long as the program. */
static int link_files(char **paths)
{
	struct parts parts = { 0 };

	for (; *paths; paths++) {
		size_t bytes = 0;
		char *data = read_file(*paths, &bytes);

		parts.path = *paths;
		if (!data || !find_parts(&parts, data, bytes)) {
			fprintf(stderr, "vgpu-ptxas: %s: %s\n", *paths, strerror(errno));
			return 1;
		}
	}
	return parts.count ? link_each(&parts) : 0;
}

int main(int argc, char **argv)
{
	struct vgpu_compile_options options = { 0 };
	const char *path = NULL, *source = NULL, *preset = getenv("VGPU_PRESET");
	struct vgpu_placed_symbol *placed = NULL;
	struct vgpu_program *program = NULL;
	struct vgpu_config config;
	char *message = NULL, *text;
	int resources = 0, listing = 0;
	size_t length = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help")) {
			usage(stdout);
			return 0;
		}
		if (i == 1 && argc > 2 && !strcmp(argv[i], "--link"))
			return link_files(argv + 2);
		if (!strcmp(argv[i], "--resource-usage"))
			resources = 1;
		else if (!strcmp(argv[i], "--disassemble"))
			listing = 1;
		else if (!strcmp(argv[i], "--maxregs") && i + 1 < argc)
			options.max_regs = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--source") && i + 1 < argc)
			source = argv[++i];
		else if (!strcmp(argv[i], "--managed") && i + 1 < argc) {
			if (!add_managed(&options, &placed, argv[++i])) {
				fprintf(stderr, "vgpu-ptxas: out of memory\n");
				return 1;
			}
		} else if (argv[i][0] != '-' && !path)
			path = argv[i];
		else {
			usage(stderr);
			return 2;
		}
	}
	if (!path) {
		usage(stderr);
		return 2;
	}
	if (vgpu_config_preset(&config, preset && *preset ? preset : "v100")) {
		fprintf(stderr, "vgpu-ptxas: VGPU_PRESET=%s: unknown preset\n", preset);
		return 2;
	}
	text = read_file(path, &length);
	if (!text) {
		fprintf(stderr, "vgpu-ptxas: %s: %s\n", path, strerror(errno));
		return 1;
	}
	if (vgpu_compile_ptx(text, length, &options, &program, &message)) {
		fprintf(stderr, "%s: %s\n", source ? source : path,
			message ? message : "out of memory");
		free(message);
		free(text);
		return 1;
	}
	if (resources)
		print_usage_of_kernels(text, length, &options, program, &config);
	if (listing)
		disassemble(program);
	vgpu_program_free(program);
	free(placed);
	free(text);
	return 0;
}
