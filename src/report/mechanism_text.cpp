#include "report/mechanism_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/cell_text.h"

namespace sweep {
namespace {

const std::array<ShownQuantity, 13>& all_quantities() {
  static const std::array<ShownQuantity, 13> all = {{
      {"max_attention_logit", "max logit"},
      {"attention_entropy/min", "min entropy"},
      {"kurtosis_rms_token/max", "kurtosis"},
      {"qk_rms", "q, k RMS"},
      {"max_abs_attention_logit", "max |logit|"},
      {"attention_entropy_normalised/min", "min entropy, share"},
      {"attention_sink", "sink"},
      {"kurtosis_excess_tensor/max", "excess kurtosis"},
      {"massive_activation", "ln max/median"},
      {"residual_rms", "residual RMS"},
      {"qk_gain", "max gain"},
      {"log_z", "log Z"},
      {"update_rms", "update RMS"},
  }};
  return all;
}

/// 1.2e+03 -> 1.2e3
std::string short_exponent(std::string text) {
  const auto at = text.find('e');
  if (at == std::string::npos) return text;
  const bool negative = text[at + 1] == '-';
  const auto digits = text.find_first_not_of('0', at + 2);
  return text.substr(0, at) + (negative ? "e-" : "e") + text.substr(digits);
}

}  // namespace

std::vector<ShownQuantity> shown_quantities(const MechanismAnalysis& mechanism) {
  std::vector<ShownQuantity> shown;
  for (const ShownQuantity& quantity : all_quantities()) {
    const auto& names = mechanism.names;
    if (std::find(names.begin(), names.end(), quantity.name) != names.end()) {
      shown.push_back(quantity);
    }
  }
  return shown;
}

std::string sized_text(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (size == 0) return "0";
  if (size >= 999.5 || size < 9.5e-4) return short_exponent(fmt::format("{:.1e}", value));
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  return size >= 0.1 ? fmt::format("{:.2f}", value) : fmt::format("{:.2g}", value);
}

TableCell range_cell(const std::optional<SeedRange>& range) {
  if (!range) return empty_cell();
  const std::string low = sized_text(range->min);
  const std::string high = sized_text(range->max);
  std::string text = sized_text(range->median);
  if (low != high) text += fmt::format(" ({}–{})", low, high);
  const bool finite = std::isfinite(range->median);
  return {text, finite ? Json(range->median) : Json(fmt::format("{}", range->median))};
}

const CellMechanism* find_cell(const CurveMechanism& curve, double x) {
  for (const CellMechanism& cell : curve.cells) {
    if (cell.x == x) return &cell;
  }
  return nullptr;
}

const CurveMechanism* find_curve(const MechanismAnalysis& mechanism, const std::string& arm,
                                 const Stratum& stratum) {
  for (const CurveMechanism& curve : mechanism.curves) {
    if (curve.arm == arm && curve.stratum == stratum) return &curve;
  }
  return nullptr;
}

}  // namespace sweep
