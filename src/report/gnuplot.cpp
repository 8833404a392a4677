#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sweep/base/text.h"
#include "sweep/report/figure.h"

namespace sweep {
namespace {

constexpr int kWidth = 900;    // pixels
constexpr int kHeight = 560;   // pixels
constexpr double kTop = 0.83;  // of the height: upper edge of the plot
constexpr double kBottom = 0.2;
constexpr double kLabelHeight = 15.0 / (kHeight * (kTop - kBottom));  // of the plot's height
constexpr std::size_t kMostTickLabels = 13;

/// Okabe and Ito's palette: told apart by readers of every colour vision, and in grey by marker.
struct Style {
  const char* colour;
  int marker;  // gnuplot's number of a filled point type
  double size;
};
constexpr std::array<Style, 6> kStyles = {{{"#0072B2", 7, 0.9},
                                           {"#D55E00", 5, 0.8},
                                           {"#009E73", 9, 1.0},
                                           {"#CC79A7", 13, 1.0},
                                           {"#E69F00", 11, 1.0},
                                           {"#56B4E9", 15, 1.0}}};
constexpr int kDisc = 7;
constexpr int kCross = 2;
constexpr double kHole = 0.6;      // of an open marker, as a share of its size
constexpr double kBeside = 0.012;  // of the plot's width: from one arm's markers to the next's

/// gnuplot's single quotes know one escape: a quote is written twice.
std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + "'";
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

Range y_range(const Figure& figure) {
  Range range;
  for (const FigureLevel& level : figure.levels) range.include(level.y);
  for (const FigureSeries& series : figure.series) {
    for (const FigurePoint& point : series.points) range.include(point.y);
  }
  if (range.low > range.high) return figure.logarithmic_y ? Range{0.1, 10} : Range{0, 1};
  if (figure.logarithmic_y) {
    const double factor = std::pow(std::max(range.high / range.low, 10.0), 0.04);
    return {range.low / factor, range.high * factor};
  }
  const double margin = 0.04 * std::max(range.high - range.low, 0.1);
  return {range.low - margin, range.high + margin};
}

bool is_logarithmic(const Figure& figure) { return figure.ticks.front().second > 0; }

/// A little room on either side of the levels.
Range x_range(const Figure& figure) {
  const double first = figure.ticks.front().second;
  const double last = figure.ticks.back().second;
  if (!is_logarithmic(figure)) {
    const double margin = last > first ? 0.07 * (last - first) : 1;
    return {first - margin, last + margin};
  }
  const double factor = last > first ? std::pow(last / first, 0.07) : 2;
  return {first / factor, last * factor};
}

std::string ticks_text(const Figure& figure) {
  const std::size_t every = (figure.ticks.size() + kMostTickLabels - 1) / kMostTickLabels;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < figure.ticks.size(); ++i) {
    const auto& [label, x] = figure.ticks[i];
    parts.push_back(fmt::format("{} {}", in_quotes(i % every == 0 ? label : ""), x));
  }
  return join(parts, ", ");
}

std::string frame(const Figure& figure) {
  const Range x = x_range(figure);
  const Range y = y_range(figure);
  return fmt::format(
             "set encoding utf8\n"
             "set terminal svg size {},{} noenhanced font 'Helvetica,Arial,sans-serif,15' "
             "background '#ffffff' linewidth 1.2\n"
             "set lmargin at screen 0.095\nset rmargin at screen 0.85\n"
             "set tmargin at screen {}\nset bmargin at screen {}\n",
             kWidth, kHeight, kTop, kBottom) +
         fmt::format(
             "set border 3 linecolor rgb '#444444'\n"
             "{}set xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\n"
             "set xtics ({}) nomirror out scale 0.6 font ',13'\n"
             "set ytics nomirror out scale 0.6 font ',13'\n"
             "set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#e6e6e6'\n"
             "set xlabel {} offset 0,0.4\nset ylabel {} offset 0.8,0\n",
             (is_logarithmic(figure) ? std::string("set logscale x\n") : "") +
                 (figure.logarithmic_y ? "set logscale y\nset format y '%g'\n" : ""),
             x.low, x.high, y.low, y.high, ticks_text(figure), in_quotes(figure.x_label),
             in_quotes(figure.y_label));
}

std::string screen_label(double y, const std::string& text, int size, const char* colour) {
  return fmt::format("set label {} at screen 0.022,{:.4g} left font ',{}' textcolor rgb '{}'\n",
                     in_quotes(text), y, size, colour);
}

std::string words(const Figure& figure) {
  std::string text = screen_label(0.955, figure.title, 19, "#000000");
  if (!figure.stamp.empty()) {
    text +=
        fmt::format("set label {} at screen 0.978,0.885 right font ',15' textcolor rgb '#B00020'\n",
                    in_quotes(figure.stamp));
  }
  double height = 0.062;
  for (const std::string& remark : figure.remarks) {
    text += screen_label(height, remark, 12, "#555555");
    height -= 0.034;
  }
  return text;
}

/// Heights of labels, ascending, moved apart until none covers another.
std::vector<double> spaced(std::vector<double> heights, double distance) {
  for (int pass = 0; pass < 100; ++pass) {
    for (std::size_t i = 1; i < heights.size(); ++i) {
      const double overlap = distance - (heights[i] - heights[i - 1]);
      if (overlap <= 0) continue;
      heights[i] += overlap / 2;
      heights[i - 1] -= overlap / 2;
    }
  }
  return heights;
}

std::string level_lines(const Figure& figure) {
  const Range range = y_range(figure);
  auto levels = figure.levels;
  std::sort(levels.begin(), levels.end(),
            [](const FigureLevel& a, const FigureLevel& b) { return a.y < b.y; });
  const auto height = [&](double y) { return figure.logarithmic_y ? std::log10(y) : y; };
  std::vector<double> heights;
  for (const FigureLevel& level : levels) heights.push_back(height(level.y));
  heights = spaced(heights, kLabelHeight * (height(range.high) - height(range.low)));
  if (figure.logarithmic_y) {
    for (double& label : heights) label = std::pow(10, label);
  }
  std::string text;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    text += fmt::format(
        "set arrow from graph 0,first {0:.6g} to graph 1,first {0:.6g} nohead back linewidth 0.8 "
        "dashtype (6,4) linecolor rgb '#8a8a8a'\n"
        "set label {1} at graph 1.012,first {2:.6g} left font ',12' textcolor rgb '#666666'\n",
        levels[i].y, in_quotes(levels[i].label), heights[i]);
  }
  return text;
}

using Points = std::vector<std::pair<double, std::optional<double>>>;

/// A named block of points in the script itself, without y a gap. One without any y holds a point
/// that is never drawn: gnuplot complains of blocks with nothing in them.
std::string data_block(const std::string& name, const Points& points) {
  std::string text = fmt::format("${} << EOD\n", name);
  const bool nothing = std::none_of(points.begin(), points.end(),
                                    [](const auto& point) { return point.second.has_value(); });
  if (nothing) text += "NaN NaN\n";
  for (const auto& [x, y] : points) text += y ? fmt::format("{} {}\n", x, *y) : "\n";
  return text + "EOD\n";
}

template <typename Predicate>
Points chosen(const FigureSeries& series, Predicate predicate) {
  Points points;
  for (const FigurePoint& point : series.points) {
    if (predicate(point)) points.emplace_back(point.x, point.y);
  }
  return points;
}

std::string series_data(const FigureSeries& series, std::size_t i) {
  const auto block = [&](const char* name, auto predicate) {
    return data_block(fmt::format("{}{}", name, i), chosen(series, predicate));
  };
  return data_block(fmt::format("line{}", i), series.line) +
         block("usable", [](const FigurePoint& p) { return !p.capped && !p.unusable; }) +
         block("unusable", [](const FigurePoint& p) { return !p.capped && p.unusable; }) +
         block("capped", [](const FigurePoint& p) { return p.capped; });
}

/// gnuplot's expression for the x of an arm's markers, so that arms do not cover each other.
std::string marker_x(const Figure& figure, std::size_t i) {
  const double middle = 0.5 * static_cast<double>(figure.series.size() - 1);
  const double shift = kBeside * (static_cast<double>(i) - middle);
  const Range x = x_range(figure);
  return is_logarithmic(figure) ? fmt::format("($1*{:.6g})", std::pow(x.high / x.low, shift))
                                : fmt::format("($1+{:.6g})", shift * (x.high - x.low));
}

std::string line_plot(std::size_t i, const Style& style) {
  return fmt::format("$line{} using 1:2 with lines linewidth 2.2 linecolor rgb '{}' notitle", i,
                     style.colour);
}

/// Open markers are filled ones with a white hole: gnuplot's own open ones are hairlines in SVG,
/// and lines run through them. A cross stands on a white disc for the same reason.
std::vector<std::string> point_plots(const Figure& figure, std::size_t i, const Style& style) {
  const std::string x = marker_x(figure, i);
  const auto points = [&](const char* block, int type, double size, const char* colour) {
    return fmt::format(
        "${}{} using {}:2 with points pointtype {} pointsize {:.3g} linecolor rgb '{}' notitle",
        block, i + 1, x, type, size, colour);
  };
  return {points("usable", style.marker, style.size, style.colour),
          points("unusable", style.marker, style.size, style.colour),
          points("unusable", style.marker, style.size * kHole, "#ffffff"),
          points("capped", kDisc, 1.5, "#ffffff"), points("capped", kCross, 1.4, style.colour)};
}

std::string legend_entry(const std::string& arm, const Style& style) {
  return fmt::format(
      "$legend using 1:2 with linespoints linewidth 2.2 pointtype {} pointsize {} linecolor rgb "
      "'{}' title {}",
      style.marker, style.size, style.colour, in_quotes(arm));
}

std::string plots(const Figure& figure) {
  std::vector<std::string> lines;
  std::vector<std::string> points;
  std::vector<std::string> legend;
  std::string data = data_block("legend", {});
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Style& style = kStyles[i % kStyles.size()];
    data += series_data(figure.series[i], i + 1);
    lines.push_back(line_plot(i + 1, style));
    for (const auto& plot : point_plots(figure, i, style)) points.push_back(plot);
    legend.push_back(legend_entry(figure.series[i].arm, style));
  }
  lines.insert(lines.end(), points.begin(), points.end());
  lines.insert(lines.end(), legend.begin(), legend.end());
  return data +
         "set key at graph 0,1.02 left bottom horizontal reverse Left samplen 2.2 width 2\nplot " +
         join(lines, ", \\\n     ") + "\n";
}

std::string xml_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// Puts `text` between the first `open` and the `close` after it, where both are there.
void replace_between(std::string& svg, const std::string& open, const std::string& close,
                     const std::string& text) {
  const auto from = svg.find(open);
  const auto to = from == std::string::npos ? from : svg.find(close, from);
  if (to == std::string::npos) return;
  svg.replace(from + open.size(), to - from - open.size(), text);
}

}  // namespace

std::string gnuplot_script(const Figure& figure) {
  return frame(figure) + words(figure) + level_lines(figure) + plots(figure);
}

std::string polished_svg(const std::string& svg, const Figure& figure) {
  std::string result = svg;
  const std::string stamp = figure.stamp.empty() ? "" : fmt::format(" [{}]", figure.stamp);
  replace_between(result, "<title>", "</title>", xml_escaped(figure.title + stamp));
  replace_between(result, "<desc>", "</desc>",
                  xml_escaped(fmt::format("The numbers stand in {}.csv.", figure.name)));
  return result;
}

}  // namespace sweep
