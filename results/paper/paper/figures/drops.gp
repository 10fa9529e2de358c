# Accuracy lost from delay 384 to 1,536 (fig:drops of the paper): ours under the recipe paper, evaluation seed 20261001, mean and sample SD over training
# seeds, and the paper's numbers.  gnuplot -e "format='svg'" drops.gp   (pdf, svg or png)
if (!exists("format")) format = "pdf"
if (format eq "svg") set terminal svg size 672,499 font "Helvetica,12" background rgb "white"
if (format eq "pdf") set terminal pdfcairo size 7in,5.2in font "Helvetica,9" fontscale 0.75 linewidth 1.4 pointscale 1.25
if (format eq "png") set terminal pngcairo size 1120,832 font "Helvetica,9" fontscale 2.22
set output "drops.".format
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
set xrange [-0.6:8.6]
set yrange [-16:104]
set ytics 25
set xzeroaxis ls 20
data = "drops.csv"
models = "schemamem mamba3 gdn"
pick(s, c, i, o) = strcol(1) eq s && strcol(2) eq c && strcol(3) eq word(models, i) && strcol(4) eq o
place(s) = (strstrt("A3V3A3V4A3V5A4V3A4V4A4V5A5V3A5V4A5V5", s) - 1) / 4
set multiplot layout 2,2 margins 0.1029,0.9800,0.1192,0.8808 spacing 0.0229,0.0654
set label 100 "setting" at screen 0.5,0.0308 center
set label 101 "points lost from delay 384 to 1,536 (lower is better)" at screen 0.0229,0.5 center rotate by 90
set arrow 201 from screen 0.0284,0.9615 to screen 0.0884,0.9615 nohead ls 1
set label 201 "" at screen 0.0584,0.9615 point ls 1
set label 251 "SchemaMem" at screen 0.0999,0.9615 left
set arrow 202 from screen 0.2373,0.9615 to screen 0.2973,0.9615 nohead ls 2
set label 202 "" at screen 0.2673,0.9615 point ls 2
set label 252 "Mamba-3" at screen 0.3087,0.9615 left
set arrow 203 from screen 0.4239,0.9615 to screen 0.4839,0.9615 nohead ls 3
set label 203 "" at screen 0.4539,0.9615 point ls 3
set label 253 "Gated DeltaNet" at screen 0.4953,0.9615 left
set label 222 "" at screen 0.7184,0.9615 point ls 22
set label 272 "hollow: the paper's" at screen 0.7599,0.9615 left

set title "Retained-R" offset 0,-0.6
set format y "%g"
set format x ""
set label 102 "no runs: 25 of 27" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
set xtics ("" 0, "" 1, "" 2, "" 3, "" 4, "" 5, "" 6, "" 7, "" 8)
plot for [i=1:3] data skip 1 using (pick(strcol(1), "retained_r", i, "ours") ? place(strcol(1)) + 0.24 * (i - 2) : NaN):6:8:9 with yerrorbars ls i dt solid lw 1.2 notitle, \
     for [i=1:3] data skip 1 using (pick(strcol(1), "retained_r", i, "paper") ? place(strcol(1)) + 0.24 * (i - 2) - 0.1 : NaN):6 with points ls 10+i notitle
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
set format y ""
set format x ""
set label 102 "no runs: 25 of 27" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
set xtics ("" 0, "" 1, "" 2, "" 3, "" 4, "" 5, "" 6, "" 7, "" 8)
plot for [i=1:3] data skip 1 using (pick(strcol(1), "retained_i", i, "ours") ? place(strcol(1)) + 0.24 * (i - 2) : NaN):6:8:9 with yerrorbars ls i dt solid lw 1.2 notitle, \
     for [i=1:3] data skip 1 using (pick(strcol(1), "retained_i", i, "paper") ? place(strcol(1)) + 0.24 * (i - 2) - 0.1 : NaN):6 with points ls 10+i notitle

set title "Updated" offset 0,-0.6
set format y "%g"
set format x "%g"
set label 102 "no runs: 25 of 27" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
set xtics ("A3V3" 0, "A3V4" 1, "A3V5" 2, "A4V3" 3, "A4V4" 4, "A4V5" 5, "A5V3" 6, "A5V4" 7, "A5V5" 8) font ",8"
plot for [i=1:3] data skip 1 using (pick(strcol(1), "updated", i, "ours") ? place(strcol(1)) + 0.24 * (i - 2) : NaN):6:8:9 with yerrorbars ls i dt solid lw 1.2 notitle, \
     for [i=1:3] data skip 1 using (pick(strcol(1), "updated", i, "paper") ? place(strcol(1)) + 0.24 * (i - 2) - 0.1 : NaN):6 with points ls 10+i notitle

set title "Default" offset 0,-0.6
set format y ""
set format x "%g"
set label 102 "no runs: 25 of 27" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
set xtics ("A3V3" 0, "A3V4" 1, "A3V5" 2, "A4V3" 3, "A4V4" 4, "A4V5" 5, "A5V3" 6, "A5V4" 7, "A5V5" 8) font ",8"
plot for [i=1:3] data skip 1 using (pick(strcol(1), "default", i, "ours") ? place(strcol(1)) + 0.24 * (i - 2) : NaN):6:8:9 with yerrorbars ls i dt solid lw 1.2 notitle, \
     for [i=1:3] data skip 1 using (pick(strcol(1), "default", i, "paper") ? place(strcol(1)) + 0.24 * (i - 2) - 0.1 : NaN):6 with points ls 10+i notitle
unset multiplot
unset output
