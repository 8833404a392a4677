set encoding utf8
set terminal svg size 900,560 noenhanced font 'Helvetica,Arial,sans-serif,15' background '#ffffff' linewidth 1.2
set lmargin at screen 0.095
set rmargin at screen 0.85
set tmargin at screen 0.83
set bmargin at screen 0.2
set border 3 linecolor rgb '#444444'
set logscale x
set logscale y
set format y '%g'
set xrange [0.000724436:0.138038]
set yrange [2.49629:1.64244e+06]
set xtics ('1e-3' 0.001, '1e-2' 0.01, '1e-1' 0.1) nomirror out scale 0.6 font ',13'
set ytics nomirror out scale 0.6 font ',13'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#e6e6e6'
set xlabel 'peak learning rate' offset 0,0.4
set ylabel 'largest attention logit (after the scale)' offset 0.8,0
set label 'Largest attention logit against learning rate, n_layer 2' at screen 0.022,0.955 left font ',19' textcolor rgb '#000000'
set label 'After 100 updates. Points are seeds: filled usable, open unusable, cross beyond 0.01 to 1e+07 or not finite (drawn at the edge).' at screen 0.022,0.062 left font ',12' textcolor rgb '#555555'
set label 'Lines are medians over seeds. Arms'' markers stand side by side. Dashed: thresholds of the literature.' at screen 0.022,0.028 left font ',12' textcolor rgb '#555555'
set arrow from graph 0,first 100 to graph 1,first 100 nohead back linewidth 0.8 dashtype (6,4) linecolor rgb '#8a8a8a'
set label '100' at graph 1.012,first 100 left font ',12' textcolor rgb '#666666'
set arrow from graph 0,first 1000 to graph 1,first 1000 nohead back linewidth 0.8 dashtype (6,4) linecolor rgb '#8a8a8a'
set label '1.0e3' at graph 1.012,first 1000 left font ',12' textcolor rgb '#666666'
set arrow from graph 0,first 10000 to graph 1,first 10000 nohead back linewidth 0.8 dashtype (6,4) linecolor rgb '#8a8a8a'
set label '1.0e4' at graph 1.012,first 10000 left font ',12' textcolor rgb '#666666'
set arrow from graph 0,first 50000 to graph 1,first 50000 nohead back linewidth 0.8 dashtype (6,4) linecolor rgb '#8a8a8a'
set label '5.0e4' at graph 1.012,first 50000 left font ',12' textcolor rgb '#666666'
$legend << EOD
NaN NaN
EOD
$line1 << EOD
0.001 101.5
0.01 10001.5

EOD
$usable1 << EOD
0.001 101
0.001 102
0.01 10001
EOD
$unusable1 << EOD
0.01 10002
0.1 1000002
EOD
$capped1 << EOD
NaN NaN
EOD
$line2 << EOD
0.001 4.15
0.01 4.15
0.1 4.15
EOD
$usable2 << EOD
0.001 4.1
0.001 4.2
0.01 4.1
0.01 4.2
0.1 4.1
0.1 4.2
EOD
$unusable2 << EOD
NaN NaN
EOD
$capped2 << EOD
NaN NaN
EOD
set key at graph 0,1.02 left bottom horizontal reverse Left samplen 2.2 width 2
plot $line1 using 1:2 with lines linewidth 2.2 linecolor rgb '#0072B2' notitle, \
     $line2 using 1:2 with lines linewidth 2.2 linecolor rgb '#D55E00' notitle, \
     $usable1 using ($1*0.968992):2 with points pointtype 7 pointsize 0.9 linecolor rgb '#0072B2' notitle, \
     $unusable1 using ($1*0.968992):2 with points pointtype 7 pointsize 0.9 linecolor rgb '#0072B2' notitle, \
     $unusable1 using ($1*0.968992):2 with points pointtype 7 pointsize 0.54 linecolor rgb '#ffffff' notitle, \
     $capped1 using ($1*0.968992):2 with points pointtype 7 pointsize 1.5 linecolor rgb '#ffffff' notitle, \
     $capped1 using ($1*0.968992):2 with points pointtype 2 pointsize 1.4 linecolor rgb '#0072B2' notitle, \
     $usable2 using ($1*1.032):2 with points pointtype 5 pointsize 0.8 linecolor rgb '#D55E00' notitle, \
     $unusable2 using ($1*1.032):2 with points pointtype 5 pointsize 0.8 linecolor rgb '#D55E00' notitle, \
     $unusable2 using ($1*1.032):2 with points pointtype 5 pointsize 0.48 linecolor rgb '#ffffff' notitle, \
     $capped2 using ($1*1.032):2 with points pointtype 7 pointsize 1.5 linecolor rgb '#ffffff' notitle, \
     $capped2 using ($1*1.032):2 with points pointtype 2 pointsize 1.4 linecolor rgb '#D55E00' notitle, \
     $legend using 1:2 with linespoints linewidth 2.2 pointtype 7 pointsize 0.9 linecolor rgb '#0072B2' title 'base', \
     $legend using 1:2 with linespoints linewidth 2.2 pointtype 5 pointsize 0.8 linecolor rgb '#D55E00' title 'qknorm'
