/* SPDX-License-Identifier: MIT */
/* The name that cuSPARSE's header had in toolkit 4 to 12. */
#define CUSPARSE_V2_H_
#include "cusparse.h"
