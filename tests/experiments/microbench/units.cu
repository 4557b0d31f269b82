/* SPDX-License-Identifier: MIT */
/*
 * units: what the units of an SM take. Latencies by chains of instructions each of which needs the
 * result of the one before; rates by instructions that need nothing of each other; both by one warp
 * and by several. Bank conflicts of shared memory.
 */
#include "microbench.h"

/* ---- instructions: how y becomes the next y ------------------------------------------------ */

struct add {
	using type = float;
	static __device__ inline void step(float &y, float x)
	{
		asm volatile("add.f32 %0, %0, %1;" : "+f"(y) : "f"(x));
	}
};

struct fused {
	using type = float;
	static __device__ inline void step(float &y, float x)
	{
		asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y) : "f"(x));
	}
};

struct integer {
	using type = int;
	static __device__ inline void step(int &y, int x)
	{
		asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(y) : "r"(x));
	}
};

struct wide {
	using type = long long;
	static __device__ inline void step(long long &y, long long x)
	{
		asm volatile("mad.lo.s64 %0, %0, %1, %1;" : "+l"(y) : "l"(x));
	}
};

struct special {
	using type = float;
	static __device__ inline void step(float &y, float)
	{
		asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(y));
	}
};

struct divide {
	using type = float;
	static __device__ inline void step(float &y, float x)
	{
		asm volatile("div.rn.f32 %0, %0, %1;" : "+f"(y) : "f"(x));
	}
};

struct shuffle {
	using type = int;
	static __device__ inline void step(int &y, int)
	{
		asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(y));
	}
};

struct barrier {
	using type = int;
	static __device__ inline void step(int &, int)
	{
		asm volatile("bar.sync 0;" ::: "memory");
	}
};

/* Branches that are not taken, by a predicate that has been there for long: 8, or 16. */
#define BRANCHES	"@p bra END;\n\t@p bra END;\n\t@p bra END;\n\t@p bra END;\n\t"
#define BRANCHES_MORE	8
#define BRANCH_STEP(branches)					\
	"{\n\t"							\
	".reg .pred p;\n\t"					\
	"setp.eq.s32 p, %1, 1;\n\t"				\
	"bar.sync 0;\n\t"					\
	branches						\
	"bra DONE;\n"						\
	"END:\n\t"						\
	"add.s32 %0, %0, %1;\n"					\
	"DONE:\n\t"						\
	"}"
template <bool MORE> struct branch {
	using type = int;
	static __device__ inline void step(int &y, int x)
	{
		if constexpr (MORE)
			asm volatile(BRANCH_STEP(BRANCHES BRANCHES BRANCHES BRANCHES)
				     : "+r"(y) : "r"(x) : "memory");
		else
			asm volatile(BRANCH_STEP(BRANCHES BRANCHES)
				     : "+r"(y) : "r"(x) : "memory");
	}
};

/* ---- chains ---------------------------------------------------------------------------- */

/* Instructions of each of so many chains: enough of them, and not too much code. */
__host__ __device__ constexpr int length(int chains)
{
	return chains > 8 ? 8 : 64 / chains;
}

/* CHAINS chains of a warp, each of COUNT instructions. */
template <typename Op, int CHAINS, int COUNT>
__device__ static inline long long chains(typename Op::type *y, typename Op::type x)
{
	long long from = now();

#pragma unroll
	for (int n = 0; n < COUNT; n++)
#pragma unroll
		for (int c = 0; c < CHAINS; c++)
			Op::step(y[c], x);
	return now() - from;
}

template <typename Op, int CHAINS>
__global__ void run_chains(long long *time, typename Op::type *out, typename Op::type x)
{
	typename Op::type y[CHAINS];
	long long one, two;

#pragma unroll
	for (int c = 0; c < CHAINS; c++)
		y[c] = (typename Op::type)(threadIdx.x + c);
	/* what is computed for them first */
	chains<Op, CHAINS, 1>(y, x);
	one = chains<Op, CHAINS, length(CHAINS)>(y, x);
	two = chains<Op, CHAINS, 2 * length(CHAINS)>(y, x);
#pragma unroll
	for (int c = 0; c < CHAINS; c++)
		out[c * blockDim.x + threadIdx.x] = y[c];
	if (!threadIdx.x)
		*time = two - one;
}

/* Cycles of length(CHAINS) steps of each chain of each warp. */
template <typename Op, int CHAINS> static double cycles(int warps)
{
	char *memory = fresh(65536 + CHAINS * 1024 * 8);
	long long taken;

	run_chains<Op, CHAINS><<<1, warps * 32>>>((long long *)memory,
						  (typename Op::type *)(memory + 65536),
						  (typename Op::type)3);
	CHECK_LAUNCH();
	taken = fetch(memory);
	CHECK(cudaFree(memory));
	return (double)taken;
}

/* Cycles of length(1) times BRANCHES_MORE branches of each warp. */
static double more_branches(int warps)
{
	return cycles<branch<true>, 1>(warps) - cycles<branch<false>, 1>(warps);
}

static void latencies(void)
{
	measured("math", 0, cycles<add, 1>(1) / length(1));
	measured("math-fma", 0, cycles<fused, 1>(1) / length(1));
	measured("math-integer", 0, cycles<integer, 1>(1) / length(1));
	measured("wide", 0, cycles<wide, 1>(1) / length(1));
	measured("special", 0, cycles<special, 1>(1) / length(1));
	measured("divide", 0, cycles<divide, 1>(1) / length(1));
	measured("shuffle", 0, cycles<shuffle, 1>(1) / length(1));
	measured("branch", 0, more_branches(1) / length(1) / BRANCHES_MORE);
	measured("barrier", 0, cycles<barrier, 1>(1) / length(1));
}

template <typename Op, int CHAINS> static void rate(const char *name, int warps, int n)
{
	measured(name, n, CHAINS * length(CHAINS) * warps / cycles<Op, CHAINS>(warps));
}

static void rates(void)
{
	rate<add, 1>("issue-independent", 1, 1);
	rate<add, 2>("issue-independent", 1, 2);
	rate<add, 4>("issue-independent", 1, 4);
	rate<add, 8>("issue-independent", 1, 8);
	rate<add, 16>("issue-independent", 1, 16);
	rate<add, 32>("issue-independent", 1, 32);
	for (int warps = 1; warps <= 32; warps *= 2)
		rate<add, 1>("issue-warps", warps, warps);
	rate<special, 32>("special-rate", 4, 4);
	rate<divide, 8>("divide-rate", 4, 4);
	rate<shuffle, 8>("shuffle-rate", 32, 32);
	measured("branch-rate", 16, BRANCHES_MORE * length(1) * 16 / more_branches(16));
}

/* ---- shared memory --------------------------------------------------------------------- */

#define WORDS	1024

/* Each lane follows a list of its own, lane * stride words behind that of the first. */
template <int COUNT> __device__ static inline long long follow(unsigned int &at)
{
	long long from = now();

#pragma unroll
	for (int n = 0; n < COUNT; n++)
		asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at) : : "memory");
	return now() - from;
}

__global__ void bank_conflicts(long long *time, int ways)
{
	__shared__ unsigned int words[WORDS];
	unsigned long long window;
	unsigned int address, at;
	long long one, two;

	asm("cvta.to.shared.u64 %0, %1;" : "=l"(window) : "l"(words));
	address = (unsigned int)window;

	for (int n = threadIdx.x; n < WORDS; n += 32)
		words[n] = address + n * 4;
	__syncthreads();
	/* @ways lanes share a bank; the banks of different groups differ */
	at = address + (threadIdx.x % ways * 32 + threadIdx.x / ways) * 4;
	one = follow<64>(at);
	two = follow<128>(at);
	time[threadIdx.x] = two - one + (at < address);
}

static void banks(void)
{
	char *memory = fresh(4096);

	for (int ways = 1; ways <= 32; ways *= 2) {
		bank_conflicts<<<1, 32>>>((long long *)memory, ways);
		CHECK_LAUNCH();
		measured("shared", ways, (double)fetch(memory) / 64);
	}
	CHECK(cudaFree(memory));
}

int main(int argc, char **argv)
{
	test.name = "units";
	groups = argv + 1;
	group_count = argc - 1;
	if (wanted("latency"))
		latencies();
	if (wanted("banks"))
		banks();
	if (wanted("rate"))
		rates();
	return finish();
}
