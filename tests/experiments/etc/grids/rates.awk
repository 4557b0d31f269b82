# SPDX-License-Identifier: MIT
#
# rates.awk: of records (sweep_records) lines "INTERVAL,FAULTS,PAGES EVICTED", from the first fault on.
# usage: awk -v fault=TYPE -v ps=PICOSECONDS -f rates.awk
$2 % 65536 == fault && !begun { begun = 1; start = $1 }
begun { n = int(($1 - start) / ps); if (n > last) last = n }
begun && $2 % 65536 == fault { faults[n]++ }
begun && $2 % 65536 != fault { evicted[n] += int($6 / 4294967296) }
END { for (n = 0; n <= last; n++) printf "%d,%d,%d\n", n, faults[n], evicted[n] }
