# SPDX-License-Identifier: MIT
versions-nccl := 2
# ncclInvalidUsage
refuses-nccl := 5
needs-nccl :=
