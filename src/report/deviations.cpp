#include "report/deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sweep/base/text.h"
#include "sweep/prereg/gates.h"

namespace sweep {
namespace {

std::string by(const Touch& touch) {
  const char* when = touch.after_a_look ? ", after results could be read"
                     : touch.after_data ? ", after results existed"
                                        : ", before any result";
  return fmt::format("amendment {}{}", touch.amendment, when);
}

void collect_runs(const Evidence& evidence, std::set<std::string>& runs) {
  runs.insert(evidence.runs.begin(), evidence.runs.end());
  for (const Evidence& part : evidence.parts) collect_runs(part, runs);
}

void collect_quantities(const Criterion& criterion, std::set<std::string>& quantities) {
  if (!criterion.quantity.empty()) quantities.insert(criterion.quantity);
  for (const Criterion& part : criterion.parts) collect_quantities(part, quantities);
}

std::set<std::string> quantities_of(const Prereg& prereg, const std::string& id) {
  std::set<std::string> quantities;
  for (const Hypothesis& hypothesis : hypotheses_of(prereg)) {
    if (hypothesis.id != id) continue;
    collect_quantities(hypothesis.supported_if, quantities);
    collect_quantities(hypothesis.contradicted_if, quantities);
  }
  return quantities;
}

bool rests_on(const std::set<std::string>& quantities, const std::string& definition) {
  return std::any_of(quantities.begin(), quantities.end(), [&](const std::string& quantity) {
    const auto& keys = find_quantity(quantity)->rests_on;
    return std::find(keys.begin(), keys.end(), definition) != keys.end();
  });
}

/// Runs of the main block that an amendment touched: for one that was taken out nobody can say
/// any more what it would have changed.
void add_runs(std::vector<std::string>& sentences, const Verdict& verdict,
              const ReportInputs& inputs, const AmendmentEffect& effect) {
  std::set<std::string> runs;
  collect_runs(verdict.supported, runs);
  collect_runs(verdict.contradicted, runs);
  const auto added = std::count_if(runs.begin(), runs.end(), [&](const std::string& id) {
    return effect.added.find(id) != effect.added.end();
  });
  if (added > 0) {
    sentences.push_back(
        fmt::format("{} of the {} runs behind it were added by an amendment", added, runs.size()));
  }
  const auto removed = std::count_if(inputs.history.removed.begin(), inputs.history.removed.end(),
                                     [](const RunSpec& spec) { return spec.block == kMainBlock; });
  if (removed > 0) {
    sentences.push_back(fmt::format("{} taken out of the plan by an amendment",
                                    count_of(static_cast<std::size_t>(removed), "run")));
  }
  const auto missing = std::count_if(
      inputs.records.begin(), inputs.records.end(),
      [](const RunRecord& record) { return record.spec.block == kMainBlock && !record.result; });
  if (missing > 0) {
    sentences.push_back(count_of(static_cast<std::size_t>(missing), "planned run") + " missing");
  }
}

}  // namespace

std::vector<std::string> deviations_of(const Verdict& verdict, const ReportInputs& inputs) {
  const AmendmentEffect effect = effect_of(inputs.history.amendments);
  std::vector<std::string> sentences;
  if (const auto own = effect.hypotheses.find(verdict.id); own != effect.hypotheses.end()) {
    sentences.push_back("its rules were changed by " + by(own->second));
  }
  const auto quantities = quantities_of(inputs.prereg, verdict.id);
  for (const auto& [key, touch] : effect.definitions) {
    if (!rests_on(quantities, key)) continue;
    sentences.push_back(fmt::format("definition '{}' was changed by {}", key, by(touch)));
  }
  if (effect.analysis) {
    sentences.push_back("the analysis plan was changed by " + by(*effect.analysis));
  }
  add_runs(sentences, verdict, inputs, effect);
  for (const GateOverride& set_aside : gate_overrides(inputs.prereg)) {
    sentences.push_back(
        fmt::format("gate '{}' was set aside: {}", set_aside.gate, set_aside.reason));
  }
  if (effect.numerics) {
    sentences.push_back("another machine or build carried the sweep on: " + by(*effect.numerics));
  }
  return sentences;
}

}  // namespace sweep
