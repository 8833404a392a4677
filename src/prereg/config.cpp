#include "sweep/prereg/config.h"

#include <fmt/format.h>

#include <algorithm>

#include "prereg/values.h"
#include "sweep/base/error.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

/// "train.learning_rate" -> {"train", "learning_rate"}.
std::pair<std::string, std::string> split(const std::string& path) {
  const auto dot = path.find('.');
  return {path.substr(0, dot), path.substr(dot + 1)};
}

void read_field(Config& config, const Field& field, const Json& section, const std::string& key) {
  const auto found = section.find(key);
  if (found == section.end()) fail(ExitCode::kBadInput, "config: {} is missing", field.path);
  const auto value = value_from_json(field, *found);
  if (!value) {
    fail(ExitCode::kBadInput, "config: {} must be {}, not {}", field.path, expected(field),
         found->dump());
  }
  const std::string problem = value_problem(field, *value);
  if (!problem.empty()) fail(ExitCode::kBadInput, "config: {} {}", field.path, problem);
  field.set(config, *value);
}

void refuse_unknown_keys(const Json& json) {
  for (const auto& [section, keys] : json.items()) {
    if (!keys.is_object()) fail(ExitCode::kBadInput, "config: '{}' is not a section", section);
    for (const auto& [key, value] : keys.items()) {
      const std::string path = section + "." + key;
      if (find_field(path) == nullptr) fail(ExitCode::kBadInput, "config: no field '{}'", path);
    }
  }
}

using Sentences = std::vector<std::string>;

void data_problems(const Config& config, Sentences& problems) {
  const DataConfig& data = config.data;
  if (data.corpus == "files" && data.files.empty()) {
    problems.push_back(
        "data.files is empty: name the texts, or set data.corpus to kjv or synthetic");
  }
  if (data.corpus != "files" && !data.files.empty()) {
    problems.push_back(fmt::format(
        "data.files belongs to data.corpus files, not to {}: leave it out", data.corpus));
  }
}

void schedule_problems(const Config& config, Sentences& problems) {
  const TrainConfig& train = config.train;
  if (train.warmup_iters > train.max_iters) {
    problems.push_back(
        fmt::format("train.warmup_iters ({}) must not be longer than train.max_iters ({})",
                    train.warmup_iters, train.max_iters));
  }
  if (train.min_lr > 0 && train.min_lr_ratio > 0) {
    problems.push_back(
        fmt::format("train.min_lr ({}) and train.min_lr_ratio ({}) are two floors: set one to 0",
                    format_number(train.min_lr), format_number(train.min_lr_ratio)));
  }
  if (train.min_lr > train.learning_rate) {
    problems.push_back(fmt::format("train.min_lr ({}) must not be above train.learning_rate ({})",
                                   format_number(train.min_lr),
                                   format_number(train.learning_rate)));
  }
  if (train.device == "mps" && train.dtype == Dtype::kFloat64) {
    problems.push_back("train.dtype float64 does not exist on train.device mps");
  }
}

void measure_problems(const Config& config, Sentences& problems) {
  const MeasureConfig& measure = config.measure;
  if (measure.eval_tokens != 0 && measure.eval_tokens < config.model.block_size) {
    problems.push_back(fmt::format(
        "measure.eval_tokens ({}) must hold at least one window of model.block_size ({})",
        measure.eval_tokens, config.model.block_size));
  }
  for (const std::int64_t at : measure.mechanism_iters) {
    if (at > config.train.max_iters) {
      problems.push_back(
          fmt::format("measure.mechanism_iters has {}, which is after train.max_iters ({})", at,
                      config.train.max_iters));
    }
  }
}

}  // namespace

Json to_json(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json to_json(const Config& config) {
  Json json;
  for (const Field& field : config_fields()) {
    const auto [section, key] = split(field.path);
    json[section][key] = to_json(field.get(config));
  }
  return json;
}

Config config_from_json(const Json& json) {
  if (!json.is_object()) fail(ExitCode::kBadInput, "config: not an object");
  refuse_unknown_keys(json);
  Config config;
  for (const Field& field : config_fields()) {
    const auto [section, key] = split(field.path);
    if (!json.contains(section)) fail(ExitCode::kBadInput, "config: {} is missing", field.path);
    read_field(config, field, json.at(section), key);
  }
  return config;
}

std::string to_string(QkNorm value) {
  Config config;
  config.model.qk_norm = value;
  return std::get<std::string>(find_field("model.qk_norm")->get(config));
}

std::vector<std::string> model_problems(const ModelConfig& model) {
  Sentences problems;
  if (model.n_embd % model.n_head != 0) {
    problems.push_back(fmt::format("model.n_embd ({}) must be a multiple of model.n_head ({})",
                                   model.n_embd, model.n_head));
  }
  if (model.qk_norm == QkNorm::kL2Scalar && model.block_size < 2) {
    problems.push_back("model.qk_norm l2_scalar needs model.block_size of at least 2");
  }
  return problems;
}

std::vector<std::string> config_problems(const Config& config) {
  Sentences problems = model_problems(config.model);
  data_problems(config, problems);
  schedule_problems(config, problems);
  measure_problems(config, problems);
  return problems;
}

}  // namespace sweep
