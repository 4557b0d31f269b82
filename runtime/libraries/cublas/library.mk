# SPDX-License-Identifier: MIT
versions-cublas := 11 12 13
# CUBLAS_STATUS_NOT_SUPPORTED
refuses-cublas := 15
needs-cublas :=
