// sweep: the command line. It finds the verb, and turns what went wrong into an exit status.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "sweep/base/error.h"
#include "sweep/base/say.h"
#include "sweep/base/text.h"
#include "sweep/base/version.h"
#include "verb.h"

namespace sweep {

std::vector<const Verb*> verbs() {
  return {&run_verb(),    &resume_verb(),  &report_verb(),   &status_verb(),
          &check_verb(),  &plan_verb(),    &rehearse_verb(), &register_verb(),
          &amend_verb(),  &explore_verb(), &note_verb(),     &anchor_verb(),
          &verify_verb(), &data_verb(),    &bench_verb(),    &doctor_verb()};
}

namespace {

std::string help() {
  std::string text =
      "usage: sweep VERB [operands] [options]\n\n"
      "Trains a pre-registered grid of small GPTs, with one component switched on and off, and\n"
      "judges the outcome by the definitions that were registered.\n\n";
  for (const Verb* verb : verbs()) {
    text += fmt::format("  {:<22}{}\n", verb->name + " " + verb->operands, verb->summary);
  }
  return text +
         "\n'sweep VERB --help' tells more. Exit status: 0 done (a negative outcome is a result),\n"
         "1 some run failed to execute, 2 bad input or usage, 3 refused (the file differs from "
         "what\n"
         "was registered), 4 incomplete, 5 another process owns the sweep, 6 disk, memory or a\n"
         "missing part, 130 and 143 stopped by a signal.\n";
}

std::string version() {
  const CodeVersion code = code_version();
  const std::string commit = code.commit.empty() ? "no commit" : code.commit.substr(0, 10);
  return fmt::format("sweep {} ({}{})\n", code.version, commit, code.clean ? "" : ", modified");
}

const Verb& find_verb(const std::string& name) {
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) {
    if (verb->name == name) return *verb;
    names.push_back(verb->name);
  }
  const auto guess = nearest(name, names);
  fail(ExitCode::kBadInput, "no verb '{}'{} ('sweep --help' lists them)", name,
       guess ? "; did you mean '" + *guess + "'?" : "");
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    fmt::print("{}", help());
    return words.empty() ? static_cast<int>(ExitCode::kBadInput) : 0;
  }
  if (words[0] == "--version") {
    fmt::print("{}", version());
    return 0;
  }
  const Verb& verb = find_verb(words[0]);
  const Arguments arguments = parse_arguments(verb, {words.begin() + 1, words.end()});
  if (arguments.has("help")) {
    fmt::print("{}", usage_of(verb));
    return 0;
  }
  return verb.run(arguments);
}

}  // namespace
}  // namespace sweep

int main(int argc, char** argv) {
  // A reader that closes the pipe early must not end a sweep.
  std::signal(SIGPIPE, SIG_IGN);
  // For the trainers that this program starts: an OpenBLAS built on pthreads counts the cores when
  // it is loaded and does not listen to LibTorch afterwards.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  try {
    return sweep::dispatch({argv + 1, argv + argc});
  } catch (const sweep::Error& e) {
    sweep::say(stderr, "sweep: {}", e.what());
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    sweep::say(stderr, "sweep: {}", e.what());
    return static_cast<int>(sweep::ExitCode::kRunFailed);
  }
}
