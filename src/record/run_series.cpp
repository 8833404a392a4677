#include "sweep/record/run_series.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "sweep/base/error.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

/// Takes `text` and a number off the front of a line.
template <typename Number>
bool take(std::string_view& line, std::string_view text, Number& number) {
  if (!line.starts_with(text)) return false;
  line.remove_prefix(text.size());
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return true;
}

/// A training line as the trainer writes it, and nothing else on it. Nearly every line is one, and
/// a general JSON reader takes ten times as long over them.
std::optional<RunSeries::UpdateLine> plain_update(std::string_view line) {
  RunSeries::UpdateLine update;
  double lr = 0;
  const bool is_one = take(line, R"({"step":)", update.step) &&
                      take(line, R"(,"train_loss":)", update.train_loss) &&
                      take(line, R"(,"lr":)", lr) &&
                      take(line, R"(,"grad_norm":)", update.grad_norm) && line == "}";
  return is_one ? std::optional(update) : std::nullopt;
}

void add(RunSeries& series, MetricPoint point) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (point.train_loss) {
    series.updates.push_back({point.step, *point.train_loss, point.grad_norm.value_or(kNan)});
  }
  if (point.val_loss) series.evaluations.push_back({point.step, *point.val_loss});
  if (!point.mechanism.empty()) {
    series.mechanism.push_back({point.step, std::move(point.mechanism)});
  }
}

void add_line(RunSeries& series, std::string_view line) {
  if (const auto update = plain_update(line)) {
    series.updates.push_back(*update);
  } else {
    add(series, metric_point_from_json(Json::parse(line)));
  }
}

}  // namespace

RunSeries read_series(const RunDir& run) {
  RunSeries series;
  series.id = run.id();
  const std::string bytes = read_file_if_exists(run.metrics()).value_or("");
  std::string_view rest = bytes;
  std::size_t number = 0;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    ++number;
    try {
      add_line(series, rest.substr(0, end));
    } catch (const std::exception& e) {
      fail(ExitCode::kBadInput, "{}:{}: damaged line ({})", run.metrics().string(), number,
           e.what());
    }
    rest.remove_prefix(end + 1);
  }
  return series;
}

std::vector<RunSeries> read_series(const SweepDir& sweep, const std::vector<RunRecord>& records) {
  std::vector<RunSeries> all;
  for (const RunRecord& record : records) {
    if (record.result) all.push_back(read_series(sweep.run(record.spec.id)));
  }
  return all;
}

const RunSeries* find_series(const std::vector<RunSeries>& all, const std::string& id) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const RunSeries& one) { return one.id == id; });
  return found != all.end() ? &*found : nullptr;
}

}  // namespace sweep
