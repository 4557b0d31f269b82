// SPDX-License-Identifier: MIT
/*
 * What reports need to know of kernels: names, source lines, where variables are. Copied when a
 * kernel is first launched, since its module may be gone when it is reported.
 */
#include <dlfcn.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/source_line.h"
#include "api/state.h"
#include "core.h"

struct module {
	struct module *next;
	u32 device, number;
	char *ptx;
};

static struct san_kernel *kernels;
static struct module *modules;

/* ---- the filter --------------------------------------------------------- */

#define FILTERS	16u

static struct {
	char *substring;		/* NULL: a regular expression */
	regex_t regex;
} filters[FILTERS];
static u32 filter_count;

/* "substring:TEXT" or "regex:TEXT", one a line */
bool san_filter_set(const char *text, char *message, size_t size)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char one[1024], error[256];
		int code;

		if (length >= sizeof(one) || filter_count == FILTERS) {
			snprintf(message, size, "kernel names: at most %u of %zu characters",
				 FILTERS, sizeof(one) - 1);
			return false;
		}
		memcpy(one, text, length);
		one[length] = 0;
		text += length + (text[length] == '\n');
		if (!strncmp(one, "substring:", 10) && one[10]) {
			filters[filter_count++].substring = strdup(one + 10);
			continue;
		}
		if (strncmp(one, "regex:", 6) || !one[6]) {
			snprintf(message, size,
				 "kernel name `%s': must be substring:TEXT or regex:TEXT", one);
			return false;
		}
		code = regcomp(&filters[filter_count].regex, one + 6, REG_EXTENDED | REG_NOSUB);
		if (code) {
			regerror(code, &filters[filter_count].regex, error, sizeof(error));
			snprintf(message, size, "kernel name `%s': %s", one + 6, error);
			return false;
		}
		filter_count++;
	}
	return true;
}

bool san_filter_on(void)
{
	return filter_count;
}

static bool filter_takes(const char *name, const char *symbol)
{
	for (u32 i = 0; i < filter_count; i++) {
		const char *part = filters[i].substring;

		if (part ? strstr(name, part) || strstr(symbol, part) :
			   !regexec(&filters[i].regex, name, 0, NULL, 0) ||
			   !regexec(&filters[i].regex, symbol, 0, NULL, 0))
			return true;
	}
	return !filter_count;
}

void san_filter_counts(u32 *count, u32 *watched)
{
	*count = *watched = 0;
	for (const struct san_kernel *k = kernels; k; k = k->next) {
		++*count;
		*watched += k->watched;
	}
}

/* ---- kernels ------------------------------------------------------------ */

/* Programs in C++ bring what turns their names into those of the source. */
static char *demangle(const char *symbol)
{
	char *(*fn)(const char *, char *, size_t *, int *);
	char *name = NULL;
	int status = -1;

	*(void **)&fn = dlsym(RTLD_DEFAULT, "__cxa_demangle");
	if (fn)
		name = fn(symbol, NULL, NULL, &status);
	if (!status && name)
		return name;
	free(name);
	return strdup(symbol);
}

static const char *ptx_of(u32 device, u32 number, const char *ptx)
{
	struct module *module;

	for (module = modules; module; module = module->next)
		if (module->device == device && module->number == number &&
		    !strcmp(module->ptx, ptx))
			return module->ptx;
	module = calloc(1, sizeof(*module));
	if (!module)
		return NULL;
	*module = (struct module){ modules, device, number, strdup(ptx) };
	if (!module->ptx) {
		free(module);
		return NULL;
	}
	modules = module;
	return module->ptx;
}

struct san_kernel *san_kernel_find(u32 device, u32 module, u32 number)
{
	struct san_kernel *k = kernels;

	while (k && (k->device != device || k->module != module || k->number != number))
		k = k->next;
	return k;
}

static bool copy_variables(struct san_kernel *k, const struct vgpu_program_kernel *info)
{
	static const enum san_variable_kind kinds[] = {
		[VGPU_VARIABLE_SHARED] = SAN_SHARED,
		[VGPU_VARIABLE_LOCAL] = SAN_LOCAL,
		[VGPU_VARIABLE_PARAM] = SAN_PARAM,
	};

	k->variables = calloc(info->variable_count + 1, sizeof(*k->variables));
	if (!k->variables)
		return false;
	for (u32 i = 0; i < info->variable_count; i++) {
		const struct vgpu_program_variable *from = &info->variables[i];

		k->variables[k->variable_count++] = (struct san_variable){
			strdup(from->name), from->offset, from->size, kinds[from->kind]
		};
	}
	return true;
}

static bool copy_kernel(struct san_kernel *k, const struct vgpu_program_kernel *info,
			const struct vgpu_insn *code)
{
	k->code_count = info->vass.code_count;
	k->shared_static = info->vass.shared_bytes;
	k->symbol = strdup(info->name);
	k->name = k->symbol ? demangle(k->symbol) : NULL;
	k->code = malloc(k->code_count * sizeof(*k->code));
	k->ptx_line = malloc(k->code_count * sizeof(*k->ptx_line));
	if (!k->name || !k->code || !k->ptx_line || !copy_variables(k, info))
		return false;
	memcpy(k->code, code, k->code_count * sizeof(*k->code));
	if (info->ptx_line)
		memcpy(k->ptx_line, info->ptx_line, k->code_count * sizeof(*k->ptx_line));
	else
		memset(k->ptx_line, 0, k->code_count * sizeof(*k->ptx_line));
	k->watched = filter_takes(k->name, k->symbol);
	return true;
}

struct san_kernel *san_kernel_submitted(u32 device, u32 module_id, u32 number)
{
	const struct vgpu_program_kernel *info;
	const struct rt_image *image;
	const struct vgpu_insn *code;
	struct vgpuModule *module;
	struct san_kernel *k;
	u32 index;

	image = rt_image_find(module_id, number, &module, &index);
	if (!image)
		return NULL;
	info = &image->program->kernels[index];
	code = vgpu_program_code(image->program, index);
	k = san_kernel_find(device, module_id, number);
	if (k && k->code_count == info->vass.code_count && !strcmp(k->symbol, info->name) &&
	    !memcmp(k->code, code, k->code_count * sizeof(*code)))
		return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->device = device;
	k->module = module_id;
	k->number = number;
	/* one that is not complete is of no use, and only when memory is short */
	if (!copy_kernel(k, info, code)) {
		free(k);
		return NULL;
	}
	k->ptx = ptx_of(device, module_id, module->ptx);
	k->next = kernels;
	kernels = k;
	return k;
}

bool san_kernel_line(const struct san_kernel *k, u32 pc, char *text, size_t size)
{
	char file[512];
	unsigned int line;
	u32 in_ptx;

	if (!k->ptx || pc >= k->code_count)
		return false;
	in_ptx = k->ptx_line[pc];
	if (!in_ptx || in_ptx & (VGPU_LINE_LIBRARY | VGPU_LINE_PRINT | VGPU_LINE_NO_FUNCTION) ||
	    !rt_source_line(k->ptx, in_ptx, file, sizeof(file), &line))
		return false;
	snprintf(text, size, "%s:%u", file, line);
	return true;
}
