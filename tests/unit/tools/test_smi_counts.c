// SPDX-License-Identifier: MIT
/*
 * vgpu-smi counts -c, with what a module would say: a kernel's name may have every byte from ! to
 * ~, and a line has as many fields as the first one all the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "tools/netlink/client.h"

static int made_up(struct client *client, int only, enum vgpu_nl_counts scope,
		   struct client_counts **list, size_t *count)
{
	static const struct client_counts launch = {
		.device = 1, .scope = VGPU_NL_COUNTS_LAUNCH, .context = 2, .pid = 77, .queue = 3,
		.launch = 4, .sm_warps = 64, .fitting = 16, .grid = { 8, 1, 1 },
		.block = { 64, 1, 1 }, .complete = true, .kernel = "a\",\"b", .launches = 1,
		.duration = 5000, .started = 6000,
		.value = { [VGPU_COUNT_ACTIVE_TIME] = 100, [VGPU_COUNT_WARP_TIME] = 1600 },
	};

	(void)client;
	(void)only;
	assert_int_equal(scope, VGPU_NL_COUNTS_LAUNCH);
	*list = malloc(sizeof(launch));
	assert_non_null(*list);
	**list = launch;
	*count = 1;
	return 0;
}

/* The function, not the struct */
#define client_counts(...) made_up(__VA_ARGS__)
#include "tools/vgpu-smi/counts.c"

static void names_of_kernels_are_quoted(void **state)
{
	static const char begins[] = "launch,4,2,3,\"\",\"a\"\",\"\"b\",,1,8x1x1,64x1x1,"
				     "6000,5000,0,1,50.00,25.00,1,77,0,";
	char *argv[] = { "counts", "-c", NULL }, line[4096] = "", path[] = "/tmp/smi-counts-XXXXXX";
	int file = mkstemp(path), out = dup(STDOUT_FILENO), status;
	static struct client client;
	FILE *written;

	(void)state;
	fflush(stdout);
	dup2(file, STDOUT_FILENO);
	status = counts_command(&client, 1, argv + 1);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	written = fopen(path, "r");
	assert_non_null(written);
	assert_int_equal(status, CLIENT_OK);
	assert_non_null(fgets(line, sizeof(line), written));
	assert_int_equal(strncmp(line, "scope,launch,context,", 21), 0);
	assert_non_null(fgets(line, sizeof(line), written));
	line[sizeof(begins) - 1] = '\0';
	assert_string_equal(line, begins);
	fclose(written);
	unlink(path);
	close(file);
	close(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_of_kernels_are_quoted) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
