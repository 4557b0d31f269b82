// SPDX-License-Identifier: MIT
/*
 * Fuzz target: timelines. Covers what reads profiles for `vgpu-trace import' (tools/import: scan.c,
 * members.c, pytorch.c, database.c, nsys.c, order.c) and what makes a job of them (plan.c, gpu.c,
 * write.c). A refusal has a message that begins with the file; every line of a job is one that job
 * files have.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int check_phase(void *arg, const struct wl_phase *phase, u64 traced)
{
	char line[512] = "", why[WL_MESSAGE_BYTES];
	FILE *file = fmemopen(line, sizeof(line), "w");
	struct wl_phase read;

	(void)arg;
	(void)traced;
	if (!file || imp_write_phase(file, phase))
		abort();
	fclose(file);
	/* longer ones libinih would not take */
	if (strlen(line) > 199 || strncmp(line, "phase=", 6) || !strchr(line, '\n'))
		abort();
	*strchr(line, '\n') = 0;
	if (wl_phase_parse(line + 6, &read, why)) {
		fprintf(stderr, "fuzz_import: %s: %s\n", line, why);
		abort();
	}
	if (read.kind != phase->kind || read.amount != phase->amount ||
	    read.stream != phase->stream || read.target != phase->target)
		abort();
	return 0;
}

static void import_file(const char *path, bool database, uint8_t choice)
{
	static const char *const gpus[] = { "a100", "v100", "k20c", "h100" };
	struct imp_options options = { .device = choice & 4 ? 0 : IMP_NONE,
				       .from_ns = choice & 8 ? 1000 : 0,
				       .to_ns = choice & 16 ? 1000000000 : ~0ull,
				       .first_step = choice >> 5 & 1,
				       .last_step = choice >> 5 & 1,
				       .step = "ProfilerStep#" };
	struct imp_timeline *timeline = calloc(1, sizeof(*timeline));
	struct vgpu_config config;
	struct imp_plan plan = { .timeline = timeline, .config = &config, .emit = check_phase };
	int err;

	if (!timeline || vgpu_config_preset(&config, gpus[choice & 3]))
		abort();
	timeline->options = &options;
	timeline->path = path;
	err = database ? imp_read_nsys(timeline) : imp_read_pytorch(timeline);
	if (!err)
		err = imp_timeline_order(timeline);
	if (err && strncmp(timeline->message, path, strlen(path)))
		abort();
	if (!err && timeline->message[0])
		abort();
	if (!err && imp_plan(&plan))
		abort();
	imp_timeline_free(timeline);
	free(timeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool database;
	char path[64];
	int fd;

	if (size < 2)
		return -1;
	/* the last byte chooses, so that files are seeds as they are */
	fd = memfd_create("import", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size - 1) != (ssize_t)(size - 1))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	database = size > 16 && !memcmp(data, "SQLite format 3", 16);
	import_file(path, database, data[size - 1]);
	close(fd);
	return 0;
}
