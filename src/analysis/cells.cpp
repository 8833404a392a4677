#include "sweep/analysis/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sweep/base/error.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

std::string last_word(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string value_words(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return format_number(value.get<double>());
  return value.dump();
}

std::string level_words(const Level& level) {
  if (!level.value.is_object()) {
    return fmt::format("{} {}", last_word(level.factor), value_words(level.value));
  }
  std::vector<std::string> parts;  // a linked group: its settings say more than its name
  for (const auto& [path, value] : level.value.items()) {
    parts.push_back(fmt::format("{} {}", last_word(path), value_words(value)));
  }
  return join(parts, ", ");
}

double axis_level(const RunSpec& spec, const std::string& axis) {
  const Field* field = find_field(axis);
  if (field == nullptr) fail(ExitCode::kBadInput, "the axis '{}' is not a setting", axis);
  const Value value = field->get(spec.config);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  fail(ExitCode::kBadInput, "the axis '{}' is not a number: findings need one to order runs by",
       axis);
}

/// Numbers ascend; anything else stays in the plan's order.
bool comes_before(const Stratum& a, const Stratum& b) {
  const auto n = std::min(a.levels.size(), b.levels.size());
  for (std::size_t i = 0; i < n; ++i) {
    const Json& left = a.levels[i].value;
    const Json& right = b.levels[i].value;
    if (!left.is_number() || !right.is_number()) return false;
    if (left != right) return left.get<double>() < right.get<double>();
  }
  return false;
}

std::vector<Stratum> strata_of(const std::vector<const RunRecord*>& runs, const Roles& roles) {
  std::vector<Stratum> strata;
  for (const RunRecord* run : runs) {
    Stratum stratum = stratum_of(run->spec, roles);
    if (std::find(strata.begin(), strata.end(), stratum) == strata.end()) {
      strata.push_back(std::move(stratum));
    }
  }
  std::stable_sort(strata.begin(), strata.end(), comes_before);
  return strata;
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

CellRun cell_run(const RunRecord& record, const EvalTable& evals) {
  CellRun run{record.spec.id, record.spec.seed, std::nullopt, {}, {}};
  if (record.result) {
    if (const auto found = evals.find(run.id); found != evals.end()) run.evals = found->second;
    const bool completed = record.result->outcome.kind == RunOutcome::Kind::kCompleted;
    run.losses = RunLosses{finite(record.result->initial_val_loss),
                           completed ? finite(record.result->final_val_loss) : std::nullopt};
  }
  return run;
}

void add_run(Curve& curve, const RunRecord& record, double x, const FloorTable& floors,
             const EvalTable& evals) {
  auto cell =
      std::find_if(curve.cells.begin(), curve.cells.end(), [&](const Cell& c) { return c.x >= x; });
  if (cell == curve.cells.end() || cell->x != x) {
    cell = curve.cells.insert(cell, Cell{x,
                                         floors.at(floor_key(record.spec)),
                                         record.spec.data.chars_per_token,
                                         record.spec.config.train.max_iters,
                                         {}});
  }
  const auto place = std::find_if(cell->runs.begin(), cell->runs.end(),
                                  [&](const CellRun& run) { return run.seed > record.spec.seed; });
  cell->runs.insert(place, cell_run(record, evals));
}

}  // namespace

EvalTable evals_of(const std::vector<RunSeries>& series) {
  EvalTable table;
  for (const RunSeries& run : series) {
    auto& evals = table[run.id];
    for (const auto& point : run.evaluations) {
      evals.push_back({point.step, finite(point.val_loss)});
    }
  }
  return table;
}

Stratum stratum_of(const RunSpec& spec, const Roles& roles) {
  Stratum stratum;
  for (const std::string& factor : roles.strata) {
    const auto level = std::find_if(spec.levels.begin(), spec.levels.end(),
                                    [&](const Level& l) { return l.factor == factor; });
    if (level != spec.levels.end()) stratum.levels.push_back(*level);
  }
  return stratum;
}

std::string to_words(const Stratum& stratum) {
  std::vector<std::string> parts;
  for (const Level& level : stratum.levels) parts.push_back(level_words(level));
  return join(parts, ", ");
}

std::string level_text(const std::string& axis, double x) {
  return axis == kLearningRate ? format_lr(x) : format_number(x);
}

Json to_json(const Stratum& stratum) {
  if (stratum.levels.empty()) return nullptr;
  if (stratum.levels.size() == 1) return stratum.levels[0].value;
  Json object = Json::object();
  for (const Level& level : stratum.levels) object[level.factor] = level.value;
  return object;
}

std::vector<Curve> group(const Prereg& prereg, const std::vector<RunRecord>& records,
                         const FloorTable& floors, const EvalTable& evals) {
  std::vector<const RunRecord*> runs;
  for (const RunRecord& record : records) {
    if (record.spec.block == "main") runs.push_back(&record);
  }
  std::vector<Curve> curves;
  for (const Stratum& stratum : strata_of(runs, prereg.roles)) {
    for (const Arm& arm : prereg.arms) {
      Curve curve{arm.name, stratum, {}};
      for (const RunRecord* run : runs) {
        if (run->spec.arm != arm.name || stratum_of(run->spec, prereg.roles) != stratum) continue;
        add_run(curve, *run, axis_level(run->spec, prereg.roles.axis), floors, evals);
      }
      if (!curve.cells.empty()) curves.push_back(std::move(curve));
    }
  }
  return curves;
}

std::vector<std::uint64_t> seeds_of(const Curve& curve) {
  std::set<std::uint64_t> seeds;
  for (const Cell& cell : curve.cells) {
    for (const CellRun& run : cell.runs) seeds.insert(run.seed);
  }
  return {seeds.begin(), seeds.end()};
}

const Cell* find_cell(const Curve& curve, double x) {
  for (const Cell& cell : curve.cells) {
    if (cell.x == x) return &cell;
  }
  return nullptr;
}

const CellRun* find_run(const Cell& cell, std::uint64_t seed) {
  for (const CellRun& run : cell.runs) {
    if (run.seed == seed) return &run;
  }
  return nullptr;
}

std::vector<std::string> missing_runs(const Cell& cell) {
  std::vector<std::string> ids;
  for (const CellRun& run : cell.runs) {
    if (!run.losses) ids.push_back(run.id);
  }
  return ids;
}

}  // namespace sweep
