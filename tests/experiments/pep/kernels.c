// SPDX-License-Identifier: MIT
/* Table 4.1 of the thesis (table 1 of the paper has its first columns). */
#include "pep.h"

const struct kernel_of kernels[KERNELS] = {
	{ "CP", 5.8, 516.2, 10.1, 16 * KB + 512, 8 },
	/* figure 4.3 has nine blocks; with 14 the switch takes what the table says */
	{ "LBM", 21.8, 31.7, 20.9, 18 * KB, 14 },
	{ "MRI", 10.4, 865.2, 11.6, 18 * KB, 8 },
	{ "ST", 4.5, 41.3, 4.2, 12 * KB + 512, 4 },
	{ "SC", 6.7, 605.6, 8.3, 24 * KB, 4 },
	{ "GM", 23.4, 193.6, 17.9, 28 * KB, 8 },
	{ "BS", 3.4, 387.5, 16.7, 12 * KB + 512, 16 },
	{ "KS", 29.7, 984.7, 9, 10 * KB, 8 },
	{ "PF", 11.3, 24.2, 11.6, 18 * KB, 8 },
	{ "SRAD1", 5.2, 1.8, 4, 12 * KB, 4 },
	{ "SRAD2", 15, 11.5, 16.4, 25 * KB, 8 },
	{ "SRAD3", 5.2, 7.9, 7.8, 24 * KB, 4 },
	{ "HS", 33.3, 4.5, 7.7, 38 * KB, 3 },
	{ "LUD", 4.4, 5.3, 10.5, 16 * KB, 8 },
	{ "BP", 16.7, 4.7, 2, 12 * KB, 1 },
	{ "BP2", 16.7, 1.5, 1.2, 22 * KB, 1 },
};
