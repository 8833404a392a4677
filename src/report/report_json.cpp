#include <limits>

#include "report/findings_json.h"
#include "report/mechanism_json.h"
#include "sweep/report/report.h"

namespace sweep {
namespace {

Json place(const Curve& curve) { return {{"arm", curve.arm}, {"stratum", to_json(curve.stratum)}}; }

Json run_json(const CellRun& run) {
  Json json = {{"seed", run.seed}, {"id", run.id}, {"status", to_string(run.judgement.status)}};
  json["diverged"] = optional_json(run.judgement.diverged);
  json["unusable"] = optional_json(run.judgement.unusable);
  if (!run.losses) return json;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  put_number(json, "final_val_loss", run.losses->final_loss.value_or(kNan));
  put_number(json, "initial_val_loss", run.losses->initial_loss.value_or(kNan));
  return json;
}

Json cells_json(const Analysis& analysis) {
  Json cells = Json::array();
  for (const CurveAnalysis& one : analysis.curves) {
    for (const Cell& cell : one.curve.cells) {
      Json json = place(one.curve);
      json["x"] = cell.x;
      json["runs"] = Json::array();
      for (const CellRun& run : cell.runs) json["runs"].push_back(run_json(run));
      cells.push_back(std::move(json));
    }
  }
  return cells;
}

Json floors_json(const CorpusFloors& floors) {
  return {{"uniform", floors.uniform}, {"unigram", floors.unigram}, {"bigram", floors.bigram}};
}

/// null when cells were evaluated on different tokens: then each stratum's table has its own.
Json shared_floors(const Analysis& analysis) {
  const CorpusFloors& first = analysis.curves.front().curve.cells.front().floors;
  for (const CurveAnalysis& one : analysis.curves) {
    for (const Cell& cell : one.curve.cells) {
      if (cell.floors != first) return nullptr;
    }
  }
  return floors_json(first);
}

Json best_json(const Analysis& analysis) {
  Json best = Json::array();
  for (const CurveAnalysis& one : analysis.curves) {
    Json json = place(one.curve);
    json["x"] = one.best ? Json(one.best->x) : Json();
    json["mean"] = optional_json(one.own_reference);
    json["stratum_reference"] = optional_json(one.stratum_reference);
    best.push_back(std::move(json));
  }
  return best;
}

const char* censored_word(StableLr::Kind kind) {
  return kind == StableLr::Kind::kRightCensored ? "right" : "none";
}

Json stable_json(const Curve& curve, const Json& seed, const Finding<StableLr>& finding,
                 const Finding<StableLr>& strict) {
  Json json = place(curve);
  json["seed"] = seed;
  const StableLr* stable = value_of(finding);
  const StableLr* strictly = value_of(strict);
  json["value"] = stable != nullptr ? optional_json(stable->lower) : Json();
  json["upper"] = stable != nullptr ? optional_json(stable->upper) : Json();
  json["censored"] = nullptr;
  json["strict_value"] = strictly != nullptr ? optional_json(strictly->lower) : Json();
  if (stable == nullptr) {
    const auto& why = std::get<Undefined>(finding);
    json["censored"] = "missing";
    json["reason"] = why.reason;
    json["runs"] = why.runs;
    return json;
  }
  if (stable->kind != StableLr::Kind::kInterval) json["censored"] = censored_word(stable->kind);
  json["non_monotone"] = stable->non_monotone;
  json["unrestricted"] = optional_json(stable->unrestricted);
  return json;
}

Json max_stable_json(const Analysis& analysis) {
  Json list = Json::array();
  for (const CurveAnalysis& one : analysis.curves) {
    for (std::size_t i = 0; i < one.max_stable.per_seed.size(); ++i) {
      const auto& [seed, finding] = one.max_stable.per_seed[i];
      list.push_back(
          stable_json(one.curve, seed, finding, one.max_stable_strict.per_seed[i].second));
    }
    list.push_back(
        stable_json(one.curve, "all", one.max_stable.all_seeds, one.max_stable_strict.all_seeds));
  }
  return list;
}

Json seed_value(const Finding<LrSensitivity>& finding, double LrSensitivity::* member) {
  const LrSensitivity* value = value_of(finding);
  return value != nullptr ? Json(value->*member) : Json();
}

Json per_seed(const CurveSensitivity& sensitivity, double LrSensitivity::* member) {
  Json values = Json::array();
  for (const auto& [seed, finding] : sensitivity.per_seed) {
    values.push_back(seed_value(finding, member));
  }
  return values;
}

Json weighting_json(const CurveSensitivity& sensitivity) {
  Json json = Json::object();
  const Spread* spread = value_of(sensitivity.over_seeds);
  json["mean"] = spread != nullptr ? Json(spread->mean) : Json();
  json["per_seed"] = per_seed(sensitivity, &LrSensitivity::value);
  if (spread == nullptr) json["reason"] = std::get<Undefined>(sensitivity.over_seeds).reason;
  return json;
}

Json sensitivity_json(const CurveAnalysis& one) {
  Json json = place(one.curve);
  json.update(weighting_json(one.sensitivity));
  if (const auto* why = std::get_if<Undefined>(&one.sensitivity.over_seeds)) {
    json["runs"] = why->runs;
  }
  Json seeds = Json::array();
  Json never_trained = Json::array();
  for (const auto& [seed, finding] : one.sensitivity.per_seed) {
    seeds.push_back(seed);
    const LrSensitivity* value = value_of(finding);
    never_trained.push_back(value != nullptr ? Json(value->never_trained) : Json());
  }
  json["seeds"] = seeds;
  json["best_loss"] = per_seed(one.sensitivity, &LrSensitivity::best_loss);
  json["best_x"] = per_seed(one.sensitivity, &LrSensitivity::best_x);
  json["below"] = per_seed(one.sensitivity, &LrSensitivity::below);
  json["above"] = per_seed(one.sensitivity, &LrSensitivity::above);
  json["initial_loss"] = per_seed(one.sensitivity, &LrSensitivity::initial_loss);
  json["never_trained"] = never_trained;
  json["equal"] = weighting_json(one.sensitivity_equal);
  json["log_trapezoid"] = weighting_json(one.sensitivity_log_trapezoid);
  json["wortsman"] = weighting_json(one.sensitivity_wortsman);
  return json;
}

Json touch_json(const Touch& touch) {
  return {{"amendment", touch.amendment},
          {"after_data", touch.after_data},
          {"after_a_look", touch.after_a_look}};
}

Json touched_json(const std::map<std::string, Touch>& touches) {
  Json json = Json::object();
  for (const auto& [name, touch] : touches) json[name] = touch_json(touch);
  return json;
}

void add_history(Json& json, const History& history) {
  json["amendments"] = Json::array();
  for (const Amendment& amendment : history.amendments) {
    Json one = to_json(amendment);
    one["added"] = Json::array();
    for (const RunSpec& spec : amendment.added) one["added"].push_back(spec.id);
    json["amendments"].push_back(std::move(one));
  }
  const AmendmentEffect effect = effect_of(history.amendments);
  json["touched"] = {{"runs", touched_json(effect.added)},
                     {"removed", touched_json(effect.removed)},
                     {"definitions", touched_json(effect.definitions)},
                     {"hypotheses", touched_json(effect.hypotheses)},
                     {"analysis", effect.analysis ? touch_json(*effect.analysis) : Json()},
                     {"numerics", effect.numerics ? touch_json(*effect.numerics) : Json()}};
  json["notes"] = Json::array();
  for (const Note& note : history.notes) {
    json["notes"].push_back({{"time", note.time}, {"text", note.text}, {"known", note.known}});
  }
  json["anchors"] = Json::array();
  for (const Anchor& anchor : history.anchors) {
    json["anchors"].push_back({{"time", anchor.time},
                               {"of", anchor.link.name},
                               {"sha256", anchor.link.hash},
                               {"anchor", describe(anchor)}});
  }
}

Json tables_json(const Report& report) {
  Json tables = Json::array();
  for (const Table& table : report.tables) tables.push_back(to_json(table));
  return tables;
}

}  // namespace

Json report_json(const Report& report) {
  const Analysis& analysis = report.analysis;
  Json json = {{"schema_version", 1},
               {"complete", report.complete()},
               {"planned", report.planned},
               {"finished", report.finished},
               {"missing", report.missing},
               {"title", report.title},
               {"question", report.question},
               {"axis", analysis.axis},
               {"arms", analysis.arms},
               {"strata", Json::array()},
               {"seeds", analysis.seeds},
               {"definitions", to_json(report.definitions)},
               {"cells", cells_json(analysis)},
               {"floors", shared_floors(analysis)},
               {"best", best_json(analysis)},
               {"max_stable_lr", max_stable_json(analysis)},
               {"lr_sensitivity", Json::array()}};
  for (const Stratum& stratum : analysis.strata) json["strata"].push_back(to_json(stratum));
  for (const CurveAnalysis& one : analysis.curves) {
    json["lr_sensitivity"].push_back(sensitivity_json(one));
  }
  json["necessity_lr"] = necessity_json(analysis);
  json["gap"] = gap_json(analysis);
  json["convergence"] = convergence_json(analysis);
  json["range_effects"] = range_effects_json(report.range_effects);
  json["necessity_slope"] = necessity_slope_json(report.necessity_slopes);
  json["verdicts"] = verdicts_json(report.verdicts);
  json["fragility"] = fragility_json(report.fragility);
  add_history(json, report.history);
  json["mechanism"] = mechanism_json(report.mechanism);
  json["training_health"] = health_json(report.health);
  json["tables"] = tables_json(report);
  return json;
}

}  // namespace sweep
