// SPDX-License-Identifier: MIT
/* CUDA's own math functions in host code: the same values as in a kernel. */
#include "../common.h"

#define COUNT 26

/* All of them, on whichever side calls it. */
#define EACH(a, b, o)									\
	do {										\
		float v[3] = { (float)a, (float)b, 0.5f };				\
		double w[3] = { a, b, 0.5 }, s, c;					\
		float sf, cf;								\
		sincospi(a, &s, &c);							\
		sincospif((float)a, &sf, &cf);						\
		o[0] = rsqrt(a), o[1] = rsqrtf((float)a), o[2] = rcbrt(a);		\
		o[3] = sinpi(a), o[4] = cospi(a), o[5] = s, o[6] = c, o[7] = sf, o[8] = cf; \
		o[9] = erfinv(b), o[10] = erfcinv(b), o[11] = erfcx(a), o[12] = normcdf(a); \
		o[13] = normcdfinv(b), o[14] = rhypot(a, b), o[15] = norm3d(a, b, 0.5);	\
		o[16] = rnorm4d(a, b, 0.5, 2.0), o[17] = norm(3, w), o[18] = normf(3, v); \
		o[19] = erfinvf((float)b), o[20] = normcdff((float)a);			\
		o[21] = fdividef((float)a, (float)b);					\
		o[22] = umin(7u, 0x80000000u), o[23] = (double)llmax(-3, 2);		\
		o[24] = (double)ullmin(1, 2), o[25] = normcdfinvf((float)b);		\
	} while (0)

__global__ void on_device(double a, double b, double *o)
{
	EACH(a, b, o);
}

static bool near(double x, double y, bool single)
{
	return x == y || fabs(x - y) <= (single ? 2e-6 : 1e-12) * fmax(fabs(x), 1e-3);
}

static void same(int n, double a, double b, double on_host, double in_kernel)
{
	bool single = n == 1 || n == 7 || n == 8 || (n >= 18 && n <= 21) || n == 25;

	if (!near(on_host, in_kernel, single))
		mismatch("value %d of %g, %g: got %.17g, expected %.17g as in a kernel", n, a, b,
			 on_host, in_kernel);
}

/* What has an exact value */
static void exact(const char *what, double got, double want)
{
	if (got != want && (got == got || want == want))
		mismatch("%s: got %.17g, expected %.17g", what, got, want);
}

int main(int argc, char **argv)
{
	static const double as[] = { 0.25, 1.0, 1.5, 2.75, 17.0, 0.001 };
	static const double bs[] = { 0.1, 0.5, 0.875, 0.01 };
	double *o, host[COUNT];

	parse_size(argc, argv, "host_math", NULL, 0, 0, 0);
	CHECK(cudaMallocManaged(&o, sizeof(host)));
	for (double a : as)
		for (double b : bs) {
			EACH(a, b, host);
			on_device<<<1, 1>>>(a, b, o);
			CHECK_LAUNCH();
			for (int n = 0; n < COUNT; n++)
				same(n, a, b, host[n], o[n]);
		}
	exact("sinpi(3)", sinpi(3.0), 0);
	exact("cospi(0.5)", cospi(0.5), 0);
	exact("cospi(-1)", cospi(-1.0), -1);
	exact("sinpi(2^40 + 0.5)", sinpi(1099511627776.5), 1);
	exact("sinpi(-0.75)", sinpi(-0.75), -sinpi(0.75));
	exact("rsqrt(4)", rsqrt(4.0), 0.5);
	exact("sinpi of infinity", sinpi(INFINITY), NAN);
	exact("cospi of -infinity", cospi(-INFINITY), NAN);
	exact("erfinv(1)", erfinv(1.0), INFINITY);
	exact("erfinv(1.5)", erfinv(1.5), NAN);
	exact("normcdfinv(0.5)", normcdfinv(0.5), 0);
	exact("umax", umax(1u, 0x80000000u), 0x80000000u);
	return finish();
}
