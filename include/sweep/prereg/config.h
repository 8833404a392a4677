#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sweep/base/json.h"
#include "sweep/data/corpus.h"

namespace sweep {

/// How queries and keys are normalised before their product (docs/definitions.md, "QK-norm").
enum class QkNorm { kNone, kRmsPerHead, kLnPerHead, kRmsFull, kL2Scalar, kRmsNoaffine };
enum class Init { kNanogpt, kFanIn };
enum class WeightDecayMode { kCoupled, kIndependent };
enum class Schedule { kCosine, kConstant };
enum class Dtype { kFloat32, kFloat64 };

/// nanoGPT's GPT (karpathy/nanoGPT model.py), under its names. Defaults are those of the member
/// initialisers here and nowhere else; meanings stand in `config_fields()`.
struct ModelConfig {
  std::int64_t n_layer = 4;
  std::int64_t n_head = 4;
  std::int64_t n_embd = 128;
  std::int64_t block_size = 128;
  std::int64_t vocab_size = 0;  ///< 0: the corpus's
  bool bias = false;
  double dropout = 0;
  bool tie_weights = true;
  QkNorm qk_norm = QkNorm::kNone;
  Init init = Init::kNanogpt;
  std::string parametrization = "standard";
  bool operator==(const ModelConfig&) const = default;
};

struct TrainConfig {
  std::int64_t max_iters = 1000;  ///< exactly this many updates
  std::int64_t batch_size = 32;
  double learning_rate = 1e-3;  ///< peak
  std::string optimizer = "adamw";
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.1;
  WeightDecayMode weight_decay_mode = WeightDecayMode::kCoupled;
  double grad_clip = 1.0;  ///< global norm; 0: off
  Schedule schedule = Schedule::kCosine;
  std::int64_t warmup_iters = 0;
  double min_lr_ratio = 0.1;  ///< floor as a share of the peak
  double min_lr = 0;          ///< absolute floor; above 0 only where the ratio is 0
  Dtype dtype = Dtype::kFloat32;
  std::string device = "cpu";
  bool operator==(const TrainConfig&) const = default;
};

struct MeasureConfig {
  std::int64_t eval_interval = 100;
  std::int64_t eval_tokens = 0;   ///< 0: the whole held-out part
  std::int64_t log_interval = 1;  ///< a training line every so many updates
  std::vector<std::string> mechanism;
  std::vector<std::int64_t> mechanism_iters;
  bool operator==(const MeasureConfig&) const = default;
};

/// Everything that decides a run's bits, but its seed and the tokens.
struct Config {
  ModelConfig model;
  DataConfig data;
  TrainConfig train;
  MeasureConfig measure;
  bool operator==(const Config&) const = default;
};

/// How runs are carried out; outside every hash, since no result depends on it.
struct ExecutionConfig {
  double checkpoint_seconds = 60;
  std::int64_t max_retries = 2;  ///< of infrastructure failures, per run
  double hang_seconds = 600;     ///< no sign of life for so long: the worker is ended
  bool operator==(const ExecutionConfig&) const = default;
};

using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>,
                           std::vector<std::int64_t>>;

/// The path of the axis that most sweeps have; its levels are printed with mantissa and exponent.
inline constexpr const char* kLearningRate = "train.learning_rate";

/// One field of a config: the single place of its name, type, range, unit and sentence. Reader,
/// range check, "did you mean", config.json, hashes, diffs, the schema for editors and the
/// reference page all come from this list.
template <typename Owner>
struct FieldOf {
  std::string path;                                       ///< "train.learning_rate"
  std::string label;                                      ///< short name in run ids: "lr"
  std::string unit;                                       ///< "" when it has none
  std::string help;                                       ///< one sentence
  double min = -std::numeric_limits<double>::infinity();  ///< inclusive; numbers only
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;  ///< words only; empty: any word
  std::function<Value(const Owner&)> get;
  std::function<void(Owner&, const Value&)> set;
};

using Field = FieldOf<Config>;
using ExecutionField = FieldOf<ExecutionConfig>;

/// In the order in which they are written everywhere.
std::span<const Field> config_fields();
std::span<const ExecutionField> execution_fields();

/// nullptr when there is no such field.
const Field* find_field(std::string_view path);

Json to_json(const Value& value);
/// Every field, nested as a pre-registration has them: {"model": {...}, "data": {...}, ...}.
Json to_json(const Config& config);
/// Strict: throws `Error` for a missing, unknown or ill-typed field, or one out of range.
Config config_from_json(const Json& json);

std::string to_string(QkNorm value);

/// Rules between fields (n_embd divisible by n_head, warm-up not longer than the run, one kind of
/// floor, ...) as sentences naming the fields; empty when all hold.
std::vector<std::string> config_problems(const Config& config);

/// Those of the model's own fields among them.
std::vector<std::string> model_problems(const ModelConfig& model);

}  // namespace sweep
