// SPDX-License-Identifier: MIT
/*
 * The PTX in what a program passes as device code, and the order in which a device tries it. The
 * program says where it is, and mostly not how long: every byte is looked for before it is read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"
#include "transport/host_memory.h"

#define PAGE		4096u
#define MAX_UNITS	4096u

struct reader {
	unsigned int arch;
	struct vgpu_image *image;
	char sass[80], ptx[80];		/* architectures, as text */
	size_t unpacked;		/* bytes of all PTX up to now */
	char *message;
	size_t message_bytes;
};

static int read_any(struct reader *r, const void *data, size_t bytes);

static int refuse(struct reader *r, int error, const char *text)
{
	snprintf(r->message, r->message_bytes, "%s", text);
	return error;
}

/* Whether @count bytes are there: as was said and looked at, or as the system says. */
static bool is_there(const void *data, size_t bytes, size_t count)
{
	if (bytes)
		return count <= bytes;
	return !count || !vgpu_host_probe((uint64_t)(uintptr_t)data, count, false);
}

static void name_arch(char *list, size_t size, const char *prefix, unsigned int arch)
{
	char one[24];
	size_t used = strlen(list);

	snprintf(one, sizeof(one), "%s%u", prefix, arch);
	if (!strstr(list, one))
		snprintf(list + used, size - used, "%s%s", used ? ", " : "", one);
}

/* Takes over @text. */
static int add_text(struct reader *r, char *text, unsigned int arch)
{
	struct vgpu_image *image = r->image;
	struct vgpu_image_ptx *grown;
	unsigned int at = 0;

	name_arch(r->ptx, sizeof(r->ptx), "compute_", arch);
	grown = realloc(image->ptx, (image->count + 1) * sizeof(*grown));
	if (!grown) {
		free(text);
		return -ENOMEM;
	}
	image->ptx = grown;
	while (at < image->count && arch <= grown[at].arch)
		at++;
	memmove(&grown[at + 1], &grown[at], (image->count - at) * sizeof(*grown));
	grown[at] = (struct vgpu_image_ptx){ text, arch };
	image->count++;
	return 0;
}

static int read_fatbin(struct reader *r, const void *data, size_t bytes)
{
	struct vgpu_code code;
	size_t all, at = 0;
	int more, error;

	if (!is_there(data, bytes, VGPU_FATBIN_HEADER))
		return refuse(r, -EINVAL, "the fat binary is truncated");
	all = vgpu_fatbin_bytes(data);
	if (!all || !is_there(data, bytes, all))
		return refuse(r, -EINVAL, "the fat binary is malformed or truncated");
	while ((more = vgpu_fatbin_next(data, all, &at, &code)) > 0) {
		char *text;

		if (code.kind == VGPU_CODE_SASS)
			name_arch(r->sass, sizeof(r->sass), "sm_", code.arch);
		if (code.kind != VGPU_CODE_PTX)
			continue;
		/* a few bytes may stand for many, and an entry be followed by others */
		if (code.unpacked > VGPU_IMAGE_MOST - r->unpacked)
			return refuse(r, -EINVAL, "the fat binary has more than 512 MB of PTX");
		r->unpacked += code.unpacked;
		text = vgpu_code_unpack(&code);
		if (!text)
			return refuse(r, -EINVAL, "the fat binary's compressed PTX is malformed");
		error = add_text(r, text, code.arch);
		if (error)
			return error;
	}
	if (more)
		return refuse(r, -EINVAL, "an entry of the fat binary is malformed or truncated");
	return 0;
}

/* Modules that are to be linked: their PTX for @arch, as one. 0 without one if a unit has none. */
static int link_units(struct reader *r, const struct vgpu_image *units, unsigned int count,
		      unsigned int arch)
{
	const char **texts = calloc(count, sizeof(*texts));
	const struct vgpu_image_ptx *ptx;
	char *joined = NULL;
	unsigned int n;
	int error;

	if (!texts)
		return -ENOMEM;
	for (n = 0; n < count && (ptx = vgpu_image_try(&units[n], arch, true, 0)); n++)
		texts[n] = ptx->text;
	error = n < count ? 0 : vgpu_ptx_join(texts, count, &joined, r->message, r->message_bytes);
	free(texts);
	return error || !joined ? error : add_text(r, joined, arch);
}

static bool is_among(const struct vgpu_image *image, unsigned int arch)
{
	for (unsigned int i = 0; i < image->count; i++)
		if (image->ptx[i].arch == arch)
			return true;
	return false;
}

/* One text for each architecture that a unit has PTX for. */
static int link_all(struct reader *r, const struct vgpu_image *units, unsigned int count)
{
	int error = 0;

	for (unsigned int n = 0; n < count && !error; n++)
		for (unsigned int i = 0; i < units[n].count && !error; i++)
			if (!is_among(r->image, units[n].ptx[i].arch))
				error = link_units(r, units, count, units[n].ptx[i].arch);
	return error;
}

/* Units without PTX are left out, as NVIDIA's libraries may have. */
static int read_list(struct reader *r, const void *const *fatbins)
{
	struct vgpu_image *units = NULL, *grown, *before = r->image;
	unsigned int count = 0;
	int error = 0;

	for (const void *const *at = fatbins; !error; at++) {
		if (count == MAX_UNITS || !is_there(at, 0, sizeof(*at))) {
			error = refuse(r, -EINVAL, "the list of fat binaries has no end");
			break;
		}
		if (!*at)
			break;
		grown = realloc(units, (count + 1) * sizeof(*units));
		if (!grown) {
			error = -ENOMEM;
			break;
		}
		units = grown;
		units[count] = (struct vgpu_image){ 0 };
		r->image = &units[count];
		error = read_fatbin(r, *at, 0);
		if (error || units[count].count)
			count++;
		else
			vgpu_image_free(&units[count]);
	}
	r->image = before;
	if (!error)
		error = link_all(r, units, count);
	for (unsigned int i = 0; i < count; i++)
		vgpu_image_free(&units[i]);
	free(units);
	return error;
}

static int read_wrapper(struct reader *r, const void *data, size_t bytes)
{
	struct vgpu_wrapper wrapper;

	if (!is_there(data, bytes, sizeof(wrapper)))
		return refuse(r, -EINVAL, "the fat binary's wrapper is truncated");
	memcpy(&wrapper, data, sizeof(wrapper));
	if (wrapper.version == 2 && wrapper.fatbins)
		return read_list(r, wrapper.fatbins);
	if (!wrapper.data)
		return refuse(r, -EINVAL, "the fat binary's wrapper has no fat binary");
	if (!is_there(wrapper.data, 0, VGPU_FATBIN_HEADER) ||
	    !vgpu_fatbin_bytes(wrapper.data))
		return refuse(r, -EINVAL, "the fat binary's wrapper leads to no fat binary");
	return read_fatbin(r, wrapper.data, 0);
}

/* PTX text, whose lines end in 0 in a section of an ELF file. */
static int read_text(struct reader *r, const char *data, size_t length, bool lines)
{
	struct vgpu_ptx_head head;
	char *text = malloc(length + 1);

	if (!text)
		return -ENOMEM;
	memcpy(text, data, length);
	text[length] = 0;
	for (size_t i = 0; lines && i < length; i++)
		if (!text[i])
			text[i] = '\n';
	if (!vgpu_ptx_head(text, length, &head)) {
		free(text);
		return refuse(r, -EINVAL,
			      "this is neither PTX (which begins with .version), nor a fat binary, "
			      "nor a cubin");
	}
	return add_text(r, text, head.arch);
}

static int read_elf(struct reader *r, const void *data, size_t bytes)
{
	struct vgpu_elf elf;
	const uint8_t *found;
	size_t all, length;

	all = is_there(data, bytes, 64) ? vgpu_elf_bytes(data) : 0;
	if (!all || !is_there(data, bytes, all) || !vgpu_elf_open(data, all, &elf))
		return refuse(r, -EINVAL, "the cubin is malformed or truncated");
	if (vgpu_elf_arch(data))
		name_arch(r->sass, sizeof(r->sass), "sm_", vgpu_elf_arch(data));
	found = vgpu_elf_section(&elf, ".nv_fatbin", &length);
	if (found)
		return read_fatbin(r, found, length ? length : 1);
	found = vgpu_elf_section(&elf, ".nv_debug_ptx_txt", &length);
	return found ? read_text(r, (const char *)found, length, true) : 0;
}

/* Where text without a length ends: at a 0. */
static int text_length(struct reader *r, const char *data, size_t bytes, size_t *length)
{
	const char *at = data;

	if (bytes) {
		*length = strnlen(data, bytes);
		return 0;
	}
	while ((size_t)(at - data) < VGPU_IMAGE_MOST) {
		size_t count = PAGE - (uintptr_t)at % PAGE, here;

		if (vgpu_host_probe((uint64_t)(uintptr_t)at, count, false))
			return refuse(r, -EINVAL, "the PTX text does not end in 0");
		here = strnlen(at, count);
		at += here;
		if (here < count)
			break;
	}
	*length = (size_t)(at - data);
	return 0;
}

/* Looks at no byte behind the first that differs: the text of a program may be shorter. */
static bool begins_with(const void *data, size_t bytes, uint32_t magic)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < sizeof(magic); i++)
		if (!is_there(at, bytes, i + 1) || at[i] != (uint8_t)(magic >> 8 * i))
			return false;
	return true;
}

#define ELF_MAGIC	0x464c457fu	/* "\177ELF" */

static int read_any(struct reader *r, const void *data, size_t bytes)
{
	size_t length;
	int error;

	/* the length may be wrong, and so may the place */
	if (!data || vgpu_host_probe((uint64_t)(uintptr_t)data, bytes ? bytes : 1, false))
		return refuse(r, -EFAULT, "there is no memory where the device code should be");
	if (begins_with(data, bytes, VGPU_WRAPPER_MAGIC))
		return read_wrapper(r, data, bytes);
	if (begins_with(data, bytes, VGPU_FATBIN_MAGIC))
		return read_fatbin(r, data, bytes);
	if (begins_with(data, bytes, ELF_MAGIC))
		return read_elf(r, data, bytes);
	error = text_length(r, data, bytes, &length);
	r->image->text = true;
	return error ? error : read_text(r, data, length, false);
}

static int nothing(struct reader *r)
{
	if (!r->sass[0] && !r->ptx[0])
		return refuse(r, -ENOENT, "the device code is empty: there is no PTX in it");
	snprintf(r->message, r->message_bytes,
		 "no PTX that this device takes: the code is %s; build with -gencode "
		 "arch=compute_%u,code=compute_%u, or a lower one",
		 r->image->contents, r->arch, r->arch);
	return -ENOENT;
}

int vgpu_image_read(const void *data, size_t bytes, unsigned int arch, struct vgpu_image *out,
		    char *message, size_t message_bytes)
{
	struct reader r = {
		.arch = arch, .image = out,
		.message = message, .message_bytes = message_bytes
	};
	int error;

	*out = (struct vgpu_image){ 0 };
	snprintf(message, message_bytes, "out of memory");
	error = read_any(&r, data, bytes);
	snprintf(out->contents, sizeof(out->contents), "%s%s%s%s%s", r.sass[0] ? "SASS for " : "",
		 r.sass, r.sass[0] && r.ptx[0] ? "; " : "", r.ptx[0] ? "PTX for " : "", r.ptx);
	if (!error && !out->count)
		error = nothing(&r);
	if (error)
		vgpu_image_free(out);
	return error;
}

struct vgpu_image_ptx *vgpu_image_try(const struct vgpu_image *image, unsigned int arch,
				      bool strict, unsigned int n)
{
	unsigned int newer = 0;		/* these stand first, the newest first of them */

	while (newer < image->count && image->ptx[newer].arch > arch)
		newer++;
	if (n < image->count - newer)
		return &image->ptx[newer + n];
	return strict || n >= image->count ? NULL : &image->ptx[image->count - 1 - n];
}

void vgpu_image_free(struct vgpu_image *image)
{
	for (unsigned int i = 0; i < image->count; i++)
		free(image->ptx[i].text);
	free(image->ptx);
	image->ptx = NULL;
	image->count = 0;
}
