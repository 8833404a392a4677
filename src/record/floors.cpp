#include "sweep/record/floors.h"

#include <fmt/format.h>

#include "sweep/base/files.h"
#include "sweep/base/json.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

fs::path floors_file(const fs::path& data) { return data / "floors.json"; }

std::int64_t vocabulary(const RunSpec& spec) {
  return spec.config.model.vocab_size > 0 ? spec.config.model.vocab_size : spec.data.vocab_size;
}

CorpusFloors count_floors(const RunSpec& spec, const fs::path& data) {
  return corpus_floors(TokenFile(data, spec.data), vocabulary(spec),
                       spec.config.measure.eval_tokens, spec.config.model.block_size);
}

void add_if_missing(const RunSpec& spec, const fs::path& data, FloorTable& floors) {
  const std::string key = floor_key(spec);
  if (!floors.contains(key)) floors[key] = count_floors(spec, data);
}

FloorTable read_stored(const fs::path& data) {
  FloorTable floors;
  if (!fs::exists(floors_file(data))) return floors;
  const Json stored = read_json(floors_file(data));
  for (const auto& [key, entry] : stored.at("floors").items()) {
    floors[key] = {entry.at("uniform").get<double>(), entry.at("unigram").get<double>(),
                   entry.at("bigram").get<double>()};
  }
  return floors;
}

}  // namespace

std::string floor_key(const RunSpec& spec) {
  return fmt::format("{} vocabulary {} eval_tokens {} block_size {}", spec.data.hash,
                     vocabulary(spec), spec.config.measure.eval_tokens,
                     spec.config.model.block_size);
}

void store_floors(const std::vector<RunSpec>& plan, const fs::path& data) {
  FloorTable floors;
  for (const RunSpec& spec : plan) add_if_missing(spec, data, floors);
  Json entries = Json::object();
  for (const auto& [key, of] : floors) {
    entries[key] = {{"uniform", of.uniform}, {"unigram", of.unigram}, {"bigram", of.bigram}};
  }
  publish(floors_file(data), to_text({{"schema_version", 1}, {"floors", entries}}));
}

FloorTable floors_of(const std::vector<RunRecord>& records, const fs::path& data) {
  FloorTable floors = read_stored(data);
  for (const RunRecord& record : records) add_if_missing(record.spec, data, floors);
  return floors;
}

}  // namespace sweep
