# Guests beside our models: ours under the recipe steady, evaluation seed 20261001, mean and sample SD over
# training seeds.  gnuplot -e "format='svg'" guests.gp   (pdf, svg or png)
if (!exists("format")) format = "pdf"
if (format eq "svg") set terminal svg size 922,317 font "Helvetica,12" background rgb "white"
if (format eq "pdf") set terminal pdfcairo size 9.6in,3.3in font "Helvetica,9" fontscale 0.75 linewidth 1.4 pointscale 1.25
if (format eq "png") set terminal pngcairo size 1536,528 font "Helvetica,9" fontscale 2.22
set output "guests.".format
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
set style line 4 lc rgb "#CC79A7" lw 1.8 dt (2,2) pt 13 ps 0.65
set style line 5 lc rgb "#E69F00" lw 1.8 dt (12,4) pt 11 ps 0.65
set style line 6 lc rgb "#56B4E9" lw 1.8 dt (6,2,2,2,2,2) pt 7 ps 0.45
set style line 7 lc rgb "#000000" lw 1.4 dt (2,4) pt 5 ps 0.4
set style line 8 lc rgb "#888888" lw 1.8 dt (4,4) pt 9 ps 0.5
set style line 9 lc rgb "#B8A800" lw 1.8 dt (1,2) pt 13 ps 0.5
set logscale x 2
set xrange [80:1996]
set xtics (96, 384, 1536)
set yrange [0:104]
set ytics 25
set arrow 1 from 384, graph 0 to 384, graph 1 nohead ls 21 back
data = "guests.csv"
models = "schemamem mamba3 gdn gru transformer"
pick(s, c, i) = strcol(1) eq s && strcol(2) eq c && strcol(3) eq word(models, i)
set multiplot layout 1,4 margins 0.0750,0.9854,0.1879,0.8121 spacing 0.0167,0.1030
set label 100 "delay: NULL queries between the writes and the final queries (log scale)" at screen 0.5,0.0485 center
set arrow 201 from screen 0.1369,0.9394 to screen 0.1806,0.9394 nohead ls 1
set label 201 "" at screen 0.1587,0.9394 point ls 1
set label 251 "SchemaMem" at screen 0.1890,0.9394 left
set arrow 202 from screen 0.2892,0.9394 to screen 0.3329,0.9394 nohead ls 2
set label 202 "" at screen 0.3110,0.9394 point ls 2
set label 252 "Mamba-3" at screen 0.3412,0.9394 left
set arrow 203 from screen 0.4252,0.9394 to screen 0.4690,0.9394 nohead ls 3
set label 203 "" at screen 0.4471,0.9394 point ls 3
set label 253 "Gated DeltaNet" at screen 0.4773,0.9394 left
set arrow 204 from screen 0.6181,0.9394 to screen 0.6619,0.9394 nohead ls 4
set label 204 "" at screen 0.6400,0.9394 point ls 4
set label 254 "gru" at screen 0.6702,0.9394 left
set arrow 205 from screen 0.7217,0.9394 to screen 0.7654,0.9394 nohead ls 5
set label 205 "" at screen 0.7435,0.9394 point ls 5
set label 255 "transformer" at screen 0.7738,0.9394 left

set title "Retained-R" offset 0,-0.6
set ylabel "A3V3: exact values (%)" offset 0.6,0
set format y "%g"
set format x "%g"
unset label 102
plot for [i=1:5] data skip 1 using (pick("A3V3", "retained_r", i) ? $4 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:5] data skip 1 using (pick("A3V3", "retained_r", i) ? $4 : NaN):5 with linespoints ls i notitle
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
unset arrow 204
unset label 204
unset label 254
unset arrow 205
unset label 205
unset label 255

set title "Retained-I" offset 0,-0.6
unset ylabel
set format y ""
set format x "%g"
unset label 102
plot for [i=1:5] data skip 1 using (pick("A3V3", "retained_i", i) ? $4 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:5] data skip 1 using (pick("A3V3", "retained_i", i) ? $4 : NaN):5 with linespoints ls i notitle

set title "Updated" offset 0,-0.6
unset ylabel
set format y ""
set format x "%g"
unset label 102
plot for [i=1:5] data skip 1 using (pick("A3V3", "updated", i) ? $4 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:5] data skip 1 using (pick("A3V3", "updated", i) ? $4 : NaN):5 with linespoints ls i notitle

set title "Default" offset 0,-0.6
unset ylabel
set format y ""
set format x "%g"
unset label 102
plot for [i=1:5] data skip 1 using (pick("A3V3", "default", i) ? $4 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:5] data skip 1 using (pick("A3V3", "default", i) ? $4 : NaN):5 with linespoints ls i notitle
unset multiplot
unset output
