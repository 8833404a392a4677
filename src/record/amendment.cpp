#include "sweep/record/amendment.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/text.h"
#include "sweep/prereg/lock.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::pair<AmendmentKind, const char*>, 4> kKinds = {
    {{AmendmentKind::kChange, "change"},
     {AmendmentKind::kEditorial, "editorial"},
     {AmendmentKind::kNumerics, "numerics"},
     {AmendmentKind::kExploratory, "exploratory"}}};

AmendmentKind kind_from(const std::string& word) {
  for (const auto& [kind, name] : kKinds) {
    if (word == name) return kind;
  }
  fail(ExitCode::kBadInput, "amendment: no kind '{}'", word);
}

Json to_json(const Seen& seen) {
  return {{"finished", seen.finished},
          {"planned", seen.planned},
          {"complete", seen.complete},
          {"opened", seen.opened},
          {"peeks", seen.peeks}};
}

Seen seen_from_json(const Json& json) {
  Seen seen;
  json.at("finished").get_to(seen.finished);
  json.at("planned").get_to(seen.planned);
  json.at("complete").get_to(seen.complete);
  json.at("opened").get_to(seen.opened);
  json.at("peeks").get_to(seen.peeks);
  return seen;
}

void read_plan_of(const Json& json, Amendment& amendment) {
  for (const Json& spec : json.at("added")) amendment.added.push_back(run_spec_from_json(spec));
  json.at("removed").get_to(amendment.removed);
  json.at("definitions").get_to(amendment.definitions);
  json.at("hypotheses").get_to(amendment.hypotheses);
  json.at("analysis").get_to(amendment.analysis);
  json.at("data").get_to(amendment.data);
  amendment.corpora = corpora_from_json(json.at("corpora"));
  amendment.numeric_identity = json.at("numeric_identity");
  json.at("set_aside").get_to(amendment.set_aside);
}

int rank_of(const RunSpec& spec) {
  if (spec.block == kMainBlock) return 0;
  return spec.block == kExploratoryBlock ? 2 : 1;
}

/// Files NNNN.json there are, to tell the end of the row from a hole in it.
std::size_t count_amendments(const SweepDir& sweep) {
  if (!fs::exists(sweep.amendments())) return 0;
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(sweep.amendments())) {
    if (entry.path().extension() == ".json") ++count;
  }
  return count;
}

void apply(const Amendment& amendment, AmendmentEffect& effect) {
  const Touch touch = {amendment.number, amendment.seen.after_data(),
                       amendment.seen.after_a_look()};
  for (const std::string& id : amendment.removed) {
    effect.added.erase(id);
    effect.removed[id] = touch;
  }
  for (const RunSpec& spec : amendment.added) {
    effect.removed.erase(spec.id);
    effect.added[spec.id] = touch;
  }
  for (const std::string& key : amendment.definitions) effect.definitions[key] = touch;
  for (const std::string& id : amendment.hypotheses) effect.hypotheses[id] = touch;
  if (amendment.analysis) effect.analysis = touch;
  if (amendment.kind == AmendmentKind::kNumerics) effect.numerics = touch;
}

}  // namespace

std::string in_words(const Seen& seen) {
  std::string look = "nobody had looked at results";
  if (seen.peeks > 0) look = count_of(seen.peeks, "interim look") + " at results";
  if (seen.opened) look = "the report could be read before an earlier amendment";
  if (seen.complete) look = "the report could be read";
  return fmt::format("{} of {} had finished, {}", seen.finished.size(),
                     count_of(seen.planned, "run"), look);
}

std::string to_string(AmendmentKind kind) {
  for (const auto& [known, name] : kKinds) {
    if (kind == known) return name;
  }
  return "";
}

Json to_json(const Amendment& amendment) {
  Json added = Json::array();
  for (const RunSpec& spec : amendment.added) added.push_back(to_json(spec));
  return {{"schema_version", 1},
          {"number", amendment.number},
          {"previous", amendment.previous},
          {"time", amendment.time},
          {"kind", to_string(amendment.kind)},
          {"what", amendment.what},
          {"why", amendment.why},
          {"impact", amendment.impact},
          {"differences", amendment.differences},
          {"seen", to_json(amendment.seen)},
          {"prereg_hash", amendment.prereg_hash},
          {"content_hash", amendment.content_hash},
          {"added", added},
          {"removed", amendment.removed},
          {"definitions", amendment.definitions},
          {"hypotheses", amendment.hypotheses},
          {"analysis", amendment.analysis},
          {"data", amendment.data},
          {"corpora", corpora_json(amendment.corpora)},
          {"numeric_identity", amendment.numeric_identity},
          {"set_aside", amendment.set_aside},
          {"code", amendment.code}};
}

Amendment amendment_from_json(const Json& json) {
  try {
    if (const int version = json.at("schema_version").get<int>(); version != 1) {
      fail(ExitCode::kBadInput, "amendment: schema_version {} is not known here", version);
    }
    Amendment amendment;
    json.at("number").get_to(amendment.number);
    json.at("previous").get_to(amendment.previous);
    json.at("time").get_to(amendment.time);
    amendment.kind = kind_from(json.at("kind").get<std::string>());
    json.at("what").get_to(amendment.what);
    json.at("why").get_to(amendment.why);
    json.at("impact").get_to(amendment.impact);
    json.at("differences").get_to(amendment.differences);
    amendment.seen = seen_from_json(json.at("seen"));
    json.at("prereg_hash").get_to(amendment.prereg_hash);
    json.at("content_hash").get_to(amendment.content_hash);
    read_plan_of(json, amendment);
    amendment.code = json.at("code");
    return amendment;
  } catch (const Json::exception& e) {
    fail(ExitCode::kBadInput, "amendment: {}", e.what());
  }
}

std::vector<Amendment> read_amendments(const SweepDir& sweep) {
  std::vector<Amendment> amendments;
  const auto count = static_cast<int>(count_amendments(sweep));
  for (int number = 1; number <= count; ++number) {
    const fs::path file = sweep.amendment(number);
    if (!fs::exists(file)) {
      fail(ExitCode::kBadInput, "{} is missing, though later amendments are there", file.string());
    }
    amendments.push_back(amendment_from_json(read_json(file)));
  }
  return amendments;
}

AmendmentEffect effect_of(const std::vector<Amendment>& amendments) {
  AmendmentEffect effect;
  for (const Amendment& amendment : amendments) {
    if (amendment.kind != AmendmentKind::kExploratory) apply(amendment, effect);
  }
  return effect;
}

std::vector<RunSpec> amended_plan(std::vector<RunSpec> registered,
                                  const std::vector<Amendment>& amendments) {
  std::vector<RunSpec> plan = std::move(registered);
  for (const Amendment& amendment : amendments) {
    std::set<std::string> gone(amendment.removed.begin(), amendment.removed.end());
    // An exploratory run may become a planned one: the last word counts.
    for (const RunSpec& spec : amendment.added) gone.insert(spec.id);
    std::erase_if(plan, [&](const RunSpec& spec) { return gone.contains(spec.id); });
    plan.insert(plan.end(), amendment.added.begin(), amendment.added.end());
  }
  std::stable_sort(plan.begin(), plan.end(),
                   [](const RunSpec& a, const RunSpec& b) { return rank_of(a) < rank_of(b); });
  return plan;
}

std::vector<RunSpec> specs_on_record(std::vector<RunSpec> registered,
                                     const std::vector<Amendment>& amendments) {
  std::vector<RunSpec> specs = std::move(registered);
  for (const Amendment& amendment : amendments) {
    specs.insert(specs.end(), amendment.added.begin(), amendment.added.end());
  }
  return specs;
}

}  // namespace sweep
