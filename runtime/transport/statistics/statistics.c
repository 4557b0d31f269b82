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

/** struct stats_file - a file, which is open until the program ends */
struct stats_file {
	struct stats_file *next;
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
	u32 last_launch, last_context;	/* the highest numbers that are taken */
	struct vgpu_stats_sums sums;
};

/**
 * struct vgpu_statistics - a device that has a file
 * @launches, @contexts: what its own numbers are added to, as other devices had theirs before
 */
struct vgpu_statistics {
	struct stats_file *file;
	u32 launches, contexts;
	struct label *ranges, **ranges_end;	/* the oldest first */
};

/*
 * All files, for the devices to come and the end of the program: other threads may run devices
 * then. The lock is for all that follows, too.
 */
static struct stats_file *open_files;
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

static void write_text(struct stats_file *f, const char *text, size_t bytes, int error)
{
	if (!error)
		error = write_all(f->fd, text, bytes, f->end);
	if (error && !f->failed)
		fprintf(stderr, "vgpu: VGPU_STATS: cannot write %s: %s\n", f->path,
			strerror(-error));
	f->failed |= error != 0;
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

static bool is_of(const struct label *label, u32 context, u32 queue, u64 seq)
{
	return label->context == context && label->queue == queue && label->seq == seq;
}

/* Where the range of a command is pointed to, which is NULL if it has none */
static struct label **range_of(struct vgpu_statistics *s, u32 context, u32 queue, u64 seq)
{
	struct label **at = &s->ranges;

	while (*at && !is_of(*at, context, queue, seq))
		at = &(*at)->next;
	return at;
}

static void drop(struct vgpu_statistics *s, struct label **at)
{
	struct label *label = *at;

	*at = label->next;
	if (!*at)
		s->ranges_end = at;
	free(label);
}

/* Of a queue the last name that it was given is the one that counts. */
void vgpu_statistics_name(struct vgpu_statistics *s, u32 context, u32 queue, u64 seq,
			  const char *text)
{
	struct label *label, **at = &s->file->streams;

	if (getpid() != s->file->owner)
		return;
	label = make_label(context + s->contexts, queue, seq, text);
	pthread_mutex_lock(&open_lock);
	if (label && seq) {
		*s->ranges_end = label;
		s->ranges_end = &label->next;
	} else if (label) {
		while (*at && !is_of(*at, label->context, queue, 0))
			at = &(*at)->next;
		if (*at) {
			label->next = (*at)->next;
			free(*at);
		}
		*at = label;
	}
	pthread_mutex_unlock(&open_lock);
}

void vgpu_statistics_leave(struct vgpu_statistics *s, u32 context)
{
	struct label **at = &s->ranges;

	if (getpid() != s->file->owner)
		return;
	pthread_mutex_lock(&open_lock);
	while (*at)
		if ((*at)->context == context + s->contexts)
			drop(s, at);
		else
			at = &(*at)->next;
	pthread_mutex_unlock(&open_lock);
}

static struct label *stream_of(const struct stats_file *f, u32 context, u32 queue)
{
	struct label *label = f->streams;

	while (label && (label->context != context || label->queue != queue))
		label = label->next;
	return label;
}

/* ---- what is written ---------------------------------------------------- */

static void fill_head(const struct stats_file *f, FILE *out)
{
	if (f->csv) {
		vgpu_stats_csv_head(out, &f->config);
		return;
	}
	vgpu_stats_json_head(out, &f->config);
	fputs("\"launches\":[", out);
}

static void fill_launch(const struct stats_file *f, FILE *out,
			const struct vgpu_launch_counts *counts, const char *range)
{
	struct vgpu_stats_sum line = vgpu_stats_of_launch(counts);

	line.label = range;
	if (!f->csv) {
		fputs(f->launches ? ",\n " : "\n ", out);
		vgpu_stats_json(out, &f->config, &line, counts);
		return;
	}
	vgpu_stats_csv(out, &f->config, &line, counts);
	for (u32 sm = 0; sm < counts->sms; sm++) {
		const struct vgpu_stats_sum part = vgpu_stats_of_sm(counts, sm);

		if (!vgpu_stats_is_zero(&part))
			vgpu_stats_csv(out, &f->config, &part, counts);
	}
}

static void fill_sums(struct stats_file *f, FILE *out)
{
	if (!f->csv)
		fputs("\n]", out);
	for (enum vgpu_stats_scope scope = VGPU_STATS_KERNEL; scope < VGPU_STATS_SCOPES; scope++) {
		bool first = true;

		if (!f->csv)
			fprintf(out, ",\n\"sum_by_%s\":[", vgpu_stats_scope_name(scope));
		for (size_t n = 0; n < f->sums.count; n++) {
			struct vgpu_stats_sum *sum = &f->sums.sum[n];
			const struct label *stream = stream_of(f, sum->context, sum->queue);

			if (sum->scope != scope)
				continue;
			sum->label = stream ? stream->text : NULL;
			if (f->csv) {
				vgpu_stats_csv(out, &f->config, sum, NULL);
				continue;
			}
			fputs(first ? "\n " : ",\n ", out);
			vgpu_stats_json(out, &f->config, sum, NULL);
			first = false;
		}
		if (!f->csv)
			fputs("\n]", out);
	}
	if (!f->csv)
		fprintf(out, ",\n\"complete\":%s}\n", f->sums.failed ? "false" : "true");
}

/*
 * Write the head, or a launch, which stay, and what makes the file whole; with neither: the sums,
 * which go when one more launch comes.
 */
static void write_part(struct stats_file *f, bool head, const struct vgpu_launch_counts *counts,
		       const char *range)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	off_t stays = 0;
	int error;

	if (out && (head || counts)) {
		if (head)
			fill_head(f, out);
		else
			fill_launch(f, out, counts, range);
		fflush(out);
		stays = (off_t)bytes;
		fputs(f->csv ? "" : JSON_REST, out);
	} else if (out) {
		fill_sums(f, out);
	}
	/* text and its bytes are there when it is closed */
	error = !out || fclose(out) ? -ENOMEM : 0;
	write_text(f, text, bytes, error);
	f->end += stays;
	free(text);
}

static u32 highest(u32 a, u32 b)
{
	return a > b ? a : b;
}

void vgpu_statistics_add(struct vgpu_statistics *s, const struct vgpu_launch_counts *device_counts)
{
	struct vgpu_launch_counts counts = *device_counts;
	struct stats_file *f = s->file;
	struct label **range;

	if (getpid() != f->owner)
		return;
	counts.launch += s->launches;
	counts.context += s->contexts;
	pthread_mutex_lock(&open_lock);
	range = range_of(s, counts.context, counts.queue, counts.seq);
	if (!f->failed && !f->finished) {
		write_part(f, false, &counts, *range ? (*range)->text : NULL);
		f->launches++;
		f->last_launch = highest(f->last_launch, counts.launch);
		f->last_context = highest(f->last_context, counts.context);
		vgpu_stats_sums_add(&f->sums, &counts);
	}
	if (*range)
		drop(s, range);
	pthread_mutex_unlock(&open_lock);
}

/* ---- opening ------------------------------------------------------------ */

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), bytes = strlen(end);

	return length > bytes && !strcmp(text + length - bytes, end);
}

/* %p is the process; the second device has .1 before the ending. False: it is too long. */
static bool name_file(struct stats_file *f, const char *wanted, unsigned int index)
{
	const char *end = strrchr(wanted, '.');
	size_t at = 0, room = sizeof(f->path);

	for (; *wanted && at < room; wanted++) {
		int length = 1;

		if (wanted == end && index)
			length = snprintf(f->path + at, room - at, ".%u.", index);
		else if (wanted[0] == '%' && wanted[1] == 'p')
			length = snprintf(f->path + at, room - at, "%d", (int)getpid());
		else
			f->path[at] = *wanted;
		wanted += wanted[0] == '%' && wanted[1] == 'p';
		at += (size_t)length;
	}
	if (at >= room)
		return false;
	f->path[at] = '\0';
	return true;
}

/* -EBUSY: another process writes it. */
static int open_file(struct stats_file *f)
{
	f->fd = open(f->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (f->fd < 0)
		return -errno;
	if (flock(f->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return -EBUSY;
	return ftruncate(f->fd, 0) ? -errno : 0;
}

/*
 * A child may have been made while another thread had the lock: it has one of its own, and no
 * files, neither their locks.
 */
static void leave_to_parent(void)
{
	pthread_mutex_init(&open_lock, NULL);
	for (struct stats_file *f = open_files; f; f = f->next)
		close(f->fd);
	open_files = NULL;
}

static void finish_all(void)
{
	pthread_mutex_lock(&open_lock);
	for (struct stats_file *f = open_files; f; f = f->next) {
		if (!f->failed && !f->finished)
			write_part(f, false, NULL, NULL);
		f->finished = true;
	}
	pthread_mutex_unlock(&open_lock);
}

/* With the lock held */
static void remember(struct stats_file *f)
{
	static bool registered;

	f->next = open_files;
	open_files = f;
	if (registered)
		return;
	atexit(finish_all);
	pthread_atfork(NULL, NULL, leave_to_parent);
	registered = true;
}

/* Do lines of a device of shape @a say the same as those of @b? */
static bool is_same_shape(const struct vgpu_config *a, const struct vgpu_config *b)
{
	for (u32 n = 0; n < VGPU_COUNTER_COUNT; n++)
		if (vgpu_counter_exists(a, n) != vgpu_counter_exists(b, n))
			return false;
	return !strcmp(a->name, b->name) && !strcmp(a->timing, b->timing) && a->sms == b->sms &&
	       a->clock_khz == b->clock_khz && a->threads_per_sm == b->threads_per_sm &&
	       a->warp_schedulers == b->warp_schedulers;
}

/*
 * With the lock held: the file of this name, which a device before may have opened. @f is a new one
 * with its path, and is freed or becomes the file.
 */
static int find_file(struct stats_file **f, char *message, size_t size)
{
	struct stats_file *other = open_files, *mine = *f;
	int error;

	while (other && strcmp(other->path, mine->path))
		other = other->next;
	if (other && !is_same_shape(&other->config, &mine->config)) {
		snprintf(message, size, "VGPU_STATS: %s has launches of a device of another shape "
			 "of this process; name another file", mine->path);
		free(mine);
		return -EINVAL;
	}
	if (other) {
		free(mine);
		*f = other;
		return 0;
	}
	error = open_file(mine);
	if (!error) {
		write_part(mine, true, NULL, NULL);
		remember(mine);
		return 0;
	}
	if (error == -EBUSY)
		snprintf(message, size, "VGPU_STATS: another process writes %s; %%p in the name "
			 "stands for the number of the process", mine->path);
	else
		snprintf(message, size, "VGPU_STATS: cannot write %s: %s", mine->path,
			 strerror(-error));
	if (mine->fd >= 0)
		close(mine->fd);
	free(mine);
	return -EINVAL;
}

int vgpu_statistics_open(unsigned int index, const struct vgpu_config *config,
			 struct vgpu_statistics **out, char *message, size_t size)
{
	const char *wanted = getenv("VGPU_STATS");
	struct vgpu_statistics *s;
	struct stats_file *f;
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
	f = calloc(1, sizeof(*f));
	if (!s || !f) {
		snprintf(message, size, "out of memory for VGPU_STATS");
		free(s);
		free(f);
		return -ENOMEM;
	}
	f->config = *config;
	f->csv = ends_with(wanted, ".csv");
	f->owner = getpid();
	if (!name_file(f, wanted, index)) {
		snprintf(message, size, "VGPU_STATS: cannot write %s: %s", wanted,
			 strerror(ENAMETOOLONG));
		free(s);
		free(f);
		return -EINVAL;
	}
	pthread_mutex_lock(&open_lock);
	error = find_file(&f, message, size);
	if (!error) {
		*s = (struct vgpu_statistics){
			.file = f,
			.launches = f->last_launch,
			.contexts = f->last_context,
		};
		s->ranges_end = &s->ranges;
		/* those of the sanitizer have one context each, at the same time */
		f->last_context++;
	}
	pthread_mutex_unlock(&open_lock);
	if (error)
		free(s);
	else
		*out = s;
	return error;
}

void vgpu_statistics_close(struct vgpu_statistics *s)
{
	struct stats_file *f;

	if (!s || getpid() != s->file->owner)
		return;
	f = s->file;
	pthread_mutex_lock(&open_lock);
	while (s->ranges)
		drop(s, &s->ranges);
	if (!f->failed && !f->finished)
		write_part(f, false, NULL, NULL);
	pthread_mutex_unlock(&open_lock);
	free(s);
}
