#include <boost/program_options/value_semantic.hpp>

#include "registering.h"
#include "session.h"
#include "sweep/analysis/gates.h"
#include "sweep/base/error.h"
#include "trainer.h"

namespace sweep {
namespace {

AmendmentWords words_of(const Arguments& arguments) {
  return {text_option(arguments, "what", "what is changed"),
          text_option(arguments, "why", "the reason, and what of the results was known"),
          text_option(arguments, "impact", "what it does to the hypotheses and their verdicts")};
}

int accept_numerics(const Arguments& arguments) {
  if (arguments.positional.size() > 1) {
    fail(ExitCode::kBadInput, "sweep amend --accept-numerics: takes the sweep's folder, no file");
  }
  std::string folder = arguments.positional.empty() ? "" : arguments.positional.front();
  if (arguments.has("directory")) folder = arguments.get<std::string>("directory");
  const SweepDir sweep = find_sweep(folder);
  const Json here = numerics_here(read_registration(sweep));
  const auto draft = draft_numerics(sweep, here, arguments.has("redo-pairs"), words_of(arguments));
  show_and_record(sweep, draft, arguments.has("dry-run"));
  return 0;
}

int run(const Arguments& arguments) {
  if (arguments.has("accept-numerics")) return accept_numerics(arguments);
  if (arguments.positional.empty()) {
    fail(ExitCode::kBadInput, "sweep amend: the changed FILE is missing");
  }
  const auto [file, sweep] = file_and_sweep(arguments);
  const bool editorial = arguments.has("editorial");
  const AmendmentWords words =
      editorial ? AmendmentWords{"comments and wording", "", "none"} : words_of(arguments);
  const auto kind = editorial ? AmendmentKind::kEditorial : AmendmentKind::kChange;
  const AmendmentDraft draft = draft_amendment(sweep, file, kind, words);
  if (!editorial) enforce_gates(draft.prereg, draft.plan);
  show_and_record(sweep, draft, arguments.has("dry-run"));
  return 0;
}

void add_options(po::options_description& options) {
  add_directory_option(options);
  options.add_options()("what", po::value<std::string>(), "what is changed, in a sentence");
  options.add_options()("why", po::value<std::string>(), "why");
  options.add_options()("impact", po::value<std::string>(), "what it does to the verdicts");
  options.add_options()("editorial", "comments and wording only; needs no reasons");
  options.add_options()("accept-numerics", "this machine or build may carry the sweep on");
  options.add_options()("redo-pairs", "with it: train half-finished pairs anew");
  options.add_options()("dry-run,n", "show what would be recorded");
}

}  // namespace

const Verb& amend_verb() {
  static const Verb verb{
      "amend",
      "[DIR] FILE",
      "record a change to a registered sweep",
      "FILE is the pre-registration as it shall be from now on. Recorded are the differences, the\n"
      "reasons, and what was known of the results; finished runs that stay planned are never run\n"
      "again, runs taken out stay on disk. The report shows every amendment and marks what it\n"
      "touched. Refused while the sweep is being run, and when a gate refuses the new plan.",
      0,
      2,
      &add_options,
      &run};
  return verb;
}

}  // namespace sweep
