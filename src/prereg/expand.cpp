#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "prereg/factor.h"
#include "prereg/run_id.h"
#include "sweep/base/error.h"
#include "sweep/base/text.h"
#include "sweep/prereg/prereg.h"

namespace sweep {
namespace {

/// 0 .. n-1 with the ends first, then the middle, then the quarters, and so on: wherever it is cut
/// off, the range is covered evenly.
std::vector<std::size_t> bisection_order(std::size_t n) {
  std::vector<std::size_t> order;
  if (n > 0) order.push_back(0);
  if (n > 1) order.push_back(n - 1);
  std::vector<std::pair<std::size_t, std::size_t>> gaps = {{0, n == 0 ? 0 : n - 1}};
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const auto [low, high] = gaps[i];
    if (high - low < 2) continue;
    const std::size_t middle = low + (high - low) / 2;
    order.push_back(middle);
    gaps.emplace_back(low, middle);
    gaps.emplace_back(middle, high);
  }
  return order;
}

/// The chosen level of each of the grid's lines.
using Choice = std::vector<std::size_t>;

/// Every choice, the levels of line `outer` in bisection order and slowest, of the others in
/// written order with the last line fastest.
std::vector<Choice> all_choices(const std::vector<Factor>& grid, const std::string& outer) {
  std::vector<Choice> choices = {Choice(grid.size(), 0)};
  const auto spread = [&](std::size_t line, const std::vector<std::size_t>& levels) {
    std::vector<Choice> wider;
    for (const Choice& choice : choices) {
      for (const std::size_t level : levels) {
        wider.push_back(choice);
        wider.back()[line] = level;
      }
    }
    choices = std::move(wider);
  };
  for (std::size_t line = 0; line < grid.size(); ++line) {
    if (grid[line].name == outer) spread(line, bisection_order(grid[line].levels.size()));
  }
  for (std::size_t line = 0; line < grid.size(); ++line) {
    if (grid[line].name == outer) continue;
    std::vector<std::size_t> levels(grid[line].levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = i;
    spread(line, levels);
  }
  return choices;
}

Config config_of(const Prereg& prereg, const Arm& arm, const Choice& choice) {
  Config config = prereg.base;
  for (const auto& [path, value] : arm.settings) find_field(path)->set(config, value);
  for (std::size_t line = 0; line < choice.size(); ++line) {
    const Factor& factor = prereg.grid[line];
    const std::vector<Value>& level = factor.levels[choice[line]];
    for (std::size_t i = 0; i < level.size(); ++i) {
      find_field(factor.paths[i])->set(config, level[i]);
    }
  }
  return config;
}

/// "qknorm-L4-lr3e-2": the strata in grid order, then the axis.
std::string cell_words(const Prereg& prereg, const Arm& arm, const Choice& choice) {
  std::string words = arm.name;
  std::string axis;
  for (std::size_t line = 0; line < choice.size(); ++line) {
    const Factor& factor = prereg.grid[line];
    const std::string part = "-" + level_words(factor, factor.levels[choice[line]]);
    (factor.name == prereg.roles.axis ? axis : words) += part;
  }
  return words + axis;
}

/// Rules that cells break, each once, with how many cells break it.
class BrokenRules {
 public:
  void add(const std::string& cell, const std::vector<std::string>& problems) {
    for (const std::string& problem : problems) {
      auto& [first, count] = cells_[problem];
      if (count++ == 0) {
        first = cell;
        order_.push_back(problem);
      }
    }
  }

  void throw_if_any() const {
    if (order_.empty()) return;
    std::string text;
    for (const std::string& problem : order_) {
      const auto& [first, count] = cells_.at(problem);
      text += fmt::format("{} ({}, such as {})\n", problem, count_of(count, "cell"), first);
    }
    fail(ExitCode::kBadInput, "{}{}", text, count_of(order_.size(), "problem"));
  }

 private:
  std::map<std::string, std::pair<std::string, std::size_t>> cells_;
  std::vector<std::string> order_;
};

/// Why the fixed validation set cannot be cut out of the held-out part; "" when it can.
std::string evaluation_problem(const Config& config, const CorpusFacts& facts) {
  const std::int64_t wanted = config.measure.eval_tokens;
  const bool reported_already = wanted != 0 && wanted < config.model.block_size;
  if (reported_already) return "";
  try {
    eval_windows(facts.val_tokens, wanted, config.model.block_size);
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

/// What the corpus and the config ask of one another.
std::vector<std::string> corpus_problems(const Config& config, const CorpusFacts& facts) {
  std::vector<std::string> problems;
  if (config.model.vocab_size < facts.vocab_size) {
    problems.push_back(fmt::format("model.vocab_size ({}) is smaller than the corpus's ({})",
                                   config.model.vocab_size, facts.vocab_size));
  }
  if (facts.train_tokens <= config.model.block_size) {
    problems.push_back(
        fmt::format("model.block_size ({}) must be shorter than the training part ({} tokens)",
                    config.model.block_size, facts.train_tokens));
  }
  std::string evaluation = evaluation_problem(config, facts);
  if (!evaluation.empty()) problems.push_back(std::move(evaluation));
  return problems;
}

const CorpusFacts& facts_for(const Config& config, const CorpusTable& corpora) {
  const auto found = corpora.find(corpus_key(config.data));
  if (found != corpora.end()) return found->second;
  fail(ExitCode::kBadInput, "the corpus of {} has not been read", corpus_key(config.data));
}

/// A run without its seed, and its cell in words.
struct Cell {
  std::string words;
  RunSpec spec;
};

Cell make_cell(const Prereg& prereg, const Arm& arm, const Choice& choice,
               const CorpusTable& corpora, BrokenRules& broken) {
  Cell cell;
  cell.words = cell_words(prereg, arm, choice);
  RunSpec& spec = cell.spec;
  spec.arm = arm.name;
  spec.config = config_of(prereg, arm, choice);
  spec.data = facts_for(spec.config, corpora);
  if (spec.config.model.vocab_size == 0) spec.config.model.vocab_size = spec.data.vocab_size;
  for (std::size_t line = 0; line < choice.size(); ++line) {
    const Factor& factor = prereg.grid[line];
    spec.levels.push_back({factor.name, level_json(factor, factor.levels[choice[line]])});
  }
  broken.add(cell.words, config_problems(spec.config));
  broken.add(cell.words, corpus_problems(spec.config, spec.data));
  return cell;
}

}  // namespace

std::string corpus_key(const DataConfig& data) {
  Config config;
  config.data = data;
  return to_line(to_json(config).at("data"));
}

std::vector<DataConfig> data_configs(const Prereg& prereg) {
  Prereg reduced = prereg;
  std::erase_if(reduced.grid, [](const Factor& factor) {
    return std::none_of(factor.paths.begin(), factor.paths.end(),
                        [](const std::string& path) { return path.rfind("data.", 0) == 0; });
  });
  std::vector<DataConfig> configs;
  for (const Choice& choice : all_choices(reduced.grid, prereg.roles.axis)) {
    for (const Arm& arm : prereg.arms) {
      const DataConfig data = config_of(reduced, arm, choice).data;
      if (std::find(configs.begin(), configs.end(), data) == configs.end()) configs.push_back(data);
    }
  }
  return configs;
}

std::vector<RunSpec> expand(const Prereg& prereg, const CorpusTable& corpora) {
  BrokenRules broken;
  std::vector<Cell> cells;
  for (const Choice& choice : all_choices(prereg.grid, prereg.roles.axis)) {
    for (const Arm& arm : prereg.arms) {
      cells.push_back(make_cell(prereg, arm, choice, corpora, broken));
    }
  }
  broken.throw_if_any();
  std::vector<RunSpec> runs;
  std::set<std::string> ids;
  for (const std::uint64_t seed : prereg.seeds) {
    for (const Cell& cell : cells) {
      RunSpec run = cell.spec;
      run.seed = seed;
      run.id = run_id(cell.words, run);
      if (!ids.insert(run.id).second) {
        fail(ExitCode::kBadInput, "two runs would be called {}: do two levels mean the same?",
             run.id);
      }
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

}  // namespace sweep
