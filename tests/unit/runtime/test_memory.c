// SPDX-License-Identifier: MIT
/*
 * Device memory: addresses, limits, what is refused, and copies in all directions with every kind
 * of host memory.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "rig.h"

static void pointers_are_aligned_and_apart(void **state)
{
	enum { COUNT = 3000 };
	static char *pointers[COUNT];
	static size_t sizes[COUNT];
	struct rig rig;
	size_t before, after, total;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMemGetInfo(&before, &total));
	for (int i = 0; i < COUNT; i++) {
		sizes[i] = 1 + (size_t)(i * 7919) % 150000 / (i % 10 ? 50 : 1);
		OK(vgpuMalloc((void **)&pointers[i], sizes[i]));
		assert_int_equal((uintptr_t)pointers[i] % 256, 0);
		if (i % 3 == 2) {
			OK(vgpuFree(pointers[i - 1]));
			pointers[i - 1] = NULL;
		}
	}
	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < i; j++)
			assert_true(!pointers[i] || !pointers[j] ||
				    pointers[i] + sizes[i] <= pointers[j] ||
				    pointers[j] + sizes[j] <= pointers[i]);
	for (int i = 0; i < COUNT; i++)
		OK(vgpuFree(pointers[i]));
	OK(vgpuMemGetInfo(&after, &total));
	assert_int_equal(before, after);
	rig_end();
}

static void wrong_pointers_are_refused(void **state)
{
	struct rig rig;
	char *small, *large, local;
	void *nothing = &local;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMalloc((void **)&small, 1000));
	OK(vgpuMalloc((void **)&large, 1000000));
	assert_int_equal(vgpuFree(small + 256), vgpuErrorInvalidValue);
	assert_int_equal(vgpuFree(large + 4096), vgpuErrorInvalidValue);
	assert_int_equal(vgpuFree(&local), vgpuErrorInvalidValue);
	OK(vgpuFree(small));
	OK(vgpuFree(large));
	assert_int_equal(vgpuFree(small), vgpuErrorInvalidValue);
	assert_int_equal(vgpuFree(large), vgpuErrorInvalidValue);
	OK(vgpuFree(NULL));
	OK(vgpuMalloc(&nothing, 0));
	assert_null(nothing);
	assert_int_equal(vgpuMalloc(NULL, 4), vgpuErrorInvalidValue);
	assert_int_equal(vgpuGetLastError(), vgpuErrorInvalidValue);
	assert_int_equal(vgpuGetLastError(), vgpuSuccess);
	rig_end();
}

static void memory_runs_out_and_comes_back(void **state)
{
	enum { PIECES = 64 };
	void *pieces[PIECES], *small;
	struct rig rig;
	int count = 0;

	(void)state;
	rig_begin(&rig, NULL, "64M");
	assert_int_equal(vgpuMalloc(&small, 65 << 20), vgpuErrorMemoryAllocation);
	assert_int_equal(vgpuMalloc(&small, SIZE_MAX), vgpuErrorMemoryAllocation);
	assert_null(small);
	while (count < PIECES && vgpuMalloc(&pieces[count], 4 << 20) == vgpuSuccess)
		count++;
	assert_in_range(count, 12, 15);
	assert_int_equal(vgpuGetLastError(), vgpuErrorMemoryAllocation);
	OK(vgpuFree(pieces[3]));
	OK(vgpuMalloc(&pieces[3], 4 << 20));
	rig_end();
}

static void copies_bring_the_bytes(void **state)
{
	enum { BYTES = 300007 };
	char *host = malloc(BYTES), *back = malloc(BYTES), *pinned;
	char *first, *second;
	struct rig rig;
	vgpuStream_t stream;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	for (int i = 0; i < BYTES; i++)
		host[i] = (char)(i * 31 + i / 251);
	OK(vgpuMalloc((void **)&first, BYTES));
	OK(vgpuMalloc((void **)&second, BYTES));
	OK(vgpuMallocHost((void **)&pinned, BYTES));
	OK(vgpuStreamCreate(&stream, vgpuStreamNonBlocking));
	/* pageable, odd sizes and addresses */
	OK(vgpuMemcpy(first, host, BYTES, vgpuMemcpyHostToDevice));
	OK(vgpuMemcpy(second + 1, first + 2, BYTES - 3, vgpuMemcpyDeviceToDevice));
	OK(vgpuMemcpy(back + 5, second + 4, BYTES - 10, vgpuMemcpyDefault));
	assert_memory_equal(back + 5, host + 5, BYTES - 10);
	/* staged: the program may change its memory at once */
	memset(back, 0, BYTES);
	OK(vgpuMemset(first, 0, BYTES));
	OK(vgpuDeviceSynchronize());
	memcpy(back, host, 60000);
	OK(vgpuMemcpyAsync(first, back, 60000, vgpuMemcpyHostToDevice, stream));
	memset(back, 0x55, 60000);
	OK(vgpuMemcpyAsync(back, first, 60000, vgpuMemcpyDeviceToHost, stream));
	assert_memory_equal(back, host, 60000);
	/* pinned: in order in the stream, there after the wait */
	memcpy(pinned, host, BYTES);
	OK(vgpuMemcpyAsync(first, pinned, BYTES, vgpuMemcpyHostToDevice, stream));
	OK(vgpuMemsetAsync(first + 1, 0x7f, 2, stream));
	OK(vgpuMemcpyAsync(pinned, first, BYTES, vgpuMemcpyDeviceToHost, stream));
	OK(vgpuStreamSynchronize(stream));
	assert_int_equal(pinned[0], host[0]);
	assert_int_equal(pinned[1], 0x7f);
	assert_int_equal(pinned[2], 0x7f);
	assert_memory_equal(pinned + 3, host + 3, BYTES - 3);
	OK(vgpuMemcpy(back, host, BYTES, vgpuMemcpyHostToHost));
	assert_memory_equal(back, host, BYTES);
	OK(vgpuFreeHost(pinned));
	assert_int_equal(vgpuFreeHost(pinned), vgpuErrorInvalidValue);
	rig_end();
	free(host);
	free(back);
}

static void rows_are_copied_and_filled(void **state)
{
	enum { WIDTH = 100, HEIGHT = 37, PITCH = 130 };
	static unsigned char host[HEIGHT * PITCH], back[HEIGHT * PITCH];
	struct rig rig;
	size_t pitch;
	char *device;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	for (size_t i = 0; i < sizeof(host); i++)
		host[i] = (unsigned char)(i * 7);
	OK(vgpuMallocPitch((void **)&device, &pitch, WIDTH, HEIGHT));
	assert_true(pitch >= WIDTH && pitch % 256 == 0);
	OK(vgpuMemcpy2D(device, pitch, host, PITCH, WIDTH, HEIGHT, vgpuMemcpyHostToDevice));
	OK(vgpuMemset2DAsync(device + pitch, pitch, 9, 10, 2, NULL));
	memset(back, 0xaa, sizeof(back));
	OK(vgpuMemcpy2D(back, PITCH, device, pitch, WIDTH, HEIGHT, vgpuMemcpyDeviceToHost));
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < PITCH; x++)
			assert_int_equal(back[y * PITCH + x], x >= WIDTH ? 0xaa :
							      (y == 1 || y == 2) && x < 10 ?
									   9 :
									   host[y * PITCH + x]);
	assert_int_equal(
		vgpuMemcpy2D(device, 50, host, PITCH, WIDTH, HEIGHT, vgpuMemcpyHostToDevice),
		vgpuErrorInvalidPitchValue);
	assert_int_equal(
		vgpuMemcpy2D(device, pitch, host, PITCH, WIDTH, HEIGHT + 1, vgpuMemcpyHostToDevice),
		vgpuErrorInvalidValue);
	rig_end();
}

static void wrong_copies_are_refused(void **state)
{
	char *device, host[64], *gone;
	struct rig rig;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMalloc((void **)&device, 1 << 20));
	gone = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(gone, MAP_FAILED);
	munmap(gone + 8192, 4096);
	mprotect(gone + 16384, 4096, PROT_READ);
	assert_int_equal(vgpuMemcpy(device, gone, 16384, vgpuMemcpyHostToDevice),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemcpy(gone, device, 16384, vgpuMemcpyDeviceToHost),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemcpy(gone + 12288, device, 8192, vgpuMemcpyDeviceToHost),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemcpy(device, (void *)16, 64, vgpuMemcpyHostToDevice),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemcpy(host, device, 64, vgpuMemcpyHostToDevice),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemcpy(device, host, 64, vgpuMemcpyDeviceToHost),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemcpy(device, host, 64, (vgpuMemcpyKind)9),
			 vgpuErrorInvalidMemcpyDirection);
	assert_int_equal(vgpuMemcpy(device + (1 << 20) - 32, host, 64, vgpuMemcpyHostToDevice),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemcpy(NULL, host, 64, vgpuMemcpyHostToDevice), vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemset(host, 0, 64), vgpuErrorInvalidValue);
	assert_int_equal(vgpuMemset(device, 0, (1 << 20) + 1), vgpuErrorInvalidValue);
	OK(vgpuMemcpy(device, host, 0, vgpuMemcpyHostToDevice));
	/* none of it hurt the context */
	memset(host, 3, sizeof(host));
	OK(vgpuMemcpy(device, host, 64, vgpuMemcpyHostToDevice));
	OK(vgpuMemcpy(gone, device, 64, vgpuMemcpyDeviceToHost));
	assert_memory_equal(gone, host, 64);
	munmap(gone, 1 << 20);
	rig_end();
}

static void host_memory_is_registered_once(void **state)
{
	static char memory[8192];
	struct rig rig;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuHostRegister(memory, sizeof(memory), vgpuHostRegisterDefault));
	assert_int_equal(vgpuHostRegister(memory + 100, 100, vgpuHostRegisterDefault),
			 vgpuErrorHostMemoryAlreadyRegistered);
	OK(vgpuHostUnregister(memory));
	assert_int_equal(vgpuHostUnregister(memory), vgpuErrorHostMemoryNotRegistered);
	rig_end();
}

static void pointers_tell_where_they_are(void **state)
{
	char *device, *pinned, local;
	struct rig rig;
	size_t bytes;
	void *base;
	int kind;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	OK(vgpuMalloc((void **)&device, 100000));
	OK(vgpuMallocHost((void **)&pinned, 100));
	OK(vgpuPointerInfo(device + 99999, &kind, &base, &bytes));
	assert_int_equal(kind, 2);
	assert_ptr_equal(base, device);
	assert_int_equal(bytes, 100000);
	OK(vgpuPointerInfo(pinned, &kind, &base, &bytes));
	assert_int_equal(kind, 1);
	assert_ptr_equal(base, pinned);
	assert_int_equal(bytes, 100);
	OK(vgpuPointerInfo(&local, &kind, &base, &bytes));
	assert_int_equal(kind, 0);
	OK(vgpuFreeHost(pinned));
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointers_are_aligned_and_apart),
		cmocka_unit_test(wrong_pointers_are_refused),
		cmocka_unit_test(memory_runs_out_and_comes_back),
		cmocka_unit_test(copies_bring_the_bytes),
		cmocka_unit_test(rows_are_copied_and_filled),
		cmocka_unit_test(wrong_copies_are_refused),
		cmocka_unit_test(host_memory_is_registered_once),
		cmocka_unit_test(pointers_tell_where_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
