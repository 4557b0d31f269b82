// SPDX-License-Identifier: MIT
/*
 * A search for what breaks the module, led by coverage: sequences of operations (input.h) on
 * ioctls, io_uring, mapped rings, netlink, sysfs and configfs are changed at random, and what
 * reaches a new place of vgpu.ko is kept and changed further. Runs as root in a guest whose kernel
 * has KCOV and checks of its own: a finding is what they say.
 *
 * usage: uapi --out FOLDER [--seconds N] [--seed N] [INPUT...]
 *   --out FOLDER   corpus/ is read and grows; slow/ gets what had to be killed; recent: the newest
 *                  inputs, in the order in which they were begun; places: what was reached
 *   INPUT...       execute these, ROUNDS times in this order, and search nothing
 *        uapi --split FILE FOLDER   the inputs of a file `recent` as files, 00 the oldest one
 *        uapi --show INPUT          its operations
 */
#include <getopt.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "coverage.h"
#include "operations.h"
#include "seeds.h"

#define CORPUS_MAX	4096u
#define ROUNDS		20u
#define INPUT_SECONDS	3.0		/* then it begins no other operation … */
#define KILL_MS		30000		/* … and then it is killed */
#define BELL_US		50000		/* whatever sleeps is woken so often */
#define REPORT_SECONDS	30.0
#define RECENT		32u		/* slots in the file of that name */

/** struct shared - what the driver and its child tell each other */
struct shared {
	struct dirty dirty;		/* what all processes share */
	uint64_t operations;		/* executed */
	struct input input;		/* to be executed */
};

/** struct recent - a slot of the file: the input that was begun as number @number */
struct recent {
	uint64_t number;
	struct input input;
};

static struct input corpus[CORPUS_MAX];
static uint32_t corpus_count;
static struct shared *shared;
static const char *out = ".";
static int recent_fd, device;
static uint64_t executions, killed, state;

/* ---- files ---------------------------------------------------------- */

static uint64_t hash_of(const struct input *input)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < input->count * sizeof(struct op); i++)
		hash = (hash ^ ((const uint8_t *)input->ops)[i]) * 0x100000001b3ull;
	return hash;
}

static void input_save(const char *path, const struct input *input)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(input->ops, sizeof(struct op), input->count, file) != input->count)
		perror(path);
	if (file)
		fclose(file);
}

/* By its hash, in a folder of --out. */
static void input_save_in(const char *folder, const struct input *input)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%016llx", out, folder,
		 (unsigned long long)hash_of(input));
	input_save(path, input);
}

/* ---- execution ---------------------------------------------------------- */

static void bell(int number)
{
	(void)number;
}

/* Other privileges, or another process's end, are not undone. */
static bool lasts(const struct input *input)
{
	for (uint32_t i = 0; i < input->count; i++)
		if (input->ops[i].kind % OPS == OP_NOBODY)
			return true;
	return false;
}

static void child_execute(const struct input *input)
{
	static struct run run;
	double end = seconds_now() + INPUT_SECONDS;

	run_begin(&run, &shared->dirty);
	for (uint32_t i = 0; i < input->count && seconds_now() < end; i++) {
		op_run(&run, &input->ops[i]);
		coverage_collect();
		shared->operations++;
	}
	run_end(&run);
	coverage_collect();
}

static void child_main(int from, int to)
{
	struct itimerval often = { .it_interval.tv_usec = BELL_US, .it_value.tv_usec = BELL_US };
	struct sigaction action = { .sa_handler = bell };
	char byte;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGALRM, &action, NULL);
	coverage_own();
	setitimer(ITIMER_REAL, &often, NULL);
	for (;;) {
		n = read(from, &byte, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != 1)
			_exit(0);
		child_execute(&shared->input);
		while (write(to, &byte, 1) < 0 && errno == EINTR)
			;
		if (lasts(&shared->input))
			_exit(0);
	}
}

/* The process that executes inputs, one after the other; a new one when that does not end. */
static struct {
	pid_t pid;
	int to, from;
} child;

static void child_start(void)
{
	int to[2], from[2];

	CHECK(!pipe(to) && !pipe(from));
	child.pid = fork();
	CHECK(child.pid >= 0);
	if (!child.pid) {
		close(to[1]);
		close(from[0]);
		child_main(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	child.to = to[1];
	child.from = from[0];
}

static void child_end(void)
{
	kill(child.pid, SIGKILL);
	waitpid(child.pid, NULL, 0);
	close(child.to);
	close(child.from);
	child.pid = 0;
}

/* Returns how many places it was the first to reach. */
static uint32_t execute(const struct input *input)
{
	struct recent recent = { .number = ++executions, .input = *input };
	struct vgpu_device_info info;
	struct pollfd answer;
	char byte = 0;

	if (pwrite(recent_fd, &recent, sizeof(recent),
		   (off_t)(executions % RECENT * sizeof(recent))) != sizeof(recent))
		perror("uapi: recent");
	if (!child.pid)
		child_start();
	coverage->fresh = 0;
	shared->dirty = (struct dirty){};
	shared->input = *input;
	CHECK(write(child.to, &byte, 1) == 1);
	answer = (struct pollfd){ .fd = child.from, .events = POLLIN };
	if (poll(&answer, 1, KILL_MS) != 1 || read(child.from, &byte, 1) != 1) {
		child_end();
		killed++;
		input_save_in("slow", input);
	} else if (lasts(input)) {
		child_end();
	}
	dirty_restore(&shared->dirty);
	/* until the actor has done what the input left behind, so that it counts for this one */
	call(device, VGPU_IOC_DEVICE_INFO, &info);
	area_collect(remote_area, REMOTE_ENTRIES);
	return coverage->fresh;
}

/* ---- corpus ------------------------------------------------------------- */

static bool input_load(const char *path, struct input *input)
{
	FILE *file = fopen(path, "r");

	*input = (struct input){};
	if (!file)
		return false;
	input->count = (uint32_t)fread(input->ops, sizeof(struct op), OPS_MAX, file);
	fclose(file);
	return input->count > 0;
}

static void corpus_add(const struct input *input, bool save)
{
	if (corpus_count < CORPUS_MAX)
		corpus[corpus_count++] = *input;
	else
		corpus[rnd(&state) % CORPUS_MAX] = *input;
	if (save)
		input_save_in("corpus", input);
}

static void corpus_load(void)
{
	struct dirent **entries;
	char folder[300], path[600];
	struct input input;
	int count;

	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++) {
		input = seed_input(i);
		execute(&input);
		corpus_add(&input, false);
	}
	printf("# %zu seeds reach %u places\n", ARRAY_SIZE(seeds), coverage->count);
	fflush(stdout);
	snprintf(folder, sizeof(folder), "%s/corpus", out);
	count = scandir(folder, &entries, visible, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		/* what others have reached by now is not needed any more */
		if (input_load(path, &input) && execute(&input))
			corpus_add(&input, false);
		else
			unlink(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* ---- mutation ----------------------------------------------------------- */

static uint32_t below(uint32_t n)
{
	return (uint32_t)(rnd(&state) % n);
}

static uint32_t some_word(void)
{
	static const uint32_t words[] = { 0,	 1,	 2,	 3,	 4,	 7,	8,   15,
					  16,	 31,	 32,	 63,	 64,	 100,	255, 256,
					  0xfff, 0x1000, 0x1001, 0x3000, 0xffff, PARAMS };

	switch (below(8)) {
	case 0: return (uint32_t)rnd(&state);
	case 1: return 1u << below(32);
	case 2: return KIND(below(16)) | words[below(ARRAY_SIZE(words))];
	case 3: return KIND(below(16)) | below(4096);
	case 4: return below(64);
	default: return words[below(ARRAY_SIZE(words))];
	}
}

static uint8_t some_byte(void)
{
	switch (below(6)) {
	case 0: return (uint8_t)rnd(&state);
	case 1: return 0xff;
	case 2: return (uint8_t)(1u << below(8));
	case 3: return 0;
	default: return (uint8_t)below(8);
	}
}

/* Files that are open are more often used than others. */
static struct op some_op(void)
{
	struct op op = { .kind = (uint8_t)below(OPS) };

	/* what leads nowhere alone comes seldom, what everything needs often */
	if (below(3) == 0)
		op.kind = (uint8_t)(below(2) ? OP_COMMAND : OP_SUBMIT);
	if (below(4) == 0)
		op.a = (uint8_t)below(SLOTS);
	if (op.kind == OP_COMMAND || op.kind == OP_IMAGE_INSN)
		op.b = (uint8_t)rnd(&state);
	else if (below(2))
		op.b = some_byte();
	if (below(2))
		op.c = some_byte();
	op.x = some_word();
	op.y = some_word();
	op.z = some_word();
	return op;
}

static void ops_insert(struct input *input, uint32_t at, const struct op *ops, uint32_t count)
{
	count = count < OPS_MAX - input->count ? count : OPS_MAX - input->count;
	memmove(&input->ops[at + count], &input->ops[at], (input->count - at) * sizeof(*ops));
	memcpy(&input->ops[at], ops, count * sizeof(*ops));
	input->count += count;
}

static void ops_remove(struct input *input, uint32_t at, uint32_t count)
{
	count = count < input->count - at ? count : input->count - at;
	if (count == input->count)
		count--;
	memmove(&input->ops[at], &input->ops[at + count],
		(input->count - at - count) * sizeof(struct op));
	input->count -= count;
}

static void mutate_op(struct op *op)
{
	uint32_t *word = (uint32_t *[]){ &op->x, &op->y, &op->z }[below(3)];

	switch (below(8)) {
	case 0:
		op->a = some_byte();
		return;
	case 1:
		op->b = some_byte();
		return;
	case 2:
		op->b = (uint8_t)rnd(&state);
		return;
	case 3:
		op->c = some_byte();
		return;
	case 4:
		*word ^= 1u << below(32);
		return;
	case 5:
		*word += below(33) - 16;
		return;
	default:
		*word = some_word();
	}
}

static void mutate(struct input *input)
{
	uint32_t at = below(input->count), from;
	const struct input *other;
	struct op piece[OPS_MAX];
	struct op op;

	switch (below(10)) {
	case 0:
	case 1:
	case 2:
		op = some_op();
		ops_insert(input, below(input->count + 1), &op, 1);
		return;
	case 3:
		ops_remove(input, at, 1 + below(below(4) ? 1 : 4));
		return;
	case 4:
		from = 1 + below(4);
		from = from < input->count - at ? from : input->count - at;
		memcpy(piece, &input->ops[at], from * sizeof(op));
		ops_insert(input, below(input->count + 1), piece, from);
		return;
	case 5: /* a piece of another one */
		other = &corpus[below(corpus_count)];
		from = below(other->count);
		ops_insert(input, at, &other->ops[from], 1 + below(other->count - from));
		return;
	case 6:
		input->ops[at] = some_op();
		return;
	default:
		mutate_op(&input->ops[at]);
	}
}

static struct input some_input(void)
{
	/* the newest ones lead on */
	uint32_t newest = corpus_count < 64 ? corpus_count : 64;
	struct input input =
		corpus[below(2) ? corpus_count - 1 - below(newest) : below(corpus_count)];

	for (uint32_t times = 1 + below(4); times; times--)
		mutate(&input);
	return input;
}

/* ---- the driver --------------------------------------------------------- */

static void report(double seconds)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/places", out);
	coverage_write(path);
	printf("uapi: %.0f s, %llu executions, %llu operations, corpus %u, %u places", seconds,
	       (unsigned long long)executions, (unsigned long long)shared->operations, corpus_count,
	       coverage->count);
	printf(", %llu killed\n", (unsigned long long)killed);
	fflush(stdout);
}

static void search(double seconds)
{
	double begin = seconds_now(), next = REPORT_SECONDS, now;
	struct input input;

	corpus_load();
	report(seconds_now() - begin);
	while ((now = seconds_now() - begin) < seconds) {
		if (now > next) {
			report(now);
			next = now + REPORT_SECONDS;
		}
		input = some_input();
		if (execute(&input))
			corpus_add(&input, true);
	}
	report(now);
}

static void replay(char **files, int count)
{
	struct input input;

	for (uint32_t round = 0; round < ROUNDS; round++)
		for (int i = 0; i < count; i++) {
			if (!input_load(files[i], &input)) {
				fprintf(stderr, "uapi: %s: no input\n", files[i]);
				exit(2);
			}
			execute(&input);
		}
	printf("uapi: %d inputs, %u times each, %llu killed\n", count, ROUNDS,
	       (unsigned long long)killed);
}

/* ---- without a device --------------------------------------------------- */

static int split(const char *path, const char *folder)
{
	static struct recent slots[RECENT];
	FILE *file = fopen(path, "r");
	uint64_t newest = 0;
	char name[512];
	size_t count;

	if (!file) {
		perror(path);
		return 2;
	}
	count = fread(slots, sizeof(slots[0]), RECENT, file);
	fclose(file);
	for (size_t i = 0; i < count; i++)
		newest = slots[i].number > newest ? slots[i].number : newest;
	for (size_t i = 0; i < count; i++) {
		if (!slots[i].number || slots[i].input.count > OPS_MAX)
			continue;
		snprintf(name, sizeof(name), "%s/%02u", folder,
			 (unsigned int)(RECENT - 1 - (newest - slots[i].number)));
		input_save(name, &slots[i].input);
	}
	return 0;
}

static int show(const char *path)
{
	struct input input;

	if (!input_load(path, &input)) {
		perror(path);
		return 2;
	}
	for (uint32_t i = 0; i < input.count; i++) {
		const struct op *op = &input.ops[i];

		printf("%2u %-14s a %u b %u c 0x%02x x 0x%x y 0x%x z 0x%x\n", i,
		       op_names[op->kind % OPS], op->a % SLOTS, op->b, op->c, op->x, op->y, op->z);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "out", required_argument, NULL, 'o' },
		{ "seconds", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'r' },
		{ "split", no_argument, NULL, 'p' },
		{ "show", no_argument, NULL, 'w' },
		{},
	};
	double seconds = 600;
	char path[512];
	int option;

	state = (uint64_t)time(NULL);
	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'o':
			out = optarg;
			break;
		case 's':
			seconds = strtod(optarg, NULL);
			break;
		case 'r':
			state = strtoull(optarg, NULL, 0);
			break;
		case 'p':
			return optind + 2 == argc ? split(argv[optind], argv[optind + 1]) : 2;
		case 'w':
			return optind + 1 == argc ? show(argv[optind]) : 2;
		default: return 2;
		}
	}
	snprintf(path, sizeof(path), "%s/recent", out);
	recent_fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (recent_fd < 0) {
		perror(path);
		return 2;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	CHECK(shared != MAP_FAILED);
	coverage_start();
	device = must_open();
	files_begin();
	dirty_restore(&(struct dirty){ .knobs = ~0u, .config = true });
	if (optind < argc)
		replay(argv + optind, argc - optind);
	else
		search(seconds);
	return 0;
}
