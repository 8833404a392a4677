#include "report/findings_json.h"

namespace sweep {
namespace {

Json evidence_json(const Evidence& evidence) {
  Json json = {{"what", evidence.what}, {"truth", optional_json(evidence.truth)}};
  if (!evidence.numbers.empty()) json["numbers"] = evidence.numbers;
  if (!evidence.unknown.empty()) json["unknown"] = evidence.unknown;
  if (!evidence.settle.empty()) json["settle"] = evidence.settle;
  if (!evidence.runs.empty()) json["runs"] = evidence.runs;
  for (const Evidence& part : evidence.parts) json["parts"].push_back(evidence_json(part));
  return json;
}

Json test_json(const TestResult& result) {
  Json json = {{"rule", result.rule},
               {"test", result.criterion.test},
               {"quantity", result.criterion.quantity},
               {"across", result.criterion.across},
               {"trend", result.criterion.trend},
               {"alpha", result.criterion.p_at_most}};
  const auto* test = value_of(result.outcome);
  if (test == nullptr) {
    json["reason"] = std::get<Undefined>(result.outcome).reason;
    return json;
  }
  json["statistic"] = test->statistic;
  json["n"] = test->n;
  json["p"] = test->p;
  json["adjusted_p"] = result.adjusted_p;
  json["minimum_p"] = result.adjusted_minimum_p;
  return json;
}

Json kinds_json(const std::vector<VerdictKind>& kinds) {
  Json list = Json::array();
  for (const VerdictKind kind : kinds) list.push_back(to_string(kind));
  return list;
}

}  // namespace

Json verdicts_json(const std::vector<Verdict>& verdicts) {
  Json list = Json::array();
  for (const Verdict& verdict : verdicts) {
    Json json = {{"id", verdict.id},
                 {"claim", verdict.claim},
                 {"verdict", to_string(verdict.kind)},
                 {"reason", verdict.reason},
                 {"settle", verdict.settle},
                 {"does_not_show", verdict.limits},
                 {"deviated", !verdict.deviations.empty()},
                 {"deviations", verdict.deviations},
                 {"supported_if", evidence_json(verdict.supported)},
                 {"contradicted_if", evidence_json(verdict.contradicted)},
                 {"tests", Json::array()}};
    for (const TestResult& result : verdict.tests) json["tests"].push_back(test_json(result));
    list.push_back(std::move(json));
  }
  return list;
}

Json fragility_json(const Fragility& fragility) {
  Json json = {{"delta", optional_json(fragility.delta)},
               {"searched", {fragility.searched_low, fragility.searched_high}},
               {"intervals", Json::array()},
               {"alternatives", Json::array()}};
  for (const DeltaInterval& interval : fragility.intervals) {
    json["intervals"].push_back({{"id", interval.id},
                                 {"verdict", to_string(interval.verdict)},
                                 {"low", optional_json(interval.low)},
                                 {"high", optional_json(interval.high)},
                                 {"robust", interval.robust}});
  }
  for (const Rejudgement& alternative : fragility.alternatives) {
    json["alternatives"].push_back(
        {{"name", alternative.name}, {"verdicts", kinds_json(alternative.verdicts)}});
  }
  return json;
}

}  // namespace sweep
