#!/bin/bash
# SPDX-License-Identifier: MIT
#
# mix.sh: prints a job file of the programs of a mix, from their profiles.
# usage: mix.sh PROFILE.JOB MIX
set -euo pipefail
printf '[global]\ngpu=gtx980\nrepeat=20\n'
for name in ${2//+/ }; do sed -n "/^\[$name\]$/,/^phase=/p" "$1"; done
