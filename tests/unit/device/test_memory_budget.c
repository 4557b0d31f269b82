// SPDX-License-Identifier: MIT
/* memory_budget: how much device memory a context may have, and what counts. */

#include "host.h"

#define MB	(1ull << 20)
#define A	0x10000000ull

static void check_info(struct host *h, u32 context, u64 budget, u64 left)
{
	struct vgpu_device_info info;

	assert_int_equal(vgpu_context_device_info(h->dev, context, &info), 0);
	assert_int_equal(info.memory_budget, budget);
	assert_int_equal(info.vram_free, left);
	assert_int_equal(info.vram_bytes, h->config.vram_bytes);
}

static void what_is_beyond_is_refused(void **state)
{
	struct host *h = host_new("k20c", "memory_budget=1048576", NULL);
	u32 one = host_open(h), two = host_open(h);

	(void)state;
	check_info(h, one, MB, MB);
	assert_int_equal(vgpu_memory_map(h->dev, one, A, MB + 4096), -ENOMEM);
	assert_int_equal(vgpu_memory_map(h->dev, one, A, MB / 2), 0);
	check_info(h, one, MB, MB / 2);
	assert_int_equal(vgpu_memory_map(h->dev, one, A + MB, MB / 2 + 4096), -ENOMEM);
	assert_int_equal(vgpu_memory_map(h->dev, one, A + MB, MB / 2), 0);
	check_info(h, one, MB, 0);
	/* everybody has his own */
	assert_int_equal(vgpu_memory_map(h->dev, two, A, MB), 0);
	assert_int_equal(vgpu_memory_unmap(h->dev, one, A, MB / 2), 0);
	check_info(h, one, MB, MB / 2);
	vgpu_context_close(h->dev, one);
	vgpu_context_close(h->dev, two);
	host_free(h);
}

/* Of one context, and of all that have none of their own, while they run. */
static void budgets_change(void **state)
{
	struct host *h = host_new("k20c", NULL);
	u32 one = host_open(h), two = host_open(h);

	(void)state;
	check_info(h, one, 0, h->config.vram_bytes);
	assert_int_equal(vgpu_context_memory_budget(h->dev, one, MB), 0);
	assert_int_equal(vgpu_memory_map(h->dev, one, A, 2 * MB), -ENOMEM);
	assert_int_equal(vgpu_memory_map(h->dev, two, A, 2 * MB), 0);
	assert_int_equal(vgpu_device_knob_set(h->dev, "memory_budget", "524288"), 0);
	/* what it has it keeps */
	check_info(h, two, MB / 2, 0);
	check_info(h, one, MB, MB);
	assert_int_equal(vgpu_memory_map(h->dev, two, A + 4 * MB, 4096), -ENOMEM);
	assert_int_equal(vgpu_context_memory_budget(h->dev, two, 0), 0);
	assert_int_equal(vgpu_memory_map(h->dev, two, A + 4 * MB, 4096), 0);
	assert_int_equal(vgpu_context_memory_budget(h->dev, one, VGPU_BUDGET_OF_DEVICE), 0);
	check_info(h, one, MB / 2, MB / 2);
	assert_int_equal(vgpu_context_memory_budget(h->dev, 77, 0), -ENOENT);
	vgpu_context_close(h->dev, one);
	vgpu_context_close(h->dev, two);
	host_free(h);
}

static void managed_memory_does_not_count(void **state)
{
	struct host *h = host_new("k20c", "memory_budget=1048576", NULL);
	u32 context = host_open(h);

	(void)state;
	assert_int_equal(vgpu_memory_map_managed(h->dev, context, HOST_MANAGED, 4 * MB), 0);
	check_info(h, context, MB, MB);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

/* Allocations count once, however often they are mapped, as long as there is a handle or a view. */
static void allocations_count_once(void **state)
{
	struct host *h = host_new("k20c", "memory_budget=1048576", NULL);
	u32 one = host_open(h), two = host_open(h), handle, imported, refused;
	struct vgpu_allocation *allocation;
	u64 bytes;

	(void)state;
	assert_int_equal(vgpu_memory_allocate(h->dev, one, 2 * MB, 0, &handle), -ENOMEM);
	assert_int_equal(vgpu_memory_allocate(h->dev, one, MB / 2, 0, &handle), 0);
	check_info(h, one, MB, MB / 2);
	for (u32 n = 0; n < 3; n++)
		assert_int_equal(vgpu_memory_map_view(h->dev, one, A + n * MB, MB / 2, handle, 0,
						      VGPU_RIGHTS_WRITE), 0);
	check_info(h, one, MB, MB / 2);
	/* who imports it has it, too */
	assert_int_equal(vgpu_memory_export(h->dev, one, handle, &allocation), 0);
	assert_int_equal(vgpu_memory_import(h->dev, two, allocation, &imported, &bytes), 0);
	check_info(h, two, MB, MB / 2);
	assert_int_equal(vgpu_memory_unexport(allocation, ~0ull), 0);
	assert_int_equal(vgpu_memory_release(h->dev, one, handle, ~0ull), 0);
	check_info(h, one, MB, MB / 2);
	assert_int_equal(vgpu_memory_allocate(h->dev, one, MB, 0, &refused), -ENOMEM);
	for (u32 n = 0; n < 3; n++)
		assert_int_equal(vgpu_memory_unmap(h->dev, one, A + n * MB, MB / 2), 0);
	check_info(h, one, MB, MB);
	vgpu_context_close(h->dev, one);
	vgpu_context_close(h->dev, two);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_beyond_is_refused),
		cmocka_unit_test(budgets_change),
		cmocka_unit_test(managed_memory_does_not_count),
		cmocka_unit_test(allocations_count_once),
	};

	return cmocka_run_group_tests_name("memory budget", tests, NULL, NULL);
}
