/* SPDX-License-Identifier: MIT */
/*
 * device_printf: printf() in kernels: every conversion, strings in all memories, what it returns,
 * when it is printed and in which order, streams, a buffer that is too small and its limit. What is
 * printed is compared with what the C library of the host prints.
 */
#include "../common.h"

#include <unistd.h>

#define MB ((size_t)1 << 20)

__device__ char in_global[] = "global string";
__constant__ char in_constant[] = "constant";
__device__ int returned[8];

/* ---- what was printed ---------------------------------------------------- */

static char printed[8 << 20];
static int real_stdout = -1;
static FILE *captured;

static void capture(void)
{
	fflush(stdout);
	real_stdout = dup(1);
	captured = tmpfile();
	if (real_stdout < 0 || !captured || dup2(fileno(captured), 1) < 0) {
		fprintf(stderr, "no file for what is printed\n");
		exit(1);
	}
}

/* Up to now; stdout is the real one again. */
static size_t captured_bytes(void)
{
	size_t bytes;

	fflush(stdout);
	dup2(real_stdout, 1);
	close(real_stdout);
	real_stdout = -1;
	rewind(captured);
	bytes = fread(printed, 1, sizeof(printed) - 1, captured);
	printed[bytes] = 0;
	fclose(captured);
	return bytes;
}

/* The program ends early: what it had to say is not lost. */
static void show_captured(void)
{
	if (real_stdout < 0)
		return;
	captured_bytes();
	fputs(printed, stdout);
	fflush(stdout);
}

static void expect_printed(const char *what, const char *want)
{
	captured_bytes();
	if (strcmp(printed, want))
		mismatch("%s: got \"%.200s\", expected \"%.200s\"", what, printed, want);
}

/* ---- conversions --------------------------------------------------------- */

__global__ void print_integers(int n, long long wide)
{
	printf("%d %i %5d|%-5d|%05d|%+d|% d|%.4d\n", n, -n, n, n, n, n, n, n);
	printf("%u %o %x %X %#x %#o\n", n, n, n * 11, n * 11, n, n);
	printf("%lld %ld %llu %lx %zu %jd %td\n", wide, (long)-wide, (unsigned long long)-1,
	       (long)wide, sizeof(n), (long long)n, (long long)-n);
	printf("%hd %hu %hhd %hhu\n", (short)-n, (unsigned short)-n, (char)-n, (unsigned char)-n);
	printf("%c%c%c %3c|%-3c|%%|%5%|\n", 'a', 'b' + n, '0', 'x', 'y');
	printf("%*d|%-*d|%.*d|%*.*d\n", 6, n, 6, n, 3, n, -8, 3, n);
}

static void host_integers(char *to, int n, long long wide)
{
	to += sprintf(to, "%d %i %5d|%-5d|%05d|%+d|% d|%.4d\n", n, -n, n, n, n, n, n, n);
	to += sprintf(to, "%u %o %x %X %#x %#o\n", n, n, n * 11, n * 11, n, n);
	to += sprintf(to, "%lld %ld %llu %lx %zu %lld %lld\n", wide, (long)-wide,
		      (unsigned long long)-1, (long)wide, sizeof(n), (long long)n, (long long)-n);
	to += sprintf(to, "%hd %hu %hhd %hhu\n", (short)-n, (unsigned short)-n, (signed char)-n,
		      (unsigned char)-n);
	/* a width in %% is no conversion, and printed as it is */
	to += sprintf(to, "%c%c%c %3c|%-3c|%%|%%5%%|\n", 'a', 'b' + n, '0', 'x', 'y');
	to += sprintf(to, "%*d|%-*d|%.*d|%*.*d\n", 6, n, 6, n, 3, n, -8, 3, n);
}

__global__ void print_reals(float single, double real, void *pointer)
{
	printf("%f %lf %.0f %.10f %12.3f|%-12.3f|%+g\n", single, real, real, real, real, real,
	       real);
	printf("%e %E %g %G %a %A\n", single, real, real * 1e20, real / 1e20, real, real);
	printf("%f %e %g %f\n", 1.0 / (single - single), -1.0 / (single - single), -0.0, 0.0);
	printf("%p %20p %p\n", pointer, pointer, (void *)0);
	/* 4 and 8 bytes in turns: each argument is at a multiple of its size */
	printf("%d %f %d %lld %c %s %d\n", 1, 2.5, 3, 4ll, '5', "six", 7);
}

static void host_reals(char *to, float single, double real, void *pointer)
{
	to += sprintf(to, "%f %lf %.0f %.10f %12.3f|%-12.3f|%+g\n", single, real, real, real, real,
		      real, real);
	to += sprintf(to, "%e %E %g %G %a %A\n", single, real, real * 1e20, real / 1e20, real,
		      real);
	to += sprintf(to, "inf -inf -0 0.000000\n");
	to += sprintf(to, "%p %20p %p\n", pointer, pointer, (void *)0);
	to += sprintf(to, "%d %f %d %lld %c %s %d\n", 1, 2.5, 3, 4ll, '5', "six", 7);
}

static void check_conversions(void)
{
	char want[4096];

	for (int n = -3; n <= 4; n += 7) {
		capture();
		print_integers<<<1, 1>>>(n, 1234567890123456789ll);
		CHECK_LAUNCH();
		host_integers(want, n, 1234567890123456789ll);
		expect_printed("integers", want);
		capture();
		print_reals<<<1, 1>>>(n + 0.25f, n / 3.0, (void *)0x7f0012345678);
		CHECK_LAUNCH();
		host_reals(want, n + 0.25f, n / 3.0, (void *)0x7f0012345678);
		expect_printed("reals", want);
	}
}

/* ---- strings ------------------------------------------------------------- */

__global__ void print_strings(const char *other)
{
	__shared__ char in_shared[16];
	char in_local[24];

	for (int i = 0; i < 23; i++)
		in_local[i] = (char)('a' + i % 26);
	in_local[23] = 0;
	for (int i = 0; i < 4; i++)
		in_shared[i] = (char)('0' + i);
	in_shared[4] = 0;
	printf("%s, %s, %s, %s, %s, %s\n", in_global, in_constant, in_shared, in_local, other,
	       "literal");
	printf("%10s|%-10s|%.3s|%10.3s|%-*.*s|%s|%s\n", in_constant, in_constant, in_constant,
	       in_constant, 12, 2, in_constant, "", (const char *)0);
	/* a format that is no literal */
	printf(in_local);
	printf("\n");
	printf(other);
}

static void check_strings(void)
{
	static const char text[] = "a string of the program\n";
	char *dev = device_from(text, sizeof(text));

	capture();
	print_strings<<<1, 1>>>(dev);
	CHECK_LAUNCH();
	expect_printed("strings",
		       "global string, constant, 0123, abcdefghijklmnopqrstuvw, "
		       "a string of the program\n, literal\n"
		       "  constant|constant  |con|       con|co          ||(null)\n"
		       "abcdefghijklmnopqrstuvw\na string of the program\n");
	CHECK(cudaFree(dev));
}

/* ---- results and formats that are wrong ---------------------------------- */

__global__ void print_results(void)
{
	returned[0] = printf("nothing\n");
	returned[1] = printf("%d %s %%\n", 1, "two");
	returned[2] = printf((const char *)0);
	returned[3] = printf("%*d\n", 3, 1);
	returned[4] = printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d "
			     "%d %s\n",
			     0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2,
			     3, 4, 5, 6, 7, 8, 9, 0, 1, 2, "3");
}

__global__ void print_wrong(const char *formats, int count)
{
	for (int i = 0; i < count; i++) {
		printf(formats, i);
		while (*formats++)
			;
	}
}

static void check_results(void)
{
	static const char formats[] =
		"%\0%y %d\n\0%n\n\0%%%\n\0%5\n\0%d %\n\0%.\n\0%999999999999d\n";
	static const int want[5] = { 0, 2, -1, 2, 32 };
	char *dev = device_from(formats, sizeof(formats)), wide[4200];
	int got[8];

	capture();
	print_results<<<1, 1>>>();
	CHECK_LAUNCH();
	expect_printed("results",
		       "nothing\n1 two %\n  1\n01234567890123456789012345678901 %d %s\n");
	CHECK(cudaMemcpyFromSymbol(got, returned, sizeof(got)));
	compare_exact("returned", got, want, 5);
	capture();
	print_wrong<<<1, 1>>>(dev, 8);
	CHECK_LAUNCH();
	/* the widest that is printed has 4095 characters */
	sprintf(wide, "%%%%y 1\n%%n\n%%%%\n%%5\n5 %%\n%%.\n%4095d\n", 7);
	expect_printed("wrong formats", wide);
	CHECK(cudaFree(dev));
}

/* ---- when ---------------------------------------------------------------- */

__global__ void print_number(int n)
{
	printf("%d\n", n);
}

/* Every one of these prints what ran before it, and output of the host stays in its place. */
static void check_times(void)
{
	cudaStream_t first, second;
	cudaEvent_t event;
	int *dev = device_new<int>(1), host = 0;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&event));
	capture();
	printf("host\n");
	print_number<<<1, 1>>>(1);
	CHECK(cudaDeviceSynchronize());
	printf("host\n");
	print_number<<<1, 1, 0, first>>>(2);
	CHECK(cudaStreamSynchronize(first));
	printf("host\n");
	print_number<<<1, 1, 0, second>>>(3);
	CHECK(cudaEventRecord(event, second));
	CHECK(cudaEventSynchronize(event));
	printf("host\n");
	print_number<<<1, 1>>>(4);
	CHECK(cudaMemcpy(&host, dev, sizeof(host), cudaMemcpyDeviceToHost));
	printf("host\n");
	print_number<<<1, 1>>>(5);
	print_number<<<1, 1>>>(6);
	printf("host\n");
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaDeviceSynchronize());
	expect_printed("times", "host\n1\nhost\n2\nhost\n3\nhost\n4\nhost\nhost\n5\n6\n");
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFree(dev));
}

/* ---- many threads -------------------------------------------------------- */

__global__ void print_thread(int lines)
{
	for (int i = 0; i < lines; i++)
		if ((threadIdx.x + i) % 3)
			printf("block %d thread %d line %d\n", blockIdx.x, threadIdx.x, i);
		else
			printf("%s", "third\n");
}

static void check_threads(void)
{
	enum { BLOCKS = 7, THREADS = 70, LINES = 5 };
	static char seen[BLOCKS][THREADS][LINES];
	int thirds = 0, wrong = 0, want_thirds = 0;
	int b, t, i;

	capture();
	print_thread<<<BLOCKS, THREADS>>>(LINES);
	CHECK_LAUNCH();
	captured_bytes();
	for (char *line = strtok(printed, "\n"); line; line = strtok(NULL, "\n")) {
		if (!strcmp(line, "third"))
			thirds++;
		else if (sscanf(line, "block %d thread %d line %d", &b, &t, &i) == 3 && b >= 0 &&
			 b < BLOCKS && t >= 0 && t < THREADS && i >= 0 && i < LINES)
			seen[b][t][i]++;
		else
			wrong++;
	}
	for (b = 0; b < BLOCKS; b++)
		for (t = 0; t < THREADS; t++)
			for (i = 0; i < LINES; i++) {
				want_thirds += !((t + i) % 3);
				wrong += seen[b][t][i] != !!((t + i) % 3);
			}
	expect_same("wrong lines", 0, wrong, 0);
	expect_same("short lines", 0, thirds, want_thirds);
}

/* ---- the buffer ---------------------------------------------------------- */

__global__ void print_much(int lines)
{
	for (int i = 0; i < lines; i++)
		printf("line %d\n", i);
}

__global__ void print_long(const char *string)
{
	returned[0] = printf("%s\n", string);
	returned[1] = printf("short\n");
}

/* The newest output is kept: the last lines, without a gap. */
static void check_full(void)
{
	enum { LINES = 1000, BYTES = 8192, LONG = 3000 };
	static char text[LONG + 1];
	int first = -1, next = -1, line, got[2];
	size_t limit = 0;
	char *dev;

	CHECK(cudaDeviceReset());
	CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
	expect_same("default limit", 0, (unsigned long long)limit, (unsigned long long)MB);
	CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, BYTES));
	CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
	expect_same("limit", 0, (unsigned long long)limit, (unsigned long long)BYTES);
	capture();
	print_much<<<1, 1>>>(LINES);
	CHECK_LAUNCH();
	captured_bytes();
	for (char *at = strtok(printed, "\n"); at; at = strtok(NULL, "\n")) {
		EXPECT(sscanf(at, "line %d", &line) == 1);
		if (first < 0)
			first = line;
		else
			expect_same("next line", next, line, next);
		next = line + 1;
	}
	expect_same("behind the last line", 0, next, (int)LINES);
	EXPECT(first > LINES / 2 && first < LINES - 50);
	EXPECT_ERROR(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, MB), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
	/* what takes more than a quarter is not printed */
	memset(text, 'x', LONG);
	dev = device_from(text, sizeof(text));
	capture();
	print_long<<<1, 1>>>(dev);
	CHECK_LAUNCH();
	expect_printed("long string", "short\n");
	CHECK(cudaMemcpyFromSymbol(got, returned, sizeof(got)));
	expect_same("returned", 0, got[0], -2);
	expect_same("returned", 1, got[1], 0);
	CHECK(cudaDeviceReset());
	CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
	expect_same("limit after a reset", 0, (unsigned long long)limit, (unsigned long long)MB);
}

/* ---- the end ------------------------------------------------------------- */

__global__ void print_then_fail(int *nowhere)
{
	printf("thread %d\n", threadIdx.x);
	__syncthreads();
	if (threadIdx.x == 2)
		*nowhere = 1;
	printf("never\n");
}

/* A device inside the process keeps what a kernel has printed before it fails. */
static void check_fault(void)
{
	const char *transport = getenv("VGPU_TRANSPORT");

	capture();
	print_then_fail<<<1, 4>>>((int *)64);
	EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	if (transport && !strcmp(transport, "embedded"))
		expect_printed("before a fault", "thread 0\nthread 1\nthread 2\nthread 3\n");
	else
		captured_bytes();
	CHECK(cudaDeviceReset());
	capture();
	print_number<<<1, 1>>>(7);
	CHECK(cudaDeviceReset());
	expect_printed("a reset", "7\n");
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "device_printf", NULL, 0, 0, 0);
	atexit(show_captured);
	check_conversions();
	check_strings();
	check_results();
	check_times();
	check_threads();
	check_full();
	check_fault();
	return finish();
}
