// SPDX-License-Identifier: MIT
/*
 * Several devices in one program: which there are, whose is what, and that one device's fate is not
 * another's.
 */
#include <pthread.h>

#include "rig.h"

static void of_their_own_shape(void **state)
{
	vgpuDeviceProperties properties;
	int count = 0, device = -1;

	(void)state;
	OK(vgpuGetDeviceCount(&count));
	assert_int_equal(count, 3);
	OK(vgpuGetDevice(&device));
	assert_int_equal(device, 0);
	OK(vgpuGetDeviceProperties(&properties, 0));
	assert_string_equal(properties.name, "vgpu k20c");
	OK(vgpuGetDeviceProperties(&properties, 1));
	assert_string_equal(properties.name, "vgpu gtx980");
	assert_int_equal(properties.sms, 16);
	assert_int_equal(vgpuGetDeviceProperties(&properties, 3), vgpuErrorInvalidDevice);
	assert_int_equal(vgpuGetDeviceProperties(&properties, -1), vgpuErrorInvalidDevice);
	assert_int_equal(vgpuSetDevice(3), vgpuErrorInvalidDevice);
	assert_int_equal(vgpuSetDevice(-1), vgpuErrorInvalidDevice);
	OK(vgpuGetDevice(&device));
	assert_int_equal(device, 0);
	vgpuGetLastError();
}

static void whose_is_what(void **state)
{
	uint32_t *there, *here, value = 7, back = 1;
	struct rig first, second;
	vgpuStream_t stream;
	size_t before, after, total;

	(void)state;
	rig_begin(&first, NULL, NULL);
	here = rig_words(1);
	OK(vgpuSetDevice(1));
	OK(vgpuMemGetInfo(&before, &total));
	rig_begin(&second, NULL, NULL);
	there = rig_words(1);
	OK(vgpuStreamCreate(&stream, 0));
	/* kernels and streams of the other one are not known here, but its memory is */
	assert_int_equal(rig_poke(&second, (uint64_t)(uintptr_t)there), vgpuSuccess);
	OK(vgpuMemsetAsync(here, 0, sizeof(back), stream));
	OK(vgpuMemcpyAsync(&back, here, sizeof(back), vgpuMemcpyDeviceToHost, stream));
	assert_int_equal(back, 0);
	OK(vgpuSetDevice(0));
	assert_int_equal(rig_add(&first, here, 5, stream), vgpuErrorInvalidResourceHandle);
	OK(rig_add(&first, here, 5, NULL));
	/* copies, fills and free go where the memory is */
	assert_int_equal(rig_read(here), 5);
	assert_int_equal(rig_read(there), 1);
	OK(vgpuMemcpy(there, &value, sizeof(value), vgpuMemcpyHostToDevice));
	OK(vgpuMemcpy(here, there, sizeof(value), vgpuMemcpyDeviceToDevice));
	assert_int_equal(rig_read(here), 7);
	OK(vgpuMemset(there, 1, sizeof(value)));
	assert_int_equal(rig_read(there), 0x01010101);
	OK(vgpuFree(there));
	assert_int_equal(vgpuFree(there), vgpuErrorInvalidValue);
	OK(vgpuSetDevice(1));
	OK(vgpuModuleUnload(second.module));
	OK(vgpuDeviceReset());
	OK(vgpuMemGetInfo(&after, &total));
	assert_int_equal(before, after);
	OK(vgpuSetDevice(0));
	assert_int_equal(rig_read(here), 7);	/* a reset is of one device */
	rig_end();
}

static void a_fault_stays_where_it_is(void **state)
{
	struct rig first, second;
	uint32_t *word;

	(void)state;
	rig_begin(&first, NULL, NULL);
	word = rig_words(1);
	OK(vgpuSetDevice(1));
	rig_begin(&second, NULL, NULL);
	OK(rig_poke(&second, 0x1000));
	assert_int_equal(vgpuDeviceSynchronize(), vgpuErrorIllegalAddress);
	assert_int_equal(vgpuDeviceSynchronize(), vgpuErrorIllegalAddress);
	OK(vgpuSetDevice(0));
	OK(vgpuDeviceSynchronize());
	OK(rig_add(&first, word, 3, NULL));
	assert_int_equal(rig_read(word), 3);
	/* the dead one says so when it is chosen, and a reset is its new beginning */
	assert_int_equal(vgpuSetDevice(1), vgpuErrorIllegalAddress);
	OK(vgpuDeviceReset());
	OK(vgpuDeviceSynchronize());
	rig_end();
	OK(vgpuSetDevice(0));
	rig_end();
}

static void *of_a_thread(void *arg)
{
	int device = -1, mine = *(int *)arg;
	struct rig rig;
	uint32_t *word;

	OK(vgpuGetDevice(&device));
	assert_int_equal(device, 0);	/* every thread begins with the first */
	OK(vgpuSetDevice(mine));
	rig_begin(&rig, NULL, NULL);
	word = rig_words(1);
	for (int i = 0; i < 200; i++)
		OK(rig_add(&rig, word, (uint32_t)mine, NULL));
	assert_int_equal(rig_read(word), 200 * mine);
	rig_end();
	return NULL;
}

static void each_thread_its_own(void **state)
{
	int devices[] = { 0, 2 };
	pthread_t threads[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, of_a_thread, &devices[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_their_own_shape),
		cmocka_unit_test(whose_is_what),
		cmocka_unit_test(each_thread_its_own),
		cmocka_unit_test(a_fault_stays_where_it_is),
	};

	setenv("VGPU_TRANSPORT", "embedded", 1);
	setenv("VGPU_PRESET", "k20c,gtx980,tanasic-ch6", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
