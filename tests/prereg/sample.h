#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sweep/prereg/prereg.h"

namespace sweep {

/// A complete pre-registration in ten lines, without a mistake.
inline const std::string kSample =
    "title: T\n"
    "question: Q\n"
    "arms:\n"
    "  base: {model.qk_norm: none}\n"
    "  qk: {model.qk_norm: rms_per_head}\n"
    "grid:\n"
    "  train.learning_rate: [1e-3, 1e-2]\n"
    "  seed: [1]\n"
    "data: {corpus: synthetic}\n"
    "train: {max_iters: 10}\n";

/// The sample with one piece of text replaced, which it must hold.
inline std::string sample_with(const std::string& from, const std::string& to) {
  std::string text = kSample;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// "line:column key: message" of each.
inline std::vector<std::string> in_lines(const std::vector<Problem>& problems) {
  std::vector<std::string> lines;
  for (const Problem& p : problems) {
    lines.push_back(
        fmt::format("{}:{} {}{}{}", p.line, p.column, p.key, p.key.empty() ? "" : ": ", p.message));
  }
  return lines;
}

inline std::vector<std::string> problems_of(const std::string& text) {
  return in_lines(parse_prereg(text, "sample.yaml").problems);
}

/// A pre-registration that must be free of problems.
inline Prereg parsed(const std::string& text) {
  ParsedPrereg result = parse_prereg(text, "sample.yaml");
  EXPECT_EQ(render_problems(result.problems, text, "sample.yaml"), "");
  EXPECT_TRUE(result.placeholders.empty());
  return std::move(result.prereg);
}

}  // namespace sweep
