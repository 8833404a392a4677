#include "gpt/bench.h"

#include <algorithm>
#include <array>
#include <vector>

#include "gpt/fma_peak.h"
#include "gpt/fused/step_times.h"
#include "gpt/synthetic_tokens.h"
#include "gpt/trainer.h"
#include "gpt/usage.h"
#include "sweep/base/error.h"
#include "sweep/base/process.h"

namespace sweep {
namespace {

constexpr std::int64_t kBatchesOfTokens = 64;
constexpr std::size_t kLateStep = 20;
constexpr std::size_t kMostLosses = kLateStep;

struct Shape {
  const char* name;
  std::int64_t n_layer, n_embd, n_head, block_size, batch_size, vocab_size;
};

constexpr std::array<Shape, 4> kShapes{{{"S", 4, 128, 4, 64, 12, 65},
                                        {"B", 4, 128, 4, 128, 32, 65},
                                        {"C", 6, 256, 8, 256, 32, 4096},
                                        {"A", 6, 384, 6, 256, 32, 65}}};

std::int64_t tokens_per_step(const Config& config) {
  return config.train.batch_size * config.model.block_size;
}

Config config_of(const BenchOptions& options) {
  std::optional<Config> config = bench_config(options.config);
  if (!config) config = resolved_config(run_spec_from_json(read_json(options.config)));
  if (options.device) config->train.device = *options.device;
  if (options.qk_norm) config->model.qk_norm = *options.qk_norm;
  config->measure.mechanism = find_field("measure.mechanism")->choices;
  for (const std::string& problem : model_problems(config->model)) {
    fail(ExitCode::kBadInput, "{}", problem);
  }
  return *config;
}

/// A trainer on tokens of its own. Its first steps touch memory for the first time.
struct Subject {
  Subject(const Config& config, KernelPath path)
      : tokens(synthetic_tokens(config.model.vocab_size,
                                kBatchesOfTokens * tokens_per_step(config) + 1)),
        trainer(config, 0, tokens, tokens, path),
        updates(trainer.updates_per_read()) {
    losses.reserve(kMostLosses);
  }

  /// Makes as many updates as a run makes at a time and returns their number.
  std::int64_t advance() {
    const std::size_t made = trainer.update(updates);
    for (const Update& update : std::span(updates).first(made)) note(update);
    return static_cast<std::int64_t>(made);
  }

  /// The same; update number `step` is measured if it is one of each `mechanism_every`.
  std::int64_t advance(std::int64_t step, std::int64_t mechanism_every) {
    if (mechanism_every == 0 || step % mechanism_every != 0) return advance();
    NamedValues values;
    note(trainer.measured_update(values));
    return 1;
  }

  void note(const Update& update) {
    if (losses.size() < kMostLosses) losses.push_back(update.train_loss);
  }

  std::vector<Token> tokens;
  Trainer trainer;
  std::vector<Update> updates;
  std::vector<double> losses;  ///< the first ones
};

Json by_part(const StepTimes& times, double steps) {
  Json parts;
  for (std::size_t i = 0; i < kPartNames.size(); ++i) {
    parts[kPartNames.at(i)] = 1e3 * times.seconds.at(i) / steps;
  }
  return parts;
}

/// Evaluates one batch, whatever the run registers: a rate is all that is wanted.
Config with_one_batch_of_evaluation(Config config) {
  config.measure.eval_tokens = tokens_per_step(config);
  return config;
}

}  // namespace

double nominal_flops_per_token(const ModelConfig& model) {
  const auto layers = static_cast<double>(model.n_layer);
  const auto width = static_cast<double>(model.n_embd);
  const auto head = static_cast<double>(model.vocab_size) * width;
  const double attention = 12 * layers * static_cast<double>(model.block_size) * width;
  return 6 * (12 * layers * width * width + head) + attention;
}

std::optional<Config> bench_config(const std::string& name) {
  const auto* const shape =
      std::find_if(kShapes.begin(), kShapes.end(), [&](const Shape& s) { return s.name == name; });
  if (shape == kShapes.end()) return std::nullopt;
  Config config;
  config.model.n_layer = shape->n_layer;
  config.model.n_embd = shape->n_embd;
  config.model.n_head = shape->n_head;
  config.model.block_size = shape->block_size;
  config.model.vocab_size = shape->vocab_size;
  config.train.batch_size = shape->batch_size;
  return config;
}

Json bench(const BenchOptions& options) {
  const Config config = config_of(options);
  if (options.path == KernelPath::kFused && options.threads > 1) {
    fail(ExitCode::kBadInput,
         "a step of the fused path is one thread; --processes measures several cores");
  }
  const double began_peak_s = monotonic_s();
  const double peak_gflops = fma_peak_gflops();
  const double peak_s = monotonic_s() - began_peak_s;
  Subject subject(config, options.path);
  subject.note(subject.trainer.update());
  const double first_step_s = process_age_s() - peak_s;
  subject.advance();

  const std::int64_t faults = process_usage().page_faults;
  StepTimes times;
  subject.trainer.set_times(&times);
  const std::int64_t allocations = allocations_made();
  const double began_s = monotonic_s();
  std::int64_t steps = 0;
  while (steps < 2 || monotonic_s() - began_s < options.seconds) {
    steps += subject.advance(steps, options.mechanism_every);
  }
  const double elapsed_s = monotonic_s() - began_s;
  const Usage usage = process_usage();
  const std::int64_t allocated = allocations_made() - allocations;
  const auto count = static_cast<double>(steps);
  const double tokens_per_s = count * static_cast<double>(tokens_per_step(config)) / elapsed_s;
  const double gflops = tokens_per_s * nominal_flops_per_token(config.model) * 1e-9;

  Json report = {{"schema_version", 1},
                 {"config", options.config},
                 {"kernel_path", to_string(options.path)},
                 {"qk_norm", to_string(config.model.qk_norm)},
                 {"device", config.train.device},
                 {"threads", options.threads},
                 {"mechanism_every", options.mechanism_every},
                 {"tokens_per_s", tokens_per_s},
                 {"ms_per_step", 1e3 * elapsed_s / count},
                 {"fma_share", gflops / (peak_gflops * options.threads)},
                 {"fma_peak_gflops", peak_gflops},
                 {"page_faults_per_step", static_cast<double>(usage.page_faults - faults) / count},
                 {"allocations_per_step", static_cast<double>(allocated) / count},
                 {"peak_rss_mb", static_cast<double>(usage.peak_rss_bytes) * 1e-6},
                 {"first_step_s", first_step_s},
                 {"steps", steps},
                 {"loss_1", subject.losses[0]},
                 {"loss_20", nullptr},
                 {"ms_by_part", nullptr}};
  if (subject.losses.size() >= kLateStep) report["loss_20"] = subject.losses[kLateStep - 1];
  if (options.path == KernelPath::kFused) report["ms_by_part"] = by_part(times, count);
  return report;
}

Json probe(const RunSpec& spec, std::int64_t steps, KernelPath path) {
  const Config config = with_one_batch_of_evaluation(resolved_config(spec));
  Subject subject(config, path);
  const double startup_s = process_age_s();
  subject.note(subject.trainer.update());
  subject.advance();

  double began_s = monotonic_s();
  std::int64_t made = 0;
  while (made < steps) made += subject.advance();
  const double per_step_s = (monotonic_s() - began_s) / static_cast<double>(made);
  began_s = monotonic_s();
  static_cast<void>(subject.trainer.validation_loss([] {}));
  const auto tokens = static_cast<double>(tokens_per_step(config));
  const double per_eval_token_s = (monotonic_s() - began_s) / tokens;
  return {{"schema_version", 1},
          {"seconds_per_step", per_step_s},
          {"eval_seconds_per_token", per_eval_token_s},
          {"tokens_per_s", tokens / per_step_s},
          {"startup_s", startup_s},
          {"peak_rss_bytes", process_usage().peak_rss_bytes}};
}

}  // namespace sweep
