# SPDX-License-Identifier: MIT
versions-cudnn := 8 9
# CUDNN_STATUS_NOT_SUPPORTED of version 9; to programs of 8 it is an error, too
refuses-cudnn := 3000
needs-cudnn :=
