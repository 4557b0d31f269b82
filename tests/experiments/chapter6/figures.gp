# SPDX-License-Identifier: MIT
#
# Figures 6.13 to 6.15 of Tanasic from figure-*.csv in folder `out', each for every reading of what a fault occupies.
set datafile separator ","
set terminal svg size 760,300 * words(readings) font "sans-serif,12" background "white"
set grid ytics lc rgb "#dddddd"
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.85 noborder
set boxwidth 0.9
set xtics rotate by -30
set rmargin 8

file(figure, host) = sprintf("%s/figure-%s-%s.csv", out, figure, host)
columns(name) = int(system(sprintf("head -n 1 '%s' | tr -cd , | wc -c", name))) + 1
lines(name) = int(system(sprintf("wc -l <'%s'", name)))
titles = "6.13 'Block switching on a fault: stall on fault / switching' \
	6.14 'Memory of malloc(): host / GPU handles faults' 6.15 'Output pages: host / GPU handles faults'"

do for [n=1:3] {
	figure = word(titles, 2 * n - 1)
	# a hue for each interconnect; a shade each for the real and the ideal switch
	shades = n == 1 ? "#08306b #6baed6 #67000d #fb6a4a" : "#2171b5 #cb181d"
	# speedups of figure 6.14 differ by an order of magnitude
	if (n == 2) { set logscale y; set yrange [0.5:*] } else { unset logscale y; set yrange [0:*] }
	if (lines(file(figure, word(readings, 1))) > 1) {
		set output sprintf("%s/figure-%s.svg", out, figure)
		set multiplot layout words(readings),1 title figure."  ".word(titles, 2 * n)." (higher is better)"
		do for [host in readings] {
			name = file(figure, host)
			if (words(readings) > 1) { set title "reading: ".host }
			set key outside bottom center horizontal
			plot for [c=2:columns(name)] name using c:xtic(1) title columnheader(c) lc rgb word(shades, c - 1), \
			     1 with lines lc rgb "#888888" notitle
		}
		unset multiplot
	}
}
