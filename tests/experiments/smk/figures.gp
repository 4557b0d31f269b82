# SPDX-License-Identifier: MIT
#
# Figures 10 to 16 of SMK from bars-*.csv, pairs.csv and stalls.csv in folder `out'.
set datafile separator ","
set datafile missing "NaN"
set terminal svg size 900,360 font "sans-serif,12" background "white"
set grid ytics lc rgb "#dddddd"
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.85 noborder
set boxwidth 0.9
shades = "#9ecae1 #4292c6 #08306b #fd8d3c"

bars(metric) = sprintf("%s/bars-%s.csv", out, metric)
# the lines of bars-METRIC.csv whose group matches
some(metric, groups) = sprintf("< sed -n '1p; /^\\(%s\\),/p' '%s'", groups, bars(metric))
has(metric, groups, column) = int(system(sprintf("sed -n '/^\\(%s\\),/p' '%s' | cut -d, -f%d | grep -c '[0-9]'", groups, bars(metric), column))) > 0
couples(class) = sprintf("< sed -n '1p; /^%s,/p' '%s/pairs.csv'", class, out)
has_couples = int(system(sprintf("grep -c '^C+M,' '%s/pairs.csv'", out))) > 0
metrics = "stp fairness antt"
titles = "'STP' 'Fairness' 'ANTT (lower is better)'"
two = "C+M\\|C+C\\|M+M\\|all"

set key outside bottom center horizontal
do for [figure in "10 12"] {
	set output sprintf("%s/figure-%s.svg", out, figure)
	set multiplot layout 1,3 title figure eq "10" ? "10  The designs of SMK" : "12  SMK-(P+W) and Spart"
	do for [m=1:3] {
		set title word(titles, m)
		set yrange [0:*]
		name = some(word(metrics, m), two)
		if (figure eq "10") {
			plot for [c=2:4] name using c:xtic(1) title columnheader(c) lc rgb word(shades, c - 1)
		} else {
			plot name using 5:xtic(1) title columnheader(5) lc rgb word(shades, 4), \
			     name using 4 title columnheader(4) lc rgb word(shades, 3)
		}
	}
	unset multiplot
}

set terminal svg size 1000,420 font "sans-serif,12" background "white"
set xtics rotate by -40
set rmargin 8
if (has_couples) {
	set output out."/figure-11.svg"
	set title "11  STP of pairs C+M, designs of SMK"
	plot for [c=3:5] couples("C+M") using c:xtic(2) title columnheader(c) lc rgb word(shades, c - 2), 1 with lines lc rgb "#888888" notitle
	set output out."/figure-13.svg"
	set title "13  STP of pairs C+M, SMK-(P+W) and Spart"
	plot couples("C+M") using 6:xtic(2) title columnheader(6) lc rgb word(shades, 4), \
	     couples("C+M") using 5 title columnheader(5) lc rgb word(shades, 3), 1 with lines lc rgb "#888888" notitle
	set output out."/figure-14.svg"
	set title "14  Stall cycles fewer than with Spart, of all that it has"
	set yrange [*:*]
	plot for [c=2:5] out."/stalls.csv" using c:xtic(1) title columnheader(c) lc rgb word("#9ecae1 #4292c6 #fd8d3c #333333", c - 1)
	set yrange [0:*]
}
set terminal svg size 900,360 font "sans-serif,12" background "white"
set xtics norotate
unset rmargin
if (has("stp", "3 kernels\\|4 kernels", 4)) {
	set output out."/figure-15.svg"
	set multiplot layout 1,3 title "15  Three and four kernels"
	do for [m=1:3] {
		set title word(titles, m)
		name = some(word(metrics, m), "all\\|3 kernels\\|4 kernels")
		plot name using 5:xtic(1) title columnheader(5) lc rgb word(shades, 4), \
		     name using 4 title columnheader(4) lc rgb word(shades, 3), name using 6 title columnheader(6) lc rgb word(shades, 2)
	}
	unset multiplot
}
if (has("stp", "small", 4)) {
	set output out."/figure-16.svg"
	set title "16  STP of small data sets, with preemption as it is and at no cost"
	set yrange [1:*]
	name = some("stp", "small")
	plot name using 5:xtic(1) title columnheader(5) lc rgb "#fd8d3c", name using 8 title columnheader(8) lc rgb "#fdd0a2", \
	     name using 4 title columnheader(4) lc rgb "#08306b", name using 7 title columnheader(7) lc rgb "#9ecae1"
}
