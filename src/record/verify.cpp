#include <map>
#include <vector>

#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/record/anchor.h"
#include "sweep/record/registration.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

/// Collects what does not hold.
class Verifier {
 public:
  void check(const fs::path& file, const std::string& registered) {
    if (!fs::exists(file)) {
      report(file, "is missing");
    } else if (sha256_of_file(file) != registered) {
      report(file, "differs from its recorded hash");
    }
  }

  void report(const fs::path& file, const std::string& what) {
    findings_.push_back(file.string() + " " + what);
  }

  [[nodiscard]] std::vector<std::string> findings() const { return findings_; }

 private:
  std::vector<std::string> findings_;
};

/// `specs`: what stands on record under the run's id.
void check_run(const RunDir& run, const std::vector<RunSpec>& specs, Verifier& verifier) {
  const auto result = read_result(run);
  if (!result) return;
  verifier.check(run.config(), result->config_hash);
  verifier.check(run.metrics(), result->metrics_hash);
  verifier.check(run.final_weights(), result->weights_hash);
  if (result->id != run.id()) verifier.report(run.result(), "names another run: " + result->id);
  const auto config = read_file_if_exists(run.config());
  for (const RunSpec& spec : specs) {
    if (config == to_text(to_json(spec))) return;
  }
  verifier.report(run.config(), "differs from the run's line in the plan");
}

void check_runs(const SweepDir& sweep, const std::vector<Amendment>& amendments,
                Verifier& verifier) {
  std::map<std::string, std::vector<RunSpec>> specs;
  for (RunSpec& spec : specs_on_record(read_registered_plan(sweep), amendments)) {
    specs[spec.id].push_back(std::move(spec));
  }
  for (const auto& [id, same_id] : specs) check_run(sweep.run(id), same_id, verifier);
}

/// Each amendment names the hash of the one before; the audit trail names each of them, so that
/// the last cannot be dropped either.
void check_chain(const SweepDir& sweep, const std::vector<Amendment>& amendments,
                 Verifier& verifier) {
  fs::path previous = sweep.lock();
  for (const Amendment& amendment : amendments) {
    const fs::path file = sweep.amendment(amendment.number);
    if (sha256_of_file(previous) != amendment.previous) {
      verifier.report(previous, "differs from the hash in " + file.filename().string());
    }
    if (!amendment.prereg_hash.empty()) {
      verifier.check(sweep.amended_prereg(amendment.number), amendment.prereg_hash);
    }
    for (const auto& [name, hash] : amendment.data) verifier.check(sweep.data() / name, hash);
    previous = file;
  }
  for (const Json& event : events_of(sweep, kRegisteredEvent)) {
    verifier.check(sweep.lock(), event.value("lock", ""));
  }
  for (const Json& event : events_of(sweep, kAmendedEvent)) {
    verifier.check(sweep.amendment(event.value("number", 0)), event.value("amendment", ""));
  }
}

}  // namespace

std::vector<std::string> verify_sweep(const SweepDir& sweep) {
  const Lock lock = lock_from_json(read_json(sweep.lock()));
  const auto amendments = read_amendments(sweep);
  Verifier verifier;
  verifier.check(sweep.prereg(), lock.prereg_hash);
  verifier.check(sweep.plan(), lock.plan_hash);
  if (!lock.pilot_hash.empty()) verifier.check(sweep.pilot(), lock.pilot_hash);
  for (const auto& [name, hash] : lock.data) verifier.check(sweep.data() / name, hash);
  check_chain(sweep, amendments, verifier);
  check_runs(sweep, amendments, verifier);
  auto findings = verifier.findings();
  for (std::string& problem : anchor_problems(sweep)) findings.push_back(std::move(problem));
  return findings;
}

}  // namespace sweep
