/* SPDX-License-Identifier: MIT */
/*
 * host_memory: kernels use pinned memory of the host in place, allocated or registered, at the same
 * address; copies, fills and atomics of it, also while threads of the host use it; flags, and what
 * is refused. Where the device cannot do that, what remains of pinned memory.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../common.h"

#define N 3000

struct list {
	list *next;
	int value;
};

__global__ void add(int *a, const int *b, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		a[i] += b[i];
}

__global__ void sum(const list *head, int *total)
{
	for (; head; head = head->next)
		*total += head->value;
}

__global__ void count_up(unsigned int *counter, unsigned long long *wide, float *real, int rounds)
{
	for (int n = 0; n < rounds; n++) {
		atomicInc_system(counter, ~0u);
		atomicAdd_system(wide, 1ull);
		atomicAdd_system(real, 1.0f);
	}
}

__global__ void answer(volatile int *question, volatile int *reply)
{
	while (!*question)
		;
	*reply = *question + 1;
}

__global__ void late(int *where, int loops)
{
	volatile int n = loops;

	while (n)
		n = n - 1;
	*where = 1;
}

/* ---- values ------------------------------------------------------------- */

/* @b is added to @a, which holds i, as often as there are rounds */
static void check_add(const char *what, int *a, int *b, int n)
{
	for (int i = 0; i < n; i++) {
		a[i] = i;
		b[i] = 5;
	}
	for (int round = 1; round <= 2; round++) {
		add<<<3, 128>>>(a, b, n);
		CHECK_LAUNCH();
		for (int i = 0; i < n; i++)
			expect_same(what, i, a[i], i + 5 * round);
		b[n / 2] = 5;
	}
}

static void allocated(void)
{
	static const unsigned int flags[] = {
		cudaHostAllocDefault, cudaHostAllocPortable, cudaHostAllocMapped,
		cudaHostAllocWriteCombined, cudaHostAllocPortable | cudaHostAllocMapped,
	};
	unsigned int found;
	int *a, *b, *device;

	for (unsigned int n = 0; n < sizeof(flags) / sizeof(flags[0]); n++) {
		CHECK(cudaHostAlloc((void **)&a, N * sizeof(int), flags[n]));
		CHECK(cudaMallocHost((void **)&b, N * sizeof(int)));
		EXPECT(a[0] == 0 && b[N - 1] == 0);
		CHECK(cudaHostGetFlags(&found, a + 7));
		EXPECT((found & flags[n]) == flags[n]);
		CHECK(cudaHostGetDevicePointer((void **)&device, a + 7, 0));
		EXPECT(device == a + 7);
		check_add("allocated", a, b, N);
		CHECK(cudaFreeHost(a));
		CHECK(cudaFreeHost(b));
	}
}

/* At an odd place of the heap, of the program's variables and of the stack */
static void registered(void)
{
	static int fixed[N];
	int local[N], *heap = (int *)host_alloc((N + 3) * sizeof(int)), *device;
	unsigned int found;

	CHECK(cudaHostRegister(heap + 3, N * sizeof(int), cudaHostRegisterDefault));
	CHECK(cudaHostRegister(fixed, sizeof(fixed), cudaHostRegisterMapped));
	CHECK(cudaHostRegister(local, sizeof(local), cudaHostRegisterPortable));
	CHECK(cudaHostGetDevicePointer((void **)&device, heap + 3, 0));
	EXPECT(device == heap + 3);
	CHECK(cudaHostGetFlags(&found, fixed + 9));
	EXPECT(found & cudaHostRegisterMapped);
	check_add("heap, variables", heap + 3, fixed, N);
	check_add("variables, stack", fixed, local, N);
	check_add("stack, heap", local, heap + 3, N);
	CHECK(cudaHostUnregister(heap + 3));
	CHECK(cudaHostUnregister(fixed));
	CHECK(cudaHostUnregister(local));
	free(heap);
}

static void pointers(void)
{
	list *nodes, *head = NULL;
	int *total;

	CHECK(cudaMallocHost((void **)&nodes, 300 * sizeof(*nodes)));
	CHECK(cudaHostAlloc((void **)&total, sizeof(*total), cudaHostAllocMapped));
	for (int i = 0; i < 300; i++) {
		nodes[i].next = head;
		nodes[i].value = i + 1;
		head = &nodes[i];
	}
	sum<<<1, 1>>>(head, total);
	CHECK_LAUNCH();
	expect_same("list", 0, *total, 300 * 301 / 2);
	CHECK(cudaFreeHost(nodes));
	CHECK(cudaFreeHost(total));
}

/* Ranges in one page: each is usable until it is unregistered, whatever becomes of the others. */
static void one_page(void)
{
	int *page = (int *)mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int *first = page, *second = page + 100, *third = page + 300;
	int *all[3] = { first, second, third };

	for (int gone = 0; gone < 3; gone++) {
		CHECK(cudaHostRegister(first, 100 * sizeof(int), cudaHostRegisterDefault));
		CHECK(cudaHostRegister(third, 4096, cudaHostRegisterDefault));
		CHECK(cudaHostRegister(second, 200 * sizeof(int), cudaHostRegisterDefault));
		check_add("one page", first, second, 100);
		check_add("one page", third, second, 200);
		CHECK(cudaHostUnregister(all[gone]));
		check_add("two in one page", all[(gone + 1) % 3], all[(gone + 2) % 3], 50);
		CHECK(cudaHostUnregister(all[(gone + 1) % 3]));
		check_add("one in one page", all[(gone + 2) % 3], all[(gone + 2) % 3] + 50, 50);
		CHECK(cudaHostUnregister(all[(gone + 2) % 3]));
	}
	munmap(page, 2 * 4096);
}

/* It belongs to all devices, also those that are first used afterwards. */
static void all_devices(void)
{
	int *a, *b, count = 0;

	CHECK(cudaGetDeviceCount(&count));
	CHECK(cudaHostAlloc((void **)&a, N * sizeof(int), cudaHostAllocPortable));
	CHECK(cudaHostAlloc((void **)&b, N * sizeof(int), cudaHostAllocPortable));
	for (int device = count; device--;) {
		CHECK(cudaSetDevice(device));
		check_add("devices", a, b, N);
	}
	CHECK(cudaFreeHost(a));
	CHECK(cudaFreeHost(b));
}

/* ---- copies and fills --------------------------------------------------- */

static void copies(void)
{
	int *pinned, *other, *device, *managed, plain[N];
	cudaStream_t stream;

	CHECK(cudaMallocHost((void **)&pinned, sizeof(plain)));
	CHECK(cudaHostAlloc((void **)&other, sizeof(plain), cudaHostAllocMapped));
	CHECK(cudaMalloc((void **)&device, sizeof(plain)));
	CHECK(cudaMallocManaged((void **)&managed, sizeof(plain)));
	CHECK(cudaStreamCreate(&stream));
	for (int kind = cudaMemcpyHostToHost; kind <= cudaMemcpyDefault; kind++) {
		cudaMemcpyKind any = (cudaMemcpyKind)kind;

		/* pinned memory may be called the host's or the device's */
		for (int i = 0; i < N; i++)
			pinned[i] = i * (kind + 1);
		CHECK(cudaMemcpy(other, pinned, sizeof(plain), any));
		expect_same("pinned to pinned", kind, other[N - 1], (N - 1) * (kind + 1));
		other[1] = 77 + kind;
		if (kind != cudaMemcpyHostToHost && kind != cudaMemcpyDeviceToHost) {
			CHECK(cudaMemcpy(device, other, sizeof(plain), any));
			CHECK(cudaMemset(other, 0, sizeof(plain)));
		}
		if (kind == cudaMemcpyDeviceToHost || kind >= cudaMemcpyDeviceToDevice) {
			CHECK(cudaMemcpy(other, device, sizeof(plain), any));
			expect_same("from the device", kind, other[N - 1],
				    (N - 1) * (kind == cudaMemcpyDeviceToHost ? 2 : kind + 1));
		}
		CHECK(cudaMemcpy(managed, pinned, sizeof(plain), any));
		expect_same("managed", kind, managed[N - 1], (N - 1) * (kind + 1));
		managed[N - 1] = kind;
		CHECK(cudaMemcpy(pinned, managed, sizeof(plain), any));
		expect_same("from managed", kind, pinned[N - 1], kind);
	}
	CHECK(cudaMemcpyAsync(device, pinned, sizeof(plain), cudaMemcpyHostToDevice, stream));
	add<<<3, 128, 0, stream>>>(device, pinned, N);
	CHECK(cudaMemcpyAsync(other, device, sizeof(plain), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	expect_same("asynchronous", 0, other[10], 2 * pinned[10]);
	CHECK(cudaMemcpy(plain, other, sizeof(plain), cudaMemcpyDefault));
	expect_same("plain", 0, plain[N - 1], other[N - 1]);
	CHECK(cudaMemcpy2D(other, 12, device, 8, 4, 3, cudaMemcpyDeviceToDevice));
	expect_same("2D", 0, other[3], plain[2]);
	EXPECT_ERROR(cudaMemcpy(plain, device, sizeof(plain), cudaMemcpyDeviceToDevice),
		     cudaErrorInvalidValue);
	CHECK(cudaMemset(pinned, 3, 40));
	expect_same("fill", 0, pinned[9], 0x03030303);
	CHECK(cudaMemset2D(pinned, 16, 4, 4, 3));
	expect_same("fill 2D", 0, pinned[8], 0x04040404);
	expect_same("fill 2D", 1, pinned[9], 0x03030303);
	CHECK(cudaMemsetAsync(other + 1, 5, 3, stream));
	CHECK(cudaStreamSynchronize(stream));
	expect_same("fill of bytes", 0, other[1] & 0xffffff, 0x050505);
	EXPECT_ERROR(cudaMemset(pinned, 0, sizeof(plain) + 1), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaMemset(plain, 0, sizeof(plain)), cudaErrorInvalidValue);
	(void)cudaGetLastError();
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFreeHost(other));
	CHECK(cudaFree(device));
	CHECK(cudaFree(managed));
}

/* ---- atomics ------------------------------------------------------------ */

/* Many threads to few words, in the same order: what lanes find is the same wherever it is. */
template <typename T> __global__ void integers(T *words, T *found)
{
	int i = threadIdx.x;
	T v = (T)(i * 2654435761u);

	found[0 * 64 + i] = atomicAdd(&words[0], v);
	found[1 * 64 + i] = atomicMin(&words[1 + i % 2], v);
	found[2 * 64 + i] = atomicMax(&words[3 + i % 2], v);
	found[3 * 64 + i] = atomicAnd(&words[5], v | 0x11);
	found[4 * 64 + i] = atomicOr(&words[6 + i], v);
	found[5 * 64 + i] = atomicXor(&words[6 + 63 - i], v);
	found[6 * 64 + i] = atomicExch(&words[70], v);
	found[7 * 64 + i] = atomicCAS(&words[71], (T)i, (T)(i + 1));
	/* a few of them, for words of different pages */
	if (i % 7 == 3)
		found[8 * 64 + i] = atomicAdd(&words[72 + i * 600], v);
}

__global__ void others(unsigned int *words, unsigned int *found, float *real, double *wide)
{
	int i = threadIdx.x;

	found[i] = atomicInc(&words[0], 40);
	found[64 + i] = atomicDec(&words[1], 50);
	found[128 + i] = atomicSub(&words[2], i);
	atomicAdd(&real[i % 3], 1.0f / (i + 1));
	atomicAdd(&wide[i % 3], 1.0 / (i + 1));
}

/* The same on the device and on the host */
template <typename T> static void compare(const char *what)
{
	const int words = 72 + 64 * 600, bytes = (words + 9 * 64) * sizeof(T);
	T *host, *device, *back = (T *)host_alloc(bytes);

	CHECK(cudaMallocHost((void **)&host, bytes));
	CHECK(cudaMalloc((void **)&device, bytes));
	for (int i = 0; i < bytes / (int)sizeof(T); i++)
		host[i] = (T)(i * 40503u);
	host[71] = 0;
	CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
	integers<<<1, 64>>>(host, host + words);
	integers<<<1, 64>>>(device, device + words);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(back, device, bytes, cudaMemcpyDeviceToHost));
	compare_exact(what, host, back, bytes / (int)sizeof(T));
	expect_same(what, 71, host[71], (T)64);
	CHECK(cudaFreeHost(host));
	CHECK(cudaFree(device));
	free(back);
}

static void compare_others(void)
{
	struct all {
		unsigned int words[3], found[3 * 64];
		float real[3];
		double wide[3];
	} *host, *device, back;

	CHECK(cudaMallocHost((void **)&host, sizeof(*host)));
	CHECK(cudaMalloc((void **)&device, sizeof(*device)));
	CHECK(cudaMemset(device, 0, sizeof(*device)));
	others<<<1, 64>>>(host->words, host->found, host->real, host->wide);
	others<<<1, 64>>>(device->words, device->found, device->real, device->wide);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(&back, device, sizeof(back), cudaMemcpyDeviceToHost));
	EXPECT(host->words[0] == 64 - 41 && host->real[0] > 1);
	compare_exact("words", host->words, back.words, 3);
	compare_exact("found", host->found, back.found, 3 * 64);
	compare_exact("real", host->real, back.real, 3);
	compare_exact("wide", host->wide, back.wide, 3);
	CHECK(cudaFreeHost(host));
	CHECK(cudaFree(device));
}

#define ROUNDS 2000
#define THREADS 128

static struct counters {
	unsigned int counter;
	float real;
	unsigned long long wide;
	bool done;
	unsigned int started, mine;
} *shared;

static void *count_too(void *)
{
	unsigned int n = 0;

	__atomic_fetch_add(&shared->started, 1, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&shared->done, __ATOMIC_RELAXED)) {
		__atomic_fetch_add(&shared->counter, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&shared->wide, 1, __ATOMIC_RELAXED);
		n++;
	}
	__atomic_fetch_add(&shared->mine, n, __ATOMIC_RELAXED);
	return NULL;
}

/* Threads of the host count in the same words. */
static void count_together(void)
{
	int native = 0;
	pthread_t thread[2];

	CHECK(cudaDeviceGetAttribute(&native, cudaDevAttrHostNativeAtomicSupported, 0));
	if (!native)
		return;
	CHECK(cudaHostAlloc((void **)&shared, sizeof(*shared), cudaHostAllocMapped));
	for (int n = 0; n < 2; n++)
		EXPECT(!pthread_create(&thread[n], NULL, count_too, NULL));
	while (__atomic_load_n(&shared->started, __ATOMIC_RELAXED) < 2)
		usleep(100);
	count_up<<<2, THREADS / 2>>>(&shared->counter, &shared->wide, &shared->real, ROUNDS);
	CHECK_LAUNCH();
	__atomic_store_n(&shared->done, true, __ATOMIC_RELAXED);
	for (int n = 0; n < 2; n++)
		pthread_join(thread[n], NULL);
	expect_same("counter", 0, shared->counter, shared->mine + ROUNDS * THREADS);
	expect_same("counter", 1, shared->wide, shared->mine + ROUNDS * THREADS + 0ull);
	expect_same("counter", 2, shared->real, (float)(ROUNDS * THREADS));
	CHECK(cudaFreeHost(shared));
}

static volatile int *question;

static void *ask(void *)
{
	usleep(10000);
	*question = 41;
	return NULL;
}

/* A kernel sees what a thread of the host writes meanwhile. */
static void while_it_runs(void)
{
	pthread_t thread;
	int *words;

	CHECK(cudaHostAlloc((void **)&words, 2 * sizeof(int), cudaHostAllocMapped));
	question = words;
	EXPECT(!pthread_create(&thread, NULL, ask, NULL));
	answer<<<1, 1>>>(words, words + 1);
	CHECK_LAUNCH();
	pthread_join(thread, NULL);
	expect_same("reply", 0, words[1], 42);
	CHECK(cudaFreeHost(words));
}

/* ---- lifetime and errors ------------------------------------------------ */

/* What is freed while a kernel uses it is freed when the kernel has ended. */
static void freed_in_use(void)
{
	int *a, *b = (int *)host_alloc(4);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMallocHost((void **)&a, 4));
	late<<<1, 1, 0, stream>>>(a, 20000);
	CHECK(cudaFreeHost(a));
	CHECK(cudaStreamQuery(stream));
	CHECK(cudaHostRegister(b, 4, cudaHostRegisterDefault));
	late<<<1, 1, 0, stream>>>(b, 20000);
	CHECK(cudaHostUnregister(b));
	expect_same("unregistered", 0, *b, 1);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	free(b);
}

static void properties(void)
{
	cudaDeviceProp prop;
	unsigned int flags = 0;
	int value = 0;

	CHECK(cudaSetDeviceFlags(cudaDeviceMapHost | cudaDeviceScheduleBlockingSync));
	CHECK(cudaGetDeviceFlags(&flags));
	EXPECT(flags == (cudaDeviceMapHost | cudaDeviceScheduleBlockingSync));
	CHECK(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
	CHECK(cudaGetDeviceFlags(&flags));
	EXPECT(flags & cudaDeviceMapHost);
	EXPECT_ERROR(cudaSetDeviceFlags(0x100), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGetDeviceFlags(NULL), cudaErrorInvalidValue);
	(void)cudaGetLastError();
	CHECK(cudaGetDeviceProperties(&prop, 0));
	EXPECT(prop.canMapHostMemory && prop.unifiedAddressing);
	CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrHostRegisterSupported, 0));
	EXPECT(value);
	CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrCanUseHostPointerForRegisteredMem, 0));
	EXPECT(value);
}

static void attributes(void)
{
	char *host = (char *)host_alloc(300), *pinned;
	cudaPointerAttributes about;
	unsigned int flags = 0;

	CHECK(cudaMallocHost(&pinned, 100, cudaHostAllocPortable));
	CHECK(cudaHostGetFlags(&flags, pinned));
	EXPECT(flags & cudaHostAllocPortable);
	CHECK(cudaPointerGetAttributes(&about, pinned + 99));
	EXPECT(about.type == cudaMemoryTypeHost && about.device == 0);
	EXPECT(about.hostPointer == pinned + 99 && about.devicePointer == pinned + 99);
	CHECK(cudaPointerGetAttributes(&about, host + 5));
	EXPECT(about.type == cudaMemoryTypeUnregistered && !about.devicePointer);
	CHECK(cudaHostRegister(host + 5, 100, cudaHostRegisterDefault));
	CHECK(cudaPointerGetAttributes(&about, host + 104));
	EXPECT(about.type == cudaMemoryTypeHost && about.devicePointer == host + 104);
	CHECK(cudaPointerGetAttributes(&about, host + 105));
	EXPECT(about.type == cudaMemoryTypeUnregistered);
	CHECK(cudaHostUnregister(host + 5));
	CHECK(cudaPointerGetAttributes(&about, host + 5));
	EXPECT(about.type == cudaMemoryTypeUnregistered);
	CHECK(cudaFreeHost(pinned));
	free(host);
}

/* A file that the program may only read */
static void read_only(void)
{
	char *page = (char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);
	int *total, supported = 0;

	CHECK(cudaMallocHost((void **)&total, 64));
	*(int *)page = 9;
	mprotect(page, 4096, PROT_READ);
	EXPECT_ERROR(cudaHostRegister(page, 4096, cudaHostRegisterDefault), cudaErrorInvalidValue);
	(void)cudaGetLastError();
	CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrHostRegisterReadOnlySupported, 0));
	if (supported) {
		CHECK(cudaHostRegister(page, 4096, cudaHostRegisterReadOnly));
		add<<<1, 1>>>(total, (int *)page, 1);
		CHECK_LAUNCH();
		expect_same("read only", 0, *total, 9);
		EXPECT_ERROR(cudaMemset(page, 0, 4), cudaErrorInvalidValue);
		CHECK(cudaHostUnregister(page));
	}
	munmap(page, 4096);
	CHECK(cudaFreeHost(total));
}

static void errors(void)
{
	char *host = (char *)host_alloc(10000), *pinned, *gone;
	int *device;
	void *pointer;
	unsigned int flags;

	EXPECT_ERROR(cudaHostAlloc(NULL, 4, cudaHostAllocDefault), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostAlloc(&pointer, 4, 0x80), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostAlloc(&pointer, SIZE_MAX, 0), cudaErrorMemoryAllocation);
	EXPECT_ERROR(cudaMallocHost(&pointer, (size_t)1 << 60), cudaErrorMemoryAllocation);
	CHECK(cudaFreeHost(NULL));
	EXPECT_ERROR(cudaFreeHost(host), cudaErrorInvalidValue);
	CHECK(cudaMallocHost((void **)&pinned, 100));
	EXPECT_ERROR(cudaFreeHost(pinned + 1), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaFree(pinned), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostUnregister(pinned), cudaErrorHostMemoryNotRegistered);
	EXPECT_ERROR(cudaHostRegister(pinned, 10, 0), cudaErrorHostMemoryAlreadyRegistered);
	EXPECT_ERROR(cudaHostGetFlags(NULL, pinned), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostGetFlags(&flags, host), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostGetDevicePointer(&pointer, host, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostGetDevicePointer(&pointer, pinned, 1), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostGetDevicePointer((void **)NULL, pinned, 0), cudaErrorInvalidValue);
	CHECK(cudaFreeHost(pinned));
	EXPECT_ERROR(cudaFreeHost(pinned), cudaErrorInvalidValue);

	EXPECT_ERROR(cudaHostRegister(NULL, 10, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostRegister(host, 0, 0), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostRegister(host, 10, 0x100), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostUnregister(NULL), cudaErrorInvalidValue);
	EXPECT_ERROR(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
	CHECK(cudaHostRegister(host + 100, 5000, 0));
	for (int i = 0; i < 4; i++) {
		static const int at[4][2] = { { 100, 1 }, { 0, 101 }, { 5099, 1 }, { 0, 9000 } };

		EXPECT_ERROR(cudaHostRegister(host + at[i][0], (size_t)at[i][1], 0),
			     cudaErrorHostMemoryAlreadyRegistered);
	}
	CHECK(cudaHostRegister(host, 100, 0));
	CHECK(cudaHostRegister(host + 5100, 1, 0));
	EXPECT_ERROR(cudaHostUnregister(host + 101), cudaErrorHostMemoryNotRegistered);
	EXPECT_ERROR(cudaFreeHost(host + 100), cudaErrorInvalidValue);
	CHECK(cudaHostUnregister(host + 100));
	EXPECT_ERROR(cudaHostUnregister(host + 100), cudaErrorHostMemoryNotRegistered);
	CHECK(cudaHostUnregister(host));
	CHECK(cudaHostUnregister(host + 5100));
	/* memory that is not the host's, or not there */
	CHECK(cudaMalloc((void **)&device, 4096));
	EXPECT_ERROR(cudaHostRegister(device, 4096, 0), cudaErrorInvalidValue);
	CHECK(cudaFree(device));
	gone = (char *)mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	munmap(gone + 4096, 4096);
	EXPECT_ERROR(cudaHostRegister(gone, 3 * 4096, 0), cudaErrorInvalidValue);
	CHECK(cudaHostRegister(gone, 4096, 0));
	CHECK(cudaHostUnregister(gone));
	munmap(gone, 3 * 4096);
	free(host);
	(void)cudaGetLastError();
}

/* Kernels reach it no more: the context ends, the process does not. */
static void after_the_end(void)
{
	int *host;

	CHECK(cudaMallocHost((void **)&host, 4));
	CHECK(cudaFreeHost(host));
	late<<<1, 1>>>(host, 1);
	EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	CHECK(cudaDeviceReset());
}

/* A device that cannot use memory of the host */
static void without(void)
{
	int *pinned, *device, plain[4] = { 1, 2, 3, 4 };
	void *pointer;

	EXPECT_ERROR(cudaHostAlloc(&pointer, 4, cudaHostAllocMapped), cudaErrorNotSupported);
	CHECK(cudaHostAlloc((void **)&pinned, 16, cudaHostAllocPortable));
	EXPECT_ERROR(cudaHostGetDevicePointer(&pointer, pinned, 0), cudaErrorNotSupported);
	EXPECT_ERROR(cudaHostRegister(plain, 16, cudaHostRegisterMapped), cudaErrorNotSupported);
	CHECK(cudaHostRegister(plain, 16, cudaHostRegisterDefault));
	CHECK(cudaMalloc((void **)&device, 16));
	CHECK(cudaMemcpy(device, plain, 16, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(pinned, device, 16, cudaMemcpyDeviceToHost));
	expect_same("copy", 0, pinned[3], 4);
	CHECK(cudaHostUnregister(plain));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFree(device));
	(void)cudaGetLastError();
}

int main(int argc, char **argv)
{
	int can_map = 0;

	parse_size(argc, argv, "host_memory", NULL, 0, 0, 0);
	CHECK(cudaDeviceGetAttribute(&can_map, cudaDevAttrCanMapHostMemory, 0));
	if (!can_map) {
		without();
		return finish();
	}
	all_devices();
	properties();
	allocated();
	registered();
	pointers();
	one_page();
	copies();
	compare<unsigned int>("32 bits");
	compare<int>("32 bits with a sign");
	compare<unsigned long long>("64 bits");
	compare_others();
	count_together();
	while_it_runs();
	freed_in_use();
	attributes();
	read_only();
	errors();
	after_the_end();
	return finish();
}
