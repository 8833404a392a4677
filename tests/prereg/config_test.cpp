#include "sweep/prereg/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "prereg/values.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A value that differs from the default and is allowed.
Value another(const Field& field) {
  const Value value = field.get(Config{});
  if (const auto* flag = std::get_if<bool>(&value)) return !*flag;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole + 1;
  if (const auto* number = std::get_if<double>(&value)) return *number == 0 ? 0.25 : *number / 2;
  if (std::holds_alternative<std::string>(value)) return field.choices.back();
  if (std::holds_alternative<std::vector<std::string>>(value)) {
    return std::vector<std::string>{field.choices.empty() ? "a.txt" : field.choices.front()};
  }
  return std::vector<std::int64_t>{0, 7};
}

Config with(std::string_view path, const Value& value) {
  Config config;
  find_field(path)->set(config, value);
  return config;
}

std::string error_of(const Json& json) {
  try {
    config_from_json(json);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::kBadInput);
    return e.what();
  }
  return "";
}

Config valid() {
  Config config;
  config.data.files = {"a.txt"};
  return config;
}

TEST(ConfigFields, HaveDistinctPathsAndLabelsAndASentenceEach) {
  std::set<std::string> paths;
  std::set<std::string> labels;
  for (const Field& field : config_fields()) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_TRUE(labels.insert(field.label).second) << field.label;
    EXPECT_EQ(field.help.back(), '.') << field.path;
  }
}

TEST(ConfigFields, EachRoundTripsThroughJson) {
  for (const Field& field : config_fields()) {
    const Config config = with(field.path, another(field));
    EXPECT_EQ(config_from_json(to_json(config)), config) << field.path;
    const bool has_another = field.choices.size() != 1;
    EXPECT_EQ(config != Config{}, has_another) << field.path;
  }
}

TEST(ConfigFields, EachRefusesWhatIsOutOfRange) {
  for (const Field& field : config_fields()) {
    const Value value = field.get(Config{});
    EXPECT_EQ(value_problem(field, value), "") << field.path;
    if (std::holds_alternative<double>(value)) {
      EXPECT_THAT(value_problem(field, field.min - 1), HasSubstr("at least")) << field.path;
      EXPECT_THAT(value_problem(field, field.max * 2), HasSubstr("at most")) << field.path;
    }
    if (std::holds_alternative<std::int64_t>(value)) {
      const Value low = static_cast<std::int64_t>(field.min) - 1;
      const Value high = static_cast<std::int64_t>(field.max) + 1;
      EXPECT_THAT(value_problem(field, low), HasSubstr("at least")) << field.path;
      EXPECT_THAT(value_problem(field, high), HasSubstr("at most")) << field.path;
    }
    if (!field.choices.empty() && std::holds_alternative<std::string>(value)) {
      EXPECT_THAT(value_problem(field, std::string("zebra")), HasSubstr("must be one of"));
    }
  }
}

TEST(ConfigFields, RefuseAnUnknownWordInAList) {
  const Field& field = *find_field("measure.mechanism");
  EXPECT_THAT(value_problem(field, std::vector<std::string>{"attention_entropie"}),
              HasSubstr("did you mean 'attention_entropy'?"));
}

TEST(ConfigJson, ShowsEveryDefault) {
  EXPECT_EQ(to_text(to_json(Config{})), R"({
  "model": {
    "n_layer": 4,
    "n_head": 4,
    "n_embd": 128,
    "block_size": 128,
    "vocab_size": 0,
    "bias": false,
    "dropout": 0.0,
    "tie_weights": true,
    "qk_norm": "none",
    "init": "nanogpt",
    "parametrization": "standard"
  },
  "data": {
    "corpus": "files",
    "files": [],
    "tokenizer": "char",
    "val_fraction": 0.1,
    "synthetic_chars": 200000
  },
  "train": {
    "max_iters": 1000,
    "batch_size": 32,
    "learning_rate": 0.001,
    "optimizer": "adamw",
    "beta1": 0.9,
    "beta2": 0.95,
    "eps": 1e-08,
    "weight_decay": 0.1,
    "weight_decay_mode": "coupled",
    "grad_clip": 1.0,
    "schedule": "cosine",
    "warmup_iters": 0,
    "min_lr_ratio": 0.1,
    "min_lr": 0.0,
    "dtype": "float32",
    "device": "cpu"
  },
  "measure": {
    "eval_interval": 100,
    "eval_tokens": 0,
    "log_interval": 1,
    "mechanism": [],
    "mechanism_iters": []
  }
}
)");
}

TEST(ConfigJson, RefusesWhatIsMissingUnknownIllTypedOrOutOfRange) {
  Json json = to_json(Config{});
  json["train"].erase("beta2");
  EXPECT_EQ(error_of(json), "config: train.beta2 is missing");
  json = to_json(Config{});
  json["train"]["beta3"] = 1;
  EXPECT_EQ(error_of(json), "config: no field 'train.beta3'");
  json = to_json(Config{});
  json["train"]["max_iters"] = 1.5;
  EXPECT_EQ(error_of(json), "config: train.max_iters must be a whole number, not 1.5");
  json = to_json(Config{});
  json["train"]["beta2"] = 2;
  EXPECT_EQ(error_of(json), "config: train.beta2 must be at most 0.99999999, not 2");
  json = to_json(Config{});
  json.erase("measure");
  EXPECT_EQ(error_of(json), "config: measure.eval_interval is missing");
}

TEST(ConfigProblems, AreNoneForAValidConfig) { EXPECT_THAT(config_problems(valid()), IsEmpty()); }

TEST(ConfigProblems, NameTheFieldsOfEachBrokenRule) {
  Config config = valid();
  config.model.n_head = 3;
  config.data.corpus = "kjv";
  config.train.warmup_iters = 2000;
  config.train.min_lr = 0.1;
  config.train.device = "mps";
  config.train.dtype = Dtype::kFloat64;
  config.measure.eval_tokens = 100;
  config.measure.mechanism_iters = {0, 1001};
  EXPECT_THAT(
      config_problems(config),
      ElementsAre(
          "model.n_embd (128) must be a multiple of model.n_head (3)",
          "data.files belongs to data.corpus files, not to kjv: leave it out",
          "train.warmup_iters (2000) must not be longer than train.max_iters (1000)",
          "train.min_lr (0.1) and train.min_lr_ratio (0.1) are two floors: set one to 0",
          "train.min_lr (0.1) must not be above train.learning_rate (1e-3)",
          "train.dtype float64 does not exist on train.device mps",
          "measure.eval_tokens (100) must hold at least one window of model.block_size (128)",
          "measure.mechanism_iters has 1001, which is after train.max_iters (1000)"));
}

TEST(ConfigProblems, AskForATextWhenTheCorpusIsFiles) {
  EXPECT_THAT(config_problems(Config{}), ElementsAre(HasSubstr("data.files is empty")));
}

TEST(QkNorm, PrintsAsItsWord) {
  EXPECT_EQ(to_string(QkNorm::kNone), "none");
  EXPECT_EQ(to_string(QkNorm::kRmsNoaffine), "rms_noaffine");
}

}  // namespace
}  // namespace sweep
