// SPDX-License-Identifier: MIT
/*
 * Generic netlink family vgpu: what it tells, what it sets, what it refuses and with which words,
 * notices and samples, and a listener that does not read.
 */
#include <sched.h>
#include <sys/wait.h>

#include "netlink_client.h"
#include "vgpu_asm.h"

static struct request r;
static struct answer answer;
static uint32_t groups[GROUPS];
static uint16_t family;
static int nl;

static void setup(void)
{
	nl = nl_open();
	family = nl_family(nl, groups);
	CHECK(family);
}

/* Ask as built in r; the errno must be @error and the sentence contain @text. */
static void must_answer(int error, const char *text)
{
	CHECK_EQ(nl_ask(nl, &r, &answer), error);
	if (!strstr(answer.text, text))
		printf("# it says \"%s\"\n", answer.text);
	CHECK(strstr(answer.text, text));
}

static void device_request(uint8_t command)
{
	request(&r, family, 0, command);
	attr_u32(&r, VGPU_NL_A_DEVICE, 0);
}

static void knob_request(const char *knob, const char *value)
{
	device_request(VGPU_NL_CMD_DEVICE_SET);
	attr_text(&r, VGPU_NL_A_KNOB_NAME, knob);
	attr_text(&r, VGPU_NL_A_KNOB_VALUE, value);
}

static void context_request(uint8_t command, uint32_t id)
{
	device_request(command);
	attr_u32(&r, VGPU_NL_A_CONTEXT, id);
}

/* ---- asking ------------------------------------------------------------- */

static void device(void)
{
	int fd = must_open();
	struct vgpu_device_info info = must_device_info(fd);
	const struct nlattr *states, *list;
	const struct nlmsghdr *m;

	setup();
	device_request(VGPU_NL_CMD_DEVICE_GET);
	must_answer(0, "");
	CHECK_EQ(answer.messages, 1);
	m = message(&answer, 0);
	CHECK_EQ(u32_of(m, VGPU_NL_A_DEVICE), 0);
	CHECK_EQ(u32_of(m, VGPU_NL_A_SMS), info.sms);
	CHECK_EQ(u32_of(m, VGPU_NL_A_CONTEXTS), 1);
	CHECK_EQ(u64_of(m, VGPU_NL_A_VRAM_BYTES), info.vram_bytes);
	CHECK(!strcmp(text_of(m, VGPU_NL_A_NAME), "vgpu0"));
	CHECK(!strcmp(text_of(m, VGPU_NL_A_PRESET), info.name));
	CHECK(!strcmp(text_of(m, VGPU_NL_A_CLOCK), "free"));
	states = attr_of(m, VGPU_NL_A_SM_STATES);
	CHECK(states && states->nla_len == NLA_HDRLEN + info.sms);
	states = attr_of(m, VGPU_NL_A_SM_CONTEXTS);
	CHECK(states && states->nla_len == NLA_HDRLEN + 4 * info.sms);
	list = attr_of(m, VGPU_NL_A_KNOBS);
	CHECK(list && attr_in(attr_data(list), list->nla_len - NLA_HDRLEN, VGPU_NL_A_KNOB));
	/* as a list, the same without the states of its SMs */
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_DEVICE_GET);
	must_answer(0, "");
	CHECK(answer.messages >= 1);
	CHECK_EQ(u32_of(message(&answer, 0), VGPU_NL_A_SMS), info.sms);
	CHECK(!attr_of(message(&answer, 0), VGPU_NL_A_SM_STATES));
}

static void contexts(void)
{
	enum { COUNT = 100 };
	struct program p = {};
	uint32_t id[COUNT], seen = 0;
	int fd[COUNT];

	setup();
	for (int i = 0; i < COUNT; i++) {
		fd[i] = must_open();
		id[i] = must_context_info(fd[i]).id;
	}
	kernel_affine(&p);
	CHECK_EQ(mem_map(fd[0], BASE, 1 << 20), 0);
	must_compute(fd[0], must_queue(fd[0]), must_load(fd[0], &p), 0, BASE, 10, 1, 2);
	/* more than one message of netlink holds */
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_CONTEXT_GET);
	must_answer(0, "");
	CHECK_EQ(answer.messages, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct nlmsghdr *m = message(&answer, i);

		CHECK_EQ(u32_of(m, VGPU_NL_A_CONTEXT), id[i]);
		CHECK_EQ(u32_of(m, VGPU_NL_A_PID), getpid());
		seen += u64_of(m, VGPU_NL_A_BLOCKS) == 10;
	}
	CHECK_EQ(seen, 1);
	context_request(VGPU_NL_CMD_CONTEXT_GET, id[0]);
	must_answer(0, "");
	CHECK_EQ(u64_of(message(&answer, 0), VGPU_NL_A_KERNELS), 1);
	CHECK_EQ(u64_of(message(&answer, 0), VGPU_NL_A_MAPPED_BYTES), 1 << 20);
	CHECK_EQ(u32_of(message(&answer, 0), VGPU_NL_A_QUEUES), 1);
	CHECK(u64_of(message(&answer, 0), VGPU_NL_A_ENGINE_TIME) > 0);
	context_request(VGPU_NL_CMD_CONTEXT_SET, id[1]);
	attr_u32(&r, VGPU_NL_A_PRIORITY, (uint32_t)-3);
	attr_u32(&r, VGPU_NL_A_TOKENS, 2);
	must_answer(0, "");
	context_request(VGPU_NL_CMD_CONTEXT_GET, id[1]);
	must_answer(0, "");
	CHECK_EQ((int32_t)u32_of(message(&answer, 0), VGPU_NL_A_PRIORITY), -3);
	CHECK_EQ(u32_of(message(&answer, 0), VGPU_NL_A_TOKENS), 2);
}

/* ---- SMs ----------------------------------------------------------------- */

static uint64_t sysfs_number(const char *path)
{
	char name[128];
	unsigned long long value = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/sys/class/vgpu/vgpu0/%s", path);
	file = fopen(name, "r");
	CHECK(file && fscanf(file, "%llu", &value) == 1);
	fclose(file);
	return value;
}

/* A context with an endless kernel, a block of two warps for each SM; until all are there. */
static int busy_everywhere(uint32_t *id)
{
	struct program p = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd), sms = must_device_info(fd).sms;
	uint32_t kernel = kernel_endless(&p);
	struct vgpu_cmd cmd = cmd_launch(must_load(fd, &p), kernel, sms, 64, NULL, 0);

	must_submit(fd, queue, &cmd, 1);
	*id = must_context_info(fd).id;
	while (must_context_info(fd).account.sm_blocks < sms)
		usleep(1000);
	return fd;
}

static void sm_request(uint32_t sm)
{
	device_request(VGPU_NL_CMD_SM_GET);
	attr_u32(&r, VGPU_NL_A_SM, sm);
}

/* Kernel @index of the SM in the answer; NULL: it has no more. */
static const struct nlattr *sm_kernel(const struct nlmsghdr *m, unsigned int index)
{
	const struct nlattr *list = attr_of(m, VGPU_NL_A_SM_KERNELS);
	const uint8_t *at = attr_data(list), *end = at + list->nla_len - NLA_HDRLEN;

	CHECK(list);
	while (at < end && index--)
		at += NLA_ALIGN(((const struct nlattr *)at)->nla_len);
	return at < end ? (const struct nlattr *)at : NULL;
}

static const struct nlattr *part_of(const struct nlattr *kernel, uint16_t type)
{
	return attr_in(attr_data(kernel), kernel->nla_len - NLA_HDRLEN, type);
}

static uint64_t number_of(const struct nlattr *kernel, uint16_t type)
{
	const struct nlattr *a = part_of(kernel, type);
	uint64_t value = 0;

	CHECK(a);
	memcpy(&value, attr_data(a), a->nla_len - NLA_HDRLEN);
	return value;
}

/* What SM 0 has, of two contexts with a block each. */
static void check_shared_sm(const uint32_t *id)
{
	const struct nlmsghdr *m;

	sm_request(0);
	must_answer(0, "");
	CHECK_EQ(answer.messages, 1);
	m = message(&answer, 0);
	CHECK_EQ(u32_of(m, VGPU_NL_A_SM), 0);
	CHECK(!strcmp(text_of(m, VGPU_NL_A_STATE_NAME), "running"));
	CHECK_EQ(u64_of(m, VGPU_NL_A_ON_SM_BLOCKS), 2);
	CHECK_EQ(u64_of(m, VGPU_NL_A_ON_SM_WARPS), 4);
	CHECK(u64_of(m, VGPU_NL_A_SM_SHARED_SIZE) > 0);
	for (unsigned int i = 0; i < 2; i++) {
		const struct nlattr *k = sm_kernel(m, i);

		CHECK(k && number_of(k, VGPU_NL_A_CONTEXT) == id[i]);
		CHECK(number_of(k, VGPU_NL_A_LAUNCH) > 0);
		CHECK_EQ(number_of(k, VGPU_NL_A_PARTITION), UINT32_MAX);
		CHECK_EQ(number_of(k, VGPU_NL_A_ON_SM_BLOCKS), 1);
		CHECK_EQ(number_of(k, VGPU_NL_A_ON_SM_WARPS), 2);
		CHECK(number_of(k, VGPU_NL_A_ON_SM_REGISTERS) * 2 ==
		      u64_of(m, VGPU_NL_A_ON_SM_REGISTERS));
		CHECK(number_of(k, VGPU_NL_A_SHARE) * 2 <= u64_of(m, VGPU_NL_A_SHARE) + 2);
	}
	CHECK(!sm_kernel(m, 2));
}

static void check_sysfs(const uint32_t *id, uint32_t sms)
{
	static const char *const none[] = { "registers", "shared_bytes", "shared_size" };
	char path[64];

	CHECK_EQ(sysfs_number("sm/0/kernels"), 2);
	CHECK_EQ(sysfs_number("sm/0/blocks"), 2);
	CHECK_EQ(sysfs_number("sm/0/warps"), 4);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		snprintf(path, sizeof(path), "sm/%u/%s", sms - 1, none[i]);
		sysfs_number(path);
	}
	snprintf(path, sizeof(path), "contexts/%u/sm_blocks", id[1]);
	CHECK_EQ(sysfs_number(path), sms);
	snprintf(path, sizeof(path), "contexts/%u/sm_warps", id[1]);
	CHECK_EQ(sysfs_number(path), 2 * sms);
	snprintf(path, sizeof(path), "/sys/class/vgpu/vgpu0/sm/%u", sms);
	CHECK(access(path, F_OK));
}

/* Two contexts on each SM, seen by root and by somebody else. */
static void sharing(void)
{
	uint32_t id[2], sms;
	int fd[2], own;

	setup();
	knob_request("policy", "leftover");
	must_answer(0, "");
	knob_request("kernels_per_sm", "4");
	must_answer(0, "");
	for (unsigned int i = 0; i < 2; i++)
		fd[i] = busy_everywhere(&id[i]);
	sms = must_device_info(fd[0]).sms;
	check_shared_sm(id);
	check_sysfs(id, sms);
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_SM_GET);
	must_answer(0, "");
	CHECK(answer.messages >= sms);
	for (uint32_t i = 0; i < sms; i++) {
		CHECK_EQ(u32_of(message(&answer, i), VGPU_NL_A_SM), i);
		CHECK(sm_kernel(message(&answer, i), 1));
	}
	/* all that the device issues these two do, and what others did before */
	device_request(VGPU_NL_CMD_DEVICE_GET);
	must_answer(0, "");
	CHECK(u64_of(message(&answer, 0), VGPU_NL_A_DEVICE_INSTRUCTIONS) > 0);
	device_request(VGPU_NL_CMD_SM_GET);
	must_answer(-EINVAL, "SM is missing");
	sm_request(sms);
	must_answer(-ENOENT, "no such SM");
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_SM_GET);
	attr_u32(&r, VGPU_NL_A_SM, 0);
	must_answer(-EINVAL, "a dump takes DEVICE");
	close(fd[1]);
	if (fork()) {
		int status;

		CHECK(wait(&status) > 0 && !status);
		close(fd[0]);
		knob_request("kernels_per_sm", "1");
		must_answer(0, "");
		knob_request("policy", "fcfs");
		must_answer(0, "");
		return;
	}
	/* its own kernel, and that there is another one */
	CHECK(!setgid(65534) && !setuid(65534));
	close(nl);
	setup();
	own = busy_everywhere(&id[1]);
	sm_request(0);
	must_answer(0, "");
	CHECK_EQ(u64_of(message(&answer, 0), VGPU_NL_A_ON_SM_BLOCKS), 2);
	CHECK_EQ(number_of(sm_kernel(message(&answer, 0), 0), VGPU_NL_A_CONTEXT),
		 VGPU_NL_CONTEXT_HIDDEN);
	CHECK(!part_of(sm_kernel(message(&answer, 0), 0), VGPU_NL_A_LAUNCH));
	CHECK(!part_of(sm_kernel(message(&answer, 0), 0), VGPU_NL_A_ON_SM_BLOCKS));
	CHECK_EQ(number_of(sm_kernel(message(&answer, 0), 1), VGPU_NL_A_CONTEXT), id[1]);
	CHECK_EQ(number_of(sm_kernel(message(&answer, 0), 1), VGPU_NL_A_ON_SM_BLOCKS), 1);
	close(own);
	exit(0);
}

/* ---- bad input ---------------------------------------------------------- */

static void refused(void)
{
	setup();
	request(&r, family, 0, VGPU_NL_CMD_DEVICE_GET);
	must_answer(-EINVAL, "DEVICE is missing");
	request(&r, family, 0, VGPU_NL_CMD_DEVICE_GET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 9);
	must_answer(-ENODEV, "there is no such device");
	request(&r, family, 0, VGPU_NL_CMD_DEVICE_GET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 16);
	must_answer(-ERANGE, "out of range");
	device_request(VGPU_NL_CMD_CONTEXT_GET);
	must_answer(-EINVAL, "CONTEXT is missing");
	context_request(VGPU_NL_CMD_CONTEXT_GET, 0);
	must_answer(-ERANGE, "out of range");
	context_request(VGPU_NL_CMD_CONTEXT_GET, 123456789);
	must_answer(-ENOENT, "no such context");
	context_request(VGPU_NL_CMD_CONTEXT_SET, 123456789);
	attr_u32(&r, VGPU_NL_A_PRIORITY, 1);
	must_answer(-ENOENT, "no such context");
	context_request(VGPU_NL_CMD_CONTEXT_SET, 1);
	must_answer(-EINVAL, "nothing to set: PRIORITY");
	context_request(VGPU_NL_CMD_CONTEXT_SET, 1);
	attr_u32(&r, VGPU_NL_A_TOKENS, 1025);
	must_answer(-ERANGE, "0 to 1024");
	device_request(VGPU_NL_CMD_DEVICE_SET);
	must_answer(-EINVAL, "nothing to set: KNOB_NAME");
	device_request(VGPU_NL_CMD_DEVICE_SET);
	attr_text(&r, VGPU_NL_A_KNOB_NAME, "policy");
	must_answer(-EINVAL, "go together");
	knob_request("colour", "red");
	must_answer(-ENOENT, "no such knob");
	knob_request("policy", "no such thing");
	must_answer(-EINVAL, "policy takes one of: fcfs npq");
	knob_request("watchdog_us", "-1");
	must_answer(-EINVAL, "watchdog_us takes a number");
	device_request(VGPU_NL_CMD_DEVICE_SET);
	attr_u32(&r, VGPU_NL_A_SAMPLE_MS, 9);
	must_answer(-ERANGE, "10 to 60000");
	device_request(VGPU_NL_CMD_DEVICE_SET);
	attr_u32(&r, VGPU_NL_A_SAMPLE_MS, 60001);
	must_answer(-ERANGE, "out of range");
	/* what this command does not take, what there is not */
	device_request(VGPU_NL_CMD_DEVICE_GET);
	attr_u32(&r, VGPU_NL_A_PRIORITY, 1);
	CHECK_EQ(nl_ask(nl, &r, &answer), -EINVAL);
	device_request(VGPU_NL_CMD_DEVICE_GET);
	attr_u32(&r, 4000, 1);
	CHECK_EQ(nl_ask(nl, &r, &answer), -EINVAL);
	device_request(VGPU_NL_CMD_COUNT);
	CHECK_EQ(nl_ask(nl, &r, &answer), -EOPNOTSUPP);
	device_request(VGPU_NL_CMD_CONTEXT_CREATED);
	CHECK_EQ(nl_ask(nl, &r, &answer), -EOPNOTSUPP);
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_DEVICE_SET);
	CHECK_EQ(nl_ask(nl, &r, &answer), -EOPNOTSUPP);
}

static void malformed(void)
{
	static char text[60000];
	struct nlattr *a;

	setup();
	/*
	 * cut off at every byte: netlink itself drops what has no header, everything else is
	 * refused or answered
	 */
	for (uint32_t bytes = NLMSG_HDRLEN; bytes < NLMSG_HDRLEN + GENL_HDRLEN + NLA_HDRLEN + 4;
	     bytes++) {
		device_request(VGPU_NL_CMD_DEVICE_GET);
		r.head.nlmsg_len = bytes;
		CHECK(nl_ask_bytes(nl, &r, bytes, &answer) < 0);
	}
	/* an attribute that is longer than the message, shorter than itself, of the wrong size */
	device_request(VGPU_NL_CMD_DEVICE_GET);
	a = (struct nlattr *)(r.bytes + NLMSG_HDRLEN + GENL_HDRLEN);
	a->nla_len = 400;
	CHECK_EQ(nl_ask(nl, &r, &answer), -EINVAL);
	a->nla_len = 2;
	CHECK_EQ(nl_ask(nl, &r, &answer), -EINVAL);
	request(&r, family, 0, VGPU_NL_CMD_DEVICE_GET);
	attr(&r, VGPU_NL_A_DEVICE, "ab", 2);
	CHECK(nl_ask(nl, &r, &answer) < 0);
	request(&r, family, 0, VGPU_NL_CMD_DEVICE_GET);
	attr(&r, VGPU_NL_A_DEVICE, "abcdefgh", 8);
	CHECK(nl_ask(nl, &r, &answer) < 0);
	/* a string that is too long, or does not end */
	memset(text, 'x', sizeof(text) - 1);
	knob_request("policy", text);
	CHECK(nl_ask(nl, &r, &answer) < 0);
	knob_request(text, "1");
	CHECK(nl_ask(nl, &r, &answer) < 0);
	device_request(VGPU_NL_CMD_DEVICE_SET);
	attr(&r, VGPU_NL_A_KNOB_NAME, "policy", 6);
	attr_text(&r, VGPU_NL_A_KNOB_VALUE, "fcfs");
	CHECK_EQ(nl_ask(nl, &r, &answer), -EINVAL);
	/* bytes drawn at random behind a good header */
	for (uint64_t i = 0, seed = 7; i < 2000; i++) {
		uint32_t length;

		request(&r, family, rnd(&seed) % 4 ? 0 : NLM_F_DUMP, (uint8_t)(rnd(&seed) % 16));
		length = r.head.nlmsg_len;
		r.head.nlmsg_len += (uint32_t)(rnd(&seed) % 64);
		for (; length < r.head.nlmsg_len; length++)
			r.bytes[length] = (uint8_t)(rnd(&seed) % (rnd(&seed) % 2 ? 8 : 256));
		nl_ask(nl, &r, &answer);
	}
	device_request(VGPU_NL_CMD_DEVICE_GET);
	must_answer(0, "");
}

/*
 * Nobody in particular may ask, and set nothing; root of a user namespace of its own is nobody in
 * particular.
 */
static void unprivileged(void)
{
	int fd = must_open();

	CHECK(!setgid(65534) && !setuid(65534));
	setup();
	device_request(VGPU_NL_CMD_DEVICE_GET);
	must_answer(0, "");
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_CONTEXT_GET);
	must_answer(0, "");
	knob_request("policy", "fcfs");
	must_answer(-EPERM, "CAP_SYS_ADMIN");
	context_request(VGPU_NL_CMD_CONTEXT_SET, must_context_info(fd).id);
	attr_u32(&r, VGPU_NL_A_PRIORITY, 1);
	must_answer(-EPERM, "CAP_SYS_ADMIN");
	if (unshare(CLONE_NEWUSER))
		return;
	must_answer(-EPERM, "CAP_SYS_ADMIN");
	close(nl);
	setup();
	knob_request("policy", "fcfs");
	must_answer(-EPERM, "CAP_SYS_ADMIN");
	/* and in a network namespace of its own the family is not there at all */
	CHECK(!unshare(CLONE_NEWNET));
	CHECK_EQ(nl_family(nl_open(), NULL), 0);
}

/* ---- listening ---------------------------------------------------------- */

static void notices(void)
{
	struct vgpu_cmd cmd = cmd_fill(0xdead000, 1, 1, 4096);
	const struct nlmsghdr *m;
	uint32_t queue, id;
	int fd, ear;

	setup();
	ear = must_listen(groups[NOTICES]);
	fd = must_open();
	id = must_context_info(fd).id;
	m = must_hear(ear, VGPU_NL_CMD_CONTEXT_CREATED);
	CHECK_EQ(u32_of(m, VGPU_NL_A_CONTEXT), id);
	CHECK_EQ(u32_of(m, VGPU_NL_A_PID), getpid());
	queue = must_queue(fd);
	CHECK_EQ(wait_seq(fd, queue, must_submit(fd, queue, &cmd, 1), FOREVER), -EIO);
	m = must_hear(ear, VGPU_NL_CMD_CONTEXT_DIED);
	CHECK_EQ(u32_of(m, VGPU_NL_A_CONTEXT), id);
	CHECK_EQ(u32_of(m, VGPU_NL_A_FAULT), VGPU_FAULT_COPY_UNMAPPED);
	CHECK_EQ(u64_of(m, VGPU_NL_A_FAULT_ADDRESS), 0xdead000);
	close(fd);
	must_hear(ear, VGPU_NL_CMD_CONTEXT_CLOSED);
	knob_request("policy", "dss");
	must_answer(0, "");
	m = must_hear(ear, VGPU_NL_CMD_KNOB_CHANGED);
	CHECK(!strcmp(text_of(m, VGPU_NL_A_KNOB_NAME), "policy"));
	CHECK(!strcmp(text_of(m, VGPU_NL_A_KNOB_VALUE), "dss"));
	knob_request("policy", "fcfs");
	must_answer(0, "");
	must_hear(ear, VGPU_NL_CMD_KNOB_CHANGED);
}

static void watchdog(void)
{
	struct vgpu_cmd cmd = cmd_profiled(1, 50000000);	/* 50 us */
	uint32_t queue;
	int fd, ear;

	setup();
	knob_request("watchdog_us", "10");
	must_answer(0, "");
	ear = must_listen(groups[NOTICES]);
	fd = must_open();
	queue = must_queue(fd);
	CHECK_EQ(wait_seq(fd, queue, must_submit(fd, queue, &cmd, 1), FOREVER), -EIO);
	knob_request("watchdog_us", "0");
	must_answer(0, "");
	must_hear(ear, VGPU_NL_CMD_CONTEXT_CREATED);
	CHECK_EQ(u32_of(must_hear(ear, VGPU_NL_CMD_CONTEXT_DIED), VGPU_NL_A_FAULT),
		 VGPU_FAULT_WATCHDOG);
}

/*
 * Huge pages are set aside: that takes memory without clearing it, which takes long in an emulated
 * guest.
 */
static void set_aside(long pages)
{
	FILE *file = fopen("/proc/sys/vm/nr_hugepages", "w");

	CHECK(file && fprintf(file, "%ld\n", pages) > 0 && !fclose(file));
}

/* All memory of the machine goes but @kb: what huge pages there are, and the rest. */
static void take_memory(long kb)
{
	long more;

	set_aside((meminfo("MemAvailable:") - kb) / meminfo("Hugepagesize:"));
	more = meminfo("MemAvailable:") - kb;
	if (more > 0)
		mmap(NULL, (size_t)more << 10, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	printf("# %ld KiB are left, %ld were to be\n", meminfo("MemAvailable:"), kb);
}

/*
 * A page of VRAM is refused: that is told once, and costs the context its life. When there is
 * memory again the device takes it, and there is nothing to tell.
 */
static void memory_low(void)
{
	enum { VRAM = 4 << 20 };
	struct vgpu_cmd cmd = cmd_fill(BASE, 1, 1, VRAM);
	const struct nlmsghdr *m;
	int ear, fd, error;
	uint32_t queue;

	setup();
	ear = must_listen(groups[NOTICES]);
	fd = must_open();
	queue = must_queue(fd);
	CHECK_EQ(mem_map(fd, BASE, VRAM), 0);
	take_memory(meminfo("MemTotal:") / 20);
	error = wait_seq(fd, queue, must_submit(fd, queue, &cmd, 1), FOREVER);
	set_aside(0);
	CHECK_EQ(error, -EIO);
	close(fd);
	must_hear(ear, VGPU_NL_CMD_CONTEXT_CREATED);
	m = must_hear(ear, VGPU_NL_CMD_MEMORY_LOW);
	CHECK(!attr_of(m, VGPU_NL_A_CONTEXT));
	m = must_hear(ear, VGPU_NL_CMD_CONTEXT_DIED);
	CHECK_EQ(u32_of(m, VGPU_NL_A_FAULT), VGPU_FAULT_NO_MEMORY);
	must_hear(ear, VGPU_NL_CMD_CONTEXT_CLOSED);
	fd = must_open();
	CHECK_EQ(mem_map(fd, BASE, VRAM), 0);
	must_run(fd, must_queue(fd), &cmd, 1);
	close(fd);
	must_hear(ear, VGPU_NL_CMD_CONTEXT_CREATED);
	must_hear(ear, VGPU_NL_CMD_CONTEXT_CLOSED);
}

static void sample_every(uint32_t ms)
{
	device_request(VGPU_NL_CMD_DEVICE_SET);
	attr_u32(&r, VGPU_NL_A_SAMPLE_MS, ms);
	must_answer(0, "");
}

static void samples(void)
{
	const struct nlmsghdr *m;
	double begin;
	int fd, ear;

	setup();
	fd = must_open();
	sample_every(50);
	ear = must_listen(groups[SAMPLES]);
	begin = seconds_now();
	for (int i = 0; i < 4; i++) {
		m = must_hear(ear, VGPU_NL_CMD_DEVICE_SAMPLE);
		CHECK_EQ(u32_of(m, VGPU_NL_A_CONTEXTS), 1);
		CHECK(attr_of(m, VGPU_NL_A_SM_STATES));
		m = must_hear(ear, VGPU_NL_CMD_CONTEXT_SAMPLE);
		CHECK_EQ(u32_of(m, VGPU_NL_A_CONTEXT), must_context_info(fd).id);
	}
	CHECK(seconds_now() - begin > 0.15);
	sample_every(0);
	/* one may be on its way */
	while (recv(ear, r.bytes, sizeof(r.bytes), MSG_DONTWAIT) > 0)
		;
	usleep(200000);
	while (recv(ear, r.bytes, sizeof(r.bytes), MSG_DONTWAIT) > 0)
		;
	usleep(200000);
	CHECK(recv(ear, r.bytes, sizeof(r.bytes), MSG_DONTWAIT) < 0 && errno == EAGAIN);
	sample_every(1000);
}

/* It hurts nobody: others open and close as fast as before, and it is told what it lost. */
static void deaf(void)
{
	int ear, small = 1, error = 0, heard = 0;
	ssize_t n;

	setup();
	ear = must_listen(groups[NOTICES]);
	CHECK(!setsockopt(ear, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)));
	sample_every(10);
	CHECK(!setsockopt(ear, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[SAMPLES],
			  sizeof(groups[SAMPLES])));
	for (int i = 0; i < 500; i++)
		close(must_open());
	sample_every(1000);
	while ((n = recv(ear, r.bytes, sizeof(r.bytes), MSG_DONTWAIT)) > 0 || errno == ENOBUFS) {
		if (n < 0)
			error = ENOBUFS;
		else
			heard++;
	}
	CHECK_EQ(error, ENOBUFS);
	printf("# %d messages heard\n", heard);
	CHECK(heard < 500);
}

/* ---- fdinfo ------------------------------------------------------------- */

static void fdinfo(void)
{
	char capacity[64];
	const char *keys[] = { "vgpu-driver:\tvgpu\n",
			       "vgpu-device:\tvgpu0\n",
			       "vgpu-engine-sm:\t",
			       capacity,
			       "vgpu-total-vram:\t1024 KiB\n",
			       "vgpu-resident-vram:\t",
			       "vgpu-queues:\t1\n",
			       "vgpu-kernels:\t1\n",
			       "vgpu-priority:\t0\n",
			       "vgpu-fault:\t0\n" };
	struct program p = {};
	int fd = must_open();
	char text[4096];

	snprintf(capacity, sizeof(capacity), "vgpu-engine-capacity-sm:\t%u\n",
		 must_device_info(fd).sms);
	kernel_affine(&p);
	CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
	must_compute(fd, must_queue(fd), must_load(fd, &p), 0, BASE, 10, 1, 2);
	must_fdinfo(fd, text, sizeof(text));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!strstr(text, keys[i]))
			printf("# no %s in %s", keys[i], text);
		CHECK(strstr(text, keys[i]));
	}
	CHECK(fdinfo_ns(text, "vgpu-engine-sm:\t") > 0);
	CHECK(fdinfo_ns(text, "vgpu-host-time:\t") > 0);
}

static const struct test tests[] = {
	{ "netlink: a device", device },
	{ "netlink: a hundred contexts", contexts },
	{ "netlink: SMs that contexts share", sharing },
	{ "netlink: requests that are refused", refused },
	{ "netlink: messages that are malformed", malformed },
	{ "netlink: without privileges", unprivileged },
	{ "netlink: notices", notices },
	{ "netlink: notice of the watchdog", watchdog },
	{ "netlink: notice of too little memory", memory_low },
	{ "netlink: samples", samples },
	{ "netlink: a listener that does not read", deaf },
	{ "fdinfo", fdinfo },
};

TESTS_MAIN(tests)
