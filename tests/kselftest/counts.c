// SPDX-License-Identifier: MIT
/*
 * What kernels did on a device with kernel_statistics=1, as netlink tells it: of launches, streams,
 * contexts and SMs, against counts made on paper; to whom, and how many are kept.
 */
#include "netlink_client.h"
#include "vgpu_asm.h"

static struct request r;
static struct answer answer;
static uint16_t family;
static int nl;

static void setup(void)
{
	nl = nl_open();
	family = nl_family(nl, NULL);
	CHECK(family);
}

static void count(bool on)
{
	request(&r, family, 0, VGPU_NL_CMD_DEVICE_SET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 0);
	attr_text(&r, VGPU_NL_A_KNOB_NAME, "kernel_statistics");
	attr_text(&r, VGPU_NL_A_KNOB_VALUE, on ? "1" : "0");
	CHECK_EQ(nl_ask(nl, &r, &answer), 0);
}

static void ask(enum vgpu_nl_counts scope)
{
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_COUNTS_GET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 0);
	attr_u32(&r, VGPU_NL_A_COUNTS_SCOPE, scope);
	CHECK_EQ(nl_ask(nl, &r, &answer), 0);
}

static uint64_t counter(const struct nlmsghdr *m, enum vgpu_counter which)
{
	const struct nlattr *a = attr_of(m, VGPU_NL_A_COUNTERS);
	uint64_t value;

	CHECK(a && a->nla_len == NLA_HDRLEN + 8 * VGPU_COUNTER_COUNT);
	memcpy(&value, (const uint8_t *)attr_data(a) + 8 * which, sizeof(value));
	return value;
}

/* Of @context, number @skip; NULL: there is none. */
static const struct nlmsghdr *of_context(uint32_t context, uint32_t skip)
{
	for (uint32_t i = 0; i < answer.messages; i++)
		if (u32_of(message(&answer, i), VGPU_NL_A_CONTEXT) == context && !skip--)
			return message(&answer, i);
	return NULL;
}

/*
 * affine: of a warp, three parameters, three special registers, three of integers, a store and an
 * exit. Blocks have four warps, each of which stores to 4 sectors.
 */
static void check(const struct nlmsghdr *m, uint32_t launches, uint32_t blocks)
{
	CHECK(m);
	CHECK_EQ(u64_of(m, VGPU_NL_A_LAUNCHES), launches);
	CHECK_EQ(counter(m, VGPU_COUNT_BLOCKS), blocks);
	CHECK_EQ(counter(m, VGPU_COUNT_INSTRUCTIONS), 11 * 4 * blocks);
	CHECK_EQ(counter(m, VGPU_COUNT_THREAD_INSTRUCTIONS), 11 * 128 * blocks);
	CHECK_EQ(counter(m, VGPU_COUNT_INST_MOVE), 6 * 4 * blocks);
	CHECK_EQ(counter(m, VGPU_COUNT_INST_INTEGER), 3 * 4 * blocks);
	CHECK_EQ(counter(m, VGPU_COUNT_INST_GLOBAL_STORE), 4 * blocks);
	CHECK_EQ(counter(m, VGPU_COUNT_SECTORS_STORE), 4 * 4 * blocks);
	CHECK(u64_of(m, VGPU_NL_A_DURATION) > 0);
	/* timing=interval has no pipeline */
	CHECK_EQ(counter(m, VGPU_COUNT_ISSUE_ACTIVE), ~0ull);
}

struct user {
	int fd;
	uint32_t id, module;
};

static struct user must_use(void)
{
	struct program p = {};
	struct user user = { .fd = must_open() };

	kernel_affine(&p);
	user.id = must_context_info(user.fd).id;
	CHECK_EQ(mem_map(user.fd, BASE, 1 << 20), 0);
	user.module = must_load(user.fd, &p);
	return user;
}

static uint64_t blocks_of_sms(void)
{
	uint64_t blocks = 0;

	ask(VGPU_NL_COUNTS_SM);
	for (uint32_t i = 0; i < answer.messages; i++)
		blocks += counter(message(&answer, i), VGPU_COUNT_BLOCKS);
	return blocks;
}

static void owners(void)
{
	struct user a, b;
	uint32_t first, second, third;
	uint64_t before;
	const struct nlmsghdr *m;

	setup();
	count(true);
	before = blocks_of_sms();
	a = must_use();
	b = must_use();
	first = must_queue(a.fd);
	second = must_queue(a.fd);
	third = must_queue(b.fd);
	must_compute(a.fd, first, a.module, 0, BASE, 10, 1, 2);
	must_compute(b.fd, third, b.module, 0, BASE, 7, 1, 2);
	must_compute(a.fd, second, a.module, 0, BASE, 3, 1, 2);
	must_compute(a.fd, first, a.module, 0, BASE, 2, 1, 2);
	count(false);
	must_compute(a.fd, first, a.module, 0, BASE, 5, 1, 2);
	ask(VGPU_NL_COUNTS_CONTEXT);
	check(of_context(a.id, 0), 3, 15);
	check(of_context(b.id, 0), 1, 7);
	CHECK_EQ(u32_of(of_context(a.id, 0), VGPU_NL_A_PID), getpid());
	CHECK(!attr_of(of_context(a.id, 0), VGPU_NL_A_QUEUE));
	ask(VGPU_NL_COUNTS_STREAM);
	CHECK_EQ(u32_of(of_context(a.id, 0), VGPU_NL_A_QUEUE), first);
	check(of_context(a.id, 0), 2, 12);
	CHECK_EQ(u32_of(of_context(a.id, 1), VGPU_NL_A_QUEUE), second);
	check(of_context(a.id, 1), 1, 3);
	check(of_context(b.id, 0), 1, 7);
	ask(VGPU_NL_COUNTS_LAUNCH);
	m = of_context(a.id, 0);
	check(m, 1, 10);
	check(of_context(a.id, 1), 1, 3);
	check(of_context(a.id, 2), 1, 2);
	CHECK(!of_context(a.id, 3));
	CHECK(!strcmp(text_of(m, VGPU_NL_A_KERNEL_NAME), "affine"));
	CHECK_EQ(*(const uint32_t *)attr_data(attr_of(m, VGPU_NL_A_GRID)), 10);
	CHECK_EQ(*(const uint32_t *)attr_data(attr_of(m, VGPU_NL_A_BLOCK)), 128);
	CHECK(u64_of(m, VGPU_NL_A_STARTED) > 0);
	CHECK_EQ(blocks_of_sms(), before + 22);
	CHECK(!attr_of(message(&answer, 0), VGPU_NL_A_CONTEXT));
	/* who is gone has left them */
	close(b.fd);
	ask(VGPU_NL_COUNTS_CONTEXT);
	check(of_context(b.id, 0), 1, 7);
	/* another user sees none of it, and no SM */
	CHECK(!setgid(65534) && !setuid(65534));
	close(nl);
	setup();
	for (enum vgpu_nl_counts scope = 0; scope < VGPU_NL_COUNTS_SM; scope++) {
		ask(scope);
		CHECK(!of_context(a.id, 0) && !of_context(b.id, 0));
	}
	CHECK_EQ(blocks_of_sms(), 0);
}

/* The last launches are kept, and no more. */
static void kept(void)
{
	enum { COUNT = VGPU_NL_COUNTS_KEPT + 6 };
	uint32_t queue, least = ~0u, most = 0;
	struct user a;

	setup();
	count(true);
	a = must_use();
	queue = must_queue(a.fd);
	for (unsigned int i = 0; i < COUNT; i++)
		must_compute(a.fd, queue, a.module, 0, BASE, 1, 1, 2);
	count(false);
	ask(VGPU_NL_COUNTS_LAUNCH);
	CHECK_EQ(answer.messages, VGPU_NL_COUNTS_KEPT);
	for (uint32_t i = 0; i < answer.messages; i++) {
		uint32_t launch = u32_of(message(&answer, i), VGPU_NL_A_LAUNCH);

		CHECK_EQ(u32_of(message(&answer, i), VGPU_NL_A_CONTEXT), a.id);
		least = launch < least ? launch : least;
		most = launch > most ? launch : most;
	}
	CHECK_EQ(most - least, VGPU_NL_COUNTS_KEPT - 1);
	ask(VGPU_NL_COUNTS_CONTEXT);
	check(of_context(a.id, 0), COUNT, COUNT);
}

static void refused(void)
{
	setup();
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_COUNTS_GET);
	CHECK_EQ(nl_ask(nl, &r, &answer), -EINVAL);
	CHECK(strstr(answer.text, "COUNTS_SCOPE is missing"));
	attr_u32(&r, VGPU_NL_A_COUNTS_SCOPE, VGPU_NL_COUNTS_SCOPES);
	CHECK_EQ(nl_ask(nl, &r, &answer), -ERANGE);
	request(&r, family, 0, VGPU_NL_CMD_COUNTS_GET);
	attr_u32(&r, VGPU_NL_A_COUNTS_SCOPE, 0);
	CHECK_EQ(nl_ask(nl, &r, &answer), -EOPNOTSUPP);
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_COUNTS_GET);
	attr_u32(&r, VGPU_NL_A_COUNTS_SCOPE, 0);
	attr_u32(&r, VGPU_NL_A_SM, 0);
	CHECK_EQ(nl_ask(nl, &r, &answer), -EINVAL);
}

static const struct test tests[] = {
	{ "counts: of launches, streams, contexts and SMs", owners },
	{ "counts: how many are kept", kept },
	{ "counts: requests that are refused", refused },
};

TESTS_MAIN(tests)
