#include "sweep/base/error.h"
#include "sweep/base/text.h"
#include "sweep/record/anchor.h"
#include "sweep/record/registration.h"
#include "verb.h"

namespace sweep {
namespace {

int run(const Arguments& arguments) {
  const SweepDir sweep =
      find_sweep(arguments.positional.empty() ? "" : arguments.positional.front());
  const auto findings = verify_sweep(sweep);
  for (const auto& finding : findings) fmt::print("{}\n", finding);
  if (!findings.empty()) {
    fail(ExitCode::kRefused, "{}: {} not as recorded", sweep.path.string(),
         count_of(findings.size(), "file"));
  }
  const Registration r = read_registration(sweep);
  fmt::print("{}: all as recorded (registered {}, {}, {}, {})\n", sweep.path.string(),
             r.lock.registered_at, count_of(r.plan.size(), "run"),
             count_of(r.amendments.size(), "amendment"),
             count_of(read_anchors(sweep).size(), "anchor"));
  for (const Link& link : chain_of(sweep)) fmt::print("  {}  {}\n", link.hash, link.name);
  for (const Anchor& anchor : read_anchors(sweep)) {
    fmt::print("  {} anchored: {}\n", anchor.link.name, describe(anchor));
  }
  return 0;
}

}  // namespace

const Verb& verify_verb() {
  static const Verb verb{
      "verify",
      "[DIR]",
      "recompute every hash of a sweep",
      "Registration, plan, tokens, the chain of amendments, time stamps, and of each\n"
      "finished run its configuration, metrics and weights. Exit status 3 when one\n"
      "differs.",
      0,
      1,
      [](po::options_description&) {},
      &run};
  return verb;
}

}  // namespace sweep
