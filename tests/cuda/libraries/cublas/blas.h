/* SPDX-License-Identifier: MIT */
/*
 * What the tests of cuBLAS share: problems drawn at random, whose answers are those of the host's
 * BLAS: the reference (Debian's libblas3) or, where no NaN lies in memory, OpenBLAS, which reads
 * what a zero multiplies. A buffer has the host's answer and the device's, with all that lies
 * between and around the elements, which must stay as it was.
 */
#ifndef TESTS_CUBLAS_BLAS_H
#define TESTS_CUBLAS_BLAS_H

#include "libraries/oracle.h"

#include <cublas_v2.h>

static struct lcg draw = {51};
static cublasHandle_t handle;
static bool device_scalars;
/* The next problem has NaN where nothing may be read. */
static bool poisoned;

#define OK(call) check_status((call), CUBLAS_STATUS_SUCCESS, #call, __LINE__)
#define EXPECT_STATUS(want, call) check_status((call), (want), #call, __LINE__)

static inline void check_status(cublasStatus_t got, cublasStatus_t want, const char *call, int line)
{
	if (got != want)
		mismatch("line %d, %s: got %s, expected %s", line, call, cublasGetStatusName(got),
			 cublasGetStatusName(want));
}

/* ---- numbers */

template <class T> struct kind;
template <> struct kind<float> {
	static const char letter = 's';
	typedef float real;
};
template <> struct kind<double> {
	static const char letter = 'd';
	typedef double real;
};
template <> struct kind<cuComplex> {
	static const char letter = 'c';
	typedef float real;
};
template <> struct kind<cuDoubleComplex> {
	static const char letter = 'z';
	typedef double real;
};
template <class T> using real_of = typename kind<T>::real;

template <class T> static inline bool is_complex()
{
	return sizeof(T) > sizeof(real_of<T>);
}
template <class T> static inline double epsilon()
{
	return sizeof(real_of<T>) == 4 ? 0x1p-24 : 0x1p-53;
}

/* The parts of a number */
template <class T> static inline int parts()
{
	return sizeof(T) / sizeof(real_of<T>);
}
template <class T> static inline real_of<T> &part(T &a, int i)
{
	return ((real_of<T> *)&a)[i];
}

template <class T> static inline T number(double re, double im = 0)
{
	T a;

	part(a, 0) = (real_of<T>)re;
	if (is_complex<T>())
		part(a, 1) = (real_of<T>)im;
	return a;
}

template <class T> static inline T random_number()
{
	double re = lcg_double(&draw, -1, 1);

	return number<T>(re, lcg_double(&draw, -1, 1));
}

/* 0, 1 or another: the first two are ways of their own. */
template <class T> static inline T random_scalar()
{
	switch (lcg_below(&draw, 5)) {
	case 0:
		return number<T>(0);
	case 1:
		return number<T>(1);
	default:
		return random_number<T>();
	}
}

template <class T> static inline bool zero(T a)
{
	return part(a, 0) == 0 && (!is_complex<T>() || part(a, parts<T>() - 1) == 0);
}

/* Small sizes, and those that fit no tile. */
static inline int random_size()
{
	static const int sizes[] = {0, 1, 2, 3, 7, 16, 17, 31, 32, 33, 40, 65};

	return sizes[lcg_below(&draw, sizeof(sizes) / sizeof(*sizes))];
}

static inline int random_increment()
{
	static const int increments[] = {1, 1, 1, 2, -1, 3, -2};

	return increments[lcg_below(&draw, 7)];
}

static inline int more(int n)
{
	return (n > 1 ? n : 1) + (int)lcg_below(&draw, 4);
}

static inline cublasOperation_t random_op()
{
	return (cublasOperation_t)lcg_below(&draw, 3);
}
static inline cublasFillMode_t random_fill()
{
	return (cublasFillMode_t)lcg_below(&draw, 2);
}
static inline cublasDiagType_t random_diag()
{
	return (cublasDiagType_t)lcg_below(&draw, 2);
}
static inline cublasSideMode_t random_side()
{
	return (cublasSideMode_t)lcg_below(&draw, 2);
}
static inline char letter(cublasOperation_t op)
{
	return "NTC"[op];
}
static inline char letter(cublasFillMode_t uplo)
{
	return "LU"[uplo];
}
static inline char letter(cublasDiagType_t diag)
{
	return "NU"[diag];
}
static inline char letter(cublasSideMode_t side)
{
	return "LR"[side];
}

/* ---- memory */

template <class T> struct buffer {
	long count;
	T *host, *got, *device;

	explicit buffer(long n, double scale = 1) : count(n > 0 ? n : 1)
	{
		host = (T *)host_alloc(count * sizeof(T));
		got = (T *)host_alloc(count * sizeof(T));
		for (long i = 0; i < count; i++) {
			host[i] = random_number<T>();
			for (int p = 0; p < parts<T>(); p++)
				part(host[i], p) *= (real_of<T>)scale;
		}
		device = device_new<T>(count);
	}
	buffer(const buffer &) = delete;
	~buffer()
	{
		free(host);
		free(got);
		CHECK(cudaFree(device));
	}
	/* NaN where nothing may be read */
	void poison()
	{
		memset((void *)host, 0xff, count * sizeof(T));
		poisoned = true;
	}
	void send()
	{
		CHECK(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
	}
	/* Equal within the bound, after the host has computed, too. */
	void check(const char *what, double bound)
	{
		host_from(got, device, count);
		for (long i = 0; i < count; i++)
			for (int p = 0; p < parts<T>(); p++)
				expect_near(what, i, part(got[i], p), part(host[i], p), bound);
	}
};

static inline long vector_length(int n, int inc)
{
	return n > 0 ? 1 + (long)(n - 1) * abs(inc) : 0;
}

/* A scalar where the pointer mode has it */
template <class T> struct argument {
	T value, *device;

	argument(const argument &) = delete;
	explicit argument(T v) : value(v)
	{
		device = device_from(&v, 1);
	}
	~argument()
	{
		CHECK(cudaFree(device));
	}
	operator const T *() const
	{
		return device_scalars ? device : &value;
	}
};

/* A place for a result */
template <class T> struct result {
	T value, *device;

	result(const result &) = delete;
	result()
	{
		memset((void *)&value, 0xee, sizeof(T));
		device = device_from(&value, 1);
	}
	~result()
	{
		CHECK(cudaFree(device));
	}
	operator T *()
	{
		return device_scalars ? device : &value;
	}
	T get()
	{
		if (device_scalars)
			host_from(&value, device, 1);
		return value;
	}
};

static inline void draw_mode()
{
	device_scalars = lcg_below(&draw, 2);
	OK(cublasSetPointerMode(handle, device_scalars ? CUBLAS_POINTER_MODE_DEVICE
						       : CUBLAS_POINTER_MODE_HOST));
}

/* ---- the host's BLAS, by Fortran's names; all arguments are pointers */

/* OpenBLAS, where it is installed, says it for half of the problems without NaN. */
static inline void *fortran_symbol(const char *name)
{
	static void *reference, *open;

	if (!reference) {
		setenv("OPENBLAS_NUM_THREADS", "1", 1);
		reference = oracle("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3", "libblas3");
		open = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
		if (!open)
			fprintf(stderr, "%s: no libopenblas0: by the reference BLAS alone\n",
				test.name);
	}
	bool other = lcg_below(&draw, 2) && !poisoned;
	poisoned = false;
	return oracle_symbol(other && open ? open : reference, name);
}

template <class T, class... A> static inline void fortran(const char *name, A... arguments)
{
	char whole[32];

	snprintf(whole, sizeof(whole), "%c%s_", kind<T>::letter, name);
	((void (*)(const A...))fortran_symbol(whole))(arguments...);
}

/* cuBLAS's functions by the type of the first argument */
#define BLAS_REAL(name)                                             \
	template <class... A> cublasStatus_t name(float, A &&...a)  \
	{                                                           \
		return cublasS##name(handle, a...);                 \
	}                                                           \
	template <class... A> cublasStatus_t name(double, A &&...a) \
	{                                                           \
		return cublasD##name(handle, a...);                 \
	}
#define BLAS_COMPLEX(name)                                                   \
	template <class... A> cublasStatus_t name(cuComplex, A &&...a)       \
	{                                                                    \
		return cublasC##name(handle, a...);                          \
	}                                                                    \
	template <class... A> cublasStatus_t name(cuDoubleComplex, A &&...a) \
	{                                                                    \
		return cublasZ##name(handle, a...);                          \
	}
#define BLAS_ALL(name) BLAS_REAL(name) BLAS_COMPLEX(name)

#endif
