// SPDX-License-Identifier: MIT
/*
 * The door itself: version and information, unknown ioctls, flags and reserved fields, pointers to
 * nowhere, handles that are not there.
 */
#include "vgpu_asm.h"

static const unsigned long known[] = {
	VGPU_IOC_VERSION,	VGPU_IOC_DEVICE_INFO,	VGPU_IOC_CONTEXT_INFO,
	VGPU_IOC_QUEUE_CREATE,	VGPU_IOC_QUEUE_DESTROY, VGPU_IOC_MODULE_LOAD,
	VGPU_IOC_MODULE_UNLOAD, VGPU_IOC_MEM_MAP,	VGPU_IOC_MEM_UNMAP,
	VGPU_IOC_SUBMIT,	VGPU_IOC_WAIT,		VGPU_IOC_CONTEXT_PRIORITY,
	VGPU_IOC_WAIT_ANY,	VGPU_IOC_SEAT_CREATE,	VGPU_IOC_EVENTFD,
	VGPU_IOC_RING_CREATE,	VGPU_IOC_RING_DOORBELL, VGPU_IOC_PROCESS_MEMORY,
	VGPU_IOC_MEM_ADVISE,	VGPU_IOC_HOST_DONE,	VGPU_IOC_CONTEXT_SMS,
	VGPU_IOC_MEM_PEEK,	VGPU_IOC_MEM_CREATE,	VGPU_IOC_MEM_RELEASE,
	VGPU_IOC_MEM_VIEW,	VGPU_IOC_MEM_RIGHTS,	VGPU_IOC_MEM_EXPORT,
	VGPU_IOC_MEM_IMPORT,	VGPU_IOC_MEM_RETAIN,	VGPU_IOC_MEM_NAME,
	VGPU_IOC_MEM_OPEN,
};

static bool is_known(unsigned int direction, unsigned int nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (_IOC_DIR(known[i]) == direction && _IOC_NR(known[i]) == nr)
			return true;
	return false;
}

/* @request of a program that knows @size bytes of its struct. */
static unsigned long of_size(unsigned long request, size_t size)
{
	return _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), size);
}

static void version(void)
{
	struct vgpu_version version;
	int fd = must_open();

	memset(&version, 0xff, sizeof(version));
	CHECK_EQ(call(fd, VGPU_IOC_VERSION, &version), 0);
	CHECK_EQ(version.version, VGPU_UAPI_VERSION);
	CHECK_EQ(version.isa_version, VGPU_VASS_VERSION);
	CHECK(version.features & VGPU_FEATURE_PROFILED);
}

static void device_info(void)
{
	struct vgpu_device_info info;
	int fd = must_open();

	memset(&info, 0xff, sizeof(info));
	CHECK_EQ(call(fd, VGPU_IOC_DEVICE_INFO, &info), 0);
	CHECK(info.name[0] && memchr(info.name, 0, sizeof(info.name)));
	CHECK(info.policy[0] && memchr(info.policy, 0, sizeof(info.policy)));
	CHECK(info.preemption[0] && memchr(info.preemption, 0, sizeof(info.preemption)));
	CHECK(info.sms && info.clock_khz && info.regs_per_sm && info.shared_per_sm &&
	      info.threads_per_sm);
	CHECK(info.blocks_per_sm && info.hw_queues && info.memory_bandwidth && info.link_bandwidth);
	CHECK_EQ(info.warp_size, 32);
	CHECK(info.threads_per_block <= info.threads_per_sm);
	CHECK(info.vram_free <= info.vram_bytes && info.vram_bytes);
	CHECK_EQ(info.contexts, 1);
	CHECK_EQ(info.queues, 0);
	CHECK(info.copy_engines && info.memory_bus_bits && info.l2_bytes);
}

static void context_info(void)
{
	struct vgpu_context_info info;
	int fd = must_open(), other = must_open();

	memset(&info, 0xff, sizeof(info));
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_INFO, &info), 0);
	CHECK(info.id);
	CHECK(info.id != must_context_info(other).id);
	CHECK(!info.queues && !info.modules && !info.dead && !info.mapped_bytes &&
	      !info.resident_bytes);
	CHECK(!info.kernels && !info.blocks && !info.copies && !info.copied_bytes &&
	      !info.instructions);
	CHECK_EQ(info.fault.reason, VGPU_FAULT_NONE);
	must_queue(fd);
	CHECK_EQ(mem_map(fd, BASE, 4 * PAGE), 0);
	CHECK_EQ(must_context_info(fd).queues, 1);
	CHECK_EQ(must_context_info(fd).mapped_bytes, 4 * PAGE);
	CHECK_EQ(must_context_info(other).queues, 0);
}

static void default_node(void)
{
	int fd = must_open(), other = open("/dev/vgpu", O_RDWR);

	CHECK(other >= 0);
	CHECK_EQ(must_device_info(fd).contexts, 2);
	CHECK_EQ(must_device_info(other).contexts, 2);
}

static void anybody_may_open(void)
{
	CHECK(!setgid(65534) && !setuid(65534));
	must_open();
	CHECK(open("/dev/vgpu", O_RDWR) >= 0);
}

static void unknown_numbers(void)
{
	static const unsigned int sizes[] = { 0, 1, 4, 8, 16, 24, 40, 64, 128, 4096 };
	static const unsigned int directions[] = { _IOC_NONE, _IOC_READ, _IOC_WRITE,
						   _IOC_READ | _IOC_WRITE };
	uint8_t arg[16384] = {};
	int fd = must_open();

	for (unsigned int nr = 0; nr < 256; nr++)
		for (size_t d = 0; d < ARRAY_SIZE(directions); d++)
			for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
				unsigned long request =
					_IOC(directions[d], VGPU_IOC_MAGIC, nr, sizes[s]);

				if (!is_known(directions[d], nr))
					CHECK_EQ(call(fd, request, arg), -ENOTTY);
			}
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		CHECK_EQ(call(fd,
			      _IOC(_IOC_DIR(known[i]), 'v', _IOC_NR(known[i]), _IOC_SIZE(known[i])),
			      arg),
			 -ENOTTY);
}

/* Bytes of the first version of @request's struct. */
static size_t first_size(unsigned long request)
{
	if (request == VGPU_IOC_CONTEXT_INFO)
		return offsetof(struct vgpu_context_info, account.host_bytes);
	if (request == VGPU_IOC_DEVICE_INFO)
		return offsetof(struct vgpu_device_info, managed_resident);
	return _IOC_SIZE(request);
}

/* Less than the first version had is no struct of any version; who knows that version is served. */
static void smaller_structs(void)
{
	uint8_t arg[512], before[512];
	int fd = must_open();
	size_t old;

	memset(arg, 0xff, sizeof(arg));
	memcpy(before, arg, sizeof(arg));
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		for (size_t size = 0; size < first_size(known[i]); size++)
			CHECK_EQ(call(fd, of_size(known[i], size), arg), -EINVAL);
	CHECK(!memcmp(arg, before, sizeof(arg)));
	old = first_size(VGPU_IOC_CONTEXT_INFO);
	CHECK_EQ(call(fd, of_size(VGPU_IOC_CONTEXT_INFO, old), arg), 0);
	CHECK(memcmp(arg, before, old));
	CHECK(!memcmp(arg + old, before + old, sizeof(arg) - old));
	CHECK_EQ(must_context_info(fd).queues, 0);
}

/*
 * A newer program's struct: what this module does not know must be 0 if it is an argument, and
 * becomes 0 in an answer.
 */
static void larger_structs(void)
{
	static const size_t more[] = { 1, 4, 8, 100, 4000, 12000 };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		static uint8_t exact[16384], arg[16384];
		size_t size = _IOC_SIZE(known[i]);
		bool takes = _IOC_DIR(known[i]) & _IOC_WRITE;
		bool gives = _IOC_DIR(known[i]) & _IOC_READ;
		int fd = must_open(), want;

		memset(exact, 0, sizeof(exact));
		want = call(fd, known[i], exact);
		CHECK(want != -ENOTTY && want != -E2BIG && want != -EFAULT);
		for (size_t m = 0; m < ARRAY_SIZE(more); m++) {
			size_t all = size + more[m];

			/* a context that nothing has been done to, as for the first call */
			close(fd);
			fd = must_open();
			memset(arg, 0, sizeof(arg));
			memset(arg + all, 0x5a, 8);
			if (gives && !takes)
				memset(arg, 0xff, all);
			CHECK_EQ(call(fd, of_size(known[i], all), arg), want);
			for (size_t at = size; at < all; at++)
				CHECK_EQ(arg[at], 0);
			for (size_t at = all; at < all + 8; at++)
				CHECK_EQ(arg[at], 0x5a);
			for (size_t at = size; takes && at < all; at += more[m] / 3 + 1) {
				arg[at] = 1;
				CHECK_EQ(call(fd, of_size(known[i], all), arg), -E2BIG);
				arg[at] = 0;
			}
		}
		close(fd);
	}
}

/* The same answers, as far as both know them. */
static void larger_answers(void)
{
	struct {
		struct vgpu_device_info info;
		uint64_t new[3], behind;
	} device = { .new = { 1, 2, 3 }, .behind = 4 };
	struct {
		struct vgpu_queue_create create;
		uint64_t new;
	} queue = {};
	int fd = must_open();

	CHECK_EQ(call(fd,
		      of_size(VGPU_IOC_DEVICE_INFO, offsetof(typeof(device), behind)), &device), 0);
	CHECK_EQ(device.info.sms, must_device_info(fd).sms);
	CHECK_EQ(device.info.vram_bytes, must_device_info(fd).vram_bytes);
	CHECK(!device.new[0] && !device.new[1] && !device.new[2]);
	CHECK_EQ(device.behind, 4);

	queue.new = 1;
	CHECK_EQ(call(fd, of_size(VGPU_IOC_QUEUE_CREATE, sizeof(queue)), &queue), -E2BIG);
	CHECK_EQ(must_context_info(fd).queues, 0);
	queue.new = 0;
	CHECK_EQ(call(fd, of_size(VGPU_IOC_QUEUE_CREATE, sizeof(queue)), &queue), 0);
	CHECK_EQ(must_context_info(fd).queues, 1);
	CHECK_EQ(queue_destroy(fd, queue.create.queue), 0);
}

static void pointers_to_nowhere(void)
{
	static const uintptr_t nowhere[] = { 0,
					     8,
					     0x7fffffffe000ul,
					     0x8000000000000000ul,
					     0xffff888000000000ul,
					     0xffffffff81000000ul,
					     ~0ul - 7 };
	int fd = must_open();

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		uint8_t *edge = guarded(1, PROT_READ | PROT_WRITE) + PAGE;

		for (size_t n = 0; n < ARRAY_SIZE(nowhere); n++)
			CHECK_EQ(call(fd, known[i], (void *)nowhere[n]), -EFAULT);
		CHECK_EQ(call(fd, known[i], edge), -EFAULT);
		CHECK_EQ(call(fd, known[i], edge - _IOC_SIZE(known[i]) + 1), -EFAULT);
		CHECK_EQ(call(fd, of_size(known[i], _IOC_SIZE(known[i]) + 8),
			      edge - _IOC_SIZE(known[i])), -EFAULT);
	}
}

/* What has an answer that cannot be written is not done. */
static void answers_to_nowhere(void)
{
	struct program p = {};
	struct binary b;
	struct vgpu_module_load load = {};
	struct vgpu_submit sub;
	struct vgpu_cmd nop = cmd_nop();
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = must_open();
	uint32_t queue;

	CHECK(page != MAP_FAILED);
	CHECK(!mprotect(page, PAGE, PROT_READ));
	CHECK_EQ(call(fd, VGPU_IOC_VERSION, page), -EFAULT);
	CHECK_EQ(call(fd, VGPU_IOC_DEVICE_INFO, page), -EFAULT);
	CHECK_EQ(call(fd, VGPU_IOC_CONTEXT_INFO, page), -EFAULT);
	CHECK_EQ(call(fd, VGPU_IOC_QUEUE_CREATE, page), -EFAULT);
	CHECK_EQ(must_context_info(fd).queues, 0);

	kernel_affine(&p);
	load.binary = (uintptr_t)&b;
	load.bytes = program_binary(&p, &b);
	CHECK(!mprotect(page, PAGE, PROT_READ | PROT_WRITE));
	memcpy(page, &load, sizeof(load));
	CHECK(!mprotect(page, PAGE, PROT_READ));
	CHECK_EQ(call(fd, VGPU_IOC_MODULE_LOAD, page), -EFAULT);
	CHECK_EQ(must_context_info(fd).modules, 0);

	queue = must_queue(fd);
	sub = (struct vgpu_submit){ .queue = queue, .count = 1, .commands = (uintptr_t)&nop };
	CHECK(!mprotect(page, PAGE, PROT_READ | PROT_WRITE));
	memcpy(page, &sub, sizeof(sub));
	CHECK(!mprotect(page, PAGE, PROT_READ));
	CHECK_EQ(call(fd, VGPU_IOC_SUBMIT, page), -EFAULT);
	CHECK_EQ(wait_seq(fd, queue, 1, 0), -EINVAL);	/* nothing was submitted */
}

static void flags_and_reserved(void)
{
	struct vgpu_queue_create create = { .flags = 1 };
	struct vgpu_queue_destroy destroy = { .reserved = 1 };
	struct vgpu_module_load load = { .flags = 1 };
	struct vgpu_module_unload unload = { .reserved = 1 };
	struct vgpu_mem flags = { .address = BASE, .bytes = PAGE, .flags = 0x80000000u };
	struct vgpu_mem managed = { .address = BASE, .bytes = PAGE, .flags = VGPU_MEM_MANAGED };
	struct vgpu_mem reserved = { .address = BASE, .bytes = PAGE, .reserved = 1 };
	struct vgpu_cmd nop = cmd_nop();
	struct vgpu_submit sub = { .count = 1, .commands = (uintptr_t)&nop, .flags = 0x80000000u };
	struct vgpu_wait wait = { .flags = 1 };
	struct vgpu_eventfd eventfds[] = { { .flags = 1 }, { .reserved = 1 } };
	int fd = must_open();

	sub.queue = wait.queue = destroy.queue = must_queue(fd);
	CHECK_EQ(call(fd, VGPU_IOC_QUEUE_CREATE, &create), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_QUEUE_DESTROY, &destroy), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MODULE_LOAD, &load), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MODULE_UNLOAD, &unload), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_MAP, &flags), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_MAP, &reserved), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_UNMAP, &flags), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_MEM_UNMAP, &managed), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_SUBMIT, &sub), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_WAIT, &wait), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_EVENTFD, &eventfds[0]), -EINVAL);
	CHECK_EQ(call(fd, VGPU_IOC_EVENTFD, &eventfds[1]), -EINVAL);
	CHECK_EQ(must_context_info(fd).queues, 1);
	CHECK_EQ(must_context_info(fd).mapped_bytes, 0);
}

static void handles_that_are_not_there(void)
{
	static const uint32_t wrong[] = { 0x7fffffff, 0x80000000, 0xffffffff, 12345 };
	struct vgpu_cmd nop = cmd_nop();
	int fd = must_open(), other = must_open();
	uint32_t queue = must_queue(fd), theirs = must_queue(other);

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		CHECK_EQ(queue_destroy(fd, wrong[i]), -ENOENT);
		CHECK_EQ(submit(fd, wrong[i], &nop, 1, NULL), -ENOENT);
		CHECK_EQ(wait_seq(fd, wrong[i], 0, 0), -ENOENT);
		CHECK_EQ(module_unload(fd, wrong[i]), -ENOENT);
	}
	/* a queue of another context is not there either (unless the numbers are per context) */
	if (theirs != queue) {
		CHECK_EQ(submit(fd, theirs, &nop, 1, NULL), -ENOENT);
		CHECK_EQ(queue_destroy(fd, theirs), -ENOENT);
	}
	CHECK_EQ(queue_destroy(fd, queue), 0);
	CHECK_EQ(queue_destroy(fd, queue), -ENOENT);
	CHECK_EQ(submit(fd, queue, &nop, 1, NULL), -ENOENT);
}

static void other_calls(void)
{
	char byte = 0;
	int fd = must_open();

	CHECK(read(fd, &byte, 1) < 0 && errno == EINVAL);
	CHECK(write(fd, &byte, 1) < 0 && errno == EINVAL);
	CHECK(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == ENXIO);
}

static const struct test tests[] = {
	{ "uapi: version", version },
	{ "uapi: device information", device_info },
	{ "uapi: context information", context_info },
	{ "uapi: /dev/vgpu is device 0", default_node },
	{ "uapi: anybody may open", anybody_may_open },
	{ "uapi: unknown ioctls", unknown_numbers },
	{ "uapi: structs smaller than any version's", smaller_structs },
	{ "uapi: structs of a newer version", larger_structs },
	{ "uapi: answers of a newer version", larger_answers },
	{ "uapi: arguments at addresses that are not there", pointers_to_nowhere },
	{ "uapi: answers that cannot be written", answers_to_nowhere },
	{ "uapi: unknown flags and non-zero reserved fields", flags_and_reserved },
	{ "uapi: handles that are not there", handles_that_are_not_there },
	{ "uapi: read, write and mmap of what is not there are refused", other_calls },
};

TESTS_MAIN(tests)
