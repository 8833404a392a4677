#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/prereg/lock.h"
#include "sweep/prereg/prereg.h"
#include "sweep/record/sweep_dir.h"

namespace sweep {

/// A sweep as it was registered.
struct Registration {
  Prereg prereg;
  Lock lock;
  std::vector<RunSpec> plan;
};

/// The corpora that a pre-registration names, read and tokenised but not stored: their facts are
/// what `expand` needs. Throws `Error` for a missing or too short text.
CorpusTable survey_corpora(const Prereg& prereg);

/// Freezes `file` into `sweep`: tokens, prereg.yaml, plan.jsonl, events.jsonl and, last and
/// decisive, lock.json. A folder without a lock (a crash before it) is written over; one with a
/// lock throws. `numeric_identity` is what `sweep-train --identity` printed.
Registration register_sweep(const std::filesystem::path& file, const SweepDir& sweep,
                            const Json& numeric_identity);

/// Reads what was registered. Throws `Error` when there is no sweep or a file is damaged.
Registration read_registration(const SweepDir& sweep);

/// How `file` differs in meaning from what was registered in `sweep`, one sentence each; empty when
/// only comments or white space do.
std::vector<std::string> changes_since_registration(const SweepDir& sweep,
                                                    const std::filesystem::path& file);

/// Recomputes every hash that is on record, of the registration and of every finished run; one
/// sentence for each that does not hold. Changes nothing.
std::vector<std::string> verify_sweep(const SweepDir& sweep);

/// Adds a line to the audit trail: {"time": now, "event": name, ...details}.
void log_event(const SweepDir& sweep, const std::string& event, const Json& details);

/// Somebody looked at results before the sweep was complete.
inline constexpr const char* kPeekEvent = "peek";

/// How many lines of the audit trail tell of `event`.
std::size_t count_events(const SweepDir& sweep, const std::string& event);

}  // namespace sweep
