#include <cstdio>

#include "gpt/bench.h"
#include "gpt/examination.h"
#include "gpt/identity.h"
#include "gpt/numerics.h"
#include "gpt/stop_request.h"
#include "gpt/torch_errors.h"
#include "gpt/worker.h"
#include "options.h"
#include "sweep/base/error.h"
#include "sweep/base/machine.h"
#include "sweep/base/say.h"
#include "sweep/base/version.h"

namespace {

using sweep::TrainOptions;

void print_line(const sweep::Json& value) { fmt::print("{}\n", sweep::to_line(value)); }

int print_help() {
  fmt::print("{}", sweep::usage());
  return 0;
}

int print_version() {
  const sweep::CodeVersion code = sweep::code_version();
  fmt::print("sweep-train {} {}{}\n", code.version, code.commit, code.clean ? "" : " (changed)");
  return 0;
}

void pin(const TrainOptions& options) {
  if (options.cpu && !sweep::pin_to_cpu(*options.cpu)) {
    sweep::say(stderr, "sweep-train: cannot stay on CPU {}; carrying on unpinned", *options.cpu);
  }
}

int work(const TrainOptions& options) {
  sweep::StopRequest stop(options.lifeline_fd);
  pin(options);
  sweep::set_up_numerics();
  return sweep::work_on_run(options.worker, [&stop] { return stop.reason(); });
}

int identity(const TrainOptions& options) {
  sweep::set_up_numerics();
  print_line(to_json(sweep::numeric_identity(options.device, options.path)));
  return 0;
}

int probe(const TrainOptions& options) {
  sweep::set_up_numerics();
  const auto spec = sweep::run_spec_from_json(sweep::read_json(options.probe_file));
  print_line(sweep::probe(spec, options.probe_steps, options.path));
  return 0;
}

int bench(const TrainOptions& options) {
  pin(options);
  sweep::set_up_numerics(options.bench.threads);
  print_line(sweep::bench(options.bench));
  return 0;
}

int examine() {
  sweep::set_up_numerics();
  print_line(sweep::examine());
  return 0;
}

int run(const TrainOptions& options) {
  switch (options.mode) {
    case TrainOptions::Mode::kHelp:
      return print_help();
    case TrainOptions::Mode::kVersion:
      return print_version();
    case TrainOptions::Mode::kIdentity:
      return identity(options);
    case TrainOptions::Mode::kProbe:
      return probe(options);
    case TrainOptions::Mode::kBench:
      return bench(options);
    case TrainOptions::Mode::kExamine:
      return examine();
    case TrainOptions::Mode::kWork:
      return work(options);
  }
  return 1;
}

/// What is wrong with the command line is said together with how it should be.
TrainOptions read_command_line(int argc, char** argv) {
  try {
    return sweep::parse_options(argc, argv);
  } catch (const sweep::Error&) {
    sweep::say(stderr, "{}", sweep::usage());
    throw;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(read_command_line(argc, argv));
  } catch (const std::exception& exception) {
    const sweep::Failure failure = sweep::describe_failure(exception);
    sweep::say(stderr, "sweep-train: {}", failure.message);
    return static_cast<int>(failure.code);
  }
}
