#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sweep/analysis/status.h"
#include "sweep/report/table.h"

namespace sweep {

/// One run in a figure.
struct FigurePoint {
  double x = 0;
  double y = 0;         ///< where it is drawn: min(final loss, initial loss)
  bool capped = false;  ///< drawn at its initial loss, since it ended there, above, or non-finite
  bool unusable = false;
  bool operator==(const FigurePoint&) const = default;
};

/// One arm: a line through the means of its cells, and its runs.
struct FigureSeries {
  std::string arm;
  /// x and mean, x ascending; nullopt where a run is missing: the line is broken there.
  std::vector<std::pair<double, std::optional<double>>> line;
  std::vector<FigurePoint> points;
  bool operator==(const FigureSeries&) const = default;
};

/// A thin labelled line across: a corpus floor or the initial loss.
struct FigureLevel {
  std::string label;
  double y = 0;
  bool operator==(const FigureLevel&) const = default;
};

/// A measured quantity against the axis, for one stratum.
struct Figure {
  std::string name;  ///< file name without its ending
  std::string title;
  std::string stamp;  ///< as a table's
  std::string x_label;
  std::string y_label;
  bool logarithmic_y = false;        ///< then every y is above 0
  std::vector<std::string> remarks;  ///< under the plot: what points and lines are, two at most
  std::vector<std::pair<std::string, double>> ticks;  ///< label and level, x ascending
  std::vector<FigureSeries> series;
  std::vector<FigureLevel> levels;
  Table data;  ///< what is drawn, one row per run
  bool operator==(const Figure&) const = default;
};

/// The gnuplot program that draws the figure as SVG on stdout; complete, data included.
std::string gnuplot_script(const Figure& figure);

/// gnuplot's SVG without what differs between equal figures (its version), titled for readers that
/// speak it aloud.
std::string polished_svg(const std::string& svg, const Figure& figure);

}  // namespace sweep
