#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/prereg/lock.h"
#include "sweep/prereg/prereg.h"
#include "sweep/record/amendment.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// A sweep as it is in force: as registered, with its amendments applied.
struct Registration {
  Prereg prereg;
  Lock lock;                  ///< as it was first registered
  std::vector<RunSpec> plan;  ///< see `amended_plan`
  std::vector<Amendment> amendments;
  std::vector<RunSpec> removed;  ///< planned once, taken out by an amendment
};

/// The corpora that a pre-registration names, read and tokenised but not stored: their facts are
/// what `expand` needs. Throws `Error` for a missing or too short text.
CorpusTable survey_corpora(const Prereg& prereg);

struct RegisterOptions {
  Json numeric_identity;    ///< what `sweep-train --identity` printed
  std::string uncommitted;  ///< how it was allowed that code differs from its commit; "" not
};

/// Freezes `file` into `sweep`: tokens, prereg.yaml, plan.jsonl, events.jsonl and, last and
/// decisive, lock.json. A folder without a lock (a crash before it) is written over; one with a
/// lock throws (`kRefused`). So does code with uncommitted changes, unless allowed: then the lock
/// says how.
Registration register_sweep(const std::filesystem::path& file, const SweepDir& sweep,
                            const RegisterOptions& options);

/// Reads what is in force. Throws `Error` when there is no sweep or a file is damaged.
Registration read_registration(const SweepDir& sweep);

/// The file that holds the pre-registration in force: prereg.yaml, or the text of the last
/// amendment that changed it.
std::filesystem::path prereg_in_force(const SweepDir& sweep,
                                      const std::vector<Amendment>& amendments);

/// The numerics that may carry the sweep on: the registered ones, then those that amendments
/// accepted.
std::vector<Json> accepted_numerics(const Registration& registration);

/// "instruction_set: registered 'avx512', here 'avx2'", for each key that differs.
std::vector<std::string> numeric_differences(const Json& registered, const Json& here);

/// How `file` differs in meaning from what is in force in `sweep`, one sentence each; empty when
/// only comments or white space do.
std::vector<std::string> changes_since_registration(const SweepDir& sweep,
                                                    const std::filesystem::path& file);

/// Recomputes every hash that is on record, of the registration, the chain of amendments, the
/// anchors and every finished run, removed ones included; one sentence for each that does not hold.
/// Changes nothing.
std::vector<std::string> verify_sweep(const SweepDir& sweep);

/// Adds a line to the audit trail: {"time": now, "event": name, ...details}.
void log_event(const SweepDir& sweep, const std::string& event, const Json& details);

/// Somebody looked at results before the sweep was complete.
inline constexpr const char* kPeekEvent = "peek";
inline constexpr const char* kRegisteredEvent = "registered";
inline constexpr const char* kAmendedEvent = "amended";

/// The lines of the audit trail that tell of `event`, as they were logged.
std::vector<Json> events_of(const SweepDir& sweep, const std::string& event);

/// How many lines of the audit trail tell of `event`.
std::size_t count_events(const SweepDir& sweep, const std::string& event);

}  // namespace sweep
