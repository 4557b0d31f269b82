/* SPDX-License-Identifier: MIT */
/*
 * Scaled complementary and inverse error functions, of the device (libdevice_math.h) and of the
 * host (host_math.h), which say before they include it:
 *
 *	__VGPU_FUNCTION(name)	the head of one that takes a double, a
 *	__VGPU_C(name)	the C library's function of this name, or one from here
 */

__VGPU_FUNCTION(erfcx)
{
	/* beyond 26 erfc underflows: the asymptotic series is exact to the last bit there */
	if (a > 26.0) {
		double q = 1.0 / (a * a);

		return 0.56418958354775628695 / a *
		       (1.0 - 0.5 * q * (1.0 - 1.5 * q * (1.0 - 2.5 * q)));
	}
	return __VGPU_C(exp)(a * a) * __VGPU_C(erfc)(a);
}

/* a first guess from the logarithm (Winitzki), then Newton on erf: each step doubles the digits */
__VGPU_FUNCTION(erfinv)
{
	double w, t, x;

	if (!(__builtin_fabs(a) < 1.0))
		return __builtin_fabs(a) == 1.0 ? __builtin_copysign(__builtin_inf(), a) :
						  __builtin_nan("");
	w = __VGPU_C(log)((1.0 - a) * (1.0 + a));
	t = 4.3307467508 + 0.5 * w;
	w = __VGPU_C(sqrt)(t * t - w * 6.8027210884) - t;
	x = __builtin_copysign(__VGPU_C(sqrt)(w), a);
	for (int i = 0; i < 3; i++) {
		double e = x < 0.0 ? (1.0 + a) - __VGPU_C(erfc)(-x) :
				     __VGPU_C(erfc)(x) - (1.0 - a);

		e *= x < 0.0 ? -1.0 : 1.0;
		x += e * 0.88622692545275801365 * __VGPU_C(exp)(x * x);
	}
	return a == 0.0 ? a : x;
}

__VGPU_FUNCTION(erfcinv)
{
	double x, e;

	if (!(a > 0.0 && a < 2.0))
		return a == 0.0 ? __builtin_inf() : a == 2.0 ? -__builtin_inf() : __builtin_nan("");
	if (a > 0.0625)
		return __VGPU_C(erfinv)(1.0 - a);
	x = 1.7724538509055160273 * __VGPU_C(sqrt)(-__VGPU_C(log)(a));
	x = __VGPU_C(sqrt)(-__VGPU_C(log)(a * x));
	for (int i = 0; i < 4; i++) {
		e = (__VGPU_C(erfcx)(x) - a * __VGPU_C(exp)(x * x)) * 0.88622692545275801365;
		x += e / (1.0 - x * e);
	}
	return x;
}
