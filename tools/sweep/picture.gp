# SPDX-License-Identifier: MIT
#
# picture.gp: one metric of a sweep with its confidence intervals. Set by the caller: data (of table.awk), metric, picture, kind (svg, png).
set datafile separator "\t"
set datafile missing "NaN"
if (kind eq "png") { set terminal pngcairo size 900,420 font "sans,10" } else { set terminal svg size 900,420 font "sans-serif,12" background "white" }
set output picture
set grid ytics lc rgb "#dddddd"
set key outside right top vertical noenhanced
set errorbars linecolor black
set title metric noenhanced
set xtics noenhanced
set yrange [*<0:*]
form = system(sprintf("head -n 1 '%s' | cut -f 1", data))
columns = int(system(sprintf("head -n 1 '%s' | tr '\\t' '\\n' | wc -l", data)))
set xlabel system(sprintf("head -n 1 '%s' | cut -f 2", data)) noenhanced
if (form eq "lines") {
	set offsets graph 0.02, graph 0.02, 0, 0
	plot for [c=3:columns:2] data using 2:c:c+1 with yerrorlines pt 7 ps 0.5 lw 1.5 title columnheader(c)
} else {
	set style data histogram
	set style histogram errorbars gap 2 lw 1
	set style fill solid 0.85 noborder
	set boxwidth 0.9
	set xtics rotate by -20
	plot for [c=3:columns:2] data using c:c+1:xtic(2) title columnheader(c)
}
