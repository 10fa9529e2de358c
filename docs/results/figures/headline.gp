# Accuracy over delay, means over the nine settings, bands from the worst setting to the best; and the paper's means.
# gnuplot -e "format='svg'" headline.gp   (pdf, svg or png)
if (!exists("format")) format = "pdf"
if (format eq "svg") set terminal svg size 922,691 font "Helvetica,12" background rgb "white"
if (format eq "pdf") set terminal pdfcairo size 9.6in,7.2in font "Helvetica,9" fontscale 0.75 linewidth 1.4 pointscale 1.25
if (format eq "png") set terminal pngcairo size 1536,1152 font "Helvetica,9" fontscale 2.22
set output "headline.".format
# Okabe and Ito's palette; marks and dashes tell the models apart in grey.
set style line 1 lc rgb "#0072B2" lw 1.8 dt solid pt 7 ps 0.55
set style line 2 lc rgb "#D55E00" lw 1.8 dt (8,4) pt 5 ps 0.5
set style line 3 lc rgb "#009E73" lw 1.8 dt (8,3,2,3) pt 9 ps 0.65
set style line 11 lc rgb "#0072B2" lw 1.1 dt solid pt 6 ps 0.6
set style line 12 lc rgb "#D55E00" lw 1.1 dt solid pt 4 ps 0.55
set style line 13 lc rgb "#009E73" lw 1.1 dt solid pt 8 ps 0.7
set style line 20 lc rgb "#DDDDDD" lw 0.6 dt solid
set style line 21 lc rgb "#555555" lw 1 dt (2,3)
set style line 22 lc rgb "#555555" lw 1.1 dt solid pt 6 ps 0.6
set border 3 lc rgb "#555555" lw 0.8
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set grid ytics ls 20
set style fill transparent solid 0.16 noborder
set datafile separator comma
set bars 0.6
unset key
set logscale x 2
set xrange [80:1300000]
set yrange [0:104]
set ytics 25
set arrow 1 from 384, graph 0 to 384, graph 1 nohead ls 21 back
data = "headline.csv"
models = "schemamem mamba3 gdn"
pick(i, t, c) = strcol(1) eq word(models, i) && strcol(2) eq t && strcol(4) eq c
whole(i, t, c, n) = pick(i, t, c) && column(5) >= word(n, i)
part(i, t, c, n) = pick(i, t, c) && column(5) < word(n, i)
set multiplot layout 3,4 margins 0.0750,0.9854,0.0861,0.9139 spacing 0.0167,0.0472
set label 100 "delay: NULL queries between the writes and the final queries (log scale)" at screen 0.5,0.0222 center
set arrow 201 from screen 0.1561,0.9722 to screen 0.1999,0.9722 nohead ls 1
set label 201 "" at screen 0.1780,0.9722 point ls 1
set label 251 "SchemaMem" at screen 0.2082,0.9722 left
set arrow 202 from screen 0.3084,0.9722 to screen 0.3522,0.9722 nohead ls 2
set label 202 "" at screen 0.3303,0.9722 point ls 2
set label 252 "Mamba-3" at screen 0.3605,0.9722 left
set arrow 203 from screen 0.4445,0.9722 to screen 0.4882,0.9722 nohead ls 3
set label 203 "" at screen 0.4664,0.9722 point ls 3
set label 253 "Gated DeltaNet" at screen 0.4966,0.9722 left
set label 222 "" at screen 0.6593,0.9722 point ls 22
set label 272 "hollow: the paper's" at screen 0.6895,0.9722 left

set title "Retained-R" offset 0,-0.6
set ylabel "recipe fast (%)" offset 0.6,0
set format y "%g"
set format x ""
unset label 102
set xtics ("" 96, "" 384, "" 1536, "" 6144, "" 24576, "" 98304, "" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "fast", "retained_r", "9 9 9") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "fast", "retained_r", "9 9 9") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "fast", "retained_r", "9 9 9") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "retained_r") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle
unset label 100
unset label 101
unset arrow 201
unset label 201
unset label 251
unset arrow 202
unset label 202
unset label 252
unset arrow 203
unset label 203
unset label 253
unset arrow 222
unset label 222
unset label 272

set title "Retained-I" offset 0,-0.6
unset ylabel
set format y ""
set format x ""
unset label 102
set xtics ("" 96, "" 384, "" 1536, "" 6144, "" 24576, "" 98304, "" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "fast", "retained_i", "9 9 9") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "fast", "retained_i", "9 9 9") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "fast", "retained_i", "9 9 9") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "retained_i") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle

set title "Updated" offset 0,-0.6
unset ylabel
set format y ""
set format x ""
unset label 102
set xtics ("" 96, "" 384, "" 1536, "" 6144, "" 24576, "" 98304, "" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "fast", "updated", "9 9 9") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "fast", "updated", "9 9 9") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "fast", "updated", "9 9 9") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "updated") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle

set title "Default" offset 0,-0.6
unset ylabel
set format y ""
set format x ""
unset label 102
set xtics ("" 96, "" 384, "" 1536, "" 6144, "" 24576, "" 98304, "" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "fast", "default", "9 9 9") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "fast", "default", "9 9 9") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "fast", "default", "9 9 9") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "default") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle

unset title
set ylabel "recipe paper (%)" offset 0.6,0
set format y "%g"
set format x ""
unset label 102
set xtics ("" 96, "" 384, "" 1536, "" 6144, "" 24576, "" 98304, "" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "paper", "retained_r", "0 1 1") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "paper", "retained_r", "0 1 1") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "paper", "retained_r", "0 1 1") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "retained_r") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle

unset title
unset ylabel
set format y ""
set format x ""
unset label 102
set xtics ("" 96, "" 384, "" 1536, "" 6144, "" 24576, "" 98304, "" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "paper", "retained_i", "0 1 1") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "paper", "retained_i", "0 1 1") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "paper", "retained_i", "0 1 1") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "retained_i") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle

unset title
unset ylabel
set format y ""
set format x ""
unset label 102
set xtics ("" 96, "" 384, "" 1536, "" 6144, "" 24576, "" 98304, "" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "paper", "updated", "0 1 1") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "paper", "updated", "0 1 1") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "paper", "updated", "0 1 1") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "updated") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle

unset title
unset ylabel
set format y ""
set format x ""
unset label 102
set xtics ("" 96, "" 384, "" 1536, "" 6144, "" 24576, "" 98304, "" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "paper", "default", "0 1 1") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "paper", "default", "0 1 1") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "paper", "default", "0 1 1") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "default") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle

unset title
set ylabel "recipe steady (%)" offset 0.6,0
set format y "%g"
set format x "%g"
unset label 102
set xtics ("96" 96, "384" 384, "1.5k" 1536, "6k" 6144, "25k" 24576, "98k" 98304, "1M" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "steady", "retained_r", "9 9 9") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "steady", "retained_r", "9 9 9") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "steady", "retained_r", "9 9 9") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "retained_r") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle

unset title
unset ylabel
set format y ""
set format x "%g"
unset label 102
set xtics ("96" 96, "384" 384, "1.5k" 1536, "6k" 6144, "25k" 24576, "98k" 98304, "1M" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "steady", "retained_i", "9 9 9") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "steady", "retained_i", "9 9 9") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "steady", "retained_i", "9 9 9") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "retained_i") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle

unset title
unset ylabel
set format y ""
set format x "%g"
unset label 102
set xtics ("96" 96, "384" 384, "1.5k" 1536, "6k" 6144, "25k" 24576, "98k" 98304, "1M" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "steady", "updated", "9 9 9") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "steady", "updated", "9 9 9") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "steady", "updated", "9 9 9") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "updated") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle

unset title
unset ylabel
set format y ""
set format x "%g"
unset label 102
set xtics ("96" 96, "384" 384, "1.5k" 1536, "6k" 6144, "25k" 24576, "98k" 98304, "1M" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "steady", "default", "9 9 9") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "steady", "default", "9 9 9") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "steady", "default", "9 9 9") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "default") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle
unset multiplot
unset output
