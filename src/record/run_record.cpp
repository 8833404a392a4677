#include "sweep/record/run_record.h"

#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/record/amendment.h"

namespace sweep {
namespace {

constexpr int kSchemaVersion = 1;
constexpr const char* kCompleted = "completed";
constexpr const char* kNonfinite = "nonfinite";

}  // namespace

Json to_json(const RunResult& result) {
  const bool completed = result.outcome.kind == RunOutcome::Kind::kCompleted;
  Json json = {{"schema_version", kSchemaVersion},
               {"id", result.id},
               {"outcome", completed ? kCompleted : kNonfinite},
               {"step", result.outcome.step}};
  if (!completed) json["quantity"] = result.outcome.quantity;
  put_number(json, "initial_val_loss", result.initial_val_loss);
  put_number(json, "final_val_loss", result.final_val_loss);
  if (result.final_train_loss) put_number(json, "final_train_loss", *result.final_train_loss);
  json["clip_count"] = result.clip_count;
  json["tokens_seen"] = result.tokens_seen;
  json["config_hash"] = result.config_hash;
  json["metrics_hash"] = result.metrics_hash;
  json["weights_hash"] = result.weights_hash;
  json["numeric_identity"] = result.numeric_identity;
  if (!result.shared_init_hash.empty()) json["shared_init_hash"] = result.shared_init_hash;
  if (!result.batches_hash.empty()) json["batches_hash"] = result.batches_hash;
  return json;
}

RunResult run_result_from_json(const Json& json) {
  RunResult result;
  json.at("id").get_to(result.id);
  const bool completed = json.at("outcome").get<std::string>() == kCompleted;
  result.outcome.kind = completed ? RunOutcome::Kind::kCompleted : RunOutcome::Kind::kNonfinite;
  json.at("step").get_to(result.outcome.step);
  if (!completed) json.at("quantity").get_to(result.outcome.quantity);
  result.initial_val_loss = get_number(json, "initial_val_loss");
  result.final_val_loss = get_number(json, "final_val_loss");
  if (json.contains("final_train_loss")) {
    result.final_train_loss = get_number(json, "final_train_loss");
  }
  json.at("clip_count").get_to(result.clip_count);
  json.at("tokens_seen").get_to(result.tokens_seen);
  json.at("config_hash").get_to(result.config_hash);
  json.at("metrics_hash").get_to(result.metrics_hash);
  json.at("weights_hash").get_to(result.weights_hash);
  json.at("numeric_identity").get_to(result.numeric_identity);
  result.shared_init_hash = json.value("shared_init_hash", "");
  result.batches_hash = json.value("batches_hash", "");
  return result;
}

std::optional<RunResult> read_result(const RunDir& run) {
  const auto text = read_file_if_exists(run.result());
  if (!text) return std::nullopt;
  try {
    return run_result_from_json(Json::parse(*text));
  } catch (const Json::exception& e) {
    fail(ExitCode::kBadInput, "{}: damaged ({}); it was published whole, so look at the disk",
         run.result().string(), e.what());
  }
}

std::vector<RunSpec> read_registered_plan(const SweepDir& sweep) {
  std::vector<RunSpec> plan;
  if (!std::filesystem::exists(sweep.plan())) {
    fail(ExitCode::kBadInput, "{}: no plan there", sweep.plan().string());
  }
  for (const auto& line : read_lines(sweep.plan())) {
    try {
      plan.push_back(run_spec_from_json(Json::parse(line)));
    } catch (const Json::exception& e) {
      fail(ExitCode::kBadInput, "{}:{}: damaged line ({})", sweep.plan().string(), plan.size() + 1,
           e.what());
    }
  }
  return plan;
}

std::vector<RunSpec> read_plan(const SweepDir& sweep) {
  return amended_plan(read_registered_plan(sweep), read_amendments(sweep));
}

std::vector<RunRecord> read_records(const SweepDir& sweep) {
  std::vector<RunRecord> records;
  for (auto& spec : read_plan(sweep)) {
    auto result = read_result(sweep.run(spec.id));
    records.push_back({std::move(spec), std::move(result)});
  }
  return records;
}

}  // namespace sweep
