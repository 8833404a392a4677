#include "sweep/record/pilot.h"

#include <algorithm>
#include <set>

#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/base/text.h"
#include "sweep/prereg/lock.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

constexpr int kSchemaVersion = 1;

Json cell_json(const PilotCell& cell) {
  Json stratum = Json::array();
  for (const Level& level : cell.stratum) {
    stratum.push_back({{"factor", level.factor}, {"value", level.value}});
  }
  Json losses = Json::array();
  for (const auto& loss : cell.final_losses) losses.push_back(loss ? Json(*loss) : Json());
  return {{"arm", cell.arm}, {"stratum", stratum}, {"x", cell.x}, {"final_val_loss", losses}};
}

PilotCell cell_from_json(const Json& json) {
  PilotCell cell;
  json.at("arm").get_to(cell.arm);
  for (const Json& level : json.at("stratum")) {
    cell.stratum.push_back({level.at("factor").get<std::string>(), level.at("value")});
  }
  json.at("x").get_to(cell.x);
  for (const Json& loss : json.at("final_val_loss")) {
    cell.final_losses.push_back(loss.is_null() ? std::nullopt : std::optional(loss.get<double>()));
  }
  return cell;
}

/// The level of a factor of the sweep that a pilot's run was trained at.
Json level_of(const RunSpec& spec, const std::string& factor) {
  for (const Level& level : spec.levels) {
    if (level.factor == factor) return level.value;
  }
  const Field* field = find_field(factor);
  if (field != nullptr) return to_json(field->get(spec.config));
  fail(ExitCode::kBadInput, "pilot: its runs have no '{}', which is a line of this grid", factor);
}

void check_seeds(const std::set<std::uint64_t>& trained, const Prereg& prereg) {
  std::set<std::uint64_t> declared;
  for (const Json& seed : prereg.pilot.at("seeds")) declared.insert(seed.get<std::uint64_t>());
  if (declared == trained) return;
  std::vector<std::string> words;
  for (const auto seed : trained) words.push_back(std::to_string(seed));
  fail(ExitCode::kBadInput, "pilot: it was trained with seeds {}; pilot.seeds says others",
       join(words, ", "));
}

/// The lock and every result, in the plan's order.
std::string content_hash(const SweepDir& sweep, const std::vector<RunRecord>& records) {
  std::string text = sha256_of_file(sweep.lock()) + "\n";
  for (const RunRecord& record : records) {
    text += record.spec.id + " " + sha256_of_file(sweep.run(record.spec.id).result()) + "\n";
  }
  return sha256(text);
}

void add_run(PilotFacts& facts, const RunRecord& record, const Prereg& prereg) {
  PilotCell cell;
  cell.arm = record.spec.arm;
  cell.x = level_of(record.spec, prereg.roles.axis).get<double>();
  for (const std::string& factor : prereg.roles.strata) {
    cell.stratum.push_back({factor, level_of(record.spec, factor)});
  }
  auto place = std::find_if(facts.cells.begin(), facts.cells.end(), [&](const PilotCell& one) {
    return one.arm == cell.arm && one.stratum == cell.stratum && one.x == cell.x;
  });
  if (place == facts.cells.end()) place = facts.cells.insert(place, cell);
  const bool completed = record.result->outcome.kind == RunOutcome::Kind::kCompleted;
  place->final_losses.push_back(completed ? std::optional(record.result->final_val_loss)
                                          : std::nullopt);
}

PilotFacts survey(const Prereg& prereg, const SweepDir& sweep) {
  if (!fs::exists(sweep.lock())) {
    fail(ExitCode::kBadInput, "pilot: no sweep at {}", sweep.path.string());
  }
  auto records = read_records(sweep);
  std::erase_if(records, [](const RunRecord& record) { return record.spec.block != "main"; });
  std::stable_sort(records.begin(), records.end(), [](const RunRecord& a, const RunRecord& b) {
    return a.spec.seed < b.spec.seed;
  });
  PilotFacts facts;
  facts.sweep = prereg.pilot.at("sweep").get<std::string>();
  std::set<std::uint64_t> seeds;
  for (const RunRecord& record : records) {
    if (!record.result) {
      fail(ExitCode::kBadInput, "pilot: {} is not complete: {} has no result", sweep.path.string(),
           record.spec.id);
    }
    seeds.insert(record.spec.seed);
    add_run(facts, record, prereg);
  }
  check_seeds(seeds, prereg);
  facts.seeds.assign(seeds.begin(), seeds.end());
  facts.hash = content_hash(sweep, records);
  return facts;
}

}  // namespace

Json to_json(const PilotFacts& facts) {
  Json json = {{"schema_version", kSchemaVersion},
               {"sweep", facts.sweep},
               {"hash", facts.hash},
               {"seeds", facts.seeds},
               {"cells", Json::array()}};
  for (const PilotCell& cell : facts.cells) json["cells"].push_back(cell_json(cell));
  return json;
}

PilotFacts pilot_facts_from_json(const Json& json) {
  PilotFacts facts;
  json.at("sweep").get_to(facts.sweep);
  json.at("hash").get_to(facts.hash);
  json.at("seeds").get_to(facts.seeds);
  for (const Json& cell : json.at("cells")) facts.cells.push_back(cell_from_json(cell));
  return facts;
}

std::optional<SweepDir> pilot_of(const Prereg& prereg) {
  if (prereg.pilot.is_null()) return std::nullopt;
  return SweepDir{prereg.folder / prereg.pilot.at("sweep").get<std::string>()};
}

std::optional<PilotFacts> survey_pilot(const Prereg& prereg) {
  const auto sweep = pilot_of(prereg);
  return sweep ? std::optional(survey(prereg, *sweep)) : std::nullopt;
}

std::string pilot_problem(const Prereg& prereg) {
  try {
    survey_pilot(prereg);
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

std::string store_pilot(const PilotFacts& facts, const SweepDir& sweep) {
  const std::string text = to_text(to_json(facts));
  publish(sweep.pilot(), text);
  return sha256(text);
}

std::optional<PilotFacts> read_pilot(const SweepDir& sweep) {
  if (!fs::exists(sweep.pilot())) return std::nullopt;
  try {
    return pilot_facts_from_json(read_json(sweep.pilot()));
  } catch (const Json::exception& e) {
    fail(ExitCode::kBadInput, "{}: {}", sweep.pilot().string(), e.what());
  }
}

}  // namespace sweep
