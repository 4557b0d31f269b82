/* SPDX-License-Identifier: MIT */
/*
 * Device code as compilers pack it: fat binaries (code for several architectures, as PTX and as
 * SASS, compressed or not), ELF files that carry PTX, and PTX text. Contents page of
 * runtime/fatbin. Pure: no device, no global state. Nothing here trusts what it reads: every
 * size is checked against the bytes there are.
 *
 * A device of ours executes PTX only, so SASS is told by what it is for, and never read.
 */
#ifndef VGPU_FATBIN_H
#define VGPU_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VGPU_FATBIN_MAGIC	0xba55ed50u	/* of a fat binary */
#define VGPU_WRAPPER_MAGIC	0x466243b1u	/* of what host code registers */
#define VGPU_FATBIN_HEADER	16u		/* bytes */
#define VGPU_PTX_MAJOR		9u		/* newest version of the PTX ISA that is read */
#define VGPU_IMAGE_MOST		(512ull << 20)	/* bytes of PTX in an image, unpacked */

enum vgpu_code_kind { VGPU_CODE_PTX = 1, VGPU_CODE_SASS = 2 };
enum vgpu_packing { VGPU_PLAIN, VGPU_LZ4, VGPU_ZSTD };

/** struct vgpu_code - one entry of a fat binary */
struct vgpu_code {
	uint32_t kind;			/* enum vgpu_code_kind, or another number */
	uint32_t arch;			/* 75: sm_75 or compute_75 */
	uint32_t major, minor;		/* PTX: version of its ISA */
	enum vgpu_packing packing;
	const uint8_t *data;		/* as stored */
	size_t bytes;			/* stored */
	size_t unpacked;		/* bytes when unpacked */
};

/** struct vgpu_wrapper - what host code registers (fatbin.c: __cudaRegisterFatBinary) */
struct vgpu_wrapper {
	uint32_t magic;			/* VGPU_WRAPPER_MAGIC */
	uint32_t version;		/* 2: fatbins is a list that NULL ends, to be linked */
	const void *data;
	const void *const *fatbins;
};

/* Bytes of the fat binary that begins with these VGPU_FATBIN_HEADER bytes; 0: it is none. */
size_t vgpu_fatbin_bytes(const void *header);

/**
 * vgpu_fatbin_next - the next entry of a fat binary
 * @data: the fat binary, header first
 * @bytes: that are there
 * @at: where to read on, 0 at first
 *
 * Returns 1, 0 at the end, -EINVAL if it is malformed or truncated.
 */
int vgpu_fatbin_next(const void *data, size_t bytes, size_t *at, struct vgpu_code *code);

/* unpack.c: the bytes, with a 0 behind them, malloc'ed; NULL: they are malformed, or no memory */
char *vgpu_code_unpack(const struct vgpu_code *code);

/** struct vgpu_ptx_head - what PTX text says of itself (text.c); 0: it does not */
struct vgpu_ptx_head {
	unsigned int major, minor;	/* .version */
	unsigned int arch;		/* .target */
};

/* False: the text does not begin like PTX. */
bool vgpu_ptx_head(const char *text, size_t length, struct vgpu_ptx_head *head);

/** struct vgpu_image_ptx - PTX of an image */
struct vgpu_image_ptx {
	char *text;
	unsigned int arch;
};

/** struct vgpu_image - what a program has passed as device code (image.c) */
struct vgpu_image {
	struct vgpu_image_ptx *ptx;	/* the newest first */
	unsigned int count;
	bool text;			/* PTX by itself, in no fat binary or cubin */
	char contents[192];		/* "SASS for sm_80, sm_90; PTX for compute_90" */
};

/**
 * vgpu_image_read - find the PTX in PTX text, a fat binary, its wrapper, or an ELF file
 * @data: in this process; need not be readable
 * @bytes: that are there; 0: it is not known, and what @data says of itself counts
 * @arch: architecture of the device (80), for the message
 * @message: one line on failure
 *
 * Returns 0, -EFAULT (not readable), -EINVAL (malformed, truncated), -ENOENT (well-formed, and
 * without PTX), -ENOMEM. vgpu_image_free() after 0.
 */
int vgpu_image_read(const void *data, size_t bytes, unsigned int arch, struct vgpu_image *out,
		    char *message, size_t message_bytes);
/*
 * What a device tries as number @n, from 0: the PTX for its architecture and older ones, the newest
 * first; then, if not @strict, that for newer ones, the oldest first. NULL: nothing more.
 */
struct vgpu_image_ptx *vgpu_image_try(const struct vgpu_image *image, unsigned int arch,
				      bool strict, unsigned int n);
void vgpu_image_free(struct vgpu_image *image);

/**
 * vgpu_ptx_join - link PTX modules to one (join.c)
 * @texts: one at least
 * @out: the text of one module, malloc'ed
 * @message: one line on failure
 *
 * Names that a module does not export are its own. A module that exports nothing that another
 * one needs, and no kernel or variable, is left out, like a member of a library. Returns 0,
 * -EINVAL (a name is defined twice, or is not PTX), -ENOMEM.
 */
int vgpu_ptx_join(const char *const *texts, unsigned int count, char **out, char *message,
		  size_t message_bytes);

/*
 * A name that does not link, @length bytes, of a module: of @of. Where it is defined twice, @first
 * is the module that defines it first.
 */
typedef void vgpu_ptx_tell(void *of, const char *name, size_t length, unsigned int module,
			   unsigned int first);

/*
 * Names that are not weak and that modules define again: vgpu_ptx_join() takes the first where
 * nobody needs the module of the other. Names that a module needs and none defines (join_check.c).
 * Both return how many were told, or a negative errno as vgpu_ptx_join().
 */
int vgpu_ptx_twice(const char *const *texts, unsigned int count, vgpu_ptx_tell *tell, void *of);
int vgpu_ptx_missing(const char *const *texts, unsigned int count, vgpu_ptx_tell *tell, void *of);

/** struct vgpu_elf - a 64-bit ELF file in memory (elf.c) */
struct vgpu_elf {
	const uint8_t *data;
	size_t bytes;
};

/* False: it is none, or its section table is not there. */
bool vgpu_elf_open(const void *data, size_t bytes, struct vgpu_elf *elf);
/* The first section of this name; NULL: there is none. */
const uint8_t *vgpu_elf_section(const struct vgpu_elf *elf, const char *name, size_t *bytes);
/* Bytes that the file takes, by its header at @data, of which 64 are there; 0: it is none. */
size_t vgpu_elf_bytes(const void *data);
/* The architecture that the header of a cubin names; 0: it is none. */
unsigned int vgpu_elf_arch(const void *data);

#endif
