/* SPDX-License-Identifier: MIT */
/*
 * Forward transforms of a few numbers in registers. The radices that are primes beyond 5 are done
 * by pairs: x[j] + x[n - j] goes with cosines, x[j] - x[n - j] with sines.
 */
#ifndef CUFFT_BUTTERFLY_H
#define CUFFT_BUTTERFLY_H

namespace fft
{

#define FFT_INLINE __device__ __forceinline__

template <class T> struct __align__(2 * sizeof(T)) complex {
	T x, y;
};

template <class T> FFT_INLINE complex<T> operator+(complex<T> a, complex<T> b)
{
	return {a.x + b.x, a.y + b.y};
}
template <class T> FFT_INLINE complex<T> operator-(complex<T> a, complex<T> b)
{
	return {a.x - b.x, a.y - b.y};
}
template <class T> FFT_INLINE complex<T> operator*(complex<T> a, complex<T> b)
{
	return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
/* Times -i */
template <class T> FFT_INLINE complex<T> down(complex<T> a)
{
	return {a.y, -a.x};
}

/* cos and sin of 2 pi k / N, k = 1 ... (N - 1) / 2 */
template <int N> struct roots;
#define FFT_ROOTS(N, COS, SIN)                             \
	template <> struct roots<N> {                      \
		static constexpr double cos[] = {1, COS}; \
		static constexpr double sin[] = {0, SIN}; \
	};
#define FFT_LIST(...) __VA_ARGS__
FFT_ROOTS(3, FFT_LIST(-0.5),
	  FFT_LIST(0.86602540378443864676))
FFT_ROOTS(5, FFT_LIST(0.3090169943749474241, -0.8090169943749474241),
	  FFT_LIST(0.95105651629515357212, 0.58778525229247312917))
FFT_ROOTS(7, FFT_LIST(0.62348980185873353053, -0.22252093395631440429,
		   -0.90096886790241912624),
	  FFT_LIST(0.78183148246802980871, 0.97492791218182360702,
		   0.43388373911755812048))
FFT_ROOTS(11, FFT_LIST(0.84125353283118116886, 0.41541501300188642553,
		   -0.14231483827328514044, -0.65486073394528506406,
		   -0.95949297361449738989),
	  FFT_LIST(0.54064081745559758211, 0.90963199535451837141,
		   0.98982144188093273238, 0.75574957435425828377,
		   0.28173255684142969771))
FFT_ROOTS(13, FFT_LIST(0.8854560256532098959, 0.56806474673115580251,
		   0.12053668025532305335, -0.35460488704253562597,
		   -0.74851074817110109863, -0.97094181742605202716),
	  FFT_LIST(0.46472317204376854566, 0.82298386589365639458,
		   0.9927088740980539928, 0.93501624268541482344,
		   0.66312265824079520238, 0.23931566428755776715))
#undef FFT_ROOTS
#undef FFT_LIST

template <int N> struct butterfly {
	template <class T> static FFT_INLINE void run(complex<T> (&v)[N])
	{
		enum { PAIRS = (N - 1) / 2 };
		complex<T> sum[PAIRS], difference[PAIRS], first = v[0];

#pragma unroll
		for (int j = 0; j < PAIRS; j++) {
			sum[j] = v[j + 1] + v[N - 1 - j];
			difference[j] = v[j + 1] - v[N - 1 - j];
			v[0] = v[0] + sum[j];
		}
#pragma unroll
		for (int k = 1; k <= PAIRS; k++) {
			complex<T> even = first, odd = {0, 0};

#pragma unroll
			for (int j = 0; j < PAIRS; j++) {
				int at = (j + 1) * k % N;
				bool beyond = at > PAIRS;
				T c = (T)roots<N>::cos[beyond ? N - at : at];
				T s = (T)roots<N>::sin[beyond ? N - at : at];

				even.x += c * sum[j].x;
				even.y += c * sum[j].y;
				odd.x += (beyond ? -s : s) * difference[j].x;
				odd.y += (beyond ? -s : s) * difference[j].y;
			}
			v[k] = even + down(odd);
			v[N - k] = even - down(odd);
		}
	}
};

template <> struct butterfly<1> {
	template <class T> static FFT_INLINE void run(complex<T> (&)[1])
	{
	}
};

template <> struct butterfly<2> {
	template <class T> static FFT_INLINE void run(complex<T> (&v)[2])
	{
		complex<T> a = v[0];

		v[0] = a + v[1];
		v[1] = a - v[1];
	}
};

template <class T>
static FFT_INLINE void four(complex<T> &a, complex<T> &b, complex<T> &c, complex<T> &d)
{
	complex<T> even = a + c, odd = a - c, even2 = b + d, odd2 = down(b - d);

	a = even + even2;
	b = odd + odd2;
	c = even - even2;
	d = odd - odd2;
}

template <> struct butterfly<4> {
	template <class T> static FFT_INLINE void run(complex<T> (&v)[4])
	{
		four(v[0], v[1], v[2], v[3]);
	}
};

/* Times exp(-i pi / 4), and exp(-3 i pi / 4) */
template <class T> static FFT_INLINE complex<T> eighth(complex<T> a)
{
	const T half = (T)0.70710678118654752440;

	return {half * (a.x + a.y), half * (a.y - a.x)};
}
template <class T> static FFT_INLINE complex<T> three_eighths(complex<T> a)
{
	const T half = (T)0.70710678118654752440;

	return {half * (a.y - a.x), -half * (a.x + a.y)};
}

template <> struct butterfly<8> {
	template <class T> static FFT_INLINE void run(complex<T> (&v)[8])
	{
		complex<T> odd[4] = {v[1], v[3], v[5], v[7]};
		complex<T> even[4] = {v[0], v[2], v[4], v[6]};

		four(even[0], even[1], even[2], even[3]);
		four(odd[0], odd[1], odd[2], odd[3]);
		odd[1] = eighth(odd[1]);
		odd[2] = down(odd[2]);
		odd[3] = three_eighths(odd[3]);
#pragma unroll
		for (int k = 0; k < 4; k++) {
			v[k] = even[k] + odd[k];
			v[k + 4] = even[k] - odd[k];
		}
	}
};

template <> struct butterfly<16> {
	template <class T> static FFT_INLINE void run(complex<T> (&v)[16])
	{
		/* cos and sin of pi / 8 */
		const T c = (T)0.92387953251128675613, s = (T)0.38268343236508977173;
		complex<T> w;

#pragma unroll
		for (int k = 0; k < 4; k++)
			four(v[k], v[k + 4], v[k + 8], v[k + 12]);
		/* v[j + 4 k] is number k of column j: times exp(-2 pi i j k / 16) */
		v[5] = v[5] * complex<T>{c, -s};
		v[6] = eighth(v[6]);
		v[7] = v[7] * complex<T>{s, -c};
		v[9] = eighth(v[9]);
		v[10] = down(v[10]);
		v[11] = three_eighths(v[11]);
		v[13] = v[13] * complex<T>{s, -c};
		v[14] = three_eighths(v[14]);
		v[15] = v[15] * complex<T>{-c, s};
#pragma unroll
		for (int k = 0; k < 4; k++)
			four(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
		/* number k + 4 m is at 4 k + m */
#pragma unroll
		for (int k = 0; k < 4; k++)
#pragma unroll
			for (int m = k + 1; m < 4; m++) {
				w = v[4 * k + m];
				v[4 * k + m] = v[4 * m + k];
				v[4 * m + k] = w;
			}
	}
};

} // namespace fft

#endif
