# SPDX-License-Identifier: MIT
#
# Figures 5.4 to 5.8 of Tanasic from figure-*.csv and antt-*.csv in folder `out'.
set datafile separator ","
set datafile missing "NaN"
set terminal svg size 760,360 font "sans-serif,12" background "white"
set key outside right top
set grid ytics lc rgb "#dddddd"
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.85 noborder
set boxwidth 0.9
set xlabel "processes"
set yrange [0:*]
# one hue a policy or mechanism, a shade for all and one for each class
shades = "#222222 #666666 #999999 #cccccc #08306b #2171b5 #6baed6 #c6dbef #67000d #cb181d #fb6a4a #fcbba1"
do for [n=1:12] { set linetype n lc rgb word(shades, n) }

bars(figure) = sprintf("%s/figure-%s.csv", out, figure)
columns(figure) = int(system(sprintf("head -n 1 '%s' | tr -cd , | wc -c", bars(figure)))) + 1

set output sprintf("%s/figure-5.4.svg", out)
set title "5.4  Turnaround of the high-priority process: FCFS / policy (higher is better)"
set logscale y
set yrange [0.5:*]
plot for [c=2:columns("5.4")] bars("5.4") using c:xtic(1) title columnheader(c)
unset logscale y
set yrange [0:*]

do for [figure in "5.5a 5.5b"] {
	set output sprintf("%s/figure-%s.svg", out, figure)
	set title figure."  Throughput: NPQ / policy (lower is better)"
	plot for [c=2:columns(figure)] bars(figure) using c:xtic(1) title columnheader(c), 1 with lines lc rgb "#888888" notitle
}

set output sprintf("%s/figure-5.6.svg", out)
set title "5.6  Turnaround with equal sharing: FCFS / DSS (higher is better)"
set logscale y
set yrange [0.1:*]
plot for [c=2:columns("5.6")] bars("5.6") using c:xtic(1) title columnheader(c), 1 with lines lc rgb "#888888" notitle
unset logscale y
set yrange [0:*]

set output sprintf("%s/figure-5.8a.svg", out)
set title "5.8a  Fairness: DSS / FCFS (higher is better)"
plot for [c=2:columns("5.8a")] bars("5.8a") using c:xtic(1) title columnheader(c), 1 with lines lc rgb "#888888" notitle

set output sprintf("%s/figure-5.8b.svg", out)
set title "5.8b  Throughput: FCFS / DSS (lower is better)"
plot for [c=2:columns("5.8b")] bars("5.8b") using c:xtic(1) title columnheader(c), 1 with lines lc rgb "#888888" notitle

set terminal svg size 760,620 font "sans-serif,12" background "white"
set output sprintf("%s/figure-5.7.svg", out)
set multiplot layout 2,2 title "5.7  ANTT of every workload, each curve sorted (lower is better)"
unset key
set style data lines
set xlabel "workload"
set logscale y
set yrange [1:*]
do for [size in "2 4 6 8"] {
	set title size." processes"
	if (size eq "2") { set key inside left top } else { unset key }
	file = sprintf("%s/antt-%s.csv", out, size)
	plot file using 1:2 title "FCFS" lw 2 lc rgb "#555555", file using 1:3 title "DSS switch" lw 2 lc rgb "#1f77b4", \
	     file using 1:4 title "DSS drain" lw 2 lc rgb "#d62728"
}
unset multiplot
