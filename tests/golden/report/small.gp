set encoding utf8
set terminal svg size 900,560 noenhanced font 'Helvetica,Arial,sans-serif,15' background '#ffffff' linewidth 1.2
set lmargin at screen 0.095
set rmargin at screen 0.85
set tmargin at screen 0.83
set bmargin at screen 0.2
set border 3 linecolor rgb '#444444'
set logscale x
set xrange [0.000724436:0.138038]
set yrange [1.91304:4.26096]
set xtics ('1e-3' 0.001, '1e-2' 0.01, '1e-1' 0.1) nomirror out scale 0.6 font ',13'
set ytics nomirror out scale 0.6 font ',13'
set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#e6e6e6'
set xlabel 'peak learning rate' offset 0,0.4
set ylabel 'final validation loss (nats per token)' offset 0.8,0
set label 'Final validation loss against learning rate, n_layer 2' at screen 0.022,0.955 left font ',19' textcolor rgb '#000000'
set label 'Points are seeds: filled usable, open unusable, cross at or above the initial loss or non-finite (drawn at the initial loss).' at screen 0.022,0.062 left font ',12' textcolor rgb '#555555'
set label 'Lines are means over seeds of min(final loss, initial loss). Arms'' markers stand side by side.' at screen 0.022,0.028 left font ',12' textcolor rgb '#555555'
set arrow from graph 0,first 2.482 to graph 1,first 2.482 nohead back linewidth 0.8 dashtype (6,4) linecolor rgb '#8a8a8a'
set label 'bigram 2.48' at graph 1.012,first 2.482 left font ',12' textcolor rgb '#666666'
set arrow from graph 0,first 3.347 to graph 1,first 3.347 nohead back linewidth 0.8 dashtype (6,4) linecolor rgb '#8a8a8a'
set label 'unigram 3.35' at graph 1.012,first 3.347 left font ',12' textcolor rgb '#666666'
set arrow from graph 0,first 4 to graph 1,first 4 nohead back linewidth 0.8 dashtype (6,4) linecolor rgb '#8a8a8a'
set label 'initial loss 4.00' at graph 1.012,first 4 left font ',12' textcolor rgb '#666666'
set arrow from graph 0,first 4.174 to graph 1,first 4.174 nohead back linewidth 0.8 dashtype (6,4) linecolor rgb '#8a8a8a'
set label 'uniform 4.17' at graph 1.012,first 4.174 left font ',12' textcolor rgb '#666666'
$legend << EOD
NaN NaN
EOD
$line1 << EOD
0.001 2.1
0.01 2.4
0.1 4
EOD
$usable1 << EOD
0.001 2
0.001 2.2
0.01 2.3
EOD
$unusable1 << EOD
0.01 2.5
EOD
$capped1 << EOD
0.1 4
0.1 4
EOD
$line2 << EOD
0.001 2.2
0.01 2.1
0.1 2.25
EOD
$usable2 << EOD
0.001 2.1
0.001 2.3
0.01 2
0.01 2.2
0.1 2.2
0.1 2.3
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
