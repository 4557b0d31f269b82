// SPDX-License-Identifier: MIT
/*
 * The file that VGPU_CURAND_SCRAMBLE names: it is read once, as a whole, and kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scramble.h"

static const char variable[] = "VGPU_CURAND_SCRAMBLE";
static struct curand_scramble_file *kept;
static curandStatus_t outcome = CURAND_STATUS_SUCCESS;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned long long checksum_of(const struct curand_scramble_file *file)
{
	const unsigned int *word = file->vectors32[0];
	const unsigned int *end = (const unsigned int *)(file + 1);
	unsigned long long sum = 0xcbf29ce484222325ull;

	for (; word < end; word++)
		sum = (sum ^ *word) * 0x100000001b3ull;
	return sum;
}

static bool read_whole(int fd, void *to, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		ssize_t got = read(fd, (char *)to + at, bytes - at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += (size_t)got;
	}
	return true;
}

/* NULL, or what is wrong with the file. */
static const char *read_file(int fd, struct curand_scramble_file *file)
{
	static char size[120];
	struct stat stat;

	if (fstat(fd, &stat))
		return strerror(errno);
	if (!S_ISREG(stat.st_mode))
		return "must be a regular file";
	if (stat.st_size != (off_t)sizeof(*file)) {
		snprintf(size, sizeof(size), "has %lld bytes, must have %zu",
			 (long long)stat.st_size, sizeof(*file));
		return size;
	}
	if (!read_whole(fd, file, sizeof(*file)))
		return "cannot be read";
	if (memcmp(file->magic, CURAND_SCRAMBLE_MAGIC, sizeof(file->magic)))
		return "must begin with " CURAND_SCRAMBLE_MAGIC;
	if (file->dimensions != CURAND_MAX_DIMENSIONS || file->zero)
		return "must have 20000 dimensions";
	if (file->checksum != checksum_of(file))
		return "is damaged: its checksum is another";
	return NULL;
}

static void open_file(void)
{
	const char *path = secure_getenv(variable), *wrong;
	struct curand_scramble_file *file;
	int fd;

	if (!path || !*path)
		return;
	file = malloc(sizeof(*file));
	/* a pipe's other end is not waited for */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || !file)
		wrong = strerror(errno);
	else
		wrong = read_file(fd, file);
	if (fd >= 0)
		close(fd);
	if (!wrong) {
		kept = file;
		return;
	}
	free(file);
	fprintf(stderr, "vgpu: %s=%s: %s: docs/libraries.md\n", variable, path, wrong);
	outcome = CURAND_STATUS_INITIALIZATION_FAILED;
}

curandStatus_t curand_scramble_file(const struct curand_scramble_file **file)
{
	pthread_once(&once, open_file);
	*file = kept;
	return outcome;
}
