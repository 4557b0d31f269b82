// SPDX-License-Identifier: MIT
/*
 * random-cuda: write random CUDA programs, and compare what they left with what they must leave.
 */
#include "random.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DROPPED 64u

struct options {
	uint64_t seed;
	unsigned int first, count, classes, depth, show;
	bool ftz;
	const char *source, *results, *answers;
	unsigned int dropped[MAX_DROPPED], drops;
};

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
	va_list args;

	fputs("random-cuda: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

static void usage(FILE *out)
{
	fputs("usage: random-cuda [options] --write FILE.cu    write a program\n"
	      "       random-cuda [options] --check RESULTS    compare what it left with what it "
	      "must\n"
	      "  --seed N        the seed (1)\n"
	      "  --first N       number of the first kernel (0); a kernel is the same whatever "
	      "stands\n"
	      "                  beside it\n"
	      "  --count N       how many kernels (100)\n"
	      "  --class A,B...  what they may contain, or with -A what they may not (all):\n"
	      "                 ",
	      out);
	for (unsigned int c = 0; c < C_CLASSES; c++)
		fprintf(out, " %s", class_name[c]);
	fputs("\n  --ftz           for -ftz=true: single precision flushes subnormal numbers\n"
	      "  --depth N       operations in one another at most (4); 1 shows which one is "
	      "wrong\n"
	      "  --drop A,B...   leave out these statements, to make a kernel small\n"
	      "  --show N        report at most N kernels in full (3)\n"
	      "  --answers FILE  with --check: compare the hash of each kernel's values with "
	      "FILE's; where\n"
	      "                  it has none for these options, add them: so a GPU's answers are "
	      "kept\n"
	      "exit status: 0 all as expected, 1 wrong values, 2 something else\n",
	      out);
}

static unsigned int number(const char *name, const char *text)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 0);
	if (errno || end == text || *end || n > 100000000)
		die("--%s %s: must be a number", name, text);
	return (unsigned int)n;
}

static unsigned int classes_of(char *list)
{
	unsigned int set = 0, all = (1u << C_CLASSES) - 1, without = 0;

	for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		const char *name = word + (*word == '-');
		unsigned int c = 0;

		if (!strcmp(word, "all")) {
			set = all;
			continue;
		}
		while (c < C_CLASSES && strcmp(class_name[c], name))
			c++;
		if (c == C_CLASSES)
			die("no class '%s'; see --help", name);
		*(*word == '-' ? &without : &set) |= 1u << c;
	}
	return (set ? set : all) & ~without;
}

static struct kernel *kernel_of(const struct options *o, unsigned int n)
{
	struct kernel *k = kernel_generate(o->seed, n, o->classes, o->depth, o->ftz);

	for (unsigned int i = 0; i < o->drops; i++)
		kernel_drop(k, o->dropped[i]);
	return k;
}

/* ---- write -------------------------------------------------------------- */

#define PASTE(name) extern const char name##_start[], name##_end[]
PASTE(input_text);
PASTE(program_text);
__asm__(".pushsection .rodata\n"
	"input_text_start: .incbin \"tests/cuda/random/input.h\"\ninput_text_end: .byte 0\n"
	"program_text_start: .incbin \"tests/cuda/random/program.h\"\nprogram_text_end: .byte 0\n"
	".popsection");

static void write_program(const struct options *o, FILE *out)
{
	fprintf(out,
		"/*\n * Written by random-cuda: seed %llu, kernels %u to %u, classes %#x%s.\n"
		" * With a GPU's own compiler:\n"
		" * nvcc -arch=native --fmad=false%s\n */\n",
		(unsigned long long)o->seed, o->first, o->first + o->count - 1, o->classes,
		o->ftz ? ", flushing" : "", o->ftz ? " -ftz=true" : "");
	fwrite(input_text_start, 1, (size_t)(input_text_end - input_text_start), out);
	fwrite(program_text_start, 1, (size_t)(program_text_end - program_text_start), out);
	for (unsigned int n = o->first; n < o->first + o->count; n++) {
		struct kernel *k = kernel_of(o, n);

		fprintf(out, "static const unsigned char types%u[] = {", n);
		for (unsigned int i = 0; i < k->inputs; i++)
			fprintf(out, " %u,", k->var[i]);
		fprintf(out, " };\n");
		print_kernel(out, k);
		kernel_free(k);
	}
	fprintf(out, "static const entry kernels[] = {\n");
	for (unsigned int n = o->first; n < o->first + o->count; n++) {
		struct kernel *k = kernel_of(o, n);

		fprintf(out, "\t{ %u, launch%u, %lluull, %u, %u, %u, %u, %u, types%u },\n", n, n,
			(unsigned long long)k->seed, k->threads, k->rows, k->vars, k->inputs,
			k->mem_words, n);
		kernel_free(k);
	}
	fprintf(out, "};\n\n");
	fwrite(program_text_start, 1, (size_t)(program_text_end - program_text_start), out);
}

/* ---- check -------------------------------------------------------------- */

static uint64_t canonical(enum type type, uint64_t value)
{
	return is_float(type) && value == truncated(type, value) && soft_is_nan(type, value)
		       ? soft_nan(type)
		       : value;
}

static void print_value(enum type type, uint64_t value)
{
	printf("%#llx", (unsigned long long)value);
	if (is_float(type))
		printf(" (%.17g)", soft_value(type, value));
	else if (bits_of(type) == 64 || is_signed(type))
		printf(" (%lld)", (long long)int_value(type, value));
}

static void print_operands(const struct kernel *k, const struct expr *e, const uint64_t *want,
			   bool *seen)
{
	if (!e)
		return;
	if (e->kind == E_VAR && !seen[e->var]) {
		seen[e->var] = true;
		printf("      v%u at the end: ", e->var);
		print_value(e->type, want[e->var * k->threads]);
		putchar('\n');
	}
	for (unsigned int i = 0; i < 3 && e->kind == E_OP; i++)
		print_operands(k, e->arg[i], want, seen);
}

/* The first statement that writes a wrong variable; its variable. */
static const struct statement *first_wrong(const struct statement *s, const bool *wrong,
					   unsigned int *var)
{
	for (; s; s = s->next) {
		const struct statement *found;

		if (!s->dropped && (s->dst < MAX_VARS && wrong[s->dst])) {
			*var = s->dst;
			return s;
		}
		if (!s->dropped && s->result < MAX_VARS && wrong[s->result]) {
			*var = s->result;
			return s;
		}
		found = first_wrong(s->body, wrong, var);
		if (!found)
			found = first_wrong(s->other, wrong, var);
		if (found)
			return found;
	}
	return NULL;
}

static void report(const struct kernel *k, const uint64_t *got, const uint64_t *want)
{
	bool wrong[MAX_VARS] = {false}, seen[MAX_VARS] = {false};
	size_t n = (size_t)k->rows * k->vars * k->threads, bad = 0;
	unsigned int var = 0;
	const struct statement *s;

	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i]) {
			bad++;
			wrong[i / k->threads % k->vars] = true;
		}
	s = first_wrong(k->body, wrong, &var);
	printf("  %zu of %zu values are wrong, in", bad, n);
	for (unsigned int i = 0; i < k->vars; i++)
		if (wrong[i])
			printf(" v%u", i);
	putchar('\n');
	while (!wrong[var])
		var++;
	bad = 0;
	for (unsigned int row = 0; row < k->rows; row++)
		for (unsigned int t = 0; t < k->threads; t++) {
			size_t at = ((size_t)row * k->vars + var) * k->threads + t;

			if (got[at] == want[at] || bad++ >= 4)
				continue;
			printf("    row %u thread %u: v%u is ", row, t, var);
			print_value(k->var[var], got[at]);
			printf(", expected ");
			print_value(k->var[var], want[at]);
			putchar('\n');
			if (bad == 1 && s)
				for (unsigned int i = 0; i < 5; i++)
					print_operands(k, s->e[i],
						       want + (size_t)row * k->vars * k->threads +
							       t,
						       seen);
		}
	print_writers(stdout, k, var);
}

static uint32_t hash(const uint64_t *values, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ values[i]) * 0x100000001b3ull;
		h ^= h >> 29;
	}
	return (uint32_t)(h ^ h >> 32);
}

/* What the kernels are made of: answers of another generator's program are not of this one. */
static uint32_t hash_of_source(const struct options *o)
{
	uint64_t h = 0xcbf29ce484222325ull;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("%s", strerror(errno));
	write_program(o, out);
	fclose(out);
	for (size_t i = 0; i < size; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3ull;
	free(text);
	return (uint32_t)(h ^ h >> 32);
}

/* A line for each set: its options, the program's hash, then a hash for each kernel. */
static bool compare_answers(const struct options *o, const uint32_t *hashes)
{
	unsigned long long seed;
	unsigned int first, count, classes, ftz, source, mine = hash_of_source(o);
	FILE *file = fopen(o->answers, "r");
	bool same = true;

	while (file && fscanf(file, " %llu %u %u %x %u %x:", &seed, &first, &count, &classes, &ftz,
			      &source) == 6) {
		bool this = seed == o->seed && first == o->first && count == o->count &&
			    classes == o->classes && ftz == o->ftz;

		if (this && source != mine)
			die("%s is of another generator: take its line out and record it again",
			    o->answers);
		for (unsigned int i = 0; i < count; i++) {
			unsigned int answer;

			if (fscanf(file, "%x", &answer) != 1)
				die("%s: a hash is missing", o->answers);
			if (this && answer != hashes[i]) {
				printf("kernel %u: hash %08x, recorded %08x\n", first + i,
				       hashes[i], answer);
				same = false;
			}
		}
		if (this) {
			fclose(file);
			return same;
		}
	}
	if (file)
		fclose(file);
	file = fopen(o->answers, "a");
	if (!file)
		die("%s: %s", o->answers, strerror(errno));
	fprintf(file, "%llu %u %u %x %u %08x:", (unsigned long long)o->seed, o->first, o->count,
		o->classes, o->ftz, mine);
	for (unsigned int i = 0; i < o->count; i++)
		fprintf(file, "%s%08x", i % 16 ? " " : "\n", hashes[i]);
	fprintf(file, "\n");
	if (fclose(file))
		die("%s: %s", o->answers, strerror(errno));
	printf("recorded in %s\n", o->answers);
	return true;
}

static bool check(const struct options *o)
{
	FILE *file = fopen(o->results, "rb");
	uint32_t *hashes = calloc(o->count, sizeof(*hashes));
	unsigned int wrong = 0;
	bool same = true;

	if (!file || !hashes)
		die("%s: %s", o->results, strerror(errno));
	for (unsigned int i = 0; i < o->count; i++) {
		struct kernel *k = kernel_of(o, o->first + i);
		size_t n = (size_t)k->rows * k->vars * k->threads;
		uint64_t *want = malloc(n * 8), *got = malloc(n * 8), head[2];

		if (!want || !got)
			die("no memory");
		if (fread(head, 8, 2, file) != 2 || head[0] != k->number ||
		    fread(got, 8, n, file) != n)
			die("%s ends at kernel %u, or is of another program", o->results,
			    k->number);
		kernel_evaluate(k, want);
		for (size_t j = 0; j < n; j++) {
			enum type type = k->var[j / k->threads % k->vars];

			got[j] = canonical(type, got[j]);
			want[j] = canonical(type, want[j]);
		}
		hashes[i] = hash(got, n);
		if (!head[1] || memcmp(want, got, n * 8)) {
			if (wrong++ < o->show) {
				printf("seed %llu kernel %u%s (%u threads, classes",
				       (unsigned long long)o->seed, k->number,
				       o->ftz ? " --ftz" : "", k->threads);
				for (unsigned int c = 0; c < C_CLASSES; c++)
					if (k->classes >> c & 1)
						printf(" %s", class_name[c]);
				printf(")%s\n", head[1] ? "" : " ended with an error");
				if (head[1])
					report(k, got, want);
			} else {
				printf("seed %llu kernel %u%s%s\n", (unsigned long long)o->seed,
				       k->number, o->ftz ? " --ftz" : "",
				       head[1] ? "" : " ended with an error");
			}
		}
		free(want);
		free(got);
		kernel_free(k);
	}
	fclose(file);
	if (o->answers)
		same = compare_answers(o, hashes);
	free(hashes);
	printf("%u kernels, %u wrong\n", o->count, wrong);
	return !wrong && same;
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{"seed", required_argument, NULL, 's'},
		{"first", required_argument, NULL, 'f'},
		{"count", required_argument, NULL, 'n'},
		{"class", required_argument, NULL, 'c'},
		{"ftz", no_argument, NULL, 'z'},
		{"drop", required_argument, NULL, 'd'},
		{"depth", required_argument, NULL, 'p'},
		{"show", required_argument, NULL, 'v'},
		{"answers", required_argument, NULL, 'a'},
		{"write", required_argument, NULL, 'w'},
		{"check", required_argument, NULL, 'r'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct options o = {
		.seed = 1, .count = 100, .depth = 4, .classes = (1u << C_CLASSES) - 1, .show = 3};
	int c;

	while ((c = getopt_long(argc, argv, "h", names, NULL)) != -1) {
		switch (c) {
		case 's':
			o.seed = number("seed", optarg);
			break;
		case 'f':
			o.first = number("first", optarg);
			break;
		case 'n':
			o.count = number("count", optarg);
			break;
		case 'c':
			o.classes = classes_of(optarg);
			break;
		case 'z':
			o.ftz = true;
			break;
		case 'd':
			for (char *word = strtok(optarg, ","); word && o.drops < MAX_DROPPED;
			     word = strtok(NULL, ","))
				o.dropped[o.drops++] = number("drop", word);
			break;
		case 'p':
			o.depth = number("depth", optarg);
			break;
		case 'v':
			o.show = number("show", optarg);
			break;
		case 'a':
			o.answers = optarg;
			break;
		case 'w':
			o.source = optarg;
			break;
		case 'r':
			o.results = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc || !o.source == !o.results || !o.count) {
		usage(stderr);
		return 2;
	}
	if (o.source) {
		FILE *out = fopen(o.source, "w");

		if (!out)
			die("%s: %s", o.source, strerror(errno));
		write_program(&o, out);
		if (fclose(out))
			die("%s: %s", o.source, strerror(errno));
		return 0;
	}
	return check(&o) ? 0 : 1;
}
