# SPDX-License-Identifier: MIT
versions-curand := 10
# CURAND_STATUS_TYPE_ERROR: cuRAND has no status of its own for it
refuses-curand := 103
needs-curand :=

$(O)/libraries/curand/joekuo.c.o: runtime/libraries/curand/joekuo.bin
