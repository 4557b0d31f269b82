/* SPDX-License-Identifier: MIT */
/*
 * What NVIDIA's cuRAND 10.4 gives for Sobol's sequences from generators of the host: measured. Two
 * results one after the other, of 10 points each: checksums (FNV-1a, a word a step) of bits,
 * uniform numbers and doubles of all; normal ones of points 4 and 5 in the last dimension.
 */
static const struct quasi {
	int type;
	unsigned int dimensions;
	unsigned long long offset, bits, uniform, uniform_double;
	float normal[2];
	double normal_double[2];
} quasi[] = {
	{ 201, 1, 0, 0xff030ad6254b0935ull,
	  0x2eb72e3873ab0935ull, 0xd5c5707a644b0935ull,
	  { -0.318639368, 1.15034938 }, { -0.31863936365736895, 1.1503493809415335 } },
	{ 201, 3, 5, 0xbde3ddd71734ac55ull,
	  0x6661c5bfe6bcac55ull, 0xf66bf41b5474ac55ull,
	  { -0.15731068, 0.488776416 }, { -0.15731068431472767, 0.48877641144350376 } },
	{ 201, 50, 123456, 0x8dba05b52752a745ull,
	  0xf09f272711fe0f64ull, 0x72d5496cb217a745ull,
	  { -0.56693995, 0.79048425 }, { -0.56693991400925836, 0.79048428748185096 } },
	{ 201, 1111, 2147483598, 0xc82ead37d4329945ull,
	  0x20d6b224266c9e96ull, 0xa9de106cd13e9b95ull,
	  { 0.257393509, -1.27269864 }, { 0.25739353484844713, -1.2726986221699066 } },
	{ 201, 20000, 7, 0x5376c381110df525ull,
	  0x9aaa03a59e6df525ull, 0xc65c3c457a6df525ull,
	  { -1.53412044, -0.887146533 }, { -1.5341205434059568, -0.88714655858636104 } },
	{ 203, 1, 0, 0x6e85fafd354b0935ull,
	  0x2eb72e3873ab0935ull, 0xcafbd6363cb40f8eull,
	  { -0.318639368, 1.15034938 }, { -0.31863936396437503, 1.1503493803760088 } },
	{ 203, 3, 5, 0x107b38c6cf34ac55ull,
	  0x6661c5bfe6bcac55ull, 0x694c7edc74bf5812ull,
	  { -0.15731068, 0.488776416 }, { -0.15731068461017056, 0.48877641111466968 } },
	{ 203, 50, 123456, 0xb98a3b178b17a745ull,
	  0xf09f272711fe0f64ull, 0x65f32dbdd29c6e2dull,
	  { -0.56693995, 0.79048425 }, { -0.56693991435194346, 0.7904842870830211 } },
	{ 203, 1111, 2147483598, 0xb6a5c52671be9b95ull,
	  0x20d6b224266c9e96ull, 0x215597a84ea8ca90ull,
	  { 0.257393509, -1.27269864 }, { 0.25739353454680902, -1.2726986228257904 } },
	{ 203, 20000, 7, 0x92da5b69010df525ull,
	  0x9aaa03a59e6df525ull, 0x961f6582d21787a9ull,
	  { -1.53412044, -0.887146533 }, { -1.5341205443525459, -0.88714655901887585 } },
};
