/* SPDX-License-Identifier: MIT */
/*
 * What the tests of cuSPARSE share: matrices drawn at random as dense ones of double, which are the
 * reference, and the same in each format and type on the device.
 */
#ifndef TESTS_CUSPARSE_SPARSE_H
#define TESTS_CUSPARSE_SPARSE_H

#include "common.h"

#include <cusparse.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <vector>

static struct lcg draw = {51};
static cusparseHandle_t handle;

#define OK(call) check_status((call), CUSPARSE_STATUS_SUCCESS, #call, __LINE__)
#define EXPECT_STATUS(want, call) check_status((call), (want), #call, __LINE__)

static inline void check_status(cusparseStatus_t got, cusparseStatus_t want, const char *call,
				int line)
{
	if (got != want)
		mismatch("line %d, %s: got %s, expected %s", line, call, cusparseGetErrorName(got),
			 cusparseGetErrorName(want));
}

struct number {
	double re, im;
};

static inline number operator+(number a, number b)
{
	return {a.re + b.re, a.im + b.im};
}
static inline number operator*(number a, number b)
{
	return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline number conj_if(number a, bool yes)
{
	return {a.re, yes ? -a.im : a.im};
}
static inline double size_of(number a)
{
	return fabs(a.re) + fabs(a.im);
}

static inline bool is_complex(cudaDataType t)
{
	return t == CUDA_C_32F || t == CUDA_C_64F;
}
static inline size_t bytes_of(cudaDataType t)
{
	return t == CUDA_R_8I			     ? 1
	       : t == CUDA_R_16F || t == CUDA_R_16BF ? 2
	       : t == CUDA_R_32F || t == CUDA_R_32I  ? 4
	       : t == CUDA_R_64F || t == CUDA_C_32F  ? 8
						     : 16;
}
/* One rounding of a number of this type */
static inline double epsilon(cudaDataType t)
{
	return t == CUDA_R_16F			    ? 0x1p-11
	       : t == CUDA_R_16BF		    ? 0x1p-8
	       : t == CUDA_R_32I		    ? 0
	       : t == CUDA_R_64F || t == CUDA_C_64F ? 0x1p-53
						    : 0x1p-24;
}

static inline void put(void *at, cudaDataType t, size_t i, number v)
{
	switch (t) {
	case CUDA_R_8I:
		((signed char *)at)[i] = (signed char)v.re;
		break;
	case CUDA_R_32I:
		((int *)at)[i] = (int)v.re;
		break;
	case CUDA_R_16F:
		((__half *)at)[i] = __float2half((float)v.re);
		break;
	case CUDA_R_16BF:
		((__nv_bfloat16 *)at)[i] = __float2bfloat16((float)v.re);
		break;
	case CUDA_R_32F:
		((float *)at)[i] = (float)v.re;
		break;
	case CUDA_R_64F:
		((double *)at)[i] = v.re;
		break;
	case CUDA_C_32F:
		((cuComplex *)at)[i] = make_cuComplex((float)v.re, (float)v.im);
		break;
	default:
		((cuDoubleComplex *)at)[i] = make_cuDoubleComplex(v.re, v.im);
	}
}

static inline number get(const void *at, cudaDataType t, size_t i)
{
	switch (t) {
	case CUDA_R_8I:
		return {(double)((const signed char *)at)[i], 0};
	case CUDA_R_32I:
		return {(double)((const int *)at)[i], 0};
	case CUDA_R_16F:
		return {__half2float(((const __half *)at)[i]), 0};
	case CUDA_R_16BF:
		return {__bfloat162float(((const __nv_bfloat16 *)at)[i]), 0};
	case CUDA_R_32F:
		return {((const float *)at)[i], 0};
	case CUDA_R_64F:
		return {((const double *)at)[i], 0};
	case CUDA_C_32F:
		return {((const cuComplex *)at)[i].x, ((const cuComplex *)at)[i].y};
	default:
		return {((const cuDoubleComplex *)at)[i].x, ((const cuDoubleComplex *)at)[i].y};
	}
}

/* A number that every type holds: a multiple of 1/8 up to 2, or a small integer. */
static inline number random_number(cudaDataType t)
{
	double unit = t == CUDA_R_8I || t == CUDA_R_32I ? 1 : 0.125;
	number v = {unit * ((int)lcg_below(&draw, 33) - 16), 0};

	if (is_complex(t))
		v.im = unit * ((int)lcg_below(&draw, 33) - 16);
	return v;
}

/* A scalar of the caller's */
struct scalar {
	alignas(16) char bytes[16];
};
static inline struct scalar scalar_of(cudaDataType t, number v)
{
	struct scalar s;

	put(s.bytes, t, 0, v);
	return s;
}

/* Values on the device, and what the host knows of them. Those that are not filled in are NaN. */
struct array {
	cudaDataType type;
	size_t count;
	std::vector<char> host;
	void *at;

	array(cudaDataType t, size_t n) : type(t), count(n), host(n * bytes_of(t) + 1)
	{
		at = device_new<char>(n * bytes_of(t));
		for (size_t i = 0; i < n; i++)
			set(i, {t == CUDA_R_8I || t == CUDA_R_32I ? 77 : NAN, 0});
	}
	~array()
	{
		CHECK(cudaFree(at));
	}
	array(const array &) = delete;
	void set(size_t i, number v)
	{
		put(host.data(), type, i, v);
	}
	number value(size_t i) const
	{
		return get(host.data(), type, i);
	}
	void send()
	{
		CHECK(cudaMemcpy(at, host.data(), count * bytes_of(type), cudaMemcpyHostToDevice));
	}
	void bring()
	{
		CHECK(cudaMemcpy(host.data(), at, count * bytes_of(type), cudaMemcpyDeviceToHost));
	}
};

/* Indices on the device, of 32 or 64 bits, with a base added */
struct index_list {
	cusparseIndexType_t type;
	size_t count;
	int base;
	void *at;

	index_list(const std::vector<int> &from, cusparseIndexType_t t, int b)
	    : type(t), count(from.size()), base(b)
	{
		size_t each = t == CUSPARSE_INDEX_64I ? 8 : 4;
		std::vector<char> host(count * each + 1);

		for (size_t i = 0; i < count; i++) {
			int64_t v = from[i] < 0 ? -1 : from[i] + b;

			memcpy(&host[i * each], &v, each);
		}
		at = device_new<char>(count * each);
		CHECK(cudaMemcpy(at, host.data(), count * each, cudaMemcpyHostToDevice));
	}
	~index_list()
	{
		CHECK(cudaFree(at));
	}
	index_list(const index_list &) = delete;
	std::vector<int> bring() const
	{
		size_t each = type == CUSPARSE_INDEX_64I ? 8 : 4;
		std::vector<char> host(count * each + 1);
		std::vector<int> v(count);

		CHECK(cudaMemcpy(host.data(), at, count * each, cudaMemcpyDeviceToHost));
		for (size_t i = 0; i < count; i++) {
			int64_t x = 0;

			memcpy(&x, &host[i * each], each);
			v[i] = each == 4 ? (int)x - base : (int)(x - base);
		}
		return v;
	}
	int *ints() const
	{
		return (int *)at;
	}
};

/* The reference: a dense matrix by rows, of which some elements are there. */
struct matrix {
	int rows, cols;
	std::vector<number> values;
	std::vector<char> there;

	matrix(int m, int n) : rows(m), cols(n), values((size_t)m * n), there((size_t)m * n)
	{
	}
	number &at(int i, int j)
	{
		return values[(size_t)i * cols + j];
	}
	char &has(int i, int j)
	{
		return there[(size_t)i * cols + j];
	}
	number op(cusparseOperation_t o, int i, int j)
	{
		return o == CUSPARSE_OPERATION_NON_TRANSPOSE
			       ? at(i, j)
			       : conj_if(at(j, i), o == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
	}
};

/* Every PART-th element of four, with some rows that have none, in blocks of BLOCK. */
static inline matrix random_matrix(int m, int n, int part, cudaDataType t, int block = 1)
{
	matrix a(m, n);

	for (int i = 0; i < m; i += block) {
		bool empty = !lcg_below(&draw, 5);

		for (int j = 0; j < n; j += block) {
			if (empty || lcg_below(&draw, 4) >= (uint32_t)part)
				continue;
			for (int k = 0; k < block * block; k++) {
				int r = i + k / block, c = j + k % block;

				if (r >= m || c >= n)
					continue;
				a.at(r, c) = random_number(t);
				a.has(r, c) = 1;
			}
		}
	}
	return a;
}

/* Lists of the entries, by rows; turned: by columns. */
struct entries {
	std::vector<int> offsets, major, minor;
	std::vector<number> values;
};
static inline entries entries_of(matrix &a, bool turned = false)
{
	entries e;
	int lines = turned ? a.cols : a.rows, length = turned ? a.rows : a.cols;

	e.offsets.push_back(0);
	for (int i = 0; i < lines; i++) {
		for (int j = 0; j < length; j++)
			if (turned ? a.has(j, i) : a.has(i, j)) {
				e.major.push_back(i);
				e.minor.push_back(j);
				e.values.push_back(turned ? a.at(j, i) : a.at(i, j));
			}
		e.offsets.push_back((int)e.minor.size());
	}
	return e;
}

/* A matrix on the device, with its descriptor */
struct device_matrix {
	index_list *offsets, *indices;
	array *values;
	cusparseSpMatDescr_t descr;

	/* ELL and BSR have blocks of 2, sliced ELL slices of 3. */
	device_matrix(matrix &a, cusparseFormat_t format, cudaDataType t, cusparseIndexType_t it,
		      cusparseIndexBase_t base)
	{
		if (format == CUSPARSE_FORMAT_BSR)
			bsr(a, t, it, base);
		else if (format == CUSPARSE_FORMAT_BLOCKED_ELL)
			ell(a, t, it, base);
		else if (format == CUSPARSE_FORMAT_SLICED_ELLPACK)
			sliced(a, t, it, base);
		else
			lists(a, format, t, it, base);
	}
	~device_matrix()
	{
		OK(cusparseDestroySpMat(descr));
		delete offsets;
		delete indices;
		delete values;
	}
	device_matrix(const device_matrix &) = delete;

      private:
	void fill(cudaDataType t, const std::vector<number> &from)
	{
		values = new array(t, from.size());
		for (size_t i = 0; i < from.size(); i++)
			values->set(i, from[i]);
		values->send();
	}
	void lists(matrix &a, cusparseFormat_t format, cudaDataType t, cusparseIndexType_t it,
		   cusparseIndexBase_t base)
	{
		entries e = entries_of(a, format == CUSPARSE_FORMAT_CSC);
		int64_t nnz = (int64_t)e.minor.size();

		offsets = new index_list(format == CUSPARSE_FORMAT_COO ? e.major : e.offsets, it,
					 base);
		indices = new index_list(e.minor, it, base);
		fill(t, e.values);
		if (format == CUSPARSE_FORMAT_COO)
			OK(cusparseCreateCoo(&descr, a.rows, a.cols, nnz, offsets->at, indices->at,
					     values->at, it, base, t));
		else if (format == CUSPARSE_FORMAT_CSC)
			OK(cusparseCreateCsc(&descr, a.rows, a.cols, nnz, offsets->at, indices->at,
					     values->at, it, it, base, t));
		else
			OK(cusparseCreateCsr(&descr, a.rows, a.cols, nnz, offsets->at, indices->at,
					     values->at, it, it, base, t));
	}
	static bool has_block(matrix &a, int i, int j)
	{
		for (int k = 0; k < 4; k++)
			if (a.has(2 * i + k / 2, 2 * j + k % 2))
				return true;
		return false;
	}
	void bsr(matrix &a, cudaDataType t, cusparseIndexType_t it, cusparseIndexBase_t base)
	{
		std::vector<int> first(1), cols;
		std::vector<number> v;
		bool by_rows = lcg_below(&draw, 2);

		for (int i = 0; i < a.rows / 2; i++) {
			for (int j = 0; j < a.cols / 2; j++) {
				if (!has_block(a, i, j))
					continue;
				cols.push_back(j);
				for (int k = 0; k < 4; k++)
					v.push_back(by_rows ? a.at(2 * i + k / 2, 2 * j + k % 2)
							    : a.at(2 * i + k % 2, 2 * j + k / 2));
			}
			first.push_back((int)cols.size());
		}
		offsets = new index_list(first, it, base);
		indices = new index_list(cols, it, base);
		fill(t, v);
		OK(cusparseCreateBsr(&descr, a.rows / 2, a.cols / 2, (int64_t)cols.size(), 2, 2,
				     offsets->at, indices->at, values->at, it, it, base, t,
				     by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
	}
	/* As many columns as the longest row of blocks has; the rest is -1. */
	void ell(matrix &a, cudaDataType t, cusparseIndexType_t it, cusparseIndexBase_t base)
	{
		std::vector<std::vector<int>> cols(a.rows / 2);
		std::vector<int> all;
		size_t wide = 0;

		for (int i = 0; i < a.rows / 2; i++) {
			for (int j = 0; j < a.cols / 2; j++)
				if (has_block(a, i, j))
					cols[i].push_back(j);
			wide = cols[i].size() > wide ? cols[i].size() : wide;
		}
		std::vector<number> v(a.rows * wide * 2, number{NAN, 0});
		for (int i = 0; i < a.rows / 2; i++) {
			cols[i].resize(wide, -1);
			all.insert(all.end(), cols[i].begin(), cols[i].end());
			for (size_t k = 0; k < wide * 4; k++) {
				size_t row = k / (wide * 2), at = k % (wide * 2);
				int j = cols[i][at / 2];

				if (j >= 0)
					v[(2 * i + row) * wide * 2 + at] =
						a.at(2 * i + (int)row, 2 * j + (int)at % 2);
			}
		}
		offsets = NULL;
		indices = new index_list(all, it, base);
		fill(t, v);
		OK(cusparseCreateBlockedEll(&descr, a.rows, a.cols, 2, (int64_t)wide * 2,
					    indices->at, values->at, it, base, t));
	}
	void sliced(matrix &a, cudaDataType t, cusparseIndexType_t it, cusparseIndexBase_t base)
	{
		entries e = entries_of(a);
		std::vector<int> first(1), cols;
		std::vector<number> v;

		for (int i = 0; i < a.rows; i += 3) {
			int wide = 0;

			for (int r = i; r < i + 3 && r < a.rows; r++)
				if (e.offsets[r + 1] - e.offsets[r] > wide)
					wide = e.offsets[r + 1] - e.offsets[r];
			for (int k = 0; k < wide; k++)
				for (int r = i; r < i + 3; r++) {
					int at = r < a.rows ? e.offsets[r] + k : 0;
					bool in = r < a.rows && at < e.offsets[r + 1];

					cols.push_back(in ? e.minor[at] : -1);
					v.push_back(in ? e.values[at] : number{NAN, 0});
				}
			first.push_back((int)cols.size());
		}
		offsets = new index_list(first, it, base);
		indices = new index_list(cols, it, base);
		fill(t, v);
		OK(cusparseCreateSlicedEll(&descr, a.rows, a.cols, (int64_t)e.minor.size(),
					   (int64_t)cols.size(), 3, offsets->at, indices->at,
					   values->at, it, it, base, t));
	}
};

/* A buffer as large as was asked for */
struct buffer {
	void *at;

	explicit buffer(size_t bytes)
	{
		at = bytes ? device_new<char>(bytes) : NULL;
	}
	~buffer()
	{
		CHECK(cudaFree(at));
	}
	buffer(const buffer &) = delete;
};

static inline void expect_number(const char *what, long i, number got, number want, double bound)
{
	expect_near(what, 2 * i, got.re, want.re, bound);
	expect_near(what, 2 * i + 1, got.im, want.im, bound);
}

#endif
