// SPDX-License-Identifier: MIT
/*
 * Scrambled Sobol sequences of cuRAND: that the scrambling leaves what a digital net promises, that
 * generators of the host, of the device and a kernel's states give the same numbers, and the file
 * that replaces the tables (VGPU_CURAND_SCRAMBLE), whole and damaged.
 */
#include "common.h"
#include <curand.h>
#include <curand_kernel.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIMENSIONS 20000
#define VARIABLE "VGPU_CURAND_SCRAMBLE"

static void expect_status(int line, const char *what, curandStatus_t got, curandStatus_t want)
{
	if (got != want)
		mismatch("line %d, %s: got status %d, expected %d", line, what, got, want);
}
#define EXPECT_STATUS(call, want) expect_status(__LINE__, #call, call, want)
#define GOOD(call) EXPECT_STATUS(call, CURAND_STATUS_SUCCESS)

static curandGenerator_t create(bool on_host, int type, unsigned int dimensions,
				unsigned long long offset)
{
	curandGenerator_t generator = NULL;

	if (on_host)
		GOOD(curandCreateGeneratorHost(&generator, (curandRngType_t)type));
	else
		GOOD(curandCreateGenerator(&generator, (curandRngType_t)type));
	if (!generator)
		exit(finish());
	GOOD(curandSetQuasiRandomGeneratorDimensions(generator, dimensions));
	GOOD(curandSetGeneratorOffset(generator, offset));
	return generator;
}

/* The first 2^M points of each dimension are one in each of 2^M intervals; for smaller M, too. */
static void check_strata(unsigned int dimensions, unsigned int m)
{
	unsigned int points = 1u << m;
	unsigned int *out = (unsigned int *)malloc(sizeof(*out) * dimensions * points);
	unsigned char *seen = (unsigned char *)malloc(points);
	curandGenerator_t generator = create(true, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, dimensions,
					     0);

	GOOD(curandGenerate(generator, out, (size_t)dimensions * points));
	for (unsigned int i = 0; i < dimensions; i++)
		for (unsigned int k = 1; k <= m; k++) {
			unsigned int hit = 0;

			memset(seen, 0, points);
			for (unsigned int p = 0; p < 1u << k; p++) {
				unsigned int at = out[i * points + p] >> (32 - k);

				hit += !seen[at];
				seen[at] = 1;
			}
			if (hit != 1u << k)
				mismatch("dimension %u: %u of %u intervals are hit", i, hit,
					 1u << k);
		}
	GOOD(curandDestroyGenerator(generator));
	free(seen);
	free(out);
}

/* The first two dimensions are a (0, m, 2)-net: each elementary rectangle has one point. */
static void check_rectangles(unsigned int m)
{
	unsigned int points = 1u << m;
	unsigned int *out = (unsigned int *)malloc(sizeof(*out) * 2 * points);
	unsigned char *seen = (unsigned char *)malloc(points);
	curandGenerator_t generator = create(true, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, 2, 0);

	GOOD(curandGenerate(generator, out, 2 * points));
	for (unsigned int wide = 0; wide <= m; wide++) {
		unsigned int hit = 0;

		memset(seen, 0, points);
		for (unsigned int p = 0; p < points; p++) {
			unsigned long long x = (unsigned long long)out[p] << wide >> 32;
			unsigned long long y = (unsigned long long)out[points + p] << (m - wide) >>
					       32;
			unsigned int at = (unsigned int)(x << (m - wide) | y);

			hit += !seen[at];
			seen[at] = 1;
		}
		if (hit != points)
			mismatch("2^%u by 2^%u: %u of %u rectangles are hit", wide, m - wide, hit,
				 points);
	}
	GOOD(curandDestroyGenerator(generator));
	free(seen);
	free(out);
}

/* With one point in each of N intervals the mean of a dimension is within 1 / (2 N) of a half. */
static void check_means(void)
{
	const unsigned int dimensions = 300, points = 256;
	double *out = (double *)malloc(sizeof(*out) * dimensions * points);
	curandGenerator_t generator = create(true, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, dimensions,
					     0);

	GOOD(curandGenerateUniformDouble(generator, out, dimensions * points));
	for (unsigned int i = 0; i < dimensions; i++) {
		double sum = 0;

		for (unsigned int p = 0; p < points; p++)
			sum += out[i * points + p];
		if (!(fabs(sum / points - 0.5) <= 0.5 / points))
			mismatch("mean of dimension %u: %g", i, sum / points);
	}
	GOOD(curandDestroyGenerator(generator));
	free(out);
}

/*
 * The numbers of splitmix64 from seed 0 begin 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4. The first two
 * vectors of the first dimension are columns 0 and 1 of its matrix. The constants are the numbers
 * 65 d + 64.
 */
static void check_numbers(void)
{
	curandDirectionVectors32_t *vectors32 = NULL;
	curandDirectionVectors64_t *vectors64 = NULL;
	unsigned long long *constants64 = NULL, state = 0;
	unsigned int *constants32 = NULL;

	GOOD(curandGetDirectionVectors32(&vectors32,
					 CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
	GOOD(curandGetDirectionVectors64(&vectors64,
					 CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
	GOOD(curandGetScrambleConstants32(&constants32));
	GOOD(curandGetScrambleConstants64(&constants64));
	if (!vectors32 || !vectors64 || !constants32 || !constants64)
		exit(finish());
	EXPECT(vectors64[0][0] == (1ull << 63 | 0xe220a8397b1dcdafull >> 1));
	EXPECT(vectors64[0][1] == (1ull << 62 | 0x6e789e6aa1b965f4ull >> 2));
	for (unsigned int i = 0; i < DIMENSIONS; i++) {
		unsigned long long z = state += 65 * 0x9e3779b97f4a7c15ull;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ z >> 27) * 0x94d049bb133111ebull;
		z ^= z >> 31;
		if (constants64[i] != z || constants32[i] != z >> 32)
			mismatch("constant %u: got 0x%llx and 0x%x, expected 0x%llx", i,
				 constants64[i], constants32[i], z);
		for (unsigned int k = 0; k < 32; k++)
			if (vectors64[i][k] >> 32 != vectors32[i][k])
				mismatch("vector %u, %u: got 0x%llx and 0x%x", i, k,
					 vectors64[i][k], vectors32[i][k]);
	}
}

template <class T, class Generate>
static void compare(int type, double tolerance, const char *what, Generate generate)
{
	const unsigned int dimensions = 6, points = 37, count = dimensions * points;
	curandGenerator_t host = create(true, type, dimensions, 4294967280u);
	curandGenerator_t device = create(false, type, dimensions, 4294967280u);
	T ours[count], theirs[count], *memory;

	CHECK(cudaMalloc((void **)&memory, sizeof(ours)));
	for (int twice = 0; twice < 2; twice++) {
		GOOD(generate(host, ours, count));
		GOOD(generate(device, memory, count));
		CHECK(cudaMemcpy(theirs, memory, sizeof(ours), cudaMemcpyDeviceToHost));
		for (unsigned int i = 0; i < count; i++)
			if (!(fabs((double)ours[i] - (double)theirs[i]) <=
			      tolerance * (1 + fabs((double)ours[i]))))
				mismatch("type %d, %s %u: got %.17g and %.17g", type, what, i,
					 (double)ours[i], (double)theirs[i]);
	}
	CHECK(cudaFree(memory));
	GOOD(curandDestroyGenerator(host));
	GOOD(curandDestroyGenerator(device));
}

static void compare_all(int type)
{
	typedef curandGenerator_t G;

	if (type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
		compare<unsigned long long>(type, 0, "bits", curandGenerateLongLong);
	else
		compare<unsigned int>(type, 0, "bits", curandGenerate);
	compare<float>(type, 0, "uniform", curandGenerateUniform);
	compare<double>(type, 0, "uniform double", curandGenerateUniformDouble);
	compare<float>(type, 1e-6, "normal", [](G g, float *out, size_t n) {
		return curandGenerateNormal(g, out, n, 1, 2);
	});
	compare<double>(type, 1e-14, "normal double", [](G g, double *out, size_t n) {
		return curandGenerateNormalDouble(g, out, n, 1, 2);
	});
	compare<float>(type, 1e-6, "log-normal", [](G g, float *out, size_t n) {
		return curandGenerateLogNormal(g, out, n, 0, 0.5f);
	});
	compare<double>(type, 1e-14, "log-normal double", [](G g, double *out, size_t n) {
		return curandGenerateLogNormalDouble(g, out, n, 0, 0.5);
	});
	compare<unsigned int>(type, 0, "Poisson", [](G g, unsigned int *out, size_t n) {
		return curandGeneratePoisson(g, out, n, 12.5);
	});
}

static __global__ void kernel_states(unsigned int *vectors, unsigned int constant,
				     unsigned int *out)
{
	curandStateScrambledSobol32_t state;

	curand_init(vectors, constant, 9, &state);
	for (int i = 0; i < 5; i++)
		out[i] = curand(&state);
}

/* A kernel's sequence from the library's tables is that of the library's generators. */
static void check_kernel(void)
{
	curandGenerator_t generator = create(true, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, 4, 9);
	unsigned int *constants, *memory, want[4 * 5], got[5];
	curandDirectionVectors32_t *vectors;

	GOOD(curandGetDirectionVectors32(&vectors,
					 CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
	GOOD(curandGetScrambleConstants32(&constants));
	GOOD(curandGenerate(generator, want, 4 * 5));
	CHECK(cudaMalloc((void **)&memory, sizeof(*vectors) + sizeof(got)));
	CHECK(cudaMemcpy(memory, vectors[3], sizeof(*vectors), cudaMemcpyHostToDevice));
	kernel_states<<<1, 1>>>(memory, constants[3], memory + 32);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, memory + 32, sizeof(got), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 5; i++)
		if (got[i] != want[3 * 5 + i])
			mismatch("kernel [%d]: got 0x%x, expected 0x%x", i, got[i], want[15 + i]);
	CHECK(cudaFree(memory));
	GOOD(curandDestroyGenerator(generator));
}

static void check_refusals(void)
{
	curandGenerator_t generator = create(true, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, 3, 0);
	unsigned int out[6];

	EXPECT_STATUS(curandGenerate(generator, out, 6), CURAND_STATUS_TYPE_ERROR);
	EXPECT_STATUS(curandGenerateLongLong(generator, (unsigned long long *)out, 2),
		      CURAND_STATUS_LENGTH_NOT_MULTIPLE);
	EXPECT_STATUS(curandSetPseudoRandomGeneratorSeed(generator, 1), CURAND_STATUS_TYPE_ERROR);
	EXPECT_STATUS(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DEFAULT),
		      CURAND_STATUS_OUT_OF_RANGE);
	EXPECT_STATUS(curandSetQuasiRandomGeneratorDimensions(generator, 20001),
		      CURAND_STATUS_OUT_OF_RANGE);
	EXPECT_STATUS(curandGetScrambleConstants32(NULL), CURAND_STATUS_OUT_OF_RANGE);
	EXPECT_STATUS(curandGetScrambleConstants64(NULL), CURAND_STATUS_OUT_OF_RANGE);
	GOOD(curandDestroyGenerator(generator));
}

/* A file of tables: its header, then 32 bits: vectors, constants; 64 bits: vectors, constants. */
#define WORDS32 (DIMENSIONS * 33u)
#define WORDS64 (DIMENSIONS * 65u)
struct table_file {
	char magic[8];
	unsigned int dimensions, zero;
	unsigned long long checksum;
	unsigned int words32[WORDS32];
	unsigned long long words64[WORDS64];
};

static unsigned int word32_of(unsigned int i)
{
	return 2654435761u * i + 12345;
}

static unsigned long long word64_of(unsigned int i)
{
	return 0x9e3779b97f4a7c15ull * i + 54321;
}

static struct table_file *make_file(void)
{
	struct table_file *file = (struct table_file *)calloc(1, sizeof(*file));
	const unsigned int *words;

	memcpy(file->magic, "VGPUSCR1", 8);
	file->dimensions = DIMENSIONS;
	for (unsigned int i = 0; i < WORDS32; i++)
		file->words32[i] = word32_of(i);
	for (unsigned int i = 0; i < WORDS64; i++)
		file->words64[i] = word64_of(i);
	words = file->words32;
	file->checksum = 0xcbf29ce484222325ull;
	for (size_t i = 0; i < WORDS32 + 2 * WORDS64; i++)
		file->checksum = (file->checksum ^ words[i]) * 0x100000001b3ull;
	return file;
}

/* In a process whose VARIABLE names a good file: the tables are the file's. */
static int with_file(void)
{
	curandGenerator_t generator = create(true, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, DIMENSIONS,
					     1);
	static unsigned int out[2 * DIMENSIONS];
	unsigned long long *constants64 = NULL, number;
	curandDirectionVectors64_t *vectors64 = NULL;

	GOOD(curandGenerate(generator, out, 2 * DIMENSIONS));
	/* points 1 and 2 are constant ^ v[0] and constant ^ v[0] ^ v[1] */
	for (unsigned int i = 0; i < DIMENSIONS; i++) {
		unsigned int one = word32_of(DIMENSIONS * 32 + i) ^ word32_of(32 * i);

		if (out[2 * i] != one || out[2 * i + 1] != (one ^ word32_of(32 * i + 1)))
			mismatch("dimension %u: got 0x%x, 0x%x", i, out[2 * i], out[2 * i + 1]);
	}
	GOOD(curandDestroyGenerator(generator));
	GOOD(curandGetDirectionVectors64(&vectors64,
					 CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
	GOOD(curandGetScrambleConstants64(&constants64));
	if (!vectors64 || !constants64)
		return finish();
	EXPECT(vectors64[DIMENSIONS - 1][63] == word64_of(DIMENSIONS * 64 - 1));
	EXPECT(constants64[DIMENSIONS - 1] == word64_of(WORDS64 - 1));
	generator = create(true, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, 1, 0);
	GOOD(curandGenerateLongLong(generator, &number, 1));
	EXPECT(number == word64_of(DIMENSIONS * 64));
	GOOD(curandDestroyGenerator(generator));
	return finish();
}

/* In one whose VARIABLE names a bad file: nothing of scrambled sequences, all of the others. */
static int with_bad_file(void)
{
	curandDirectionVectors32_t *vectors32 = NULL;
	unsigned long long *constants64 = NULL;
	curandGenerator_t generator = NULL;

	for (int twice = 0; twice < 2; twice++)
		EXPECT_STATUS(curandCreateGeneratorHost(&generator,
							CURAND_RNG_QUASI_SCRAMBLED_SOBOL32),
			      CURAND_STATUS_INITIALIZATION_FAILED);
	EXPECT(!generator);
	EXPECT_STATUS(curandGetDirectionVectors32(&vectors32,
						  CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6),
		      CURAND_STATUS_INITIALIZATION_FAILED);
	EXPECT_STATUS(curandGetScrambleConstants64(&constants64),
		      CURAND_STATUS_INITIALIZATION_FAILED);
	GOOD(curandGetDirectionVectors32(&vectors32, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
	GOOD(curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_SOBOL32));
	GOOD(curandDestroyGenerator(generator));
	return finish();
}

/* This program again as MODE; what it says on stderr has to have WHY, once. */
static void run_with(const char *path, const char *mode, const char *why)
{
	char said[4096] = "", *first;
	int status, ends[2];
	size_t have = 0;
	ssize_t got;
	pid_t child;

	if (pipe(ends))
		exit(1);
	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		close(ends[0]);
		close(ends[1]);
		setenv(VARIABLE, path, 1);
		execl("/proc/self/exe", "scrambled", mode, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	while ((got = read(ends[0], said + have, sizeof(said) - 1 - have)) > 0)
		have += (size_t)got;
	close(ends[0]);
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		mismatch("%s with %s: status 0x%x; it said: %s", mode, why ? why : "a good file",
			 status, said);
	first = why ? strstr(said, VARIABLE) : NULL;
	if (why && (!first || !strstr(first, path) || !strstr(first, why) ||
		    strstr(first + 1, VARIABLE)))
		mismatch("a bad file: got '%s', expected one line with '%s'", said, why);
}

static void write_file(const char *path, const struct table_file *file, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, file, bytes) != (ssize_t)bytes || close(fd)) {
		mismatch("%s cannot be written", path);
		exit(finish());
	}
}

static void check_files(void)
{
	const char *folder = getenv("TMPDIR");
	struct table_file *file = make_file();
	char name[4096], path[4200];

	snprintf(name, sizeof(name), "%s/scrambled-XXXXXX", folder ? folder : "/tmp");
	if (!mkdtemp(name)) {
		mismatch("no folder %s", name);
		return;
	}
	snprintf(path, sizeof(path), "%s/tables", name);
	run_with(path, "--bad", "No such file");
	write_file(path, file, sizeof(*file));
	run_with(path, "--good", NULL);
	file->words64[777777] ^= 1ull << 40;
	write_file(path, file, sizeof(*file));
	run_with(path, "--bad", "its checksum is another");
	write_file(path, file, sizeof(*file) - 1);
	run_with(path, "--bad", "must have 13040024");
	file->dimensions--;
	write_file(path, file, sizeof(*file));
	run_with(path, "--bad", "must have 20000 dimensions");
	file->magic[7] = '2';
	write_file(path, file, sizeof(*file));
	run_with(path, "--bad", "must begin with VGPUSCR1");
	unlink(path);
	run_with(name, "--bad", "must be a regular file");
	if (!mkfifo(path, 0600))
		run_with(path, "--bad", "must be a regular file");
	unlink(path);
	rmdir(name);
	free(file);
}

int main(int argc, char **argv)
{
	test.name = "scrambled";
	if (argc == 2 && !strcmp(argv[1], "--good"))
		return with_file();
	if (argc == 2 && !strcmp(argv[1], "--bad"))
		return with_bad_file();
	parse_size(argc, argv, "scrambled", NULL, 0, 0, 0);
	unsetenv(VARIABLE);
	check_numbers();
	check_strata(DIMENSIONS, 5);
	check_strata(40, 11);
	check_rectangles(10);
	check_means();
	compare_all(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32);
	compare_all(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64);
	check_kernel();
	check_refusals();
	check_files();
	return finish();
}
