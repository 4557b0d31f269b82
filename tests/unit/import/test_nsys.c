// SPDX-License-Identifier: MIT
/*
 * Databases of Nsight Systems: made here by statements after the schema that NVIDIA documents; what
 * comes over, what is left out, what is refused with table and row.
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imp_test.h"

static const char schema[] =
	"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "
	"busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, "
	"memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
	"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName "
	"INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, "
	"registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, "
	"gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER "
	"NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, "
	"localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER "
	"NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, "
	"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT "
	"NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, graphNodeId INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, "
	"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, "
	"graphNodeId INTEGER, memKind INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "
	"eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT "
	"NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT "
	"NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, "
	"correlationId INTEGER, globalPid INTEGER, syncType INTEGER NOT NULL, eventId INTEGER);"
	"CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType "
	"INTEGER NOT NULL, "
	"rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, "
	"endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);"
	"INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'void "
	"ns::sgemm<128>(float "
	"*)'), (3, 'sgemm'), (4, 'cudaStreamSynchronize_v3020'), (5, 'cudaMemcpyAsync_v3020'), "
	"(6, 'cudaGetDevice'), (7, 'step 2'), (8, 'cudaMemsetAsync_v3020');"
	"INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA H100 80GB HBM3', '0000', 1, 52428800, "
	"85000000000, 3352000000000, 1980000000, 132);";

/* Process 1000; a launch, from its call to its end. */
#define LAUNCH(id, call, start, end)                                                               \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" call ", " call \
	" + 3000, 0, 281491753927659, " id ", 1, 0, NULL);"                                        \
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" start ", " end                           \
	", 0, 1, 7, " id ", 281491753926656, 2, 3, NULL, 0, 0, 40, 264, 2, 1, 32, 8, 1, 1024, " \
	"512, 0, 0, 1, NULL, NULL);"

static char path[] = "/tmp/vgpu-nsys-XXXXXX";

static void fill_database(const char *statements)
{
	char *message = NULL;
	sqlite3 *db;

	close(mkstemp(strcpy(path, "/tmp/vgpu-nsys-XXXXXX")));
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, statements, NULL, NULL, &message))
		fail_msg("%s: %s", statements, message);
	sqlite3_close(db);
}

static int read_database(struct imp_timeline *t)
{
	int err;

	t->path = path;
	err = imp_read_nsys(t);
	assert_int_equal(err != 0, t->message[0] != 0);
	unlink(path);
	return err;
}

static struct imp_options options;

static struct imp_timeline *database(const char *rest)
{
	char *text = malloc(sizeof(schema) + strlen(rest));

	strcat(strcpy(text, schema), rest);
	fill_database(text);
	free(text);
	options = imp_test_options();
	return imp_test_timeline(&options);
}

static void reads_a_database(void **state)
{
	struct imp_timeline *t = database(
		LAUNCH("17", "1000000", "1007000", "1019000")
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1001000, 1001100, 0, 1, 3, 6, 0, "
		"NULL), (1020000, 1030000, 0, 281491753927659, 19, 4, 0, NULL);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1020500, "
		"1029000, 0, 1, 7, "
		"19, 281491753926656, 3, 0), (1020500, 1029000, 0, 1, 7, 19, 1, 2, 5);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1040000, 1050000, 0, 1, 20, 21, "
		"281491753926656, 4096, 1, NULL, 0, 2, NULL);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1060000, 1062000, 0, 1, 7, 22, "
		"281491753926656, 0, 64, NULL, 2);");
	const struct imp_command *c;

	(void)state;
	if (read_database(t))
		fail_msg("%s", t->message);
	assert_int_equal(t->command_count, 3);
	c = &t->commands[0];
	assert_true(c->start == 1007000 && c->end == 1019000 && c->kind == IMP_KERNEL);
	assert_true(c->amount == 528 && c->threads == 256 && c->regs == 40 && c->shared == 1536);
	assert_true(c->stream == 7 && c->correlation == 17 && c->process == 1000);
	assert_string_equal(t->names[c->name], "sgemm");
	assert_true(t->commands[1].kind == IMP_H2D && t->commands[1].amount == 4096);
	assert_int_equal(t->commands[2].kind, IMP_MEMSET);
	assert_int_equal(t->call_count, 3);
	assert_int_equal(imp_timeline_order(t), 0);
	/* the sync has got its stream */
	assert_int_equal(t->call_count, 2);
	assert_true(t->calls[1].kind == IMP_SYNC_STREAM && t->calls[1].stream == 1);
	assert_true(t->calls[1].start == 1020000 && t->calls[1].end == 1030000);
	assert_string_equal(t->gpu->name, "NVIDIA H100 80GB HBM3");
	assert_int_equal(t->gpu->sms, 132);
	for (unsigned int i = 0; i < IMP_SKIPS; i++)
		assert_int_equal(t->skipped[i], 0);
	imp_test_free(t);
}

static void lasts_as_long(void **state)
{
	struct imp_timeline *t;
	struct imp_test_run run;
	char text[40000] = "";
	size_t length = 0;

	(void)state;
	for (int i = 0; i < 50; i++)
		length += (size_t)snprintf(
			text + length, sizeof(text) - length,
			LAUNCH("%d", "%d", "%d", "%d")
			"INSERT INTO NVTX_EVENTS VALUES (%d, %d, 59, NULL, NULL, NULL, "
			"%s, 1, NULL, "
			"%s, 0);",
			i + 1, 1000000 + 50000 * i, 1000000 + 50000 * i, 1007000 + 50000 * i,
			1019000 + 50000 * i + i * 100, i + 1, 1000000 + 50000 * i - 10,
			1000000 + 50000 * i + 40000, i & 1 ? "'step 1'" : "NULL",
			i & 1 ? "NULL" : "7");
	t = database(text);
	options.step = "step";
	options.first_step = 11;
	options.last_step = 40;
	if (read_database(t))
		fail_msg("%s", t->message);
	assert_int_equal(t->step_count, 50);
	run = imp_test_simulate(t, "h100");
	assert_int_equal(run.kernel_count, 30);
	assert_true(run.took_ps > 1472900000ull * 95 / 100);
	assert_true(run.took_ps < 1472900000ull * 105 / 100);
	assert_int_equal(run.report.close, 30);
	imp_test_run_free(&run);
	imp_test_free(t);
}

#define KERNEL(start, end, stream, regs, grid, block)                                              \
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" start ", " end ", 0, 1, " stream \
	", 5, 6, 2, 3, NULL, 0, 0, " regs ", " grid ", " block ", 0, 0, 0, 0, 1, NULL, NULL);"
#define MEMCPY(bytes, kind)                                                                        \
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 0, 1, 20, 21, 6, " bytes ", " kind \
	", NULL, 0, 2, NULL);"

static const struct {
	const char *statement;
	enum imp_skip why;
} left_out[] = {
	{ KERNEL("9", "8", "7", "8", "1, 1, 1", "1, 1, 1"), IMP_SKIP_TIME },
	{ KERNEL("-9", "8", "7", "8", "1, 1, 1", "1, 1, 1"), IMP_SKIP_TIME },
	{ KERNEL("1", "9223372036854775807", "7", "8", "1, 1, 1", "1, 1, 1"), IMP_SKIP_TIME },
	{ KERNEL("1", "1e30", "7", "8", "1, 1, 1", "1, 1, 1"), IMP_SKIP_TIME },
	{ KERNEL("'x'", "8", "7", "8", "1, 1, 1", "1, 1, 1"), IMP_SKIP_TIME },
	{ KERNEL("1", "2", "-7", "8", "1, 1, 1", "1, 1, 1"), IMP_SKIP_KEY },
	{ KERNEL("1", "2", "7", "256", "1, 1, 1", "1, 1, 1"), IMP_SKIP_SHAPE },
	{ KERNEL("1", "2", "7", "8", "1, 0, 1", "1, 1, 1"), IMP_SKIP_SHAPE },
	{ KERNEL("1", "2", "7", "8", "4294967296, 4294967296, 4294967296", "1, 1, 1"),
	  IMP_SKIP_SHAPE },
	{ KERNEL("1", "2", "7", "8", "1, 1, 1", "1024, 2, 1"), IMP_SKIP_SHAPE },
	{ MEMCPY("0", "1"), IMP_SKIP_BYTES },
	{ MEMCPY("-1", "1"), IMP_SKIP_BYTES },
	{ MEMCPY("70368744177665", "1"), IMP_SKIP_BYTES },
	{ MEMCPY("x''", "1"), IMP_SKIP_BYTES },
	{ MEMCPY("5", "9"), IMP_SKIP_COPY },
};

static void leaves_out_what_cannot_be_and_counts_it(void **state)
{
	(void)state;
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(left_out); i++) {
		struct imp_timeline *t = database(left_out[i].statement);

		if (read_database(t))
			fail_msg("%s: %s", left_out[i].statement, t->message);
		if (t->command_count || t->skipped[left_out[i].why] != 1)
			fail_msg("%s: %zu commands", left_out[i].statement, t->command_count);
		assert_non_null(strstr(t->skip_place[left_out[i].why], ", row 1"));
		imp_test_free(t);
	}
}

static const struct {
	const char *statements, *message;
} bad[] = {
	{ "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start)",
	  "CUPTI_ACTIVITY_KIND_KERNEL has no column end" },
	{ "CREATE TABLE x (start); CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH "
	"RECURSIVE r(n) AS "
	  "(SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n AS start FROM r",
	  "CUPTI_ACTIVITY_KIND_KERNEL must be a table" },
	{ "CREATE TABLE StringIds (number INTEGER)", "StringIds: no such column" },
	{ "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER PRIMARY KEY, end, "
	"nameId) WITHOUT "
	  "ROWID", "CUPTI_ACTIVITY_KIND_RUNTIME, after row 0: no such column: rowid" },
};

static void refuses_what_is_no_such_database(void **state)
{
	(void)state;
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(bad); i++) {
		struct imp_timeline *t;

		options = imp_test_options();
		t = imp_test_timeline(&options);
		fill_database(bad[i].statements);
		if (!read_database(t) || !strstr(t->message, bad[i].message))
			fail_msg("%s: '%s'", bad[i].statements, t->message);
		imp_test_free(t);
	}
}

/* Cut anywhere, a file is refused or has less; nothing worse. */
static void files_that_are_cut_are_refused(void **state)
{
	char text[100000] = "";
	size_t length = 0;
	u32 refused = 0;
	long size;

	(void)state;
	for (int i = 0; i < 200; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   LAUNCH("%d", "%d", "%d", "%d"), i, i * 1000, i * 1000,
					   i, i, i + 9);
	for (u32 part = 0; part < 16; part++) {
		struct imp_timeline *t = database(text);
		FILE *file = fopen(path, "rb");

		fseek(file, 0, SEEK_END);
		size = ftell(file);
		fclose(file);
		assert_int_equal(truncate(path, size * part / 16), 0);
		if (read_database(t)) {
			refused++;
			assert_true(strstr(t->message, "must be a whole database") ||
				    strstr(t->message, "StringIds: "));
		}
		imp_test_free(t);
	}
	/* what is empty is a database without tables, and the last pages may be of unused ones */
	assert_true(refused >= 12);
}

/* The command tells a database by its first bytes. */
static void the_command_knows_a_database(void **state)
{
	struct imp_timeline *t = database(LAUNCH("17", "1000000", "1007000", "1019000"));
	char job[] = "/tmp/vgpu-job-XXXXXX", text[256] = "";
	static const char begins[] = "[global]\ngpu=h100\nrepeat=1\n\n[a]\nhost=one\n";
	char *args[] = { "import", "-q", "-o", job, "-n", "a", path, NULL };
	FILE *file;

	(void)state;
	close(mkstemp(job));
	assert_int_equal(imp_main(7, args), 0);
	file = fopen(job, "r");
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	unlink(job);
	unlink(path);
	assert_true(!strncmp(text, begins, strlen(begins)));
	assert_non_null(strstr(text, "phase=kernel name=sgemm tbs=528 "));
	imp_test_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_database),
		cmocka_unit_test(lasts_as_long),
		cmocka_unit_test(leaves_out_what_cannot_be_and_counts_it),
		cmocka_unit_test(refuses_what_is_no_such_database),
		cmocka_unit_test(files_that_are_cut_are_refused),
		cmocka_unit_test(the_command_knows_a_database),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
