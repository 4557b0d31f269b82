// SPDX-License-Identifier: MIT
/*
 * Import of timelines: the database that `nsys export --type sqlite' writes of a report of Nsight
 * Systems. NVIDIA documents its tables ("SQLite Schema Reference" of the user guide); which are
 * there, and which columns, depends on what was recorded and on the version. What is required is
 * asked for by name, the rest is taken if it is there.
 */
#include <string.h>

#include "database.h"

enum kernel_column {
	K_START,
	K_END,
	K_STREAM,
	K_GRID_X,
	K_GRID_Y,
	K_GRID_Z,
	K_BLOCK_X,
	K_BLOCK_Y,
	K_BLOCK_Z,
	K_REGS,
	K_STATIC,
	K_DYNAMIC,
	K_NAME,
	K_DEVICE,
	K_CORRELATION,
	K_PROCESS,
	K_COLUMNS
};

static const struct imp_column kernel_columns[K_COLUMNS] = {
	[K_START] = {{"start"}, true},
	[K_END] = {{"end"}, true},
	[K_STREAM] = {{"streamId"}, true},
	[K_GRID_X] = {{"gridX"}, true},
	[K_GRID_Y] = {{"gridY"}, true},
	[K_GRID_Z] = {{"gridZ"}, true},
	[K_BLOCK_X] = {{"blockX"}, true},
	[K_BLOCK_Y] = {{"blockY"}, true},
	[K_BLOCK_Z] = {{"blockZ"}, true},
	[K_REGS] = {{"registersPerThread"}, false},
	[K_STATIC] = {{"staticSharedMemory"}, false},
	[K_DYNAMIC] = {{"dynamicSharedMemory"}, false},
	[K_NAME] = {{"shortName", "demangledName"}, false},
	[K_DEVICE] = {{"deviceId"}, false},
	[K_CORRELATION] = {{"correlationId"}, false},
	[K_PROCESS] = {{"globalPid"}, false},
};

enum copy_column {
	C_START,
	C_END,
	C_STREAM,
	C_BYTES,
	C_KIND,
	C_DEVICE,
	C_CORRELATION,
	C_PROCESS,
	C_COLUMNS
};

static const struct imp_column copy_columns[C_COLUMNS] = {
	[C_START] = {{"start"}, true},
	[C_END] = {{"end"}, true},
	[C_STREAM] = {{"streamId"}, true},
	[C_BYTES] = {{"bytes"}, true},
	/* of CUPTI_ACTIVITY_KIND_MEMCPY only */
	[C_KIND] = {{"copyKind"}, false},
	[C_DEVICE] = {{"deviceId"}, false},
	[C_CORRELATION] = {{"correlationId"}, false},
	[C_PROCESS] = {{"globalPid"}, false},
};

enum call_column { R_START, R_END, R_NAME, R_CORRELATION, R_PROCESS, R_COLUMNS };

static const struct imp_column call_columns[R_COLUMNS] = {
	[R_START] = {{"start"}, true},	      [R_END] = {{"end"}, true},
	[R_NAME] = {{"nameId"}, true},	      [R_CORRELATION] = {{"correlationId"}, false},
	[R_PROCESS] = {{"globalTid"}, false},
};

enum sync_column { S_START, S_END, S_STREAM, S_KIND, S_CORRELATION, S_PROCESS, S_COLUMNS };

static const struct imp_column sync_columns[S_COLUMNS] = {
	[S_START] = {{"start"}, true},
	[S_END] = {{"end"}, true},
	[S_STREAM] = {{"streamId"}, true},
	[S_KIND] = {{"syncType"}, true},
	[S_CORRELATION] = {{"correlationId"}, false},
	[S_PROCESS] = {{"globalPid"}, false},
};

enum range_column { N_START, N_END, N_TEXT, N_TEXT_ID, N_COLUMNS };

static const struct imp_column range_columns[N_COLUMNS] = {
	[N_START] = {{"start"}, true},
	[N_END] = {{"end"}, true},
	[N_TEXT] = {{"text"}, false},
	[N_TEXT_ID] = {{"textId"}, false},
};

enum gpu_column { G_ID, G_NAME, G_SMS, G_COLUMNS };

static const struct imp_column gpu_columns[G_COLUMNS] = {
	[G_ID] = {{"id"}, true},
	[G_NAME] = {{"name"}, true},
	[G_SMS] = {{"smCount"}, false},
};

/* ---- rows --------------------------------------------------------------- */

/* Stream, device, correlation and process. NULL: left out, or refused */
static struct imp_command *add_command(struct imp_reader *r, unsigned int stream,
				       unsigned int device, unsigned int correlation,
				       unsigned int process)
{
	u64 of_stream, of_device, of_call;
	struct imp_command *command;

	if (imp_row_number(r, stream, IMP_NONE - 1, true, &of_stream) ||
	    imp_row_number(r, device, IMP_NONE - 1, true, &of_device) ||
	    imp_row_number(r, correlation, IMP_NONE, true, &of_call)) {
		imp_row_skip(r, IMP_SKIP_KEY);
		return NULL;
	}
	command = imp_add_command(r->timeline);
	if (!command)
		return NULL;
	command->stream = (u32)of_stream;
	command->device = (u32)of_device;
	command->correlation = (u32)of_call;
	command->process = imp_row_process(r, process);
	return command;
}

/* The product of three columns. */
static int product(struct imp_reader *r, unsigned int column, u64 max, u64 *value)
{
	unsigned int i;
	u64 factor;

	*value = 1;
	for (i = 0; i < 3; i++) {
		if (imp_row_number(r, column + i, max, false, &factor) || !factor ||
		    *value > max / factor)
			return -1;
		*value *= factor;
	}
	return 0;
}

static void read_kernel(struct imp_reader *r)
{
	u64 start, end, blocks, threads, regs, fixed, dynamic, name;
	struct imp_command *command;

	if (imp_row_times(r, K_START, IMP_COMMAND_NS_MAX, &start, &end))
		return;
	if (product(r, K_GRID_X, IMP_BLOCKS_MAX, &blocks) ||
	    product(r, K_BLOCK_X, 1024, &threads) || imp_row_number(r, K_REGS, 255, true, &regs) ||
	    imp_row_number(r, K_STATIC, 1 << 23, true, &fixed) ||
	    imp_row_number(r, K_DYNAMIC, 1 << 23, true, &dynamic)) {
		imp_row_skip(r, IMP_SKIP_SHAPE);
		return;
	}
	command = add_command(r, K_STREAM, K_DEVICE, K_CORRELATION, K_PROCESS);
	if (!command)
		return;
	command->kind = IMP_KERNEL;
	command->start = start;
	command->end = end;
	command->amount = blocks;
	command->threads = (u16)threads;
	command->regs = (u8)regs;
	command->shared = (u32)(fixed + dynamic);
	command->name = imp_row_number(r, K_NAME, ~0ull >> 1, false, &name)
				? IMP_NONE
				: imp_string_name(r, name);
}

/* CUpti_ActivityMemcpyKind: arrays as other memory. Between devices it crosses the link, too. */
static int kind_of_copy(u64 kind)
{
	switch (kind) {
	case 1: /* HTOD */
	case 3: /* HTOA */
		return IMP_H2D;
	case 2: /* DTOH */
	case 4: /* ATOH */
	case 10: /* PTOP */
		return IMP_D2H;
	case 5: /* ATOA */
	case 6: /* ATOD */
	case 7: /* DTOA */
	case 8: /* DTOD */
		return IMP_D2D;
	default:
		return -1;
	}
}

static void read_copy(struct imp_reader *r, bool memset)
{
	u64 start, end, bytes, kind;
	struct imp_command *command;
	int what = IMP_MEMSET;

	if (imp_row_times(r, C_START, IMP_COMMAND_NS_MAX, &start, &end))
		return;
	if (!memset)
		what = imp_row_number(r, C_KIND, 255, false, &kind) ? -1 : kind_of_copy(kind);
	if (what < 0) {
		imp_row_skip(r, IMP_SKIP_COPY);
		return;
	}
	if (imp_row_number(r, C_BYTES, IMP_BYTES_MAX, false, &bytes) || (!bytes && !memset)) {
		imp_row_skip(r, IMP_SKIP_BYTES);
		return;
	}
	command = add_command(r, C_STREAM, C_DEVICE, C_CORRELATION, C_PROCESS);
	if (!command)
		return;
	command->kind = (u8)what;
	command->start = start;
	command->end = end;
	command->amount = bytes;
}

static void read_memcpy_row(struct imp_reader *r)
{
	read_copy(r, false);
}

static void read_memset_row(struct imp_reader *r)
{
	read_copy(r, true);
}

static void add_call(struct imp_reader *r, enum imp_call_kind kind, u32 stream, u64 start, u64 end,
		     unsigned int correlation, unsigned int process)
{
	struct imp_call *call;
	u64 of_call;

	if (imp_row_number(r, correlation, IMP_NONE, true, &of_call)) {
		imp_row_skip(r, IMP_SKIP_KEY);
		return;
	}
	call = imp_add_call(r->timeline);
	if (!call)
		return;
	call->start = start;
	call->end = end;
	call->kind = kind;
	call->stream = stream;
	call->correlation = (u32)of_call;
	call->process = imp_row_process(r, process);
}

static void read_call(struct imp_reader *r)
{
	u64 start, end, name;
	int kind;

	if (imp_row_number(r, R_NAME, ~0ull >> 1, false, &name))
		return;
	kind = imp_string_call(r, name);
	if (kind < 0 || imp_row_times(r, R_START, ~0ull, &start, &end))
		return;
	add_call(r, (enum imp_call_kind)kind, IMP_NONE, start, end, R_CORRELATION, R_PROCESS);
}

/*
 * CUpti_ActivitySynchronizationType 3: of a stream. The call is there, too, and does not say which.
 */
static void read_sync(struct imp_reader *r)
{
	u64 start, end, kind, stream;

	if (imp_row_number(r, S_KIND, 255, false, &kind) || kind != 3)
		return;
	if (imp_row_times(r, S_START, ~0ull, &start, &end))
		return;
	if (imp_row_number(r, S_STREAM, IMP_NONE - 1, false, &stream))
		imp_row_skip(r, IMP_SKIP_KEY);
	else
		add_call(r, IMP_SYNC_STREAM, (u32)stream, start, end, S_CORRELATION, S_PROCESS);
}

static void read_range(struct imp_reader *r)
{
	const char *text = (const char *)sqlite3_column_text(r->row, N_TEXT + 1);
	const char *step = r->timeline->options->step;
	u64 start, end, id;

	if (!text && !imp_row_number(r, N_TEXT_ID, ~0ull >> 1, false, &id))
		text = imp_string(r, id);
	/* marks have no end */
	if (!text || strncmp(text, step, strlen(step)) ||
	    sqlite3_column_type(r->row, N_END + 1) == SQLITE_NULL)
		return;
	if (!imp_row_times(r, N_START, ~0ull, &start, &end))
		imp_add_step(r->timeline, start, end);
}

static void read_gpu(struct imp_reader *r)
{
	const char *name = (const char *)sqlite3_column_text(r->row, G_NAME + 1);
	u64 id, sms;

	if (!imp_row_number(r, G_ID, IMP_NONE - 1, true, &id))
		imp_add_gpu(r->timeline, id, imp_row_number(r, G_SMS, 65535, true, &sms) ? 0 : sms,
			    name ? name : "");
}

static const struct {
	const char *table, *order;
	const struct imp_column *columns;
	unsigned int count;
	void (*read)(struct imp_reader *r);
} tables[] = {
	{"TARGET_INFO_GPU", "id", gpu_columns, G_COLUMNS, read_gpu},
	{"CUPTI_ACTIVITY_KIND_KERNEL", "start", kernel_columns, K_COLUMNS, read_kernel},
	{"CUPTI_ACTIVITY_KIND_MEMCPY", "start", copy_columns, C_COLUMNS, read_memcpy_row},
	{"CUPTI_ACTIVITY_KIND_MEMSET", "start", copy_columns, C_COLUMNS, read_memset_row},
	{"CUPTI_ACTIVITY_KIND_RUNTIME", "start", call_columns, R_COLUMNS, read_call},
	{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "start", sync_columns, S_COLUMNS, read_sync},
	{"NVTX_EVENTS", "start", range_columns, N_COLUMNS, read_range},
};

static int read_tables(struct imp_reader *r)
{
	unsigned int i;
	int there;

	for (i = 0; i < VGPU_ARRAY_SIZE(tables); i++) {
		/* steps are looked for only if they are asked for */
		if (tables[i].read == read_range && !r->timeline->options->first_step)
			continue;
		there = imp_table_open(r, tables[i].table, tables[i].columns, tables[i].count,
				       tables[i].order);
		while (there > 0 && (there = imp_table_next(r)) > 0) {
			tables[i].read(r);
			if (r->timeline->message[0])
				there = -1;
		}
		imp_table_close(r);
		if (there < 0)
			return -1;
	}
	return 0;
}

int imp_read_nsys(struct imp_timeline *timeline)
{
	struct imp_reader r = {.timeline = timeline};
	int err = imp_database_open(&r);

	if (!err)
		err = read_tables(&r);
	imp_database_close(&r);
	return err;
}
