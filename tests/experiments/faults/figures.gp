# SPDX-License-Identifier: MIT
#
# ppq.svg and dss.svg from ppq-WAY.csv and dss-WAY.csv in folder `out'.
set datafile separator ","
set datafile missing "NaN"
set terminal svg size 760,560 font "sans-serif,12" background "white"
set grid ytics lc rgb "#dddddd"
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.85 noborder
set boxwidth 0.9
set xlabel "page faults of a block of 100 us"
shades = "#cb181d #2171b5 #6baed6 #666666"
titles = "nvlink 'with data, NVLink' pcie 'with data, PCI Express' new 'without data, NVLink' new-gpu 'without data, SMs handle them'"

file(study, way) = sprintf("%s/%s-%s.csv", out, study, way)
columns(name) = int(system(sprintf("head -n 1 '%s' | tr -cd , | wc -c", name))) + 1

# of all panels of a figure: they have the same scale
most(study) = real(system(sprintf("cut -d, -f2- %s/%s-*.csv | tr , '\\n' | grep '^[0-9]' | sort -g | tail -n 1", out, study)))

was_run(study, way) = system(sprintf("grep -c '[0-9],[0-9]' '%s'", file(study, way))) > 0

do for [study in "ppq dss"] {
	set output sprintf("%s/%s.svg", out, study)
	if (study eq "ppq") { set logscale y; set yrange [1:1.2 * most(study)] } else { unset logscale y; set yrange [0:1.1 * most(study)] }
	set multiplot layout 2,2 margins 0.07,0.98,0.12,0.86 spacing 0.08,0.2 title study eq "ppq" ? \
		"PPQ: NTT of the kernel with priority beside three processes that page (lower is better)" : \
		"DSS: NTT of three processes that do not page beside one that does (lower is better)"
	first = 1
	do for [n=1:4] {
		name = file(study, word(titles, 2 * n - 1))
		set title word(titles, 2 * n)
		if (first) { set key inside top left Left reverse samplen 1 spacing 0.9 font ",10" } else { unset key }
		first = first && !was_run(study, word(titles, 2 * n - 1))
		# gray, the last, is draining
		if (was_run(study, word(titles, 2 * n - 1))) {
			plot for [c=2:columns(name)] name using c:xtic(1) title columnheader(c) \
				lc rgb word(shades, c == columns(name) ? 4 : c - 1)
		} else {
			set multiplot next
		}
	}
	unset multiplot
}
