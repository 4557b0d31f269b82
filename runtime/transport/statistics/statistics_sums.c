// SPDX-License-Identifier: MIT
/*
 * Sums of launches, and the lines of a VGPU_STATS file; see statistics_sums.h.
 */
#include <stdlib.h>
#include <string.h>

#include "counts_csv.h"
#include "statistics_sums.h"
#include "utf8.h"

#define NONE	(~0u)

/* ---- sums --------------------------------------------------------------- */

static bool is_same(const struct vgpu_stats_sum *a, const struct vgpu_stats_sum *b)
{
	return a->scope == b->scope && a->context == b->context && a->queue == b->queue &&
	       a->sm == b->sm && (a->name == b->name || (a->name && b->name &&
							 !strcmp(a->name, b->name)));
}

/* The sum that @key belongs to, which is made if there is none; NULL: no memory */
static struct vgpu_stats_sum *sum_of(struct vgpu_stats_sums *sums,
				     const struct vgpu_stats_sum *key)
{
	struct vgpu_stats_sum *grown;
	size_t n;

	for (n = 0; n < sums->count; n++)
		if (is_same(&sums->sum[n], key))
			return &sums->sum[n];
	if (sums->count == sums->room) {
		n = sums->room ? 2 * sums->room : 64;
		grown = realloc(sums->sum, n * sizeof(*grown));
		if (!grown)
			return NULL;
		sums->sum = grown;
		sums->room = n;
	}
	grown = &sums->sum[sums->count];
	*grown = *key;
	if (key->name) {
		grown->name = strdup(key->name);
		if (!grown->name)
			return NULL;
	}
	sums->count++;
	return grown;
}

/* @line is added to the sum of @key. */
static void add(struct vgpu_stats_sums *sums, const struct vgpu_stats_sum *key,
		const struct vgpu_stats_sum *line)
{
	struct vgpu_stats_sum *sum = sum_of(sums, key);

	if (!sum) {
		sums->failed = true;
		return;
	}
	sum->launches += line->launches;
	sum->duration_ps += line->duration_ps;
	sum->preempted_ps += line->preempted_ps;
	for (u32 n = 0; n < VGPU_COUNTER_COUNT; n++)
		sum->value[n] += line->value[n];
}

static struct vgpu_stats_sum key_of(enum vgpu_stats_scope scope)
{
	return (struct vgpu_stats_sum){
		.scope = scope, .launch = NONE, .context = NONE, .queue = NONE, .sm = NONE
	};
}

void vgpu_stats_sums_add(struct vgpu_stats_sums *sums, const struct vgpu_launch_counts *counts)
{
	const struct vgpu_stats_sum line = vgpu_stats_of_launch(counts);
	struct vgpu_stats_sum key = key_of(VGPU_STATS_KERNEL);

	key.name = line.name;
	add(sums, &key, &line);
	key = key_of(VGPU_STATS_STREAM);
	key.context = line.context;
	key.queue = line.queue;
	add(sums, &key, &line);
	key.scope = VGPU_STATS_CONTEXT;
	key.queue = NONE;
	add(sums, &key, &line);
	key = key_of(VGPU_STATS_DEVICE);
	add(sums, &key, &line);
	key = key_of(VGPU_STATS_SM);
	for (u32 sm = 0; sm < counts->sms; sm++) {
		const struct vgpu_stats_sum part = vgpu_stats_of_sm(counts, sm);

		key.sm = sm;
		if (!vgpu_stats_is_zero(&part))
			add(sums, &key, &part);
	}
}

void vgpu_stats_sums_free(struct vgpu_stats_sums *sums)
{
	while (sums->count)
		free((char *)sums->sum[--sums->count].name);
	free(sums->sum);
}

/* ---- lines -------------------------------------------------------------- */

struct vgpu_stats_sum vgpu_stats_of_sm(const struct vgpu_launch_counts *counts, u32 sm)
{
	struct vgpu_stats_sum line = {
		.scope = VGPU_STATS_LAUNCH_SM,
		.name = counts->name ? counts->name : "",
		.launch = counts->launch,
		.context = counts->context,
		.queue = counts->queue,
		.sm = sm,
		.launches = 1,
	};

	memcpy(line.value, counts->sm[sm].value, sizeof(line.value));
	line.duration_ps = line.value[VGPU_COUNT_ACTIVE_TIME];
	return line;
}

struct vgpu_stats_sum vgpu_stats_of_launch(const struct vgpu_launch_counts *counts)
{
	struct vgpu_stats_sum line = vgpu_stats_of_sm(counts, 0);

	line.scope = VGPU_STATS_LAUNCH;
	line.sm = NONE;
	line.duration_ps = counts->started ? counts->ended - counts->started : 0;
	line.preempted_ps = counts->preempted_ps;
	for (u32 sm = 1; sm < counts->sms; sm++)
		for (u32 n = 0; n < VGPU_COUNTER_COUNT; n++)
			line.value[n] += counts->sm[sm].value[n];
	return line;
}

bool vgpu_stats_is_zero(const struct vgpu_stats_sum *sum)
{
	for (u32 n = 0; n < VGPU_COUNTER_COUNT; n++)
		if (sum->value[n])
			return false;
	return true;
}

const char *vgpu_stats_scope_name(enum vgpu_stats_scope scope)
{
	static const char *const names[VGPU_STATS_SCOPES] = {
		[VGPU_STATS_LAUNCH] = "launch",	  [VGPU_STATS_LAUNCH_SM] = "launch-sm",
		[VGPU_STATS_KERNEL] = "kernel",	  [VGPU_STATS_STREAM] = "stream",
		[VGPU_STATS_CONTEXT] = "context", [VGPU_STATS_SM] = "sm",
		[VGPU_STATS_DEVICE] = "device",
	};

	return names[scope];
}

/* Of warps that an SM has room for, those of @sum while it had some there, in percent */
static double achieved(const struct vgpu_config *config, const struct vgpu_stats_sum *sum)
{
	return vgpu_counts_achieved(sum->value, config->threads_per_sm / 32);
}

/* Of a launch, with as many blocks on each SM as fit */
static double theoretical(const struct vgpu_config *config, const struct vgpu_launch_counts *counts)
{
	return vgpu_counts_theoretical(counts->occupancy, counts->warps,
				       config->threads_per_sm / 32);
}

/* Is @counter counted of @counts, which may be NULL: a sum? */
static bool is_there(const struct vgpu_config *config, const struct vgpu_launch_counts *counts,
		     enum vgpu_counter counter)
{
	return counts ? vgpu_launch_counts_has(config, counts, counter) :
			vgpu_counter_exists(config, counter);
}

/* ---- CSV ---------------------------------------------------------------- */

static void columns_of(const struct vgpu_config *config, bool columns[VGPU_COUNTER_COUNT])
{
	for (u32 n = 0; n < VGPU_COUNTER_COUNT; n++)
		columns[n] = vgpu_counter_exists(config, n);
}

void vgpu_stats_csv_head(FILE *out, const struct vgpu_config *config)
{
	bool columns[VGPU_COUNTER_COUNT];

	columns_of(config, columns);
	vgpu_csv_head(out, "", columns);
}

void vgpu_stats_csv(FILE *out, const struct vgpu_config *config, const struct vgpu_stats_sum *sum,
		    const struct vgpu_launch_counts *counts)
{
	struct vgpu_csv_line line = {
		.scope = vgpu_stats_scope_name(sum->scope), .label = sum->label,
		.kernel = sum->name,			    .number = sum->launch,
		.context = sum->context,		    .queue = sum->queue,
		.sm = sum->sm,				    .launches = sum->launches,
		.duration_ps = sum->duration_ps,	    .preempted_ps = sum->preempted_ps,
		.achieved = achieved(config, sum),
	};
	bool columns[VGPU_COUNTER_COUNT];
	struct vgpu_csv_launch launch;

	columns_of(config, columns);
	for (u32 n = 0; n < VGPU_COUNTER_COUNT; n++)
		line.value[n] = is_there(config, counts, n) ? sum->value[n] : VGPU_CSV_NOT_COUNTED;
	if (sum->scope == VGPU_STATS_LAUNCH) {
		launch.started_ps = counts->started;
		launch.complete = counts->complete;
		launch.theoretical = theoretical(config, counts);
		memcpy(launch.grid, counts->grid, sizeof(launch.grid));
		memcpy(launch.block, counts->block, sizeof(launch.block));
		line.launch = &launch;
	}
	vgpu_csv_line(out, &line, "", columns);
}

/* ---- JSON --------------------------------------------------------------- */

/* What is not UTF-8 is `?'. */
static void json_text(FILE *out, const char *text)
{
	fputc('"', out);
	while (*text) {
		size_t bytes = vgpu_utf8_character(text);

		if (!bytes)
			fputc('?', out);
		else if ((unsigned char)*text < ' ')
			fprintf(out, "\\u%04x", (unsigned int)*text);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			fwrite(text, bytes, 1, out);
		text += bytes ? bytes : 1;
	}
	fputc('"', out);
}

void vgpu_stats_json_head(FILE *out, const struct vgpu_config *config)
{
	fputs("{\"format\":\"vgpu-stats\",\"version\":1,\"device\":{\"preset\":", out);
	json_text(out, config->name);
	fputs(",\"timing\":", out);
	json_text(out, config->timing);
	fprintf(out, ",\"sms\":%u,\"clock_khz\":%u,\"warps_per_sm\":%u,\"warp_schedulers\":%u},\n",
		config->sms, config->clock_khz, config->threads_per_sm / 32,
		config->warp_schedulers);
}

static void json_counters(FILE *out, const struct vgpu_config *config,
			  const struct vgpu_stats_sum *sum,
			  const struct vgpu_launch_counts *counts)
{
	const char *comma = "";

	fputs("\"counters\":{", out);
	for (u32 n = 0; n < VGPU_COUNTER_COUNT; n++) {
		if (!is_there(config, counts, n))
			continue;
		fprintf(out, "%s\"%s\":%llu", comma, vgpu_counter_names[n],
			(unsigned long long)sum->value[n]);
		comma = ",";
	}
	fputc('}', out);
}

static void json_key(FILE *out, const char *key, u32 number)
{
	if (number != NONE)
		fprintf(out, "\"%s\":%u,", key, number);
}

static void json_string(FILE *out, const char *key, const char *text)
{
	if (!text)
		return;
	fprintf(out, "\"%s\":", key);
	json_text(out, text);
	fputc(',', out);
}

static void json_launch(FILE *out, const struct vgpu_config *config,
			const struct vgpu_launch_counts *counts)
{
	fprintf(out,
		"\"seq\":%llu,\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],"
		"\"registers_per_block\":%u,\"shared_bytes_per_block\":%u,"
		"\"submitted_ps\":%llu,\"started_ps\":%llu,\"ended_ps\":%llu,\"complete\":%s,"
		"\"theoretical_occupancy_pct\":%.2f,",
		(unsigned long long)counts->seq, counts->grid[0], counts->grid[1],
		counts->grid[2], counts->block[0], counts->block[1], counts->block[2],
		counts->registers, counts->shared_bytes, (unsigned long long)counts->submitted,
		(unsigned long long)counts->started, (unsigned long long)counts->ended,
		counts->complete ? "true" : "false", theoretical(config, counts));
}

void vgpu_stats_json(FILE *out, const struct vgpu_config *config, const struct vgpu_stats_sum *sum,
		     const struct vgpu_launch_counts *counts)
{
	bool whole = sum->scope == VGPU_STATS_LAUNCH, first = true;

	fputc('{', out);
	json_key(out, "launch", sum->launch);
	json_key(out, "context", sum->context);
	json_key(out, "stream", sum->queue);
	json_key(out, "sm", sum->sm);
	json_string(out, "kernel", sum->name);
	json_string(out, whole ? "range" : "name", sum->label);
	if (whole)
		json_launch(out, config, counts);
	else
		fprintf(out, "\"launches\":%llu,", (unsigned long long)sum->launches);
	fprintf(out,
		"\"duration_ps\":%llu,\"preempted_ps\":%llu,\"achieved_occupancy_pct\":%.2f,",
		(unsigned long long)sum->duration_ps, (unsigned long long)sum->preempted_ps,
		achieved(config, sum));
	json_counters(out, config, sum, counts);
	if (whole) {
		fputs(",\"sms\":[", out);
		for (u32 sm = 0; sm < counts->sms; sm++) {
			const struct vgpu_stats_sum part = vgpu_stats_of_sm(counts, sm);

			if (vgpu_stats_is_zero(&part))
				continue;
			fprintf(out, "%s\n  {\"sm\":%u,", first ? "" : ",", sm);
			json_counters(out, config, &part, counts);
			fputc('}', out);
			first = false;
		}
		fputc(']', out);
	}
	fputc('}', out);
}
