// SPDX-License-Identifier: MIT
/*
 * cuda::atomic, cuda::atomic_ref and cuda::std::atomic: all operations on values of 1 to 8 bytes,
 * of all scopes, by the device and the host; what an order promises, seen by a message between
 * blocks; and cuda::std where it is the host's library.
 */
#include "../common.h"

#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#define BLOCKS	24
#define THREADS	96
#define ALL	(BLOCKS * THREADS)

struct pair {
	short a, b;
};

struct shared_values {
	cuda::atomic<int, cuda::thread_scope_device> sum, least, most;
	cuda::atomic<unsigned long long, cuda::thread_scope_system> bits, ones;
	cuda::atomic<float, cuda::thread_scope_device> real;
	cuda::atomic<double> twice;
	cuda::std::atomic<unsigned int> count;
	cuda::atomic<pair, cuda::thread_scope_device> both;
	cuda::atomic<int *, cuda::thread_scope_device> next;
	cuda::atomic<bool, cuda::thread_scope_device> once;
	unsigned char bytes[8];
	unsigned short words[4];
	float largest;
	int winners, slots[ALL];
};

static __global__ void all_operations(shared_values *v)
{
	int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	cuda::atomic_ref<unsigned char, cuda::thread_scope_device> byte(v->bytes[t % 8]);
	cuda::atomic_ref<unsigned short, cuda::thread_scope_device> word(v->words[t % 4]);
	cuda::atomic_ref<float, cuda::thread_scope_device> largest(v->largest);
	pair before = v->both.load(), after;

	v->sum.fetch_add(t, cuda::memory_order_relaxed);
	v->sum -= 2;
	v->least.fetch_min(-t);
	v->most.fetch_max(t * 3);
	v->bits.fetch_xor(1ull << t % 64, cuda::std::memory_order_acq_rel);
	v->ones |= 1ull << t % 50;
	v->real += 0.5f;
	v->twice.fetch_sub(0.25);
	v->count++;
	do
		after = pair{ (short)(before.a + 1), (short)(before.b - 2) };
	while (!v->both.compare_exchange_weak(before, after));
	*v->next.fetch_add(1) = t;
	if (!v->once.exchange(true))
		atomicAdd(&v->winners, 1);
	byte += 3;
	word.fetch_max((unsigned short)(t & 0xfff));
	largest.fetch_max((float)(t ^ 77));
	cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}

/* Block 0 writes and says so; the others wait for that, and read. */
static __global__ void message(int *data, cuda::atomic<int, cuda::thread_scope_device> *ready,
			       int *out, int rounds)
{
	for (int round = 1; round <= rounds; round++) {
		if (blockIdx.x == 0 && threadIdx.x == 0) {
			while (ready[1].load(cuda::memory_order_acquire) !=
			       (round - 1) * (int)(gridDim.x - 1))
				;
			for (int n = 0; n < 64; n++)
				data[n] = n * round;
			ready[0].store(round, cuda::memory_order_release);
			ready[0].notify_all();
		} else if (threadIdx.x == 0) {
			int sum = 0;

			ready[0].wait(round - 1, cuda::memory_order_acquire);
			for (int n = 0; n < 64; n++)
				sum += data[n];
			out[blockIdx.x] += sum;
			ready[1].fetch_add(1, cuda::memory_order_acq_rel);
		}
	}
}

static __global__ void standard(unsigned int *out)
{
	cuda::std::array<int, 3> a = { { 4, 5, 6 } };
	cuda::std::pair<int, short> p(7, 8);

	static_assert(cuda::std::is_same<cuda::std::remove_const<const int>::type, int>::value, "");
	*out = (cuda::std::numeric_limits<short>::max() == 32767) |
	       (cuda::std::get<1>(a) + cuda::std::get<0>(p) == 12) << 1 |
	       (cuda::std::tuple_size<cuda::std::tuple<int, char>>::value == 2) << 2 |
	       (&cuda::std::identity()(a) == &a && cuda::std::identity()(9) == 9) << 3;
}

int main(int argc, char **argv)
{
	cuda::atomic<int, cuda::thread_scope_device> *ready;
	cuda::atomic<long long> here(5);
	unsigned int *word, bits;
	int *data, *out, got[BLOCKS], sum = 0, spread = 0, on_sm, sms, blocks;
	shared_values *v;

	parse_size(argc, argv, "cuda_atomics", NULL, 0, 0, 0);
	CHECK(cudaMallocManaged(&v, sizeof(*v)));
	memset((void *)v, 0, sizeof(*v));
	v->sum = 10;
	v->next = v->slots;
	all_operations<<<BLOCKS, THREADS>>>(v);
	CHECK(cudaDeviceSynchronize());
	EXPECT(v->sum == 10 + ALL * (ALL - 1) / 2 - 2 * ALL);
	EXPECT(v->least == 1 - ALL && v->most == 3 * (ALL - 1));
	EXPECT(v->bits == 0 && v->ones == (1ull << 50) - 1);
	EXPECT(v->real == ALL / 2 && v->twice == -(ALL / 4.0));
	EXPECT(v->count == ALL && v->winners == 1 && v->once);
	EXPECT(v->both.load().a == ALL && v->both.load().b == -2 * ALL);
	EXPECT(v->next == v->slots + ALL);
	for (int n = 0; n < 8; n++)
		EXPECT(v->bytes[n] == (unsigned char)(ALL / 8 * 3));
	for (int n = 0; n < 4; n++)
		EXPECT(v->words[n] == ALL - 4 + n);
	for (int n = 0; n < ALL; n++) {
		sum += v->slots[n];
		spread = (n ^ 77) > spread ? n ^ 77 : spread;
	}
	EXPECT(sum == ALL * (ALL - 1) / 2);
	EXPECT(v->largest == (float)spread);
	/* the same by the host */
	EXPECT(here.fetch_add(2) == 5 && here++ == 7 && --here == 7);
	EXPECT(here.exchange(-1) == 7 && here.fetch_max(3) == -1 && here.load() == 3);
	EXPECT(v->both.exchange(pair{ 1, 2 }).a == ALL && v->both.load().b == 2);
	EXPECT(v->real.fetch_add(1) == ALL / 2 && v->real == ALL / 2 + 1);
	EXPECT(v->next.fetch_sub(2) == v->slots + ALL && v->next == v->slots + ALL - 2);

	CHECK(cudaMalloc(&data, 64 * sizeof(*data)));
	CHECK(cudaMalloc(&out, sizeof(got)));
	CHECK(cudaMalloc(&ready, 2 * sizeof(*ready)));
	CHECK(cudaMemset(out, 0, sizeof(got)));
	CHECK(cudaMemset(ready, 0, 2 * sizeof(*ready)));
	/* they wait for each other: no more than the device has room for */
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_sm, message, 32, 0));
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	blocks = on_sm * sms < BLOCKS ? on_sm * sms : BLOCKS;
	message<<<blocks, 32>>>(data, ready, out, 5);
	CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	for (int b = 1; b < blocks; b++)
		EXPECT(got[b] == 64 * 63 / 2 * (1 + 2 + 3 + 4 + 5));
	CHECK(cudaMalloc(&word, sizeof(*word)));
	standard<<<1, 1>>>(word);
	CHECK(cudaMemcpy(&bits, word, sizeof(bits), cudaMemcpyDeviceToHost));
	EXPECT(bits == 15);
	CHECK(cudaFree(v));
	CHECK(cudaFree(data));
	CHECK(cudaFree(out));
	CHECK(cudaFree(ready));
	CHECK(cudaFree(word));
	return finish();
}
