# SPDX-License-Identifier: MIT
versions-cusparse := 11 12
# CUSPARSE_STATUS_NOT_SUPPORTED
refuses-cusparse := 10
needs-cusparse :=
