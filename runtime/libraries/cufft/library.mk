# SPDX-License-Identifier: MIT
versions-cufft := 10 11 12
# CUFFT_NOT_SUPPORTED
refuses-cufft := 16
needs-cufft :=
