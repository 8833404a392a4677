#include "sweep/report/rehearsal_tables.h"

#include <fmt/format.h>

#include "report/cell_text.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr const char* kSimulated = "SIMULATED";

constexpr std::array<VerdictKind, kVerdictKinds> kKinds = {
    VerdictKind::kSupported, VerdictKind::kContradicted, VerdictKind::kNotSupported,
    VerdictKind::kInconclusive, VerdictKind::kConflict};

TableCell share_cell(std::size_t count, std::size_t sets) {
  const double share = static_cast<double>(count) / static_cast<double>(sets);
  return {count == 0 ? "–" : fmt::format("{:.0f} %", 100 * share), share};
}

std::string key_of(VerdictKind kind) {
  std::string key = to_string(kind);
  for (char& letter : key) letter = letter == ' ' ? '_' : letter;
  return key;
}

std::string effect_words(const World& world) {
  return fmt::format("{:+.2f} decades; {:+.2f} per doubling of depth", world.shift, world.slope);
}

void add(Table& table, const std::string& what, double value, int digits, const std::string& unit,
         const std::string& from) {
  table.rows.push_back(
      {word_cell(what),
       {fmt::format("{:.{}f}{}{}", value, digits, unit.empty() ? "" : " ", unit), value},
       word_cell(from)});
}

void add_level(Table& table, const std::string& what, double x, const std::string& from) {
  table.rows.push_back({word_cell(what), {fmt::format("{:.2e}", x), x}, word_cell(from)});
}

}  // namespace

Table assumptions_table(const Scene& scene, const AssumptionSources& sources) {
  const Assumptions& assumed = scene.assumed;
  const LossShape& control = assumed.control;
  const std::string by_share = "a share of the initial loss, as small models on characters have it";
  const std::string by_grid = "a share of the grid's decades";
  Table table;
  table.name = "assumptions";
  table.title = "What is assumed";
  table.note =
      "Nothing here was measured by this study. Losses in nats per token; arms scatter "
      "independently of one another, which is more than seeds that pair would.";
  table.stamp = kSimulated;
  table.columns = {{"what", "assumed", "", Align::kLeft},
                   {"value", "value", "", Align::kRight},
                   {"source", "from", "", Align::kLeft}};
  add(table, "initial loss", assumed.initial_loss, 3, "", "ln V, V: " + sources.vocabulary);
  add(table, "unigram floor", assumed.floors.unigram, 3, "", by_share);
  add(table, "bigram floor", assumed.floors.bigram, 3, "", by_share);
  add(table, "best final loss", control.best_loss, 3, "", by_share);
  add(table, "final loss when broken", control.plateau, 3, "", by_share);
  add_level(table, "best level", control.best_x, by_grid);
  add_level(table, "control breaks from", control.break_x, by_grid);
  add(table, "effect: others break higher by", assumed.shift, 2, "decades", "--shift");
  add(table, "effect: breaks move by", assumed.slope, 2, "per doubling of depth", "--slope");
  add(table, "scatter of the final loss (sd)", assumed.sd, 4, "", sources.sd);
  add(table, "scatter of the break (sd)", assumed.jitter, 3, "decades", sources.jitter);
  return table;
}

Table shares_table(const Rehearsal& rehearsal) {
  Table table;
  table.name = "shares";
  table.title = "Verdicts by the registered rules";
  table.note = fmt::format("Shares of {} simulated result sets in each world.", rehearsal.sets);
  table.stamp = kSimulated;
  table.columns = {{"world", "world", "", Align::kLeft},
                   {"hypothesis", "hypothesis", "", Align::kLeft}};
  for (const VerdictKind kind : kKinds) {
    table.columns.push_back({key_of(kind), to_string(kind), "", Align::kRight});
  }
  for (const WorldCounts& world : rehearsal.worlds) {
    for (const RuleCounts& counts : world.hypotheses) {
      std::vector<TableCell> row = {word_cell(world.world.name), word_cell(counts.id)};
      for (const VerdictKind kind : kKinds) {
        row.push_back(share_cell(counts.of(kind), rehearsal.sets));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table smallest_effect_table(const Rehearsal& rehearsal) {
  Table table;
  table.name = "smallest-effect";
  table.title = "Smallest effect that is found";
  table.note = fmt::format(
      "The expected effect scaled from {} to {} times: the smallest at which at least {:.0f} % of "
      "{} "
      "sets are judged supported. Effect: how much higher the other arms break than the control; "
      "how "
      "the break moves with depth.",
      format_number(rehearsal.scales.front()), format_number(rehearsal.scales.back()),
      100 * kFoundOften, rehearsal.scan_sets);
  table.stamp = kSimulated;
  table.columns = {{"hypothesis", "hypothesis", "", Align::kLeft},
                   {"shift", "shift", "", Align::kRight},
                   {"slope", "slope", "", Align::kRight},
                   {"share", "supported", "", Align::kRight},
                   {"effect", "effect", "", Align::kLeft}};
  for (const SmallestEffect& effect : rehearsal.smallest) {
    const TableCell share = {fmt::format("{:.0f} %", 100 * effect.share), effect.share};
    if (!effect.world) {
      table.rows.push_back({word_cell(effect.id),
                            {"–", nullptr},
                            {"–", nullptr},
                            share,
                            word_cell("not found at any scale")});
      continue;
    }
    table.rows.push_back({word_cell(effect.id), number_cell(effect.world->shift, 2),
                          number_cell(effect.world->slope, 2), share,
                          word_cell(effect_words(*effect.world))});
  }
  return table;
}

}  // namespace sweep
