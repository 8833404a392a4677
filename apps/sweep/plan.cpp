#include "planning.h"
#include "stated_corpora.h"
#include "verb.h"

namespace sweep {
namespace {

int run(const Arguments& arguments) {
  PlanOptions options;
  options.probe = !arguments.has("no-probe");
  options.list_runs = arguments.has("list");
  options.json = arguments.has("json");
  options.vocabulary = vocabulary_of(arguments);
  return print_plan(arguments.positional.front(), options);
}

}  // namespace

const Verb& plan_verb() {
  static const Verb verb{
      "plan",
      "FILE",
      "what a pre-registration costs: runs, parameters, time, memory, disk",
      "Times ten real training steps of each size. Writes nothing.",
      1,
      1,
      [](po::options_description& options) {
        options.add_options()("list,l", "the runs too, in the order in which they would start");
        options.add_options()("no-probe", "no timing, hence no predicted time and memory");
        add_vocabulary_option(options);
        add_json_option(options);
      },
      &run};
  return verb;
}

}  // namespace sweep
