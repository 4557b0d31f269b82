/* SPDX-License-Identifier: MIT */
/*
 * templates_cpp: the C++ of CUDA programs: templates over types and values, functors, classes with
 * operators, inheritance, overloads, lambdas, constexpr, references, structs by value as kernel
 * arguments, local arrays with indices that are not constant, namespaces and static members.
 */
#include "../common.h"

#include <type_traits>
#include <utility>
#include <vector>

#define N 500
#define BDIM 64

namespace geometry {

template <typename T> class vec {
public:
	__host__ __device__ vec() : x_(0), y_(0) {}
	__host__ __device__ vec(T x, T y) : x_(x), y_(y) {}
	__host__ __device__ vec operator+(const vec &o) const { return vec(x_ + o.x_, y_ + o.y_); }
	__host__ __device__ vec operator*(T s) const { return vec(x_ * s, y_ * s); }
	__host__ __device__ vec &operator+=(const vec &o)
	{
		x_ += o.x_;
		y_ += o.y_;
		return *this;
	}
	__host__ __device__ T dot(const vec &o) const { return x_ * o.x_ + y_ * o.y_; }
	__host__ __device__ const T &x() const { return x_; }
	__host__ __device__ T &y() { return y_; }

private:
	T x_, y_;
};

} // namespace geometry

struct plus {
	template <typename T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
};

struct times {
	template <typename T> __host__ __device__ T operator()(T a, T b) const { return a * b; }
};

struct affine {
	int mul, add;

	__host__ __device__ int operator()(int x) const { return mul * x + add; }
};

template <typename F, typename T>
__global__ void zip(const T *a, const T *b, T *out, int n, F f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = f(a[i], b[i]);
}

template <typename F> __global__ void map(int *data, int n, F f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = f(data[i]);
}

/* Compile-time recursion and a value as template argument. */
template <int K> __host__ __device__ inline int power(int x)
{
	return K % 2 ? x * power<K / 2>(x) * power<K / 2>(x) : power<K / 2>(x) * power<K / 2>(x);
}

template <> __host__ __device__ inline int power<0>(int)
{
	return 1;
}

__host__ __device__ constexpr int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

template <typename... Args> __host__ __device__ inline int count_of(Args...)
{
	return sizeof...(Args);
}

__host__ __device__ inline int which(int)
{
	return 1;
}

__host__ __device__ inline int which(unsigned)
{
	return 2;
}

__host__ __device__ inline int which(float)
{
	return 3;
}

struct base {
	int b;

	__host__ __device__ int twice() const { return 2 * b; }
	static __host__ __device__ int seven() { return 7; }
};

struct derived : base {
	int d;

	__host__ __device__ int sum() const { return twice() + d + seven(); }
};

/* Big enough that passing it by value is a real copy; with holes between its members. */
struct bundle {
	char tag;
	double scale;
	short steps[7];
	derived inner;
	geometry::vec<int> where;
	const int *table;
};

/* Indices known only at run time, so the array must live in memory. */
__host__ __device__ inline int local_arrays(int t)
{
	int ring[13];
	unsigned char bytes[10] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 };
	int at = t % 13, sum = 0;

	for (int i = 0; i < 13; i++)
		ring[(i * 5 + t) % 13] = i * i;
	for (int i = 0; i < 20; i++) {
		at = (at + ring[at] + bytes[i % 10]) % 13;
		ring[at] += bytes[at % 10]++;
		sum += ring[at];
	}
	return sum;
}

template <int K> __host__ __device__ inline int mixture(int t, const bundle &b)
{
	geometry::vec<int> v(t, K), total;
	constexpr int known = fibonacci(9);
	auto grow = [&](int by) { total += v * by + b.where; };

	for (int i = 0; i < K; i++)
		grow(i);
	total.y() += b.steps[t % 7];
	return total.dot(v) + power<K>(t % 5) + b.inner.sum() + (int)(b.scale * 4) + b.tag +
	       which(t) + which((unsigned)t) * 10 + which((float)t) * 100 + known +
	       count_of(t, 1.0, 'c') + local_arrays(t) + (int)total.x();
}

template <int K> __global__ void mixed(bundle b, int *out, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	constexpr int known = fibonacci(10);

	if (t < n)
		out[t] = mixture<K>(t, b) + b.table[t % 4] + known;
}

template <typename F, typename T> static void check_zip(const char *name, F f, T scale)
{
	std::vector<T> a(N), b(N), got(N);
	T *da, *db, *dout = device_new<T>(N);

	for (int i = 0; i < N; i++) {
		a[i] = (T)(i - 100) * scale;
		b[i] = (T)(3 * i % 71) * scale;
	}
	da = device_from(a.data(), N);
	db = device_from(b.data(), N);
	zip<<<(N + BDIM - 1) / BDIM, BDIM>>>(da, db, dout, N, f);
	CHECK_LAUNCH();
	host_from(got.data(), dout, N);
	for (int i = 0; i < N; i++)
		expect_same(name, i, got[i], f(a[i], b[i]));
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dout));
}

template <typename F> static void check_map(const char *name, F f, const affine &want)
{
	std::vector<int> data(N);
	int *dev;

	for (int i = 0; i < N; i++)
		data[i] = i;
	dev = device_from(data.data(), N);
	map<<<(N + BDIM - 1) / BDIM, BDIM>>>(dev, N, f);
	CHECK_LAUNCH();
	host_from(data.data(), dev, N);
	for (int i = 0; i < N; i++)
		expect_same(name, i, data[i], want(i));
	CHECK(cudaFree(dev));
}

template <int K> static void check_mixed(void)
{
	const int table[4] = { 5, -6, 7, -8 };
	int *dev_table = device_from(table, 4), *dev = device_new<int>(N), got[N];
	bundle b;

	memset((void *)&b, 0, sizeof(b));
	b.tag = 'v';
	b.scale = 2.75;
	for (int i = 0; i < 7; i++)
		b.steps[i] = (short)(i * 11 - 30);
	b.inner.b = 21;
	b.inner.d = -4;
	b.where = geometry::vec<int>(2, -3);
	b.table = dev_table;
	mixed<K><<<(N + BDIM - 1) / BDIM, BDIM>>>(b, dev, N);
	CHECK_LAUNCH();
	host_from(got, dev, N);
	for (int t = 0; t < N; t++)
		expect_same("mixed", t, got[t], mixture<K>(t, b) + table[t % 4] + 55);
	CHECK(cudaFree(dev_table));
	CHECK(cudaFree(dev));
}

/* The host asks what a functor returns that only the device can call. */
struct device_only {
	__device__ long long operator()(int x, int y) const { return 1000000000ll * x + y; }
};

template <typename F> class takes_pointers {
	template <typename T>
	__host__ __device__ static char test(decltype(std::declval<T>()((int *)0, 0)) *);
	template <typename> __host__ __device__ static long test(...);

public:
	static const bool value = sizeof(test<F>(0)) == 1;
};

template <typename F, typename R = typename std::result_of<F(int, int)>::type>
__global__ void call_kernel(F f, R *out)
{
	out[threadIdx.x] = f(threadIdx.x, 7);
}

static void check_device_only()
{
	typedef std::result_of<device_only(int, int)>::type result;
	result out[4], *dev;

	static_assert(std::is_same<result, long long>::value, "what the functor returns");
	static_assert(!takes_pointers<device_only>::value, "it takes no pointers");
	CHECK(cudaMalloc(&dev, sizeof(out)));
	call_kernel<<<1, 4>>>(device_only(), dev);
	CHECK(cudaMemcpy(out, dev, sizeof(out), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 4; i++)
		if (out[i] != 1000000000ll * i + 7)
			mismatch("device-only functor [%d]: got %lld, expected %lld", i, out[i],
				 1000000000ll * i + 7);
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	const affine f = { 3, -11 };

	parse_size(argc, argv, "templates_cpp", NULL, 0, 0, 0);
	check_zip("int plus", plus(), 1);
	check_zip("float times", times(), 0.25f);
	check_zip("double plus", plus(), 0.125);
	check_zip("long long times", times(), 1000003ll);
	check_map("functor", f, f);
/* nvcc takes these only with --extended-lambda. */
#if defined(__clang__) || defined(__CUDACC_EXTENDED_LAMBDA__)
	int mul = 5;

	check_map("lambda", [=] __device__(int x) { return x * mul + 2; }, affine{ 5, 2 });
	check_map("plain lambda", [] __device__(int x) { return -x; }, affine{ -1, 0 });
#endif
	check_mixed<1>();
	check_mixed<2>();
	check_mixed<7>();
	check_device_only();
	return finish();
}
