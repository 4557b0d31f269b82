// SPDX-License-Identifier: MIT
/*
 * Pinned memory that kernels use in place: which pages devices have mapped of it, whatever ranges
 * come and go; several devices; and what a feature program cannot have: a transport without it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/state.h"
#include "rig.h"

#define PAGE	VGPU_PAGE_SIZE
#define PAGES	12u

/* ---- pages, with a transport that only counts --------------------------- */

static char *arena;
static uint64_t mapped_bytes[PAGES];	/* of the mapping that starts at this page */
static bool is_mapped[PAGES];
static int calls_left, answer, wrong_calls;

/* The runtime holds its lock when it calls these: they must return. */
static uint64_t page_of(uint64_t address)
{
	return (address - (uint64_t)(uintptr_t)arena) / PAGE;
}

static int count_map(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	uint64_t first = page_of(address);
	bool special = !calls_left--;

	(void)t;
	if ((address | bytes) % PAGE || !bytes || first >= PAGES || first + bytes / PAGE > PAGES) {
		wrong_calls++;
		return -EINVAL;
	}
	if (special && answer < 0)
		return answer;
	for (uint64_t n = first; n < first + bytes / PAGE; n++) {
		wrong_calls += is_mapped[n];
		is_mapped[n] = true;
	}
	mapped_bytes[first] = bytes;
	return special ? answer : 0;
}

static int count_unmap(struct vgpu_transport *t, uint64_t address, uint64_t bytes)
{
	uint64_t first = page_of(address);

	(void)t;
	if (first >= PAGES || mapped_bytes[first] != bytes) {
		wrong_calls++;
		return -ENOENT;
	}
	mapped_bytes[first] = 0;
	for (uint64_t n = first; n < first + bytes / PAGE; n++)
		is_mapped[n] = false;
	return 0;
}

/* The embedded device, whose transport is another now. */
static void begin_with(struct rig *rig, struct vgpu_transport_ops *ops)
{
	rig_begin(rig, NULL, NULL);
	*ops = vgpu_transport_embedded;
	rt_devices[0].ops = ops;
}

struct range {
	size_t first, bytes;	/* 0: none */
};

#define RANGES	8u

static void check_pages(const struct range *ranges)
{
	assert_int_equal(wrong_calls, 0);
	for (size_t page = 0; page < PAGES; page++) {
		bool touched = false;

		for (size_t n = 0; n < RANGES; n++)
			touched |= ranges[n].bytes && ranges[n].first < (page + 1) * PAGE &&
				   ranges[n].first + ranges[n].bytes > page * PAGE;
		assert_int_equal(is_mapped[page], touched);
	}
}

static bool overlaps(const struct range *ranges, const struct range *new)
{
	for (size_t n = 0; n < RANGES; n++)
		if (ranges[n].bytes && ranges[n].first < new->first + new->bytes &&
		    new->first < ranges[n].first + ranges[n].bytes)
			return true;
	return false;
}

/* A page is mapped while a range touches it, and once. A map that fails leaves all as it was. */
static void pages_of_ranges(void **state)
{
	struct range ranges[RANGES] = { { 0, 0 } };
	struct vgpu_transport_ops ops;
	unsigned int seed = 7, added = 0, refused = 0, failed = 0;
	struct rig rig;

	(void)state;
	begin_with(&rig, &ops);
	ops.map_host = count_map;
	ops.unmap_host = count_unmap;
	arena = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	for (unsigned int n = 0; n < 20000; n++) {
		struct range *at = &ranges[(unsigned int)rand_r(&seed) % RANGES], new;
		unsigned int longest = n % 2 ? 3 * PAGE : 600;
		bool full = rand_r(&seed) % 4 == 0;
		vgpuError_t error;

		if (at->bytes) {
			OK(vgpuHostUnregister(arena + at->first));
			at->bytes = 0;
			check_pages(ranges);
			continue;
		}
		new.first = (unsigned int)rand_r(&seed) % (PAGES * PAGE - longest);
		new.bytes = 1 + (unsigned int)rand_r(&seed) % longest;
		if (full) {
			new.first &= ~(PAGE - 1);
			new.bytes = (new.bytes + PAGE - 1) & ~(PAGE - 1);
		}
		calls_left = n % 5 ? 100 : rand_r(&seed) % 3;
		answer = n % 2 ? -ENOMEM : 1;
		error = vgpuHostRegister(arena + new.first, new.bytes, vgpuHostRegisterDefault);
		if (overlaps(ranges, &new)) {
			assert_int_equal(error, vgpuErrorHostMemoryAlreadyRegistered);
			refused++;
		} else if (calls_left < 0) {
			/* 1: it was mapped, for reading only */
			assert_int_equal(error, answer < 0 ? vgpuErrorMemoryAllocation :
							     vgpuErrorInvalidValue);
			failed++;
		} else {
			OK(error);
			*at = new;
			added++;
		}
		check_pages(ranges);
	}
	assert_true(added > 1000 && refused > 1000 && failed > 100);
	for (unsigned int n = 0; n < RANGES; n++)
		if (ranges[n].bytes)
			OK(vgpuHostUnregister(arena + ranges[n].first));
	munmap(arena, PAGES * PAGE);
	rt_devices[0].ops = &vgpu_transport_embedded;
	rig_end();
}

/* As behind /dev/vgpu: pinned memory is for copies. */
static void a_transport_without(void **state)
{
	struct vgpu_transport_ops ops;
	vgpuDeviceProperties properties;
	void *pinned, *device = &ops;
	char memory[64] = "registered";
	struct rig rig;
	uint32_t *words;

	(void)state;
	begin_with(&rig, &ops);
	OK(vgpuGetDeviceProperties(&properties, 0));
	assert_int_equal(properties.host_memory, 1);
	ops.map_host = NULL;
	ops.unmap_host = NULL;
	OK(vgpuGetDeviceProperties(&properties, 0));
	assert_int_equal(properties.host_memory, 0);
	assert_int_equal(vgpuHostAlloc(&pinned, 64, vgpuHostAllocMapped), vgpuErrorNotSupported);
	assert_null(pinned);
	assert_int_equal(vgpuHostRegister(memory, 64, vgpuHostRegisterMapped),
			 vgpuErrorNotSupported);
	assert_int_equal(vgpuHostRegister(memory, 64, vgpuHostRegisterReadOnly),
			 vgpuErrorNotSupported);
	OK(vgpuHostAlloc(&pinned, 64, vgpuHostAllocPortable));
	OK(vgpuHostRegister(memory, 64, vgpuHostRegisterPortable));
	assert_int_equal(vgpuHostGetDevicePointer(&device, pinned), vgpuErrorNotSupported);
	assert_null(device);
	assert_int_equal(vgpuMemset(pinned, 0, 64), vgpuErrorInvalidValue);
	words = rig_words(16);
	OK(vgpuMemcpyAsync(words, memory, 64, vgpuMemcpyHostToDevice, NULL));
	OK(vgpuMemcpyAsync(pinned, words, 64, vgpuMemcpyDeviceToHost, NULL));
	OK(vgpuHostUnregister(memory));
	assert_string_equal(pinned, "registered");
	OK(vgpuFreeHost(pinned));
	rt_devices[0].ops = &vgpu_transport_embedded;
	rig_end();
}

/* ---- devices ------------------------------------------------------------ */

/* Whenever a device is opened, and after a reset */
static void all_devices(void **state)
{
	struct rig rig[3];
	uint32_t *words;

	(void)state;
	rig_begin(&rig[0], NULL, NULL);
	OK(vgpuMallocHost((void **)&words, 64));
	for (int n = 0; n < 3; n++) {
		OK(vgpuSetDevice(n));
		if (n)
			rig_begin(&rig[n], NULL, NULL);
		OK(rig_add(&rig[n], words, 1, NULL));
		OK(vgpuDeviceSynchronize());
		assert_int_equal(words[0], n + 1);
	}
	OK(vgpuDeviceReset());
	rig_begin(&rig[2], NULL, NULL);
	OK(rig_add(&rig[2], words, 1, NULL));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(words[0], 4);
	/* freed from another device than the one that uses it */
	OK(rig_slow(&rig[2], words, 9, 50000, NULL));
	OK(vgpuSetDevice(0));
	OK(vgpuFreeHost(words));
	OK(vgpuSetDevice(2));
	OK(vgpuDeviceSynchronize());
	for (int n = 3; n--;) {
		OK(vgpuSetDevice(n));
		rig_end();
	}
}

static void unregistered_waits_for_all(void **state)
{
	static uint32_t word;
	struct rig first, second;

	(void)state;
	rig_begin(&first, NULL, NULL);
	OK(vgpuSetDevice(1));
	rig_begin(&second, NULL, NULL);
	OK(vgpuHostRegister(&word, sizeof(word), vgpuHostRegisterDefault));
	OK(rig_slow(&second, &word, 5, 50000, NULL));
	OK(vgpuSetDevice(0));
	OK(vgpuHostUnregister(&word));
	assert_int_equal(word, 5);
	OK(vgpuSetDevice(1));
	rig_end();
	OK(vgpuSetDevice(0));
	rig_end();
}

/* The context of one device is dead: the others go on with what is registered meanwhile. */
static void with_a_dead_context(void **state)
{
	struct rig first, second;
	uint32_t *before, *after;

	(void)state;
	rig_begin(&first, NULL, NULL);
	OK(vgpuMallocHost((void **)&before, 64));
	OK(vgpuSetDevice(1));
	rig_begin(&second, NULL, NULL);
	OK(rig_poke(&second, 0x1000));
	assert_int_equal(vgpuDeviceSynchronize(), vgpuErrorIllegalAddress);
	OK(vgpuSetDevice(0));
	OK(vgpuMallocHost((void **)&after, 64));
	OK(rig_add(&first, before, 1, NULL));
	OK(rig_add(&first, after, 2, NULL));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(*before, 1);
	OK(vgpuFreeHost(before));
	assert_int_equal(vgpuSetDevice(1), vgpuErrorIllegalAddress);
	rig_begin(&second, NULL, NULL);
	OK(rig_add(&second, after, 2, NULL));
	OK(vgpuDeviceSynchronize());
	assert_int_equal(*after, 4);
	rig_end();
	OK(vgpuSetDevice(0));
	OK(vgpuFreeHost(after));
	rig_end();
}

/* ---- what the process may not do itself --------------------------------- */

static void read_only(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	uint32_t *file, *words;
	struct rig rig;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	file = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(file, MAP_FAILED);
	close(fd);
	words = rig_words(1);
	assert_int_equal(vgpuHostRegister(file, PAGE, vgpuHostRegisterDefault),
			 vgpuErrorInvalidValue);
	OK(vgpuHostRegister(file, PAGE, vgpuHostRegisterReadOnly));
	OK(rig_copy(&rig, words, file, NULL));
	assert_int_equal(rig_read(words), *file);
	assert_int_equal(vgpuMemcpy(file, words, 4, vgpuMemcpyDeviceToHost), vgpuErrorInvalidValue);
	OK(rig_poke(&rig, (uint64_t)(uintptr_t)file));
	assert_int_equal(vgpuDeviceSynchronize(), vgpuErrorIllegalAddress);
	OK(vgpuDeviceReset());
	OK(vgpuHostUnregister(file));
	munmap(file, PAGE);
	rig_end();
}

/* Beyond the end of a file an access would be SIGBUS. */
static void not_there(void **state)
{
	int fd = memfd_create("short", 0);
	struct rig rig;
	char *file;

	(void)state;
	rig_begin(&rig, NULL, NULL);
	assert_int_equal(ftruncate(fd, (off_t)PAGE), 0);
	file = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	assert_int_equal(vgpuHostRegister(file, PAGE + 1, vgpuHostRegisterDefault),
			 vgpuErrorInvalidValue);
	OK(vgpuHostRegister(file, PAGE, vgpuHostRegisterDefault));
	OK(vgpuHostUnregister(file));
	mprotect(file, PAGE, PROT_NONE);
	assert_int_equal(vgpuHostRegister(file, PAGE, vgpuHostRegisterReadOnly),
			 vgpuErrorInvalidValue);
	assert_int_equal(vgpuHostRegister(file, SIZE_MAX, vgpuHostRegisterDefault),
			 vgpuErrorInvalidValue);
	munmap(file, 3 * PAGE);
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_of_ranges),
		cmocka_unit_test(a_transport_without),
		cmocka_unit_test(all_devices),
		cmocka_unit_test(unregistered_waits_for_all),
		cmocka_unit_test(with_a_dead_context),
		cmocka_unit_test(read_only),
		cmocka_unit_test(not_there),
	};

	setenv("VGPU_PRESET", "k20c,gtx980,k20c", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
