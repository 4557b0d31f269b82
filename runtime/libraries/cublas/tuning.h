/* SPDX-License-Identifier: MIT */
/*
 * Which tile a product is computed by: a row of a table for each preset of the device, of what
 * tiles took there. The bytes of results do not depend on it.
 */
#ifndef CUBLAS_TUNING_H
#define CUBLAS_TUNING_H

#include <stdint.h>

namespace blas
{

enum tile_size { TILE_SMALL, TILE_MIDDLE, TILE_LARGE, TILE_SIZES };
/* By what is computed in; integers are as floats */
enum tile_kind { TILES_FLOAT, TILES_DOUBLE, TILES_COMPLEX, TILES_DOUBLE_COMPLEX, TILE_KINDS };

/*
 * Virtual time of a product in hundreds of nanoseconds, where each SM has 1, 2, 4 or 8 tiles of it;
 * 0: there is no such tile.
 */
struct tile_times {
	unsigned short of[4];
};

struct tuning {
	const char *preset;
	struct tile_times times[TILE_KINDS][TILE_SIZES];
};

/* The row of this device's preset; of one that has none that of v100 */
const struct tuning *tuning_of(int device);
/* tiles: how many of each size the product has */
enum tile_size best_tile(const struct tuning *tuning, enum tile_kind kind,
			 const int64_t tiles[TILE_SIZES], int sms);

} // namespace blas

#endif
