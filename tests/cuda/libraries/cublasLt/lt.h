/* SPDX-License-Identifier: MIT */
/*
 * What the tests of cuBLASLt share: matrices of any type and order on the host, as numbers, and
 * descriptions of them. Numbers are small integers and their halves, so that sums are exact in
 * every type that adds, and results are compared bit by bit after one rounding.
 */
#ifndef TESTS_CUBLASLT_LT_H
#define TESTS_CUBLASLT_LT_H

#include "common.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_fp8.h>

static struct lcg draw = {61};
static cublasLtHandle_t handle;

#define OK(call) check_status((call), CUBLAS_STATUS_SUCCESS, #call, __LINE__)
#define EXPECT_STATUS(want, call) check_status((call), (want), #call, __LINE__)

static inline void check_status(cublasStatus_t got, cublasStatus_t want, const char *call, int line)
{
	if (got != want)
		mismatch("line %d, %s: got %s, expected %s", line, call, cublasGetStatusName(got),
			 cublasGetStatusName(want));
}

static inline int size_of(cudaDataType type)
{
	switch (type) {
	case CUDA_R_8I:
	case CUDA_R_8F_E4M3:
	case CUDA_R_8F_E5M2:
		return 1;
	case CUDA_R_16F:
	case CUDA_R_16BF:
		return 2;
	case CUDA_R_64F:
	case CUDA_C_32F:
		return 8;
	case CUDA_C_64F:
		return 16;
	default:
		return 4;
	}
}

static inline bool is_complex(cudaDataType type)
{
	return type == CUDA_C_32F || type == CUDA_C_64F;
}

struct complex {
	double re, im;
};

/* ---- elements */

static inline complex get_element(const void *p, cudaDataType type, long at)
{
	complex z = {0, 0};

	switch (type) {
	case CUDA_R_8I:
		z.re = ((const signed char *)p)[at];
		break;
	case CUDA_R_8F_E4M3:
		z.re = (float)((const __nv_fp8_e4m3 *)p)[at];
		break;
	case CUDA_R_8F_E5M2:
		z.re = (float)((const __nv_fp8_e5m2 *)p)[at];
		break;
	case CUDA_R_16F:
		z.re = __half2float(((const __half *)p)[at]);
		break;
	case CUDA_R_16BF:
		z.re = __bfloat162float(((const __nv_bfloat16 *)p)[at]);
		break;
	case CUDA_R_32I:
		z.re = ((const int *)p)[at];
		break;
	case CUDA_R_64F:
		z.re = ((const double *)p)[at];
		break;
	case CUDA_C_32F:
		z.re = ((const float *)p)[2 * at];
		z.im = ((const float *)p)[2 * at + 1];
		break;
	case CUDA_C_64F:
		z.re = ((const double *)p)[2 * at];
		z.im = ((const double *)p)[2 * at + 1];
		break;
	default:
		z.re = ((const float *)p)[at];
	}
	return z;
}

static inline void put_element(void *p, cudaDataType type, long at, complex z)
{
	switch (type) {
	case CUDA_R_8I:
		((signed char *)p)[at] = (signed char)(z.re < -128  ? -128
						       : z.re > 127 ? 127
								    : rint(z.re));
		break;
	case CUDA_R_8F_E4M3:
		((__nv_fp8_e4m3 *)p)[at] = __nv_fp8_e4m3((float)z.re);
		break;
	case CUDA_R_8F_E5M2:
		((__nv_fp8_e5m2 *)p)[at] = __nv_fp8_e5m2((float)z.re);
		break;
	case CUDA_R_16F:
		((__half *)p)[at] = __float2half_rn((float)z.re);
		break;
	case CUDA_R_16BF:
		((__nv_bfloat16 *)p)[at] = __float2bfloat16_rn((float)z.re);
		break;
	case CUDA_R_32I:
		((int *)p)[at] = (int)z.re;
		break;
	case CUDA_R_64F:
		((double *)p)[at] = z.re;
		break;
	case CUDA_C_32F:
		((float *)p)[2 * at] = (float)z.re;
		((float *)p)[2 * at + 1] = (float)z.im;
		break;
	case CUDA_C_64F:
		((double *)p)[2 * at] = z.re;
		((double *)p)[2 * at + 1] = z.im;
		break;
	default:
		((float *)p)[at] = (float)z.re;
	}
}

/* ---- a buffer: what the host and what the device has */

struct buffer {
	cudaDataType type;
	long count;
	char *host, *got, *device;

	buffer(cudaDataType type, long count) : type(type), count(count > 0 ? count : 1)
	{
		host = (char *)host_alloc(bytes());
		got = (char *)host_alloc(bytes());
		device = device_new<char>(bytes());
		memset(host, 0, bytes());
	}
	buffer(const buffer &) = delete;
	~buffer()
	{
		free(host);
		free(got);
		CHECK(cudaFree(device));
	}
	long bytes() const
	{
		return count * size_of(type);
	}
	/* -3 to 3, for bytes and halves alike; without @halves only integers */
	void fill(int most = 3)
	{
		for (long i = 0; i < count; i++) {
			complex z = {(double)lcg_below(&draw, 2 * most + 1) - most,
				     (double)lcg_below(&draw, 2 * most + 1) - most};

			put_element(host, type, i, z);
		}
	}
	void poison()
	{
		memset(host, 0xff, bytes());
	}
	void send()
	{
		CHECK(cudaMemcpy(device, host, bytes(), cudaMemcpyHostToDevice));
	}
	void check(const char *what, double relative = 0)
	{
		CHECK(cudaMemcpy(got, device, bytes(), cudaMemcpyDeviceToHost));
		for (long i = 0; i < count; i++) {
			complex want = get_element(host, type, i), is = get_element(got, type, i);

			if (!memcmp(host + i * size_of(type), got + i * size_of(type),
				    size_of(type)))
				continue;
			expect_near(what, i, is.re, want.re, fabs(want.re) * relative + relative);
			expect_near(what, i, is.im, want.im, fabs(want.im) * relative + relative);
		}
	}
};

/* ---- a matrix, or a batch of them */

struct matrix : buffer {
	int order, rows, cols, batches;
	long ld, stride;
	char **list; /* on the device: where each matrix of the batch is; NULL: by stride */
	cublasLtMatrixLayout_t layout;

	static long least(int order, int rows, int cols)
	{
		return order == CUBLASLT_ORDER_ROW	     ? cols
		       : order == CUBLASLT_ORDER_COL	     ? rows
		       : order == CUBLASLT_ORDER_COL32	     ? 32 * rows
		       : order == CUBLASLT_ORDER_COL4_4R2_8C ? 32 * ((rows + 7) / 8 * 8)
							     : 32 * ((rows + 31) / 32 * 32);
	}
	static long room(int order, int rows, int cols, long ld)
	{
		return ld * (order == CUBLASLT_ORDER_ROW   ? rows
			     : order == CUBLASLT_ORDER_COL ? cols
							   : (cols + 31) / 32);
	}
	matrix(cudaDataType type, int order, int rows, int cols, int batches, int slack)
	    : buffer(type,
		     (room(order, rows, cols, least(order, rows, cols) + slack) + slack) * batches),
	      order(order), rows(rows), cols(cols), batches(batches),
	      ld(least(order, rows, cols) + slack),
	      stride(room(order, rows, cols, least(order, rows, cols) + slack) + slack), list(NULL)
	{
		int32_t o = order, b = batches;
		int64_t s = stride;

		OK(cublasLtMatrixLayoutCreate(&layout, type, rows, cols, ld));
		OK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &o,
						    sizeof(o)));
		OK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &b,
						    sizeof(b)));
		OK(cublasLtMatrixLayoutSetAttribute(
			layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &s, sizeof(s)));
	}
	~matrix()
	{
		OK(cublasLtMatrixLayoutDestroy(layout));
		CHECK(cudaFree(list));
	}
	/* As a batch by pointers */
	void use_list()
	{
		uint32_t mode = CUBLASLT_BATCH_MODE_POINTER_ARRAY;
		char *places[4];

		for (int i = 0; i < batches; i++)
			places[i] = device + i * stride * size_of(type);
		list = device_from(places, batches);
		OK(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE,
						    &mode, sizeof(mode)));
	}
	void *argument() const
	{
		return list ? (void *)list : device;
	}
	/* As NVIDIA's documentation has it for the tiled orders */
	long place(int i, int j, int batch) const
	{
		long at = batch * stride, strip = (j >> 5) * ld;
		int r = i & 31, c = j & 31;

		switch (order) {
		case CUBLASLT_ORDER_COL:
			return at + i + j * ld;
		case CUBLASLT_ORDER_ROW:
			return at + i * ld + j;
		case CUBLASLT_ORDER_COL32:
			return at + strip + (i << 5 | c);
		case CUBLASLT_ORDER_COL4_4R2_8C:
			return at + strip +
			       (((((i >> 3) << 3) + ((i & 1) << 2) + (c >> 3)) << 5) +
				((((c & 7) >= 4 ? 4 : 0) + ((i & 7) >> 1)) << 2) + (c & 3));
		default:
			return at + strip + (i >> 5) * 1024 +
			       (((r % 8) / 2 * 4 + r / 8) * 2 + r % 2) * 32 + c;
		}
	}
	complex get(int i, int j, int batch) const
	{
		return get_element(host, type, place(i, j, batch));
	}
	void put(int i, int j, int batch, complex z)
	{
		put_element(host, type, place(i, j, batch), z);
	}
	/* of op() */
	complex get(cublasOperation_t op, int i, int j, int batch) const
	{
		bool turned = op == CUBLAS_OP_T || op == CUBLAS_OP_C;
		complex z = turned ? get(j, i, batch) : get(i, j, batch);

		if (op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG)
			z.im = -z.im;
		return z;
	}
};

/* A number of a scale's type */
struct scalar {
	double room[2];

	scalar(cudaDataType type, double v)
	{
		complex z = {v, 0};

		memset(room, 0, sizeof(room));
		put_element(room, type, 0, z);
	}
};

template <class T>
static void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t which, T value)
{
	OK(cublasLtMatmulDescSetAttribute(operation, which, &value, sizeof(value)));
}

#endif
