/* SPDX-License-Identifier: MIT */
/*
 * Bessel functions of whole orders, j0() to yn(), for device code (libdevice_math.h). Up to 8 those
 * of orders 0 and 1 are polynomials around a zero of theirs, which is known to twice the digits, so
 * that they keep their digits next to it; beyond, Hankel's expansion, whose two sums are
 * polynomials of 1 / x^2. All were interpolated at Chebyshev nodes from values of 70 digits; the
 * largest error is 2e-16 of the value, of Hankel's sums 3e-15. Single precision is double, rounded.
 */
#ifndef VGPU_CUDA_DEVICE_BESSEL_H
#define VGPU_CUDA_DEVICE_BESSEL_H

#define __VGPU_BESSEL_TERMS 21

/* A polynomial of x - zero - rest, for x up to @end. */
struct __vgpu_bessel_piece {
	double end, zero, rest, terms[__VGPU_BESSEL_TERMS];
};

static __device__ const struct __vgpu_bessel_piece __vgpu_bessel_j0[] = {
	{ 1.25, 0.0, 0.0, {
		1.0, 2.694814318866526e-15, -0.25000000000012046, 2.112106602075549e-12,
		0.015624999980804482, 1.0353327104016499e-10, -0.0004340281348991444,
		8.211895523804021e-10, 6.780401511432768e-06, 1.3578700556254974e-09,
		-6.87650299943731e-08, 4.0538109344555596e-10, 3.856114956331136e-10 } },
	{ 3.96, 2.404825557695773, -1.176691651530894e-16, {
		-0.5191474972894667, 0.1079387017549201, 0.05660177443794623,
		-0.008657669593304931, -0.002194200359016116, 0.00026437703675282257,
		4.372919272884436e-05, -4.338826289014736e-06, -5.304914377204736e-07,
		4.4700559264813257e-08, 4.326564181809957e-09, -3.1666174474902807e-10,
		-2.5338057730956953e-11, 1.6388390238207134e-12, 1.1128666893820096e-13,
		-6.431204894185253e-15, -3.0279562244596535e-16 } },
	{ 7.09, 5.520078110286311, 8.088597146146722e-17, {
		0.34026480655836816, -0.03082065142559364, -0.05298855286760463,
		0.004631042145907531, 0.0022574402290328767, -0.00017518572899351089,
		-4.6521090739644115e-05, 3.1997869051672578e-06, 5.716490705850675e-07,
		-3.511535763899482e-08, -4.683396002377325e-09, 2.5921917350076063e-10,
		2.745237144665965e-11, -1.3798064598270258e-12, -1.2085310880344992e-13,
		5.3859822972210824e-15, 4.0180588212274085e-16 } },
	{ 8, 8.653727912911013, -2.92812607320779e-16, {
		-0.2714522998681661, 0.01568412567709157, 0.04403377883400039,
		-0.002509289654523112, -0.00206030781517424, 0.00011247680512143996,
		4.486957515461579e-05, -2.250732426587873e-06, -5.458811447684511e-07,
		3.6060494527711166e-08, 7.258902212184913e-09, 2.0622325349636777e-10 } },
};
static __device__ const struct __vgpu_bessel_piece __vgpu_bessel_j1[] = {
	{ 1.9, 0.0, 0.0, {
		0.5, -1.25797821233614e-15, -0.0624999999999569, -5.82284613616434e-13,
		0.0026041666707768253, -1.7403370321668067e-11, -5.425342440204617e-05,
		-8.937831439533843e-11, 6.782851487492102e-07, -1.0785066520488599e-10,
		-5.5810800210691235e-09, -3.177880044222312e-11, 4.317616502620298e-11,
		-1.7345734642745754e-12 } },
	{ 5.4, 3.8317059702075125, -1.5269184090088067e-16, {
		-0.402759395702553, 0.05255614585697724, 0.05341044413272492,
		-0.005179719245638623, -0.0022331253391483616, 0.00017466429072025345,
		4.6208701300137715e-05, -3.036863380234293e-06, -5.72780577522452e-07,
		3.2482862396099376e-08, 4.735383829900612e-09, -2.362188274074405e-10,
		-2.7990224674265835e-11, 1.24575086661052e-12, 1.2451566974801916e-13,
		-4.854544431990371e-15, -4.545505277413524e-16 } },
	{ 8, 7.015586669815619, -9.414165653410389e-17, {
		0.30011575252613254, -0.02138921280934158, -0.04697047894974149,
		0.0031302917260480935, 0.0021055871432482656, -0.00012550790955148102,
		-4.4991475302878026e-05, 2.4015807964287323e-06, 5.665270010480333e-07,
		-2.727342797115537e-08, -4.72048294413079e-09, 2.0653524539851965e-10,
		2.8005816186237518e-11, -1.121866671564627e-12, -1.2459145236756654e-13,
		4.624841858932165e-15, 4.80027922476065e-16 } },
};
static __device__ const struct __vgpu_bessel_piece __vgpu_bessel_y0[] = {
	{ 2.2, 0.8935769662791675, 2.6596231539720385e-17, {
		0.3022563428102527, 0.11845177875673762, -0.053636985186150475,
		-0.01080392597477922, 0.002670880132870961, 0.0003606955476246715,
		-6.24197176238865e-05, -6.331216813646671e-06, 8.477969440463993e-07,
		6.88061326471869e-08, -7.533142536773865e-09, -5.093536883496776e-10,
		4.7231000832047437e-11, 2.728108727452606e-12, -2.2064245485682162e-13,
		-8.217354557218983e-15 } },
	{ 3.2, 3.957678419314858, -1.0764340697562706e-16, {
		-0.40254262768656934, 0.0508564719744552, 0.0585271396193437,
		-0.006840567297689847, -0.0021537779957447, 0.00024872787119440716,
		0.00012282659048392153, 6.867613581632766e-05, 5.729768611507734e-05,
		3.434281109990977e-05, 1.542910061816501e-05, 5.043515365059741e-06,
		1.146017993247865e-06, 1.619378225563812e-07, 1.099929803218946e-08 } },
	{ 5.5, 3.957678419314858, -1.0764340697562706e-16, {
		-0.40254267177502423, 0.05085590959215823, 0.05852382210516974,
		-0.0068525666771106645, -0.002183518874038003, 0.0001952694024399616,
		5.092291371287309e-05, -4.893369204328495e-06, -2.934878070627875e-07,
		-2.1854035801807188e-08, 1.8927635358505e-08, -3.655248476668168e-09,
		7.666660182932672e-10, -1.8762945755367246e-10, 4.587751345298844e-11,
		-1.044352155425952e-11, 1.812830527256914e-12, -1.611679796371019e-13 } },
	{ 8, 7.086051060301773, -8.835285723085408e-17, {
		0.3000976149104752, -0.02117523655676954, -0.0480240700762599,
		0.003318348268895931, 0.002175984016443562, -0.00014060259774323306,
		-4.595140671019198e-05, 2.7013638007215807e-06, 5.749349687721956e-07,
		-3.098471392364485e-08, -4.71724314182015e-09, 2.3029867226903654e-10,
		2.8287619709378848e-11, -1.3069143749711442e-12, -1.224699209880058e-13,
		4.990422336506243e-16 } },
};
static __device__ const struct __vgpu_bessel_piece __vgpu_bessel_y1[] = {
	{ 3.68, 2.197141326031017, -4.8259835876454966e-17, {
		0.7900462001038041, 0.26972587847238494, -0.03806644016364759,
		-0.03783612183475674, -0.002670212672037383, 0.0017370335232472069,
		0.00016669775380888764, -3.913409412972025e-05, -3.673795438792697e-06,
		5.21601774864795e-07, 4.5176018506993205e-08, -4.5868412713590846e-09,
		-3.619621594239098e-10, 2.8586649181079106e-11, 2.0556026530920696e-12,
		-1.328800189602656e-13, -8.786096451536037e-15, 4.772884425602704e-16,
		3.464629998605572e-17 } },
	{ 6.97, 5.429681040794135, 4.162514026670377e-16, {
		-0.3403180455234406, 0.031338677444086686, 0.05094793974342004,
		-0.004160115934390736, -0.0021659987510874107, 0.00014662089289378826,
		4.645867905747403e-05, -2.863862538498133e-06, -5.464420558222639e-07,
		2.5505147551554566e-08, 5.598019433646014e-09, -3.8556565086204157e-10,
		2.2909017580026308e-12, -4.434454699225138e-12, 1.1621687490976978e-12,
		-2.0082253262503522e-13, 3.862173690016249e-14, -6.0157995944222735e-15,
		5.892176901790626e-16, -3.4410846617549896e-16, 1.0697811764144393e-16 } },
	{ 8, 8.596005868331169, 2.8415838340063664e-16, {
		0.2714598773098632, -0.015789884386118044, -0.04340642683727052,
		0.0024179562669020037, 0.002011490891217286, -0.00010420340344438935,
		-4.3809779738069996e-05, 2.0797553967653357e-06, 5.57213063928963e-07,
		-2.5095442244686397e-08, -4.894435479327363e-09, 1.5278957842698295e-10,
		2.7766545422576038e-11 } },
};
static __device__ const double __vgpu_bessel_p0[21] = {
	0.9999999999999999, -0.07031249999782471, 0.11215209392279085, -0.5724955142500099,
	6.070820155260202, -108.9569370139636, 2808.906918471044, -84070.89466955062,
	2272651.691523673, -43058960.887416534, 398039613.22501093
};
static __device__ const double __vgpu_bessel_q0[21] = {
	-0.12499999999999996, 0.07324218749918601, -0.22710799873287352, 1.7277231532670592,
	-24.377158046029987, 549.7370378937002, -17751.53766866108, 718765.2514909164,
	-30645688.334444754, 1153064987.344769, -32793923202.82751, 596807503849.5597,
	-5091820853049.605
};
static __device__ const double __vgpu_bessel_p1[21] = {
	1.0000000000000002, 0.11718749999768498, -0.14419555058937394, 0.6765863041121963,
	-6.880487522778522, 120.4708070453837, -3058.816313009994, 90754.02044214701,
	-2441905.2931227074, 46151076.12239431, -426028947.08891124
};
static __device__ const double __vgpu_bessel_q1[21] = {
	0.37499999999999883, -0.10253906248179437, 0.2775763988599844, -1.993482055433182,
	27.221587459552374, -594.8056748312721, 17738.452020529694, -583306.9742587839,
	16649764.402973516, -325295639.11077297, 3061734912.605464
};

static __device__ __inline__ double __vgpu_bessel_sum(const double *terms, double t)
{
	double sum = terms[__VGPU_BESSEL_TERMS - 1];

	for (int i = __VGPU_BESSEL_TERMS - 2; i >= 0; i--)
		sum = __nvvm_fma_rn_d(sum, t, terms[i]);
	return sum;
}

/* Of the piece that x is in, its polynomial, and how far the zero is: *@distance. */
static __device__ __inline__ double __vgpu_bessel_near(const struct __vgpu_bessel_piece *piece,
						       double x, double *distance)
{
	while (x > piece->end)
		piece++;
	*distance = (x - piece->zero) - piece->rest;
	return __vgpu_bessel_sum(piece->terms, *distance);
}

/* Hankel's expansion of @order, 0 or 1, for x >= 8: of the first kind, or of the second. */
static __device__ __inline__ double __vgpu_bessel_far(int order, double x, bool second)
{
	const double root_pi = 1.7724538509055160273;
	double sine, cosine, sum, difference, p, q, u = 1.0 / x;

	if (x == __builtin_inf())
		return 0.0;
	sine = __nv_sin(x);
	cosine = __nv_cos(x);
	sum = sine + cosine;
	difference = sine - cosine;
	p = __vgpu_bessel_sum(order ? __vgpu_bessel_p1 : __vgpu_bessel_p0, u * u);
	q = u * __vgpu_bessel_sum(order ? __vgpu_bessel_q1 : __vgpu_bessel_q0, u * u);
	if (second)
		p = order ? q * difference - p * sum : p * difference + q * sum;
	else
		p = order ? p * difference + q * sum : p * sum - q * difference;
	return p / (root_pi * __nv_sqrt(x));
}

static __device__ __inline__ double __nv_j0(double a)
{
	double x = __builtin_fabs(a), distance, value;

	if (!(x < 8.0))
		return __vgpu_bessel_far(0, x, false);
	value = __vgpu_bessel_near(__vgpu_bessel_j0, x, &distance);
	return x > __vgpu_bessel_j0[0].end ? value * distance : value;
}

static __device__ __inline__ double __nv_j1(double a)
{
	double x = __builtin_fabs(a), distance, value;

	if (!(x < 8.0)) {
		value = __vgpu_bessel_far(1, x, false);
	} else {
		value = __vgpu_bessel_near(__vgpu_bessel_j1, x, &distance);
		value *= distance;
	}
	return __builtin_signbit(a) ? -value : value;
}

/*
 * Of the second kind there is a logarithm at 0. Times the first kind, and of x over the first
 * zero, it is 0 there, and so is the rest, each with all of its digits.
 */
static __device__ __inline__ double __vgpu_bessel_log(double x, double zero, double distance)
{
	return 0.63661977236758134308 *
	       (x < 0.5 ? __nv_log(x) - __nv_log(zero) : __nv_log1p(distance / zero));
}

static __device__ __inline__ double __nv_y0(double a)
{
	double distance, value;

	if (!(a > 0.0))
		return a == 0.0 ? -__builtin_inf() : __builtin_nan("");
	if (!(a < 8.0))
		return __vgpu_bessel_far(0, a, true);
	value = __vgpu_bessel_near(__vgpu_bessel_y0, a, &distance) * distance;
	if (a > __vgpu_bessel_y0[0].end)
		return value;
	return value + __vgpu_bessel_log(a, __vgpu_bessel_y0[0].zero, distance) * __nv_j0(a);
}

static __device__ __inline__ double __nv_y1(double a)
{
	double distance, value;

	if (!(a > 0.0))
		return a == 0.0 ? -__builtin_inf() : __builtin_nan("");
	if (!(a < 8.0))
		return __vgpu_bessel_far(1, a, true);
	if (a < 1e-100)
		return -0.63661977236758134308 / a;
	value = __vgpu_bessel_near(__vgpu_bessel_y1, a, &distance) * distance;
	if (a > __vgpu_bessel_y1[0].end)
		return value;
	return value / a +
	       __vgpu_bessel_log(a, __vgpu_bessel_y1[0].zero, distance) * __nv_j1(a);
}

/*
 * Order n < x: from 0 and 1 upwards. Else that loses all digits, and it is done downwards, from an
 * order whose value is 1e18 times smaller, which the other solution of the recurrence tells; the
 * scale is that of order 0 or 1.
 */
static __device__ __inline__ double __vgpu_bessel_down(int n, double x)
{
	double here = 1.0, above = 0.0, below, wanted = 0.0;
	long long k = n;

	/* (x / 2)^n / n! is more than the value, and this is more than that */
	if (n * __nv_log(1.3591409142295226 * (x / n)) < -760.0)
		return 0.0;
	for (below = 0.0; here < 1e18; k++) {
		above = 2.0 * k / x * here - below;
		below = here;
		here = above;
	}
	here = 1.0;
	above = 0.0;
	for (; k > 0; k--) {
		if (k == n)
			wanted = here;
		below = 2.0 * k / x * here - above;
		above = here;
		here = below;
		if (__builtin_fabs(here) > 1e250) {
			here *= 1e-250;
			above *= 1e-250;
			wanted *= 1e-250;
		}
	}
	if (__builtin_fabs(here) > __builtin_fabs(above))
		return wanted * (__nv_j0(x) / here);
	return wanted * (__nv_j1(x) / above);
}

static __device__ __inline__ double __nv_jn(int n, double a)
{
	double x = __builtin_fabs(a), below, here, above;

	if (n < 0 || a != a)
		return __builtin_nan("");
	if (!n)
		return __nv_j0(a);
	if (n == 1)
		return __nv_j1(a);
	if (x == 0.0 || x == __builtin_inf())
		return 0.0;
	if (x > n) {
		below = __nv_j0(x);
		here = __nv_j1(x);
		for (int k = 1; k < n; k++) {
			above = 2.0 * k / x * here - below;
			below = here;
			here = above;
		}
	} else {
		here = __vgpu_bessel_down(n, x);
	}
	return a < 0.0 && n & 1 ? -here : here;
}

static __device__ __inline__ double __nv_yn(int n, double a)
{
	double below, here, above;

	if (n < 0 || !(a >= 0.0))
		return __builtin_nan("");
	if (!n)
		return __nv_y0(a);
	if (n == 1 || a == 0.0)
		return __nv_y1(a);
	if (a == __builtin_inf())
		return 0.0;
	below = __nv_y0(a);
	here = __nv_y1(a);
	for (int k = 1; k < n && here != -__builtin_inf(); k++) {
		above = 2.0 * k / a * here - below;
		below = here;
		here = above;
	}
	return here;
}

#define __VGPU_FUNCTION(name)	__VGPU_NV double __nv_##name(double a)
#define __VGPU_C(name)	__nv_##name
#include "bits/bessel_modified.h"
#undef __VGPU_FUNCTION
#undef __VGPU_C

#define __VGPU_BESSEL_FLOAT(name) \
	static __device__ __inline__ float __nv_##name##f(float a) \
	{ \
		return (float)__nv_##name((double)a); \
	}
__VGPU_BESSEL_FLOAT(j0)
__VGPU_BESSEL_FLOAT(j1)
__VGPU_BESSEL_FLOAT(y0)
__VGPU_BESSEL_FLOAT(y1)
__VGPU_BESSEL_FLOAT(cyl_bessel_i0)
__VGPU_BESSEL_FLOAT(cyl_bessel_i1)
static __device__ __inline__ float __nv_jnf(int n, float a)
{
	return (float)__nv_jn(n, (double)a);
}
static __device__ __inline__ float __nv_ynf(int n, float a)
{
	return (float)__nv_yn(n, (double)a);
}

#undef __VGPU_BESSEL_FLOAT

#endif
