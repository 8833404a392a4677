#include <algorithm>
#include <cstdlib>

#include "output.h"
#include "sweep/base/error.h"
#include "sweep/base/find_program.h"
#include "sweep/base/machine.h"
#include "sweep/queue/diagnosis.h"
#include "trainer.h"
#include "verb.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> overrides() {
  std::vector<std::string> found;
  for (const std::string& name : computing_variables()) {
    const char* value = std::getenv(name.c_str());
    if (value != nullptr && *value != '\0') found.push_back(name + "=" + value);
  }
  return found;
}

MachineFacts look_around(const fs::path& folder) {
  MachineFacts facts;
  // Before the trainer is busy itself.
  facts.load = load_average();
  try {
    facts.trainer = ask_trainer({"--examine"});
  } catch (const Error& e) {
    facts.trainer_problem = e.what();
  }
  facts.cores = worker_cores();
  facts.memory = available_memory();
  facts.disk = free_disk(folder);
  facts.file_system = file_system_type(folder);
  facts.gnuplot = find_program("gnuplot").has_value();
  facts.overrides = overrides();
  return facts;
}

Table checks_table(const std::vector<Check>& checks) {
  Table table;
  table.name = "checks";
  table.title = "This machine";
  table.note =
      "Green: as it should be. Yellow: sweeps run, slower or less safely than they could. Red: "
      "they do not run here.";
  table.columns = {{"check", "check", "", Align::kLeft},
                   {"light", "light", "", Align::kLeft},
                   {"found", "found", "", Align::kLeft},
                   {"todo", "what to do", "", Align::kLeft}};
  for (const Check& check : checks) {
    const std::string light = to_string(check.light);
    table.rows.push_back({{check.name, check.name},
                          {light, light},
                          {check.found, check.found},
                          {check.todo, check.todo.empty() ? Json() : Json(check.todo)}});
  }
  return table;
}

int run(const Arguments& arguments) {
  const fs::path folder = arguments.positional.empty() ? "." : arguments.positional.front();
  if (!fs::is_directory(folder)) {
    fail(ExitCode::kBadInput, "sweep doctor {}: not a folder", folder.string());
  }
  const auto checks = diagnose(look_around(folder));
  const bool red = std::any_of(checks.begin(), checks.end(),
                               [](const Check& check) { return check.light == Light::kRed; });
  const Table table = checks_table(checks);
  if (arguments.has("json")) {
    fmt::print(
        "{}",
        to_text({{"schema_version", 1}, {"healthy", !red}, {"checks", to_json(table).at("rows")}}));
  } else {
    fmt::print("{}", to_terminal(table, terminal_options()));
  }
  return static_cast<int>(red ? ExitCode::kResources : ExitCode::kOk);
}

}  // namespace

const Verb& doctor_verb() {
  static const Verb verb{"doctor",
                         "[FOLDER]",
                         "whether this machine is fit to train, and what would help",
                         "Looks at LibTorch and its speed against the processor's peak, cores, "
                         "memory, and the disk\n"
                         "under FOLDER (default: here). Exit status 0, or 6 when anything is red.",
                         0,
                         1,
                         &add_json_option,
                         &run};
  return verb;
}

}  // namespace sweep
