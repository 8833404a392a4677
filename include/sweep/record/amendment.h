#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep/base/json.h"
#include "sweep/prereg/prereg.h"
#include "sweep/prereg/run_spec.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

enum class AmendmentKind {
  kChange,       ///< of the plan, the definitions, the hypotheses or the analysis
  kEditorial,    ///< comments and wording: no run, number or rule depends on it
  kNumerics,     ///< another machine or build may carry the sweep on
  kExploratory,  ///< adds runs outside the plan, on which no finding rests
};

std::string to_string(AmendmentKind kind);

/// What could be known of the results at some moment.
struct Seen {
  std::vector<std::string> finished;  ///< ids of the runs with a result
  std::size_t planned = 0;
  bool complete = false;  ///< all but exploratory runs had one: a full report could be made
  bool opened = false;    ///< so it could before an earlier amendment made the sweep longer
  std::size_t peeks = 0;  ///< looks at results of the incomplete sweep

  /// Some result existed.
  [[nodiscard]] bool after_data() const { return !finished.empty(); }
  /// Somebody may have read results.
  [[nodiscard]] bool after_a_look() const { return complete || opened || peeks > 0; }
};

/// "10 of 16 runs had finished, nobody had looked at results"
std::string in_words(const Seen& seen);

/// A recorded change to a registered sweep: amendments/NNNN.json. Each holds the hash of its
/// predecessor, the first that of lock.json, so that none can be altered, dropped or slipped in
/// without breaking the chain. Runs that it adds stand in it; runs that it removes stay on disk.
struct Amendment {
  int number = 1;
  std::string previous;  ///< SHA-256 of the link before it
  std::string time;      ///< UTC, this machine's clock; no proof
  AmendmentKind kind = AmendmentKind::kChange;
  std::string what;
  std::string why;
  std::string impact;
  std::vector<std::string> differences;  ///< from what was in force before, one sentence each
  Seen seen;
  std::string prereg_hash;               ///< of amendments/NNNN.yaml's bytes; "" when there is none
  std::string content_hash;              ///< of its canonical form
  std::vector<RunSpec> added;            ///< in the order in which they are to be started
  std::vector<std::string> removed;      ///< ids
  std::vector<std::string> definitions;  ///< keys of `definitions` that changed in meaning
  std::vector<std::string> hypotheses;   ///< ids of those that changed in meaning
  bool analysis = false;                 ///< whether `analysis` changed in meaning
  std::map<std::string, std::string> data;  ///< token files it adds: name in data/ -> SHA-256
  CorpusTable corpora;                      ///< that it adds
  Json numeric_identity;                    ///< kNumerics: what was accepted; else null
  std::vector<std::string> set_aside;       ///< kNumerics: finished halves of pairs, to be redone
  Json code;                                ///< version, commit, clean
};

Json to_json(const Amendment& amendment);
Amendment amendment_from_json(const Json& json);

/// In order. Throws `Error` when one is missing from the row or damaged; that the chain holds is
/// for `verify_sweep` to say.
std::vector<Amendment> read_amendments(const SweepDir& sweep);

/// What a run, a definition or a hypothesis was touched by.
struct Touch {
  int amendment = 0;
  bool after_data = false;    ///< results existed (`Seen::after_data`)
  bool after_a_look = false;  ///< and may have been read (`Seen::after_a_look`)
  bool operator==(const Touch&) const = default;
};

/// Everything that amendments have touched, each by the last that did: what verdicts call
/// "deviated" and tables mark. Editorial and exploratory amendments touch nothing.
struct AmendmentEffect {
  std::map<std::string, Touch> added;        ///< ids of planned runs that were not registered first
  std::map<std::string, Touch> removed;      ///< ids of runs that are no longer in the plan
  std::map<std::string, Touch> definitions;  ///< keys of `definitions`
  std::map<std::string, Touch> hypotheses;   ///< ids
  std::optional<Touch> analysis;
  std::optional<Touch> numerics;  ///< another machine or build carried the sweep on
};

AmendmentEffect effect_of(const std::vector<Amendment>& amendments);

/// The plan in force: registered runs less removed ones, then added ones; the main block first,
/// then robustness, then exploratory runs.
std::vector<RunSpec> amended_plan(std::vector<RunSpec> registered,
                                  const std::vector<Amendment>& amendments);

/// Every spec on record, also of runs that were removed or that an amendment moved from
/// exploratory into the plan: an id may stand here twice.
std::vector<RunSpec> specs_on_record(std::vector<RunSpec> registered,
                                     const std::vector<Amendment>& amendments);

struct AmendmentWords {
  std::string what;
  std::string why;
  std::string impact;
};

/// An amendment before it is written down.
struct AmendmentDraft {
  Amendment amendment;
  std::string text;  ///< of the changed pre-registration; "" for none
  Prereg prereg;
  std::vector<RunSpec> plan;  ///< of kChange: what `prereg` asks for, planned already or not
};

/// What amending `sweep` to `file` would record (kChange, kEditorial), or adding the runs of `file`
/// that are not planned (kExploratory). Changes nothing. Throws `Error`: `kBadInput` when there is
/// nothing to record or when runs would get other names, `kRefused` when an editorial amendment
/// would change more than words.
AmendmentDraft draft_amendment(const SweepDir& sweep, const std::filesystem::path& file,
                               AmendmentKind kind, const AmendmentWords& words);

/// The same for carrying on with other numerics, which `sweep-train --identity` printed. Pairs are
/// kept whole: where one half was finished under other numerics and the other was not, the finished
/// half has to be set aside and trained again, which is refused (`kRefused`) unless `redo_pairs`.
AmendmentDraft draft_numerics(const SweepDir& sweep, const Json& identity, bool redo_pairs,
                              const AmendmentWords& words);

/// Writes it down, the JSON file last and decisive. Throws `Error` (`kOwned`) while an orchestrator
/// owns the sweep, and (`kRefused`) when the sweep has changed since the draft was made.
void record_amendment(const SweepDir& sweep, const AmendmentDraft& draft);

/// Unfinished runs whose pair (runs that differ in nothing but their arm) has a half that was
/// finished under other numerics than `fingerprint`.
std::vector<std::string> pairs_split_by(const SweepDir& sweep, const std::string& fingerprint);

}  // namespace sweep
