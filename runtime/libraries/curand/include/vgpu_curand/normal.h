/* SPDX-License-Identifier: MIT */
/*
 * Normal deviates: by Box and Muller from two uniform numbers, and by the inverse of the
 * distribution (Wichura, algorithm AS 241, 1988) from one.
 */
#ifndef VGPU_CURAND_NORMAL_H
#define VGPU_CURAND_NORMAL_H

#define VGPU_TWO_PI_F 6.2831855f
#define VGPU_PI 3.14159265358979323846

/* u in (0, 1], angle in radians */
VGPU_CURAND float2 vgpu_box_muller(float u, float angle)
{
	float radius = sqrtf(-2.0f * logf(u)), s, c;
	float2 pair;

	sincosf(angle, &s, &c);
	pair.x = s * radius;
	pair.y = c * radius;
	return pair;
}

/* half turns */
VGPU_CURAND double2 vgpu_box_muller_double(double u, double turns)
{
	double radius = sqrt(-2.0 * log(u)), s, c;
	double2 pair;

#ifdef __CUDA_ARCH__
	sincospi(turns, &s, &c);
#else
	sincos(VGPU_PI * turns, &s, &c);
#endif
	pair.x = s * radius;
	pair.y = c * radius;
	return pair;
}

VGPU_CURAND double vgpu_fraction(double r, double a0, double a1, double a2, double a3, double a4,
				 double a5, double a6, double a7, double b1, double b2, double b3,
				 double b4, double b5, double b6, double b7)
{
	double a = ((((((a7 * r + a6) * r + a5) * r + a4) * r + a3) * r + a2) * r + a1) * r + a0;
	double b = ((((((b7 * r + b6) * r + b5) * r + b4) * r + b3) * r + b2) * r + b1) * r + 1;

	return a / b;
}

/* The deviate below which a part P of all is. */
VGPU_CURAND double vgpu_normal_inverse(double p)
{
	double q = p - 0.5, r, value;

	if (q > -0.425 && q < 0.425) {
		r = 0.180625 - q * q;
		return q * vgpu_fraction(r, 3.3871328727963666080e0, 1.3314166789178437745e2,
					 1.9715909503065514427e3, 1.3731693765509461125e4,
					 4.5921953931549871457e4, 6.7265770927008700853e4,
					 3.3430575583588128105e4, 2.5090809287301226727e3,
					 4.2313330701600911252e1, 6.8718700749205790830e2,
					 5.3941960214247511077e3, 2.1213794301586595867e4,
					 3.9307895800092710610e4, 2.8729085735721942674e4,
					 5.2264952788528545610e3);
	}
	r = sqrt(-log(q < 0 ? p : 1 - p));
	if (r <= 5)
		value = vgpu_fraction(r - 1.6, 1.42343711074968357734e0, 4.63033784615654529590e0,
				      5.76949722146069140550e0, 3.64784832476320460504e0,
				      1.27045825245236838258e0, 2.41780725177450611770e-1,
				      2.27238449892691845833e-2, 7.74545014278341407640e-4,
				      2.05319162663775882187e0, 1.67638483018380384940e0,
				      6.89767334985100004550e-1, 1.48103976427480074590e-1,
				      1.51986665636164571966e-2, 5.47593808499534494600e-4,
				      1.05075007164441684324e-9);
	else
		value = vgpu_fraction(r - 5, 6.65790464350110377720e0, 5.46378491116411436990e0,
				      1.78482653991729133580e0, 2.96560571828504891230e-1,
				      2.65321895265761230930e-2, 1.24266094738807843860e-3,
				      2.71155556874348757815e-5, 2.01033439929228813265e-7,
				      5.99832206555887937690e-1, 1.36929880922735805310e-1,
				      1.48753612908506148525e-2, 7.86869131145613259100e-4,
				      1.84631831751005468180e-5, 1.42151175831644588870e-7,
				      2.04426310338993978564e-15);
	return q < 0 ? -value : value;
}

#endif
