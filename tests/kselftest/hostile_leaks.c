// SPDX-License-Identifier: MIT
/*
 * What a user learns of contexts that belong to another user: that they exist and how they are to
 * be scheduled. Where they faulted, what they executed, when, and their pids are for their owner,
 * for CAP_PERFMON and for root.
 */
#include <dirent.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "netlink_client.h"
#include "vgpu_asm.h"
#include "vgpu_bystander.h"

#define VICTIM		65533u
#define SPY		65534u
#define SECRET		0x5ec4e7000ull	/* where the victim's kernel faults */
#define CONTEXTS	"/sys/class/vgpu/vgpu0/contexts/"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/** struct victim - a process of user VICTIM that has a context */
static struct victim {
	uint32_t id;
	volatile uint32_t ready;
	volatile uint32_t go;		/* it waits for this before it faults */
	pid_t pid;
} *victim;

static struct request r;
static struct answer answer;
static uint32_t groups[GROUPS];
static uint16_t family;

/* ---- who does it -------------------------------------------------------- */

static void wait_until(const volatile uint32_t *flag)
{
	double end = deadline(30);

	while (!*flag) {
		CHECK(seconds_now() < end);
		usleep(1000);
	}
}

static void *shared_page(void)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	return page;
}

/* Computes; faults when it is told to. */
static void victim_faults(void)
{
	struct vgpu_cmd cmd = cmd_fill(SECRET, 1, 1, 4096);
	struct program p = {};
	int fd = must_open();
	uint32_t queue = must_queue(fd);

	kernel_affine(&p);
	CHECK_EQ(mem_map(fd, BASE, 1 << 20), 0);
	must_compute(fd, queue, must_load(fd, &p), 0, BASE, 10, 1, 2);
	victim->id = must_context_info(fd).id;
	wait_until(&victim->go);
	CHECK_EQ(wait_seq(fd, queue, must_submit(fd, queue, &cmd, 1), FOREVER), -EIO);
	victim->ready = 1;
	pause();
}

static void victim_computes(void)
{
	uint32_t queue;
	int fd = must_open_busy(&queue);

	victim->id = must_context_info(fd).id;
	victim->ready = 1;
	pause();
}

static void victim_start(void (*fn)(void), bool go)
{
	pid_t pid;

	victim = shared_page();
	victim->go = go;
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		nobody_becomes(VICTIM);
		fn();
		_exit(TEST_FAIL);
	}
	victim->pid = pid;
}

static void victim_end(void)
{
	kill(victim->pid, SIGKILL);
	CHECK_EQ(waitpid(victim->pid, NULL, 0), victim->pid);
}

/* User SPY, with CAP_PERFMON and no other capability */
static void become_monitor(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	data[CAP_PERFMON / 32].permitted = data[CAP_PERFMON / 32].effective =
		1u << CAP_PERFMON % 32;
	CHECK(!prctl(PR_SET_KEEPCAPS, 1));
	nobody_becomes(SPY);
	CHECK(!syscall(SYS_capset, &header, data));
}

static void as_root_of_own_namespace(void (*fn)(void))
{
	if (unshare(CLONE_NEWUSER)) {
		printf("# no user namespaces here\n");
		return;
	}
	fn();
}

/* ---- netlink: asking ---------------------------------------------------- */

static int nl_setup(void)
{
	int nl = nl_open();

	family = nl_family(nl, groups);
	CHECK(family);
	return nl;
}

/* Every attribute of @head is one of @allowed, which ends with 0. */
static void must_say_only(const struct nlmsghdr *head, const uint16_t *allowed)
{
	const uint8_t *at = (const uint8_t *)head + NLMSG_HDRLEN + GENL_HDRLEN;
	uint32_t left = head->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;

	while (left >= NLA_HDRLEN) {
		const struct nlattr *a = (const struct nlattr *)at;
		const uint16_t *known = allowed;

		CHECK(a->nla_len >= NLA_HDRLEN && a->nla_len <= left);
		while (*known && *known != (a->nla_type & NLA_TYPE_MASK))
			known++;
		if (!*known)
			printf("# attribute %u is for the owner\n", a->nla_type & NLA_TYPE_MASK);
		CHECK(*known);
		if ((uint32_t)NLA_ALIGN(a->nla_len) >= left)
			break;
		at += NLA_ALIGN(a->nla_len);
		left -= NLA_ALIGN(a->nla_len);
	}
}

static const struct nlmsghdr *must_get(int nl, uint32_t id)
{
	request(&r, family, 0, VGPU_NL_CMD_CONTEXT_GET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 0);
	attr_u32(&r, VGPU_NL_A_CONTEXT, id);
	CHECK_EQ(nl_ask(nl, &r, &answer), 0);
	CHECK_EQ(answer.messages, 1);
	return message(&answer, 0);
}

/* The victim's in a list of all. */
static const struct nlmsghdr *must_dump(int nl, uint32_t id)
{
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_CONTEXT_GET);
	CHECK_EQ(nl_ask(nl, &r, &answer), 0);
	for (uint32_t i = 0; i < answer.messages; i++)
		if (u32_of(message(&answer, i), VGPU_NL_A_CONTEXT) == id)
			return message(&answer, i);
	CHECK(!"the context is in the list");
	return NULL;
}

static const uint16_t of_context[] = {
	VGPU_NL_A_DEVICE, VGPU_NL_A_CONTEXT, VGPU_NL_A_TIME, VGPU_NL_A_PRIORITY,
	VGPU_NL_A_TOKENS, VGPU_NL_A_PAD, 0
};

static void must_be_all(const struct nlmsghdr *m)
{
	CHECK_EQ(u32_of(m, VGPU_NL_A_PID), victim->pid);
	CHECK_EQ(u32_of(m, VGPU_NL_A_FAULT), VGPU_FAULT_COPY_UNMAPPED);
	CHECK_EQ(u64_of(m, VGPU_NL_A_FAULT_ADDRESS), SECRET);
	CHECK(u64_of(m, VGPU_NL_A_INSTRUCTIONS) > 0);
	CHECK_EQ(u64_of(m, VGPU_NL_A_BLOCKS), 10);
}

static void sees_all(void)
{
	int nl = nl_setup();

	must_be_all(must_get(nl, victim->id));
	must_be_all(must_dump(nl, victim->id));
}

static void sees_that_it_exists(void)
{
	int nl = nl_setup();

	must_say_only(must_get(nl, victim->id), of_context);
	CHECK_EQ((int32_t)u32_of(message(&answer, 0), VGPU_NL_A_PRIORITY), 0);
	must_say_only(must_dump(nl, victim->id), of_context);
}

static void spies_as_root_of_own_namespace(void)
{
	as_root_of_own_namespace(sees_that_it_exists);
}

static void monitors(void)
{
	become_monitor();
	sees_all();
}

static void asking(void)
{
	victim_start(victim_faults, true);
	wait_until(&victim->ready);
	as_user(0, sees_all);
	as_user(VICTIM, sees_all);
	as_user(0, monitors);
	as_user(SPY, sees_that_it_exists);
	as_user(SPY, spies_as_root_of_own_namespace);
	victim_end();
}

/* A socket that is user @uid's */
static int socket_of(uid_t uid)
{
	int nl;

	CHECK(!seteuid(uid));
	nl = nl_setup();
	CHECK(!seteuid(0));
	return nl;
}

static int passed;

/* Without an address: a program that gives one knows what it is doing, to capabilities. */
static void write_request(void)
{
	CHECK_EQ(write(passed, r.bytes, r.head.nlmsg_len), r.head.nlmsg_len);
	nl_read(passed, &answer);
	CHECK_EQ(answer.error, 0);
}

static void spies_on_passed(void)
{
	request(&r, family, 0, VGPU_NL_CMD_CONTEXT_GET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 0);
	attr_u32(&r, VGPU_NL_A_CONTEXT, victim->id);
	write_request();
	must_say_only(message(&answer, 0), of_context);
	request(&r, family, NLM_F_DUMP, VGPU_NL_CMD_CONTEXT_GET);
	write_request();
	CHECK_EQ(answer.messages, 1);
	must_say_only(message(&answer, 0), of_context);
}

/*
 * A program with privileges that writes what it is given where it is told to, and a socket that
 * came from the victim.
 */
static void sockets_of_others(void)
{
	victim_start(victim_faults, true);
	wait_until(&victim->ready);
	passed = socket_of(SPY);
	as_user(0, spies_on_passed);
	as_user(VICTIM, spies_on_passed);
	passed = socket_of(VICTIM);
	as_user(SPY, spies_on_passed);
	passed = socket_of(0);
	as_user(SPY, spies_on_passed);
	victim_end();
}

/* ---- netlink: SMs ------------------------------------------------------- */

/* On how many SMs DEVICE_GET shows context @id */
static uint32_t shown_on(uint32_t id)
{
	const struct nlattr *contexts;
	int nl = nl_setup();
	uint32_t count = 0;

	request(&r, family, 0, VGPU_NL_CMD_DEVICE_GET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 0);
	CHECK_EQ(nl_ask(nl, &r, &answer), 0);
	contexts = attr_of(message(&answer, 0), VGPU_NL_A_SM_CONTEXTS);
	CHECK(contexts);
	for (uint32_t i = 0; i < (contexts->nla_len - (uint32_t)NLA_HDRLEN) / 4; i++)
		count += ((const uint32_t *)attr_data(contexts))[i] == id;
	close(nl);
	return count;
}

static void sees_where_it_runs(void)
{
	double end = deadline(30);

	while (!shown_on(victim->id))
		CHECK(seconds_now() < end);
}

static void sees_that_somebody_runs(void)
{
	double end = deadline(30);

	while (!shown_on(VGPU_NL_CONTEXT_HIDDEN))
		CHECK(seconds_now() < end);
	for (int i = 0; i < 20; i++)
		CHECK_EQ(shown_on(victim->id), 0);
}

static void running(void)
{
	victim_start(victim_computes, true);
	wait_until(&victim->ready);
	as_user(0, sees_where_it_runs);
	as_user(VICTIM, sees_where_it_runs);
	as_user(SPY, sees_that_somebody_runs);
	victim_end();
}

/* ---- netlink: listening ------------------------------------------------- */

static const uint16_t of_notice[] = {
	VGPU_NL_A_DEVICE, VGPU_NL_A_CONTEXT, VGPU_NL_A_TIME, VGPU_NL_A_LOST, VGPU_NL_A_PAD, 0
};

static volatile uint32_t *listening;

static void may_not_join(uint32_t group)
{
	struct sockaddr_nl bound = { .nl_family = AF_NETLINK, .nl_groups = 1u << (group - 1) };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	CHECK_EQ(nl_listen(group), -EPERM);
	CHECK(fd >= 0);
	CHECK(group > 32 || (bind(fd, (struct sockaddr *)&bound, sizeof(bound)) && errno == EPERM));
	close(fd);
}

static void listens_as_spy(void)
{
	int ear;

	nl_setup();
	may_not_join(groups[NOTICES]);
	may_not_join(groups[SAMPLES]);
	ear = must_listen(groups[PUBLIC]);
	++*listening;
	must_say_only(must_hear(ear, VGPU_NL_CMD_CONTEXT_CREATED), of_notice);
	must_say_only(must_hear(ear, VGPU_NL_CMD_CONTEXT_DIED), of_notice);
	++*listening;
	must_say_only(must_hear(ear, VGPU_NL_CMD_CONTEXT_CLOSED), of_notice);
}

static void listens_as_root(void)
{
	const struct nlmsghdr *m;
	int ear;

	nl_setup();
	ear = must_listen(groups[NOTICES]);
	++*listening;
	m = must_hear(ear, VGPU_NL_CMD_CONTEXT_CREATED);
	CHECK_EQ(u32_of(m, VGPU_NL_A_PID), victim->pid);
	m = must_hear(ear, VGPU_NL_CMD_CONTEXT_DIED);
	CHECK_EQ(u32_of(m, VGPU_NL_A_PID), victim->pid);
	CHECK_EQ(u64_of(m, VGPU_NL_A_FAULT_ADDRESS), SECRET);
	++*listening;
	m = must_hear(ear, VGPU_NL_CMD_CONTEXT_CLOSED);
	CHECK_EQ(u32_of(m, VGPU_NL_A_PID), victim->pid);
}

/* What @uid does by @fn while a victim is there from the beginning to the end. */
static void listener(uid_t uid, void (*fn)(void))
{
	double end = deadline(30);
	pid_t pid, victim_pid;

	listening = shared_page();
	victim = shared_page();
	/* the victim is started later: its number comes into the page that they share */
	pid = start_as(uid, fn);
	while (!*listening && waitpid(pid, NULL, WNOHANG) == 0)
		usleep(1000);
	CHECK_EQ(*listening, 1);
	victim_pid = fork();
	CHECK(victim_pid >= 0);
	if (!victim_pid) {
		victim->pid = getpid();
		victim->go = 1;
		nobody_becomes(VICTIM);
		victim_faults();
	}
	while (*listening < 2 && seconds_now() < end)
		usleep(1000);
	victim->pid = victim_pid;
	victim_end();
	must_succeed(pid);
}

static void listening_in(void)
{
	listener(0, listens_as_root);
	listener(SPY, listens_as_spy);
}

/* ---- sysfs -------------------------------------------------------------- */

/* Of the context's files, how many cannot be read, and how many there are */
static unsigned int unreadable(unsigned int *count)
{
	char path[sizeof(CONTEXTS) + 300], text[256];
	unsigned int refused = 0;
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), CONTEXTS "%u", victim->id);
	dir = opendir(path);
	CHECK(dir);
	for (*count = 0; (entry = readdir(dir));) {
		int fd;

		if (entry->d_type != DT_REG)
			continue;
		snprintf(path, sizeof(path), CONTEXTS "%u/%s", victim->id, entry->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			CHECK_EQ(errno, EACCES);
		else
			CHECK(read(fd, text, sizeof(text)) > 0);
		refused += fd < 0;
		close(fd);
		++*count;
	}
	closedir(dir);
	return refused;
}

static void reads_all(void)
{
	unsigned int count;

	CHECK_EQ(unreadable(&count), 0);
	CHECK(count > 20);
}

static void reads_settings(void)
{
	unsigned int count;
	unsigned int refused = unreadable(&count);

	printf("# %u of %u files refused\n", refused, count);
	/* priority, tokens and memory_budget */
	CHECK_EQ(count - refused, 3);
}

static int write_file(const char *name, const char *text)
{
	char path[sizeof(CONTEXTS) + 64];
	int fd, error;

	snprintf(path, sizeof(path), CONTEXTS "%u/%s", victim->id, name);
	chmod(path, 0666);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	error = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return error;
}

/* Who owns files may change their modes: that opens nothing else. */
static void writes_nothing(void)
{
	char path[sizeof(CONTEXTS) + 64], text[16] = "";
	int fd;

	CHECK_EQ(write_file("priority", "100\n"), -EACCES);
	CHECK_EQ(write_file("tokens", "5\n"), -EACCES);
	CHECK_EQ(write_file("memory_budget", "0\n"), -EACCES);
	CHECK_EQ(write_file("kernels", "5\n"), -EACCES);
	CHECK_EQ(write_file("pid", "5\n"), -EACCES);
	snprintf(path, sizeof(path), CONTEXTS "%u/priority", victim->id);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0 && read(fd, text, sizeof(text)) == 2 && text[0] == '0');
	snprintf(path, sizeof(path), CONTEXTS "%u/tokens", victim->id);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0 && read(fd, text, sizeof(text)) > 0 && !strncmp(text, "share\n", 6));
}

static void files(void)
{
	victim_start(victim_faults, true);
	wait_until(&victim->ready);
	as_user(0, reads_all);
	as_user(VICTIM, reads_all);
	as_user(SPY, reads_settings);
	as_user(SPY, writes_nothing);
	as_user(VICTIM, writes_nothing);
	victim_end();
}

/* ---- pids --------------------------------------------------------------- */

static uint32_t pid_in_sysfs(uint32_t id)
{
	char path[sizeof(CONTEXTS) + 64], text[16] = "";
	int fd;

	snprintf(path, sizeof(path), CONTEXTS "%u/pid", id);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return (uint32_t)strtoul(text, NULL, 10);
}

/* Root of a pid namespace: what is outside has no number there, and what is inside its own. */
static void looks_from_namespace(void)
{
	int nl = nl_setup(), fd = must_open();
	uint32_t id = must_context_info(fd).id;

	CHECK_EQ(getpid(), 1);
	CHECK(!attr_of(must_get(nl, victim->id), VGPU_NL_A_PID));
	CHECK_EQ(u64_of(message(&answer, 0), VGPU_NL_A_FAULT_ADDRESS), SECRET);
	CHECK_EQ(pid_in_sysfs(victim->id), 0);
	CHECK_EQ(u32_of(must_get(nl, id), VGPU_NL_A_PID), 1);
	CHECK_EQ(pid_in_sysfs(id), 1);
}

static void namespaces(void)
{
	victim_start(victim_faults, true);
	wait_until(&victim->ready);
	CHECK(!unshare(CLONE_NEWPID));
	as_user(0, looks_from_namespace);
	CHECK_EQ(pid_in_sysfs(victim->id), victim->pid);
	victim_end();
}

/* ---- what is sampled ends ----------------------------------------------- */

enum { CHURNERS = 16, SAMPLES_SEEN = 20 };

static void churn(void)
{
	for (;;)
		close(must_open());
}

static void sample_every(int nl, uint32_t ms)
{
	request(&r, family, 0, VGPU_NL_CMD_DEVICE_SET);
	attr_u32(&r, VGPU_NL_A_DEVICE, 0);
	attr_u32(&r, VGPU_NL_A_SAMPLE_MS, ms);
	CHECK_EQ(nl_ask(nl, &r, &answer), 0);
}

/*
 * Contexts that are opened while a sample is made lie behind those that have been sampled: it has
 * no more than there were when it began, so that it ends where somebody opens them faster.
 */
static void samples_end(void)
{
	static uint8_t bytes[65536];
	const struct nlmsghdr *head = (const struct nlmsghdr *)bytes;
	int nl = nl_setup(), ear, room = 8 << 20, seen = 0, contexts = 0, more = 0;
	uint32_t open = 0;
	pid_t pid[CHURNERS];
	double end;

	for (int i = 0; i < CHURNERS; i++) {
		pid[i] = fork();
		CHECK(pid[i] >= 0);
		if (!pid[i]) {
			nobody_becomes(SPY);
			churn();
		}
	}
	ear = must_listen(groups[SAMPLES]);
	CHECK(!setsockopt(ear, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)));
	sample_every(nl, 10);
	end = deadline(20);
	while (seen < SAMPLES_SEEN && seconds_now() < end) {
		if (recv(ear, bytes, sizeof(bytes), 0) < 0)
			break;
		if (command_of(head) == VGPU_NL_CMD_DEVICE_SAMPLE) {
			open = u32_of(head, VGPU_NL_A_CONTEXTS);
			contexts = 0;
			seen++;
		} else if (seen && ++contexts > (int)open) {
			more++;
		}
	}
	printf("# %d samples, %d contexts more than were open\n", seen, more);
	sample_every(nl, 1000);
	for (int i = 0; i < CHURNERS; i++) {
		kill(pid[i], SIGKILL);
		CHECK_EQ(waitpid(pid[i], NULL, 0), pid[i]);
	}
	CHECK_EQ(seen, SAMPLES_SEEN);
	CHECK_EQ(more, 0);
}

static const struct test tests[] = {
	{ "hostile_leaks: asking for contexts of others", asking },
	{ "hostile_leaks: by sockets of others", sockets_of_others },
	{ "hostile_leaks: what runs on SMs", running },
	{ "hostile_leaks: listening", listening_in },
	{ "hostile_leaks: files of contexts", files },
	{ "hostile_leaks: pids of another namespace", namespaces },
	{ "hostile_leaks: samples while contexts are opened without end", samples_end },
};

TESTS_MAIN(tests)
