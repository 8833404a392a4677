#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study_builder.h"
#include "sweep/analysis/verdict.h"
#include "sweep/base/files.h"
#include "sweep/base/version.h"

namespace sweep {

inline std::filesystem::path suite_folder() {
  return std::filesystem::path(source_folder()) / "tests/analysis/suite";
}

/// A result set made by hand, read from NAME.txt:
///
///     # what a reader should see
///     depth 2  3e-3        1e-2        3e-2         (without a depth: the word `grid`)
///     base     2.20 2.22 | 2.05 2.06 | 2.51 ?       seeds 1, 2, ... of each cell
///     qknorm   2.20 2.21 | 2.06 NaN  | - -          NaN: non-finite, ?: no result, -: not planned
///     curve base 2 3e-2 1: 100 2.3, 200 3.0         evaluations between the first and the last
///     expect H2 inconclusive
///
/// Every run starts at 4.17 and has 300 updates, evaluated at 0 and 300 unless a curve says more.
class SuiteCase {
 public:
  explicit SuiteCase(const std::filesystem::path& file) : name_(file.stem()) {
    study_.prereg() = load_prereg(suite_folder() / "rules.yaml");
    study_.prereg().seeds.clear();
    std::istringstream lines(*read_file_if_exists(file));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string first;
      words >> first;
      if (first.empty()) continue;
      (first == "expect" || first[0] == '#' ? remarks_ : input_) += line + "\n";
      if (first[0] != '#') read(first, words);
    }
    auto& seeds = study_.prereg().seeds;
    std::sort(seeds.begin(), seeds.end());
    seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string text() const { return remarks_ + "\n" + input_; }
  [[nodiscard]] const StudyBuilder& study() const { return study_; }

  struct Expectation {
    std::string hypothesis;
    std::string verdict;
  };
  [[nodiscard]] const std::vector<Expectation>& expectations() const { return expectations_; }

 private:
  static constexpr std::int64_t kUpdates = 300;
  static constexpr double kInitialLoss = 4.17;

  void read(const std::string& first, std::istringstream& words) {
    if (first == "depth" || first == "grid") {
      depth_.reset();
      if (first == "depth") depth_ = next<int>(words);
      levels_.clear();
      for (double level = 0; words >> level;) levels_.push_back(level);
    } else if (first == "expect") {
      const auto hypothesis = next<std::string>(words);
      std::string verdict;
      std::getline(words >> std::ws, verdict);
      expectations_.push_back({hypothesis, verdict});
    } else if (first == "curve") {
      read_curve(words);
    } else {
      read_arm(first, words);
    }
  }

  template <typename T>
  T next(std::istringstream& words) {
    T value{};
    if (!(words >> value)) throw std::runtime_error(name_ + ": a word is missing");
    return value;
  }

  void read_arm(const std::string& arm, std::istringstream& words) {
    std::size_t level = 0;
    std::uint64_t seed = 1;
    for (std::string word; words >> word;) {
      if (word == "|") {
        ++level;
        seed = 1;
        continue;
      }
      if (word != "-") add(arm, levels_.at(level), seed, word);
      study_.prereg().seeds.push_back(seed++);
    }
    if (level + 1 != levels_.size()) throw std::runtime_error(name_ + ": cells of " + arm);
  }

  void add(const std::string& arm, double lr, std::uint64_t seed, const std::string& word) {
    std::optional<double> loss;
    if (word != "?") loss = word == "NaN" ? kNan : std::stod(word);
    study_.run(arm, depth_, lr, seed, loss, kInitialLoss);
    RunSpec& spec = study_.records().back().spec;
    spec.config.train.max_iters = kUpdates;
    if (!loss) return;
    const auto last = std::isnan(*loss) ? std::nullopt : loss;
    study_.evals()[spec.id] = {{0, kInitialLoss}, {kUpdates, last}};
  }

  void read_curve(std::istringstream& words) {
    const auto arm = next<std::string>(words);
    const auto depth = next<int>(words);
    const auto lr = next<double>(words);
    const auto seed = next<std::uint64_t>(words);
    auto& evals =
        study_.evals().at(fmt::format("{}-L{}-lr{}-s{}", arm, depth, format_lr(lr), seed));
    char mark = next<char>(words);  // ':' and then ','
    do {
      const auto step = next<std::int64_t>(words);
      evals.insert(evals.end() - 1, {step, next<double>(words)});
    } while (words >> mark);
  }

  std::string name_;
  std::string remarks_;
  std::string input_;
  StudyBuilder study_;
  std::optional<int> depth_;
  std::vector<double> levels_;
  std::vector<Expectation> expectations_;
};

}  // namespace sweep
