// SPDX-License-Identifier: MIT
/*
 * cublasLtMatmul against the sums, in all types, orders, modes of pointers and with all epilogues.
 */
#include "lt.h"

struct types {
	cublasComputeType_t compute;
	cudaDataType scale, a, b, c, d;
};

#define ALL(type) type, type, type, type, type
static const types known[] = {
	{CUBLAS_COMPUTE_16F, ALL(CUDA_R_16F)},
	{CUBLAS_COMPUTE_32F, ALL(CUDA_R_32F)},
	{CUBLAS_COMPUTE_32F_FAST_TF32, ALL(CUDA_R_32F)},
	{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
	{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
	{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF},
	{CUBLAS_COMPUTE_32F_FAST_16BF, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F,
	 CUDA_R_32F},
	{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},
	{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_16BF},
	{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, CUDA_R_16F,
	 CUDA_R_8F_E4M3},
	{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E5M2, CUDA_R_8F_E4M3, CUDA_R_32F, CUDA_R_32F},
	{CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
	{CUBLAS_COMPUTE_32I, CUDA_R_32F, CUDA_R_8I, CUDA_R_8I, CUDA_R_8I, CUDA_R_8I},
	{CUBLAS_COMPUTE_64F, ALL(CUDA_R_64F)},
	{CUBLAS_COMPUTE_32F, ALL(CUDA_C_32F)},
	{CUBLAS_COMPUTE_64F, ALL(CUDA_C_64F)},
};
enum { KNOWN = sizeof(known) / sizeof(*known) };

static const unsigned int epilogues[] = {
	CUBLASLT_EPILOGUE_DEFAULT,  CUBLASLT_EPILOGUE_RELU,	   CUBLASLT_EPILOGUE_RELU_AUX,
	CUBLASLT_EPILOGUE_BIAS,	    CUBLASLT_EPILOGUE_RELU_BIAS,   CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
	CUBLASLT_EPILOGUE_DRELU,    CUBLASLT_EPILOGUE_DRELU_BGRAD, CUBLASLT_EPILOGUE_GELU,
	CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_BIAS,   CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
	CUBLASLT_EPILOGUE_DGELU,    CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA,
	CUBLASLT_EPILOGUE_BGRADB,
};

static bool is_fp8(cudaDataType type)
{
	return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

static double gelu(double x)
{
	return x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

/* Its derivative, by differences: the formula is what is tested. */
static double gelu_slope(double x)
{
	return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5;
}

/* One product, drawn at random, and what else is written by it. */
struct problem {
	types t;
	int m, n, k, batches, pointers;
	unsigned int epilogue;
	cublasOperation_t opa, opb;
	double alpha, beta;
	matrix *a, *b, *c, *d;
	buffer *bias, *aux, *alphas, *betas;
	cudaDataType aux_type;
	long aux_ld, aux_stride;
	float factors[4], *device_factors, *amax;
	double most;
	cublasLtMatmulDesc_t operation;
};

static int random_size()
{
	static const int sizes[] = {1, 2, 3, 8, 17, 32, 33, 40, 65};

	return sizes[lcg_below(&draw, 9)];
}

static cudaDataType bias_type(const types &t)
{
	return is_fp8(t.d) ? t.c : t.d == CUDA_R_8I ? CUDA_R_32F : t.d;
}

static void make_matrices(problem &p)
{
	bool tiled = p.t.a == CUDA_R_8I && p.t.scale == CUDA_R_32I && lcg_below(&draw, 2);
	bool turna = p.opa == CUBLAS_OP_T || p.opa == CUBLAS_OP_C;
	bool turnb = p.opb == CUBLAS_OP_T || p.opb == CUBLAS_OP_C;
	int slack = lcg_below(&draw, 3);

	p.a = new matrix(p.t.a, tiled ? (int)CUBLASLT_ORDER_COL32 : (int)lcg_below(&draw, 2),
			 turna ? p.k : p.m, turna ? p.m : p.k, p.batches, slack);
	p.b = new matrix(p.t.b, tiled ? 3 + lcg_below(&draw, 2) : lcg_below(&draw, 2),
			 turnb ? p.n : p.k, turnb ? p.k : p.n, p.batches, slack);
	p.c = new matrix(p.t.c, tiled ? (int)CUBLASLT_ORDER_COL32 : (int)lcg_below(&draw, 2), p.m,
			 p.n, p.batches, slack);
	p.d = new matrix(p.t.d, p.c->order, p.m, p.n, p.batches, slack);
	p.a->fill();
	p.b->fill();
	p.c->fill();
	if (p.beta == 0)
		p.c->poison();
	p.d->fill();
	if (p.batches > 1 && !tiled && !is_fp8(p.t.a) && lcg_below(&draw, 2)) {
		p.a->use_list();
		p.b->use_list();
		p.c->use_list();
		p.d->use_list();
	}
}

static void make_epilogue(problem &p)
{
	bool mask = p.epilogue & (2 | 8) && p.epilogue & 128;

	set(p.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, (uint32_t)p.epilogue);
	p.bias = NULL;
	p.aux = NULL;
	if (p.epilogue & (4 | 16 | 256 | 512)) {
		int each = (p.epilogue & 512 ? p.n : p.m) + 2;

		p.bias = new buffer(bias_type(p.t), (long)each * p.batches);
		p.bias->fill();
		set(p.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, (void *)p.bias->device);
		set(p.operation, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, (int64_t)each);
		p.bias->send();
	}
	if (p.epilogue & 128) {
		p.aux_type = mask ? CUDA_R_8I : is_fp8(p.t.d) ? p.t.c : p.t.d;
		p.aux_ld = mask ? (p.m + 127) / 128 * 128 : p.m + 1;
		p.aux_stride = p.aux_ld * p.n;
		p.aux = new buffer(p.aux_type, p.aux_stride * p.batches / (mask ? 8 : 1));
		p.aux->fill(mask ? 127 : 3);
		set(p.operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, (void *)p.aux->device);
		set(p.operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)p.aux_ld);
		set(p.operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE,
		    (int64_t)p.aux_stride);
		p.aux->send();
	}
}

static void make_factors(problem &p)
{
	static const cublasLtMatmulDescAttributes_t which[] = {
		CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
		CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER};

	p.device_factors = p.amax = NULL;
	for (int i = 0; i < 4; i++)
		p.factors[i] = 1;
	if (!is_fp8(p.t.a) || lcg_below(&draw, 2))
		return;
	for (int i = 0; i < 4; i++)
		p.factors[i] =
			(i == 3 && !is_fp8(p.t.d)) ? 1 : (float)(1 << lcg_below(&draw, 3)) / 2;
	p.device_factors = device_from(p.factors, 4);
	p.amax = device_new<float>(1);
	for (int i = 0; i < 4; i++)
		set(p.operation, which[i], (void *)(p.device_factors + i));
	set(p.operation, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, (void *)p.amax);
}

static double alpha_of(const problem &p, int i)
{
	return p.pointers >= 2 ? get_element(p.alphas->host, p.t.scale, i).re : p.alpha;
}

static double beta_of(const problem &p, int i)
{
	return p.pointers == 2	 ? get_element(p.betas->host, p.t.scale, i).re
	       : p.pointers == 3 ? 0
				 : p.beta;
}

/* x of one element, behind the epilogue. */
static double epilogue_of(problem &p, double x, int i, int j, int batch)
{
	long at = p.aux_stride * batch + p.aux_ld * j + i;
	complex z = {0, 0};

	if (p.epilogue & 4)
		x += get_element(p.bias->host, p.bias->type,
				 i + batch * (p.bias->count / p.batches))
			     .re;
	z.re = x;
	if (p.epilogue & 128 && p.epilogue & 2) {
		p.aux->host[at / 8] &= (char)~(1 << at % 8);
		p.aux->host[at / 8] |= (char)((x > 0) << at % 8);
		/* the rest of the last byte is nobody's */
		if (i == p.m - 1)
			p.aux->host[at / 8] &= (char)(0xff >> (7 - at % 8));
	} else if (p.epilogue & 128 && p.epilogue & 32) {
		put_element(p.aux->host, p.aux_type, at, z);
	}
	if (p.epilogue & 2)
		x = x > 0 ? x : 0;
	if (p.epilogue & 32)
		x = gelu(x);
	if (p.epilogue & 8)
		x = p.aux->host[at / 8] >> at % 8 & 1 ? x : 0;
	if (p.epilogue & 64)
		x *= gelu_slope(get_element(p.aux->host, p.aux_type, at).re);
	return x;
}

static void expect(problem &p)
{
	p.most = 0;
	for (int batch = 0; batch < p.batches; batch++)
		for (int i = 0; i < p.m; i++) {
			double row = 0;

			for (int j = 0; j < p.n; j++) {
				complex x = {0, 0}, c = {0, 0};

				for (int l = 0; l < p.k; l++) {
					complex a = p.a->get(p.opa, i, l, batch);
					complex b = p.b->get(p.opb, l, j, batch);

					x.re += a.re * b.re - a.im * b.im;
					x.im += a.re * b.im + a.im * b.re;
				}
				if (beta_of(p, i) != 0)
					c = p.c->get(i, j, batch);
				x.re = alpha_of(p, i) * p.factors[0] * p.factors[1] * x.re +
				       beta_of(p, i) * p.factors[2] * c.re;
				x.im = alpha_of(p, i) * x.im + beta_of(p, i) * c.im;
				x.re = epilogue_of(p, x.re, i, j, batch);
				row += x.re;
				p.most = fmax(p.most, fabs(x.re));
				x.re *= p.factors[3];
				p.d->put(i, j, batch, x);
			}
			if (p.epilogue & 16) {
				complex z = {row, 0};
				put_element(p.bias->host, p.bias->type,
					    i + batch * (p.bias->count / p.batches), z);
			}
		}
}

static void expect_sums(problem &p)
{
	int count = p.epilogue & 256 ? p.m : p.n;

	for (int batch = 0; batch < p.batches; batch++)
		for (int i = 0; i < count; i++) {
			complex sum = {0, 0};

			for (int l = 0; l < p.k; l++)
				sum.re += p.epilogue & 256 ? p.a->get(p.opa, i, l, batch).re
							   : p.b->get(p.opb, l, i, batch).re;
			put_element(p.bias->host, p.bias->type,
				    i + batch * (p.bias->count / p.batches), sum);
		}
}

static void run(problem &p, bool in_place)
{
	scalar alpha(p.t.scale, p.alpha), beta(p.t.scale, p.beta);
	const void *pa = &alpha, *pb = &beta;
	cublasLtMatmulPreference_t preference;
	cublasLtMatmulHeuristicResult_t result;
	buffer workspace(CUDA_R_8I, 1 << 16);
	matrix &c = in_place ? *p.d : *p.c;
	int count = 0;

	if (p.pointers == CUBLASLT_POINTER_MODE_DEVICE) {
		CHECK(cudaMemcpy(p.alphas->device, pa, size_of(p.t.scale), cudaMemcpyDefault));
		CHECK(cudaMemcpy(p.betas->device, pb, size_of(p.t.scale), cudaMemcpyDefault));
	}
	if (p.pointers)
		pa = p.alphas->device;
	if (p.pointers == 1 || p.pointers == 2)
		pb = p.betas->device;
	if (p.pointers == 3)
		pb = NULL;
	OK(cublasLtMatmulPreferenceCreate(&preference));
	OK(cublasLtMatmulAlgoGetHeuristic(handle, p.operation, p.a->layout, p.b->layout, c.layout,
					  p.d->layout, preference, 1, &result, &count));
	EXPECT(count == 1 && result.state == CUBLAS_STATUS_SUCCESS);
	OK(cublasLtMatmulPreferenceDestroy(preference));
	OK(cublasLtMatmul(handle, p.operation, pa, p.a->argument(), p.a->layout, p.b->argument(),
			  p.b->layout, pb, c.argument(), c.layout, p.d->argument(), p.d->layout,
			  lcg_below(&draw, 2) ? &result.algo : NULL, workspace.device,
			  lcg_below(&draw, 2) ? workspace.count : 0, 0));
}

static void test_one(int type, unsigned int epilogue)
{
	static const double alphas[] = {1, 0, -2, 1}, betas[] = {0, 1, -1, 0};
	problem p = {};
	bool real, in_place, rounds;
	double close = 0;

	p.t = known[type];
	real = !is_complex(p.t.scale);
	p.m = random_size();
	p.n = random_size();
	p.k = random_size();
	p.batches = 1 + lcg_below(&draw, 3);
	p.alpha = alphas[lcg_below(&draw, 4)];
	p.beta = betas[lcg_below(&draw, 4)];
	p.pointers = lcg_below(&draw, real ? 5 : 2);
	p.epilogue = epilogue;
	p.opa = (cublasOperation_t)lcg_below(&draw, 3);
	p.opb = (cublasOperation_t)lcg_below(&draw, 3);
	if (p.pointers == 3)
		p.beta = 0;
	OK(cublasLtMatmulDescCreate(&p.operation, p.t.compute, p.t.scale));
	set(p.operation, CUBLASLT_MATMUL_DESC_TRANSA, (int32_t)p.opa);
	set(p.operation, CUBLASLT_MATMUL_DESC_TRANSB, (int32_t)p.opb);
	set(p.operation, CUBLASLT_MATMUL_DESC_POINTER_MODE, (int32_t)p.pointers);
	p.alphas = new buffer(p.t.scale, p.m);
	p.betas = new buffer(p.t.scale, p.m);
	p.alphas->fill(2);
	p.betas->fill(1);
	p.alphas->send();
	p.betas->send();
	make_matrices(p);
	if (p.pointers == 2) /* zeros among the betas are not known */
		p.c->fill();
	make_epilogue(p);
	make_factors(p);
	in_place = p.t.c == p.t.d && lcg_below(&draw, 2);
	if (in_place)
		memcpy(p.c->host, p.d->host, p.d->bytes());
	p.a->send();
	p.b->send();
	p.c->send();
	p.d->send();
	expect(p);
	if (epilogue & (256 | 512))
		expect_sums(p);
	run(p, in_place);
	/* tanh is not exact, and a float's digits are all there is of it. */
	rounds = epilogue & (32 | 64);
	if (rounds)
		close = is_fp8(p.t.d)	       ? 0.13
			: p.t.d == CUDA_R_16BF ? 0.008
			: p.t.d == CUDA_R_16F  ? 0.001
			: p.t.d == CUDA_R_64F  ? 1e-9
					       : 1e-5;
	if (rounds && epilogue & 64)
		close = fmax(close, 1e-4);
	p.d->check("D", close);
	if (p.bias)
		p.bias->check("bias", rounds && epilogue & 16 ? fmax(close, 0.02) : 0);
	if (p.aux)
		p.aux->check("aux");
	if (p.amax) {
		float most;

		/* 1 + tanh(x) loses digits where it is near 0: an error of x, not of the product */
		host_from(&most, p.amax, 1);
		expect_near("amax", 0, most, p.most,
			    !rounds ? 0 : p.most * 1e-5 + (epilogue & 64 ? 1e-4 : 1e-6));
		CHECK(cudaFree(p.amax));
		CHECK(cudaFree(p.device_factors));
	}
	OK(cublasLtMatmulDescDestroy(p.operation));
	delete p.a;
	delete p.b;
	delete p.c;
	delete p.d;
	delete p.bias;
	delete p.aux;
	delete p.alphas;
	delete p.betas;
}

/* The same bytes as cuBLAS's product, in one step and in two (docs/libraries.md). */
static void test_as_cublas(void)
{
	enum { M = 40, N = 33, K = 50 };
	float *a = (float *)host_alloc(M * K * 4), *b = (float *)host_alloc(K * N * 4);
	float *x = (float *)host_alloc(M * N * 4), *y = (float *)host_alloc(M * N * 4);
	float alpha = 0.7f, beta = 0.3f, *da, *db, *dx, *dy;
	cublasLtMatrixLayout_t la, lb, lc;
	cublasLtMatmulDesc_t operation;
	cublasHandle_t blas;

	for (int i = 0; i < M * K; i++)
		a[i] = lcg_float(&draw, -1, 1);
	for (int i = 0; i < K * N; i++)
		b[i] = lcg_float(&draw, -1, 1);
	for (int i = 0; i < M * N; i++)
		x[i] = lcg_float(&draw, -1, 1);
	da = device_from(a, M * K);
	db = device_from(b, K * N);
	dx = device_from(x, M * N);
	dy = device_from(x, M * N);
	OK(cublasCreate(&blas));
	OK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &alpha, da, M, db, K, &beta, dx,
		       M));
	OK(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	OK(cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, M, K, M));
	OK(cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, K, N, K));
	OK(cublasLtMatrixLayoutCreate(&lc, CUDA_R_32F, M, N, M));
	/* a handle of cuBLAS is one of cuBLASLt */
	OK(cublasLtMatmul((cublasLtHandle_t)blas, operation, &alpha, da, la, db, lb, &beta, dy, lc,
			  dy, lc, NULL, NULL, 0, 0));
	host_from(x, dx, M * N);
	host_from(y, dy, M * N);
	compare_exact("as cuBLAS", y, x, M * N);
	/* and by two steps */
	CHECK(cudaMemcpy(dx, y, M * N * 4, cudaMemcpyDefault));
	OK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &alpha, da, M, db, K, &beta, dx,
		       M));
	CHECK(cudaMemcpy(y, dy, M * N * 4, cudaMemcpyDefault));
	float *dz = device_new<float>(M * N);
	OK(cublasLtMatmul((cublasLtHandle_t)blas, operation, &alpha, da, la, db, lb, &beta, dy, lc,
			  dz, lc, NULL, NULL, 0, 0));
	host_from(x, dx, M * N);
	host_from(y, dz, M * N);
	compare_exact("as cuBLAS, elsewhere", y, x, M * N);
	OK(cublasLtMatrixLayoutDestroy(la));
	OK(cublasLtMatrixLayoutDestroy(lb));
	OK(cublasLtMatrixLayoutDestroy(lc));
	OK(cublasLtMatmulDescDestroy(operation));
	OK(cublasDestroy(blas));
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dx));
	CHECK(cudaFree(dy));
	CHECK(cudaFree(dz));
	free(a);
	free(b);
	free(x);
	free(y);
}

static bool goes_together(const types &t, unsigned int epilogue)
{
	return epilogue == CUBLASLT_EPILOGUE_DEFAULT ||
	       (!is_complex(t.scale) && t.scale != CUDA_R_32I && t.d != CUDA_R_8I);
}

/* All kinds in turn, beginning again when they are through. */
int main(int argc, char **argv)
{
	enum { EPILOGUES = sizeof(epilogues) / sizeof(*epilogues) };
	long count = parse_size(argc, argv, "matmul", "products", 240, 1, 100000);

	OK(cublasLtCreate(&handle));
	test_as_cublas();
	for (long i = 0, kind = 0; i < count; kind++) {
		int type = kind % KNOWN, which = kind / KNOWN % EPILOGUES;

		if (!goes_together(known[type], epilogues[which]))
			continue;
		test_one(type, epilogues[which]);
		i++;
	}
	OK(cublasLtDestroy(handle));
	return finish();
}
