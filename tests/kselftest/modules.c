// SPDX-License-Identifier: MIT
/*
 * Loading VASS binaries: what is well-formed loads, what is truncated, bent or hostile is refused
 * with a line that says why, or loads and then harms nobody but its own context.
 */
#include "vgpu_asm.h"

static uint32_t good_binary(struct binary *b)
{
	struct program p = {};

	kernel_affine(&p);
	kernel_endless(&p);
	return program_binary(&p, b);
}

/* -EINVAL with a line of text, or a handle. */
static int load_checked(int fd, const void *binary, uint32_t bytes)
{
	char message[512];
	int module;

	memset(message, 0x7f, sizeof(message));
	module = module_load(fd, binary, bytes, message, sizeof(message));
	if (module >= 0)
		return module;
	CHECK_EQ(module, -EINVAL);
	CHECK(memchr(message, 0, sizeof(message)));
	CHECK(strlen(message) > 8);
	CHECK(!strchr(message, '\n'));
	return module;
}

static void loads(void)
{
	struct binary b;
	uint32_t bytes = good_binary(&b);
	int fd = must_open(), first, second;

	first = load_checked(fd, &b, bytes);
	second = load_checked(fd, &b, bytes);
	CHECK(first >= 0 && second >= 0 && first != second);
	CHECK_EQ(must_context_info(fd).modules, 2);
	CHECK_EQ(module_unload(fd, (uint32_t)first), 0);
	CHECK_EQ(module_unload(fd, (uint32_t)first), -ENOENT);
	CHECK_EQ(must_context_info(fd).modules, 1);
}

static void truncated(void)
{
	struct binary b;
	uint32_t bytes = good_binary(&b);
	int fd = must_open();

	for (uint32_t n = 1; n < bytes; n++) {
		CHECK_EQ(load_checked(fd, &b, n), -EINVAL);
		/* and with a header that agrees with the length */
		if (n >= sizeof(b.header) && n % 16 == 0) {
			struct binary cut = b;

			cut.header.total_bytes = n;
			CHECK_EQ(load_checked(fd, &cut, n), -EINVAL);
		}
	}
	CHECK_EQ(must_context_info(fd).modules, 0);
	CHECK(load_checked(fd, &b, bytes) >= 0);
}

/* Every bit of the header, the kernels and the code is turned over once. */
static void bent(void)
{
	struct binary b;
	uint32_t bytes = good_binary(&b), refused = 0, loaded = 0;
	int fd = must_open();

	for (uint32_t bit = 0; bit < bytes * 8; bit++) {
		struct binary bad = b;
		int module;

		if (bit / 8 >= offsetof(struct binary, kernels) + 2 * sizeof(b.kernels[0]) &&
		    bit / 8 < offsetof(struct binary, code))
			continue;	/* no table covers these bytes */
		((uint8_t *)&bad)[bit / 8] ^= (uint8_t)(1u << bit % 8);
		module = load_checked(fd, &bad, bytes);
		if (module >= 0) {
			loaded++;
			CHECK_EQ(module_unload(fd, (uint32_t)module), 0);
		} else {
			refused++;
		}
	}
	printf("# %u refused, %u still well-formed\n", refused, loaded);
	CHECK(refused > loaded / 4);
}

static void hostile_headers(void)
{
	static const uint32_t values[] = { 0,	       1,	   15,	       16,	  17,
					   0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };
	struct binary b, bad;
	uint32_t bytes = good_binary(&b);
	int fd = must_open();

	for (uint32_t word = 2; word < sizeof(b.header) / 4; word++)
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			bad = b;
			((uint32_t *)&bad.header)[word] = values[v];
			if (memcmp(&bad, &b, sizeof(b)) && load_checked(fd, &bad, bytes) >= 0) {
				/*
				 * fewer kernels make a module, and names with some room; anything
				 * else here does not
				 */
				printf("# header word %u = %#x loads\n", word, values[v]);
				CHECK((word == offsetof(struct vgpu_vass_header, kernel_count) /
						       4 &&
				       values[v] < b.header.kernel_count) ||
				      (word == offsetof(struct vgpu_vass_header, names_bytes) / 4 &&
				       values[v] <= sizeof(b.names)));
			}
		}
	for (uint32_t word = 0; word < sizeof(b.kernels[0]) / 4; word++)
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			int module;

			bad = b;
			((uint32_t *)&bad.kernels[0])[word] = values[v];
			module = load_checked(fd, &bad, bytes);
			if (module >= 0)
				CHECK_EQ(module_unload(fd, (uint32_t)module), 0);
		}
}

static void messages(void)
{
	struct binary b;
	uint32_t bytes = good_binary(&b);
	char message[512], full[512];
	int fd = must_open();

	b.code[3].op = VGPU_OP_COUNT;
	CHECK_EQ(module_load(fd, &b, bytes, full, sizeof(full)), -EINVAL);
	printf("# \"%s\"\n", full);
	CHECK(strstr(full, "affine"));
	CHECK(strchr(full, '3'));
	/* cut to the room there is */
	memset(message, 0x7f, sizeof(message));
	CHECK_EQ(module_load(fd, &b, bytes, message, 10), -EINVAL);
	CHECK_EQ(strlen(message), 9);
	CHECK(!strncmp(message, full, 9));
	CHECK_EQ(message[10], 0x7f);
	/* none wanted, nowhere to put it */
	CHECK_EQ(module_load(fd, &b, bytes, NULL, 0), -EINVAL);
	CHECK_EQ(module_load(fd, &b, bytes, (char *)8, 100), -EFAULT);
}

static void sizes(void)
{
	static uint8_t big[VGPU_VASS_MAX_BYTES + 1];
	struct binary b;
	uint32_t bytes = good_binary(&b);
	uint8_t *end = guarded(2, PROT_READ | PROT_WRITE) + 2 * PAGE;
	int fd = must_open();

	CHECK_EQ(module_load(fd, &b, 0, NULL, 0), -EINVAL);
	CHECK_EQ(module_load(fd, big, sizeof(big), NULL, 0), -E2BIG);
	CHECK_EQ(module_load(fd, big, ~0u, NULL, 0), -E2BIG);
	CHECK_EQ(module_load(fd, NULL, bytes, NULL, 0), -EFAULT);
	CHECK_EQ(module_load(fd, (void *)0xffff888000000000ul, bytes, NULL, 0), -EFAULT);
	CHECK_EQ(module_load(fd, end - 16, bytes, NULL, 0), -EFAULT);
	memcpy(end - bytes, &b, bytes);
	CHECK(module_load(fd, end - bytes, bytes, NULL, 0) >= 0);
	CHECK_EQ(load_checked(fd, big, 1 << 20), -EINVAL);
}

/* docs/uapi.md: 64 modules a context. */
static void limits(void)
{
	struct binary b;
	uint32_t bytes = good_binary(&b), n = 0;
	int fd = must_open(), other = must_open(), module;

	while ((module = module_load(fd, &b, bytes, NULL, 0)) >= 0)
		n++;
	CHECK_EQ(module, -ENOSPC);
	CHECK_EQ(n, 64);
	CHECK(module_load(other, &b, bytes, NULL, 0) >= 0);
}

/* Kernels that were launched before the unload still give their results. */
static void unload_while_running(void)
{
	struct program p = {};
	struct affine_params params = { .out = BASE, .factor = 3, .add = 1 };
	uint32_t index = kernel_affine(&p), out[64 * 128];
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	CHECK_EQ(mem_map(fd, BASE, sizeof(out)), 0);
	for (int round = 0; round < 10; round++) {
		uint32_t module = must_load(fd, &p);
		struct vgpu_cmd cmds[3] = { cmd_fill(BASE, 0, 4, ARRAY_SIZE(out)),
					    cmd_launch(module, index, 64, 128, &params,
						       sizeof(params)),
					    cmd_d2h(out, BASE, sizeof(out)) };
		uint64_t seq = must_submit(fd, queue, cmds, 3);

		CHECK_EQ(module_unload(fd, module), 0);
		CHECK_EQ(submit(fd, queue, cmds + 1, 1, NULL), -EINVAL);
		CHECK_EQ(wait_seq(fd, queue, seq, FOREVER), 0);
		for (uint32_t i = 0; i < ARRAY_SIZE(out); i++)
			CHECK_EQ(out[i], i * 3 + 1);
	}
}

/*
 * What the verifier lets through may compute nonsense, never harm: random words behind a sound
 * header, then run.
 */
static void random_code(void)
{
	uint32_t loaded = 0, faults = 0, tries = 3000;
	uint64_t seed = 20240607;

	for (uint32_t i = 0; i < tries; i++) {
		struct program p = {};
		struct binary b;
		uint32_t bytes;
		int module, fd;

		kernel_affine(&p);
		for (uint32_t k = 0; k < 1 + rnd(&seed) % 3; k++) {
			struct vgpu_insn *in = &p.code[rnd(&seed) % (p.insns - 1)];

			in->op = (uint16_t)(rnd(&seed) % VGPU_OP_COUNT);
			if (rnd(&seed) % 2)
				in->dst = (uint8_t)(rnd(&seed) % 34);
			if (rnd(&seed) % 2)
				in->imm = rnd(&seed) % 64;
			if (rnd(&seed) % 4 == 0)
				in->flags = (uint8_t)rnd(&seed);
		}
		bytes = program_binary(&p, &b);
		fd = must_open();
		module = load_checked(fd, &b, bytes);
		if (module >= 0) {
			struct affine_params params = { .out = BASE, .factor = 2 };
			struct vgpu_cmd cmd =
				cmd_launch((uint32_t)module, 0, 2, 64, &params, sizeof(params));
			uint32_t queue = must_queue(fd);
			int ret;

			CHECK_EQ(mem_map(fd, BASE, PAGE), 0);
			loaded++;
			ret = submit(fd, queue, &cmd, 1, NULL);
			if (!ret)
				/* it may be endless by now */
				ret = wait_seq(fd, queue, 1, SECOND / 20);
			CHECK(!ret || ret == -EIO || ret == -ETIMEDOUT);
			faults += ret == -EIO;
		}
		close(fd);
	}
	printf("# %u of %u loaded, %u faulted\n", loaded, tries, faults);
	CHECK(loaded > 10);
}

static const struct test tests[] = {
	{ "modules: load and unload", loads },
	{ "modules: truncated anywhere", truncated },
	{ "modules: any bit turned over", bent },
	{ "modules: hostile numbers in the tables", hostile_headers },
	{ "modules: the refusal as text", messages },
	{ "modules: sizes and addresses", sizes },
	{ "modules: as many as promised", limits },
	{ "modules: unload while kernels run", unload_while_running },
	{ "modules: random code harms nobody", random_code },
};

TESTS_MAIN(tests)
