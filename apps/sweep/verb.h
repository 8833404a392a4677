#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace sweep {

namespace po = boost::program_options;

/// What was typed after a verb.
struct Arguments {
  std::vector<std::string> positional;
  po::variables_map options;

  [[nodiscard]] bool has(const char* name) const { return options.count(name) != 0; }
  template <typename T>
  [[nodiscard]] T get(const char* name) const {
    return options[name].as<T>();
  }
};

/// One verb of the command line: a file of its own in this folder and a row in `verbs()`.
struct Verb {
  std::string name;
  std::string operands;   ///< as in the usage line: "FILE", "[DIR]"
  std::string summary;    ///< one line
  std::string details;    ///< for `sweep VERB --help`; may be empty
  std::size_t least = 0;  ///< operands
  std::size_t most = 0;
  void (*add_options)(po::options_description&);
  int (*run)(const Arguments&);  ///< the exit status
};

const Verb& run_verb();
const Verb& resume_verb();
const Verb& report_verb();
const Verb& status_verb();
const Verb& check_verb();
const Verb& plan_verb();
const Verb& rehearse_verb();
const Verb& register_verb();
const Verb& amend_verb();
const Verb& explore_verb();
const Verb& note_verb();
const Verb& anchor_verb();
const Verb& verify_verb();
const Verb& data_verb();
const Verb& bench_verb();
const Verb& doctor_verb();

/// In the order in which `sweep --help` lists them.
std::vector<const Verb*> verbs();

/// Reads the words after the verb: no guessing of prefixes, unknown options are errors that name
/// the nearest one. Throws `Error` (`kBadInput`). `--help` is the caller's.
Arguments parse_arguments(const Verb& verb, const std::vector<std::string>& words);

std::string usage_of(const Verb& verb);

/// Options that several verbs share.
void add_directory_option(po::options_description& options);  // -C
void add_json_option(po::options_description& options);       // --json
void add_color_option(po::options_description& options);      // --color
void add_queue_options(po::options_description& options);     // -j, -q, --color

}  // namespace sweep
