#include "registering.h"

#include <algorithm>
#include <cstdio>

#include "sweep/analysis/gates.h"
#include "sweep/base/error.h"
#include "sweep/base/say.h"
#include "sweep/base/text.h"
#include "sweep/base/version.h"
#include "sweep/record/anchor.h"
#include "sweep/record/pilot.h"
#include "trainer.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

std::size_t finished_among(const Amendment& amendment) {
  const auto& finished = amendment.seen.finished;
  return static_cast<std::size_t>(
      std::count_if(amendment.removed.begin(), amendment.removed.end(), [&](const auto& id) {
        return std::find(finished.begin(), finished.end(), id) != finished.end();
      }));
}

void print_amendment(const SweepDir& sweep, const Amendment& amendment) {
  fmt::print("{}: amendment {} ({}); {}\n", sweep.path.string(), amendment.number,
             to_string(amendment.kind), in_words(amendment.seen));
  for (const auto& difference : amendment.differences) fmt::print("  {}\n", difference);
  if (!amendment.added.empty()) fmt::print("  {} added\n", count_of(amendment.added.size(), "run"));
  if (!amendment.removed.empty()) {
    fmt::print("  {} taken out of plan and analysis, {} of them finished; files stay\n",
               count_of(amendment.removed.size(), "run"), finished_among(amendment));
  }
  if (!amendment.set_aside.empty()) {
    fmt::print("  {} set aside, to be trained again with its pair\n",
               count_of(amendment.set_aside.size(), "finished run"));
  }
}

}  // namespace

SweepDir directory_for(const fs::path& file, const Arguments& arguments) {
  if (arguments.has("directory")) return {arguments.get<std::string>("directory")};
  return {file.stem().string() + ".sweep"};
}

Registration register_now(const fs::path& file, const SweepDir& sweep,
                          const std::string& uncommitted) {
  const Prereg prereg = load_prereg(file);
  if (fs::exists(sweep.lock())) {
    fail(ExitCode::kRefused, "{}: registered already; 'sweep verify' shows when",
         sweep.path.string());
  }
  enforce_gates(prereg, expand(prereg, survey_corpora(prereg)));
  if (const std::string problem = pilot_problem(prereg); !problem.empty()) {
    fail(ExitCode::kBadInput, "{}", problem);
  }
  say(stderr, "checking this machine's numerics");
  const RegisterOptions options{
      numeric_identity(prereg.base.train.device, fastest_kernel_path(prereg)), uncommitted};
  Registration registration = register_sweep(file, sweep, options);
  say(stderr, "registered {} in {}/ (lock.json holds every hash)",
      count_of(registration.plan.size(), "run"), sweep.path.string());
  if (!code_version().clean) {
    say(stderr,
        "note: built from code with uncommitted changes, which the lock and the report say");
  }
  return registration;
}

void refuse_changes(const SweepDir& sweep, const fs::path& file) {
  const auto changes = changes_since_registration(sweep, file);
  if (changes.empty()) return;
  std::string list;
  for (const auto& change : changes) list += "\n  " + change;
  fail(ExitCode::kRefused,
       "{} differs from what {} registered:{}\nA registered sweep changes by a recorded amendment "
       "only: 'sweep amend {}' with what, why and impact. Or put the file back, or give the new "
       "one a folder of its own with -C.",
       file.string(), sweep.path.string(), list, file.string());
}

FileAndSweep file_and_sweep(const Arguments& arguments) {
  const fs::path file = arguments.positional.back();
  if (arguments.positional.size() > 1) return {file, find_sweep(arguments.positional.front())};
  const SweepDir own = directory_for(file, arguments);
  if (arguments.has("directory") || fs::exists(own.lock())) return {file, find_sweep(own.path)};
  return {file, find_sweep("")};
}

std::string text_option(const Arguments& arguments, const char* name, const std::string& what_for) {
  if (arguments.has(name)) {
    auto text = arguments.get<std::string>(name);
    if (text.find_first_not_of(" \t\n") != std::string::npos) return text;
  }
  fail(ExitCode::kBadInput, "--{} TEXT is missing: {}", name, what_for);
}

void show_and_record(const SweepDir& sweep, const AmendmentDraft& draft, bool dry_run) {
  print_amendment(sweep, draft.amendment);
  std::fflush(stdout);
  if (dry_run) {
    say(stderr, "a dry run: nothing was recorded");
    return;
  }
  record_amendment(sweep, draft);
  const Link link = chain_of(sweep).back();
  say(stderr, "recorded in {} (SHA-256 {}); 'sweep resume' carries on",
      (sweep.path / link.name).string(), link.hash);
}

}  // namespace sweep
