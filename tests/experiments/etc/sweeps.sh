#!/bin/bash
# SPDX-License-Identifier: MIT
#
# sweeps.sh: the evaluation of ETC beyond run.sh (thesis, 3.7.2 to 3.7.4): faults over time, what the classifier finds, steps and epochs of throttling,
# what a fault takes, ratios of compression; each as its own script does it.
# usage: tests/experiments/etc/sweeps.sh [--quick]     results in OUT (out/experiments/etc)
#   --quick   one or two applications, the least and the most of each number
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
case ${1:-} in
	'') apps='' ;;
	--quick) apps=mvt; export SHARES=50 STEPS="1 8" LATENCIES="20 50" RATIOS="100 160 200" CYCLES="25000 100000" ;;
	*) echo "sweeps.sh: no option '$1'; see the head of tests/experiments/etc/sweeps.sh" >&2; exit 2 ;;
esac

env -u CYCLES ./rates.sh
./classes.sh ${apps:+lud $apps}
./steps.sh $apps
./latencies.sh $apps
./ratios.sh $apps
./epochs.sh $apps
[ -n "$apps" ] || SHARE=75 OUT=${OUT:-out/experiments/etc}/epochs-75 ./epochs.sh
