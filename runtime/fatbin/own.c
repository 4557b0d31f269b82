// SPDX-License-Identifier: MIT
/*
 * The images that vgpucc has put into an object, and the one of them for a device. See own.h.
 */
#include <stdio.h>
#include <string.h>

#include "fatbin.h"
#include "own.h"

static size_t aligned(size_t bytes)
{
	return (bytes + VGPU_OWN_ALIGN - 1) / VGPU_OWN_ALIGN * VGPU_OWN_ALIGN;
}

size_t vgpu_own_bytes(const void *data, size_t bytes)
{
	struct vgpu_own head;
	const char *end;
	size_t at = 0;

	do {
		if (at > bytes || bytes - at < sizeof(head))
			return 0;
		memcpy(&head, (const char *)data + at, sizeof(head));
		if (memcmp(head.mark, VGPU_OWN_MARK, sizeof(head.mark)))
			return 0;
		at += sizeof(head);
		end = memchr((const char *)data + at, 0, bytes - at);
		if (!end)
			return 0;
		at = aligned((size_t)(end + 1 - (const char *)data));
	} while (head.flags & VGPU_OWN_MORE);
	return at < bytes ? at : bytes;
}

const struct vgpu_own *vgpu_own_next(const struct vgpu_own *image)
{
	if (!(image->flags & VGPU_OWN_MORE))
		return NULL;
	return (const void *)((const char *)image +
			      aligned(sizeof(*image) + strlen(image->ptx) + 1));
}

static unsigned int virtual_arch(const struct vgpu_own *image)
{
	struct vgpu_ptx_head head;

	return vgpu_ptx_head(image->ptx, strlen(image->ptx), &head) ? head.arch : 0;
}

/* The real architecture of the image that a device can be; 0: none. */
static unsigned int real_arch(const struct vgpu_own *image, unsigned int arch)
{
	for (unsigned int n = 0; n < VGPU_OWN_SMS; n++) {
		unsigned int sm = VGPU_OWN_SM(image->flags, n);

		if (sm && sm / 10 == arch / 10 && sm <= arch)
			return sm;
	}
	return 0;
}

const struct vgpu_own *vgpu_own_pick(const struct vgpu_own *first, unsigned int arch, bool strict)
{
	const struct vgpu_own *real = NULL, *ptx = NULL, *newer = NULL, *image;
	unsigned int real_is = 0, ptx_is = 0, newer_is = 0;

	for (image = first; image; image = vgpu_own_next(image)) {
		unsigned int is = real_arch(image, arch);

		if (is > real_is) {
			real = image;
			real_is = is;
		}
		is = virtual_arch(image);
		if (!(image->flags & VGPU_OWN_REAL) && is <= arch && (!ptx || is > ptx_is)) {
			ptx = image;
			ptx_is = is;
		}
		if (!newer || is < newer_is) {
			newer = image;
			newer_is = is;
		}
	}
	return real ? real : ptx ? ptx : strict ? NULL : newer;
}

bool vgpu_own_names_arch(const struct vgpu_own *image, unsigned int arch)
{
	for (unsigned int n = 0; n < VGPU_OWN_SMS; n++)
		if (VGPU_OWN_SM(image->flags, n) == arch)
			return true;
	return !(image->flags & VGPU_OWN_REAL) && virtual_arch(image) == arch;
}

static void name_one(char *text, size_t size, const char *prefix, unsigned int arch)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s%u", used ? ", " : "", prefix, arch);
}

void vgpu_own_names(const struct vgpu_own *first, char *text, size_t size)
{
	*text = 0;
	for (const struct vgpu_own *image = first; image; image = vgpu_own_next(image)) {
		for (unsigned int n = 0; n < VGPU_OWN_SMS; n++)
			if (VGPU_OWN_SM(image->flags, n))
				name_one(text, size, "sm_", VGPU_OWN_SM(image->flags, n));
		if (!(image->flags & VGPU_OWN_REAL))
			name_one(text, size, "compute_", virtual_arch(image));
	}
}
