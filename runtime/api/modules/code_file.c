// SPDX-License-Identifier: MIT
/*
 * VGPU_CODE; see code_file.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code_file.h"
#include "source_line.h"

/** struct written - a kernel whose code is in the file: what the device calls it, and its code */
struct written {
	struct written *next;
	pid_t process;
	uint32_t id, number;
	uint64_t hash;
};

static struct written *all;

static uint64_t hash_of(const struct vgpu_insn *code, uint32_t count)
{
	const uint8_t *bytes = (const uint8_t *)code;
	uint64_t hash = 14695981039346656037ull;

	for (size_t n = 0; n < count * sizeof(*code); n++)
		hash = (hash ^ bytes[n]) * 1099511628211ull;
	return hash;
}

/* Is it new? A module that is unloaded gives its number to another one. */
static bool remember(uint32_t id, uint32_t number, uint64_t hash)
{
	struct written *written;

	for (written = all; written; written = written->next)
		if (written->id == id && written->number == number && written->hash == hash &&
		    written->process == getpid())
			return false;
	written = malloc(sizeof(*written));
	if (!written)
		return false;
	*written = (struct written){ all, getpid(), id, number, hash };
	all = written;
	return true;
}

static void write_code(FILE *file, const struct vgpuModule *module,
		       const struct vgpu_program_kernel *kernel, const struct vgpu_insn *code)
{
	unsigned int known = 0, line = 0;
	char text[256], source[4096] = "";

	for (uint32_t pc = 0; pc < kernel->vass.code_count; pc++) {
		unsigned int ptx = kernel->ptx_line ? kernel->ptx_line[pc] : 0;

		/* of the runtime's own PTX there is no source */
		if (ptx >= VGPU_LINE_NO_FUNCTION)
			ptx = 0;
		if (ptx != known || !pc) {
			known = ptx;
			line = 0;
			if (!ptx || !module->ptx ||
			    !rt_source_line(module->ptx, ptx, source, sizeof(source), &line))
				line = 0;
		}
		vgpu_disassemble(&code[pc], text, sizeof(text));
		fprintf(file, "%u\t%u\t%s\t%s\n", pc, line, line ? source : "", text);
	}
}

void rt_code_append(const struct vgpuModule *module, const struct rt_image *image, uint32_t index,
		    uint32_t id, uint32_t number)
{
	const struct vgpu_program_kernel *kernel = &image->program->kernels[index];
	const struct vgpu_insn *code = vgpu_program_code(image->program, index);
	static const char *path;
	static bool known, said;
	FILE *file;

	if (!known)
		path = getenv("VGPU_CODE");
	known = true;
	if (!path || !*path ||
	    !remember(id, number, hash_of(code, kernel->vass.code_count)))
		return;
	file = fopen(path, "ae");
	if (file) {
		fprintf(file, "kernel %d %u %u %u %s\n", (int)getpid(), id, number,
			kernel->vass.code_count, kernel->name);
		write_code(file, module, kernel, code);
	}
	if ((!file || fclose(file)) && !said) {
		said = true;
		fprintf(stderr, "vgpu: VGPU_CODE=%s: %s\n", path, strerror(errno));
	}
}
