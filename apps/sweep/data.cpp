#include <cmath>

#include "sweep/base/error.h"
#include "sweep/base/text.h"
#include "sweep/data/corpus.h"
#include "sweep/prereg/prereg.h"
#include "verb.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

void print_corpus(const DataConfig& data, const fs::path& folder) {
  const Corpus corpus = load_corpus(data, folder);
  const CorpusFacts facts = facts_of(corpus, data);
  fmt::print("{}\n", facts.description);
  fmt::print("  tokenizer    {}, {} symbols\n", facts.tokenizer, facts.vocab_size);
  fmt::print("  tokens       {} to train on, {} held out\n", facts.train_tokens, facts.val_tokens);
  if (!std::isnan(facts.known_entropy)) {
    fmt::print("  entropy      {:.4f} nats per token, by construction\n", facts.known_entropy);
  }
  fmt::print("  SHA-256      {} (of the token file)\n", facts.hash);
}

/// The corpora that an operand means: a corpus by name, a text file, or all of a pre-registration.
void print_operand(const std::string& operand) {
  DataConfig data;
  data.corpus = operand;
  if (operand == "kjv" || operand == "synthetic") return print_corpus(data, "");
  const fs::path file = operand;
  if (file.extension() == ".yaml" || file.extension() == ".yml") {
    const Prereg prereg = load_prereg(file, true);
    for (const auto& config : data_configs(prereg)) print_corpus(config, prereg.folder);
    return;
  }
  data.corpus = "files";
  data.files = {operand};
  print_corpus(data, "");
}

int run(const Arguments& arguments) {
  if (arguments.positional.front() != "info") {
    fail(ExitCode::kBadInput, "sweep data: 'info' is what there is, not '{}'",
         arguments.positional.front());
  }
  for (std::size_t i = 1; i < arguments.positional.size(); ++i) {
    print_operand(arguments.positional[i]);
  }
  return 0;
}

}  // namespace

const Verb& data_verb() {
  static const Verb verb{"data",
                         "info CORPUS...",
                         "what a corpus holds",
                         "CORPUS is kjv, synthetic, a text file, or a pre-registration, whose\n"
                         "corpora are then shown as they would be registered.",
                         2,
                         100,
                         [](po::options_description&) {},
                         &run};
  return verb;
}

}  // namespace sweep
