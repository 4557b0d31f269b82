// SPDX-License-Identifier: MIT
/*
 * seeds: first inputs of the fuzz targets, made from what the tree has anyway: PTX that clang wrote
 * for the CUDA tests becomes VASS and fat binaries, the presets become configurations.
 *
 * usage: seeds FOLDER FILE.ptx...: writes FOLDER/vass, FOLDER/fatbin, FOLDER/config, which exist
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "vass_input.h"
#include "vgpu_device.h"

#define ADDRESS	0x40000000ull	/* where the target vass has memory */

static FILE *create(const char *folder, const char *kind, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, kind, name);
	file = fopen(path, "we");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static void close_file(FILE *file)
{
	if (ferror(file) | fclose(file)) {
		perror("seeds");
		exit(1);
	}
}

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	ssize_t length = file ? getdelim(&text, &room, 0, file) : -1;

	if (length < 0) {
		perror(path);
		exit(1);
	}
	fclose(file);
	*size = (size_t)length;
	return text;
}

static void from_ptx(const char *folder, const char *path, unsigned int number)
{
	const struct vass_input in = { .blocks = 1,
				       .threads = 7,
				       .events = 20,
				       .options = (uint8_t)(number % 8) };
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const uint32_t none[2] = { 0 };
	struct vgpu_program *program;
	char *message = NULL;
	FILE *file;
	size_t size;
	char *text = read_file(path, &size);

	if (vgpu_compile_ptx(text, size, NULL, &program, &message)) {
		fprintf(stderr, "seeds: %s: %s\n", path, message ? message : "no memory");
		exit(1);
	}
	vgpu_program_link(program, ADDRESS);
	file = create(folder, "vass", name);
	fwrite(&in, sizeof(in), 1, file);
	fwrite(program->binaries[0].bytes, program->binaries[0].size, 1, file);
	close_file(file);
	vgpu_program_free(program);
	file = create(folder, "fatbin", name);
	fputc(0, file);
	fputs("VGPUPTX1", file);
	fwrite(none, sizeof(none), 1, file);
	fwrite(text, size, 1, file);
	close_file(file);
	free(text);
}

static void from_preset(const char *folder, const char *preset)
{
	FILE *file = create(folder, "config", preset);
	struct vgpu_config config;
	const char *field;
	char value[64];

	if (vgpu_config_preset(&config, preset))
		exit(1);
	fprintf(file, "%s\n", preset);
	for (unsigned int i = 0; (field = vgpu_config_field(i)); i++)
		if (vgpu_config_get(&config, field, value, sizeof(value)) >= 0)
			fprintf(file, "%s=%s\n", field, value);
	for (unsigned int i = 0; (field = vgpu_device_knob_name(i)); i++)
		fprintf(file, "%s=1\n", field);
	close_file(file);
}

int main(int argc, char **argv)
{
	const char *preset;

	if (argc < 2) {
		fprintf(stderr, "usage: seeds FOLDER FILE.ptx...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		from_ptx(argv[1], argv[i], (unsigned int)i);
	for (unsigned int i = 0; (preset = vgpu_config_preset_name(i)); i++)
		from_preset(argv[1], preset);
	return 0;
}
