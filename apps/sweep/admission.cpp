#include "admission.h"

#include <boost/program_options/value_semantic.hpp>

#include "output.h"
#include "pilot_spread.h"
#include "stated_corpora.h"
#include "sweep/analysis/gates.h"
#include "sweep/base/error.h"
#include "sweep/base/text.h"
#include "sweep/record/pilot.h"
#include "sweep/report/rehearsal_tables.h"

namespace sweep {
namespace {

void explain(const std::vector<Outcomes>& outcomes, const std::string& id) {
  std::vector<std::string> ids;
  for (const Outcomes& one : outcomes) {
    ids.push_back(one.id);
    if (one.id != id) continue;
    for (const Table& table : outcome_tables(one)) {
      fmt::print("\n{}", to_terminal(table, terminal_options()));
    }
    return;
  }
  fail(ExitCode::kBadInput, "--explain {}: no such hypothesis{}", id,
       ids.empty() ? "" : "; there are " + join(ids, ", "));
}

void print_undecided(const Prereg& prereg, const StatedCorpora& stated) {
  for (const std::string& why : stated.absent) fmt::print("undecided: {}\n", why);
  const std::string pilot = pilot_problem(prereg);
  if (!pilot.empty()) fmt::print("undecided: {}\n", pilot);
}

}  // namespace

void check_admission(const Prereg& prereg, const Arguments& arguments) {
  const StatedCorpora stated = survey_or_state(prereg, std::nullopt);
  print_undecided(prereg, stated);
  const auto plan = expand(prereg, stated.corpora);
  if (prereg.hypotheses.empty()) {
    if (arguments.has("explain")) explain({}, arguments.get<std::string>("explain"));
    fmt::print("no hypotheses: nothing to judge, and no gate to pass\n");
    return;
  }
  Scene scene = plain_scene(prereg, plan);
  scene.assumed.sd = pilot_sd_of(prereg).value_or(0);
  const auto outcomes = constructed_outcomes(prereg, scene);
  const auto results = gate_results(prereg, scene, outcomes);
  fmt::print("\n{}", to_terminal(gates_table(results), terminal_options()));
  if (arguments.has("explain")) explain(outcomes, arguments.get<std::string>("explain"));
  std::fflush(stdout);
  const auto refused = refusals(results);
  if (refused.empty()) return;
  fail(ExitCode::kBadInput,
       "not admissible: {}. 'gates: {{override: {{{}: REASON}}}}' in the file sets a gate aside, "
       "and the verdicts then say so",
       refused.front().found, refused.front().gate);
}

void add_explain_option(po::options_description& options) {
  options.add_options()("explain", po::value<std::string>(),
                        "constructed result sets, one per verdict of this hypothesis");
}

}  // namespace sweep
