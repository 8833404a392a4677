#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <sstream>

#include "sweep/base/error.h"
#include "sweep/base/text.h"
#include "verb.h"

namespace sweep {
namespace {

constexpr const char* kOperands = "operands";

po::options_description visible_options(const Verb& verb) {
  po::options_description options("options");
  verb.add_options(options);
  options.add_options()("help,h", "this text");
  return options;
}

std::vector<std::string> long_names(const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back("--" + option->long_name());
  return names;
}

[[noreturn]] void fail_usage(const Verb& verb, const std::string& what) {
  fail(ExitCode::kBadInput, "{}\n('sweep {} --help' shows what there is)", what, verb.name);
}

void check_operand_count(const Verb& verb, std::size_t count) {
  if (count < verb.least) {
    fail_usage(verb, fmt::format("sweep {}: {} is missing", verb.name, verb.operands));
  }
  if (count > verb.most) fail_usage(verb, fmt::format("sweep {}: too many operands", verb.name));
}

}  // namespace

Arguments parse_arguments(const Verb& verb, const std::vector<std::string>& words) {
  const po::options_description visible = visible_options(verb);
  po::options_description all;
  all.add(visible).add_options()(kOperands, po::value<std::vector<std::string>>());
  const auto style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  Arguments arguments;
  try {
    po::store(po::command_line_parser(words)
                  .options(all)
                  .positional(po::positional_options_description().add(kOperands, -1))
                  .style(style)
                  .run(),
              arguments.options);
    po::notify(arguments.options);
  } catch (const po::unknown_option& e) {
    const auto guess = nearest(e.get_option_name(), long_names(visible));
    fail_usage(verb, fmt::format("sweep {}: no option '{}'{}", verb.name, e.get_option_name(),
                                 guess ? "; did you mean " + *guess + "?" : ""));
  } catch (const po::error& e) {
    fail_usage(verb, fmt::format("sweep {}: {}", verb.name, e.what()));
  }
  if (arguments.has(kOperands)) {
    arguments.positional = arguments.get<std::vector<std::string>>(kOperands);
  }
  if (!arguments.has("help")) check_operand_count(verb, arguments.positional.size());
  return arguments;
}

std::string usage_of(const Verb& verb) {
  std::ostringstream text;
  text << "usage: sweep " << verb.name << (verb.operands.empty() ? "" : " ") << verb.operands
       << " [options]\n\n"
       << verb.summary << "\n";
  if (!verb.details.empty()) text << "\n" << verb.details << "\n";
  text << "\n" << visible_options(verb);
  return text.str();
}

void add_directory_option(po::options_description& options) {
  options.add_options()("directory,C", po::value<std::string>(),
                        "the sweep's folder (default: the file's stem + .sweep, here)");
}

void add_json_option(po::options_description& options) {
  options.add_options()("json", "print one JSON value");
}

void add_color_option(po::options_description& options) {
  options.add_options()("color", po::value<std::string>()->default_value("auto"),
                        "auto, always or never");
}

void add_queue_options(po::options_description& options) {
  options.add_options()("jobs,j", po::value<std::string>()->default_value("auto"),
                        "runs at a time; auto: one per physical core, or one on another device");
  options.add_options()("quiet,q", "no progress");
  add_color_option(options);
}

}  // namespace sweep
