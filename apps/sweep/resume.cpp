#include "session.h"

namespace sweep {
namespace {

int run(const Arguments& arguments) {
  const SweepDir sweep =
      find_sweep(arguments.positional.empty() ? "" : arguments.positional.front());
  return carry_out(sweep, read_registration(sweep), arguments, "resume");
}

}  // namespace

const Verb& resume_verb() {
  static const Verb verb{
      "resume",
      "[DIR]",
      "carry on with a sweep, whatever stopped it",
      "Finished runs stay as they are, interrupted ones go on from their checkpoint, failed ones\n"
      "are tried again. DIR may be left out when there is one sweep in this folder.",
      0,
      1,
      [](po::options_description& options) { add_queue_options(options); },
      &run};
  return verb;
}

}  // namespace sweep
