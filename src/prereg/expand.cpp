#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "prereg/factor.h"
#include "prereg/run_id.h"
#include "prereg/values.h"
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

using Settings = std::vector<std::pair<std::string, Value>>;

/// A part of the plan: the grid as it is, or a subset of it under other settings.
struct Block {
  std::string name = kMainBlock;
  Prereg prereg;      ///< with the block's own levels and seeds
  Settings change;    ///< on top of arm and grid
  std::string words;  ///< of the change, in run ids
};

Config config_of(const Block& block, const Arm& arm, const Choice& choice) {
  const Prereg& prereg = block.prereg;
  Config config = prereg.base;
  for (const auto& [path, value] : arm.settings) find_field(path)->set(config, value);
  for (std::size_t line = 0; line < choice.size(); ++line) {
    const Factor& factor = prereg.grid[line];
    const std::vector<Value>& level = factor.levels[choice[line]];
    for (std::size_t i = 0; i < level.size(); ++i) {
      find_field(factor.paths[i])->set(config, level[i]);
    }
  }
  for (const auto& [path, value] : block.change) find_field(path)->set(config, value);
  return config;
}

/// "qknorm-L4-lr3e-2": the strata in grid order, then the axis, then what a block changes.
std::string cell_words(const Block& block, const Arm& arm, const Choice& choice) {
  const Prereg& prereg = block.prereg;
  std::string words = arm.name;
  std::string axis;
  for (std::size_t line = 0; line < choice.size(); ++line) {
    const Factor& factor = prereg.grid[line];
    const std::string part = "-" + level_words(factor, factor.levels[choice[line]]);
    (factor.name == prereg.roles.axis ? axis : words) += part;
  }
  return words + axis + block.words;
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

Cell make_cell(const Block& block, const Arm& arm, const Choice& choice, const CorpusTable& corpora,
               BrokenRules& broken) {
  Cell cell;
  cell.words = cell_words(block, arm, choice);
  RunSpec& spec = cell.spec;
  spec.arm = arm.name;
  spec.block = block.name;
  spec.config = config_of(block, arm, choice);
  spec.data = facts_for(spec.config, corpora);
  if (spec.config.model.vocab_size == 0) spec.config.model.vocab_size = spec.data.vocab_size;
  for (std::size_t line = 0; line < choice.size(); ++line) {
    const Factor& factor = block.prereg.grid[line];
    spec.levels.push_back({factor.name, level_json(factor, factor.levels[choice[line]])});
  }
  broken.add(cell.words, config_problems(spec.config));
  broken.add(cell.words, corpus_problems(spec.config, spec.data));
  return cell;
}

/// The grid's levels that a robustness block repeats: all of a line that `subset` does not name.
Prereg narrowed(Prereg prereg, const Json& subset) {
  const auto chosen = [&](const std::string& line, const Json& level) {
    if (!subset.contains(line)) return true;
    const Json& levels = subset.at(line);
    return std::find(levels.begin(), levels.end(), level) != levels.end();
  };
  for (Factor& factor : prereg.grid) {
    std::erase_if(factor.levels, [&](const std::vector<Value>& level) {
      return !chosen(factor.name, level_json(factor, level));
    });
  }
  std::erase_if(prereg.seeds, [&](std::uint64_t seed) { return !chosen("seed", seed); });
  return prereg;
}

Settings settings_from(const Json& change) {
  Settings settings;
  for (const auto& [path, json] : change.items()) {
    const Field& field = *find_field(path);
    if (const auto value = value_from_json(field, json)) settings.emplace_back(path, *value);
  }
  return settings;
}

std::string change_in_words(const Settings& change) {
  std::vector<std::string> parts;
  for (const auto& [path, value] : change) parts.push_back(path + " " + to_text(value));
  return join(parts, ", ");
}

/// "-independent-wd1e-4"
std::string change_in_ids(const Settings& change) {
  std::string words;
  for (const auto& [path, value] : change) {
    words += "-" + level_words({path, {path}, {}}, {value});
  }
  return words;
}

/// The main block first, then one per variant of `robustness`.
std::vector<Block> blocks_of(const Prereg& prereg) {
  std::vector<Block> blocks(1);
  blocks.front().prereg = prereg;
  if (!prereg.robustness.is_object() || !prereg.robustness.contains("change")) return blocks;
  const Prereg subset = narrowed(prereg, prereg.robustness.value("subset", Json::object()));
  for (const Json& change : prereg.robustness.at("change")) {
    const Settings settings = settings_from(change);
    blocks.push_back(
        {kRobustnessPrefix + change_in_words(settings), subset, settings, change_in_ids(settings)});
  }
  return blocks;
}

/// Collects runs and refuses two of the same content, or of the same name.
class Plan {
 public:
  void add(const Cell& cell, std::uint64_t seed) {
    RunSpec run = cell.spec;
    run.seed = seed;
    run.id = run_id(cell.words, run);
    if (!ids_.insert(run.id).second) {
      fail(ExitCode::kBadInput, "two runs would be called {}: do two levels mean the same?",
           run.id);
    }
    runs_.push_back(std::move(run));
  }
  std::vector<RunSpec> take() { return std::move(runs_); }

 private:
  std::vector<RunSpec> runs_;
  std::set<std::string> ids_;
};

std::vector<Cell> cells_of(const Block& block, const CorpusTable& corpora, BrokenRules& broken) {
  std::vector<Cell> cells;
  for (const Choice& choice : all_choices(block.prereg.grid, block.prereg.roles.axis)) {
    for (const Arm& arm : block.prereg.arms) {
      cells.push_back(make_cell(block, arm, choice, corpora, broken));
    }
  }
  return cells;
}

/// A variant that changes nothing would train the main runs a second time.
void refuse_idle_variant(const Block& block, const std::vector<Cell>& main,
                         const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    for (const Cell& other : main) {
      if (cell.spec.arm != other.spec.arm || cell.spec.config != other.spec.config) continue;
      fail(ExitCode::kBadInput, "{}: changes nothing in {}; leave it out", block.name, other.words);
    }
  }
}

}  // namespace

std::string corpus_key(const DataConfig& data) {
  Config config;
  config.data = data;
  return to_line(to_json(config).at("data"));
}

std::vector<DataConfig> data_configs(const Prereg& prereg) {
  std::vector<DataConfig> configs;
  for (Block& block : blocks_of(prereg)) {
    std::erase_if(block.prereg.grid, [](const Factor& factor) {
      return std::none_of(factor.paths.begin(), factor.paths.end(),
                          [](const std::string& path) { return path.rfind("data.", 0) == 0; });
    });
    for (const Choice& choice : all_choices(block.prereg.grid, prereg.roles.axis)) {
      for (const Arm& arm : prereg.arms) {
        const DataConfig data = config_of(block, arm, choice).data;
        if (std::find(configs.begin(), configs.end(), data) == configs.end()) {
          configs.push_back(data);
        }
      }
    }
  }
  return configs;
}

std::size_t count_robustness_runs(const Prereg& prereg) {
  std::size_t count = 0;
  for (const Block& block : blocks_of(prereg)) {
    if (block.name == kMainBlock) continue;
    std::size_t runs = block.prereg.arms.size() * block.prereg.seeds.size();
    for (const Factor& factor : block.prereg.grid) runs *= factor.levels.size();
    count += runs;
  }
  return count;
}

std::vector<RunSpec> expand(const Prereg& prereg, const CorpusTable& corpora) {
  BrokenRules broken;
  const std::vector<Block> blocks = blocks_of(prereg);
  std::vector<std::vector<Cell>> cells;
  cells.reserve(blocks.size());
  for (const Block& block : blocks) cells.push_back(cells_of(block, corpora, broken));
  broken.throw_if_any();
  Plan plan;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0) refuse_idle_variant(blocks[i], cells.front(), cells[i]);
    for (const std::uint64_t seed : blocks[i].prereg.seeds) {
      for (const Cell& cell : cells[i]) plan.add(cell, seed);
    }
  }
  return plan.take();
}

}  // namespace sweep
