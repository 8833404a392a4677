#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweep/base/json.h"
#include "sweep/prereg/prereg.h"

namespace sweep {

/// lock.json: what was fixed before the first run. `sweep verify` recomputes every hash in it.
struct Lock {
  std::string registered_at;  ///< UTC, this machine's clock; no proof
  std::string prereg_hash;    ///< of prereg.yaml's bytes
  std::string content_hash;   ///< of `canonical(prereg)`: comments and white space do not matter
  std::string plan_hash;      ///< of plan.jsonl's bytes
  std::size_t planned = 0;
  Json code;                                ///< version, git commit, clean
  std::map<std::string, std::string> data;  ///< file name in data/ -> SHA-256
  CorpusTable corpora;
  std::string pilot_hash;  ///< of pilot.json's bytes; "" without a pilot
  Json numeric_identity;   ///< what `sweep-train --identity` printed
};

Json to_json(const Lock& lock);
Lock lock_from_json(const Json& json);

/// [{"config": ..., "facts": ...}, ...]
Json corpora_json(const CorpusTable& corpora);
CorpusTable corpora_from_json(const Json& json);

/// What differs between a registered file and another, one sentence each ("grid
/// train.learning_rate: level 3e-1 added"); empty when they mean the same.
std::vector<std::string> differences(const Prereg& registered, const Prereg& other);

/// What differs in meaning: nothing when only comments, title, question, claims and written reasons
/// do.
struct Changes {
  bool plan = false;                     ///< arms, grid, seeds, roles, settings, robustness
  bool analysis = false;                 ///< analysis or pilot
  std::vector<std::string> definitions;  ///< keys of `definitions`
  std::vector<std::string> hypotheses;   ///< ids
  [[nodiscard]] bool none() const {
    return !plan && !analysis && definitions.empty() && hypotheses.empty();
  }
};
Changes changes_between(const Prereg& registered, const Prereg& other);

}  // namespace sweep
