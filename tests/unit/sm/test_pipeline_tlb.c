// SPDX-License-Identifier: MIT
/*
 * Translations of accesses in the pipeline: each line has one check (Tanasic 6.3.1). A request that
 * has waited for its translation has it, whatever becomes of the entry meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "pipeline_rig.h"

#define LOADS	4u

/* Loads of @LOADS pages, none of which needs what another loads. */
static struct vgpu_account run_loads(const char *entries)
{
	struct vgpu_context_info info;
	struct vgpu_config config;
	struct vass v;
	struct rig r;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	set_field(&config, "timing", "pipeline");
	set_field(&config, "l1_tlb_entries", entries);
	set_field(&config, "l1_tlb_ways", entries);
	r = start_pipeline(&config);
	vass_init(&v, 16, 16);
	OP(&v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	for (u32 n = 0; n < LOADS; n++)
		OP(&v, LDG, VASS_MEM(4, 1), 8 + n, 2, 0, 0, n * VGPU_PAGE_SIZE);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	assert_int_equal(vgpu_context_info(r.h->dev, r.context, &info), 0);
	stop(&r);
	return info.account;
}

/*
 * Each walk takes many windows of the SM, and the next load takes the only entry. That the line is
 * sent in another window than it was checked in is no miss.
 */
static void an_entry_that_goes(void **state)
{
	struct vgpu_account one = run_loads("1"), all = run_loads("32");

	(void)state;
	assert_int_equal(all.tlb_misses, LOADS);
	assert_int_equal(all.page_walks, LOADS);
	assert_int_equal(one.tlb_misses, LOADS);
	assert_int_equal(one.page_walks, LOADS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_that_goes),
	};

	return cmocka_run_group_tests_name("translations in the pipeline", tests, NULL, NULL);
}
