# All addresses after so many writes: an addition of ours, under the recipe fast, evaluation seed 20261001, without a floor; mean and sample SD
# over training seeds.  gnuplot -e "format='svg'" writes.gp   (pdf, svg or png)
if (!exists("format")) format = "pdf"
if (format eq "svg") set terminal svg size 672,634 font "Helvetica,12" background rgb "white"
if (format eq "pdf") set terminal pdfcairo size 7in,6.6in font "Helvetica,9" fontscale 0.75 linewidth 1.4 pointscale 1.25
if (format eq "png") set terminal pngcairo size 1120,1056 font "Helvetica,9" fontscale 2.22
set output "writes.".format
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
set xrange [3.4:4915.2]
set xtics (4, 32, 256, 2048, 16384)
set yrange [0:104]
set ytics 25
data = "writes.csv"
models = "schemamem mamba3 gdn"
pick(s, c, i, o) = strcol(1) eq s && strcol(2) eq c && strcol(3) eq word(models, i) && strcol(4) eq o
set multiplot layout 3,3 margins 0.1029,0.9800,0.0939,0.9061 spacing 0.0229,0.0515
set label 100 "writes to random addresses, eight queries for every two of them (log scale)" at screen 0.5,0.0242 center
set label 101 "exact values of all addresses (%)" at screen 0.0229,0.5 center rotate by 90
set arrow 201 from screen 0.1886,0.9697 to screen 0.2486,0.9697 nohead ls 1
set label 201 "" at screen 0.2186,0.9697 point ls 1
set label 251 "SchemaMem" at screen 0.2600,0.9697 left
set arrow 202 from screen 0.3974,0.9697 to screen 0.4574,0.9697 nohead ls 2
set label 202 "" at screen 0.4274,0.9697 point ls 2
set label 252 "Mamba-3" at screen 0.4689,0.9697 left
set arrow 203 from screen 0.5840,0.9697 to screen 0.6440,0.9697 nohead ls 3
set label 203 "" at screen 0.6140,0.9697 point ls 3
set label 253 "Gated DeltaNet" at screen 0.6554,0.9697 left

set title "A3V3" offset 0,-0.6
set format y "%g"
set format x ""
unset label 102
plot for [i=1:3] data skip 1 using (pick("A3V3", "all", i, "ours") ? $5 : NaN):8:9 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (pick("A3V3", "all", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle
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

set title "A3V4" offset 0,-0.6
set format y ""
set format x ""
unset label 102
plot for [i=1:3] data skip 1 using (pick("A3V4", "all", i, "ours") ? $5 : NaN):8:9 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (pick("A3V4", "all", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A3V5" offset 0,-0.6
set format y ""
set format x ""
unset label 102
plot for [i=1:3] data skip 1 using (pick("A3V5", "all", i, "ours") ? $5 : NaN):8:9 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (pick("A3V5", "all", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A4V3" offset 0,-0.6
set format y "%g"
set format x ""
unset label 102
plot for [i=1:3] data skip 1 using (pick("A4V3", "all", i, "ours") ? $5 : NaN):8:9 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (pick("A4V3", "all", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A4V4" offset 0,-0.6
set format y ""
set format x ""
unset label 102
plot for [i=1:3] data skip 1 using (pick("A4V4", "all", i, "ours") ? $5 : NaN):8:9 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (pick("A4V4", "all", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A4V5" offset 0,-0.6
set format y ""
set format x ""
unset label 102
plot for [i=1:3] data skip 1 using (pick("A4V5", "all", i, "ours") ? $5 : NaN):8:9 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (pick("A4V5", "all", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A5V3" offset 0,-0.6
set format y "%g"
set format x "%g"
unset label 102
plot for [i=1:3] data skip 1 using (pick("A5V3", "all", i, "ours") ? $5 : NaN):8:9 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (pick("A5V3", "all", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A5V4" offset 0,-0.6
set format y ""
set format x "%g"
unset label 102
plot for [i=1:3] data skip 1 using (pick("A5V4", "all", i, "ours") ? $5 : NaN):8:9 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (pick("A5V4", "all", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A5V5" offset 0,-0.6
set format y ""
set format x "%g"
unset label 102
plot for [i=1:3] data skip 1 using (pick("A5V5", "all", i, "ours") ? $5 : NaN):8:9 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (pick("A5V5", "all", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle
unset multiplot
unset output
