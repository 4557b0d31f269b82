/* SPDX-License-Identifier: MIT */
/*
 * Modified Bessel functions of orders 0 and 1, of the device (device_bessel.h) and of the host
 * (host_math.h), which say before they include it what __VGPU_FUNCTION and __VGPU_C are
 * (inverse_error.h). Up to 8 they are polynomials of x^2, beyond e^x / sqrt(x) times one of 1 / x -
 * 1 / 16, each interpolated at Chebyshev nodes (1.3e-16 of the value).
 */

__VGPU_FUNCTION(cyl_bessel_i0)
{
	static const double small[] = {
		1.0, 0.2500000000000002, 0.015624999999999676, 0.00043402777777794754,
		6.7816840277310415e-06, 6.78168402855519e-08, 4.709502788586949e-10,
		2.402807613382039e-12, 9.385963563008623e-15, 2.8969167561484535e-17,
		7.24187672272501e-20, 1.4971317807155651e-22, 2.585792216220012e-25,
		3.9693964093519767e-28, 4.025388035510853e-31, 8.945227286481786e-34 };
	static const double large[] = {
		0.4021765094450081, 0.05376883173868626, 0.034871315043715746,
		0.04564186639749841, 0.09724544143145465, 0.31180447636172565,
		1.4884770505879497, 10.556257381502114, 92.6330246856039, 519.4755453178872,
		-7538.784483937224, -236219.2801038885, -1412327.164017354, 34228503.27355063,
		469978713.64196795, -4134703266.5803084, -83574285164.48526,
		474742045464.49976, 10217695949163.422, -47812335569000.7, -785147888645301.6,
		3423307612045749.0, 2.8208816370674812e+16, -1.2093175138148963e+17 };
	double x = __builtin_fabs(a), sum = 0.0, power;

	if (x < 8.0) {
		for (int i = 15; i >= 0; i--)
			sum = __builtin_fma(sum, x * x, small[i]);
		return sum;
	}
	/* beyond, e^x overflows, and a little later the result */
	if (!(x < 714.0))
		return x == x ? __builtin_inf() : x;
	for (int i = 23; i >= 0; i--)
		sum = __builtin_fma(sum, 1.0 / x - 0.0625, large[i]);
	power = __VGPU_C(exp)(x < 700.0 ? x : x * 0.5);
	sum *= power / __VGPU_C(sqrt)(x);
	return x < 700.0 ? sum : sum * power;
}

__VGPU_FUNCTION(cyl_bessel_i1)
{
	static const double small[] = {
		0.5, 0.06250000000000001, 0.0026041666666666574, 5.42534722222271e-05,
		6.781684027764357e-07, 5.651403356704746e-09, 3.3639305668982475e-11,
		1.5017547367976848e-13, 5.214425120919993e-16, 1.448455537254395e-18,
		3.2918259018287706e-21, 6.2370206832638684e-24, 9.956969230500738e-27,
		1.408926251589232e-29, 1.3808181584914298e-32, 2.716505589516919e-35 };
	static const double large[] = {
		0.38939845902587233, -0.15599323509176974, -0.056124355541460225,
		-0.06159788937737925, -0.12025267185034541, -0.3653084718165998,
		-1.6779263892080474, -11.578242812796399, -100.42789465617996,
		-577.7471011639176, 7471.262314053728, 245457.17660488203, 1610790.5237635316,
		-33473163.367739737, -520437715.2170042, 3541474601.0616503, 93968015022.83232,
		-309200717007.0736, -11835271573339.953, 19510320688595.727, 941834474957689.9,
		-632077794656986.6, -3.5061211698217384e+16 };
	double x = __builtin_fabs(a), sum = 0.0, power;

	if (x < 8.0) {
		for (int i = 15; i >= 0; i--)
			sum = __builtin_fma(sum, x * x, small[i]);
		return sum * a;
	}
	/* beyond, e^x overflows, and a little later the result */
	if (!(x < 714.0))
		return x == x ? __builtin_copysign(__builtin_inf(), a) : x;
	for (int i = 22; i >= 0; i--)
		sum = __builtin_fma(sum, 1.0 / x - 0.0625, large[i]);
	power = __VGPU_C(exp)(x < 700.0 ? x : x * 0.5);
	sum *= power / __VGPU_C(sqrt)(x);
	return __builtin_copysign(x < 700.0 ? sum : sum * power, a);
}
