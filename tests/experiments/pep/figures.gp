# SPDX-License-Identifier: MIT
#
# Figures 4.5, 4.8, 4.9 and 4.11 of PEP's thesis, in place by room, and Chimera's deadlines, from the files in folder `out'.
set datafile separator ","
set datafile missing "NaN"
set terminal svg size 900,360 font "sans-serif,12" background "white"
set grid ytics lc rgb "#dddddd"
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.85 noborder
set boxwidth 0.9
set key outside bottom center horizontal
set xtics rotate by -40
shades = "#9ecae1 #4292c6 #08306b #fd8d3c"
lines(file) = int(system(sprintf("cat '%s/%s' 2>/dev/null | wc -l", out, file)))

set output out."/figure-latency.svg"
set title "4.9  Preemption latency, us"
set yrange [0:*]
plot for [c=2:5] out."/latency.csv" using c:xtic(1) title columnheader(c) lc rgb word(shades, c - 1)

set output out."/figure-context.svg"
set title "4.11  Context that goes to memory, KB a block"
plot for [c=2:5] out."/context.csv" using c:xtic(1) title columnheader(c) lc rgb word(shades, c - 1)

set output out."/figure-dirty.svg"
set title "4.5  Registers that blocks of compiled programs have written, of all"
set yrange [0:1]
plot out."/dirty.csv" using 2:xtic(1) title "first 25 %" lc rgb word(shades, 1), "" using 3 title "25 to 50 %" lc rgb word(shades, 2), \
	"" using 4 title "25 to 75 %" lc rgb word(shades, 3)

set style histogram rowstacked
set output out."/figure-choices.svg"
set title "4.8  What pep does"
plot out."/choices.csv" using 2:xtic(1) title "drain" lc rgb word(shades, 1), "" using 3 title "no base, switch" lc rgb word(shades, 4), \
	"" using 4 title "one checkpoint" lc rgb word(shades, 2), "" using 5 title "two checkpoints" lc rgb word(shades, 3)

set style histogram clustered gap 1
if (lines("deadlines.csv") > 1) {
	set output out."/figure-deadlines.svg"
	set title "Chimera: SMs that come later than a deadline, and throughput lost, of all"
	set terminal svg size 1000,420 font "sans-serif,12" background "white"
	plot out."/deadlines.csv" using 2:xtic(1) title "5 us" lc rgb word(shades, 1), "" using 3 title "10 us" lc rgb word(shades, 2), \
		"" using 4 title "15 us" lc rgb word(shades, 3), "" using 5 title "throughput lost" lc rgb word(shades, 4)
}
if (lines("split.csv") > 1) {
	set output out."/figure-split.svg"
	set terminal svg size 600,360 font "sans-serif,12" background "white"
	set title "4.3  LBM: some of nine blocks are switched, the others drain"
	set xtics norotate
	set yrange [0:*]
	set ylabel "us"
	plot out."/split.csv" using 2:xtic(1) title "switch of a block" lc rgb word(shades, 2), "" using 3 title "drain of a block" lc rgb word(shades, 1)
	unset ylabel
}
if (lines("room.csv") > 1) {
	set output out."/figure-room.svg"
	set terminal svg size 600,360 font "sans-serif,12" background "white"
	set title "pep-in-place: latency of long kernels by that of chimera"
	set xlabel "KB that the next kernel leaves free of an SM"
	set xtics norotate
	set yrange [0:1]
	plot out."/room.csv" using 1:2 with linespoints lc rgb word(shades, 3) pt 7 notitle, 0.297 with lines lc rgb "#888888" title "thesis"
}
