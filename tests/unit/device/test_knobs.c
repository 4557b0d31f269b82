// SPDX-License-Identifier: MIT
/*
 * Knobs and the configuration as text: what a knob says it takes back, times are exact to the
 * picosecond, a seed restarts the generator; and the histogram of latencies against a plain list.
 */
#include <stdio.h>

#include "host.h"

static void knob_is(struct vgpu_device *dev, const char *knob, const char *wanted)
{
	char text[1024];

	assert_true(vgpu_device_knob_get(dev, knob, text, sizeof(text)) >= 0);
	assert_string_equal(text, wanted);
}

static void times_are_exact(void **state)
{
	static const char *const exact[] = {
		"0", "1", "16.2", "0.000001", "1000000.5", "3600000000"
	};
	static const char *const wrong[] = { "",   ".5",  "5.",		"1.2.3", "0.0000001",
					     "-1", "1e3", "3600000001", "x" };
	struct host *h = host_new("k20c", NULL);
	unsigned int i;

	(void)state;
	for (i = 0; i < VGPU_ARRAY_SIZE(exact); i++) {
		assert_int_equal(vgpu_device_knob_set(h->dev, "watchdog_us", exact[i]), 0);
		knob_is(h->dev, "watchdog_us", exact[i]);
	}
	assert_int_equal(vgpu_device_knob_set(h->dev, "watchdog_us", "16.25"), 0);
	assert_true(vgpu_device_config(h->dev)->watchdog_ps == 16250000);
	for (i = 0; i < VGPU_ARRAY_SIZE(wrong); i++)
		assert_int_equal(vgpu_device_knob_set(h->dev, "watchdog_us", wrong[i]), -EINVAL);
	knob_is(h->dev, "watchdog_us", "16.25");
	host_free(h);
}

/* Every knob takes back what it says: a host can keep all of them and put them back. */
static void knobs_take_back_what_they_say(void **state)
{
	struct host *h = host_new("k20c", NULL);
	char text[1024], active[1024];
	const char *name;
	unsigned int i;

	(void)state;
	for (i = 0; (name = vgpu_device_knob_name(i)); i++) {
		assert_true(vgpu_device_knob_get(h->dev, name, text, sizeof(text)) > 0);
		strcpy(active, text);
		if (strchr(text, '['))
			snprintf(active, sizeof(active), "%.*s",
				 (int)strcspn(strchr(text, '[') + 1, "]"), strchr(text, '[') + 1);
		assert_int_equal(vgpu_device_knob_set(h->dev, name, active), 0);
		knob_is(h->dev, name, text);
	}
	assert_true(i >= 5);
	assert_int_equal(vgpu_device_knob_set(h->dev, "seed", "hello"), -EINVAL);
	host_free(h);
}

/* Virtual time that a kernel with varying blocks takes. */
static u64 kernel_time(struct host *h, u32 context, u32 queue)
{
	u64 start = vgpu_device_now(h->dev);
	struct vgpu_cmd cmd = cmd_profiled(500, VGPU_US, 1);

	cmd.profiled.block_cv_permille = 300;
	host_push(h, context, queue, cmd);
	host_run(h);
	return vgpu_device_now(h->dev) - start;
}

static void a_seed_restarts_the_generator(void **state)
{
	struct host *h = host_new("k20c", "seed=5", NULL);
	u32 context = host_open(h), queue = host_queue(h, context);
	u64 first, second;

	(void)state;
	first = kernel_time(h, context, queue);
	second = kernel_time(h, context, queue);
	assert_true(first != second);
	assert_int_equal(vgpu_device_knob_set(h->dev, "seed", "5"), 0);
	assert_true(kernel_time(h, context, queue) == first);
	assert_true(kernel_time(h, context, queue) == second);
	host_free(h);
}

static void the_configuration_is_told(void **state)
{
	struct host *h = host_new("k20c", "sms=3", NULL);
	struct vgpu_config copy;
	const char *field;
	char text[64];
	unsigned int i;

	(void)state;
	memset(&copy, 0, sizeof(copy));
	for (i = 0; (field = vgpu_config_field(i)); i++) {
		assert_true(vgpu_config_get(vgpu_device_config(h->dev), field, text,
					    sizeof(text)) >= 0);
		assert_int_equal(vgpu_config_set(&copy, field, text), 0);
	}
	assert_memory_equal(&copy, vgpu_device_config(h->dev), sizeof(copy));
	assert_int_equal(vgpu_config_get(&copy, "sms", text, sizeof(text)), 1);
	assert_string_equal(text, "3");
	assert_int_equal(vgpu_config_get(&copy, "nothing", text, sizeof(text)), -ENOENT);
	assert_int_equal(vgpu_config_get(&copy, "vram_bytes", text, 3), -ENOSPC);
	host_free(h);
}

static void latencies(void **state)
{
	static struct vgpu_latency latency;
	u64 value = 1, sum = 0;
	unsigned int i;

	(void)state;
	assert_true(vgpu_latency_percentile(&latency, 50) == 0);
	for (i = 0; i < 60; i++, value *= 2) {
		vgpu_latency_add(&latency, value);
		sum += value;
	}
	assert_true(latency.count == 60 && latency.total_ps == sum && latency.max_ps == value / 2);
	assert_true(vgpu_latency_percentile(&latency, 100) == value / 2);
	/* the 30th is 2^29, at most one part in 64 too large */
	assert_true(vgpu_latency_percentile(&latency, 50) >= 1ull << 29);
	assert_true(vgpu_latency_percentile(&latency, 50) - (1ull << 29) <= (1ull << 29) / 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_exact),
		cmocka_unit_test(knobs_take_back_what_they_say),
		cmocka_unit_test(a_seed_restarts_the_generator),
		cmocka_unit_test(the_configuration_is_told),
		cmocka_unit_test(latencies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
