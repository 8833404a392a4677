#include <boost/program_options/value_semantic.hpp>
#include <functional>
#include <future>

#include "sizes.h"
#include "stated_corpora.h"
#include "sweep/base/error.h"
#include "sweep/base/say.h"
#include "sweep/base/text.h"
#include "trainer.h"
#include "verb.h"

namespace sweep {
namespace {

void print_for_people(const Json& bench) {
  const auto device = bench.at("device").get<std::string>();
  fmt::print("{:.0f} tokens/s: shape {}, {}, {}, path {}\n", get_number(bench, "tokens_per_s"),
             bench.at("config").get<std::string>(), device,
             count_of(bench.at("threads").get<std::size_t>(), "thread"),
             bench.at("kernel_path").get<std::string>());
  fmt::print("  {:.1f} ms per step", get_number(bench, "ms_per_step"));
  if (device == "cpu") {
    fmt::print(", {:.0f} % of the {:.0f} GFLOP/s that fused multiply-adds reach",
               100 * get_number(bench, "fma_share"), get_number(bench, "fma_peak_gflops"));
  }
  fmt::print("\n");
  fmt::print(
      "  {:.2f} s from the start to the first step, {:.0f} MB at most; per step {:.1f} page faults "
      "and "
      "{:.1f} allocations\n",
      get_number(bench, "first_step_s"), get_number(bench, "peak_rss_mb"),
      get_number(bench, "page_faults_per_step"), get_number(bench, "allocations_per_step"));
  if (bench.at("ms_by_part").is_null()) return;
  std::string parts;
  for (const auto& [part, ms] : bench.at("ms_by_part").items()) {
    parts += fmt::format("{}{} {:.2f}", parts.empty() ? "" : ", ", part, ms.get<double>());
  }
  fmt::print("  ms by part: {}\n", parts);
}

/// How a trainer is started with further words.
using Start = std::function<Json(std::vector<std::string>)>;

/// As many trainers side by side as asked for, each on a CPU of its own.
std::vector<Json> bench_side_by_side(const Start& start, const std::vector<std::string>& words,
                                     int processes) {
  std::vector<std::future<Json>> answers;
  for (int cpu = 0; cpu < processes; ++cpu) {
    std::vector<std::string> pinned = words;
    if (processes > 1) pinned.insert(pinned.end(), {"--cpu", std::to_string(cpu)});
    answers.push_back(std::async(std::launch::async, start, pinned));
  }
  std::vector<Json> benches;
  for (std::future<Json>& answer : answers) benches.push_back(answer.get());
  return benches;
}

double total_rate(const std::vector<Json>& benches) {
  double sum = 0;
  for (const Json& bench : benches) sum += get_number(bench, "tokens_per_s");
  return sum;
}

void print_all_for_people(const std::vector<Json>& benches) {
  for (const Json& bench : benches) print_for_people(bench);
  if (benches.size() == 1) return;
  fmt::print("{:.0f} tokens/s of {} processes together\n", total_rate(benches), benches.size());
}

Json all_as_json(const std::vector<Json>& benches) {
  if (benches.size() == 1) return benches.front();
  return {{"schema_version", 1}, {"tokens_per_s", total_rate(benches)}, {"processes", benches}};
}

/// The options that were given, as the trainer takes them.
std::vector<std::string> words_of(const Arguments& arguments) {
  std::vector<std::string> words;
  for (const char* option :
       {"threads", "seconds", "qk-norm", "mechanism-every", "device", "path"}) {
    if (!arguments.has(option)) continue;
    words.push_back(std::string("--") + option);
    words.push_back(arguments.get<std::string>(option));
  }
  return words;
}

int processes_of(const Arguments& arguments) {
  const auto processes = parse_integer(arguments.get<std::string>("processes"));
  if (!processes || *processes < 1) fail(ExitCode::kBadInput, "--processes: a number from 1 on");
  return static_cast<int>(*processes);
}

int bench_shape(const std::string& shape, const Arguments& arguments) {
  std::vector<std::string> words = words_of(arguments);
  if (!arguments.has("path")) {
    const bool on_cpu = !arguments.has("device") || arguments.get<std::string>("device") == "cpu";
    words.insert(words.end(),
                 {"--path", to_string(on_cpu ? KernelPath::kFused : KernelPath::kPlain)});
  }
  words.insert(words.begin(), {"--bench", shape});
  const std::vector<Json> benches = bench_side_by_side(ask_trainer, words, processes_of(arguments));
  if (arguments.has("json")) {
    fmt::print("{}", to_text(all_as_json(benches)));
  } else {
    print_all_for_people(benches);
  }
  return 0;
}

/// Every size of a pre-registration, on the kernel path that its sweep would take.
int bench_file(const std::string& file, const Arguments& arguments) {
  if (arguments.has("qk-norm")) fail(ExitCode::kBadInput, "--qk-norm: the arms of {} say", file);
  if (arguments.has("device")) fail(ExitCode::kBadInput, "--device: train.device of {} says", file);
  const Prereg prereg = load_prereg(file, true);
  const StatedCorpora stated = survey_or_state(prereg, std::nullopt);
  for (const std::string& why : stated.absent) say(stderr, "not there, so stated: {}", why);
  std::vector<std::string> words = words_of(arguments);
  if (!arguments.has("path")) {
    words.insert(words.end(), {"--path", to_string(fastest_kernel_path(prereg))});
  }
  Json sizes = Json::array();
  for (const Size& size : sizes_of(expand(prereg, stated.corpora))) {
    const std::string name = describe(size, prereg.roles);
    const auto start = [&size](const std::vector<std::string>& more) {
      return bench_run(size.example, more);
    };
    std::vector<Json> benches = bench_side_by_side(start, words, processes_of(arguments));
    for (Json& bench : benches) bench["config"] = name;
    sizes.push_back(all_as_json(benches));
    if (!arguments.has("json")) print_all_for_people(benches);
  }
  if (arguments.has("json")) {
    fmt::print("{}", to_text({{"schema_version", 1}, {"sizes", sizes}}));
  }
  return 0;
}

int run(const Arguments& arguments) {
  const std::string what = arguments.positional.empty() ? "B" : arguments.positional.front();
  const bool is_file = what.ends_with(".yaml") || what.ends_with(".yml");
  return is_file ? bench_file(what, arguments) : bench_shape(what, arguments);
}

}  // namespace

const Verb& bench_verb() {
  static const Verb verb{
      "bench",
      "[S|B|C|A|FILE]",
      "tokens per second of training, on one core or several",
      "Layers x width, context, batch, vocabulary: S 4 x 128, 64, 12, 65; B 4 x 128, 128, 32, 65;\n"
      "C 6 x 256, 256, 32, 4096; A 6 x 384, 256, 32, 65. B is the default. FILE, a "
      "pre-registration:\n"
      "each of its sizes, on the kernel path that the sweep would take.",
      0,
      1,
      [](po::options_description& options) {
        options.add_options()("threads", po::value<std::string>()->default_value("1"),
                              "threads of a process (the fused path has one)");
        options.add_options()("processes", po::value<std::string>()->default_value("1"),
                              "processes side by side, each on a CPU of its own");
        options.add_options()("seconds", po::value<std::string>()->default_value("10"),
                              "how long to train");
        options.add_options()("qk-norm", po::value<std::string>(),
                              "the QK-norm variant of a named shape (default: none)");
        options.add_options()("mechanism-every", po::value<std::string>(),
                              "at every so many steps measure the mechanism of the batch on its\n"
                              "way, in all its quantities: what that costs (path fused)");
        options.add_options()("device", po::value<std::string>(),
                              "of a named shape: cpu, mps, cuda or cuda:N (default: cpu)");
        options.add_options()("path", po::value<std::string>(),
                              "plain or fused: LibTorch's operators or the hand-written step\n"
                              "(default: fused on cpu, else plain; for FILE what its sweep would\n"
                              "take)");
        add_json_option(options);
      },
      &run};
  return verb;
}

}  // namespace sweep
