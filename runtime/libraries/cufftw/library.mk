# SPDX-License-Identifier: MIT
versions-cufftw := 10 11 12
# No function is there by name only.
refuses-cufftw := 16
needs-cufftw := cufft
