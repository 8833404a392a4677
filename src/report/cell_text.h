#pragma once

#include <cstdint>
#include <string>

#include "sweep/analysis/analysis.h"
#include "sweep/report/table.h"

namespace sweep {

/// What stands where there is no value.
inline constexpr const char* kNothing = "–";

TableCell word_cell(const std::string& word);
TableCell count_cell(std::int64_t count);
/// `decimals` places to read, all of them in the value.
TableCell number_cell(double value, int decimals);
TableCell empty_cell(const std::string& text = kNothing);

/// "1,003,854"
std::string with_commas(std::int64_t count);

/// Losses and differences of losses, in nats.
std::string loss_text(double loss);
std::string perplexity_text(double value);

/// "learning rate" for train.learning_rate, else the field's last word.
std::string axis_title(const std::string& axis);
/// The same as the heading of a narrow column: "LR".
std::string axis_heading(const std::string& axis);
TableCell level_cell(const std::string& axis, double x);

/// Whether strata need telling apart.
bool has_strata(const Analysis& analysis);
Column stratum_column(const Analysis& analysis);
TableCell stratum_cell(const Stratum& stratum);
/// ", n_layer 2" to end a title with; "" for the only stratum.
std::string stratum_suffix(const Stratum& stratum);
/// "-n_layer-2" to end a file name with; "" for the only stratum.
std::string stratum_slug(const Stratum& stratum);

/// The letter that marks a run in tables: D, C, B, N; "?" when unjudged, "" when ok.
std::string status_mark(RunStatus status);
/// "D degraded, C collapsed": what the marks of these cells mean; "" when there are none.
std::string mark_legend(const std::vector<const Cell*>& cells);

/// A run's loss with its mark, "N" when it has none, "–" when it is missing.
std::string run_text(const CellRun& run);

/// Up to three runs one by one, more as "min–max".
std::string runs_text(const Cell& cell);

}  // namespace sweep
