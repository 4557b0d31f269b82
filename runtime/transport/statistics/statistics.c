// SPDX-License-Identifier: MIT
/*
 * The file of VGPU_STATS; see statistics.h. What comes behind the launches, which makes the file
 * whole, is written behind each of them, and over it comes the next.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "statistics.h"
#include "statistics_sums.h"

/** struct label - what the program calls a command that has not ended, or a stream */
struct label {
	struct label *next;
	u32 context;
	u32 queue;
	u64 seq;
	char text[];
};

struct vgpu_statistics {
	struct vgpu_statistics *next;
	struct label *ranges, **ranges_end;	/* the oldest first */
	struct label *streams;
	struct vgpu_config config;
	char path[4096];
	int fd;
	pid_t owner;			/* who has opened it: nobody else writes */
	bool csv;
	bool failed;			/* it could not be written: said once */
	bool finished;			/* nothing more comes */
	off_t end;			/* of the launches */
	u64 launches;
	struct vgpu_stats_sums sums;
};

/*
 * All that are open, for the end of the program: other threads may run devices then. The lock is
 * for all that follows, too.
 */
static struct vgpu_statistics *open_files;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

/* What makes a file whole that ends with its launches */
#define JSON_REST	"\n],\n\"complete\":false}\n"

/* ---- writing ------------------------------------------------------------ */

static int write_all(int fd, const char *text, size_t bytes, off_t at)
{
	while (bytes) {
		ssize_t written = pwrite(fd, text, bytes, at);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		text += written;
		bytes -= (size_t)written;
		at += written;
	}
	return ftruncate(fd, at) ? -errno : 0;
}

/*
 * Write what fill() makes of @counts, or of the sums, and what follows. It stays there; of the rest
 * only if @last.
 */
static void write_part(struct vgpu_statistics *s, const struct vgpu_launch_counts *counts,
		       void (*fill)(struct vgpu_statistics *s, FILE *out,
				    const struct vgpu_launch_counts *counts),
		       const char *follows)
{
	size_t bytes = 0;
	char *text = NULL;
	int error = -ENOMEM;
	FILE *out = open_memstream(&text, &bytes);
	off_t stays;

	if (out) {
		fill(s, out, counts);
		fflush(out);
		stays = (off_t)bytes;
		fputs(follows, out);
		error = fclose(out) ? -errno : write_all(s->fd, text, bytes, s->end);
		s->end += stays;
	}
	free(text);
	if (error && !s->failed)
		fprintf(stderr, "vgpu: VGPU_STATS: cannot write %s: %s\n", s->path,
			strerror(-error));
	s->failed |= error != 0;
}

/* ---- names -------------------------------------------------------------- */

static struct label *make_label(u32 context, u32 queue, u64 seq, const char *text)
{
	struct label *label = malloc(sizeof(*label) + strlen(text) + 1);

	if (!label)
		return NULL;
	*label = (struct label){ .context = context, .queue = queue, .seq = seq };
	strcpy(label->text, text);
	return label;
}

/* Where the range of a command is pointed to, which is NULL if it has none */
static struct label **range_of(struct vgpu_statistics *s, u32 queue, u64 seq)
{
	struct label **at = &s->ranges;

	while (*at && ((*at)->queue != queue || (*at)->seq != seq))
		at = &(*at)->next;
	return at;
}

/* Of a queue the last name that it was given is the one that counts. */
void vgpu_statistics_name(struct vgpu_statistics *s, u32 context, u32 queue, u64 seq,
			  const char *text)
{
	struct label *label;

	if (getpid() != s->owner)
		return;
	label = make_label(context, queue, seq, text);
	pthread_mutex_lock(&open_lock);
	if (label && seq) {
		*s->ranges_end = label;
		s->ranges_end = &label->next;
	} else if (label) {
		label->next = s->streams;
		s->streams = label;
	}
	pthread_mutex_unlock(&open_lock);
}

/* Nobody asks for it any more. */
static void drop_range(struct vgpu_statistics *s, u32 queue, u64 seq)
{
	struct label **at = range_of(s, queue, seq), *label = *at;

	if (!label)
		return;
	*at = label->next;
	if (!*at)
		s->ranges_end = at;
	free(label);
}

static struct label *stream_of(const struct vgpu_statistics *s, u32 context, u32 queue)
{
	struct label *label = s->streams;

	while (label && (label->context != context || label->queue != queue))
		label = label->next;
	return label;
}

static void free_labels(struct label *label)
{
	while (label) {
		struct label *next = label->next;

		free(label);
		label = next;
	}
}

/* ---- what is written ---------------------------------------------------- */

static void fill_head(struct vgpu_statistics *s, FILE *out, const struct vgpu_launch_counts *counts)
{
	(void)counts;
	if (s->csv) {
		vgpu_stats_csv_head(out, &s->config);
		return;
	}
	vgpu_stats_json_head(out, &s->config);
	fputs("\"launches\":[", out);
}

static void fill_launch(struct vgpu_statistics *s, FILE *out,
			const struct vgpu_launch_counts *counts)
{
	struct vgpu_stats_sum line = vgpu_stats_of_launch(counts);
	const struct label *range = *range_of(s, counts->queue, counts->seq);

	line.label = range ? range->text : NULL;
	if (!s->csv) {
		fputs(s->launches ? ",\n " : "\n ", out);
		vgpu_stats_json(out, &s->config, &line, counts);
		return;
	}
	vgpu_stats_csv(out, &s->config, &line, counts);
	for (u32 sm = 0; sm < counts->sms; sm++) {
		const struct vgpu_stats_sum part = vgpu_stats_of_sm(counts, sm);

		if (!vgpu_stats_is_zero(&part))
			vgpu_stats_csv(out, &s->config, &part, counts);
	}
}

static void fill_sums(struct vgpu_statistics *s, FILE *out, const struct vgpu_launch_counts *counts)
{
	(void)counts;
	if (!s->csv)
		fputs("\n]", out);
	for (enum vgpu_stats_scope scope = VGPU_STATS_KERNEL; scope < VGPU_STATS_SCOPES; scope++) {
		bool first = true;

		if (!s->csv)
			fprintf(out, ",\n\"sum_by_%s\":[", vgpu_stats_scope_name(scope));
		for (size_t n = 0; n < s->sums.count; n++) {
			struct vgpu_stats_sum *sum = &s->sums.sum[n];
			const struct label *stream = stream_of(s, sum->context, sum->queue);

			if (sum->scope != scope)
				continue;
			sum->label = stream ? stream->text : NULL;
			if (s->csv) {
				vgpu_stats_csv(out, &s->config, sum, NULL);
				continue;
			}
			fputs(first ? "\n " : ",\n ", out);
			vgpu_stats_json(out, &s->config, sum, NULL);
			first = false;
		}
		if (!s->csv)
			fputs("\n]", out);
	}
	if (!s->csv)
		fprintf(out, ",\n\"complete\":%s}\n", s->sums.failed ? "false" : "true");
}

void vgpu_statistics_add(struct vgpu_statistics *s, const struct vgpu_launch_counts *counts)
{
	if (getpid() != s->owner)
		return;
	pthread_mutex_lock(&open_lock);
	if (!s->failed && !s->finished) {
		write_part(s, counts, fill_launch, s->csv ? "" : JSON_REST);
		s->launches++;
		vgpu_stats_sums_add(&s->sums, counts);
		drop_range(s, counts->queue, counts->seq);
	}
	pthread_mutex_unlock(&open_lock);
}

/* With the lock held */
static void finish(struct vgpu_statistics *s)
{
	if (!s->failed && !s->finished)
		write_part(s, NULL, fill_sums, "");
	s->finished = true;
}

/* ---- opening ------------------------------------------------------------ */

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), bytes = strlen(end);

	return length > bytes && !strcmp(text + length - bytes, end);
}

/* %p is the process; the second device has .1 before the ending. False: it is too long. */
static bool name_file(struct vgpu_statistics *s, const char *wanted, unsigned int index)
{
	const char *end = strrchr(wanted, '.');
	size_t at = 0, room = sizeof(s->path);

	for (; *wanted && at < room; wanted++) {
		int length = 1;

		if (wanted == end && index)
			length = snprintf(s->path + at, room - at, ".%u.", index);
		else if (wanted[0] == '%' && wanted[1] == 'p')
			length = snprintf(s->path + at, room - at, "%d", (int)getpid());
		else
			s->path[at] = *wanted;
		wanted += wanted[0] == '%' && wanted[1] == 'p';
		at += (size_t)length;
	}
	if (at >= room)
		return false;
	s->path[at] = '\0';
	return true;
}

/* -EBUSY: another process writes it. */
static int open_file(struct vgpu_statistics *s)
{
	s->fd = open(s->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (s->fd < 0)
		return -errno;
	if (flock(s->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return -EBUSY;
	return ftruncate(s->fd, 0) ? -errno : 0;
}

/*
 * A child may have been made while another thread had the lock: it has one of its own, and no
 * files, neither their locks.
 */
static void leave_to_parent(void)
{
	pthread_mutex_init(&open_lock, NULL);
	for (struct vgpu_statistics *s = open_files; s; s = s->next)
		close(s->fd);
	open_files = NULL;
}

static void finish_all(void)
{
	pthread_mutex_lock(&open_lock);
	for (struct vgpu_statistics *s = open_files; s; s = s->next)
		finish(s);
	pthread_mutex_unlock(&open_lock);
}

static void remember(struct vgpu_statistics *s)
{
	static bool registered;

	pthread_mutex_lock(&open_lock);
	s->next = open_files;
	open_files = s;
	if (!registered) {
		atexit(finish_all);
		pthread_atfork(NULL, NULL, leave_to_parent);
	}
	registered = true;
	pthread_mutex_unlock(&open_lock);
}

int vgpu_statistics_open(unsigned int index, const struct vgpu_config *config,
			 struct vgpu_statistics **out, char *message, size_t size)
{
	const char *wanted = getenv("VGPU_STATS");
	struct vgpu_statistics *s;
	int error;

	*out = NULL;
	if (!wanted || !*wanted)
		return 0;
	if (!ends_with(wanted, ".json") && !ends_with(wanted, ".csv")) {
		snprintf(message, size, "VGPU_STATS=%s: the name must end with .json or .csv",
			 wanted);
		return -EINVAL;
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		snprintf(message, size, "out of memory for VGPU_STATS");
		return -ENOMEM;
	}
	s->config = *config;
	s->csv = ends_with(wanted, ".csv");
	s->owner = getpid();
	s->ranges_end = &s->ranges;
	s->fd = -1;
	error = name_file(s, wanted, index) ? open_file(s) : -ENAMETOOLONG;
	if (error) {
		if (error == -EBUSY)
			snprintf(message, size, "VGPU_STATS: another process writes %s; %%p in the "
				 "name stands for the number of the process", s->path);
		else
			snprintf(message, size, "VGPU_STATS: cannot write %s: %s", s->path,
				 strerror(-error));
		if (s->fd >= 0)
			close(s->fd);
		free(s);
		return -EINVAL;
	}
	write_part(s, NULL, fill_head, s->csv ? "" : JSON_REST);
	remember(s);
	*out = s;
	return 0;
}

void vgpu_statistics_close(struct vgpu_statistics *s)
{
	struct vgpu_statistics **at;

	if (!s || getpid() != s->owner)
		return;
	pthread_mutex_lock(&open_lock);
	finish(s);
	for (at = &open_files; *at != s; at = &(*at)->next)
		;
	*at = s->next;
	pthread_mutex_unlock(&open_lock);
	close(s->fd);
	vgpu_stats_sums_free(&s->sums);
	free_labels(s->ranges);
	free_labels(s->streams);
	free(s);
}
