// SPDX-License-Identifier: MIT
/*
 * Workloads: decimal text to scaled integers, exactly. A microsecond with six digits behind the
 * point is a whole number of picoseconds, so a job file says times without rounding.
 */
#include <errno.h>

#include "workload.h"

static int append_digit(u64 *value, unsigned int digit)
{
	if (*value > (~0ull - digit) / 10)
		return -ERANGE;
	*value = *value * 10 + digit;
	return 0;
}

int wl_decimal(const char *text, unsigned int decimals, u64 *value)
{
	unsigned int digits = 0, behind = 0;
	bool point = false;
	u64 number = 0;

	for (; *text; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9')
			return -EINVAL;
		digits++;
		/* Zeros behind the last digit that counts say nothing new. */
		if (point && behind == decimals) {
			if (*text != '0')
				return -ERANGE;
			continue;
		}
		behind += point;
		if (append_digit(&number, (unsigned int)(*text - '0')))
			return -ERANGE;
	}
	if (!digits)
		return -EINVAL;
	for (; behind < decimals; behind++)
		if (append_digit(&number, 0))
			return -ERANGE;
	*value = number;
	return 0;
}
