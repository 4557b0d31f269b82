# SPDX-License-Identifier: MIT
#
# grid.bash: how the experiments run their grids; they source it. $out is the experiment's folder of results.
# shellcheck shell=bash

# SPEC OPTION...: what vgpu-sweep prints of that grid. Cells that a former call has done with the same programs and settings are kept.
# NAME: of the folder in OUT/sweep, if not that of SPEC. WORKERS: cells at a time.
grid() {
	local name=${NAME:-$(basename "$1" .ini)}
	tools/vgpu-sweep --stale rerun --out "$out/sweep/$name" ${WORKERS:+--jobs "$WORKERS"} "$@"
}
