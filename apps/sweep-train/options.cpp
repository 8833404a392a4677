#include "options.h"

#include <boost/program_options.hpp>
#include <sstream>

#include "sweep/base/error.h"

namespace sweep {
namespace po = boost::program_options;
namespace {

/// An option that is stored in `target`, whose present value is the default.
template <typename T>
po::typed_value<T>* stored(T& target) {
  return po::value<T>(&target)->default_value(target);
}

// clang-format off
po::options_description work_options(TrainOptions& to) {
  po::options_description options("Carrying a run to its result (sweep-train RUN_DIR)");
  options.add_options()
    ("attempt", stored(to.worker.attempt), "number of this attempt")
    ("token", po::value(&to.worker.token), "what the claim is to hold (default: random)")
    ("lifeline", po::value(&to.lifeline_fd), "descriptor of a pipe whose end means: stop")
    ("cpu", po::value<int>(), "logical CPU to stay on")
    ("checkpoint-seconds", stored(to.worker.checkpoint_seconds),
     "a checkpoint so often; 0: after every step");
  return options;
}

po::options_description other_options(TrainOptions& to) {
  po::options_description options("Other modes, each printing one JSON line");
  options.add_options()
    ("identity", "what the bits of a run depend on here")
    ("probe", po::value(&to.probe_file), "speed of the run that this config.json describes")
    ("steps", stored(to.probe_steps), "updates that --probe times")
    ("bench", po::value(&to.bench.config), "speed of config S, B, C or A, or of a config.json")
    ("seconds", stored(to.bench.seconds), "how long --bench runs")
    ("threads", stored(to.bench.threads), "threads of --bench")
    ("examine", "speed of multiply-adds and matrix products, devices, libraries")
    ("qk-norm", po::value<std::string>(), "variant for --bench instead of the config's")
    ("mechanism-every", stored(to.bench.mechanism_every),
     "all quantities of measure.mechanism at every so many steps of --bench; 0: never")
    ("device", stored(to.device), "of --identity, and for --bench instead of the config's")
    ("path", po::value<std::string>()->default_value("plain"),
     "plain or fused: kernel path of --identity, --probe and --bench");
  return options;
}
// clang-format on

po::options_description shown_options(TrainOptions& to) {
  po::options_description all("Options");
  all.add(work_options(to))
      .add(other_options(to))
      .add_options()("help", "this text")("version", "version and commit");
  return all;
}

po::variables_map parse(int argc, const char* const* argv, TrainOptions& to) {
  po::options_description options = shown_options(to);
  options.add_options()("run-dir", po::value<std::string>());
  po::positional_options_description positional;
  positional.add("run-dir", 1);
  namespace style = po::command_line_style;
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv)
                .options(options)
                .positional(positional)
                .style(style::unix_style & ~style::allow_guessing)
                .run(),
            given);
  po::notify(given);
  return given;
}

TrainOptions::Mode mode_of(const po::variables_map& given) {
  using Mode = TrainOptions::Mode;
  if (given.count("help") != 0) return Mode::kHelp;
  if (given.count("version") != 0) return Mode::kVersion;
  const std::pair<const char*, Mode> modes[] = {{"identity", Mode::kIdentity},
                                                {"probe", Mode::kProbe},
                                                {"bench", Mode::kBench},
                                                {"examine", Mode::kExamine},
                                                {"run-dir", Mode::kWork}};
  std::optional<Mode> mode;
  for (const auto& [name, value] : modes) {
    if (given.count(name) == 0) continue;
    if (mode)
      fail(ExitCode::kBadInput, "give one of RUN_DIR, --identity, --probe, --bench and --examine");
    mode = value;
  }
  if (!mode) fail(ExitCode::kBadInput, "no run directory was given");
  return *mode;
}

QkNorm qk_norm_named(const std::string& name) {
  Config config;
  find_field("model.qk_norm")->set(config, Value(name));
  return config.model.qk_norm;
}

KernelPath path_named(const std::string& name) {
  const auto path = kernel_path_named(name);
  if (!path) fail(ExitCode::kBadInput, "--path {}: plain or fused", name);
  return *path;
}

void check_ranges(const TrainOptions& options) {
  if (options.probe_steps < 1) fail(ExitCode::kBadInput, "--steps must be at least 1");
  if (options.bench.threads < 1) fail(ExitCode::kBadInput, "--threads must be at least 1");
  if (options.bench.mechanism_every < 0) {
    fail(ExitCode::kBadInput, "--mechanism-every must be at least 0");
  }
  if (!(options.worker.checkpoint_seconds >= 0)) {
    fail(ExitCode::kBadInput, "--checkpoint-seconds must be at least 0");
  }
}

}  // namespace

TrainOptions parse_options(int argc, const char* const* argv) {
  try {
    TrainOptions options;
    const po::variables_map given = parse(argc, argv, options);
    options.mode = mode_of(given);
    if (given.count("run-dir") != 0) options.worker.run_dir = given["run-dir"].as<std::string>();
    if (given.count("cpu") != 0) options.cpu = given["cpu"].as<int>();
    if (given.count("qk-norm") != 0) {
      options.bench.qk_norm = qk_norm_named(given["qk-norm"].as<std::string>());
    }
    if (!given["device"].defaulted()) options.bench.device = options.device;
    options.path = options.bench.path = path_named(given["path"].as<std::string>());
    check_ranges(options);
    return options;
  } catch (const po::error& error) {
    fail(ExitCode::kBadInput, "{}", error.what());
  }
}

std::string usage() {
  TrainOptions defaults;
  std::ostringstream text;
  text
      << "Usage: sweep-train RUN_DIR [options]\n"
         "       sweep-train --identity | --probe FILE | --bench CONFIG [options]\n\n"
         "Trains one run of a sweep. 'sweep run' and 'sweep resume' start it.\n\n"
      << shown_options(defaults)
      << "\nExit status: 0 there is a result, 75 stopped at a checkpoint, 2 bad input, 5 somebody\n"
         "else works on the run, 6 disk, memory or device missing, 1 anything else.\n";
  return text.str();
}

}  // namespace sweep
