# SPDX-License-Identifier: MIT
versions-cusolver := 11 12
# CUSOLVER_STATUS_NOT_SUPPORTED
refuses-cusolver := 9
needs-cusolver :=
