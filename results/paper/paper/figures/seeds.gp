# Individual training seeds at delay 1,536 (fig:seeds of the paper): ours under the recipe paper, evaluation seed 20261001, mean and sample SD over training
# seeds, and the paper's numbers.  gnuplot -e "format='svg'" seeds.gp   (pdf, svg or png)
if (!exists("format")) format = "pdf"
if (format eq "svg") set terminal svg size 672,883 font "Helvetica,12" background rgb "white"
if (format eq "pdf") set terminal pdfcairo size 7in,9.2in font "Helvetica,9" fontscale 0.75 linewidth 1.4 pointscale 1.25
if (format eq "png") set terminal pngcairo size 1120,1472 font "Helvetica,9" fontscale 2.22
set output "seeds.".format
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
set xrange [41.6:44.4]
set xtics (42, 43, 44)
set yrange [0:104]
set ytics 25
data = "seeds.csv"
models = "schemamem mamba3 gdn"
pick(s, c, i, o) = strcol(1) eq s && strcol(2) eq c && strcol(3) eq word(models, i) && strcol(4) eq o
set multiplot layout 6,3 margins 0.1029,0.9800,0.0674,0.9326 spacing 0.0229,0.0370
set label 100 "training seed (lines only guide the eye)" at screen 0.5,0.0174 center
set arrow 201 from screen 0.0284,0.9783 to screen 0.0884,0.9783 nohead ls 1
set label 201 "" at screen 0.0584,0.9783 point ls 1
set label 251 "SchemaMem" at screen 0.0999,0.9783 left
set arrow 202 from screen 0.2373,0.9783 to screen 0.2973,0.9783 nohead ls 2
set label 202 "" at screen 0.2673,0.9783 point ls 2
set label 252 "Mamba-3" at screen 0.3087,0.9783 left
set arrow 203 from screen 0.4239,0.9783 to screen 0.4839,0.9783 nohead ls 3
set label 203 "" at screen 0.4539,0.9783 point ls 3
set label 253 "Gated DeltaNet" at screen 0.4953,0.9783 left
set label 222 "" at screen 0.7184,0.9783 point ls 22
set label 272 "hollow: the paper's" at screen 0.7599,0.9783 left

set title "A3V3" offset 0,-0.6
set ylabel "Retained-I (%)" offset 0.6,0
set format y "%g"
set format x ""
set label 102 "no runs: SM" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A3V3", "retained_i", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A3V3", "retained_i", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle
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

set title "A3V4" offset 0,-0.6
unset ylabel
set format y ""
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A3V4", "retained_i", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A3V4", "retained_i", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A3V5" offset 0,-0.6
unset ylabel
set format y ""
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A3V5", "retained_i", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A3V5", "retained_i", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

unset title
set ylabel "Updated (%)" offset 0.6,0
set format y "%g"
set format x ""
set label 102 "no runs: SM" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A3V3", "updated", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A3V3", "updated", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

unset title
unset ylabel
set format y ""
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A3V4", "updated", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A3V4", "updated", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

unset title
unset ylabel
set format y ""
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A3V5", "updated", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A3V5", "updated", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A4V3" offset 0,-0.6
set ylabel "Retained-I (%)" offset 0.6,0
set format y "%g"
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A4V3", "retained_i", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A4V3", "retained_i", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A4V4" offset 0,-0.6
unset ylabel
set format y ""
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A4V4", "retained_i", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A4V4", "retained_i", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A4V5" offset 0,-0.6
unset ylabel
set format y ""
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A4V5", "retained_i", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A4V5", "retained_i", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

unset title
set ylabel "Updated (%)" offset 0.6,0
set format y "%g"
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A4V3", "updated", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A4V3", "updated", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

unset title
unset ylabel
set format y ""
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A4V4", "updated", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A4V4", "updated", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

unset title
unset ylabel
set format y ""
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A4V5", "updated", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A4V5", "updated", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A5V3" offset 0,-0.6
set ylabel "Retained-I (%)" offset 0.6,0
set format y "%g"
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A5V3", "retained_i", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A5V3", "retained_i", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A5V4" offset 0,-0.6
unset ylabel
set format y ""
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A5V4", "retained_i", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A5V4", "retained_i", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

set title "A5V5" offset 0,-0.6
unset ylabel
set format y ""
set format x ""
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A5V5", "retained_i", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A5V5", "retained_i", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

unset title
set ylabel "Updated (%)" offset 0.6,0
set format y "%g"
set format x "%g"
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A5V3", "updated", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A5V3", "updated", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

unset title
unset ylabel
set format y ""
set format x "%g"
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A5V4", "updated", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A5V4", "updated", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle

unset title
unset ylabel
set format y ""
set format x "%g"
set label 102 "no runs: SM, M3, GDN" at graph 0.03,0.055 left font ",8" textcolor rgb "#777777" front
plot for [i=1:3] data skip 1 using (pick("A5V5", "updated", i, "paper") ? $5 + 0.07 * (i - 1.2) : NaN):6 with linespoints ls 10+i lw 0.9 dt (2,4) notitle, \
     for [i=1:3] data skip 1 using (pick("A5V5", "updated", i, "ours") ? $5 : NaN):6 with linespoints ls i notitle
unset multiplot
unset output
