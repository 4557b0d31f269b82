# SPDX-License-Identifier: MIT
#
# counters.awk: of the statistics of a program (VGPU_STATS) a line "COUNTER,VALUE" for each that report.awk reads, of all its launches together;
# logical_time is that of the SM that is farthest.
BEGIN { FS = "," }
FNR == 1 { for (n = 1; n <= NF; n++) column[n] = $n; next }
$1 == "sm" { for (n = 1; n <= NF; n++) if (column[n] == "logical_steps" && $n + 0 > farthest) farthest = $n + 0 }
$1 == "device" {
	for (n = 1; n <= NF; n++)
		if (column[n] ~ /^(duration_ps|l1_|stores|atomics|.*_cycles|flits_|inst|sc_stalls)/) print column[n] "," $n
}
END { print "logical_time," farthest + 0 }
