// SPDX-License-Identifier: MIT
/*
 * The approximate functions give the same bits on all processors: those of very many arguments, as
 * one number that every build of the lanes has to find.
 */
#include "lanes_rig.h"
#include "vgpu_isa.h"

/* Any bits, and any fraction with an exponent at which something changes */
static u32 argument(u32 round, u64 *seed)
{
	static const u32 exponents[] = { 0, 1, 126, 127, 128, 134, 135, 154, 254, 255 };
	u32 bits = (u32)rig_random(seed);

	if (round & 1)
		return bits;
	return (bits & 0x807fffffu) | exponents[round / 2 % VGPU_ARRAY_SIZE(exponents)] << 23;
}

static void test_special_bits(void **state)
{
	static const struct {
		const char *name;
		u32 op;
		u64 sum;
	} cases[] = {
		{ "FRSQ", VGPU_OP_FRSQ, 0x044f5cbe1f9a3926ull },
		{ "FSIN", VGPU_OP_FSIN, 0x9f889f58a7af09a2ull },
		{ "FCOS", VGPU_OP_FCOS, 0x538e119c5baf9eafull },
		{ "FEX2", VGPU_OP_FEX2, 0x807435913c896fd1ull },
		{ "FLG2", VGPU_OP_FLG2, 0x78e4657005422d1dull },
		{ "FTANH", VGPU_OP_FTANH, 0x0da52bd17798da86ull },
	};

	(void)state;
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);

		for (size_t n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
			u64 seed = 9, sum = 0;

			rig->code[0] = (struct vgpu_insn){
				.op = (u8)cases[n].op, .guard = VGPU_PT, .dst = 2
			};
			for (u32 round = 0; round < 3000; round++) {
				for (u32 l = 0; l < VGPU_LANES; l++)
					rig_r(rig, 0)[l] = argument(round, &seed);
				rig_reset(rig, ~0u);
				rig_run(rig, build, 1);
				for (u32 l = 0; l < VGPU_LANES; l++)
					sum = (sum ^ rig_r(rig, 2)[l]) * 0x9e3779b97f4a7c15ull;
			}
			if (sum != cases[n].sum)
				fail_msg("%s build %s: the results' number is %llx, not %llx",
					 cases[n].name, rig_build_name(build),
					 (unsigned long long)sum,
					 (unsigned long long)cases[n].sum);
		}
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_special_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
