/* SPDX-License-Identifier: MIT */
/*
 * What the kernel has logged since a mark: the same line may be there from a test before.
 */
#ifndef VGPU_LOG_H
#define VGPU_LOG_H

#include <string.h>
#include <sys/klog.h>

#include "vgpu_selftest.h"

static char log_text[1 << 20], log_last[512];	/* the last line, with its time, at the mark */

static inline void log_read(void)
{
	int n = klogctl(3, log_text, sizeof(log_text) - 1);

	CHECK(n > 0);
	log_text[n] = 0;
}

static inline void log_mark(void)
{
	char *line;

	log_read();
	log_text[strlen(log_text) - 1] = 0;	/* the newline at its end */
	line = strrchr(log_text, '\n');
	snprintf(log_last, sizeof(log_last), "%s", line ? line + 1 : log_text);
}

static inline bool log_has(const char *line)
{
	const char *since;

	log_read();
	since = strstr(log_text, log_last);
	return strstr(since ? since + strlen(log_last) : log_text, line);
}

#endif
