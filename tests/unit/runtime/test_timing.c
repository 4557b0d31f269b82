// SPDX-License-Identifier: MIT
/* VGPU_TIMING: which names a pattern fits. What rules do is tested by tests/cuda/test_timing.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "modules/timing.h"
#include "state.h"

static void fits(const char *pattern, const char *mangled)
{
	if (!rt_timing_fits(pattern, mangled))
		fail_msg("%s does not fit %s", pattern, mangled);
}

static void fits_not(const char *pattern, const char *mangled)
{
	if (rt_timing_fits(pattern, mangled))
		fail_msg("%s fits %s", pattern, mangled);
}

static void names_as_in_the_ptx(void **state)
{
	(void)state;
	fits("saxpy", "saxpy");
	fits("_Z5sgemmPKfS0_Pfi", "_Z5sgemmPKfS0_Pfi");
	fits("*", "_Z5sgemmPKfS0_Pfi");
	fits("_Z5sgemm*", "_Z5sgemmPKfS0_Pfi");
	fits_not("axpy", "saxpy");
	fits_not("saxp", "saxpy");
}

static void names_as_in_the_source(void **state)
{
	(void)state;
	fits("sgemm", "_Z5sgemmPKfS0_Pfi");
	fits("s*", "_Z5sgemmPKfS0_Pfi");
	fits("sgem[mn]", "_Z5sgemmPKfS0_Pfi");
	fits_not("gemm", "_Z5sgemmPKfS0_Pfi");
	fits_not("sgemmP", "_Z5sgemmPKfS0_Pfi");
	/* of a file alone */
	fits("work", "_ZL4workPi");
	/* namespaces, with and without */
	fits("a::bc::scan", "_ZN1a2bc4scanEPi");
	fits("scan", "_ZN1a2bc4scanEPi");
	fits("*::scan", "_ZN1a2bc4scanEPi");
	fits_not("bc::scan", "_ZN1a2bc4scanEPi");
	fits("(anonymous namespace)::scan", "_ZN12_GLOBAL__N_14scanEPi");
	fits("scan", "_ZN12_GLOBAL__N_14scanEPi");
	/* templates by their name */
	fits("reduce", "_Z6reduceILj256EEvPKfPf");
	fits("cub::reduce", "_ZN3cub6reduceIfEEvPT_");
}

/* Whatever a program's PTX calls a kernel. */
static void names_that_are_none(void **state)
{
	(void)state;
	fits_not("x", "_Z");
	fits_not("x", "_ZN");
	fits_not("x", "_Z99999999999999999999x");
	fits_not("x", "_Z5ab");
	fits_not("x", "_Z1");
	fits("_Z5ab", "_Z5ab");
	fits_not("", "x");
}

/* A rule adds the model to the flags that a launch has. */
static void other_flags_stay(void **state)
{
	uint16_t flags = VGPU_LAUNCH_COOPERATIVE;

	(void)state;
	setenv("VGPU_TIMING", "slow:pipeline", 1);
	assert_int_equal(rt_timing_open(), vgpuSuccess);
	rt.info.launch_flags = VGPU_LAUNCH_PIPELINE;
	assert_int_equal(rt_timing_of("fast", &flags), vgpuSuccess);
	assert_int_equal(flags, VGPU_LAUNCH_COOPERATIVE);
	assert_int_equal(rt_timing_of("slow", &flags), vgpuSuccess);
	assert_int_equal(flags, VGPU_LAUNCH_COOPERATIVE | VGPU_LAUNCH_PIPELINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_as_in_the_ptx),
		cmocka_unit_test(names_as_in_the_source),
		cmocka_unit_test(names_that_are_none),
		cmocka_unit_test(other_flags_stay),
	};

	return cmocka_run_group_tests_name("timing", tests, NULL, NULL);
}
