// SPDX-License-Identifier: MIT
/* Process memory as the embedded device reaches it (host_memory.h): no bad address is a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host_memory.h"
#include "vgpu.h"

#define PAGES	200u
#define BYTES	(PAGES * VGPU_PAGE_SIZE)

static uint8_t *map(void)
{
	uint8_t *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	for (size_t n = 0; n < BYTES; n++)
		memory[n] = (uint8_t)(n / VGPU_PAGE_SIZE + n);
	return memory;
}

/*
 * Move all from @from on, in pieces of @piece bytes. Returns how many bytes went well before one
 * did not, which must be -EFAULT.
 */
static size_t move_all(uint8_t *memory, uint8_t *other, size_t from, uint32_t piece, bool to_host)
{
	struct vgpu_host_window window = { 0 };
	size_t at = from;

	for (; at < BYTES; at += piece) {
		uint32_t bytes = BYTES - at < piece ? (uint32_t)(BYTES - at) : piece;
		int error = vgpu_host_move(&window, (uintptr_t)(memory + at), other + at, bytes,
					   (uintptr_t)(memory + BYTES), to_host);

		if (error) {
			assert_int_equal(error, -EFAULT);
			break;
		}
	}
	return at - from;
}

static void test_whole(void **state)
{
	static const uint32_t pieces[] = { 4096, 1000, 65536, 3, 1 << 20 };
	uint8_t *memory = map(), *other = malloc(BYTES);

	(void)state;
	assert_non_null(other);
	for (size_t n = 0; n < sizeof(pieces) / sizeof(pieces[0]); n++) {
		size_t from = n * 37;

		memset(other, 0, BYTES);
		assert_true(move_all(memory, other, from, pieces[n], false) >= BYTES - from);
		assert_memory_equal(memory + from, other + from, BYTES - from);
		for (size_t k = 0; k < BYTES; k++)
			other[k] = (uint8_t)(k * 7 + n);
		assert_true(move_all(memory, other, from, pieces[n], true) >= BYTES - from);
		assert_memory_equal(memory + from, other + from, BYTES - from);
	}
	free(other);
	munmap(memory, BYTES);
}

/* What comes before a page that is not there is moved, the piece with that page is refused. */
static void test_hole(void **state)
{
	static const uint32_t holes[] = { 0, 1, 3, 63, 64, 65, 130, PAGES - 1 };
	uint8_t *other = calloc(1, BYTES);

	(void)state;
	assert_non_null(other);
	for (size_t n = 0; n < sizeof(holes) / sizeof(holes[0]); n++)
		for (int gone = 0; gone < 2; gone++)
			for (int to_host = 0; to_host < 2; to_host++) {
				uint8_t *memory = map(), *page = memory + holes[n] * VGPU_PAGE_SIZE;

				if (gone)
					munmap(page, VGPU_PAGE_SIZE);
				else
					mprotect(page, VGPU_PAGE_SIZE, PROT_NONE);
				assert_int_equal(move_all(memory, other, 0, 4096, to_host),
						 holes[n] * VGPU_PAGE_SIZE);
				assert_int_equal(vgpu_host_probe((uintptr_t)memory, BYTES, to_host),
						 -EFAULT);
				munmap(memory, BYTES);
			}
	free(other);
}

/* Memory that may only be read: also where a window for reading is known. */
static void test_read_only(void **state)
{
	struct vgpu_host_window window = { 0 };
	uint8_t *memory = map(), *other = calloc(1, BYTES);
	uintptr_t at = (uintptr_t)memory, end = at + BYTES;

	(void)state;
	assert_non_null(other);
	mprotect(memory, BYTES, PROT_READ);
	assert_int_equal(vgpu_host_move(&window, at, other, 4096, end, false), 0);
	assert_memory_equal(memory, other, 4096);
	assert_int_equal(vgpu_host_move(&window, at + 4096, other, 4096, end, true), -EFAULT);
	assert_int_equal(vgpu_host_probe(at, BYTES, false), 0);
	assert_int_equal(vgpu_host_probe(at, BYTES, true), -EFAULT);
	assert_int_equal(memory[4097], (uint8_t)(1 + 4097));
	free(other);
	munmap(memory, BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_read_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
