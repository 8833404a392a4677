#include "gpt/checkpoint.h"

#include <algorithm>
#include <filesystem>

#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/base/json.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

constexpr const char* kChecksum = "checksum";
constexpr std::size_t kChecksumLength = 64;

Json to_json(const Progress& progress) {
  Json json = {{"step", progress.step},
               {"clip_count", progress.clip_count},
               {"metrics_bytes", progress.metrics_bytes}};
  put_number(json, "initial_val_loss", progress.initial_val_loss);
  put_number(json, "val_loss", progress.val_loss);
  put_number(json, "train_loss", progress.train_loss);
  return json;
}

Progress progress_from_json(const Json& json) {
  Progress progress;
  progress.step = json.at("step").get<std::int64_t>();
  progress.clip_count = json.at("clip_count").get<std::int64_t>();
  progress.metrics_bytes = json.at("metrics_bytes").get<std::uint64_t>();
  progress.initial_val_loss = get_number(json, "initial_val_loss");
  progress.val_loss = get_number(json, "val_loss");
  progress.train_loss = get_number(json, "train_loss");
  return progress;
}

/// The entry as it stands in the header.
std::string checksum_entry(const std::string& value) {
  return fmt::format("\"{}\":\"{}\"", kChecksum, value);
}

std::string blank() { return std::string(kChecksumLength, '0'); }

/// Puts the SHA-256 of the file, taken with a blank checksum, in the checksum's place: header and
/// tensors are covered alike.
void seal(std::string& bytes) {
  const std::size_t at = bytes.find(checksum_entry(blank()));
  bytes.replace(at, checksum_entry(blank()).size(), checksum_entry(sha256(bytes)));
}

bool is_sealed(std::string bytes, const std::string& checksum) {
  const std::size_t at = bytes.find(checksum_entry(checksum));
  if (checksum.size() != kChecksumLength || at == std::string::npos) return false;
  bytes.replace(at, checksum_entry(blank()).size(), checksum_entry(blank()));
  return sha256(bytes) == checksum;
}

}  // namespace

CheckpointPair::CheckpointPair(RunDir run, std::string config_hash, std::string numeric_identity)
    : run_(std::move(run)),
      config_hash_(std::move(config_hash)),
      numeric_identity_(std::move(numeric_identity)) {}

Checkpoint CheckpointPair::load_one(const fs::path& file) const {
  const std::string name = file.filename().string();
  std::string bytes = read_file(file);
  Safetensors tensors = parse_safetensors(bytes, name);
  if (!is_sealed(std::move(bytes), tensors.metadata_value(kChecksum))) {
    fail(ExitCode::kBadInput, "{} does not match its checksum", name);
  }
  if (tensors.metadata_value("config_hash") != config_hash_) {
    fail(ExitCode::kBadInput, "{} belongs to another config.json", name);
  }
  if (tensors.metadata_value("numeric_identity") != numeric_identity_) {
    fail(ExitCode::kBadInput, "{} was made under another numeric identity", name);
  }
  return {progress_from_json(Json::parse(tensors.metadata_value("progress"))), std::move(tensors)};
}

std::vector<Checkpoint> CheckpointPair::load(std::vector<std::string>& notes) {
  std::vector<Checkpoint> whole;
  for (const bool is_b : {false, true}) {
    const fs::path file = is_b ? run_.checkpoint_b() : run_.checkpoint_a();
    if (!fs::exists(file)) continue;
    try {
      Checkpoint checkpoint = load_one(file);
      const bool newest = whole.empty() || checkpoint.progress.step > whole[0].progress.step;
      if (newest) next_is_b_ = !is_b;
      whole.insert(newest ? whole.begin() : whole.end(), std::move(checkpoint));
    } catch (const std::exception& error) {
      notes.emplace_back(error.what());
    }
  }
  return whole;
}

void CheckpointPair::save(const Progress& progress, std::span<const TensorBytes> tensors) {
  std::string bytes = write_safetensors(tensors, {{kChecksum, blank()},
                                                  {"config_hash", config_hash_},
                                                  {"numeric_identity", numeric_identity_},
                                                  {"progress", to_line(to_json(progress))}});
  seal(bytes);
  publish(next_is_b_ ? run_.checkpoint_b() : run_.checkpoint_a(), bytes);
  next_is_b_ = !next_is_b_;
}

void CheckpointPair::remove(const RunDir& run) {
  for (const fs::path& file : {run.checkpoint_a(), run.checkpoint_b()}) {
    std::error_code ignored;
    fs::remove(file, ignored);
    fs::remove(file.parent_path() / ("." + file.filename().string() + ".tmp"), ignored);
  }
}

}  // namespace sweep
