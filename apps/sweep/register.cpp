#include <cstdio>

#include "registering.h"
#include "sweep/base/error.h"
#include "sweep/base/say.h"
#include "sweep/record/anchor.h"

namespace sweep {
namespace {

int run(const Arguments& arguments) {
  const std::filesystem::path file = arguments.positional.front();
  const SweepDir sweep = directory_for(file, arguments);
  register_now(file, sweep, arguments.has("allow-dirty") ? "register --allow-dirty" : "");
  fmt::print("{}  {}\n", chain_of(sweep).back().hash, sweep.lock().string());
  std::fflush(stdout);
  say(stderr,
      "publish that SHA-256, or have it time-stamped ('sweep anchor'); 'sweep run {}' trains",
      file.string());
  return 0;
}

}  // namespace

const Verb& register_verb() {
  static const Verb verb{
      "register",
      "FILE",
      "lock a pre-registration without training anything",
      "Refuses undecided places (exit status 2), a folder that is registered already, and a "
      "program\nbuilt from uncommitted code (3). Prints the SHA-256 of lock.json, which stands for "
      "everything\nin it. 'sweep run FILE' carries the registered sweep out.",
      1,
      1,
      [](po::options_description& options) {
        add_directory_option(options);
        options.add_options()("allow-dirty",
                              "though code has uncommitted changes; the lock says so");
      },
      &run};
  return verb;
}

}  // namespace sweep
