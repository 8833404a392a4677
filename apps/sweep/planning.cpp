#include "planning.h"

#include <algorithm>
#include <iostream>
#include <optional>

#include "output.h"
#include "sizes.h"
#include "stated_corpora.h"
#include "sweep/base/error.h"
#include "sweep/base/say.h"
#include "sweep/base/text.h"
#include "sweep/queue/queue.h"
#include "sweep/record/registration.h"
#include "sweep/report/table.h"
#include "trainer.h"

namespace sweep {
namespace {

constexpr int kProbeSteps = 10;
constexpr int kSchemaVersion = 1;

std::int64_t tokens_of(const RunSpec& spec) {
  const Config& c = spec.config;
  return c.train.max_iters * c.train.batch_size * c.model.block_size;
}

double epochs_of(const RunSpec& spec) {
  return static_cast<double>(tokens_of(spec)) / static_cast<double>(spec.data.train_tokens);
}

double evaluated_tokens_of(const RunSpec& spec) {
  const Config& c = spec.config;
  const auto windows =
      eval_windows(spec.data.val_tokens, c.measure.eval_tokens, c.model.block_size);
  const auto times = 2 + (c.train.max_iters - 1) / c.measure.eval_interval;
  return static_cast<double>(windows * c.model.block_size * times);
}

double seconds_of(const Size& size) {
  return size.probe->startup_s +
         size.probe->seconds_per_step * static_cast<double>(size.example.config.train.max_iters) +
         size.probe->eval_seconds_per_token * evaluated_tokens_of(size.example);
}

/// Weights kept for ever, and a line of about 100 bytes per logged update.
double kept_bytes_of(const Size& size) {
  const Config& c = size.example.config;
  const double width = c.train.dtype == Dtype::kFloat64 ? 8 : 4;
  constexpr double kLineBytes = 100;
  return width * static_cast<double>(size.parameters.total) +
         kLineBytes * static_cast<double>(c.train.max_iters / c.measure.log_interval);
}

/// Two checkpoints of weights and two moments, while a run is active.
double checkpoint_bytes_of(const Size& size) {
  const double width = size.example.config.train.dtype == Dtype::kFloat64 ? 8 : 4;
  return 2 * 3 * width * static_cast<double>(size.parameters.total);
}

struct Totals {
  std::optional<double> work_s;  ///< summed over runs
  double memory_bytes = 0;       ///< of one worker, at most
  double disk_bytes = 0;
  int jobs = 1;
};

Totals totals_of(const std::vector<Size>& sizes) {
  Totals totals;
  totals.jobs = automatic_jobs(sizes.front().example.config.train.device);
  double largest_checkpoint = 0;
  for (const auto& size : sizes) {
    const auto runs = static_cast<double>(size.runs);
    totals.disk_bytes += runs * kept_bytes_of(size);
    largest_checkpoint = std::max(largest_checkpoint, checkpoint_bytes_of(size));
    if (!size.probe) continue;
    totals.work_s = totals.work_s.value_or(0) + runs * seconds_of(size);
    totals.memory_bytes = std::max(totals.memory_bytes, size.probe->peak_rss_bytes);
  }
  totals.disk_bytes += totals.jobs * largest_checkpoint;
  return totals;
}

TableCell words(const std::string& text) { return {text, text}; }
TableCell count(std::int64_t n) { return {std::to_string(n), n}; }

Table size_table(const std::vector<Size>& sizes, const Prereg& prereg) {
  Table table;
  table.name = "plan";
  table.title = "Sizes";
  table.note =
      "parameters: all; without the position table (nanoGPT's count); without embeddings and head; "
      "what QK-norm adds. Time: of one run on one core, predicted from " +
      count_of(kProbeSteps, "step");
  table.columns = {{"size", "size", "", Align::kLeft},
                   {"runs", "runs", "", Align::kRight},
                   {"total", "total", "parameters", Align::kRight},
                   {"nanogpt", "nanoGPT", "parameters", Align::kRight},
                   {"non_embedding", "non-emb.", "parameters", Align::kRight},
                   {"qk_norm", "QK-norm", "parameters", Align::kRight},
                   {"tokens", "tokens", "per run", Align::kRight},
                   {"epochs", "epochs", "per run", Align::kRight},
                   {"seconds", "time", "per run", Align::kRight}};
  for (const auto& size : sizes) {
    const bool known = !is_stated(size.example.data);
    const double epochs = epochs_of(size.example);
    const auto time = size.probe ? TableCell{format_duration(seconds_of(size)), seconds_of(size)}
                                 : TableCell{"not timed", nullptr};
    table.rows.push_back(
        {words(describe(size, prereg.roles)), count(static_cast<std::int64_t>(size.runs)),
         count(size.parameters.total), count(size.parameters.nanogpt),
         count(size.parameters.non_embedding), count(size.parameters.qk_norm),
         count(tokens_of(size.example)),
         known ? TableCell{fmt::format("{:.2f}", epochs), epochs} : TableCell{"unknown", nullptr},
         time});
  }
  return table;
}

std::size_t robustness_runs(const std::vector<RunSpec>& plan) {
  return static_cast<std::size_t>(std::count_if(
      plan.begin(), plan.end(), [](const RunSpec& spec) { return spec.block != kMainBlock; }));
}

Json plan_json(const Prereg& prereg, const std::vector<RunSpec>& plan, const Totals& totals,
               const Table& table) {
  Json json = {{"schema_version", kSchemaVersion},
               {"title", prereg.title},
               {"runs", plan.size()},
               {"robustness_runs", robustness_runs(plan)},
               {"jobs", totals.jobs},
               {"disk_bytes", totals.disk_bytes},
               {"sizes", to_json(table).at("rows")}};
  json["work_s"] = totals.work_s ? Json(*totals.work_s) : Json();
  json["memory_bytes"] = totals.work_s ? Json(totals.memory_bytes) : Json();
  for (const auto& spec : plan) json["ids"].push_back(spec.id);
  return json;
}

void print_totals(const std::vector<RunSpec>& plan, const Totals& totals) {
  fmt::print("\n{}", count_of(plan.size(), "run"));
  if (const auto more = robustness_runs(plan); more > 0) {
    fmt::print(" ({} of the robustness block, run last)", more);
  }
  if (totals.work_s) {
    fmt::print(": about {} with {} at a time on this machine; {} of memory per run",
               format_duration(*totals.work_s / totals.jobs), totals.jobs,
               format_bytes(totals.memory_bytes));
  }
  fmt::print("; {} of disk\n", format_bytes(totals.disk_bytes));
}

/// An absent corpus is an error unless its vocabulary is stated.
CorpusTable corpora_for(const Prereg& prereg, const PlanOptions& options) {
  if (!options.vocabulary) return survey_corpora(prereg);
  const StatedCorpora stated = survey_or_state(prereg, options.vocabulary);
  for (const std::string& why : stated.absent) say(stderr, "not there, so stated: {}", why);
  return stated.corpora;
}

}  // namespace

int print_plan(const std::filesystem::path& file, const PlanOptions& options) {
  const Prereg prereg = load_prereg(file);
  const auto plan = expand(prereg, corpora_for(prereg, options));
  auto sizes = sizes_of(plan);
  if (options.probe) {
    for (auto& size : sizes) size.probe = probe_run(size.example, kProbeSteps);
  }
  const Totals totals = totals_of(sizes);
  const Table table = size_table(sizes, prereg);
  if (options.json) {
    fmt::print("{}", to_text(plan_json(prereg, plan, totals, table)));
    return 0;
  }
  fmt::print("{}\n\n{}", prereg.title, to_terminal(table, terminal_options()));
  print_totals(plan, totals);
  for (std::size_t i = 0; options.list_runs && i < plan.size(); ++i) {
    fmt::print("{:>5}  {}\n", i + 1, plan[i].id);
  }
  return 0;
}

}  // namespace sweep
