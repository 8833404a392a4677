#include <boost/program_options/value_semantic.hpp>

#include "registering.h"

namespace sweep {
namespace {

int run(const Arguments& arguments) {
  const auto [file, sweep] = file_and_sweep(arguments);
  const AmendmentWords words = {"exploratory runs",
                                text_option(arguments, "why", "what they are to show"),
                                "none: no finding rests on them"};
  const auto draft = draft_amendment(sweep, file, AmendmentKind::kExploratory, words);
  show_and_record(sweep, draft, arguments.has("dry-run"));
  return 0;
}

}  // namespace

const Verb& explore_verb() {
  static const Verb verb{
      "explore",
      "[DIR] FILE",
      "add runs outside the plan, marked as exploratory",
      "FILE is a pre-registration like the sweep's own, with other levels or settings; those of "
      "its\n"
      "runs that are not planned are added, in a block of their own. 'sweep resume' trains them\n"
      "last. They stand in a table of their own and enter no finding and no verdict.",
      1,
      2,
      [](po::options_description& options) {
        add_directory_option(options);
        options.add_options()("why", po::value<std::string>(), "what they are to show");
        options.add_options()("dry-run,n", "show what would be recorded");
      },
      &run};
  return verb;
}

}  // namespace sweep
