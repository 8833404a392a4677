#include <boost/program_options/value_semantic.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "output.h"
#include "pilot_spread.h"
#include "stated_corpora.h"
#include "sweep/base/error.h"
#include "sweep/base/say.h"
#include "sweep/base/text.h"
#include "sweep/base/version.h"
#include "sweep/report/rehearsal_tables.h"
#include "sweep/report/report.h"
#include "verb.h"

namespace sweep {
namespace {

constexpr std::size_t kSets = 200;
constexpr double kAssumedSd = 0.03;      // nats
constexpr double kAssumedJitter = 0.05;  // decades
constexpr const char* kAssumed = "assumed: no pilot, and not stated";

struct Stage {
  Prereg prereg;
  std::vector<RunSpec> plan;
  Scene scene;
  AssumptionSources sources;
  std::vector<std::string> absent;
};

double spread_option(const Arguments& arguments, const char* name, double assumed,
                     std::string& source) {
  if (!arguments.has(name)) {
    source = kAssumed;
    return assumed;
  }
  source = fmt::format("--{}", name);
  const auto value = arguments.get<double>(name);
  if (std::isfinite(value) && value >= 0) return value;
  fail(ExitCode::kBadInput, "--{} {}: a number from 0 on", name, value);
}

Stage set_stage(const Arguments& arguments) {
  Stage stage;
  const std::filesystem::path file = arguments.positional.front();
  stage.prereg = load_prereg(file);
  if (stage.prereg.hypotheses.empty()) {
    fail(ExitCode::kBadInput, "{}: no hypotheses: there is nothing to rehearse", file.string());
  }
  const StatedCorpora stated = survey_or_state(stage.prereg, vocabulary_of(arguments));
  stage.absent = stated.absent;
  stage.plan = expand(stage.prereg, stated.corpora);
  std::erase_if(stage.plan, [](const RunSpec& spec) { return spec.block != "main"; });
  stage.scene = plain_scene(stage.prereg, stage.plan);
  Assumptions& assumed = stage.scene.assumed;
  const auto measured = pilot_sd_of(stage.prereg);
  assumed.sd = spread_option(arguments, "sd", measured.value_or(kAssumedSd), stage.sources.sd);
  if (measured && !arguments.has("sd")) stage.sources.sd = "the pilot";
  assumed.jitter = spread_option(arguments, "jitter", kAssumedJitter, stage.sources.jitter);
  if (arguments.has("shift")) assumed.shift = arguments.get<double>("shift");
  if (arguments.has("slope")) assumed.slope = arguments.get<double>("slope");
  stage.sources.vocabulary = fmt::format("{}, {}", stated.vocabulary, stated.source);
  return stage;
}

/// A simulated set was never registered.
Lock no_lock(const Stage& stage) {
  const CodeVersion code = code_version();
  Lock lock;
  lock.registered_at = "never: simulated";
  lock.planned = stage.plan.size();
  lock.code = {{"version", code.version}, {"commit", code.commit}, {"clean", code.clean}};
  lock.numeric_identity = Json::object();
  return lock;
}

void write_simulated_report(const Stage& stage, std::uint64_t seed,
                            const std::filesystem::path& folder) {
  const World world = expected_world(stage.scene.assumed, 1);
  const auto curves = simulate(stage.scene, world, seed, 0);
  const auto records = with_results(records_of(stage.plan), curves);
  const Lock lock = no_lock(stage);
  const auto floors = stated_floors(stage.plan, stage.scene.assumed.floors);
  const Report report = build_report({stage.prereg,
                                      lock,
                                      records,
                                      floors,
                                      0,
                                      {},
                                      series_of(curves),
                                      simulated_pilot(stage.scene, world),
                                      "SIMULATED: no run was trained"});
  const WrittenReport written = write_report(report, folder);
  if (!written.figures_note.empty()) say(stderr, "{}", written.figures_note);
  say(stderr, "written: {} ({} files, one simulated set under the expected effect)",
      (folder / "report.md").string(), written.files.size());
}

Json world_json(const World& world) {
  return {{"name", world.name},
          {"shift", world.shift},
          {"slope", world.slope},
          {"sd", world.sd},
          {"jitter", world.jitter}};
}

Json rehearsal_json(const Stage& stage, const Rehearsal& rehearsal, std::uint64_t seed) {
  Json json = {{"schema_version", 1},
               {"simulated", true},
               {"title", stage.prereg.title},
               {"runs", stage.plan.size()},
               {"sets", rehearsal.sets},
               {"seed", seed},
               {"assumptions", to_json(assumptions_table(stage.scene, stage.sources)).at("rows")},
               {"shares", to_json(shares_table(rehearsal)).at("rows")},
               {"smallest_effect", to_json(smallest_effect_table(rehearsal)).at("rows")},
               {"warnings", rule_warnings(rehearsal)},
               {"absent", stage.absent}};
  for (const WorldCounts& counts : rehearsal.worlds) {
    json["worlds"].push_back(world_json(counts.world));
  }
  return json;
}

void print_rehearsal(const Stage& stage, const Rehearsal& rehearsal) {
  fmt::print("{}\n", stage.prereg.title);
  const auto options = terminal_options();
  for (const Table& table : {assumptions_table(stage.scene, stage.sources), shares_table(rehearsal),
                             smallest_effect_table(rehearsal)}) {
    fmt::print("\n{}", to_terminal(table, options));
  }
  const auto warnings = rule_warnings(rehearsal);
  fmt::print("\n{}\n", warnings.empty() ? "Every rule held in some set, and no two at once."
                                        : "Rules to look at:");
  for (const std::string& warning : warnings) fmt::print("  {}\n", warning);
}

std::size_t sets_of(const Arguments& arguments) {
  const auto sets = arguments.get<std::int64_t>("sets");
  if (sets >= 1 && sets <= 1'000'000) return static_cast<std::size_t>(sets);
  fail(ExitCode::kBadInput, "--sets {}: between 1 and 1000000", sets);
}

int run(const Arguments& arguments) {
  const Stage stage = set_stage(arguments);
  const std::size_t sets = sets_of(arguments);
  const auto seed = arguments.get<std::uint64_t>("seed");
  for (const std::string& why : stage.absent) say(stderr, "not there, so stated: {}", why);
  const auto begin = std::chrono::steady_clock::now();
  const Rehearsal rehearsal = rehearse(stage.prereg, stage.scene, sets, seed);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (arguments.has("json")) {
    fmt::print("{}", to_text(rehearsal_json(stage, rehearsal, seed)));
  } else {
    print_rehearsal(stage, rehearsal);
  }
  const std::size_t judged =
      rehearsal.sets * rehearsal.worlds.size() + rehearsal.scan_sets * rehearsal.scales.size();
  say(stderr, "{} of {} judged in {}", count_of(judged, "set"), count_of(stage.plan.size(), "run"),
      format_duration(took.count()));
  if (arguments.has("output")) {
    write_simulated_report(stage, seed, arguments.get<std::string>("output"));
  }
  return 0;
}

}  // namespace

const Verb& rehearse_verb() {
  static const Verb verb{
      "rehearse",
      "FILE",
      "what the registered rules would say of simulated results",
      "Before anything is trained: simulates result sets under no effect, the expected effect, a\n"
      "reversed one and a noisy one, judges them by the registered rules, and shows how often "
      "each\n"
      "verdict comes out and which effect is large enough to be found. Prints what it assumes;\n"
      "every table is stamped.",
      1,
      1,
      [](po::options_description& options) {
        options.add_options()("sets", po::value<std::int64_t>()->default_value(kSets),
                              "result sets per world");
        options.add_options()("sd", po::value<double>(),
                              "scatter of the final loss between seeds, nats");
        options.add_options()("jitter", po::value<double>(),
                              "scatter of the breaking rate between seeds, decades");
        options.add_options()("shift", po::value<double>(),
                              "expected effect: decades by which the other arms break higher");
        options.add_options()("slope", po::value<double>(),
                              "expected effect: decades by which breaks move per doubled depth");
        options.add_options()("seed", po::value<std::uint64_t>()->default_value(1),
                              "of the random numbers");
        options.add_options()("output,o", po::value<std::string>(),
                              "a folder for the full report of one simulated set");
        add_vocabulary_option(options);
        add_json_option(options);
      },
      &run};
  return verb;
}

}  // namespace sweep
