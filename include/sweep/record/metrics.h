#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sweep/base/json.h"

namespace sweep {

/// What was measured at one step: `step` updates had been made. A training line (`train_loss`,
/// `lr`, `grad_norm`) describes the update that led to `step`; a validation line describes the
/// weights after it, step 0 being the initial ones.
struct MetricPoint {
  std::int64_t step = 0;
  std::optional<double> train_loss;  ///< nats per token, before the update
  std::optional<double> lr;          ///< of that update
  std::optional<double> grad_norm;   ///< global, before clipping
  std::optional<double> val_loss;    ///< nats per token on the fixed set
  std::vector<std::pair<std::string, double>>
      mechanism;  ///< name -> value, e.g. "max_attention_logit"
  bool operator==(const MetricPoint&) const = default;
};

/// One line of metrics.jsonl; non-finite numbers as `put_number` has them.
Json to_json(const MetricPoint& point);
MetricPoint metric_point_from_json(const Json& json);

/// All complete lines; throws `Error` naming file and line for one that is damaged.
std::vector<MetricPoint> read_metrics(const std::filesystem::path& file);

}  // namespace sweep
