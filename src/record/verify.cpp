#include "sweep/base/files.h"
#include "sweep/base/hash.h"
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

void check_run(const RunDir& run, const RunSpec& spec, Verifier& verifier) {
  const auto result = read_result(run);
  if (!result) return;
  verifier.check(run.config(), result->config_hash);
  verifier.check(run.metrics(), result->metrics_hash);
  verifier.check(run.final_weights(), result->weights_hash);
  if (result->id != spec.id) verifier.report(run.result(), "names another run: " + result->id);
  if (read_file_if_exists(run.config()) != to_text(to_json(spec))) {
    verifier.report(run.config(), "differs from the run's line in the plan");
  }
}

}  // namespace

std::vector<std::string> verify_sweep(const SweepDir& sweep) {
  const Lock lock = lock_from_json(read_json(sweep.lock()));
  Verifier verifier;
  verifier.check(sweep.prereg(), lock.prereg_hash);
  verifier.check(sweep.plan(), lock.plan_hash);
  for (const auto& [name, hash] : lock.data) verifier.check(sweep.data() / name, hash);
  for (const auto& spec : read_plan(sweep)) check_run(sweep.run(spec.id), spec, verifier);
  return verifier.findings();
}

}  // namespace sweep
