// SPDX-License-Identifier: MIT
/*
 * As much of ELF as is needed to find a section by its name, in a file that may be damaged.
 */
#include <elf.h>
#include <string.h>

#include "fatbin.h"

#define MACHINE_CUDA	190u

static bool read_header(const void *data, Elf64_Ehdr *header)
{
	memcpy(header, data, sizeof(*header));
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == ELFDATA2LSB;
}

/* The tables stand last in what compilers write. */
size_t vgpu_elf_bytes(const void *data)
{
	Elf64_Ehdr header;
	uint64_t sections, segments;

	if (!read_header(data, &header) || header.e_shoff > SIZE_MAX / 2 ||
	    header.e_phoff > SIZE_MAX / 2)
		return 0;
	sections = header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
	segments = header.e_phoff + (uint64_t)header.e_phnum * header.e_phentsize;
	if (sections < sizeof(header))
		sections = sizeof(header);
	return sections > segments ? sections : segments;
}

/* Where the architecture is in the flags depends on the version of the format. */
unsigned int vgpu_elf_arch(const void *data)
{
	Elf64_Ehdr header;

	if (!read_header(data, &header) || header.e_machine != MACHINE_CUDA)
		return 0;
	return header.e_ident[EI_ABIVERSION] >= 8 ? header.e_flags >> 8 & 0xff :
						    header.e_flags & 0xff;
}

bool vgpu_elf_open(const void *data, size_t bytes, struct vgpu_elf *elf)
{
	Elf64_Ehdr header;
	uint64_t table;

	if (bytes < sizeof(header) || !read_header(data, &header))
		return false;
	table = (uint64_t)header.e_shnum * header.e_shentsize;
	if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > bytes ||
	    table > bytes - header.e_shoff || header.e_shstrndx >= header.e_shnum)
		return false;
	*elf = (struct vgpu_elf){ data, bytes };
	return true;
}

static bool section_at(const struct vgpu_elf *elf, unsigned int index, Elf64_Shdr *section)
{
	Elf64_Ehdr header;

	memcpy(&header, elf->data, sizeof(header));
	memcpy(section, elf->data + header.e_shoff + (uint64_t)index * sizeof(*section),
	       sizeof(*section));
	return section->sh_type != SHT_NOBITS && section->sh_offset <= elf->bytes &&
	       section->sh_size <= elf->bytes - section->sh_offset;
}

const uint8_t *vgpu_elf_section(const struct vgpu_elf *elf, const char *name, size_t *bytes)
{
	size_t length = strlen(name) + 1;
	Elf64_Shdr names, section;
	Elf64_Ehdr header;

	memcpy(&header, elf->data, sizeof(header));
	if (!section_at(elf, header.e_shstrndx, &names))
		return NULL;
	for (unsigned int i = 0; i < header.e_shnum; i++) {
		if (!section_at(elf, i, &section) || section.sh_name > names.sh_size ||
		    names.sh_size - section.sh_name < length ||
		    memcmp(elf->data + names.sh_offset + section.sh_name, name, length))
			continue;
		*bytes = section.sh_size;
		return elf->data + section.sh_offset;
	}
	return NULL;
}
