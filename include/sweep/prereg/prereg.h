#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep/prereg/config.h"
#include "sweep/prereg/definitions.h"
#include "sweep/prereg/run_spec.h"

namespace sweep {

/// A named set of settings; the first arm is the control.
struct Arm {
  std::string name;
  std::vector<std::pair<std::string, Value>> settings;  ///< field path -> value
  bool operator==(const Arm&) const = default;
};

/// One line of the grid: a field or a named group of linked levels, and its levels.
struct Factor {
  std::string name;                ///< field path, or the group's own name
  std::vector<std::string> paths;  ///< the fields it sets; one unless linked
  /// levels[i][j] is the value of paths[j] at level i.
  std::vector<std::vector<Value>> levels;
  bool operator==(const Factor&) const = default;
};

/// What the grid's lines are for.
struct Roles {
  std::string axis = kLearningRate;
  std::vector<std::string> strata;  ///< every factor that is neither axis nor replicate
  std::string replicate = "seed";
  bool operator==(const Roles&) const = default;
};

/// Seeds are levels of their own: the replicate.
struct Prereg {
  std::string title;
  std::string question;
  std::vector<Arm> arms;
  std::string arms_reason;   ///< why arms differ in more than one field; "" when they do not
  std::vector<Factor> grid;  ///< without the seed
  std::vector<std::uint64_t> seeds;
  Roles roles;
  Config base;  ///< the fixed settings, before arm and grid
  Definitions definitions;
  Json hypotheses;  ///< registered text and rules, order kept
  Json analysis;
  Json gates;       ///< null when none is set aside
  Json pilot;       ///< null when there is none
  Json robustness;  ///< null when there is none
  ExecutionConfig execution;
  std::filesystem::path folder;  ///< of the YAML file: relative data files start there
};

/// A mistake in a file, with where it stands.
struct Problem {
  int line = 0;    ///< from 1; 0: the file as a whole
  int column = 0;  ///< from 1
  std::string key;
  std::string message;  ///< what was seen and what to do
};

/// Undecided places ("[ ]", TODO, "?"), listed by `check` and refused by `run` and `register`.
using Placeholders = std::vector<Problem>;

struct ParsedPrereg {
  Prereg prereg;
  std::vector<Problem> problems;  ///< sorted by place; the prereg is usable only when empty
  Placeholders placeholders;
};

/// Reads a pre-registration strictly; every problem of meaning is reported at once.
ParsedPrereg parse_prereg(std::string_view text, const std::filesystem::path& file);

/// "file:line:column: message", the offending line and a caret, for each problem.
std::string render_problems(const std::vector<Problem>& problems, std::string_view text,
                            const std::filesystem::path& file);

/// Reads a file; throws `Error` (`kBadInput`) with all problems rendered. Placeholders count as
/// problems unless `allow_placeholders`.
Prereg load_prereg(const std::filesystem::path& file, bool allow_placeholders = false);

/// The corpora of a plan: one entry per distinct data config, found by `to_json(DataConfig)` text.
using CorpusTable = std::map<std::string, CorpusFacts>;
std::string corpus_key(const DataConfig& data);

/// The distinct data configs of a pre-registration, in order of first use.
std::vector<DataConfig> data_configs(const Prereg& prereg);

/// All runs in the order in which they are to be started: the first seed first; the axis by
/// bisection (its ends, the middle, the quarters, ...), each level with all strata in grid order;
/// the arms of a pair adjacent. The main block comes first, then the same order within each variant
/// of `robustness`, over its subset of the grid. Pure: equal arguments, equal plan. Throws `Error`
/// with every rule between fields that some cell breaks. `corpora` must hold every corpus of
/// `data_configs`.
std::vector<RunSpec> expand(const Prereg& prereg, const CorpusTable& corpora);

/// Runs that `expand` adds for `robustness`.
std::size_t count_robustness_runs(const Prereg& prereg);

/// The pre-registration as JSON without comments or white space: what the lock hashes and diffs.
/// `execution` is left out.
Json canonical(const Prereg& prereg);

}  // namespace sweep
