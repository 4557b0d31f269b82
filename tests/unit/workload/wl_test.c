// SPDX-License-Identifier: MIT
/*
 * Jobs from text and small devices, for the tests of workloads.
 */
#include <string.h>

#include "wl_test.h"

int wl_test_read(const char *text, struct wl_job *job, char *message)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err;

	assert_non_null(file);
	err = wl_job_read(file, "job", job, message);
	fclose(file);
	return err;
}

struct wl_job wl_test_job(const char *text)
{
	char message[WL_MESSAGE_BYTES];
	struct wl_job job;

	if (wl_test_read(text, &job, message))
		fail_msg("%s", message);
	return job;
}

struct wl_setup wl_test_setup(u32 sms)
{
	struct wl_setup setup = { .until_ps = VGPU_NEVER };

	assert_int_equal(vgpu_config_preset(&setup.config, "k20c"), 0);
	setup.config.sms = sms;
	setup.config.launch_ps = 0;
	setup.config.sm_setup_ps = 0;
	return setup;
}

struct wl_study wl_test_study(const struct wl_job *job, const struct wl_setup *setup)
{
	char message[WL_MESSAGE_BYTES];
	struct wl_study study;

	if (wl_study_run(&study, job, setup, message))
		fail_msg("%s", message);
	return study;
}
