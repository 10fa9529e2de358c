# Accuracy over delay, means over the nine settings, bands from the worst setting to the best; and the paper's means.
# gnuplot -e "format='svg'" headline_brief.gp   (pdf, svg or png)
if (!exists("format")) format = "pdf"
if (format eq "svg") set terminal svg size 691,278 font "Helvetica,12" background rgb "white"
if (format eq "pdf") set terminal pdfcairo size 7.2in,2.9in font "Helvetica,9" fontscale 0.75 linewidth 1.4 pointscale 1.25
if (format eq "png") set terminal pngcairo size 1152,464 font "Helvetica,9" fontscale 2.22
set output "headline_brief.".format
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
set xrange [80:127795]
set yrange [0:104]
set ytics 25
set arrow 1 from 384, graph 0 to 384, graph 1 nohead ls 21 back
data = "headline_brief.csv"
models = "schemamem mamba3 gdn"
pick(i, t, c) = strcol(1) eq word(models, i) && strcol(2) eq t && strcol(4) eq c
whole(i, t, c, n) = pick(i, t, c) && column(5) >= word(n, i)
part(i, t, c, n) = pick(i, t, c) && column(5) < word(n, i)
set multiplot layout 1,2 margins 0.1000,0.9806,0.2138,0.7862 spacing 0.0222,0.1172
set label 100 "delay: NULL queries between the writes and the final queries (log scale)" at screen 0.5,0.0552 center
set arrow 201 from screen 0.0415,0.9310 to screen 0.0999,0.9310 nohead ls 1
set label 201 "" at screen 0.0707,0.9310 point ls 1
set label 251 "SchemaMem" at screen 0.1110,0.9310 left
set arrow 202 from screen 0.2446,0.9310 to screen 0.3029,0.9310 nohead ls 2
set label 202 "" at screen 0.2737,0.9310 point ls 2
set label 252 "Mamba-3" at screen 0.3140,0.9310 left
set arrow 203 from screen 0.4260,0.9310 to screen 0.4843,0.9310 nohead ls 3
set label 203 "" at screen 0.4551,0.9310 point ls 3
set label 253 "Gated DeltaNet" at screen 0.4954,0.9310 left
set label 222 "" at screen 0.7124,0.9310 point ls 22
set label 272 "hollow: the paper's" at screen 0.7526,0.9310 left

set title "recipe fast" offset 0,-0.6
set ylabel "Retained-I (%)" offset 0.6,0
set format y "%g"
set format x "%g"
unset label 102
set xtics ("96" 96, "384" 384, "1.5k" 1536, "6k" 6144, "25k" 24576, "98k" 98304, "1M" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "fast", "retained_i", "9 9 9") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "fast", "retained_i", "9 9 9") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "fast", "retained_i", "9 9 9") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "retained_i") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle
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

set title "recipe steady" offset 0,-0.6
unset ylabel
set format y ""
set format x "%g"
unset label 102
set xtics ("96" 96, "384" 384, "1.5k" 1536, "6k" 6144, "25k" 24576, "98k" 98304, "1M" 1000000)
plot for [i=1:3] data skip 1 using (whole(i, "steady", "retained_i", "9 9 9") ? $3 : NaN):7:8 with filledcurves ls i notitle, \
     for [i=1:3] data skip 1 using (whole(i, "steady", "retained_i", "9 9 9") ? $3 : NaN):6 with linespoints ls i notitle, \
     for [i=1:3] data skip 1 using (part(i, "steady", "retained_i", "9 9 9") ? $3 : NaN):6 with points ls i notitle, \
     for [i=1:3] data skip 1 using (pick(i, "paper as printed", "retained_i") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i notitle
unset multiplot
unset output
