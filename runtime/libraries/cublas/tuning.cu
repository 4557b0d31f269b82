// SPDX-License-Identifier: MIT
/*
 * The table of tiles, of the presets that were measured; the first row is for all others. Its
 * numbers are virtual times of cublasSgemm, Dgemm, Cgemm and Zgemm with the pipeline
 * (timing=pipeline), as many tiles side by side as the SMs have: `make product-tiles PRESET=NAME'
 * measures a row. Those of 8 large tiles an SM go on as 2 and 4 do, but of a100 and h100 were
 * measured. Products of complex numbers had 64 steps of k, of others 128: numbers are compared with
 * those of their line only.
 */
#include "tuning.h"

#include <cuda_runtime.h>
#include <string.h>

namespace blas
{

static const struct tuning tunings[] = {
	{"v100",
	 {{{{138, 150, 343, 507}}, {{212, 256, 476, 910}}, {{436, 587, 1182, 2372}}},
	  {{{167, 227, 579, 859}}, {{293, 421, 850, 1705}}, {{406, 603, 1243, 2525}}},
	  {{{110, 133, 321, 478}}, {{0, 0, 0, 0}}, {{180, 254, 485, 945}}},
	  {{{152, 249, 479, 948}}, {{0, 0, 0, 0}}, {{197, 336, 680, 1369}}}}},
	{"a100",
	 {{{{174, 189, 392, 560}}, {{268, 318, 573, 1084}}, {{549, 712, 1305, 2444}}},
	  {{{216, 285, 616, 903}}, {{371, 514, 946, 1798}}, {{503, 728, 1360, 2618}}},
	  {{{138, 161, 360, 525}}, {{0, 0, 0, 0}}, {{223, 300, 556, 1065}}},
	  {{{184, 284, 537, 1040}}, {{0, 0, 0, 0}}, {{230, 375, 707, 1373}}}}},
	{"h100",
	 {{{{129, 138, 267, 371}}, {{197, 231, 406, 768}}, {{387, 444, 799, 1450}}},
	  {{{161, 212, 451, 580}}, {{271, 377, 681, 1264}}, {{368, 540, 971, 1856}}},
	  {{{102, 118, 247, 349}}, {{0, 0, 0, 0}}, {{163, 201, 376, 716}}},
	  {{{137, 207, 387, 739}}, {{0, 0, 0, 0}}, {{170, 272, 507, 975}}}}},
	{"k20c",
	 {{{{313, 314, 665, 964}}, {{463, 509, 963, 1875}}, {{799, 1502, 2910, 5725}}},
	  {{{411, 451, 861, 1672}}, {{576, 1103, 2154, 4256}}, {{799, 1594, 3141, 6235}}},
	  {{{246, 261, 508, 991}}, {{0, 0, 0, 0}}, {{353, 680, 1333, 2640}}},
	  {{{308, 602, 1185, 2351}}, {{0, 0, 0, 0}}, {{392, 769, 1521, 3024}}}}},
	{"gtx980",
	 {{{{180, 192, 396, 565}}, {{318, 322, 592, 1129}}, {{607, 608, 1208, 2407}}},
	  {{{293, 318, 534, 950}}, {{505, 511, 966, 1875}}, {{707, 714, 1454, 2932}}},
	  {{{175, 176, 366, 536}}, {{0, 0, 0, 0}}, {{284, 286, 542, 1056}}},
	  {{{290, 300, 583, 1143}}, {{0, 0, 0, 0}}, {{376, 392, 769, 1522}}}}},
};

const struct tuning *tuning_of(int device)
{
	static const char maker[] = "vgpu ";
	cudaDeviceProp properties;

	if (cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
	    strncmp(properties.name, maker, sizeof(maker) - 1))
		return tunings;
	for (const struct tuning &t : tunings)
		if (!strcmp(properties.name + sizeof(maker) - 1, t.preset))
			return &t;
	return tunings;
}

/* Four times the time of so many tiles an SM: lines between the numbers, and on behind the last */
static int64_t time_of(const struct tile_times &t, int64_t tiles)
{
	int64_t two = t.of[1], four = t.of[2], eight = t.of[3];

	if (tiles <= 2)
		return 4 * (tiles < 2 ? t.of[0] : t.of[1]);
	if (tiles <= 4)
		return 4 * two + 2 * (tiles - 2) * (four - two);
	return 4 * four + (tiles - 4) * (eight - four);
}

enum tile_size best_tile(const struct tuning *tuning, enum tile_kind kind,
			 const int64_t tiles[TILE_SIZES], int sms)
{
	enum tile_size best = TILE_SMALL;
	int64_t least = INT64_MAX;

	for (int size = 0; size < TILE_SIZES; size++) {
		const struct tile_times &times = tuning->times[kind][size];
		int64_t time = time_of(times, (tiles[size] + sms - 1) / sms);

		if (times.of[0] && time <= least) {
			least = time;
			best = (enum tile_size)size;
		}
	}
	return best;
}

} // namespace blas
