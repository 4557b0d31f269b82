// SPDX-License-Identifier: MIT
/*
 * curand-scramble: writes the file that VGPU_CURAND_SCRAMBLE names. It has the direction vectors
 * and constants of scrambled Sobol sequences of the cuRAND that this program is linked with: built
 * against NVIDIA's, vgpu's generators then give NVIDIA's numbers. It needs no GPU.
 *
 *	cc -I/usr/local/cuda/include curand-scramble.c -L/usr/local/cuda/lib64 -lcurand \
 *		-Wl,-rpath,/usr/local/cuda/lib64 -o curand-scramble
 *	./curand-scramble scramble.bin
 *	VGPU_CURAND_SCRAMBLE=$PWD/scramble.bin ./program
 *
 * The file is little-endian: VGPUSCR1; the number of dimensions and 0 (32 bits each); a checksum
 * (64 bits); then of all dimensions the 32 vectors of 32 bits, the constants of 32 bits, the 64
 * vectors of 64 bits, the constants of 64 bits. The checksum is FNV-1a of what is behind it, a step
 * for each word of 32 bits.
 */
#include <curand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIMENSIONS 20000

static struct contents {
	unsigned int vectors32[DIMENSIONS][32];
	unsigned int constants32[DIMENSIONS];
	unsigned long long vectors64[DIMENSIONS][64];
	unsigned long long constants64[DIMENSIONS];
} contents;

static void check(const char *call, curandStatus_t status)
{
	if (status == CURAND_STATUS_SUCCESS)
		return;
	fprintf(stderr, "curand-scramble: %s: status %d\n", call, status);
	exit(1);
}

static unsigned long long checksum(void)
{
	unsigned long long sum = 0xcbf29ce484222325ull;
	unsigned int word;

	for (size_t at = 0; at < sizeof(contents); at += sizeof(word)) {
		memcpy(&word, (const char *)&contents + at, sizeof(word));
		sum = (sum ^ word) * 0x100000001b3ull;
	}
	return sum;
}

static void read_tables(void)
{
	curandDirectionVectors32_t *vectors32;
	curandDirectionVectors64_t *vectors64;
	unsigned int *constants32;
	unsigned long long *constants64;

	check("curandGetDirectionVectors32",
	      curandGetDirectionVectors32(&vectors32,
					  CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
	check("curandGetDirectionVectors64",
	      curandGetDirectionVectors64(&vectors64,
					  CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
	check("curandGetScrambleConstants32", curandGetScrambleConstants32(&constants32));
	check("curandGetScrambleConstants64", curandGetScrambleConstants64(&constants64));
	memcpy(contents.vectors32, vectors32, sizeof(contents.vectors32));
	memcpy(contents.constants32, constants32, sizeof(contents.constants32));
	memcpy(contents.vectors64, vectors64, sizeof(contents.vectors64));
	memcpy(contents.constants64, constants64, sizeof(contents.constants64));
}

int main(int argc, char **argv)
{
	unsigned int sizes[2] = { DIMENSIONS, 0 };
	unsigned long long sum;
	FILE *file;

	if (argc != 2) {
		fprintf(stderr, "usage: curand-scramble FILE\n");
		return 2;
	}
	read_tables();
	sum = checksum();
	file = fopen(argv[1], "wb");
	if (!file || fwrite("VGPUSCR1", 8, 1, file) != 1 ||
	    fwrite(sizes, sizeof(sizes), 1, file) != 1 || fwrite(&sum, sizeof(sum), 1, file) != 1 ||
	    fwrite(&contents, sizeof(contents), 1, file) != 1 || fclose(file)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
