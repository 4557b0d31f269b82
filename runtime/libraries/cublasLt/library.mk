# SPDX-License-Identifier: MIT
versions-cublasLt := 11 12 13
# CUBLAS_STATUS_NOT_SUPPORTED
refuses-cublasLt := 15
needs-cublasLt := cublas
