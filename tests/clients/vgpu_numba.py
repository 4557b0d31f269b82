# SPDX-License-Identifier: MIT
"""
Plugin of pytest: numba's own tests as on a machine without nvJitLink, which makes SASS. Kernels are
then linked by the driver, from PTX.
"""
import cuda.bindings.driver
import cuda.core._linker as linker
import numba.cuda.decorators as decorators
from numba.cuda.cudadrv import driver

linker._use_nvjitlink_backend = False
linker._driver = cuda.bindings.driver
driver._have_nvjitlink = decorators._have_nvjitlink = lambda: False
