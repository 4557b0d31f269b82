#!/bin/bash
# SPDX-License-Identifier: MIT
#
# All sequences of cuRAND's MT19937, which take seconds to make: once, not under each setting of the device.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=${1:-build}
if out=$(timeout 300 "$build/cuda/libraries/curand/twisters" long 2>&1); then
	echo "ok 1 - six million numbers of MT19937"
else
	echo "not ok 1 - six million numbers of MT19937"
	printf '%s\n' "${out//$'\n'/$'\n'# }" | sed '1s/^/# /'
fi
echo 1..1
[ "${out##*$'\n'}" = "twisters: verified" ]
