/* SPDX-License-Identifier: MIT */
/*
 * host_cpp: a program as C++ users write them: the standard library around the kernels (streams,
 * containers, algorithms, random numbers, smart pointers, threads, exceptions), device memory owned
 * by a class, kernels launched with <<<>>>, through a pointer and by cudaLaunchKernel.
 */
#include "../common.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

class cuda_failure : public std::runtime_error {
public:
	cuda_failure(const char *what, cudaError_t err)
		: std::runtime_error(std::string(what) + ": " + cudaGetErrorString(err)), error(err)
	{
	}
	const cudaError_t error;
};

static void must(cudaError_t err, const char *what)
{
	if (err != cudaSuccess)
		throw cuda_failure(what, err);
}

template <typename T> class device_vector {
public:
	explicit device_vector(size_t n) : n_(n)
	{
		T *p = nullptr;

		must(cudaMalloc(&p, n * sizeof(T)), "device_vector");
		p_.reset(p);
	}
	explicit device_vector(const std::vector<T> &v) : device_vector(v.size())
	{
		must(cudaMemcpy(get(), v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "upload");
	}
	std::vector<T> download() const
	{
		std::vector<T> v(n_);

		must(cudaMemcpy(v.data(), get(), n_ * sizeof(T), cudaMemcpyDeviceToHost),
		     "download");
		return v;
	}
	T *get() const { return p_.get(); }
	size_t size() const { return n_; }

private:
	struct release {
		void operator()(T *p) const { cudaFree(p); }
	};
	std::unique_ptr<T, release> p_;
	size_t n_;
};

template <typename T, typename F>
__global__ void transform(const T *__restrict__ in, T *__restrict__ out, size_t n, F f)
{
	size_t stride = (size_t)blockDim.x * gridDim.x;

	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
		out[i] = f(in[i]);
}

struct polynomial {
	static constexpr int degree = 4;
	double c[degree + 1];

	__host__ __device__ __forceinline__ double operator()(double x) const
	{
		double r = 0;

#pragma unroll
		for (int i = degree; i >= 0; i--)
			r = fma(r, x, c[i]);
		return r;
	}
};

__global__ void __launch_bounds__(128) scale(int *data, int n, int by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] *= by;
}

__global__ void shift(int *data, int n, int by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += by;
}

static void check_transform(void)
{
	std::mt19937 random(1234);
	std::uniform_real_distribution<double> range(-2.0, 2.0);
	std::vector<double> x(1777), want(x.size());
	const polynomial p = { { 1.0, -0.5, 0.25, 3.0, -1.0 } };

	std::generate(x.begin(), x.end(), [&] { return range(random); });
	std::transform(x.begin(), x.end(), want.begin(), p);

	device_vector<double> in(x), out(x.size());
	transform<<<7, 96>>>(in.get(), out.get(), in.size(), p);
	must(cudaGetLastError(), "transform");
	std::vector<double> got = out.download();
	compare_exact("transform", got.data(), want.data(), (long)got.size());
}

/* Kernels are functions: their pointers can be stored and launched. */
static void check_pointers(void)
{
	std::vector<int> host(500);
	std::iota(host.begin(), host.end(), -250);
	device_vector<int> data(host);
	std::map<std::string, void (*)(int *, int, int)> kernels = { { "scale", scale },
								     { "shift", shift } };
	int n = (int)host.size(), by = 7, *p = data.get();
	void *args[] = { &p, &n, &by };

	for (const auto &k : kernels) {
		k.second<<<dim3((n + 127) / 128), dim3(128)>>>(p, n, by);
		must(cudaGetLastError(), k.first.c_str());
	}
	must(cudaLaunchKernel((const void *)scale, dim3((n + 63) / 64), dim3(64), args, 0, 0),
	     "cudaLaunchKernel");
	for (int &v : host)
		v = (v * 7 + 7) * 7;
	std::vector<int> got = data.download();
	compare_exact("pointers", got.data(), host.data(), n);
}

static void check_threads(void)
{
	std::array<std::vector<int>, 3> results;
	std::vector<std::thread> threads;

	for (int k = 0; k < 3; k++)
		threads.emplace_back([k, &results] {
			device_vector<int> data(std::vector<int>(300, k + 1));

			scale<<<3, 100>>>(data.get(), 300, 10);
			results[k] = data.download();
		});
	for (std::thread &t : threads)
		t.join();
	for (int k = 0; k < 3; k++) {
		expect_same("size of result", k, results[k].size(), (size_t)300);
		for (size_t i = 0; i < results[k].size(); i++)
			expect_same("thread", k, results[k][i], 10 * (k + 1));
	}
}

static void check_exceptions(void)
{
	try {
		device_vector<char> too_much((size_t)1 << 46);

		mismatch("exception: got none, expected out of memory");
	} catch (const cuda_failure &e) {
		expect_same("exception", 0, (int)e.error, (int)cudaErrorMemoryAllocation);
	}
	cudaGetLastError();
}

int main(int argc, char **argv)
{
	const auto start = std::chrono::steady_clock::now();
	std::ostringstream line;

	parse_size(argc, argv, "host_cpp", NULL, 0, 0, 0);
	check_transform();
	check_pointers();
	check_threads();
	check_exceptions();
	line << "  took "
	     << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()
	     << " s";
	std::cout << line.str() << std::endl;
	must(cudaDeviceReset(), "cudaDeviceReset");
	return finish();
}
