// SPDX-License-Identifier: MIT
/* SHA-256; section numbers are those of FIPS 180-4. */
#include <string.h>

#include "sha256.h"

/* 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned int bits)
{
	return x >> bits | x << (32 - bits);
}

/* 6.2.2 */
static void add_block(struct vgpu_sha256 *hash, const uint8_t *block)
{
	uint32_t w[64], s[8];

	for (unsigned int t = 0; t < 16; t++)
		w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
		       (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
	for (unsigned int t = 16; t < 64; t++) {
		uint32_t a = w[t - 15], b = w[t - 2];

		w[t] = (turn(b, 17) ^ turn(b, 19) ^ b >> 10) + w[t - 7] +
		       (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[t - 16];
	}
	memcpy(s, hash->state, sizeof(s));
	for (unsigned int t = 0; t < 64; t++) {
		uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
			       ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[t] + w[t];
		uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
			       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += one;
		s[0] = one + two;
	}
	for (unsigned int i = 0; i < 8; i++)
		hash->state[i] += s[i];
}

void vgpu_sha256_begin(struct vgpu_sha256 *hash)
{
	/* 5.3.3 */
	static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(hash->state, first, sizeof(first));
	hash->bytes = 0;
}

void vgpu_sha256_add(struct vgpu_sha256 *hash, const void *data, size_t bytes)
{
	const uint8_t *from = data;

	while (bytes) {
		size_t used = hash->bytes % 64, step = 64 - used < bytes ? 64 - used : bytes;

		if (step == 64) {
			add_block(hash, from);
		} else {
			memcpy(hash->block + used, from, step);
			if (used + step == 64)
				add_block(hash, hash->block);
		}
		hash->bytes += step;
		from += step;
		bytes -= step;
	}
}

void vgpu_sha256_end(struct vgpu_sha256 *hash, uint8_t digest[VGPU_SHA256_BYTES])
{
	static const uint8_t end[64] = {0x80};
	uint64_t bits = hash->bytes * 8;
	size_t used = hash->bytes % 64;
	uint8_t length[8];

	/* 5.1.1 */
	vgpu_sha256_add(hash, end, used < 56 ? 56 - used : 120 - used);
	for (unsigned int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	vgpu_sha256_add(hash, length, sizeof(length));
	for (unsigned int i = 0; i < VGPU_SHA256_BYTES; i++)
		digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
