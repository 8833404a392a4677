#include "sweep/analysis/analysis.h"

#include <algorithm>
#include <set>

namespace sweep {
namespace {

CurveAnalysis analyse_curve(const std::vector<Curve>& curves, const Curve& curve,
                            const Definitions& definitions) {
  Definitions::MaxStableLr strict = definitions.max_stable_lr;
  strict.failure = "diverged";
  return {curve,
          best_cell(curve),
          degraded_reference(curves, curve, "same_arm_and_stratum"),
          degraded_reference(curves, curve, "same_stratum"),
          max_stable_lr(curve, definitions.max_stable_lr),
          max_stable_lr(curve, strict),
          curve_sensitivity(curve, registered_rule(definitions.lr_sensitivity)),
          curve_sensitivity(curve, {"all", Weights::kEqual}),
          curve_sensitivity(curve, {"all", Weights::kLogTrapezoid}),
          curve_sensitivity(curve, {"wortsman", Weights::kEqual})};
}

}  // namespace

Analysis analyse(const Prereg& prereg, const std::vector<RunRecord>& records,
                 const FloorTable& floors) {
  Analysis analysis;
  analysis.axis = prereg.roles.axis;
  for (const Arm& arm : prereg.arms) analysis.arms.push_back(arm.name);
  const auto curves = judged(group(prereg, records, floors), prereg.definitions);
  std::set<std::uint64_t> seeds;
  for (const Curve& curve : curves) {
    if (analysis.strata.empty() || analysis.strata.back() != curve.stratum) {
      analysis.strata.push_back(curve.stratum);
    }
    const auto own = seeds_of(curve);
    seeds.insert(own.begin(), own.end());
    analysis.curves.push_back(analyse_curve(curves, curve, prereg.definitions));
  }
  analysis.seeds.assign(seeds.begin(), seeds.end());
  return analysis;
}

const CurveAnalysis* find_curve(const Analysis& analysis, const std::string& arm,
                                const Stratum& stratum) {
  for (const CurveAnalysis& candidate : analysis.curves) {
    if (candidate.curve.arm == arm && candidate.curve.stratum == stratum) return &candidate;
  }
  return nullptr;
}

}  // namespace sweep
