#include <boost/program_options/value_semantic.hpp>

#include "sweep/base/error.h"
#include "sweep/base/text.h"
#include "trainer.h"
#include "verb.h"

namespace sweep {
namespace {

void print_for_people(const Json& bench) {
  fmt::print("{:.0f} tokens/s: shape {}, {}, path {}\n", get_number(bench, "tokens_per_s"),
             bench.at("config").get<std::string>(),
             count_of(bench.at("threads").get<std::size_t>(), "thread"),
             bench.at("kernel_path").get<std::string>());
  fmt::print(
      "  {:.1f} ms per step, {:.0f} % of the {:.0f} GFLOP/s that fused multiply-adds reach\n",
      get_number(bench, "ms_per_step"), 100 * get_number(bench, "fma_share"),
      get_number(bench, "fma_peak_gflops"));
  fmt::print("  {:.2f} s to the first step, {:.0f} MB at most, {:.1f} page faults per step\n",
             get_number(bench, "first_step_s"), get_number(bench, "peak_rss_mb"),
             get_number(bench, "page_faults_per_step"));
}

int run(const Arguments& arguments) {
  std::vector<std::string> words = {"--bench", "B"};
  if (!arguments.positional.empty()) words.back() = arguments.positional.front();
  for (const char* option : {"threads", "seconds", "qk-norm"}) {
    words.push_back(std::string("--") + option);
    words.push_back(arguments.get<std::string>(option));
  }
  const Json bench = ask_trainer(words);
  if (arguments.has("json")) {
    fmt::print("{}", to_text(bench));
  } else {
    print_for_people(bench);
  }
  return 0;
}

}  // namespace

const Verb& bench_verb() {
  static const Verb verb{
      "bench",
      "[S|B|C|A]",
      "tokens per second of one training process",
      "Layers x width, context, batch, vocabulary: S 4 x 128, 64, 12, 65; B 4 x 128, 128, 32, 65;\n"
      "C 6 x 256, 256, 32, 4096; A 6 x 384, 256, 32, 65. B is the default.",
      0,
      1,
      [](po::options_description& options) {
        options.add_options()("threads", po::value<std::string>()->default_value("1"),
                              "threads of the process");
        options.add_options()("seconds", po::value<std::string>()->default_value("10"),
                              "how long to train");
        options.add_options()("qk-norm", po::value<std::string>()->default_value("none"),
                              "the QK-norm variant");
        add_json_option(options);
      },
      &run};
  return verb;
}

}  // namespace sweep
